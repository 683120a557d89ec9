//! The matmul-like operators of a step: cut up, timed, and sorted by the kernels that serve them.

use super::matmul::{self, MatmulSeconds};
use super::memory::is_eight_bit;
use super::step_work::StepWork;
use super::work::Context;
use crate::domain::{
    Generation, MatmulKind, MatmulOp, PrecisionMode, ProfileOrigin, ShardAxis, Tuning,
};

/// Share of non-padding tokens where padding is removed (MLPerf BERT on Wikipedia at 512 tokens: about half).
const UNPADDED_SHARE: f64 = 0.52;

/// Elements that a side of a product is a multiple of where tensor cores take it whole (16-bit operands in
/// words of 16 bytes: NVIDIA, "Matrix multiplication background user's guide", section 3).
const ALIGNED: f64 = 8.0;
/// Narrowest side of an expert's products that counts as none at all: the power of two above that of the widest experts that were
/// measured (Grok-1's 6144).
const WIDE_EXPERT: f64 = 8192.0;

/// Bytes that the least asynchronous copy into shared memory moves.
const WORD: f64 = 4.0;

/// Bytes of a line of memory, which rows of operands fill whole where tensor cores run best since Ampere (NVIDIA, as above,
/// table 1).
const LINE: f64 = 128.0;

/// Bytes that a thread loads at once.
const VECTOR: f64 = 16.0;

/// What Megatron pads a vocabulary to a multiple of, on each tensor-parallel rank (`make_vocab_size_divisible_by`).
const PADDED_VOCABULARY: f64 = 128.0;

/// From this share of its time on that traffic alone takes, memory bounds a product.
const BOUND: f64 = 0.9;

/// cuDNN 8.3, which came to stacks with PyTorch 1.12 in June 2022 (runs state months, so that its month begins here): more
/// grouped convolutions of NHWC tensors have tensor-core kernels, and more depthwise ones have any.
pub(super) const CUDNN_8_3: f64 = 2022.4;

/// FLOP of a multiprocessor a clock that cuDNN 7's convolutions in FP64 are good for, which the few FP64 units of most parts
/// never ask of them (4 to 8) and those of GP100 and GV100 would (64): 12 nets on a TITAN V come to 6 to 13, the widest to
/// the least (ryujaehun).
const OLD_DOUBLES_A_CLOCK: f64 = 16.0;

/// cuDNN 7.6, of May 2019, from when on kernels for all groups of a convolution are the rule. Before, groups were run one by
/// one wherever none served them (facebookarchive/caffe2, pull request 1079): ResNeXt-101 of 64 groups takes longer than of 32,
/// with fewer products, as long on one picture as on two, in tables of 2018 (Detectron, maskrcnn-benchmark), in none since.
const GROUPS_TOGETHER: f64 = 2019.4;
/// Products of a step that each kernel is run for: forward, and the gradients of inputs and of weights.
const PASSES: f64 = 3.0;

/// From this date on frameworks ship cuDNN 8.
const CUDNN_8: f64 = 2020.5;

/// PyTorch 2.4 on cuDNN 9, of July 2024, where groups of multiples of so many channels in NHWC have tensor-core kernels however
/// few they are (ResNeSt's two groups on an H200, RegNet's of 48 channels on an H100; its groups of 24 have none, H200).
const CUDNN_9: f64 = 2024.55;
const HALF_WARP: f64 = 16.0;

/// Channels a group of the widest that have one since, and all channels of the fewest where groups are not many: of 8 to 32 a
/// group such take 1.5 to 8 times as long as by vector units at their peak; 2 to 7 groups take 25 to 70 times, and wider
/// ones are no faster than they were (timm, RTX 3090).
const WIDEST_SERVED: f64 = 32.0;
const FEWEST_SERVED: f64 = 176.0;

/// Channels a group of the widest that had before, and their groups.
const WIDEST_ONCE_SERVED: f64 = 16.0;
const MANY_GROUPS: f64 = 32.0;

/// Width of a group, and the exponent of it, by which NHWC grouped convolutions without a tensor-core kernel reach more of
/// the vector units: 1 % of the peak with 16 channels a group, 3 % with 64, 5 % with 128, 8 % with 232 (timm, RTX 3090,
/// regnets and normaliser-free nets), whatever the tiles.
const DIRECT_WIDTH: (f64, f64) = (64.0, 0.7);

/// What 32 channels in 32 groups took before, of the time that others of no kernel did: 2 TFLOP/s, and 18 since.
const WIDEST_GAIN: f64 = 0.57;

