//! Scales of the kernels: how far apart two configurations must be, in each feature, to say little of each other.

use super::KERNELS;
use super::inputs::{COORDINATES, Coordinate};
use crate::predictor::features::FEATURES;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a file of scales cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// Not JSON of this form.
    #[error("models/kernel.json: {0}")]
    Form(String),
    /// Features of another build.
    #[error("models/kernel.json lacks a scale for {0:?}; run `mantissa train --kernel`")]
    Missing(String),
}

/// What makes a measured time less certain: quality B, quality C, a batch that had to be assumed.
pub const DOUBTS: usize = 3;

/// Kernel scales; all values are natural logarithms.
///
/// `k_c = Σ_k a_k · exp(−‖(x − x′) ⊙ l_k‖) + Σ_d b_d² z_d z′_d + c²` (the exponential kernel, Matérn 1/2, and a linear
/// one), likewise for the overlap part.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Inverse length of each coordinate, by kernel; the modes of a kernel share one.
    pub(crate) lengths: [Vec<f64>; KERNELS],
    /// Inverse length of the modes, by kernel.
    pub(crate) modes: [f64; KERNELS],
    /// Prior deviation of each linear slope, for compute (coordinates of kernel 0) and overlap (of kernel 3).
    pub(crate) slopes: [Vec<f64>; 2],
    /// Prior deviation of the two constants.
    pub(crate) constants: [f64; 2],
    /// Variance of each kernel.
    pub(crate) amplitudes: [f64; KERNELS],
    /// Deviation of the noise.
    pub(crate) noise: f64,
    /// What each doubt adds to it.
    pub(crate) doubts: [f64; DOUBTS],
}

/// Features of a kernel, without modes.
pub(crate) fn features_of(kernel: usize) -> impl Iterator<Item = usize> {
    COORDINATES[kernel].iter().filter_map(|c| match c {
        Coordinate::Feature(f) => Some(*f),
        Coordinate::Mode(_) => None,
    })
}

/// The kernel whose coordinates a part's slopes run over.
pub(crate) const fn slopes_of(part: usize) -> usize {
    if part == 0 { 0 } else { 3 }
}

/// The kernel over part, software, layout and links.
const SITE: usize = 4;
/// Where the inverse lengths of its layout and links start.
const SITE_SCALE: f64 = 3.0;

impl Default for Shape {
    /// Where learning starts: one length for all features of a kernel, but for layout and links in the kernel of their own.
    fn default() -> Self {
        let start = [10.0f64, 6.0, 4.0, 10.0, 4.0];
        // A count of devices or a link is a cluster of its own.
        let inverse = |kernel: usize, feature: usize| {
            let is_site = kernel == SITE && FEATURES[feature].is_of_site();
            if is_site {
                SITE_SCALE.ln()
            } else {
                -start[kernel].ln()
            }
        };
        let slopes = |part: usize| vec![0.02f64.ln(); features_of(slopes_of(part)).count()];
        Self {
            lengths: std::array::from_fn(|k| features_of(k).map(|f| inverse(k, f)).collect()),
            modes: [0.3f64, 0.3, 0.3, 0.3, 1.0].map(f64::ln),
            slopes: [slopes(0), slopes(1)],
            constants: [0.1f64.ln(); 2],
            amplitudes: [0.2f64, 0.05, 0.05, 0.1, 0.05].map(f64::ln),
            noise: 0.06f64.ln(),
            doubts: [0.3, 1.0, 0.5],
        }
    }
}

/// As a file has it: scales by the label of the feature, so that a change of features shows.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapeFile {
    lengths: Vec<BTreeMap<String, f64>>,
    modes: [f64; KERNELS],
    slopes: Vec<BTreeMap<String, f64>>,
    constants: [f64; 2],
    amplitudes: [f64; KERNELS],
    noise: f64,
    doubts: [f64; DOUBTS],
}

