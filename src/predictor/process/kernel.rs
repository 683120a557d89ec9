//! Kernels between sets of configurations, as matrices.

use super::KERNELS;
use super::cholesky::cut;
use super::inputs::{COORDINATES, Coordinate, Place, Scaler, bond, is_language, part_of};
use super::shape::{Shape, features_of, slopes_of};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

/// Added to squared distances, so that the root has a slope at zero.
const NUDGE: f64 = 1e-6;

/// Configurations in the scaled coordinates of every kernel.
pub(super) struct Points {
    /// By kernel: configurations × coordinates.
    pub scaled: [Array2<f64>; KERNELS],
    /// By part: configurations × features, each times the deviation of its slope.
    pub sloped: [Array2<f64>; 2],
    /// Configurations × parts: share of compute, several devices.
    pub parts: Array2<f64>,
    /// Which are language models.
    pub language: Vec<bool>,
}

impl Points {
    /// Scales places; `hidden` features stand at zero.
    pub(super) fn new(
        places: &[Place<'_>],
        scaler: &Scaler,
        shape: &Shape,
        hidden: &[bool],
    ) -> Self {
        let scaled = std::array::from_fn(|kernel| {
            let columns = &COORDINATES[kernel];
            let factors = shape.factors(kernel);
            Array2::from_shape_fn((places.len(), columns.len()), |(i, c)| {
                scaler.coordinate(places[i].row, columns[c], hidden) * factors[c]
            })
        });
        let sloped = std::array::from_fn(|part| {
            let features: Vec<usize> = features_of(slopes_of(part)).collect();
            Array2::from_shape_fn((places.len(), features.len()), |(i, c)| {
                let at = Coordinate::Feature(features[c]);
                scaler.coordinate(places[i].row, at, hidden) * shape.slopes[part][c].exp()
            })
        });
        let parts = Array2::from_shape_fn((places.len(), 2), |(i, p)| places[i].parts()[p]);
        let language = places.iter().map(|p| is_language(p.row, hidden)).collect();
        Self {
            scaled,
            sloped,
            parts,
            language,
        }
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.parts.nrows()
    }

    /// The rows of some of them.
    pub(super) fn slice(&self, rows: std::ops::Range<usize>) -> Self {
        let cut = |a: &Array2<f64>| cut(a.view(), rows.clone(), 0..a.ncols()).to_owned();
        Self {
            scaled: std::array::from_fn(|k| cut(&self.scaled[k])),
            sloped: std::array::from_fn(|p| cut(&self.sloped[p])),
            parts: cut(&self.parts),
            language: self.language[rows.clone()].to_vec(),
        }
    }
}

/// Distances between the rows of two matrices.
pub(super) fn distances(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Array2<f64> {
    let squares = |m: &ArrayView2<'_, f64>| m.map_axis(Axis(1), |r| r.dot(&r));
    let (sa, sb): (Array1<f64>, Array1<f64>) = (squares(&a), squares(&b));
    let mut d = a.dot(&b.t());
    for ((i, j), v) in d.indexed_iter_mut() {
        *v = ((sa[i] + sb[j] - 2.0 * *v).max(0.0) + NUDGE).sqrt();
    }
    d
}

/// How much of a part two configurations have in common, whatever their distance: the weight of it in each, and how much
/// holds between their kinds of models.
fn shared(a: &Points, i: usize, b: &Points, j: usize, part: usize) -> f64 {
    let weights = a.parts[[i, part]] * b.parts[[j, part]];
    weights * bond(part, a.language[i], b.language[j])
}

/// One exponential kernel between all of `a` and all of `b`, with its distances.
pub(super) fn exponential(
    a: &Points,
    b: &Points,
    shape: &Shape,
    kernel: usize,
) -> [Array2<f64>; 2] {
    let r = distances(a.scaled[kernel].view(), b.scaled[kernel].view());
    let amplitude = shape.amplitudes[kernel].exp();
    let part = part_of(kernel);
    let mut k = r.mapv(|r| amplitude * (-r).exp());
    for ((i, j), v) in k.indexed_iter_mut() {
        *v *= shared(a, i, b, j, part);
    }
    [k, r]
}

/// The linear kernel and the constant of one part.
pub(super) fn linear(a: &Points, b: &Points, shape: &Shape, part: usize) -> Array2<f64> {
    let constant = (2.0 * shape.constants[part]).exp();
    let mut k = a.sloped[part].dot(&b.sloped[part].t());
    for ((i, j), v) in k.indexed_iter_mut() {
        *v = (*v + constant) * shared(a, i, b, j, part);
    }
    k
}

/// All kernels between all of `a` and all of `b`.
pub(super) fn covariance(a: &Points, b: &Points, shape: &Shape) -> Array2<f64> {
    let mut k = linear(a, b, shape, 0) + linear(a, b, shape, 1);
    for kernel in 0..KERNELS {
        let [part, _] = exponential(a, b, shape, kernel);
        k += &part;
    }
    k
}

/// The covariance of `a` with itself, worked out in blocks of rows by all threads.
pub(super) fn gram(a: &Points, shape: &Shape) -> Array2<f64> {
    const ROWS: usize = 256;
    let n = a.len();
    let mut k = Array2::zeros((n, n));
    k.axis_chunks_iter_mut(Axis(0), ROWS)
        .into_par_iter()
        .enumerate()
        .for_each(|(chunk, mut rows)| {
            let first = chunk * ROWS;
            let last = first + rows.nrows();
            // Only the lower triangle is ever read.
            let block = covariance(&a.slice(first..last), &a.slice(0..last), shape);
            let height = rows.nrows();
            cut(rows.view_mut(), 0..height, 0..last).assign(&block);
        });
    k
}
