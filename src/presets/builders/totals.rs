//! A profile from published totals alone: one matmul of the right size and traffic of a typical net.

use super::transformer::{Head, transformer};
use crate::domain::{
    MatmulKind, MatmulOp, OperatorProfile, ProfileOrigin, ShardAxis, Traffic, TrafficClass,
    TransformerLayout, TransformerShape,
};

/// Rows, columns and inner dimension of the stand-in matmul: a mid-network convolution of image nets.
const SHAPE: (f64, f64, f64) = (784.0, 256.0, 1152.0);
/// Activations per MAC of image nets where none are stated: median of the timm table (11 M for 4.1 G).
const ACTIVATIONS_PER_MAC: f64 = 2.7e-3;
/// Operators of a mid-sized image net.
const OPERATORS: f64 = 60.0;
/// Width over depth of a stack of which only its size is known, typical from GPT-2 to GPT-3 (arXiv 2005.14165,
/// table 2.1).
const TYPICAL_ASPECT: f64 = 128.0;

/// Builds a profile from parameters, forward multiply-accumulates per sample, and activations where stated.
pub fn totals(parameters: f64, forward_macs: f64, activations: Option<f64>) -> OperatorProfile {
    let (m, n, k) = SHAPE;
    let activations = activations.unwrap_or(forward_macs * ACTIVATIONS_PER_MAC);
    let scale = forward_macs / (m * n * k * OPERATORS);
    let matmul = MatmulOp {
        kind: MatmulKind::Convolution,
        m: m * scale,
        n,
        k,
        groups: 1.0,
        count: OPERATORS,
        input_elements: activations / OPERATORS,
        output_elements: activations / OPERATORS,
        taps: 1.0,
        shard: ShardAxis::Columns,
        causal: false,
    };
    let mut traffic = [Traffic::default(); 6];
    traffic[TrafficClass::Elementwise as usize] = Traffic {
        forward_kernels: OPERATORS,
        backward_kernels: 2.0 * OPERATORS,
        forward_elements: 2.0 * activations,
        backward_elements: 3.5 * activations,
        tensor_share: 0.0,
    };
    traffic[TrafficClass::Norm as usize] = Traffic {
        forward_kernels: OPERATORS,
        backward_kernels: OPERATORS,
        forward_elements: 2.0 * activations,
        backward_elements: 3.0 * activations,
        tensor_share: 0.0,
    };
    OperatorProfile {
        matmuls: vec![matmul],
        traffic,
        autocast: None,
        parameters,
        active_parameters: parameters,
        embedding_parameters: 0.0,
        sparse_parameters: 0.0,
        expert_parameters: 0.0,
        parameter_tensors: 3.0 * OPERATORS,
        kept: None,
        blocks: None,
        origin: ProfileOrigin::Totals,
    }
}

/// The profile of one sample of a causal language model of which only its parameters are known: a plain stack of
/// `12 · layers · hidden²` of them (arXiv 2001.08361, section 2.1) under the vocabulary of GPT-2.
pub fn language_totals(parameters: f64, tokens: u32) -> OperatorProfile {
    const VOCABULARY: u32 = 50_257;
    let in_blocks =
        |hidden: f64| (parameters - f64::from(VOCABULARY) * hidden).max(parameters / 4.0);
    let hidden = (0..8).fold(0.0, |hidden, _| {
        (in_blocks(hidden) * TYPICAL_ASPECT / 12.0).cbrt()
    });
    // Whole heads of 128, so that the stack can be cut as others are.
    let heads = (hidden / 128.0).round().max(1.0);
    let width = heads * 128.0;
    let layers = (in_blocks(width) / (12.0 * width * width)).round().max(1.0);
    let shape = TransformerShape {
        layout: TransformerLayout::Decoder,
        layers: layers as u32,
        hidden: width as u32,
        heads: heads as u32,
        ffn: 4 * width as u32,
        vocab: VOCABULARY,
        tied_embeddings: true,
        decoder_layers: 0,
        decoder_tokens: None,
        kv_heads: None,
        head_dim: None,
        gated: false,
        positions: 0,
        biases: false,
        activation: None,
        norm: None,
        experts: 0,
        active_experts: 0,
        expert_ffn: 0,
        expert_hidden: 0,
        shared_expert_ffn: 0,
        dense_layers: 0,
        attention_layers: None,
        ssm_layers: 0,
        window: 0,
        mla: None,
        image: None,
    };
    OperatorProfile {
        parameters,
        active_parameters: parameters,
        origin: ProfileOrigin::Totals,
        ..transformer(&shape, tokens, None, None, Head::EveryToken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_known_size_alone_the_work_is_that_of_its_parameters() {
        for parameters in [125e6, 7e9, 1160e9] {
            let p = language_totals(parameters, 1024);
            assert_eq!(p.parameters, parameters);
            let blocks = p.blocks.unwrap();
            let scores = 4.0 * 1024.0 * 1024.0 * blocks.hidden * blocks.layers;
            let dense = 2.0 * parameters * 1024.0;
            let ratio = (p.forward_flops() - scores) / dense;
            assert!((ratio - 1.0).abs() < 0.06, "{parameters}: {ratio}");
        }
    }
}
