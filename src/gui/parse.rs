//! What people type into the request's fields: money, counts with suffixes, training lengths; durations stand beside it.

pub use super::parse_duration::hours;
use super::words::quoted;
use crate::planner::{Quantity, TrainRequest};

/// More than any figure of a request could mean, and few enough digits for every label that shows it.
const MOST: f64 = 1e15;

/// A number with thousands marks and a suffix: `2 000`, `2k`, `1.5 M`, `15B`.
pub fn number(text: &str) -> Result<f64, String> {
    if text.trim().is_empty() {
        return Err("Empty. Try 2 000, 2k, 1.5 M or 2e9".to_owned());
    }
    let plain: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != ',' && *c != '$' && *c != '_')
        .collect();
    if let Some(rest) = plain.strip_prefix(['-', '−'])
        && number(rest).is_ok()
    {
        return Err("Must be more than 0".to_owned());
    }
    let end = figure_end(&plain);
    let value: Result<f64, _> = plain[..end].parse();
    let scale = match plain[end..].to_lowercase().as_str() {
        "" => 1.0,
        "k" | "thousand" => 1e3,
        "m" | "million" => 1e6,
        "b" | "g" | "billion" => 1e9,
        "t" | "trillion" => 1e12,
        _ => f64::NAN,
    };
    match value {
        Ok(value) if scale.is_finite() && value * scale > MOST => {
            Err("Too large. At most 1000 T (1 000 000 000 000 000)".to_owned())
        }
        Ok(value) if scale.is_finite() && value > 0.0 => Ok(value * scale),
        Ok(value) if value <= 0.0 && scale.is_finite() => Err("Must be more than 0".to_owned()),
        _ => Err(format!(
            "{} is no number. Try 2 000, 2k, 1.5 M or 2e9",
            quoted(text)
        )),
    }
}

/// Where a number ends and its suffix begins; an `e` with an exponent belongs to the number.
fn figure_end(text: &str) -> usize {
    let plain = |text: &str| {
        text.find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len())
    };
    let end = plain(text);
    let Some(exponent) = text[end..].strip_prefix(['e', 'E']) else {
        return end;
    };
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    match plain(digits) {
        0 => end,
        more => text.len() - digits.len() + more,
    }
}

/// A text without the unit that its field shows behind it: `128 sequences` is `128` there.
pub fn without_unit<'t>(text: &'t str, unit: &str) -> &'t str {
    let trimmed = text.trim();
    if unit.is_empty() {
        return trimmed;
    }
    let lower = trimmed.to_lowercase();
    // Letters whose lower case has another length would be cut in the middle.
    if lower.len() != trimmed.len() {
        return trimmed;
    }
    [unit, unit.trim_end_matches('s')]
        .into_iter()
        .find(|unit| lower.ends_with(&unit.to_lowercase()))
        .map_or(trimmed, |unit| {
            trimmed[..trimmed.len() - unit.len()].trim_end()
        })
}

/// Samples of a step, stated in them or, of a model that reads sequences of so many tokens, in tokens: then rounded to
/// whole sequences, with a note that says so.
pub fn batch(text: &str, tokens_each: Option<u32>) -> Result<(f64, Option<String>), String> {
    let lower = text.trim().to_lowercase();
    let tokens = ["tokens", "token"]
        .into_iter()
        .find_map(|unit| lower.strip_suffix(unit));
    let allowed = if tokens_each.is_some() {
        "Try 128, 128 sequences or 4 M tokens"
    } else {
        "Try 256 or 1 024"
    };
    let wrong = |message: String| match message.split_once(". Try") {
        Some((what, _)) => format!("{what}. {allowed}"),
        None => message,
    };
    let Some(figure) = tokens else {
        return number(text).map(|n| (n, None)).map_err(wrong);
    };
    let Some(each) = tokens_each else {
        return Err(format!("This model does not read tokens. {allowed}"));
    };
    let tokens = number(figure).map_err(wrong)?;
    let exact = tokens / f64::from(each);
    let whole = exact.round().max(1.0);
    let said = format!(
        "{} are {} sequences of {}{}",
        crate::format::counted(tokens, "token"),
        crate::format::number(exact),
        crate::format::count(f64::from(each)),
        if whole == exact {
            String::new()
        } else {
            format!(", rounded to {}", crate::format::count(whole))
        }
    );
    Ok((whole, Some(said)))
}

