//! What counts and cards say of limits that no run meets for certain: how many are likely to, how far the closest is.

use super::scene::Scene;
use crate::format;
use crate::planner::{Breach, Outlook, Plan};

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

/// What the answer within limits means where it is only likely to be within.
pub fn likely_meaning(plan: &Plan, outlook: &Outlook) -> String {
    let runs = match outlook.likely {
        1 => "1 run meets".to_owned(),
        n => format!("{} runs meet", format::count(n as f64)),
    };
    format!(
        "Likely, not certain: {runs} {} with the figures shown, none with the upper end of its interval. This is the best of them",
        plan.limits_words()
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
