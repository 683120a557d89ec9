//! Files: choosing a path off the UI thread, and what is done with it.

use super::backend::Backend;
use super::command::PathPurpose;
use super::state::Tab;
use crate::planner::PlanRequest;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// A dialog that ends this soon was never shown: no portal and no zenity (rfd reports that as a cancel).
const TOO_SOON: Duration = Duration::from_millis(250);

/// What became of a dialog.
pub enum Chosen {
    /// A path.
    Path(PathPurpose, String),
    /// The person closed it.
    Nothing(PathPurpose),
    /// There is no dialog service.
    NoDialog(PathPurpose),
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
    pub fn choose(&mut self, purpose: PathPurpose, name: &str) -> bool {
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
                let chosen = match (ask(purpose, &name), start.elapsed()) {
                    (Some(path), _) => Chosen::Path(purpose, path),
                    (None, waited) if waited < TOO_SOON => Chosen::NoDialog(purpose),
                    (None, _) => Chosen::Nothing(purpose),
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
    let dialog = rfd::FileDialog::new();
    let path = match purpose {
        PathPurpose::OpenPlan => dialog.add_filter("Mantissa plan", &["toml"]).pick_file(),
        PathPurpose::SavePlan => dialog
            .add_filter("Mantissa plan", &["toml"])
            .set_file_name(name)
            .save_file(),
        PathPurpose::ExportCsv => dialog
            .add_filter("CSV", &["csv"])
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
    match purpose {
        PathPurpose::ExportCsv => format!("{stem}.csv"),
        _ => format!("{stem}.toml"),
    }
}

/// Reads a request.
pub fn read_plan(backend: &dyn Backend, path: &str) -> Result<PlanRequest, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("Cannot read {path}: {e}"))?;
    backend.parse(path, &text)
}

/// Writes the request of a tab.
pub fn write_plan(backend: &dyn Backend, tab: Option<&Tab>, path: &str) -> Result<String, String> {
    let request = tab
        .and_then(|t| t.request.as_ref())
        .ok_or("There is no plan to save")?;
    write(path, &backend.write(request)?)?;
    Ok(format!("Saved {path}"))
}

/// Writes the table of a tab's plan.
pub fn write_csv(backend: &dyn Backend, tab: Option<&Tab>, path: &str) -> Result<String, String> {
    let plan = tab
        .and_then(Tab::plan)
        .ok_or("There is no plan to export yet")?;
    write(path, &backend.csv(plan))?;
    Ok(format!(
        "Exported {} combinations to {path}",
        plan.combinations.len()
    ))
}

fn write(path: &str, text: &str) -> Result<(), String> {
    if path.trim().is_empty() {
        return Err("Type a path first".to_owned());
    }
    crate::report::save(std::path::Path::new(path), text).map_err(|e| e.to_string())
}
