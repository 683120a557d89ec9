//! Mantissa held against measured runs beyond the step time: peak memory, and the choice among measured layouts.
//!
//! A *sweep* is a set of runs of one publication that differ in nothing but their layout. Its *regret* is how much
//! slower than the fastest measured layout the one is that a plan would take, chosen as the search of a plan chooses, with
//! what is said not to fit last.

use super::possible;
use super::search::{shortlist, surest};
use crate::dataset::MeasuredRun;
use crate::domain::{Configuration, Strategy};
use crate::physics::{PrecisionView, StepTimes, StepWork};
use crate::predictor::process::FitError;
use crate::predictor::reading::memory_reading;
use crate::predictor::resolve::resolve;
use crate::predictor::rows::TrainingRow;
use crate::predictor::stages::{FitOptions, Stages};
use crate::predictor::{Prediction, Predictor};
use crate::presets::Catalogue;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Why a run is not judged whose work no number holds.
const BEYOND_NUMBERS: &str = "its step time cannot be predicted as a number; allowed: a batch, a length and an image size of a run that can be";

/// A measured run beside its prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedRun {
    /// The run as its row states it.
    pub run: MeasuredRun,
    /// As it was understood.
    pub configuration: Configuration,
    /// What is predicted of it; its memory as what the run leaves unsaid is read.
    pub prediction: Prediction,
    /// What a search ranks its layout by, in seconds.
    pub ranking_s: f64,
}

impl JudgedRun {
    /// Predicts a run from what it states of its configuration, never from an outcome, and reads its memory.
    ///
    /// # Errors
    /// A sentence: what is unknown, missing or impossible, or so large that no prediction is a number.
    pub fn new(
        run: &MeasuredRun,
        catalogue: &Catalogue,
        predictor: &Predictor,
    ) -> Result<Self, String> {
        let configuration = resolve(&run.without_outcomes(), catalogue)?;
        let mut prediction = predictor
            .predict(&configuration)
            .map_err(|error| error.to_string())?;
        prediction.memory = memory_reading(run, &configuration).0;
        let ranking_s = predictor
            .ranking_seconds(std::slice::from_ref(&configuration))
            .map_err(|error| error.to_string())?[0];
        let step = prediction.step_time;
        let memory = prediction.memory.total().value();
        let figures = [step.value, step.low, step.high, ranking_s, memory];
        if !figures
            .iter()
            .all(|figure| figure.is_finite() && *figure > 0.0)
        {
            return Err(BEYOND_NUMBERS.into());
        }
        Ok(Self {
            ranking_s,
            run: run.clone(),
            configuration,
            prediction,
        })
    }

    /// The same of a run to learn from, whose columns must not contradict one another.
    ///
    /// # Errors
    /// As [`JudgedRun::new`], or as [`JudgedRun::contradiction`] has it.
    pub fn of_own_run(
        run: &MeasuredRun,
        catalogue: &Catalogue,
        predictor: &Predictor,
    ) -> Result<Self, String> {
        let judged = Self::new(run, catalogue, predictor)?;
        match judged.contradiction() {
            Some(columns) => Err(columns),
            None => Ok(judged),
        }
    }

    /// The columns that no run can have together, as a sentence, where there are some: the prediction is of what they most
    /// likely mean.
    pub fn contradiction(&self) -> Option<String> {
        let blocks = self.configuration.workload.profile.blocks.as_ref();
        possible::contradiction(&self.run, blocks)
    }
}

/// Peak memory against what runs state.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MemoryJudgement {
    /// Runs that state a peak.
    pub rows: usize,
    /// Mean of |predicted − stated| / stated.
    pub mean: f64,
    /// Median of the same.
    pub median: f64,
    /// Median of predicted over stated.
    pub ratio: f64,
    /// Runs that ran.
    pub ran: usize,
    /// Of those, how many are said not to fit.
    pub refused: usize,
}

/// Judges predicted memory; a run with a measured time ran, and so it fitted.
pub fn judge_memory<'a>(runs: impl Iterator<Item = &'a JudgedRun>) -> MemoryJudgement {
    let mut judgement = MemoryJudgement::default();
    let mut ratios = Vec::new();
    for judged in runs {
        let memory = &judged.prediction.memory;
        let ran = judged.run.step_time_ms().is_ok();
        judgement.ran += usize::from(ran);
        judgement.refused += usize::from(ran && !memory.may_fit());
        ratios.extend(
            (judged.run.stated_memory())
                .map(|(stated, counter)| memory.counted(counter).value() / stated.value()),
        );
    }
    let mut errors: Vec<f64> = ratios.iter().map(|ratio| (ratio - 1.0).abs()).collect();
    judgement.rows = errors.len();
    judgement.mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
    judgement.median = quantile(&mut errors, 0.5);
    judgement.ratio = quantile(&mut ratios, 0.5);
    judgement
}

