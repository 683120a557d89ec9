//! Files: choosing a path off the UI thread, and what is done with it.

use super::backend::Backend;
use super::command::{Asked, PathPurpose};
use super::state::Tab;
use super::words;
use crate::presets::FileEnding;
use crate::report;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// A dialog that ends this soon was never shown: no portal and no zenity (rfd reports that as a cancel).
const TOO_SOON: Duration = Duration::from_millis(250);

/// What became of a dialog.
pub enum Chosen {
    /// A path.
    Path(Asked, String),
    /// The person closed it.
    Nothing(Asked),
    /// There is no dialog service.
    NoDialog(Asked),
}

/// Opens system dialogs on a thread of their own.
pub struct Chooser {
    ctx: egui::Context,
    outbox: Sender<Chosen>,
    inbox: Receiver<Chosen>,
    is_open: bool,
}

impl Chooser {
    /// A chooser that wakes the window when a dialog ends.
    pub fn new(ctx: egui::Context) -> Self {
        let (outbox, inbox) = channel();
        Self {
            ctx,
            outbox,
            inbox,
            is_open: false,
        }
    }

    /// Opens a dialog; `false` where that cannot even be tried.
    pub fn choose(&mut self, asked: Asked, name: &str) -> bool {
        if self.is_open {
            return true;
        }
        if !has_display() {
            return false;
        }
        let (outbox, ctx, name) = (self.outbox.clone(), self.ctx.clone(), name.to_owned());
        let started = std::thread::Builder::new()
            .name("mantissa-dialog".to_owned())
            .spawn(move || {
                let start = Instant::now();
                let chosen = match (ask(asked.purpose, &name), start.elapsed()) {
                    (Some(path), _) => Chosen::Path(asked, path),
                    (None, waited) if waited < TOO_SOON => Chosen::NoDialog(asked),
                    (None, _) => Chosen::Nothing(asked),
                };
                let _ = outbox.send(chosen);
                ctx.request_repaint();
            });
        self.is_open = started.is_ok();
        self.is_open
    }

    /// What a dialog ended with, once.
    pub fn poll(&mut self) -> Option<Chosen> {
        let chosen = self.inbox.try_recv().ok()?;
        self.is_open = false;
        Some(chosen)
    }
}

/// Whether a system dialog could appear at all (headless tests have no display).
fn has_display() -> bool {
    !cfg!(target_os = "linux")
        || ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some())
}

fn ask(purpose: PathPurpose, name: &str) -> Option<String> {
    let (kind, extension) = purpose.kind();
    let dialog = rfd::FileDialog::new();
    let path = match purpose {
        PathPurpose::OpenPlan => dialog
            .add_filter(
                "Plan, model, measured runs or calibration",
                &["toml", "json", "csv"],
            )
            .pick_file(),
        _ => dialog
            .add_filter(kind, &[extension])
            .set_file_name(name)
            .save_file(),
    };
    path.map(|p| p.to_string_lossy().into_owned())
}

/// A file name made of the plan's title.
pub fn proposed_name(tab: Option<&Tab>, purpose: PathPurpose) -> String {
    let title = tab.map_or_else(String::new, Tab::title);
    let mut stem = String::new();
    for c in title.to_lowercase().chars() {
        if c.is_alphanumeric() || c == '.' {
            stem.push(c);
        } else if !stem.ends_with('-') {
            stem.push('-');
        }
    }
    let stem = stem.trim_matches(['-', '.']);
    let stem = if stem.is_empty() { "plan" } else { stem };
    let stem = match purpose {
        PathPurpose::ExportShownCsv => format!("{stem}-shown"),
        PathPurpose::ExportCommaCsv => format!("{stem}-comma"),
        PathPurpose::SaveChart => format!("{stem}-chart"),
        PathPurpose::SaveCalibration => "calibration".to_owned(),
        _ => stem.to_owned(),
    };
    format!("{stem}.{}", purpose.kind().1)
}

/// A typed path with the ending of what is written, where it has none: `llama-3.1` has none, `runs.txt` is meant so.
pub fn with_ending(purpose: PathPurpose, path: &str) -> String {
    let ending = Path::new(path).extension().map(|e| e.to_string_lossy());
    let is_meant = ending.is_some_and(|e| e.chars().all(|c| c.is_ascii_alphabetic()));
    match purpose {
        PathPurpose::OpenPlan => path.to_owned(),
        // A folder is told to be one.
        _ if is_meant || path.trim().is_empty() || Path::new(path).is_dir() => path.to_owned(),
        _ if path.ends_with(['/', '\\']) => path.to_owned(),
        _ => format!("{path}.{}", purpose.kind().1),
    }
}

/// What a file is, by its name and what it holds.
pub enum FileKind {
    /// A request, with its text.
    Plan(String),
    /// A model of a person's own.
    Model,
    /// Measured runs.
    Runs,
    /// Factors from measured runs, with their text.
    Calibration(String),
}

/// Tells plans, models, measured runs and calibrations apart.
///
/// # Errors
/// One line that names the file.
pub fn kind_of(path: &str) -> Result<FileKind, String> {
    match FileEnding::of(path) {
        Some(FileEnding::Csv) => return Ok(FileKind::Runs),
        Some(FileEnding::Json) => return Ok(FileKind::Model),
        Some(FileEnding::Toml) => {}
        None => {
            return Err(format!(
                "{path}: open a plan (.toml), a model (.json, .toml), measured runs (.csv) or a calibration (.toml)"
            ));
        }
    }
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: cannot be read: {e}"))?;
    if text.lines().any(|line| line.trim() == "[[model]]") {
        Ok(FileKind::Model)
    } else if text.lines().any(|line| line.starts_with("error_left_out")) {
        Ok(FileKind::Calibration(text))
    } else {
        Ok(FileKind::Plan(text))
    }
}

/// Writes the request of a tab; says what was typed and refused, which is not in it.
pub fn write_plan(backend: &dyn Backend, tab: Option<&Tab>, path: &str) -> Result<String, String> {
    let (tab, request) = tab
        .and_then(|t| Some((t, t.request.as_ref()?)))
        .ok_or("There is no plan to save")?;
    write_bytes(path, backend.write(request)?.as_bytes())?;
    let drafts = tab.drafts.keys().map(|field| field.path());
    let place = place_of(path);
    Ok(match words::left_out(drafts) {
        Some(without) => format!("Saved {place} {without}"),
        None => format!("Saved {place}"),
    })
}

/// A file in words: one that was named without its folder says which that is.
pub fn place_of(path: &str) -> String {
    let named = Path::new(path);
    let whole = std::path::absolute(named).ok();
    match (named.file_name(), whole.as_ref().and_then(|w| w.parent())) {
        (Some(name), Some(folder)) if named.is_relative() => {
            format!("{} in {}", name.to_string_lossy(), folder.display())
        }
        _ => path.to_owned(),
    }
}

/// Writes a file whole, or not at all.
pub fn write_bytes(path: &str, bytes: &[u8]) -> Result<(), String> {
    if path.trim().is_empty() {
        return Err("Type a path first".to_owned());
    }
    report::save_bytes(Path::new(path), bytes).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_folder_is_told_with_it() {
        let here = std::env::current_dir().unwrap();
        let told = place_of("plan.csv");
        assert_eq!(told, format!("plan.csv in {}", here.display()));
        let inside = place_of("out/plan.csv");
        let folder = here.join("out");
        assert_eq!(inside, format!("plan.csv in {}", folder.display()));
        let whole = here.join("plan.csv").display().to_string();
        assert_eq!(place_of(&whole), whole);
    }
}
