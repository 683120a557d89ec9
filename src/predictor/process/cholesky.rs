//! Cholesky factor of a large positive matrix, blocked so that nearly all of it is matrix products.
//!
//! linfa-linalg's factor works a column at a time, which takes minutes on ten thousand rows; LAPACK would be a system
//! package. Blocks are of fixed size, so that the result does not depend on the number of threads.

use ndarray::{Array1, Array2, ArrayBase, ArrayView1, ArrayView2, Axis, Ix2, RawData, Slice};
use rayon::prelude::*;
use std::ops::Range;

const BLOCK: usize = 320;

/// Some rows and columns. (ndarray's `s!` expands to code that a crate without unsafe code may not hold.)
pub(super) fn cut<S: RawData>(
    mut a: ArrayBase<S, Ix2>,
    rows: Range<usize>,
    columns: Range<usize>,
) -> ArrayBase<S, Ix2> {
    a.slice_axis_inplace(Axis(0), Slice::from(rows));
    a.slice_axis_inplace(Axis(1), Slice::from(columns));
    a
}

/// The first values of a row.
fn head(mut row: ArrayView1<'_, f64>, count: usize) -> ArrayView1<'_, f64> {
    row.slice_axis_inplace(Axis(0), Slice::from(..count));
    row
}

/// The lower factor in place of the lower triangle; `None` where the matrix is not positive.
pub(super) fn factor(mut a: Array2<f64>) -> Option<Array2<f64>> {
    let n = a.nrows();
    let mut start = 0;
    while start < n {
        let end = (start + BLOCK).min(n);
        let corner = small(cut(a.view(), start..end, start..end))?;
        let (above, mut below) = a.view_mut().split_at(Axis(0), end);
        cut(above, start..end, start..end).assign(&corner);
        if end < n {
            let width = end - start;
            // The panel under the corner: solve X · cornerᵀ = panel, some rows at a time.
            let under = n - end;
            let mut panel = cut(below.view_mut(), 0..under, start..end);
            let inverse = inverse(&corner);
            panel
                .axis_chunks_iter_mut(Axis(0), BLOCK)
                .into_par_iter()
                .for_each(|mut rows| {
                    let solved = rows.dot(&inverse.t());
                    rows.assign(&solved);
                });
            let panel = panel.to_owned();
            // What the panel takes from the rest of the lower triangle.
            cut(below, 0..under, end..n)
                .axis_chunks_iter_mut(Axis(0), BLOCK)
                .into_par_iter()
                .enumerate()
                .for_each(|(chunk, mut rows)| {
                    let first = chunk * BLOCK;
                    let last = first + rows.nrows();
                    let height = rows.nrows();
                    let mut lower = cut(rows.view_mut(), 0..height, 0..last);
                    let left = cut(panel.view(), first..last, 0..width);
                    let right = cut(panel.view(), 0..last, 0..width);
                    ndarray::linalg::general_mat_mul(-1.0, &left, &right.t(), 1.0, &mut lower);
                });
        }
        start = end;
    }
    Some(a)
}

fn small(a: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    let n = a.nrows();
    let mut l = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        for j in 0..=i {
            let done: f64 = (0..j).map(|k| l[[i, k]] * l[[j, k]]).sum();
            let rest = a[[i, j]] - done;
            if i == j {
                if !(rest > 0.0 && rest.is_finite()) {
                    return None;
                }
                l[[i, i]] = rest.sqrt();
            } else {
                l[[i, j]] = rest / l[[j, j]];
            }
        }
    }
    Some(l)
}

/// Inverse of a small lower triangle.
fn inverse(l: &Array2<f64>) -> Array2<f64> {
    let n = l.nrows();
    let mut x = Array2::<f64>::zeros((n, n));
    for j in 0..n {
        x[[j, j]] = 1.0 / l[[j, j]];
        for i in j + 1..n {
            let done: f64 = (j..i).map(|k| l[[i, k]] * x[[k, j]]).sum();
            x[[i, j]] = -done / l[[i, i]];
        }
    }
    x
}

/// Inverses of the corners of a factor, block by block.
pub(super) fn corners(l: &Array2<f64>) -> Vec<Array2<f64>> {
    let n = l.nrows();
    let starts: Vec<usize> = (0..n).step_by(BLOCK).collect();
    (starts.into_par_iter())
        .map(|start| {
            let own = start..(start + BLOCK).min(n);
            inverse(&cut(l.view(), own.clone(), own).to_owned())
        })
        .collect()
}

/// Some columns of the inverse of a factor, without the rows above the block the first of them stands in, where all are
/// zero; `corners` are those of [`corners`].
pub(super) fn inverse_columns(
    l: &Array2<f64>,
    corners: &[Array2<f64>],
    columns: Range<usize>,
) -> Array2<f64> {
    let n = l.nrows();
    let top = columns.start / BLOCK * BLOCK;
    let mut x = Array2::<f64>::zeros((n - top, columns.len()));
    for (at, column) in columns.enumerate() {
        x[[column - top, at]] = 1.0;
    }
    for start in (top..n).step_by(BLOCK) {
        let end = (start + BLOCK).min(n);
        let (above, mut below) = x.view_mut().split_at(Axis(0), start - top);
        let mut rows = cut(below.view_mut(), 0..end - start, 0..above.ncols());
        let left = cut(l.view(), start..end, top..start);
        ndarray::linalg::general_mat_mul(-1.0, &left, &above, 1.0, &mut rows);
        let solved = corners[start / BLOCK].dot(&rows);
        rows.assign(&solved);
    }
    x
}

/// Solves `L Lᵀ x = b`.
pub(super) fn solve(l: &Array2<f64>, b: &Array1<f64>) -> Array1<f64> {
    let n = b.len();
    let mut x = b.clone();
    for i in 0..n {
        let done = head(l.row(i), i).dot(&head(x.view(), i));
        x[i] = (x[i] - done) / l[[i, i]];
    }
    // Backwards by columns of L, which are rows of Lᵀ: subtract as soon as a value is known.
    for i in (0..n).rev() {
        let value = x[i] / l[[i, i]];
        x[i] = value;
        let (mut before, _) = x.view_mut().split_at(Axis(0), i);
        before.scaled_add(-value, &head(l.row(i), i));
    }
    x
}

/// Solves a symmetric positive system given its lower triangle; zeros where it is not positive.
pub(in crate::predictor) fn solve_symmetric(lower: Array2<f64>, right: Array1<f64>) -> Vec<f64> {
    match factor(lower) {
        Some(l) => solve(&l, &right).to_vec(),
        None => vec![0.0; right.len()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_system_larger_than_a_block() {
        let n = 2 * BLOCK + 61;
        let a = Array2::from_shape_fn((n, n), |(i, j)| {
            (-((i as f64 - j as f64) / 9.0).abs()).exp() + if i == j { 0.1 } else { 0.0 }
        });
        let x = Array1::from_shape_fn(n, |i| ((i * 37) % 11) as f64 - 5.0);
        let b = a.dot(&x);
        let l = factor(a).unwrap();
        let found = solve(&l, &b);
        assert!((&found - &x).iter().all(|d| d.abs() < 1e-8));
        assert!(
            factor(Array2::<f64>::from_elem((3, 3), 1.0) - Array2::<f64>::eye(3) * 2.0).is_none()
        );
    }
}
