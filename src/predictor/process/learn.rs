//! Learns the scales of the kernels: gradient descent on the error of rows held out.
//!
//! Each round draws a fold of some protocol, fits the process on a sample of its training rows and moves every scale
//! down the slope of the error on a sample of its test rows (Adam, Kingma and Ba, arXiv 1412.6980). So the scales serve
//! what a user asks, configurations like measured ones and unlike them, and not the likelihood of the measured ones.

use super::cholesky;
use super::fit::CLIP;
use super::inputs::{COORDINATES, Coordinate, Place, Scaler, bond};
use super::kernel::{Points, covariance, exponential};
use super::shape::{DOUBTS, Shape, features_of, slopes_of};
use super::{FitError, KERNELS};
use crate::predictor::features::{FEATURES, Group};
use ndarray::{Array1, Array2, Axis, concatenate};
use rand::seq::SliceRandom;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One fold of a protocol: places and targets of every row under the physics of the fold.
pub struct Round {
    /// Feature rows, by row.
    pub features: Vec<Vec<f32>>,
    /// Share of compute, by row.
    pub compute_share: Vec<f64>,
    /// Log of measured over physical time, by row.
    pub targets: Vec<f64>,
    /// Rows to learn from.
    pub train: Vec<usize>,
    /// Rows to be judged on.
    pub test: Vec<usize>,
    /// Whether whole families are sampled, so that neighbours stay as dense as they are.
    pub dense: bool,
    /// Weight of its error; protocols with larger errors weigh less.
    pub weight: f64,
}

/// What is the same in every round, by row.
pub struct Facts {
    /// Runs on several devices.
    pub many: Vec<bool>,
    /// Quality B, quality C, batch assumed.
    pub doubts: Vec<[f64; DOUBTS]>,
    /// Model family, as a number.
    pub family: Vec<usize>,
    /// How much it counts where errors are judged.
    pub weight: Vec<f64>,
}

/// How long and how fast.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Rounds.
    pub rounds: usize,
    /// Rows a process is fitted on.
    pub train: usize,
    /// Rows it is judged on.
    pub test: usize,
}

impl Effort {
    /// For scales that serve a measurement and never ship: every protocol takes a dozen turns or more.
    pub fn half() -> Self {
        Self {
            rounds: 120,
            ..Self::default()
        }
    }
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            rounds: 240,
            train: 1900,
            test: 500,
        }
    }
}

/// First step of a scale, in logs.
const STEP: f64 = 0.05;
/// Errors below this count as none.
const SOFT: f64 = 0.02;
/// Pull of each scale towards its start.
const PULL: f64 = 1e-4;
/// Longest gradient that counts.
const STEEPEST: f64 = 0.3;

/// Learns the scales; `turns` names the protocol of each round by its place in `rounds`, over and over. `progress` hears
/// of every round the number and the mean error.
///
/// # Errors
/// [`FitError`] where a round has no rows.
pub fn learn(
    rounds: &[Vec<Round>],
    turns: &[usize],
    facts: &Facts,
    effort: Effort,
    progress: &dyn Fn(usize, f64),
) -> Result<Shape, FitError> {
    let start = Shape::default();
    let first = start.flat();
    let mut values = first.clone();
    let (mut mean, mut square) = (vec![0.0; first.len()], vec![0.0; first.len()]);
    let mut random = ChaCha8Rng::seed_from_u64(0);
    for turn in 0..effort.rounds {
        let folds = &rounds[turns[turn % turns.len()]];
        let order: Vec<usize> = {
            let mut o: Vec<usize> = (0..folds.len()).collect();
            o.shuffle(&mut random);
            o
        };
        let round = order
            .first()
            .and_then(|i| folds.get(*i))
            .ok_or(FitError::Empty)?;
        let (train, test) = sample(round, facts, effort, &mut random);
        let shape = start.with(&values);
        let Ok((error, mut slope)) = error_and_slope(round, facts, &train, &test, &shape) else {
            continue;
        };
        progress(turn + 1, error);
        tie(&mut slope);
        for (i, s) in slope.iter_mut().enumerate() {
            *s = *s * round.weight + 2.0 * PULL * (values[i] - first[i]);
        }
        let length = slope.iter().map(|s| s * s).sum::<f64>().sqrt();
        let shrink = (STEEPEST / length.max(1e-12)).min(1.0);
        let left = 1.0 - turn as f64 / effort.rounds as f64;
        let rate = STEP * (3.0 * left + 0.05).min(1.0);
        let age = turn as i32 + 1;
        for i in 0..values.len() {
            let s = slope[i] * shrink;
            mean[i] = 0.9 * mean[i] + 0.1 * s;
            square[i] = 0.98 * square[i] + 0.02 * s * s;
            let (m, v) = (
                mean[i] / (1.0 - 0.9f64.powi(age)),
                square[i] / (1.0 - 0.98f64.powi(age)),
            );
            values[i] -= rate * m / (v.sqrt() + 1e-5);
        }
    }
    Ok(start.with(&values))
}

