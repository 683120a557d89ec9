//! Everything a prediction depends on.

use super::{Accelerator, ModelSource, PrecisionSpec, Strategy, Workload};
use crate::units::BytesPerSecond;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::sync::Arc;

/// How far the software stack was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tuning {
    /// A framework used as most do.
    Plain,
    /// A team's training stack.
    Tuned,
    /// Raced: MLPerf, speed runs.
    Benchmark,
}

impl Tuning {
    /// The word of files and flags.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Tuned => "tuned",
            Self::Benchmark => "benchmark",
        }
    }
}

impl FromStr for Tuning {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        [Self::Plain, Self::Tuned, Self::Benchmark]
            .into_iter()
            .find(|t| t.key().eq_ignore_ascii_case(word))
            .ok_or_else(|| format!("unknown tuning `{word}`; allowed: plain, tuned, benchmark"))
    }
}

/// How the operations of an optimizer become kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OptimizerKernels {
    /// One kernel reads and writes everything once (apex, DeepSpeed, Megatron, TensorFlow, XLA).
    #[default]
    Fused,
    /// Each operation is a kernel of its own, as in `torch.optim` unless `fused` is asked for.
    Operations,
    /// `BertAdam`: the same, with every intermediate stored and each gradient clipped by itself.
    BertAdam,
}

/// The software a step runs on, as far as it changes the time.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftwareStack {
    /// Framework word of the run schema (`pytorch`, `jax`, `megatron`, …); empty = unknown.
    pub framework: String,
    /// Date of the software as a fraction of a year, e.g. 2024.5.
    pub date: f64,
    /// How far it was taken; `None` = not stated.
    pub tuning: Option<Tuning>,
    /// Graph compilation (torch.compile).
    pub compiled: bool,
    /// Bias, dropout, activation and norms of transformers run in kernels fused by hand (apex).
    pub fused_kernels: bool,
    /// The loss over a vocabulary runs in one kernel each way.
    pub fused_loss: bool,
    /// How the optimizer's operations become kernels.
    pub optimizer: OptimizerKernels,
    /// XLA.
    pub xla: bool,
    /// Step captured in a CUDA graph.
    pub cuda_graph: bool,
    /// Fused attention that never stores the score matrix.
    pub flash_attention: bool,
    /// Attention is stated to store the score matrix.
    pub eager_attention: bool,
    /// NHWC tensors.
    pub channels_last: bool,
    /// Gradient exchange is stated to overlap with the backward pass.
    pub overlap: bool,
    /// Input is read and decoded during the step.
    pub real_data: bool,
    /// Parameter-server exchange instead of a ring.
    pub parameter_server: bool,
    /// Time is an upper bound (evaluation or idle time included).
    pub includes_idle: bool,
    /// Padding is removed: `seq_len` is a ceiling.
    pub unpadded: bool,
}

/// PyTorch 2.0, of March 2023.
pub const PYTORCH_2: f64 = 2023.2;

/// It brought fused attention to every causal model (`scaled_dot_product_attention`).
pub const FUSED_ATTENTION_SINCE: f64 = PYTORCH_2;
/// When the last of the libraries that models come from took PyTorch's fused attention for theirs, in every model that
/// attends and in 32 bits as in 16.
pub const TORCH_ATTENTION_SINCE: f64 = 2024.4;

/// Release 0.6 of Megatron Core, of spring 2024.
const MEGATRON_CORE_0_6: f64 = 2024.2;

/// Between NeMo's containers of April and of June 2026.
const RECENT_EXPERTS_SINCE: f64 = 2026.4;

/// Whether a framework word is JAX's or that of a library upon it.
pub fn is_jax(framework: &str) -> bool {
    matches!(framework, "jax" | "maxtext")
}

impl SoftwareStack {
    /// JAX, or MaxText upon it.
    pub fn is_jax(&self) -> bool {
        is_jax(&self.framework)
    }

    /// Megatron, or NeMo upon it.
    pub fn is_megatron(&self) -> bool {
        matches!(self.framework.as_str(), "megatron" | "nemo")
    }

    /// Whether blocks of transformers run operation by operation, as models of Transformers do unless compiled.
    pub fn runs_by_operation(&self) -> bool {
        self.framework == "pytorch"
            && !(self.compiled || self.xla || self.fused_kernels)
            && self.tuning != Some(Tuning::Benchmark)
    }