/// FLOP/s that convolutions in FP64 can come to on units of this rate, with libraries of this date. They leave the tensor cores
/// of GA100 idle: of 99 measured nets none passes 0.3 of the peak with them, 0.6 of the peak without, which is what parts
/// without such cores reach.
pub(super) fn double_convolutions(vector: f64, unit_clocks: f64, date: f64) -> f64 {
    if date < CUDNN_8 {
        vector.min(OLD_DOUBLES_A_CLOCK * unit_clocks)
    } else {
        vector
    }
}

/// Whether a grouped convolution has a tensor-core kernel for tensors that lie this way. In NCHW, where all are turned first,
/// those count that keep such kernels full.
fn has_kernel(op: &MatmulOp, channels_last: bool, date: f64) -> bool {
    let recent = date >= CUDNN_8_3;
    if channels_last && date >= CUDNN_9 && op.n % HALF_WARP == 0.0 {
        return true;
    }
    if recent && channels_last {
        return op.n >= 4.0
            && op.n % 4.0 == 0.0
            && op.n <= WIDEST_SERVED
            && (op.groups >= MANY_GROUPS || op.n * op.groups >= FEWEST_SERVED);
    }
    let widest = if recent {
        WIDEST_SERVED
    } else {
        WIDEST_ONCE_SERVED
    };
    (4.0..=widest).contains(&op.n) && is_even(op) && op.groups >= MANY_GROUPS
}

/// Times as long as by vector units alone that a grouped convolution in NHWC takes which has no tensor-core kernel.
fn direct_share(op: &MatmulOp) -> f64 {
    let is_helped = op.groups >= MANY_GROUPS && op.n == WIDEST_SERVED;
    let gain = if is_helped { WIDEST_GAIN } else { 1.0 };
    let (width, exponent) = DIRECT_WIDTH;
    gain * (op.n / width).powf(-exponent)
}

/// Elements a clock that a multiprocessor reads or writes where it turns NCHW to NHWC or back, about, whatever their width:
/// through shared memory, which bounds it where memory is fast. With as many on all parts, ResNet-50 in NCHW takes on the H100,
/// H200 and GH200 (bandwidth as 1 : 1.4 : 1.2) what it takes; by bandwidth alone it was predicted up to 1.4 times too fast.
const TURNED_A_CLOCK: f64 = 5.0;
/// Bytes by which memory bounds the turning of an element, in TF32 as in 16 bits: nets in NCHW lose as much time to it on the
/// H100 and the H200, so that about half of the tensors are turned.
const HALF_BYTES: f64 = 2.0;
/// FP32 lanes, at most, of a multiprocessor of Ampere or later that issues one such instruction a clock.
const MOST_SINGLE_LANES: f64 = 96.0;

/// FLOP of a multiprocessor a clock that products whose operands pass through registers are measured in: with as many tokens
/// Transformer-XL's vocabulary of 267,735 takes an H100 no less than an A100 (lambda), though its vector units have three
/// times the rate.
const COPIED_A_CLOCK: f64 = 128.0;
/// Bytes of an element in 64 bits.
const FP64_BYTES: f64 = 8.0;

/// Channels of a convolution, in and out in the harmonic mean, up to which the transforms of a fast algorithm cost all that
/// its fewer products save: a transform is shared by all channels of the other side (arXiv 1509.09308, section 4.1).
const FAST_CHANNELS: f64 = 48.0;

/// Share of what a fast algorithm spares of a dense convolution's products that its transforms do not cost.
fn spared_share(op: &MatmulOp) -> f64 {
    let channels = 2.0 / (1.0 / op.input_channels() + 1.0 / op.n);
    (1.0 - FAST_CHANNELS / channels).max(0.0)
}

/// Whether memory bounds a product.
fn is_bound(t: &MatmulSeconds) -> bool {
    t.memory > BOUND * (t.forward + t.backward)
}

/// Whether the channels of a group are a power of two.
fn is_even(op: &MatmulOp) -> bool {
    op.n.log2().fract() == 0.0
}

