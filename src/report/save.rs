//! Writing a file whole or not at all.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Links that are followed one after another before they are taken for a ring, as Linux counts them.
const MOST_LINKS: usize = 40;

/// A file could not be written; what stood there before still does.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot be written: {reason}")]
pub struct SaveError {
    /// The path asked for.
    pub path: String,
    /// The system's word on it.
    pub reason: Error,
}

/// Writes `contents` to `path`: into a new file beside it first, which then takes its place. A link stays, and what it leads
/// to is replaced; a pipe or a device takes the contents as they are.
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

/// The file that [`save`] would make or replace: one name however it is reached. `None` where nothing can be lost there, as
/// in a pipe or a device, and where nothing can be written.
pub fn replaced_file(path: &Path) -> Option<PathBuf> {
    match destination(path).ok()? {
        Destination::Stream => None,
        Destination::File { path, .. } => {
            let folder = std::fs::canonicalize(folder_of(&path)).ok()?;
            Some(folder.join(path.file_name()?))
        }
    }
}

/// What stands at the end of a path.
enum Destination {
    /// A pipe, a device or a socket: no file takes its place.
    Stream,
    /// A file behind every link, or none yet.
    File {
        path: PathBuf,
        existing: Option<Metadata>,
    },
}

fn destination(path: &Path) -> std::io::Result<Destination> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(Error::from(ErrorKind::IsADirectory)),
        Ok(found) if found.is_file() => Ok(Destination::File {
            path: std::fs::canonicalize(path)?,
            existing: Some(found),
        }),
        Ok(_) => Ok(Destination::Stream),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Destination::File {
            path: end_of_links(path)?,
            existing: None,
        }),
        Err(error) => Err(error),
    }
}

/// Where links lead that end at nothing yet.
fn end_of_links(path: &Path) -> std::io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&at) {
            Ok(next) => at = folder_of(&at).join(next),
            Err(_) => return Ok(at),
        }
    }
    Err(Error::other("its links lead in a ring"))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn write(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    match destination(path)? {
        Destination::Stream => OpenOptions::new()
            .write(true)
            .open(path)?
            .write_all(contents),
        Destination::File { path, existing } => replace(&path, existing.as_ref(), contents),
    }
}

/// Puts a new file in the place of what stands at `path`, with the same permissions.
fn replace(path: &Path, existing: Option<&Metadata>, contents: &[u8]) -> std::io::Result<()> {
    let folder = folder_of(path);
    if let Some(existing) = existing {
        // A folder that may be written to lets a file in it be replaced that may not be; root may write to both.
        if existing.permissions().readonly() {
            let reason = "the file is read-only; allowed: a file that may be written to";
            return Err(Error::new(ErrorKind::PermissionDenied, reason));
        }
        OpenOptions::new().write(true).open(path)?;
    } else if std::fs::metadata(folder).is_err_and(|e| e.kind() == ErrorKind::NotFound) {
        let reason = format!("there is no folder {}", folder.display());
        return Err(Error::new(ErrorKind::NotFound, reason));
    }
    // Made as any file is, so that its permissions are the usual ones and errors do not name it.
    let mut file = tempfile::Builder::new()
        .prefix(".mantissa-")
        .make_in(folder, |path| File::create_new(path))?;
    if let Some(existing) = existing {
        file.as_file().set_permissions(existing.permissions())?;
    }
    file.as_file_mut().write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
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

    #[test]
    fn a_missing_folder_is_named_and_no_file_that_nobody_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none").join("plan.csv");
        let error = save(&path, "").unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "{}: cannot be written: there is no folder {}",
                path.display(),
                folder.path().join("none").display()
            )
        );
    }

    #[test]
    fn a_file_that_is_read_only_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.csv");
        std::fs::write(&path, "kept").unwrap();
        let mut permissions = std::fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).unwrap();
        let error = save(&path, "new").unwrap_err().to_string();
        assert!(
            error.contains("plan.csv: cannot be written: the file is read-only"),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "kept");
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

        #[test]
        fn links_stay_and_what_they_lead_to_is_replaced() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            std::fs::create_dir(at("far")).unwrap();
            std::fs::write(at("far/real.csv"), "old").unwrap();
            symlink("far/real.csv", at("one.csv")).unwrap();
            symlink("one.csv", at("two.csv")).unwrap();
            symlink("far/later.csv", at("dangling.csv")).unwrap();
            for (link, leads_to) in [
                ("two.csv", "far/real.csv"),
                ("dangling.csv", "far/later.csv"),
            ] {
                assert_eq!(
                    replaced_file(&at(link)),
                    Some(std::fs::canonicalize(folder.path()).unwrap().join(leads_to))
                );
                save(&at(link), "new").unwrap();
                assert!(
                    std::fs::symlink_metadata(at(link)).unwrap().is_symlink(),
                    "{link}"
                );
                assert_eq!(std::fs::read_to_string(at(leads_to)).unwrap(), "new");
            }
            symlink("ring.csv", at("ring.csv")).unwrap();
            assert!(save(&at("ring.csv"), "new").is_err());
            assert!(
                std::fs::symlink_metadata(at("ring.csv"))
                    .unwrap()
                    .is_symlink()
            );
        }

        #[test]
        fn a_file_keeps_its_permissions() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("plan.csv");
            std::fs::write(&path, "old").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
            save(&path, "new").unwrap();
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o640);
        }

        #[test]
        fn a_pipe_takes_the_contents_and_stays() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("pipe");
            let made = std::process::Command::new("mkfifo").arg(&path).status();
            assert!(made.unwrap().success());
            let reader = std::thread::Builder::new()
                .name("reader".to_owned())
                .spawn({
                    let path = path.clone();
                    move || std::fs::read_to_string(path).unwrap()
                });
            save(&path, "rows").unwrap();
            assert_eq!(reader.unwrap().join().unwrap(), "rows");
            assert!(std::fs::metadata(&path).unwrap().file_type().is_fifo());
            assert_eq!(replaced_file(&path), None);
        }
    }
}
