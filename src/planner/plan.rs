//! All predictions for a request, ranked.

use super::choices::{Extras, Limits, Minimise, Phase, ScheduleRule, WhatIf};
use super::price::{PriceChoice, PriceDates, PriceUsed};
use super::reliability::{Interruptions, Reliability};
use super::{BatchRequest, PlanRequest, Schedule, rank};
use crate::domain::{
    Accelerator, Adapters, Configuration, MemoryUse, Model, Offload, OperatorProfile, Optimizer,
    PrecisionMode, Recompute, Sharding, Strategy, TrainingLength, Tuning,
};
use crate::format;
use crate::predictor::{Confidence, Estimate, Prediction};
use crate::presets::{Advice, seller_label};
use crate::units::GramsPerKwh;
use std::sync::Arc;

/// A request whose every field was understood.
#[derive(Debug, Clone)]
pub struct CheckedRequest {
    /// As it was asked.
    pub request: PlanRequest,
    /// How long to train.
    pub length: TrainingLength,
    /// Accelerators, in the order asked.
    pub accelerators: Vec<Arc<Accelerator>>,
    /// Counts, ascending, without repeats.
    pub counts: Vec<u32>,
    /// Modes, in the order of [`PrecisionMode::ALL`].
    pub modes: Vec<PrecisionMode>,
    /// US dollars.
    pub budget_usd: Option<f64>,
    /// Hours.
    pub deadline_h: Option<f64>,
    /// The model.
    pub model: Arc<Model>,
    /// Its operators at the input size below, per sample.
    pub profile: Arc<OperatorProfile>,
    /// Tokens per sample, where samples are sequences.
    pub seq_len: Option<u32>,
    /// Tokens that the decoder sees of each, where one stands beside an encoder.
    pub decoder_tokens: Option<u32>,
    /// Pixels a side, where samples are images.
    pub image_size: Option<u32>,
    /// Optimizer.
    pub optimizer: Optimizer,
    /// How far the software was taken; `None` = typical, with a wider interval.
    pub tuning: Option<Tuning>,
    /// Whether attention is fused; `None` = where the part has kernels for it.
    pub flash_attention: Option<bool>,
    /// Whether the graph is compiled.
    pub compiled: bool,
    /// Samples per step.
    pub batch: BatchChoice,
    /// Degrees to keep fixed; what is `None` the planner picks.
    pub layout: LayoutChoice,
    /// Which prices to take.
    pub prices: PriceChoice,
    /// The grid, where a region was named.
    pub grid: Option<Grid>,
    /// Limits beside budget and deadline.
    pub limits: Limits,
    /// Low-rank adapters, where only they are trained.
    pub adapters: Option<Adapters>,
    /// Failures and checkpoints.
    pub reliability: Reliability,
    /// Evaluation, idle time and storage.
    pub extras: Extras,
    /// What the best plan minimises; `None` = cost, or time where nothing has a price or a budget is the only limit.
    pub minimise: Option<Minimise>,
    /// Phases in different modes; empty where none were asked.
    pub schedule: Vec<Phase>,
    /// The rule under which the fastest schedule is looked for.
    pub schedule_rule: Option<ScheduleRule>,
    /// Factors on prices, networks and failures.
    pub what_if: WhatIf,
}

impl CheckedRequest {
    /// How many limits a run is held against with the upper end of its interval. Free memory and availability are none of
    /// them: what breaks those is refused.
    pub fn limits_set(&self) -> usize {
        let limits = [
            self.budget_usd,
            self.deadline_h,
            self.limits.energy_kwh,
            self.limits.co2e_kg,
        ];
        limits.iter().flatten().count()
    }
}

/// Samples per optimizer step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BatchChoice {
    /// Over the whole job.
    Global(f64),
    /// Per accelerator, as asked.
    PerDevice(f64),
    /// Over the whole job, where nobody asked: what the model takes by default on each accelerator of the largest count, so
    /// that every count trains alike.
    Default(f64),
    /// Over the whole job, where nobody asked and a language model is pre-trained: what models of its size were trained with.
    Pretraining(f64),
}

