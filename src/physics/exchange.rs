//! What a step exchanges: which collectives, of how many bytes, how often.

use super::collectives::{Collective, CollectiveKind};
use super::memory::hybrid_group;
use crate::domain::{Configuration, PrecisionSpec};
use serde::{Deserialize, Serialize};

/// What a collective is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(usize)]
pub enum Purpose {
    /// Gradients, once a step.
    Gradients,
    /// Weights of ZeRO-3/FSDP, each micro-step.
    Weights,
    /// Activations between tensor-parallel ranks, each micro-step.
    Tensor,
    /// Tokens between experts, each micro-step.
    Experts,
    /// Activations between pipeline stages, each micro-step.
    Pipeline,
    /// Keys and values between context-parallel ranks, each micro-step.
    Context,
    /// Weights from the ranks that updated them (ZeRO-1 and 2), once a step.
    Updated,
}

impl Purpose {
    /// Every purpose, in index order.
    pub const ALL: [Self; 7] = [
        Self::Gradients,
        Self::Weights,
        Self::Tensor,
        Self::Experts,
        Self::Pipeline,
        Self::Context,
        Self::Updated,
    ];
}

/// A collective and how often it occurs per step (gradients, updated weights) or micro-step (the others).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// The collective.
    pub collective: Collective,
    /// Occurrences.
    pub calls: f64,
    /// Seconds of all occurrences, at unit efficiency or as corrected by the communication stage.
    pub seconds: f64,
}

/// What a step exchanges, by [`Purpose`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Exchange {
    /// Calls by purpose; `None` where nothing is exchanged.
    pub calls: [Option<Call>; Purpose::ALL.len()],
    /// Seconds in which one process copies weights to its other devices, once a step.
    pub weight_copies: f64,
    /// Hops of a tree over all devices.
    pub hops: f64,
    /// Bandwidth inside the domain in bytes per second.
    pub intra: f64,
    /// Bandwidth between domains in bytes per second.
    pub inter: f64,
    /// Fast domains spanned.
    pub nodes: f64,
    /// PCIe alone inside the node.
    pub pcie: bool,
    /// And through the host's memory.
    pub staged: bool,
}

impl Purpose {
    /// Seconds of so many calls by latency, bandwidth and ramp alone. Buckets of gradients, and the layers of a sharded model
    /// that are fetched ahead, follow one another without waiting for what is computed between them.
    pub fn by_physics(self, collective: &Collective, calls: f64) -> f64 {
        match self {
            Self::Gradients | Self::Weights | Self::Updated => collective.times(calls).value(),
            Self::Tensor | Self::Experts | Self::Pipeline | Self::Context => {
                collective.time().value() * calls
            }
        }
    }
}

impl Exchange {
    /// Seconds of one purpose.
    pub fn seconds(&self, purpose: Purpose) -> f64 {
        self.calls[purpose as usize].map_or(0.0, |c| c.seconds)
    }
}

/// Bytes of one gradient bucket of data-parallel training (PyTorch DDP's default).
const BUCKET: f64 = 25e6;

/// Elements of a bucket in Megatron Core: at least these, and the second figure for each data-parallel rank
/// (`DistributedDataParallelConfig.bucket_size`).
const MEGATRON_BUCKET: [f64; 2] = [40e6, 1e6];

/// Bytes of an element in 16 bits.
const HALF_BYTES: f64 = 2.0;

struct Planner<'a> {
    c: &'a Configuration,
    spec: &'a PrecisionSpec,
    parameters: f64,
    exchange: Exchange,
}

/// Works out what a step of `c` exchanges; `parameters` live on one device.
pub(super) fn exchange(c: &Configuration, spec: &PrecisionSpec, parameters: f64) -> Exchange {
    let fabric = &c.fabric;
    let mut planner = Planner {
        c,
        spec,
        parameters,
        exchange: Exchange {
            hops: f64::from(c.count).log2().max(0.0),
            intra: fabric.intra.value(),
            inter: fabric.inter.value(),
            nodes: f64::from(fabric.nodes.max(1)),
            pcie: fabric.is_pcie(),
            staged: fabric.staged,
            ..Exchange::default()
        },
    };
    if c.count > 1 {
        planner.gradients_and_weights();
        planner.blocks();
        planner.weight_copies();
    }
    planner.exchange
}

