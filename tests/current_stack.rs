//! What PyTorch of today hands to which kernels, as the measured steps of an H200 show it (`assets/runs/mantissa.csv`).

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

#[path = "support/runs.rs"]
mod runs;

use mantissa::dataset::{MeasuredRun, YearMonth};
use mantissa::physics::{
    Constant, Constants, DepthwiseKernels, PrecisionView, StepTimes, StepWork, memory_use,
};
use mantissa::predictor::Predictor;
use mantissa::predictor::train::{OWN, TrainingSet};
use mantissa::presets::Catalogue;
use runs::resolved;
use std::collections::BTreeSet;

const H200: &str = "H200-SXM-141GB";
const H100: &str = "H100-SXM5-80GB";

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
    assert_eq!(slow("regnetx-032", "PyTorch 2.11.0"), 0.0);
    // Groups of 24 channels still have none.
    assert!(slow("regnety-032", "PyTorch 2.11.0") > 0.0);
}

#[test]
fn what_is_kept_to_judge_by_is_in_no_fit() {
    let catalogue = Catalogue::shipped().unwrap();
    let set = TrainingSet::shipped(&catalogue).unwrap();
    assert_eq!(set.test.len(), 360);
    assert!(set.test.iter().all(|row| row.run.source == OWN));
    let sources: BTreeSet<&str> = (set.found.iter())
        .map(|row| row.run.source.as_str())
        .collect();
    assert_eq!((set.found.len(), sources.len()), (1717, 16));
    let is_test = |source: &str| source == OWN || sources.contains(source);
    assert!(!set.rows.iter().any(|row| is_test(&row.run.source)));
    let predictor = Predictor::shipped().unwrap();
    let artifact = predictor.artifact();
    assert!(!(artifact.reference_runs.iter()).any(|run| is_test(&run.source)));
    let report = artifact.accuracy.test.as_ref().expect("it is scored");
    assert_eq!(report.predictor.rows, 360);
    let found = artifact.accuracy.found.as_ref().expect("it is scored");
    assert_eq!(found.predictor.rows, 1717);
    assert_eq!(artifact.accuracy.test_memory.rows, 360);
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

/// Batch 8 of 1024 tokens on one device.
fn language(model: &str, precision: &str) -> MeasuredRun {
    MeasuredRun {
        batch_per_gpu: Some(8.0),
        seq_len: Some(1024),
        ..run(model, H200, precision)
    }
}

#[test]
fn a_loss_over_a_vocabulary_runs_in_many_kernels_unless_it_is_fused() {
    let bandwidth = 4.8e12;
    let bytes = |run: &MeasuredRun| {
        let blocks = resolved(run).workload.profile.blocks.unwrap();
        let scores = 8.0 * 1024.0 * blocks.vocabulary;
        work(run).vocabulary_loss * bandwidth / scores
    };
    let close = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}")
    };
    close(bytes(&language("opt-125m", "tf32")), 40.0);
    // Cast to 32 bits, and the gradient back.
    close(bytes(&language("opt-125m", "amp-bf16")), 52.0);
    close(bytes(&language("opt-125m", "bf16")), 52.0);
    // Two reads, a read and a write of two bytes each.
    close(
        bytes(&flagged("compile", language("opt-125m", "amp-bf16"))),
        8.0,
    );
    let on = |framework: &str, year: u16| MeasuredRun {
        framework: Some(framework.into()),
        stack: None,
        source_date: Some(YearMonth {
            year,
            month: Some(6),
        }),
        ..language("opt-125m", "amp-bf16")
    };
    close(bytes(&on("megatron", 2022)), 52.0);
    close(bytes(&on("megatron", 2025)), 8.0);
    close(bytes(&on("jax", 2022)), 8.0);
    let foundry = MeasuredRun {
        stack: Some("llm-foundry + Composer FSDP".into()),
        ..language("opt-125m", "amp-bf16")
    };
    close(bytes(&foundry), 8.0);
    assert_eq!(
        work(&language("vit-base-patch16-224", "bf16")).vocabulary_loss,
        0.0
    );
}

