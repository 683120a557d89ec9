//! Figures as people read them.

use super::*;

/// Thin and no-break spaces are written `_` and `~` so that expectations can be read.
fn plain(text: String) -> String {
    text.replace(THIN, "_").replace(NBSP, "~")
}

#[test]
fn durations_step_from_seconds_to_whole_days() {
    let check = |seconds: f64, expect: &str| {
        assert_eq!(plain(duration(Seconds(seconds))), expect, "{seconds} s");
    };
    check(7.654, "7.65_s");
    check(59.94, "59.9_s");
    check(59.99, "1_min");
    check(42.0 * MINUTE, "42_min");
    check(59.7 * MINUTE, "1_h");
    check(4.0 * HOUR + 11.0 * MINUTE, "4_h~10_min");
    check(23.99 * HOUR, "1_d");
    check(30.2 * HOUR, "1_d~6_h");
    check(9.99 * DAY, "10_d");
    check(18.24 * DAY, "18.2_d");
    check(16.01 * DAY, "16_d");
    check(234.4 * DAY, "234_d");
    check(1234.0 * DAY, "3.38_years");
    check(20_058_419.0 * DAY, "54_900_years");
    check(-2.0 * HOUR, "−2_h");
    check(-1e-12, "0.0000_µs");
    check(-0.0, "0_µs");
    check(f64::NAN, UNKNOWN);
}

#[test]
fn steps_are_shown_in_the_unit_that_needs_no_zeros() {
    assert_eq!(plain(step_time(Seconds(0.000_64))), "640_µs");
    assert_eq!(plain(step_time(Seconds(0.085_34))), "85.3_ms");
    assert_eq!(plain(step_time(Seconds(0.999_9))), "1.00_s");
    assert_eq!(plain(step_time(Seconds(123.4))), "123_s");
}

#[test]
fn numbers_keep_three_digits_and_set_thousands_apart() {
    assert_eq!(plain(number(4.789)), "4.79");
    assert_eq!(plain(number(0.534)), "0.53");
    assert_eq!(plain(number(8567.0)), "8_570");
    assert_eq!(plain(number(1_234_567.0)), "1_230_000");
    assert_eq!(plain(number(-0.001)), "−0.0010");
    assert_eq!(plain(number(0.0)), "0");
    assert_eq!(plain(count(1_234_567.0)), "1_234_567");
    assert_eq!(plain(fixed(-0.001, 2)), "0.00");
}

#[test]
fn money_has_no_cents_but_in_hourly_prices() {
    assert_eq!(plain(money(Usd(1449.0))), "$1_450");
    assert_eq!(plain(money(Usd(4.79))), "$4.79");
    assert_eq!(plain(money(Usd(0.002))), "<$0.01");
    assert_eq!(plain(money(Usd(0.0))), "$0");
    assert_eq!(plain(money(Usd(1_236_000.0))), "$1.24_M");
    assert_eq!(plain(money(Usd(999_900.0))), "$1.00_M");
    assert_eq!(plain(money(Usd(-383.0))), "−$383");
    assert_eq!(plain(money(Usd(-0.0))), "$0");
    assert_eq!(plain(money(Usd(1e15))), "$1_000_T");
    assert_eq!(plain(money_per_hour(UsdPerHour(2.99))), "$2.99/h");
}

#[test]
fn shares_are_whole_percents() {
    assert_eq!(plain(percent(0.417)), "42_%");
    assert_eq!(plain(percent_in_table(0.047)), "4.7_%");
    assert_eq!(plain(percent_in_table(0.42)), "42_%");
    assert_eq!(plain(half_width(0.11)), "±11~%");
    for none in [-0.0, -1e-9, -0.0004] {
        assert!(!plain(percent_in_table(none)).contains(MINUS), "{none}");
        assert!(!plain(percent(none)).contains(MINUS), "{none}");
        assert!(!plain(fixed(none * 100.0, 1)).contains(MINUS), "{none}");
    }
}

#[test]
fn an_interval_shows_both_sides_where_they_are_clearly_uneven() {
    assert_eq!(plain(interval(100.0, 90.0, 112.0)), "±11~%");
    assert_eq!(plain(interval(100.0, 91.0, 114.0)), "−9~%~/~+14~%");
    assert_eq!(plain(interval(50.0, 30.0, 52.0)), "−40~%~/~+4~%");
    // What rounds to the same is told as one.
    assert_eq!(plain(interval(1000.0, 997.0, 1004.0)), "±0~%");
    assert_eq!(plain(interval(0.0, 0.0, 0.0)), "±0~%");
}

