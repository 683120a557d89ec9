//! From a feature row to the coordinates the kernels measure distance in.

use crate::domain::PrecisionMode;
use crate::predictor::features::{FEATURES, Group};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Standardised values are clipped here, so that a strange row cannot be extrapolated far.
const CLIP: f64 = 4.0;

/// One coordinate: a feature, or whether the mode is this one (a mode has no place on a line).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coordinate {
    /// A standardised feature.
    Feature(usize),
    /// 1 in this mode, else 0.
    Mode(usize),
}

/// Position of the feature that holds the mode.
pub(crate) static MODE: LazyLock<Option<usize>> =
    LazyLock::new(|| FEATURES.iter().position(|f| f.label == "Precision mode"));

/// Position of the feature that says whether a model is one of language.
static LANGUAGE: LazyLock<Option<usize>> =
    LazyLock::new(|| FEATURES.iter().position(|f| f.label == "Language model"));

/// Whether a feature row is a language model's; no row's where that is left out.
pub(super) fn is_language(row: &[f32], hidden: &[bool]) -> bool {
    LANGUAGE.is_some_and(|f| !hidden[f] && row[f] > 0.5)
}

/// Share of the covariance of a part that holds between models of two kinds, each a language model or not.
pub(super) fn bond(part: usize, language: bool, other: bool) -> f64 {
    match part == 0 || language == other {
        true => 1.0,
        false => super::ACROSS,
    }
}

/// Features a kernel sees, by kernel.
fn sees(kernel: usize, feature: usize) -> bool {
    let f = &FEATURES[feature];
    let model = matches!(f.group, Group::Size | Group::Share);
    let environment = matches!(
        f.group,
        Group::Hardware | Group::Software | Group::Precision | Group::Casts
    );
    match kernel {
        0 => f.compute,
        1 => f.compute && model,
        2 => f.compute && environment,
        3 => true,
        _ => (f.compute && environment) || f.is_of_site(),
    }
}

/// Coordinates of every kernel: features first, then modes where the kernel tells modes apart.
pub(crate) static COORDINATES: LazyLock<[Vec<Coordinate>; super::KERNELS]> = LazyLock::new(|| {
    std::array::from_fn(|kernel| {
        let features = (0..FEATURES.len())
            .filter(|f| Some(*f) != *MODE && sees(kernel, *f))
            .map(Coordinate::Feature);
        let modes = (0..PrecisionMode::ALL.len())
            .filter(|_| kernel != 1)
            .map(Coordinate::Mode);
        features.chain(modes).collect()
    })
});

/// The coordinates of all features and modes.
pub(crate) fn everything() -> &'static [Coordinate] {
    &COORDINATES[3]
}

/// Adds to the `shares` of features what coordinates add along a line whose ends differ by `whole`, times `heard`. The line
/// crosses kinks, where the steps that `parts` were summed over err: what is missing is shared out by size.
pub(crate) fn share_out(
    coordinates: &[Coordinate],
    parts: &[f64],
    whole: f64,
    heard: f64,
    shares: &mut [f64],
) {
    let missing = whole - parts.iter().sum::<f64>();
    let size: f64 = parts.iter().map(|p| p.abs()).sum::<f64>().max(1e-300);
    for (coordinate, part) in coordinates.iter().zip(parts) {
        let feature = match coordinate {
            Coordinate::Feature(feature) => Some(*feature),
            Coordinate::Mode(_) => *MODE,
        };
        if let Some(feature) = feature {
            shares[feature] += heard * (part + missing * part.abs() / size);
        }
    }
}

/// Mean and standard deviation of every feature over the rows of a fit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Scaler {
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl Scaler {
    /// Over rows of features.
    pub(crate) fn new(rows: &[&[f32]]) -> Self {
        let count = rows.len().max(1) as f64;
        let mut scaler = Self::default();
        for feature in 0..FEATURES.len() {
            let values = || rows.iter().map(|r| f64::from(r[feature]));
            let mean = values().sum::<f64>() / count;
            let variance = values().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
            scaler.means.push(mean);
            scaler.deviations.push(variance.sqrt() + 1e-6);
        }
        scaler
    }

    /// A coordinate of a feature row; features that are left out stand at zero.
    pub(crate) fn coordinate(&self, row: &[f32], at: Coordinate, hidden: &[bool]) -> f64 {
        match at {
            Coordinate::Feature(f) if hidden[f] => 0.0,
            Coordinate::Feature(f) => {
                ((f64::from(row[f]) - self.means[f]) / self.deviations[f]).clamp(-CLIP, CLIP)
            }
            Coordinate::Mode(mode) => match *MODE {
                Some(f) if !hidden[f] => f64::from(u8::from(row[f].round() as usize == mode)),
                _ => 0.0,
            },
        }
    }
}

/// A configuration as the process sees it.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Feature row.
    pub row: &'a [f32],
    /// Share of compute in the physical step time, 0 to 1.
    pub compute_share: f64,
    /// Runs on several devices.
    pub many: bool,
}

impl Place<'_> {
    /// Weights of the compute part and of the overlap part.
    pub(crate) fn parts(&self) -> [f64; 2] {
        [self.compute_share, f64::from(u8::from(self.many))]
    }
}

/// The part a kernel belongs to: compute or overlap.
pub(crate) const fn part_of(kernel: usize) -> usize {
    if kernel < 3 { 0 } else { 1 }
}
