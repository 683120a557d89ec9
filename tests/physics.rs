//! What the physics tells apart in a run before anything is learned: software, task and network.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use mantissa::dataset::{MeasuredRun, YearMonth};
use mantissa::domain::Configuration;
use mantissa::physics::{PrecisionView, StepTimes, StepWork};
use mantissa::predictor::Predictor;
use mantissa::predictor::resolve::resolve;
use mantissa::presets::Catalogue;

fn run(model: &str, gpu: &str, precision: &str) -> MeasuredRun {
    MeasuredRun {
        model: model.into(),
        gpu: gpu.into(),
        gpus: 1,
        precision: Some(precision.into()),
        batch_per_gpu: Some(64.0),
        framework: Some("pytorch".into()),
        ..MeasuredRun::default()
    }
}

fn resolved(run: &MeasuredRun) -> Configuration {
    resolve(run, &Catalogue::shipped().unwrap()).expect("it resolves")
}

fn times(run: &MeasuredRun) -> StepTimes {
    let work = StepWork::new(&resolved(run), PrecisionView::Aware).expect("the part has the mode");
    let predictor = Predictor::shipped().unwrap();
    StepTimes::compose(&work, &predictor.artifact().stages.constants)
}

#[test]
fn three_by_three_convolutions_are_faster_where_kernels_are_tried_out() {
    let matmuls = |tuning: &str, precision: &str| {
        let run = MeasuredRun {
            tuning: Some(tuning.into()),
            ..run("vgg16", "V100-SXM2-32GB", precision)
        };
        times(&run).gemm
    };
    // Winograd's F(2×2, 3×3) multiplies 2.25 times less (arXiv 1509.09308, section 4.1).
    let gain = matmuls("plain", "fp32") / matmuls("tuned", "fp32");
    assert!((1.4..2.25).contains(&gain), "{gain}");
    assert_eq!(matmuls("plain", "amp-fp16"), matmuls("tuned", "amp-fp16"));
}

#[test]
fn in_place_norms_are_slow_on_nhwc_tensors() {
    let norm = |model: &str, flags: &[&str]| {
        let run = MeasuredRun {
            flags: flags.iter().map(|&f| f.into()).collect(),
            ..run(model, "RTX3090-24GB", "amp-fp16")
        };
        times(&run).norm
    };
    let slower = |model| norm(model, &["channels_last"]) / norm(model, &[]);
    assert!(slower("tresnet-m") > 10.0, "{}", slower("tresnet-m"));
    assert_eq!(slower("densenet121"), 1.0);
}

#[test]
fn an_encoder_is_fine_tuned_without_its_vocabulary() {
    let flops = |task: &str| {
        let run = MeasuredRun {
            task: Some(task.into()),
            seq_len: Some(384),
            ..run("bert-base", "V100-SXM2-32GB", "fp32")
        };
        resolved(&run).workload.profile.forward_flops()
    };
    // Masked words are 16 % of the positions, padding of their list included.
    let head = 2.0 * 0.16 * 384.0 * 30522.0 * 768.0;
    let more = flops("language-pretraining") - flops("language-finetuning");
    assert!((more / head - 1.0).abs() < 1e-6, "{more}");
}

#[test]
fn batches_binned_by_length_are_known_by_their_recipe() {
    let unpadded = |date: &str, length| {
        let run = MeasuredRun {
            task: Some("language-pretraining".into()),
            source_date: YearMonth::parse(date),
            stack: Some("NGC PyTorch".into()),
            seq_len: Some(length),
            ..run("bert-large", "A100-SXM4-80GB", "tf32")
        };
        resolved(&run).software.unpadded
    };
    assert!(unpadded("2022-12", 512));
    assert!(!unpadded("2022-12", 128));
    assert!(!unpadded("2020-06", 512));
}

#[test]
fn a_model_that_fits_no_device_is_cut_where_the_run_does_not_say_how() {
    let strategy = |model: &str, gpus| {
        let run = MeasuredRun {
            gpus,
            framework: Some("megatron".into()),
            batch_per_gpu: None,
            global_batch: Some(1152.0),
            seq_len: Some(4096),
            ..run(model, "H100-SXM5-80GB", "amp-bf16")
        };
        resolved(&run).strategy
    };
    let large = strategy("megatron-gpt-h100-177b", 4608);
    assert!(large.tensor == 8 && large.pipeline > 1, "{large:?}");
    assert_eq!(large.devices(), 4608);
    let contexts = MeasuredRun {
        gpus: 8,
        cp: Some(4),
        framework: Some("megatron".into()),
        seq_len: Some(4096),
        ..run("bigscience-gpt2-30b", "H100-SXM5-80GB", "amp-bf16")
    };
    assert_eq!(resolved(&contexts).strategy.devices(), 8);
    let small = strategy("gpt2-medium", 8);
    assert_eq!((small.tensor, small.pipeline), (1, 1));
}

#[test]
fn lambda_scores_the_whole_vocabulary_of_transformer_xl() {
    let flops = |stack: &str| {
        let run = MeasuredRun {
            stack: Some(stack.into()),
            seq_len: Some(192),
            ..run("transformer-xl-base", "A100-PCIE-40GB", "tf32")
        };
        resolved(&run).workload.profile.forward_flops()
    };
    let ratio = flops("NVIDIA DeepLearningExamples, PyTorch 1.13") / flops("NGC PyTorch 20.06");
    assert!(ratio > 2.0, "{ratio}");
}
