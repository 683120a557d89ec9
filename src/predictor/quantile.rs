//! Quantiles of weighted values.

/// The least of the values, each with its weight, that holds a share (0 to 1) of all weight at or below it; the largest
/// where rounding leaves the share out of reach, `None` of no values. Sorts them.
pub(super) fn weighted_quantile(values: &mut [(f64, f64)], share: f64) -> Option<f64> {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let reach = share * values.iter().map(|v| v.1).sum::<f64>();
    let mut sum = 0.0;
    let found = values.iter().find(|(_, weight)| {
        sum += weight;
        sum >= reach
    });
    found.or(values.last()).map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_decides_not_count() {
        for (weights, share, expected) in [
            ([1.0, 1.0, 1.0], 0.5, 2.0),
            ([1.0, 1.0, 9.0], 0.5, 3.0),
            ([8.0, 1.0, 1.0], 0.8, 1.0),
            ([8.0, 1.0, 1.0], 0.85, 2.0),
        ] {
            let mut values: Vec<(f64, f64)> = [1.0, 2.0, 3.0].into_iter().zip(weights).collect();
            values.reverse();
            let found = weighted_quantile(&mut values, share);
            assert_eq!(found, Some(expected), "{weights:?} {share}");
        }
        assert_eq!(weighted_quantile(&mut [], 0.5), None);
    }
}
