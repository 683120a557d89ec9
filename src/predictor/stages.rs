//! The fitted stages and how they compose: compute, communication, overlap.
//!
//! `ln T = ln(T_compute · e^{f_c} + exposed communication) + f_o`, where `f_c` (half a ridge, trees on the rest) is fitted
//! on single-device runs and `f_o` (likewise) on multi-device runs; the communication stage corrects the alpha-beta time of
//! each collective. Every stage predicts the log of measured over physics, so physics carries where data ends.

use super::constants_fit::{ConstantRow, fit_constants};
use super::features::{Group, feature_row, visible};
use super::ridge::Ridge;
use super::rows::TrainingRow;
use super::trees::{BoostError, BoostParams, Forest};
use crate::physics::{Constants, PrecisionView, StepTimes, StepWork};
use linfa::DatasetBase;
use linfa::traits::Fit;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// How the stages are fitted; the defaults ship, the rest is for ablations and baselines.
#[derive(Debug, Clone)]
pub struct FitOptions {
    /// What the stages may see of the precision.
    pub view: PrecisionView,
    /// Feature groups left out.
    pub without: Vec<Group>,
    /// Trees of the compute stage.
    pub compute: BoostParams,
    /// Trees of the overlap stage.
    pub overlap: BoostParams,
    /// Share of the ridge that enters the prediction.
    pub ridge_share: f64,
    /// Rounds of the fit of the constants.
    pub rounds: usize,
    /// Strength of the constants' priors; see `constants_fit`.
    pub prior: f64,
}

impl Default for FitOptions {
    fn default() -> Self {
        let trees = BoostParams {
            trees: 900,
            leaves: 31,
            rate: 0.04,
            min_leaf: 4,
            l2: 1.0,
            fair: 0.07,
            ..BoostParams::default()
        };
        Self {
            view: PrecisionView::Aware,
            without: Vec::new(),
            compute: trees.clone(),
            overlap: trees,
            ridge_share: 0.5,
            rounds: 12,
            prior: 1.5e-4,
        }
    }
}

/// A ridge and trees on the features of one stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StageModel {
    /// Indices of the features it sees.
    pub features: Vec<u32>,
    /// Smooth part.
    pub ridge: Ridge,
    /// Share of the ridge that counts.
    pub ridge_share: f64,
    /// Trees on what the ridge leaves.
    pub forest: Forest,
}

/// Penalty of the ridge, in rows.
const LAMBDA: f64 = 30.0;
/// Targets of the ridge are clipped here, targets of the trees at twice that.
const CLIP: f64 = 1.25;

impl StageModel {
    fn fit(
        rows: &[Vec<f32>],
        targets: &[f64],
        weights: &[f64],
        features: Vec<usize>,
        params: &BoostParams,
        ridge_share: f64,
    ) -> Result<Self, BoostError> {
        let records =
            Array2::from_shape_fn((rows.len(), features.len()), |(i, j)| rows[i][features[j]]);
        let clipped: Vec<f64> = targets.iter().map(|t| t.clamp(-CLIP, CLIP)).collect();
        let ridge = if ridge_share > 0.0 {
            Ridge::fit(&records, &clipped, weights, LAMBDA)
        } else {
            Ridge::default()
        };
        let rest: Array1<f64> = records
            .rows()
            .into_iter()
            .zip(targets)
            .map(|(row, target)| {
                let smooth = if ridge_share > 0.0 {
                    ridge_share * ridge.predict_row(row.iter().copied())
                } else {
                    0.0
                };
                target.clamp(-2.0 * CLIP, 2.0 * CLIP) - smooth
            })
            .collect();
        let weights: Array1<f32> = weights.iter().map(|w| *w as f32).collect();
        let forest = params.fit(&DatasetBase::new(records, rest).with_weights(weights))?;
        let features = features.iter().map(|f| *f as u32).collect();
        Ok(Self {
            features,
            ridge,
            ridge_share,
            forest,
        })
    }

    fn own<'a>(&'a self, row: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        self.features.iter().map(|f| row[*f as usize])
    }

    /// The log correction for one full feature row.
    pub fn predict(&self, row: &[f32]) -> f64 {
        if self.features.is_empty() {
            return 0.0;
        }
        let own: Vec<f32> = self.own(row).collect();
        let smooth = if self.ridge_share > 0.0 {
            self.ridge_share * self.ridge.predict_row(own.iter().copied())
        } else {
            0.0
        };
        smooth + self.forest.predict_row(&own)
    }

    /// What the trees and the ridge say of one row, apart; their disagreement speaks of doubt.
    pub fn smooth_part(&self, row: &[f32]) -> f64 {
        if self.features.is_empty() || self.ridge_share <= 0.0 {
            return 0.0;
        }
        self.ridge.predict_row(self.own(row))
    }

    /// Contributions by feature index, and the value of an average row.
    pub fn contributions(&self, row: &[f32]) -> (Vec<(usize, f64)>, f64) {
        if self.features.is_empty() {
            return (Vec::new(), 0.0);
        }
        let own: Vec<f32> = self.own(row).collect();
        let mut parts = self.forest.contributions(&own);
        let mut base = self.forest.expected();
        if self.ridge_share > 0.0 {
            base += self.ridge_share * self.ridge.intercept();
            let terms = self.ridge.terms(own.iter().copied());
            parts
                .iter_mut()
                .zip(terms)
                .for_each(|(p, t)| *p += self.ridge_share * t);
        }
        let named = self
            .features
            .iter()
            .map(|f| *f as usize)
            .zip(parts)
            .collect();
        (named, base)
    }
}