/// A whole number of at least one.
pub fn whole(text: &str) -> Result<u32, String> {
    let value = number(text)?;
    if value.fract() == 0.0 && value <= f64::from(u32::MAX) {
        Ok(value as u32)
    } else {
        Err(format!("{} is no whole number", quoted(text)))
    }
}

/// More accelerators than the planner takes.
const MOST_ACCELERATORS: u32 = 1_000_000;
/// More counts than a person means, each of which is planned.
const MOST_COUNTS: usize = 64;

/// Counts of accelerators, set apart by commas or spaces: `8, 16 32`. Three digits that begin with a zero can only be the
/// thousands of the number before them (`1 024`); any three after a space are, where commas set the entries apart
/// (`8, 1 536`). A lone `k` is a suffix. What is repeated counts once.
pub fn counts(text: &str) -> Result<Vec<u32>, String> {
    let mut entries: Vec<String> = Vec::new();
    let between: Vec<&str> = text.split([',', ';']).collect();
    for chunk in &between {
        for (i, part) in chunk.split_ascii_whitespace().enumerate() {
            let is_thousands = between.len() > 1 && i > 0 && part.len() == 3;
            let is_group = part.len() == 3 && (part.starts_with('0') || is_thousands);
            match entries.last_mut() {
                Some(entry) if is_group || part.eq_ignore_ascii_case("k") => entry.push_str(part),
                _ => entries.push(part.to_owned()),
            }
        }
    }
    if entries.len() > MOST_COUNTS {
        return Err(format!("At most {MOST_COUNTS} counts at once"));
    }
    let mut counts = Vec::new();
    for entry in &entries {
        let count = whole(entry).ok().filter(|n| *n <= MOST_ACCELERATORS);
        let count = count.ok_or_else(|| {
            format!(
                "{} is no count. Allowed: whole numbers from 1 to 1 000 000, such as 8, 16, 32",
                quoted(entry)
            )
        })?;
        if !counts.contains(&count) {
            counts.push(count);
        }
    }
    if counts.is_empty() {
        return Err("Type one count or several, such as 8, 16, 32".to_owned());
    }
    Ok(counts)
}

/// A figure with one of several units after it, or none: the figure in the unit whose factor is 1.
fn with_unit(text: &str, units: &[(&str, f64)]) -> Result<f64, String> {
    let lower = text.trim().to_lowercase();
    let said = units.iter().find(|(unit, _)| lower.ends_with(unit));
    let figure = said.map_or(lower.as_str(), |(unit, _)| {
        lower[..lower.len() - unit.len()].trim_end()
    });
    let value = number(figure).map_err(|_| number(text).err().unwrap_or_default())?;
    Ok(value * said.map_or(1.0, |(_, factor)| *factor))
}

/// Energy in kilowatt-hours: `500`, `500 kWh`, `1.2 MWh`.
pub fn energy_kwh(text: &str) -> Result<f64, String> {
    with_unit(text, &[("kwh", 1.0), ("mwh", 1e3), ("gwh", 1e6)])
}

/// Emissions in kilograms: `800`, `800 kg`, `1.2 t`.
pub fn mass_kg(text: &str) -> Result<f64, String> {
    let units = [("kg", 1.0), ("tonnes", 1e3), ("tonne", 1e3), ("t", 1e3)];
    with_unit(text, &units)
}

/// A price of an hour or a kilowatt-hour: `1.82`, `$1.82/h`.
pub fn price(text: &str) -> Result<f64, String> {
    with_unit(text, &[("/kwh", 1.0), ("/h", 1.0)])
}

/// A factor around 1 between two ends: `0.8`, `×0.8`, or as a change or a share: `-20 %`, `+10 %`, `80 %`.
pub fn factor(text: &str, (least, most): (f64, f64)) -> Result<f64, String> {
    if text.trim().is_empty() {
        return Err("Empty. Try 0.8 or -20 %".to_owned());
    }
    let plain: String = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| if c == crate::format::MINUS { '-' } else { c })
        .collect();
    let plain = plain.trim_start_matches(['×', 'x', 'X']);
    let value = match plain.strip_suffix('%') {
        Some(share) => share.parse().map(|value: f64| {
            let is_change = share.starts_with(['-', '+']);
            f64::from(u8::from(is_change)) + value / 100.0
        }),
        None => plain.parse(),
    };
    let value = value.map_err(|_| format!("{} is no factor. Try 0.8 or -20 %", quoted(text)))?;
    if (least..=most).contains(&value) {
        Ok(value)
    } else {
        let (down, up) = (100.0 * (1.0 - least), 100.0 * (most - 1.0));
        Err(format!(
            "From {least} to {most}, that is -{down} % to +{up} %"
        ))
    }
}

