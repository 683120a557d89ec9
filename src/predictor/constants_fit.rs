//! Fit of the physical constants: robust least squares in logs under Gaussian priors, with an effect of each publication.
//!
//! A publication's runs share what nobody states (how well tuned, what else the step did), so its errors go together, and
//! the largest table would draw the constants of its operators to its own level. Each publication therefore has an effect
//! of its own, fitted beside the constants and then dropped (a mixed model: Laird and Ware, "Random-effects models for
//! longitudinal data", Biometrics 38, 1982): the constants follow how runs of one publication differ; their common level is
//! then set by the error that is told. The same holds of single constants that differ from stack to stack ([`OWN`]): one
//! table of many nets whose activations are slow must not make them slow for everybody. When effects were chosen, more than
//! these, physics alone erred by 21.6 % on publications left out, by 23.2 % with the level alone, by 26.7 % with none.
//!
//! Levenberg-Marquardt with a soft-L1 loss by iterated reweighting (Triggs et al., "Bundle adjustment", 2000,
//! section 4.3); derivatives by forward differences, rows in parallel, sums in row order.

use super::process::solve;
use super::quantile::weighted_quantile;
use crate::physics::{Constant, Constants, StepTimes, StepWork};
use ndarray::{Array1, Array2};
use rayon::prelude::*;

/// Residuals (in logs) beyond this count linearly.
const SOFT: f64 = 0.25;
const STEP: f64 = 1e-4;
/// Variance of what effects do not explain, (17 %)²: an effect of so many standard deviations costs as much as one row
/// that is off by as many of these.
const VARIANCE: f64 = 0.03;
/// Standard deviation of the level of a publication. Half and twice as much give the same errors within 0.4 points.
const LEVEL: f64 = 0.15;
/// Constants of which each publication has its own, with the standard deviation of their logarithms: how fast its hosts hand
/// kernels over, and how much of the elementwise traffic its
/// stack fuses away. Depthwise convolutions had theirs until their kernels were told apart; without,
/// physics errs by less.
const OWN: [(Constant, f64); 3] = [
    (Constant::Launch, 0.2),
    (Constant::Elementwise, 0.15),
    (Constant::ElementwiseBlocks, 0.15),
];
/// Effects of each publication: its level, then its own constants.
const EACH: usize = 1 + OWN.len();

/// One row of the fit: its work, the log of its measured step time in seconds, and its weight.
pub(super) struct ConstantRow<'a> {
    pub work: &'a StepWork,
    pub log_time: f64,
    pub weight: f64,
    /// Its publication, as a number: all from 0 to the largest are of some row.
    pub publication: usize,
}

/// What is fitted: the constants, and for each publication the effect on its level and on each of the constants it has for
/// itself.
#[derive(Clone)]
struct Fit {
    constants: Constants,
    effects: Vec<f64>,
}

