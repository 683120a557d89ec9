//! A configuration as seconds at unit efficiency: what must be computed, moved, launched and exchanged.

use super::clocks;
use super::exchange::{self, Exchange};
use super::matmul::Device;
use super::memory;
use super::operators::{CUDNN_8_3, double_convolutions};
use super::step_work::{DepthwiseKernels, PrecisionView, Recomputed, StepWork};
use crate::domain::{
    BlockStack, Configuration, Generation, OperatorProfile, PeakRefusal, PrecisionMode,
    PrecisionSpec, ProfileOrigin, Recompute, TimedPart, Tuning, Vendor,
};

/// What selective recomputation computes again in Megatron: attention between its projections, some 5 of a block's 25 kernels
/// (arXiv 2205.05198, section 5).
const SELECTIVE_MEGATRON: Recomputed = Recomputed {
    products: 0.0,
    attention: 1.0,
    traffic: 0.0,
    kernels: 0.2,
};
/// The same in JAX, whose policies save projections by name, from all of them to those of attention alone, which leave two
/// thirds of a block and more to compute again (MaxText, `remat_policy`: `minimal` to `save_qkv_proj`): half is taken.
const SELECTIVE_JAX: Recomputed = Recomputed {
    products: 0.5,
    attention: 1.0,
    traffic: 1.0,
    kernels: 0.9,
};
/// The same in PyTorch: every other product, and all between them but fused attention, whose result is kept (torchtitan,
/// arXiv 2410.06511, section 2.1).
const SELECTIVE_PYTORCH: Recomputed = Recomputed {
    products: 0.5,
    attention: 0.0,
    traffic: 1.0,
    kernels: 0.9,
};

/// Power in W for each TFLOP/s of FP32 with which parts hold their clocks (RTX 3090: 9.8; H100 SXM: 10.4; L4: 2.4).
const AMPLE_DENSITY: f64 = 10.0;

/// FlashAttention-2, about twice as fast as the first (arXiv 2307.08691, section 4), came to Megatron's stacks within
/// months of July 2023 and to the others with PyTorch 2.2 of January 2024.
const FLASH_2_SINCE: [f64; 2] = [2023.7, 2024.08];

/// Bytes a second that a multiprocessor draws for each byte of an element with four elements a thread on their way: 2048
/// threads over about 650 ns of an access to memory, twice for kernels that read two operands or issue before the last
/// arrives. Eight elements in 16 bits made such kernels 4 to 10 % faster on an H100 (pytorch/pytorch#141959).
const DRAWN_BY_UNIT: f64 = 2.0 * 2048.0 * 4.0 / 650e-9;

/// By this date detectors matched, suppressed and sampled boxes on their devices, which hosts had done picture by picture
/// (detectron2, October 2019; MMDetection 2.0, May 2020).
const BOXES_ON_DEVICES: f64 = 2020.4;

/// From this date on containers hold cuBLAS 11, whose tensor cores take operands that start anywhere (NVIDIA, "Matrix
/// multiplication background user's guide", section 3).
const CUBLAS_11: f64 = 2020.5;

/// Width of the heads whose blocks of scores the first FlashAttention keeps whole.
const WIDE_HEAD: f64 = 64.0;

/// Red, green and blue.
const PICTURE_CHANNELS: f64 = 3.0;

/// What is expected of the largest of so many standard normal draws, 1 or more: within 7 % of its order statistics up to 512.
pub(crate) fn expected_largest(draws: f64) -> f64 {
    0.56 * draws.log2().powf(0.78)
}

/// A configuration with what its work follows from.
pub(super) struct Context<'a> {
    pub(super) c: &'a Configuration,
    pub(super) profile: &'a OperatorProfile,
    pub(super) spec: PrecisionSpec,
    pub(super) device: Device,
    pub(super) stack: Option<BlockStack>,
    pub(super) language: bool,
    pub(super) fused: bool,
    pub(super) jax: bool,
    pub(super) megatron_like: bool,
}

