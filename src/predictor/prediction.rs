//! What the predictor says of one configuration.

use crate::domain::MemoryUse;
use crate::units::Seconds;
use serde::{Deserialize, Serialize};

/// A value with its 90 % interval, all in the same unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Best estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Estimate {
    /// Multiplies value and both ends.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            low: self.low * factor,
            high: self.high * factor,
        }
    }

    /// Half the width of the interval relative to the value, e.g. 0.11 for ±11 %.
    pub fn half_width(self) -> f64 {
        if self.value > 0.0 {
            (self.high - self.low) / 2.0 / self.value
        } else {
            0.0
        }
    }
}

/// How sure a prediction is, from its interval: High to ±12 %, Medium to ±30 %, else Low.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Wider than ±30 %.
    Low,
    /// Up to ±30 %.
    Medium,
    /// Up to ±12 %.
    High,
}

impl Confidence {
    /// The word for a relative half-width.
    pub fn of(half_width: f64) -> Self {
        if half_width <= 0.12 {
            Self::High
        } else if half_width <= 0.30 {
            Self::Medium
        } else {
            Self::Low
        }
    }

    /// The word itself.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "Low",
            Self::Medium => "Medium",
            Self::High => "High",
        }
    }
}

/// Where the step goes; the parts add up to the predicted step time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Breakdown {
    /// Matmuls and convolutions.
    pub matmul: Seconds,
    /// Traffic of elementwise operators, norms, softmax, copies.
    pub memory_traffic: Seconds,
    /// Waiting for kernels to be launched.
    pub launch: Seconds,
    /// Optimizer step, without waiting for its launches.
    pub optimizer: Seconds,
    /// Casts, quantisation and loss scaling.
    pub casts: Seconds,
    /// Communication that nothing hides.
    pub communication: Seconds,
    /// Pipeline bubble.
    pub bubble: Seconds,
}

impl Breakdown {
    /// Names and times in the order the window draws them.
    pub fn parts(&self) -> [(&'static str, Seconds); 7] {
        [
            ("Matmul", self.matmul),
            ("Memory traffic", self.memory_traffic),
            ("Kernel launch", self.launch),
            ("Optimizer", self.optimizer),
            ("Casts and loss scaling", self.casts),
            ("Exposed communication", self.communication),
            ("Bubble", self.bubble),
        ]
    }

    /// The sum of the parts.
    pub fn total(&self) -> Seconds {
        self.parts().iter().map(|(_, t)| *t).sum()
    }

    /// Share of the step in which the device works, 0 to 1: not waiting for launches, the network or other stages.
    pub fn busy(&self) -> f64 {
        let waiting = self.launch + self.communication + self.bubble;
        let total = self.total();
        if total.value() > 0.0 {
            1.0 - waiting / total
        } else {
            1.0
        }
    }

    /// Every part times a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            matmul: self.matmul * factor,
            memory_traffic: self.memory_traffic * factor,
            launch: self.launch * factor,
            optimizer: self.optimizer * factor,
            casts: self.casts * factor,
            communication: self.communication * factor,
            bubble: self.bubble * factor,
        }
    }
}

/// What bounds a configuration: the largest part of its predicted step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Matmul arithmetic.
    Compute,
    /// Memory traffic.
    MemoryTraffic,
    /// Kernel launches.
    Launch,
    /// Communication and bubbles.
    Communication,
}

impl Limit {
    /// Every limit, in label order of the surrogate tree.
    pub const ALL: [Self; 4] = [
        Self::Compute,
        Self::MemoryTraffic,
        Self::Launch,
        Self::Communication,
    ];

    /// The word of tables and files.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::MemoryTraffic => "memory-traffic",
            Self::Launch => "launch",
            Self::Communication => "communication",
        }
    }
}

/// A stage of the hierarchical predictor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// One device's compute.
    Compute,
    /// Collectives.
    Communication,
    /// How much of the two overlaps, and everything that shows only on several devices.
    Overlap,
}

impl Stage {
    /// The heading of the window.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Compute => "Compute",
            Self::Communication => "Communication",
            Self::Overlap => "Overlap",
        }
    }
}

/// One step of the waterfall from physics to prediction; `exp(log_ratio)` multiplies the time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// Feature as the window prints it, e.g. `Tensor-core share`.
    pub feature: String,
    /// Stage it acts in.
    pub stage: Stage,
    /// Natural log of its factor on the step time.
    pub log_ratio: f64,
}

/// A measured run near a configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearestRun {
    /// Publication key.
    pub source: String,
    /// Path or page in the publication.
    pub source_path: String,
    /// Model, part, count and mode of the run.
    pub model: String,
    /// Part.
    pub accelerator: String,
    /// Devices.
    pub count: u32,
    /// Mode.
    pub precision: String,
    /// Samples of one device and micro-step, as near as the features tell.
    pub batch: Option<f64>,
    /// What it has otherwise than the configuration beyond the above, in words: `adapters only`, `without XLA`.
    pub differs: Vec<String>,
    /// Feature distance (0 = the same configuration).
    pub distance: f64,
    /// Measured step time.
    pub measured: Seconds,
    /// What the predictor says of that run.
    pub predicted: Seconds,
}

/// What a prediction rests on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Support {
    /// Feature distance to the nearest measured run (RMS of standardised features).
    pub distance: f64,
    /// Measured runs within the distance that halves trust.
    pub nearest_runs: u32,
}

/// What the predictor says of one configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Step time in seconds with its 90 % interval.
    pub step_time: Estimate,
    /// Step time of physics alone, the start of the waterfall.
    pub physics_time: Seconds,
    /// Where the step goes.
    pub breakdown: Breakdown,
    /// Share of communication hidden behind compute, 0 to 1; `None` on one device.
    pub overlap: Option<f64>,
    /// By what share of itself the step lengthens for each share by which the host takes longer to launch kernels, 0 to 1.
    pub host_share: f64,
    /// Peak memory.
    pub memory: MemoryUse,
    /// What bounds it.
    pub limit: Limit,
    /// What it rests on.
    pub support: Support,
    /// Sentences a reader must know (mode never measured, estimated profile, assumed batch, …).
    pub notes: Vec<String>,
}

/// Why a prediction is what it is; computed on demand, since it costs more than the prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// From physics to prediction, largest first within a stage; they add up to
    /// `ln(step_time / physics_time)`.
    pub contributions: Vec<Contribution>,
    /// The nearest measured runs, nearest first.
    pub nearest: Vec<NearestRun>,
    /// The rule path of the readable surrogate that names the limit.
    pub limit_rule: Vec<String>,
    /// The limit at its end; it need not be the predictor's own.
    pub limit_named: Limit,
    /// How often the surrogate names the predictor's own limit, 0 to 1.
    pub limit_fidelity: f64,
}

/// Weight of one feature over the whole data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Importance {
    /// Feature as the window prints it.
    pub feature: String,
    /// Stage it acts in.
    pub stage: Stage,
    /// Share of the absolute reasons of its stage over measured runs (communication: of the trees' gain), 0 to 1.
    pub gain: f64,
    /// Rise of the mean absolute log error on held-out rows when the feature is shuffled.
    pub permutation: f64,
}