impl Fit {
    /// The constants of each publication: `shift` moves one of the common ones.
    fn of_publications(&self, shift: Option<usize>) -> Vec<Constants> {
        self.effects
            .chunks(EACH)
            .map(|effects| {
                let mut values = self.constants.values().to_vec();
                for ((constant, _), by) in OWN.iter().zip(&effects[1..]) {
                    values[*constant as usize] += by;
                }
                if let Some(at) = shift {
                    values[at] += STEP;
                }
                Constants::from_values(values).unwrap_or_else(|| self.constants.clone())
            })
            .collect()
    }
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
    let widths = [LEVEL].into_iter().chain(OWN.map(|(_, width)| width));
    let effects: Vec<f64> = widths.map(|width| VARIANCE / (width * width)).collect();
    let pull: Vec<f64> = (Constants::prior_widths().iter())
        .map(|width| prior_strength * rows.len() as f64 / (width * width))
        .chain((0..publications).flat_map(|_| effects.iter().copied()))
        .collect();
    let cost = |fit: &Fit| -> f64 {
        let of = fit.of_publications(None);
        let data: f64 = rows
            .par_iter()
            .map(|row| {
                let predicted = StepTimes::compose(row.work, &of[row.publication])
                    .total
                    .ln();
                let error = predicted + fit.effects[row.publication * EACH] - row.log_time;
                let z = (error / SOFT).powi(2);
                row.weight / mean_weight * SOFT * SOFT * 2.0 * ((1.0 + z).sqrt() - 1.0)
            })
            .collect::<Vec<f64>>()
            .iter()
            .sum();
        let held: f64 = moved(&fit.constants, &prior, &fit.effects)
            .zip(&pull)
            .map(|(by, pull)| pull * by * by)
            .sum();
        data + held
    };
    let mut best = Fit {
        constants: prior.clone(),
        effects: vec![0.0; publications * EACH],
    };
    let mut best_cost = cost(&best);
    let mut damping = 1e-2;
    for _ in 0..rounds {
        let (gram, gradient) = normal_equations(rows, &best, mean_weight);
        let mut improved = false;
        for _ in 0..4 {
            let from = moved(&best.constants, &prior, &best.effects).collect::<Vec<f64>>();
            let delta = step(&gram, &gradient, &pull, &from, damping);
            let (common, shared) = delta.split_at(best.constants.values().len());
            let values = best
                .constants
                .values()
                .iter()
                .zip(common)
                .map(|(v, d)| v + d)
                .collect();
            let candidate = Fit {
                constants: Constants::from_values(values).unwrap_or_else(|| best.constants.clone()),
                effects: best
                    .effects
                    .iter()
                    .zip(shared)
                    .map(|(e, d)| e + d)
                    .collect(),
            };
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
    levelled(rows, best.constants)
}

/// The constants with the common level at which the mean absolute error relative to the measured times is least: the middle
/// of measured over predicted times, each counting as much as predicted over measured. Effects that add up to nothing would
/// leave the level to the few publications that are farthest off: one of two rows, whose lengths nobody states, moved every
/// prediction by 6 %.
fn levelled(rows: &[ConstantRow<'_>], constants: Constants) -> Constants {
    let mut missing: Vec<(f64, f64)> = rows
        .par_iter()
        .map(|row| {
            let missing = row.log_time - StepTimes::compose(row.work, &constants).total.ln();
            (missing, (-missing).exp())
        })
        .collect();
    let mut values = constants.values().to_vec();
    values[Constant::Unaccounted as usize] += weighted_quantile(&mut missing, 0.5).unwrap_or(0.0);
    Constants::from_values(values).unwrap_or(constants)
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
fn normal_equations(rows: &[ConstantRow<'_>], fit: &Fit, mean_weight: f64) -> (Vec<f64>, Vec<f64>) {
    let constants = fit.constants.values().len();
    let n = constants + fit.effects.len();
    let here = fit.of_publications(None);
    let shifted: Vec<Vec<Constants>> = (0..constants)
        .map(|i| fit.of_publications(Some(i)))
        .collect();
    // Fixed chunks, so that sums do not depend on the number of threads.
    let parts: Vec<(Vec<f64>, Vec<f64>)> = rows
        .par_chunks(256)
        .map(|chunk| {
            let mut gram = vec![0.0; n * n];
            let mut gradient = vec![0.0; n];
            let mut slopes = vec![0.0; n];
            for row in chunk {
                let of = row.publication;
                let here = StepTimes::compose(row.work, &here[of]).total.ln();
                let residual = here + fit.effects[of * EACH] - row.log_time;
                let robust = (1.0 + (residual / SOFT).powi(2)).sqrt();
                let weight = row.weight / mean_weight / robust;
                let mut used: Vec<usize> = Vec::with_capacity(n);
                for (i, other) in shifted.iter().enumerate() {
                    slopes[i] = (StepTimes::compose(row.work, &other[of]).total.ln() - here) / STEP;
                    if slopes[i] != 0.0 {
                        used.push(i);
                    }
                }
                let first = constants + of * EACH;
                slopes[first] = 1.0;
                used.push(first);
                for (j, (constant, _)) in OWN.iter().enumerate() {
                    let slope = slopes[*constant as usize];
                    slopes[first + 1 + j] = slope;
                    if slope != 0.0 {
                        used.push(first + 1 + j);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::MeasuredRun;
    use crate::physics::PrecisionView;
    use crate::predictor::resolve::resolve;
    use crate::presets::Catalogue;

    /// Work of nets with and without depthwise convolutions, at several batches.
    fn works() -> Vec<StepWork> {
        let catalogue = Catalogue::shipped().unwrap();
        let mut works = Vec::new();
        for model in ["mobilenetv2-100", "mnasnet-100", "resnet50", "vgg16"] {
            for batch in [64.0, 128.0, 256.0] {
                let run = MeasuredRun {
                    model: model.into(),
                    gpu: "A100-SXM4-80GB".into(),
                    gpus: 1,
                    precision: Some("amp-fp16".into()),
                    batch_per_gpu: Some(batch),
                    framework: Some("pytorch".into()),
                    ..MeasuredRun::default()
                };
                let c = resolve(&run, &catalogue).unwrap();
                works.push(StepWork::new(&c, PrecisionView::Aware).unwrap());
            }
        }
        works
    }

    #[test]
    fn two_rows_far_off_do_not_move_the_level_of_all() {
        let works = works();
        let prior = Constants::default();
        let row = |work, publication, by| ConstantRow {
            work,
            log_time: StepTimes::compose(work, &prior).total.ln() + by,
            weight: 1.0,
            publication,
        };
        let mut rows: Vec<ConstantRow<'_>> = (0..6)
            .flat_map(|publication| works.iter().map(move |w| (w, publication)))
            .map(|(work, publication)| row(work, publication, 0.0))
            .collect();
        rows.extend(works.iter().take(2).map(|work| row(work, 6, -1.4)));
        let fitted = fit_constants(&rows, 1.5e-4, 30);
        let seconds = |work, k: &Constants| StepTimes::compose(work, k).total;
        let ratios = works
            .iter()
            .map(|w| seconds(w, &fitted) / seconds(w, &prior));
        let mut ratios: Vec<f64> = ratios.collect();
        ratios.sort_by(f64::total_cmp);
        let middle = ratios[ratios.len() / 2];
        assert!((middle - 1.0).abs() < 0.01, "{ratios:?}");
    }

    #[test]
    fn one_large_table_does_not_make_its_kernels_everybodys() {
        let works = works();
        let prior = Constants::default();
        let slow = {
            let mut values = prior.values().to_vec();
            values[Constant::Elementwise as usize] += 1.0;
            Constants::from_values(values).unwrap()
        };
        // Six publications as the prior has it, and one of twenty times their rows whose activations are slow.
        let rows = |large: usize| -> Vec<ConstantRow<'_>> {
            let of = |publication: usize, k: &Constants, repeats: usize| -> Vec<ConstantRow<'_>> {
                let times = works.iter().map(|w| StepTimes::compose(w, k).total.ln());
                let rows = works.iter().zip(times).map(|(work, log_time)| ConstantRow {
                    work,
                    log_time,
                    weight: 1.0,
                    publication,
                });
                let rows: Vec<ConstantRow<'_>> = rows.collect();
                (0..repeats)
                    .flat_map(|_| rows.iter().map(|r| ConstantRow { work: r.work, ..*r }))
                    .collect()
            };
            (0..6)
                .flat_map(|publication| of(publication, &prior, 1))
                .chain(of(6, &slow, large))
                .collect()
        };
        let moved = |rows: &[ConstantRow<'_>]| {
            let fitted = fit_constants(rows, 1.5e-4, 30);
            fitted.log(Constant::Elementwise) - prior.log(Constant::Elementwise)
        };
        let drawn = moved(&rows(20));
        // By rows it would stand at 120 / 126 of the way; by publications at a seventh.
        assert!((0.0..0.4).contains(&drawn), "{drawn}");
        // The same input gives the same constants.
        assert_eq!(drawn.to_bits(), moved(&rows(20)).to_bits());
    }
}