impl BatchChoice {
    /// Samples per step of a job on `count` accelerators.
    pub fn global(self, count: u32) -> f64 {
        match self {
            Self::Global(samples) | Self::Default(samples) | Self::Pretraining(samples) => samples,
            Self::PerDevice(samples) => samples * f64::from(count),
        }
    }

    /// Samples per step that are asked for and that run, where a job's data-parallel ranks cannot share out whole what is asked.
    pub fn rounded(self, count: u32, strategy: &Strategy) -> Option<(f64, f64)> {
        let (asked, runs) = (self.global(count), strategy.global_batch());
        ((runs - asked).abs() > 1e-6 * asked).then_some((asked, runs))
    }

    /// Whether somebody asked for it.
    pub const fn is_stated(self) -> bool {
        matches!(self, Self::Global(_) | Self::PerDevice(_))
    }
}

/// Degrees of a layout that are given; what is `None` the planner picks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LayoutChoice {
    /// Tensor-parallel ranks.
    pub tensor: Option<u32>,
    /// Pipeline stages.
    pub pipeline: Option<u32>,
    /// Context-parallel ranks.
    pub context: Option<u32>,
    /// Expert-parallel ranks.
    pub expert: Option<u32>,
    /// What data-parallel ranks share out.
    pub sharding: Option<Sharding>,
    /// Micro-steps per optimizer step.
    pub accumulation: Option<u32>,
    /// What is recomputed.
    pub recompute: Option<Recompute>,
    /// What the host's memory keeps.
    pub offload: Option<Offload>,
    /// Virtual pipeline stages a device.
    pub interleave: Option<u32>,
}

/// The grid a run draws on.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Region as the catalogue names it.
    pub region: String,
    /// Intensity.
    pub intensity: GramsPerKwh,
    /// Where the figure is from.
    pub source: String,
    /// Its year or date.
    pub date: String,
}

/// A field of a request that is wrong, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct RequestError {
    /// Field as written in the file, e.g. `train.tokens` or `counts[1]`.
    pub field: String,
    /// What is wrong and what is allowed.
    pub message: String,
}

/// One combination that can run.
#[derive(Debug, Clone)]
pub struct PredictedRun {
    /// What was predicted, strategy included.
    pub configuration: Arc<Configuration>,
    /// Time, breakdown, memory and support of one step.
    pub prediction: Prediction,
    /// Optimizer steps of the whole run.
    pub steps: f64,
    /// Total time in hours.
    pub total_time_h: Estimate,
    /// Cost in US dollars; `None` where a price is missing.
    pub cost_usd: Option<Estimate>,
    /// The price used.
    pub price: Option<PriceUsed>,
    /// Energy in kilowatt-hours at the socket; `None` where the power of the part is unknown.
    pub energy_kwh: Option<Estimate>,
    /// Emissions in kilograms of CO2 equivalent; `None` without a region or energy.
    pub co2e_kg: Option<f64>,
    /// Tokens per second (sequence models) or samples per second of the whole job.
    pub units_per_s: f64,
    /// `tokens/s` or `samples/s`.
    pub units_name: &'static str,
    /// How the layout was chosen, as a short line, e.g. `FSDP over 8, 2 nodes, selective recompute`.
    pub layout: String,
    /// Why figures that are `None` are missing.
    pub missing: Missing,
    /// Layouts that were looked at and dropped.
    pub dropped: Dropped,
    /// Why this layout: how far the next one is behind, and what did not fit.
    pub layout_why: String,
    /// The layout without the what-if of the network, where that is another one, as a short line.
    pub layout_before: Option<String>,
    /// Most samples per rank and micro-step that fit with this layout; `None` where not even one does.
    pub largest_micro_batch: Option<u32>,
    /// Peak memory of one device on each pipeline stage, first to last; one entry without a pipeline.
    pub memory_by_stage: Vec<MemoryUse>,
    /// Hours of the steps alone; the rest of the total is evaluation, checkpoints and interruptions.
    pub training_h: f64,
    /// Interruptions, checkpoints and what they cost in time.
    pub interruptions: Interruptions,
    /// Part of the cost that is storage, in US dollars.
    pub storage_usd: f64,
}

