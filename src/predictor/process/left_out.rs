//! What the process would have missed by, had it not seen a run nor its twins: worked out from the one fit on all.
//!
//! Of a block of runs `B` that is left out, what is missed is `((K⁻¹)_BB)⁻¹ (K⁻¹ t)_B` (Rasmussen and Williams, "Gaussian
//! Processes for Machine Learning", 2006, section 5.4.2, for single runs; the same holds of blocks).

use super::cholesky::{self, cut};
use ndarray::{Array1, Array2, Axis, Slice};
use rayon::prelude::*;
use std::ops::Range;

/// Columns that are solved for at once, about: whole blocks are never parted.
const WIDTH: usize = 256;

/// What is missed of each run when its block is left out. `factor` is the lower Cholesky factor of the covariance with its
/// noise and `alpha` the coefficients; runs of one block (`blocks`, a number for each run) must stand together.
pub(super) fn misses(factor: &Array2<f64>, alpha: &Array1<f64>, blocks: &[u32]) -> Vec<f64> {
    let inverses = cholesky::corners(factor);
    let missed: Vec<Vec<f64>> = chunks(blocks)
        .into_par_iter()
        .map(|runs| {
            let (first, last) = (runs[0].start, runs[runs.len() - 1].end);
            let columns = cholesky::inverse_columns(factor, &inverses, first..last);
            let of_block = |run: &Range<usize>| {
                let own = cut(
                    columns.view(),
                    0..columns.nrows(),
                    run.start - first..run.end - first,
                );
                let coefficients = alpha.slice_axis(Axis(0), Slice::from(run.clone()));
                cholesky::solve_symmetric(own.t().dot(&own), coefficients.to_owned())
            };
            runs.iter().flat_map(of_block).collect()
        })
        .collect();
    missed.concat()
}

/// Runs of each block, in chunks of about [`WIDTH`] runs.
fn chunks(blocks: &[u32]) -> Vec<Vec<Range<usize>>> {
    let mut chunks: Vec<Vec<Range<usize>>> = Vec::new();
    let mut start = 0;
    for same in blocks.chunk_by(|a, b| a == b) {
        let run = start..start + same.len();
        start = run.end;
        match chunks.last_mut() {
            Some(chunk) if run.end - chunk[0].start <= WIDTH => chunk.push(run),
            _ => chunks.push(vec![run]),
        }
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A covariance of runs on a line, with noise.
    fn covariance(at: &[f64]) -> Array2<f64> {
        Array2::from_shape_fn((at.len(), at.len()), |(i, j)| {
            (-(at[i] - at[j]).abs() / 9.0).exp() + if i == j { 0.1 } else { 0.0 }
        })
    }

    #[test]
    fn is_what_a_fit_without_the_block_misses() {
        let n = 700;
        let at: Vec<f64> = (0..n).map(|i| ((i * 37) % n) as f64).collect();
        let targets = Array1::from_shape_fn(n, |i| (at[i] / 20.0).sin() + (i % 7) as f64 / 20.0);
        let blocks: Vec<u32> = (0..n as u32)
            .map(|i| if i < 400 { i / 3 } else { 200 + i / 40 })
            .collect();
        let factor = cholesky::factor(covariance(&at)).unwrap();
        let alpha = cholesky::solve(&factor, &targets);
        let missed = misses(&factor, &alpha, &blocks);
        assert_eq!(missed.len(), n);
        for block in [0, 77, 133, 210, 217] {
            let (out, kept): (Vec<usize>, Vec<usize>) = (0..n).partition(|i| blocks[*i] == block);
            let k = covariance(&kept.iter().map(|i| at[*i]).collect::<Vec<_>>());
            let known = Array1::from_iter(kept.iter().map(|i| targets[*i]));
            let alpha = cholesky::solve(&cholesky::factor(k).unwrap(), &known);
            for i in out {
                let near = |j: &usize| (-(at[i] - at[*j]).abs() / 9.0).exp();
                let said: f64 = kept.iter().map(near).zip(&alpha).map(|(k, a)| k * a).sum();
                let gap = targets[i] - said - missed[i];
                assert!(gap.abs() < 1e-8, "run {i} of block {block}: {gap}");
            }
        }
    }
}
