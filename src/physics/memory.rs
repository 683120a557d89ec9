//! Peak device memory by part and pipeline stage.
//!
//! Weights, gradients and optimizer states follow the precision's widths and the sharding stage (ZeRO,
//! arXiv 1910.02054, section 3); states are shared out over data and context ranks together, as Megatron's distributed
//! optimizer and FSDP do. [`super::activations`] counts what is kept for the backward pass.
//!
//! Some stacks keep other widths than the mode's by default; what they keep is read from their documentation:
//! - Megatron-LM and what is built on it shard optimizer states since 2023 (`use_distributed_optimizer` in the recipes
//!   of NeMo and Megatron Bridge), keep FP16 gradients beside an FP32 copy with the optimizer (Megatron-LM
//!   `Float16OptimizerWithFloat16Params`), and BF16 gradients in raced recipes (`grad_reduce_in_fp32 = False`);
//! - DeepSpeed's BF16 optimizer keeps 16-bit gradients and an FP32 sum of them (`deepspeed/runtime/bf16_optimizer.py`).

use super::activations;
use crate::domain::{
    Configuration, MemoryUse, ModelSource, Offload, PrecisionMode, Sharding, TransformerShape,
    Tuning,
};
use crate::units::Bytes;

/// Bytes a process holds before it allocates a tensor: context, kernels, workspaces. Device samples of BERT, ResNet-50 and
/// SSD at many batches (Lambda's logs) meet the states of the model at 0.8 to 1.9 GiB; BigScience's own check has 1.3 to 1.6.
const CONTEXT: f64 = 1.1e9;
/// Bytes of communication buffers for each kind of parallelism (NCCL's channels, 4 MB for each peer and protocol).
const COMMUNICATOR: f64 = 0.5e9;
/// Elements of each of the two buckets that DeepSpeed's ZeRO stages 1 and 2 gather and reduce in (`allgather_bucket_size` and
/// `reduce_bucket_size` of its configuration, by default).
const BUCKET: f64 = 5e8;
/// Tensors that live for an operator or two beside what is kept, over what is kept: peaks of the allocator in raced language
/// models lie on a line through the states of the model with 1.1 times the activations.
const TEMPORARY: f64 = 0.08;
/// Blocks that the allocator caches, over what lives: device samples grow by 1.2 times what each sample keeps.
const CACHED: f64 = 0.1;
/// Layers whose gathered weights and gradients fully sharded training holds at once: one in use, one fetched ahead,
/// and one whose gradients wait to be reduced.
const GATHERED_LAYERS: f64 = 3.0;
/// Share of a device's memory that states may fill for a group of HSDP to be large enough.
const STATES_ROOM: f64 = 0.6;
/// Share of a device's memory that states, activations, context and buffers take where allocations begin to be tried again, and
/// where those of every layer are. What is counted here leaves out weights that are gathered far ahead.
const CROWDED: [f64; 2] = [0.685, 0.700];
/// Since about then the distributed optimizer is the default of Megatron's recipes.
const DISTRIBUTED_OPTIMIZER_SINCE: f64 = 2023.0;

/// Peak memory of one device of a configuration, on the pipeline stage that needs most.
///
/// `device_parameters` live on one device, the embedding shared out evenly.
pub fn memory_use(c: &Configuration, device_parameters: f64) -> MemoryUse {
    let last = c.strategy.pipeline.max(1) - 1;
    let first = stage(c, device_parameters, 0);
    let end = stage(c, device_parameters, last);
    if end.total() > first.total() {
        end
    } else {
        first
    }
}

/// Peak memory of one device on every pipeline stage, first to last.
pub fn memory_by_stage(c: &Configuration, device_parameters: f64) -> Vec<MemoryUse> {
    (0..c.strategy.pipeline.max(1))
        .map(|at| stage(c, device_parameters, at))
        .collect()
}