#[test]
fn root_norms_and_turns_that_are_written_out_move_and_launch_more() {
    // 16 blocks of two norms each and one at the end, 2048 wide.
    let elements = 33.0 * 8.0 * 1024.0 * 2048.0;
    for (precision, bytes) in [
        ("tf32", [20.0, 72.0]),
        ("amp-bf16", [20.0, 72.0]),
        ("bf16", [32.0, 78.0]),
    ] {
        let found = work(&language("llama-3.2-1b", precision)).written_out;
        for (found, bytes) in found.iter().zip(bytes) {
            let expected = elements * bytes / 4.8e12;
            assert!(
                (found / expected - 1.0).abs() < 0.01,
                "{precision}: {found} {expected}"
            );
        }
    }
    let kernels = |model: &str| {
        let found = work(&language(model, "bf16"));
        (found.kernels_forward, found.kernels_backward)
    };
    // OLMo has as many layers of as many products as Pythia, gated ones beside; both have layer norms, and OLMo turns its queries.
    let (turning, plain) = (kernels("olmo-1b"), kernels("pythia-1b"));
    assert!(turning.0 - plain.0 >= 160.0 && turning.1 - plain.1 >= 160.0);
}

#[test]
fn batch_norms_of_nchw_take_elements_at_a_rate_of_their_own() {
    let norms = |model: &str, gpu: &str, precision: &str| {
        let found = work(&MeasuredRun {
            batch_per_gpu: Some(64.0),
            ..run(model, gpu, precision)
        });
        (found.channel_norms, found.channel_norm_share)
    };
    let (wide, share) = norms("resnet50", H200, "tf32");
    // 8.5 of the 11.1 M elements that its convolutions write lie in planes of 28 × 28 and more.
    assert!((share - 8.529_920 / 11.113_984).abs() < 1e-3, "{share}");
    // As long whatever the width, and whatever the bandwidth of as many multiprocessors at one clock.
    assert_eq!(norms("resnet50", H200, "amp-fp16").0, wide);
    let slower = norms("resnet50", "H100-SXM5-80GB", "tf32").0;
    assert!((slower[0] / wide[0] - 1.0).abs() < 0.05);
    // 53 norms of 22.3 M counted elements on 132 multiprocessors, most of them with a channel each.
    let whole = 22_307_648.0 * 64.0 / (132.0 * 1.98e9);
    assert!(
        (1.0..1.5).contains(&(wide[0] / share / whole)),
        "{wide:?} {whole}"
    );
    let last = flagged("channels_last", run("resnet50", H200, "tf32"));
    assert_eq!(work(&last).channel_norms, [0.0; 2]);
    assert_eq!(
        norms("vit-base-patch16-224", H200, "tf32").0,
        [0.0; 2],
        "its norms are of layers"
    );
    let times = |model: &str| {
        let k = Constants::default();
        let of =
            |precision| StepTimes::compose(&work(&run(model, "B200-SXM-180GB", precision)), &k);
        of("tf32").norm / of("amp-fp16").norm
    };
    assert!(times("resnet50") < 1.4, "16 bits spare norms little");
}

/// Nanoseconds for each row of a net's layer norms, forward and of the sums over them.
fn nanoseconds_a_row(run: &MeasuredRun) -> [f64; 2] {
    let traced = resolved(run).workload.profile.autocast.clone().unwrap();
    let rows: f64 = traced.shapes.iter().map(|n| n.rows * n.count).sum();
    let (w, k) = (work(run), Constants::default());
    let seconds = [
        k.factor(Constant::LayerNormRow) * w.layer_norm_rows,
        k.factor(Constant::LayerNormColumn) * w.layer_norm_columns,
    ];
    seconds.map(|s| s * 1e9 / (rows * 64.0))
}

