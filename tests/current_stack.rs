//! What PyTorch of today hands to which kernels, as the measured steps of an H200 show it (`assets/runs/mantissa.csv`).

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

#[path = "support/runs.rs"]
mod runs;

use mantissa::dataset::{MeasuredRun, YearMonth};
use mantissa::physics::{DepthwiseKernels, PrecisionView, StepWork};
use mantissa::predictor::Predictor;
use mantissa::predictor::train::TrainingSet;
use mantissa::presets::Catalogue;
use runs::resolved;

const H200: &str = "H200-SXM-141GB";

fn run(model: &str, gpu: &str, precision: &str) -> MeasuredRun {
    MeasuredRun {
        stack: Some("PyTorch 2.11.0, CUDA 13.0".into()),
        source_date: Some(YearMonth {
            year: 2026,
            month: Some(11),
        }),
        ..runs::run(model, gpu, precision)
    }
}

fn work(run: &MeasuredRun) -> StepWork {
    StepWork::new(&resolved(run), PrecisionView::Aware).expect("the part has the mode")
}

fn flagged(flag: &str, run: MeasuredRun) -> MeasuredRun {
    MeasuredRun {
        flags: vec![flag.into()],
        ..run
    }
}

#[test]
fn t5_writes_spans_where_it_is_pretrained_and_as_much_as_it_reads_where_it_translates() {
    let of_task = |model: &str, task: &str| {
        let run = MeasuredRun {
            task: Some(task.into()),
            seq_len: Some(1024),
            ..run(model, H200, "amp-bf16")
        };
        let configuration = resolved(&run);
        let blocks = configuration.workload.profile.blocks;
        let written = blocks.map_or(0.0, |b| b.predicted);
        (written, configuration.software.flash_attention)
    };
    assert_eq!(of_task("t5-base", "language-pretraining"), (228.0, false));
    assert_eq!(of_task("t5-base", "translation"), (1024.0, false));
    assert_eq!(of_task("bart-large", "language-pretraining").0, 1024.0);
    assert_eq!(of_task("bart-large-cnn", "language-finetuning").0, 142.0);
}

#[test]
fn encoders_and_nets_for_pictures_attend_in_one_kernel_since_2024() {
    let fused = |model: &str, precision: &str, stack: &str| {
        let run = MeasuredRun {
            stack: Some(stack.into()),
            ..run(model, H200, precision)
        };
        work(&run).exponentials > 0.0
    };
    let (recent, old) = ("PyTorch 2.11.0", "PyTorch 1.12");
    for model in ["bert-base", "vit-base-patch16-224", "gpt2", "dit-b-2"] {
        for precision in ["amp-bf16", "tf32", "fp32"] {
            assert!(fused(model, precision, recent), "{model} {precision}");
        }
        assert!(!fused(model, "amp-bf16", old), "{model}");
        // There is no such kernel for FP64, and NVIDIA's examples write attention out.
        assert!(!fused(model, "fp64", recent), "{model}");
    }
    let examples = "NVIDIA DeepLearningExamples, PyTorch 2.11.0";
    assert!(!fused("bert-base", "tf32", examples));
    // Products of activations that no softmax follows are no attention.
    assert!(!fused("dlrm-small", "amp-fp16", recent));
    assert!(!fused("resnet50", "amp-bf16", recent));
    // Their code writes it out.
    for model in [
        "levit-256",
        "volo-d1-224",
        "fastpitch",
        "transformer-xl-base",
    ] {
        assert!(!fused(model, "amp-bf16", recent), "{model}");
    }
    let eager = flagged("eager-attn", run("bert-base", H200, "bf16"));
    assert_eq!(work(&eager).exponentials, 0.0);
}

#[test]
fn fused_attention_in_tf32_is_no_faster_than_in_fp32() {
    let attention = |precision: &str| {
        let work = work(&run("gpt2", H200, precision));
        work.attention_forward + work.attention_backward
    };
    assert_eq!(attention("tf32"), attention("fp32"));
    assert!(attention("bf16") < 0.2 * attention("tf32"));
}

#[test]
fn convolutions_in_fp32_do_not_reach_for_a_doubled_rate() {
    let doubled = |gpu: &str, precision: &str| work(&run("resnet50", gpu, precision)).doubled_rate;
    assert!(doubled(H200, "fp32") && doubled("RTX3090-24GB", "fp32"));
    assert!(!doubled("A100-SXM4-80GB", "fp32") && !doubled("V100-SXM2-32GB", "fp32"));
    // 128 lanes that issue one instruction each a clock.
    assert!(!doubled("GTX1080Ti-11GB", "fp32"));
    assert!(!doubled(H200, "tf32") && !doubled(H200, "fp64"));
    assert!(!doubled("MI300X-192GB", "fp32"));
}

#[test]
fn wide_depthwise_kernels_on_nhwc_tensors_are_slow_in_32_bits() {
    let [convnext, efficientnet] = ["convnext-tiny", "efficientnet-b0"].map(|model| {
        |precision: &str| work(&flagged("channels_last", run(model, H200, precision)))
    });
    let wide = DepthwiseKernels::SingleChannelsLast as usize;
    let narrow = DepthwiseKernels::ChannelsLast as usize;
    for precision in ["tf32", "fp32"] {
        assert!(convnext(precision).depthwise[wide][1] > 0.0, "{precision}");
        let small = efficientnet(precision);
        assert_eq!(small.depthwise[wide], [0.0; 2], "{precision}");
        assert!(small.depthwise[narrow][0] > 0.0, "{precision}");
    }
    assert_eq!(convnext("amp-bf16").depthwise[wide], [0.0; 2]);
    // cuDNN has no such layout for FP64.
    assert_eq!(convnext("fp64").depthwise[wide], [0.0; 2]);
}

