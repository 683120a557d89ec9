//! The work of a step as plain figures: what must be computed, moved, launched and exchanged.

use super::exchange::Exchange;
use crate::domain::{Generation, PrecisionMode, Tuning};

/// How much of the precision a predictor may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrecisionView {
    /// All of it.
    Aware,
    /// None: every run is taken for 16-bit mixed precision (the baseline that most estimators are).
    Blind,
}

/// Which kernels serve a depthwise convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DepthwiseKernels {
    /// A library's, in NCHW.
    Library,
    /// A framework's own, in NCHW.
    Own,
    /// Those for NHWC tensors in low precision.
    ChannelsLast,
    /// The same, on channels that do not fill them.
    UnevenChannelsLast,
    /// What takes NHWC tensors for which there are none.
    SlowChannelsLast,
    /// What takes their place for wide kernels.
    WideChannelsLast,
    /// What takes NHWC tensors of 32 bits and wide kernels.
    SingleChannelsLast,
}

impl DepthwiseKernels {
    /// All of them, in index order.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Library,
        Self::Own,
        Self::ChannelsLast,
        Self::UnevenChannelsLast,
        Self::SlowChannelsLast,
        Self::WideChannelsLast,
        Self::SingleChannelsLast,
    ];
    /// How many there are.
    pub const COUNT: usize = 7;

    /// Whether they spend their time on arithmetic, on each output or each product, rather than on what they read.
    pub fn is_generic(self) -> bool {
        matches!(
            self,
            Self::Own | Self::SlowChannelsLast | Self::SingleChannelsLast
        )
    }
}

/// What of a forward pass is computed again in the backward pass, 0 to 1 each.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Recomputed {
    /// Products of weights.
    pub products: f64,
    /// Products of activations, and the softmax between them.
    pub attention: f64,
    /// What moves memory: elementwise operators, norms, copies.
    pub traffic: f64,
    /// Kernels that the host hands over.
    pub kernels: f64,
}

impl Recomputed {
    /// The whole pass.
    pub const FULL: Self = Self {
        products: 1.0,
        attention: 1.0,
        traffic: 1.0,
        kernels: 1.0,
    };

    /// Mean over the kinds of work.
    pub fn mean(self) -> f64 {
        (self.products + self.attention + self.traffic) / 3.0
    }
}

