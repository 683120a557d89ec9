//! A profile from published totals alone: one matmul of the right size and traffic of a typical net.

use crate::domain::{
    MatmulKind, MatmulOp, OperatorProfile, ProfileOrigin, ShardAxis, Traffic, TrafficClass,
};

/// Rows, columns and inner dimension of the stand-in matmul: a mid-network convolution of image nets.
const SHAPE: (f64, f64, f64) = (784.0, 256.0, 1152.0);
/// Activations per MAC of image nets where none are stated: median of the timm table (11 M for 4.1 G).
const ACTIVATIONS_PER_MAC: f64 = 2.7e-3;
/// Operators of a mid-sized image net.
const OPERATORS: f64 = 60.0;

/// Builds a profile from parameters, forward multiply-accumulates per sample, and activations where stated.
pub fn totals(parameters: f64, forward_macs: f64, activations: Option<f64>) -> OperatorProfile {
    let (m, n, k) = SHAPE;
    let activations = activations.unwrap_or(forward_macs * ACTIVATIONS_PER_MAC);
    let scale = forward_macs / (m * n * k * OPERATORS);
    let matmul = MatmulOp {
        kind: MatmulKind::Dense,
        m: m * scale,
        n,
        k,
        groups: 1.0,
        count: OPERATORS,
        input_elements: activations / OPERATORS,
        output_elements: activations / OPERATORS,
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
        parameters,
        active_parameters: parameters,
        embedding_parameters: 0.0,
        sparse_parameters: 0.0,
        expert_parameters: 0.0,
        parameter_tensors: 3.0 * OPERATORS,
        blocks: None,
        origin: ProfileOrigin::Totals,
    }
}
