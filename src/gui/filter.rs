//! The table's filter: words that must occur in any order, as those of a row's own name (`fp8 512 h100`), comparisons such as
//! `cost < 2k` or `time <= 2d`, and `precision = fp8` or `accelerator = h100`. All must hold; `and` may stand between them, and
//! `or` between alternatives, which it binds less than `and` does.

use super::filter_figure::{EXAMPLES, Figure, comparison, figure_of, value_at};
use super::filter_words::{WordColumn, is_found_by};
use super::parse_figure as digits;
use super::words::quoted;
use crate::domain::PrecisionMode;
use crate::format;
use crate::planner::Combination;

/// Names of what may be compared as they are written, others for the same among them.
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
/// Those of columns of words, of which more must be typed to tell them from what is looked for.
const WORD_NAMES: [&str; 4] = ["accelerator", "layout", "seller", "confidence"];
/// Said where nothing passes: what a filter looks at.
pub const UNDERSTOOD: [&str; 2] = [
    "Words are looked for in precision, count, accelerator, layout, seller and confidence: fp8 512 h100, \
     fp8 or h200, accelerator = h100",
    "Cost, time, energy, memory, count and step can be compared: mode fp8 and cost < 1k and time <= 2d. Bare numbers are \
     dollars, hours, kWh, GiB and seconds; memory > 90 % is a share of what a device has",
];
/// One condition; all must hold.
#[derive(Debug, Clone, PartialEq)]
enum Clause {
    Word(String),
    /// A number on its own: the count, or a figure of the part's name such as its memory.
    Figure(String),
    Compare(Figure, char, bool, f64),
    Mode(PrecisionMode),
    /// A word that must stand in one column.
    In(WordColumn, String),
    /// Alternatives: of one of them all must hold.
    Either(Vec<Vec<Clause>>),
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
        let mut before: Vec<Vec<Clause>> = Vec::new();
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
            if is_or(word) && i > 0 {
                if !clauses.is_empty() {
                    before.push(std::mem::take(&mut clauses));
                }
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
            if let Some(column) = WordColumn::named(word) {
                let value = column.value(word, sign, value).map_err(problem)?;
                clauses.push(Clause::In(column, value));
                i += 3;
                continue;
            }
            let (value, taken) = value_at(word, &words, i + 2);
            let clause = compared(word, sign, value.as_deref());
            clauses.push(clause.map_err(problem)?);
            i += 2 + taken;
        }
        // An `or` that nothing follows yet is on its way.
        if !clauses.is_empty() {
            before.push(clauses);
        }
        let clauses = match before.len() {
            0 | 1 => before.pop().unwrap_or_default(),
            _ => vec![Clause::Either(before)],
        };
        Ok(Self { clauses })
    }

    /// Whether a combination passes.
    pub fn accepts(&self, c: &Combination) -> bool {
        self.clauses.iter().all(|clause| clause.accepts(c))
    }
}

impl Clause {
    fn accepts(&self, c: &Combination) -> bool {
        match self {
            Self::Figure(figure) => {
                c.count.to_string() == *figure
                    || pieces(&c.accelerator.label).any(|piece| piece == *figure)
            }
            Self::Word(word) => is_found_by(c, word),
            Self::In(column, word) => column.has(c, word),
            Self::Either(ways) => {
                let holds = |way: &Vec<Self>| way.iter().all(|clause| clause.accepts(c));
                ways.iter().any(holds)
            }
            Self::Mode(mode) => c.mode == *mode,
            Self::Compare(figure, sign, or_equal, limit) => {
                figure_of(*figure, c).is_some_and(|v| match sign {
                    '<' => v < *limit || (*or_equal && v <= *limit),
                    '>' => v > *limit || (*or_equal && v >= *limit),
                    _ => (v - limit).abs() <= limit.abs() * 1e-9,
                })
            }
        }
    }
}

/// `cost < 2k`: a figure and what it is compared with.
fn compared(name: &str, sign: &str, value: Option<&str>) -> Result<Clause, String> {
    let (figure, kind, or_equal, limit) = comparison(name, sign, value)?;
    Ok(Clause::Compare(figure, kind, or_equal, limit))
}

/// The words of a label, in small letters.
fn pieces(label: &str) -> impl Iterator<Item = String> {
    label.split([' ', '-', '_']).map(str::to_lowercase)
}

