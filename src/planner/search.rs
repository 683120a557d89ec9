//! Looking through the layouts of one combination: the fastest that fits memory.

use super::Dropped;
use super::layout::{Cut, Site};
use crate::domain::{Configuration, Recompute, Sharding, Strategy};
use crate::predictor::{PredictError, Prediction};
use std::sync::Arc;

/// Predictions one combination may cost.
const MAX_PREDICTIONS: u32 = 40;
/// Cuts of the model that are compared once one of them fits.
const CUTS_BEYOND_FIRST_FIT: usize = 1;

/// A layout with its prediction.
pub(super) type Candidate = (Arc<Configuration>, Prediction);

/// How a layout is predicted.
pub(super) type Predict<'a> = &'a dyn Fn(&Configuration) -> Result<Prediction, PredictError>;

/// What a search has seen.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// The fastest layout that fits.
    pub best: Option<Candidate>,
    /// Of those that do not fit, the one that needs least.
    pub smallest: Option<Candidate>,
    /// What was dropped, by reason.
    pub dropped: Dropped,
    /// Predictions made.
    pub predictions: u32,
    /// What the predictor last refused.
    pub problem: Option<String>,
}

/// Looks at cuts of the model until one fits, and at one more. `template` is the configuration without its layout.
///
/// # Errors
/// A sentence, where the given degrees cannot be had.
pub(super) fn search(
    site: &Site<'_>,
    template: &Configuration,
    predict: Predict<'_>,
) -> Result<Search, String> {
    let mut seeker = Seeker {
        site,
        template,
        predict,
        seen: Search::default(),
    };
    let mut left = usize::MAX;
    for cut in site.cuts()? {
        if left == 0 || seeker.is_tired() {
            break;
        }
        let Some(per_rank) = site.per_rank(cut) else {
            seeker.seen.dropped.batch += 1;
            continue;
        };
        let fitted_before = seeker.seen.best.is_some();
        seeker.try_cut(cut, per_rank);
        left = match (fitted_before, seeker.seen.best.is_some()) {
            (false, true) => CUTS_BEYOND_FIRST_FIT,
            (true, true) => left - 1,
            _ => left,
        };
    }
    Ok(seeker.seen)
}

struct Seeker<'a> {
    site: &'a Site<'a>,
    template: &'a Configuration,
    predict: Predict<'a>,
    seen: Search,
}

impl Seeker<'_> {
    fn is_tired(&self) -> bool {
        self.seen.predictions >= MAX_PREDICTIONS
    }

    fn try_cut(&mut self, cut: Cut, per_rank: f64) {
        let memory = self.template.accelerator.memory.value();
        let states = self.template.workload.optimizer.states();
        let spec = &self.template.precision;
        let shardings = self.site.shardings(cut);
        let last = shardings.len() - 1;
        for (at, sharding) in shardings.into_iter().enumerate() {
            // The last kind holds least: it is predicted even so where nothing else was, for what it needs.
            let must_see = at == last && self.seen.smallest.is_none();
            if !must_see && (self.site).is_hopeless(cut, sharding, spec, states, memory) {
                self.seen.dropped.memory += 1;
                continue;
            }
            self.try_sharding(cut, sharding, per_rank);
        }
    }

    /// Recomputes more, and takes smaller micro-batches, until the layout fits.
    fn try_sharding(&mut self, cut: Cut, sharding: Sharding, per_rank: f64) {
        for recompute in self.site.recomputes() {
            for split in self.site.micro_batches(cut, per_rank) {
                if self.is_tired() {
                    return;
                }
                if self.look(self.site.strategy(cut, sharding, recompute, split)) {
                    return;
                }
            }
        }
    }

    /// Predicts one layout; whether there is no need to look at tighter ones.
    fn look(&mut self, strategy: Strategy) -> bool {
        self.seen.predictions += 1;
        let configuration = Configuration {
            strategy,
            ..self.template.clone()
        };
        match (self.predict)(&configuration) {
            Ok(prediction) => self.keep((Arc::new(configuration), prediction)),
            Err(PredictError::Strategy(reason)) => {
                self.seen.dropped.impossible += 1;
                self.seen.problem = Some(reason);
                false
            }
            Err(refusal) => {
                self.seen.problem = Some(refusal.to_string());
                true
            }
        }
    }

    fn keep(&mut self, candidate: Candidate) -> bool {
        let seen = &mut self.seen;
        let step = |c: &Candidate| c.1.step_time.value;
        let needs = |c: &Candidate| c.1.memory.total().value();
        if !candidate.1.memory.fits() {
            seen.dropped.memory += 1;
            let least = seen.smallest.as_ref();
            if least.is_none_or(|least| needs(&candidate) < needs(least)) {
                seen.smallest = Some(candidate);
            }
            return false;
        }
        match &seen.best {
            Some(best) if step(best) <= step(&candidate) => seen.dropped.slower += 1,
            best => {
                seen.dropped.slower += u32::from(best.is_some());
                seen.best = Some(candidate);
            }
        }
        true
    }
}

/// Why no layout was found, with the way out.
pub(super) fn no_layout(
    site: &Site<'_>,
    problem: Option<String>,
    smallest: Option<Candidate>,
) -> String {
    if let Some((configuration, prediction)) = smallest {
        return too_large(&prediction, &configuration.strategy, site.count);
    }
    problem.unwrap_or_else(|| {
        format!(
            "A global batch of {} leaves some of {} accelerators without a sample. Use a larger batch or fewer \
             accelerators.",
            site.global, site.count
        )
    })
}

/// That a layout may fit, and may not.
pub(super) fn tight(prediction: &Prediction) -> String {
    let memory = &prediction.memory;
    format!(
        "Memory is tight: {:.1} GiB estimated of {:.1} GiB. It fits only if the estimate is high.",
        memory.total().gib(),
        memory.capacity.gib()
    )
}

/// What a layout needs of how much memory, and the way out.
pub(super) fn too_large(prediction: &Prediction, strategy: &Strategy, count: u32) -> String {
    let memory = &prediction.memory;
    let mut measures = Vec::new();
    if strategy.sharding != Sharding::None {
        measures.push("full sharding".to_owned());
    }
    if strategy.tensor * strategy.pipeline > 1 {
        measures.push(format!(
            "the model cut in {}",
            strategy.tensor * strategy.pipeline
        ));
    }
    match strategy.recompute {
        Recompute::None => {}
        Recompute::Selective => measures.push("selective recompute".into()),
        Recompute::Full => measures.push("full recompute".into()),
    }
    measures.push(format!("micro-batch {}", strategy.micro_batch));
    let way_out = if count == 1 {
        "Use more accelerators or a larger part."
    } else {
        "Use more accelerators, a smaller batch or a larger part."
    };
    format!(
        "Does not fit: needs {:.1} GiB of {:.1} GiB even with {}. {way_out}",
        memory.total().gib(),
        memory.capacity.gib(),
        measures.join(", ")
    )
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