/// PyTorch 1.13, of October 2022.
const RATE_LIMITER_SINCE: f64 = 2022.82;

/// Layers whose memory the allocator must free and ask for anew in each micro-step.
///
/// Before 1.13, PyTorch's fully sharded training gathered weights as far ahead as the host could run (it had no
/// `limit_all_gathers` yet, which recipes turned on at once, as llm-foundry's `submit_benchmarks.py` did, and which is on by
/// itself since 2.0), so that gathered layers took whatever was free, and near a full device each layer waited for blocks to be returned
/// to the driver (Zhao et al., "PyTorch FSDP", arXiv 2304.11277, section 3.4, "Rate limiter": steps up to five times as long).
pub(super) fn retried_layers(c: &Configuration, device_parameters: f64, layers: f64) -> f64 {
    let software = &c.software;
    let unlimited = c.strategy.sharding.stage() == 3
        && software.framework == "pytorch"
        && software.date < RATE_LIMITER_SINCE;
    if !unlimited {
        return 0.0;
    }
    let used = memory_use(c, device_parameters);
    let full = (used.total() - used.temporary - used.cached).value()
        / c.accelerator.usable_memory.value().max(1.0);
    layers * ((full - CROWDED[0]) / (CROWDED[1] - CROWDED[0])).clamp(0.0, 1.0)
}

fn stage(c: &Configuration, device_parameters: f64, at: u32) -> MemoryUse {
    let states = States::of(c, stage_parameters(c, device_parameters, at));
    let activations = activations::kept(c, at);
    let allocated = states.weights + states.gradients + states.optimizer + activations;
    let s = &c.strategy;
    let kinds = [s.data, s.tensor, s.pipeline, s.context, s.expert]
        .into_iter()
        .filter(|degree| *degree > 1)
        .count();
    let temporary = c.workload.model.resident_data.value() + TEMPORARY * activations;
    let cached = CACHED * (allocated + temporary);
    MemoryUse {
        weights: Bytes(states.weights),
        gradients: Bytes(states.gradients),
        optimizer: Bytes(states.optimizer),
        activations: Bytes(activations),
        overhead: Bytes(
            CONTEXT
                + COMMUNICATOR * kinds as f64
                + buckets(c, device_parameters)
                + temporary
                + cached,
        ),
        temporary: Bytes(temporary),
        cached: Bytes(cached),
        capacity: c.accelerator.usable_memory,
    }
}

/// Bytes of the buckets of ZeRO stages 1 and 2; Megatron's distributed optimizer works in the gradients' own buffer.
fn buckets(c: &Configuration, device_parameters: f64) -> f64 {
    match c.strategy.sharding {
        Sharding::Zero1 | Sharding::Zero2 if !has_distributed_optimizer(c) => {
            2.0 * BUCKET.min(device_parameters) * c.precision.weight_bytes
        }
        _ => 0.0,
    }
}

/// Parameters of one device on a stage: an even share of the blocks, and the tables where they lie.
fn stage_parameters(c: &Configuration, average: f64, at: u32) -> f64 {
    let s = &c.strategy;
    let Some(b) = c.workload.profile.blocks.filter(|_| s.pipeline > 1) else {
        return average;
    };
    let table = b.vocabulary * b.hidden / f64::from(s.tensor);
    let tied = matches!(&c.workload.model.profile,
        ModelSource::Transformer(TransformerShape { tied_embeddings, .. }) if *tied_embeddings);
    let stages = f64::from(s.pipeline);
    // Both ends hold a table; a tied one is counted once among the parameters and stands on both.
    let spread = if tied { table } else { 2.0 * table } / stages;
    let at_end = at == 0 || at + 1 == s.pipeline;
    (average - spread).max(0.0) + if at_end { table } else { 0.0 }
}

