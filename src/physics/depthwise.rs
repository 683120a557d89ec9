//! Which kernels serve a depthwise convolution, and what PyTorch's own take.

use super::operators::CUDNN_8_3;
use super::step_work::DepthwiseKernels;
use super::work::Context;
use crate::domain::{LayerNorms, MatmulKind, MatmulOp, PrecisionMode};

/// PyTorch 1.11, of March 2022: cuDNN serves depthwise convolutions of 5×5 too, by a rule of fewer cases
/// (pytorch/pytorch pull request 58749).
const LIBRARY_5X5_SINCE: f64 = 2022.19;

/// Areas of depthwise kernels.
const AREA_3X3: f64 = 9.0;
const AREA_5X5: f64 = 25.0;

/// Area of the widest depthwise kernel, 7×7, that NHWC tensors have kernels for.
const WIDEST_NHWC: f64 = 49.0;

/// Channels that the kernels for NHWC tensors take at once, and whose multiples alone they are filled by; fewer that they
/// take at all.
const FULL_CHANNELS: f64 = 32.0;
const LEAST_CHANNELS: f64 = 8.0;

/// Products' worth of arithmetic that PyTorch's own kernels spend on every output whatever their taps, on indices and bounds:
/// of 3×3, 5×5 and 7×7 ones an output takes 28, 29 and 52 times as long as its two bytes do from memory (timm, RTX 3090).
const OWN_OUTPUT: f64 = 100.0;

/// Share of the time of such kernels in which the gradient of the weights is summed, and how many blocks of that run on a
/// multiprocessor at once: there is one for each weight (`conv_depthwise2d_grad_weight_kernel`), so that of few channels
/// leave multiprocessors idle (8, 12 and 24 channels, timm, RTX 3090).
const OWN_SUMS: f64 = 0.2;
const BLOCKS: f64 = 6.0;

/// Instructions that a multiprocessor issues a clock, integer and floating (CUDA C++ programming guide, table of arithmetic
/// throughput; NVIDIA Volta, Turing and GA102 whitepapers on the two pipes).
const LANES: f64 = 128.0;

/// Fewest channels, and narrowest picture, of the depthwise convolutions that PyTorch hands to cuDNN in NCHW and FP16
/// (`use_cudnn_depthwise` and `check_cudnn_depthwise_workload` in `aten/src/ATen/native/Convolution.cpp`, as is all below).
const LIBRARY_CHANNELS: f64 = 32.0;
const LIBRARY_WIDTH: f64 = 7.0;

/// Channels and widths from which it does so for a stride of 2, since 1.11.
const STRIDED: [(f64, f64); 2] = [(512.0, 7.0), (256.0, 28.0)];

/// Before: the least batch, and the channels and widths from which it does so for a stride of 1; for a stride of 2.
type Served = &'static [(f64, &'static [(f64, f64)])];
const ALWAYS_SERVED: [(f64, f64); 2] = [(32.0, 112.0), (1024.0, 56.0)];
const ONCE_SERVED: Served = &[
    (
        128.0,
        &[(1024.0, 7.0), (512.0, 7.0), (64.0, 14.0), (32.0, 28.0)],
    ),
    (64.0, &[(1024.0, 7.0), (256.0, 14.0), (32.0, 28.0)]),
    (
        32.0,
        &[(1024.0, 7.0), (256.0, 14.0), (128.0, 28.0), (32.0, 56.0)],
    ),
    (16.0, &[(1024.0, 14.0), (256.0, 28.0), (32.0, 56.0)]),
    (8.0, &[(512.0, 28.0), (64.0, 56.0)]),
];
const ONCE_SERVED_STRIDED: Served = &[
    (128.0, &[(1024.0, 7.0), (512.0, 14.0), (256.0, 28.0)]),
    (64.0, &[(512.0, 14.0), (256.0, 28.0)]),
    (32.0, &[(1024.0, 14.0), (256.0, 28.0)]),
    (16.0, &[(512.0, 28.0), (256.0, 56.0)]),
    (8.0, &[(1024.0, 28.0), (256.0, 56.0)]),
    (1.0, &[(512.0, 112.0)]),
];

/// Positions that each channel is read at, per sample.
fn positions(op: &MatmulOp) -> f64 {
    op.input_elements / op.groups
}

/// Whether its stride is 2 or more.
fn is_strided(op: &MatmulOp) -> bool {
    positions(op) > 2.0 * op.m
}

/// A depthwise convolution of a batch, as PyTorch looks at it.
struct Shape {
    channels: f64,
    width: f64,
    area: f64,
    strided: bool,
    batch: f64,
}

impl Shape {
    fn of(op: &MatmulOp, batch: f64) -> Self {
        Self {
            channels: op.groups,
            width: positions(op).sqrt(),
            area: op.k,
            strided: is_strided(op),
            batch,
        }
    }

    fn reaches(&self, least: &[(f64, f64)]) -> bool {
        (least.iter()).any(|&(channels, width)| self.channels >= channels && self.width >= width)
    }

