//! The physical step time: work over fitted efficiency, launches beside it, and what communication leaves exposed.

use super::constants::{Constant as K, Constants, GenerationOffset as G};
use super::efficiency::{
    crowding_factor, depthwise_seconds, expert_factor, fused_attention, fusion_factors,
    gemm_factor, half_on_vectors, launch_seconds, recent_experts, wider_factor,
};
use super::exchange::Purpose;
use super::step_work::{DepthwiseKernels, Recomputed, StepWork};
use crate::domain::Tuning;

/// What a checkpoint costs the host beside the forward pass that it repeats, in forward passes: states of the random
/// generators are kept and put back, and a backward pass of its own is started (measured on transformer blocks of tiny
/// tensors, `torch.utils.checkpoint` of PyTorch 2 with `use_reentrant=True`: 0.70).
const CHECKPOINT_HOST: f64 = 0.7;

/// Exponent by which compute and launches overlap: the longer of the two dominates, smoothly where a net has kernels of all
/// sizes, of which some wait and some do not.
const QUEUE: f64 = 2.0;
/// The same for transformers, whose blocks repeat the same few kernels.
const QUEUE_OF_BLOCKS: f64 = 3.5;
/// The same for nets of kernels of all sizes where no more than a forward and a backward pass is timed and the device waited for
/// after them: the host does not run ahead from one step to the next.
const QUEUE_AWAITED: f64 = 1.6;
/// Exponent by which the host's work grows with each further device of one process: the threads of their forward passes take
/// turns, those of their backward passes run beside one another.
const SHARED_HOST: f64 = 0.7;

/// Exponent by which the time to parse a sample grows with the processes of a host, whose memory and cores they share: from
/// one process to eight it measures 2.4 to 4.6 times as long (NVIDIA DeepLearningExamples, TensorFlow Wide & Deep).
const SHARED_PARSER: f64 = 0.5;
/// Exponent by which an exchange through the host's memory slows down with the devices that share it, over two (BERT on two to
/// eight cards, Lambda's benchmark: 5, 3.5 and 3 GB/s a card over PCIe 3).
const SHARED_MEMORY: f64 = 0.5;
/// Shares of a layer norm's seven passes: two forward, and two of the sums for its weights' gradients.
const LAYER_NORM_FORWARD: f64 = 2.0 / 7.0;
const LAYER_NORM_SUMS: f64 = 2.0 / 7.0;
/// Devices of a host, as such servers are built.
const HOST_DEVICES: f64 = 8.0;

/// Physical times in seconds; per step unless said.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepTimes {
    /// The whole step.
    pub total: f64,
    /// One micro-step's compute and launches.
    pub micro: f64,
    /// One micro-step's compute without launches.
    pub body: f64,
    /// One micro-step's launches.
    pub launch: f64,
    /// One micro-step's samples parsed by the host.
    pub parsed: f64,
    /// One micro-step's waits of the device: for memory that is freed and asked for anew, for its input, for its turn, and for the
    /// host to hear how tokens were routed.
    pub stalled: f64,
    /// Factor of how tuned the stack is, on compute as a whole.
    pub tuning: f64,
    /// Exponent by which compute and launches overlap.
    pub queue: f64,
    /// One micro-step's backward compute.
    pub backward: f64,
    /// Matmuls of dense layers, per micro-step.
    pub gemm: f64,
    /// Grouped convolutions, per micro-step.
    pub grouped: f64,
    /// Depthwise convolutions, per micro-step.
    pub depthwise: f64,
    /// Products of activations, per micro-step.
    pub attention: f64,
    /// Elementwise, softmax, copy traffic, per micro-step.
    pub elementwise: f64,
    /// Norm traffic, per micro-step.
    pub norm: f64,
    /// Softmax traffic, per micro-step.
    pub softmax: f64,
    /// Layout conversion, per micro-step.
    pub conversion: f64,
    /// Casts, per micro-step.
    pub cast: f64,
    /// Quantisation, per micro-step.
    pub quantise: f64,
    /// Unscaling, once.
    pub unscale: f64,
    /// Optimizer, embedding gradients and their launches, once.
    pub optimizer: f64,
    /// The launches among them.
    pub optimizer_launch: f64,
    /// All compute of the step: micro-steps and bubble.
    pub compute: f64,
    /// Micro-steps, each as long as the longest stage of the pipeline takes, plus bubble slots.
    pub slots: f64,
    /// Exposed tensor-parallel exchange, all slots.
    pub tensor: f64,
    /// Exposed expert exchange, all slots.
    pub expert: f64,
    /// Exposed pipeline and context exchange, all slots.
    pub other_exchange: f64,
    /// Exposed weight gathering.
    pub weights: f64,
    /// Gradient exchange before overlap.
    pub gradients: f64,
    /// Gradient exchange left exposed.
    pub exposed_gradients: f64,
    /// All communication before overlap.
    pub exchanged: f64,
    /// All communication left exposed.
    pub exposed: f64,
}

