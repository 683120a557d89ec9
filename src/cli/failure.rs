//! What went wrong, in one line, and the exit status it has.

use super::text::{shortened, without_controls};
use crate::planner::{RequestError, RequestFileError};
use crate::report::SaveError;
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

/// Exit status of bad input.
pub const BAD_INPUT: u8 = 2;

/// Why a command stopped.
#[derive(Debug)]
pub(super) enum Failure {
    /// The user can mend it: status 2.
    Input(String),
    /// The user cannot: status 1.
    Other(String),
    /// Whoever read the output has gone; nothing to say.
    OutputClosed,
}

impl Failure {
    pub(super) fn input(message: impl Display) -> Self {
        Self::Input(message.to_string())
    }

    pub(super) fn other(message: impl Display) -> Self {
        Self::Other(message.to_string())
    }

    /// Says it on standard error.
    pub(super) fn report(self) -> ExitCode {
        let (message, status) = match self {
            Self::Input(message) => (message, BAD_INPUT),
            Self::Other(message) => (message, 1),
            Self::OutputClosed => return ExitCode::SUCCESS,
        };
        say(&format!(
            "error: {}",
            shortened(message.trim()).replace('\n', " ")
        ));
        ExitCode::from(status)
    }
}

impl From<Vec<RequestError>> for Failure {
    fn from(errors: Vec<RequestError>) -> Self {
        let lines: Vec<String> = errors.iter().map(RequestError::to_string).collect();
        Self::Input(lines.join(" | "))
    }
}

impl From<RequestFileError> for Failure {
    fn from(error: RequestFileError) -> Self {
        Self::input(error)
    }
}

impl From<SaveError> for Failure {
    fn from(error: SaveError) -> Self {
        Self::other(error)
    }
}

/// Help and version go to standard output; a wrong argument is bad input, said in one line.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let told: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:"))
        .filter(|line| !line.is_empty() && !line.starts_with("For more information"))
        .collect();
    let line = told.join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    Failure::input(if line.is_empty() {
        "wrong arguments; see `mantissa --help`"
    } else {
        line
    })
    .report()
}

/// A line on standard error; one that takes nothing is no reason to stop, and no other exit status.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", without_controls(line));
}

/// Writes text for people to standard output; a closed pipe is no failure.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    print_file(&without_controls(text))
}

/// Writes what could be a file as well to standard output, every character of it.
pub(super) fn print_file(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::OutputClosed,
        _ => Failure::other(format!("standard output: {error}")),
    })
}

/// Writes a value as JSON to standard output.
pub(super) fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print_file(&json_text(value))
}

/// JSON as it stands in files: indented, with a newline at its end.
pub(super) fn json_text(value: &serde_json::Value) -> String {
    // A `Value` always has a text form.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