/// Makes the scales of a kernel's features move together, one for each group of features. Scales of their own serve known
/// configurations no better and err more where something is new: with scales learned without them, families and
/// publications left out err by 23.6 and 22.9 % where they move together, by 24.3 and 23.6 % where they do not (150 rounds).
fn tie(slope: &mut [f64]) {
    let mut first = 0;
    let mut tie_features = |kernel: usize, first: &mut usize| {
        let groups: Vec<Group> = features_of(kernel).map(|f| FEATURES[f].group).collect();
        let own = &mut slope[*first..*first + groups.len()];
        let means: Vec<f64> = (groups.iter())
            .map(|group| {
                let same = own.iter().zip(&groups).filter(|(_, other)| *other == group);
                let (sum, count) = same.fold((0.0, 0.0), |(sum, n), (s, _)| (sum + s, n + 1.0));
                sum / count
            })
            .collect();
        own.copy_from_slice(&means);
        *first += groups.len();
    };
    for kernel in 0..KERNELS {
        tie_features(kernel, &mut first);
    }
    // The scales of the modes stand between.
    first += KERNELS;
    for part in 0..2 {
        tie_features(slopes_of(part), &mut first);
    }
}

/// Rows to fit on and rows to be judged on.
fn sample(
    round: &Round,
    facts: &Facts,
    effort: Effort,
    random: &mut ChaCha8Rng,
) -> (Vec<usize>, Vec<usize>) {
    let mut train = round.train.clone();
    let mut test = round.test.clone();
    if round.dense {
        let mut families: Vec<usize> = facts.family.clone();
        families.sort_unstable();
        families.dedup();
        families.shuffle(random);
        let mut kept = std::collections::BTreeSet::new();
        let mut count = 0;
        for family in families {
            kept.insert(family);
            count += train.iter().filter(|i| facts.family[**i] == family).count();
            if count > effort.train {
                break;
            }
        }
        train.retain(|i| kept.contains(&facts.family[*i]));
        test.retain(|i| kept.contains(&facts.family[*i]));
    }
    train.shuffle(random);
    train.truncate(effort.train);
    train.sort_unstable();
    let test = weighted(&test, &facts.weight, effort.test, random);
    (train, test)
}

/// Some of the rows without repetition, each as likely as it weighs (Efraimidis and Spirakis, "Weighted random sampling
/// with a reservoir", 2006), ascending.
fn weighted(rows: &[usize], weight: &[f64], most: usize, random: &mut ChaCha8Rng) -> Vec<usize> {
    let mut keys: Vec<(f64, usize)> = rows
        .iter()
        .map(|row| {
            let unit = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            (-(unit.max(1e-300)).ln() / weight[*row].max(1e-9), *row)
        })
        .collect();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut chosen: Vec<usize> = keys.into_iter().take(most).map(|k| k.1).collect();
    chosen.sort_unstable();
    chosen
}

