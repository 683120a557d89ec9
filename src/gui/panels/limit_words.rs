//! What the window says of limits that no run meets for certain: which are likely to, which comes closest, by how much.

use super::scene::{Scene, cost_text, devices_of, short_label};
use crate::format;
use crate::planner::{
    Breach, Combination, LimitKind, Outlook, Plan, PredictedRun, joined, unknown_words,
};

/// How the limits of a plan are called together: `31 within both`.
pub fn limits_word(plan: &Plan) -> &'static str {
    match plan.request.limits_set() {
        0 | 1 => "the limit",
        2 => "both",
        _ => "all limits",
    }
}

/// How many runs meet the limits, and where none does how many are likely to: `0 within both, 7 likely`.
pub fn count_text(cx: &Scene<'_>, plan: &Plan) -> String {
    let sure = format::count(plan.within_limits as f64);
    let text = format!("{sure} within {}", limits_word(plan));
    match cx.tab.rows.outlook {
        Some(outlook) if outlook.likely > 0 => {
            format!("{text}, {} likely", format::count(outlook.likely as f64))
        }
        _ => text,
    }
}

/// The limits in a sentence: `both limits`, `the budget`.
fn all_limits(plan: &Plan) -> &'static str {
    let mut set = LimitKind::ALL
        .into_iter()
        .filter(|kind| kind.of_request(&plan.request).is_some());
    match (set.next(), set.next(), set.next()) {
        (Some(one), None, _) => one.word(),
        (_, Some(_), None) => "both limits",
        _ => "every limit",
    }
}

/// Name of the card of the answer within limits, where the answer is only likely to be.
pub fn likely_name(plan: &Plan) -> &'static str {
    let request = &plan.request;
    match (request.budget_usd, request.deadline_h, request.limits_set()) {
        (Some(_), None, 1) => "Likely in budget",
        (None, Some(_), 1) => "Likely on time",
        (_, _, 2) => "Likely in both",
        _ => "Likely in limits",
    }
}

/// What the answer within limits means where it is only likely to be within.
pub fn likely_meaning(plan: &Plan, outlook: &Outlook) -> String {
    let runs = match outlook.likely {
        1 => "1 run meets".to_owned(),
        n => format!("{} runs meet", format::count(n as f64)),
    };
    format!(
        "Likely, not certain: {runs} {} with the figures shown, none with the upper end of its interval. This is the best of them",
        all_limits(plan)
    )
}

/// How far the closest run is beyond the limit it is farthest beyond: `Closest: 1.8× the deadline`.
pub fn closest_times(plan: &Plan, outlook: &Outlook) -> Option<String> {
    let run = plan.combinations.get(outlook.closest?)?.run()?;
    let breaches = plan.breaches(run, false);
    let times = |b: &Breach| b.value / b.limit;
    let worst = breaches
        .iter()
        .max_by(|a, b| times(a).total_cmp(&times(b)))?;
    let ratio = format::ratio(times(worst));
    Some(format!("Closest: {ratio} {}", worst.kind.word()))
}

fn name(plan: &Plan, c: &Combination) -> String {
    let device = devices_of(c.count, short_label(plan, &c.accelerator.label));
    format!("{} on {device}", c.mode.label())
}

/// Headline and sentence of a selection where no run meets every limit for certain; the usual title is kept where the
/// selection is not the one that comes closest.
pub fn headline(
    plan: &Plan,
    outlook: &Outlook,
    (index, c, run): (usize, &Combination, &PredictedRun),
    title: String,
) -> (String, String) {
    if let Some(kind) = outlook.unknown {
        return (title, format!("{}.", unknown_words(kind)));
    }
    let limits = all_limits(plan);
    let own = plan.breaches(run, false);
    let half = format::half_width(run.prediction.step_time.half_width());
    if outlook.likely > 0 {
        return if own.is_empty() {
            let title = format!(
                "Likely, not certain: {} in {} for {}",
                name(plan, c),
                format::hours(run.total_time_h.value),
                cost_text(run)
            );
            let above = joined(&plan.breaches(run, true));
            let sentence = format!(
                "No combination is sure to meet {limits}: the upper end of this one's interval, {half}, is {above}."
            );
            (title, sentence)
        } else {
            let sentence = format!(
                "This is {}. No combination is sure to meet {limits}; {} likely to.",
                joined(&own),
                match outlook.likely {
                    1 => "1 is".to_owned(),
                    n => format!("{} are", format::count(n as f64)),
                }
            );
            (title, sentence)
        };
    }
    let closest = outlook.closest.and_then(|at| plan.combinations.get(at));
    match closest {
        Some(_) if outlook.closest == Some(index) => (
            format!("No combination meets {limits}; closest: {}", name(plan, c)),
            format!(
                "It finishes in {} for {}, {half}: {}.",
                format::hours(run.total_time_h.value),
                cost_text(run),
                joined(&own)
            ),
        ),
        Some(closest) => (
            title,
            format!(
                "No combination meets {limits}. This one is {}; the closest is {}.",
                joined(&own),
                name(plan, closest)
            ),
        ),
        None => (title, format!("No combination meets {limits}.")),
    }
}
