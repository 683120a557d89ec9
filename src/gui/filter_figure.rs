//! Figures that a filter compares: their names, the numbers they are compared with, and what a combination has of them.

use super::parse_duration::{hours, is_unit};
use super::parse_figure as digits;
use super::words::quoted;
use crate::planner::Combination;

/// What may be compared.
const FIGURES: &str =
    "cost, time, energy, memory, count, step, precision, accelerator, layout, seller, confidence";
/// Comparisons as they are written.
pub(super) const EXAMPLES: &str = "cost < 2k, time <= 2d or count = 8";
/// What may stand after a number, with a space between.
const SUFFIXES: [&str; 14] = [
    "k", "m", "h", "d", "min", "s", "ms", "gib", "gb", "kwh", "hours", "days", "usd", "%",
];

/// What a comparison looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Figure {
    Cost,
    Hours,
    Energy,
    Memory,
    /// The same in per cent of what a device has.
    MemoryShare,
    Count,
    Step,
}

/// The number that a figure is compared with and that begins at a word, with the thousands and the units that stand apart
/// from it (`2 000`, `1 k`, `1 d 6 h`), and how many words it takes.
pub(super) fn value_at(name: &str, words: &[&str], at: usize) -> (Option<String>, usize) {
    let (value, taken) = figure_at(words, at);
    match (figure_named(name), value) {
        (Some(Figure::Hours), Some(value)) => duration_at(value, taken, words, at),
        (_, value) => (value, taken),
    }
}

fn figure_at(words: &[&str], at: usize) -> (Option<String>, usize) {
    let Some(first) = words.get(at) else {
        return (None, 1);
    };
    let mut figure = (*first).to_owned();
    let mut taken = 1;
    while let Some(word) = words.get(at + taken) {
        let joined = format!("{figure} {word}");
        let is_suffix = SUFFIXES.contains(word) && figure.ends_with(|c: char| c.is_ascii_digit());
        if is_suffix {
            figure.push_str(word);
        } else if digits::plain(joined.trim_start_matches('$')).is_some() {
            figure = joined;
        } else {
            break;
        }
        taken += 1;
        if is_suffix {
            break;
        }
    }
    (Some(figure), taken)
}

/// A duration with the parts that follow its first: of `1 d 6 h` also the hours.
fn duration_at(
    first: String,
    mut taken: usize,
    words: &[&str],
    at: usize,
) -> (Option<String>, usize) {
    let is_number = |text: &str| text.ends_with(|c: char| c.is_ascii_digit());
    let mut value = first;
    while let Some(word) = words.get(at + taken) {
        let next = words.get(at + taken + 1).copied().unwrap_or_default();
        let (part, more) = if is_number(&value) && is_unit(word) {
            (format!("{value}{word}"), 1)
        } else if is_number(&value) || !word.starts_with(|c: char| c.is_ascii_digit()) {
            break;
        } else if is_number(word) && is_unit(next) {
            (format!("{value} {word}{next}"), 2)
        } else if !is_number(word) {
            (format!("{value} {word}"), 1)
        } else {
            break;
        };
        if hours(&part).is_err() {
            break;
        }
        value = part;
        taken += more;
    }
    (Some(value), taken)
}

/// What a combination has of a figure, in the unit of bare numbers; `None` where it cannot run or none is known.
pub(super) fn figure_of(figure: Figure, c: &Combination) -> Option<f64> {
    if figure == Figure::Count {
        return Some(f64::from(c.count));
    }
    let run = c.run()?;
    match figure {
        Figure::Cost => run.cost_usd.map(|e| e.value),
        Figure::Hours => Some(run.total_time_h.value),
        Figure::Energy => run.energy_kwh.map(|e| e.value),
        Figure::Memory => Some(run.prediction.memory.total().gib()),
        Figure::MemoryShare => {
            let share = run.prediction.memory.total().gib() / run.prediction.memory.capacity.gib();
            Some(100.0 * share)
        }
        Figure::Step => Some(run.prediction.step_time.value),
        Figure::Count => None,
    }
}

/// A figure, how it is compared (`<`, `>`, `=`, and whether it may be equal), and with which number.
///
/// # Errors
/// What is not understood of it, and what is allowed.
pub(super) fn comparison(
    name: &str,
    sign: &str,
    value: Option<&str>,
) -> Result<(Figure, char, bool, f64), String> {
    let figure = figure_named(name).ok_or_else(|| {
        let name = quoted(name);
        format!("{name} is no figure of the table. Known: {FIGURES}")
    })?;
    let (kind, or_equal) = match sign {
        "<" => ('<', false),
        ">" => ('>', false),
        "<=" | "=<" | "≤" => ('<', true),
        ">=" | "=>" | "≥" => ('>', true),
        "=" | "==" => ('=', true),
        _ => {
            return Err(format!(
                "{} compares nothing. Known: <, <=, =, >=, >",
                quoted(&format!("{name} {sign}"))
            ));
        }
    };
    let value = value.ok_or_else(|| format!("A number is missing after “{name} {sign}”"))?;
    let (figure, value) = match (figure, value.strip_suffix('%')) {
        (Figure::Memory, Some(share)) => (Figure::MemoryShare, share),
        _ => (figure, value),
    };
    let limit = number_with_suffix(value.trim_start_matches('$'), figure).ok_or_else(|| {
        let value = quoted(value);
        format!("{value} is no number for {name}. Try {EXAMPLES}")
    })?;
    Ok((figure, kind, or_equal, limit))
}

fn figure_named(name: &str) -> Option<Figure> {
    Some(match name {
        "cost" | "price" => Figure::Cost,
        "time" | "total" => Figure::Hours,
        "energy" => Figure::Energy,
        "memory" => Figure::Memory,
        "count" | "n" => Figure::Count,
        "step" => Figure::Step,
        _ => return None,
    })
}

/// `2k`, `1.5m`, `2,000`, and for times `2d`, `36h`, `1d 6h`, `90min` (in hours).
fn number_with_suffix(text: &str, figure: Figure) -> Option<f64> {
    if let (Figure::Hours, Ok(value)) = (figure, hours(text)) {
        return Some(value);
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit() && !digits::is_mark(c))
        .unwrap_or(text.len());
    let value: f64 = digits::plain(text.get(..end)?.trim_end())?.parse().ok()?;
    let scale = match (text.get(end..)?, figure) {
        ("" | "h" | "hours", Figure::Hours) | ("usd", Figure::Cost) => 1.0,
        ("d" | "days", Figure::Hours) => 24.0,
        ("min" | "m", Figure::Hours) => 1.0 / 60.0,
        ("ms", Figure::Step) => 1e-3,
        ("" | "gib" | "gb" | "kwh" | "s", _) => 1.0,
        ("k", _) => 1e3,
        ("m", _) => 1e6,
        _ => return None,
    };
    Some(value * scale).filter(|value| value.is_finite())
}
