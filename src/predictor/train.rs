//! Fitting everything and measuring it: what `mantissa train` and `mantissa crossval` do.

use super::accuracy::{AccuracyReport, precision_effect, protocol_report};
use super::artifact::{Artifact, ReferenceRun};
use super::communication::{self, CommunicationStage, MeasuredCollective, measured_collectives};
use super::crossval::{CrossvalError, ErrorSummary, HeldOut, Protocol, held_out};
use super::doubt::{Calibration, Intervals, References};
use super::features::FEATURES;
use super::predict::breakdown;
use super::prediction::{Importance, Stage};
use super::reading::memory_reading;
use super::rows::{Skipped, TrainingRow, training_rows};
use super::stages::{FitOptions, Stages};
use super::surrogate::{LimitRules, limit_of};
use super::trees::BoostError;
use crate::dataset::{DatasetError, data_hash, shipped_runs};
use crate::physics::PrecisionView;
use crate::presets::Catalogue;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Why training fails.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The shipped data.
    #[error(transparent)]
    Data(#[from] DatasetError),
    /// A fit.
    #[error(transparent)]
    Fit(#[from] BoostError),
    /// A protocol.
    #[error(transparent)]
    Crossval(#[from] CrossvalError),
}

/// Rows, and what was left out, ready for a fit.
pub struct TrainingSet {
    /// Rows, their exchange corrected by the communication stage.
    pub rows: Vec<TrainingRow>,
    /// Runs that no stage is fitted on.
    pub skipped: Vec<Skipped>,
    /// The communication stage.
    pub communication: CommunicationStage,
    /// The measured collectives it is fitted on.
    pub collectives: Vec<MeasuredCollective>,
}

impl TrainingSet {
    /// Resolves the shipped runs and fits the communication stage.
    ///
    /// # Errors
    /// [`TrainError`] if the data are broken.
    pub fn shipped(catalogue: &Catalogue) -> Result<Self, TrainError> {
        let (mut rows, skipped) = training_rows(&shipped_runs()?, catalogue);
        let collectives = measured_collectives(catalogue);
        let communication = CommunicationStage::fit(&collectives)?;
        for row in &mut rows {
            communication.apply(&mut row.work.exchange);
            communication.apply(&mut row.blind.exchange);
        }
        Ok(Self {
            rows,
            skipped,
            communication,
            collectives,
        })
    }
}

/// Accuracy by protocol, with intervals calibrated on all of it.
pub struct Measured {
    /// The report.
    pub report: AccuracyReport,
    /// Intervals fitted on the held-out predictions of every protocol.
    pub intervals: Intervals,
}

/// Runs every protocol; with `baselines`, also the precision-blind predictor in the same folds. `progress` hears what is
/// being done.
///
/// # Errors
/// [`TrainError`].
pub fn measure(
    set: &TrainingSet,
    options: &FitOptions,
    baselines: bool,
    progress: &dyn Fn(&str),
) -> Result<Measured, TrainError> {
    let rows = &set.rows;
    let mut report = base_report(set);
    let mut calibrations: Vec<(usize, Calibration)> = Vec::new();
    for (index, protocol) in Protocol::ALL.into_iter().enumerate() {
        progress(&format!("{}: predictor", protocol.label()));
        let held = held_out(rows, protocol, options)?;
        let blind = if baselines {
            progress(&format!("{}: precision-blind baseline", protocol.label()));
            held_out(
                rows,
                protocol,
                &FitOptions {
                    view: PrecisionView::Blind,
                    ..options.clone()
                },
            )?
        } else {
            Vec::new()
        };
        report
            .protocols
            .push(protocol_report(rows, protocol, &held, &blind));
        calibrations.extend(calibrate(rows, &held).into_iter().map(|c| (index, c)));
    }
    progress("intervals");
    let all: Vec<Calibration> = calibrations.iter().map(|(_, c)| c.clone()).collect();
    let intervals = Intervals::fit(&all)?;
    cross_fit_coverage(&calibrations, &mut report)?;
    Ok(Measured { report, intervals })
}

fn calibrate(rows: &[TrainingRow], held: &[HeldOut]) -> Vec<Calibration> {
    held.iter()
        .map(|h| Calibration {
            signs: h.signs,
            error: rows[h.row].log_time - h.predicted,
            weight: 1.0 / held.len() as f64,
            group: rows[h.row].group,
        })
        .collect()
}

/// Coverage and width with intervals fitted on the other half of the groups.
fn cross_fit_coverage(
    calibrations: &[(usize, Calibration)],
    report: &mut AccuracyReport,
) -> Result<(), BoostError> {
    let side = |c: &Calibration| c.group % 2;
    let mut fitted = Vec::new();
    for parity in 0..2 {
        let other: Vec<Calibration> = calibrations
            .iter()
            .map(|(_, c)| c.clone())
            .filter(|c| side(c) != parity)
            .collect();
        fitted.push(Intervals::fit(&other)?);
    }
    for (index, protocol) in report.protocols.iter_mut().enumerate() {
        let own: Vec<&Calibration> = calibrations
            .iter()
            .filter(|(i, _)| *i == index)
            .map(|(_, c)| c)
            .collect();
        let mut widths: Vec<f64> = Vec::new();
        let mut covered = 0usize;
        for c in &own {
            let half = fitted[side(c) as usize].half_width(&c.signs);
            covered += usize::from(c.error.abs() <= half);
            widths.push((half.exp() - (-half).exp()) / 2.0 * 100.0);
        }
        widths.sort_by(f64::total_cmp);
        protocol.coverage = covered as f64 / own.len().max(1) as f64;
        protocol.half_width = widths.get(widths.len() / 2).copied().unwrap_or(0.0);
    }
    Ok(())
}

fn base_report(set: &TrainingSet) -> AccuracyReport {
    let rows = &set.rows;
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for skipped in &set.skipped {
        let short = skipped.reason.split(';').next().unwrap_or_default();
        let short = if short.starts_with("unknown model") {
            "model not in the catalogue"
        } else {
            short
        };
        *reasons.entry(short.to_owned()).or_default() += 1;
    }
    let mut left_out: Vec<(String, usize)> = reasons.into_iter().collect();
    left_out.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let memory: Vec<_> = (rows.par_iter())
        .map(|row| memory_reading(&row.run, &row.configuration).0)
        .collect();
    let stated = rows.iter().zip(&memory).filter_map(|(row, memory)| {
        let stated = row.run.mem_gb_per_gpu.filter(|m| *m > 0.5)?;
        Some(((memory.total().value() / 1e9).ln(), stated.ln()))
    });
    let refused = memory.iter().filter(|memory| !memory.may_fit()).count();
    AccuracyReport {
        runs: rows.len(),
        left_out,
        protocols: Vec::new(),
        effect: precision_effect(rows),
        collectives: set.communication.held_out_error,
        collective_points: set.communication.points,
        memory: ErrorSummary::of(stated),
        false_out_of_memory: 100.0 * refused as f64 / rows.len().max(1) as f64,
    }
}

/// Fits the shipping stages and puts the artifact together.
///
/// # Errors
/// [`TrainError`].
pub fn assemble(
    set: TrainingSet,
    options: &FitOptions,
    measured: Measured,
) -> Result<(Artifact, LimitRules), TrainError> {
    let rows = &set.rows;
    let all: Vec<usize> = (0..rows.len()).collect();
    let stages = Stages::fit(rows, &all, options)?;
    let staged: Vec<_> = rows.par_iter().map(|r| stages.run(&r.work)).collect();
    let features: Vec<Vec<f32>> = staged.iter().map(|s| s.row.clone()).collect();
    let limits: Vec<_> = rows
        .iter()
        .zip(&staged)
        .map(|(row, s)| limit_of(&breakdown(&row.work, s)))
        .collect();
    let rules = LimitRules::fit(&features, &limits).unwrap_or_default();
    let reference_runs = rows
        .iter()
        .zip(&staged)
        .map(|(row, s)| ReferenceRun {
            source: row.run.source.clone(),
            source_path: row.run.source_path.clone(),
            model: row.configuration.workload.model.name.clone(),
            accelerator: row.configuration.accelerator.name.clone(),
            count: row.configuration.count,
            precision: row.mode().key().to_owned(),
            measured_ms: (row.log_time.exp() * 1e3) as f32,
            predicted_ms: (s.log_time().exp() * 1e3) as f32,
        })
        .collect();
    let mut importance = importance(rows, &stages, options)?;
    importance.extend(communication_importance(&set.collectives)?);
    order(&mut importance);
    let artifact = Artifact {
        product: env!("CARGO_PKG_VERSION").to_owned(),
        data_hash: data_hash(),
        features: FEATURES.iter().map(|f| f.label.to_owned()).collect(),
        references: References::new(&features),
        reference_runs,
        communication: set.communication,
        stages,
        intervals: measured.intervals,
        importance,
        accuracy: measured.report,
    };
    Ok((artifact, rules))
}

/// Gain shares of the shipped stages, and the rise of the held-out error when a feature is shuffled (one fold of the
/// known protocol).
fn importance(
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
    for (stage, model, fitted) in [
        (Stage::Compute, &shipped.compute, &stages.compute),
        (Stage::Overlap, &shipped.overlap, &stages.overlap),
    ] {
        let members: Vec<usize> = fold
            .test
            .iter()
            .copied()
            .filter(|i| (rows[*i].work.devices > 1.0) == (stage == Stage::Overlap))
            .collect();
        let staged: Vec<_> = members.iter().map(|i| stages.run(&rows[*i].work)).collect();
        let base: Vec<f64> = members
            .iter()
            .zip(&staged)
            .map(|(i, s)| rows[*i].log_time - s.log_time())
            .collect();
        let error = |values: &[f64]| {
            values.iter().map(|v| v.abs()).sum::<f64>() / values.len().max(1) as f64
        };
        let before = error(&base);
        let gains = model.forest.gain_shares();
        let rises: Vec<f64> = model
            .features
            .par_iter()
            .map(|feature| {
                let shuffled: Vec<f64> = (0..members.len())
                    .map(|p| {
                        let mut row = staged[p].row.clone();
                        // A fixed odd stride is a permutation that needs no generator.
                        let other = (p * 7919 + 17) % members.len();
                        row[*feature as usize] = staged[other].row[*feature as usize];
                        base[p] + fitted.predict(&staged[p].row) - fitted.predict(&row)
                    })
                    .collect();
                error(&shuffled) - before
            })
            .collect();
        for ((feature, gain), rise) in model.features.iter().zip(gains).zip(rises) {
            list.push(Importance {
                feature: FEATURES[*feature as usize].label.to_owned(),
                stage,
                gain,
                permutation: rise,
            });
        }
    }
    Ok(list)
}

/// What matters to the communication stage.
///
/// # Errors
/// [`BoostError`] where there are no points.
pub fn communication_importance(
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
pub fn order(list: &mut [Importance]) {
    list.sort_by(|a, b| {
        a.stage
            .cmp(&b.stage)
            .then(b.permutation.total_cmp(&a.permutation))
            .then(a.feature.cmp(&b.feature))
    });
}
