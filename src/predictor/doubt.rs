//! How sure a prediction is: distance to measured runs, and conformal intervals that need no one to say what is new.
//!
//! Forests of their own predict the size of the error from signs of doubt (distances to the nearest measured run in
//! hardware, software, model and layout; size and posterior deviation of the corrections; how far apart process and forest
//! are; what had to be assumed). Held-out rows of every protocol then give the factor that makes the interval cover 90 %
//! (normalised conformal prediction, Lei et al. 2018, section 5.2; in bins of the predicted size, so that the sure and
//! the unsure are each covered).

use super::features::{FEATURES, Group};
use super::quantile::weighted_quantile;
use super::trees::{BoostError, BoostParams, Forest};
use linfa::DatasetBase;
use linfa::traits::Fit;
use ndarray::{Array1, Array2};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Share of measured times an interval is meant to hold.
pub const COVERAGE: f64 = 0.9;
/// Share of the rows that it is fitted on that an interval holds for that. The forest has seen their errors: fitted on one half
/// of the configurations to hold 90 %, intervals held 88.4 % of the other on average over protocols.
pub(super) const FITTED: f64 = 0.921;

/// Standardised feature rows of measured runs, for distances.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct References {
    means: Vec<f32>,
    scales: Vec<f32>,
    /// Rows × features, standardised and stored in 1/256.
    cells: Vec<i16>,
}

/// Distances of one configuration to the nearest measured run, RMS over standardised features.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Distances {
    /// Over all features.
    pub all: f64,
    /// Over hardware features alone.
    pub hardware: f64,
    /// Over software features alone.
    pub software: f64,
    /// Over size features alone: what model, what batch.
    pub model: f64,
    /// Over layout and communication features alone.
    pub layout: f64,
}

/// Cells are clipped to this many standard deviations.
const CLIP: f32 = 6.0;
const SCALE: f32 = 256.0;

fn class(feature: usize) -> usize {
    match FEATURES[feature].group {
        Group::Hardware | Group::Precision => 0,
        Group::Software => 1,
        Group::Size | Group::Share | Group::Casts => 2,
        Group::Layout | Group::Communication => 3,
    }
}

impl References {
    /// Standardises rows; the scale of a feature is its standard deviation.
    pub fn new(rows: &[&[f32]]) -> Self {
        let count = rows.len().max(1) as f64;
        let mut references = Self::default();
        for feature in 0..FEATURES.len() {
            let mean = rows.iter().map(|r| f64::from(r[feature])).sum::<f64>() / count;
            let variance = rows
                .iter()
                .map(|r| (f64::from(r[feature]) - mean).powi(2))
                .sum::<f64>()
                / count;
            references.means.push(mean as f32);
            references.scales.push(if variance > 1e-9 {
                variance.sqrt() as f32
            } else {
                0.0
            });
        }
        references.cells = rows
            .iter()
            .flat_map(|row| references.standard(row))
            .collect();
        references
    }

