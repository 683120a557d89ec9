//! Fit of the physical constants: robust least squares in logs under Gaussian priors, with an effect of each publication.
//!
//! A publication's runs share what nobody states (how well tuned, what else the step did), so its errors go together, and
//! the largest table would draw the constants of its operators to its own level. Each publication therefore has an effect
//! of its own, fitted beside the constants and then dropped (a mixed model: Laird and Ware, "Random-effects models for
//! longitudinal data", Biometrics 38, 1982): the constants follow how runs of one publication differ, and their level is
//! that of publications, not of rows. Publications left out err by 23.4 % in the mean where it stands, by 26.7 % where not.
//!
//! Levenberg-Marquardt with a soft-L1 loss by iterated reweighting (Triggs et al., "Bundle adjustment", 2000,
//! section 4.3); derivatives by forward differences, rows in parallel, sums in row order.

use super::process::solve;
use crate::physics::{Constants, StepTimes, StepWork};
use ndarray::{Array1, Array2};
use rayon::prelude::*;

/// Residuals (in logs) beyond this count linearly.
const SOFT: f64 = 0.25;
const STEP: f64 = 1e-4;
/// What the square of a publication's effect costs: the variance of the other errors, (17 %)², over that of publications,
/// (15 %)². Half and twice the latter deviation give the same errors within 0.4 points.
const EFFECT_PULL: f64 = 0.03 / (0.15 * 0.15);

/// One row of the fit: its work, the log of its measured step time in seconds, and its weight.
pub(super) struct ConstantRow<'a> {
    pub work: &'a StepWork,
    pub log_time: f64,
    pub weight: f64,
    /// Its publication, as a number: all from 0 to the largest are of some row.
    pub publication: usize,
}

/// Fits the constants from the prior means. `prior_strength` is what one prior width of change costs, in mean squared
/// log error over all rows.
pub(super) fn fit_constants(
    rows: &[ConstantRow<'_>],
    prior_strength: f64,
    rounds: usize,
) -> Constants {
    let prior = Constants::default();
    let mean_weight = rows.iter().map(|r| r.weight).sum::<f64>() / rows.len().max(1) as f64;
    let publications = rows.iter().map(|r| r.publication + 1).max().unwrap_or(0);
    let pull: Vec<f64> = (Constants::prior_widths().iter())
        .map(|width| prior_strength * rows.len() as f64 / (width * width))
        .chain(vec![EFFECT_PULL; publications])
        .collect();
    let cost = |k: &Constants, effects: &[f64]| -> f64 {
        let data: f64 = rows
            .par_iter()
            .map(|row| {
                let predicted = StepTimes::compose(row.work, k).total.ln();
                let error = predicted + effects[row.publication] - row.log_time;
                let z = (error / SOFT).powi(2);
                row.weight / mean_weight * SOFT * SOFT * 2.0 * ((1.0 + z).sqrt() - 1.0)
            })
            .collect::<Vec<f64>>()
            .iter()
            .sum();
        let held: f64 = moved(k, &prior, effects)
            .zip(&pull)
            .map(|(by, pull)| pull * by * by)
            .sum();
        data + held
    };
    let mut best = prior.clone();
    let mut effects = vec![0.0; publications];
    let mut best_cost = cost(&best, &effects);
    let mut damping = 1e-2;
    for _ in 0..rounds {
        let (gram, gradient) = normal_equations(rows, &best, &effects, mean_weight);
        let mut improved = false;
        for _ in 0..4 {
            let from = moved(&best, &prior, &effects).collect::<Vec<f64>>();
            let delta = step(&gram, &gradient, &pull, &from, damping);
            let (own, shared) = delta.split_at(best.values().len());
            let values = best.values().iter().zip(own).map(|(v, d)| v + d).collect();
            let candidate = Constants::from_values(values).unwrap_or_else(|| best.clone());
            let beside: Vec<f64> = effects.iter().zip(shared).map(|(e, d)| e + d).collect();
            let candidate_cost = cost(&candidate, &beside);
            if candidate_cost < best_cost {
                improved = best_cost - candidate_cost > 1e-5 * best_cost;
                best = candidate;
                effects = beside;
                best_cost = candidate_cost;
                damping = (damping * 0.3).max(1e-6);
                break;
            }
            damping *= 6.0;
        }
        if !improved {
            break;
        }
    }
    best
}

/// How far constants stand from their prior means, then effects from nothing.
fn moved<'a>(
    k: &'a Constants,
    prior: &'a Constants,
    effects: &'a [f64],
) -> impl Iterator<Item = f64> + 'a {
    let constants = k.values().iter().zip(prior.values());
    constants.map(|(v, p)| v - p).chain(effects.iter().copied())
}

/// Weighted `JᵀJ` (lower triangle, row-major) and `Jᵀr` of constants, then effects.
fn normal_equations(
    rows: &[ConstantRow<'_>],
    k: &Constants,
    effects: &[f64],
    mean_weight: f64,
) -> (Vec<f64>, Vec<f64>) {
    let constants = k.values().len();
    let n = constants + effects.len();
    let shifted: Vec<Constants> = (0..constants)
        .filter_map(|i| {
            let mut values = k.values().to_vec();
            values[i] += STEP;
            Constants::from_values(values)
        })
        .collect();
    // Fixed chunks, so that sums do not depend on the number of threads.
    let parts: Vec<(Vec<f64>, Vec<f64>)> = rows
        .par_chunks(256)
        .map(|chunk| {
            let mut gram = vec![0.0; n * n];
            let mut gradient = vec![0.0; n];
            let mut slopes = vec![0.0; n];
            for row in chunk {
                let here = StepTimes::compose(row.work, k).total.ln();
                let residual = here + effects[row.publication] - row.log_time;
                let robust = (1.0 + (residual / SOFT).powi(2)).sqrt();
                let weight = row.weight / mean_weight / robust;
                let mut used: Vec<usize> = Vec::with_capacity(n);
                for (i, other) in shifted.iter().enumerate() {
                    slopes[i] = (StepTimes::compose(row.work, other).total.ln() - here) / STEP;
                    if slopes[i] != 0.0 {
                        used.push(i);
                    }
                }
                slopes[constants + row.publication] = 1.0;
                used.push(constants + row.publication);
                for &a in &used {
                    gradient[a] += weight * slopes[a] * residual;
                    for &b in used.iter().take_while(|b| **b <= a) {
                        gram[a * n + b] += weight * slopes[a] * slopes[b];
                    }
                }
            }
            (gram, gradient)
        })
        .collect();
    let mut gram = vec![0.0; n * n];
    let mut gradient = vec![0.0; n];
    for (g, v) in parts {
        gram.iter_mut().zip(g).for_each(|(a, b)| *a += b);
        gradient.iter_mut().zip(v).for_each(|(a, b)| *a += b);
    }
    (gram, gradient)
}

/// How far to move each constant and each effect.
fn step(gram: &[f64], gradient: &[f64], pull: &[f64], moved: &[f64], damping: f64) -> Vec<f64> {
    let n = gradient.len();
    let mut lower = Array2::<f64>::zeros((n, n));
    let mut right = Array1::<f64>::zeros(n);
    for a in 0..n {
        for b in 0..=a {
            lower[[a, b]] = gram[a * n + b];
        }
        let diagonal = gram[a * n + a] + pull[a];
        lower[[a, a]] = diagonal * (1.0 + damping) + 1e-9;
        right[a] = -(gradient[a] + pull[a] * moved[a]);
    }
    let delta = solve(lower, right);
    delta.iter().map(|d| d.clamp(-1.0, 1.0)).collect()
}