#[test]
fn rows_of_layer_norms_wait_for_their_blocks() {
    let is_near = |found: f64, measured: f64| {
        let ratio = found / measured;
        assert!((0.85..1.15).contains(&ratio), "{found} {measured}");
    };
    // Kernels of the H200 in `assets/kernels`: rows of 384 and 768 elements, and of 152 on the mean.
    for (model, forward) in [
        ("deit-small-patch16-224", 2.06),
        ("mixer-b16-224", 2.96),
        ("coat-tiny", 1.79),
    ] {
        is_near(nanoseconds_a_row(&run(model, H200, "tf32"))[0], forward);
        is_near(nanoseconds_a_row(&run(model, H200, "amp-bf16"))[0], forward);
    }
    // ViT-B's, as short in 16 bits on an H100.
    let half = run("vit-base-patch16-224", H100, "bf16");
    is_near(nanoseconds_a_row(&half)[0], 2.2);

    let rows = |model: &str, kept: f64| {
        let w = work(&run(model, H200, "amp-bf16"));
        let k = Constants::default();
        let norm = |share: f64| {
            let of = StepWork {
                layer_norm_rows: w.layer_norm_rows * share,
                ..w.clone()
            };
            StepTimes::compose(&of, &k).norm
        };
        norm(kept) / norm(0.0)
    };
    // Rows of 96 to 768 elements, and of 1024, which wait for their length and would not as short ones do.
    let short = rows("convnext-tiny", 1.0);
    assert!(short > 1.3, "{short}");
    let as_short = 1.0 / (1.0 + 1024.0 * 4.0 / 2600.0);
    assert!(rows("vit-large-patch16-224", as_short) < 1.1);
    let long = rows("vit-large-patch16-224", 1.0);
    assert!(long > 1.1 && long < short, "{long}");
}

#[test]
fn sums_over_rows_of_layer_norms_leave_most_multiprocessors_idle() {
    let sums = |model: &str, gpu: &str| nanoseconds_a_row(&run(model, gpu, "tf32"))[1];
    for (model, measured) in [("deit-small-patch16-224", 4.24), ("mixer-b16-224", 4.58)] {
        let ratio = sums(model, H200) / measured;
        assert!((0.85..1.15).contains(&ratio), "{model} {ratio}");
    }
    assert!(
        sums("swin-tiny-patch4-window7-224", H200) < 0.4 * sums("mixer-b16-224", H200),
        "many rows are split"
    );
    let dated = |year, month| MeasuredRun {
        stack: None,
        source_date: Some(YearMonth {
            year,
            month: Some(month),
        }),
        ..run("swin-tiny-patch4-window7-224", H200, "tf32")
    };
    let of = |run: &MeasuredRun| nanoseconds_a_row(run)[1];
    assert_eq!(of(&dated(2022, 6)), 0.0, "PyTorch 1.11 splits all");
    assert!(of(&dated(2024, 6)) > 3.0, "PyTorch 2.3 splits none");
    // Blocks whose norms are of roots have none.
    let written = |model: &str| work(&run(model, H200, "bf16")).layer_norm_columns;
    assert!(written("gpt2") > 0.0);
    assert_eq!(written("llama-3.2-1b"), 0.0);
}

