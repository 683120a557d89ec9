//! What matters: how much each feature says on the whole, and what the error becomes when it is shuffled.

use super::communication::{self, MeasuredCollective};
use super::crossval::Protocol;
use super::features::FEATURES;
use super::prediction::{Importance, Stage};
use super::process::Place;
use super::rows::TrainingRow;
use super::stages::{FitOptions, Staged, Stages};
use super::train::TrainError;
use super::trees::BoostError;
use rayon::prelude::*;

/// Held-out rows a feature is shuffled on.
const SHUFFLED: usize = 400;
/// Rows whose reasons are averaged.
const EXPLAINED: usize = 240;

struct Sample<'a> {
    rows: Vec<&'a TrainingRow>,
    staged: Vec<Staged>,
}

impl<'a> Sample<'a> {
    /// Evenly spaced rows that a stage speaks of.
    fn new(
        stages: &Stages,
        rows: &'a [TrainingRow],
        members: impl Iterator<Item = usize>,
        stage: Stage,
        most: usize,
    ) -> Self {
        let members: Vec<usize> = members
            .filter(|i| stage == Stage::Compute || rows[*i].work.devices > 1.0)
            .collect();
        let every = members.len().div_ceil(most).max(1);
        let rows: Vec<&TrainingRow> = members.iter().step_by(every).map(|i| &rows[*i]).collect();
        let staged = rows.par_iter().map(|r| stages.run(&r.work)).collect();
        Self { rows, staged }
    }

    fn log(&self, stages: &Stages, at: usize, row: &[f32]) -> f64 {
        let place = Place {
            row,
            ..self.staged[at].place(&self.rows[at].work)
        };
        let value = stages.learned.said(&[place])[0].value(&self.staged[at].shares);
        value.compute * place.compute_share + value.overlap
    }
}

/// Share of each feature in the reasons of the shipped stages, and the rise of the held-out error when it is shuffled
/// (one fold of the known protocol).
///
/// # Errors
/// [`TrainError`].
pub(super) fn importance(
    rows: &[TrainingRow],
    shipped: &Stages,
    options: &FitOptions,
) -> Result<Vec<Importance>, TrainError> {
    let folds = Protocol::Known.folds(rows)?;
    let Some(fold) = folds.first() else {
        return Ok(Vec::new());
    };
    let stages = Stages::fit(rows, &fold.train, options)?;
    let mut list = Vec::new();
    for (part, stage) in [Stage::Compute, Stage::Overlap].into_iter().enumerate() {
        let sample = Sample::new(&stages, rows, fold.test.iter().copied(), stage, SHUFFLED);
        let rises = rises(&stages, &sample);
        let explained = Sample::new(shipped, rows, 0..rows.len(), stage, EXPLAINED);
        let gains = gains(shipped, &explained, part);
        for (feature, f) in FEATURES.iter().enumerate() {
            if stage == Stage::Compute && !f.compute {
                continue;
            }
            list.push(Importance {
                feature: f.label.to_owned(),
                stage,
                gain: gains[feature],
                permutation: rises[feature],
            });
        }
    }
    Ok(list)
}

/// Where a value is taken from when a feature is shuffled: a fixed stride, a prime that divides no count here, is
/// a permutation that needs no generator.
pub(super) const fn shuffled(at: usize, count: usize) -> usize {
    (at * 7919 + 17) % count
}

fn rises(stages: &Stages, sample: &Sample<'_>) -> Vec<f64> {
    let count = sample.rows.len();
    let base: Vec<f64> = (0..count)
        .map(|i| sample.rows[i].log_time - sample.staged[i].log_time())
        .collect();
    let error =
        |values: &[f64]| values.iter().map(|v| v.abs()).sum::<f64>() / values.len().max(1) as f64;
    let before = error(&base);
    (0..FEATURES.len())
        .into_par_iter()
        .map(|feature| {
            let errors: Vec<f64> = (0..count)
                .map(|i| {
                    let mut row = sample.staged[i].row.clone();
                    row[feature] = sample.staged[shuffled(i, count)].row[feature];
                    let own = sample.staged[i].composed_log + sample.staged[i].overlap_log;
                    base[i] + own - sample.log(stages, i, &row)
                })
                .collect();
            error(&errors) - before
        })
        .collect()
}

fn gains(stages: &Stages, sample: &Sample<'_>, part: usize) -> Vec<f64> {
    let parts: Vec<Vec<(usize, f64)>> = (0..sample.rows.len())
        .into_par_iter()
        .map(|i| {
            let place = sample.staged[i].place(&sample.rows[i].work);
            let shares = &sample.staged[i].shares;
            let [compute, overlap] = stages.learned.contributions(&place, shares);
            if part == 0 { compute.0 } else { overlap.0 }
        })
        .collect();
    let mut sums = vec![0.0; FEATURES.len()];
    for (feature, value) in parts.into_iter().flatten() {
        sums[feature] += value.abs();
    }
    let total = sums.iter().sum::<f64>().max(1e-300);
    sums.iter_mut().for_each(|s| *s /= total);
    sums
}

/// What matters to the communication stage.
///
/// # Errors
/// [`BoostError`] where there are no points.
pub(super) fn communication_importance(
    points: &[MeasuredCollective],
) -> Result<Vec<Importance>, BoostError> {
    let figures = communication::importance(points)?;
    Ok(communication::LABELS
        .iter()
        .zip(figures)
        .map(|(label, (gain, permutation))| Importance {
            feature: (*label).to_owned(),
            stage: Stage::Communication,
            gain,
            permutation,
        })
        .collect())
}

/// Stage by stage, what matters most first; names break ties.
pub(super) fn order(list: &mut [Importance]) {
    list.sort_by(|a, b| {
        a.stage
            .cmp(&b.stage)
            .then(b.permutation.total_cmp(&a.permutation))
            .then(a.feature.cmp(&b.feature))
    });
}
