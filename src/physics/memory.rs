//! Peak device memory by part.
//!
//! Weights, gradients and optimizer states follow the precision's widths and the sharding stage (arXiv 1910.02054,
//! section 3); activations of transformers follow arXiv 2205.05198, section 4; those of traced models are the outputs
//! of every operator that backward reads.

use crate::domain::MemoryUse;
use crate::domain::{BlockStack, Configuration, MatmulKind, Recompute, TrafficClass};
use crate::units::Bytes;

/// Bytes a process holds before it allocates a tensor: context, kernels, communication buffers (CUDA contexts of
/// 0.4–0.8 GB plus workspaces; NVIDIA forum figures, and nvidia-smi against allocator figures in published logs).
const CONTEXT: f64 = 0.9e9;

/// Share of allocated memory lost to fragmentation and temporary buffers.
const FRAGMENTATION: f64 = 0.05;

/// Peak memory of one device of a configuration.
pub fn memory_use(c: &Configuration, device_parameters: f64) -> MemoryUse {
    let spec = &c.precision;
    let s = &c.strategy;
    let stage = s.sharding.stage();
    let data = f64::from(s.data.max(1));
    let cut = |from: u8, bytes: f64| if stage >= from { bytes / data } else { bytes };
    let trained = if c.workload.adapters_only { 0.01 } else { 1.0 };
    let states = c.workload.optimizer.states() * spec.optimizer_state_bytes + spec.master_bytes;
    let weights = cut(3, device_parameters * spec.weight_bytes);
    let gradients = cut(2, device_parameters * spec.gradient_bytes * trained);
    let optimizer = cut(1, device_parameters * states * trained);
    let activations = activation_bytes(c);
    let allocated = weights + gradients + optimizer + activations;
    MemoryUse {
        weights: Bytes(weights),
        gradients: Bytes(gradients),
        optimizer: Bytes(optimizer),
        activations: Bytes(activations),
        overhead: Bytes(CONTEXT + FRAGMENTATION * allocated),
        capacity: c.accelerator.memory,
    }
}

/// Activations kept for backward on one device at the fullest moment.
fn activation_bytes(c: &Configuration) -> f64 {
    match c.workload.profile.blocks {
        Some(stack) => transformer_activations(c, &stack),
        None => traced_activations(c),
    }
}

/// Bytes per layer and token of a transformer block: `34 h + 5 a s` for 16-bit storage (arXiv 2205.05198, eq. 1 and
/// 2), with the feed-forward of the model's own width; fused attention and selective recomputation drop the score
/// term; full recomputation keeps a block's input alone.
fn transformer_activations(c: &Configuration, b: &BlockStack) -> f64 {
    let s = &c.strategy;
    let width = c.precision.activation_bytes;
    let tensor = f64::from(s.tensor);
    let tokens = s.micro_batch * b.tokens / f64::from(s.context);
    let residual = if s.sequence_parallel { tensor } else { 1.0 };
    // In elements: norm inputs and outputs and the residual 5 h; query and attention output 2 h, keys and values, and
    // 1.6 widths of the feed-forward (1.5 gated: gate, up and product of a width twice the inner one; 2 otherwise).
    let block = 5.0 * b.hidden / residual
        + (2.0 * b.hidden + b.key_value_width + 1.6 * b.feed_forward) / tensor;
    let scores = if c.software.flash_attention || s.recompute != Recompute::None {
        0.0
    } else {
        2.5 * b.heads * b.tokens / tensor
    };
    let layers = b.layers / f64::from(s.pipeline);
    // The first pipeline stage holds one micro-batch per stage in flight (1F1B).
    let in_flight = f64::from(s.pipeline.min(s.accumulation.max(1)));
    let kept = |in_flight: f64| match s.recompute {
        Recompute::Full => layers * b.hidden / residual * in_flight + (block + scores),
        Recompute::None | Recompute::Selective => layers * (block + scores) * in_flight,
    };
    // Logits and their gradient are kept in 32 bits by the loss, on the last stage, which has one micro-batch in flight.
    let logits = 2.0 * 4.0 * b.vocabulary / tensor;
    let first = kept(in_flight) * width;
    let last = kept(1.0) * width + logits;
    tokens * first.max(last)
}

/// Outputs of matmuls, norms and half of the elementwise traffic (in-place operators share buffers).
fn traced_activations(c: &Configuration) -> f64 {
    let profile = &c.workload.profile;
    let outputs: f64 = profile
        .matmuls
        .iter()
        .filter(|op| op.kind != MatmulKind::Activation || !c.software.flash_attention)
        .map(|op| op.output_elements * op.count)
        .sum();
    let norms = profile.class(TrafficClass::Norm).forward_elements * 0.4;
    let elementwise = profile.class(TrafficClass::Elementwise).forward_elements * 0.12;
    let copies = profile.class(TrafficClass::Copy).forward_elements * 0.15;
    (outputs + norms + elementwise + copies) * c.strategy.micro_batch * c.precision.activation_bytes
}
