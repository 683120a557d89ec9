//! A plan once more under other prices or failures, which move no prediction: its runs are only added up anew.

use super::run::{Desk, Progress, sentence};
use super::{CalibrationProfile, CheckedRequest, Combination, Outcome, Plan, PredictedRun, cost};
use crate::predictor::Predictor;
use crate::presets::Catalogue;
use std::sync::Arc;

/// The plan that a request would get which differs from that of `base` in what-ifs of prices and failures alone; every
/// combination counts as one that is done.
pub(super) fn added_up(
    base: &Plan,
    request: &CheckedRequest,
    catalogue: &Catalogue,
    predictor: &Predictor,
    profile: Option<&CalibrationProfile>,
    progress: &Progress,
) -> Plan {
    let desk = Desk {
        request,
        catalogue,
        predictor,
        profile,
        system: None,
    };
    let mut combinations: Vec<Combination> = Vec::with_capacity(base.combinations.len());
    for c in &base.combinations {
        // Offers of several sellers are made of one run.
        let is_other_offer = combinations.last().is_some_and(|last| {
            (last.count, last.mode) == (c.count, c.mode)
                && last.accelerator.name == c.accelerator.name
        });
        if is_other_offer {
            continue;
        }
        let outcome = match &c.outcome {
            Outcome::Predicted(run) => desk.again(c, run).map_or_else(
                |reason| Outcome::Refused(sentence(reason)),
                |run| Outcome::Predicted(Box::new(run)),
            ),
            refused @ Outcome::Refused(_) => refused.clone(),
        };
        combinations.push(Combination {
            accelerator: Arc::clone(&c.accelerator),
            count: c.count,
            nodes: c.nodes,
            mode: c.mode,
            seller: None,
            outcome,
        });
        progress.step();
    }
    desk.plan(combinations)
}

impl Desk<'_> {
    /// A run of a combination, added up anew.
    fn again(&self, c: &Combination, run: &PredictedRun) -> Result<PredictedRun, String> {
        let place = self.place(&c.accelerator, run.configuration.fabric, c.count);
        let totals = cost::totals(self.request, &place, &run.configuration, &run.prediction)?;
        Ok(PredictedRun {
            training_h: totals.training_h,
            interruptions: totals.interruptions,
            storage_usd: totals.storage_usd,
            steps: totals.steps,
            total_time_h: totals.time_h,
            cost_usd: totals.cost_usd,
            price: totals.price,
            energy_kwh: totals.energy_kwh,
            co2e_kg: totals.co2e_kg,
            missing: totals.missing,
            ..run.clone()
        })
    }
}
