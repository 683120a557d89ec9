//! A request that is being typed is planned when the typing rests: the 1 of "15 B tokens" is no plan that anybody wants, and
//! its figures must not flash by.

use super::MantissaApp;
use crate::gui::state::Field;
use crate::planner::PlanRequest;
use std::time::Duration;

/// Seconds without a keystroke after which what was typed is planned: longer than between two letters, shorter than a wait.
const RESTS_AFTER: f64 = 0.25;

impl MantissaApp {
    /// Takes an edit from a text field; its plan waits while more is typed.
    pub(super) fn edit_typed(&mut self, ctx: &egui::Context, request: PlanRequest, field: Field) {
        self.change(request, &field.key());
        let now = ctx.input(|i| i.time);
        if let Some(tab) = self.state.tab_mut() {
            tab.plan_at = Some(now + RESTS_AFTER);
        }
    }

    /// Plans what was typed once the typing rests, the field is left or Enter is pressed.
    pub(super) fn plan_typed(&mut self, ctx: &egui::Context) {
        let (now, is_taken) = ctx.input(|i| (i.time, i.key_pressed(egui::Key::Enter)));
        let Some(due) = self.state.tab().and_then(|tab| tab.plan_at) else {
            return;
        };
        if now < due && !is_taken && ctx.text_edit_focused() {
            ctx.request_repaint_after(Duration::from_secs_f64(due - now));
        } else {
            self.start_plan();
        }
    }

    /// Plans at once what was typed; for tests, which do not wait.
    pub(super) fn plan_now(&mut self) {
        if self.state.tab().is_some_and(|tab| tab.plan_at.is_some()) {
            self.start_plan();
        }
    }
}
