//! What is measured of the predictor: errors by protocol, precision and source, beside the baselines.

use super::crossval::{ErrorSummary, HeldOut, Protocol};
use super::rows::TrainingRow;
use crate::domain::{MemoryCounter, PrecisionMode};
use crate::physics::StepWork;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One protocol's figures; errors in percent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProtocolReport {
    /// What is held out.
    pub protocol: Protocol,
    /// The predictor.
    pub predictor: ErrorSummary,
    /// The same without any knowledge of the precision; empty where it was not run.
    pub blind: ErrorSummary,
    /// Physics with fitted constants, and nothing more.
    pub physics: ErrorSummary,
    /// Bare roofline.
    pub roofline: ErrorSummary,
    /// 6·N·D at 50 % of peak, language models only.
    pub six_nd: ErrorSummary,
    /// The predictor on the same language models.
    pub language: ErrorSummary,
    /// Language models in 16-bit modes.
    pub language_16bit: ErrorSummary,
    /// Runs with tensor or pipeline parallelism.
    pub model_parallel: ErrorSummary,
    /// Runs in FP8 and below.
    pub eight_bit: ErrorSummary,
    /// Share of measured times inside the 90 % interval, cross-fitted.
    pub coverage: f64,
    /// Median half-width of the interval, in percent.
    pub half_width: f64,
    /// Precision choice, from the held-out predictions.
    pub choice: ChoiceReport,
    /// By precision: name, predictor, blind.
    pub by_precision: Vec<(String, ErrorSummary, ErrorSummary)>,
    /// By publication: name, predictor, physics.
    pub by_source: Vec<(String, ErrorSummary, ErrorSummary)>,
    /// By model family: name, predictor, physics.
    pub by_family: Vec<(String, ErrorSummary, ErrorSummary)>,
    /// By part: name, predictor, physics.
    pub by_part: Vec<(String, ErrorSummary, ErrorSummary)>,
}

/// Pairs and sets of runs that differ in precision alone.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ChoiceReport {
    /// Pairs.
    pub pairs: usize,
    /// Mean error of the predicted speed-up, in percent.
    pub speed_up_error: f64,
    /// Sets.
    pub sets: usize,
    /// Share of sets whose fastest mode is named, ties within 3 % counting.
    pub right: f64,
    /// The same when the lowest precision is always named.
    pub always_lowest: f64,
    /// Sets in which the lowest precision is not the fastest.
    pub hard_sets: usize,
    /// Share of those named right.
    pub hard_right: f64,
}

/// The measured effect of precision: ratio of the slowest to the fastest mode, all else equal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrecisionEffect {
    /// Model family.
    pub family: String,
    /// Sets of runs.
    pub sets: usize,
    /// Median ratio.
    pub median: f64,
    /// Largest ratio.
    pub largest: f64,
}

/// Everything the model card states.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AccuracyReport {
    /// Runs fitted on.
    pub runs: usize,
    /// Runs left out of the fit, counted by reason.
    pub left_out: Vec<(String, usize)>,
    /// By protocol.
    pub protocols: Vec<ProtocolReport>,
    /// Measured effect of precision by family.
    pub effect: Vec<PrecisionEffect>,
    /// Held-out median error of collectives in percent: alpha-beta alone, with the communication stage.
    pub collectives: (f64, f64),
    /// Measured points of the communication stage.
    pub collective_points: usize,
    /// What each part of the predictor is worth.
    pub ablations: Vec<Ablation>,
    /// Predicted half-widths beside observed errors, narrowest first.
    pub reliability: Vec<Reliability>,
    /// The largest measured runs, by falling count.
    pub largest: Vec<LargeRun>,
    /// Error of the predicted peak memory on runs that state one.
    pub memory: ErrorSummary,
    /// The same by publication and by what its figure counts.
    pub memory_by_source: Vec<MemoryAccuracy>,
    /// Share of runs that ran but are predicted not to fit, in percent.
    pub false_out_of_memory: f64,
    /// What ships on measurements of our own that no fit has seen; `None` before there is a fit.
    pub test: Option<ProtocolReport>,
    /// The same on tables of others that were found after the predictor was made, and are kept to judge it by.
    pub found: Option<ProtocolReport>,
    /// Error of the predicted peak memory on our own measurements.
    pub test_memory: ErrorSummary,
}

