//! What is done with files and with the clipboard.

use super::MantissaApp;
use crate::gui::backend::ModelEntry;
use crate::gui::command::{Asked, PathPurpose};
use crate::gui::dialogs::{self, Chosen, FileKind};
use crate::gui::export::Export;
use crate::gui::state::{About, Notice, PathCause, PathProblem};
use crate::gui::{panels, picture, rows_text};

/// Files that the menus remember.
const MOST_RECENT: usize = 8;

/// Why a path is asked for again that would replace a file.
const EXISTS: &str = "A file of this name exists. Replace it, or choose another name";

impl MantissaApp {
    /// A path was typed, or is known: typed into the dialog it is of the tab that the dialog is about.
    pub(super) fn use_path(&mut self, purpose: PathPurpose, path: &str) {
        let is_typed = self.state.path_dialog == Some(purpose);
        let asked = self.state.path_asked.take().filter(|_| is_typed);
        match asked.filter(|asked| asked.purpose == purpose) {
            Some(asked) => self.use_path_of(asked, path),
            None => self.use_path_here(purpose, path),
        }
    }

    /// Does what a path was asked for with the tab it was asked from, which need not be the one shown any more.
    fn use_path_of(&mut self, asked: Asked, path: &str) {
        let place = self.state.tabs.iter().position(|t| t.id == asked.tab);
        let Some(place) = place else {
            self.state.path_dialog = None;
            if asked.purpose == PathPurpose::OpenPlan {
                return self.use_path_here(asked.purpose, path);
            }
            self.complain_of(
                About::Nothing,
                format!("{path} was not written: its plan is closed. Reopen it and save again"),
            );
            return;
        };
        let shown = std::mem::replace(&mut self.state.active, place);
        if let Some(tab) = self.state.tab_mut()
            && let Some(done) = &tab.done
        {
            // Rows of a tab that is not shown may be of the result before.
            (tab.rows).update(&done.plan, done.stamp, &tab.row_settings, &tab.shelf);
        }
        self.use_path_here(asked.purpose, path);
        if self.state.path_dialog.is_some() {
            // What went wrong is put right where it was asked for.
            self.plan_active_if_needed();
        } else if self.state.active == place {
            self.state.active = shown;
        }
    }

    fn use_path_here(&mut self, purpose: PathPurpose, path: &str) {
        self.state.path_dialog = None;
        self.state.path_problem = None;
        self.state.notice = None;
        self.reading = (purpose == PathPurpose::OpenPlan).then(|| path.to_owned());
        let tab = self.state.tab();
        let outcome = match purpose {
            PathPurpose::OpenPlan => self.open_file(path),
            PathPurpose::SavePlan => dialogs::write_plan(&*self.backend, tab, path),
            PathPurpose::SaveCalibration => self.save_calibration(path),
            _ => match self.export_of(purpose) {
                Ok(export) => return self.start_export(export, purpose, path),
                Err(text) => Err(text),
            },
        };
        if outcome.is_ok() && purpose == PathPurpose::SavePlan {
            self.now_saved(path);
        }
        if outcome.is_ok() && matches!(purpose, PathPurpose::OpenPlan | PathPurpose::SavePlan) {
            self.remember(path);
        }
        match outcome {
            Ok(text) => self.tell(text),
            Err(text) => self.ask_again(purpose, PathProblem::of(purpose, path, text)),
        }
    }

    fn export_of(&self, purpose: PathPurpose) -> Result<Export, String> {
        match purpose {
            PathPurpose::SaveChart => self.sheet().map(Export::Chart),
            _ => Export::rows(purpose, self.state.tab(), self.backend.now()),
        }
    }

