//! The binary: no arguments open the window, one file opens it there, a subcommand runs the command line.

use mantissa::cli::{BAD_INPUT, WindowWords, run, say};
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let Some(asked) = WindowWords::read(&words) else {
        return run();
    };
    match asked.missing_file() {
        Some(message) => told(&message, BAD_INPUT),
        None => open_window(asked),
    }
}

fn told(message: &str, status: u8) -> ExitCode {
    say(message);
    ExitCode::from(status)
}

#[cfg(feature = "gui")]
fn open_window(asked: WindowWords) -> ExitCode {
    let presets = asked.presets.as_deref();
    let catalogue = match mantissa::presets::Catalogue::with_own(presets) {
        Ok(catalogue) => catalogue,
        Err(error) => return told(&error.to_string(), presets.map_or(1, |_| BAD_INPUT)),
    };
    match mantissa::gui::run(catalogue, asked.file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => told(&message, 1),
    }
}

#[cfg(not(feature = "gui"))]
fn open_window(_asked: WindowWords) -> ExitCode {
    told(
        "this build has no window (feature `gui` is off); `mantissa --help` lists the commands",
        1,
    )
}
