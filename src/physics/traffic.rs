//! What operators beside matmuls move, and the kernels they launch.

use super::activations::{inner_share, is_raced_convolutional};
use super::memory::is_eight_bit;
use super::step_work::StepWork;
use super::work::Context;
use crate::domain::{
    AutocastTraffic, BlockStack, LayerNorms, MatmulKind, ModelSource, PrecisionMode, ProfileOrigin,
    Traffic, TrafficClass, TransformerLayout, Vendor,
};

/// Times a token's copy for an expert is read or written in a step: permuted, weighted and summed forward, and the same
/// back (arXiv 2211.15841, section 5).
const ROUTING_PASSES: f64 = 12.0;

/// Passes over the inner width of a state-space layer, twice the stream's, in a step: 35 of convolution, gates, decays, scan
/// and gated norm (arXiv 2405.21060, section 8 and its released kernels), and 16 over the states between chunks, each of
/// which is as wide in 32 bits as two passes where a chunk has as many tokens as a state has numbers (128 and 128).
const SCAN_PASSES: f64 = 35.0 + 16.0 * 2.0;

/// Host time of a kernel of the backward pass alone, over that of one with a forward pass: small nets on an A100 took 6.6 µs
/// for each of the former where an operator's backward pass takes 22 (densenets beside other nets of `ryujaehun`, 2021-01).
const GRADIENT_SUM: f64 = 0.3;

/// Kernels of an RMS norm that is written out, beside the one it is counted as: square, mean, sum, root, product and the weight;
/// in 16 bits also to 32 and back (`LlamaRMSNorm` of Transformers).
const RMS_KERNELS: f64 = 5.0;
const RMS_CASTS: f64 = 2.0;
/// Bytes an element that these move beyond those of one kernel, forward and backward: where the residual stream is of 32 bits
/// the square (8), its mean (4), two products (16); backward the products' gradients and their sums (24 each), a power's (24)
/// and a sum (12).
const RMS_BYTES: [f64; 2] = [20.0, 72.0];
/// The same where it is of 16 bits, with casts to 32 and back.
const RMS_BYTES_LOW: [f64; 2] = [32.0, 78.0];
/// Kernels of queries and keys that turn with their position, each way: both negate a half, put it beside the other, and
/// have two products and a sum.
const TURN_KERNELS: f64 = 10.0;

/// Passes over its elements and kernels, forward and backward, of `x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))` written out, beside
/// those of one kernel: forward a power, a tangent, two sums and four products; backward two products and a tangent of their own
/// gradient, five scalings, a power and two sums.
const GELU_PASSES: [f64; 2] = [16.0, 25.0];
const GELU_KERNELS: [f64; 2] = [7.0, 11.0];

/// Kernels of one attention that are inside a fused one, beside the softmax and a product: scale, mask and dropout.
const SCORE_KERNELS: f64 = 3.0;

/// Under autocast over parameters in 32 bits a branch of a block reads its input twice on average and casts it each time: 2
/// casts of 6 bytes an element forward; backward as many for their gradients, which are summed in 32 bits (12 bytes each); and
/// its sum with the residual stream is 6 bytes wider forward, 6 backward.
const BRANCH_CASTS: f64 = 2.0;
const BRANCH_CAST_BYTES: f64 = BRANCH_CASTS * (6.0 + 6.0 + 12.0) + 12.0;

/// Bytes of an element in 32 bits.
const FP32_BYTES: f64 = 4.0;

/// PyTorch 1.11 sums over the rows of a layer norm on the whole device (`cuComputePartGradGammaBeta`); before, each block had so many
/// columns and all rows (its `GammaBetaBackwardCUDAKernel`).
const ROW_SUMS_SINCE: f64 = 2022.2;
/// Columns of such a block.
const SUM_COLUMNS: f64 = 32.0;
/// PyTorch 1.13 gives blocks all rows again, each more threads than before (`GammaBetaBackwardCUDAKernel_32x32`).
const COLUMN_SUMS_SINCE: f64 = 2022.8;
/// PyTorch 2.8 splits so many rows among blocks where columns leave more than half of the multiprocessors idle.
const ROWS_SPLIT_SINCE: f64 = 2025.6;
const SPLIT_ROWS: f64 = 65_536.0;
/// Bytes of a row that take a block as long to normalise as a row takes it at least (rows of 150 to 2048 elements of both widths
/// on an H100 and an H200: `assets/kernels`).
const ROW_BYTES: f64 = 2600.0;

/// Blocks that sum the columns of a layer norm of so many.
fn sum_blocks(width: f64) -> f64 {
    (width / SUM_COLUMNS).ceil()
}

