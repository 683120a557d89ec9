//! Fields of preset files that check themselves while they are read, so that an error carries its place.

use serde::Deserialize;

/// Words that are not blank.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Text(pub String);

impl TryFrom<String> for Text {
    type Error = &'static str;
    fn try_from(words: String) -> Result<Self, Self::Error> {
        if words.trim().is_empty() {
            Err("blank; words are needed here")
        } else {
            Ok(Self(words))
        }
    }
}

/// When a figure was retrieved or dated: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Date(pub String);

impl TryFrom<String> for Date {
    type Error = &'static str;
    fn try_from(date: String) -> Result<Self, Self::Error> {
        let parts: Vec<&str> = date.split('-').collect();
        let number = |at: usize, len: usize, low: u16, high: u16| {
            parts.get(at).is_none_or(|p| {
                p.len() == len && p.parse::<u16>().is_ok_and(|n| (low..=high).contains(&n))
            })
        };
        let lawful = parts.len() <= 3
            && number(0, 4, 1980, 2100)
            && number(1, 2, 1, 12)
            && number(2, 2, 1, 31);
        if lawful {
            Ok(Self(date))
        } else {
            Err("not a date; allowed: YYYY, YYYY-MM or YYYY-MM-DD")
        }
    }
}

/// A finite number above zero: what is unknown is left out, never 0.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Positive(pub f64);

impl TryFrom<f64> for Positive {
    type Error = &'static str;
    fn try_from(number: f64) -> Result<Self, Self::Error> {
        if number.is_finite() && number > 0.0 {
            Ok(Self(number))
        } else {
            Err("must be a number above 0; leave the field out where it is unknown")
        }
    }
}

/// A finite number of zero or more.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct NonNegative(pub f64);

impl TryFrom<f64> for NonNegative {
    type Error = &'static str;
    fn try_from(number: f64) -> Result<Self, Self::Error> {
        if number.is_finite() && number >= 0.0 {
            Ok(Self(number))
        } else {
            Err("must be a number of 0 or more")
        }
    }
}

/// A whole number above zero.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct Count(pub u32);

impl TryFrom<u32> for Count {
    type Error = &'static str;
    fn try_from(number: u32) -> Result<Self, Self::Error> {
        if number > 0 {
            Ok(Self(number))
        } else {
            Err("must be a whole number above 0")
        }
    }
}

/// The number in an optional field.
pub(super) fn number(field: Option<Positive>) -> Option<f64> {
    field.map(|p| p.0)
}
