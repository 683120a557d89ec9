//! File schemas of precisions, mode rules and accelerators, and what they become.

use super::error::PresetError;
use super::fields::{Count, Date, NonNegative, Positive, Text, number};
use super::files::PresetFile;
use crate::domain::{
    Accelerator, Generation, MemoryKind, Peak, PrecisionMode, PrecisionSpec, Vendor,
};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Watts};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use toml::Spanned;

/// A precision mode with the words a window says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PrecisionEntry {
    /// What it stores and how wide.
    pub spec: PrecisionSpec,
    /// Label of tables and legends.
    pub label: String,
    /// Other words for it.
    pub words: Vec<String>,
    /// One sentence on it.
    pub about: String,
    /// Where the definition is from.
    pub source: String,
    /// When it was retrieved.
    pub retrieved: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PrecisionsFile {
    pub schema: u32,
    #[serde(default)]
    pub precision: Vec<PrecisionRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PrecisionRow {
    mode: PrecisionMode,
    label: Text,
    #[serde(default)]
    words: Vec<Text>,
    about: Text,
    matmul_bytes: Positive,
    activation_bytes: Positive,
    weight_bytes: Positive,
    gradient_bytes: Positive,
    master_bytes: NonNegative,
    optimizer_state_bytes: Positive,
    loss_scaling: bool,
    source: Text,
    retrieved: Date,
}

impl From<PrecisionRow> for PrecisionEntry {
    fn from(row: PrecisionRow) -> Self {
        Self {
            spec: PrecisionSpec {
                mode: row.mode,
                matmul_bytes: row.matmul_bytes.0,
                activation_bytes: row.activation_bytes.0,
                weight_bytes: row.weight_bytes.0,
                gradient_bytes: row.gradient_bytes.0,
                master_bytes: row.master_bytes.0,
                whole_model: false,
                optimizer_state_bytes: row.optimizer_state_bytes.0,
                loss_scaling: row.loss_scaling,
            },
            label: row.label.0,
            words: row.words.into_iter().map(|w| w.0).collect(),
            about: row.about.0,
            source: row.source.0,
            retrieved: row.retrieved.0,
        }
    }
}

/// A rate that data sheets state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Rate {
    Fp64,
    Fp64Tensor,
    Fp32,
    Fp32Matrix,
    Tf32Tensor,
    Fp16Tensor,
    Bf16Tensor,
    Fp8Tensor,
    Fp4Tensor,
    Fp16Vector,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModesFile {
    pub schema: u32,
    #[serde(default)]
    pub rules: Vec<ModeRules>,
}

/// What the parts of one generation can do.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModeRules {
    name: Text,
    generation: Generation,
    #[serde(rename = "about")]
    _about: Text,
    #[serde(rename = "source")]
    _source: Text,
    #[serde(rename = "retrieved")]
    _retrieved: Date,
    modes: BTreeMap<PrecisionMode, ModeRule>,
}

