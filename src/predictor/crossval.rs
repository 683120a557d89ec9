//! Accuracy by protocol: what is held out, what is predicted, and the baselines in the same folds.

use super::doubt::Signs;
use super::learned::{VOICES, heard};
use super::predict::signs;
use super::process::FitError;
use super::rows::TrainingRow;
use super::stages::{FitOptions, Stages};
use super::trust::Trust;
use crate::dataset::{DatasetError, Fold, k_fold, leave_groups_out, scale_split};
use crate::physics::{PrecisionView, StepWork};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What a protocol holds out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Five folds over configurations.
    Known,
    /// Whole model families.
    Family,
    /// Whole accelerator parts.
    Accelerator,
    /// Train on at most 8 devices, test on more.
    Scale,
    /// Whole publications.
    Publication,
}

impl Protocol {
    /// Every protocol, in the order of the table.
    pub const ALL: [Self; 5] = [
        Self::Known,
        Self::Family,
        Self::Accelerator,
        Self::Scale,
        Self::Publication,
    ];

    /// The name in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::Family => "unseen model",
            Self::Accelerator => "unseen accelerator",
            Self::Scale => "unseen scale",
            Self::Publication => "unseen source",
        }
    }

    /// Whether what is held out is held out of the kernels' scales too: see [`sides`].
    pub const fn is_nested(self) -> bool {
        matches!(self, Self::Family | Self::Publication)
    }

    /// The folds over rows; twins never straddle one.
    ///
    /// # Errors
    /// [`DatasetError`] where there are too few rows to split.
    pub fn folds(self, rows: &[TrainingRow]) -> Result<Vec<Fold>, DatasetError> {
        let groups: Vec<u32> = rows.iter().map(|r| r.group).collect();
        let keys = |of: fn(&TrainingRow) -> String| rows.iter().map(of).collect::<Vec<String>>();
        match self {
            Self::Known => k_fold(&groups, 5, 0),
            Self::Family => leave_groups_out(&keys(|r| r.family.clone()), &groups, 8, 1),
            Self::Accelerator => leave_groups_out(
                &keys(|r| r.configuration.accelerator.name.clone()),
                &groups,
                8,
                1,
            ),
            Self::Scale => {
                let devices: Vec<u32> = rows.iter().map(|r| r.configuration.count).collect();
                Ok(vec![scale_split(&devices, &groups, 8)?])
            }
            Self::Publication => leave_groups_out(&keys(TrainingRow::publication), &groups, 13, 1),
        }
    }
}

