//! Which window keeps the session: eframe holds it as one file, and the window that closes last would write over what the
//! others did. The first window takes a lock beside that file; another one works on a copy that goes with it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What eframe calls the file of the session.
const FILE: &str = "app.ron";
/// The file whose lock says that a window keeps the session; it stays, the lock goes with the window.
const LOCK: &str = "session.lock";
/// A window that was just closed may still be writing.
const CLOSES_WITHIN: Duration = Duration::from_millis(400);
/// Damaged sessions that are kept beside the one in use.
const MOST_DAMAGED: usize = 9;

/// The session of a window, for as long as the window is open. Without a folder nothing is said of it: so tests open windows.
#[derive(Debug, Default)]
pub struct Session {
    /// The file it was read from.
    file: Option<PathBuf>,
    keeper: Keeper,
}

/// Who writes the session.
#[derive(Debug, Default)]
enum Keeper {
    /// This window, whatever lock it could take.
    #[default]
    Unlocked,
    /// This window: nobody else gets the lock while it is held.
    Locked { _lock: File },
    /// Another window; this one writes a copy, which goes with it.
    Another(TempDir),
    /// Nobody: why it cannot be written.
    Nobody(String),
}

impl Session {
    /// The session that eframe keeps for the program.
    pub fn of_program(app_id: &str) -> Self {
        match eframe::storage_dir(app_id) {
            Some(folder) => Self::in_folder(&folder),
            None => Self {
                file: None,
                keeper: Keeper::Nobody("there is no folder for data of programs".to_owned()),
            },
        }
    }

    /// The session of a folder, which is made where there is none yet.
    pub fn in_folder(folder: &Path) -> Self {
        let file = folder.join(FILE);
        let keeper = keeper_of(folder, &file).unwrap_or_else(Keeper::Nobody);
        Self {
            file: Some(file),
            keeper,
        }
    }

    /// The file that eframe is to keep this window in; `None` = its usual one.
    pub fn other_file(&self) -> Option<PathBuf> {
        match &self.keeper {
            Keeper::Another(copy) => Some(copy.path().join(FILE)),
            _ => None,
        }
    }

    /// Whether another window has the session: its open plans are not this one's.
    pub fn is_of_another(&self) -> bool {
        matches!(self.keeper, Keeper::Another(_))
    }

    /// Why nothing of this window will be remembered; `None` where it is.
    pub fn unremembered(&self) -> Option<String> {
        match &self.keeper {
            Keeper::Unlocked | Keeper::Locked { .. } => None,
            Keeper::Another(_) => Some(
                "Another window keeps the session: nothing of this one is remembered. Save its plans as files"
                    .to_owned(),
            ),
            Keeper::Nobody(reason) => Some(format!(
                "Nothing of this window will be remembered: {reason}. Save its plans as files"
            )),
        }
    }

    /// Whether a session was kept that eframe did not hand over: what it cannot read, it passes over in silence.
    pub fn is_unread(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.is_file())
    }

    /// Lays the file of the session aside, before it is written over; says where, or why that was not to be.
    pub fn lay_aside(&self) -> String {
        let Some(file) = &self.file else {
            return String::new();
        };
        if std::fs::metadata(file).is_ok_and(|about| about.len() == 0) {
            return format!(": {} is empty", file.display());
        }
        let names = std::iter::once(format!("{FILE}.damaged"))
            .chain((2..=MOST_DAMAGED).map(|n| format!("{FILE}.damaged-{n}")));
        let mut places = names.map(|name| file.with_file_name(name));
        let free = places.find(|place| !place.exists());
        let place = free.unwrap_or_else(|| file.with_file_name(format!("{FILE}.damaged")));
        match std::fs::copy(file, &place) {
            Ok(_) => format!(". It is kept as {}", place.display()),
            Err(error) => format!(
                ", nor can it be kept as {}: {error}. Copy {} now",
                place.display(),
                file.display()
            ),
        }
    }
}

/// Takes the session, or finds who has it.
fn keeper_of(folder: &Path, file: &Path) -> Result<Keeper, String> {
    let fails = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path} cannot be written: {error}")
    };
    std::fs::create_dir_all(folder).map_err(fails(folder))?;
    let lock = folder.join(LOCK);
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock)
        .map_err(fails(folder))?;
    if file.exists() {
        let opened = OpenOptions::new().append(true).open(file);
        opened.map_err(fails(file))?;
    }
    let start = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Keeper::Locked { _lock: lock }),
            // A file system without locks: as good as it was before there was one.
            Err(TryLockError::Error(_)) => return Ok(Keeper::Unlocked),
            Err(TryLockError::WouldBlock) if start.elapsed() < CLOSES_WITHIN => {
                std::thread::sleep(CLOSES_WITHIN / 8);
            }
            Err(TryLockError::WouldBlock) => break,
        }
    }
    let copy = tempfile::tempdir().map_err(|e| format!("no temporary folder can be made: {e}"))?;
    // How the window looks is the same in both; without the file it opens as it comes.
    let _ = std::fs::copy(file, copy.path().join(FILE));
    Ok(Keeper::Another(copy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_window_keeps_the_session_and_another_works_on_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        std::fs::write(&file, "first").unwrap();
        let first = Session::in_folder(folder.path());
        assert_eq!((first.unremembered(), first.other_file()), (None, None));
        let second = Session::in_folder(folder.path());
        assert!(second.is_of_another());
        let told = second.unremembered().unwrap();
        assert!(
            told.starts_with("Another window keeps the session"),
            "{told}"
        );
        let copy = second.other_file().unwrap();
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), "first");
        std::fs::write(&copy, "second").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "first");
        drop(second);
        assert!(!copy.exists());
        // The next window after the first is closed keeps it again.
        drop(first);
        let third = Session::in_folder(folder.path());
        assert_eq!((third.unremembered(), third.other_file()), (None, None));
    }

    #[test]
    fn a_damaged_session_is_laid_aside_under_a_free_name() {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::in_folder(folder.path());
        assert!(!session.is_unread());
        for (text, name) in [
            ("({ damaged", "app.ron.damaged"),
            ("again", "app.ron.damaged-2"),
        ] {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            assert!(session.is_unread());
            let kept = folder.path().join(name);
            let told = session.lay_aside();
            assert!(told.ends_with(&kept.display().to_string()), "{told}");
            assert_eq!(std::fs::read_to_string(kept).unwrap(), text);
        }
        std::fs::write(folder.path().join(FILE), "").unwrap();
        assert!(session.lay_aside().ends_with("app.ron is empty"));
    }

    #[test]
    fn where_nothing_can_be_written_that_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        std::fs::write(&taken, "a file where a folder should be").unwrap();
        let session = Session::in_folder(&taken.join("mantissa"));
        let told = session.unremembered().unwrap();
        assert!(told.contains("cannot be written"), "{told}");
        assert!(told.contains(&taken.display().to_string()), "{told}");
        assert_eq!(session.other_file(), None);
    }
}