/// Pixels of a plane from which on a batch norm of NCHW walks it (28 × 28: those of 14 × 14 are read once).
const WIDE_PLANE: f64 = 784.0;

/// Passes over the scores of a softmax, forward and backward: input read and output written; output and its gradient read, the
/// input's written.
const SOFTMAX_PASSES: [f64; 2] = [2.0, 3.0];
/// More where rows do not fit a block's registers: maximum, sum and output each read the input again, and backward the sum
/// and the output both operands (PyTorch, `aten/src/ATen/native/cuda/SoftMax.cu`: rows of more than 1024 are not persistent).
const WIDE_PASSES: [f64; 2] = [2.0, 2.0];
/// Bytes of a score of the vocabulary that PyTorch's cross entropy moves in 32 bits: forward three reads and a write, backward
/// a fill with zeros, four reads and a write (and as many in Megatron's: maximum, difference, exponential, sum, quotient,
/// and two on the way back).
const WRITTEN_LOSS_BYTES: f64 = 40.0;
/// More in 16 bits: cast to 32, and its gradient back.
const LOSS_CAST_BYTES: f64 = 12.0;
/// Passes of a fused one: two reads, and backward a read and a write.
const LOSS_PASSES: f64 = 4.0;
/// A layer of traced nets scores a vocabulary where it has so many times as many outputs as inputs, of these so many at least;
/// the widest layer between others has nine times as many.
const SCORES: (f64, f64) = (16.0, 64.0);

/// Forward and backward seconds at unit efficiency of what these kernels move, `seconds` for each of its figures.
fn moved(t: &Traffic, seconds: f64) -> [f64; 2] {
    [t.forward_elements * seconds, t.backward_elements * seconds]
}

/// Adds a class's kernels, `merged` of each, to those that the host hands over. What runs backward alone are sums of
/// gradients for the most part.
fn hand_over(w: &mut StepWork, t: &Traffic, merged: f64) {
    let own = t.backward_kernels.min(t.forward_kernels);
    w.kernels_forward += t.forward_kernels * merged;
    w.kernels_backward += (own + GRADIENT_SUM * (t.backward_kernels - own)) * merged;
}