/// A number of years.
pub fn years(text: &str) -> Result<f64, String> {
    with_unit(text, &[("years", 1.0), ("year", 1.0), ("y", 1.0)])
}

/// A share in percent, from 0 to 100.
pub fn percent(text: &str) -> Result<f64, String> {
    let plain = text.trim().trim_end_matches('%').trim();
    match plain.parse::<f64>() {
        Ok(value) if (0.0..=100.0).contains(&value) => Ok(value),
        Ok(_) => Err("Must be from 0 to 100".to_owned()),
        Err(_) => Err(format!("{} is no share. Try 10 or 12.5", quoted(text))),
    }
}

/// A number as it stands in a field that is edited: every digit, for what is typed back must be what was there.
pub fn exact(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        crate::format::count(value)
    } else {
        value.to_string()
    }
}

/// How long to train: `15 B tokens`, `3 epochs`, `20k steps`; without a word, the unit stays as it was.
pub fn training(text: &str, before: &TrainRequest) -> Result<TrainRequest, String> {
    let trimmed = text.trim();
    let lower = trimmed.to_lowercase();
    let units = [
        ("tokens", 0),
        ("token", 0),
        ("epochs", 1),
        ("epoch", 1),
        ("steps", 2),
        ("step", 2),
    ];
    let said = units.iter().find(|(word, _)| lower.ends_with(word));
    let figure = said.map_or(trimmed, |(word, _)| {
        trimmed[..trimmed.len() - word.len()].trim_end()
    });
    if figure.trim().is_empty() {
        return Err("Empty. Try 15 B tokens, 90 epochs or 20k steps".to_owned());
    }
    number(figure)?;
    let kind = said.map_or_else(|| kind_of(before), |(_, kind)| *kind);
    let quantity = Some(Quantity::Text(figure.to_owned()));
    let mut train = TrainRequest {
        samples: before.samples.clone(),
        ..TrainRequest::default()
    };
    match kind {
        0 => {
            train.samples = None;
            train.tokens = quantity;
        }
        1 => train.epochs = quantity,
        _ => {
            train.samples = None;
            train.steps = quantity;
        }
    }
    Ok(train)
}

/// Tokens 0, epochs 1, steps 2.
fn kind_of(train: &TrainRequest) -> i32 {
    if train.tokens.is_some() {
        0
    } else if train.epochs.is_some() {
        1
    } else {
        2
    }
}

