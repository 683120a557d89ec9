//! What a person asks for: the saved form of a plan.

use crate::domain::PrecisionMode;
use serde::{Deserialize, Serialize};

/// A request as written in `PLAN.toml` or held by the window; unchecked.
///
/// Quantities that people write with units ("15 B" tokens) stay strings here; [`super::check`] turns the whole into
/// a [`super::CheckedRequest`] or names the field that is wrong.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRequest {
    /// Version of this form.
    pub schema: u32,
    /// Name shown on the tab and in reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Catalogue name, alias, or path of an importable file.
    pub model: String,
    /// Accelerator names or aliases.
    pub accelerators: Vec<String>,
    /// Devices per run.
    pub counts: Vec<u32>,
    /// Precision modes by key.
    pub precisions: Vec<String>,
    /// Tokens per sample; default: the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq_len: Option<u32>,
    /// Tokens that a decoder sees beside an encoder; default: the model's share of `seq_len`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoder_tokens: Option<u32>,
    /// Pixels a side; default: the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_size: Option<u32>,
    /// Optimizer word; default: the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<String>,
    /// `plain`, `tuned` or `benchmark`; default: typical, with a wider interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<String>,
    /// `flash` or `eager`; default: flash where the part has kernels for it and the code of the model takes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention: Option<String>,
    /// Whether the graph is compiled (torch.compile); default: not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compile: Option<bool>,
    /// `auto`, or a fixed layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<StrategyRequest>,
    /// Grid region: country, US state or cloud region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// How long to train.
    pub train: TrainRequest,
    /// Samples per step; default: the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchRequest>,
    /// Where prices come from; default: the cheapest current on-demand price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<PriceRequest>,
    /// Budget, deadline and other limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsRequest>,
    /// Low-rank adapters instead of full training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fine_tune: Option<FineTuneRequest>,
    /// Failures and checkpoints; default: those of the catalogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reliability: Option<ReliabilityRequest>,
    /// Evaluation, idle time and storage beside the training itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extras: Option<ExtrasRequest>,
    /// What the best plan minimises; default: cost, or time where nothing has a price or a budget is the only limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimise: Option<MinimiseRequest>,
    /// Phases of the run in different precision modes, first to last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedule: Vec<PhaseRequest>,
    /// The rule under which the fastest schedule is looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule_rule: Option<ScheduleRuleRequest>,
    /// What if prices, networks or failures were others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what_if: Option<WhatIfRequest>,
}

/// `"lora"` or `"qlora"`, with the rank of the adapters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FineTuneRequest {
    /// `full`, `lora` or `qlora`.
    pub method: String,
    /// Rank of each adapter; default 16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
}

/// Failures and checkpoints. What is absent is taken from the catalogue's figures.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReliabilityRequest {
    /// Nothing ever fails and nothing is saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ideal: Option<bool>,
    /// Mean hours between interruptions of one accelerator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accelerator_mtbf_h: Option<f64>,
    /// Minutes between checkpoints; default: the best interval (Daly 2006).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_every_min: Option<f64>,
    /// Seconds that training stands still to write a checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_write_s: Option<f64>,
    /// Minutes from an interruption until training goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart_min: Option<f64>,
    /// Chance that a spot node is taken away within a month, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spot_interruptions_percent_per_month: Option<f64>,
    /// How much the slowest of the devices slows a step, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stragglers_percent: Option<f64>,
}

/// What a run costs beside its steps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtrasRequest {
    /// Evaluation, as a share of the training time in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation_percent: Option<f64>,
    /// Share of the paid hours in which the accelerators do nothing, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_percent: Option<f64>,
    /// Data set and checkpoints in store, in decimal terabytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_tb: Option<f64>,
    /// US dollars for a terabyte and month (730 h).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_usd_per_tb_month: Option<f64>,
}

/// What the best plan minimises: a word, or weights of a blend.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum MinimiseRequest {
    /// `time`, `cost`, `energy` or `emissions`.
    Word(String),
    /// Weights; each figure counts relative to the lowest of the plan.
    Blend(BlendRequest),
}

