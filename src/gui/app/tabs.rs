//! Tabs of plans: one after another, closed, and opened again.

use super::MantissaApp;
use crate::gui::command::UiCommand;
use crate::gui::places::{self, Place};
use crate::gui::state::{Notice, Status};
use crate::gui::words::quoted;

/// The field in which the title of a plan is typed.
pub(crate) const TITLE: &str = "Title of the plan";
/// No title says more in more letters.
const LONGEST_TITLE: usize = 120;

/// Closed tabs that can be opened again.
const KEPT: usize = 5;

impl MantissaApp {
    /// Shows another tab; after the last comes the first.
    pub(super) fn step_tab(&mut self, by: isize) {
        let count = self.state.tabs.len().max(1).cast_signed();
        let next = (self.state.active.cast_signed() + by).rem_euclid(count);
        self.state.active = next.unsigned_abs();
        self.plan_active_if_needed();
    }

    pub(super) fn close_tab(&mut self, index: usize) {
        if index >= self.state.tabs.len() {
            return;
        }
        if self.state.tabs.len() == 1 {
            self.tell("The last plan stays open".to_owned());
            return;
        }
        let mut tab = self.state.tabs.remove(index);
        if tab.is_changed() {
            self.state.notice = Some(Notice {
                offer: Some(UiCommand::ReopenTab),
                ..Notice::told(format!(
                    "{} is closed with changes that no file has",
                    quoted(&tab.title())
                ))
            });
        }
        // What is on its way never arrives, and a calibration may come in between: it is planned again when it is back.
        tab.generation += 1;
        tab.status = Status::Idle;
        tab.wants_plan = false;
        tab.hovered = None;
        tab.explanation = None;
        if let Some(sway) = &mut tab.sway {
            sway.under_way = None;
        }
        self.state.closed.push((index, tab));
        if self.state.closed.len() > KEPT {
            self.state.closed.remove(0);
        }
        if self.state.active > index || self.state.active == self.state.tabs.len() {
            self.state.active -= 1;
        }
        self.plan_active_if_needed();
    }

    /// Brings the tab that was closed last back to its place, with its undo steps, its selection and its filter.
    pub(super) fn reopen_tab(&mut self) {
        let Some((index, tab)) = self.state.closed.pop() else {
            self.tell("No closed plan to open again".to_owned());
            return;
        };
        let index = index.min(self.state.tabs.len());
        self.state.tabs.insert(index, tab);
        self.state.active = index;
        self.start_plan();
    }

    /// Opens the title of a tab to be typed over.
    pub(super) fn start_rename(&mut self, ctx: &egui::Context, id: u64) {
        let Some(tab) = self.state.tabs.iter().find(|t| t.id == id) else {
            return;
        };
        self.state.renaming = Some((id, tab.title()));
        places::send_to(
            ctx,
            Place {
                title: TITLE,
                names: &[TITLE],
                inside: None,
            },
        );
    }

    /// Gives a plan the title that was typed, as a step of undo; an empty one follows the model and the amount again.
    pub(super) fn end_rename(&mut self, is_taken: bool) {
        let Some((id, title)) = self.state.renaming.take() else {
            return;
        };
        let place = self.state.tabs.iter().position(|t| t.id == id);
        let Some(place) = place.filter(|_| is_taken) else {
            return;
        };
        let tab = &mut self.state.tabs[place];
        let Some(request) = tab.request.as_deref().filter(|_| title != tab.title()) else {
            return;
        };
        let plain: String = title
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(LONGEST_TITLE)
            .collect();
        let mut request = request.clone();
        request.title = (!plain.is_empty()).then_some(plain);
        tab.history.seal();
        // Another tab may have been clicked meanwhile.
        let shown = std::mem::replace(&mut self.state.active, place);
        self.edit(request, "");
        self.state.active = shown;
    }
}