/// Mean held-out error of a shape, and its slope by every value of the shape.
fn error_and_slope(
    round: &Round,
    facts: &Facts,
    train: &[usize],
    test: &[usize],
    shape: &Shape,
) -> Result<(f64, Vec<f64>), FitError> {
    if train.is_empty() || test.is_empty() {
        return Err(FitError::Empty);
    }
    let rows: Vec<&[f32]> = train
        .iter()
        .map(|i| round.features[*i].as_slice())
        .collect();
    let scaler = Scaler::new(&rows);
    let hidden = vec![false; FEATURES.len()];
    // Test rows first, then training rows: the slope of the error runs over both at once.
    let places: Vec<Place<'_>> = test
        .iter()
        .chain(train)
        .map(|i| Place {
            row: &round.features[*i],
            compute_share: round.compute_share[*i],
            many: facts.many[*i],
        })
        .collect();
    let all = Points::new(&places, &scaler, shape, &hidden);
    let own = all.slice(test.len()..places.len());
    let noise: Vec<f64> = train
        .iter()
        .map(|i| shape.noise_variance(facts.doubts[*i]))
        .collect();
    let target = |i: &usize| round.targets[*i].clamp(-CLIP, CLIP);
    let targets = Array1::from_iter(train.iter().map(target));
    let k = covariance(&all, &own, shape);
    let (cross, gram) = k.view().split_at(Axis(0), test.len());
    let (cross, mut gram) = (cross.to_owned(), gram.to_owned());
    gram.diag_mut()
        .iter_mut()
        .zip(&noise)
        .for_each(|(d, n)| *d += n);
    let factor = cholesky::factor(gram).ok_or(FitError::NotPositive)?;
    let alpha = cholesky::solve(&factor, &targets);
    let residual = cross.dot(&alpha) - Array1::from_iter(test.iter().map(target));
    let soft = residual.mapv(|r| (r * r + SOFT * SOFT).sqrt());
    let error = soft.mean().unwrap_or(0.0);
    let pull = &residual / &soft / test.len() as f64;
    let back = cholesky::solve(&factor, &cross.t().dot(&pull));
    let outer =
        concatenate(Axis(0), &[pull.view(), (-&back).view()]).map_err(|_| FitError::NotPositive)?;
    let mut slope = Slope {
        all: &all,
        own: &own,
        shape,
        outer,
        alpha: &alpha,
        by: shape.with(&vec![0.0; shape.flat().len()]),
    };
    slope.kernels();
    slope.linear();
    for (i, row) in train.iter().enumerate() {
        let pull = -2.0 * back[i] * alpha[i] * noise[i];
        slope.by.noise += pull;
        for d in 0..DOUBTS {
            slope.by.doubts[d] += pull * facts.doubts[*row][d];
        }
    }
    Ok((error, slope.by.flat()))
}

/// The slope of the error by every scale, gathered kernel by kernel.
struct Slope<'a> {
    all: &'a Points,
    own: &'a Points,
    shape: &'a Shape,
    /// Slope of the error by one unit of covariance is `outer ⊗ alpha`.
    outer: Array1<f64>,
    alpha: &'a Array1<f64>,
    by: Shape,
}

