//! What is done with files and with the clipboard.

use super::MantissaApp;
use crate::gui::command::PathPurpose;
use crate::gui::dialogs::{self, Chosen, FileKind};
use crate::gui::state::{About, Notice};
use crate::gui::{panels, picture, rows_text};

/// Files that the menus remember.
const MOST_RECENT: usize = 8;

/// How a reason ends that asks whether a file may be replaced: the same path once more is the answer.
const ASKED: &str = "or choose another name";

/// Why a path is asked for again that would replace a file.
pub(crate) const EXISTS: &str = "A file of this name exists. Replace it, or choose another name";

impl MantissaApp {
    pub(super) fn use_path(&mut self, purpose: PathPurpose, path: &str) {
        self.state.path_dialog = None;
        self.state.path_problem = None;
        self.state.notice = None;
        self.reading = (purpose == PathPurpose::OpenPlan).then(|| path.to_owned());
        let tab = self.state.tab();
        let outcome = match purpose {
            PathPurpose::OpenPlan => self.open_file(path),
            PathPurpose::SavePlan => dialogs::write_plan(&*self.backend, tab, path),
            PathPurpose::SaveChart => self.save_chart(path),
            PathPurpose::SaveCalibration => self.save_calibration(path),
            _ => dialogs::write_export(purpose, tab, path),
        };
        if outcome.is_ok() && purpose == PathPurpose::SavePlan {
            self.now_saved(path);
        }
        if outcome.is_ok() && matches!(purpose, PathPurpose::OpenPlan | PathPurpose::SavePlan) {
            self.remember(path);
        }
        match outcome {
            Ok(text) => self.tell(text),
            Err(text) => self.ask_again(purpose, path, text),
        }
    }

    /// Takes a path that was typed. No system dialog asked whether a file there may go: this asks, once.
    pub(super) fn use_typed_path(&mut self, purpose: PathPurpose, path: &str) {
        let asked = self.state.path_problem.as_ref();
        let is_agreed = asked.is_some_and(|(p, why)| p == path && why.ends_with(ASKED));
        let replaces = purpose != PathPurpose::OpenPlan && std::path::Path::new(path).is_file();
        if replaces && !is_agreed {
            self.ask_again(purpose, path, EXISTS.to_owned());
        } else {
            self.use_path(purpose, path);
        }
    }

    /// Opens the dialog with the path that did not work and the reason beside it, to be put right.
    pub(super) fn ask_again(&mut self, purpose: PathPurpose, path: &str, text: String) {
        self.state.path_problem = Some((path.to_owned(), text));
        self.state.path_dialog = Some(purpose);
    }

    /// A file of measured runs is read on the worker's thread; its error comes later.
    pub(super) fn open_failed(&mut self, text: String) {
        // The word that it is being read is no longer true.
        self.state.notice = None;
        match self.reading.take() {
            Some(path) => self.ask_again(PathPurpose::OpenPlan, &path, text),
            None => self.complain_of(About::Request, text),
        }
    }

    /// Opens a plan in a new tab, plans a model of a person's own, judges measured runs or applies a calibration: by what
    /// the file holds.
    fn open_file(&mut self, path: &str) -> Result<String, String> {
        let outcome = match dialogs::kind_of(path)? {
            FileKind::Plan(text) => {
                let request = self.backend.parse(path, &text)?;
                self.open_in_view(request);
                self.now_saved(path);
                format!("Opened {path}")
            }
            FileKind::Model => {
                // What cannot be read is refused here, while the person is choosing, not in a tab that plans nothing.
                let entry = self.backend.read_model(path)?;
                let request = self.state.tab().and_then(|t| t.request.as_ref());
                let mut request = (**request.ok_or("Open a plan first")?).clone();
                panels::set_model(&mut request, path);
                self.open_in_view(request);
                format!("Read {}, {}, from {path}", entry.label, entry.summary)
            }
            FileKind::Calibration(text) => self.open_calibration(path, &text)?,
            FileKind::Runs => {
                let worker = self.worker.as_mut();
                worker
                    .ok_or("Nothing computes here")?
                    .evaluate(path.to_owned());
                format!("Reading {path}…")
            }
        };
        self.state.start_page = false;
        Ok(outcome)
    }

    /// Puts a file on top of the recent ones.
    fn remember(&mut self, path: &str) {
        let settings = &mut self.state.settings;
        settings.last_path = path.to_owned();
        settings.recent.retain(|p| p != path);
        settings.recent.insert(0, path.to_owned());
        settings.recent.truncate(MOST_RECENT);
    }

    pub(super) fn take_drops(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        for file in dropped {
            let path = file.path().to_string_lossy().into_owned();
            self.use_path(PathPurpose::OpenPlan, &path);
            // Whoever dropped a file did not type its path.
            self.reading = None;
            if let Some((_, text)) = self.state.path_problem.take() {
                self.state.path_dialog = None;
                self.complain_of(About::Request, text);
            }
        }
    }

    pub(super) fn take_choice(&mut self) {
        match self.chooser.poll() {
            Some(Chosen::Path(purpose, path)) => self.use_path(purpose, &path),
            Some(Chosen::NoDialog(purpose)) => self.state.path_dialog = Some(purpose),
            Some(Chosen::Nothing(purpose)) => {
                self.state.notice = Some(Notice {
                    offer_path: Some(purpose),
                    ..Notice::told("No file was chosen".to_owned())
                });
            }
            None => {}
        }
    }

    /// The selected row, or every row shown, as text with tabs that a spreadsheet takes.
    pub(super) fn copy_rows(&mut self, ctx: &egui::Context, selected_alone: bool) {
        let Some((tab, plan)) = self.state.tab().and_then(|t| Some((t, t.plan()?))) else {
            return;
        };
        let rows: Vec<usize> = if selected_alone {
            tab.selected.into_iter().collect()
        } else {
            tab.rows.shown.clone()
        };
        if rows.is_empty() {
            return;
        }
        let text = rows_text::tab_separated(plan, &rows);
        ctx.copy_text(text);
        let what = if rows.len() == 1 {
            "the row".to_owned()
        } else {
            format!("{} rows", crate::format::count(rows.len() as f64))
        };
        self.tell(format!("Copied {what}"));
    }

    pub(super) fn copy_chart(&mut self, ctx: &egui::Context) {
        match picture::of_view(&self.state, &*self.backend, self.is_dark) {
            Some(image) => {
                ctx.copy_image(image);
                self.tell("Copied the chart".to_owned());
            }
            None => self.complain_of(About::Plan, "There is no plan to draw yet".to_owned()),
        }
    }

    fn save_chart(&self, path: &str) -> Result<String, String> {
        let image = picture::of_view(&self.state, &*self.backend, self.is_dark)
            .ok_or("There is no plan to draw yet")?;
        dialogs::write_bytes(path, &picture::png(&image)?)?;
        Ok(format!("Saved the chart to {path}"))
    }
}
