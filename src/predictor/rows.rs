//! Measured runs as rows the stages are fitted on.

use super::resolve::{Unresolved, resolve};
use crate::dataset::{MeasuredRun, Quality, Usage};
use crate::domain::{Configuration, PrecisionMode};
use crate::physics::{PrecisionView, StepWork};
use crate::presets::Catalogue;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A measured run with its work: what a stage needs of it.
#[derive(Debug, Clone)]
pub struct TrainingRow {
    /// The run as read.
    pub run: MeasuredRun,
    /// The run as resolved.
    pub configuration: Configuration,
    /// Its work, precision seen.
    pub work: StepWork,
    /// Its work, precision hidden; for the baseline.
    pub blind: StepWork,
    /// Natural log of the measured step time in seconds.
    pub log_time: f64,
    /// Weight in a fit.
    pub weight: f64,
    /// Twin-closed group.
    pub group: u32,
    /// Model family.
    pub family: String,
}

impl TrainingRow {
    /// The mode it ran in.
    pub fn mode(&self) -> PrecisionMode {
        self.configuration.precision.mode
    }

    /// The publication; editions of one table are one publication.
    pub fn publication(&self) -> String {
        self.run.source.trim_end_matches("-history").to_owned()
    }

    /// Everything but the precision, as a key: what two runs have alike that differ in precision alone.
    pub fn all_but_precision(&self) -> String {
        let (c, s, r) = (&self.configuration, &self.configuration.strategy, &self.run);
        format!(
            "{}|{}|{}|{:?}|{}|{:?}|{:?}|{}|{}|{}|{}|{}|{:?}|{:?}|{}|{}|{:?}|{}",
            self.publication(),
            c.workload.model.name,
            c.accelerator.name,
            r.system,
            c.count,
            c.workload.seq_len,
            c.workload.image_size,
            s.micro_batch,
            s.accumulation,
            s.tensor,
            s.pipeline,
            s.context,
            s.sharding,
            s.recompute,
            c.software.framework,
            r.flags
                .iter()
                .filter(|f| f.parse::<PrecisionMode>().is_err())
                .cloned()
                .collect::<Vec<_>>()
                .join(";"),
            r.timed,
            c.software.channels_last,
        )
    }
}

/// Pairs among the rows `of` that differ in precision alone, as positions in `of`.
pub fn pairs(rows: &[TrainingRow], of: &[usize]) -> Vec<(usize, usize)> {
    let mut sets: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, row) in of.iter().enumerate() {
        sets.entry(rows[*row].all_but_precision())
            .or_default()
            .push(at);
    }
    let differ = |one: usize, other: usize| rows[of[one]].mode() != rows[of[other]].mode();
    (sets.values())
        .flat_map(|set| {
            let later = move |i: usize| set[i + 1..].iter().map(move |other| (set[i], *other));
            (0..set.len()).flat_map(later)
        })
        .filter(|(one, other)| differ(*one, *other))
        .collect()
}

/// A run that no stage is fitted on, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Publication.
    pub source: String,
    /// Row in its file.
    pub row: usize,
    /// Why, as a sentence.
    pub reason: String,
}

/// Resolves runs in parallel, keeping their order; what cannot be used is returned beside with its reason.
pub fn training_rows(
    runs: &[MeasuredRun],
    catalogue: &Catalogue,
) -> (Vec<TrainingRow>, Vec<Skipped>) {
    let resolved: Vec<Result<TrainingRow, Unresolved>> = runs
        .par_iter()
        .map(|run| training_row(run, catalogue))
        .collect();
    let mut rows = Vec::new();
    let mut skipped = Vec::new();
    for (run, row) in runs.iter().zip(resolved) {
        match row {
            Ok(row) => rows.push(row),
            Err(reason) => skipped.push(Skipped {
                source: run.source.clone(),
                row: run.row,
                reason,
            }),
        }
    }
    weigh(&mut rows);
    (rows, skipped)
}

fn training_row(run: &MeasuredRun, catalogue: &Catalogue) -> Result<TrainingRow, Unresolved> {
    if run.usage == Some(Usage::Evidence) {
        return Err(format!("evidence only: {}", run.reason));
    }
    let time = run.step_time_ms().map_err(|e| e.to_string())?;
    if !(time.is_finite() && time > 0.0) {
        return Err("step time is not a positive number".into());
    }
    let configuration = resolve(run, catalogue)?;
    let work = StepWork::new(&configuration, PrecisionView::Aware).map_err(|e| e.to_string())?;
    let blind = StepWork::new(&configuration, PrecisionView::Blind).map_err(|e| e.to_string())?;
    Ok(TrainingRow {
        log_time: (time / 1e3).ln(),
        weight: 1.0,
        group: run.group.unwrap_or(0),
        family: configuration.workload.model.family.clone(),
        run: run.clone(),
        configuration,
        work,
        blind,
    })
}

/// Weights: a group counts about as the root of its rows, a publication as the three-quarter power; doubtful rows less.
fn weigh(rows: &mut [TrainingRow]) {
    let mut groups: BTreeMap<u32, f64> = BTreeMap::new();
    for row in rows.iter() {
        *groups.entry(row.group).or_default() += 1.0;
    }
    for row in rows.iter_mut() {
        row.weight = groups[&row.group].powf(-0.5);
    }
    let mut sources: BTreeMap<String, f64> = BTreeMap::new();
    for row in rows.iter() {
        *sources.entry(row.publication()).or_default() += row.weight;
    }
    for row in rows.iter_mut() {
        row.weight *= sources[&row.publication()].powf(-0.25);
        row.weight *= match row.run.quality {
            Some(Quality::C) => 0.4,
            Some(Quality::B) => 0.8,
            Some(Quality::A) | None => 1.0,
        };
        if !row.configuration.batch_stated {
            row.weight *= 0.6;
        }
        if row.work.real_data {
            row.weight *= 0.7;
        }
    }
    let mean = rows.iter().map(|r| r.weight).sum::<f64>() / rows.len().max(1) as f64;
    rows.iter_mut().for_each(|r| r.weight /= mean.max(1e-12));
}
