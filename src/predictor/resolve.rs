//! From the words of a measured run to a configuration.
//!
//! Only what a run states of its configuration is read, never its outcome. Where a run is silent the typical value is
//! taken; a batch that had to be assumed is marked.

use super::libraries::{Library, framework_of, library};
use super::recipes::{self, as_trained, binned_by_length, optimizer_kernels};
use super::unstated::{
    fill_devices, recompute_to_fit, split_sample, unstated_cut, unstated_interleave,
};
use crate::dataset::MeasuredRun;
use crate::domain::{
    Accelerator, Configuration, FINE_TUNING, FUSED_ATTENTION_SINCE, Fabric, Model, Offload,
    OperatorProfile, Optimizer, OptimizerKernels, PrecisionMode, PrecisionSpec, Recompute,
    Sharding, SoftwareStack, Strategy, TimedPart, Tuning, Workload, is_jax, newest_until,
};
use crate::presets::Catalogue;
use std::sync::Arc;

/// Why a run gets no configuration, as a sentence.
pub type Unresolved = String;

/// Software date where a run states none: a recent stack.
const DEFAULT_DATE: f64 = 2024.5;

/// Resolves one run.
///
/// # Errors
/// A sentence naming what is unknown or missing.
pub fn resolve(run: &MeasuredRun, catalogue: &Catalogue) -> Result<Configuration, Unresolved> {
    let accelerator = catalogue.accelerator(&run.gpu).map_err(|e| e.to_string())?;
    let model = as_trained(run, catalogue)?;
    let model = &match run.task.as_deref() {
        Some(task) if task == FINE_TUNING || model.decoder_tokens().is_some() => {
            model.for_task(task)
        }
        _ => model,
    };
    let word = run
        .precision
        .as_deref()
        .filter(|w| !w.is_empty())
        .ok_or("precision not stated")?;
    let mode: PrecisionMode = word
        .parse()
        .map_err(|e: crate::domain::UnknownPrecision| e.to_string())?;
    accelerator.peak(mode).map_err(|e| e.to_string())?;
    let image_size = run.image_size.or(model.image_size);
    let sentences = || recipes::sentence_tokens(run, model);
    let seq_len = run.seq_len.or_else(sentences).or(model.seq_len);
    let profile = catalogue
        .profile(model, seq_len, image_size)
        .map_err(|e| e.to_string())?;
    let software = software(run, model, mode, seq_len, &profile);
    let (strategy, batch_stated) = strategy(run, model, &profile, accelerator, seq_len, &software)?;
    let mut configuration = Configuration {
        workload: Workload {
            model: Arc::clone(model),
            profile,
            seq_len,
            image_size,
            optimizer: optimizer(model, run),
            adapters_only: trains_adapters(run),
            adapters: None,
            timed: if run.is_forward_backward_only() {
                TimedPart::ForwardBackward
            } else {
                TimedPart::FullStep
            },
        },
        accelerator: Arc::clone(accelerator),
        count: run.gpus,
        fabric: fabric(run, accelerator, catalogue),
        precision: precision(run, model, mode, &software, catalogue),
        strategy,
        software,
        batch_stated,
    };
    fill_devices(run, &mut configuration);
    recompute_to_fit(run, &mut configuration);
    Ok(configuration)
}

fn precision(
    run: &MeasuredRun,
    model: &Model,
    mode: PrecisionMode,
    software: &SoftwareStack,
    catalogue: &Catalogue,
) -> PrecisionSpec {
    let spec = catalogue.precision(mode);
    match recipes::casts_whole_model(run, model, mode, software) {
        true => spec.of_whole_model(),
        false => spec,
    }
}

fn fabric(run: &MeasuredRun, accelerator: &Accelerator, catalogue: &Catalogue) -> Fabric {
    let system = run
        .system
        .as_deref()
        .and_then(|name| catalogue.system(name).ok());
    let words = format!(
        "{} {} {}",
        run.interconnect.as_deref().unwrap_or(""),
        run.system.as_deref().unwrap_or(""),
        run.flags.join(" ")
    );
    catalogue.fabric(
        accelerator,
        system.map(|s| &**s),
        run.gpus,
        run.nodes.or_else(|| placement(run)),
        Some(&words),
    )
}

