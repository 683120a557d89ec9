//! What is trained, on how much data, for how long.

use super::{Model, OperatorProfile};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::sync::Arc;

/// The optimizer of a run; decides states per parameter and traffic per step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimizer {
    /// Stochastic gradient descent with momentum: one state.
    Sgd,
    /// Adam: two states.
    Adam,
    /// AdamW: two states.
    Adamw,
    /// LAMB: two states and layer norms.
    Lamb,
    /// RMSprop with momentum: two states.
    Rmsprop,
    /// Adagrad: one state.
    Adagrad,
    /// Adafactor: factored second moment.
    Adafactor,
    /// Lion: one state.
    Lion,
    /// Muon: one state and orthogonalisation (Jordan 2024, kellerjordan.github.io/posts/muon).
    Muon,
    /// Adam with both states quantised to 8 bits in blocks of 256 (arXiv 2110.02861).
    #[serde(rename = "adam-8bit")]
    Adam8bit,
}

impl Optimizer {
    /// Every optimizer.
    pub const ALL: [Self; 10] = [
        Self::Sgd,
        Self::Adam,
        Self::Adamw,
        Self::Lamb,
        Self::Rmsprop,
        Self::Adagrad,
        Self::Adafactor,
        Self::Lion,
        Self::Muon,
        Self::Adam8bit,
    ];

    /// The word of files and flags.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Sgd => "sgd",
            Self::Adam => "adam",
            Self::Adamw => "adamw",
            Self::Lamb => "lamb",
            Self::Rmsprop => "rmsprop",
            Self::Adagrad => "adagrad",
            Self::Adafactor => "adafactor",
            Self::Lion => "lion",
            Self::Muon => "muon",
            Self::Adam8bit => "adam-8bit",
        }
    }

    /// Bytes of all states of one parameter where a state is `width` bytes wide.
    ///
    /// Quantised states keep their width whatever the mode: one byte each and a 32-bit scale a block of 256.
    pub fn state_bytes(self, width: f64) -> f64 {
        match self {
            Self::Adam8bit => 2.0 * (1.0 + 4.0 / 256.0),
            other => other.states() * width,
        }
    }

    /// States kept per parameter, in those of full width.
    pub const fn states(self) -> f64 {
        match self {
            Self::Sgd | Self::Lion | Self::Muon | Self::Adagrad => 1.0,
            Self::Adam | Self::Adamw | Self::Lamb | Self::Rmsprop => 2.0,
            Self::Adafactor => 0.01,
            Self::Adam8bit => 0.5,
        }
    }
}

impl FromStr for Optimizer {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|o| o.key().eq_ignore_ascii_case(word))
            .ok_or_else(|| {
                format!(
                    "unknown optimizer `{word}`; allowed: sgd, adam, adamw, lamb, rmsprop, adagrad, adafactor, lion, muon, adam-8bit"
                )
            })
    }
}

/// How long a run lasts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingLength {
    /// So many tokens over all samples.
    Tokens(f64),
    /// Passes over a data set of so many samples.
    Epochs {
        /// Passes.
        epochs: f64,
        /// Samples in the data set.
        samples: f64,
    },
    /// Optimizer steps.
    Steps(f64),
}

/// Low-rank adapters on every linear layer (LoRA, arXiv 2106.09685; QLoRA, arXiv 2305.14314).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Adapters {
    /// Rank of each adapter.
    pub rank: u32,
    /// Bytes of one frozen weight where the base model is quantised; `None` = as wide as the mode stores weights.
    pub base_bytes: Option<f64>,
}

impl Adapters {
    /// Rank where none is stated, as in most published fine-tuning runs (MLPerf's Llama 2 70B among them).
    pub const TYPICAL_RANK: u32 = 16;

    /// Bytes of one weight in 4-bit NormalFloat with doubly quantised scales: 4 bits and 0.127 (arXiv 2305.14314,
    /// section 3).
    pub const NF4_BYTES: f64 = (4.0 + 0.127) / 8.0;
}

/// What a step consists of, where a measurement leaves parts of it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimedPart {
    /// Forward, backward and optimizer: a real training step.
    #[default]
    FullStep,
    /// Forward and backward alone.
    ForwardBackward,
}

/// A model with the data of one step and how it is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// The model.
    pub model: Arc<Model>,
    /// Its operators at the sequence length or image size below, per sample.
    pub profile: Arc<OperatorProfile>,
    /// Tokens per sample, where samples are sequences.
    pub seq_len: Option<u32>,
    /// Pixels a side, where samples are images.
    pub image_size: Option<u32>,
    /// Optimizer.
    pub optimizer: Optimizer,
    /// Whether only low-rank adapters are trained (LoRA).
    pub adapters_only: bool,
    /// What is known of the adapters; only where `adapters_only`.
    pub adapters: Option<Adapters>,
    /// What is timed.
    pub timed: TimedPart,
}

impl Workload {
    /// Rank of the adapters that are trained, the typical one where it is not stated; `None` where all weights are.
    pub fn adapter_rank(&self) -> Option<u32> {
        let rank = self.adapters.map_or(Adapters::TYPICAL_RANK, |a| a.rank);
        self.adapters_only.then_some(rank)
    }

    /// Parameters that are trained.
    pub fn trained_parameters(&self) -> f64 {
        match self.adapter_rank() {
            None => self.profile.parameters,
            Some(rank) => self.profile.adapter_parameters(rank),
        }
    }

    /// Share of the parameters that is trained, 0 to 1.
    pub fn trained_share(&self) -> f64 {
        (self.trained_parameters() / self.profile.parameters.max(1.0)).min(1.0)
    }
}
