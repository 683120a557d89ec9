//! Undo and redo of the edits of one request.

use crate::planner::PlanRequest;

/// Edits kept.
const DEPTH: usize = 200;
/// Steps back and steps forward that outlive the window.
const KEPT: usize = 40;

/// The past and the future of a request; the present lives in the tab.
#[derive(Debug, Default, Clone)]
pub struct History {
    past: Vec<PlanRequest>,
    future: Vec<PlanRequest>,
    /// Key of the field the last edit came from: keystrokes in one field fold into one step.
    last_key: Option<String>,
}

impl History {
    /// Remembers `before` as the state an edit of `key` started from.
    pub fn record(&mut self, before: PlanRequest, key: &str) {
        self.future.clear();
        if self.last_key.as_deref() == Some(key) && !key.is_empty() {
            return;
        }
        self.last_key = Some(key.to_owned());
        self.past.push(before);
        if self.past.len() > DEPTH {
            self.past.remove(0);
        }
    }

    /// Takes the running edit of `key` back, as if it had not begun; `None` where the last edit is another's or sealed.
    pub fn abandon(&mut self, key: &str) -> Option<PlanRequest> {
        if key.is_empty() || self.last_key.as_deref() != Some(key) {
            return None;
        }
        self.last_key = None;
        self.past.pop()
    }

    /// Steps back; `None` where there is nothing to undo.
    pub fn undo(&mut self, now: PlanRequest) -> Option<PlanRequest> {
        let before = self.past.pop()?;
        self.future.push(now);
        self.last_key = None;
        Some(before)
    }

    /// Steps forward again.
    pub fn redo(&mut self, now: PlanRequest) -> Option<PlanRequest> {
        let after = self.future.pop()?;
        self.past.push(now);
        self.last_key = None;
        Some(after)
    }

    /// The steps that outlive the window: back and forward, the next one last.
    pub fn kept(&self) -> [&[PlanRequest]; 2] {
        [&self.past, &self.future].map(|steps| &steps[steps.len().saturating_sub(KEPT)..])
    }

    /// The steps of a window before.
    pub fn restored([past, future]: [Vec<PlanRequest>; 2]) -> Self {
        Self {
            past,
            future,
            last_key: None,
        }
    }

    /// What the last step of undo would bring back.
    pub fn last(&self) -> Option<&PlanRequest> {
        self.past.last()
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// The next edit starts a step of its own, whatever field it comes from.
    pub fn seal(&mut self) {
        self.last_key = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(model: &str) -> PlanRequest {
        PlanRequest {
            schema: 1,
            model: model.into(),
            ..PlanRequest::default()
        }
    }

    #[test]
    fn keystrokes_in_one_field_undo_together_and_redo() {
        let mut history = History::default();
        history.record(request("a"), "model");
        history.record(request("b"), "model");
        history.record(request("c"), "tokens");
        let back = history.undo(request("d"));
        assert_eq!(back, Some(request("c")));
        assert_eq!(history.undo(request("c")), Some(request("a")));
        assert!(!history.can_undo());
        assert_eq!(history.redo(request("a")), Some(request("c")));
        assert_eq!(history.redo(request("c")), Some(request("d")));
        assert!(!history.can_redo());
    }
}