/// What one optimizer step asks of one device; times in seconds at unit efficiency, per micro-step unless said.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // the fields are the terms named in the comments beside them
pub struct StepWork {
    // matmuls: linear layers
    pub gemm_forward: f64,
    pub gemm_backward: f64,
    /// Part of the two above in routed experts.
    pub routed: f64,
    /// The above, times how often the narrowest side of a product halves below what kernels fill a part with.
    pub routed_narrow: f64,
    // dense convolutions
    pub convolution_forward: f64,
    pub convolution_backward: f64,
    /// Part of the two above in 3×3 stride-1 convolutions.
    pub conv3x3: f64,
    /// Part of the above that is wide enough for Winograd's algorithm to spare products.
    pub winograd: f64,
    /// Part of the dense convolutions that is long and wide enough for Fourier transforms to spare products.
    pub fourier: f64,
    /// Part of the dense convolutions whose channels are no multiples of what tensor cores take.
    pub convolution_odd: f64,
    /// Linear layers, times how often a line of memory is halved until their rows are whole numbers of it.
    pub gemm_uneven: f64,
    /// Of the linear layers, those of 16-bit operands with a side of odd length.
    pub gemm_odd: f64,
    /// The same at 128 FLOP a clock of each multiprocessor, which is what the vector units of Volta to GA100 come to: operands
    /// that pass through registers are copied by so many lanes a clock whatever the arithmetic behind them.
    pub gemm_odd_copied: f64,
    /// Of the linear layers of odd length, times how often a line of memory is halved for them.
    pub gemm_odd_uneven: f64,
    /// Whether such layers run on a cuBLAS whose tensor cores take whole words alone.
    pub old_gemm: bool,
    /// Part of the dense convolutions that memory bounds.
    pub convolution_bound: f64,
    pub grouped: f64,
    /// Part of the above that has no tensor-core kernel for NHWC tensors.
    pub grouped_slow: f64,
    /// The same on the vector units, by what groups of their width reach of them.
    pub grouped_direct: f64,
    /// Kernels of grouped convolutions, forward and backward, that take one group after another.
    pub grouped_apart: f64,
    /// Whether convolutions run on libraries of mid-2022 or later.
    pub recent_convolutions: bool,
    /// Whether the rate of FP32 is one that libraries' kernels for convolutions do not reach for.
    pub doubled_rate: bool,
    /// Whether all tensor-core kernels of convolutions want NHWC.
    pub wants_last: bool,
    /// Depthwise convolutions by the kernels that serve them ([`DepthwiseKernels`]): traffic, and arithmetic on vector units.
    pub depthwise: [[f64; 2]; DepthwiseKernels::COUNT],
    pub attention_forward: f64,
    pub attention_backward: f64,
    /// Part of the two above whose sides are no multiples of what tensor cores take.
    pub attention_odd: f64,
    /// Exponentials of scores inside fused attention, forward.
    pub exponentials: f64,
    /// Fused attention of the first generation, before FlashAttention-2.
    pub flash_first: bool,
    /// Heads wider than 64.
    pub flash_wide: bool,
    /// Fused attention in kernels that do not use the part's own matmul instructions.
    pub flash_portable: bool,
    /// FLOPs over peak of linear layers and dense convolutions.
    pub dense_ideal: f64,
    /// Memory floor of the same.
    pub dense_memory: f64,
    pub flops: f64,
    pub attention_flops: f64,
    /// Matmul-like operators in the forward pass.
    pub operators: f64,
    /// FLOP-weighted sums of ln(columns) and ln(inner dimension) of dense layers; divide by `flops`.
    pub log_columns: f64,
    pub log_inner: f64,
    /// FLOP-weighted sums over grouped convolutions: ln(channels per group), ln(groups), and those whose channels per
    /// group are no power of two; divide by `grouped_flops`.
    pub group_width: f64,
    pub group_count: f64,
    pub group_uneven: f64,
    pub grouped_flops: f64,
    /// FLOP-weighted sum of ln(kernel area) over depthwise convolutions; divide by `depthwise_work`.
    pub depthwise_area: f64,
    pub depthwise_work: f64,
    /// Elements written by matmul-like operators, per sample.
    pub output_elements: f64,
    /// Share of these that convolutions write, whose layout matters.
    pub convolutional: f64,
    // other operators: [elementwise+reduction, norm, softmax, copy], forward and backward, and pooling
    pub traffic_forward: [f64; 4],
    pub traffic_backward: [f64; 4],
    pub pooling: f64,
    /// Batch norms of NCHW at an element a clock on each multiprocessor that has a channel, forward and backward.
    pub channel_norms: [f64; 2],
    /// Share of the norm traffic that is theirs.
    pub channel_norm_share: f64,
    /// Casts of activations under autocast.
    pub autocasts: f64,
    /// Layer norms that a trace told from others, forward and backward; in no figure above.
    pub layer_norm: f64,
    /// Rows of layer norms at a clock of a multiprocessor each, and more where they are long, forward.
    pub layer_norm_rows: f64,
    /// The same rows at a clock each for every block that sums over them, where fewer blocks than multiprocessors do.
    pub layer_norm_columns: f64,
    /// Group norms likewise.
    pub group_norm: f64,
    /// Sums over rows in the backward pass of layer norms, on the few blocks that PyTorch gave them before 1.11.
    pub layer_norm_sums: f64,
    /// The product with the vocabulary, forward and backward, where it is wider than those of the blocks.
    pub head: [f64; 2],
    /// Activations and norms that are written out, forward and backward, every kernel counted.
    pub written_out: [f64; 2],
    /// Scores of the vocabulary between the head and its gradient: casts, softmax, loss, and the way back.
    pub vocabulary_loss: f64,
    /// Traffic of state-space scans.
    pub scan: f64,
    /// Copies of tokens to and from their experts.
    pub routing: f64,
    pub layout_conversion: f64,
    pub cast: f64,
    pub quantise: f64,
    // once a step
    pub optimizer: f64,
    pub unscale: f64,
    pub embedding: f64,
    pub kernels_forward: f64,
    pub kernels_backward: f64,
    pub kernels_optimizer: f64,
    /// Whether the host hands the optimizer's kernels over ahead of the device, which then takes whichever is longer.
    pub optimizer_ahead: bool,
    pub kernels_cast: f64,
    /// What is exchanged, and over what.
    pub exchange: Exchange,
    // layout
    pub micro_steps: f64,
    pub bubble: f64,
    /// Virtual stages a pipeline rank holds.
    pub interleave: f64,
    /// How much longer than the average stage of the pipeline the longest one takes.
    pub longest_stage: f64,
    pub batch: f64,
    pub devices: f64,
    pub tensor: f64,
    pub pipeline: f64,
    pub context: f64,
    pub expert: f64,
    pub data: f64,
    pub recompute: Recomputed,
    pub shard_stage: f64,
    /// Samples of a micro-step that the host parses while it trains.
    pub parsed_samples: f64,
    /// Samples of a micro-step that the host and the device take turns on: a detector chooses the boxes of one
    /// picture after another, each from what the device has just worked out.
    pub awaited_samples: f64,
    /// Years before such boxes were chosen on devices.
    pub awaited_before: f64,
    /// Bytes of pictures that the host hands over before a step whose forward and backward pass alone are timed, to all devices
    /// of its process.
    pub awaited_input: f64,
    /// Layers of a micro-step whose memory is freed and asked for anew.
    pub retried_layers: f64,
    /// Experts of its own, over all layers of a stage, whose tokens a device's host waits to hear of.
    pub awaited_experts: f64,
    pub layers: f64,
    pub hidden: f64,
    pub tokens: f64,
    pub experts: f64,
    pub parameters: f64,
    pub device_parameters: f64,
    pub tensors: f64,
    // part
    pub generation: Generation,
    pub peak: f64,
    pub peak_fp32: f64,
    pub peak_16bit: f64,
    pub bandwidth: f64,
    pub units: f64,
    pub memory: f64,
    pub power: f64,
    /// ln(W per TFLOP/s of 16-bit matmuls); 0 without matrix units or where the envelope is not stated.
    pub power_density: f64,
    /// ln(W per TFLOP/s of FP32 over what is ample); 0 where it is ample or not stated.
    pub power_density_vector: f64,
    pub cache_mb: f64,
    pub clock_mhz: f64,
    pub part_year: f64,
    /// Bandwidth over what elementwise kernels can draw, whose threads each load four elements at a time: half as many
    /// bytes are on their way in 16 bits as in 32, too few for parts of more bandwidth a multiprocessor than before. 0
    /// where the part has no such threads.
    pub crowding: f64,
    pub consumer: bool,
    // arithmetic
    pub mode: PrecisionMode,
    pub width: f64,
    /// On matrix units, in fewer than 32 bits.
    pub low: bool,
    pub mixed: bool,
    // software
    pub date: f64,
    pub fused: bool,
    pub megatron_like: bool,
    /// Megatron as its recipes of the last years run it: see [`crate::domain::SoftwareStack::is_recent_megatron`].
    pub recent_megatron: bool,
    /// Routed experts on Megatron of [`crate::domain::SoftwareStack::has_recent_experts`].
    pub recent_experts: bool,
    pub tensorflow: bool,
    pub mxnet: bool,
    pub jax: bool,
    pub compiled: bool,
    pub xla: bool,
    pub cuda_graph: bool,
    pub channels_last: bool,
    /// How much the slowest of the devices' batches exceeds their mean, in standard deviations of one sample's time.
    pub stragglers: f64,
    /// Batch norms run in PyTorch's own kernels.
    pub own_norms: bool,
    /// In-place activated batch norms run on NHWC tensors, which their kernels walk with a stride.
    pub strided_norm: bool,
    pub flash: bool,
    pub overlap_stated: bool,
    pub real_data: bool,
    pub parameter_server: bool,
    pub includes_idle: bool,
    pub tuning: Option<Tuning>,
    // kind
    pub language: bool,
    pub estimated: bool,
    pub adapters: bool,
    pub forward_backward_only: bool,
    pub single_process: bool,
    pub batch_stated: bool,
}

impl StepWork {
    /// Seconds of linear layers and dense convolutions at unit efficiency, forward and backward.
    pub fn dense(&self) -> f64 {
        self.gemm_forward
            + self.gemm_backward
            + self.convolution_forward
            + self.convolution_backward
    }

    /// Whether products are those of vector units below FP64, which multiply in 32 bits whatever the width of the tensors. Taken
    /// of pure FP16 on GP100 too, which packs two in its units and which no measured run shows.
    pub fn multiplies_in_32_bits(&self) -> bool {
        !self.low && self.mode != PrecisionMode::Fp64
    }

    /// Routed experts that one device holds of each layer; 0 without any.
    pub fn own_experts(&self) -> f64 {
        self.experts / self.expert
    }
}
