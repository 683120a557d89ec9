//! The table's filter: words that must occur, comparisons such as `cost < 2k` or `time <= 2d`, and `precision = fp8`. All
//! must hold; `and` may stand between them.

use super::words::quoted;
use crate::domain::PrecisionMode;
use crate::planner::Combination;
use crate::presets::seller_label;

/// What may be compared.
const FIGURES: &str = "cost, time, energy, memory, count, step, precision";
/// Their names as they are written, others for the same among them.
const NAMES: [&str; 12] = [
    "cost",
    "price",
    "time",
    "total",
    "energy",
    "memory",
    "count",
    "step",
    "precision",
    "mode",
    "n",
    "and",
];
/// Comparisons as they are written.
const EXAMPLES: &str = "cost < 2k, time <= 2d or count = 8";

/// What a comparison looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Figure {
    Cost,
    Hours,
    Energy,
    Memory,
    Count,
    Step,
}

/// One condition; all must hold.
#[derive(Debug, Clone, PartialEq)]
enum Clause {
    Word(String),
    Compare(Figure, char, bool, f64),
    Mode(PrecisionMode),
}

/// What is not understood of a filter.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// What is wrong, and what is allowed.
    pub text: String,
    /// So many letters, spaces left out, stand before it and are understood.
    pub sound: usize,
}

/// A parsed filter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    clauses: Vec<Clause>,
}

impl Filter {
    /// Parses: words, and comparisons of a figure with a number.
    ///
    /// # Errors
    /// The part that is not understood, and what may stand there.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let spaced = set_apart(&text.to_lowercase());
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut clauses = Vec::new();
        let mut i = 0;
        while let Some(word) = words.get(i) {
            let problem = |text: String| Problem {
                text,
                sound: words[..i].iter().map(|w| w.chars().count()).sum(),
            };
            if is_sign(word) {
                let text = format!("No figure stands before “{word}”. Try {EXAMPLES}");
                return Err(problem(text));
            }
            if is_and(word) && i > 0 {
                i += 1;
                continue;
            }
            let Some(sign) = words.get(i + 1).filter(|sign| is_sign(sign)) else {
                // The beginning of what is still being typed must not hide every row.
                if i > 0 && i + 1 == words.len() && is_begun(word) {
                    let text = format!("The filter goes on after “{word}”. Try {EXAMPLES}");
                    return Err(problem(text));
                }
                clauses.push(Clause::Word((*word).to_owned()));
                i += 1;
                continue;
            };
            let value = words.get(i + 2).copied();
            if matches!(*word, "precision" | "mode") {
                clauses.push(Clause::Mode(mode(sign, value).map_err(problem)?));
                i += 3;
                continue;
            }
            clauses.push(comparison(word, sign, value).map_err(problem)?);
            i += 3;
        }
        Ok(Self { clauses })
    }

    /// Whether a combination passes.
    pub fn accepts(&self, c: &Combination) -> bool {
        self.clauses.iter().all(|clause| match clause {
            Clause::Word(word) => {
                c.mode.label().to_lowercase().contains(word)
                    || c.accelerator.label.to_lowercase().contains(word)
                    || c.accelerator.name.to_lowercase().contains(word)
                    || c.run().is_some_and(|r| {
                        r.layout.to_lowercase().contains(word)
                            || r.confidence().word().to_lowercase() == *word
                    })
                    || is_sold_by(c, word)
                    || (c.run().is_none() && "refused".contains(word.as_str()))
            }
            Clause::Mode(mode) => c.mode == *mode,
            Clause::Compare(figure, sign, or_equal, limit) => {
                figure_of(*figure, c).is_some_and(|v| match sign {
                    '<' => v < *limit || (*or_equal && v <= *limit),
                    '>' => v > *limit || (*or_equal && v >= *limit),
                    _ => (v - limit).abs() <= limit.abs() * 1e-9,
                })
            }
        })
    }
}

/// Whether the key or the name of whose price it is computed with contains a word in small letters.
fn is_sold_by(c: &Combination, word: &str) -> bool {
    let key = super::rows::seller_of(Some(c));
    [key, seller_label(key)]
        .iter()
        .any(|name| name.to_lowercase().contains(word))
}

fn figure_of(figure: Figure, c: &Combination) -> Option<f64> {
    if figure == Figure::Count {
        return Some(f64::from(c.count));
    }
    let run = c.run()?;
    match figure {
        Figure::Cost => run.cost_usd.map(|e| e.value),
        Figure::Hours => Some(run.total_time_h.value),
        Figure::Energy => run.energy_kwh.map(|e| e.value),
        Figure::Memory => Some(run.prediction.memory.total().gib()),
        Figure::Step => Some(run.prediction.step_time.value),
        Figure::Count => None,
    }
}

/// The text with spaces around what compares: letters that are no sign stay together.
fn set_apart(text: &str) -> String {
    let mut out = String::new();
    let mut in_sign = false;
    for c in text.chars() {
        let is_part = is_sign_letter(c);
        if is_part != in_sign {
            out.push(' ');
        }
        in_sign = is_part;
        out.push(c);
    }
    out
}

fn is_and(word: &str) -> bool {
    matches!(word, "and" | "&" | "&&")
}

