//! The planner itself: every combination of a request, predicted and ranked.

use super::cost::{self, Place};
use super::layout::{Site, describe};
use super::schedule::{self, Schedule, ScheduleKind};
use super::search::{Search, is_nearly_full, layout_why, nearly_full, no_layout, tight, too_large};
use super::{
    CalibrationProfile, CheckedRequest, Combination, Outcome, Plan, PredictedRun, PriceDates, best,
    facts, rank, sellers,
};
use crate::domain::{
    Accelerator, Configuration, Fabric, MemoryUse, PrecisionMode, PrecisionSpec, SoftwareStack,
    Strategy, System, TimedPart, Workload,
};
use crate::physics::{PrecisionView, StepWork, hybrid_group, memory_by_stage, memory_use};
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

    /// Nothing done yet of so many combinations.
    pub(super) fn begin(&self, total: usize) {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
    }

    /// One more combination done.
    pub(super) fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
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
    plan_calibrated(request, catalogue, predictor, None, progress)
}

/// The same with predictions corrected by a person's own runs, where there is a profile of them; the version of the
/// predictor says so.
///
/// # Errors
/// [`Cancelled`] if `progress` was cancelled meanwhile.
pub fn plan_calibrated(
    request: &CheckedRequest,
    catalogue: &Catalogue,
    predictor: &Predictor,
    profile: Option<&CalibrationProfile>,
    progress: &Progress,
) -> Result<Plan, Cancelled> {
    progress.begin(combinations_of(request));
    plan_begun(request, catalogue, predictor, profile, progress)
}

/// Combinations that a request asks for.
pub(super) fn combinations_of(request: &CheckedRequest) -> usize {
    request.accelerators.len() * request.counts.len() * request.modes.len()
}

/// The same for one of several plans that count as one piece of work.
pub(super) fn plan_begun(
    request: &CheckedRequest,
    catalogue: &Catalogue,
    predictor: &Predictor,
    profile: Option<&CalibrationProfile>,
    progress: &Progress,
) -> Result<Plan, Cancelled> {
    let desk = Desk {
        request,
        catalogue,
        predictor,
        profile,
        system: None,
    };
    let mut asked = Vec::new();
    for accelerator in &request.accelerators {
        for &count in &request.counts {
            asked.extend(request.modes.iter().map(|&mode| (accelerator, count, mode)));
        }
    }
    let combinations = asked
        .into_par_iter()
        .map(|(accelerator, count, mode)| {
            if progress.is_cancelled() {
                return Err(Cancelled);
            }
            let combination = desk.combination(accelerator, count, mode, OnTooLarge::Refuse);
            progress.step();
            Ok(combination)
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(desk.plan(combinations))
}

impl Desk<'_> {
    /// Everything that is said of combinations, each worked out.
    pub(super) fn plan(&self, combinations: Vec<Combination>) -> Plan {
        let (request, catalogue) = (self.request, self.catalogue);
        let schedules = schedules(*self, &combinations);
        let combinations = sellers::each(request, catalogue, combinations);
        let (best, minimise, best_why) = best::best(request, &combinations);
        let corrected =
            (self.profile).map_or_else(String::new, |p| format!(" calibrated on {}", p.counted()));
        Plan {
            minimise,
            best,
            best_why,
            pareto_all: best::pareto(&combinations),
            schedules,
            advice: facts::advice(catalogue, request),
            pareto: rank::pareto(&combinations),
            answers: rank::answers(request, &combinations, best),
            within_limits: rank::count_within(request, &combinations),
            predictor_version: format!("{}{corrected}", self.predictor.version()),
            price_dates: price_dates(&combinations),
            request: Arc::new(request.clone()),
            combinations,
        }
    }

    /// Where a run on so many of a part stands.
    pub(super) fn place<'a>(
        &'a self,
        accelerator: &'a Accelerator,
        fabric: Fabric,
        count: u32,
    ) -> Place<'a> {
        let usual = || self.catalogue.default_system(accelerator).map(Arc::as_ref);
        Place {
            catalogue: self.catalogue,
            accelerator,
            system: self.system.or_else(usual),
            fabric,
            count,
            nodes: fabric.nodes.max(count.div_ceil(fabric.per_node.max(1))),
        }
    }
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
        profile: None,
        system,
    };
    Some(desk.combination(accelerator, count, mode, OnTooLarge::Predict))
}

