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
mod window;

pub use failure::{BAD_INPUT, say};
pub use window::WindowWords;

use crate::presets::Catalogue;
use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

/// Why a fit takes no presets.
const FIT_IS_OF_SHIPPED: &str = "--presets: the fit and its figures are of the presets that ship; allowed with plan, predict, evaluate, \
     calibrate, catalog and the window";

/// Runs the command line of this process: exit status 0, 2 for bad input, 1 for a failure.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::usage(&error),
    };
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn dispatch(arguments: &Arguments) -> Result<(), Failure> {
    let presets = arguments.presets.as_deref();
    let catalogue = Catalogue::with_own(presets).map_err(|error| match presets {
        Some(_) => Failure::input(error),
        None => Failure::other(error),
    })?;
    match &arguments.command {
        Command::Plan(args) => plan::run(args, &catalogue),
        Command::Predict(args) => predict::run(args, &catalogue),
        Command::Evaluate(args) => evaluate::run(args, &catalogue),
        Command::Calibrate(args) => calibrate::run(args, &catalogue),
        Command::Catalog(args) => catalog::run(args, &catalogue),
        // The figures of the card hold of what ships.
        Command::Crossval(_) | Command::Train(_) if presets.is_some() => {
            Err(Failure::input(FIT_IS_OF_SHIPPED))
        }
        Command::Crossval(args) => crossval::run(args, &catalogue),
        Command::Train(args) => train::run(args, &catalogue),
    }
}
