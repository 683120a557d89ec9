//! Bytes of activations that a device keeps for the backward pass at the fullest moment.
//!
//! Transformers are counted tensor by tensor as in arXiv 2205.05198, section 4 (equations 1 to 4), with the widths of
//! the mode and of the model's own feed-forward; other models by the outputs of their operators that backward reads.

use super::memory::{is_eight_bit, is_megatron_like};
use crate::domain::{
    BlockStack, Configuration, FUSED_ATTENTION_SINCE, KeptBytes, MatmulKind, ModelSource,
    Recompute, TrafficClass, Tuning,
};

/// Share of a block that selective recomputation keeps. Megatron's drops the attention scores alone
/// (arXiv 2205.05198); that of PyTorch recomputes about every other matmul and all elementwise work (torchtitan,
/// arXiv 2410.06511, section 2.1); JAX's policies save a few named projections (MaxText, `remat_policy`).
const SELECTIVE_PYTORCH: f64 = 0.6;
const SELECTIVE_JAX: f64 = 0.35;

/// Dropout of residual and attention went out of use with the models of 2022.
const DROPOUT_UNTIL: f64 = 2022.5;

/// NVIDIA's PyTorch containers fuse masks, biases and GELU since about then: what a sample of BERT takes falls by a third
/// between the containers of August and October 2020 in Lambda's logs.
const FUSED_SINCE: f64 = 2020.7;

/// PyTorch 1.11.
const SOFTMAX_LEAN_SINCE: f64 = 2022.2;

/// From then on PyTorch keeps what the traces, of a recent PyTorch, say.
const TRACED_SINCE: f64 = 2020.0;

/// Pixels of the largest batch of pictures over those of the mean one, which profiles have: COCO's, scaled to a short side
/// of 800 and a long one of at most 1333 pixels and padded to multiples of 32, are 800 × 1344 at most and 800 × 1216 in the
/// mean. A peak is that of the largest.
const LARGEST_PICTURE: f64 = 1344.0 / 1216.0;

/// Bytes kept on pipeline stage `at`, from 0.
pub(super) fn kept(c: &Configuration, at: u32) -> f64 {
    let profile = &c.workload.profile;
    match profile.blocks {
        Some(stack) => transformer(c, &stack, at),
        None => traced(c),
    }
}

fn transformer(c: &Configuration, b: &BlockStack, at: u32) -> f64 {
    let s = &c.strategy;
    let block = block(c, b);
    let input = c.precision.activation_bytes * b.hidden / c.strategy.residual_ranks();
    let layers = b.layers / f64::from(s.pipeline.max(1));
    let is_last = at + 1 == s.pipeline.max(1);
    let logits = if is_last { logits(c, b) } else { 0.0 };
    let kept = match s.recompute {
        // The logits are gone by the time that the first block is computed again.
        Recompute::Full => layers * input * in_flight(c, at) + block.max(logits),
        Recompute::None | Recompute::Selective => layers * block * in_flight(c, at) + logits,
    };
    let tokens = s.micro_batch * b.tokens / f64::from(s.context.max(1));
    tokens * kept
}

/// Micro-batches that a stage holds at once under 1F1B: one for each stage from it to the last; interleaving adds
/// `(p − 1) / v` (arXiv 2205.05198, section 4.2.3).
fn in_flight(c: &Configuration, at: u32) -> f64 {
    let s = &c.strategy;
    let stages = f64::from(s.pipeline.saturating_sub(at).max(1));
    let held = stages.min(f64::from(s.accumulation.max(1)));
    if s.interleave > 1 && at == 0 {
        held + (f64::from(s.pipeline) - 1.0) / f64::from(s.interleave)
    } else {
        held
    }
}