/// Why a cross-validation cannot run.
#[derive(Debug, thiserror::Error)]
pub enum CrossvalError {
    /// Too few rows.
    #[error(transparent)]
    Data(#[from] DatasetError),
    /// A fit failed.
    #[error(transparent)]
    Fit(#[from] FitError),
}

/// One held-out prediction.
#[derive(Debug, Clone, Copy)]
pub struct HeldOut {
    /// Index of the row.
    pub row: usize,
    /// Predicted log of the step time in seconds.
    pub predicted: f64,
    /// Physics alone, fitted in the same fold.
    pub physics: f64,
    /// What each voice would add to it, if all of it counted; the networks, what they would say of it.
    pub voices: [f64; VOICES],
    /// Signs of doubt, distances taken to the rows of the fold's training side.
    pub signs: Signs,
}

impl HeldOut {
    /// What fitted stages say of a row; a baseline gets no signs of doubt.
    pub(super) fn of(row: usize, work: &StepWork, stages: &Stages, view: PrecisionView) -> Self {
        let (staged, signs) = match view {
            PrecisionView::Aware => {
                let (staged, deviation) = stages.run_doubted(work);
                let signs = signs(work, &staged, deviation);
                (staged, signs)
            }
            PrecisionView::Blind => (stages.run(work), Signs::default()),
        };
        Self {
            row,
            predicted: staged.log_time(),
            physics: staged.times.total.ln(),
            voices: staged.voices,
            signs,
        }
    }

    /// The same prediction with as much of its correction as there is trust in it.
    pub fn trusted(self, trust: &Trust) -> Self {
        let shares = trust.shares(&self.signs.distances);
        let correction = heard(&self.voices, &shares);
        Self {
            predicted: self.physics + correction,
            signs: Signs {
                correction,
                ..self.signs
            },
            ..self
        }
    }
}

/// Which of two halves each fold belongs to, so that both test about as many rows: the scales learned without a half are
/// those its families and publications are predicted with.
pub fn sides(folds: &[Fold]) -> Vec<usize> {
    let mut by_size: Vec<usize> = (0..folds.len()).collect();
    by_size.sort_by_key(|at| (std::cmp::Reverse(folds[*at].test.len()), *at));
    let (mut sides, mut sums) = (vec![0; folds.len()], [0; 2]);
    for at in by_size {
        let side = usize::from(sums[1] < sums[0]);
        sides[at] = side;
        sums[side] += folds[at].test.len();
    }
    sides
}

/// Held-out predictions of a protocol, in fold order, and the fold each is of. Of unseen families and publications the
/// scales of the kernels are those learned without their half: see [`sides`].
///
/// # Errors
/// [`CrossvalError`].
pub fn held_out(
    rows: &[TrainingRow],
    protocol: Protocol,
    options: &FitOptions,
) -> Result<Vec<(HeldOut, usize)>, CrossvalError> {
    let folds = protocol.folds(rows)?;
    let sides = sides(&folds);
    let parts: Result<Vec<Vec<(HeldOut, usize)>>, FitError> = (folds.par_iter())
        .zip(&sides)
        .enumerate()
        .map(|(at, (fold, side))| {
            let mut own = options.clone();
            if protocol.is_nested() {
                own.shape = options.halves[*side].clone();
            }
            let stages = Stages::fit(rows, &fold.train, &own)?;
            let held = predict_fold(&stages, rows, fold, options.view);
            Ok(held.into_iter().map(|h| (h, at)).collect())
        })
        .collect();
    Ok(parts?.into_iter().flatten().collect())
}

/// Held-out predictions of these folds, in order.
///
/// # Errors
/// [`CrossvalError`].
pub fn held_out_of(
    rows: &[TrainingRow],
    folds: &[Fold],
    options: &FitOptions,
) -> Result<Vec<HeldOut>, CrossvalError> {
    let parts: Result<Vec<Vec<HeldOut>>, FitError> = folds
        .par_iter()
        .map(|fold| {
            let stages = Stages::fit(rows, &fold.train, options)?;
            Ok(predict_fold(&stages, rows, fold, options.view))
        })
        .collect();
    Ok(parts?.into_iter().flatten().collect())
}

fn predict_fold(
    stages: &Stages,
    rows: &[TrainingRow],
    fold: &Fold,
    view: PrecisionView,
) -> Vec<HeldOut> {
    let work = |row: usize| match view {
        PrecisionView::Aware => &rows[row].work,
        PrecisionView::Blind => &rows[row].blind,
    };
    fold.test
        .iter()
        .map(|&row| HeldOut::of(row, work(row), stages, view))
        .collect()
}

/// Mean and median absolute percentage error.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ErrorSummary {
    /// Rows counted.
    pub rows: usize,
    /// Mean of |predicted − measured| / measured, in percent.
    pub mean: f64,
    /// Median of the same.
    pub median: f64,
}

impl ErrorSummary {
    /// Of pairs of logs (predicted, measured).
    pub fn of(pairs: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut errors: Vec<f64> = pairs
            .map(|(p, m)| ((p - m).exp() - 1.0).abs() * 100.0)
            .collect();
        if errors.is_empty() {
            return Self::default();
        }
        errors.sort_by(f64::total_cmp);
        Self {
            rows: errors.len(),
            mean: errors.iter().sum::<f64>() / errors.len() as f64,
            median: errors[errors.len() / 2],
        }
    }
}