/// Nodes of a run that says in words how its workers are placed.
fn placement(run: &MeasuredRun) -> Option<u32> {
    let words = run.interconnect.as_deref()?.to_lowercase();
    if words.contains("different servers") {
        Some(run.gpus)
    } else {
        words.contains("one server").then_some(1)
    }
}

fn optimizer(model: &Model, run: &MeasuredRun) -> Optimizer {
    let stated = run.flags.iter().find_map(|f| f.to_lowercase().parse().ok());
    stated.unwrap_or(model.optimizer)
}

fn software(
    run: &MeasuredRun,
    model: &Model,
    mode: PrecisionMode,
    seq_len: Option<u32>,
    profile: &OperatorProfile,
) -> SoftwareStack {
    let framework = framework(run);
    let flag = |word: &str| run.flags.iter().any(|f| f.to_lowercase().contains(word));
    let stack = recipes::stack_of(run);
    let library = library_of(run);
    let stated = run
        .source_date
        .map_or(DEFAULT_DATE, crate::dataset::YearMonth::year_fraction);
    // What is measured on an old version is as old as that.
    let date = newest_until(&stack).map_or(stated, |until| stated.min(until));
    let tuning = tuning(run);
    let benchmark = is_raced(run);
    let causal = profile.blocks.is_some_and(|b| b.causal);
    let eager = flag("eager-attn") || flag("torch-attn") || stack.contains("eager attention");
    SoftwareStack {
        date,
        tuning,
        compiled: flag("compile") && !flag("no-compile"),
        fused_kernels: recipes::fuses_by_hand(model, &framework, &stack)
            || library.is_some_and(|l| l.fuses_blocks)
            || cuts_layers(run, &framework),
        fused_loss: library.is_some_and(|l| l.fuses_loss),
        optimizer: match library {
            Some(library) if library.fuses_optimizer => OptimizerKernels::Fused,
            _ => optimizer_kernels(model, mode, &framework, &stack, benchmark),
        },
        xla: flag("xla") || is_jax(&framework),
        // Raced steps are captured as graphs from v1.0 of MLPerf on ("Accelerating MLPerf training v1.0 with CUDA Graphs",
        // NVIDIA technical blog, 2021).
        cuda_graph: flag("graph") || (benchmark && date >= 2021.4),
        flash_attention: flag("flash")
            || stack.contains("flash")
            || (!model.unfused_attention
                && (fused_by_default(&framework, &stack, date, benchmark)
                    || (causal && !eager && has_fused_attention(&framework, mode, date))
                    || (!eager
                        && recipes::has_torch_attention(&framework, &stack, profile, mode, date)))),
        eager_attention: eager,
        // TensorFlow's layout optimizer turns graphs to NHWC on Volta and later where most of their 2-D convolutions run in
        // FP16 (`grappler/optimizers/generic_layout_optimizer.cc`).
        channels_last: flag("channels_last")
            || flag("dali")
            || benchmark
            || (framework.starts_with("tensorflow") && mode == PrecisionMode::AmpFp16),
        overlap: flag("overlap"),
        real_data: flag("real-data") || model.is_parsed_by_host(&framework),
        parameter_server: flag("parameter-server"),
        includes_idle: flag("lower-bound"),
        unpadded: flag("unpadded")
            || (model.family == "bert"
                && (benchmark || binned_by_length(model, seq_len, &framework, &stack, date))),
        framework,
    }
}

/// Stacks that ship fused attention as the default since some date: NeMo and JAX from spring 2023, Megatron core from
/// autumn 2023, raced stacks from v1.0 of MLPerf (fused multi-head attention) on.
fn fused_by_default(framework: &str, stack: &str, date: f64, benchmark: bool) -> bool {
    match framework {
        "nemo" | "maxtext" | "llm.c" | "jax" => date > 2023.3,
        "megatron" => date >= 2023.9 && !stack.contains("deepspeed"),
        _ => benchmark && date >= 2021.4,
    }
}

/// Whether causal models get fused attention without asking: stacks on PyTorch do since its 2.0, in 16 bits.
fn has_fused_attention(framework: &str, mode: PrecisionMode, date: f64) -> bool {
    let other = [
        "tensorflow",
        "mxnet",
        "paddle",
        "jax",
        "maxtext",
        "megatron",
        "nemo",
    ];
    let wide = matches!(
        mode,
        PrecisionMode::Fp64 | PrecisionMode::Fp32 | PrecisionMode::Tf32
    );
    !wide && date >= FUSED_ATTENTION_SINCE && !other.iter().any(|o| framework.starts_with(o))
}