/// Either the rates a mode takes its peak from, the first stated one first, or why the hardware lacks it.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "allowed: { from = [rates] } or { lacks = \"why\" }"
)]
enum ModeRule {
    Lacks(LacksRule),
    From(FromRule),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct LacksRule {
    lacks: Text,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct FromRule {
    from: Vec<Rate>,
    #[serde(default)]
    derived: Option<Text>,
}

/// The rule sets by name.
#[derive(Debug, Clone, Default)]
pub(super) struct RuleBook(HashMap<String, ModeRules>);

impl RuleBook {
    /// Adds rule sets; one of a known name replaces it.
    pub(super) fn add(&mut self, rules: Vec<ModeRules>) {
        for set in rules {
            self.0.insert(set.name.0.clone(), set);
        }
    }

    fn find(&self, name: &Spanned<String>, file: &PresetFile) -> Result<&ModeRules, PresetError> {
        self.0.get(name.get_ref()).ok_or_else(|| {
            let mut known: Vec<&str> = self.0.keys().map(String::as_str).collect();
            known.sort_unstable();
            let message = format!(
                "field `rules`: unknown rules `{}`; allowed: {}",
                name.get_ref(),
                known.join(", ")
            );
            file.at(Some(name.span()), &message)
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AcceleratorsFile {
    pub schema: u32,
    #[serde(default)]
    pub accelerator: Vec<AcceleratorRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AcceleratorRow {
    name: Text,
    label: Text,
    #[serde(default)]
    aliases: Vec<Text>,
    vendor: Vendor,
    rules: Spanned<String>,
    architecture: Text,
    year: u16,
    form_factor: Text,
    memory_gb: Positive,
    memory_reported_mib: Option<Positive>,
    #[serde(rename = "memory_reported_source")]
    _memory_reported_source: Option<Text>,
    memory_kind: Option<MemoryKind>,
    memory_bandwidth_gb_per_s: Positive,
    sm_count: Option<Count>,
    boost_clock_mhz: Option<Positive>,
    exponentials_per_clock: Option<Positive>,
    l2_mb: Option<Positive>,
    #[serde(rename = "last_level_cache_mb")]
    _last_level_cache_mb: Option<Positive>,
    tdp_w: Option<Positive>,
    link_gb_per_s_both_directions: Option<Positive>,
    #[serde(rename = "link_kind")]
    _link_kind: Option<Text>,
    #[serde(default)]
    link_is_optional: bool,
    pcie_generation: Option<u8>,
    source: Text,
    retrieved: Date,
    #[serde(rename = "note")]
    _note: Option<Text>,
    tflops: BTreeMap<Rate, Positive>,
    #[serde(default)]
    derived: BTreeMap<Rate, Text>,
}

/// An accelerator and what the fabric must know of its link.
#[derive(Debug, Clone)]
pub(super) struct ShelvedAccelerator {
    pub accelerator: Accelerator,
    /// The link is a bridge that is sold apart.
    pub link_is_optional: bool,
}

impl AcceleratorRow {
    /// The part, with its peaks and refusals by the rules of its generation.
    pub(super) fn convert(
        self,
        file: &PresetFile,
        book: &RuleBook,
    ) -> Result<ShelvedAccelerator, PresetError> {
        let rules = book.find(&self.rules, file)?;
        let (peaks, lacks) = self.peaks(rules);
        let [fp16_vector, fp64_vector] = [Rate::Fp16Vector, Rate::Fp64].map(|rate| self.rate(rate));
        let accelerator = Accelerator {
            name: self.name.0,
            label: self.label.0,
            aliases: self.aliases.into_iter().map(|a| a.0).collect(),
            vendor: self.vendor,
            generation: rules.generation,
            architecture: self.architecture.0,
            year: self.year,
            form_factor: self.form_factor.0,
            // Data sheets count device memory in binary gigabytes.
            memory: Bytes::from_gib(self.memory_gb.0),
            usable_memory: self
                .memory_reported_mib
                .map_or(Bytes::from_gib(self.memory_gb.0), |reported| {
                    Bytes::from_gib(reported.0 / 1024.0)
                }),
            memory_bandwidth: BytesPerSecond::from_gb_per_s(self.memory_bandwidth_gb_per_s.0),
            memory_kind: self.memory_kind,
            sm_count: self.sm_count.map(|c| c.0),
            boost_clock_mhz: number(self.boost_clock_mhz),
            exponentials_per_clock: number(self.exponentials_per_clock),
            l2_mb: number(self.l2_mb),
            tdp: number(self.tdp_w).map(Watts),
            peaks,
            lacks,
            fp16_vector,
            fp64_vector,
            link_bandwidth: number(self.link_gb_per_s_both_directions)
                .map(BytesPerSecond::from_gb_per_s),
            pcie_generation: self.pcie_generation,
            source: self.source.0,
            retrieved: self.retrieved.0,
        };
        Ok(ShelvedAccelerator {
            accelerator,
            link_is_optional: self.link_is_optional,
        })
    }

    fn peaks(
        &self,
        rules: &ModeRules,
    ) -> (
        BTreeMap<PrecisionMode, Peak>,
        BTreeMap<PrecisionMode, String>,
    ) {
        let mut peaks = BTreeMap::new();
        let mut lacks = BTreeMap::new();
        for (&mode, rule) in &rules.modes {
            match rule {
                ModeRule::Lacks(rule) => {
                    lacks.insert(mode, rule.lacks.0.clone());
                }
                ModeRule::From(rule) => {
                    if let Some(peak) = self.peak(rule) {
                        peaks.insert(mode, peak);
                    }
                }
            }
        }
        (peaks, lacks)
    }

    fn rate(&self, rate: Rate) -> Option<FlopsPerSecond> {
        self.tflops
            .get(&rate)
            .map(|tera| FlopsPerSecond::from_tera(tera.0))
    }

    fn peak(&self, rule: &FromRule) -> Option<Peak> {
        let (rate, tera) = rule
            .from
            .iter()
            .find_map(|rate| self.tflops.get(rate).map(|tera| (rate, tera.0)))?;
        let words: Vec<&str> = [rule.derived.as_ref(), self.derived.get(rate)]
            .into_iter()
            .flatten()
            .map(|text| text.0.as_str())
            .collect();
        Some(Peak {
            rate: FlopsPerSecond::from_tera(tera),
            derived: (!words.is_empty()).then(|| words.join("; ")),
        })
    }
}
