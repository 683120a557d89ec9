//! Human numbers: three significant digits, narrow no-break spaces, real minus signs.
//!
//! Rounding is for show alone; sorting, differences and files use the full value. The rules are those of the
//! project's design tokens: U+202F between thousands and before a unit, U+00A0 between the parts of a duration.

use crate::units::{Bytes, KgCo2e, KilowattHours, Seconds, Usd, UsdPerHour, Watts};

/// Between thousands and before a unit.
pub const THIN: char = '\u{202F}';
/// Between the parts of a duration.
pub const NBSP: char = '\u{00A0}';
/// A real minus sign.
pub const MINUS: char = '\u{2212}';
/// What stands for a value that is not known.
pub const UNKNOWN: &str = "—";

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;
const YEAR_DAYS: f64 = 365.25;

/// Hours that people count in, from a minute to years: ticks of every time axis, on the screen and on paper.
pub const ROUND_HOURS: [f64; 20] = [
    1.0 / 60.0,
    5.0 / 60.0,
    0.5,
    1.0,
    3.0,
    6.0,
    12.0,
    24.0,
    48.0,
    96.0,
    192.0,
    384.0,
    768.0,
    1536.0,
    3072.0,
    6144.0,
    12_288.0,
    // Days that are told as years from here on: 3, 6 and 12 of them.
    26_298.0,
    52_596.0,
    105_192.0,
];

/// Beyond this a number that somebody wrote is shown as a power of ten: nobody counts so many digits.
const LONGEST_WRITTEN: f64 = 1e15;

/// A number as it was given, its thousands set apart: `8 570`, `0.25`, `1e308`.
pub fn as_given(value: f64) -> String {
    if value.abs() > LONGEST_WRITTEN {
        format!("{value:e}")
    } else if value.fract() == 0.0 && value.abs() >= 1000.0 {
        count(value)
    } else {
        value.to_string()
    }
}

/// A whole count, exact: `8 570`.
pub fn count(value: f64) -> String {
    fixed(value, 0)
}

/// A number with a set number of decimals and its thousands set apart; for lists that share their decimals.
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::with_capacity(text.len() + 8);
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    if value < 0.0 && !is_zero {
        out.push(MINUS);
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(digit);
    }
    out.push_str(rest);
    out
}

/// Three significant digits: `4.79`, `34.3`, `8 570`.
pub fn number(value: f64) -> String {
    let rounded = three_digits(value);
    fixed(rounded, decimals_for(rounded))
}

/// Samples of a batch: exact where they are whole, three significant digits of an average.
pub fn samples(value: f64) -> String {
    match value.fract() == 0.0 {
        true => count(value),
        false => number(value),
    }
}

/// A number of a column that shares its decimals: three significant digits where there are none, else what is there, for
/// a decimal that was rounded away must not read as a zero that was found.
pub fn in_column(value: f64, decimals: usize) -> String {
    let is_whole = decimals == 0;
    fixed(if is_whole { three_digits(value) } else { value }, decimals)
}

/// Decimals that show three significant digits of `value`; take the largest entry of a list.
pub fn decimals_for(value: f64) -> usize {
    match value.abs() {
        x if x >= 100.0 || x == 0.0 || !x.is_finite() => 0,
        x if x >= 10.0 => 1,
        x if x >= 0.1 => 2,
        x if x >= 0.01 => 3,
        _ => 4,
    }
}

fn three_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let unit = 10f64.powi(2 - value.abs().log10().floor() as i32);
    // Division by the exact power keeps 1e9-sized results whole where multiplication by 1e-7 would not.
    (value * unit).round() / unit
}

fn with_unit(value: f64, unit: &str) -> String {
    format!("{}{THIN}{unit}", number(value))
}

