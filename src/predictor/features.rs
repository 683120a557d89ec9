//! Features with meaning: what the learned stages may know of a configuration, named so that the window can print them.
//!
//! None of them names a model, a part, a publication or a row. Logarithms are natural.

use crate::domain::{PrecisionMode, Tuning};
use crate::physics::{StepTimes, StepWork};

/// What a feature speaks of; ablations leave whole groups out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Arithmetic mode: what a precision-blind predictor lacks.
    Precision,
    /// Shares of the physical step time.
    Share,
    /// Loss scaling, casts and the optimizer's share.
    Casts,
    /// Size and shape of the work.
    Size,
    /// The part's figures.
    Hardware,
    /// Software stack and its era.
    Software,
    /// Layout over devices.
    Layout,
    /// Exchange between devices.
    Communication,
}

impl Group {
    /// The group of a feature by its label; `None` of what is no feature of a configuration.
    pub fn of(label: &str) -> Option<Self> {
        let feature = FEATURES.iter().find(|feature| feature.label == label)?;
        Some(feature.group)
    }
}

/// One feature.
#[derive(Debug)]
pub struct Feature {
    /// As the window prints it.
    pub label: &'static str,
    /// What it speaks of.
    pub group: Group,
    /// Whether the compute stage sees it (the overlap stage sees all).
    pub compute: bool,
    value: fn(&StepWork, &StepTimes) -> f64,
}

/// Features of several devices that say as much of the model as of where and how it is laid out.
const OF_MODELS_TOO: [&str; 8] = [
    "Bubble share",
    "Samples per second and host",
    "Tensor-parallel exchange share",
    "Expert exchange share",
    "Weight-gathering share",
    "Exposed gradient share",
    "Gradient exchange over backward",
    "Communication over compute",
];

impl Feature {
    /// Whether it speaks of the layout and the links alone, whatever the model.
    pub fn is_of_site(&self) -> bool {
        matches!(self.group, Layout | Communication) && !OF_MODELS_TOO.contains(&self.label)
    }
}

fn ln(value: f64) -> f64 {
    value.max(1e-12).ln()
}

fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}

fn share(part: f64, t: &StepTimes) -> f64 {
    part / t.total
}

/// Order of the modes along falling width; a code, not a quantity.
fn mode_code(mode: PrecisionMode) -> f64 {
    PrecisionMode::ALL
        .iter()
        .position(|m| *m == mode)
        .unwrap_or(0) as f64
}

const fn f(
    label: &'static str,
    group: Group,
    compute: bool,
    value: fn(&StepWork, &StepTimes) -> f64,
) -> Feature {
    Feature {
        label,
        group,
        compute,
        value,
    }
}

use Group::{Casts, Communication, Hardware, Layout, Precision, Share, Size, Software};