/// The schedules of a request, for each accelerator and count. Modes that the request does not compare are predicted
/// for it.
fn schedules(desk: Desk<'_>, combinations: &[Combination]) -> Vec<Schedule> {
    let request = desk.request;
    let mut schedules = Vec::new();
    for accelerator in &request.accelerators {
        for &count in &request.counts {
            let mut here: Vec<Combination> = combinations
                .iter()
                .filter(|c| c.accelerator.name == accelerator.name && c.count == count)
                .cloned()
                .collect();
            let mut add = |kind, outcome| {
                schedules.push(Schedule {
                    kind,
                    accelerator: Arc::clone(accelerator),
                    count,
                    outcome,
                });
            };
            if !request.schedule.is_empty() {
                for phase in &request.schedule {
                    if !here.iter().any(|c| c.mode == phase.mode) {
                        here.push(desk.combination(
                            accelerator,
                            count,
                            phase.mode,
                            OnTooLarge::Refuse,
                        ));
                    }
                }
                add(
                    ScheduleKind::Asked,
                    schedule::asked(&request.schedule, &here),
                );
            }
            if let Some(rule) = request.schedule_rule {
                if !here.iter().any(|c| c.mode == rule.mode) {
                    here.push(desk.combination(accelerator, count, rule.mode, OnTooLarge::Refuse));
                }
                add(ScheduleKind::Fastest, schedule::fastest(rule, &here));
            }
        }
    }
    schedules
}