/// Bytes of one block and token.
fn block(c: &Configuration, b: &BlockStack) -> f64 {
    let width = c.precision.activation_bytes;
    // Eight-bit matmuls keep their inputs in eight bits.
    let operand = if is_eight_bit(c.precision.mode) {
        c.precision.matmul_bytes.min(width)
    } else {
        width
    };
    let tensor = f64::from(c.strategy.tensor.max(1));
    let attention = is_fused(c, b);
    let dropout = c.software.date < DROPOUT_UNTIL && !attention;
    let mask = if dropout { 2.0 } else { 0.0 };
    // Inputs and outputs of two norms and the dropout masks; experts get a copy of a token each.
    let experts = operand * b.active_experts * b.expert_width;
    // Frozen weights need no inputs for their own gradients; adapters on the attention read theirs.
    let (norms, inner) = if c.workload.adapters_only {
        (2.0 * width, 2.0 * operand * b.hidden)
    } else {
        (
            2.0 * (width + operand),
            operand * inner_share(c) * b.feed_forward,
        )
    };
    let residual = ((norms + mask) * b.hidden + experts) / c.strategy.residual_ranks();
    // Queries, keys and values, what attention gives, and the feed-forward before and after its activation. A gated
    // feed-forward is twice as wide before as after; a plain one is as wide.
    let cut = width * (2.0 * b.hidden + b.key_value_width + b.feed_forward) + inner;
    // GELU written out keeps three more tensors of its width (`x * 0.5 * (1 + erf(x / √2))`), a mask its scores.
    let unfused = if is_unfused(c) {
        width * (3.0 * b.feed_forward + b.heads * b.keys)
    } else if c.writes_activation_out() {
        // Its powers are in 32 bits under autocast, and what they are multiplied with follows them.
        c.precision.uncast_bytes() * 3.0 * inner_share(c) * b.feed_forward
    } else {
        0.0
    };
    let whole = residual + (cut + unfused) / tensor;
    match c.strategy.recompute {
        Recompute::Selective => whole * selective_share(c),
        _ if attention => whole,
        // Scores after softmax and after dropout, and its mask.
        _ => whole + (2.0 * width + 1.0) * b.heads * b.keys / tensor,
    }
}

/// Whether masks and activations each keep a copy of what they read: PyTorch before its fused kernels of 2021.
fn is_unfused(c: &Configuration) -> bool {
    c.software.framework == "pytorch" && c.software.date < FUSED_SINCE && !c.software.compiled
}

/// Whether attention never stores its scores: as stated, or as causal models have it since PyTorch 2.0.
fn is_fused(c: &Configuration, b: &BlockStack) -> bool {
    let software = &c.software;
    let by_default = b.causal && software.date >= FUSED_ATTENTION_SINCE;
    !c.writes_attention_out() && (software.flash_attention || by_default)
}

/// Width of the feed-forward after its activation over the width before it.
pub(super) fn inner_share(c: &Configuration) -> f64 {
    match &c.workload.model.profile {
        ModelSource::Transformer(shape) if shape.gated => 0.5,
        _ => 1.0,
    }
}

fn selective_share(c: &Configuration) -> f64 {
    match c.software.framework.as_str() {
        _ if is_megatron_like(c) => 1.0,
        "jax" | "maxtext" => SELECTIVE_JAX,
        _ => SELECTIVE_PYTORCH,
    }
}

/// Bytes of the loss for one token: logits as computed, and in 32 bits with their gradient.
fn logits(c: &Configuration, b: &BlockStack) -> f64 {
    let bytes = c.precision.activation_bytes + 8.0;
    b.predicted / b.tokens.max(1.0) * bytes * b.vocabulary / f64::from(c.strategy.tensor.max(1))
}

/// What a trace saw live at the fullest moment; else outputs of matmuls, of norms, whose activation overwrites them in
/// place, and a share of the other operators.
fn traced(c: &Configuration) -> f64 {
    let profile = &c.workload.profile;
    let sample = match profile.kept {
        Some(kept) if frees_as_traced(c) => traced_bytes(c, kept),
        _ => counted_elements(c) * c.precision.activation_bytes,
    };
    let largest = if c.workload.model.uneven_samples {
        LARGEST_PICTURE
    } else {
        1.0
    };
    let whole = sample * largest * c.strategy.micro_batch;
    match c.strategy.recompute {
        // One checkpoint every √n of n layers (arXiv 1604.06174, section 4.1).
        Recompute::Full => whole / profile.matmul_kernels().0.max(1.0).sqrt(),
        Recompute::Selective | Recompute::None => whole,
    }
}

