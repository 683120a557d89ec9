//! Back and forward through the combinations that were selected.

use super::MantissaApp;
use crate::gui::state::CombinationKey;

impl MantissaApp {
    /// Notes what is selected, whichever way it came to be.
    pub(super) fn note_selection(&mut self) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let (Some(done), Some(index)) = (&tab.done, tab.selected) else {
            return;
        };
        let place = (done.stamp, index);
        if tab.trail.is_at(place) {
            return;
        }
        if let Some(c) = done.plan.combinations.get(index) {
            tab.trail.note(place, CombinationKey::of(c));
        }
    }

    /// Selects what was selected before, or after.
    pub(super) fn step_trail(&mut self, back: bool) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let Some(done) = &tab.done else { return };
        if let Some(index) = tab.trail.step(back, |key| key.find(&done.plan)) {
            tab.selected = Some(index);
            tab.scroll_to_selection = true;
        }
    }
}