/// Seconds by which what holds a part of the step up outlasts that part.
fn beyond(held_up: f64, part: f64) -> f64 {
    (held_up - part).max(0.0)
}

/// Micro-steps during which gradients travel. Interleaved pipelines run the last micro-batches of one virtual stage after
/// another, so that all but the last are exchanged meanwhile (Megatron-LM, arXiv 2104.04473, section 2.2); others have the
/// last micro-batch alone.
fn overlap_window(w: &StepWork) -> f64 {
    let last = w.pipeline.min(w.micro_steps);
    (last * (1.0 - 1.0 / w.interleave)).max(1.0)
}

impl StepTimes {
    /// Composes the work of a step with fitted constants.
    pub fn compose(w: &StepWork, k: &Constants) -> Self {
        let mut t = Self::default();
        t.add_kernels(w, k);
        t.add_micro_step(w, k);
        t.add_step_end(w, k);
        t.add_exchange(w, k);
        let inside = w.devices.min(8.0).log2().max(0.0) * 0.1 * k.log(K::Devices);
        let between = w.exchange.nodes.log2().max(0.0) * 0.1 * k.log(K::Nodes);
        let slow = if w.devices > 1.0 {
            (inside + between).exp()
        } else {
            1.0
        };
        let all = t.compute + t.optimizer + t.unscale + t.exposed;
        t.total = all * slow * k.factor(K::Unaccounted);
        t
    }

