//! The headline of the comparison: what leads, by how much, and whether its lead outlives the intervals.

use super::compare_limits::beyond;
use super::scene::short_label;
use crate::format;
use crate::planner::{Combination, Plan, PredictedRun};
use crate::units::Usd;

/// A combination with its run.
pub type Item<'p> = (&'p Combination, &'p PredictedRun);

/// `FP8 on 16 × H100`, in prose; with the seller where sellers stand side by side.
pub fn name(plan: &Plan, c: &Combination) -> String {
    let device = format::devices(c.count, short_label(plan, &c.accelerator.label));
    let seller = c.seller_label();
    let from = seller.map_or_else(String::new, |name| format!(" from {name}"));
    format!("{} on {device}{from}", c.mode.label())
}

/// Whether two combinations are the same run at two sellers: whatever one step takes, the other takes too.
pub fn is_same_run(a: &Combination, b: &Combination) -> bool {
    (a.count, a.mode) == (b.count, b.mode) && a.accelerator.name == b.accelerator.name
}

/// Headline and the sentence under it.
pub fn headline(plan: &Plan, items: &[Item<'_>]) -> (String, String) {
    let Some((first, rest)) = items.split_first() else {
        return (String::new(), String::new());
    };
    if rest.is_empty() {
        let text = "Pin another combination to see it beside this one".to_owned();
        return (name(plan, first.0), text);
    }
    let led = led_by(plan, items, *first);
    let Some(beyond) = beyond(plan, led.best, items) else {
        return (led.title, led.sentence);
    };
    // The cheapest is no answer where it misses a limit: that comes before by how much it leads.
    let Some(missed) = beyond.missed else {
        return (led.title, format!("{} {}", beyond.sentence, led.sentence));
    };
    let title = format!("{}, but {missed}", led.lead);
    let instead = beyond.instead.map(|at| items[at]);
    // The sentence before names the one that meets the limits: the quickest is measured against that one.
    let told = instead.unwrap_or(led.best);
    let next = led.next.filter(|quick| !std::ptr::eq(quick.0, told.0));
    let next = match (next.and_then(|quick| quicker(plan, quick, told)), instead) {
        (Some(said), _) => format!(" {said}."),
        // Nobody meets the limits: by how much it leads is what is left to say.
        (None, None) => format!(" {}", lead(plan, led.best, items)),
        (None, Some(_)) => String::new(),
    };
    let doubt = doubt(plan, led.best, items);
    (title, format!("{}{next} {doubt}", beyond.sentence))
}

/// What leads, whatever the limits are.
struct Led<'p> {
    best: Item<'p>,
    /// Headline and the sentence under it.
    title: String,
    sentence: String,
    /// The first part of the headline.
    lead: String,
    /// Whom the second part of it is about.
    next: Option<Item<'p>>,
}

fn led_by<'p>(plan: &Plan, items: &[Item<'p>], first: Item<'p>) -> Led<'p> {
    let alone = |best, lead: String, rest: &str, sentence| Led {
        best,
        title: format!("{lead}{rest}"),
        sentence,
        lead,
        next: None,
    };
    let count = ["two", "three", "four"][(items.len() - 2).min(2)];
    // Of two one is the cheaper, not the cheapest.
    let (cheap, quick) = match items.len() {
        2 => ("cheaper", "quicker"),
        _ => ("cheapest", "quickest"),
    };
    let by = |value: &dyn Fn(&PredictedRun) -> f64| {
        items
            .iter()
            .copied()
            .min_by(|a, b| value(a.1).total_cmp(&value(b.1)))
            .unwrap_or(first)
    };
    let mut fastest = by(&|r| r.total_time_h.value);
    let all_priced = items.iter().all(|(_, r)| r.cost_usd.is_some());
    if !all_priced {
        let lead = format!("{} is the {quick} of the {count}", name(plan, fastest.0));
        let rest = format!(" at {}", format::hours(fastest.1.total_time_h.value));
        let sentence = advice(plan, fastest, items).trim_start().to_owned();
        return alone(fastest, lead, &rest, sentence);
    }
    let cost = |r: &PredictedRun| r.cost_usd.map_or(f64::INFINITY, |e| e.value);
    let cheapest = by(&cost);
    // Of two sellers of the quickest, the one that asks less.
    if is_same_run(cheapest.0, fastest.0) {
        fastest = cheapest;
    }
    if items.iter().all(|item| is_same_run(item.0, first.0)) {
        let lead = format!("{} is the {cheap} of the {count}", name(plan, cheapest.0));
        let rest = format!(
            ": {} for the same {}",
            format::money(Usd(cost(cheapest.1))),
            format::hours(cheapest.1.total_time_h.value)
        );
        return alone(cheapest, lead, &rest, advice(plan, cheapest, items));
    }
    if std::ptr::eq(cheapest.0, fastest.0) {
        let lead = format!(
            "{} is both the {cheap} and the {quick} of the {count}",
            name(plan, cheapest.0)
        );
        let rest = format!(
            ": {} and {}",
            format::money(Usd(cost(cheapest.1))),
            format::hours(cheapest.1.total_time_h.value)
        );
        return alone(cheapest, lead, &rest, advice(plan, cheapest, items));
    }
    let lead = format!("{} is the {cheap} of the {count}", name(plan, cheapest.0));
    let next = quicker(plan, fastest, cheapest).unwrap_or_default();
    let figures = format!(
        "{} against {}, {} against {}.",
        format::hours(fastest.1.total_time_h.value),
        format::hours(cheapest.1.total_time_h.value),
        format::money(Usd(cost(fastest.1))),
        format::money(Usd(cost(cheapest.1))),
    );
    Led {
        best: cheapest,
        title: format!("{lead}; {next}"),
        sentence: format!("{figures} {}", doubt(plan, cheapest, items)),
        lead,
        next: Some(fastest),
    }
}