/// A word that compares nothing. A number is a whole one: the 8 of `8 h100` is no part of FP8 or of 80 GB.
fn loose(word: &str) -> Clause {
    let figure = digits::plain(word.trim_end_matches(['x', '×']));
    let figure = figure.filter(|figure| !figure.contains('.') && !word.ends_with(['.', ',']));
    if let Some(figure) = figure {
        Clause::Figure(figure)
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
        "count" => compared(name, "=", Some(value)).ok(),
        _ => None,
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

fn is_or(word: &str) -> bool {
    matches!(word, "or" | "|" | "||")
}

/// Whether a last word may be the beginning of a figure's name, of a column's or of `and`.
fn is_begun(word: &str) -> bool {
    let begins = |names: &[&str]| names.iter().any(|name| name.starts_with(word));
    let letters = word.chars().count();
    letters > 1 && begins(&NAMES) || letters > 2 && begins(&WORD_NAMES)
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
    fn durations_of_several_parts_are_read_whole() {
        let hours = |limit| vec![Clause::Compare(Figure::Hours, '<', false, limit)];
        for text in [
            "time < 1 d 6 h",
            "time < 1d 6h",
            "time < 1d6h",
            "time < 1\u{a0}d 6\u{202F}h",
            "time < 30",
            "time<30 h",
        ] {
            assert_eq!(Filter::parse(text).unwrap().clauses, hours(30.0), "{text}");
        }
        assert_eq!(
            Filter::parse("time < 2 weeks").unwrap().clauses,
            hours(336.0)
        );
        let more = |text: &str| Filter::parse(text).unwrap().clauses[1..].to_vec();
        let eight = Clause::Figure("8".into());
        let h100 = Clause::Word("h100".into());
        assert_eq!(more("time < 2 d 8 h100"), [eight.clone(), h100.clone()]);
        assert_eq!(more("time < 1 d 6 h h100"), [h100]);
        assert_eq!(more("time < 36 8"), [eight]);
    }

    #[test]
    fn a_comma_reads_as_in_every_field() {
        let cost = |limit| vec![Clause::Compare(Figure::Cost, '<', false, limit)];
        for (text, limit) in [
            ("cost < 2,000", 2000.0),
            ("cost < 1,281,167", 1_281_167.0),
            ("cost < 1,5k", 1500.0),
            ("cost < 2.000,50", 2000.5),
            ("cost < 1 281 167", 1_281_167.0),
        ] {
            assert_eq!(Filter::parse(text).unwrap().clauses, cost(limit), "{text}");
        }
        let days = Filter::parse("time < 1,5 d").unwrap().clauses;
        assert_eq!(days, vec![Clause::Compare(Figure::Hours, '<', false, 36.0)]);
        assert!(Filter::parse("cost < 1,28,5").is_err());
        // A count that follows four digits is no thousands of them.
        let apart = Filter::parse("cost < 2000 512").unwrap().clauses;
        assert_eq!(apart[1], Clause::Figure("512".into()));
        assert_eq!(
            Filter::parse("1,024").unwrap().clauses,
            [Clause::Figure("1024".into())]
        );
    }

    #[test]
    fn alternatives_stand_apart_by_or() {
        let word = |text: &str| Clause::Word(text.into());
        let clauses = |text: &str| Filter::parse(text).unwrap().clauses;
        let either = Clause::Either(vec![vec![word("fp8")], vec![word("h200"), word("b200")]]);
        for text in [
            "fp8 or h200 b200",
            "FP8 OR h200 and b200",
            "fp8 | h200 b200 or",
        ] {
            assert_eq!(clauses(text), vec![either.clone()], "{text}");
        }
        assert_eq!(clauses("fp8 or"), clauses("fp8"));
        let sound = Filter::parse("fp8 or cost <").unwrap_err().sound;
        assert_eq!(sound, 5);
    }

    #[test]
    fn a_column_of_words_is_compared_by_a_word() {
        let clauses = |text: &str| Filter::parse(text).unwrap().clauses;
        for (text, column) in [
            ("accelerator = h100", WordColumn::Accelerator),
            ("GPU=H100", WordColumn::Accelerator),
            ("layout == h100", WordColumn::Layout),
            ("seller = h100", WordColumn::Seller),
            ("confidence = h100", WordColumn::Confidence),
        ] {
            assert_eq!(
                clauses(text),
                vec![Clause::In(column, "h100".into())],
                "{text}"
            );
        }
        for text in ["Precision = FP8", "precision=fp8"] {
            assert_eq!(
                clauses(text),
                vec![Clause::Mode(PrecisionMode::Fp8)],
                "{text}"
            );
        }
        for (text, said) in [
            ("accelerator < h100", "by = alone, as in accelerator = h100"),
            ("fp8 accelerator =", "A word is missing"),
            ("fp8 accel", "goes on"),
        ] {
            let problem = Filter::parse(text).unwrap_err();
            assert!(problem.text.contains(said), "{problem:?}");
        }
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