    /// Compute by kind for one micro-step.
    fn add_kernels(&mut self, w: &StepWork, k: &Constants) {
        // Pipeline stages and context ranks each hold a share of the blocks or tokens.
        let share = 1.0 / (w.pipeline * w.context);
        let again = match w.forward_backward_only {
            true => Recomputed::default(),
            false => w.recompute,
        };
        let gemm = gemm_factor(w, k, false) * half_on_vectors(w, k);
        let convolution = gemm_factor(w, k, true);
        let memory = k.offset(G::Memory, w.generation).exp();
        let [fused, normed] = fusion_factors(w, k);
        let convolved = w.convolution_forward + w.convolution_backward;
        // Tensor cores outrun what fast algorithms spare, and libraries have none of them in FP64.
        let spared = if w.multiplies_in_32_bits() {
            (1.0 - k.factor(K::Winograd)) * w.winograd + (1.0 - k.factor(K::Fourier)) * w.fourier
        } else {
            0.0
        };
        let halved = (half_on_vectors(w, k) - 1.0) * (convolved - w.conv3x3);
        let direct = 1.0 + (halved - spared) / convolved.max(1e-12);
        let last = w.channels_last && w.low;
        let odd = if w.low {
            let extra = k.factor(K::OddConvolution) - 1.0;
            1.0 + extra * w.convolution_odd / convolved.max(1e-12)
        } else {
            1.0
        };
        let bound = if w.low {
            let extra = k.factor(K::BoundConvolution) - 1.0;
            1.0 + extra * w.convolution_bound / convolved.max(1e-12)
        } else {
            1.0
        };
        let linear = w.gemm_forward + w.gemm_backward;
        let halving = k.factor(K::UnevenGemm) - 1.0;
        let uneven = 1.0 + halving * w.gemm_uneven / linear.max(1e-12);
        let dense = |linear: f64, convolved: f64| {
            linear * gemm * uneven + convolved * convolution * direct * odd * bound
        };
        let recent = recent_experts(w, k);
        let routed = 1.0 + (expert_factor(w, k) - 1.0) * w.routed / linear.max(1e-12);
        let least = if w.old_gemm {
            K::OddGemmOld
        } else {
            K::OddGemm
        };
        let head = w.head.map(|seconds| seconds * gemm * wider_factor(w, k));
        let cut = (w.gemm_odd + halving * w.gemm_odd_uneven) * gemm;
        let held_up = beyond(k.factor(least) * w.gemm_odd_copied, cut);
        let gemm_forward = k.factor(K::GemmForward)
            * (dense(w.gemm_forward * routed, w.convolution_forward) + head[0]);
        // No block holds the vocabulary: what waits for it is never run anew.
        let gemm_backward = k.factor(K::GemmBackward)
            * (dense(w.gemm_backward * routed, w.convolution_backward) + head[1])
            + held_up;
        let mut narrow = w.grouped - w.grouped_slow;
        let mut wide = w.grouped_slow;
        let mut direct = 0.0;
        if w.low {
            narrow *= k.factor(K::GroupedNarrow);
        }
        if last {
            narrow *= k.factor(K::GroupedNhwcKernels);
            wide = 0.0;
            direct = w.grouped_direct * k.factor(K::GroupedChannelsLast);
            if w.recent_convolutions {
                narrow *= k.factor(K::GroupedNhwcKernelsRecent);
                direct *= k.factor(K::GroupedChannelsLastRecent);
            }
        }
        let mut grouped = (narrow + wide) * k.factor(K::Grouped) * convolution;
        let depthwise: f64 = (DepthwiseKernels::ALL.into_iter())
            .map(|kernels| depthwise_seconds(kernels, w, k, memory))
            .sum();
        if w.low {
            grouped *= k.factor(K::GroupedLow);
        }
        grouped += direct + k.factor(K::GroupApart) * w.grouped_apart;
        let attention = if w.exponentials > 0.0 {
            fused_attention(w, k)
        } else {
            let all = w.attention_forward + w.attention_backward;
            let odd = 1.0 + (k.factor(K::OddAttention) - 1.0) * w.attention_odd / all.max(1e-12);
            let product = k.factor(K::Attention) * gemm * odd;
            [w.attention_forward, w.attention_backward].map(|a| a * product)
        };
        let estimated = if w.estimated {
            k.factor(K::EstimatedMemory)
        } else {
            1.0
        };
        let moved = memory * estimated;
        let crowded = crowding_factor(w, k);
        let [of_elements, of_norms, of_softmax, of_copies] = if w.layers > 0.0 {
            [
                K::ElementwiseBlocks,
                K::NormBlocks,
                K::SoftmaxBlocks,
                K::CopyBlocks,
            ]
        } else {
            [K::Elementwise, K::Norm, K::Softmax, K::Copy]
        }
        .map(|constant| k.factor(constant));
        let traffic = |t: &[f64; 4], channels: f64| {
            let elementwise = of_elements * t[0] * fused;
            let norm = of_norms * t[1] * normed;
            let softmax = of_softmax * t[2] * fused;
            let copy = of_copies * t[3] * fused;
            let mut all = [elementwise, norm, softmax, copy].map(|v| v * moved * crowded);
            let walked = all[1] * w.channel_norm_share;
            all[1] += beyond(k.factor(K::ChannelNorm) * channels * normed, walked);
            all
        };
        let tf = traffic(&w.traffic_forward, w.channel_norms[0]);
        let tb = traffic(&w.traffic_backward, w.channel_norms[1]);
        let pooling = k.factor(K::Pooling) * w.pooling * moved;
        let turned = if w.recent_convolutions {
            k.factor(K::ConvolutionRecent)
        } else {
            1.0
        };
        let last_alone = match w.wants_last {
            true => k.factor(K::LayoutConversionHopper),
            false => 1.0,
        };
        let conversion = k.factor(K::LayoutConversion) * last_alone * w.layout_conversion * turned;
        let quantise = k.factor(K::Quantise) * w.quantise * memory;
        let routing =
            (k.factor(K::Routing) * recent * w.routing + k.factor(K::Scan) * w.scan) * memory;
        let spread = if last {
            k.factor(K::GroupNormChannelsLast)
        } else {
            1.0
        };
        let group_norm = k.factor(K::GroupNorm) * spread * w.group_norm;
        let of_rows = k.factor(K::LayerNorm) * w.layer_norm * moved;
        let in_blocks = if w.layers > 0.0 { tf[1] + tb[1] } else { 0.0 };
        let layer_norms = of_rows + in_blocks;
        let norms = of_rows
            + beyond(
                k.factor(K::LayerNormRow) * w.layer_norm_rows,
                layer_norms * LAYER_NORM_FORWARD,
            )
            + beyond(
                k.factor(K::LayerNormColumn) * w.layer_norm_columns,
                layer_norms * LAYER_NORM_SUMS,
            )
            + (k.factor(K::LayerNorm) * group_norm
                + k.factor(K::LayerNormSums) * w.layer_norm_sums)
                * moved;
        let casts = k.factor(K::Autocast) * w.autocasts * fused * moved;
        let mixed_direction =
            grouped + depthwise + conversion + quantise + pooling + routing + norms + casts;
        let counted = k.factor(K::Counted) * moved;
        let loss = counted * w.vocabulary_loss;
        let written = w.written_out.map(|seconds| counted * seconds);
        let [gemm_passes, attention_passes, traffic_passes] =
            [again.products, again.attention, again.traffic].map(|share| 1.0 + share);
        let forward = share
            * (gemm_forward * gemm_passes
                + (attention[0] + tf[2]) * attention_passes
                + (written[0] + tf[0] + tf[1] + tf[3] + mixed_direction / 3.0) * traffic_passes);
        let backward = share
            * (gemm_backward
                + attention[1]
                + written[1]
                + tb.iter().sum::<f64>()
                + mixed_direction * 2.0 / 3.0
                + loss);
        self.gemm = share * (gemm_forward * gemm_passes + gemm_backward);
        self.grouped = share * grouped;
        self.depthwise = share * depthwise;
        self.attention = share * (attention[0] * attention_passes + attention[1]);
        self.norm = share * (tf[1] * traffic_passes + tb[1] + norms);
        self.softmax = share * (tf[2] * attention_passes + tb[2]);
        let elementwise =
            (tf[0] + tf[3] + written[0]) * traffic_passes + tb[0] + tb[3] + written[1];
        self.elementwise = self.softmax + share * (elementwise + pooling + routing + loss);
        self.conversion = share * conversion;
        self.quantise = share * quantise;
        let of_parameters = k.factor(K::Cast) * w.cast * memory;
        self.cast = of_parameters + share * casts;
        self.backward = backward;
        self.body = forward + backward + of_parameters;
    }

