//! Fit of the physical constants: robust least squares in logs under Gaussian priors.
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

/// One row of the fit: its work, the log of its measured step time in seconds, and its weight.
pub(super) struct ConstantRow<'a> {
    pub work: &'a StepWork,
    pub log_time: f64,
    pub weight: f64,
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
    let pull: Vec<f64> = Constants::prior_widths()
        .iter()
        .map(|width| prior_strength * rows.len() as f64 / (width * width))
        .collect();
    let cost = |k: &Constants| -> f64 {
        let data: f64 = rows
            .par_iter()
            .map(|row| {
                let z =
                    ((StepTimes::compose(row.work, k).total.ln() - row.log_time) / SOFT).powi(2);
                row.weight / mean_weight * SOFT * SOFT * 2.0 * ((1.0 + z).sqrt() - 1.0)
            })
            .collect::<Vec<f64>>()
            .iter()
            .sum();
        let held: f64 = (0..pull.len())
            .map(|i| pull[i] * (k.values()[i] - prior.values()[i]).powi(2))
            .sum();
        data + held
    };
    let mut best = prior.clone();
    let mut best_cost = cost(&best);
    let mut damping = 1e-2;
    for _ in 0..rounds {
        let (gram, gradient) = normal_equations(rows, &best, mean_weight);
        let mut improved = false;
        for _ in 0..4 {
            let candidate = step(&gram, &gradient, &pull, &best, &prior, damping);
            let candidate_cost = cost(&candidate);
            if candidate_cost < best_cost {
                improved = best_cost - candidate_cost > 1e-5 * best_cost;
                best = candidate;
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

/// Weighted `JᵀJ` (lower triangle, row-major) and `Jᵀr`.
fn normal_equations(
    rows: &[ConstantRow<'_>],
    k: &Constants,
    mean_weight: f64,
) -> (Vec<f64>, Vec<f64>) {
    let n = k.values().len();
    let shifted: Vec<Constants> = (0..n)
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
                let residual = here - row.log_time;
                let robust = (1.0 + (residual / SOFT).powi(2)).sqrt();
                let weight = row.weight / mean_weight / robust;
                let mut used: Vec<usize> = Vec::with_capacity(n);
                for (i, other) in shifted.iter().enumerate() {
                    slopes[i] = (StepTimes::compose(row.work, other).total.ln() - here) / STEP;
                    if slopes[i] != 0.0 {
                        used.push(i);
                    }
                }
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

fn step(
    gram: &[f64],
    gradient: &[f64],
    pull: &[f64],
    at: &Constants,
    prior: &Constants,
    damping: f64,
) -> Constants {
    let n = gradient.len();
    let mut lower = Array2::<f64>::zeros((n, n));
    let mut right = Array1::<f64>::zeros(n);
    for a in 0..n {
        for b in 0..=a {
            lower[[a, b]] = gram[a * n + b];
        }
        let diagonal = gram[a * n + a] + pull[a];
        lower[[a, a]] = diagonal * (1.0 + damping) + 1e-9;
        right[a] = -(gradient[a] + pull[a] * (at.values()[a] - prior.values()[a]));
    }
    let delta = solve(lower, right);
    let values = at
        .values()
        .iter()
        .zip(&delta)
        .map(|(v, d)| v + d.clamp(-1.0, 1.0))
        .collect();
    Constants::from_values(values).unwrap_or_else(|| at.clone())
}