/// Whether a stack frees what the traced PyTorch would: Caffe2 frees no blob within a step, and the model zoo of PyTorch
/// 1.0 (maskrcnn-benchmark) states peaks a third above the trace's.
fn frees_as_traced(c: &Configuration) -> bool {
    c.software.framework != "caffe2" && c.software.date >= TRACED_SINCE
}

/// Whether this is a raced convolutional net: those write norms and activations out in 16 bits, fused, where autocast would
/// widen them.
pub(super) fn is_raced_convolutional(c: &Configuration) -> bool {
    let has = |is: fn(MatmulKind) -> bool| c.workload.profile.matmuls.iter().any(|op| is(op.kind));
    c.software.tuning == Some(Tuning::Benchmark)
        && has(MatmulKind::is_dense_convolution)
        && !has(|kind| kind == MatmulKind::Activation)
}

/// Bytes a sample of what softmax reads, which PyTorch kept for its backward pass until 1.11, though that reads the output
/// alone (`self` among the saved of `_softmax` and `_log_softmax` in its `derivatives.yaml`).
fn softmax_inputs(c: &Configuration, width: f64) -> f64 {
    if c.software.framework != "pytorch" || c.software.date >= SOFTMAX_LEAN_SINCE {
        return 0.0;
    }
    let softmax = c.workload.profile.class(TrafficClass::Softmax);
    width * softmax.forward_elements / 2.0
}

/// Bytes a sample of a profile whose trace counted them, in the widths of the mode.
fn traced_bytes(c: &Configuration, kept: KeptBytes) -> f64 {
    let spec = &c.precision;
    let autocast = spec.casts_by_operator() && !is_raced_convolutional(c);
    // Autocast has softmax in 32 bits; recipes that run the whole model in 16 keep half of everything.
    let softmax = if autocast && kept.amp > 0.5 * kept.fp32 {
        4.0
    } else {
        spec.activation_bytes
    };
    let (bytes, score_bytes) = if autocast {
        // And what the product after it reads of it.
        (kept.amp, 4.0 + spec.activation_bytes)
    } else {
        (
            kept.fp32 * spec.activation_bytes / 4.0,
            spec.activation_bytes,
        )
    };
    let software = &c.software;
    // PyTorch's own attention is fused for encoders too, but for models that write theirs out and in FP64.
    let by_default = software.date >= FUSED_ATTENTION_SINCE;
    let unfused = c.writes_attention_out() || spec.activation_bytes > 4.0;
    if unfused || !(software.flash_attention || by_default) {
        return bytes + softmax_inputs(c, softmax);
    }
    let scores: f64 = c
        .workload
        .profile
        .matmuls
        .iter()
        .filter(|op| op.kind == MatmulKind::Activation && op.n > op.k)
        .map(|op| op.output_elements * op.count)
        .sum();
    (bytes - scores * score_bytes).max(0.1 * bytes)
}

/// Elements a sample, where no trace counted them. Shares were chosen on runs of ResNet-50, SSD, Mask R-CNN, Tacotron 2,
/// WaveGlow and Stable Diffusion that state a peak.
fn counted_elements(c: &Configuration) -> f64 {
    let profile = &c.workload.profile;
    let outputs: f64 = profile
        .matmuls
        .iter()
        .filter(|op| op.kind != MatmulKind::Activation || !c.software.flash_attention)
        .map(|op| op.output_elements * op.count)
        .sum();
    let share = |class, share| profile.class(class).forward_elements * share;
    outputs
        + share(TrafficClass::Norm, 0.42)
        + share(TrafficClass::Elementwise, 0.12)
        + share(TrafficClass::Copy, 0.3)
        + share(TrafficClass::Pooling, 1.0)
}
