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

/// The hours of a deadline that is a day, counted anew; `None` where they are those the request has, but for what no plan
/// shows, or the day is over.
pub fn renewed_deadline(now: &Zoned, request: &PlanRequest) -> Option<f64> {
    let limits = request.limits.as_ref()?;
    let hours = hours_until(now, limits.deadline_day.as_deref()?)?.ok()?;
    let is_new = |before: f64| (before - hours).abs() >= 1.0;
    limits.deadline_h.is_none_or(is_new).then_some(hours)
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
    use crate::report;

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
        let at =
            |request: &PlanRequest, time: &str| renewed_deadline(&time.parse().unwrap(), request);
        assert_eq!(at(&request, "2026-11-22T12:20[UTC]"), None);
        assert_eq!(at(&request, "2026-11-23T12:00[UTC]"), Some(35.9));
        assert_eq!(at(&request, "2026-11-26T12:00[UTC]"), None);
        request.limits = None;
        assert_eq!(at(&request, "2026-11-23T12:00[UTC]"), None);
        assert_eq!(report::day(day("24.11.2026").unwrap()), "Tue 24 Nov 2026");
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
