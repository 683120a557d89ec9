//! The table's filter: words that must occur in any order, as those of a row's own name (`fp8 512 h100`), comparisons such as
//! `cost < 2k` or `time <= 2d`, and `precision = fp8`. All must hold; `and` may stand between them.

use super::words::quoted;
use crate::domain::PrecisionMode;
use crate::format;
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
/// Said where nothing passes: what a filter looks at.
pub const UNDERSTOOD: [&str; 2] = [
    "Words are looked for in precision, count, accelerator, layout, seller and confidence: fp8 512 h100",
    "Cost, time, energy, memory, count and step can be compared: mode fp8 and cost < 1k and time <= 2d. Bare numbers are \
     dollars, hours, kWh, GiB and seconds; memory > 90 % is a share of what a device has",
];
/// What may stand after a number, with a space between.
const SUFFIXES: [&str; 14] = [
    "k", "m", "h", "d", "min", "s", "ms", "gib", "gb", "kwh", "hours", "days", "usd", "%",
];

/// What a comparison looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Figure {
    Cost,
    Hours,
    Energy,
    Memory,
    /// The same in per cent of what a device has.
    MemoryShare,
    Count,
    Step,
}

/// One condition; all must hold.
#[derive(Debug, Clone, PartialEq)]
enum Clause {
    Word(String),
    /// A number on its own: the count, or a figure of the part's name such as its memory.
    Figure(String),
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
                let said = words.get(i + 1).and_then(|value| unsigned(word, value));
                i += if said.is_some() { 2 } else { 1 };
                clauses.push(said.unwrap_or_else(|| loose(word)));
                continue;
            };
            let value = words.get(i + 2).copied();
            if matches!(*word, "precision" | "mode") {
                clauses.push(Clause::Mode(mode(sign, value).map_err(problem)?));
                i += 3;
                continue;
            }
            let (value, taken) = figure_at(&words, i + 2);
            let clause = comparison(word, sign, value.as_deref());
            clauses.push(clause.map_err(problem)?);
            i += 2 + taken;
        }
        Ok(Self { clauses })
    }

    /// Whether a combination passes.
    pub fn accepts(&self, c: &Combination) -> bool {
        self.clauses.iter().all(|clause| match clause {
            Clause::Figure(figure) => {
                c.count.to_string() == *figure
                    || pieces(&c.accelerator.label).any(|piece| piece == *figure)
            }
            Clause::Word(word) => {
                row_name(c).contains(word)
                    || c.mode.key().contains(word)
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

/// A combination as the headline calls it, in small letters: `fp8 on 512 × h100 sxm 80 gb`.
fn row_name(c: &Combination) -> String {
    let (mode, part) = (c.mode.label(), &c.accelerator.label);
    format!("{mode} on {} × {part}", c.count).to_lowercase()
}

/// The words of a label, in small letters.
fn pieces(label: &str) -> impl Iterator<Item = String> {
    label.split([' ', '-', '_']).map(str::to_lowercase)
}

/// A word that compares nothing. A number is a whole one: the 8 of `8 h100` is no part of FP8 or of 80 GB.
fn loose(word: &str) -> Clause {
    let figure = word.trim_end_matches(['x', '×']);
    if !figure.is_empty() && figure.chars().all(|c| c.is_ascii_digit()) {
        Clause::Figure(figure.to_owned())
    } else if word == "x" {
        Clause::Word("×".to_owned())
    } else {
        Clause::Word(word.to_owned())
    }
}

/// What two words say without a sign between them: `mode fp8`, `count 8`.
fn unsigned(name: &str, value: &str) -> Option<Clause> {
    match name {
        "precision" | "mode" => mode("=", Some(value)).ok().map(Clause::Mode),
        "count" => comparison(name, "=", Some(value)).ok(),
        _ => None,
    }
}

/// The number that begins at a word, with the thousands and the suffix that stand apart from it (`2 000`, `1 k`), and how
/// many words it takes.
fn figure_at(words: &[&str], at: usize) -> (Option<String>, usize) {
    let Some(first) = words.get(at) else {
        return (None, 1);
    };
    let is_digits = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let mut figure = (*first).to_owned();
    let mut taken = 1;
    while let Some(word) = words.get(at + taken) {
        let digits = figure.trim_start_matches('$');
        let is_thousands = word.len() == 3 && is_digits(word) && is_digits(digits);
        let is_suffix = SUFFIXES.contains(word) && figure.ends_with(|c: char| c.is_ascii_digit());
        if !is_thousands && !is_suffix {
            break;
        }
        figure.push_str(word);
        taken += 1;
        if is_suffix {
            break;
        }
    }
    (Some(figure), taken)
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
        Figure::MemoryShare => {
            let share = run.prediction.memory.total().gib() / run.prediction.memory.capacity.gib();
            Some(100.0 * share)
        }
        Figure::Step => Some(run.prediction.step_time.value),
        Figure::Count => None,
    }
}

/// The text with spaces around what compares: letters that are no sign stay together.
fn set_apart(text: &str) -> String {
    let mut out = String::new();
    let mut in_sign = false;
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    for (at, &c) in letters.iter().enumerate() {
        // Thousands as the headline sets them apart.
        if c == format::THIN && digit(at.wrapping_sub(1)) && digit(at + 1) {
            continue;
        }
        if c == '×' {
            out.push_str(" × ");
            continue;
        }
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
    let (figure, value) = match (figure, value.strip_suffix('%')) {
        (Figure::Memory, Some(share)) => (Figure::MemoryShare, share),
        _ => (figure, value),
    };
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
    fn words_of_a_row_s_own_name_are_told_from_its_figures() {
        let clauses = |text: &str| Filter::parse(text).unwrap().clauses;
        let word = |text: &str| Clause::Word(text.into());
        let figure = Clause::Figure("512".into());
        assert_eq!(
            clauses("512 h100 fp8"),
            vec![figure.clone(), word("h100"), word("fp8")]
        );
        for text in ["512× h100", "512x h100", "512\u{202F}×\u{202F}h100"] {
            let clauses = clauses(text);
            assert_eq!(clauses[0], figure, "{text}");
            assert_eq!(clauses.last(), Some(&word("h100")), "{text}");
        }
        assert_eq!(
            clauses("1\u{202F}024 h100")[0],
            Clause::Figure("1024".into())
        );
        assert_eq!(
            clauses("mode fp8 and count 8 h100"),
            vec![
                Clause::Mode(PrecisionMode::Fp8),
                Clause::Compare(Figure::Count, '=', true, 8.0),
                word("h100")
            ]
        );
        assert_eq!(clauses("mode cheap"), vec![word("mode"), word("cheap")]);
    }

    #[test]
    fn numbers_take_thousands_and_suffixes_that_stand_apart() {
        let cost = |limit| vec![Clause::Compare(Figure::Cost, '<', false, limit)];
        for text in [
            "cost < 2k",
            "cost < 2 k",
            "cost < $2 000",
            "cost < 2000 usd",
        ] {
            assert_eq!(Filter::parse(text).unwrap().clauses, cost(2000.0), "{text}");
        }
        assert_eq!(Filter::parse("cost < 1.5 M").unwrap().clauses, cost(1.5e6));
        let share = vec![Clause::Compare(Figure::MemoryShare, '>', false, 90.0)];
        for text in ["memory > 90%", "memory>90 %"] {
            assert_eq!(Filter::parse(text).unwrap().clauses, share, "{text}");
        }
        assert!(Filter::parse("cost > 90%").is_err());
        let more = Filter::parse("cost < 2 k h100").unwrap().clauses;
        assert_eq!(more[1], Clause::Word("h100".into()));
        let days = Filter::parse("time <= 2 days").unwrap().clauses;
        assert_eq!(days, vec![Clause::Compare(Figure::Hours, '<', true, 48.0)]);
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