/// An empty field means "not stated".
pub fn optional<T>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    if text.trim().is_empty() {
        Ok(None)
    } else {
        parse(text).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_write_numbers_in_many_ways() {
        assert_eq!(number("$2\u{202F}000"), Ok(2000.0));
        assert_eq!(number("1.5 M"), Ok(1.5e6));
        assert_eq!(number("15B"), Ok(15e9));
        assert_eq!(number("2e9"), Ok(2e9));
        assert_eq!(number("1.5E+3 k"), Ok(1.5e6));
        assert_eq!(
            number("1e30").unwrap_err().split('.').next(),
            Some("Too large")
        );
        assert!(number("2e").is_err() && number("e9").is_err());
        assert!(number("0").is_err() && number("many").is_err() && number("").is_err());
        let nines = "9".repeat(400);
        for text in [nines.as_str(), "2000 T", "1e400"] {
            let problem = number(text).unwrap_err();
            assert!(problem.chars().count() < 80, "{problem}");
        }
        assert!(hours(&nines).is_err() && training(&nines, &TrainRequest::default()).is_err());
        assert_eq!(whole("8 192"), Ok(8192));
        assert!(whole("1.5").is_err());
    }

    #[test]
    fn a_batch_is_stated_in_samples_or_in_tokens() {
        assert_eq!(batch("128", Some(8192)), Ok((128.0, None)));
        assert_eq!(without_unit("128 sequences", "sequences"), "128");
        assert_eq!(without_unit("1 sequence", "sequences"), "1");
        assert_eq!(without_unit("128", ""), "128");
        let (rounded, note) = batch("4M tokens", Some(8192)).unwrap();
        assert_eq!(rounded, 488.0);
        assert!(note.unwrap().ends_with("rounded to 488"));
        let (exact, note) = batch("16384 tokens", Some(8192)).unwrap();
        assert_eq!(exact, 2.0);
        assert!(!note.unwrap().contains("rounded"));
        assert!(batch("4M tokens", None).unwrap_err().contains("Try 256"));
        assert!(batch("many", Some(8192)).unwrap_err().contains("tokens"));
    }

    #[test]
    fn factors_are_typed_as_such_or_as_changes() {
        let ends = (0.25, 4.0);
        for text in ["0.8", "×0.8", "x 0.8", "-20 %", "\u{2212}20%", "80 %"] {
            assert_eq!(
                factor(text, ends).map(|f| (f * 1e9).round()),
                Ok(0.8e9),
                "{text}"
            );
        }
        assert_eq!(factor("+10%", ends), Ok(1.1));
        assert!(factor("9", ends).unwrap_err().contains("+300 %"));
        assert!(factor("-90 %", ends).is_err() && factor("less", ends).is_err());
    }

    #[test]
    fn units_are_taken_or_left_out() {
        assert_eq!(energy_kwh("500"), Ok(500.0));
        assert_eq!(energy_kwh("1.5 MWh"), Ok(1500.0));
        for tonnes in ["2 t", "2t", "2 tonne", "2 tonnes"] {
            assert_eq!(mass_kg(tonnes), Ok(2000.0), "{tonnes}");
        }
        assert_eq!(mass_kg("300kg"), Ok(300.0));
        assert_eq!(price("$1.82/h"), Ok(1.82));
        assert_eq!(years("4 years"), Ok(4.0));
        assert_eq!(percent("12.5 %"), Ok(12.5));
        assert!(percent("140").is_err() && energy_kwh("lots").is_err() && mass_kg("").is_err());
        assert_eq!(exact(0.085), "0.085");
        assert_eq!(number(&exact(12_500.0)), Ok(12_500.0));
    }

    #[test]
    fn counts_are_a_list_whose_wrong_entry_is_named() {
        for (text, list) in [
            ("8, 16, 32", vec![8, 16, 32]),
            ("8 16,32,", vec![8, 16, 32]),
            ("8,128", vec![8, 128]),
            ("1 024", vec![1024]),
            ("1,024, 2,048", vec![1024, 2048]),
            ("1 000 000", vec![1_000_000]),
            ("8, 1 536", vec![8, 1536]),
            ("8 128 1024", vec![8, 128, 1024]),
            ("2k 2 k, 2000", vec![2000]),
            ("96", vec![96]),
        ] {
            assert_eq!(counts(text), Ok(list), "{text}");
        }
        for (text, named) in [
            ("8, banana, 32", "“banana”"),
            ("8, 0", "“0”"),
            ("8 2.5", "“2.5”"),
            ("16, 2000000", "“2000000”"),
            ("8, -4", "“-4”"),
        ] {
            let problem = counts(text).unwrap_err();
            assert!(
                problem.contains(named) && problem.contains("from 1 to 1 000 000"),
                "{problem}"
            );
        }
        assert!(counts(", ").is_err() && counts(&"7 ".repeat(80)).is_err());
    }

    #[test]
    fn a_training_length_keeps_its_unit_unless_another_is_said() {
        let tokens = training("15 B tokens", &TrainRequest::default());
        assert_eq!(
            tokens.clone().map(|t| t.text_and_unit()),
            Ok(("15 B".into(), "tokens"))
        );
        let more = tokens.and_then(|t| training("20B", &t));
        assert_eq!(
            more.clone().map(|t| t.text_and_unit()),
            Ok(("20B".into(), "tokens"))
        );
        let epochs = more.and_then(|t| training("3 epochs", &t));
        assert_eq!(
            epochs.map(|t| t.text_and_unit()),
            Ok(("3".into(), "epochs"))
        );
    }
}