/// One sweep over layouts and what choosing by prediction costs.
#[derive(Debug, Clone, PartialEq)]
pub struct LayoutSweep {
    /// Publication.
    pub source: String,
    /// Model, part, count and mode, for a reader.
    pub title: String,
    /// Layouts measured.
    pub layouts: usize,
    /// Row of the layout ranked first.
    pub chosen_row: usize,
    /// Row of the fastest.
    pub fastest_row: usize,
    /// Measured step of the layout ranked first over that of the fastest, less 1.
    pub regret: f64,
    /// Mean of the same over all layouts of the sweep: what choosing blindly costs.
    pub blind: f64,
}

/// A measured run as far as a ranking of layouts needs it.
#[derive(Debug, Clone, Copy)]
struct Ranked<'a> {
    run: &'a MeasuredRun,
    configuration: &'a Configuration,
    /// Whether it is said to fit.
    fits: bool,
    /// Physical step, and by the whole predictor; any unit.
    physics: f64,
    whole: f64,
}

impl Ranked<'_> {
    /// Everything but the layout, as a key.
    fn all_but_layout(&self) -> String {
        let (c, run) = (self.configuration, self.run);
        format!(
            "{}|{}|{}|{:?}|{}|{:?}|{}|{:?}|{:?}|{:.0}|{:?}|{:?}|{:?}|{}",
            run.source.trim_end_matches("-history"),
            c.workload.model.name,
            c.accelerator.name,
            run.system,
            c.count,
            run.nodes,
            c.precision.mode.key(),
            c.workload.seq_len,
            c.workload.image_size,
            run.samples_per_step()
                .unwrap_or_else(|| c.strategy.global_batch()),
            run.source_date,
            run.framework,
            run.stack,
            self.other_flags(),
        )
    }

    /// Flags that speak of something else than the layout.
    fn other_flags(&self) -> String {
        const LAYOUT: [&str; 6] = ["seq-par", "vp", "interleave", "1f1b", "cpu-offload", "fsdp"];
        let speaks_of_layout = |flag: &str| LAYOUT.iter().any(|word| flag.starts_with(word));
        let mut flags: Vec<String> = self.run.flags.iter().map(|f| f.to_lowercase()).collect();
        flags.retain(|flag| !speaks_of_layout(flag));
        flags.sort_unstable();
        flags.join(";")
    }

    /// The layout alone, as a key.
    fn layout(&self) -> String {
        format!("{:?}", self.configuration.strategy)
    }
}

/// Measured steps in milliseconds of each layout.
type Layouts<'a> = BTreeMap<String, Vec<(f64, Ranked<'a>)>>;

/// The sweeps among some runs, in the order of their keys.
pub fn layout_sweeps(runs: &[JudgedRun]) -> Vec<LayoutSweep> {
    sweeps(runs.iter().map(|judged| Ranked {
        run: &judged.run,
        configuration: &judged.configuration,
        fits: judged.prediction.memory.may_fit(),
        physics: judged.prediction.physics_time.value(),
        whole: judged.ranking_s,
    }))
}

/// The sweeps of each publication, ranked by a predictor fitted on none of it.
///
/// # Errors
/// [`FitError`].
pub fn held_out_sweeps(
    rows: &[TrainingRow],
    options: &FitOptions,
) -> Result<Vec<LayoutSweep>, FitError> {
    let mut by_publication: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        by_publication
            .entry(row.publication())
            .or_default()
            .push(at);
    }
    let found: Result<Vec<Vec<LayoutSweep>>, FitError> = by_publication
        .into_values()
        .collect::<Vec<_>>()
        .par_iter()
        .map(|own| publication_sweeps(rows, own, options))
        .collect();
    Ok(found?.into_iter().flatten().collect())
}

