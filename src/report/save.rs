//! Writing a file whole or not at all.

use std::io::Write;
use std::path::Path;

/// A file could not be written; what stood there before still does.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot be written: {reason}")]
pub struct SaveError {
    /// The path asked for.
    pub path: String,
    /// The system's word on it.
    pub reason: std::io::Error,
}

/// Writes `contents` to `path`: into a new file beside it first, which then takes its place.
///
/// # Errors
/// [`SaveError`] names the path.
pub fn save(path: &Path, contents: &str) -> Result<(), SaveError> {
    save_bytes(path, contents.as_bytes())
}

/// Writes bytes to a file, all of them or nothing.
///
/// # Errors
/// [`SaveError`] names the path.
pub fn save_bytes(path: &Path, contents: &[u8]) -> Result<(), SaveError> {
    write(path, contents).map_err(|reason| SaveError {
        path: path.display().to_string(),
        reason,
    })
}

fn write(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    if path.is_dir() {
        return Err(std::io::Error::from(std::io::ErrorKind::IsADirectory));
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new()
        .prefix(".mantissa-")
        .permissions_of_new_files()
        .tempfile_in(folder)?;
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Temporary files are private to their owner; a report is an ordinary file.
trait OrdinaryFile {
    fn permissions_of_new_files(&mut self) -> &mut Self;
}

impl OrdinaryFile for tempfile::Builder<'_, '_> {
    fn permissions_of_new_files(&mut self) -> &mut Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The process's umask still applies.
            self.permissions(std::fs::Permissions::from_mode(0o666));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.csv");
        save(&path, "old").unwrap();
        save(&path, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_error_names_the_path() {
        let error = save(Path::new("/no/such/folder/plan.csv"), "").unwrap_err();
        assert!(
            error.to_string().starts_with("/no/such/folder/plan.csv: "),
            "{error}"
        );
        let folder = tempfile::tempdir().unwrap();
        assert!(save(folder.path(), "").is_err());
    }
}