/// The first step whose rounded value stays under the next step's start decides the unit.
fn scaled(value: f64, steps: &[(f64, &str)]) -> String {
    let mut best = steps.first().copied().unwrap_or((1.0, ""));
    for &(size, unit) in steps {
        if three_digits(value.abs()) >= size {
            best = (size, unit);
        }
    }
    with_unit(value / best.0, best.1)
}

/// How long a run takes: `7.65 s`, `42 min`, `4 h 10 min` (5 min steps), `1 d 6 h`, `18.2 d` from ten
/// days, whole days from a hundred, `3.38 years` from three years.
pub fn duration(time: Seconds) -> String {
    let t = time.value();
    if !t.is_finite() {
        return UNKNOWN.to_owned();
    }
    if t < 0.0 {
        let text = duration(Seconds(-t));
        let is_zero = !text.chars().any(|c| matches!(c, '1'..='9'));
        return if is_zero {
            text
        } else {
            format!("{MINUS}{text}")
        };
    }
    if three_digits(t) < MINUTE {
        return step_time(time);
    }
    // Half of a short run's time must not be lost in its rounding.
    let five_seconds = (t / 5.0).round() * 5.0;
    if five_seconds < 10.0 * MINUTE {
        return parts(five_seconds, MINUTE, "min", "s");
    }
    if (t / MINUTE).round() < 60.0 {
        return format!("{}{THIN}min", count(t / MINUTE));
    }
    let five_minutes = (t / (5.0 * MINUTE)).round() * 5.0;
    if five_minutes < 24.0 * 60.0 {
        return parts(five_minutes, 60.0, "h", "min");
    }
    let hours = (t / HOUR).round();
    if hours < 240.0 {
        return parts(hours, 24.0, "d", "h");
    }
    let days = t / DAY;
    if days >= 3.0 * YEAR_DAYS {
        return with_unit(days / YEAR_DAYS, "years");
    }
    // A tenth of a short run's days is money: count × hours × price must be seen to be the cost.
    let text = fixed(days, usize::from(days < 99.95));
    format!("{}{THIN}d", text.strip_suffix(".0").unwrap_or(&text))
}

/// `total` small units as large and small ones; a rest of nothing is left out.
fn parts(total: f64, per_large: f64, large: &str, small: &str) -> String {
    let whole = (total / per_large).floor();
    let rest = total - whole * per_large;
    let head = format!("{}{THIN}{large}", count(whole));
    if rest == 0.0 {
        head
    } else {
        format!("{head}{NBSP}{}{THIN}{small}", count(rest))
    }
}

/// A duration given in hours, as totals are.
pub fn hours(hours: f64) -> String {
    duration(Seconds(hours * HOUR))
}

/// Hours at a tick of an axis: as any, but `3 years` where they are whole.
pub fn hours_tick(value: f64) -> String {
    let text = hours(value);
    let years = value / 24.0 / YEAR_DAYS;
    match text.ends_with("years") && years.fract() == 0.0 {
        true => format!("{}{THIN}years", count(years)),
        false => text,
    }
}

/// Both ends of an interval of hours: `1 d 3 h to 1 d 10 h`.
pub fn hours_interval(low: f64, high: f64) -> String {
    format!("{} to {}", hours(low), hours(high))
}

/// A figure in words, or the sign for one that is unknown.
pub fn known(text: Option<String>) -> String {
    text.unwrap_or_else(|| UNKNOWN.to_owned())
}

/// How long a step takes: `640 µs`, `85.3 ms`, `7.65 s`.
pub fn step_time(time: Seconds) -> String {
    scaled(time.value(), &[(1e-6, "µs"), (1e-3, "ms"), (1.0, "s")])
}

/// Amounts of dollars below this are told with cents.
pub const CENTS: f64 = 20.0;

