//! What can be wrong with a preset file or a name.

use std::fmt;

/// A preset file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PresetError {
    /// A place in a file is wrong; the message names the field and what is allowed.
    #[error("{file}:{line}:{column}: {message}")]
    At {
        /// Path of the file, as given or inside `presets/`.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong and what is allowed.
        message: String,
    },
    /// The file was written for a newer build.
    #[error("{file}: schema {found} is newer than this build knows ({known}); update Mantissa")]
    Newer {
        /// Path of the file.
        file: String,
        /// The schema it states.
        found: u32,
        /// The newest schema known here.
        known: u32,
    },
    /// A file or folder cannot be read.
    #[error("{path}: {message}")]
    Io {
        /// The path asked for.
        path: String,
        /// The system's word on it.
        message: String,
    },
    /// A file lies where no kind of preset belongs.
    #[error("{file}: no such kind of preset; allowed: {allowed}")]
    Kind {
        /// Path of the file.
        file: String,
        /// The paths that are read.
        allowed: &'static str,
    },
    /// The shipped files lack something that must be there.
    #[error("the shipped presets are incomplete: {0}")]
    Incomplete(String),
}

/// Kinds of things that have names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A GPU or TPU part.
    Accelerator,
    /// A node type.
    System,
    /// A model of the catalogue.
    Model,
    /// A country, state or cloud region.
    Region,
    /// A seller of accelerator hours.
    Provider,
    /// A stored operator profile.
    Profile,
}

impl fmt::Display for NameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accelerator => "accelerator",
            Self::System => "system",
            Self::Model => "model",
            Self::Region => "region",
            Self::Provider => "provider",
            Self::Profile => "operator profile",
        })
    }
}

/// A name that nothing has, with the nearest ones that exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// What was looked for.
    pub kind: NameKind,
    /// The name as given.
    pub name: String,
    /// The nearest known names, best first, three at most.
    pub nearest: Vec<String>,
}

impl std::error::Error for UnknownName {}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} `{}`", self.kind, self.name)?;
        if self.nearest.is_empty() {
            Ok(())
        } else {
            write!(f, "; nearest known: {}", self.nearest.join(", "))
        }
    }
}