/// Whether a last word may be the beginning of a figure's name or of `and`.
fn is_begun(word: &str) -> bool {
    word.chars().count() > 1 && NAMES.iter().any(|name| name.starts_with(word))
}

/// The mode of `precision = fp8`, by its key or its name in the table.
fn mode(sign: &str, value: Option<&str>) -> Result<PrecisionMode, String> {
    if !matches!(sign, "=" | "==") {
        return Err("A precision is compared by = alone, as in precision = fp8".to_owned());
    }
    let value = value.ok_or_else(|| format!("A mode is missing after “precision {sign}”"))?;
    let is_named =
        |mode: &PrecisionMode| mode.key() == value || mode.label().to_lowercase() == value;
    let known = || PrecisionMode::ALL.map(PrecisionMode::key).join(", ");
    PrecisionMode::ALL
        .into_iter()
        .find(is_named)
        .ok_or_else(|| format!("{} is no precision. Known: {}", quoted(value), known()))
}

fn is_sign_letter(c: char) -> bool {
    matches!(c, '<' | '>' | '=' | '≤' | '≥')
}

fn is_sign(word: &str) -> bool {
    word.starts_with(is_sign_letter)
}

fn comparison(name: &str, sign: &str, value: Option<&str>) -> Result<Clause, String> {
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
    let limit = number_with_suffix(value.trim_start_matches('$'), figure).ok_or_else(|| {
        let value = quoted(value);
        format!("{value} is no number for {name}. Try {EXAMPLES}")
    })?;
    Ok(Clause::Compare(figure, kind, or_equal, limit))
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

/// `2k`, `1.5m`, and for times `2d`, `36h`, `90min` (in hours).
fn number_with_suffix(text: &str, figure: Figure) -> Option<f64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let value: f64 = text.get(..end)?.parse().ok()?;
    let scale = match (text.get(end..)?, figure) {
        ("" | "h", Figure::Hours) => 1.0,
        ("d", Figure::Hours) => 24.0,
        ("min" | "m", Figure::Hours) => 1.0 / 60.0,
        ("ms", Figure::Step) => 1e-3,
        ("" | "gib" | "gb" | "kwh" | "s", _) => 1.0,
        ("k", _) => 1e3,
        ("m", _) => 1e6,
        _ => return None,
    };
    Some(value * scale).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_parse_with_and_without_spaces() {
        let expect = Filter {
            clauses: vec![
                Clause::Word("fp8".into()),
                Clause::Compare(Figure::Cost, '<', false, 2000.0),
            ],
        };
        assert_eq!(Filter::parse("FP8 cost<2k"), Ok(expect.clone()));
        assert_eq!(Filter::parse("fp8 cost < $2k"), Ok(expect));
        let clauses = |text: &str| Filter::parse(text).unwrap().clauses;
        for text in ["time<=2d", "time ≤ 2d"] {
            let two_days = Clause::Compare(Figure::Hours, '<', true, 48.0);
            assert_eq!(clauses(text), vec![two_days], "{text}");
        }
        assert_eq!(
            clauses("cost cheap"),
            vec![Clause::Word("cost".into()), Clause::Word("cheap".into())]
        );
    }

    #[test]
    fn conditions_may_be_joined_by_and() {
        let apart = Filter::parse("cost < 1k precision = fp8").unwrap();
        assert_eq!(apart.clauses[1], Clause::Mode(PrecisionMode::Fp8));
        for text in ["cost < 1k and precision=fp8", "cost<1k & mode = FP8"] {
            assert_eq!(Filter::parse(text).as_ref(), Ok(&apart), "{text}");
        }
        let amp = Filter::parse("precision = amp-bf16").unwrap();
        assert_eq!(amp.clauses, vec![Clause::Mode(PrecisionMode::AmpBf16)]);
        assert!(
            Filter::parse("precision = fp9")
                .unwrap_err()
                .text
                .contains("Known: fp64")
        );
        assert!(Filter::parse("precision > fp8").is_err());
    }

    #[test]
    fn what_is_still_being_typed_keeps_what_was_meant_before() {
        for text in [
            "cost < 1k an",
            "cost < 1k and pre",
            "fp8 time",
            "cost < 1k and precision =",
        ] {
            let problem = Filter::parse(text).unwrap_err();
            assert!(
                problem.text.contains("goes on") || problem.text.contains("missing"),
                "{text}"
            );
        }
        let good = Filter::parse("cost < 1k");
        assert_eq!(Filter::parse("cost < 1k and"), good);
        assert!(Filter::parse("cost < 1k h200").is_ok() && Filter::parse("step").is_ok());
    }

    #[test]
    fn what_is_no_comparison_is_named() {
        for (text, named) in [
            ("price >> banana", "“price >>”"),
            ("cost < banana", "“banana” is no number for cost"),
            ("banana < 3", "“banana” is no figure"),
            ("cost <", "missing after “cost <”"),
            ("< 3", "before “<”"),
            ("cost < 1e400", "“1e400”"),
        ] {
            let problem = Filter::parse(text).unwrap_err();
            assert!(problem.text.contains(named), "{text}: {problem:?}");
            if !text.starts_with('<') {
                let sound = Filter::parse(&format!("fp8 {text}")).unwrap_err().sound;
                assert_eq!(sound, 3, "{text}");
            }
        }
    }
}
