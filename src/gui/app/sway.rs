//! What would change the answer: worked out beside the plans, so that neither waits for the other, and again for each new
//! result until it is put away.

use super::MantissaApp;
use crate::gui::backend::PlanFailure;
use crate::gui::state::{Status, Tab};
use crate::gui::sway::Sway;
use crate::planner::Sensitivity;
use std::sync::Arc;

impl MantissaApp {
    /// Asks for it; a second time puts it away.
    pub(super) fn toggle_sway(&mut self) {
        let is_put_away = self.state.tab_mut().is_some_and(|tab| {
            let was = tab.sway.take();
            if was.is_none() && tab.done.is_some() {
                tab.sway = Some(Sway::default());
            }
            was.is_some()
        });
        if is_put_away && let Some(worker) = &self.worker {
            worker.cancel_sensitivity();
        }
    }

    /// Stops it where it is under way.
    pub(super) fn stop_sway(&mut self) {
        let is_under_way = |tab: &Tab| tab.sway.as_ref().is_some_and(|s| s.under_way.is_some());
        if self.state.tab().is_some_and(is_under_way) {
            self.toggle_sway();
        }
    }

    /// Has it worked out for the result that is shown, where it is asked for and is about another.
    pub(super) fn follow_sway(&mut self) {
        let Some(tab) = self.state.tabs.get_mut(self.state.active) else {
            return;
        };
        let (Some(sway), Some(done), Some(worker)) = (&mut tab.sway, &tab.done, &mut self.worker)
        else {
            return;
        };
        // A result that is about to go is not worth it.
        if !matches!(tab.status, Status::Current)
            || tab.plan_at.is_some()
            || sway.follows(done.stamp)
        {
            return;
        }
        sway.under_way = Some((done.stamp, (0, 0)));
        let calibration = self.state.calibration.clone();
        worker.sensitivity(tab.id, done.stamp, Arc::clone(&done.plan), calibration);
    }

    pub(super) fn take_sway(
        &mut self,
        id: u64,
        stamp: u64,
        result: Result<Vec<Sensitivity>, PlanFailure>,
    ) {
        let tab = self.state.tabs.iter_mut().find(|t| t.id == id);
        let Some(sway) = tab.and_then(|t| t.sway.as_mut()) else {
            return;
        };
        if sway.under_way.is_none_or(|(of, _)| of != stamp) {
            return;
        }
        sway.under_way = None;
        sway.found = match result {
            Ok(lines) => Some((stamp, Ok(lines))),
            // A plan came in between: the lines before stay, dimmed, until those of its result are there.
            Err(PlanFailure::Cancelled) => return,
            Err(PlanFailure::Other(text)) => Some((stamp, Err(text))),
            Err(PlanFailure::Fields(errors)) => {
                let text = errors.into_iter().map(|e| e.message).next();
                Some((stamp, Err(text.unwrap_or_default())))
            }
        };
    }
}
