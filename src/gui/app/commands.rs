//! What commands do, and what is done with files.

use super::MantissaApp;
use crate::gui::command::{PathPurpose, UiCommand};
use crate::gui::dialogs::{self, Chosen};
use crate::gui::state::{Notice, View};
use std::sync::Arc;

impl MantissaApp {
    pub(super) fn run_command(&mut self, ctx: &egui::Context, command: UiCommand) {
        self.state.palette = None;
        match command {
            UiCommand::Palette => self.state.palette = Some(String::new()),
            UiCommand::NewPlan => {
                if let Some(example) = self.backend.examples().into_iter().next() {
                    self.open(example);
                }
            }
            UiCommand::OpenPlan => self.choose(PathPurpose::OpenPlan),
            UiCommand::SavePlan => self.choose(PathPurpose::SavePlan),
            UiCommand::ExportCsv => {
                if self.state.tab().is_some_and(|t| t.plan().is_some()) {
                    self.choose(PathPurpose::ExportCsv);
                } else {
                    self.complain("There is no plan to export yet".to_owned());
                }
            }
            UiCommand::CloseTab => self.close_tab(self.state.active),
            UiCommand::NextTab => {
                self.state.active = (self.state.active + 1) % self.state.tabs.len().max(1);
                self.plan_active_if_needed();
            }
            UiCommand::Undo | UiCommand::Redo => {
                // A field that is being edited holds its own text; it must show the restored one.
                ctx.memory_mut(|m| {
                    if let Some(id) = m.focused() {
                        m.surrender_focus(id);
                    }
                });
                self.step_history(command == UiCommand::Undo);
            }
            UiCommand::ShowTradeOff => self.state.settings.view = View::TradeOff,
            UiCommand::ShowScaling => self.state.settings.view = View::Scaling,
            UiCommand::ShowBreakdown => self.state.settings.view = View::Breakdown,
            UiCommand::ShowHeatMap => self.state.settings.view = View::HeatMap,
            UiCommand::ShowAccuracy => self.state.settings.view = View::Accuracy,
            UiCommand::SelectNext => self.step_selection(1),
            UiCommand::SelectPrevious => self.step_selection(-1),
            UiCommand::FocusFilter => self.state.focus_filter = true,
            UiCommand::ClearFilter => {
                if let Some(tab) = self.state.tab_mut() {
                    tab.row_settings.filter.clear();
                    tab.row_settings.within_only = false;
                    tab.row_settings.pareto_only = false;
                }
            }
            UiCommand::ToggleWhiskers => {
                self.state.settings.all_whiskers = !self.state.settings.all_whiskers;
            }
            UiCommand::ToggleTheme => {
                let dark = ctx.theme() == egui::Theme::Dark;
                self.state.settings.theme = if dark { "light" } else { "dark" }.to_owned();
                self.apply_theme(ctx);
            }
            UiCommand::FollowSystemTheme => {
                self.state.settings.theme = "system".to_owned();
                self.apply_theme(ctx);
            }
            UiCommand::ZoomIn => self.zoom(ctx, 0.1),
            UiCommand::ZoomOut => self.zoom(ctx, -0.1),
            UiCommand::ZoomReset => {
                self.state.settings.zoom = 1.0;
                ctx.set_zoom_factor(1.0);
            }
            UiCommand::Cancel => {
                if let Some(worker) = &self.worker {
                    worker.cancel();
                }
            }
            UiCommand::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
        }
    }

    pub(super) fn zoom(&mut self, ctx: &egui::Context, by: f32) {
        let zoom = (self.state.settings.zoom + by).clamp(0.6, 2.0);
        self.state.settings.zoom = zoom;
        ctx.set_zoom_factor(zoom);
    }

    pub(super) fn apply_theme(&self, ctx: &egui::Context) {
        ctx.set_theme(match self.state.settings.theme.as_str() {
            "dark" => egui::ThemePreference::Dark,
            "light" => egui::ThemePreference::Light,
            _ => egui::ThemePreference::System,
        });
    }

    pub(super) fn step_history(&mut self, back: bool) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let Some(now) = &tab.request else { return };
        let now = (**now).clone();
        let there = if back {
            tab.history.undo(now)
        } else {
            tab.history.redo(now)
        };
        if let Some(request) = there {
            tab.request = Some(Arc::new(request));
            tab.drafts.clear();
            tab.errors.clear();
            self.start_plan();
        }
    }

    pub(super) fn step_selection(&mut self, by: isize) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let shown = &tab.rows.shown;
        let here = tab
            .selected
            .and_then(|s| shown.iter().position(|i| *i == s))
            .map_or(0, |p| p.saturating_add_signed(by));
        if let Some(index) = shown.get(here.min(shown.len().saturating_sub(1))) {
            tab.selected = Some(*index);
            tab.scroll_to_selection = true;
        }
    }

    pub(super) fn choose(&mut self, purpose: PathPurpose) {
        let name = dialogs::proposed_name(self.state.tab(), purpose);
        if !self.chooser.choose(purpose, &name) {
            self.state.path_dialog = Some(purpose);
        }
    }

    pub(super) fn use_path(&mut self, purpose: PathPurpose, path: &str) {
        self.state.path_dialog = None;
        self.state.notice = None;
        let outcome = match purpose {
            PathPurpose::OpenPlan => dialogs::read_plan(&*self.backend, path).map(|request| {
                self.open(request);
                format!("Opened {path}")
            }),
            PathPurpose::SavePlan => dialogs::write_plan(&*self.backend, self.state.tab(), path),
            PathPurpose::ExportCsv => dialogs::write_csv(&*self.backend, self.state.tab(), path),
        };
        if outcome.is_ok() {
            self.state.settings.last_path = path.to_owned();
        }
        match outcome {
            Ok(text) => self.tell(text),
            Err(text) => self.complain(text),
        }
    }

    pub(super) fn take_drops(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        for file in dropped {
            let path = file.path().to_string_lossy().into_owned();
            self.use_path(PathPurpose::OpenPlan, &path);
        }
    }

    pub(super) fn take_choice(&mut self) {
        match self.chooser.poll() {
            Some(Chosen::Path(purpose, path)) => self.use_path(purpose, &path),
            Some(Chosen::NoDialog(purpose)) => self.state.path_dialog = Some(purpose),
            Some(Chosen::Nothing(purpose)) => {
                self.state.notice = Some(Notice {
                    text: "No file was chosen".to_owned(),
                    is_error: false,
                    offer_path: Some(purpose),
                });
            }
            None => {}
        }
    }

    pub(super) fn close_tab(&mut self, index: usize) {
        if index >= self.state.tabs.len() {
            return;
        }
        if self.state.tabs.len() == 1 {
            self.tell("The last plan stays open".to_owned());
            return;
        }
        self.state.tabs.remove(index);
        if self.state.active > index || self.state.active == self.state.tabs.len() {
            self.state.active -= 1;
        }
        self.plan_active_if_needed();
    }
}