/// Error of the predicted peak memory on the runs of one publication that state one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryAccuracy {
    /// Publication.
    pub source: String,
    /// What its figure counts, and what of the prediction is held against it.
    pub counter: MemoryCounter,
    /// The error.
    pub error: ErrorSummary,
}

/// The error when a part of the predictor is left out; the physics keeps what it knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ablation {
    /// What is left out.
    pub without: String,
    /// Known configurations.
    pub known: ErrorSummary,
    /// Unseen scale.
    pub scale: ErrorSummary,
}

/// A tenth of the held-out predictions of all protocols, by predicted half-width.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Reliability {
    /// Predictions.
    pub rows: usize,
    /// Median predicted half-width of the 90 % interval, in percent.
    pub predicted: f64,
    /// The width that would have held 90 % of them, in percent.
    pub observed: f64,
    /// Share inside their interval.
    pub covered: f64,
}

/// One of the largest measured runs, predicted by a fit on small ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LargeRun {
    /// Publication.
    pub source: String,
    /// Model, mode and part, for a reader.
    pub title: String,
    /// Devices.
    pub devices: u32,
    /// Measured step in seconds.
    pub measured: f64,
    /// Predicted over measured.
    pub predicted: f64,
    /// Physics over measured.
    pub physics: f64,
}

/// Devices from which a run is one of the largest.
const LARGE: u32 = 3000;

/// The largest runs among held-out ones, by falling count.
pub fn largest_runs(rows: &[TrainingRow], held: &[HeldOut]) -> Vec<LargeRun> {
    let mut found: Vec<LargeRun> = held
        .iter()
        .filter(|h| rows[h.row].configuration.count >= LARGE)
        .map(|h| {
            let (row, c) = (&rows[h.row], &rows[h.row].configuration);
            LargeRun {
                source: row.run.source.clone(),
                title: format!(
                    "{}, {} on {}",
                    c.workload.model.name,
                    c.precision.mode.label(),
                    c.accelerator.name
                ),
                devices: c.count,
                measured: row.log_time.exp(),
                predicted: (h.predicted - row.log_time).exp(),
                physics: (h.physics - row.log_time).exp(),
            }
        })
        .collect();
    found.sort_by(|a, b| {
        (b.devices.cmp(&a.devices)).then_with(|| {
            a.title
                .cmp(&b.title)
                .then(a.measured.total_cmp(&b.measured))
        })
    });
    found
}

/// Rank of a mode by how low it goes; pure modes go lower than mixed ones.
fn lowness(mode: PrecisionMode) -> u8 {
    match mode {
        PrecisionMode::Fp64 => 0,
        PrecisionMode::Fp32 => 1,
        PrecisionMode::Tf32 => 2,
        PrecisionMode::AmpFp16 | PrecisionMode::AmpBf16 => 3,
        PrecisionMode::Fp16 | PrecisionMode::Bf16 => 4,
        PrecisionMode::Fp8 => 5,
        PrecisionMode::Mxfp8 => 6,
        PrecisionMode::Nvfp4 => 7,
    }
}

struct Candidate {
    mode: PrecisionMode,
    measured: f64,
    predicted: f64,
}

fn sets(rows: &[TrainingRow], predictions: &[(usize, f64)]) -> Vec<(String, Vec<Candidate>)> {
    let mut by_key: BTreeMap<String, BTreeMap<PrecisionMode, Vec<(f64, f64)>>> = BTreeMap::new();
    for (row, predicted) in predictions {
        let r = &rows[*row];
        let modes = by_key.entry(r.all_but_precision()).or_default();
        modes
            .entry(r.mode())
            .or_default()
            .push((r.log_time, *predicted));
    }
    by_key
        .into_iter()
        .filter(|(_, modes)| modes.len() > 1)
        .map(|(key, modes)| {
            let candidates = modes
                .into_iter()
                .map(|(mode, values)| Candidate {
                    mode,
                    measured: middle(values.iter().map(|v| v.0)),
                    predicted: middle(values.iter().map(|v| v.1)),
                })
                .collect();
            (key, candidates)
        })
        .collect()
}