/// Weights of a blend, 0 or above; what is absent is 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // the words of `minimise`
pub struct BlendRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emissions: Option<f64>,
}

/// One phase of a precision schedule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseRequest {
    /// Precision mode by key.
    pub precision: String,
    /// Share of the steps in percent.
    pub percent: f64,
}

/// At least so many of the steps must run at or above a precision.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleRuleRequest {
    /// Precision mode by key.
    pub at_least: String,
    /// Share of the steps in percent.
    pub percent: f64,
}

/// Factors on what the catalogue says; 1 changes nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhatIfRequest {
    /// On every price of an accelerator hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// On the bandwidth between nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<f64>,
    /// On the rate of interruptions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures: Option<f64>,
}

/// How long to train: tokens, epochs over samples, or steps; exactly one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainRequest {
    /// Tokens, e.g. `"15 B"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Quantity>,
    /// Passes over the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<Quantity>,
    /// Samples of the data set, e.g. `"1.28 M"`; with `epochs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Quantity>,
    /// Optimizer steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Quantity>,
}

/// A number, or a number with a suffix: `K`/`thousand`, `M`/`million`, `B`/`G`/`billion`, `T`/`trillion`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Quantity {
    /// A bare number.
    Number(f64),
    /// A number with a suffix.
    Text(String),
}

/// Samples per step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchRequest {
    /// Over the whole job; divided over the devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global: Option<f64>,
    /// Per device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_gpu: Option<f64>,
}

/// Where prices come from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceRequest {
    /// Provider key, e.g. `lambda`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// One combination for each seller of a part, where the cheapest stands alone otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub every_seller: bool,
    /// `on-demand`, `spot`, `reserved` or `owned`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// What a reservation takes off the on-demand price, in percent; with `tier = "reserved"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved_discount_percent: Option<f64>,
    /// What the user's own hardware costs; with `tier = "owned"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owned: Option<OwnedRequest>,
    /// The user's own prices: accelerator name to US dollars per accelerator and hour.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub own_usd_per_hour: std::collections::BTreeMap<String, f64>,
}

/// Hardware of one's own: written off over its years, powered and housed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnedRequest {
    /// Accelerator name to US dollars for one, its share of node and network included.
    pub usd_per_accelerator: std::collections::BTreeMap<String, f64>,
    /// Years until it is written off.
    pub years: f64,
    /// Share of those years in which it works, in percent.
    pub use_percent: f64,
    /// Upkeep a year, as a share of the purchase in percent; default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upkeep_percent: Option<f64>,
    /// US dollars for a kilowatt-hour; default: what industry pays in `region`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_per_kwh: Option<f64>,
    /// Energy of the building over that of its computers; default: the average of companies' own data centres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pue: Option<f64>,
}

/// Budget, deadline and other limits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsRequest {
    /// US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// Hours from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_h: Option<f64>,
    /// The day at whose end those hours end, as `2026-12-04`, where the deadline was given as one: the window counts the
    /// hours anew from its clock, everything else goes by the hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_day: Option<String>,
    /// Energy in kilowatt-hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy_kwh: Option<f64>,
    /// Emissions in kilograms of CO2 equivalent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub co2e_kg: Option<f64>,
    /// Memory that must stay free on each device, in percent of its capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_headroom_percent: Option<f64>,
    /// How many of a part can be had: accelerator name to count.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub available: std::collections::BTreeMap<String, u32>,
}

/// `"auto"`, or degrees to keep fixed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StrategyRequest {
    /// `"auto"`: the planner picks the layout.
    Word(String),
    /// Fixed degrees.
    Fixed(FixedStrategy),
}

/// A layout given by hand; what is absent takes its default.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // the flags of the command line by the same names
pub struct FixedStrategy {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tp: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pp: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ep: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharding: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accumulation: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recompute: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offload: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interleave: Option<u32>,
}

impl PlanRequest {
    /// The modes of the request that parse, in order; for widgets that toggle them.
    pub fn modes(&self) -> Vec<PrecisionMode> {
        self.precisions
            .iter()
            .filter_map(|p| p.parse().ok())
            .collect()
    }
}
