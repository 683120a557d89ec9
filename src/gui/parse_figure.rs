//! The digits of a number as people set them: thousands apart by threes, decimals after a point or a comma.

/// Whether a mark may stand between the digits of a number; an end of a line never does.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, ',' | '.' | '_') || (c.is_whitespace() && !is_line_end(c))
}

/// Whether a letter ends a line.
pub(super) fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Where the decimals of digits with marks begin.
enum Decimals {
    /// Nowhere: it is a whole number.
    None,
    /// After the sign at this byte.
    After(usize),
}

/// Digits with their marks (`1,281,167`, `2.000,50`, `1 281.5`, `1,5`) as digits with a decimal point at most; `None` where
/// the marks can be read in no way or in more than one.
///
/// Thousands are groups of exactly three after a first one that is no zero. A lone comma before another number of digits
/// than three is a decimal sign, and so is the last of points and commas where both stand.
pub(super) fn plain(figure: &str) -> Option<String> {
    let (whole, fraction) = match decimals(figure)? {
        Decimals::None => (figure, ""),
        Decimals::After(at) => (&figure[..at], &figure[at + 1..]),
    };
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !is_digits(fraction) {
        return None;
    }
    let whole = joined(whole)?;
    match (whole.is_empty(), fraction.is_empty()) {
        (true, true) => None,
        (false, true) => Some(whole),
        (_, false) => Some(format!("{whole}.{fraction}")),
    }
}

/// Which mark of a figure is its decimal sign; `None` where that cannot be told.
fn decimals(figure: &str) -> Option<Decimals> {
    let Some(last) = figure.rfind([',', '.']) else {
        return Some(Decimals::None);
    };
    let is_comma = figure[last..].starts_with(',');
    let sign = if is_comma { ',' } else { '.' };
    let is_lone = figure.matches(sign).count() == 1;
    let has_others = figure.chars().any(|c| c != sign && is_mark(c));
    let follow = figure.len() - last - 1;
    Some(match (is_comma, is_lone) {
        (false, true) => Decimals::After(last),
        // Points alone never set thousands apart: the one of 1.281 is a decimal sign.
        (false, false) => return None,
        (true, false) => Decimals::None,
        (true, true) if follow != 3 || figure[..last].contains('.') => Decimals::After(last),
        (true, true) if has_others => return None,
        // No thousands begin with a zero: 0,125 is an eighth.
        (true, true) if matches!(&figure[..last], "" | "0") => Decimals::After(last),
        (true, true) => Decimals::None,
    })
}

/// Digits without the marks that set thousands apart, which are all of one kind and stand by threes.
fn joined(whole: &str) -> Option<String> {
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let Some(mark) = whole.chars().find(|c| !c.is_ascii_digit()) else {
        return Some(whole.to_owned());
    };
    let is_same = |c: char| c == mark || (c.is_whitespace() && mark.is_whitespace());
    if !is_mark(mark) {
        return None;
    }
    let mut groups = whole.split(|c: char| !c.is_ascii_digit() && is_same(c));
    let first = groups.next().filter(|first| {
        (1..=3).contains(&first.len()) && is_digits(first) && !first.starts_with('0')
    })?;
    let mut out = first.to_owned();
    for group in groups {
        if group.len() != 3 || !is_digits(group) {
            return None;
        }
        out.push_str(group);
    }
    Some(out)
}

/// A number with a sign before it or none, as [`plain`] reads it.
pub(super) fn signed(text: &str) -> Option<f64> {
    let text = text.trim();
    let (sign, rest) = match text.strip_prefix(['-', crate::format::MINUS]) {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let value: f64 = plain(rest.trim_start())?.parse().ok()?;
    Some(sign * value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_by_threes_and_decimals_after_one_sign() {
        for (text, digits) in [
            ("2000", "2000"),
            ("2,000", "2000"),
            ("1,281,167", "1281167"),
            ("1 281 167", "1281167"),
            ("1\u{202F}281\u{a0}167", "1281167"),
            ("1_281_167", "1281167"),
            ("1.5", "1.5"),
            ("1.281", "1.281"),
            ("1,5", "1.5"),
            ("1,92", "1.92"),
            ("1,2345", "1.2345"),
            ("0,125", "0.125"),
            ("0.125", "0.125"),
            (".5", ".5"),
            (",5", ".5"),
            ("5.", "5"),
            ("5,", "5"),
            ("2.000,50", "2000.50"),
            ("2,000.50", "2000.50"),
            ("1.281.167,5", "1281167.5"),
            ("1,281,167.5", "1281167.5"),
            ("2 000.50", "2000.50"),
            ("2 000,50", "2000.50"),
            ("1234567.5", "1234567.5"),
        ] {
            assert_eq!(plain(text).as_deref(), Some(digits), "{text}");
        }
    }

    #[test]
    fn marks_that_can_be_read_in_no_way_or_in_two_are_refused() {
        for text in [
            "",
            ".",
            ",",
            "1 2 3",
            "1 23",
            "12 34",
            "1,28,5",
            "1,2,3",
            "1234,567",
            "1.281.167",
            "1.5.2",
            "1.5,2",
            "1,5.2",
            "1.5 00",
            "1,281 167",
            "1 281,167",
            "0,125,000",
            "01 234",
            "1\n2\n3",
            "1\n281\n167",
            "1  281",
            "1,,281",
            "x",
            "1x5",
        ] {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn a_sign_stands_before_the_digits() {
        assert_eq!(signed("-20"), Some(-20.0));
        assert_eq!(signed("\u{2212} 1,5"), Some(-1.5));
        assert_eq!(signed("+10"), Some(10.0));
        assert_eq!(signed(" 0,8 "), Some(0.8));
        assert!(signed("--1").is_none() && signed("-").is_none() && signed("nan").is_none());
    }
}
