//! Accuracy by protocol: what is held out, what is predicted, and the baselines in the same folds.

use super::doubt::{References, Signs};
use super::predict::signs;
use super::process::FitError;
use super::rows::TrainingRow;
use super::stages::{FitOptions, Stages};
use crate::dataset::{DatasetError, Fold, k_fold, leave_groups_out, scale_split};
use crate::physics::PrecisionView;
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
    /// Signs of doubt, distances taken to the rows of the fold's training side.
    pub signs: Signs,
}

/// Held-out predictions of a protocol, in fold order.
///
/// # Errors
/// [`CrossvalError`].
pub fn held_out(
    rows: &[TrainingRow],
    protocol: Protocol,
    options: &FitOptions,
) -> Result<Vec<HeldOut>, CrossvalError> {
    held_out_of(rows, &protocol.folds(rows)?, options)
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
    let known: Vec<Vec<f32>> = fold
        .train
        .iter()
        .map(|i| stages.features(work(*i)))
        .collect();
    let references = References::new(&known);
    fold.test
        .iter()
        .map(|&row| {
            // A baseline gets no interval.
            let (staged, signs) = match view {
                PrecisionView::Aware => {
                    let (staged, deviation) = stages.run_doubted(work(row));
                    let distances = references.distances(&staged.row, 0.0).0;
                    let signs = signs(work(row), &staged, deviation, distances);
                    (staged, signs)
                }
                PrecisionView::Blind => (stages.run(work(row)), Signs::default()),
            };
            HeldOut {
                row,
                predicted: staged.log_time(),
                physics: staged.times.total.ln(),
                signs,
            }
        })
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