    fn add_micro_step(&mut self, w: &StepWork, k: &Constants) {
        let again = 1.0 + w.recompute.kernels * (1.0 + CHECKPOINT_HOST);
        let backward = k.factor(K::LaunchBackward) * w.kernels_backward;
        let kernels = (w.kernels_forward * again + backward) / w.pipeline + w.kernels_cast;
        let mut launch = launch_seconds(w, k) * kernels;
        if w.single_process {
            let further = (w.devices - 1.0).powf(SHARED_HOST);
            launch *= 1.0 + k.factor(K::LaunchSingleProcess) * further;
        }
        self.tuning = match w.tuning {
            Some(Tuning::Benchmark) if w.megatron_like && w.language => {
                k.factor(K::BenchmarkMegatron)
            }
            Some(Tuning::Benchmark) if w.compiled => k.factor(K::BenchmarkCompiled),
            Some(Tuning::Benchmark) => k.factor(K::Benchmark),
            Some(Tuning::Plain) => k.factor(K::Plain),
            Some(Tuning::Tuned) | None => 1.0,
        };
        self.launch = launch * recent_experts(w, k);
        self.parsed = k.factor(K::HostParse)
            * w.parsed_samples
            * w.devices.min(HOST_DEVICES).powf(SHARED_PARSER);
        self.stalled = k.factor(K::AllocatorRetry) * w.retried_layers
            + k.factor(K::AwaitedInput) * w.awaited_input / 1e6
            + k.factor(K::Turns)
                * (k.log(K::TurnsYear) * w.awaited_before).exp()
                * w.awaited_samples
            + k.factor(K::RoutingWait) * w.awaited_experts;
        self.queue = if w.layers > 0.0 {
            QUEUE_OF_BLOCKS
        } else if w.forward_backward_only {
            QUEUE_AWAITED
        } else {
            QUEUE
        };
        self.micro = self.queued(0.0);
        self.slots = w.micro_steps * w.longest_stage + w.bubble;
        self.compute = self.slots * self.micro;
    }

    /// Seconds of a micro-step whose kernels are joined on the device's queue by `beside` seconds of others: whichever is
    /// longer, the queue or handing kernels over.
    fn queued(&self, beside: f64) -> f64 {
        let busy = self.body + beside / self.tuning;
        let queued = (busy.powf(self.queue) + self.launch.powf(self.queue)).powf(1.0 / self.queue)
            * self.tuning
            + self.stalled;
        // The next samples are parsed meanwhile.
        queued.max(self.parsed)
    }

