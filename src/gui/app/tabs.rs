//! Tabs of plans: one after another, closed, and opened again.

use super::MantissaApp;
use crate::gui::state::Status;

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
        // What is on its way never arrives, and a calibration may come in between: it is planned again when it is back.
        tab.generation += 1;
        tab.status = Status::Idle;
        tab.wants_plan = false;
        tab.hovered = None;
        tab.explanation = None;
        tab.sensitivity = None;
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
}