/// Whether the run is of Megatron's family: by its framework, or as what raced language models run on.
pub(super) fn is_megatron_like(c: &Configuration) -> bool {
    let software = &c.software;
    let raced = software.tuning == Some(Tuning::Benchmark)
        && software.date > DISTRIBUTED_OPTIMIZER_SINCE
        && c.workload.profile.blocks.is_some_and(|b| b.causal)
        && !software.is_jax();
    software.is_megatron() || raced
}

/// Whether Megatron's distributed optimizer shards the states unasked.
fn has_distributed_optimizer(c: &Configuration) -> bool {
    is_megatron_like(c) && c.software.date >= DISTRIBUTED_OPTIMIZER_SINCE
}

/// Bytes of weights, gradients and optimizer states.
struct States {
    weights: f64,
    gradients: f64,
    optimizer: f64,
}

/// Bytes of one parameter.
struct Widths {
    weight: f64,
    gradient: f64,
    optimizer: f64,
}

impl Widths {
    fn of(c: &Configuration) -> Self {
        let spec = &c.precision;
        let eight_bits = is_eight_bit(spec.mode);
        let base = c.workload.adapters.and_then(|adapters| adapters.base_bytes);
        let weight = match base {
            Some(bytes) => bytes,
            // Raced fine-tuning keeps its frozen weights as the matmuls read them.
            None if c.workload.adapters_only && eight_bits && is_megatron_like(c) => {
                spec.matmul_bytes
            }
            None => spec.weight_bytes,
        };
        let mut widths = Self {
            weight,
            // Beside its own, a model that is cast whole has those of its master weights.
            gradient: spec.gradient_bytes
                + if spec.whole_model {
                    spec.master_bytes
                } else {
                    0.0
                },
            optimizer: spec.master_bytes
                + c.workload.optimizer.state_bytes(spec.optimizer_state_bytes),
        };
        if spec.master_bytes > 0.0 && is_megatron_like(c) {
            widths.as_megatron(c);
        }
        widths
    }

    fn as_megatron(&mut self, c: &Configuration) {
        let by_deepspeed =
            c.strategy.sharding == Sharding::Zero1 && c.software.date < DISTRIBUTED_OPTIMIZER_SINCE;
        if c.precision.mode == PrecisionMode::AmpFp16 {
            self.gradient = 2.0;
            self.optimizer += 4.0;
        } else if c.software.tuning == Some(Tuning::Benchmark) {
            self.gradient = 2.0;
        } else if by_deepspeed {
            self.gradient += 2.0;
        }
    }
}

impl States {
    fn of(c: &Configuration, parameters: f64) -> Self {
        let s = &c.strategy;
        let widths = Widths::of(c);
        let mut stage = s.sharding.stage();
        if has_distributed_optimizer(c) {
            stage = stage.max(1);
        }
        let share = share_of_states(c, parameters);
        let cut = |from: u8, bytes: f64| if stage >= from { bytes * share } else { bytes };
        let trained = parameters * c.workload.trained_share();
        let mut states = Self {
            weights: cut(3, parameters * widths.weight),
            gradients: cut(2, trained * widths.gradient),
            optimizer: cut(1, trained * widths.optimizer),
        };
        if stage >= 3 {
            states.weights += gathered(c, parameters, widths.weight);
            if s.sharding != Sharding::Zero3 && c.precision.master_bytes > 0.0 {
                // FSDP shards the FP32 weights alone and casts as it gathers.
                states.weights -= cut(3, trained * widths.weight);
            }
        }
        if s.offload != Offload::None {
            states.optimizer = 0.0;
        }
        if s.offload == Offload::All {
            states.weights = gathered(c, parameters, widths.weight);
        }
        states
    }
}

/// Share of the states of a device's `parameters` that is its own, where they are shared out. Experts that are spread over ranks are
/// shared among as many fewer.
pub(super) fn share_of_states(c: &Configuration, parameters: f64) -> f64 {
    let ranks = f64::from(sharing_ranks(c, parameters));
    let spread = spread_experts(c).min(parameters) / parameters.max(1.0);
    (1.0 - spread) / ranks + spread / expert_ranks(c, ranks)
}