    /// By what share of itself the step lengthens for each share by which the host takes longer to hand kernels over: 0 where
    /// the device is always behind, near 1 where it always waits.
    pub fn host_share(&self) -> f64 {
        let [busy, launch] = [self.body, self.launch].map(|t| t.powf(self.queue));
        let queued = self.micro - self.stalled;
        let waits = match self.parsed < self.micro {
            true => self.slots * queued * launch / (busy + launch).max(f64::MIN_POSITIVE),
            false => 0.0,
        };
        let all = self.compute + self.optimizer + self.unscale + self.exposed;
        (waits + self.optimizer_launch) / all.max(f64::MIN_POSITIVE)
    }

    fn add_step_end(&mut self, w: &StepWork, k: &Constants) {
        let memory = k.offset(G::Memory, w.generation).exp();
        self.unscale = k.factor(K::Unscale) * w.unscale * memory;
        let moved = k.factor(K::Optimizer) * w.optimizer + k.factor(K::Embedding) * w.embedding;
        let moved = moved * memory;
        let launch = launch_seconds(w, k) * w.kernels_optimizer;
        self.optimizer_launch = if w.optimizer_ahead {
            beyond(launch, moved)
        } else {
            launch
        };
        self.optimizer = moved + self.optimizer_launch;
    }

    fn add_exchange(&mut self, w: &StepWork, k: &Constants) {
        if w.devices <= 1.0 {
            return;
        }
        let x = &w.exchange;
        let recent = w.fused && w.date > 2022.5;
        // Expert exchange is half hidden behind expert compute by default (arXiv 2211.15841, section 5).
        let beside = if w.recent_megatron {
            k.factor(K::TensorOverlap)
        } else {
            1.0
        };
        // Both stand in the queue of the kernels, so that a device which waits for its host has them for nothing.
        let tensor = k.factor(K::TensorParallel) * beside * x.seconds(Purpose::Tensor);
        let expert = k.factor(K::ExpertParallel) * 0.5 * x.seconds(Purpose::Experts);
        let with_tensor = self.queued(tensor);
        self.tensor = self.slots * (with_tensor - self.micro);
        self.expert = self.slots * (self.queued(tensor + expert) - with_tensor);
        self.other_exchange = self.slots
            * (k.factor(K::PipelineSend) * x.seconds(Purpose::Pipeline)
                + 0.5 * x.seconds(Purpose::Context));
        let gather = k.factor(K::FullyShard) * x.seconds(Purpose::Weights);
        let hidden = k.factor(K::FullyShardOverlap) * 0.7 * self.body;
        self.weights = w.micro_steps * ((gather - hidden).max(0.0) + 0.1 * gather);
        let among_data = |purpose| {
            let seconds = k.factor(K::DataParallel) * x.seconds(purpose);
            let slots = if x.pcie { k.factor(K::Pcie) } else { 1.0 };
            // One process has the copy engines pass it on, piece after piece.
            let staged = if x.staged && !w.single_process {
                let together = w.devices.min(HOST_DEVICES) / 2.0;
                k.factor(K::Staged) * together.max(1.0).powf(SHARED_MEMORY)
            } else {
                1.0
            };
            seconds * slots * staged
        };
        let gradients = among_data(Purpose::Gradients);
        let overlaps = !w.single_process && !w.parameter_server;
        let mut share = k.log(K::Overlap);
        if recent {
            share += k.log(K::OverlapFused);
        }
        let window = overlap_window(w);
        let hidden_by = |compute: f64| share.clamp(-6.0, 2.0).exp() * 0.6 * compute * window;
        let cover = if overlaps {
            hidden_by(self.backward)
        } else {
            0.0
        };
        let rest = (gradients - cover).max(0.0);
        // Recent stacks gather updated weights beside the next forward pass, the others before it.
        let updated = among_data(Purpose::Updated);
        let forward = (self.body - self.backward - self.cast).max(0.0);
        let under = if recent { hidden_by(forward) } else { 0.0 };
        let waited = (updated - under).max(0.0);
        self.gradients = gradients + updated;
        self.exposed_gradients = rest.hypot(0.12 * gradients)
            + waited.hypot(0.12 * updated)
            + if w.data > 1.0 {
                k.factor(K::Alpha) * x.hops * w.tensors.min(40.0) * 0.25
            } else {
                0.0
            }
            + k.factor(K::SingleProcess) * x.weight_copies
            + k.factor(K::Uneven) * w.stragglers * self.compute;
        let per_slot = self.tensor + self.expert + self.other_exchange;
        self.exchanged = per_slot + w.micro_steps * gather + self.gradients;
        self.exposed = per_slot + self.weights + self.exposed_gradients;
    }
}