fn middle(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Two modes within this of one another count as a tie.
const TIE: f64 = 0.03;

/// How well the precision is chosen.
pub fn choice(rows: &[TrainingRow], predictions: &[(usize, f64)]) -> ChoiceReport {
    let mut report = ChoiceReport::default();
    let (mut right, mut lowest_right, mut hard_right, mut error) = (0usize, 0usize, 0usize, 0.0);
    for (_, set) in sets(rows, predictions) {
        let best = set.iter().map(|c| c.measured).fold(f64::INFINITY, f64::min);
        let fast = |c: Option<&Candidate>| c.is_some_and(|c| c.measured - best < (1.0 + TIE).ln());
        let named = set
            .iter()
            .min_by(|a, b| a.predicted.total_cmp(&b.predicted));
        let lowest = set.iter().max_by_key(|c| lowness(c.mode));
        report.sets += 1;
        right += usize::from(fast(named));
        lowest_right += usize::from(fast(lowest));
        if !fast(lowest) {
            report.hard_sets += 1;
            hard_right += usize::from(fast(named));
        }
        for i in 0..set.len() {
            for j in 0..i {
                let measured = set[i].measured - set[j].measured;
                let predicted = set[i].predicted - set[j].predicted;
                error += ((predicted - measured).exp() - 1.0).abs() * 100.0;
                report.pairs += 1;
            }
        }
    }
    let share = |count: usize, of: usize| {
        if of > 0 {
            count as f64 / of as f64
        } else {
            0.0
        }
    };
    report.speed_up_error = if report.pairs > 0 {
        error / report.pairs as f64
    } else {
        0.0
    };
    report.right = share(right, report.sets);
    report.always_lowest = share(lowest_right, report.sets);
    report.hard_right = share(hard_right, report.hard_sets);
    report
}

/// The measured effect of precision by family.
pub fn precision_effect(rows: &[TrainingRow]) -> Vec<PrecisionEffect> {
    let measured: Vec<(usize, f64)> = rows
        .iter()
        .enumerate()
        .map(|(i, r)| (i, r.log_time))
        .collect();
    let mut families: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let family_of: BTreeMap<String, String> = rows
        .iter()
        .map(|r| (r.all_but_precision(), r.family.clone()))
        .collect();
    for (key, set) in sets(rows, &measured) {
        let slow = set
            .iter()
            .map(|c| c.measured)
            .fold(f64::NEG_INFINITY, f64::max);
        let fast = set.iter().map(|c| c.measured).fold(f64::INFINITY, f64::min);
        if let Some(family) = family_of.get(&key) {
            families
                .entry(family.clone())
                .or_default()
                .push((slow - fast).exp());
        }
    }
    families
        .into_iter()
        .map(|(family, ratios)| PrecisionEffect {
            family,
            sets: ratios.len(),
            median: middle(ratios.iter().copied()),
            largest: ratios.iter().copied().fold(0.0, f64::max),
        })
        .collect()
}

/// Log seconds of the bare roofline: every operator at peak or bandwidth, exchanges at link speed, nothing overlapped.
pub fn roofline(w: &StepWork) -> f64 {
    let share = 1.0 / (w.pipeline * w.context);
    let slots = w.micro_steps * w.longest_stage + w.bubble;
    let traffic: f64 = w.traffic_forward.iter().chain(&w.traffic_backward).sum();
    let compute = w.dense_ideal.max(w.dense_memory)
        + w.attention_flops / w.peak_16bit
        + w.depthwise.iter().map(|[traffic, _]| traffic).sum::<f64>()
        + w.grouped * 0.8;
    let exchange: f64 = w.exchange.calls.iter().flatten().map(|c| c.seconds).sum();
    (slots * share * (compute + traffic) + w.optimizer + exchange)
        .max(1e-9)
        .ln()
}

/// Log seconds of 6·N·D at 50 % of peak; `None` for other than language models.
pub fn six_nd(w: &StepWork) -> Option<f64> {
    let flops = 6.0 * w.parameters * w.batch * w.data * w.micro_steps * w.tokens.max(1.0);
    w.language
        .then(|| (flops / (w.devices * 0.5 * w.peak)).ln())
}

type Pair = (f64, f64, f64);

fn grouped(
    rows: &[TrainingRow],
    held: &[HeldOut],
    other: &BTreeMap<usize, f64>,
    key: impl Fn(&TrainingRow) -> String,
) -> Vec<(String, ErrorSummary, ErrorSummary)> {
    let mut by: BTreeMap<String, Vec<Pair>> = BTreeMap::new();
    for h in held {
        let row = &rows[h.row];
        let second = other.get(&h.row).copied().unwrap_or(h.physics);
        by.entry(key(row))
            .or_default()
            .push((h.predicted, second, row.log_time));
    }
    by.into_iter()
        .map(|(name, pairs)| {
            let first = ErrorSummary::of(pairs.iter().map(|p| (p.0, p.2)));
            let second = ErrorSummary::of(pairs.iter().map(|p| (p.1, p.2)));
            (name, first, second)
        })
        .collect()
}

/// Everything but intervals of one protocol.
pub fn protocol_report(
    rows: &[TrainingRow],
    protocol: Protocol,
    held: &[HeldOut],
    blind: &[HeldOut],
) -> ProtocolReport {
    let measured = |row: usize| rows[row].log_time;
    let blind_of: BTreeMap<usize, f64> = blind.iter().map(|h| (h.row, h.predicted)).collect();
    let physics_of: BTreeMap<usize, f64> = held.iter().map(|h| (h.row, h.physics)).collect();
    let predictions: Vec<(usize, f64)> = held.iter().map(|h| (h.row, h.predicted)).collect();
    let of = |value: &dyn Fn(&HeldOut) -> f64| {
        ErrorSummary::of(held.iter().map(|h| (value(h), measured(h.row))))
    };
    let only = |keep: &dyn Fn(&StepWork) -> bool| {
        let kept = held.iter().filter(|h| keep(&rows[h.row].work));
        ErrorSummary::of(kept.map(|h| (h.predicted, measured(h.row))))
    };
    let language = held.iter().filter(|h| rows[h.row].work.language);
    ProtocolReport {
        protocol,
        predictor: of(&|h| h.predicted),
        blind: ErrorSummary::of(blind.iter().map(|h| (h.predicted, measured(h.row)))),
        physics: of(&|h| h.physics),
        roofline: of(&|h| roofline(&rows[h.row].work)),
        six_nd: ErrorSummary::of(
            held.iter()
                .filter_map(|h| Some((six_nd(&rows[h.row].work)?, measured(h.row)))),
        ),
        language_16bit: only(&|w| w.language && w.width == 2.0 && lowness(w.mode) < 5),
        model_parallel: only(&|w| w.tensor > 1.0 || w.pipeline > 1.0),
        eight_bit: only(&|w| lowness(w.mode) >= 5),
        language: ErrorSummary::of(language.map(|h| (h.predicted, measured(h.row)))),
        coverage: 0.0,
        half_width: 0.0,
        choice: choice(rows, &predictions),
        by_precision: grouped(rows, held, &blind_of, |r| r.mode().label().to_owned()),
        by_source: grouped(rows, held, &physics_of, |r| r.run.source.clone()),
        by_family: grouped(rows, held, &physics_of, |r| r.family.clone()),
        by_part: grouped(rows, held, &physics_of, |r| {
            r.configuration.accelerator.name.clone()
        }),
    }
}