    /// Whether PyTorch of some date hands it to cuDNN, in NCHW and FP16.
    fn is_library_s(&self, date: f64) -> bool {
        if self.channels < LIBRARY_CHANNELS || self.width < LIBRARY_WIDTH {
            return false;
        }
        if date >= LIBRARY_5X5_SINCE {
            let strided = self.batch == 1.0 || self.reaches(&STRIDED);
            return self.area <= AREA_5X5 && (!self.strided || strided);
        }
        let table = if self.strided {
            ONCE_SERVED_STRIDED
        } else {
            ONCE_SERVED
        };
        let always = !self.strided && self.reaches(&ALWAYS_SERVED);
        let served = (table.iter())
            .find(|&&(least, _)| self.batch >= least)
            .is_some_and(|(_, least)| self.reaches(least));
        self.area <= AREA_3X3 && (always || served)
    }
}

impl Context<'_> {
    /// Whether a net's channels lie last in memory whatever layout was asked for: where linear layers or layer norms take the
    /// channels of each position, tensors are viewed that way, and convolutions keep the strides of what they read
    /// (ConvNeXt, arXiv 2201.03545).
    fn is_turned(&self, op: &MatmulOp) -> bool {
        let linear = |other: &MatmulOp| other.kind == MatmulKind::Dense && other.m == op.m;
        let norm = |norm: &LayerNorms| norm.rows == op.m && norm.width == op.groups;
        let mut norms = (self.profile.autocast.iter()).flat_map(|autocast| &autocast.shapes);
        self.profile.matmuls.iter().any(linear) || norms.any(norm)
    }

    /// Whether the convolutions of a net keep their channels last though NCHW was asked for.
    pub(super) fn is_turned_net(&self) -> bool {
        (self.profile.matmuls.iter())
            .any(|op| op.kind == MatmulKind::Depthwise && self.is_turned(op))
    }

    /// Whether a framework serves a depthwise convolution in NCHW by kernels of its own: in 16 bits PyTorch all but those that
    /// it hands to cuDNN, which are FP16's alone, on parts with tensor cores; in 32 bits and more all frameworks.
    fn takes_own_depthwise(&self, op: &MatmulOp) -> bool {
        let software = &self.c.software;
        if self.device.width >= 4.0 {
            return true;
        }
        let half = matches!(self.spec.mode, PrecisionMode::Fp16 | PrecisionMode::AmpFp16);
        let has_library = half && self.c.accelerator.generation.has_matrix_units();
        let shape = Shape::of(op, self.batch());
        software.framework == "pytorch" && !(has_library && shape.is_library_s(software.date))
    }

    /// The kernels that serve a depthwise convolution.
    pub(super) fn depthwise_kernels(&self, op: &MatmulOp, low: bool) -> DepthwiseKernels {
        let last = self.c.software.channels_last || self.is_turned(op);
        // PyTorch hands cuDNN all of NHWC but those of FP64, for which it has no such layout (`ConvUtils.h`).
        let single = self.device.width == 4.0;
        let library = low || (single && self.c.software.framework == "pytorch");
        if last && library && single && op.k > AREA_5X5 {
            DepthwiseKernels::SingleChannelsLast
        } else if last && library {
            self.last_kernels(op)
        } else if self.takes_own_depthwise(op) {
            DepthwiseKernels::Own
        } else {
            DepthwiseKernels::Library
        }
    }

    /// The kernels that serve a depthwise convolution of NHWC tensors in low precision. Measured on timm's nets (RTX 3090):
    /// where channels are multiples of 32, 3×3 and 5×5 ones take what they move; multiples of 8 two to three times that, and
    /// until mid-2022 5×5 ones 14 times; other channels 10 times; a stride of 2 takes what PyTorch's own take in NCHW.
    fn last_kernels(&self, op: &MatmulOp) -> DepthwiseKernels {
        let full = op.groups % FULL_CHANNELS == 0.0;
        let even = op.groups % LEAST_CHANNELS == 0.0;
        let served = full || op.k <= AREA_3X3 || self.c.software.date >= CUDNN_8_3;
        if op.k > WIDEST_NHWC || (op.k > AREA_5X5 && !full) {
            DepthwiseKernels::WideChannelsLast
        } else if is_strided(op) || !even || !served {
            DepthwiseKernels::SlowChannelsLast
        } else if !full {
            DepthwiseKernels::UnevenChannelsLast
        } else {
            DepthwiseKernels::ChannelsLast
        }
    }

    /// Seconds of the vector units on a depthwise convolution of so many FLOP: its products alone, or in generic kernels
    /// with the arithmetic on each output, which runs in 32 bits whatever the precision.
    pub(super) fn depthwise_arithmetic(
        &self,
        op: &MatmulOp,
        kernels: DepthwiseKernels,
        flops: f64,
    ) -> f64 {
        let products = flops / self.device.vector_peak;
        if !kernels.is_generic() || kernels == DepthwiseKernels::SingleChannelsLast {
            return products;
        }
        let of_outputs = OWN_OUTPUT / op.k * flops / (2.0 * LANES * self.device.unit_clocks);
        let filled = op.groups * op.k / (BLOCKS * self.device.units);
        let idle = match kernels {
            DepthwiseKernels::Own => OWN_SUMS * (1.0 / filled - 1.0).max(0.0),
            _ => 0.0,
        };
        (products + of_outputs) * (1.0 + idle)
    }
}
