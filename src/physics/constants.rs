//! The few constants of the physical step time, with the priors they are fitted under.
//!
//! Every constant is kept as its natural logarithm or as a slope in logs. The prior mean is what a data sheet or a
//! published profile would suggest; the fit may move it by a few prior widths.

use crate::domain::Generation;
use serde::{Deserialize, Serialize};

macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident = ($mean:expr, $width:expr);)*) => {
        /// A fitted constant.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(usize)]
        pub enum Constant { $($(#[$doc])* $name),* }

        impl Constant {
            /// Every constant with prior mean and prior width, in index order.
            pub const PRIORS: &'static [(Self, f64, f64)] = &[$((Self::$name, $mean, $width)),*];
            /// How many there are.
            pub const COUNT: usize = Self::PRIORS.len();
            /// The name of the constant.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }
        }
    };
}

constants! {
    /// Forward matmuls over the tile model.
    GemmForward = (0.25, 0.6);
    /// Backward matmuls over the tile model.
    GemmBackward = (0.25, 0.6);
    /// Extra for the products of routed experts, of uneven sizes, whose sides are all long.
    ExpertGemm = (0.1, 0.3);
    /// The same for each halving of their narrowest side.
    NarrowExpertGemm = (0.15, 0.15);
    /// The same where they run in 8 bits or fewer: tokens of each expert are scaled and padded apart.
    QuantisedExpertGemm = (0.2, 0.3);
    /// Experts' products, copies and host time on Megatron since mid-2026, over those before.
    RecentExperts = (-0.4, 0.3);
    /// Seconds for each expert of its own that a device runs dry in a layer of routed experts: the host waits to hear how many
    /// tokens came to each before it hands their kernels over, one expert after another (NVIDIA/Megatron-LM,
    /// pull request 4247: without dropped tokens shapes are known at run time alone, and the host is asked for them).
    RoutingWait = (-8.8, 0.7);
    /// State-space scans over bandwidth: many small kernels, far from it.
    Scan = (0.7, 1.0);
    /// Copies of tokens to and from experts over bandwidth.
    Routing = (0.0, 0.6);
    /// Grouped convolutions over the tile model.
    Grouped = (1.2, 0.6);
    /// Extra for grouped convolutions on tensor cores.
    GroupedLow = (0.0, 0.6);
    /// Grouped convolutions in NHWC, low precision, that have no tensor-core kernel, over the vector units' peak at 64
    /// channels a group.
    GroupedChannelsLast = (2.8, 0.6);
    /// The above since PyTorch 1.12 with cuDNN 8.3, beside it.
    GroupedChannelsLastRecent = (-0.2, 0.3);
    /// The same for those that have one, over the time that NCHW takes.
    GroupedNhwcKernels = (0.0, 0.6);
    /// The above since PyTorch 1.12 with cuDNN 8.3, beside it.
    GroupedNhwcKernelsRecent = (-0.4, 0.4);
    /// Seconds of a kernel that takes one group of a convolution alone, few as its products are.
    GroupApart = (-10.4, 0.5);
    /// Many groups of 4 to 32 channels in low precision, whose kernels leave no tile empty, in either layout.
    GroupedNarrow = (-0.4, 0.4);
    /// Depthwise convolutions over their traffic.
    DepthwiseTraffic = (0.2, 0.6);
    /// Depthwise convolutions over their arithmetic on vector units.
    DepthwiseFlops = (1.8, 0.6);
    /// Frameworks' own kernels for them over the arithmetic on each output.
    DepthwiseOwn = (2.1, 0.6);
    /// Extra for depthwise convolutions in NHWC, low precision.
    DepthwiseChannelsLast = (0.0, 0.6);
    /// The same where channels are multiples of 8 but not of 32, a half or three quarters of which stay empty.
    DepthwiseUnevenChannelsLast = (1.3, 0.6);
    /// The above since PyTorch 1.12 with cuDNN 8.3, beside it.
    DepthwiseUnevenChannelsLastRecent = (-0.6, 0.4);
    /// Those for which there is no NHWC kernel, over the arithmetic on each output.
    DepthwiseSlowChannelsLast = (1.8, 0.6);
    /// The same where the kernel is wider than 7×7, for which no NHWC kernel exists, or than 5×5 on uneven channels.
    DepthwiseWideChannelsLast = (2.2, 0.6);
    /// The above since PyTorch 1.12 with cuDNN 8.3, beside it.
    DepthwiseWideChannelsLastRecent = (-0.3, 0.4);
    /// Those of 32 bits wider than 5×5 in NHWC, over the vector units' peak (ConvNeXt and ConvMixer, H200).
    DepthwiseSingleChannelsLast = (4.15, 0.6);
    /// Extra for dense convolutions in low precision, whose channels are no multiples of what tensor cores take: the
    /// library pads a copy or does without them.
    OddConvolution = (0.5, 0.6);
    /// Linear layers whose rows are whole numbers of half a line of memory, over those of whole lines; as much more for each
    /// further halving (nets of BLOOM's search 14,400 wide, cut in eight; mixers over 196 positions).
    UnevenGemm = (0.14, 0.05);
    /// Least time, over that of the vector units, of 16-bit linear layers with a side of odd length, as a vocabulary of 50,257
    /// that nobody padded: operands pass through registers, however quick the tensor cores.
    OddGemm = (-1.25, 0.5);
    /// The same before cuBLAS 11, which has tensor cores take whole words alone: vector units accumulate in FP32.
    OddGemmOld = (0.3, 0.5);
    /// Products of activations over the tile model.
    Attention = (0.5, 0.6);
    /// Extra where their sides are no multiples of what tensor cores take.
    OddAttention = (0.5, 0.6);
    /// Products inside a fused kernel that never writes scores out, over their peak.
    FusedAttention = (0.2, 0.4);
    /// The same in the first generation of such kernels (FlashAttention-2 is about twice as fast: arXiv 2307.08691).
    FlashFirst = (0.5, 0.3);
    /// Of these, heads wider than 64: blocks of scores shrink as heads grow (`M / 4d`, arXiv 2205.14135, algorithm 1).
    FlashFirstWide = (0.2, 0.3);
    /// Extra of fused attention in 32 bits, whose kernels were written for 16: our own steps of an H200 took 1.5 to 2.3 times its
    /// products at the vector units' rate.
    ExactAttention = (0.5, 0.2);
    /// Extra of fused attention where the part's own matmul instructions lie idle (`mma.sync` reaches 63 % of Hopper's peak: arXiv
    /// 2402.13499, section 4).
    FlashPortable = (0.46, 0.2);
    /// Exponentials of scores over the rate of their units, what overlaps left out.
    Exponentials = (0.0, 0.5);
    /// Elementwise traffic over bandwidth.
    Elementwise = (0.2, 0.2);
    /// The same in stacks of transformer blocks, whose profiles count an eager implementation by formula.
    ElementwiseBlocks = (0.5, 0.6);
    /// Norm traffic: a batch norm reads what it normalises once for its statistics and once more, which a profile counts once.
    Norm = (0.5, 0.4);
    /// The same in stacks of transformer blocks.
    NormBlocks = (0.3, 0.6);
    /// Batch norms of NCHW over an element a clock on each multiprocessor that has a channel: -0.5 in a profile of ResNet-50 on
    /// an H100 (`assets/kernels`); parts of less bandwidth, whose tables (Lambda) show next to none of it, allow no more than this.
    ChannelNorm = (-0.9, 0.1);
    /// Norm traffic of in-place activated batch norms in NHWC, over that of plain ones.
    InPlaceNormChannelsLast = (3.4, 0.6);
    /// Layer norms of traced models.
    LayerNorm = (0.5, 0.6);
    /// Group norms, over layer norms: statistics of a whole sample are taken before any of it is normalised.
    GroupNorm = (0.3, 0.6);
    /// Group norms in NHWC, low precision, over those in NCHW: PyTorch copies what it normalises to NCHW and back.
    GroupNormChannelsLast = (0.7, 0.6);
    /// Clocks of a multiprocessor for the shortest row of a layer norm, forward: most threads of its block are idle (rows of 142
    /// elements on an H100 took 1.7 ns each, five times as long as they take to read and write, of 768 2.9 to 3.4: `assets/kernels`).
    LayerNormRow = (5.87, 0.2);
    /// Clocks of a block for a row that it sums over for the gradients of a layer norm's weights (4.2 ns on an H200, however wide).
    LayerNormColumn = (2.1, 0.3);
    /// Sums over the rows of layer norms on a few units each.
    LayerNormSums = (0.2, 0.4);
    /// What kernels that are counted one by one move over bandwidth.
    Counted = (0.1, 0.3);
    /// Softmax traffic.
    Softmax = (0.5, 0.6);
    /// The same in stacks of transformer blocks.
    SoftmaxBlocks = (0.2, 0.6);
    /// Copies and layout changes, which read with strides.
    Copy = (0.4, 0.4);
    /// The same in stacks of transformer blocks.
    CopyBlocks = (0.0, 0.6);
    /// Pooling and resampling: backward, each input looks through the windows it lies in, of which stride 2 and side 3 have
    /// two or more.
    Pooling = (0.7, 0.6);
    /// Conversion between NCHW and the NHWC that tensor cores want.
    LayoutConversion = (1.5, 0.6);
    /// Extra of it on Hopper and later, whose kernels for convolutions all want NHWC.
    LayoutConversionHopper = (0.2, 0.3);
    /// Casts between master and compute precision.
    Cast = (0.0, 0.6);
    /// Casts of activations under autocast.
    Autocast = (-0.4, 0.6);
    /// Quantisation to 8 bits and below.
    Quantise = (0.0, 0.6);
    /// Optimizer traffic.
    Optimizer = (0.2, 0.6);
    /// Embedding gradients.
    Embedding = (-0.5, 0.6);
    /// Unscaling of loss-scaled gradients.
    Unscale = (0.0, 0.6);
    /// Seconds per framework operator in eager mode, 2021 (dispatch, autograd, small-kernel floor).
    Launch = (-9.9, 0.5);
    /// What a kernel of the backward pass costs the host, beside one of the forward pass: the engine of automatic
    /// differentiation issues it without a call from Python.
    LaunchBackward = (-0.7, 0.5);
    /// The same in fused stacks (Megatron, NeMo, JAX, transformers with apex).
    LaunchFused = (0.0, 0.7);
    /// The same in compiled or XLA graphs.
    LaunchCompiled = (-0.7, 0.8);
    /// The same in CUDA graphs.
    LaunchGraph = (-1.0, 0.6);
    /// Yearly drift of the launch cost.
    LaunchYear = (-0.03, 0.05);
    /// Yearly drift of the launch cost in fused stacks, beside the above.
    LaunchFusedYear = (-0.1, 0.15);
    /// Yearly drift of the launch cost with the year the part came out: its host is of the same age, and what one core does in
    /// a second rises by some 3.5 % a year (Hennessy and Patterson, "Computer Architecture", 6th edition, figure 1.1).
    LaunchHost = (-0.035, 0.03);
    /// Launch cost of raced stacks.
    LaunchBenchmark = (-0.9, 0.6);
    /// Launch cost under TensorFlow.
    LaunchTensorflow = (0.3, 0.6);
    /// Launch cost under MXNet and Paddle.
    LaunchMxnet = (0.0, 0.6);
    /// Seconds of the host to parse a sample from records, for each process that shares it not at all.
    HostParse = (-12.5, 0.5);
    /// Seconds for a megabyte of pictures that a step waits for: from memory that is not pinned, through a buffer that is.
    AwaitedInput = (-7.8, 0.4);
    /// Seconds of the host between the device's turns, for each picture of a detector.
    Turns = (-4.8, 0.6);
    /// Growth of the above with each year before boxes were chosen on devices.
    TurnsYear = (0.6, 0.4);
    /// Seconds to free and ask for a layer's memory anew.
    AllocatorRetry = (-3.3, 0.6);
    /// Launch cost growth of a second device driven by one process.
    LaunchSingleProcess = (0.25, 0.12);
    /// Elementwise fusion, by a compiler or by hand (Megatron, apex).
    Fusion = (-0.3, 0.4);
    /// Elementwise traffic of tuned transformers that are not known to be fused.
    FusionTuned = (-0.2, 0.4);
    /// Elementwise traffic of raced convolutional nets, much of it fused with norms and convolutions by hand.
    FusionRaced = (-0.4, 0.4);
    /// Elementwise traffic of TensorFlow whose tables state no XLA: its graphs are of primitive operations.
    Primitives = (0.2, 0.4);
    /// Norm traffic of the same.
    PrimitiveNorms = (0.2, 0.4);
    /// Elementwise traffic in NHWC.
    ElementwiseChannelsLast = (-0.2, 0.4);
    /// Elementwise traffic in 16 bits beside its bytes.
    ElementwiseLow = (0.0, 0.2);
    /// Norm traffic in 16 bits beside its bytes.
    NormLow = (0.0, 0.2);
    /// Bandwidth of each multiprocessor over what its threads keep on the way: see
    /// [`super::step_work::StepWork::crowding`].
    InFlight = (0.0, 0.4);
    /// Batch norms that PyTorch does not hand to cuDNN, over those it does.
    OwnNorms = (0.6, 0.4);
    /// Wide 3×3 convolutions in FP32 by Winograd's algorithm, over direct ones: tiles of 2×2 take 2.25 times fewer products
    /// (arXiv 1509.09308, section 4.1).
    Winograd = (-0.8, 0.4);
    /// Wide convolutions of more than nine taps in FP32 by Fourier transforms (arXiv 1412.7580), over direct ones.
    Fourier = (-0.4, 0.4);
    /// Products of 16-bit tensors on vector units over those of FP32, but for 3×3 convolutions: each operand is converted on its
    /// way.
    HalfOnVectors = (0.2, 0.3);
    /// Growth of inefficiency with peak (per factor e over 100 TFLOP/s): linear layers and products of activations.
    PeakTransformer = (0.05, 0.15);
    /// Matmuls by the power a part may draw for each TFLOP/s of its matrix units (per factor e over 1 W): clocks fall where it
    /// is little, with the cube root of power while the voltage follows them and with power itself once it cannot.
    PowerDensity = (-0.4, 0.1);
    /// The same on vector units in FP32, below what is ample: a clock that power limits goes with the cube root of it at most, for
    /// part of the power goes to memory.
    PowerDensityVector = (-0.25, 0.1);
    /// Growth of inefficiency with the inner dimension (per factor e over 2048), beside the tile model: longer main loops
    /// run nearer to peak.
    DepthTransformer = (-0.05, 0.1);
    /// Growth of inefficiency with peak, as of linear layers, for convolutions.
    PeakConvolution = (0.15, 0.15);
    /// Extra of dense convolutions that memory bounds, on tensor cores: what feeds them falls short of bandwidth by more
    /// than large products fall short of peak.
    BoundConvolution = (0.5, 0.4);
    /// Convolutions over linear layers in FP32 on parts whose multiprocessors issue two such instructions a clock where
    /// older ones issue one, which the library's kernels for convolutions do not fill.
    ConvolutionDoubled = (0.75, 0.4);
    /// Convolutions over linear layers on tensor cores.
    ConvolutionLow = (0.0, 0.6);
    /// Convolutions in low precision, and what turns their tensors round, since PyTorch 1.12 with cuDNN 8.3.
    ConvolutionRecent = (-0.03, 0.05);
    /// TF32 matmuls beside their peak.
    Tf32 = (0.1, 0.6);
    /// FP64 matmuls beside their peak.
    Fp64 = (0.0, 0.6);
    /// FP8 matmuls beside their peak.
    Fp8 = (0.15, 0.6);
    /// FP4 matmuls beside their peak.
    Fp4 = (0.3, 0.6);
    /// Consumer parts (lower sustained clocks).
    Consumer = (0.1, 0.6);
    /// Raced stacks: compute as a whole.
    Benchmark = (-0.3, 0.3);
    /// The same for Megatron, whose recipes are tuned before they race.
    BenchmarkMegatron = (-0.1, 0.2);
    /// The same for compiled graphs, whose kernels a compiler wrote.
    BenchmarkCompiled = (-0.1, 0.2);
    /// Plainly used frameworks: compute as a whole.
    Plain = (0.0, 0.05);
    /// Standard deviation of the time of a sample, where samples are uneven, over its mean.
    Uneven = (-1.6, 0.5);
    /// Memory terms of estimated profiles.
    EstimatedMemory = (0.0, 0.6);
    /// What every step bears beside its kernels: gaps between them, clocks below the stated ones.
    Unaccounted = (0.0, 2.0);
    /// Data-parallel exchange over the ring volume.
    DataParallel = (0.0, 0.2);
    /// The same over PCIe.
    Pcie = (0.2, 0.3);
    /// The same where two devices of a host exchange through its memory, beside the above.
    Staged = (0.7, 0.4);
    /// Share of the backward pass that hides data-parallel exchange.
    Overlap = (0.0, 0.3);
    /// The same in fused stacks after 2022.
    OverlapFused = (0.4, 0.2);
    /// Weight gathering of ZeRO-3/FSDP.
    FullyShard = (0.0, 0.2);
    /// Share of compute that hides weight gathering.
    FullyShardOverlap = (0.0, 0.3);
    /// Tensor-parallel exchange.
    TensorParallel = (0.0, 0.2);
    /// The same in recent Megatron stacks, where it goes on beside the matmuls.
    TensorOverlap = (-0.5, 0.4);
    /// Expert-parallel exchange.
    ExpertParallel = (0.0, 0.3);
    /// Pipeline sends.
    PipelineSend = (0.0, 0.3);
    /// Seconds of latency per collective hop.
    Alpha = (-10.82, 0.6);
    /// Weight copies of single-process data parallelism.
    SingleProcess = (1.0, 0.6);
    /// Slow-down per doubling of devices inside a node.
    Devices = (0.2, 0.15);
    /// Slow-down per doubling of nodes.
    Nodes = (0.1, 0.1);
}

/// Which efficiency a generation shifts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum GenerationOffset {
    /// Matmuls on tensor cores.
    TensorGemm,
    /// Matmuls on vector units.
    VectorGemm,
    /// Memory traffic.
    Memory,
    /// Convolutions on tensor cores, beside `TensorGemm`.
    TensorConvolution,
}

const OFFSETS: usize = 4;
const GENERATIONS: usize = 15;

/// Prior width of a generation's offset.
const GENERATION_WIDTH: f64 = 0.35;

/// Values of all constants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Constants(Vec<f64>);

impl Default for Constants {
    /// The prior means.
    fn default() -> Self {
        let mut values: Vec<f64> = Constant::PRIORS.iter().map(|(_, mean, _)| *mean).collect();
        values.resize(Constant::COUNT + OFFSETS * GENERATIONS, 0.0);
        Self(values)
    }
}

/// The factor that a logarithm stands for, bounded against wild fits.
pub(super) fn bounded_factor(log: f64) -> f64 {
    log.clamp(-14.0, 6.0).exp()
}

impl Constants {
    /// Wraps fitted values; `None` where their number is not the number of constants.
    pub fn from_values(values: Vec<f64>) -> Option<Self> {
        Some(Self(values)).filter(Self::is_whole)
    }

    /// Whether there is a value for each constant of this build: files may come from another.
    pub fn is_whole(&self) -> bool {
        self.0.len() == Constant::COUNT + OFFSETS * GENERATIONS
    }

    /// All values, in index order.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// Prior width of each value.
    pub fn prior_widths() -> Vec<f64> {
        let mut widths: Vec<f64> = Constant::PRIORS
            .iter()
            .map(|(_, _, width)| *width)
            .collect();
        widths.resize(Constant::COUNT + OFFSETS * GENERATIONS, GENERATION_WIDTH);
        widths
    }

    /// A value as fitted (a logarithm or a slope).
    pub fn log(&self, constant: Constant) -> f64 {
        self.0[constant as usize]
    }

    /// The factor that a constant stands for.
    pub fn factor(&self, constant: Constant) -> f64 {
        bounded_factor(self.log(constant))
    }

    /// Offset of a generation, in logs.
    pub fn offset(&self, kind: GenerationOffset, generation: Generation) -> f64 {
        self.0[Constant::COUNT + kind as usize * GENERATIONS + generation as usize]
    }
}