impl Context<'_> {
    /// What autocast moves, where it chooses the widths of this run and a trace has followed it: in AMP, and of all that is no
    /// matmul where those run in 8 bits or fewer. Stacks that place their
    /// casts by hand (Megatron, JAX, raced convolutional nets) are not run by it.
    pub(super) fn autocast(&self) -> Option<&AutocastTraffic> {
        let chosen = matches!(
            self.spec.mode,
            PrecisionMode::AmpFp16 | PrecisionMode::AmpBf16
        ) || is_eight_bit(self.spec.mode);
        let traced = self.profile.autocast.as_ref();
        let by_hand = self.megatron_like
            || self.jax
            || self.spec.whole_model
            || is_raced_convolutional(self.c);
        traced.filter(|_| chosen && !by_hand)
    }

    /// Traffic and kernels of operators that are no matmuls.
    pub(super) fn add_traffic(&self, w: &mut StepWork) {
        match self.autocast() {
            Some(autocast) => self.add_autocast(w, autocast),
            None => self.add_uniform(w),
        }
        self.add_channel_norms(w);
        self.add_layer_norm_rows(w);
        self.add_layer_norm_sums(w);
        self.add_vocabulary_scores(w);
        self.add_vocabulary_loss(w);
        self.add_written_out(w);
        if let Some(b) = self.stack {
            let tensor = f64::from(self.c.strategy.tensor);
            let token = self.batch() * b.tokens * w.width / self.device.bandwidth;
            let copies = b.active_experts * b.expert_width * b.expert_layers;
            w.routing = token * copies * ROUTING_PASSES;
            w.scan = token * SCAN_PASSES * 2.0 * b.hidden * b.scan_layers / tensor;
            if tensor > 1.0 {
                // Each branch ends in a collective, forward and backward, which the host hands over like a kernel.
                w.kernels_forward += b.branches;
                w.kernels_backward += b.branches;
            }
        }
        let operators = if w.operators > 3000.0 {
            w.operators * 0.03
        } else {
            w.operators
        };
        w.kernels_forward += operators;
        w.kernels_backward += 2.0 * operators;
    }

    /// What blocks launch and move more that run operation by operation, and less where their attention is fused.
    fn add_written_out(&self, w: &mut StepWork) {
        let (true, Some(b)) = (self.is_written_out(), self.stack) else {
            return;
        };
        let tokens = self.batch() * b.tokens / self.c.strategy.residual_ranks();
        self.add_written_activation(w, &b);
        if self.has_root_norms() {
            let casts = if w.width < FP32_BYTES { RMS_CASTS } else { 0.0 };
            let kernels = (RMS_KERNELS + casts) * (b.branches + 1.0);
            w.kernels_forward += kernels;
            w.kernels_backward += kernels;
            let low = self.spec.uncast_bytes() < FP32_BYTES;
            let elements = tokens * b.hidden * (b.branches + 1.0);
            let bytes = if low { RMS_BYTES_LOW } else { RMS_BYTES };
            for (all, bytes) in w.written_out.iter_mut().zip(bytes) {
                *all += elements * bytes / self.device.bandwidth;
            }
        }
        if self.turns_with_position() {
            w.kernels_forward += TURN_KERNELS * b.layers;
            w.kernels_backward += TURN_KERNELS * b.layers;
        }
        if self.is_fused_attention() {
            let products = self.profile.matmuls.iter();
            let products = products.filter(|op| op.kind == MatmulKind::Activation);
            let merged = products.map(|op| op.count).sum::<f64>() / 2.0 * SCORE_KERNELS;
            w.kernels_forward -= merged;
            w.kernels_backward -= merged;
        }
        // Stacks that shard keep parameters in 16 bits for the step (FSDP's mixed precision, DeepSpeed).
        if self.spec.casts_by_operator() && self.c.strategy.sharding.stage() == 0 {
            let branch = tokens * b.hidden / self.device.bandwidth;
            w.autocasts += b.branches * BRANCH_CAST_BYTES * branch;
            w.kernels_forward += BRANCH_CASTS * b.branches;
            w.kernels_backward += BRANCH_CASTS * b.branches;
        }
    }

    /// The activation of feed-forwards that has no kernel of its own.
    fn add_written_activation(&self, w: &mut StepWork, b: &BlockStack) {
        if !self.c.writes_activation_out() {
            return;
        }
        // Autocast has powers in 32 bits, and what they are multiplied with follows them.
        let width = self.spec.uncast_bytes();
        let inner = inner_share(self.c) * b.feed_forward;
        let elements = self.batch() * b.tokens * b.layers * inner;
        let seconds = elements * width / f64::from(self.c.strategy.tensor) / self.device.bandwidth;
        for (all, passes) in w.written_out.iter_mut().zip(GELU_PASSES) {
            *all += passes * seconds;
        }
        w.kernels_forward += GELU_KERNELS[0] * b.layers;
        w.kernels_backward += GELU_KERNELS[1] * b.layers;
    }

    /// Whether blocks are counted operation by operation, and run so.
    fn is_written_out(&self) -> bool {
        self.c.software.runs_by_operation() && self.profile.origin == ProfileOrigin::Built
    }

    /// Whether queries and keys turn with their position.
    fn turns_with_position(&self) -> bool {
        matches!(&self.c.workload.model.profile, ModelSource::Transformer(shape)
            if shape.layout == TransformerLayout::Decoder && shape.positions == 0 && (shape.gated || self.has_root_norms()))
    }

    /// Whether blocks have RMS norms.
    fn has_root_norms(&self) -> bool {
        matches!(&self.c.workload.model.profile, ModelSource::Transformer(shape)
            if shape.norm.as_deref() == Some("rms"))
    }

    /// Share of a class's traffic and kernels that fused attention leaves: of softmaxes those over anything but its scores.
    fn left_of(&self, class: TrafficClass) -> f64 {
        if class != TrafficClass::Softmax || !self.is_fused_attention() {
            return 1.0;
        }
        if self.stack.is_some() {
            return 0.0;
        }
        let all = self.profile.class(class).forward_elements;
        (1.0 - SOFTMAX_PASSES[0] * self.profile.scores() / all.max(1.0)).max(0.0)
    }

    /// Each operator at the width that autocast gives it.
    fn add_autocast(&self, w: &mut StepWork, autocast: &AutocastTraffic) {
        let seconds = self.batch() / self.device.bandwidth;
        for class in TrafficClass::ALL {
            let left = self.left_of(class);
            let t = &autocast.traffic[class as usize];
            self.add_class(w, class, moved(t, seconds * left));
            hand_over(w, t, left);
        }
        let both = |t: &Traffic| moved(t, seconds).iter().sum::<f64>();
        w.autocasts = both(&autocast.casts);
        w.layer_norm = both(&autocast.layer_norms);
        w.group_norm = both(&autocast.group_norms);
        for t in [
            &autocast.casts,
            &autocast.layer_norms,
            &autocast.group_norms,
        ] {
            hand_over(w, t, 1.0);
        }
    }

    /// Every operator at the width of the mode. Profiles of transformers count an eager implementation; fused stacks merge
    /// bias, dropout, residual and activation kernels, about halving traffic and kernels (arXiv 2205.05198, appendix;
    /// Megatron-LM's fused kernels).
    fn add_uniform(&self, w: &mut StepWork) {
        let tensor = f64::from(self.c.strategy.tensor);
        let residual = self.c.strategy.residual_ranks();
        let built = self.profile.origin == ProfileOrigin::Built && self.fused;
        // Norms of tokens run in FP32 under automatic casting, those of images do not (PyTorch, `torch.amp`, operators
        // that autocast to float32: layer_norm; batch_norm is not among them), unless the whole model is cast.
        let norm_width = if self.spec.casts_by_operator() {
            w.width * w.convolutional + FP32_BYTES * (1.0 - w.convolutional)
        } else {
            w.width
        };
        for class in TrafficClass::ALL {
            let t = self.profile.class(class);
            let (width, fusion) = match class {
                TrafficClass::Elementwise | TrafficClass::Reduction => (w.width, 0.5),
                TrafficClass::Norm => (norm_width, 1.0),
                TrafficClass::Softmax | TrafficClass::Copy => (w.width, 1.0 / 3.0),
                TrafficClass::Pooling => (w.width, 1.0),
            };
            let left = self.left_of(class);
            if left == 0.0 {
                continue;
            }
            let factor = if built { fusion } else { left };
            let local = (1.0 - t.tensor_share) / residual + t.tensor_share / tensor;
            let seconds = self.batch() * width / self.device.bandwidth * factor * local;
            let mut both = moved(t, seconds);
            if let (TrafficClass::Norm, Some(traced)) = (class, &self.profile.autocast) {
                // Layer and group norms are the same elements in every mode: autocast has them in 32 bits.
                let [layer, group] = [&traced.layer_norms, &traced.group_norms]
                    .map(|t| moved(t, seconds / FP32_BYTES));
                w.layer_norm = layer.iter().sum();
                w.group_norm = group.iter().sum();
                for (all, (layer, group)) in both.iter_mut().zip(layer.iter().zip(group)) {
                    *all = (*all - layer - group).max(0.0);
                }
            }
            self.add_class(w, class, both);
            let kernels = if built { 0.3 } else { left };
            hand_over(w, t, kernels);
        }
    }

    /// The softmax over a vocabulary of traced nets: its further passes, and all of them where the trace ends before the loss.
    fn add_vocabulary_scores(&self, w: &mut StepWork) {
        if self.profile.origin != ProfileOrigin::Traced {
            return;
        }
        let (times, least) = SCORES;
        let scores: f64 = (self.profile.matmuls.iter())
            .filter(|op| op.kind == MatmulKind::Dense && op.m > 1.0)
            .filter(|op| op.k >= least && op.n >= times * op.k)
            .map(|op| op.m * op.n * op.count)
            .sum();
        let traced = self.profile.class(TrafficClass::Softmax).forward_elements;
        let missed = traced < SOFTMAX_PASSES[0] * scores;
        let pass = scores * self.batch() * self.spec.uncast_bytes() / self.device.bandwidth;
        let [forward, backward] = [0, 1].map(|direction| {
            let own = if missed {
                SOFTMAX_PASSES[direction]
            } else {
                0.0
            };
            (own + WIDE_PASSES[direction]) * pass
        });
        self.add_class(w, TrafficClass::Softmax, [forward, backward]);
    }

    /// The loss over a vocabulary of transformers that are built.
    fn add_vocabulary_loss(&self, w: &mut StepWork) {
        let Some(b) = self.stack.filter(|b| b.vocabulary > 0.0) else {
            return;
        };
        let scores = self.batch() * b.predicted * b.vocabulary / f64::from(self.c.strategy.tensor);
        let bytes = if self.c.software.fuses_loss() {
            LOSS_PASSES * self.device.width
        } else if w.width < FP32_BYTES {
            WRITTEN_LOSS_BYTES + LOSS_CAST_BYTES
        } else {
            WRITTEN_LOSS_BYTES / FP32_BYTES * w.width
        };
        w.vocabulary_loss = scores * bytes / self.device.bandwidth;
    }

    fn add_class(&self, w: &mut StepWork, class: TrafficClass, [forward, backward]: [f64; 2]) {
        let slot = match class {
            TrafficClass::Elementwise | TrafficClass::Reduction => 0,
            TrafficClass::Norm => 1,
            TrafficClass::Softmax => 2,
            TrafficClass::Copy => 3,
            TrafficClass::Pooling => {
                w.pooling += forward + backward;
                return;
            }
        };
        w.traffic_forward[slot] += forward;
        w.traffic_backward[slot] += backward;
    }

    /// Batch norms of NCHW: cuDNN's kernels give a channel to one block of threads (`bn_fw_tr_1C11_kernel_NCHW` and
    /// `bn_bw_1C11_kernel_new` in a profile), so that few channels leave multiprocessors idle, and a block takes elements at a
    /// rate that their width does not change (ResNet-50 and a 3D U-Net on an H100 took 0.83 and 1 times as long in FP16 as in
    /// TF32). Planes of fewer elements are read once by kernels that pack them. Norms follow convolutions, whose outputs stand for
    /// theirs.
    fn add_channel_norms(&self, w: &mut StepWork) {
        let is_nvidia = self.c.accelerator.vendor == Vendor::Nvidia;
        let is_last =
            self.c.software.channels_last || self.is_turned_net() || is_raced_convolutional(self.c);
        if !is_nvidia || self.stack.is_some() || is_last {
            return;
        }
        let [mut all, mut wide, mut blocks] = [0.0; 3];
        for op in &self.profile.matmuls {
            let apart = matches!(op.kind, MatmulKind::Grouped | MatmulKind::Depthwise);
            if !(apart || op.kind.is_dense_convolution()) {
                continue;
            }
            let written = op.output_elements * op.count;
            all += written;
            if op.m >= WIDE_PLANE {
                wide += written;
                blocks += written / (op.n * op.groups).min(self.device.units);
            }
        }
        if wide == 0.0 {
            return;
        }
        let t = self.profile.class(TrafficClass::Norm);
        let others = (self.profile.autocast.as_ref()).map_or([0.0; 2], |traced| {
            let [layer, group] = [&traced.layer_norms, &traced.group_norms];
            let forward = layer.forward_elements + group.forward_elements;
            let backward = layer.backward_elements + group.backward_elements;
            [forward / FP32_BYTES, backward / FP32_BYTES]
        });
        let clock = self.device.unit_clocks / self.device.units;
        let seconds = self.batch() * blocks / all / clock;
        w.channel_norm_share = wide / all;
        w.channel_norms = [
            (t.forward_elements - others[0]).max(0.0) * seconds,
            (t.backward_elements - others[1]).max(0.0) * seconds,
        ];
    }

    /// Rows of layer norms: forward PyTorch gives each a block of threads, however short it is, and sums over them backward give
    /// a block so many columns and all rows, so that widths of models leave most multiprocessors idle.
    fn add_layer_norm_rows(&self, w: &mut StepWork) {
        let is_nvidia = self.c.accelerator.vendor == Vendor::Nvidia;
        let software = &self.c.software;
        if !is_nvidia || software.framework != "pytorch" {
            return;
        }
        let written = (self.stack)
            .filter(|_| self.is_written_out() && !self.has_root_norms())
            .map(|b| LayerNorms {
                rows: b.tokens / self.c.strategy.residual_ranks(),
                width: b.hidden,
                count: b.branches + 1.0,
            });
        let traced = self.profile.autocast.iter().flat_map(|t| &t.shapes);
        let width = self.spec.uncast_bytes();
        let clocks = self.device.unit_clocks;
        for norms in traced.copied().chain(written) {
            let rows = norms.rows * self.batch();
            let all = rows * norms.count;
            w.layer_norm_rows += all * (1.0 + norms.width * width / ROW_BYTES) / clocks;
            let blocks = sum_blocks(norms.width);
            let is_split = software.date >= ROWS_SPLIT_SINCE
                && rows > SPLIT_ROWS
                && blocks < self.device.units / 2.0;
            if software.date >= COLUMN_SUMS_SINCE && !is_split {
                w.layer_norm_columns += all * blocks.max(self.device.units) / clocks;
            }
        }
    }

    /// Sums over rows for the gradients of layer norms' weights, as PyTorch had them before 1.11: two tensors in 32 bits,
    /// read by as many units as there are blocks.
    fn add_layer_norm_sums(&self, w: &mut StepWork) {
        let software = &self.c.software;
        let Some(traced) = &self.profile.autocast else {
            return;
        };
        if software.framework != "pytorch" || software.date >= ROW_SUMS_SINCE {
            return;
        }
        for norms in &traced.shapes {
            let blocks = sum_blocks(norms.width).min(self.device.units);
            let bandwidth = self.device.bandwidth * blocks / self.device.units;
            let elements = norms.rows * self.batch() * norms.width * norms.count;
            w.layer_norm_sums += 2.0 * elements * FP32_BYTES / bandwidth;
        }
    }
}
