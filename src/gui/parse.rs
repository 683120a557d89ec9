//! What people type into the request's fields: money, counts with suffixes, training lengths; durations stand beside it.

pub use super::parse_counts::counts;
pub use super::parse_duration::hours;
use super::parse_figure as figure;
use super::words::quoted;
use crate::planner::{Quantity, TrainRequest};

/// More than any figure of a request could mean, and few enough digits for every label that shows it.
const MOST: f64 = 1e15;

/// What may be typed; ends most messages about a number.
const TRY: &str = "Try 2\u{A0}000, 2k, 1.5\u{A0}M or 2e9";
/// The same of a length of training.
const TRY_LENGTH: &str =
    "Try 15\u{A0}B tokens, 3\u{A0}epochs, 3\u{A0}epochs of 50k samples or 20k\u{A0}steps";

/// A number with thousands marks and a suffix: `2 000`, `2,000`, `2k`, `1.5 M`, `1,5 M`, `15B`.
pub fn number(text: &str) -> Result<f64, String> {
    if text.trim().is_empty() {
        return Err(format!("Empty. {TRY}"));
    }
    if let Some(rest) = bare(text).strip_prefix(['-', crate::format::MINUS])
        && number(rest).is_ok()
    {
        return Err("Must be more than 0".to_owned());
    }
    let (plain, scale) = figure_and_scale(text)?;
    let value: Result<f64, _> = plain.parse();
    match value {
        Ok(value) if value * scale > MOST => Err(
            "Too large. At most 1000 T (1\u{A0}000\u{A0}000\u{A0}000\u{A0}000\u{A0}000)".to_owned(),
        ),
        Ok(value) if value > 0.0 => Ok(value * scale),
        Ok(_) => Err("Must be more than 0".to_owned()),
        Err(_) => Err(no_number(text)),
    }
}

fn no_number(text: &str) -> String {
    format!("{} is no number. {TRY}", quoted(text))
}

/// A text without the sign of the currency at either end.
fn bare(text: &str) -> &str {
    text.trim().trim_matches('$').trim()
}

/// The digits of a number with a decimal point and an exponent at most, and what its suffix multiplies them by.
fn figure_and_scale(text: &str) -> Result<(String, f64), String> {
    let bare = bare(text);
    if bare.contains(figure::is_line_end) {
        return Err(format!("Several lines are no number. {TRY}"));
    }
    let (end, suffix) = figure_end(bare);
    let mantissa = bare[..end].trim_end();
    let scale = match bare[suffix..].trim().to_lowercase().as_str() {
        "" => 1.0,
        "k" | "thousand" => 1e3,
        "m" | "million" => 1e6,
        "b" | "g" | "billion" => 1e9,
        "t" | "trillion" => 1e12,
        _ => return Err(no_number(text)),
    };
    match figure::plain(mantissa) {
        Some(plain) => Ok((plain + &bare[end..suffix], scale)),
        None if mantissa.contains(figure::is_mark) => Err(format!(
            "{} is no number: thousands stand by threes (1,281,167), decimals after one point or comma (1,5). {TRY}",
            quoted(text)
        )),
        None => Err(no_number(text)),
    }
}

/// Where the digits of a number end and its suffix begins; an `e` with an exponent stands between the two.
fn figure_end(text: &str) -> (usize, usize) {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && !figure::is_mark(c))
        .unwrap_or(text.len());
    let Some(exponent) = text[end..].strip_prefix(['e', 'E']) else {
        return (end, end);
    };
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let more = digits.find(|c: char| !c.is_ascii_digit());
    match more.unwrap_or(digits.len()) {
        0 => (end, end),
        more => (end, text.len() - digits.len() + more),
    }
}