/// By how much one is quicker than another, and for how much money; `None` where both are the same run or one has no price.
fn quicker(plan: &Plan, quick: Item<'_>, other: Item<'_>) -> Option<String> {
    if is_same_run(quick.0, other.0) {
        return None;
    }
    let times = other.1.total_time_h.value / quick.1.total_time_h.value;
    // From twice on a share says ever less: 94 % is 17 times.
    let quicker = if times >= 2.0 {
        format!("{} as quick", format::ratio(times))
    } else {
        format!("{} quicker", format::percent(1.0 - 1.0 / times))
    };
    let more = quick.1.cost_usd?.value - other.1.cost_usd?.value;
    let word = if more < 0.0 { "less" } else { "more" };
    Some(format!(
        "{} is {quicker} for {} {word}",
        name(plan, quick.0),
        format::money(Usd(more.abs()))
    ))
}

/// Who is ahead by how much, and how sure that is.
fn advice(plan: &Plan, best: Item<'_>, items: &[Item<'_>]) -> String {
    format!("{} {}", lead(plan, best, items), doubt(plan, best, items))
}

/// How far the best one is ahead of the next cheapest, with both figures.
fn lead(plan: &Plan, best: Item<'_>, items: &[Item<'_>]) -> String {
    let cost = |run: &PredictedRun| run.cost_usd.map(|e| e.value);
    let all_priced = items.iter().all(|(_, run)| run.cost_usd.is_some());
    let value = |run: &PredictedRun| {
        let usd = cost(run).filter(|_| all_priced);
        usd.unwrap_or(run.total_time_h.value)
    };
    let others = items.iter().filter(|(c, _)| !std::ptr::eq(*c, best.0));
    let next = others.min_by(|a, b| value(a.1).total_cmp(&value(b.1)));
    let Some((c, run)) = next else {
        return String::new();
    };
    if let (true, Some(usd), Some(own)) = (is_same_run(c, best.0), cost(run), cost(best.1)) {
        let more = format::money(Usd(usd - own));
        let usd = format::money(Usd(usd));
        return format!("{} comes next: {more} more, at {usd}.", name(plan, c));
    }
    let hours = run.total_time_h.value;
    let longer = format::hours(hours - best.1.total_time_h.value);
    let money = match (cost(run), cost(best.1)) {
        (Some(usd), Some(own)) if all_priced => (
            format!("{} more and ", format::money(Usd(usd - own))),
            format!("{} and ", format::money(Usd(usd))),
        ),
        _ => Default::default(),
    };
    format!(
        "{} comes next: {}{longer} longer, at {}{}.",
        name(plan, c),
        money.0,
        money.1,
        format::hours(hours)
    )
}

/// The interval of the cost, or of the time where there is no price.
fn interval(run: &PredictedRun) -> String {
    match run.cost_usd {
        Some(e) => format!(
            "{} to {}",
            format::money(Usd(e.low)),
            format::money(Usd(e.high))
        ),
        None => format!(
            "{} to {}",
            format::hours(run.total_time_h.low),
            format::hours(run.total_time_h.high)
        ),
    }
}

/// Whether the best one's lead outlives the intervals.
fn doubt(plan: &Plan, best: Item<'_>, items: &[Item<'_>]) -> String {
    let span = |run: &PredictedRun| run.cost_usd.unwrap_or(run.total_time_h);
    let own = span(best.1);
    let rest = items.iter().filter(|(c, _)| !std::ptr::eq(*c, best.0));
    let (elsewhere, others): (Vec<_>, Vec<_>) = rest.partition(|(c, _)| is_same_run(c, best.0));
    if others.is_empty() {
        return "All are the same run, so this order holds whatever a step takes.".to_owned();
    }
    let overlapping: Vec<&Item<'_>> = others
        .iter()
        .filter(|(_, run)| span(run).low < own.high)
        .collect();
    let mine = interval(best.1);
    match overlapping.len() {
        0 => {
            let clear = if elsewhere.is_empty() {
                "the others"
            } else {
                "the other runs"
            };
            format!(
                "The leader's interval, {mine}, lies clear of {clear}, so the order is likely to hold."
            )
        }
        1 => format!(
            "The leader's interval, {mine}, overlaps that of {}, {}: measure a step on each before deciding.",
            name(plan, overlapping[0].0),
            interval(overlapping[0].1)
        ),
        n if n == others.len() => format!(
            "The leader's interval, {mine}, overlaps all the others: measure a step on each before deciding."
        ),
        n => format!(
            "The leader's interval, {mine}, overlaps those of {n} others: measure a step on each before deciding."
        ),
    }
}