    /// Rows kept.
    pub fn len(&self) -> usize {
        self.cells.len() / FEATURES.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    fn standard(&self, row: &[f32]) -> Vec<i16> {
        ORDER
            .features
            .iter()
            .map(|&feature| {
                let (value, scale) = (row[feature], self.scales[feature]);
                let z = if scale > 0.0 {
                    (value - self.means[feature]) / scale
                } else {
                    0.0
                };
                (z.clamp(-CLIP, CLIP) * SCALE) as i16
            })
            .collect()
    }

    /// Distances to the nearest row, and how many rows are nearer than `near` over all features.
    pub fn distances(&self, row: &[f32], near: f64) -> (Distances, u32) {
        let own = self.standard(row);
        let bounds = &ORDER.bounds;
        let reach = (near * f64::from(SCALE)).powi(2) * FEATURES.len() as f64;
        let mut best = [i64::MAX; 5];
        let mut count = 0;
        for other in self.cells.chunks_exact(FEATURES.len()) {
            let mut sums = [0i64; 5];
            for class in 0..4 {
                let span = bounds[class]..bounds[class + 1];
                sums[class] = squared(&own[span.clone()], &other[span]);
                sums[4] += sums[class];
            }
            count += u32::from((sums[4] as f64) < reach);
            best.iter_mut()
                .zip(sums)
                .for_each(|(least, sum)| *least = (*least).min(sum));
        }
        let rms = |class: usize| {
            let members = if class < 4 {
                bounds[class + 1] - bounds[class]
            } else {
                FEATURES.len()
            };
            if best[class] == i64::MAX {
                return f64::from(CLIP);
            }
            (best[class] as f64 / members.max(1) as f64).sqrt() / f64::from(SCALE)
        };
        let distances = Distances {
            all: rms(4),
            hardware: rms(0),
            software: rms(1),
            model: rms(2),
            layout: rms(3),
        };
        (distances, count)
    }

    /// Indices and distances of the nearest rows, nearest first.
    pub fn nearest(&self, row: &[f32], count: usize) -> Vec<(usize, f64)> {
        let own = self.standard(row);
        let mut all: Vec<(usize, i64)> = self
            .cells
            .chunks_exact(FEATURES.len())
            .enumerate()
            .map(|(i, other)| (i, squared(&own, other)))
            .collect();
        all.sort_by_key(|(i, sum)| (*sum, *i));
        all.truncate(count);
        let rms = |sum: i64| (sum as f64 / FEATURES.len() as f64).sqrt() / f64::from(SCALE);
        all.into_iter().map(|(i, sum)| (i, rms(sum))).collect()
    }

    /// Whether a row kept has a feature that is either on or off, by its label; `None` of a feature that does not vary.
    pub fn flag(&self, row: usize, label: &str) -> Option<bool> {
        let feature = FEATURES.iter().position(|f| f.label == label)?;
        let place = ORDER.features.iter().position(|f| *f == feature)?;
        let cell = *self.cells.get(row * FEATURES.len() + place)?;
        let (mean, scale) = (self.means[feature], self.scales[feature]);
        // Where nearly all rows are alike the others' cells are clipped: the nearer of both values is it.
        let cell_of = |value: f32| ((value - mean) / scale).clamp(-CLIP, CLIP) * SCALE;
        let away = |value: f32| (f32::from(cell) - cell_of(value)).abs();
        (scale > 0.0).then(|| away(1.0) < away(0.0))
    }

    /// A figure of a row kept, by the label of its feature and as that has it, to a few thousandths of its deviation; `None`
    /// of a feature that does not vary or lies too far out.
    pub fn figure(&self, row: usize, label: &str) -> Option<f64> {
        let feature = FEATURES.iter().position(|f| f.label == label)?;
        let place = ORDER.features.iter().position(|f| *f == feature)?;
        let cell = *self.cells.get(row * FEATURES.len() + place)?;
        let scale = f64::from(self.scales[feature]);
        if scale == 0.0 || f32::from(cell).abs() >= CLIP * SCALE {
            return None;
        }
        // Cells are cut off, not rounded.
        let middle = f64::from(cell) + 0.5 * f64::from(cell.signum());
        Some(middle / f64::from(SCALE) * scale + f64::from(self.means[feature]))
    }
}

/// Sum of squared differences; cells are clipped, so that 16 bits hold a difference and 32 the sum of a whole row.
fn squared(a: &[i16], b: &[i16]) -> i64 {
    let sum: i32 = (a.iter().zip(b))
        .map(|(a, b)| i32::from(a.wrapping_sub(*b)).pow(2))
        .sum();
    i64::from(sum)
}

/// Features in the order of their class, so that the distances of a class are one run of cells.
struct Order {
    features: Vec<usize>,
    bounds: [usize; 5],
}

static ORDER: std::sync::LazyLock<Order> = std::sync::LazyLock::new(|| {
    let mut features: Vec<usize> = (0..FEATURES.len()).collect();
    features.sort_by_key(|f| (class(*f), *f));
    let bounds = std::array::from_fn(|k| features.iter().filter(|f| class(**f) < k).count());
    Order { features, bounds }
});

/// How many signs the forest of errors sees.
const SIGNS: usize = 16;

/// Signs of doubt of one prediction.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Signs {
    /// Distances to measured runs.
    pub distances: Distances,
    /// Log correction of all stages.
    pub correction: f64,
    /// Posterior deviation of the log correction.
    pub deviation: f64,
    /// How far apart the process and the forest are, in logs.
    pub disagreement: f64,
    /// Operators are estimated or totals.
    pub estimated: bool,
    /// The batch was assumed.
    pub batch_assumed: bool,
    /// The tuning level is not stated.
    pub tuning_unknown: bool,
    /// A language model.
    pub language: bool,
    /// Natural log of the device count.
    pub log_devices: f64,
    /// Launch-bound share, as its log.
    pub launch: f64,
    /// Communication over compute, as its log.
    pub communication: f64,
    /// Width of storage in bytes.
    pub width: f64,
}

impl Signs {
    fn row(&self) -> [f32; SIGNS] {
        let flag = |b: bool| if b { 1.0 } else { 0.0 };
        let near = |d: f64| (d + 0.02).ln() as f32;
        [
            near(self.distances.all),
            near(self.distances.hardware),
            near(self.distances.software),
            near(self.distances.model),
            near(self.distances.layout),
            (self.correction.abs() + 0.05).ln() as f32,
            (self.deviation + 0.01).ln() as f32,
            (self.disagreement + 0.01).ln() as f32,
            flag(self.estimated),
            flag(self.batch_assumed),
            flag(self.tuning_unknown),
            flag(self.language),
            self.log_devices as f32,
            self.launch as f32,
            self.communication as f32,
            self.width as f32,
        ]
    }
}

/// A held-out prediction with its signs: what intervals are calibrated on.
#[derive(Debug, Clone)]
pub struct Calibration {
    /// Signs of doubt.
    pub signs: Signs,
    /// Measured over predicted, as a log.
    pub error: f64,
    /// Weight, by its protocol.
    pub weight: f64,
    /// Group that must not be split.
    pub group: u32,
}

