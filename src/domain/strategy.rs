//! How a run is laid out over its accelerators.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What data-parallel ranks share out instead of holding a copy each.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Sharding {
    /// Plain data parallelism: everything replicated.
    #[default]
    None,
    /// Optimizer states sharded (ZeRO stage 1, arXiv 1910.02054).
    Zero1,
    /// Optimizer states and gradients sharded.
    Zero2,
    /// Optimizer states, gradients and weights sharded.
    Zero3,
    /// PyTorch's fully sharded data parallelism; shards like ZeRO-3.
    Fsdp,
    /// FSDP inside a node, or as few as hold the model; replicas across these groups.
    Hsdp,
}

impl Sharding {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::Zero1,
        Self::Zero2,
        Self::Zero3,
        Self::Fsdp,
        Self::Hsdp,
    ];

    /// The ZeRO stage it amounts to, 0 to 3.
    pub const fn stage(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Zero1 => 1,
            Self::Zero2 => 2,
            Self::Zero3 | Self::Fsdp | Self::Hsdp => 3,
        }
    }

    /// The word of files and flags.
    pub const fn key(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Zero1 => "zero1",
            Self::Zero2 => "zero2",
            Self::Zero3 => "zero3",
            Self::Fsdp => "fsdp",
            Self::Hsdp => "hsdp",
        }
    }
}

impl FromStr for Sharding {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|s| s.key().eq_ignore_ascii_case(word))
            .ok_or_else(|| {
                format!("unknown sharding `{word}`; allowed: none, zero1, zero2, zero3, fsdp, hsdp")
            })
    }
}

/// Which activations are recomputed in the backward pass instead of kept.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Recompute {
    /// Everything is kept.
    #[default]
    None,
    /// What the framework calls so: in Megatron attention between its projections (arXiv 2205.05198), in PyTorch every other
    /// product and all between them (arXiv 2410.06511), in JAX all but a few named projections (MaxText).
    Selective,
    /// Every layer from its input.
    Full,
}

impl Recompute {
    /// The word of files and flags.
    pub const fn key(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Selective => "selective",
            Self::Full => "full",
        }
    }
}

impl FromStr for Recompute {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        [Self::None, Self::Selective, Self::Full]
            .into_iter()
            .find(|r| r.key().eq_ignore_ascii_case(word))
            .ok_or_else(|| format!("unknown recompute `{word}`; allowed: none, selective, full"))
    }
}

/// What is kept in the host's memory instead of the device's.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Offload {
    /// Nothing.
    #[default]
    None,
    /// Optimizer states and the optimizer step (ZeRO-Offload, arXiv 2101.06840).
    Optimizer,
    /// Weights too, fetched as they are needed (ZeRO-Infinity, arXiv 2104.07857).
    All,
}

impl Offload {
    /// The word of files and flags.
    pub const fn key(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Optimizer => "optimizer",
            Self::All => "all",
        }
    }
}

impl FromStr for Offload {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        [Self::None, Self::Optimizer, Self::All]
            .into_iter()
            .find(|o| o.key().eq_ignore_ascii_case(word))
            .ok_or_else(|| format!("unknown offload `{word}`; allowed: none, optimizer, all"))
    }
}

/// Parallel degrees and batch layout. The product of the degrees (data × tensor × pipeline × context) is the number
/// of accelerators; expert parallelism divides the data-parallel ranks and does not multiply them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Strategy {
    /// Data-parallel ranks.
    pub data: u32,
    /// Tensor-parallel ranks.
    pub tensor: u32,
    /// Pipeline stages.
    pub pipeline: u32,
    /// Virtual pipeline stages per device (interleaving); 1 = plain 1F1B.
    pub interleave: u32,
    /// Context-parallel ranks.
    pub context: u32,
    /// Expert-parallel ranks.
    pub expert: u32,
    /// What data-parallel ranks share out.
    pub sharding: Sharding,
    /// Samples per data-parallel rank and micro-step.
    pub micro_batch: f64,
    /// Micro-steps per optimizer step.
    pub accumulation: u32,
    /// What is recomputed.
    pub recompute: Recompute,
    /// What the host's memory keeps.
    #[serde(default)]
    pub offload: Offload,
    /// Sequence parallelism beside tensor parallelism.
    pub sequence_parallel: bool,
    /// One process drives several devices (torch `DataParallel`): weights are re-sent each step.
    pub single_process: bool,
    /// Replicas never exchange gradients: each trains by itself, as benchmarks do that forget to ask for it.
    #[serde(default)]
    pub independent: bool,
}

impl Strategy {
    /// Plain data parallelism over `devices` with a micro-batch.
    pub fn data_parallel(devices: u32, micro_batch: f64) -> Self {
        Self {
            data: devices,
            tensor: 1,
            pipeline: 1,
            interleave: 1,
            context: 1,
            expert: 1,
            sharding: Sharding::None,
            micro_batch,
            accumulation: 1,
            recompute: Recompute::None,
            offload: Offload::None,
            sequence_parallel: false,
            single_process: false,
            independent: false,
        }
    }

    /// Accelerators used.
    pub fn devices(&self) -> u32 {
        self.data * self.tensor * self.pipeline * self.context
    }

    /// Devices that share the residual stream of one token: norms, dropout and sums beside tensor parallelism are cut along the
    /// sequence where it is sequence-parallel (arXiv 2205.05198, section 4.2.2).
    pub fn residual_ranks(&self) -> f64 {
        if self.sequence_parallel {
            f64::from(self.tensor.max(1))
        } else {
            1.0
        }
    }

    /// Samples per optimizer step over the whole job.
    pub fn global_batch(&self) -> f64 {
        f64::from(self.data) * self.micro_batch * f64::from(self.accumulation)
    }
}
