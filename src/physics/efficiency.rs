//! How efficient each kind of work is in a run, from the fitted constants: factors on its seconds at unit efficiency.

use super::constants::{Constant as K, Constants, GenerationOffset as G, bounded_factor};
use super::memory::is_eight_bit;
use super::step_work::{DepthwiseKernels, StepWork};
use crate::domain::{PrecisionMode, Tuning};

/// Inner dimension of a matmul of middling size, to which its efficiency is relative.
const MIDDLE_DEPTH: f64 = 2048.0;

/// Matmuls of fewer than 16 bits beside their peak, in logs; 0 for the other modes.
fn below_sixteen_bits(mode: PrecisionMode, k: &Constants) -> f64 {
    match mode {
        PrecisionMode::Fp8 | PrecisionMode::Mxfp8 => k.log(K::Fp8),
        PrecisionMode::Nvfp4 => k.log(K::Fp4),
        _ => 0.0,
    }
}

/// Low-precision efficiency of matmuls on a part, as a factor on the tile model's time.
pub(super) fn gemm_factor(w: &StepWork, k: &Constants, convolution: bool) -> f64 {
    let offset = |kind| k.offset(kind, w.generation);
    let mut log = if w.low {
        offset(G::TensorGemm)
    } else {
        offset(G::VectorGemm)
    };
    log += match w.mode {
        PrecisionMode::Tf32 => k.log(K::Tf32),
        PrecisionMode::Fp64 => k.log(K::Fp64),
        mode => below_sixteen_bits(mode, k),
    };
    if w.consumer {
        log += k.log(K::Consumer);
    }
    if w.multiplies_in_32_bits() {
        log += k.log(K::PowerDensityVector) * w.power_density_vector;
    }
    if w.low {
        log += k.log(K::PowerDensity) * w.power_density;
        let peak = (w.peak / 100e12).ln();
        if convolution && w.recent_convolutions {
            log += k.log(K::ConvolutionRecent);
        }
        log += if convolution {
            k.log(K::PeakConvolution) * peak
                + k.log(K::ConvolutionLow)
                + offset(G::TensorConvolution)
        } else {
            let depth = w.log_inner / w.flops.max(1.0) - MIDDLE_DEPTH.ln();
            k.log(K::PeakTransformer) * peak + k.log(K::DepthTransformer) * depth
        };
    }
    if convolution && w.doubled_rate {
        log += k.log(K::ConvolutionDoubled);
    }
    log.exp()
}

/// What products of 16-bit tensors take on vector units, as a factor on those of FP32; 1 on matrix units.
pub(super) fn half_on_vectors(w: &StepWork, k: &Constants) -> f64 {
    if w.multiplies_in_32_bits() && w.width < 4.0 {
        k.factor(K::HalfOnVectors)
    } else {
        1.0
    }
}

/// Seconds of depthwise convolutions in these kernels, from their traffic and their arithmetic on vector units; `memory` is
/// the factor of the part's generation on traffic.
pub(super) fn depthwise_seconds(
    kernels: DepthwiseKernels,
    w: &StepWork,
    k: &Constants,
    memory: f64,
) -> f64 {
    let [traffic, arithmetic] = w.depthwise[kernels as usize];
    let since = |constant, recent| match w.recent_convolutions {
        true => k.log(constant) + k.log(recent),
        false => k.log(constant),
    };
    let log = match kernels {
        DepthwiseKernels::Library => 0.0,
        DepthwiseKernels::Own => k.log(K::DepthwiseOwn),
        DepthwiseKernels::ChannelsLast => k.log(K::DepthwiseChannelsLast),
        DepthwiseKernels::UnevenChannelsLast => since(
            K::DepthwiseUnevenChannelsLast,
            K::DepthwiseUnevenChannelsLastRecent,
        ),
        DepthwiseKernels::SlowChannelsLast => k.log(K::DepthwiseSlowChannelsLast),
        DepthwiseKernels::WideChannelsLast => since(
            K::DepthwiseWideChannelsLast,
            K::DepthwiseWideChannelsLastRecent,
        ),
        DepthwiseKernels::SingleChannelsLast => k.log(K::DepthwiseSingleChannelsLast),
    };
    let seconds = if kernels.is_generic() {
        arithmetic
    } else {
        let moved = k.factor(K::DepthwiseTraffic) * traffic * memory;
        moved + k.factor(K::DepthwiseFlops) * arithmetic
    };
    bounded_factor(log) * seconds
}

/// What a product in 16 bits takes in a step of 8 bits or fewer, beside its factor there.
pub(super) fn wider_factor(w: &StepWork, k: &Constants) -> f64 {
    let peak = (w.peak_16bit / w.peak).ln();
    (k.log(K::PeakTransformer) * peak - below_sixteen_bits(w.mode, k)).exp()
}

