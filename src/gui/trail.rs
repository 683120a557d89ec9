//! The combinations selected one after another, to go back and forth between them.

use super::state::CombinationKey;

/// Selections kept.
const DEPTH: usize = 50;

/// Selections before and after the present one.
#[derive(Debug, Default, Clone)]
pub struct Trail {
    past: Vec<CombinationKey>,
    future: Vec<CombinationKey>,
    /// The present one and where it stood: result stamp and index. Looked at in every frame, so no name is compared.
    here: Option<((u64, usize), CombinationKey)>,
}

impl Trail {
    /// Whether this selection is the one noted last.
    pub fn is_at(&self, place: (u64, usize)) -> bool {
        self.here.as_ref().is_some_and(|(at, _)| *at == place)
    }

    /// Notes a selection. One that another plan brought takes the place of the last: nobody chose it.
    pub fn note(&mut self, place: (u64, usize), key: CombinationKey) {
        if let Some((at, before)) = self.here.take()
            && at.0 == place.0
            && before != key
        {
            self.past.push(before);
            self.future.clear();
            if self.past.len() > DEPTH {
                self.past.remove(0);
            }
        }
        self.here = Some((place, key));
    }

    /// Goes a step back, or forward, to the nearest selection that `find` still has a place for.
    pub fn step(
        &mut self,
        back: bool,
        find: impl Fn(&CombinationKey) -> Option<usize>,
    ) -> Option<usize> {
        let (from, to) = if back {
            (&mut self.past, &mut self.future)
        } else {
            (&mut self.future, &mut self.past)
        };
        let ((stamp, _), now) = self.here.clone()?;
        // What has no place now may have one again: nothing is dropped where nothing is found.
        let (at, index) = (0..from.len()).rev().find_map(|at| {
            let index = find(&from[at]).filter(|_| from[at] != now)?;
            Some((at, index))
        })?;
        let key = from.drain(at..).next()?;
        to.push(now);
        self.here = Some(((stamp, index), key));
        Some(index)
    }

    /// Whether something was selected before.
    pub fn can_go_back(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is a selection to return to.
    pub fn can_go_forward(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::PrecisionMode;

    fn key(count: u32) -> CombinationKey {
        CombinationKey {
            accelerator: "H100".into(),
            count,
            mode: PrecisionMode::Fp8,
            seller: None,
        }
    }

    #[test]
    fn back_and_forward_skip_what_is_gone_and_a_new_choice_ends_the_future() {
        let find = |k: &CombinationKey| (k.count != 2).then_some(k.count as usize);
        let mut trail = Trail::default();
        for count in [1, 2, 3] {
            trail.note((7, count as usize), key(count));
        }
        assert!(trail.is_at((7, 3)));
        assert_eq!(trail.step(true, find), Some(1));
        assert_eq!(trail.step(true, find), None);
        assert_eq!(trail.step(false, find), Some(3));
        assert_eq!(trail.step(true, find), Some(1));
        trail.note((7, 4), key(4));
        assert!(!trail.can_go_forward());
        // Another plan moved the selection: that is no step.
        trail.note((8, 5), key(5));
        assert_eq!(trail.step(true, find), Some(1));
    }
}