/// An amount of money: `$1 450`, three digits without cents from $20 on, `$1.24 M` from a million.
pub fn money(amount: Usd) -> String {
    let usd = amount.value();
    if !usd.is_finite() {
        return UNKNOWN.to_owned();
    }
    let sign = if usd < 0.0 { "\u{2212}" } else { "" };
    let size = three_digits(usd.abs());
    match size {
        s if s >= 1e12 => format!("{sign}${}{THIN}T", number(s / 1e12)),
        s if s >= 1e9 => format!("{sign}${}{THIN}B", number(s / 1e9)),
        s if s >= 1e6 => format!("{sign}${}{THIN}M", number(s / 1e6)),
        s if s > 0.0 && s < 0.005 => format!("{sign}<$0.01"),
        s if s > 0.0 && s < CENTS => format!("{sign}${}", fixed(usd.abs(), 2)),
        s => format!("{sign}${}", count(s)),
    }
}

/// An amount that somebody gave, a limit: without the cents where it has none, `$10`.
pub fn money_given(amount: Usd) -> String {
    let text = money(amount);
    match text.strip_suffix(".00") {
        Some(whole) if amount.value().fract() == 0.0 => whole.to_owned(),
        _ => text,
    }
}

/// Both ends of an interval of money: `$1 290 to $1 620`.
pub fn money_interval(low: Usd, high: Usd) -> String {
    format!("{} to {}", money(low), money(high))
}

/// An hourly price with cents: `$2.99/h`.
pub fn money_per_hour(price: UsdPerHour) -> String {
    format!("${}/h", fixed(price.value(), 2))
}

/// A share as a whole percentage: `42 %`.
pub fn percent(share: f64) -> String {
    format!("{}{THIN}%", count(share * 100.0))
}

/// A share in a table: one decimal below 10 %, `4.7 %`.
pub fn percent_in_table(share: f64) -> String {
    let whole = share * 100.0;
    let decimals = usize::from(whole != 0.0 && whole.abs() < 9.95);
    format!("{}{THIN}%", fixed(whole, decimals))
}

/// The relative half-width of an interval: `±11 %`. The space never ends a line, in egui's text neither.
pub fn half_width(share: f64) -> String {
    format!("±{}{NBSP}%", count(share * 100.0))
}

/// One side of an interval may be longer than the other by this share of the value and still be called the same: a reader who
/// works out the ends from one figure must not miss the stated ones by more than a rounding.
const UNEVEN: f64 = 0.025;

/// How wide an interval is, relative to its value: `±11 %`, and `−9 % / +14 %` where its sides are not the same.
pub fn interval(value: f64, low: f64, high: f64) -> String {
    if value <= 0.0 {
        return half_width(0.0);
    }
    let (below, above) = ((value - low) / value, (high - value) / value);
    let is_even = (below - above).abs() <= UNEVEN;
    let [less, more] = [below, above].map(|share| count(share * 100.0));
    if is_even || less == more {
        return half_width((below + above) / 2.0);
    }
    format!("{MINUS}{less}{NBSP}%{NBSP}/{NBSP}+{more}{NBSP}%")
}

/// The same with one sign of percent, where there is little room: `±11 %`, `−9/+14 %`.
pub fn interval_short(value: f64, low: f64, high: f64) -> String {
    let between = format!("{NBSP}%{NBSP}/{NBSP}");
    interval(value, low, high).replace(&between, "/")
}

/// Energy: `343 kWh`, `12.4 MWh` from ten thousand, `530 Wh` below one.
pub fn energy(energy: KilowattHours) -> String {
    energy_beside(energy, energy)
}

/// The same in the unit that shows another, the largest of a row.
pub fn energy_beside(largest: KilowattHours, energy: KilowattHours) -> String {
    let (size, unit) = energy_unit(largest);
    with_unit(energy.value() / size, unit)
}

/// The ends of an interval of energy, both in the unit of its value, which is said once: `131 to 330 MWh`.
pub fn energy_interval(value: KilowattHours, low: KilowattHours, high: KilowattHours) -> String {
    let (size, unit) = energy_unit(value);
    let end = |end: KilowattHours| number(end.value() / size);
    format!("{} to {}{THIN}{unit}", end(low), end(high))
}

