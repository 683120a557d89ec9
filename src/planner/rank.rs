//! The Pareto front and the four answers of a plan.

use super::{Answers, CheckedRequest, Combination, LimitKind, PredictedRun};
use std::cmp::Ordering;

/// Indices of the runs that no other beats in both time and cost, by rising time. Runs without a price are left out;
/// where no run has one, the fastest stands alone.
pub(super) fn pareto(combinations: &[Combination]) -> Vec<usize> {
    let mut priced: Vec<(usize, f64, f64)> = runs(combinations)
        .filter_map(|(at, run)| Some((at, run.total_time_h.value, run.cost_usd?.value)))
        .collect();
    if priced.is_empty() {
        return lowest(combinations, time).into_iter().collect();
    }
    priced.sort_by(|a, b| {
        a.1.total_cmp(&b.1)
            .then(a.2.total_cmp(&b.2))
            .then(a.0.cmp(&b.0))
    });
    let mut cheapest = f64::INFINITY;
    priced.retain(|&(_, _, cost)| {
        let better = cost < cheapest;
        cheapest = cheapest.min(cost);
        better
    });
    priced.into_iter().map(|(at, _, _)| at).collect()
}

/// The four answers; ties go to the earlier combination. `best` is that of the plan.
pub(super) fn answers(
    request: &CheckedRequest,
    combinations: &[Combination],
    best: Option<usize>,
) -> Answers {
    let within_limits = best.filter(|_| request.limits_set() > 0);
    let has_emissions = runs(combinations).any(|(_, run)| run.co2e_kg.is_some());
    Answers {
        fastest: lowest(combinations, time),
        cheapest: lowest(combinations, cost),
        within_limits,
        greenest: if has_emissions {
            lowest(combinations, |run| run.co2e_kg)
        } else {
            lowest(combinations, |run| {
                run.energy_kwh.map(|energy| energy.value)
            })
        },
    }
}

/// How many runs are inside every limit that is set with the upper end of their interval.
pub(super) fn count_within(request: &CheckedRequest, combinations: &[Combination]) -> usize {
    runs(combinations)
        .filter(|(_, run)| is_within(request, run))
        .count()
}

/// Whether a run keeps every limit of a request.
pub(super) fn is_within(request: &CheckedRequest, run: &PredictedRun) -> bool {
    LimitKind::ALL
        .into_iter()
        .all(|kind| kind.is_kept(request, run))
}

pub(super) fn runs(combinations: &[Combination]) -> impl Iterator<Item = (usize, &PredictedRun)> {
    combinations
        .iter()
        .enumerate()
        .filter_map(|(at, combination)| Some((at, combination.run()?)))
}

fn time(run: &PredictedRun) -> Option<f64> {
    Some(run.total_time_h.value)
}

fn cost(run: &PredictedRun) -> Option<f64> {
    Some(run.cost_usd?.value)
}

/// Runs that only fit if the estimate of their memory is high are no answer beside one that fits.
fn lowest(
    combinations: &[Combination],
    figure: impl Fn(&PredictedRun) -> Option<f64>,
) -> Option<usize> {
    runs(combinations)
        .filter_map(|(at, run)| Some((at, !run.prediction.memory.fits(), figure(run)?)))
        .min_by(|a, b| {
            (a.1.cmp(&b.1))
                .then(a.2.partial_cmp(&b.2).unwrap_or(Ordering::Equal))
                .then(a.0.cmp(&b.0))
        })
        .map(|(at, _, _)| at)
}
