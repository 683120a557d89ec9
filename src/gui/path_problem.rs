//! Why a path that was tried did not do, and what would.

use super::command::PathPurpose;
use super::words::clipped;
use crate::presets::FileEnding;
use std::path::Path;

/// A path that was tried, and why it did not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathProblem {
    /// The path as it was typed or chosen.
    pub path: String,
    /// The reason, as the layer that met it tells it.
    pub text: String,
    /// What kind of reason that is.
    pub cause: PathCause,
}

/// What is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathCause {
    /// A file would be lost: the same path once more is the word that it may go.
    Replaces,
    /// Nothing was typed.
    Empty,
    /// Nothing is there.
    Missing,
    /// The folder it would go into is not there.
    NoFolder,
    /// A folder stands there.
    Folder,
    /// A file of a kind that nobody reads.
    Kind,
    /// It is there and of a known kind, and what it holds is not understood.
    Contents,
    /// It may not be read or written, or the disk is full.
    System,
}

impl PathProblem {
    /// A reason to ask before a file goes.
    pub fn replaces(path: &str, text: String) -> Self {
        Self {
            path: path.to_owned(),
            text,
            cause: PathCause::Replaces,
        }
    }

    /// Why a path did not do: found by looking at what is there.
    pub fn of(purpose: PathPurpose, path: &str, text: String) -> Self {
        let opens = purpose == PathPurpose::OpenPlan;
        let at = Path::new(path.trim());
        let parent = at.parent().filter(|p| !p.as_os_str().is_empty());
        let cause = if path.trim().is_empty() {
            PathCause::Empty
        } else if at.is_dir() {
            PathCause::Folder
        } else if opens && !at.exists() {
            PathCause::Missing
        } else if opens && FileEnding::of(path).is_none() {
            PathCause::Kind
        } else if opens && std::fs::File::open(at).is_ok() {
            PathCause::Contents
        } else if !opens && parent.is_some_and(|p| !p.is_dir()) {
            PathCause::NoFolder
        } else {
            PathCause::System
        };
        Self {
            path: path.to_owned(),
            text,
            cause,
        }
    }

    /// The reason without the path, which stands in the field, and in words where the system has a code.
    pub fn reason(&self) -> String {
        const WORDS: [(&str, &str); 4] = [
            (
                "(os error 20)",
                "A part of the path is a file, not a folder",
            ),
            ("(os error 13)", "You may not read or write there"),
            ("(os error 30)", "Nothing can be written there"),
            ("(os error 28)", "The disk is full"),
        ];
        let lower = self.text.to_lowercase();
        let known = WORDS.iter().find(|(code, _)| lower.contains(code));
        match (self.cause, known) {
            (PathCause::Empty, _) => "Type a path first".to_owned(),
            (PathCause::Folder, _) => "This is a folder: add the name of a file".to_owned(),
            (PathCause::Missing | PathCause::NoFolder | PathCause::System, Some((_, words))) => {
                (*words).to_owned()
            }
            (PathCause::NoFolder, None) => "The folder does not exist".to_owned(),
            (PathCause::Missing, None) => "There is no such file or folder".to_owned(),
            _ => {
                let text = self.text.strip_prefix(&format!("{}: ", self.path));
                clipped(text.unwrap_or(&self.text), 300)
            }
        }
    }

    /// What would do; `None` where the reason says so itself.
    pub fn allowed(&self, purpose: PathPurpose) -> Option<String> {
        let is_table = FileEnding::of(&self.path) == Some(FileEnding::Csv);
        Some(match (self.cause, purpose) {
            (PathCause::Replaces, _) => return None,
            (PathCause::Contents, _) if is_table => {
                "The file was found, but it is no table of measured runs as `mantissa evaluate` reads them"
                    .to_owned()
            }
            (PathCause::Contents, _) => {
                "The file was found, but what it holds is not understood. Mend the place named above, or choose another file"
                    .to_owned()
            }
            (PathCause::System, PathPurpose::OpenPlan) => "A file that you may read".to_owned(),
            (PathCause::Missing | PathCause::Folder | PathCause::Empty, PathPurpose::OpenPlan) => {
                format!("A file that exists: {KINDS}")
            }
            (_, PathPurpose::OpenPlan) => format!("Allowed: {KINDS}"),
            _ => format!(
                "A file in a folder that exists and that you may write to, with a name that ends in .{}",
                purpose.kind().1
            ),
        })
    }
}

/// What the window opens.
pub const KINDS: &str =
    "a plan or a calibration (.toml), a model (.json, .toml) or measured runs (.csv)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_words_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let broken = folder.path().join("broken.toml");
        std::fs::write(&broken, "model = ").unwrap();
        let odd = folder.path().join("notes.txt");
        std::fs::write(&odd, "x").unwrap();
        let open = PathPurpose::OpenPlan;
        let of = |purpose, path: &Path| {
            PathProblem::of(purpose, &path.display().to_string(), "reason".into())
        };
        for (problem, cause) in [
            (of(open, &broken), PathCause::Contents),
            (of(open, &odd), PathCause::Kind),
            (of(open, folder.path()), PathCause::Folder),
            (
                of(open, &folder.path().join("none.toml")),
                PathCause::Missing,
            ),
            (
                of(PathPurpose::SavePlan, &folder.path().join("a/b.toml")),
                PathCause::NoFolder,
            ),
        ] {
            assert_eq!(problem.cause, cause, "{problem:?}");
            let exists = problem
                .allowed(open)
                .unwrap_or_default()
                .contains("that exists");
            let missing = matches!(cause, PathCause::Missing | PathCause::Folder);
            assert_eq!(exists, missing, "{problem:?}");
        }
        let replaces = PathProblem::replaces("a", "Replace it?".into());
        assert_eq!(replaces.allowed(PathPurpose::SavePlan), None);
        assert_eq!(replaces.reason(), "Replace it?");
    }
}