/// Every feature, in the order of a feature row.
pub const FEATURES: &[Feature] = &[
    // precision
    f("Precision mode", Precision, true, |w, _| mode_code(w.mode)),
    f("Bytes per element", Precision, true, |w, _| w.width),
    f("Mixed precision", Precision, true, |w, _| flag(w.mixed)),
    f("Tensor-core gain over FP32", Precision, true, |w, _| {
        ln(w.peak / w.peak_fp32)
    }),
    f("Arithmetic rate of the mode", Precision, true, |w, _| {
        ln(w.peak)
    }),
    f(
        "Arithmetic intensity against machine balance",
        Precision,
        true,
        |w, _| ln(w.peak / w.bandwidth),
    ),
    f("Memory-bound share of matmuls", Precision, true, |w, _| {
        ln(w.dense_memory / (w.dense_ideal + 1e-12)).clamp(-6.0, 6.0)
    }),
    f("Tensor-core share", Precision, true, |w, _| {
        ln(w.dense_ideal / (w.dense() + 1e-12)).clamp(-5.0, 0.0)
    }),
    // shares of the physical time
    f("Matmul share", Share, true, |_, t| {
        share(t.gemm * t.slots, t)
    }),
    f("Grouped-convolution share", Share, true, |_, t| {
        share(t.grouped * t.slots, t)
    }),
    f("Depthwise-convolution share", Share, true, |_, t| {
        share(t.depthwise * t.slots, t)
    }),
    f("Attention share", Share, true, |_, t| {
        share(t.attention * t.slots, t)
    }),
    f("Elementwise share", Share, true, |_, t| {
        share(t.elementwise * t.slots, t)
    }),
    f("Norm share", Share, true, |_, t| share(t.norm * t.slots, t)),
    f("Softmax share", Share, true, |_, t| {
        share(t.softmax * t.slots, t)
    }),
    f("Layout-conversion share", Share, true, |_, t| {
        share(t.conversion * t.slots, t)
    }),
    f("Launch-bound share", Share, true, |_, t| {
        ln(t.launch / t.body).clamp(-8.0, 4.0)
    }),
    f("3×3 convolution share", Share, true, |w, _| {
        w.conv3x3 / (w.dense() + 1e-12)
    }),
    f("Convolutional share of outputs", Share, true, |w, _| {
        w.convolutional
    }),
    f("Odd-sided attention share", Share, true, |w, _| {
        let products = w.attention_forward + w.attention_backward;
        w.attention_odd / products.max(1e-12)
    }),
    f("Odd-sided convolution share", Share, true, |w, _| {
        let dense = w.convolution_forward + w.convolution_backward;
        w.convolution_odd / dense.max(1e-12)
    }),
    f("Attention FLOP share", Share, true, |w, _| {
        w.attention_flops / w.flops.max(1.0)
    }),
    // casts
    f("Cast and loss-scaling share", Casts, true, |_, t| {
        share(t.cast * t.slots + t.unscale, t)
    }),
    f("Quantisation share", Casts, true, |_, t| {
        share(t.quantise * t.slots, t)
    }),
    f("Optimizer share", Casts, true, |_, t| share(t.optimizer, t)),
    // size
    f("Compute per micro-step", Size, true, |_, t| ln(t.micro)),
    f("Compute per kernel", Size, true, |w, t| {
        ln(t.body * w.pipeline / (w.kernels_forward + w.kernels_backward + 1.0))
    }),
    f("Kernels per micro-step", Size, true, |w, _| {
        ln(w.kernels_forward + w.kernels_backward)
    }),
    f("Batch per device", Size, true, |w, _| ln(w.batch)),
    f("Tokens per micro-step", Size, true, |w, _| {
        ln(w.batch * w.tokens.max(1.0))
    }),
    f("Tokens per sample", Size, true, |w, _| {
        ln(w.tokens.max(1.0))
    }),
    f("Model width", Size, true, |w, _| ln(w.hidden.max(1.0))),
    f("Layers", Size, true, |w, _| w.layers),
    f("Parameters per device", Size, true, |w, _| {
        ln(w.device_parameters)
    }),
    f("Parameter tensors", Size, true, |w, _| ln(w.tensors)),
    f("FLOPs per operator", Size, true, |w, _| {
        ln(w.flops / w.operators.max(1.0))
    }),
    f("FLOPs per sample", Size, true, |w, _| {
        ln(w.flops / w.batch.max(1e-6))
    }),
    f("Traffic per FLOP", Size, true, |w, _| {
        let bytes = w
            .traffic_forward
            .iter()
            .chain(&w.traffic_backward)
            .sum::<f64>()
            * w.bandwidth
            / w.width;
        ln(bytes / w.flops.max(1.0))
    }),
    f("Activations per FLOP", Size, true, |w, _| {
        ln(w.output_elements * w.batch / w.flops.max(1.0))
    }),
    f("Columns of matmuls", Size, true, |w, _| {
        w.log_columns / w.flops.max(1.0)
    }),
    f("Inner dimension of matmuls", Size, true, |w, _| {
        w.log_inner / w.flops.max(1.0)
    }),
    f("Channels per group", Size, true, |w, _| {
        w.group_width / w.grouped_flops.max(1.0)
    }),
    f("Groups of convolutions", Size, true, |w, _| {
        w.group_count / w.grouped_flops.max(1.0)
    }),
    f("Uneven groups", Size, true, |w, _| {
        w.group_uneven / w.grouped_flops.max(1.0)
    }),
    f("Depthwise kernel area", Size, true, |w, _| {
        w.depthwise_area / w.depthwise_work.max(1.0)
    }),
    f("Experts", Size, true, |w, _| ln(w.experts.max(1.0))),
    f("Micro-steps per step", Size, true, |w, _| ln(w.micro_steps)),
    f("Recomputation", Size, true, |w, _| w.recompute.mean()),
    // hardware
    f("Memory bandwidth", Hardware, true, |w, _| ln(w.bandwidth)),
    f("Memory size", Hardware, true, |w, _| ln(w.memory)),
    f("16-bit rate over FP32", Hardware, true, |w, _| {
        ln(w.peak_16bit / w.peak_fp32)
    }),
    f("Compute units", Hardware, true, |w, _| ln(w.units)),
    f("Cache", Hardware, true, |w, _| ln(w.cache_mb)),
    f("Clock", Hardware, true, |w, _| w.clock_mhz),
    f("Year of the part", Hardware, true, |w, _| w.part_year),
    f("Power per FLOP", Hardware, true, |w, _| {
        ln(w.power / w.peak_16bit)
    }),
    f("Consumer part", Hardware, true, |w, _| flag(w.consumer)),
    // software
    f("Software era", Software, true, |w, _| w.date),
    f("Tuning level", Software, true, |w, _| match w.tuning {
        None => 0.5,
        Some(Tuning::Plain) => 0.0,
        Some(Tuning::Tuned) => 1.0,
        Some(Tuning::Benchmark) => 2.0,
    }),
    f("NHWC tensors", Software, true, |w, _| flag(w.channels_last)),
    f(
        "NHWC kernels for grouped convolutions",
        Software,
        true,
        |w, _| {
            let quick = 1.0 - w.grouped_slow / w.grouped.max(1e-12);
            flag(w.channels_last && w.grouped > 0.0) * quick
        },
    ),
    f("Compiled graph", Software, true, |w, _| flag(w.compiled)),
    f("XLA", Software, true, |w, _| flag(w.xla)),
    f("CUDA graph", Software, true, |w, _| flag(w.cuda_graph)),
    f("Fused attention", Software, true, |w, _| flag(w.flash)),
    f("Fused stack", Software, true, |w, _| flag(w.fused)),
    f("Megatron-like stack", Software, true, |w, _| {
        flag(w.megatron_like)
    }),
    f("TensorFlow", Software, true, |w, _| flag(w.tensorflow)),
    f("MXNet or Paddle", Software, true, |w, _| flag(w.mxnet)),
    f("Real input data", Software, true, |w, _| flag(w.real_data)),
    f("Idle time included", Software, true, |w, _| {
        flag(w.includes_idle)
    }),
    f("Adapters only", Software, true, |w, _| flag(w.adapters)),
    f("Forward and backward only", Software, true, |w, _| {
        flag(w.forward_backward_only)
    }),
    f("Language model", Size, true, |w, _| flag(w.language)),
    f("Estimated profile", Size, true, |w, _| flag(w.estimated)),
    f("Batch assumed", Size, true, |w, _| flag(!w.batch_stated)),
    // layout
    f("Devices", Layout, false, |w, _| ln(w.devices)),
    f("Data-parallel ranks", Layout, false, |w, _| ln(w.data)),
    f("Tensor-parallel ranks", Layout, false, |w, _| w.tensor),
    f("Pipeline stages", Layout, false, |w, _| w.pipeline),
    f("Context-parallel ranks", Layout, false, |w, _| w.context),
    f("Expert-parallel ranks", Layout, false, |w, _| w.expert),
    f("Sharding stage", Layout, false, |w, _| w.shard_stage),
    f("Bubble share", Layout, false, |w, _| {
        w.bubble / (w.micro_steps + w.bubble)
    }),
    f("Single-process data parallelism", Layout, false, |w, _| {
        flag(w.single_process)
    }),
    f("Parameter server", Layout, false, |w, _| {
        flag(w.parameter_server)
    }),
    f("Stated overlap", Layout, false, |w, _| {
        flag(w.overlap_stated)
    }),
    f("Samples per second and host", Layout, false, |w, t| {
        ln(w.devices.min(8.0) * w.batch / t.micro)
    }),
    // communication
    f(
        "Tensor-parallel exchange share",
        Communication,
        false,
        |_, t| share(t.tensor, t),
    ),
    f("Expert exchange share", Communication, false, |_, t| {
        share(t.expert, t)
    }),
    f("Weight-gathering share", Communication, false, |_, t| {
        share(t.weights, t)
    }),
    f("Exposed gradient share", Communication, false, |_, t| {
        share(t.exposed_gradients, t)
    }),
    f(
        "Gradient exchange over backward",
        Communication,
        false,
        |_, t| ln((t.gradients + 1e-9) / (t.backward * t.slots)).clamp(-8.0, 4.0),
    ),
    f(
        "Communication over compute",
        Communication,
        false,
        |_, t| ln((t.exchanged + 1e-9) / t.compute).clamp(-8.0, 4.0),
    ),
    f("Link bandwidth", Communication, false, |w, _| {
        if w.devices > 1.0 {
            ln(w.exchange.intra)
        } else {
            0.0
        }
    }),
    f("Network bandwidth", Communication, false, |w, _| {
        if w.exchange.nodes > 1.0 {
            ln(w.exchange.inter)
        } else {
            0.0
        }
    }),
    f("PCIe only", Communication, false, |w, _| {
        flag(w.exchange.pcie && w.devices > 1.0)
    }),
    f("Nodes", Communication, false, |w, _| {
        ln(w.exchange.nodes.max(1.0))
    }),
];

/// The feature row of a configuration, in the order of [`FEATURES`].
pub fn feature_row(w: &StepWork, t: &StepTimes) -> Vec<f32> {
    FEATURES
        .iter()
        .map(|feature| {
            let value = (feature.value)(w, t);
            if value.is_finite() { value as f32 } else { 0.0 }
        })
        .collect()
}

/// Feature rows that differ, for tests.
#[cfg(test)]
pub(super) fn some_rows(count: usize) -> Vec<Vec<f32>> {
    (0..count)
        .map(|i| {
            (0..FEATURES.len())
                .map(|f| ((i * (f + 3) * 29) % 23) as f32 % 7.0)
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speaks_of_models_too_names_features_of_several_devices() {
        let excluded = |f: &&Feature| OF_MODELS_TOO.contains(&f.label);
        let found: Vec<&Feature> = FEATURES.iter().filter(excluded).collect();
        assert_eq!(found.len(), OF_MODELS_TOO.len());
        assert!(
            found
                .iter()
                .all(|f| matches!(f.group, Layout | Communication))
        );
    }
}