/// Expert parameters of one device, where experts are spread over ranks.
fn spread_experts(c: &Configuration) -> f64 {
    let s = &c.strategy;
    let profile = &c.workload.profile;
    if s.expert <= 1 || profile.blocks.is_none() {
        return 0.0;
    }
    profile.expert_parameters / (f64::from(s.expert) * f64::from(s.pipeline.max(1)))
}

/// Ranks that have the same experts, and so share out their states, of `ranks` that share out all else. Tensor ranks do not cut
/// experts that are spread (`StepWork::new`), so they count among them (Megatron's expert data parallelism).
fn expert_ranks(c: &Configuration, ranks: f64) -> f64 {
    let s = &c.strategy;
    (ranks * f64::from(s.tensor.max(1)) / f64::from(s.expert.max(1))).max(1.0)
}

/// Bytes that one device's share of offloaded weights, gradients and optimizer states takes in the host's memory.
pub fn host_bytes(c: &Configuration, device_parameters: f64) -> f64 {
    if c.strategy.offload == Offload::None {
        return 0.0;
    }
    let mut resident = c.clone();
    resident.strategy.offload = Offload::None;
    let parameters = stage_parameters(c, device_parameters, 0);
    let (on_device, without) = (States::of(c, parameters), States::of(&resident, parameters));
    // Gradients come down into the host's memory too.
    (without.optimizer - on_device.optimizer)
        + (without.weights - on_device.weights).max(0.0)
        + without.gradients
}

/// Ranks that share out the states that `parameters` have on one device: all data and context ranks. HSDP shares within a fast domain,
/// or within as few of them as hold the states with room for the rest (PyTorch's `HYBRID_SHARD` takes a mesh of any shape,
/// MaxText's `dcn_fsdp_parallelism` spans nodes).
pub fn sharing_ranks(c: &Configuration, parameters: f64) -> u32 {
    let s = &c.strategy;
    let ranks = s.data.max(1) * s.context.max(1);
    if s.sharding != Sharding::Hsdp {
        return ranks;
    }
    let near = c.fabric.domain.min(c.fabric.per_node).max(1);
    let near = (near / s.tensor.max(1)).max(1);
    let widths = Widths::of(c);
    let trained = c.workload.trained_share();
    let whole = parameters * (widths.weight + trained * (widths.gradient + widths.optimizer));
    let room = STATES_ROOM * c.accelerator.memory.value();
    (near..ranks)
        .step_by(near as usize)
        .find(|&group| ranks.is_multiple_of(group) && whole / f64::from(group) <= room)
        .unwrap_or(ranks)
}

/// Data ranks of a group of HSDP; `None` where all ranks are one group, or shard otherwise.
pub fn hybrid_group(c: &Configuration, parameters: f64) -> Option<u32> {
    let s = &c.strategy;
    let group = (sharing_ranks(c, parameters) / s.context.max(1)).max(1);
    let is_hybrid = s.sharding == Sharding::Hsdp;
    (is_hybrid && group < s.data && s.data.is_multiple_of(group)).then_some(group)
}

/// Full weights and gradients of the layers in use.
fn gathered(c: &Configuration, parameters: f64, width: f64) -> f64 {
    let layers = c.workload.profile.blocks.map_or(20.0, |b| b.layers);
    let held = (layers / f64::from(c.strategy.pipeline.max(1))).max(1.0);
    parameters * (GATHERED_LAYERS / held).min(1.0) * width
}

/// Whether matmuls run in eight bits or fewer.
pub(super) fn is_eight_bit(mode: PrecisionMode) -> bool {
    matches!(
        mode,
        PrecisionMode::Fp8 | PrecisionMode::Mxfp8 | PrecisionMode::Nvfp4
    )
}
