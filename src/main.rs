//! The binary: no arguments open the window, a subcommand runs the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().len() > 1 {
        return mantissa::cli::run();
    }
    open_window()
}

#[cfg(feature = "gui")]
fn open_window() -> ExitCode {
    match mantissa::gui::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(feature = "gui"))]
fn open_window() -> ExitCode {
    eprintln!(
        "this build has no window (feature `gui` is off); `mantissa --help` lists the commands"
    );
    ExitCode::FAILURE
}
