//! Fitting everything and measuring it: what `mantissa train` and `mantissa crossval` do.

use super::accuracy::{
    AccuracyReport, MemoryAccuracy, ProtocolReport, Reliability, largest_runs, precision_effect,
    protocol_report,
};
use super::artifact::{Artifact, ReferenceRun};
use super::communication::{CommunicationStage, MeasuredCollective, measured_collectives};
use super::crossval::{CrossvalError, ErrorSummary, HeldOut, Protocol, held_out};
use super::doubt::{COVERAGE, Calibration, Intervals};
use super::features::FEATURES;
use super::importance::{communication_importance, importance, order};
use super::predict::{breakdown, half_width};
use super::process::FitError;
use super::reading::memory_reading;
use super::rows::{Skipped, TrainingRow, training_rows};
use super::stages::{FitOptions, Stages};
use super::surrogate::{LimitRules, limit_of};
use super::trees::BoostError;
use super::trust::{self, HeldByFold, Trust};
use crate::dataset::{DatasetError, MeasuredRun, Usage, data_hash, first_sight_runs, shipped_runs};
use crate::domain::{MemoryCounter, MemoryUse};
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
    /// A fit of the process.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A fit of trees.
    #[error(transparent)]
    Trees(#[from] BoostError),
    /// A protocol.
    #[error(transparent)]
    Crossval(#[from] CrossvalError),
}

/// Source key of what we measured ourselves.
pub const OWN: &str = "mantissa";

/// Rows, and what was left out, ready for a fit.
pub struct TrainingSet {
    /// Rows, their exchange corrected by the communication stage.
    pub rows: Vec<TrainingRow>,
    /// Rows of [`OWN`] taken to judge what ships by, which no fit sees; priors of what no other row shows were read off them.
    pub test: Vec<TrainingRow>,
    /// Rows of others, found after the predictor was made and kept to judge it by, which no fit sees.
    pub found: Vec<TrainingRow>,
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
        let is_test = |run: &MeasuredRun| run.usage == Some(Usage::Test);
        let (mut test, runs): (Vec<_>, Vec<_>) = shipped_runs()?.into_iter().partition(is_test);
        test.extend(first_sight_runs()?.into_iter().filter(is_test));
        let (mut rows, mut skipped) = training_rows(&runs, catalogue);
        let (test, unresolved) = training_rows(&test, catalogue);
        skipped.extend(unresolved);
        let (mut test, mut found): (Vec<_>, Vec<_>) =
            test.into_iter().partition(|row| row.run.source == OWN);
        let collectives = measured_collectives(catalogue);
        let communication = CommunicationStage::fit(&collectives)?;
        for row in rows.iter_mut().chain(&mut test).chain(&mut found) {
            communication.apply(&mut row.work.exchange);
            communication.apply(&mut row.blind.exchange);
        }
        Ok(Self {
            rows,
            test,
            found,
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
    /// How much of a correction counts, fitted on the same.
    pub trust: Trust,
}

/// What each protocol weighs in the calibration of the intervals: scale, unseen sources and models up to nine times as much as
/// the rest, since among predictions that look as unsure theirs err most.
const fn interval_weight(protocol: Protocol) -> f64 {
    match protocol {
        Protocol::Scale => 6.0,
        Protocol::Publication => 3.8,
        Protocol::Family => 2.6,
        Protocol::Known => 0.8,
        Protocol::Accelerator => 0.7,
    }
}

/// Share of each held-out row in what its protocol weighs in that calibration. Of unseen publications one counts as the root of
/// its runs: the next may be like any of them. Weighed by runs, of which two publications have half, intervals held 72 % of
/// fifteen that no fit had seen.
fn interval_shares(rows: &[TrainingRow], protocol: Protocol, held: &[HeldOut]) -> Vec<f64> {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    for h in held {
        *counts.entry(rows[h.row].publication()).or_default() += 1.0;
    }
    let raw: Vec<f64> = (held.iter())
        .map(|h| match protocol {
            Protocol::Publication => counts[&rows[h.row].publication()].powf(-0.5),
            _ => 1.0,
        })
        .collect();
    let total: f64 = raw.iter().sum();
    raw.into_iter()
        .map(|share| share / total.max(1e-300))
        .collect()
}

/// Held-out predictions of a protocol.
pub type Trusted = (Protocol, Vec<HeldOut>);

/// Runs every protocol; with `baselines`, also the precision-blind predictor in the same folds and the ablations.
/// `progress` hears what is being done.
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
    let whole = FitOptions {
        trust: Trust::FULL,
        ..options.clone()
    };
    let (all, trust) = trusted(rows, &whole, progress)?;
    for (protocol, held) in &all {
        let protocol = *protocol;
        let blind = if baselines {
            progress(&format!("{}: precision-blind baseline", protocol.label()));
            held_out(
                rows,
                protocol,
                &FitOptions {
                    view: PrecisionView::Blind,
                    ..whole.clone()
                },
            )?
            .into_iter()
            .map(|(h, _)| h)
            .collect()
        } else {
            Vec::new()
        };
        report
            .protocols
            .push(protocol_report(rows, protocol, held, &blind));
        if protocol == Protocol::Scale {
            report.largest = largest_runs(rows, held);
        }
    }
    if baselines {
        let trusted = FitOptions {
            trust,
            ..options.clone()
        };
        report.ablations = super::ablation::ablations(set, &trusted, progress)?;
    }
    progress("intervals");
    let intervals = calibrated(rows, &all, &mut report)?;
    Ok(Measured {
        report,
        intervals,
        trust,
    })
}

/// Held-out predictions of every protocol with as much of their corrections as there is trust in them without themselves, and
/// the trust fitted on all; `whole` has corrections count in full.
///
/// # Errors
/// [`TrainError`].
pub fn trusted(
    rows: &[TrainingRow],
    whole: &FitOptions,
    progress: &dyn Fn(&str),
) -> Result<(Vec<Trusted>, Trust), TrainError> {
    let mut all: Vec<HeldByFold> = Vec::new();
    for protocol in Protocol::ALL {
        progress(&format!("{}: predictor", protocol.label()));
        all.push((protocol, held_out(rows, protocol, whole)?));
    }
    progress("trust");
    let times: Vec<f64> = rows.iter().map(|row| row.log_time).collect();
    let measured =
        (all.iter()).map(|(protocol, held)| (*protocol, trust::crossed(&times, &all, held)));
    Ok((measured.collect(), trust::of_all(&times, &all)))
}

/// Intervals calibrated on held-out predictions of every protocol; how they cover goes into the report.
///
/// # Errors
/// [`TrainError`].
pub fn calibrated(
    rows: &[TrainingRow],
    all: &[Trusted],
    report: &mut AccuracyReport,
) -> Result<Intervals, TrainError> {
    let calibrations: Vec<(usize, Calibration)> = (all.iter().enumerate())
        .flat_map(|(index, (protocol, held))| {
            let shares = interval_shares(rows, *protocol, held);
            held.iter().zip(shares).map(move |(h, share)| {
                let calibration = Calibration {
                    signs: h.signs,
                    error: rows[h.row].log_time - h.predicted,
                    weight: interval_weight(*protocol) * share,
                    group: rows[h.row].group,
                };
                (index, calibration)
            })
        })
        .collect();
    let every: Vec<Calibration> = calibrations.iter().map(|(_, c)| c.clone()).collect();
    let intervals = Intervals::fit(&every)?;
    cross_fit_coverage(&calibrations, report)?;
    Ok(intervals)
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
    report.reliability = reliability(calibrations, &fitted, &side);
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

/// Deciles of the predicted half-width beside what the errors in each came to.
fn reliability(
    calibrations: &[(usize, Calibration)],
    fitted: &[Intervals],
    side: &dyn Fn(&Calibration) -> u32,
) -> Vec<Reliability> {
    const DECILES: usize = 10;
    let mut pairs: Vec<(f64, f64)> = calibrations
        .iter()
        .map(|(_, c)| (fitted[side(c) as usize].half_width(&c.signs), c.error.abs()))
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let size = pairs.len().div_ceil(DECILES).max(1);
    let percent = |log: f64| (log.exp() - (-log).exp()) / 2.0 * 100.0;
    pairs
        .chunks(size)
        .map(|chunk| {
            let mut errors: Vec<f64> = chunk.iter().map(|p| p.1).collect();
            errors.sort_by(f64::total_cmp);
            let at = ((errors.len() as f64 * COVERAGE).ceil() as usize).clamp(1, errors.len());
            let inside = chunk.iter().filter(|p| p.1 <= p.0).count();
            Reliability {
                rows: chunk.len(),
                predicted: percent(chunk[chunk.len() / 2].0),
                observed: percent(errors[at - 1]),
                covered: inside as f64 / chunk.len() as f64,
            }
        })
        .collect()
}

/// What is measured without holding anything out.
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
    let test_memory = (set.test.iter()).filter_map(|row| {
        let memory = memory_reading(&row.run, &row.configuration).0;
        Some(stated_peak(row, &memory)?.1)
    });
    let mut stated = BTreeMap::<(String, MemoryCounter), Vec<(f64, f64)>>::new();
    for (row, memory) in rows.iter().zip(&memory) {
        if let Some((counter, pair)) = stated_peak(row, memory) {
            let key = (row.publication(), counter);
            stated.entry(key).or_default().push(pair);
        }
    }
    let refused = memory.iter().filter(|memory| !memory.may_fit()).count();
    AccuracyReport {
        runs: rows.len(),
        left_out,
        protocols: Vec::new(),
        effect: precision_effect(rows),
        collectives: set.communication.held_out_error,
        collective_points: set.communication.points,
        ablations: Vec::new(),
        reliability: Vec::new(),
        largest: Vec::new(),
        memory: ErrorSummary::of(stated.values().flatten().copied()),
        memory_by_source: (stated.into_iter())
            .map(|((source, counter), pairs)| MemoryAccuracy {
                source,
                counter,
                error: ErrorSummary::of(pairs.into_iter()),
            })
            .collect(),
        false_out_of_memory: 100.0 * refused as f64 / rows.len().max(1) as f64,
        test: None,
        found: None,
        test_memory: ErrorSummary::of(test_memory),
    }
}

/// What a row's stated peak of memory counts, and the logs of the predicted and the stated one.
fn stated_peak(row: &TrainingRow, memory: &MemoryUse) -> Option<(MemoryCounter, (f64, f64))> {
    let (peak, counter) = row.run.stated_memory()?;
    let logs = (memory.counted(counter).value().ln(), peak.value().ln());
    Some((counter, logs))
}

/// What ships on rows that no fit has seen, under the name of unseen publications.
fn test_report(rows: &[TrainingRow], stages: &Stages, intervals: &Intervals) -> ProtocolReport {
    let held: Vec<HeldOut> = (rows.par_iter().enumerate())
        .map(|(row, of)| HeldOut::of(row, &of.work, stages, PrecisionView::Aware))
        .collect();
    let mut widths: Vec<f64> = (held.iter())
        .map(|h| half_width(intervals, &h.signs, rows[h.row].mode()))
        .collect();
    let inside = (held.iter().zip(&widths))
        .filter(|(h, width)| (rows[h.row].log_time - h.predicted).abs() <= **width)
        .count();
    widths.sort_by(f64::total_cmp);
    let middle = widths.get(widths.len() / 2).copied().unwrap_or(0.0);
    ProtocolReport {
        coverage: inside as f64 / rows.len().max(1) as f64,
        half_width: (middle.exp() - (-middle).exp()) / 2.0 * 100.0,
        ..protocol_report(rows, Protocol::Publication, &held, &[])
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
    let options = &FitOptions {
        trust: measured.trust,
        ..options.clone()
    };
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
    let accuracy = AccuracyReport {
        test: Some(test_report(&set.test, &stages, &measured.intervals)),
        found: Some(test_report(&set.found, &stages, &measured.intervals)),
        ..measured.report
    };
    let mut importance = importance(rows, &stages, options)?;
    importance.extend(communication_importance(&set.collectives)?);
    order(&mut importance);
    let artifact = Artifact {
        product: env!("CARGO_PKG_VERSION").to_owned(),
        data_hash: data_hash(),
        features: FEATURES.iter().map(|f| f.label.to_owned()).collect(),
        reference_runs,
        communication: set.communication,
        stages,
        intervals: measured.intervals,
        importance,
        accuracy,
    };
    Ok((artifact, rules))
}
