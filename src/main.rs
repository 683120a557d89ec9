//! The binary: no arguments open the window, one file opens it there, a subcommand runs the command line.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match (args.next(), args.next()) {
        (None, _) => open_window(None),
        // `mantissa plan.toml` opens a file as dropping it onto the window does; a command has the name of no file.
        (Some(file), None) if std::path::Path::new(&file).is_file() => open_window(Some(file)),
        (Some(file), None) if std::path::Path::new(&file).extension().is_some() => {
            eprintln!(
                "{}: no such file; allowed: a plan file to open in the window, or a command (`mantissa --help`)",
                file.to_string_lossy()
            );
            ExitCode::from(2)
        }
        _ => mantissa::cli::run(),
    }
}

#[cfg(feature = "gui")]
fn open_window(file: Option<OsString>) -> ExitCode {
    match mantissa::gui::run(file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(feature = "gui"))]
fn open_window(_file: Option<OsString>) -> ExitCode {
    eprintln!(
        "this build has no window (feature `gui` is off); `mantissa --help` lists the commands"
    );
    ExitCode::FAILURE
}
