//! Days for people: when a run is done that starts today. Today is given, so that the same plan makes the same page.

use crate::predictor::Estimate;
use jiff::civil::Date;
use jiff::{SignedDuration, Zoned};

/// A day as people write it: `Tue 24 Nov 2026`.
pub fn day(day: Date) -> String {
    day.strftime("%a %-d %b %Y").to_string()
}

/// The day on which something that starts `now` and takes so many `hours` is done, e.g. `Tue 24 Nov 2026`; `None` beyond the
/// calendar's end (the year 9999).
pub fn done_on(now: &Zoned, hours: f64) -> Option<String> {
    let takes = SignedDuration::try_from_secs_f64(hours * 3600.0).ok()?;
    let done = now.checked_add(takes).ok()?;
    Some(day(done.date()))
}

/// `Done on Tue 8 Dec 2026, Thu 10 Dec 2026 by the upper end, if it starts now`, of the hours that a run takes; `start` is
/// the last word, `now` or the day.
pub fn done_said(now: &Zoned, hours: Estimate, start: &str) -> Option<String> {
    let (likely, late) = (done_on(now, hours.value)?, done_on(now, hours.high)?);
    let late = match likely == late {
        true => String::new(),
        false => format!(", {late} by the upper end"),
    };
    Some(format!("Done on {likely}{late}, if it starts {start}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> Zoned {
        "2026-11-22T12:00[UTC]".parse().unwrap()
    }

    #[test]
    fn a_run_is_done_on_a_day() {
        assert_eq!(done_on(&noon(), 1.0).as_deref(), Some("Sun 22 Nov 2026"));
        assert_eq!(done_on(&noon(), 13.0).as_deref(), Some("Mon 23 Nov 2026"));
        assert_eq!(
            done_on(&noon(), 24.0 * 365.0).as_deref(),
            Some("Mon 22 Nov 2027")
        );
        assert_eq!(done_on(&noon(), 1e12), None);
        assert_eq!(done_on(&noon(), f64::NAN), None);
    }

    #[test]
    fn the_upper_end_is_told_where_it_is_another_day() {
        let of = |value, high| {
            let low = value;
            done_said(&noon(), Estimate { value, low, high }, "now").unwrap()
        };
        assert_eq!(of(1.0, 2.0), "Done on Sun 22 Nov 2026, if it starts now");
        assert_eq!(
            of(1.0, 30.0),
            "Done on Sun 22 Nov 2026, Mon 23 Nov 2026 by the upper end, if it starts now"
        );
    }
}
