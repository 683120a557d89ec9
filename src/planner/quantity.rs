//! Numbers as people write them: `15 B`, `2.5 M`, `1e9`, `300 billion`.

use super::{Quantity, TrainRequest};
use crate::format;

/// What a quantity may look like; ends every message about one.
pub(super) const ALLOWED: &str = "allowed: a number above 0, with or without K, M, B or T \
     (thousand, million, billion, trillion), e.g. \"15 B\"";

impl Quantity {
    /// The bare number.
    ///
    /// # Errors
    /// A sentence with what is wrong and what is allowed: not a number, not above zero, an unknown suffix.
    pub fn number(&self) -> Result<f64, String> {
        match self {
            Self::Number(number) => positive(*number, &number.to_string()),
            Self::Text(text) => parse(text),
        }
    }

    /// As it was written; a bare number is shortened.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(value) => format::short_count(*value),
        }
    }
}

impl TrainRequest {
    /// Text and unit: `15 B`, `tokens`.
    pub fn text_and_unit(&self) -> (String, &'static str) {
        let (quantity, one, many) = if self.tokens.is_some() {
            (&self.tokens, "token", "tokens")
        } else if self.epochs.is_some() {
            (&self.epochs, "epoch", "epochs")
        } else {
            (&self.steps, "step", "steps")
        };
        let text = quantity.as_ref().map_or_else(String::new, Quantity::text);
        let unit = if text.trim() == "1" { one } else { many };
        (text, unit)
    }

    /// In a few words: `90 epochs`, `15 B tokens`, `1 step`.
    pub fn words(&self) -> String {
        let (text, unit) = self.text_and_unit();
        format!("{text} {unit}")
    }
}

impl std::str::FromStr for Quantity {
    type Err = String;

    /// Takes what [`Quantity::number`] takes; the text is kept as written.
    fn from_str(text: &str) -> Result<Self, String> {
        parse(text)?;
        Ok(match text.trim().parse() {
            Ok(number) => Self::Number(number),
            Err(_) => Self::Text(text.trim().to_owned()),
        })
    }
}

fn parse(text: &str) -> Result<f64, String> {
    // Thousands may be set apart by commas, underscores or any space.
    let plain: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, ',' | '_'))
        .collect();
    let split = suffix_start(&plain);
    let (digits, suffix) = plain.split_at(split);
    let factor = factor(suffix)
        .ok_or_else(|| format!("`{text}` has an unknown suffix `{suffix}`; {ALLOWED}"))?;
    let number: f64 = digits
        .parse()
        .map_err(|_| format!("`{text}` is not a number; {ALLOWED}"))?;
    positive(number * factor, text)
}

/// Where the letters after the number begin; an `e` with an exponent belongs to the number.
fn suffix_start(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_exponent = |at: usize| {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        matches!(bytes[at], b'e' | b'E') && bytes.get(at + 1 + sign).is_some_and(u8::is_ascii_digit)
    };
    text.char_indices()
        .find(|(at, c)| c.is_alphabetic() && !is_exponent(*at))
        .map_or(text.len(), |(at, _)| at)
}

fn factor(suffix: &str) -> Option<f64> {
    Some(match suffix.to_lowercase().as_str() {
        "" => 1.0,
        "k" | "thousand" => 1e3,
        "m" | "mio" | "million" => 1e6,
        "b" | "g" | "bn" | "billion" => 1e9,
        "t" | "tn" | "trillion" => 1e12,
        _ => return None,
    })
}

fn positive(number: f64, text: &str) -> Result<f64, String> {
    if number.is_finite() && number > 0.0 {
        Ok(number)
    } else {
        Err(format!("`{text}` is not a number above 0; {ALLOWED}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn people_write_numbers_in_many_ways() {
        let check = |text: &str, expect: f64| {
            assert_eq!(Quantity::Text(text.into()).number(), Ok(expect), "{text}");
        };
        check("15 B", 15e9);
        check("15b", 15e9);
        check("2.5 M", 2.5e6);
        check("1e9", 1e9);
        check("1.5e-3 M", 1500.0);
        check("300 billion", 300e9);
        check("1,281,167", 1_281_167.0);
        check("1_281_167", 1_281_167.0);
        check("1\u{202F}281", 1281.0);
        check("1.4 trillion", 1.4e12);
        check("12 thousand", 12e3);
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_what_is() {
        for text in [
            "", "B", "15 X", "-3", "0", "nan", "inf", "1e999", "15 B B", "1.2.3", "é",
        ] {
            let message = Quantity::Text(text.into()).number().unwrap_err();
            assert!(message.contains("allowed: a number above 0"), "{message}");
        }
        assert!(Quantity::Number(f64::NAN).number().is_err());
        assert!(Quantity::Number(-1.0).number().is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_but_never_panics(text in ".{0,24}") {
            let _ = Quantity::Text(text).number();
        }

        #[test]
        fn a_suffix_multiplies(mantissa in 0.001f64..1e4) {
            let read = |suffix: &str| Quantity::Text(format!("{mantissa} {suffix}")).number();
            prop_assert_eq!(read(""), Ok(mantissa));
            prop_assert_eq!(read("M"), Ok(mantissa * 1e6));
            prop_assert_eq!(read("billion"), read("G"));
        }
    }
}