impl Planner<'_> {
    fn collective(&self, kind: CollectiveKind, bytes: f64, ranks: u32, stride: u32) -> Collective {
        Collective::over(&self.c.fabric, kind, bytes, ranks, [self.c.count, stride])
    }

    fn add(&mut self, purpose: Purpose, collective: Collective, calls: f64) {
        if collective.ranks > 1.0 && calls > 0.0 && collective.bytes > 0.0 {
            self.exchange.calls[purpose as usize] = Some(Call {
                collective,
                calls,
                seconds: purpose.by_physics(&collective, calls),
            });
        }
    }

    fn gradients_and_weights(&mut self) {
        let s = &self.c.strategy;
        if s.data <= 1 || s.independent {
            return;
        }
        let stage = s.sharding.stage();
        // Tensor-parallel ranks sit next to each other, so data-parallel neighbours are `tensor` apart.
        let stride = s.tensor;
        let trained = self.c.workload.trained_share();
        // Fully sharded stacks reduce in the compute precision, the others in the master precision.
        let halves = self.c.software.sums_in_halves() && self.spec.activation_bytes <= HALF_BYTES;
        let width = if stage >= 3 {
            self.spec.weight_bytes
        } else if halves {
            self.spec.gradient_bytes.min(HALF_BYTES)
        } else {
            self.spec.gradient_bytes
        };
        let bytes = self.parameters * width * trained;
        if let Some(group) = hybrid_group(self.c, self.parameters) {
            return self.hybrid(bytes, group);
        }
        // Owners of states need the sum of their part alone (arXiv 1910.02054, section 7).
        let kind = if stage >= 1 {
            CollectiveKind::ReduceScatter
        } else {
            CollectiveKind::AllReduce
        };
        // Fully sharded stacks scatter the gradients of a layer together, as they gather its weights.
        let calls = if stage >= 3 {
            self.layers()
        } else {
            (bytes / self.bucket(width)).ceil().max(1.0)
        };
        self.add(
            Purpose::Gradients,
            self.collective(kind, bytes / calls, s.data, stride),
            calls,
        );
        if stage == 1 || stage == 2 {
            let weights = self.parameters * self.spec.weight_bytes * trained;
            let calls = (weights / self.bucket(self.spec.weight_bytes))
                .ceil()
                .max(1.0);
            let gather =
                self.collective(CollectiveKind::AllGather, weights / calls, s.data, stride);
            self.add(Purpose::Updated, gather, calls);
        }
        if stage >= 3 {
            let layers = self.layers();
            let layer = self.parameters * self.spec.weight_bytes / layers;
            // Gathered for the forward and again for the backward pass.
            let gather = self.collective(CollectiveKind::AllGather, layer, s.data, stride);
            self.add(Purpose::Weights, gather, 2.0 * layers);
        }
    }

    /// Layers that a sharded model is gathered by.
    fn layers(&self) -> f64 {
        let blocks = self.c.workload.profile.blocks;
        blocks.map_or(20.0, |b| b.layers).max(1.0)
    }

    /// Bytes of one bucket of gradients, `width` bytes an element.
    fn bucket(&self, width: f64) -> f64 {
        if !self.c.software.is_megatron() {
            return BUCKET;
        }
        let [least, each] = MEGATRON_BUCKET;
        width * least.max(each * f64::from(self.c.strategy.data))
    }

    /// Hybrid sharding: weights are gathered and gradients scattered among the ranks of a group, three times the weights in all;
    /// then each shard of the gradients is summed over the groups (PyTorch FSDP, arXiv 2304.11277, section 3.2.2).
    fn hybrid(&mut self, gradients: f64, group: u32) {
        let s = &self.c.strategy;
        let stride = s.tensor;
        let shard = gradients / f64::from(group);
        let calls = (shard / BUCKET).ceil().max(1.0);
        let reduce = self.collective(
            CollectiveKind::AllReduce,
            shard / calls,
            s.data / group,
            stride * group,
        );
        self.add(Purpose::Gradients, reduce, calls);
        let layers = self.layers();
        let layer = self.parameters * self.spec.weight_bytes / layers;
        let gather = self.collective(CollectiveKind::AllGather, layer, group, stride);
        self.add(Purpose::Weights, gather, 3.0 * layers);
    }

    fn blocks(&mut self) {
        let Some(b) = self.c.workload.profile.blocks else {
            return;
        };
        let s = &self.c.strategy;
        let layers = b.layers / f64::from(s.pipeline);
        let context = f64::from(s.context);
        let activation = s.micro_batch * b.tokens / context * b.hidden * 2.0;
        let passes = if s.recompute == crate::domain::Recompute::Full {
            6.0
        } else {
            4.0
        };
        if s.tensor > 1 {
            let reduce = self.collective(CollectiveKind::AllReduce, activation, s.tensor, 1);
            let branches = b.branches / f64::from(s.pipeline);
            self.add(Purpose::Tensor, reduce, passes / 2.0 * branches);
        }
        if s.expert > 1 && b.experts > 1.0 {
            // Dispatch sends a token once to a domain and lets it spread there (DeepSeek-V3, arXiv 2412.19437, section
            // 3.2.2), so that only domains that hold one of its experts count.
            let domains = (f64::from(s.expert) / f64::from(self.c.fabric.domain.max(1))).max(1.0);
            let visited = domains * (1.0 - (1.0 - 1.0 / domains).powf(b.active_experts));
            let copies = if domains > 1.0 {
                visited.min(b.active_experts)
            } else {
                b.active_experts
            };
            let routed = activation * b.expert_width / b.hidden * copies;
            let swap = self.collective(CollectiveKind::AllToAll, routed, s.expert, 1);
            let exchanging = b.expert_layers / f64::from(s.pipeline);
            self.add(Purpose::Experts, swap, 4.0 * exchanging);
        }
        if s.pipeline > 1 {
            let stride = s.tensor * s.context;
            let send = self.collective(
                CollectiveKind::SendReceive,
                activation / f64::from(s.tensor),
                s.pipeline,
                stride,
            );
            self.add(
                Purpose::Pipeline,
                send,
                2.0 * f64::from(s.interleave.max(1)),
            );
        }
        if s.context > 1 {
            // Heads are cut up among tensor-parallel ranks.
            let width = b.key_value_width / f64::from(s.tensor);
            let pairs = s.micro_batch * b.tokens / context * width * 2.0;
            let pass = self.collective(
                CollectiveKind::AllGather,
                pairs * context,
                s.context,
                s.tensor,
            );
            self.add(Purpose::Context, pass, 3.0 * layers);
        }
    }

    fn weight_copies(&mut self) {
        let s = &self.c.strategy;
        if s.single_process {
            // A broadcast is pipelined: it takes as long to three devices as to one (measured on VGG over PCIe).
            self.exchange.weight_copies =
                self.parameters * self.spec.activation_bytes / self.c.fabric.intra.value();
        }
    }
}
