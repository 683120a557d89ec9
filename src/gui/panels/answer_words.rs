//! What each answer means, and what to say where there is none.

use super::limit_words::{closest_times, likely_meaning};
use crate::format;
use crate::planner::{LimitKind, Outlook, Plan, PredictedRun};
use crate::units::{KilowattHours, Usd};

/// What the n-th card shows, for its tooltip.
pub fn meaning(plan: &Plan, outlook: Option<&Outlook>, place: usize) -> String {
    match place {
        2 if outlook.is_some_and(|o| o.likely > 0) => {
            outlook.map_or_else(String::new, |o| likely_meaning(plan, o))
        }
        0 => "The shortest total time, whatever it costs".to_owned(),
        1 => "The lowest cost, however long it takes".to_owned(),
        2 => {
            if plan.request.limits_set() == 0 {
                return "The best run inside your limits, once there are some".to_owned();
            }
            let limits = limits(plan).join(" and ");
            let word = plan.minimise.superlative();
            format!(
                "The {word} run that stays within {limits} even at the upper end of its interval"
            )
        }
        _ if plan.greenest_name() == "Least CO₂e" => {
            let region = plan
                .request
                .request
                .region
                .as_deref()
                .unwrap_or("the region");
            format!("The lowest emissions on the grid of {region}")
        }
        _ => "The lowest energy. With a region, under Software and site, the lowest emissions"
            .to_owned(),
    }
}

/// Why the n-th card is empty, and what helps.
pub fn none(plan: &Plan, outlook: Option<&Outlook>, place: usize) -> (String, String) {
    match place {
        1 => (
            "No price is known".to_owned(),
            "Own prices take yours".to_owned(),
        ),
        2 if plan.request.limits_set() == 0 => (
            "No limit is set".to_owned(),
            "Set a budget or a deadline".to_owned(),
        ),
        2 => (none_within(plan), nearest(plan, outlook)),
        _ => ("Not known".to_owned(), "No figure is published".to_owned()),
    }
}

/// The limits that are set, with their figures.
fn limits(plan: &Plan) -> Vec<String> {
    let request = &plan.request;
    let others = &request.limits;
    let mut out = Vec::new();
    if let Some(usd) = request.budget_usd {
        out.push(format!("the budget of {}", format::money_given(Usd(usd))));
    }
    if let Some(hours) = request.deadline_h {
        out.push(format!("the deadline of {}", format::hours(hours)));
    }
    if let Some(kwh) = others.energy_kwh {
        out.push(format::energy(KilowattHours(kwh)));
    }
    if others.co2e_kg.is_some() {
        out.push("the limit on CO₂e".to_owned());
    }
    out
}

fn none_within(plan: &Plan) -> String {
    let request = &plan.request;
    match (request.budget_usd, request.deadline_h, request.limits_set()) {
        (Some(_), None, 1) => "None in budget".to_owned(),
        (None, Some(_), 1) => "None is on time".to_owned(),
        (_, _, 1) => "None within the limit".to_owned(),
        (_, _, 2) => "None meets both".to_owned(),
        _ => "None meets all limits".to_owned(),
    }
}

/// The upper end that comes closest to the only limit; of several how far the closest run is beyond them.
fn nearest(plan: &Plan, outlook: Option<&Outlook>) -> String {
    let request = &plan.request;
    let least = |figure: &dyn Fn(&PredictedRun) -> Option<f64>| {
        let runs = plan.combinations.iter().filter_map(|c| c.run());
        runs.filter_map(figure).min_by(f64::total_cmp)
    };
    match (request.budget_usd, request.deadline_h, request.limits_set()) {
        _ if outlook.is_some_and(|o| o.unknown == Some(LimitKind::Budget)) => {
            "No price is known. Own prices take yours".to_owned()
        }
        _ if outlook.is_some_and(|o| o.unknown == Some(LimitKind::Emissions)) => {
            "No CO₂e is known without a region".to_owned()
        }
        (Some(_), None, 1) => least(&|run| run.cost_usd.map(|e| e.high)).map_or_else(
            || "No price is known".to_owned(),
            |usd| format!("It takes {} to be sure", format::money(Usd(usd))),
        ),
        (None, Some(_), 1) => least(&|run| Some(run.total_time_h.high)).map_or_else(
            || "Nothing can run".to_owned(),
            |hours| format!("It takes {} to be sure", format::hours(hours)),
        ),
        _ => outlook
            .and_then(|o| closest_times(plan, o))
            .unwrap_or_else(|| "A figure they limit is unknown".to_owned()),
    }
}