    /// Whether the loss over a vocabulary runs in one kernel each way: as stated, or where graphs are compiled, in raced stacks,
    /// in llm.c and on Megatron Core as recipes have it since its release 0.6 (`cross_entropy_loss_fusion`).
    pub fn fuses_loss(&self) -> bool {
        self.fused_loss
            || self.compiled
            || self.xla
            || self.is_jax()
            || self.framework == "llm.c"
            || (self.is_megatron() && self.date >= MEGATRON_CORE_0_6)
            || self.tuning == Some(Tuning::Benchmark)
    }

    /// Megatron of mid-2026 or later: grouped products of experts are fused with their quantisation, and the host no longer
    /// waits to hear how tokens were routed. The same published configurations run 1.2 to 1.5 times as fast in NeMo's
    /// container 26.06 as in 26.04 (Megatron-Bridge, performance summary), dense models no faster.
    pub fn has_recent_experts(&self) -> bool {
        self.is_megatron() && self.date >= RECENT_EXPERTS_SINCE
    }

    /// Whether gradients of a model trained in 16 bits or fewer are summed over devices in 16 bits, whatever they are kept in: raced
    /// stacks do, and the performance recipes of NeMo and Megatron Bridge (`grad_reduce_in_fp32 = False`, before that
    /// `grad_sync_dtype: bf16`); Megatron-LM's own and PyTorch's wrappers sum in what gradients are kept in.
    pub fn sums_in_halves(&self) -> bool {
        match self.tuning {
            Some(Tuning::Benchmark) => true,
            Some(Tuning::Tuned) => self.is_recent_megatron(),
            _ => false,
        }
    }

    /// Megatron as the recipes of NeMo (since 2023) and Megatron Core (since its release 0.6 of spring 2024) run it: the
    /// optimizer is distributed, and what tensor parallelism exchanges goes on beside its matmuls.
    pub fn is_recent_megatron(&self) -> bool {
        match self.framework.as_str() {
            "nemo" => self.date >= 2023.0,
            "megatron" => self.date >= MEGATRON_CORE_0_6,
            _ => false,
        }
    }
}

/// What joins neighbouring devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// NVLink, Infinity Fabric, ICI or similar.
    Fast,
    /// PCIe alone.
    Pcie,
}

/// The fabric as the predictor sees it; bandwidths per device and direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fabric {
    /// Kind of link inside a node.
    pub link: LinkKind,
    /// Bandwidth inside the fast domain.
    pub intra: BytesPerSecond,
    /// Bandwidth between domains.
    pub inter: BytesPerSecond,
    /// Devices of a host cannot read one another's memory over PCIe: every message passes through the host's.
    pub staged: bool,
    /// The domain's switches add up what passes them (NVLink SHARP, since the third NVSwitch of 2022).
    pub in_switch: bool,
    /// Devices that share the fast link.
    pub domain: u32,
    /// Devices per node.
    pub per_node: u32,
    /// Nodes (fast domains) the job spans.
    pub nodes: u32,
}

impl Fabric {
    /// Whether devices of a node are joined by PCIe alone.
    pub fn is_pcie(&self) -> bool {
        self.link == LinkKind::Pcie
    }

    /// Devices of a run of so many that stand together in one node.
    pub fn together(&self, count: u32) -> u32 {
        self.per_node.max(1).min(count)
    }
}

/// Workload × accelerator × count × precision × strategy × software.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    /// What is trained.
    pub workload: Workload,
    /// On which part.
    pub accelerator: Arc<Accelerator>,
    /// How many of them.
    pub count: u32,
    /// How they are joined.
    pub fabric: Fabric,
    /// In which arithmetic.
    pub precision: PrecisionSpec,
    /// Laid out how.
    pub strategy: Strategy,
    /// With which software.
    pub software: SoftwareStack,
    /// Whether the batch was stated (`false`: a default was assumed).
    pub batch_stated: bool,
}

impl Configuration {
    /// The same, laid out otherwise.
    pub fn laid_out(&self, strategy: Strategy) -> Self {
        Self {
            strategy,
            ..self.clone()
        }
    }

    /// Whether the activation of the feed-forward runs a kernel for each of its operations.
    pub fn writes_activation_out(&self) -> bool {
        self.software.runs_by_operation()
            && matches!(&self.workload.model.profile, ModelSource::Transformer(shape) if shape.writes_activation_out())
    }

    /// Whether attention runs operation by operation whatever the library offers: the run says so, or the model's code writes
    /// it out.
    pub fn writes_attention_out(&self) -> bool {
        self.software.eager_attention || self.workload.model.unfused_attention
    }
}