/// Kilowatt-hours in the unit that shows a value, and its name.
fn energy_unit(energy: KilowattHours) -> (f64, &'static str) {
    match three_digits(energy.value().abs()) {
        x if x >= 1e7 => (1e6, "GWh"),
        x if x >= 1e4 => (1e3, "MWh"),
        x if x >= 1.0 || x == 0.0 => (1.0, "kWh"),
        _ => (1e-3, "Wh"),
    }
}

/// Emissions: `142 kg`, `1.24 t` from a tonne.
pub fn emissions(mass: KgCo2e) -> String {
    emissions_beside(mass, mass)
}

/// The same in the unit that shows others, the largest of a row.
pub fn emissions_beside(largest: KgCo2e, mass: KgCo2e) -> String {
    let (size, unit) = match three_digits(largest.value().abs()) {
        x if x >= 1e3 => (1e3, "t"),
        _ => (1.0, "kg"),
    };
    with_unit(mass.value() / size, unit)
}

/// A text as it opens a sentence: its first letter large.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// So many of a part: `16 × H100 SXM`.
pub fn devices(count: u32, label: &str) -> String {
    format!("{count}{THIN}×{THIN}{label}")
}

/// Device memory in gibibytes (2^30 bytes), as allocators report it: `66.4 GiB`.
pub fn memory_gib(size: Bytes) -> String {
    with_unit(size.gib(), "GiB")
}

/// Power: `412 W`, `12.4 kW` from ten thousand.
pub fn power(power: Watts) -> String {
    let watts = power.value();
    if three_digits(watts.abs()) >= 1e4 {
        with_unit(watts / 1e3, "kW")
    } else {
        with_unit(watts, "W")
    }
}

/// A rate of a whole job: `8 570 tokens/s`.
pub fn rate(value: f64, unit: &str) -> String {
    with_unit(value, unit)
}

/// How many times: `2.09×`.
pub fn ratio(times: f64) -> String {
    format!("{}×", number(times))
}

/// A value against its baseline: `▲ 12 %`, `▼ 8 %`, `=`, and above twice `2.09×`.
pub fn change(ratio_to_baseline: f64) -> String {
    if !ratio_to_baseline.is_finite() {
        return UNKNOWN.to_owned();
    }
    if ratio_to_baseline > 2.0 {
        return ratio(ratio_to_baseline);
    }
    let points = ((ratio_to_baseline - 1.0) * 100.0).round();
    match points {
        p if p > 0.0 => format!("▲{THIN}{}{THIN}%", count(p)),
        p if p < 0.0 => format!("▼{THIN}{}{THIN}%", count(-p)),
        _ => "=".to_owned(),
    }
}

/// A large count in words of files: `15 B`, `1.28 M`, `90 K`; exact below ten thousand.
pub fn short_count(value: f64) -> String {
    match three_digits(value.abs()) {
        x if x >= 1e12 => short(value / 1e12, "T"),
        x if x >= 1e9 => short(value / 1e9, "B"),
        x if x >= 1e6 => short(value / 1e6, "M"),
        x if x >= 1e4 => short(value / 1e3, "K"),
        _ => count(value),
    }
}

/// A count with its noun: `1 step`, `90 epochs`, `15 B tokens`.
pub fn counted(value: f64, noun: &str) -> String {
    let figure = if value.fract() == 0.0 || value >= 1e4 {
        short_count(value)
    } else {
        number(value)
    };
    format!("{figure} {noun}{}", plural(value))
}

/// What a noun ends in behind so many.
pub fn plural(count: f64) -> &'static str {
    if count == 1.0 { "" } else { "s" }
}

/// Three digits without trailing zeros after the point.
fn short(value: f64, suffix: &str) -> String {
    let text = number(value);
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text}{THIN}{suffix}")
}

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