/// The sweeps of one publication, whose rows are `own`.
fn publication_sweeps(
    rows: &[TrainingRow],
    own: &[usize],
    options: &FitOptions,
) -> Result<Vec<LayoutSweep>, FitError> {
    let ranked = |steps: &dyn Fn(usize) -> [f64; 2]| {
        let runs: Vec<Ranked<'_>> = own
            .iter()
            .map(|&at| {
                let [physics, whole] = steps(at);
                Ranked {
                    run: &rows[at].run,
                    configuration: &rows[at].configuration,
                    fits: memory_reading(&rows[at].run, &rows[at].configuration)
                        .0
                        .may_fit(),
                    physics,
                    whole,
                }
            })
            .collect();
        sweeps(runs.into_iter())
    };
    // A publication without a sweep needs no fit.
    if ranked(&|_| [1.0; 2]).is_empty() {
        return Ok(Vec::new());
    }
    let others: Vec<usize> = (0..rows.len())
        .filter(|at| own.binary_search(at).is_err())
        .collect();
    let stages = Stages::fit(rows, &others, options)?;
    Ok(ranked(&|at| {
        // As a search sees it: physics without the communication stage, which the rows carry.
        let plain = StepWork::new(&rows[at].configuration, PrecisionView::Aware);
        let physics = plain.map_or(f64::INFINITY, |work| {
            StepTimes::compose(&work, &stages.constants).total
        });
        [
            physics,
            stages.whole_log_times(std::slice::from_ref(&rows[at].work))[0].exp(),
        ]
    }))
}

fn sweeps<'a>(runs: impl Iterator<Item = Ranked<'a>>) -> Vec<LayoutSweep> {
    let mut sweeps: BTreeMap<String, Layouts<'a>> = BTreeMap::new();
    for ranked in runs {
        if let Ok(measured) = ranked.run.step_time_ms() {
            sweeps
                .entry(ranked.all_but_layout())
                .or_default()
                .entry(ranked.layout())
                .or_default()
                .push((measured, ranked));
        }
    }
    sweeps
        .into_values()
        .filter(|layouts| layouts.len() > 1)
        .filter_map(|layouts| sweep(layouts.into_values().collect()))
        .collect()
}

/// Repeats of a layout count by their median.
fn sweep(layouts: Vec<Vec<(f64, Ranked<'_>)>>) -> Option<LayoutSweep> {
    let measured: Vec<(f64, Ranked<'_>)> = layouts
        .into_iter()
        .filter_map(|mut repeats| {
            repeats.sort_by(|a, b| a.0.total_cmp(&b.0));
            repeats.get(repeats.len() / 2).copied()
        })
        .collect();
    let fastest = measured.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let some_fit = measured.iter().any(|m| m.1.fits);
    let mut ranked: Vec<(f64, usize)> = (0..measured.len())
        .filter(|&at| measured[at].1.fits == some_fit)
        .map(|at| (measured[at].1.physics, at))
        .collect();
    let near = shortlist(
        &mut ranked,
        |at| measured[at].1.configuration.strategy,
        |list| Some(list.iter().map(|at| measured[*at].1.whole).collect()),
    );
    let layouts: Vec<(f64, Strategy)> = ranked[..near]
        .iter()
        .map(|(step, at)| (*step, measured[*at].1.configuration.strategy))
        .collect();
    let chosen = &measured[ranked[surest(&layouts)?].1];
    let mean = measured.iter().map(|m| m.0).sum::<f64>() / measured.len() as f64;
    let c = chosen.1.configuration;
    Some(LayoutSweep {
        source: chosen.1.run.source.clone(),
        title: format!(
            "{} on {}× {}, {}",
            c.workload.model.name,
            c.count,
            c.accelerator.name,
            c.precision.mode.label()
        ),
        layouts: measured.len(),
        chosen_row: chosen.1.run.row,
        fastest_row: fastest.1.run.row,
        regret: chosen.0 / fastest.0 - 1.0,
        blind: mean / fastest.0 - 1.0,
    })
}

/// Regret over some sweeps.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RegretSummary {
    /// Sweeps.
    pub sweeps: usize,
    /// Layouts of all of them.
    pub layouts: usize,
    /// Median regret.
    pub median: f64,
    /// 90th percentile.
    pub p90: f64,
    /// Median cost of choosing blindly.
    pub blind: f64,
}

/// Sums sweeps up.
pub fn regret<'a>(sweeps: impl Iterator<Item = &'a LayoutSweep>) -> RegretSummary {
    let (mut regrets, mut blind, mut layouts) = (Vec::new(), Vec::new(), 0);
    for sweep in sweeps {
        regrets.push(sweep.regret);
        blind.push(sweep.blind);
        layouts += sweep.layouts;
    }
    RegretSummary {
        sweeps: regrets.len(),
        layouts,
        median: quantile(&mut regrets, 0.5),
        p90: quantile(&mut regrets, 0.9),
        blind: quantile(&mut blind, 0.5),
    }
}

/// The smallest value that at least a share `at` of the values does not exceed; 0 of none.
fn quantile(values: &mut [f64], at: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let index = (at * values.len() as f64).ceil() as usize;
    values.get(index.max(1) - 1).copied().unwrap_or(0.0)
}
