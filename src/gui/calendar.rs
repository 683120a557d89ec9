//! Days for people: a deadline that is given as a day.

use crate::planner::PlanRequest;
use jiff::civil::Date;
use jiff::{Unit, Zoned};

/// Ways to write a day, the first of which is shown in errors.
const WAYS: [&str; 7] = [
    "%Y-%m-%d",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d.%m.%Y",
    "%a %d %b %Y",
];

/// The day that a text names; `None` where it names none.
pub fn day(text: &str) -> Option<Date> {
    let text = text.trim().trim_start_matches("by ").trim();
    WAYS.iter().find_map(|way| Date::strptime(way, text).ok())
}

/// A day as fields and notes have it, e.g. `Tue 24 Nov 2026`.
pub fn spelled(day: Date) -> String {
    day.strftime("%a %-d %b %Y").to_string()
}

/// Counts the hours of a deadline that is a day anew; whether they are others than before by so much that a plan may differ.
/// Those of a day that is over stay.
pub fn renew_deadline(now: &Zoned, request: &mut PlanRequest) -> bool {
    let Some(limits) = &mut request.limits else {
        return false;
    };
    let hours = (limits.deadline_day.as_deref()).and_then(|day| hours_until(now, day)?.ok());
    let is_new = hours.is_some_and(|hours| {
        limits
            .deadline_h
            .is_none_or(|before| (before - hours).abs() >= 1.0)
    });
    if is_new {
        limits.deadline_h = hours;
    }
    is_new
}

/// Hours from `now` to the end of the day that a text names; `None` where it names none.
///
/// # Errors
/// A sentence, where that day is over.
pub fn hours_until(now: &Zoned, text: &str) -> Option<Result<f64, String>> {
    let day = day(text)?;
    let text = text.trim();
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
    use crate::planner::LimitsRequest;

    fn noon() -> Zoned {
        "2026-11-22T12:00[UTC]".parse().unwrap()
    }

    #[test]
    fn the_hours_to_a_day_pass_and_those_of_a_day_that_is_over_stay() {
        let mut request = PlanRequest {
            limits: Some(LimitsRequest {
                deadline_h: Some(59.9),
                deadline_day: Some("2026-11-24".to_owned()),
                ..LimitsRequest::default()
            }),
            ..PlanRequest::default()
        };
        let hours = |request: &PlanRequest| request.limits.clone().unwrap().deadline_h;
        let mut at = |time: &str| renew_deadline(&time.parse().unwrap(), &mut request);
        assert!(!at("2026-11-22T12:20[UTC]"));
        assert!(at("2026-11-23T12:00[UTC]"));
        assert!(!at("2026-11-26T12:00[UTC]"));
        assert_eq!(hours(&request), Some(35.9));
        assert_eq!(spelled(day("24.11.2026").unwrap()), "Tue 24 Nov 2026");
        assert_eq!(day("Tue 24 Nov 2026"), day("2026-11-24"));
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
