//! What commands do to the comparison: pin, let go, replace, and bring back what was replaced.

use super::MantissaApp;
use crate::gui::command::UiCommand;
use crate::gui::state::{CombinationKey, MOST_PINS, Notice, View};

impl MantissaApp {
    /// Pins a combination or lets it go; a full comparison says so.
    pub(super) fn toggle_pin(&mut self, index: usize) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let Some(done) = &tab.done else { return };
        let Some(c) = done.plan.combinations.get(index) else {
            return;
        };
        let key = CombinationKey::of(c);
        if let Some(place) = tab.pins.iter().position(|p| *p == key) {
            tab.pins.remove(place);
        } else if tab.pinned.len() >= MOST_PINS {
            let text = format!("{MOST_PINS} combinations can be compared; unpin one first");
            self.complain(text);
            return;
        } else {
            // Pins that no longer run would fill the places of those that do.
            let kept = tab
                .pinned
                .iter()
                .filter_map(|i| done.plan.combinations.get(*i));
            tab.pins = kept.map(CombinationKey::of).chain([key]).collect();
        }
        tab.leave_former_pins();
        tab.refresh_pins();
    }

    /// Fills the comparison with the answers, each once, and shows it.
    pub(super) fn pin_answers(&mut self) {
        let Some(tab) = self.state.tab() else {
            return;
        };
        let Some(done) = &tab.done else { return };
        let all = done.plan.answers.each();
        let found = all.iter().filter_map(|i| done.plan.combinations.get(*i));
        self.replace_pins(found.map(CombinationKey::of).collect());
        self.state.settings.view = View::Compare;
    }

    /// Pins others; what is pinned no more is told, with the way back.
    pub(super) fn replace_pins(&mut self, pins: Vec<CombinationKey>) {
        let is_empty = pins.is_empty();
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let lost = match tab.replace_pins(pins) {
            0 => return,
            1 => "1 pin".to_owned(),
            n => format!("{n} pins"),
        };
        let text = match is_empty {
            true => format!("Let go of {lost}"),
            false => format!("The answers took the place of {lost}"),
        };
        self.state.notice = Some(Notice::of_pins(text, UiCommand::RestorePins, &self.state));
    }

    /// Brings back the pins that were replaced last.
    pub(super) fn restore_pins(&mut self) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        if !tab.has_former_pins() && !tab.turns_to_pins(false) {
            self.tell("No pins were replaced".to_owned());
            return;
        }
        tab.restore_pins();
    }
}