    /// Has an export written beside the window; what becomes of it is told when it is done.
    fn start_export(&mut self, export: Export, purpose: PathPurpose, path: &str) {
        let tab = self.state.tab().map_or(0, |t| t.id);
        match &mut self.worker {
            Some(worker) => {
                worker.write(Asked { purpose, tab }, export, path.to_owned());
                self.tell(format!("Writing {path}…"));
            }
            None => {
                let result = export.write(path);
                self.take_written(Asked { purpose, tab }, path, result);
            }
        }
    }

    /// Tells what became of an export; what went wrong is put right where it was asked for.
    pub(super) fn take_written(
        &mut self,
        asked: Asked,
        path: &str,
        result: Result<String, String>,
    ) {
        self.state.notice = None;
        match result {
            Ok(text) => self.tell(text),
            Err(text) => {
                self.state.path_problem = Some(PathProblem::of(asked.purpose, path, text));
                self.ask_for(asked);
            }
        }
    }

    /// Opens the window's own dialog, over the tab it is about.
    pub(super) fn ask_for(&mut self, asked: Asked) {
        let place = self.state.tabs.iter().position(|t| t.id == asked.tab);
        if let Some(place) = place.filter(|place| *place != self.state.active) {
            self.state.active = place;
            self.plan_active_if_needed();
        }
        self.state.path_asked = Some(asked);
        self.state.path_dialog = Some(asked.purpose);
    }

    /// A path is to be typed instead of chosen, of the tab it was wanted for.
    pub(super) fn type_path(&mut self, purpose: PathPurpose) {
        self.state.notice = None;
        let tab = self.state.tab().map_or(0, |t| t.id);
        let asked = self.state.path_asked.filter(|a| a.purpose == purpose);
        self.ask_for(asked.unwrap_or(Asked { purpose, tab }));
    }

    /// Takes a path that was typed. No system dialog asked whether a file there may go: this asks, once.
    pub(super) fn use_typed_path(&mut self, purpose: PathPurpose, path: &str) {
        let path = dialogs::with_ending(purpose, path);
        let path = path.as_str();
        let asked = self.state.path_problem.as_ref();
        let is_agreed = asked.is_some_and(|p| p.path == path && p.cause == PathCause::Replaces);
        let replaces = purpose != PathPurpose::OpenPlan && std::path::Path::new(path).is_file();
        if replaces && !is_agreed {
            self.ask_again(purpose, PathProblem::replaces(path, EXISTS.to_owned()));
        } else {
            self.use_path(purpose, path);
        }
    }

    /// Opens the dialog with the path that did not work and the reason beside it, to be put right.
    pub(super) fn ask_again(&mut self, purpose: PathPurpose, problem: PathProblem) {
        self.state.path_problem = Some(problem);
        let tab = self.state.tab().map_or(0, |t| t.id);
        self.ask_for(Asked { purpose, tab });
    }

