//! Durations as people type them: `2 d`, `36 h`, `1 d 6 h`, `90 min`.

use super::parse_figure as figure;
use super::words::quoted;

/// A hundred years.
const MOST_HOURS: f64 = 876_000.0;
/// What may be typed; ends most messages about it.
const TRY: &str = "Try 2 d, 36 h, 1 d 6 h or 3 weeks";

/// Names of the units of time, and what each is in hours.
const TIME_UNITS: [(&[&str], f64); 5] = [
    (&["", "h", "hour", "hours"], 1.0),
    (&["d", "day", "days"], 24.0),
    (&["w", "week", "weeks"], 168.0),
    (&["y", "year", "years"], 8766.0),
    (&["m", "min", "minutes"], 1.0 / 60.0),
];

/// Whether a word names a unit of time.
pub(super) fn is_unit(word: &str) -> bool {
    let mut named = TIME_UNITS.iter().flat_map(|(names, _)| names.iter());
    !word.is_empty() && named.any(|name| *name == word)
}

/// A duration in hours: `2 d`, `36 h`, `1 d 6 h`, `1d6h`, `90 min`; a bare number counts hours. A unit that comes twice,
/// or one that runs into the next number where the numbers are set apart (`1 d2 days`), is two answers at once.
pub fn hours(text: &str) -> Result<f64, String> {
    let wrong = || format!("{} is no duration. {TRY}", quoted(text));
    let mut total = 0.0;
    let mut said = Vec::new();
    let lower = text.trim().to_lowercase();
    let mut rest = lower.as_str();
    while !rest.is_empty() {
        // Thousands may be set apart: `1 000 h`.
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && !figure::is_mark(c))
            .unwrap_or(rest.len());
        let figure = &rest[..end];
        let plain = figure::plain(figure.trim_end()).ok_or_else(wrong)?;
        let value: f64 = plain.parse().map_err(|_| wrong())?;
        let after = &rest[end..];
        let length = after
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(after.len());
        let (word, more) = after.split_at(length);
        let unit = TIME_UNITS
            .iter()
            .position(|(names, _)| names.contains(&word))
            .ok_or_else(wrong)?;
        let (names, factor) = TIME_UNITS[unit];
        if said.contains(&unit) {
            let name = names.last().copied().unwrap_or_default();
            return Err(format!("{} counts {name} twice. {TRY}", quoted(text)));
        }
        let is_apart = figure.ends_with(char::is_whitespace);
        if is_apart && !word.is_empty() && more.starts_with(|c: char| c.is_ascii_digit()) {
            let text = quoted(text);
            return Err(format!("{text} runs two durations together. {TRY}"));
        }
        said.push(unit);
        total += value * factor;
        rest = more.trim_start();
    }
    if total > MOST_HOURS {
        return Err("Too long. At most 36 500 d, a hundred years".to_owned());
    }
    if total > 0.0 { Ok(total) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_add_their_parts() {
        for text in [
            "1 d 6 h",
            "1d6h",
            "1d 6h",
            "1\u{a0}d 6\u{202F}h",
            "30 h",
            "30",
        ] {
            assert_eq!(hours(text), Ok(30.0), "{text}");
        }
        assert_eq!(hours("90 min"), Ok(1.5));
        assert_eq!(hours("2 days"), Ok(48.0));
        assert_eq!(hours("2 years"), Ok(17_532.0));
        assert_eq!(hours("1 000 h"), Ok(1000.0));
        assert!(hours("soon").is_err() && hours("").is_err() && hours("1 2 3 fish").is_err());
    }

    #[test]
    fn a_comma_reads_as_in_every_number() {
        for (text, value) in [
            ("1,5 d", 36.0),
            ("1,5", 1.5),
            ("1,000 h", 1000.0),
            ("0,5 d 6 h", 18.0),
            ("1.000,5 h", 1000.5),
        ] {
            assert_eq!(hours(text), Ok(value), "{text}");
        }
        for text in ["1 2 h", "12 34", "1,2,3 h", "1.2.3 d", "1\n2 h"] {
            assert!(hours(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_ran_into_what_stood_there_is_no_sum() {
        for text in [
            "1 d2 days",
            "1 d6 h",
            "36 h48 h",
            "2 d 1 d",
            "1d1d",
            "12 6 h 3",
        ] {
            let problem = hours(text).unwrap_err();
            assert!(problem.contains("Try 2 d, 36 h"), "{problem}");
        }
        assert!(hours("1 d2 days").unwrap_err().contains("two durations"));
        assert!(hours("2 d 1 d").unwrap_err().contains("days twice"));
    }
}