/// A number as a request keeps it: as it was typed, and plainer where a file would read that otherwise.
pub fn quantity(text: &str) -> Result<Quantity, String> {
    let value = number(text)?;
    let typed = Quantity::Text(text.trim().to_owned());
    if typed.number() == Ok(value) {
        return Ok(typed);
    }
    let bare = bare(text);
    let (plain, _) = figure_and_scale(text)?;
    let suffix = bare[figure_end(bare).1..].trim();
    Ok(Quantity::Text(
        format!("{plain} {suffix}").trim_end().to_owned(),
    ))
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
        "Try 256 or 1\u{A0}024"
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
    let plain = text.trim().trim_start_matches(['×', 'x', 'X']).trim_start();
    let value = match plain.strip_suffix('%') {
        Some(share) => figure::signed(share).map(|value| {
            let is_change = share.starts_with(['-', '+', crate::format::MINUS]);
            f64::from(u8::from(is_change)) + value / 100.0
        }),
        None => figure::signed(plain),
    };
    let value = value.ok_or_else(|| format!("{} is no factor. Try 0.8 or -20 %", quoted(text)))?;
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
    match figure::signed(plain) {
        Some(value) if (0.0..=100.0).contains(&value) => Ok(value),
        Some(_) => Err("Must be from 0 to 100".to_owned()),
        None => Err(format!("{} is no share. Try 10 or 12.5", quoted(text))),
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
    if let Some((epochs, samples)) = epochs_of(&lower) {
        return Ok(TrainRequest {
            epochs: Some(quantity(epochs).map_err(of_length)?),
            samples: Some(quantity(samples).map_err(of_length)?),
            ..TrainRequest::default()
        });
    }
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
    let quantity = Some(quantity(figure).map_err(of_length)?);
    let kind = said.map_or_else(|| kind_of(before), |(_, kind)| *kind);
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

/// The figures of `3 epochs of 50k samples`.
fn epochs_of<'t>(lower: &'t str) -> Option<(&'t str, &'t str)> {
    let (epochs, samples) = lower.split_once(" of ")?;
    let without =
        |text: &'t str, word: &str| text.strip_suffix('s').unwrap_or(text).strip_suffix(word);
    let epochs = without(epochs.trim_end(), "epoch")?;
    let mut words = ["sample", "image", "example"].into_iter();
    let figure = words.find_map(|word| without(samples, word));
    Some((epochs.trim(), figure.unwrap_or(samples).trim()))
}

/// A problem of a number where a length of training stands: that may be told in tokens, epochs or steps.
fn of_length(problem: String) -> String {
    match problem.split_once(". Try") {
        Some((what, _)) => format!("{what}. {TRY_LENGTH}"),
        None => problem,
    }
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
    fn a_comma_or_a_space_multiplies_nothing() {
        for (text, value) in [
            ("1,281,167", 1_281_167.0),
            ("2,000", 2000.0),
            ("1 281 167", 1_281_167.0),
            ("1,5k", 1500.0),
            ("1,5 M", 1.5e6),
            ("1,92", 1.92),
            ("2.000,50", 2000.5),
            ("$2,000.50", 2000.5),
            ("2,5e3", 2500.0),
        ] {
            assert_eq!(number(text), Ok(value), "{text}");
        }
        for text in ["1 2 3", "1,28,5", "12 34", "1.281.167", "1,2,3 k"] {
            let problem = number(text).unwrap_err();
            assert!(problem.contains("thousands stand by threes"), "{problem}");
            assert!(problem.chars().count() < 160, "{problem}");
            let wrong = batch(text, Some(8192)).unwrap_err();
            assert!(wrong.ends_with("or 4 M tokens"), "{wrong}");
        }
        for text in ["1\n2\n3", "1\r\n281", "100\n200\n300"] {
            assert!(number(text).unwrap_err().starts_with("Several lines"));
        }
        assert_eq!(price("1,92 $/h"), Ok(1.92));
        assert_eq!(energy_kwh("1,5 MWh"), Ok(1500.0));
        assert_eq!(percent("12,5 %"), Ok(12.5));
        assert_eq!(factor("1,5", (0.25, 4.0)), Ok(1.5));
        assert_eq!(factor("-12,5 %", (0.25, 4.0)), Ok(0.875));
        assert!(factor("1 5", (0.25, 4.0)).is_err() && percent("1 2").is_err());
        assert!(whole("1,5").is_err() && counts("1 2 3") == Ok(vec![1, 2, 3]));
    }

    #[test]
    fn a_request_keeps_what_was_typed_where_a_file_reads_the_same() {
        let text = |text: &str| quantity(text).map(|q| q.text());
        for same in ["15 B", "1,281,167", "1 281 167", "1.5 M"] {
            assert_eq!(text(same).as_deref(), Ok(same));
        }
        for typed in ["1,5 B", "2.000,5k", "$3 M"] {
            let kept = quantity(typed).unwrap();
            assert_eq!(kept.number(), number(typed), "{typed}: {kept:?}");
        }
        let train = training("1,5 B tokens", &TrainRequest::default()).unwrap();
        assert_eq!(train.tokens.map(|q| q.number()), Some(Ok(1.5e9)));
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

    #[test]
    fn a_length_is_told_in_tokens_epochs_or_steps() {
        for text in ["many", "3 weeks of data", "1 2 3 tokens", "x epochs of 5"] {
            let problem = training(text, &TrainRequest::default()).unwrap_err();
            for word in ["tokens", "epochs of", "steps"] {
                assert!(problem.contains(word), "{text}: {problem}");
            }
            // A line may end at a space, and `2 000` is one figure.
            assert!(!number("many").unwrap_err().contains("2 000"));
        }
        for text in [
            "3 epochs of 50k samples",
            "3 epochs of 50k",
            "3 Epoch of 50K images",
        ] {
            let train = training(text, &TrainRequest::default()).unwrap();
            assert_eq!(train.epochs.map(|q| q.number()), Some(Ok(3.0)), "{text}");
            assert_eq!(train.samples.map(|q| q.number()), Some(Ok(50e3)), "{text}");
            assert_eq!((train.tokens, train.steps), (None, None));
        }
    }
}
