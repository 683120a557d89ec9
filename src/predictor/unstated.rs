//! Layouts, micro-steps and recomputation that a run does not state, read from what it does state.

use super::resolve::{framework, is_raced, trains_adapters};
use crate::dataset::MeasuredRun;
use crate::domain::{Accelerator, Configuration, OperatorProfile, Recompute};
use crate::physics::{PrecisionView, StepWork, memory_use};

/// Bytes of a frozen weight in 16 bits.
const FROZEN_WEIGHT: f64 = 2.0;
/// Share of a device's memory that frozen weights fill before they are cut.
const FROZEN_ROOM: f64 = 0.8;

/// Tensor- and context-parallel ranks of a run of adapters whose step has fewer samples than devices: devices times
/// accumulation over the batch says how many devices share a sample. The weights are cut until they fit, what is left of the
/// sharing cuts the sequence, as raced runs that state their layout do (MLPerf training v4 and v5: four tensor ranks on
/// 80 GB, two on 141 GB, none on 180 GB, the rest context ranks). `None` where a sample is one device's, or the run
/// states its context ranks.
pub(super) fn split_sample(
    run: &MeasuredRun,
    profile: &OperatorProfile,
    accelerator: &Accelerator,
) -> Option<(u32, u32)> {
    if !trains_adapters(run) || run.cp.is_some() || run.batch_per_gpu.is_some() {
        return None;
    }
    let ways = f64::from(run.gpus) * f64::from(run.grad_accum?) / run.global_batch?;
    if ways < 1.5 || ways.fract() != 0.0 || ways > f64::from(run.gpus) {
        return None;
    }
    let ways = ways as u32;
    let room = FROZEN_ROOM * accelerator.memory.value();
    let fits = |tensor: &u32| profile.parameters * FROZEN_WEIGHT / f64::from(*tensor) <= room;
    let tensor = [1, 2, 4, 8]
        .into_iter()
        .filter(|tensor| ways.is_multiple_of(*tensor))
        .find(fits)?;
    Some((tensor, ways / tensor))
}

/// Tensor-parallel ranks and pipeline stages of a run that states neither of them nor a sharding: one each, but where
/// Megatron's weights and states (6 bytes a parameter, 12 more shared out over the data-parallel ranks) would fill more
/// than 60 % of a device, the model is cut within the node first and into stages next, as its authors do
/// (arXiv 2104.04473, section 5.9).
pub(super) fn unstated_cut(
    run: &MeasuredRun,
    profile: &OperatorProfile,
    accelerator: &Accelerator,
    count: u32,
) -> (u32, u32) {
    let framework = framework(run);
    if !matches!(framework.as_str(), "megatron" | "nemo") {
        return (1, 1);
    }
    let layers = profile.blocks.map_or(1.0, |b| b.layers);
    let room = 0.6 * accelerator.memory.value();
    let fits = |&(tensor, pipeline): &(u32, u32)| {
        let cut = f64::from(tensor * pipeline);
        let data = (f64::from(count) / cut).max(1.0);
        profile.parameters / cut * (6.0 + 12.0 / data) <= room
    };
    let whole = |&(tensor, pipeline): &(u32, u32)| {
        count.is_multiple_of(tensor * pipeline) && layers % f64::from(pipeline) == 0.0
    };
    let within = [1, 2, 4, 8].map(|tensor| (tensor, 1));
    let stages = (2..=64).map(|pipeline| (8, pipeline));
    within
        .into_iter()
        .chain(stages)
        .filter(whole)
        .find(fits)
        .unwrap_or((1, 1))
}

/// Virtual stages of a run that states none: raced pipelines give each chunk two layers (MLPerf training, NVIDIA's
/// configurations: `INTERLEAVED_PIPELINE` 6 for the 96 layers of GPT-3 and 8 for the 126 of Llama 3.1 405B, on 8 stages
/// each); others run plainly.
pub(super) fn unstated_interleave(
    run: &MeasuredRun,
    profile: &OperatorProfile,
    pipeline: u32,
) -> u32 {
    if !is_raced(run) || pipeline <= 1 {
        return 1;
    }
    let layers = profile.blocks.map_or(1.0, |b| b.layers);
    (layers / f64::from(2 * pipeline)).round().max(1.0) as u32
}

/// Recomputes in JAX as little as lets a language model fit that ran and says nothing of it: its recipes accumulate nothing, and
/// compute blocks anew unless they are told otherwise (MaxText: `remat_policy` is `full`). What fits under no policy is recomputed
/// in full, and the host keeps the rest.
pub(super) fn recompute_to_fit(run: &MeasuredRun, c: &mut Configuration) {
    let language = c
        .workload
        .profile
        .blocks
        .is_some_and(|b| b.vocabulary > 0.0);
    if run.act_ckpt.is_some() || !language || !c.software.is_jax() {
        return;
    }
    let Ok(work) = StepWork::new(c, PrecisionView::Aware) else {
        return;
    };
    c.strategy.recompute = [Recompute::None, Recompute::Selective, Recompute::Full]
        .into_iter()
        .find(|&recompute| {
            c.strategy.recompute = recompute;
            memory_use(c, work.device_parameters).may_fit()
        })
        .unwrap_or(Recompute::Full);
}