#[test]
fn gpt_2_and_its_heirs_write_their_activation_out() {
    let written = |run: &MeasuredRun| work(run).written_out;
    // 12 layers 3072 wide, at the width of the mode; autocast has powers in 32 bits.
    let elements = 12.0 * 8.0 * 1024.0 * 3072.0;
    for (precision, width) in [
        ("bf16", 2.0),
        ("tf32", 4.0),
        ("amp-bf16", 4.0),
        ("fp64", 8.0),
    ] {
        let expected = [16.0, 25.0].map(|passes| passes * elements * width / 4.8e12);
        let found = written(&language("gpt2", precision));
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found / expected - 1.0).abs() < 0.01,
                "{precision}: {found} {expected}"
            );
        }
    }
    for none in [
        language("opt-125m", "bf16"),
        flagged("compile", language("gpt2", "bf16")),
        MeasuredRun {
            framework: Some("megatron".into()),
            ..language("gpt2", "bf16")
        },
    ] {
        assert_eq!(written(&none), [0.0; 2], "{} {:?}", none.model, none.flags);
    }
    // What it keeps: three more tensors than OPT's, which is as large (measured: 12.4 and 8.8 GiB).
    let kept = |model: &str| memory_use(&resolved(&language(model, "amp-bf16")), 124e6);
    let more = kept("gpt2").activations.value() - kept("opt-125m").activations.value();
    assert!((more / (elements * 12.0) - 1.0).abs() < 0.05, "{more}");
}

#[test]
fn the_head_stays_wide_where_blocks_run_in_eight_bits() {
    let of = |precision: &str| work(&language("llama-3.2-1b", precision));
    let (narrow, wide) = (of("fp8"), of("amp-bf16"));
    assert_eq!(wide.head, [0.0; 2]);
    // Three products of 8192 tokens, 2048 and 128,256 on 989 TFLOP/s.
    let ideal = 6.0 * 8192.0 * 2048.0 * 128_256.0 / 989e12;
    let head: f64 = narrow.head.iter().sum();
    assert!((1.0..1.6).contains(&(head / ideal)), "{head} {ideal}");
    // The blocks alone run at twice the rate.
    let all = |w: &StepWork| w.gemm_forward + w.gemm_backward;
    let blocks = (all(&wide) - head) / all(&narrow);
    assert!((1.5..2.1).contains(&blocks), "{blocks}");
}

#[test]
fn fused_attention_in_32_bits_was_written_for_16() {
    let predictor = Predictor::shipped().unwrap();
    let k = &predictor.artifact().stages.constants;
    let attention = |precision: &str| {
        let run = MeasuredRun {
            seq_len: Some(2048),
            batch_per_gpu: Some(4.0),
            ..run("smollm2-360m", H200, precision)
        };
        StepTimes::compose(&work(&run), k).attention
    };
    // TF32 is not used inside: both are the same kernels.
    assert_eq!(attention("tf32"), attention("fp32"));
    let slower = attention("tf32") / attention("bf16");
    assert!((8.0..20.0).contains(&slower), "{slower}");
}

#[test]
fn wide_memory_is_used_less_well_in_sixteen_bits() {
    let crowding = |gpu: &str, precision: &str| work(&run("resnet50", gpu, precision)).crowding;
    // As many multiprocessors share 1.43 times the bandwidth.
    let wider = crowding(H200, "amp-bf16") / crowding("H100-SXM5-80GB", "amp-bf16");
    assert!((wider - 4800.0 / 3350.0).abs() < 0.01, "{wider}");
    // Half as many bytes are on their way.
    let halved = crowding(H200, "amp-bf16") / crowding(H200, "tf32");
    assert!((halved - 2.0).abs() < 1e-9, "{halved}");
    assert_eq!(crowding("TPUv5p", "amp-bf16"), 0.0);

    let predictor = Predictor::shipped().unwrap();
    let constants = &predictor.artifact().stages.constants;
    let elementwise = |gpu: &str, precision: &str| {
        let work = work(&run("resnet50", gpu, precision));
        let alone = StepWork {
            crowding: 0.0,
            ..work.clone()
        };
        let [crowded, alone] = [work, alone].map(|w| StepTimes::compose(&w, constants).elementwise);
        crowded / alone
    };
    let [wide, full, narrow] = [
        elementwise(H200, "amp-bf16"),
        elementwise(H200, "tf32"),
        elementwise("RTX3090-24GB", "amp-bf16"),
    ];
    assert!(
        wide > full && wide > 1.1 && narrow < 1.1,
        "{wide} {full} {narrow}"
    );
}
