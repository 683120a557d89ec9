//! The pins of a comparison before others took their place, and the way back to them.

use super::state::{CombinationKey, Tab};

/// Pins that others replaced, or that a restore took away again.
#[derive(Debug, Default, Clone)]
pub struct FormerPins {
    /// What was pinned.
    pins: Vec<CombinationKey>,
    /// Which command brings them back before it turns to the request; `None` once something else was done since.
    by: Option<Way>,
}

/// A command of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Undo,
    Redo,
}

impl Way {
    const fn of(back: bool) -> Self {
        if back { Self::Undo } else { Self::Redo }
    }
}

impl Tab {
    /// Pins other combinations in place of those that are pinned; returns how many are pinned no more. Undo brings them
    /// back as long as nothing else is done.
    pub fn replace_pins(&mut self, pins: Vec<CombinationKey>) -> usize {
        let before = std::mem::replace(&mut self.pins, pins);
        let lost = before.iter().filter(|key| !self.pins.contains(key));
        let lost = lost.count();
        if lost > 0 {
            self.former_pins = FormerPins {
                pins: before,
                by: Some(Way::Undo),
            };
        }
        self.refresh_pins();
        lost
    }

    /// Whether pins were replaced that can be brought back.
    pub fn has_former_pins(&self) -> bool {
        !self.former_pins.pins.is_empty()
    }

    /// Whether undo, or redo where not `back`, turns to the pins first.
    pub fn turns_to_pins(&self, back: bool) -> bool {
        self.former_pins.by == Some(Way::of(back))
    }

    /// Brings back the pins that were replaced last; those they replace can be brought back in turn.
    pub fn restore_pins(&mut self) {
        let by = match self.former_pins.by {
            Some(Way::Redo) => Way::Undo,
            _ => Way::Redo,
        };
        std::mem::swap(&mut self.pins, &mut self.former_pins.pins);
        self.former_pins.by = Some(by);
        self.refresh_pins();
    }

    /// Undo and redo turn to the request again: something was done since pins were replaced.
    pub fn leave_former_pins(&mut self) {
        self.former_pins.by = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::PrecisionMode;

    fn key(count: u32) -> CombinationKey {
        CombinationKey {
            accelerator: "H100".to_owned(),
            count,
            mode: PrecisionMode::Fp8,
            seller: None,
        }
    }

    #[test]
    fn replaced_pins_come_back_and_go_again() {
        let mut tab = Tab::default();
        assert_eq!(tab.replace_pins(vec![key(1), key(2)]), 0);
        assert!(!tab.has_former_pins() && !tab.turns_to_pins(true));
        assert_eq!(tab.replace_pins(vec![key(2), key(4)]), 1);
        assert!(tab.turns_to_pins(true) && !tab.turns_to_pins(false));
        tab.restore_pins();
        assert_eq!(tab.pins, [key(1), key(2)]);
        assert!(tab.turns_to_pins(false) && !tab.turns_to_pins(true));
        tab.restore_pins();
        assert_eq!(tab.pins, [key(2), key(4)]);
        tab.leave_former_pins();
        assert!(!tab.turns_to_pins(true) && tab.has_former_pins());
    }
}