/// Takes the fewest micro-steps whose samples fit a device, where a run that is no pipeline leaves open how many it takes: the
/// fewer, the larger its matmuls.
pub(super) fn fill_devices(run: &MeasuredRun, c: &mut Configuration) {
    if c.batch_stated || run.grad_accum.is_some() || c.strategy.pipeline > 1 {
        return;
    }
    let Ok(work) = StepWork::new(c, PrecisionView::Aware) else {
        return;
    };
    let most = c.strategy.accumulation;
    let samples = c.strategy.micro_batch * f64::from(most);
    let fewest = (1..most)
        .filter(|&steps| most.is_multiple_of(steps))
        .find(|&steps| {
            c.strategy.accumulation = steps;
            c.strategy.micro_batch = samples / f64::from(steps);
            memory_use(c, work.device_parameters).fits()
        })
        .unwrap_or(most);
    c.strategy.accumulation = fewest;
    c.strategy.micro_batch = samples / f64::from(fewest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Strategy;
    use crate::predictor::resolve::resolve;
    use crate::presets::Catalogue;

    fn cut(gpu: &str, gpus: u32, accumulation: u32, flags: &[&str]) -> (u32, u32, u32) {
        let run = MeasuredRun {
            model: "llama2-70b".into(),
            gpu: gpu.into(),
            gpus,
            precision: Some("fp8".into()),
            framework: Some("nemo".into()),
            seq_len: Some(8192),
            global_batch: Some(8.0),
            grad_accum: Some(accumulation),
            flags: flags.iter().map(|f| (*f).to_owned()).collect(),
            ..MeasuredRun::default()
        };
        let s = resolve(&run, &Catalogue::shipped().unwrap())
            .unwrap()
            .strategy;
        (s.tensor, s.context, s.data)
    }

    fn strategy(model: &str, gpu: &str, framework: &str, act_ckpt: Option<&str>) -> Strategy {
        let run = MeasuredRun {
            model: model.into(),
            gpu: gpu.into(),
            gpus: 8,
            precision: Some("amp-bf16".into()),
            framework: Some(framework.into()),
            seq_len: Some(2048),
            global_batch: Some(256.0),
            act_ckpt: act_ckpt.map(str::to_owned),
            flags: vec!["flash-attn".into()],
            ..MeasuredRun::default()
        };
        let catalogue = Catalogue::shipped().unwrap();
        resolve(&run, &catalogue).unwrap().strategy
    }

    #[test]
    fn devices_take_as_many_samples_at_once_as_fit() {
        let small = strategy("gpt3-125m", "A100-SXM4-80GB", "pytorch", None);
        let large = strategy("gpt3-1.3b", "A100-SXM4-80GB", "pytorch", None);
        assert_eq!((small.micro_batch, small.accumulation), (32.0, 1));
        assert!((2..=8).contains(&large.accumulation), "{large:?}");
        let half = strategy("gpt3-125m", "A100-SXM4-40GB", "pytorch", None);
        assert!(half.accumulation > small.accumulation, "{half:?}");
    }

    #[test]
    fn jax_takes_its_batch_at_once_and_computes_anew_what_does_not_fit() {
        let open = strategy("llama3-8b", "TPUv6e", "maxtext", None);
        assert_eq!(
            (open.accumulation, open.recompute),
            (1, Recompute::Full),
            "{open:?}"
        );
        // What is stated stands.
        let stated = strategy("llama3-8b", "TPUv6e", "maxtext", Some("none"));
        assert_eq!(stated.recompute, Recompute::None);
        let small = strategy("gpt3-125m", "TPUv5p", "maxtext", None);
        assert_eq!(small.recompute, Recompute::None);
    }

    #[test]
    fn devices_that_share_a_sample_cut_frozen_weights_until_they_fit_and_then_the_sequence() {
        // What raced runs on the same parts state.
        assert_eq!(cut("H100-SXM5-80GB", 8, 4, &["lora"]), (4, 1, 2));
        assert_eq!(cut("H100-SXM5-80GB", 64, 1, &["lora"]), (4, 2, 8));
        assert_eq!(cut("H200-SXM-141GB", 8, 2, &["lora"]), (2, 1, 4));
        assert_eq!(cut("B200-SXM-180GB", 16, 1, &["lora"]), (1, 2, 8));
        // A sample to each device: nothing is shared.
        assert_eq!(cut("B200-SXM-180GB", 8, 1, &["lora"]).1, 1);
    }
}
