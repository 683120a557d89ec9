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
    // Joined by the window: `mantissa::gui::run()`.
    eprintln!("the window is not part of this build; `mantissa --help` lists the commands");
    ExitCode::FAILURE
}

#[cfg(not(feature = "gui"))]
fn open_window() -> ExitCode {
    eprintln!("this build has no window (feature `gui` is off); `mantissa --help` lists the commands");
    ExitCode::FAILURE
}
