//! Fields that were refused: what was typed is kept beside what is wrong with it, the plan shown stays that of the request
//! before, and says so; Escape brings the last good value back.

use super::MantissaApp;
use crate::gui::state::{Field, Tab};
use std::sync::Arc;

/// Seconds without a keystroke after which a refused text is no longer on its way to a good one: `15 B tok` is.
const RESTS_AFTER: f64 = 0.9;

impl MantissaApp {
    /// Keeps what was typed into a field and why it is no value. What it said on the way there is taken back: "1e30" does
    /// not plan with 1.
    pub(super) fn draft(
        &mut self,
        ctx: &egui::Context,
        field: Field,
        text: String,
        message: String,
    ) {
        let now = ctx.input(|i| i.time);
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let before = tab.history.abandon(&field.key());
        tab.drafts.insert(field, (text, message));
        tab.drafted_at = now;
        if let Some(before) = before {
            tab.request = Some(Arc::new(before));
            self.start_plan();
        }
    }

    /// Dims what is shown once a refused text is left, or left alone: while it is typed nothing flickers.
    pub(super) fn rest_drafts(&mut self, ctx: &egui::Context) {
        let (now, types) = (ctx.input(|i| i.time), ctx.text_edit_focused());
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let left = tab.drafted_at + RESTS_AFTER - now;
        tab.drafts_rest = !tab.drafts.is_empty() && (!types || left <= 0.0);
        if !tab.drafts.is_empty() && !tab.drafts_rest {
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(left.max(0.0)));
        }
    }

    /// Brings back what a refused field had before. A text that is no value never reached the request; a value that the
    /// planner refused did, and is taken back as a step of undo.
    pub(super) fn restore_field(&mut self, field: Field) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        if tab.drafts.remove(&field).is_some() {
            tab.history.seal();
        } else if tab.error(field).is_some() && is_last_edit(tab, field) {
            self.step_history(true);
        }
    }
}

/// Whether the last step of undo gave a field the value it has.
fn is_last_edit(tab: &Tab, field: Field) -> bool {
    let (Some(before), Some(now)) = (tab.history.last(), &tab.request) else {
        return false;
    };
    field.is_set_anew(Some(before), now, &tab.shelf)
}
