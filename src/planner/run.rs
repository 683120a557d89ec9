//! The planner itself: every combination of a request, predicted and ranked.

use super::cost::{self, Place};
use super::facts;
use super::layout::{Site, describe};
use super::rank;
use super::search::{Search, no_layout, search, tight, too_large};
use super::{CheckedRequest, Combination, Dropped, Outcome, Plan, PredictedRun};
use crate::domain::{
    Accelerator, Configuration, Fabric, PrecisionMode, PrecisionSpec, Strategy, System, TimedPart,
    Workload,
};
use crate::predictor::{Prediction, Predictor};
use crate::presets::Catalogue;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How far a plan is, and the wish to stop it; shared between threads.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicUsize,
    total: AtomicUsize,
    cancelled: AtomicBool,
}

impl Progress {
    /// Combinations done, and how many there are.
    pub fn so_far(&self) -> (usize, usize) {
        (
            self.done.load(Ordering::Relaxed),
            self.total.load(Ordering::Relaxed),
        )
    }

    /// Asks the plan to stop; [`plan`] then returns [`Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked it to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// A plan was stopped before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the plan was stopped")]
pub struct Cancelled;

/// Predicts every combination of a request: the same request gives the same plan.
///
/// # Errors
/// [`Cancelled`] if `progress` was cancelled meanwhile.
pub fn plan(
    request: &CheckedRequest,
    catalogue: &Catalogue,
    predictor: &Predictor,
    progress: &Progress,
) -> Result<Plan, Cancelled> {
    let mut asked = Vec::new();
    for accelerator in &request.accelerators {
        for &count in &request.counts {
            asked.extend(request.modes.iter().map(|&mode| (accelerator, count, mode)));
        }
    }
    progress.total.store(asked.len(), Ordering::Relaxed);
    progress.done.store(0, Ordering::Relaxed);
    let combinations = asked
        .into_par_iter()
        .map(|(accelerator, count, mode)| {
            if progress.is_cancelled() {
                return Err(Cancelled);
            }
            let desk = Desk {
                request,
                catalogue,
                predictor,
                system: None,
            };
            let combination = desk.combination(accelerator, count, mode, OnTooLarge::Refuse);
            progress.done.fetch_add(1, Ordering::Relaxed);
            Ok(combination)
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Plan {
        pareto: rank::pareto(&combinations),
        answers: rank::answers(request, &combinations),
        within_limits: rank::count_within(request, &combinations),
        predictor_version: predictor.version().to_owned(),
        prices_date: newest_price(&combinations),
        request: Arc::new(request.clone()),
        combinations,
    })
}

/// Predicts the first combination of a request on a named system (`None`: the typical node). A layout that does not
/// fit is predicted all the same, with a note that says so.
pub fn predict_one(
    request: &CheckedRequest,
    system: Option<&System>,
    catalogue: &Catalogue,
    predictor: &Predictor,
) -> Option<Combination> {
    let accelerator = request.accelerators.first()?;
    let (&count, &mode) = request.counts.first().zip(request.modes.first())?;
    let desk = Desk {
        request,
        catalogue,
        predictor,
        system,
    };
    Some(desk.combination(accelerator, count, mode, OnTooLarge::Predict))
}

fn newest_price(combinations: &[Combination]) -> Option<String> {
    combinations
        .iter()
        .filter_map(|combination| combination.run()?.price.as_ref())
        .filter(|price| !price.date.is_empty())
        .map(|price| price.date.clone())
        .max()
}

/// What to do where nothing fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnTooLarge {
    Refuse,
    Predict,
}

/// Everything a combination is worked out from.
#[derive(Clone, Copy)]
pub(super) struct Desk<'a> {
    pub request: &'a CheckedRequest,
    pub catalogue: &'a Catalogue,
    pub predictor: &'a Predictor,
    pub system: Option<&'a System>,
}