#[test]
fn physical_quantities_pick_their_unit() {
    assert_eq!(plain(energy(KilowattHours(343.2))), "343_kWh");
    assert_eq!(plain(energy(KilowattHours(12_400.0))), "12.4_MWh");
    assert_eq!(plain(energy(KilowattHours(0.53))), "530_Wh");
    assert_eq!(plain(emissions(KgCo2e(1240.0))), "1.24_t");
    assert_eq!(plain(memory_gib(Bytes::from_gib(71.34))), "71.3_GiB");
    assert_eq!(plain(memory_gib(Bytes(1_073_741_824.0))), "1.00_GiB");
    assert_eq!(plain(power(Watts(412.0))), "412_W");
    assert_eq!(plain(rate(8567.0, "tokens/s")), "8_570_tokens/s");
}

#[test]
fn both_ends_of_an_energy_interval_stand_in_the_unit_of_its_value() {
    let interval = |value, low, high| {
        let [value, low, high] = [value, low, high].map(KilowattHours);
        plain(energy_interval(value, low, high))
    };
    assert_eq!(interval(21_500.0, 9_100.0, 33_000.0), "9.10 to 33.0_MWh");
    assert_eq!(interval(8_330.0, 4_900.0, 13_300.0), "4_900 to 13_300_kWh");
    assert_eq!(interval(0.9, 0.5, 1.4), "500 to 1_400_Wh");
    assert_eq!(interval(1.5e7, 9e6, 2e7), "9.00 to 20.0_GWh");
}

#[test]
fn changes_turn_into_ratios_above_twice() {
    assert_eq!(plain(change(1.12)), "▲_12_%");
    assert_eq!(plain(change(0.92)), "▼_8_%");
    assert_eq!(plain(change(1.001)), "=");
    assert_eq!(plain(change(2.094)), "2.09×");
}

#[test]
fn large_counts_shorten_to_words_of_files() {
    assert_eq!(plain(short_count(15e9)), "15_B");
    assert_eq!(plain(short_count(1.281e6)), "1.28_M");
    assert_eq!(plain(short_count(9_000.0)), "9_000");
    assert_eq!(plain(short_count(100e9)), "100_B");
    assert_eq!(plain(counted(1.0, "step")), "1 step");
    assert_eq!(plain(counted(0.5, "epoch")), "0.50 epochs");
    assert_eq!(plain(counted(15e9, "token")), "15_B tokens");
}

#[test]
fn energies_and_emissions_of_a_row_share_a_unit() {
    let of = |texts: [String; 2]| texts.map(|text| text.replace(THIN, " "));
    let energies =
        of([12_300.0, 7770.0]
            .map(|kwh| energy_beside(KilowattHours(12_300.0), KilowattHours(kwh))));
    assert_eq!(energies, ["12.3 MWh", "7.77 MWh"]);
    let masses = of([1240.0, 980.0].map(|kg| emissions_beside(KgCo2e(1240.0), KgCo2e(kg))));
    assert_eq!(masses, ["1.24 t", "0.98 t"]);
    assert_eq!(
        energy_beside(KilowattHours(530.0), KilowattHours(530.0)).replace(THIN, " "),
        "530 kWh"
    );
}

#[test]
fn what_somebody_wrote_is_shown_without_digits_nobody_counts() {
    for (value, shown) in [
        (-2.0, "-2"),
        (0.25, "0.25"),
        (20_000.0, "20\u{202F}000"),
        (
            1e15,
            "1\u{202F}000\u{202F}000\u{202F}000\u{202F}000\u{202F}000",
        ),
        (1e308, "1e308"),
        (f64::INFINITY, "inf"),
    ] {
        assert_eq!(as_given(value), shown);
    }
}

#[test]
fn what_was_given_and_what_is_round_has_no_decimals() {
    assert_eq!(plain(money_given(Usd(10.0))), "$10");
    assert_eq!(plain(money_given(Usd(10.5))), "$10.50");
    assert_eq!(plain(money_given(Usd(9.999))), "$10.00");
    assert_eq!(plain(money_given(Usd(2000.0))), "$2_000");
    let ticks = ROUND_HOURS.map(hours_tick);
    assert_eq!(ticks.map(plain)[17..], ["3_years", "6_years", "12_years"]);
    assert_eq!(plain(hours_tick(30_000.0)), "3.42_years");
}