impl Slope<'_> {
    fn kernels(&mut self) {
        use rayon::prelude::*;
        let parts: Vec<(f64, Array1<f64>)> = (0..KERNELS)
            .into_par_iter()
            .map(|kernel| self.kernel(kernel))
            .collect();
        for (kernel, (amplitude, coordinates)) in parts.into_iter().enumerate() {
            self.by.amplitudes[kernel] = amplitude;
            let mut feature = 0;
            for (coordinate, value) in COORDINATES[kernel].iter().zip(coordinates) {
                match coordinate {
                    Coordinate::Feature(_) => {
                        self.by.lengths[kernel][feature] = value;
                        feature += 1;
                    }
                    Coordinate::Mode(_) => self.by.modes[kernel] += value,
                }
            }
        }
    }

    /// Slopes by the amplitude and by the inverse length of each coordinate.
    fn kernel(&self, kernel: usize) -> (f64, Array1<f64>) {
        let [mut k, r] = exponential(self.all, self.own, self.shape, kernel);
        for ((i, j), v) in k.indexed_iter_mut() {
            *v *= self.outer[i] * self.alpha[j];
        }
        let amplitude = k.sum();
        // d exp(−r) / d ln l_d = −exp(−r) / r · (x_d − x′_d)², written as three products of matrices.
        let g: Array2<f64> = -(k / r);
        let (x, y) = (&self.all.scaled[kernel], &self.own.scaled[kernel]);
        let (rows, columns) = (g.sum_axis(Axis(1)), g.sum_axis(Axis(0)));
        let mixed = g.dot(y);
        let by = rows.dot(&(x * x)) + columns.dot(&(y * y)) - 2.0 * (x * &mixed).sum_axis(Axis(0));
        (amplitude, by)
    }

    fn linear(&mut self) {
        for part in 0..2 {
            let constant = (2.0 * self.shape.constants[part]).exp();
            let left = sums_by_kind(&self.outer, self.all, part);
            let right = sums_by_kind(self.alpha, self.own, part);
            let mut by = Array1::zeros(self.all.sloped[part].ncols());
            let mut by_constant = 0.0;
            for (one, (slopes, sum)) in left.iter().enumerate() {
                for (other, (other_slopes, other_sum)) in right.iter().enumerate() {
                    let twice = 2.0 * bond(part, one == 1, other == 1);
                    by = by + twice * slopes * other_slopes;
                    by_constant += twice * constant * sum * other_sum;
                }
            }
            self.by.slopes[part] = by.to_vec();
            self.by.constants[part] = by_constant;
        }
    }
}

/// Values times the weight of a part in each configuration, summed over those that are not language models and over those
/// that are: by their sloped features, and by themselves.
fn sums_by_kind(values: &Array1<f64>, points: &Points, part: usize) -> [(Array1<f64>, f64); 2] {
    [false, true].map(|language| {
        let mut weighted = values * &points.parts.column(part);
        for (value, is) in weighted.iter_mut().zip(&points.language) {
            if *is != language {
                *value = 0.0;
            }
        }
        (weighted.dot(&points.sloped[part]), weighted.sum())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predictor::features::FEATURES;

    #[test]
    fn the_slope_is_that_of_the_error() {
        let count = 60;
        let features: Vec<Vec<f32>> = (0..count)
            .map(|i| {
                (0..FEATURES.len())
                    .map(|f| ((i * (f + 2) * 13) % 17) as f32 % 5.0)
                    .collect()
            })
            .collect();
        let round = Round {
            targets: features.iter().map(|r| 0.1 * f64::from(r[9])).collect(),
            compute_share: vec![0.7; count],
            features,
            train: (0..40).collect(),
            test: (40..count).collect(),
            dense: false,
            weight: 1.0,
        };
        let facts = Facts {
            many: (0..count).map(|i| i % 3 == 0).collect(),
            doubts: (0..count)
                .map(|i| [f64::from(i as u32 % 2), 0.0, 1.0])
                .collect(),
            family: vec![0; count],
            weight: vec![1.0; count],
        };
        let error = |shape: &Shape| {
            error_and_slope(&round, &facts, &round.train, &round.test, shape).unwrap()
        };
        let shape = Shape::default();
        let (_, slope) = error(&shape);
        let flat = shape.flat();
        for i in (0..flat.len())
            .step_by(11)
            .chain(flat.len() - 14..flat.len())
        {
            let moved = |by: f64| {
                let mut values = flat.clone();
                values[i] += by;
                error(&shape.with(&values)).0
            };
            let numeric = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            assert!(
                (numeric - slope[i]).abs() < 1e-5 + 1e-2 * slope[i].abs(),
                "value {i}: {numeric} is not {}",
                slope[i]
            );
        }
    }
}