impl Desk<'_> {
    fn combination(
        &self,
        accelerator: &Arc<Accelerator>,
        count: u32,
        mode: PrecisionMode,
        on_too_large: OnTooLarge,
    ) -> Combination {
        let fabric = self
            .catalogue
            .fabric(accelerator, self.system, count, None, None);
        let outcome = match self.run(accelerator, count, mode, fabric, on_too_large) {
            Ok(run) => Outcome::Predicted(Box::new(run)),
            Err(reason) => Outcome::Refused(sentence(reason)),
        };
        Combination {
            accelerator: Arc::clone(accelerator),
            count,
            nodes: fabric.nodes.max(count.div_ceil(fabric.per_node.max(1))),
            mode,
            outcome,
        }
    }

    fn run(
        &self,
        accelerator: &Arc<Accelerator>,
        count: u32,
        mode: PrecisionMode,
        fabric: Fabric,
        on_too_large: OnTooLarge,
    ) -> Result<PredictedRun, String> {
        accelerator
            .peak(mode)
            .map_err(|refusal| refusal.to_string())?;
        let site = Site::new(self.request, count, fabric);
        let spec = self.catalogue.precision(mode);
        let template = self.template(accelerator, count, fabric, spec);
        let Search {
            best,
            smallest,
            dropped,
            problem,
            ..
        } = search(&site, &template, &|c| self.predictor.outline(c))?;
        let chosen = match (best, smallest, on_too_large) {
            (Some(best), _, _) => best,
            (None, Some(smallest), on_too_large)
                if on_too_large == OnTooLarge::Predict || smallest.1.memory.may_fit() =>
            {
                smallest
            }
            (None, smallest, _) => return Err(no_layout(&site, problem, smallest)),
        };
        // The search looks at outlines; what is shown gets its interval and its support.
        let (configuration, outline) = chosen;
        let mut prediction = self.predictor.predict(&configuration).unwrap_or(outline);
        if !prediction.memory.fits() {
            prediction.notes.push(if prediction.memory.may_fit() {
                tight(&prediction)
            } else {
                too_large(&prediction, &configuration.strategy, count)
            });
        }
        let place = Place {
            catalogue: self.catalogue,
            accelerator,
            system: self
                .system
                .or_else(|| self.catalogue.default_system(accelerator).map(Arc::as_ref)),
            fabric,
            count,
        };
        Ok(self.totalled(&place, configuration, prediction, dropped))
    }

    fn totalled(
        &self,
        place: &Place<'_>,
        configuration: Arc<Configuration>,
        prediction: Prediction,
        dropped: Dropped,
    ) -> PredictedRun {
        let strategy = configuration.strategy;
        let totals = cost::totals(self.request, place, &strategy, &prediction);
        let (units_per_s, units_name) =
            cost::rate(self.request, &strategy, prediction.step_time.value);
        PredictedRun {
            layout: describe(&strategy, configuration.fabric.nodes),
            steps: totals.steps,
            total_time_h: totals.time_h,
            cost_usd: totals.cost_usd,
            price: totals.price,
            energy_kwh: totals.energy_kwh,
            co2e_kg: totals.co2e_kg,
            missing: totals.missing,
            units_per_s,
            units_name,
            dropped,
            configuration,
            prediction,
        }
    }

    /// The configuration without its layout.
    pub(super) fn template(
        &self,
        accelerator: &Arc<Accelerator>,
        count: u32,
        fabric: Fabric,
        precision: PrecisionSpec,
    ) -> Configuration {
        let request = self.request;
        Configuration {
            workload: Workload {
                model: Arc::clone(&request.model),
                profile: Arc::clone(&request.profile),
                seq_len: request.seq_len,
                image_size: request.image_size,
                optimizer: request.optimizer,
                adapters_only: false,
                adapters: None,
                timed: TimedPart::FullStep,
            },
            accelerator: Arc::clone(accelerator),
            count,
            fabric,
            precision,
            strategy: Strategy::data_parallel(count, 1.0),
            software: facts::software(&request.profile, accelerator, request.tuning),
            batch_stated: request.batch.is_stated(),
        }
    }
}

/// Sentences end with a full stop.
fn sentence(mut text: String) -> String {
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    text
}