#[test]
fn pytorch_norms_batches_of_bf16_itself() {
    let own = |precision: &str, framework: &str| {
        let run = MeasuredRun {
            framework: Some(framework.into()),
            ..run("resnet50", H200, precision)
        };
        work(&run).own_norms
    };
    for precision in ["amp-bf16", "bf16", "fp16"] {
        assert!(own(precision, "pytorch"), "{precision}");
        assert!(!own(precision, "tensorflow"), "{precision}");
    }
    for precision in ["amp-fp16", "fp32", "tf32"] {
        assert!(!own(precision, "pytorch"), "{precision}");
    }
    // Blocks have no batch norms.
    for model in ["llama-3.2-1b", "bert-base"] {
        assert!(!work(&run(model, H200, "bf16")).own_norms, "{model}");
    }
}

#[test]
fn hopper_turns_tensors_for_tf32_too_and_no_faster_than_its_multiprocessors() {
    let turned =
        |gpu: &str, precision: &str| work(&run("resnet50", gpu, precision)).layout_conversion;
    assert_eq!(turned("A100-SXM4-80GB", "tf32"), 0.0);
    assert_eq!(turned(H200, "tf32"), turned(H200, "amp-fp16"));
    assert_eq!(turned(H200, "fp32"), 0.0);
    // As many multiprocessors at one clock, whatever their memory; a small part is bounded by its memory.
    let ratio = turned("H100-SXM5-80GB", "tf32") / turned(H200, "tf32");
    assert!((0.95..1.05).contains(&ratio), "{ratio}");
    let ratio = turned("A10-24GB", "amp-fp16") / turned(H200, "amp-fp16");
    assert!((3.5..5.0).contains(&ratio), "{ratio}");
    let last = flagged("channels_last", run("resnet50", H200, "tf32"));
    assert_eq!(work(&last).layout_conversion, 0.0);
}

#[test]
fn two_wide_groups_have_a_kernel_on_nhwc_tensors_since_cudnn_9() {
    let slow = |model: &str, stack: &str| {
        let run = MeasuredRun {
            stack: Some(stack.into()),
            ..flagged("channels_last", run(model, H200, "amp-bf16"))
        };
        work(&run).grouped_slow
    };
    assert!(slow("resnest50d", "PyTorch 1.12") > 0.0);
    assert_eq!(slow("resnest50d", "PyTorch 2.11.0"), 0.0);
    // Groups of 24 channels still have none.
    assert!(slow("regnety-032", "PyTorch 2.11.0") > 0.0);
}

#[test]
fn what_is_kept_to_judge_by_is_in_no_fit() {
    let catalogue = Catalogue::shipped().unwrap();
    let set = TrainingSet::shipped(&catalogue).unwrap();
    assert_eq!(set.test.len(), 247);
    let is_test = |source: &str| source == "mantissa";
    assert!(set.test.iter().all(|row| is_test(&row.run.source)));
    assert!(!set.rows.iter().any(|row| is_test(&row.run.source)));
    let predictor = Predictor::shipped().unwrap();
    let artifact = predictor.artifact();
    assert!(!(artifact.reference_runs.iter()).any(|run| is_test(&run.source)));
    let report = artifact.accuracy.test.as_ref().expect("it is scored");
    assert_eq!(report.predictor.rows, 247);
    assert_eq!(artifact.accuracy.test_memory.rows, 247);
}

#[test]
fn blocks_that_are_written_out_launch_their_norms_and_casts() {
    let kernels = |model: &str, precision: &str, flag: &str| {
        let run = MeasuredRun {
            flags: vec![flag.into()],
            seq_len: Some(1024),
            ..run(model, H200, precision)
        };
        work(&run).kernels_forward
    };
    // 16 blocks of two norms each and one at the end: two kernels more of each in 16 bits, which go to 32 and back.
    let more = kernels("llama-3.2-1b", "bf16", "") - kernels("llama-3.2-1b", "fp32", "");
    assert_eq!(more, 66.0);
    let norms = |model: &str| {
        let fused = MeasuredRun {
            framework: Some("megatron".into()),
            ..run(model, H200, "bf16")
        };
        // Merged stacks launch 0.3 of what is not a product.
        let written = work(&run(model, H200, "bf16"));
        (written.kernels_forward, work(&fused).kernels_forward)
    };
    let (llama, merged) = norms("llama-3.2-1b");
    assert!(llama > 2.0 * merged, "{llama} {merged}");
    let casts = kernels("llama-3.2-1b", "amp-bf16", "") - kernels("llama-3.2-1b", "bf16", "");
    assert_eq!(casts, 64.0);
    let moved = |precision: &str| work(&run("opt-125m", H200, precision)).autocasts;
    assert!(moved("amp-bf16") > 0.0 && moved("bf16") == 0.0);
}
