//! What would change the answer: asked for once, and kept up with the plan until it is put away.

use crate::planner::Sensitivity;

/// What was found, and what is under way.
#[derive(Debug, Default)]
pub struct Sway {
    /// What was found last, or why nothing was, by the stamp of the result it is about.
    pub found: Option<(u64, Result<Vec<Sensitivity>, String>)>,
    /// The stamp of the result that is worked on, with the combinations done and how many there are.
    pub under_way: Option<(u64, (usize, usize))>,
}

impl Sway {
    /// Whether it is about a result, or will be.
    pub fn follows(&self, stamp: u64) -> bool {
        self.under_way.is_some_and(|(of, _)| of == stamp) || self.is_of(stamp)
    }

    /// Whether what was found is about a result.
    pub fn is_of(&self, stamp: u64) -> bool {
        self.found.as_ref().is_some_and(|(of, _)| *of == stamp)
    }
}