struct Batch {
    micro: f64,
    accumulation: u32,
    stated: bool,
}

fn strategy(
    run: &MeasuredRun,
    model: &Model,
    profile: &OperatorProfile,
    accelerator: &Accelerator,
    seq_len: Option<u32>,
    software: &SoftwareStack,
) -> Result<(Strategy, bool), Unresolved> {
    let count = run.gpus;
    let mut tensor = run.tp.unwrap_or(1).clamp(1, count);
    let mut pipeline = run.pp.unwrap_or(1).max(1);
    let mut context = run.cp.unwrap_or(1).max(1);
    if tensor.saturating_mul(pipeline).saturating_mul(context) > count {
        // Degrees of another table column: keep what fits, the inner ones first.
        context = 1;
        pipeline = (count / tensor).min(pipeline).max(1);
        tensor = (count / pipeline).min(tensor).max(1);
    }
    let language = profile.blocks.is_some_and(|b| b.vocabulary > 0.0);
    if language && run.tp.is_none() && run.pp.is_none() && run.sharding.is_none() {
        match split_sample(run, profile, accelerator) {
            Some(ways) => (tensor, context) = ways,
            None => (tensor, pipeline) = unstated_cut(run, profile, accelerator, count / context),
        }
    }
    let data = (count / (tensor * pipeline * context)).max(1);
    let batch = batch(run, model, data, language, seq_len, pipeline)?;
    let mut sharding: Sharding = run
        .sharding
        .as_deref()
        .and_then(|w| w.parse().ok())
        .unwrap_or_default();
    let framework = &software.framework;
    if run.sharding.is_none() && language && software.is_jax() {
        sharding = Sharding::Fsdp;
    }
    if sharding == Sharding::None && language && software.is_recent_megatron() {
        sharding = Sharding::Zero1;
    }
    let recompute: Recompute = run
        .act_ckpt
        .as_deref()
        .and_then(|w| w.parse().ok())
        .unwrap_or_default();
    let strategy = Strategy {
        data,
        tensor,
        pipeline,
        interleave: interleave(&run.flags)
            .unwrap_or_else(|| unstated_interleave(run, profile, pipeline)),
        context,
        expert: run.ep.unwrap_or(1).max(1),
        sharding,
        micro_batch: batch.micro,
        accumulation: batch.accumulation,
        recompute,
        offload: Offload::None,
        sequence_parallel: tensor > 1 && sequence_parallel(run, framework),
        single_process: run.is_data_parallel(),
        independent: recipes::forgets_exchange(run),
    };
    Ok((strategy, batch.stated))
}

/// Whether low-rank adapters alone are trained.
pub(super) fn trains_adapters(run: &MeasuredRun) -> bool {
    run.flags.iter().any(|f| f.to_lowercase().contains("lora"))
}

/// How far the run's stack was taken, where it says.
fn tuning(run: &MeasuredRun) -> Option<Tuning> {
    run.tuning.as_deref().and_then(|w| w.parse().ok())
}

pub(super) fn is_raced(run: &MeasuredRun) -> bool {
    tuning(run) == Some(Tuning::Benchmark)
}

/// What a run gives as its framework, in lower case.
fn listed_framework(run: &MeasuredRun) -> String {
    run.framework.as_deref().unwrap_or("").to_lowercase()
}

/// The framework a run names, in lower case, the one that its library is built on, or the one that it was raced in.
pub(super) fn framework(run: &MeasuredRun) -> String {
    let listed = listed_framework(run);
    recipes::raced_in(run, &listed)
        .unwrap_or_else(|| framework_of(&listed))
        .to_owned()
}

/// The library of a run that does more unasked than its framework.
fn library_of(run: &MeasuredRun) -> Option<&'static Library> {
    let stack = recipes::stack_of(run);
    library(&listed_framework(run), &framework(run), &stack)
}

