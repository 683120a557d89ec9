//! How the leader of a comparison stands to the limits, and which of the others meets them instead.

use super::compare_head::{Item, name};
use crate::format;
use crate::planner::{Plan, joined};

/// What is said of a leader that is not sure to meet the limits.
pub struct Beyond {
    /// By how much it is beyond them with its figures, for the headline; `None` where it is likely to meet them.
    pub missed: Option<String>,
    /// A sentence on it and on the best of the others that meets them.
    pub sentence: String,
    /// That one, where there is one.
    pub instead: Option<usize>,
}

/// How the leader stands to the limits; `None` where none is set, or it is sure to meet them all.
pub fn beyond(plan: &Plan, best: Item<'_>, items: &[Item<'_>]) -> Option<Beyond> {
    let missed = plan.breaches(best.1, false);
    let at_worst = plan.breaches(best.1, true);
    if at_worst.is_empty() {
        return None;
    }
    let limits = plan.limits_words();
    // Whoever compares by cost wants the next in cost; without a price the next in time.
    let all_priced = items.iter().all(|(_, run)| run.cost_usd.is_some());
    let value = |(_, run): &Item<'_>| {
        let cost = run.cost_usd.filter(|_| all_priced);
        cost.unwrap_or(run.total_time_h).value
    };
    let meets = |at: &usize| plan.is_within(items[*at].1);
    let within = (0..items.len()).filter(meets);
    let instead = within.min_by(|a, b| value(&items[*a]).total_cmp(&value(&items[*b])));
    let word = if all_priced { "cheapest" } else { "quickest" };
    let other = match instead {
        Some(at) => {
            let (c, run) = items[at];
            let time = format::hours(run.total_time_h.value);
            format!(
                "Of these the {word} that meets {limits} is {}: {} in {time}.",
                name(plan, c),
                run.cost_text()
            )
        }
        None if missed.is_empty() => format!("None of these is sure to meet {limits}."),
        None => format!("None of these meets {limits} for certain."),
    };
    let sentence = match missed.is_empty() {
        true => format!(
            "Likely, not certain: the upper end of its interval is {}. {other}",
            joined(&at_worst)
        ),
        false => other,
    };
    Some(Beyond {
        missed: (!missed.is_empty()).then(|| joined(&missed)),
        sentence,
        instead,
    })
}
