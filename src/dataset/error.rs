//! What can stop a whole file or a whole split. A bad row stops nothing: see [`super::SkippedRow`].

use std::io;

/// Why a file of runs could not be read at all, or a split could not be made.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The file could not be opened or read.
    #[error("{file}: {source}")]
    Io {
        /// The file's name as the user gave it.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no text that can be read.
    #[error(
        "{file}: {what}; allowed: a table as UTF-8 text, with commas, semicolons or tabs between cells"
    )]
    NoText {
        /// The file's name as the user gave it.
        file: String,
        /// What it is.
        what: &'static str,
    },
    /// The file is not a table with a header.
    #[error("{file}: line 1: no header; the first line must name the columns, at least {required}")]
    NoHeader {
        /// The file's name as the user gave it.
        file: String,
        /// The required columns.
        required: String,
    },
    /// A column without which no run can be read.
    #[error("{file}: line 1: column `{column}` is missing; required are {required}")]
    MissingColumn {
        /// The file's name as the user gave it.
        file: String,
        /// The first column that is missing.
        column: &'static str,
        /// All required columns.
        required: String,
    },
    /// A column named twice, so that a cell would be ambiguous.
    #[error("{file}: line 1: column `{column}` appears twice")]
    RepeatedColumn {
        /// The file's name as the user gave it.
        file: String,
        /// The column.
        column: String,
    },
    /// A shipped table has a row that does not read: the build is wrong, not the user.
    #[error("shipped data set, row {row}: {reason}")]
    Shipped {
        /// The row, from 1 after the header.
        row: usize,
        /// Why it does not read.
        reason: String,
    },
    /// A split that these rows do not allow.
    #[error("cannot split: {0}")]
    Split(String),
}