impl StepWork {
    /// Works a configuration out.
    ///
    /// # Errors
    /// [`PeakRefusal`] where the part lacks the mode or nobody states its rate.
    pub fn new(c: &Configuration, view: PrecisionView) -> Result<Self, PeakRefusal> {
        let spec = match view {
            PrecisionView::Aware => c.precision,
            PrecisionView::Blind => blind(),
        };
        let context = Context::new(c, spec, view)?;
        let mut work = context.base();
        context.add_matmuls(&mut work);
        context.add_traffic(&mut work);
        context.add_step_work(&mut work);
        work.retried_layers = context.retried_layers(&work);
        work.awaited_experts = context.awaited_experts(&work);
        work.exchange = exchange::exchange(c, &spec, work.device_parameters);
        Ok(work)
    }
}

/// The mode a precision-blind estimator assumes.
fn blind() -> PrecisionSpec {
    PrecisionSpec {
        mode: PrecisionMode::AmpBf16,
        matmul_bytes: 2.0,
        activation_bytes: 2.0,
        weight_bytes: 2.0,
        gradient_bytes: 4.0,
        master_bytes: 4.0,
        optimizer_state_bytes: 4.0,
        loss_scaling: false,
        whole_model: false,
    }
}

fn rate(c: &Configuration, mode: PrecisionMode) -> Option<f64> {
    c.accelerator.peaks.get(&mode).map(|p| p.rate.value())
}

/// Rate of the vector units, which FP64 runs apart on.
fn vector_rate(c: &Configuration, mode: PrecisionMode) -> Option<f64> {
    match mode {
        PrecisionMode::Fp64 => c.accelerator.fp64_vector.map(|rate| rate.value()),
        _ => rate(c, PrecisionMode::Fp32),
    }
}

impl<'a> Context<'a> {
    fn new(
        c: &'a Configuration,
        spec: PrecisionSpec,
        view: PrecisionView,
    ) -> Result<Self, PeakRefusal> {
        let profile = &*c.workload.profile;
        let accelerator = &c.accelerator;
        let sixteen = rate(c, PrecisionMode::AmpFp16).or_else(|| rate(c, PrecisionMode::AmpBf16));
        let peak = match view {
            PrecisionView::Aware => accelerator.peak(spec.mode)?.rate.value(),
            PrecisionView::Blind => {
                let own = accelerator.peak(c.precision.mode)?.rate.value();
                sixteen.unwrap_or(own)
            }
        };
        let activation_peak = match view {
            PrecisionView::Aware => rate(c, spec.mode.companion()).unwrap_or(peak),
            PrecisionView::Blind => peak,
        };
        let vector_peak = vector_rate(c, spec.mode).unwrap_or(peak);
        let unit_clocks = clocks::unit_clocks(accelerator);
        let convolution_peak = match spec.mode {
            PrecisionMode::Fp64 => {
                double_convolutions(vector_peak.min(peak), unit_clocks, c.software.date)
            }
            _ => peak,
        };
        let framework = c.software.framework.as_str();
        let jax = c.software.is_jax();
        let megatron_like = matches!(framework, "megatron" | "nemo" | "llm.c");
        let stack = profile.blocks;
        // Systolic parts have few, large units; 32 stands for their tile parallelism.
        let units = match accelerator.vendor {
            Vendor::Google | Vendor::Intel | Vendor::Aws => 32.0,
            _ => accelerator.sm_count.map_or(64.0, f64::from),
        };
        Ok(Self {
            c,
            profile,
            spec,
            device: Device {
                exponentials: clocks::exponentials(accelerator),
                unit_clocks,
                peak,
                activation_peak,
                convolution_peak,
                vector_peak,
                bandwidth: accelerator.memory_bandwidth.value(),
                units,
                width: spec.activation_bytes,
                vector: matches!(spec.mode, PrecisionMode::Fp64 | PrecisionMode::Fp32)
                    || !accelerator.generation.has_matrix_units(),
            },
            stack,
            language: stack.is_some_and(|s| s.vocabulary > 0.0),
            fused: jax
                || megatron_like
                || c.software.compiled
                || c.software.xla
                || (c.software.fused_kernels && stack.is_some()),
            jax,
            megatron_like,
        })
    }

