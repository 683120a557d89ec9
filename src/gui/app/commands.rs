//! What commands do.

use super::MantissaApp;
use crate::gui::blank;
use crate::gui::command::{Asked, PathPurpose, Side, UiCommand};
use crate::gui::dialogs;
use crate::gui::measure::Scale;
use crate::gui::places;
use crate::gui::state::{About, Field, Notice, View};
use crate::gui::words;
use std::sync::Arc;

impl MantissaApp {
    pub(super) fn run_command(&mut self, ctx: &egui::Context, command: UiCommand) {
        self.state.palette = None;
        match command {
            // A dialog is answered first: a list over it would take its keys.
            UiCommand::Palette | UiCommand::Shortcuts if self.state.path_dialog.is_some() => {}
            UiCommand::Palette => {
                self.state.start_page = false;
                self.state.palette = Some(String::new());
            }
            UiCommand::Shortcuts => {
                self.state.start_page = false;
                self.state.palette = Some(places::KEYS.to_owned());
                places::send_to(ctx, places::PALETTE);
            }
            UiCommand::NewPlan => self.state.start_page = true,
            UiCommand::OpenPlan => self.choose(PathPurpose::OpenPlan),
            UiCommand::SavePlan => self.save_plan(),
            UiCommand::SavePlanAs => self.choose(PathPurpose::SavePlan),
            UiCommand::RenamePlan => {
                if let Some(id) = self.state.tab().map(|t| t.id) {
                    self.start_rename(ctx, id);
                }
            }
            UiCommand::CopyPlan => self.copy_plan(ctx),
            UiCommand::PastePlan => {
                leave_field(ctx);
                ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste);
            }
            UiCommand::Back => self.step_trail(true),
            UiCommand::Forward => self.step_trail(false),
            UiCommand::ShowAllSeries => {
                if let Some(tab) = self.state.tab_mut() {
                    tab.hidden_modes.clear();
                    tab.hidden_accelerators.clear();
                }
            }
            UiCommand::ToggleRequest => self.toggle_panel(ctx, Side::Request),
            UiCommand::ToggleInspector => self.toggle_panel(ctx, Side::Inspector),
            UiCommand::UsualWidths => self.reset_panels(),
            UiCommand::ExportCsv => self.choose_export(PathPurpose::ExportCsv),
            UiCommand::ExportShownCsv => self.choose_export(PathPurpose::ExportShownCsv),
            UiCommand::ExportCommaCsv => self.choose_export(PathPurpose::ExportCommaCsv),
            UiCommand::ExportJson => self.choose_export(PathPurpose::ExportJson),
            UiCommand::ExportHtml => self.choose_export(PathPurpose::ExportHtml),
            UiCommand::SaveChart => self.choose_export(PathPurpose::SaveChart),
            UiCommand::CopyChart => self.copy_chart(ctx),
            UiCommand::CopyRow => self.copy_rows(ctx, true),
            UiCommand::CopyTable => self.copy_rows(ctx, false),
            UiCommand::PinSelection => {
                if let Some(index) = self.state.tab().and_then(|t| t.selected) {
                    self.toggle_pin(index);
                }
            }
            UiCommand::PinAnswers => self.pin_answers(),
            UiCommand::UnpinAll => self.replace_pins(Vec::new()),
            UiCommand::RestorePins => self.restore_pins(),
            UiCommand::ShowCompare => self.state.settings.view = View::Compare,
            UiCommand::ToggleLinear => {
                let scale = &mut self.state.settings.axes.scale;
                *scale = match scale {
                    Scale::Log => Scale::Linear,
                    Scale::Linear => Scale::Log,
                };
            }
            UiCommand::HowToRead => self.state.reading = !self.state.reading,
            UiCommand::Sensitivity => self.toggle_sway(),
            UiCommand::PageDown => self.page(1),
            UiCommand::PageUp => self.page(-1),
            UiCommand::InspectorDown => self.state.inspector_step = 1,
            UiCommand::InspectorUp => self.state.inspector_step = -1,
            UiCommand::CellLeft => self.state.cell_step = -1,
            UiCommand::CellRight => self.state.cell_step = 1,
            UiCommand::CopyCell => self.copy_cell(ctx),
            UiCommand::BoxAround => self.box_around(),
            UiCommand::Box(step) => self.step_box(step),
            UiCommand::BoxRemove => {
                if let Some(tab) = self.state.tab_mut() {
                    tab.row_settings.region = None;
                }
            }
            UiCommand::Chart(step) => self.look(step),
            UiCommand::ResetColumns => self.state.settings.columns = None,
            UiCommand::CloseTab => self.close_tab(self.state.active),
            UiCommand::ReopenTab => self.reopen_tab(),
            UiCommand::NextTab => self.step_tab(1),
            UiCommand::PreviousTab => self.step_tab(-1),
            UiCommand::Undo | UiCommand::Redo => {
                // A field that is being edited holds its own text; it must show the restored one.
                leave_field(ctx);
                self.step_history(command == UiCommand::Undo);
            }
            UiCommand::LargestBatch => self.use_largest_batch(),
            UiCommand::EverySeller => self.toggle_sellers(),
            UiCommand::OpenRuns => self.choose(PathPurpose::OpenPlan),
            UiCommand::Calibrate => self.calibrate(),
            UiCommand::SaveCalibration => {
                if self.state.calibration.is_some() {
                    self.choose(PathPurpose::SaveCalibration);
                }
            }
            UiCommand::RemoveCalibration => {
                if self.state.calibration.is_some() {
                    self.set_calibration(None);
                    self.state.notice = Some(Notice {
                        offer: Some(UiCommand::PutCalibrationBack),
                        ..Notice::told("No plan is calibrated any more".to_owned())
                    });
                }
            }
            UiCommand::PutCalibrationBack => self.put_calibration_back(),
            UiCommand::ShowTradeOff => self.state.settings.view = View::TradeOff,
            UiCommand::ShowScaling => self.state.settings.view = View::Scaling,
            UiCommand::ShowBreakdown => self.state.settings.view = View::Breakdown,
            UiCommand::ShowHeatMap => self.state.settings.view = View::HeatMap,
            UiCommand::ShowWhy => self.state.settings.view = View::Why,
            UiCommand::ShowEvidence => self.state.settings.view = View::Evidence,
            UiCommand::ShowAccuracy => self.state.settings.view = View::Accuracy,
            UiCommand::SelectNext => self.step_selection(1),
            UiCommand::SelectPrevious => self.step_selection(-1),
            UiCommand::FocusFilter => {
                self.show_table();
                self.state.focus_filter = true;
            }
            UiCommand::ClearFilter => {
                if let Some(tab) = self.state.tab_mut() {
                    tab.row_settings.clear();
                    tab.filter_draft = None;
                    tab.filters.clear();
                }
            }
            UiCommand::ToggleWhiskers => {
                self.state.settings.all_whiskers = !self.state.settings.all_whiskers;
            }
            UiCommand::ToggleTheme => {
                let dark = ctx.theme() == egui::Theme::Dark;
                self.use_theme(ctx, if dark { "light" } else { "dark" });
            }
            UiCommand::DarkTheme => self.use_theme(ctx, "dark"),
            UiCommand::LightTheme => self.use_theme(ctx, "light"),
            UiCommand::FollowSystemTheme => self.use_theme(ctx, "system"),
            UiCommand::FullScreen => {
                let is_full = ctx.input(|i| i.viewport().fullscreen.unwrap_or(false));
                ctx.send_viewport_cmd(egui::ViewportCommand::Fullscreen(!is_full));
            }
            UiCommand::ZoomIn => self.zoom(ctx, 0.1),
            UiCommand::ZoomOut => self.zoom(ctx, -0.1),
            UiCommand::ZoomReset => {
                self.state.settings.zoom = 1.0;
                ctx.set_zoom_factor(1.0);
            }
            UiCommand::NextRegion => self.next_region(ctx, false),
            UiCommand::PreviousRegion => self.next_region(ctx, true),
            UiCommand::Compute => self.compute_again(),
            UiCommand::Cancel => {
                if let Some(tab) = self.state.tab_mut() {
                    tab.wants_plan = false;
                }
                self.stop_sway();
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

    fn use_theme(&mut self, ctx: &egui::Context, name: &str) {
        name.clone_into(&mut self.state.settings.theme);
        self.apply_theme(ctx);
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
        // Pins that were just replaced are what the person means, not an edit of long before.
        if tab.turns_to_pins(back) {
            return self.restore_pins();
        }
        tab.leave_former_pins();
        let Some(now) = &tab.request else { return };
        let now = (**now).clone();
        let there = if back {
            tab.history.undo(now)
        } else {
            tab.history.redo(now)
        };
        if let Some(request) = there {
            let changed = (tab.request.as_ref()).and_then(|now| words::changed(now, &request));
            if blank::lacks(&request).is_some() {
                // Back where nothing was planned yet: it is asked for what is lacking.
                tab.forget_plan();
            }
            tab.request = Some(Arc::new(request));
            tab.drafts.clear();
            tab.errors.clear();
            self.start_plan();
            // What was undone may be out of sight.
            if let Some(name) = changed {
                let verb = if back { "Undone" } else { "Redone" };
                self.tell(format!("{verb}: {name}"));
            }
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

    /// Writes the largest batch that fits the selected layout into the request, as a step of undo of its own.
    fn use_largest_batch(&mut self) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let found = tab.plan().and_then(|plan| {
            let run = plan.combinations.get(tab.selected?)?.run()?;
            plan.larger_batch(run)
        });
        let (Some(batch), Some(request)) = (found, &tab.request) else {
            self.complain("No larger batch fits the selected layout".to_owned());
            return;
        };
        let mut request = (**request).clone();
        request.batch = Some(batch);
        // What was typed into the field before is a step back of its own, and so is what will be.
        tab.history.seal();
        self.edit(request, &Field::GlobalBatch.key());
        if let Some(tab) = self.state.tab_mut() {
            tab.history.seal();
        }
    }

    /// Exports need a plan.
    fn choose_export(&mut self, purpose: PathPurpose) {
        if self.state.tab().is_some_and(|t| t.plan().is_some()) {
            self.choose(purpose);
        } else {
            self.complain_of(About::Plan, "There is no plan to export yet".to_owned());
        }
    }

    pub(super) fn choose(&mut self, purpose: PathPurpose) {
        let name = dialogs::proposed_name(self.state.tab(), purpose);
        let tab = self.state.tab().map_or(0, |t| t.id);
        let asked = Asked { purpose, tab };
        if !self.chooser.choose(asked, &name) {
            self.ask_for(asked);
        }
    }
}

/// Takes the keyboard from whatever has it.
fn leave_field(ctx: &egui::Context) {
    ctx.memory_mut(|m| {
        if let Some(id) = m.focused() {
            m.surrender_focus(id);
        }
    });
}