impl Context<'_> {
    /// The operator as one device sees it: cut by tensor parallelism, half masked under fused causal attention.
    fn localised(&self, op: &MatmulOp) -> MatmulOp {
        let tensor = f64::from(self.c.strategy.tensor);
        let mut op = *op;
        match op.shard {
            ShardAxis::None => {}
            ShardAxis::Columns => {
                op.n /= tensor;
                op.output_elements /= tensor;
            }
            ShardAxis::Inner => {
                op.k /= tensor;
                op.input_elements /= tensor;
            }
            ShardAxis::Groups => {
                op.groups /= tensor;
                op.input_elements /= tensor;
                op.output_elements /= tensor;
            }
            ShardAxis::Experts => {
                // Each device holds fewer experts, and they see the tokens of all ranks that share them.
                let expert = f64::from(self.c.strategy.expert).min(op.groups);
                op.groups /= expert;
                op.m *= expert / tensor;
                op.input_elements /= tensor;
                op.output_elements /= tensor;
            }
        }
        if self.megatron_like && self.is_head(&op) {
            op.n = (op.n / PADDED_VOCABULARY).ceil() * PADDED_VOCABULARY;
        }
        if op.kind == MatmulKind::Activation && self.is_fused_attention() {
            let scores = op.groups * op.m * op.n.max(op.k);
            if op.n >= op.k {
                op.output_elements = (op.output_elements - scores).max(0.0);
            } else {
                op.input_elements = (op.input_elements - scores).max(0.0);
            }
            if op.causal {
                if op.n >= op.k {
                    op.n *= 0.5
                } else {
                    op.k *= 0.5
                }
            }
        }
        op
    }

    /// Samples of one micro-step as the kernels see them (removed padding makes samples shorter).
    pub(super) fn batch(&self) -> f64 {
        let share = if self.c.software.unpadded {
            UNPADDED_SHARE
        } else {
            1.0
        };
        self.c.strategy.micro_batch * share
    }

    /// Adds the time of every matmul-like operator to the work, by the kernels that serve it.
    pub(super) fn add_matmuls(&self, w: &mut StepWork) {
        let (mut convolved, mut converted, mut head) = (0.0, 0.0, 0.0);
        let rank = self.c.workload.adapter_rank().map(f64::from);
        let lowest = is_eight_bit(self.spec.mode);
        for op in &self.profile.matmuls {
            let op = self.localised(op);
            let fused = op.kind == MatmulKind::Activation && self.is_fused_attention();
            let t = if fused {
                let (t, exponentials) = matmul::fused(&op, self.batch(), &self.attention_device());
                w.exponentials += exponentials;
                t
            } else if let (true, Some(rank)) = (op.takes_adapters(), rank) {
                w.operators += 2.0 * op.count;
                matmul::adapted(&op, rank, self.batch(), &self.device)
            } else {
                matmul::time(&op, self.batch(), &self.device)
            };
            if lowest && self.is_head(&op) {
                self.add_wide_head(w, &op);
            } else {
                self.add_operator(w, &op, &t);
            }
            let written = op.output_elements * op.count;
            w.output_elements += written;
            match op.kind {
                MatmulKind::Activation => {}
                MatmulKind::Dense if self.is_head(&op) => head += t.forward + t.backward,
                MatmulKind::Dense | MatmulKind::Recurrent => {}
                MatmulKind::Depthwise => convolved += written,
                _ => {
                    convolved += written;
                    converted += written;
                }
            }
        }
        w.convolutional = convolved / w.output_elements.max(1.0);
        // What a pipeline waits for its last stage counts a wide head as narrow: Megatron's recipes can give that stage fewer blocks
        // (`account_for_loss_in_pipeline_split`), and counted wide, pipelined mixtures came out up to 17 % slower than measured.
        let apart = if lowest { head } else { 0.0 };
        let gemm = w.gemm_forward + w.gemm_backward + apart;
        let blocks = gemm + w.attention_forward + w.attention_backward;
        w.longest_stage = 1.0 + head / blocks.max(1e-12) * (w.pipeline - 1.0);
        let is_traced_net = self.stack.is_none() && self.profile.origin != ProfileOrigin::Estimated;
        let turns = w.width == 2.0 || (w.wants_last && self.spec.mode == PrecisionMode::Tf32);
        if is_traced_net && turns && !w.channels_last && !self.jax && !self.is_turned_net() {
            let turned = self.device.unit_clocks * TURNED_A_CLOCK;
            let rate = turned.min(self.device.bandwidth / HALF_BYTES);
            w.layout_conversion = converted * self.batch() * 2.0 / rate;
        }
        if lowest {
            w.quantise = w.dense_memory * 0.5;
        }
    }

    /// Whether products of activations run inside a kernel that never writes scores out; there is none for FP64.
    pub(super) fn is_fused_attention(&self) -> bool {
        self.c.software.flash_attention
            && self.device.width < FP64_BYTES
            && !self.c.writes_attention_out()
            && (self.stack.is_some() || self.profile.attends())
    }

    /// What fused attention computes on: in 32 bits as exactly as FP32 (PyTorch's memory-efficient kernels; three products of
    /// TF32 for each where TF32 is allowed), so at no more than the vector units' rate.
    fn attention_device(&self) -> matmul::Device {
        let mut device = self.device;
        if device.width == 4.0 {
            device.activation_peak = device.activation_peak.min(device.vector_peak);
        }
        device
    }

    /// The product with the vocabulary where blocks run in 8 bits or fewer: their recipes all leave it in 16 (Megatron's output
    /// layer is none of Transformer Engine's; torchao's and llm-foundry's convert the blocks alone).
    fn add_wide_head(&self, w: &mut StepWork, op: &MatmulOp) {
        let device = matmul::Device {
            peak: self.device.activation_peak,
            ..self.device
        };
        let t = matmul::time(op, self.batch(), &device);
        w.head[0] += t.forward;
        w.head[1] += t.backward;
        add_shape(w, op, &t);
        w.operators += op.count;
        w.dense_ideal += t.ideal;
    }

    /// Whether a part's multiprocessors issue two FP32 instructions a clock for each pair of lanes that older ones have one
    /// for, which libraries' kernels for convolutions are not written for (NVIDIA GA102 and H100 whitepapers: 128 lanes to the
    /// A100's 64).
    pub(super) fn has_doubled_rate(&self) -> bool {
        let a = &self.c.accelerator;
        let clocks = (a.sm_count.map(f64::from)).zip(a.clock_mhz());
        let lanes = clocks.map_or(0.0, |(units, mhz)| {
            self.device.peak / (2.0 * units * mhz * 1e6)
        });
        self.spec.mode == PrecisionMode::Fp32
            && matches!(
                a.generation,
                Generation::Ampere | Generation::Ada | Generation::Hopper | Generation::Blackwell
            )
            && lanes > MOST_SINGLE_LANES
    }

    /// Whether the part's tensor-core kernels for convolutions all want their channels last.
    pub(super) fn wants_last(&self) -> bool {
        matches!(
            self.c.accelerator.generation,
            Generation::Hopper | Generation::Blackwell
        )
    }

    /// Whether batch norms run in kernels of PyTorch's own: it hands cuDNN none of BF16 and none whose weights are of 16 bits
    /// (`_batch_norm_impl_index` in `aten/src/ATen/native/Normalization.cpp`). Beside matmuls in 8 bits or fewer all else runs
    /// in BF16.
    pub(super) fn takes_own_norms(&self) -> bool {
        self.stack.is_none()
            && self.c.software.framework == "pytorch"
            && self.c.software.tuning != Some(Tuning::Benchmark)
            && (is_eight_bit(self.spec.mode)
                || matches!(
                    self.spec.mode,
                    PrecisionMode::Bf16 | PrecisionMode::AmpBf16 | PrecisionMode::Fp16
                ))
    }

    /// Whether an operator is the product with the vocabulary, which the last stage of a pipeline bears alone.
    fn is_head(&self, op: &MatmulOp) -> bool {
        let vocabulary = self.stack.map_or(0.0, |b| b.vocabulary);
        let columns = op.n * f64::from(self.c.strategy.tensor);
        vocabulary > 0.0 && op.count == 1.0 && columns >= 0.9 * vocabulary
    }

    /// Whether rows of 16-bit operands start anywhere: some side of the product is no whole number of the words of 4 bytes
    /// that Ampere's asynchronous copies take at least (PTX ISA, `cp.async`), so that operands pass through registers. XLA
    /// pads such products.
    fn is_cut_through_words(&self, op: &MatmulOp) -> bool {
        let halves = |side: f64| side % (WORD / self.device.width) != 0.0;
        let on_matrix_units = self.device.width == 2.0 && !self.device.vector;
        on_matrix_units && !self.pads() && (halves(op.n) || halves(op.k))
    }

    /// Whether products are padded to what kernels take.
    fn pads(&self) -> bool {
        self.jax || self.c.software.xla
    }

    /// How often a line of memory is halved until rows of a product's operands are whole numbers of it, down to what a thread
    /// loads at once: of 16 bits never for 4096 columns, three times for 1800. Never where all is padded, nor in wider
    /// operands, of which no measured run shows it.
    fn halvings(&self, op: &MatmulOp) -> f64 {
        let of = |side: f64| {
            let mut line = LINE;
            while line > VECTOR && (side * self.device.width) % line != 0.0 {
                line /= 2.0;
            }
            (LINE / line).log2()
        };
        let wants_lines = matches!(
            self.c.accelerator.generation,
            Generation::Ampere | Generation::Ada | Generation::Hopper | Generation::Blackwell
        );
        if wants_lines && self.device.width <= 2.0 && !self.pads() {
            of(op.n).max(of(op.k))
        } else {
            0.0
        }
    }

    /// What rows of a linear layer cost that lie badly in memory; one that its traffic bounds waits for nothing else.
    fn add_uneven_rows(&self, w: &mut StepWork, op: &MatmulOp, t: &MatmulSeconds) {
        if is_bound(t) {
            return;
        }
        let both = t.forward + t.backward;
        let uneven = both * self.halvings(op);
        w.gemm_uneven += uneven;
        if self.is_cut_through_words(op) {
            w.gemm_odd += both;
            w.gemm_odd_uneven += uneven;
            w.gemm_odd_copied += t.flops / (COPIED_A_CLOCK * self.device.unit_clocks);
        }
    }

    fn add_operator(&self, w: &mut StepWork, op: &MatmulOp, t: &MatmulSeconds) {
        let both = t.forward + t.backward;
        let is_odd = w.low && (op.n % ALIGNED != 0.0 || op.k % ALIGNED != 0.0);
        match op.kind {
            MatmulKind::Dense | MatmulKind::Recurrent => {
                w.gemm_forward += t.forward;
                w.gemm_backward += t.backward;
                // A step of a recurrent layer mostly waits for the one before.
                if op.kind == MatmulKind::Dense {
                    self.add_uneven_rows(w, op, t);
                }
                if op.shard == ShardAxis::Experts {
                    w.routed += both;
                    w.routed_narrow += both * (WIDE_EXPERT / op.n.min(op.k)).log2().max(0.0);
                }
            }
            MatmulKind::Convolution | MatmulKind::Conv3x3 | MatmulKind::LongConvolution => {
                w.convolution_forward += t.forward;
                w.convolution_backward += t.backward;
                if is_bound(t) {
                    w.convolution_bound += both;
                }
                if is_odd {
                    w.convolution_odd += both;
                }
                if op.kind == MatmulKind::Conv3x3 {
                    w.conv3x3 += both;
                    w.winograd += both * spared_share(op);
                } else if op.kind == MatmulKind::LongConvolution {
                    w.fourier += both * spared_share(op);
                }
            }
            MatmulKind::Grouped => {
                w.grouped += both;
                let software = &self.c.software;
                if !has_kernel(op, w.low && software.channels_last, software.date) {
                    w.grouped_slow += both;
                    w.grouped_direct += t.flops / self.device.vector_peak * direct_share(op);
                }
                if !w.low && software.date < GROUPS_TOGETHER {
                    w.grouped_apart += PASSES * op.count * op.groups;
                }
                w.grouped_flops += t.flops;
                w.group_width += t.flops * op.n.ln();
                w.group_count += t.flops * op.groups.ln();
                w.group_uneven += if is_even(op) { 0.0 } else { t.flops };
            }
            MatmulKind::Depthwise => {
                w.depthwise_work += t.flops;
                w.depthwise_area += t.flops * op.k.max(1.0).ln();
                let kernels = self.depthwise_kernels(op, w.low);
                let [traffic, arithmetic] = &mut w.depthwise[kernels as usize];
                *traffic += t.memory;
                *arithmetic += self.depthwise_arithmetic(op, kernels, t.flops);
            }
            MatmulKind::Activation => {
                w.attention_forward += t.forward;
                w.attention_backward += t.backward;
                w.attention_flops += t.flops;
                if is_odd {
                    w.attention_odd += both;
                }
            }
        }
        add_shape(w, op, t);
        // Fused attention is one operator for its two products.
        let merged = op.kind == MatmulKind::Activation && self.is_fused_attention();
        w.operators += if merged { op.count / 2.0 } else { op.count };
        if op.kind.is_weight_matrix() {
            w.dense_ideal += t.ideal;
            w.dense_memory += t.memory;
        }
    }
}

/// FLOPs of an operator, and the mean shape they weigh in.
fn add_shape(w: &mut StepWork, op: &MatmulOp, t: &MatmulSeconds) {
    w.flops += t.flops;
    w.log_columns += t.flops * op.n.max(1.0).ln();
    w.log_inner += t.flops * op.k.max(1.0).ln();
}