    /// See [`StepWork::crowding`]. Tables of recommenders are gathered by kernels of their own (HugeCTR).
    fn crowding(&self) -> f64 {
        let a = &self.c.accelerator;
        let threaded = matches!(a.vendor, Vendor::Nvidia | Vendor::Amd)
            && self.c.software.framework != "hugectr";
        a.sm_count.filter(|_| threaded).map_or(0.0, |units| {
            self.device.bandwidth / (f64::from(units) * DRAWN_BY_UNIT * self.device.width)
        })
    }

    /// Experts of its own whose tokens a device's host waits to hear of, over all layers of a stage. Compiled graphs send fixed
    /// numbers of tokens, and Megatron since mid-2026 leaves the numbers on the device.
    fn awaited_experts(&self, w: &StepWork) -> f64 {
        match self.stack {
            Some(b) if b.experts > 1.0 && !(w.jax || w.xla || w.recent_experts) => {
                w.own_experts() * b.expert_layers / w.pipeline
            }
            _ => 0.0,
        }
    }

    /// Layers whose memory is freed and asked for anew, of what is kept in the precision that is seen.
    fn retried_layers(&self, w: &StepWork) -> f64 {
        let precision = self.spec;
        let seen = Configuration {
            precision,
            ..self.c.clone()
        };
        memory::retried_layers(&seen, w.device_parameters, w.layers)
    }

    /// Bytes of pictures that a step waits for, of all devices that one process drives. Loops that time a forward and a backward
    /// pass begin with a copy of their input (`benchmark_models.py` of ryujaehun/pytorch-gpu-benchmark); whole training loops have
    /// the next one loaded meanwhile.
    fn awaited_input(&self) -> f64 {
        let (c, s) = (self.c, &self.c.strategy);
        if c.workload.timed != TimedPart::ForwardBackward {
            return 0.0;
        }
        let side = c.workload.image_size.map_or(0.0, f64::from);
        let samples = s.micro_batch
            * if s.single_process {
                f64::from(c.count)
            } else {
                1.0
            };
        PICTURE_CHANNELS * side * side * samples * self.spec.activation_bytes
    }

    /// What is expected of the slowest data-parallel rank, each the mean of its samples.
    fn stragglers(&self) -> f64 {
        let s = &self.c.strategy;
        if !self.c.workload.model.uneven_samples || s.data < 2 {
            return 0.0;
        }
        let samples = s.micro_batch * f64::from(s.accumulation.max(1));
        expected_largest(f64::from(s.data)) / samples.max(1.0).sqrt()
    }

    /// Parameters that live on one device.
    fn device_parameters(&self) -> f64 {
        let s = &self.c.strategy;
        let p = self.profile;
        let cut = f64::from(s.tensor) * f64::from(s.pipeline);
        if self.stack.is_none() {
            return (p.parameters - p.sparse_parameters) / cut;
        }
        let dense = p.parameters - p.expert_parameters;
        let expert_cut = if s.expert > 1 {
            f64::from(s.expert) * f64::from(s.pipeline)
        } else {
            cut
        };
        dense / cut + p.expert_parameters / expert_cut
    }

