//! Ridge regression on standardised features: the smooth half of the compute stage.

use linfa_linalg::cholesky::Cholesky;
use linfa_linalg::triangular::{SolveTriangular, UPLO};
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// A fitted ridge on clipped, standardised features.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ridge {
    means: Vec<f64>,
    scales: Vec<f64>,
    coefficients: Vec<f64>,
    intercept: f64,
}

/// Standardised values are clipped here, so that a strange row cannot be extrapolated far.
const CLIP: f64 = 3.0;

impl Ridge {
    /// Fits `targets` on `records` with row weights and penalty `lambda` (per standardised feature, in weight units).
    pub fn fit(records: &Array2<f32>, targets: &[f64], weights: &[f64], lambda: f64) -> Self {
        let total: f64 = weights.iter().sum::<f64>().max(1e-12);
        let mut ridge = Self::scaler(records, weights, total);
        let columns = records.ncols();
        ridge.intercept = targets.iter().zip(weights).map(|(t, w)| t * w).sum::<f64>() / total;
        let mut gram = Array2::<f64>::eye(columns) * lambda;
        let mut right = Array1::<f64>::zeros(columns);
        let mut z = vec![0.0; columns];
        for ((row, target), weight) in records.rows().into_iter().zip(targets).zip(weights) {
            for (j, value) in row.iter().enumerate() {
                z[j] = ridge.standard(j, f64::from(*value));
            }
            for a in 0..columns {
                let scaled = weight * z[a];
                right[a] += scaled * (target - ridge.intercept);
                for b in 0..=a {
                    gram[[a, b]] += scaled * z[b];
                }
            }
        }
        ridge.coefficients = solve(gram, right);
        ridge
    }

    fn scaler(records: &Array2<f32>, weights: &[f64], total: f64) -> Self {
        let mut ridge = Self::default();
        for column in records.axis_iter(Axis(1)) {
            let mean = column
                .iter()
                .zip(weights)
                .map(|(v, w)| f64::from(*v) * w)
                .sum::<f64>()
                / total;
            let variance = column
                .iter()
                .zip(weights)
                .map(|(v, w)| (f64::from(*v) - mean).powi(2) * w)
                .sum::<f64>()
                / total;
            ridge.means.push(mean);
            ridge.scales.push(if variance > 1e-12 {
                variance.sqrt()
            } else {
                f64::INFINITY
            });
        }
        ridge
    }

    fn standard(&self, column: usize, value: f64) -> f64 {
        ((value - self.means[column]) / self.scales[column]).clamp(-CLIP, CLIP)
    }

    /// Value for one row.
    pub fn predict_row(&self, row: impl Iterator<Item = f32>) -> f64 {
        self.intercept + self.terms(row).iter().sum::<f64>()
    }

    /// What each feature adds.
    pub fn terms(&self, row: impl Iterator<Item = f32>) -> Vec<f64> {
        row.enumerate()
            .map(|(j, value)| self.coefficients[j] * self.standard(j, f64::from(value)))
            .collect()
    }

    /// The value of an average row.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }
}

/// Solves a symmetric positive system given its lower triangle; zeros where it is not positive.
pub(super) fn solve(mut lower: Array2<f64>, right: Array1<f64>) -> Vec<f64> {
    let n = right.len();
    for a in 0..n {
        for b in 0..a {
            lower[[b, a]] = lower[[a, b]];
        }
    }
    let Ok(factor) = lower.cholesky() else {
        return vec![0.0; n];
    };
    let column = right.insert_axis(Axis(1));
    let Ok(half) = factor.solve_triangular(&column, UPLO::Lower) else {
        return vec![0.0; n];
    };
    let Ok(full) = factor.t().to_owned().solve_triangular(&half, UPLO::Upper) else {
        return vec![0.0; n];
    };
    full.column(0).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovers_a_plane() {
        let records = Array2::from_shape_fn((300, 2), |(i, j)| ((i * (3 + 4 * j)) % 31) as f32);
        let targets: Vec<f64> = records
            .rows()
            .into_iter()
            .map(|r| 0.1 * f64::from(r[0]) - 0.2 * f64::from(r[1]) + 3.0)
            .collect();
        let ridge = Ridge::fit(&records, &targets, &[1.0; 300], 1e-6);
        for (row, target) in records.rows().into_iter().zip(&targets) {
            assert!((ridge.predict_row(row.iter().copied()) - target).abs() < 1e-6);
        }
    }
}
