//! Why each combination of the comparison differs from the baseline, in words.

use super::compare_head::{Item, is_same_run};
use super::compare_units::Units;
use super::scene::short_label;
use crate::domain::Recompute;
use crate::format;
use crate::gui::prices;
use crate::planner::{Combination, Plan, PredictedRun};
use crate::predictor::Breakdown;

/// Why a combination differs from the baseline: the whole in a few words, then its reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Reasons {
    /// The whole: `0.52× the baseline's speed`.
    pub lead: String,
    /// A reason each, the largest first.
    pub points: Vec<String>,
}

impl Reasons {
    /// All of it, a line each.
    pub fn said(&self) -> String {
        let lines = [self.lead.as_str()].into_iter();
        let lines: Vec<&str> = lines
            .chain(self.points.iter().map(String::as_str))
            .collect();
        lines.join("\n")
    }
}

/// A part that makes less of all differences than this share is no reason.
const PART: f64 = 0.05;

/// Why a combination differs from the baseline: first the factors whose product is the speed, largest first, so that a reader
/// may multiply them; then the parts of the step, by how much the step would change through each alone.
pub fn why(plan: &Plan, units: &Units, base: Item<'_>, item: Item<'_>) -> Reasons {
    if std::ptr::eq(base.0, item.0) {
        return baseline(units, item);
    }
    if let Some(reasons) = elsewhere(base, item) {
        return reasons;
    }
    let time = |run: &PredictedRun| units.basis.of_part(run.prediction.breakdown.total(), run);
    let (there, here) = (time(base.1).max(1e-12), time(item.1));
    let whole = there / here;
    let mut multiplied: Vec<(f64, String)> = factors(plan, base, item, whole)
        .into_iter()
        .filter(|(factor, _)| factor.is_finite() && (factor - 1.0).abs() > 0.005)
        .map(|(factor, what)| {
            (
                factor.ln().abs(),
                format!("{} {what}", format::ratio(factor)),
            )
        })
        .collect();
    let mut points: Vec<(f64, String)> = Vec::new();
    let parts = differences(units, base.1, item.1);
    let total: f64 = parts.iter().map(|p| p.1.abs()).sum();
    for (place, difference) in parts {
        if difference.abs() > PART * total.max(1e-12) {
            let alone = ((there + difference) / there).max(1e-3);
            let text = part_point(plan, units, base, item, place, difference);
            points.push((alone.ln().abs(), text));
        }
    }
    for list in [&mut multiplied, &mut points] {
        list.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    let all = multiplied.into_iter().chain(points);
    let mut points: Vec<String> = all.map(|(_, text)| text).collect();
    points.extend(layout_differs(base.1, item.1));
    points.extend(waits_differ(base.1, item.1));
    points.push(sureness(base.1, item.1));
    let lead = if whole.is_finite() && (whole - 1.0).abs() > 0.005 {
        format!("{} the baseline's speed", format::ratio(whole))
    } else {
        "As fast as the baseline".to_owned()
    };
    Reasons { lead, points }
}

/// Factors of a speed with what each is, the count of devices first.
fn factors(plan: &Plan, there: Item<'_>, here: Item<'_>, whole: f64) -> Vec<(f64, String)> {
    let (base, item) = (there.0, here.0);
    let short = |c: &Combination| short_label(plan, &c.accelerator.label).to_owned();
    let rate = |c: &Combination, mode| c.accelerator.peak(mode).ok().map(|p| p.rate.value());
    let devices = f64::from(item.count) / f64::from(base.count);
    let mut out = vec![(
        devices,
        format!("the accelerators ({} against {})", item.count, base.count),
    )];
    let own = rate(item, item.mode).zip(rate(base, base.mode));
    match (own, rate(item, base.mode)) {
        (Some((own, there)), Some(same)) => {
            let (mode, here) = (base.mode.label(), short(item));
            let part = format!("the {mode} peak of each ({here} against {})", short(base));
            out.push((same / there, part));
            let mode = format!("the peak in {} against {mode}", item.mode.label());
            out.push((own / same, mode));
        }
        (Some((own, there)), None) => {
            let (mode, here) = (item.mode.label(), short(item));
            let other = format!("{} on {}", base.mode.label(), short(base));
            out.push((
                own / there,
                format!("the peak of each ({mode} on {here} against {other})"),
            ));
        }
        (None, _) => {}
    }
    let explained: f64 = out.iter().map(|(factor, _)| factor).product();
    out.push((whole / explained, rest_of_it(there, here)));
    out
}

/// What is left of a speed beside counts and peaks: how much of its peak each run reaches, with what of the two differs. What
/// is the same in both is no cause.
fn rest_of_it(base: Item<'_>, item: Item<'_>) -> String {
    let ((b, there), (i, here)) = (base, item);
    let of = |run: &PredictedRun| run.configuration.strategy;
    let (from, to) = (of(there), of(here));
    let each = |run: &PredictedRun, c: &Combination| {
        run.configuration.strategy.global_batch() / f64::from(c.count.max(1))
    };
    let (few, many) = (each(there, b), each(here, i));
    let is_other = b.accelerator.name != i.accelerator.name;
    let is_alone = b.count == 1 && i.count == 1;
    let differing = [
        (
            cut(there) != cut(here) || (from.sharding, from.offload) != (to.sharding, to.offload),
            "the layout",
        ),
        ((few / many - 1.0).abs() > 0.01, "the batch on each"),
        (is_other, "the memory"),
        (
            (is_other && !is_alone) || b.count != i.count,
            "the communication",
        ),
    ];
    let differing: Vec<&str> = (differing.into_iter())
        .filter_map(|(differs, what)| differs.then_some(what))
        .collect();
    let why = match differing.as_slice() {
        [] => "what runs outside matmuls, and what measured runs correct".to_owned(),
        [one] => format!("{one} differs"),
        [some @ .., last] => format!("{} and {last} differ", some.join(", ")),
    };
    format!("the share of its peak that each reaches: {why}")
}

/// How a step is cut and what is recomputed.
fn cut(run: &PredictedRun) -> (u32, u32, u32, u32, Recompute) {
    let s = &run.configuration.strategy;
    (s.tensor, s.pipeline, s.context, s.expert, s.recompute)
}

/// The layout, where more of it differs than how many devices it spreads over: what is recomputed and how a step is cut
/// changes every part, which no part alone tells.
fn layout_differs(base: &PredictedRun, item: &PredictedRun) -> Option<String> {
    (cut(base) != cut(item)).then(|| {
        format!(
            "The layouts differ too: {} against {}",
            item.layout, base.layout
        )
    })
}

/// How much of the step waits for other devices, where that differs by more than a few hundredths.
fn waits_differ(base: &PredictedRun, item: &PredictedRun) -> Option<String> {
    const MUCH: f64 = 0.04;
    let share = |run: &PredictedRun| {
        let parts = &run.prediction.breakdown;
        parts.communication.value() / parts.total().value().max(1e-12)
    };
    let (there, here) = (share(base), share(item));
    ((here - there).abs() > MUCH).then(|| {
        format!(
            "Exposed communication is {} of the step against {}",
            format::percent(here),
            format::percent(there)
        )
    })
}

/// The same run at another seller: nothing but the price can differ.
fn elsewhere(base: Item<'_>, item: Item<'_>) -> Option<Reasons> {
    let (here, there) = (item.1.price.as_ref()?, base.1.price.as_ref()?);
    is_same_run(base.0, item.0).then(|| Reasons {
        lead: format!("The same run from {}", here.seller()),
        points: vec![
            format!(
                "Each accelerator costs {} against {} from {}",
                prices::amount(here),
                prices::amount(there),
                there.seller()
            ),
            "Time and energy are the baseline's".to_owned(),
        ],
    })
}

fn baseline(units: &Units, (_, run): Item<'_>) -> Reasons {
    let breakdown = &run.prediction.breakdown;
    let total = breakdown.total().value().max(1e-12);
    let mut parts: Vec<_> = breakdown.parts().into_iter().enumerate().collect();
    parts.sort_by(|a, b| b.1.1.value().total_cmp(&a.1.1.value()));
    let (_, (first, time)) = parts[0];
    let (place, (second, next)) = parts[1];
    let next = units.basis.of_part(next, run);
    Reasons {
        lead: "The baseline".to_owned(),
        points: vec![
            format!(
                "{first} fills {} of the step",
                format::percent(time.value() / total)
            ),
            format!("{second} costs {} of it", units.part(place).text(next)),
        ],
    }
}

/// Item minus baseline, by part.
fn differences(units: &Units, base: &PredictedRun, item: &PredictedRun) -> Vec<(usize, f64)> {
    let there = base.prediction.breakdown.parts();
    let here = item.prediction.breakdown.parts();
    (0..here.len())
        .map(|i| {
            (
                i,
                units.basis.of_part(here[i].1, item) - units.basis.of_part(there[i].1, base),
            )
        })
        .collect()
}

/// A part that takes longer or less, and what of the two configurations explains it.
fn part_point(
    plan: &Plan,
    units: &Units,
    base: Item<'_>,
    item: Item<'_>,
    place: usize,
    difference: f64,
) -> String {
    let (part, _) = Breakdown::default().parts()[place];
    let word = if difference > 0.0 { "longer" } else { "less" };
    let cause = cause(plan, base, item, place, difference > 0.0);
    let end = cause.map_or_else(String::new, |cause| format!(": {cause}"));
    let amount = units.part(place).text(difference.abs());
    format!("{part} takes {amount} {word}{end}")
}

/// What of the two configurations explains a longer or shorter part; `None` where nothing known points that way.
fn cause(
    plan: &Plan,
    base: Item<'_>,
    item: Item<'_>,
    place: usize,
    longer: bool,
) -> Option<String> {
    let (b, i) = (base.0, item.0);
    let short = |c: &Combination| short_label(plan, &c.accelerator.label).to_owned();
    let points = |ratio: f64| (ratio < 1.0) == longer;
    let devices = f64::from(i.count) / f64::from(b.count);
    // Both may point the same way: each is named, the count of devices first.
    let shared = ((devices - 1.0).abs() > 0.05 && points(devices))
        .then(|| format!("{} accelerators share it instead of {}", i.count, b.count));
    let with_each = |each: f64, text: String| {
        let each = ((each - 1.0).abs() > 0.05 && points(each)).then_some(text);
        let both: Vec<String> = shared.clone().into_iter().chain(each).collect();
        (!both.is_empty()).then(|| both.join(", and "))
    };
    match place {
        0 => {
            let rate = |c: &Combination| c.accelerator.peak(c.mode).ok().map(|p| p.rate.value());
            let each = rate(i)? / rate(b)?;
            let ratio = format::ratio(each);
            let text = if i.accelerator.name == b.accelerator.name {
                format!(
                    "{} peaks at {ratio} the {} rate",
                    i.mode.label(),
                    b.mode.label()
                )
            } else {
                format!(
                    "each {} peaks at {ratio} the rate of {}",
                    short(i),
                    article(&short(b))
                )
            };
            with_each(each, text)
        }
        1 => {
            let each =
                i.accelerator.memory_bandwidth.value() / b.accelerator.memory_bandwidth.value();
            let ratio = format::ratio(each);
            let text = format!(
                "each {} moves {ratio} the bytes a second of {}",
                short(i),
                article(&short(b))
            );
            with_each(each, text)
        }
        4 => {
            let casts = |c: &Combination| c.mode.is_mixed();
            (casts(i) != casts(b) && casts(i) == longer).then(|| {
                if longer {
                    format!("{} casts around every matmul", i.mode.label())
                } else {
                    format!("{} needs no casts", i.mode.label())
                }
            })
        }
        5 => match (b.nodes, i.nodes) {
            (from, 1) if from > 1 && !longer => Some("everything stays inside one node".to_owned()),
            (1, to) if to > 1 && longer => Some(format!("{to} nodes talk over the network")),
            (from, to) if from != to && (to > from) == longer => {
                Some(format!("{to} nodes instead of {from}"))
            }
            _ => None,
        },
        6 => Some(layout_words(&item.1.layout)),
        _ => None,
    }
}

/// A layout inside a sentence; names such as FSDP keep their letters.
fn layout_words(layout: &str) -> String {
    let is_word =
        layout.chars().nth(1).is_some_and(char::is_lowercase) && !layout.starts_with("Ze");
    let layout = if is_word {
        lower(layout)
    } else {
        layout.to_owned()
    };
    format!("the layout is {layout}")
}

/// `an H100`, `a B200`: by how the first letter is spoken.
fn article(label: &str) -> String {
    let vowel = label.starts_with(['A', 'E', 'F', 'H', 'I', 'L', 'M', 'N', 'O', 'R', 'S', 'X']);
    let word = if vowel { "an" } else { "a" };
    format!("{word} {label}")
}

fn sureness(base: &PredictedRun, item: &PredictedRun) -> String {
    let (there, here) = (
        base.prediction.step_time.half_width(),
        item.prediction.step_time.half_width(),
    );
    // As the row of intervals has them.
    let text = format!("{} against {}", item.interval_text(), base.interval_text());
    if here > there + 0.025 {
        let near = item.prediction.support.nearest_runs;
        match near {
            0 => format!(
                "The nearest measured run lies at distance {}, hence {text}",
                format::fixed(item.prediction.support.distance, 1)
            ),
            n if n < base.prediction.support.nearest_runs => format!(
                "Fewer measured runs are near, {n} against {}, hence {text}",
                base.prediction.support.nearest_runs
            ),
            _ => format!("The measured runs near it scatter more, hence {text}"),
        }
    } else if here < there - 0.025 {
        format!("Better measured: {text}")
    } else {
        format!("As sure as the baseline: {text}")
    }
}

fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_follow_the_spoken_letter() {
        assert_eq!(article("H100"), "an H100");
        assert_eq!(article("B200"), "a B200");
        assert_eq!(article("A100 80 GB"), "an A100 80 GB");
        assert_eq!(article("V100"), "a V100");
    }

    #[test]
    fn layouts_read_inside_a_sentence() {
        assert_eq!(
            layout_words("Data parallel over 4"),
            "the layout is data parallel over 4"
        );
        assert_eq!(layout_words("ZeRO-1 over 8"), "the layout is ZeRO-1 over 8");
        assert_eq!(layout_words("FSDP over 8"), "the layout is FSDP over 8");
    }
}
