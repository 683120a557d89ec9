//! The binary: no arguments open the window, one file opens it there, a subcommand runs the command line.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match (args.next(), args.next()) {
        (None, _) => open_window(None),
        (Some(file), None) if names_file(&file) => match Path::new(&file).is_file() {
            true => open_window(Some(file)),
            false => {
                mantissa::cli::say(&format!(
                    "{}: no such file; allowed: a plan file to open in the window, or a command (`mantissa --help`)",
                    file.to_string_lossy()
                ));
                ExitCode::from(2)
            }
        },
        _ => mantissa::cli::run(),
    }
}

/// Whether a word names a file to open, as `plan.toml` does: no command and no flag has an ending, whatever files lie here.
fn names_file(word: &OsStr) -> bool {
    let is_flag = word.to_string_lossy().starts_with('-');
    !is_flag && Path::new(word).extension().is_some()
}

#[cfg(feature = "gui")]
fn open_window(file: Option<OsString>) -> ExitCode {
    match mantissa::gui::run(file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            mantissa::cli::say(&message);
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(feature = "gui"))]
fn open_window(_file: Option<OsString>) -> ExitCode {
    mantissa::cli::say(
        "this build has no window (feature `gui` is off); `mantissa --help` lists the commands",
    );
    ExitCode::FAILURE
}
