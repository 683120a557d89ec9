//! How much of the process's correction counts: all of it among measured runs, ever less of it away from them.
//!
//! The process falls back to physics where no kernel speaks, but its longest scales speak nearly everywhere: of model
//! families and publications that neither it nor its scales had seen, its corrections made predictions worse than physics.
//! So the correction of the log of the step is multiplied by a share that falls with the distances to the nearest measured
//! run: a logistic function of them and of their logs, whose few weights are fitted on such predictions. Weights of their own
//! for causal language models, which were measured in few stacks, helped only where they were fitted: language models of
//! families left out erred by 17.6 % with them and by 16.4 % without.

use super::crossval::HeldOut;
use super::doubt::Distances;
use serde::{Deserialize, Serialize};

/// A constant, the logs of five distances, and the distances.
const SIGNS: usize = 11;
/// Added to distances before their logs, which so stay finite.
const NEAREST: f64 = 0.02;
/// Errors below this count as none, as where the scales are learned.
const SOFT: f64 = 0.02;
/// Errors in logs beyond this pull no harder: a row that is wrong by so much says that something is wrong with it.
const FARTHEST: f64 = 1.5;
/// Steps of the descent, and their length.
const STEPS: usize = 600;
const RATE: f64 = 0.05;
/// Pull of the weights towards nothing.
const PULL: f64 = 2e-5;

/// The share of a correction that counts, by distance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trust([f64; SIGNS]);

impl Trust {
    /// Everything counts, wherever it is said.
    pub const FULL: Self = {
        let mut weights = [0.0; SIGNS];
        weights[0] = 40.0;
        Self(weights)
    };

    /// The share at these distances, 0 to 1.
    pub fn share(&self, distances: &Distances) -> f64 {
        let signs = signs(distances);
        logistic(self.0.iter().zip(signs).map(|(w, s)| w * s).sum())
    }

    /// Fits on held-out predictions with the whole correction: `(prediction, measured log time, weight)`. What falls by
    /// gradient descent (Adam, Kingma and Ba, arXiv 1412.6980) is the mean absolute error relative to the measured time: the
    /// figure that accuracy is told in, in which a step predicted twice too long costs more than one predicted twice too
    /// short. Fitted on the error in logs, far corrections counted twice as much and helped nobody: sources left out with all
    /// their rows erred by 23.8 %, by this fit 22.6 %.
    pub fn fit(rows: &[(HeldOut, f64, f64)]) -> Self {
        let total: f64 = rows.iter().map(|r| r.2).sum::<f64>().max(1e-300);
        let rows: Vec<([f64; SIGNS], f64, f64, f64)> = rows
            .iter()
            .map(|(held, measured, weight)| {
                let correction = held.predicted - held.physics;
                let missing = held.physics - measured;
                (
                    signs(&held.signs.distances),
                    correction,
                    missing,
                    weight / total,
                )
            })
            .collect();
        let mut weights = [0.0; SIGNS];
        weights[..6].copy_from_slice(&[-2.0, -0.5, -0.5, -0.5, -0.5, -0.5]);
        let (mut mean, mut square) = ([0.0; SIGNS], [0.0; SIGNS]);
        for step in 1..=STEPS {
            let mut slope = weights.map(|w| 2.0 * PULL * w);
            for (signs, correction, missing, weight) in &rows {
                let share = logistic(weights.iter().zip(signs).map(|(w, s)| w * s).sum());
                let error = missing + share * correction;
                let ratio = error.clamp(-FARTHEST, FARTHEST).exp();
                let relative = ratio - 1.0;
                let pull = weight * ratio * relative / (relative * relative + SOFT * SOFT).sqrt();
                let by_share = pull * correction * share * (1.0 - share);
                slope
                    .iter_mut()
                    .zip(signs)
                    .for_each(|(s, x)| *s += by_share * x);
            }
            let age = step as i32;
            for at in 0..SIGNS {
                mean[at] = 0.9 * mean[at] + 0.1 * slope[at];
                square[at] = 0.999 * square[at] + 0.001 * slope[at] * slope[at];
                let (m, v): (f64, f64) = (
                    mean[at] / (1.0 - 0.9f64.powi(age)),
                    square[at] / (1.0 - 0.999f64.powi(age)),
                );
                weights[at] -= RATE * m / (v.sqrt() + 1e-8);
            }
        }
        // What is stored is what is measured, whatever the last bits of a machine's exponential.
        Self(weights.map(|w| (w * 1e3).round() / 1e3))
    }
}

impl Default for Trust {
    fn default() -> Self {
        Self::FULL
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn signs(d: &Distances) -> [f64; SIGNS] {
    let mut signs = [1.0; SIGNS];
    let distances = [d.model, d.software, d.hardware, d.layout, d.all];
    let (logs, plain) = signs[1..].split_at_mut(distances.len());
    for (at, distance) in distances.into_iter().enumerate() {
        logs[at] = (distance + NEAREST).ln();
        plain[at] = distance;
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predictor::doubt::Signs;

    fn held(model: f64, correction: f64) -> HeldOut {
        let mut signs = Signs::default();
        signs.distances.model = model;
        HeldOut {
            row: 0,
            predicted: correction,
            physics: 0.0,
            signs,
        }
    }

    #[test]
    fn corrections_that_help_near_and_harm_far_count_near_alone() {
        let rows: Vec<(HeldOut, f64, f64)> = (0..800)
            .map(|i| {
                let far = i % 2 == 0;
                let correction = if i % 4 < 2 { 0.4 } else { -0.4 };
                let measured = if far { 0.0 } else { correction };
                let model = if far { 0.9 } else { 0.01 };
                (held(model, correction), measured, 1.0)
            })
            .collect();
        let trust = Trust::fit(&rows);
        let share = |model: f64| {
            trust.share(&Distances {
                model,
                ..Distances::default()
            })
        };
        assert!(share(0.01) > 0.9, "{}", share(0.01));
        assert!(share(0.9) < 0.1, "{}", share(0.9));
        assert!(Trust::FULL.share(&Distances::default()) > 1.0 - 1e-9);
    }
}
