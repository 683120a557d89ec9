//! What whoever pays asks of a printed plan first: the limits and whether the answer meets them, the day it is done, and how
//! its cost, energy and emissions come about.

use super::day::{done_on, done_said};
use super::svg::escape;
use crate::format;
use crate::planner::{Combination, LimitKind, PUE, Plan, PredictedRun};
use jiff::Zoned;
use std::fmt::Write;

/// A limit as a row is called.
const fn name(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Budget => "Budget",
        LimitKind::Deadline => "Deadline",
        LimitKind::Energy => "Energy limit",
        LimitKind::Emissions => "Limit on CO₂e",
    }
}

/// The limits as a table, then the answer's day, cost, energy and emissions, a line each.
pub(super) fn facts(page: &mut String, plan: &Plan, now: &Zoned) {
    let combination = (plan.recommended()).and_then(|at| plan.combinations.get(at));
    let answer = combination.and_then(|c| Some((c, c.run()?)));
    limits(page, plan, answer.map(|(_, run)| run), now);
    let Some((combination, run)) = answer else {
        return;
    };
    let lines = [
        done_said(now, run.total_time_h, "on the day of this report"),
        plan.cost_said(combination, run),
        plan.energy_said(combination, run),
        plan.emissions_said(run),
    ];
    for line in lines.into_iter().flatten() {
        let _ = writeln!(page, "<p>{}.</p>", escape(&line));
    }
}

fn limits(page: &mut String, plan: &Plan, run: Option<&PredictedRun>, now: &Zoned) {
    let request = &plan.request;
    if request.limits_set() == 0 {
        page.push_str("<p>No budget, no deadline and no other limit is set.</p>\n");
        return;
    }
    page.push_str(
        "<table class=\"facts\"><thead><tr><th>Limit</th><th>Asked</th><th>This answer</th><th>Is it met?</th></tr></thead><tbody>\n",
    );
    for kind in LimitKind::ALL {
        let Some(limit) = kind.of_request(request) else {
            continue;
        };
        let day = (kind == LimitKind::Deadline).then(|| done_on(now, limit));
        let day = day.flatten().map(|day| format!(", {day}"));
        let figure = run.and_then(|run| kind.of_run(run));
        let said = run.and_then(|run| plan.limit_said(kind, run));
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}{}</td><td>{}</td><td>{}</td></tr>",
            name(kind),
            escape(&kind.text(limit)),
            day.unwrap_or_default(),
            escape(&format::known(figure.map(|e| kind.text(e.value)))),
            escape(said.as_deref().unwrap_or("No combination can run")),
        );
    }
    page.push_str("</tbody></table>\n");
}

/// By how much buildings make emissions more than energy times grid; empty where there are none.
pub(super) fn building(plan: &Plan) -> String {
    let runs = plan.combinations.iter().filter_map(Combination::run);
    let factors = runs.filter_map(|run| plan.building_overhead(run));
    let ends = factors.fold(None, |ends: Option<(f64, f64)>, factor| {
        let (low, high) = ends.unwrap_or((factor, factor));
        Some((low.min(factor), high.max(factor)))
    });
    ends.map_or_else(String::new, |(low, high)| {
        let [low, high] = [low, high].map(|factor| format::fixed(factor, 2));
        let factor = match low == high {
            true => low,
            false => format!("{low} to {high}"),
        };
        format!(". Emissions are energy × {factor} for the building ({PUE}) × grid")
    })
}
