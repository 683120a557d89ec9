//! The planner itself: every combination of a request, predicted and ranked.

use super::cost::{self, Place};
use super::facts;
use super::layout::{Cut, Site, describe};
use super::rank;
use super::{CheckedRequest, Combination, Dropped, Outcome, Plan, PredictedRun};
use crate::domain::{
    Accelerator, Configuration, Fabric, PrecisionMode, PrecisionSpec, Recompute, Sharding,
    Strategy, System, TimedPart, Workload,
};
use crate::predictor::{PredictError, Prediction, Predictor};
use crate::presets::Catalogue;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Predictions one combination may cost.
const MAX_PREDICTIONS: u32 = 40;
/// Cuts of the model that are compared once one of them fits.
const CUTS_BEYOND_FIRST_FIT: usize = 1;

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
struct Desk<'a> {
    request: &'a CheckedRequest,
    catalogue: &'a Catalogue,
    predictor: &'a Predictor,
    system: Option<&'a System>,
}

/// A layout with its prediction.
type Candidate = (Arc<Configuration>, Prediction);

/// What a search has seen.
#[derive(Default)]
struct Search {
    best: Option<Candidate>,
    smallest: Option<Candidate>,
    dropped: Dropped,
    predictions: u32,
    problem: Option<String>,
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
            Err(reason) => Outcome::Refused(reason),
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
        let mut search = self.search(&site, &template)?;
        let (configuration, mut prediction) = match search.best.take() {
            Some(best) => best,
            None => {
                let smallest = search.smallest.take();
                if on_too_large == OnTooLarge::Refuse || smallest.is_none() {
                    return Err(self.no_layout(&site, &search, smallest.as_ref()));
                }
                smallest.ok_or_else(String::new)?
            }
        };
        if !prediction.memory.fits() {
            prediction
                .notes
                .push(too_large(&prediction, &configuration.strategy, count));
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
        Ok(self.totalled(&place, configuration, prediction, search.dropped))
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
    fn template(
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

    /// Looks at cuts of the model until one fits, and at one more.
    fn search(&self, site: &Site<'_>, template: &Configuration) -> Result<Search, String> {
        let mut search = Search::default();
        let mut left = usize::MAX;
        for cut in site.cuts()? {
            if left == 0 || search.predictions >= MAX_PREDICTIONS {
                break;
            }
            let Some(per_rank) = site.per_rank(cut) else {
                search.dropped.batch += 1;
                continue;
            };
            let fitted_before = search.best.is_some();
            self.search_cut(site, template, cut, per_rank, &mut search);
            left = match (fitted_before, search.best.is_some()) {
                (false, true) => CUTS_BEYOND_FIRST_FIT,
                (true, true) => left - 1,
                _ => left,
            };
        }
        Ok(search)
    }

    fn search_cut(
        &self,
        site: &Site<'_>,
        template: &Configuration,
        cut: Cut,
        per_rank: f64,
        search: &mut Search,
    ) {
        let memory = template.accelerator.memory.value();
        let states = self.request.optimizer.states();
        let shardings = site.shardings(cut);
        let last = shardings.len() - 1;
        for (at, sharding) in shardings.into_iter().enumerate() {
            // The last kind holds least: it is predicted even so where nothing else was, for what it needs.
            let must_see = at == last && search.smallest.is_none();
            if !must_see && site.is_hopeless(cut, sharding, &template.precision, states, memory) {
                search.dropped.memory += 1;
                continue;
            }
            self.search_sharding(site, template, (cut, sharding, per_rank), search);
        }
    }

    /// Recomputes more, and takes smaller micro-batches, until the layout fits.
    fn search_sharding(
        &self,
        site: &Site<'_>,
        template: &Configuration,
        (cut, sharding, per_rank): (Cut, Sharding, f64),
        search: &mut Search,
    ) {
        for recompute in site.recomputes() {
            for split in site.micro_batches(cut, per_rank) {
                if search.predictions >= MAX_PREDICTIONS && search.smallest.is_some() {
                    return;
                }
                let strategy = site.strategy(cut, sharding, recompute, split);
                if self.look(template, strategy, search) {
                    return;
                }
            }
        }
    }

    /// Predicts one layout; whether it fits.
    fn look(&self, template: &Configuration, strategy: Strategy, search: &mut Search) -> bool {
        search.predictions += 1;
        let configuration = Configuration {
            strategy,
            ..template.clone()
        };
        let prediction = match self.predictor.predict(&configuration) {
            Ok(prediction) => prediction,
            Err(PredictError::Refused(refusal)) => {
                search.problem = Some(refusal.to_string());
                return true;
            }
            Err(PredictError::Strategy(reason)) => {
                search.dropped.impossible += 1;
                search.problem = Some(reason);
                return false;
            }
        };
        let candidate = (Arc::new(configuration), prediction);
        if candidate.1.memory.fits() {
            let step = |c: &Candidate| c.1.step_time.value;
            match &search.best {
                Some(best) if step(best) <= step(&candidate) => search.dropped.slower += 1,
                best => {
                    search.dropped.slower += u32::from(best.is_some());
                    search.best = Some(candidate);
                }
            }
            return true;
        }
        search.dropped.memory += 1;
        let needs = |c: &Candidate| c.1.memory.total().value();
        if search
            .smallest
            .as_ref()
            .is_none_or(|s| needs(&candidate) < needs(s))
        {
            search.smallest = Some(candidate);
        }
        false
    }

    /// Why no layout was found, with the way out.
    fn no_layout(&self, site: &Site<'_>, search: &Search, smallest: Option<&Candidate>) -> String {
        if let Some((configuration, prediction)) = smallest {
            return too_large(prediction, &configuration.strategy, site.count);
        }
        if let Some(problem) = &search.problem {
            return problem.clone();
        }
        format!(
            "A global batch of {} leaves some of {} accelerators without a sample. Use a larger batch or fewer accelerators.",
            site.global, site.count
        )
    }
}

fn too_large(prediction: &Prediction, strategy: &Strategy, count: u32) -> String {
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
