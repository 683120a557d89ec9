//! The binary: no arguments open the window, one file opens it there, a subcommand runs the command line.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit status of bad input.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (presets, rest) = split_presets(&words);
    match rest.as_slice() {
        [] => open_window(None, presets.as_deref()),
        [file] if names_file(file) => match Path::new(file).is_file() {
            true => open_window(Some(file.clone()), presets.as_deref()),
            false => {
                mantissa::cli::say(&format!(
                    "{}: no such file; allowed: a plan file to open in the window, or a command (`mantissa --help`)",
                    file.to_string_lossy()
                ));
                ExitCode::from(BAD_INPUT)
            }
        },
        _ => mantissa::cli::run(),
    }
}

/// The folder that `--presets` names, and the words beside it. A flag without its folder stays among them, for the command
/// line to refuse.
fn split_presets(words: &[OsString]) -> (Option<PathBuf>, Vec<OsString>) {
    let mut rest = words.to_vec();
    for at in 0..rest.len() {
        let word = rest[at].to_string_lossy().into_owned();
        if word == "--presets" && at + 1 < rest.len() {
            let folder = rest.drain(at..at + 2).nth(1);
            return (folder.map(PathBuf::from), rest);
        }
        if let Some(folder) = word.strip_prefix("--presets=").filter(|f| !f.is_empty()) {
            rest.remove(at);
            return (Some(PathBuf::from(folder)), rest);
        }
    }
    (None, rest)
}

/// Whether a word names a file to open, as `plan.toml` does: no command and no flag has an ending, whatever files lie here.
fn names_file(word: &OsStr) -> bool {
    let is_flag = word.to_string_lossy().starts_with('-');
    !is_flag && Path::new(word).extension().is_some()
}

#[cfg(feature = "gui")]
fn open_window(file: Option<OsString>, presets: Option<&Path>) -> ExitCode {
    let catalogue = match mantissa::presets::Catalogue::with_own(presets) {
        Ok(catalogue) => catalogue,
        Err(error) => {
            mantissa::cli::say(&error.to_string());
            return ExitCode::from(if presets.is_some() { BAD_INPUT } else { 1 });
        }
    };
    match mantissa::gui::run(catalogue, file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            mantissa::cli::say(&message);
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(feature = "gui"))]
fn open_window(_file: Option<OsString>, _presets: Option<&Path>) -> ExitCode {
    mantissa::cli::say(
        "this build has no window (feature `gui` is off); `mantissa --help` lists the commands",
    );
    ExitCode::FAILURE
}
