//! Titles that nobody wrote: they follow the model and the amount of training, and one that was written stays.

use super::backend::Backend;
use super::state::{Status, Tab};
use crate::planner::PlanRequest;
use std::sync::Arc;

/// Whether a title is a worked example's: nobody wrote it for this request.
fn is_shipped(backend: &dyn Backend, title: &str) -> bool {
    let examples = backend.examples();
    examples.iter().any(|e| e.title.as_deref() == Some(title))
}

/// Takes an example's title from a request that is no longer that example: it would name another amount of training.
pub fn drop_untrue(backend: &dyn Backend, request: &mut PlanRequest) {
    let Some(title) = &request.title else { return };
    let examples = backend.examples();
    let mut named = examples
        .iter()
        .filter(|e| e.title.as_ref() == Some(title))
        .peekable();
    let is_other = |e: &PlanRequest| (&e.model, &e.train) != (&request.model, &request.train);
    if named.peek().is_some() && named.all(is_other) {
        request.title = None;
    }
}

/// Takes a title that nobody wrote from an edited request whose model or amount is another now.
pub fn follow(backend: &dyn Backend, before: &PlanRequest, after: &mut PlanRequest) {
    let is_same = (&before.model, &before.train) == (&after.model, &after.train);
    if is_same || before.title != after.title {
        return;
    }
    if after
        .title
        .as_deref()
        .is_some_and(|t| is_shipped(backend, t))
    {
        after.title = None;
    }
}

impl Tab {
    /// Whether its plan is that of its request but for the title, which no figure rests on; the plan has the new one then.
    pub(super) fn is_retitled(&mut self) -> bool {
        let (Status::Current, Some(done), Some(now)) =
            (&self.status, &mut self.done, &self.request)
        else {
            return false;
        };
        let planned = &done.plan.request.request;
        if planned.title == now.title {
            return false;
        }
        let retitled = PlanRequest {
            title: now.title.clone(),
            ..planned.clone()
        };
        if retitled != **now {
            return false;
        }
        let plan = Arc::make_mut(&mut done.plan);
        Arc::make_mut(&mut plan.request).request = retitled;
        true
    }
}