/// Why a figure of a run is missing, as a sentence; `None` where it is there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missing {
    /// Why there is no cost.
    pub cost: Option<String>,
    /// Why there is no energy.
    pub energy: Option<String>,
    /// Why there are no emissions.
    pub co2e: Option<String>,
}

/// Layouts that were looked at for a combination and dropped, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dropped {
    /// They need more memory than the accelerator has.
    pub memory: u32,
    /// They leave data-parallel ranks without a sample.
    pub batch: u32,
    /// They fit, but are slower.
    pub slower: u32,
    /// The predictor cannot tell.
    pub impossible: u32,
}

impl PredictedRun {
    /// How sure the time is.
    pub fn confidence(&self) -> Confidence {
        Confidence::of(self.prediction.step_time.half_width())
    }

    /// Model FLOPs utilisation, 0 to 1: forward and backward FLOPs of the model's matmuls (three times the forward ones,
    /// recomputation not counted) over what the devices could do in a step at the dense rate of the mode (PaLM,
    /// arXiv 2204.02311, appendix B). `None` where adapters alone are trained, which cost fewer.
    pub fn flops_utilisation(&self) -> Option<f64> {
        let c = &self.configuration;
        if c.workload.adapters_only {
            return None;
        }
        let rate = c.accelerator.peak(c.precision.mode).ok()?.rate.value();
        let flops = 3.0 * c.workload.profile.forward_flops() * c.strategy.global_batch();
        let could = self.prediction.step_time.value * f64::from(c.count) * rate;
        (could > 0.0).then(|| flops / could)
    }
}

/// What became of a combination.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It can run.
    Predicted(Box<PredictedRun>),
    /// It cannot, and why, as a sentence with the way out.
    Refused(String),
}

/// One accelerator × count × mode of a plan.
#[derive(Debug, Clone)]
pub struct Combination {
    /// Part.
    pub accelerator: Arc<Accelerator>,
    /// Devices.
    pub count: u32,
    /// Nodes they fill.
    pub nodes: u32,
    /// Mode.
    pub mode: PrecisionMode,
    /// Key of the seller whose offer it is, where the request has one combination for each.
    pub seller: Option<String>,
    /// What became of it.
    pub outcome: Outcome,
}

impl Combination {
    /// The predicted run, if it can run.
    pub fn run(&self) -> Option<&PredictedRun> {
        match &self.outcome {
            Outcome::Predicted(run) => Some(run),
            Outcome::Refused(_) => None,
        }
    }

    /// It in words, with its seller where sellers stand side by side: `FP8 on 16 × H100 SXM 80 GB from Vast.ai`.
    pub fn name(&self) -> String {
        let from = self.seller_label();
        format!(
            "{} on {}{}",
            self.mode.label(),
            format::devices(self.count, &self.accelerator.label),
            from.map_or_else(String::new, |name| format!(" from {name}"))
        )
    }

    /// What its seller is called, where sellers stand side by side.
    pub fn seller_label(&self) -> Option<&str> {
        self.seller.as_deref().map(seller_label)
    }
}

/// The four answers of the headline: indices into [`Plan::combinations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answers {
    /// Shortest total time.
    pub fastest: Option<usize>,
    /// Lowest cost.
    pub cheapest: Option<usize>,
    /// The best whose upper ends lie within every limit that is set: [`Plan::best`]; `None` without limits.
    pub within_limits: Option<usize>,
    /// Lowest emissions (energy without a region).
    pub greenest: Option<usize>,
}

