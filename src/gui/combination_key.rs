//! How a combination is found again in another result.

use crate::domain::PrecisionMode;
use crate::planner::{Combination, Plan};
use serde::{Deserialize, Serialize};

/// What a combination is known by from one result to the next: part, count and mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CombinationKey {
    /// Catalogue name of the part.
    pub accelerator: String,
    /// Devices.
    pub count: u32,
    /// Mode.
    pub mode: PrecisionMode,
    /// Whose offer, where each seller's is a combination of its own.
    #[serde(default)]
    pub seller: Option<String>,
}

impl CombinationKey {
    /// The key of a combination.
    pub fn of(c: &Combination) -> Self {
        Self {
            accelerator: c.accelerator.name.clone(),
            count: c.count,
            mode: c.mode,
            seller: c.seller.clone(),
        }
    }

    /// Whether a combination is meant.
    pub fn names(&self, c: &Combination) -> bool {
        self.count == c.count
            && self.mode == c.mode
            && self.seller == c.seller
            && self.accelerator == c.accelerator.name
    }

    /// Where it stands in a plan, if it can run there.
    pub fn find(&self, plan: &Plan) -> Option<usize> {
        let place = |fits: &dyn Fn(&Combination) -> bool| {
            let mut all = plan.combinations.iter();
            all.position(|c| fits(c) && c.run().is_some())
        };
        // From every seller to the cheapest and back it stays the same run, if at another price.
        let run = |c: &Combination| {
            self.count == c.count
                && self.mode == c.mode
                && self.accelerator == c.accelerator.name
                && (self.seller.is_none() || c.seller.is_none())
        };
        place(&|c| self.names(c)).or_else(|| place(&run))
    }
}
