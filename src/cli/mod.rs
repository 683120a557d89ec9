//! The command line: arguments to calls, results to text. Only this module knows clap.

mod args;
mod calibrate;
mod catalog;
mod crossval;
mod evaluate;
mod failure;
mod files;
mod judged;
mod plan;
mod predict;
mod text;
mod train;

pub use failure::say;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

/// Runs the command line of this process: exit status 0, 2 for bad input, 1 for a failure.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::usage(&error),
    };
    let result = match arguments.command {
        Command::Plan(args) => plan::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Crossval(args) => crossval::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Catalog(args) => catalog::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