impl Answers {
    /// Those there are, each once: within limits, cheapest, fastest, greenest.
    pub fn each(&self) -> Vec<usize> {
        let all = [
            self.within_limits,
            self.cheapest,
            self.fastest,
            self.greenest,
        ];
        let mut each = Vec::new();
        for index in all.into_iter().flatten() {
            if !each.contains(&index) {
                each.push(index);
            }
        }
        each
    }
}

/// All predictions for a request.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The request behind it.
    pub request: Arc<CheckedRequest>,
    /// Every combination, refused ones included, in the order accelerator, count, mode as asked.
    pub combinations: Vec<Combination>,
    /// Indices on the time-cost Pareto front, by rising time.
    pub pareto: Vec<usize>,
    /// The four answers.
    pub answers: Answers,
    /// Combinations whose upper ends are inside every limit that is set.
    pub within_limits: usize,
    /// Version of the predictor used.
    pub predictor_version: String,
    /// Oldest and newest date among the prices used.
    pub price_dates: Option<PriceDates>,
    /// What the best combination is lowest in, stated or not.
    pub minimise: Minimise,
    /// Index of the best combination: the lowest of what the request minimises, within every limit.
    pub best: Option<usize>,
    /// Why it is the best, as a sentence; why there is none, where there is none.
    pub best_why: String,
    /// Indices of the runs that no other beats in time, cost and energy at once, by rising time.
    pub pareto_all: Vec<usize>,
    /// What is known of the modes asked for on this model; needs first.
    pub advice: Vec<Advice>,
    /// Precision schedules: the one asked for and the fastest under the rule, for each accelerator and count.
    pub schedules: Vec<Schedule>,
}

impl Plan {
    /// Whether a run is inside every limit with the upper end of its interval; a missing figure is inside none.
    pub fn is_within(&self, run: &PredictedRun) -> bool {
        rank::is_within(&self.request, run)
    }

    /// Whether a combination is another seller's offer of the one before it: the same run at another price.
    pub fn is_another_offer(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|i| self.combinations.get(i));
        (before.zip(self.combinations.get(index))).is_some_and(|(a, b)| {
            b.seller.is_some()
                && a.seller.is_some()
                && (a.count, a.mode) == (b.count, b.mode)
                && a.accelerator.name == b.accelerator.name
        })
    }

    /// Samples per device and step with which a run fills its memory in every micro-step; `None` where its batch is as
    /// large already or not even one sample fits. It divides over all devices where that costs less than half of it, so
    /// that a layout with other degrees, should one now be as fast, runs the same batch.
    pub fn larger_batch_each(&self, run: &PredictedRun) -> Option<f64> {
        let strategy = &run.configuration.strategy;
        let micro_batch = run.largest_micro_batch?;
        let steps = self.request.layout.least_steps(strategy.pipeline);
        let devices = f64::from(strategy.devices());
        let whole = f64::from(strategy.data) * f64::from(micro_batch) * f64::from(steps);
        let mut each = whole / devices;
        if each >= 1.0 {
            each = each.floor();
        }
        (each * devices > strategy.global_batch()).then_some(each)
    }

    /// [`Self::larger_batch_each`] as a batch of the kind that the request states: a global batch stays one, for the
    /// devices of this run; one per device stays one, and so does a model's own.
    pub fn larger_batch(&self, run: &PredictedRun) -> Option<BatchRequest> {
        let each = self.larger_batch_each(run)?;
        let devices = f64::from(run.configuration.strategy.devices());
        let asked = self.request.request.batch.as_ref();
        let is_global = asked.is_some_and(|batch| batch.global.is_some());
        Some(BatchRequest {
            global: is_global.then(|| (each * devices).round()),
            per_gpu: (!is_global).then_some(each),
        })
    }

    /// The combination the window opens on: the best within limits, else the best that is likely to be, else the closest to
    /// them; without limits the best of all.
    pub fn recommended(&self) -> Option<usize> {
        let outlook = self.outlook().unwrap_or_default();
        self.answers
            .within_limits
            .or(outlook.likeliest)
            .or(outlook.closest)
            .or(self.best)
            .or(self.answers.cheapest)
            .or(self.answers.fastest)
    }
}