/// What products of routed experts take beside those of dense layers: the more, the narrower the experts, whose products are
/// many and small, and more again where each expert's tokens are scaled and padded apart for 8 bits. One factor for all, learned
/// on many small experts, made wide ones (Grok-1, Mixtral) 1.5 times too slow.
pub(super) fn expert_factor(w: &StepWork, k: &Constants) -> f64 {
    let halvings = w.routed_narrow / w.routed.max(1e-12);
    let mut log = k.log(K::ExpertGemm) + k.log(K::NarrowExpertGemm) * halvings;
    if is_eight_bit(w.mode) {
        log += k.log(K::QuantisedExpertGemm);
    }
    bounded_factor(log) * recent_experts(w, k)
}

/// What Megatron's experts of mid-2026 take of the time before: their products, the copies of their tokens, and the host, which
/// no longer waits to hear how tokens were routed.
pub(super) fn recent_experts(w: &StepWork, k: &Constants) -> f64 {
    if w.recent_experts {
        k.factor(K::RecentExperts)
    } else {
        1.0
    }
}

/// Seconds of fused attention, forward and backward: products beside the exponentials of their scores.
pub(super) fn fused_attention(w: &StepWork, k: &Constants) -> [f64; 2] {
    let on_vectors = w.width >= 4.0;
    let units = if on_vectors {
        G::VectorGemm
    } else {
        G::TensorGemm
    };
    let mut log = k.log(K::FusedAttention) + k.offset(units, w.generation);
    if w.flash_first && !on_vectors {
        log += k.log(K::FlashFirst);
        if w.flash_wide {
            log += k.log(K::FlashFirstWide);
        }
    }
    if on_vectors {
        log += k.log(K::ExactAttention);
    }
    if w.flash_portable && !on_vectors {
        log += k.log(K::FlashPortable);
    }
    if w.consumer {
        log += k.log(K::Consumer);
    }
    let exponentials = k.factor(K::Exponentials) * w.exponentials;
    [w.attention_forward, w.attention_backward].map(|products| products * log.exp() + exponentials)
}

/// Seconds per counted framework operator.
pub(super) fn launch_seconds(w: &StepWork, k: &Constants) -> f64 {
    let age = w.date - 2021.0;
    let mut log = k.log(K::Launch) + k.log(K::LaunchYear) * age;
    log += k.log(K::LaunchHost) * (w.part_year - 2020.0);
    if w.fused {
        log += k.log(K::LaunchFused) + k.log(K::LaunchFusedYear) * age;
    }
    if w.compiled || w.xla {
        log += k.log(K::LaunchCompiled);
    }
    if w.cuda_graph {
        log += k.log(K::LaunchGraph);
    }
    if w.tuning == Some(Tuning::Benchmark) {
        log += k.log(K::LaunchBenchmark);
    }
    if w.tensorflow {
        log += k.log(K::LaunchTensorflow);
    }
    if w.mxnet {
        log += k.log(K::LaunchMxnet);
    }
    log.clamp(-20.0, -5.0).exp()
}

/// Factor on elementwise, norm, softmax and copy traffic: [elementwise and softmax, norm].
pub(super) fn fusion_factors(w: &StepWork, k: &Constants) -> [f64; 2] {
    let mut elementwise = 0.0;
    let mut norm = 0.0;
    if w.fused {
        elementwise += k.log(K::Fusion);
    } else if w.layers > 0.0 && matches!(w.tuning, Some(Tuning::Tuned | Tuning::Benchmark)) {
        elementwise += k.log(K::FusionTuned);
    }
    // Frameworks of graphs merge a batch norm with the sum and the activation after it, in NHWC and low precision alone
    // (TensorFlow's `_FusedBatchNormEx`, MXNet's and Paddle's options of NVIDIA's recipes), as raced stacks do by hand.
    let merged = w.channels_last && w.low && (w.tensorflow || w.mxnet);
    if w.convolutional > 0.0 && (merged || w.tuning == Some(Tuning::Benchmark)) {
        elementwise += k.log(K::FusionRaced) * w.convolutional;
    }
    if w.channels_last {
        elementwise += k.log(K::ElementwiseChannelsLast) * w.convolutional;
    }
    if w.width < 4.0 {
        elementwise += k.log(K::ElementwiseLow);
        norm += k.log(K::NormLow);
    }
    if w.tensorflow && !w.xla {
        elementwise += k.log(K::Primitives);
        norm += k.log(K::PrimitiveNorms);
    }
    if w.own_norms {
        norm += k.log(K::OwnNorms) * w.convolutional;
    }
    if w.strided_norm {
        norm += k.log(K::InPlaceNormChannelsLast);
    }
    [elementwise.exp(), norm.exp()]
}

/// Slow-down of kernels that move elements where a multiprocessor's bandwidth outgrows what its threads keep on the way, in 16
/// bits before it does in 32: see [`StepWork::crowding`].
pub(super) fn crowding_factor(w: &StepWork, k: &Constants) -> f64 {
    (w.crowding * k.factor(K::InFlight)).hypot(1.0)
}
