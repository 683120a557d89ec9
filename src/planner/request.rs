//! What a person asks for: the saved form of a plan.

use crate::domain::PrecisionMode;
use serde::{Deserialize, Serialize};

/// A request as written in `PLAN.toml` or held by the window; unchecked.
///
/// Quantities that people write with units ("15 B" tokens) stay strings here; [`super::check`] turns the whole into
/// a [`super::CheckedRequest`] or names the field that is wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Pixels a side; default: the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_size: Option<u32>,
    /// Optimizer word; default: the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<String>,
    /// `plain`, `tuned` or `benchmark`; default: typical, with a wider interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<String>,
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
    /// Budget and deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsRequest>,
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
    /// `on-demand` or `spot`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// The user's own prices: accelerator name to US dollars per accelerator and hour.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub own_usd_per_hour: std::collections::BTreeMap<String, f64>,
}

/// Budget and deadline.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsRequest {
    /// US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// Hours from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_h: Option<f64>,
}

/// `"auto"`, or degrees to keep fixed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
