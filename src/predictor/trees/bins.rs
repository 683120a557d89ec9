//! Features cut into at most 255 bins, column by column.

use ndarray::{ArrayView1, ArrayView2};

/// One feature as bin numbers, with the threshold at the upper edge of each bin but the last.
#[derive(Debug)]
pub(super) struct BinnedColumn {
    pub bins: Vec<u8>,
    pub edges: Vec<f32>,
}

/// Bins every column into at most `most` bins of about equal row counts.
pub(super) fn bin_columns(records: ArrayView2<'_, f32>, most: usize) -> Vec<BinnedColumn> {
    records
        .columns()
        .into_iter()
        .map(|column| bin_column(column, most))
        .collect()
}

fn bin_column(column: ArrayView1<'_, f32>, most: usize) -> BinnedColumn {
    let mut sorted: Vec<f32> = column.to_vec();
    sorted.sort_by(f32::total_cmp);
    let edges = edges(&sorted, most.clamp(2, 255));
    let bins = column
        .iter()
        // At most 254 edges, so the bin number fits.
        .map(|value| edges.partition_point(|edge| edge < value) as u8)
        .collect();
    BinnedColumn { bins, edges }
}

/// Midpoints between neighbouring values: all of them, or those at equal steps of rank.
fn edges(sorted: &[f32], most: usize) -> Vec<f32> {
    let mut distinct = sorted.to_vec();
    distinct.dedup();
    let middle = |pair: &[f32]| pair[0] + 0.5 * (pair[1] - pair[0]);
    if distinct.len() <= most {
        return distinct.windows(2).map(middle).collect();
    }
    let mut cuts: Vec<f32> = (1..most)
        .filter_map(|step| {
            let rank = step * sorted.len() / most;
            let below = *sorted.get(rank.checked_sub(1)?)?;
            let at = distinct.partition_point(|v| *v <= below);
            let above = *distinct.get(at)?;
            Some(middle(&[below, above]))
        })
        .collect();
    cuts.dedup();
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn few_values_keep_their_own_bins() {
        let columns = bin_columns(array![[1.0f32], [3.0], [1.0], [2.0]].view(), 255);
        assert_eq!(columns[0].edges, vec![1.5, 2.5]);
        assert_eq!(columns[0].bins, vec![0, 2, 0, 1]);
    }

    #[test]
    fn many_values_share_bins_evenly() {
        let column = ndarray::Array2::from_shape_fn((1000, 1), |(i, _)| i as f32);
        let columns = bin_columns(column.view(), 10);
        assert_eq!(columns[0].edges.len(), 9);
        assert_eq!(columns[0].bins.iter().filter(|b| **b == 0).count(), 100);
    }
}
