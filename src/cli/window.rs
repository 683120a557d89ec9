//! The words of a command line that open the window.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What the window is asked to open on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WindowWords {
    /// A plan or another file to open there.
    pub file: Option<OsString>,
    /// Folder of presets to lay over those that ship.
    pub presets: Option<PathBuf>,
}

impl WindowWords {
    /// Reads the words behind the program's name; `None` where they are for the command line.
    pub fn read(words: &[OsString]) -> Option<Self> {
        let (presets, rest) = split_presets(words);
        match rest.as_slice() {
            [] => Some(Self {
                file: None,
                presets,
            }),
            [file] if names_file(file) => Some(Self {
                file: Some(file.clone()),
                presets,
            }),
            _ => None,
        }
    }

    /// What is wrong with the file, in a sentence; `None` where there is none or it is there.
    pub fn missing_file(&self) -> Option<String> {
        let file = self
            .file
            .as_ref()
            .filter(|file| !Path::new(file).is_file())?;
        Some(format!(
            "{}: no such file; allowed: a plan file to open in the window, or a command (`mantissa --help`)",
            file.to_string_lossy()
        ))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_alone_and_presets_open_the_window() {
        let read = |words: &str| {
            let words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
            WindowWords::read(&words).map(|asked| (asked.file, asked.presets))
        };
        let file = Some(OsString::from("plan.toml"));
        let own = Some(PathBuf::from("own"));
        assert_eq!(read(""), Some((None, None)));
        assert_eq!(read("plan.toml"), Some((file.clone(), None)));
        assert_eq!(read("--presets own"), Some((None, own.clone())));
        assert_eq!(
            read("plan.toml --presets=own"),
            Some((file.clone(), own.clone()))
        );
        assert_eq!(read("--presets own plan.toml"), Some((file, own)));
        for command_line in [
            "plan plan.toml",
            "catalog gpus --presets own",
            "--presets",
            "--help",
        ] {
            assert_eq!(read(command_line), None, "{command_line}");
        }
    }
}
