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
    /// Muon: one state and orthogonalisation.
    Muon,
}

impl Optimizer {
    /// Every optimizer.
    pub const ALL: [Self; 9] = [
        Self::Sgd,
        Self::Adam,
        Self::Adamw,
        Self::Lamb,
        Self::Rmsprop,
        Self::Adagrad,
        Self::Adafactor,
        Self::Lion,
        Self::Muon,
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
        }
    }

    /// States kept per parameter.
    pub const fn states(self) -> f64 {
        match self {
            Self::Sgd | Self::Lion | Self::Muon | Self::Adagrad => 1.0,
            Self::Adam | Self::Adamw | Self::Lamb | Self::Rmsprop => 2.0,
            Self::Adafactor => 0.01,
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
                    "unknown optimizer `{word}`; allowed: sgd, adam, adamw, lamb, rmsprop, adagrad, adafactor, lion, muon"
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
    /// What is timed.
    pub timed: TimedPart,
}