impl Shape {
    /// From what a file has.
    ///
    /// # Errors
    /// [`ShapeError`] if it is of another build.
    pub fn read(file: &ShapeFile) -> Result<Self, ShapeError> {
        if file.lengths.len() != KERNELS || file.slopes.len() != 2 {
            return Err(ShapeError::Form("another number of kernels".into()));
        }
        let pick = |map: &BTreeMap<String, f64>, kernel: usize| {
            features_of(kernel)
                .map(|f| {
                    let label = FEATURES[f].label;
                    map.get(label)
                        .copied()
                        .ok_or_else(|| ShapeError::Missing(label.to_owned()))
                })
                .collect::<Result<Vec<f64>, ShapeError>>()
        };
        let mut shape = Self {
            modes: file.modes,
            constants: file.constants,
            amplitudes: file.amplitudes,
            noise: file.noise,
            doubts: file.doubts,
            ..Self::default()
        };
        for kernel in 0..KERNELS {
            shape.lengths[kernel] = pick(&file.lengths[kernel], kernel)?;
        }
        for part in 0..2 {
            shape.slopes[part] = pick(&file.slopes[part], slopes_of(part))?;
        }
        Ok(shape)
    }

    /// For a file; values to a thousandth.
    pub fn file(&self) -> ShapeFile {
        let round = |v: f64| (v * 1e3).round() / 1e3;
        let named = |values: &[f64], kernel: usize| {
            features_of(kernel)
                .map(|f| FEATURES[f].label.to_owned())
                .zip(values.iter().map(|v| round(*v)))
                .collect()
        };
        ShapeFile {
            lengths: (0..KERNELS).map(|k| named(&self.lengths[k], k)).collect(),
            modes: self.modes.map(round),
            slopes: (0..2)
                .map(|p| named(&self.slopes[p], slopes_of(p)))
                .collect(),
            constants: self.constants.map(round),
            amplitudes: self.amplitudes.map(round),
            noise: round(self.noise),
            doubts: self.doubts.map(round),
        }
    }

    /// Inverse length of each coordinate of a kernel.
    pub(crate) fn factors(&self, kernel: usize) -> Vec<f64> {
        let mode = self.modes[kernel].exp();
        (0..COORDINATES[kernel].len())
            .map(|c| self.lengths[kernel].get(c).map_or(mode, |l| l.exp()))
            .collect()
    }

    /// Variance of the noise of one measured time.
    pub(crate) fn noise_variance(&self, doubts: [f64; DOUBTS]) -> f64 {
        let log: f64 = self.noise
            + doubts
                .iter()
                .zip(&self.doubts)
                .map(|(d, v)| d * v)
                .sum::<f64>();
        (2.0 * log).exp()
    }

    /// Every value in one order, for learning.
    pub(crate) fn flat(&self) -> Vec<f64> {
        let mut all: Vec<f64> = self.lengths.concat();
        all.extend(self.modes);
        all.extend(self.slopes.concat());
        all.extend(self.constants);
        all.extend(self.amplitudes);
        all.push(self.noise);
        all.extend(self.doubts);
        all
    }

    /// The same shape with other values, in the order of [`Shape::flat`].
    pub(crate) fn with(&self, values: &[f64]) -> Self {
        let mut next = values.iter().copied();
        let mut take = |slot: &mut f64| {
            if let Some(value) = next.next() {
                *slot = value;
            }
        };
        let mut shape = self.clone();
        shape.lengths.iter_mut().flatten().for_each(&mut take);
        shape.modes.iter_mut().for_each(&mut take);
        shape.slopes.iter_mut().flatten().for_each(&mut take);
        shape.constants.iter_mut().for_each(&mut take);
        shape.amplitudes.iter_mut().for_each(&mut take);
        take(&mut shape.noise);
        shape.doubts.iter_mut().for_each(&mut take);
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_survives_its_file_and_its_flat_form() {
        let shape = Shape::default();
        let flat: Vec<f64> = (0..shape.flat().len()).map(|i| i as f64 / 8.0).collect();
        let other = shape.with(&flat);
        assert_eq!(other.flat(), flat);
        assert_eq!(Shape::read(&other.file()).unwrap(), other);
        let mut file = other.file();
        file.slopes.clear();
        assert!(matches!(Shape::read(&file), Err(ShapeError::Form(_))));
    }
}