/// Physics and trees, fitted together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    /// Constants of the physical time.
    pub constants: Constants,
    /// Correction of one device's compute.
    pub compute: StageModel,
    /// Correction of the composed multi-device time.
    pub overlap: StageModel,
}

/// One configuration through the stages; times in seconds.
#[derive(Debug, Clone)]
pub struct Staged {
    /// Physics alone.
    pub times: StepTimes,
    /// The feature row.
    pub row: Vec<f32>,
    /// Log correction of compute.
    pub compute_log: f64,
    /// Log of the composed time over physics, before the overlap stage.
    pub composed_log: f64,
    /// Log correction of the overlap stage; 0 on one device.
    pub overlap_log: f64,
}

impl Staged {
    /// Natural log of the predicted step time in seconds.
    pub fn log_time(&self) -> f64 {
        self.times.total.ln() + self.composed_log + self.overlap_log
    }
}

/// Log of the composed time over the physical time when compute is corrected by `compute_log`.
fn composed(times: &StepTimes, compute_log: f64) -> f64 {
    let compute = times.compute + times.optimizer + times.unscale;
    let physical = compute + times.exposed;
    ((compute * compute_log.exp() + times.exposed) / physical).ln()
}

impl Stages {
    /// Fits all stages on rows (indices into `rows`).
    ///
    /// # Errors
    /// [`BoostError`] where there are no single-device or no multi-device rows.
    pub fn fit(
        rows: &[TrainingRow],
        train: &[usize],
        options: &FitOptions,
    ) -> Result<Self, BoostError> {
        let work = |i: usize| match options.view {
            PrecisionView::Aware => &rows[i].work,
            PrecisionView::Blind => &rows[i].blind,
        };
        let constants = fit_on(rows, train, options, &work);
        let times: Vec<StepTimes> = train
            .iter()
            .map(|i| StepTimes::compose(work(*i), &constants))
            .collect();
        let features: Vec<Vec<f32>> = train
            .iter()
            .zip(&times)
            .map(|(i, t)| feature_row(work(*i), t))
            .collect();
        let mut without = options.without.clone();
        if options.view == PrecisionView::Blind {
            without.push(Group::Precision);
            without.push(Group::Casts);
        }
        let pick = |keep: &dyn Fn(usize) -> bool| {
            (0..train.len())
                .filter(|p| keep(*p))
                .collect::<Vec<usize>>()
        };
        let single = pick(&|p| work(train[p]).devices <= 1.0);
        let compute = fit_stage(
            rows,
            train,
            &features,
            &single,
            visible(true, &without),
            &options.compute,
            options.ridge_share,
            &|p| rows[train[p]].log_time - times[p].total.ln(),
        )?;
        let many = pick(&|p| work(train[p]).devices > 1.0);
        let overlap = if !many.is_empty() {
            fit_stage(
                rows,
                train,
                &features,
                &many,
                visible(false, &without),
                &options.overlap,
                options.ridge_share,
                &|p| {
                    let before =
                        times[p].total.ln() + composed(&times[p], compute.predict(&features[p]));
                    rows[train[p]].log_time - before
                },
            )?
        } else {
            StageModel::default()
        };
        Ok(Self {
            constants,
            compute,
            overlap,
        })
    }

    /// Runs one configuration's work through the stages.
    pub fn run(&self, work: &StepWork) -> Staged {
        let times = StepTimes::compose(work, &self.constants);
        let row = feature_row(work, &times);
        let compute_log = self.compute.predict(&row);
        let composed_log = composed(&times, compute_log);
        let overlap_log = if work.devices > 1.0 {
            self.overlap.predict(&row)
        } else {
            0.0
        };
        Staged {
            times,
            row,
            compute_log,
            composed_log,
            overlap_log,
        }
    }
}

#[allow(clippy::too_many_arguments)] // one call site a stage
fn fit_stage(
    rows: &[TrainingRow],
    train: &[usize],
    features: &[Vec<f32>],
    members: &[usize],
    visible: Vec<usize>,
    params: &BoostParams,
    ridge_share: f64,
    target: &dyn Fn(usize) -> f64,
) -> Result<StageModel, BoostError> {
    let records: Vec<Vec<f32>> = members.iter().map(|p| features[*p].clone()).collect();
    let targets: Vec<f64> = members.iter().map(|p| target(*p)).collect();
    let weights: Vec<f64> = members.iter().map(|p| rows[train[*p]].weight).collect();
    StageModel::fit(&records, &targets, &weights, visible, params, ridge_share)
}

/// Rows of one group beyond this many say nothing new of the constants.
const ROWS_A_GROUP: usize = 2;

fn fit_on<'a>(
    rows: &'a [TrainingRow],
    train: &[usize],
    options: &FitOptions,
    work: &dyn Fn(usize) -> &'a StepWork,
) -> Constants {
    let mut seen = std::collections::BTreeMap::<u32, usize>::new();
    let chosen: Vec<ConstantRow<'_>> = train
        .iter()
        .filter(|i| {
            let count = seen.entry(rows[**i].group).or_default();
            *count += 1;
            *count <= ROWS_A_GROUP
        })
        .map(|i| ConstantRow {
            work: work(*i),
            log_time: rows[*i].log_time,
            weight: rows[*i].weight,
        })
        .collect();
    fit_constants(&chosen, options.prior, options.rounds)
}
