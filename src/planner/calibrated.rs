//! A plan as a person's own runs correct it: every step time scaled by their factor, everything that follows from it
//! added up and ranked again.
//!
//! The factor depends on part, mode and model family alone, so the layout of a combination stays the one that is best.

use super::cost::{self, Place};
use super::run::{self, Cancelled, Progress};
use super::schedule::{self, ScheduleKind};
use super::{
    CalibrationProfile, CheckedRequest, Combination, Outcome, Plan, PredictedRun, best, rank,
};
use crate::domain::PrecisionMode;
use crate::predictor::Predictor;
use crate::presets::Catalogue;
use std::sync::Arc;

/// Plans a request with predictions corrected by a profile; the version of the predictor says so.
///
/// # Errors
/// [`Cancelled`] if `progress` was cancelled meanwhile.
pub fn plan_calibrated(
    request: &CheckedRequest,
    catalogue: &Catalogue,
    predictor: &Predictor,
    profile: &CalibrationProfile,
    progress: &Progress,
) -> Result<Plan, Cancelled> {
    let mut plan = run::plan(request, catalogue, predictor, progress)?;
    let mut beside = modes_beside(request, catalogue, predictor, progress)?;
    for combination in plan.combinations.iter_mut().chain(&mut beside) {
        correct(combination, request, catalogue, profile);
    }
    for found in &mut plan.schedules {
        let all = plan.combinations.iter().chain(&beside);
        let here: Vec<Combination> = all
            .filter(|c| c.count == found.count && c.accelerator.name == found.accelerator.name)
            .cloned()
            .collect();
        found.outcome = match (found.kind, request.schedule_rule) {
            (ScheduleKind::Fastest, Some(rule)) => schedule::fastest(rule, &here),
            _ => schedule::asked(&request.schedule, &here),
        };
    }
    (plan.best, plan.best_why) = best::best(request, &plan.combinations);
    plan.pareto_all = best::pareto(&plan.combinations);
    plan.pareto = rank::pareto(&plan.combinations);
    plan.answers = rank::answers(request, &plan.combinations);
    plan.within_limits = rank::count_within(request, &plan.combinations);
    plan.predictor_version = format!(
        "{} calibrated on {} runs",
        plan.predictor_version, profile.runs
    );
    Ok(plan)
}

/// Modes that only a schedule asks for, on every part and count.
fn modes_beside(
    request: &CheckedRequest,
    catalogue: &Catalogue,
    predictor: &Predictor,
    progress: &Progress,
) -> Result<Vec<Combination>, Cancelled> {
    let asked = request.schedule.iter().map(|phase| phase.mode);
    let mut modes: Vec<PrecisionMode> = asked
        .chain(request.schedule_rule.map(|rule| rule.mode))
        .filter(|mode| !request.modes.contains(mode))
        .collect();
    modes.sort();
    modes.dedup();
    if modes.is_empty() {
        return Ok(Vec::new());
    }
    let beside = CheckedRequest {
        modes,
        schedule: Vec::new(),
        schedule_rule: None,
        ..request.clone()
    };
    Ok(run::plan(&beside, catalogue, predictor, progress)?.combinations)
}

/// Scales one combination and adds its whole run up again.
fn correct(
    combination: &mut Combination,
    request: &CheckedRequest,
    catalogue: &Catalogue,
    profile: &CalibrationProfile,
) {
    let Outcome::Predicted(run) = &mut combination.outcome else {
        return;
    };
    let configuration = Arc::clone(&run.configuration);
    profile.apply(&configuration, &mut run.prediction);
    let place = Place {
        catalogue,
        accelerator: &combination.accelerator,
        system: catalogue
            .default_system(&combination.accelerator)
            .map(Arc::as_ref),
        fabric: configuration.fabric,
        count: combination.count,
        nodes: combination.nodes,
    };
    match cost::totals(request, &place, &configuration, &run.prediction) {
        Ok(totals) => take(run, totals, request),
        Err(reason) => combination.outcome = Outcome::Refused(reason),
    }
}

fn take(run: &mut PredictedRun, totals: cost::Totals, request: &CheckedRequest) {
    let step = run.prediction.step_time.value;
    run.units_per_s = cost::rate(request, &run.configuration.strategy, step).0;
    run.steps = totals.steps;
    run.training_h = totals.training_h;
    run.interruptions = totals.interruptions;
    run.storage_usd = totals.storage_usd;
    run.total_time_h = totals.time_h;
    run.cost_usd = totals.cost_usd;
    run.price = totals.price;
    run.energy_kwh = totals.energy_kwh;
    run.co2e_kg = totals.co2e_kg;
    run.missing = totals.missing;
}