/// Whether a run on PyTorch cuts its layers: whoever does trains by a library that brings kernels for norms of its own, as those
/// of [`library`](fn@library) do.
fn cuts_layers(run: &MeasuredRun, framework: &str) -> bool {
    framework == "pytorch" && run.tp.is_some_and(|tensor| tensor > 1)
}

/// Sequence parallelism beside tensor parallelism: as stated, else unasked in Megatron and NeMo since mid 2022 (arXiv
/// 2205.05198), in the libraries that have it so, and in what else cuts layers on PyTorch since its own plans do
/// (`torch.distributed.tensor.parallel.SequenceParallel`, with 2.2).
fn sequence_parallel(run: &MeasuredRun, framework: &str) -> bool {
    const MEGATRON_SINCE: f64 = 2022.5;
    const PYTORCH_SINCE: f64 = 2024.0;
    let says = |words: &[&str]| {
        let said = |f: &String| words.iter().any(|w| f.to_lowercase().contains(w));
        run.flags.iter().any(said)
    };
    if says(&[
        "seq-par",
        "seq_par",
        "sequence-par",
        "sequence_par",
        "tp-mode=reduce",
        "tp_mode=reduce",
    ]) {
        return true;
    }
    // As nanotron names what it can do instead.
    if says(&["tp-mode=all", "tp_mode=all"]) {
        return false;
    }
    let date = run.source_date.map_or(DEFAULT_DATE, |d| d.year_fraction());
    match framework {
        "megatron" | "nemo" => date >= MEGATRON_SINCE,
        _ => {
            library_of(run).is_some_and(|l| l.sequence_parallel)
                || (framework == "pytorch" && date >= PYTORCH_SINCE)
        }
    }
}

/// Virtual pipeline stages from flags such as `vp=4` or `interleaved4`.
fn interleave(flags: &[String]) -> Option<u32> {
    flags.iter().find_map(|flag| {
        let flag = flag.to_lowercase();
        let rest = ["vpp", "vp", "interleaved", "interleave"]
            .iter()
            .find_map(|p| flag.strip_prefix(p))?;
        let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|v| (1..=64).contains(v))
    })
}

/// Micro-batch and accumulation from what is stated of per-device batch, global batch and accumulation.
fn batch(
    run: &MeasuredRun,
    model: &Model,
    data: u32,
    language: bool,
    seq_len: Option<u32>,
    pipeline: u32,
) -> Result<Batch, Unresolved> {
    let ranks = f64::from(data);
    let tokens = f64::from(seq_len.unwrap_or(1));
    let mut stated = true;
    let micro = match (run.batch_per_gpu, run.global_batch) {
        (Some(micro), _) => micro,
        (None, Some(global)) => {
            let steps = run.grad_accum.map_or(1.0, |a| f64::from(a.max(1)));
            let mut micro = global / ranks / steps;
            // A global batch that no device would take at once was accumulated; how finely is not stated. JAX's recipes compute
            // anew what does not fit, and accumulate where they say so (MaxText: `gradient_accumulation_steps` is 1).
            let most = (8192.0 / tokens).max(1.0);
            if language
                && !is_jax(&framework(run))
                && run.grad_accum.is_none()
                && micro > most
                && (pipeline > 1 || micro * tokens > 32768.0)
            {
                micro = if pipeline > 1 { 1.0 } else { most };
                stated = false;
            }
            micro
        }
        (None, None) => {
            stated = false;
            model.batch_per_gpu.unwrap_or(if language {
                (8192.0 / tokens).max(1.0)
            } else {
                64.0
            })
        }
    };
    if !(micro.is_finite() && micro > 0.0) {
        return Err("batch is not a positive number".into());
    }
    let global = run
        .global_batch
        .unwrap_or(micro * ranks * f64::from(run.grad_accum.unwrap_or(1).max(1)));
    let steps = (global / (ranks * micro)).max(1.0);
    let rounded = steps.round().max(1.0);
    // What does not divide evenly is spread over the same number of micro-steps.
    let micro = if micro * ranks > global {
        global / ranks
    } else {
        global / ranks / rounded
    };
    Ok(Batch {
        micro,
        accumulation: rounded as u32,
        stated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaving_is_read_from_flags() {
        let flags = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        assert_eq!(interleave(&flags(&["1f1b", "vp=4"])), Some(4));
        assert_eq!(interleave(&flags(&["1f1b"])), None);
    }
}
