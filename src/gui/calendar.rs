//! Days for people: a deadline that is given as a day.

use jiff::civil::Date;
use jiff::{Unit, Zoned};

/// Ways to write a day, the first of which is shown in errors.
const WAYS: [&str; 6] = [
    "%Y-%m-%d",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d.%m.%Y",
];

/// Hours from `now` to the end of the day that a text names; `None` where it names none.
///
/// # Errors
/// A sentence, where that day is over.
pub fn hours_until(now: &Zoned, text: &str) -> Option<Result<f64, String>> {
    let text = text.trim().trim_start_matches("by ").trim();
    let day = WAYS.iter().find_map(|way| Date::strptime(way, text).ok())?;
    // A minute before midnight: what is done by then is done on that day.
    let end = day
        .at(23, 59, 0, 0)
        .to_zoned(now.time_zone().clone())
        .ok()?;
    let left = now.until((Unit::Second, &end)).ok()?;
    let hours = left.total(Unit::Hour).ok()?;
    Some(if hours > 0.0 {
        Ok((hours * 10.0).floor() / 10.0)
    } else {
        Err(format!(
            "{text} is over. Allowed: a day from today on, or a duration such as 3 weeks"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> Zoned {
        "2026-11-22T12:00[UTC]".parse().unwrap()
    }

    #[test]
    fn a_day_is_a_deadline_at_its_end() {
        for text in [
            "2026-11-24",
            "24 Nov 2026",
            "by 24 November 2026",
            "24.11.2026",
            "Nov 24, 2026",
        ] {
            assert_eq!(hours_until(&noon(), text), Some(Ok(59.9)), "{text}");
        }
        assert_eq!(hours_until(&noon(), "2 d"), None);
        assert_eq!(hours_until(&noon(), "2026-13-01"), None);
        assert!(matches!(hours_until(&noon(), "2026-11-21"), Some(Err(_))));
        // The hour that is put back counts: Berlin, 25 October 2026.
        let berlin: Zoned = "2026-10-24T12:00[Europe/Berlin]".parse().unwrap();
        assert_eq!(hours_until(&berlin, "2026-10-25"), Some(Ok(36.9)));
    }
}