/// Predicts the half-width of the 90 % interval, in logs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Intervals {
    /// Averaged: of one forest what is covered moves by a point or two with the features its trees happen to draw.
    forests: Vec<Forest>,
    /// Upper edges of the predicted log error size, and the factor of each bin.
    bins: Vec<(f64, f64)>,
}

/// Forests that are averaged.
const FORESTS: u64 = 8;
const BINS: usize = 10;
/// Errors are never taken for smaller than this.
const FLOOR: f64 = 0.01;

impl Intervals {
    /// Fits on held-out predictions.
    ///
    /// # Errors
    /// [`BoostError`] where there are none.
    pub fn fit(rows: &[Calibration]) -> Result<Self, BoostError> {
        let records = Array2::from_shape_fn((rows.len(), SIGNS), |(i, j)| rows[i].signs.row()[j]);
        let targets: Array1<f64> = rows.iter().map(|r| (r.error.abs() + FLOOR).ln()).collect();
        let mean = rows.iter().map(|r| r.weight).sum::<f64>() / rows.len().max(1) as f64;
        let weights: Array1<f32> = rows.iter().map(|r| (r.weight / mean) as f32).collect();
        let params = BoostParams {
            trees: 120,
            leaves: 8,
            rate: 0.08,
            min_leaf: 200,
            l2: 5.0,
            column_share: 0.6,
            fair: 2.0,
            bins: 63,
            ..BoostParams::default()
        };
        let examples = DatasetBase::new(records, targets).with_weights(weights);
        let forests: Result<Vec<Forest>, BoostError> = (1..=FORESTS)
            .into_par_iter()
            .map(|seed| {
                let own = BoostParams {
                    seed,
                    ..params.clone()
                };
                own.fit(&examples)
            })
            .collect();
        let mut intervals = Self {
            forests: forests?,
            bins: Vec::new(),
        };
        intervals.calibrate(rows);
        Ok(intervals)
    }

    /// Sets the factor of each bin of predicted size to the weighted quantile of error over size that holds [`FITTED`].
    fn calibrate(&mut self, rows: &[Calibration]) {
        let mut scored: Vec<(f64, f64, f64)> = rows
            .iter()
            .map(|r| {
                let size = self.size(&r.signs);
                (size, r.error.abs() / size.exp(), r.weight)
            })
            .collect();
        scored.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = scored.iter().map(|s| s.2).sum();
        let mut bins = Vec::new();
        let mut start = 0;
        let mut sum = 0.0;
        for i in 0..scored.len() {
            sum += scored[i].2;
            let full = sum >= total / BINS as f64;
            if (full && bins.len() + 1 < BINS) || i + 1 == scored.len() {
                let mut factors: Vec<(f64, f64)> =
                    scored[start..=i].iter().map(|s| (s.1, s.2)).collect();
                let factor = weighted_quantile(&mut factors, FITTED).unwrap_or(2.0);
                bins.push((
                    if i + 1 == scored.len() {
                        f64::INFINITY
                    } else {
                        scored[i].0
                    },
                    factor,
                ));
                start = i + 1;
                sum = 0.0;
            }
        }
        self.bins = bins;
    }

    fn size(&self, signs: &Signs) -> f64 {
        let row = signs.row();
        let sum: f64 = self.forests.iter().map(|f| f.predict_row(&row)).sum();
        sum / self.forests.len().max(1) as f64
    }

    /// Half-width in logs: the true time is within `exp(±half)` of the prediction nine times out of ten.
    pub fn half_width(&self, signs: &Signs) -> f64 {
        let size = self.size(signs);
        let factor = self
            .bins
            .iter()
            .find(|(edge, _)| size <= *edge)
            .map_or(2.0, |(_, factor)| *factor);
        (size.exp() * factor).clamp(0.01, 3.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_cover_nine_in_ten_and_are_wider_far_away() {
        let rows: Vec<Calibration> = (0..6000)
            .map(|i| {
                let far = i % 2 == 0;
                // A fixed low-discrepancy sequence stands for noise.
                let noise = f64::from((i * 7919) % 1000) / 500.0 - 1.0;
                let signs = Signs {
                    distances: Distances {
                        all: if far { 1.0 } else { 0.01 },
                        ..Distances::default()
                    },
                    ..Signs::default()
                };
                Calibration {
                    signs,
                    error: noise * if far { 0.5 } else { 0.05 },
                    weight: 1.0,
                    group: i,
                }
            })
            .collect();
        let intervals = Intervals::fit(&rows).unwrap();
        let covered = rows
            .iter()
            .filter(|r| r.error.abs() <= intervals.half_width(&r.signs))
            .count();
        assert!((0.88..0.93).contains(&(covered as f64 / 6000.0)));
        assert!(intervals.half_width(&rows[0].signs) > 5.0 * intervals.half_width(&rows[1].signs));
    }
}