fn price_dates(combinations: &[Combination]) -> Option<PriceDates> {
    let prices = combinations.iter().filter_map(|c| c.run()?.price.as_ref());
    PriceDates::of(prices.map(|price| price.date.as_str()))
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
    /// What a person's own runs say of the predictions.
    pub profile: Option<&'a CalibrationProfile>,
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
            seller: None,
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
        if let Some(&most) = self.request.limits.available.get(&accelerator.name)
            && count > most
        {
            return Err(format!("Only {most} of {} can be had.", accelerator.label));
        }
        let site = Site::new(self.request, count, fabric);
        let spec = self.catalogue.precision(mode);
        let template = self.template(accelerator, count, fabric, spec);
        let (found, anchor) = self.find(&site, &template)?;
        let Search {
            best,
            second,
            smallest,
            dropped,
            problem,
            before,
            ..
        } = found;
        let close = |memory: &MemoryUse| {
            on_too_large == OnTooLarge::Predict || (site.headroom <= 0.0 && memory.may_fit())
        };
        let fits = best.is_some();
        let strategy = match (best, smallest) {
            (Some(best), _) => best,
            (None, Some((smallest, memory))) if close(&memory) => smallest,
            (None, smallest) => return Err(no_layout(&site, problem, smallest)),
        };
        let configuration = Arc::new(Configuration {
            strategy,
            ..template
        });
        let mut prediction = (self.predictor.predict(&configuration))
            .map(|prediction| self.adjusted(prediction, &configuration, anchor))
            .map_err(|refusal| refusal.to_string())?;
        if let Some(profile) = self.profile {
            profile.apply(&configuration, &mut prediction);
        }
        prediction
            .notes
            .extend(facts::assumed_decoder(self.request));
        let rounded = facts::rounded_batch(self.request.batch, count, &strategy);
        prediction.notes.extend(rounded);
        let memory = prediction.memory;
        if !memory.fits() {
            prediction.notes.push(if memory.may_fit() {
                tight(&memory)
            } else {
                too_large(&memory, &strategy, count, self.request.seq_len)
            });
        }
        if is_nearly_full(&memory) {
            let error = self.predictor.artifact().accuracy.memory.mean;
            prediction.notes.push(nearly_full(&memory, error));
        }
        let why = match fits {
            true => layout_why(second, &dropped, fabric.nodes),
            false => "No layout fits by the estimate; this one needs the least memory.".to_owned(),
        };
        let place = self.place(accelerator, fabric, count);
        let mut run = self.totalled(&place, configuration, prediction)?;
        (run.dropped, run.layout_why) = (dropped, why);
        run.layout_before = before.map(|before| describe(&before, fabric.nodes, None));
        Ok(run)
    }

    fn totalled(
        &self,
        place: &Place<'_>,
        configuration: Arc<Configuration>,
        prediction: Prediction,
    ) -> Result<PredictedRun, String> {
        let strategy = configuration.strategy;
        let work = StepWork::new(&configuration, PrecisionView::Aware).ok();
        let parameters = work.map(|work| work.device_parameters);
        let group = parameters.and_then(|p| hybrid_group(&configuration, p));
        let totals = cost::totals(self.request, place, &configuration, &prediction)?;
        let (units_per_s, units_name) =
            cost::rate(self.request, &strategy, prediction.step_time.value);
        Ok(PredictedRun {
            largest_micro_batch: largest_micro_batch(
                &configuration,
                self.request.limits.memory_headroom,
            ),
            memory_by_stage: parameters
                .map_or_else(Vec::new, |p| memory_by_stage(&configuration, p)),
            training_h: totals.training_h,
            interruptions: totals.interruptions,
            storage_usd: totals.storage_usd,
            layout_why: String::new(),
            layout_before: None,
            layout: describe(&strategy, configuration.fabric.nodes, group),
            steps: totals.steps,
            total_time_h: totals.time_h,
            cost_usd: totals.cost_usd,
            price: totals.price,
            energy_kwh: totals.energy_kwh,
            co2e_kg: totals.co2e_kg,
            missing: totals.missing,
            units_per_s,
            units_name,
            dropped: Default::default(),
            configuration,
            prediction,
        })
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
        let usual = facts::software(
            &request.model,
            &request.profile,
            accelerator,
            request.tuning,
        );
        Configuration {
            workload: Workload {
                model: Arc::clone(&request.model),
                profile: Arc::clone(&request.profile),
                seq_len: request.seq_len,
                image_size: request.image_size,
                optimizer: request.optimizer,
                adapters_only: request.adapters.is_some(),
                adapters: request.adapters,
                timed: TimedPart::FullStep,
            },
            accelerator: Arc::clone(accelerator),
            count,
            fabric,
            precision,
            strategy: Strategy::data_parallel(count, 1.0),
            software: SoftwareStack {
                compiled: request.compiled,
                flash_attention: request.flash_attention.unwrap_or(usual.flash_attention),
                eager_attention: request.flash_attention == Some(false),
                ..usual
            },
            batch_stated: request.batch.is_stated(),
        }
    }
}

/// Most samples a rank takes in one micro-step with this layout before memory is full but for the share that must stay
/// free.
fn largest_micro_batch(c: &Configuration, headroom: f64) -> Option<u32> {
    const MOST: u32 = 1 << 20;
    let parameters = StepWork::new(c, PrecisionView::Aware)
        .ok()?
        .device_parameters;
    let fits = |samples: u32| {
        let mut larger = c.clone();
        larger.strategy.micro_batch = f64::from(samples);
        let memory = memory_use(&larger, parameters);
        memory.total().value() <= memory.capacity.value() * (1.0 - headroom)
    };
    if !fits(1) {
        return None;
    }
    // Memory rises with the batch, so the border is found by halving.
    let (mut low, mut high) = (1, MOST);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

/// Sentences end with a full stop.
pub(super) fn sentence(mut text: String) -> String {
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    text
}