    fn base(&self) -> StepWork {
        let (c, s, a, software) = (
            self.c,
            &self.c.strategy,
            &self.c.accelerator,
            &self.c.software,
        );
        let sixteen = rate(c, PrecisionMode::AmpFp16).or_else(|| rate(c, PrecisionMode::AmpBf16));
        let fp32 = rate(c, PrecisionMode::Fp32).unwrap_or(self.device.peak / 8.0);
        let mode = self.spec.mode;
        StepWork {
            gemm_forward: 0.0,
            gemm_backward: 0.0,
            convolution_forward: 0.0,
            convolution_backward: 0.0,
            conv3x3: 0.0,
            winograd: 0.0,
            fourier: 0.0,
            convolution_odd: 0.0,
            gemm_uneven: 0.0,
            gemm_odd: 0.0,
            gemm_odd_copied: 0.0,
            gemm_odd_uneven: 0.0,
            old_gemm: software.date < CUBLAS_11,
            convolution_bound: 0.0,
            grouped: 0.0,
            grouped_slow: 0.0,
            grouped_direct: 0.0,
            grouped_apart: 0.0,
            recent_convolutions: software.date >= CUDNN_8_3,
            doubled_rate: self.has_doubled_rate(),
            wants_last: self.wants_last(),
            depthwise: [[0.0; 2]; DepthwiseKernels::COUNT],
            attention_forward: 0.0,
            attention_backward: 0.0,
            attention_odd: 0.0,
            exponentials: 0.0,
            flash_first: software.flash_attention
                && software.date < FLASH_2_SINCE[usize::from(!self.megatron_like)],
            flash_wide: self.stack.is_some_and(|b| b.hidden > WIDE_HEAD * b.heads),
            flash_portable: software.flash_attention
                && a.generation == Generation::Hopper
                && !(self.megatron_like || self.jax)
                && software.tuning != Some(Tuning::Benchmark),
            dense_ideal: 0.0,
            dense_memory: 0.0,
            flops: 0.0,
            attention_flops: 0.0,
            operators: 0.0,
            log_columns: 0.0,
            log_inner: 0.0,
            group_width: 0.0,
            group_count: 0.0,
            group_uneven: 0.0,
            grouped_flops: 0.0,
            depthwise_area: 0.0,
            depthwise_work: 0.0,
            output_elements: 0.0,
            convolutional: 0.0,
            traffic_forward: [0.0; 4],
            traffic_backward: [0.0; 4],
            pooling: 0.0,
            channel_norms: [0.0; 2],
            channel_norm_share: 0.0,
            autocasts: 0.0,
            layer_norm: 0.0,
            layer_norm_rows: 0.0,
            layer_norm_columns: 0.0,
            group_norm: 0.0,
            layer_norm_sums: 0.0,
            head: [0.0; 2],
            written_out: [0.0; 2],
            vocabulary_loss: 0.0,
            scan: 0.0,
            routing: 0.0,
            routed: 0.0,
            routed_narrow: 0.0,
            layout_conversion: 0.0,
            cast: 0.0,
            quantise: 0.0,
            optimizer: 0.0,
            unscale: 0.0,
            embedding: 0.0,
            kernels_forward: 0.0,
            kernels_backward: 0.0,
            kernels_optimizer: 0.0,
            optimizer_ahead: false,
            kernels_cast: 0.0,
            exchange: Exchange::default(),
            micro_steps: f64::from(s.accumulation.max(1)),
            bubble: f64::from(s.pipeline.saturating_sub(1)) / f64::from(s.interleave.max(1)),
            interleave: f64::from(s.interleave.max(1)),
            longest_stage: 1.0,
            batch: s.micro_batch,
            devices: f64::from(c.count),
            tensor: f64::from(s.tensor),
            pipeline: f64::from(s.pipeline),
            context: f64::from(s.context),
            expert: f64::from(s.expert),
            data: f64::from(if s.independent { 1 } else { s.data }),
            recompute: match s.recompute {
                Recompute::None => Recomputed::default(),
                Recompute::Selective if self.megatron_like => SELECTIVE_MEGATRON,
                Recompute::Selective if self.jax => SELECTIVE_JAX,
                Recompute::Selective => Recomputed {
                    attention: if software.flash_attention { 0.0 } else { 1.0 },
                    ..SELECTIVE_PYTORCH
                },
                Recompute::Full => Recomputed::FULL,
            },
            shard_stage: f64::from(s.sharding.stage()),
            parsed_samples: match c.workload.model.is_parsed_by_host(&software.framework) {
                true => s.micro_batch,
                false => 0.0,
            },
            awaited_samples: match software.tuning {
                // Raced detectors choose the boxes of all pictures at once.
                Some(Tuning::Benchmark) => 0.0,
                _ if c.workload.model.uneven_samples => s.micro_batch,
                _ => 0.0,
            },
            awaited_before: (BOXES_ON_DEVICES - software.date).max(0.0),
            awaited_input: self.awaited_input(),
            retried_layers: 0.0,
            awaited_experts: 0.0,
            layers: self.stack.map_or(0.0, |b| b.layers),
            hidden: self.stack.map_or(0.0, |b| b.hidden),
            tokens: self.stack.map_or(0.0, |b| b.tokens),
            experts: self.stack.map_or(0.0, |b| b.experts),
            parameters: self.profile.parameters,
            device_parameters: self.device_parameters(),
            tensors: self.profile.parameter_tensors,
            generation: a.generation,
            peak: self.device.peak,
            peak_fp32: fp32,
            peak_16bit: sixteen.unwrap_or(self.device.peak),
            bandwidth: self.device.bandwidth,
            units: self.device.units,
            memory: a.memory.value(),
            power: a.tdp.map_or(300.0, crate::units::Watts::value),
            power_density: match (a.tdp, sixteen) {
                (Some(watts), Some(rate)) if a.generation.has_matrix_units() => {
                    (watts.value() / (rate / 1e12)).ln()
                }
                _ => 0.0,
            },
            power_density_vector: a.tdp.map_or(0.0, |watts| {
                (watts.value() / (fp32 / 1e12) / AMPLE_DENSITY)
                    .ln()
                    .min(0.0)
            }),
            cache_mb: a.l2_mb.unwrap_or(6.0),
            clock_mhz: clocks::clock_mhz(a),
            part_year: f64::from(a.year),
            crowding: self.crowding(),
            consumer: is_consumer(&a.name),
            mode,
            width: self.spec.activation_bytes,
            low: !self.device.vector,
            mixed: mode.is_mixed(),
            date: era(software.date),
            fused: self.fused,
            megatron_like: self.megatron_like,
            recent_megatron: software.is_recent_megatron(),
            recent_experts: software.has_recent_experts()
                && self.stack.is_some_and(|b| b.expert_layers > 0.0),
            tensorflow: software.framework.starts_with("tensorflow"),
            mxnet: matches!(software.framework.as_str(), "mxnet" | "paddle"),
            jax: self.jax,
            compiled: software.compiled,
            xla: software.xla || self.jax,
            cuda_graph: software.cuda_graph,
            channels_last: software.channels_last,
            own_norms: self.takes_own_norms(),
            strided_norm: software.channels_last && self.c.workload.model.in_place_norm,
            stragglers: self.stragglers(),
            flash: software.flash_attention,
            overlap_stated: software.overlap,
            real_data: software.real_data,
            parameter_server: software.parameter_server,
            includes_idle: software.includes_idle,
            tuning: software.tuning,
            language: self.language,
            estimated: matches!(
                self.profile.origin,
                ProfileOrigin::Estimated | ProfileOrigin::Totals
            ),
            adapters: c.workload.adapters_only,
            forward_backward_only: c.workload.timed == TimedPart::ForwardBackward,
            single_process: s.single_process && c.count > 1,
            batch_stated: c.batch_stated,
        }
    }
}

/// Software dates in steps of two years: finer dates nearly name a publication.
fn era(date: f64) -> f64 {
    2017.0 + 2.0 * ((date - 2016.0) / 2.0).floor().max(0.0)
}

/// Parts sold for desktops run below their boost clock under load and have narrow PCIe slots.
fn is_consumer(name: &str) -> bool {
    let upper = name.to_uppercase();
    ["RTX", "GTX", "TITAN", "A4000", "A4500", "A5000", "A5500"]
        .iter()
        .any(|w| upper.starts_with(w))
        || upper.contains("MAX-Q")
}