    /// A file of measured runs is read on the worker's thread; its error comes later.
    pub(super) fn open_failed(&mut self, text: String) {
        // The word that it is being read is no longer true.
        self.state.notice = None;
        match self.reading.take() {
            Some(path) => {
                let purpose = PathPurpose::OpenPlan;
                self.ask_again(purpose, PathProblem::of(purpose, &path, text));
            }
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
                self.list_own_model(path, entry.clone());
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

    /// Puts a model of a file on top of the list of models, where it is found again after another was chosen.
    pub(super) fn list_own_model(&mut self, path: &str, entry: ModelEntry) {
        let own = &mut self.state.own_models;
        own.retain(|known| known.name != path);
        let entry = ModelEntry {
            name: path.to_owned(),
            // Whoever looks for it may know the file's name alone.
            search: format!("{} {}", entry.search, path.to_lowercase()),
            ..entry
        };
        own.insert(0, entry);
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
            self.open_dropped(&path);
        }
    }

    /// Opens a file that was given when the program was started, as if it had been dropped.
    pub fn open_given(&mut self, path: &str) {
        // Whoever looks for it later starts elsewhere.
        let full = std::path::absolute(path).map(|p| p.to_string_lossy().into_owned());
        let told = self.state.notice.take();
        self.open_dropped(full.as_deref().unwrap_or(path));
        // That the file is open is in sight; what was said of the session is not.
        let is_wrong = self.state.notice.as_ref().is_some_and(|n| n.is_error);
        if let Some(told) = told.filter(|n| n.about == About::Nothing && !is_wrong) {
            self.state.notice = Some(told);
        }
    }

    /// Opens a file whose path nobody typed: a problem is told, no dialog asks for another path.
    fn open_dropped(&mut self, path: &str) {
        self.use_path(PathPurpose::OpenPlan, path);
        self.reading = None;
        if let Some(problem) = self.state.path_problem.take() {
            self.state.path_dialog = None;
            self.complain_of(About::Request, problem.text);
        }
    }

    pub(super) fn take_choice(&mut self) {
        let chosen = self.chooser.poll();
        self.take_chosen(chosen);
    }

    fn take_chosen(&mut self, chosen: Option<Chosen>) {
        match chosen {
            Some(Chosen::Path(asked, path)) => {
                self.use_path_of(asked, &path);
            }
            Some(Chosen::NoDialog(asked)) => self.ask_for(asked),
            Some(Chosen::Nothing(asked)) => {
                self.state.path_asked = Some(asked);
                self.state.notice = Some(Notice {
                    offer_path: Some(asked.purpose),
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

    /// Has the chart drawn beside the window, and copied when it is.
    pub(super) fn copy_chart(&mut self, ctx: &egui::Context) {
        match (self.sheet(), &mut self.worker) {
            (Ok(sheet), Some(worker)) => worker.draw(sheet),
            (Ok(sheet), None) => self.take_drawn(ctx, sheet.draw()),
            (Err(text), _) => self.complain_of(About::Plan, text),
        }
    }

    pub(super) fn take_drawn(&mut self, ctx: &egui::Context, image: egui::ColorImage) {
        ctx.copy_image(image);
        self.tell("Copied the chart".to_owned());
    }

    fn sheet(&self) -> Result<Box<picture::Sheet>, String> {
        picture::of_view(&self.state, &*self.backend, self.is_dark)
            .map(Box::new)
            .ok_or_else(|| "There is no plan to draw yet".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::Shipped;
    use crate::gui::backend::Backend;
    use std::sync::Arc;

    #[test]
    fn a_dialog_that_ends_late_is_of_the_tab_it_was_opened_from() {
        let folder = tempfile::tempdir().unwrap();
        let backend = Arc::new(Shipped::load().unwrap());
        let ctx = egui::Context::default();
        let mut app = MantissaApp::new(&ctx, None, Arc::clone(&backend) as Arc<dyn Backend>);
        let other = backend
            .examples()
            .into_iter()
            .find(|r| r.model == "resnet50");
        app.open_in_view(other.unwrap());
        let tab = app.state.tabs[0].id;
        let asked = Asked {
            purpose: PathPurpose::SavePlan,
            tab,
        };
        let path = folder.path().join("first.toml").display().to_string();
        app.take_chosen(Some(Chosen::Path(asked, path.clone())));
        let saved = std::fs::read_to_string(&path).unwrap();
        assert!(saved.contains("llama-3-8b"), "{saved}");
        assert_eq!(app.state.active, 1);
        assert!(app.state.tabs[0].path.is_some() && app.state.tabs[1].path.is_none());
        // Without a dialog service the window asks itself, over the tab it is about.
        app.take_chosen(Some(Chosen::NoDialog(asked)));
        assert_eq!((app.state.active, app.state.path_asked), (0, Some(asked)));
        app.state.path_dialog = None;
        // A dialog that was closed is typed for instead, of the same tab.
        app.state.active = 1;
        app.take_chosen(Some(Chosen::Nothing(asked)));
        app.type_path(PathPurpose::SavePlan);
        assert_eq!((app.state.active, app.state.path_asked), (0, Some(asked)));
    }
}
