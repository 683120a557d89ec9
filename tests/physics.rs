//! What the physics tells apart in a run before anything is learned: software, task and network.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

#[path = "support/runs.rs"]
mod runs;

use mantissa::dataset::{MeasuredRun, YearMonth};
use mantissa::domain::{Configuration, OptimizerKernels};
use mantissa::physics::exchange::Purpose;
use mantissa::physics::{DepthwiseKernels, PrecisionView, Recomputed, StepTimes, StepWork};
use mantissa::predictor::Predictor;
use mantissa::units::Watts;
use runs::{resolved, run};
use std::sync::Arc;

fn times(run: &MeasuredRun) -> StepTimes {
    let work = StepWork::new(&resolved(run), PrecisionView::Aware).expect("the part has the mode");
    let predictor = Predictor::shipped().unwrap();
    StepTimes::compose(&work, &predictor.artifact().stages.constants)
}

#[test]
fn fast_algorithms_serve_wide_convolutions_in_fp32_alone() {
    let predictor = Predictor::shipped().unwrap();
    let constants = &predictor.artifact().stages.constants;
    let work = |model: &str, precision: &str| {
        let run = run(model, "A100-SXM4-40GB", precision);
        StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap()
    };
    let gain = |model: &str, precision: &str| {
        let fast = work(model, precision);
        let direct = StepWork {
            winograd: 0.0,
            fourier: 0.0,
            ..fast.clone()
        };
        StepTimes::compose(&direct, constants).gemm / StepTimes::compose(&fast, constants).gemm
    };
    // Winograd's F(2×2, 3×3) multiplies 2.25 times less (arXiv 1509.09308, section 4.1).
    let planar = gain("vgg16", "fp32");
    assert!((1.4..2.25).contains(&planar), "{planar}");
    // Eleven taps and more in one dimension.
    let long = gain("jasper", "fp32");
    assert!(long > 1.2, "{long}");
    for precision in ["fp64", "tf32", "amp-fp16"] {
        assert_eq!(gain("vgg16", precision), 1.0, "{precision}");
    }
    // The fewer channels, the more of it the transforms cost.
    let share = |model: &str| {
        let work = work(model, "fp32");
        work.winograd / work.conv3x3
    };
    let (wide, narrow) = (share("vgg16"), share("resnet18"));
    assert!(narrow < wide && wide < 0.95, "{narrow} {wide}");
    assert!(work("vgg16", "fp32").fourier == 0.0 && work("jasper", "fp32").winograd == 0.0);
}

#[test]
fn tensorflow_moves_more_where_no_xla_merges_its_operations() {
    let moved = |framework: &str, flags: &[&str]| {
        let run = MeasuredRun {
            framework: Some(framework.into()),
            flags: flags.iter().map(|&f| f.into()).collect(),
            ..run("vgg16", "V100-SXM2-32GB", "fp32")
        };
        times(&run).elementwise
    };
    assert!(moved("tensorflow2", &[]) > moved("tensorflow2", &["xla"]));
    assert!(moved("tensorflow2", &[]) > moved("pytorch", &[]));
}

#[test]
fn in_place_norms_are_slow_on_nhwc_tensors() {
    let predictor = Predictor::shipped().unwrap();
    let norm = |model: &str, flags: &[&str]| {
        let run = MeasuredRun {
            flags: flags.iter().map(|&f| f.into()).collect(),
            ..run(model, "RTX3090-24GB", "amp-fp16")
        };
        // But for what walking the planes of NCHW costs any batch norm.
        let work = StepWork {
            channel_norms: [0.0; 2],
            ..StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap()
        };
        StepTimes::compose(&work, &predictor.artifact().stages.constants).norm
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
    let on_paddle = |date: &str| {
        let run = MeasuredRun {
            task: Some("language-pretraining".into()),
            framework: Some("paddle".into()),
            source_date: YearMonth::parse(date),
            stack: Some("NGC PaddlePaddle".into()),
            seq_len: Some(512),
            ..run("bert-large", "A100-SXM4-80GB", "tf32")
        };
        resolved(&run).software.unpadded
    };
    assert!(on_paddle("2022-12") && !on_paddle("2022-08"));
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

#[test]
fn raced_pipelines_give_each_chunk_two_layers() {
    let layout = |tuning: &str| {
        let run = MeasuredRun {
            gpus: 512,
            tp: Some(4),
            pp: Some(8),
            framework: Some("mxnet".into()),
            tuning: Some(tuning.into()),
            batch_per_gpu: Some(1.0),
            ..run("gpt3-175b", "H100-SXM5-80GB", "fp8")
        };
        let c = resolved(&run);
        (c.strategy.interleave, c.software.framework)
    };
    // 96 layers on 8 stages: NVIDIA's configuration of MLPerf's GPT-3 says INTERLEAVED_PIPELINE=6.
    assert_eq!(layout("benchmark"), (6, "nemo".to_owned()));
    assert_eq!(layout("tuned"), (1, "mxnet".to_owned()));
}

#[test]
fn the_last_stage_of_a_pipeline_bears_the_vocabulary() {
    let longest = |pp: u32| {
        let run = MeasuredRun {
            gpus: 8,
            pp: Some(pp),
            framework: Some("megatron".into()),
            batch_per_gpu: Some(1.0),
            grad_accum: Some(8),
            ..run("gpt2-medium", "A100-SXM4-80GB", "amp-fp16")
        };
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        work.longest_stage
    };
    assert_eq!(longest(1), 1.0);
    // 24 layers of 12 h² weights against 50k words of h: the head is about a seventh of the products with weights.
    assert!((1.2..1.8).contains(&longest(4)), "{}", longest(4));
}

#[test]
fn grouped_convolutions_of_even_narrow_groups_alone_are_quick_on_nhwc_tensors() {
    let slower = |model: &str, date: &str| {
        let grouped = |flags: &[&str]| {
            let run = MeasuredRun {
                flags: flags.iter().map(|&f| f.into()).collect(),
                image_size: Some(224),
                source_date: YearMonth::parse(date),
                ..run(model, "RTX3090-24GB", "amp-fp16")
            };
            times(&run).grouped
        };
        grouped(&["channels_last"]) / grouped(&[])
    };
    // 4, 8, 16 and 32 channels a group against 112.
    let (narrow, wide) = (
        slower("resnext50-32x4d", "2022-04"),
        slower("regnety-160", "2022-04"),
    );
    assert!(narrow < 1.5, "{narrow}");
    assert!(wide > 3.0, "{wide}");
    // PyTorch 1.12 with cuDNN 8.3 brought better kernels for the narrow ones in NHWC.
    let since = slower("resnext50-32x4d", "2022-07");
    assert!(since < 0.9 * narrow, "{since} {narrow}");
    // And first ones for 8 groups of 24 channels, not for 4 groups of 16.
    let gain = |model| slower(model, "2022-04") / slower(model, "2022-07");
    assert!(gain("visformer-tiny") > 2.0, "{}", gain("visformer-tiny"));
    let few = gain("eca-botnext26ts-256");
    assert!((0.8..1.6).contains(&few), "{few}");
}

#[test]
fn the_layout_of_tensors_means_nothing_to_linear_layers() {
    let body = |model: &str, flags: &[&str]| {
        let run = MeasuredRun {
            flags: flags.iter().map(|&f| f.into()).collect(),
            image_size: Some(224),
            ..run(model, "RTX3090-24GB", "amp-fp16")
        };
        times(&run).body
    };
    let gain = |model| body(model, &[]) / body(model, &["channels_last"]);
    assert!(gain("resnet50") > 1.2, "{}", gain("resnet50"));
    assert!(
        (gain("mixer-b16-224") - 1.0).abs() < 0.05,
        "{}",
        gain("mixer-b16-224")
    );
}

#[test]
fn virtual_machines_on_different_servers_share_a_slow_network() {
    let run = |words: &str| MeasuredRun {
        gpus: 4,
        interconnect: Some(words.into()),
        ..run("resnet50", "V100-SXM2-16GB", "fp32")
    };
    let apart = resolved(&run("workers on different servers")).fabric;
    let together = resolved(&run("workers consolidated on one server")).fabric;
    assert_eq!((apart.nodes, together.nodes), (4, 1));
    assert!((apart.inter.value() - 1.25e9).abs() < 1e6);
}

/// Seconds at unit efficiency of everything that is no matmul and grows with the batch.
fn traffic(model: &str, precision: &str) -> f64 {
    let run = resolved(&run(model, "A100-SXM4-80GB", precision));
    let w = StepWork::new(&run, PrecisionView::Aware).unwrap();
    let told = w.layer_norm + w.group_norm + w.autocasts + w.pooling;
    w.traffic_forward
        .iter()
        .chain(&w.traffic_backward)
        .sum::<f64>()
        + told
}

#[test]
fn autocast_halves_what_images_move_but_not_what_tokens_do() {
    let saved = |model| traffic(model, "fp32") / traffic(model, "amp-fp16");
    let (resnet, vit) = (saved("resnet50"), saved("vit-base-patch16-224"));
    assert!((1.9..2.1).contains(&resnet), "{resnet}");
    // Norms, softmax and the residual stream stay in 32 bits, and linear layers read casts of them.
    assert!((0.8..1.4).contains(&vit), "{vit}");
    // All in 16 bits, without autocast, is half.
    let half = traffic("vit-base-patch16-224", "fp32") / traffic("vit-base-patch16-224", "fp16");
    assert!((1.9..2.1).contains(&half), "{half}");
    // Group norms run in 32 bits where batch norms do not.
    assert!(
        saved("resnetv2-50x1-bitm") < 1.0,
        "{}",
        saved("resnetv2-50x1-bitm")
    );
}

#[test]
fn autocast_moves_what_each_module_really_casts() {
    let saved = |model| traffic(model, "fp32") / traffic(model, "amp-fp16");
    // Few and small matmuls between embeddings in 32 bits: casts eat what narrower activations save.
    let recommender = saved("dlrm-dcnv2");
    assert!((0.6..1.1).contains(&recommender), "{recommender}");
    // A recipe that runs the whole model in 16 bits moves half.
    assert!((1.9..2.1).contains(&saved("ncf")), "{}", saved("ncf"));
    // Frozen norms scale by numbers in 32 bits, and what they make is as wide; raced nets fuse them in 16.
    let detector = saved("mask-rcnn-r50-fpn");
    assert!((0.7..1.2).contains(&detector), "{detector}");
    let casts = |tuning: &str| {
        let run = MeasuredRun {
            tuning: Some(tuning.into()),
            ..run("mask-rcnn-r50-fpn", "A100-SXM4-80GB", "amp-fp16")
        };
        StepWork::new(&resolved(&run), PrecisionView::Aware)
            .unwrap()
            .autocasts
    };
    assert!(casts("tuned") > 0.0 && casts("benchmark") == 0.0);
    // The scores of attention over memory stay in 32 bits.
    let scores = saved("transformer-xl-base");
    assert!((0.9..1.4).contains(&scores), "{scores}");
    // A fused recurrent layer runs in 16 bits throughout, the softmax over its vocabulary does not.
    let recurrent = saved("gnmt-v2");
    assert!((1.3..2.0).contains(&recurrent), "{recurrent}");
}

#[test]
fn narrow_layer_norms_were_slow_to_sum_in_old_pytorch() {
    let share = |model: &str, year: u16, month: u8| {
        let run = MeasuredRun {
            source_date: Some(YearMonth {
                year,
                month: Some(month),
            }),
            ..run(model, "RTX3090-24GB", "amp-fp16")
        };
        let w = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        w.layer_norm_sums / w.layer_norm
    };
    let narrow = share("xcit-nano-12-p16-224", 2022, 1);
    let wide = share("vit-large-patch16-224", 2022, 1);
    assert!(narrow > 4.0 * wide && wide > 0.0, "{narrow} {wide}");
    assert_eq!(share("xcit-nano-12-p16-224", 2022, 7), 0.0);
}

#[test]
fn the_optimizer_runs_as_its_recipe_has_it() {
    let fine_tuned = |precision: &str| {
        let run = MeasuredRun {
            task: Some("language-finetuning".into()),
            stack: Some("NVIDIA DeepLearningExamples, PyTorch 1.13".into()),
            seq_len: Some(384),
            ..run("bert-large", "A100-PCIE-40GB", precision)
        };
        resolved(&run)
    };
    let moved = |c: &Configuration| StepWork::new(c, PrecisionView::Aware).unwrap().optimizer;
    let (tf32, amp) = (fine_tuned("tf32"), fine_tuned("amp-fp16"));
    assert_eq!(tf32.software.optimizer, OptimizerKernels::BertAdam);
    assert_eq!(amp.software.optimizer, OptimizerKernels::Fused);
    // 120 bytes a parameter against 28, the copy in 16 bits and the pass over all weights that casts them.
    let ratio = moved(&tf32) / moved(&amp);
    assert!((ratio - 120.0 / 36.0).abs() < 1e-9, "{ratio}");
    // Its loop over tensors takes a fast device longer than its traffic; before mid-2022 the host waits for each as well.
    let looped = |gpu: &str, date: &str| {
        let run = MeasuredRun {
            task: Some("language-finetuning".into()),
            stack: Some("NVIDIA DeepLearningExamples".into()),
            source_date: YearMonth::parse(date),
            ..run("bert-large", gpu, "tf32")
        };
        times(&run).optimizer_launch
    };
    let (slow, fast) = ("A4000-16GB", "H100-SXM5-80GB");
    assert_eq!(looped(slow, "2023-02"), 0.0);
    assert!((0.01..0.06).contains(&looped(fast, "2023-02")));
    assert!(looped(slow, "2021-02") > 0.05);
    let kernels = |framework: &str| {
        let run = MeasuredRun {
            framework: Some(framework.into()),
            ..run("resnet50", "V100-SXM2-16GB", "fp32")
        };
        resolved(&run).software.optimizer
    };
    assert_eq!(kernels("pytorch"), OptimizerKernels::Operations);
    let recipe = MeasuredRun {
        stack: Some("NVIDIA DeepLearningExamples, PyTorch 1.13".into()),
        ..run("transformer-xl-base", "A100-PCIE-40GB", "tf32")
    };
    let fused = resolved(&recipe).software.optimizer;
    assert_eq!(fused, OptimizerKernels::Fused);
    assert_eq!(kernels("tensorflow"), OptimizerKernels::Fused);
}

#[test]
fn old_pytorch_fills_gradients_within_forward_and_backward() {
    let work = |year: u16, timed: &str| {
        let run = MeasuredRun {
            source_date: Some(YearMonth { year, month: None }),
            timed: Some(timed.into()),
            ..run("resnet50", "RTX2080Ti-11GB", "fp32")
        };
        StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap()
    };
    let part = work(2019, "forward+backward");
    assert!(part.optimizer > 0.0 && part.optimizer < work(2019, "step").optimizer);
    // Filling a tensor is less for the host than the dozen calls that update it.
    let filled = part.kernels_optimizer / work(2019, "step").kernels_optimizer;
    assert!((0.05..0.5).contains(&filled), "{filled}");
    let recent = work(2024, "forward+backward");
    assert_eq!((recent.optimizer, recent.kernels_optimizer), (0.0, 0.0));
}

#[test]
fn a_forward_and_backward_pass_alone_waits_for_its_input() {
    let timed = |timed: &str, precision: &str, gpus: u32| {
        let run = MeasuredRun {
            source_date: Some(YearMonth {
                year: 2019,
                month: None,
            }),
            timed: Some(timed.into()),
            gpus,
            batch_per_gpu: Some(12.0),
            image_size: Some(224),
            replication: (gpus > 1).then(|| "dataparallel".into()),
            ..run("squeezenet1-1", "TITANV-12GB", precision)
        };
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        (work.awaited_input, times(&run))
    };
    let (bytes, part) = timed("forward+backward", "fp32", 1);
    // A dozen pictures of 224 × 224 in three colours, 4 bytes each.
    assert_eq!(bytes, 12.0 * 3.0 * 224.0 * 224.0 * 4.0);
    // Pinned memory fills PCIe 3 at 12 GB/s, what is not pinned at a fraction of it.
    let rate = bytes / part.stalled;
    assert!((1e9..12e9).contains(&rate), "{rate}");
    let (halves, _) = timed("forward+backward", "fp16", 1);
    assert_eq!(halves, bytes / 2.0);
    // One process hands over what all its devices need.
    let (of_four, _) = timed("forward+backward", "fp32", 4);
    assert_eq!(of_four, bytes * 4.0);
    let (none, whole) = timed("step", "fp32", 1);
    assert_eq!((none, whole.stalled), (0.0, 0.0));
    // Nor does the host run ahead from one step to the next.
    assert!(part.queue < whole.queue);
}

#[test]
fn convolutions_in_fp64_leave_the_tensor_cores_idle() {
    let work = |model: &str, gpu: &str| {
        StepWork::new(&resolved(&run(model, gpu, "fp64")), PrecisionView::Aware).unwrap()
    };
    // Seconds at the vector units' 9.7 TFLOP/s, though the part's peak in FP64 is 19.5 (A100 data sheet).
    let w = work("resnet50", "A100-SXM4-40GB");
    assert_eq!(w.peak, 19.5e12);
    let least = 0.95 * w.flops / 9.7e12;
    assert!(w.convolution_forward + w.convolution_backward > least);
    let linear = work("bert-base", "A100-SXM4-40GB");
    let vector = linear.flops / 9.7e12;
    assert!(linear.gemm_forward + linear.gemm_backward < vector);
}

#[test]
fn old_libraries_leave_most_fp64_units_idle_in_convolutions() {
    let seconds = |gpu: &str, date: &str| {
        let run = MeasuredRun {
            source_date: YearMonth::parse(date),
            ..run("vgg16", gpu, "fp64")
        };
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        work.convolution_forward
    };
    // Before cuDNN 8 a TITAN V's 32 units a multiprocessor were fed like the few of other parts.
    let waited = seconds("TITANV-12GB", "2019-07") / seconds("TITANV-12GB", "2021-01");
    assert!((2.0..5.0).contains(&waited), "{waited}");
    let few = "GTX1080Ti-11GB";
    assert_eq!(seconds(few, "2019-07"), seconds(few, "2021-01"));
}

#[test]
fn tensors_of_16_bits_are_multiplied_as_in_fp32_where_no_matrix_units_are() {
    let work = |gpu: &str, precision: &str| {
        let run = run("vgg16", gpu, precision);
        StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap()
    };
    let predictor = Predictor::shipped().unwrap();
    let constants = &predictor.artifact().stages.constants;
    let share = |gpu: &str| {
        let [half, single] =
            ["fp16", "fp32"].map(|mode| StepTimes::compose(&work(gpu, mode), constants).gemm);
        half / single
    };
    // A GTX 1080 Ti takes 92 ms in FP16 and 102 ms in FP32 with 12 pictures (ryujaehun): 3×3 convolutions keep their fast
    // algorithm, and nothing is gained but bytes.
    for gpu in ["GTX1080Ti-11GB", "TITANXp-12GB", "K80-12GB"] {
        let pascal = share(gpu);
        assert!((0.85..1.15).contains(&pascal), "{gpu} {pascal}");
        let half = work(gpu, "fp16");
        assert!(half.multiplies_in_32_bits() && !half.low, "{gpu}");
    }
    let volta = share("V100-SXM2-16GB");
    assert!(volta < 0.6, "{volta}");
    assert!(!work("V100-SXM2-16GB", "fp64").multiplies_in_32_bits());
}

#[test]
fn matrix_units_run_slower_on_little_power() {
    let predictor = Predictor::shipped().unwrap();
    // Half the power: matmuls take from the cube root of 2, where voltage follows the clock, to twice as long, where it cannot; what
    // else the step has takes as long as before.
    let grows = |gpu: &str, precision: &str| {
        let micro = |share: f64| {
            let run = MeasuredRun {
                batch_per_gpu: Some(64.0),
                ..run("bert-large", gpu, precision)
            };
            let mut configuration = resolved(&run);
            let tdp = configuration.accelerator.tdp.unwrap().value();
            Arc::make_mut(&mut configuration.accelerator).tdp = Some(Watts(tdp * share));
            let work = StepWork::new(&configuration, PrecisionView::Aware).unwrap();
            StepTimes::compose(&work, &predictor.artifact().stages.constants).micro
        };
        micro(0.5) / micro(1.0)
    };
    for gpu in ["A100-SXM4-80GB", "RTX2070MaxQ-8GB"] {
        let grown = grows(gpu, "amp-fp16");
        assert!((1.1..2.0).contains(&grown), "{gpu} {grown}");
    }
    // The vector units of an A100 hold their clock on 200 W.
    assert!((grows("A100-SXM4-80GB", "fp32") - 1.0).abs() < 1e-9);
}

#[test]
fn fully_sharded_runs_of_old_pytorch_wait_for_memory_where_it_is_nearly_full() {
    let retried = |gpu: &str, version: &str| {
        let run = MeasuredRun {
            task: Some("language-pretraining".into()),
            stack: Some(format!("Composer FSDP, torch {version}")),
            source_date: YearMonth::parse("2023-04"),
            gpus: 8,
            dp: Some(8),
            batch_per_gpu: Some(16.0),
            seq_len: Some(1024),
            sharding: Some("zero3".into()),
            act_ckpt: Some("none".into()),
            flags: vec!["flash-attn".into(), "fsdp".into()],
            ..run("mosaicgpt-760m", gpu, "amp-bf16")
        };
        let w = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        w.retried_layers / w.layers
    };
    // 31 GB are counted, of 40 and of 80.
    assert!(retried("A100-SXM4-40GB", "1.12") > 0.5);
    assert_eq!(retried("A100-SXM4-80GB", "1.12"), 0.0);
    // PyTorch 1.13 limits how far ahead weights are gathered where it is asked to, and recipes ask.
    assert_eq!(retried("A100-SXM4-40GB", "1.13"), 0.0);
}

/// A causal language model on two thousand tokens, eight a device.
fn decoder(model: &str, gpu: &str, precision: &str, framework: &str) -> MeasuredRun {
    MeasuredRun {
        task: Some("language-pretraining".into()),
        framework: Some(framework.into()),
        batch_per_gpu: Some(8.0),
        seq_len: Some(2048),
        source_date: Some(YearMonth {
            year: 2022,
            month: Some(12),
        }),
        flags: vec!["flash-attn".into()],
        ..run(model, gpu, precision)
    }
}

#[test]
fn an_odd_vocabulary_holds_sixteen_bit_tensor_cores_up_unless_it_is_padded() {
    // The same shape but for its vocabulary: 50,257 and 50,368.
    let slower = |gpu: &str, precision: &str, framework: &str| {
        let gemm = |model: &str| times(&decoder(model, gpu, precision, framework)).gemm;
        gemm("mosaicgpt-125m") / gemm("mpt-125m")
    };
    let eager = slower("A100-SXM4-80GB", "amp-bf16", "pytorch");
    assert!((1.3..3.0).contains(&eager), "{eager}");
    // Words of four bytes start anywhere; Megatron and XLA pad; slower tensor cores wait for operands less.
    for same in [
        slower("A100-SXM4-80GB", "tf32", "pytorch"),
        slower("A100-SXM4-80GB", "fp32", "pytorch"),
        slower("A100-SXM4-80GB", "amp-bf16", "megatron"),
        slower("A100-SXM4-80GB", "amp-bf16", "jax"),
    ] {
        assert!((0.99..1.01).contains(&same), "{same}");
    }
    assert!(slower("RTX3090-24GB", "amp-bf16", "pytorch") < eager);
}

#[test]
fn operands_that_start_anywhere_are_copied_by_clocks_not_by_lanes() {
    let copied = |gpu: &str| {
        let run = decoder("mosaicgpt-125m", gpu, "amp-fp16", "pytorch");
        StepWork::new(&resolved(&run), PrecisionView::Aware)
            .unwrap()
            .gemm_odd_copied
    };
    // 108 multiprocessors at 1.41 GHz against 132 at 1.98; in FP32 the H100 has 3.4 times the rate.
    let gain = copied("A100-SXM4-80GB") / copied("H100-SXM5-80GB");
    assert!((1.4..1.8).contains(&gain), "{gain}");
    // Vector units take numbers one by one.
    assert_eq!(copied("GTX1080Ti-11GB"), 0.0);
}

#[test]
fn rows_that_fill_no_lines_of_memory_slow_tensor_cores_down_since_ampere() {
    // 14,336 and 14,400 wide, cut in eight: rows of 3,584 and 3,600 bytes.
    let slower = |gpu: &str, precision: &str| {
        let per_flop = |model: &str| {
            let run = MeasuredRun {
                gpus: 8,
                tp: Some(8),
                ..decoder(model, gpu, precision, "megatron")
            };
            let flops = resolved(&run).workload.profile.forward_flops();
            times(&run).gemm / flops
        };
        per_flop("bloom-tune-200b-h14400") / per_flop("bloom-tune-181b-h14336-l72-a64")
    };
    let uneven = slower("A100-SXM4-80GB", "amp-fp16");
    assert!((1.2..1.7).contains(&uneven), "{uneven}");
    for same in [
        slower("V100-SXM2-32GB", "amp-fp16"),
        slower("A100-SXM4-80GB", "tf32"),
    ] {
        assert!((0.95..1.1).contains(&same), "{same}");
    }
}

#[test]
fn the_first_fused_attention_is_slower_with_wide_heads() {
    // Heads of 64 and of 128, per product.
    let a_product = |model: &str| {
        let run = decoder(model, "A100-SXM4-80GB", "amp-bf16", "pytorch");
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        let predictor = Predictor::shipped().unwrap();
        let k = &predictor.artifact().stages.constants;
        let without_exponentials = StepWork {
            exponentials: f64::MIN_POSITIVE,
            ..work.clone()
        };
        let attention = StepTimes::compose(&without_exponentials, k).attention;
        attention / (work.attention_forward + work.attention_backward)
    };
    let wider = a_product("mpt-1b") / a_product("mpt-350m");
    assert!((1.05..2.0).contains(&wider), "{wider}");
}

#[test]
fn the_host_hands_kernels_of_the_backward_pass_over_sooner() {
    let work = StepWork::new(
        &resolved(&run("densenet201", "TITANV-12GB", "fp16")),
        PrecisionView::Aware,
    )
    .unwrap();
    let predictor = Predictor::shipped().unwrap();
    let k = &predictor.artifact().stages.constants;
    let launch = |forward: f64, backward: f64| {
        let work = StepWork {
            kernels_forward: forward,
            kernels_backward: backward,
            kernels_cast: 0.0,
            ..work.clone()
        };
        StepTimes::compose(&work, k).launch
    };
    // Every layer reads the outputs of all before it: gradients are added up in more kernels than there are layers, of
    // which each costs the host little.
    let sums = work.kernels_backward / work.kernels_forward;
    assert!((1.3..2.0).contains(&sums), "{sums}");
    let share = launch(0.0, 100.0) / launch(100.0, 0.0);
    assert!((0.1..0.8).contains(&share), "{share}");
}

#[test]
fn the_share_of_the_host_is_what_a_slower_one_lengthens_a_step_by() {
    let predictor = Predictor::shipped().unwrap();
    let k = &predictor.artifact().stages.constants;
    let of = |run: &MeasuredRun| {
        let work = StepWork::new(&resolved(run), PrecisionView::Aware).unwrap();
        // A host that is slower by a thousandth has so many more kernels to launch.
        let slower = StepWork {
            kernels_forward: work.kernels_forward * 1.001,
            kernels_backward: work.kernels_backward * 1.001,
            kernels_cast: work.kernels_cast * 1.001,
            kernels_optimizer: work.kernels_optimizer * 1.001,
            ..work.clone()
        };
        let [now, then] = [&work, &slower].map(|w| StepTimes::compose(w, k));
        let share = (then.total / now.total - 1.0) / 0.001;
        assert!(
            (now.host_share() - share).abs() < 0.01,
            "{share} {}",
            now.host_share()
        );
        share
    };
    let with = |batch: f64| MeasuredRun {
        batch_per_gpu: Some(batch),
        ..run("resnet50", "H100-SXM5-80GB", "amp-fp16")
    };
    let (small, large) = (of(&with(1.0)), of(&with(512.0)));
    assert!(small > 0.8 && large < 0.1, "{small} {large}");
    of(&decoder(
        "gpt2-small",
        "A100-SXM4-80GB",
        "amp-fp16",
        "megatron",
    ));
}

#[test]
fn a_checkpoint_costs_the_host_more_than_the_pass_it_repeats() {
    let launch = |recomputed: &str| {
        let run = MeasuredRun {
            act_ckpt: Some(recomputed.into()),
            ..decoder("gpt2-small", "A100-SXM4-80GB", "amp-fp16", "megatron")
        };
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        (work.recompute, work.kernels_forward, times(&run).launch)
    };
    let forward_alone = || {
        let run = decoder("gpt2-small", "A100-SXM4-80GB", "amp-fp16", "megatron");
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        let work = StepWork {
            kernels_backward: 0.0,
            kernels_cast: 0.0,
            recompute: Recomputed::default(),
            ..work
        };
        let predictor = Predictor::shipped().unwrap();
        StepTimes::compose(&work, &predictor.artifact().stages.constants).launch
    };
    let [(none, kernels, kept), (full, same, recomputed)] = ["none", "full"].map(launch);
    assert_eq!((none.mean(), full.mean(), kernels), (0.0, 1.0, same));
    let more = (recomputed - kept) / forward_alone();
    assert!((more - 1.7).abs() < 1e-6, "{more}");
}

#[test]
fn state_space_layers_move_the_states_between_their_chunks() {
    let scan = |model: &str| {
        let run = decoder(model, "H100-SXM5-80GB", "amp-bf16", "megatron");
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        work.scan * work.bandwidth
    };
    assert_eq!(scan("nemotron-8b"), 0.0);
    // 24 layers twice 4,096 wide on 16,384 tokens, 2 bytes each: 35 passes, and 16 over states of two passes' width.
    let bytes = scan("nemotron-h-8b") / (24.0 * 2.0 * 4096.0 * 16384.0 * 2.0);
    assert!((bytes - 67.0).abs() < 1e-6, "{bytes}");
}

#[test]
fn times_composed_from_one_micro_step_are_one_group() {
    let runs = mantissa::dataset::shipped_runs().unwrap();
    let composed: Vec<&MeasuredRun> = runs
        .iter()
        .filter(|r| r.source_path.contains("ground_truth_single"))
        .collect();
    assert!(composed.len() > 1200);
    let mut groups = std::collections::BTreeMap::new();
    for r in composed {
        let micro_step = (
            r.model.clone(),
            r.tp,
            r.pp,
            r.batch_per_gpu.map(f64::to_bits),
        );
        assert_eq!(*groups.entry(micro_step).or_insert(r.group), r.group);
    }
    let distinct: std::collections::BTreeSet<_> = groups.values().collect();
    assert_eq!(distinct.len(), 276);
}

#[test]
fn devices_wait_for_the_slowest_of_uneven_samples() {
    let stragglers = |model: &str, gpus: u32, batch: f64| {
        let run = MeasuredRun {
            gpus,
            batch_per_gpu: Some(batch),
            ..run(model, "A100-SXM4-40GB", "tf32")
        };
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        work.stragglers
    };
    assert_eq!(stragglers("mask-rcnn-r50-fpn", 1, 2.0), 0.0);
    // SSD scales every picture to 300 pixels a side.
    assert_eq!(stragglers("ssd300-resnet50", 8, 2.0), 0.0);
    // The largest of 2 and of 8 normal draws is expected at 0.56 and 1.42 standard deviations.
    for (gpus, largest) in [(2, 0.56), (8, 1.42)] {
        let found = stragglers("mask-rcnn-r50-fpn", gpus, 1.0) / largest;
        assert!((found - 1.0).abs() < 0.08, "{gpus}: {found}");
    }
    let [small, large] = [1.0, 4.0].map(|batch| stragglers("mask-rcnn-r50-fpn", 8, batch));
    assert!((small / large - 2.0).abs() < 1e-9);
}

#[test]
fn one_process_copies_weights_to_all_its_devices_at_once() {
    let at = |gpus: u32| {
        let run = MeasuredRun {
            gpus,
            batch_per_gpu: Some(12.0),
            replication: Some("dataparallel".into()),
            ..run("vgg19", "TITANXp-12GB", "fp32")
        };
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        (work.exchange.weight_copies, times(&run).launch)
    };
    let [one, two, four] = [1, 2, 4].map(at);
    assert_eq!(one.0, 0.0);
    assert!(two.0 > 0.0 && two.0 == four.0, "{two:?} {four:?}");
    // Threads of the forward passes take turns at the host, so each further device costs it less than the one before.
    let further = (four.1 - one.1) / (two.1 - one.1);
    assert!((1.5..3.0).contains(&further), "{further}");
}

#[test]
fn instance_norms_of_nnu_net_are_copied_nowhere() {
    let run = MeasuredRun {
        batch_per_gpu: Some(128.0),
        ..run("nnunet-2d", "V100-SXM2-32GB", "fp32")
    };
    let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
    let [elements, norms, _, copies] = work.traffic_backward;
    // What is left are the two halves of each skip's gradient.
    assert!(copies < 0.5 * elements && copies < norms);
}

#[test]
fn a_run_on_an_old_version_is_as_old_as_that() {
    let date = |stack: &str, measured: &str| {
        let run = MeasuredRun {
            stack: Some(stack.into()),
            source_date: YearMonth::parse(measured),
            ..run("resnet50", "RTX3090-24GB", "amp-fp16")
        };
        resolved(&run).software.date
    };
    // PyTorch 1.11 came out in March 2022.
    let old = date(
        "PyTorch 1.10 + CUDA 11.3, timm benchmark.py train",
        "2022-04",
    );
    assert!((2022.1..2022.19).contains(&old), "{old}");
    assert_eq!(
        date("PyTorch 1.11", "2022-04"),
        date("no version", "2022-04")
    );
    // A container is no version: its date stands.
    assert_eq!(date("NGC PyTorch 20.06", "2020-06"), date("", "2020-06"));
}

#[test]
fn wide_depthwise_kernels_went_to_the_library_with_pytorch_1_11() {
    let depthwise = |model: &str, version: &str, flags: &[&str], precision: &str| {
        let run = MeasuredRun {
            stack: Some(format!("PyTorch {version}")),
            source_date: YearMonth::parse("2022-04"),
            flags: flags.iter().map(|&f| f.into()).collect(),
            ..run(model, "RTX3090-24GB", precision)
        };
        times(&run).depthwise
    };
    let gain = |model, flags: &[&str], precision| {
        depthwise(model, "1.10", flags, precision) / depthwise(model, "1.11", flags, precision)
    };
    // All of its depthwise kernels are 5×5; of MobileNet's none is.
    let wide = gain("efficientnet-es", &[], "amp-fp16");
    assert!((1.3..6.0).contains(&wide), "{wide}");
    let narrow = gain("mobilenetv2-100", &[], "amp-fp16");
    assert!((0.9..1.3).contains(&narrow), "{narrow}");
    assert_eq!(gain("efficientnet-es", &["channels_last"], "amp-fp16"), 1.0);
    for precision in ["fp32", "amp-bf16"] {
        assert_eq!(gain("efficientnet-es", &[], precision), 1.0);
    }
}

/// Share of the vector units' time on depthwise convolutions that some kernels take.
fn depthwise_share(run: &MeasuredRun, kernels: DepthwiseKernels) -> f64 {
    let work = StepWork::new(&resolved(run), PrecisionView::Aware).unwrap();
    let all: f64 = work.depthwise.iter().map(|d| d[1]).sum();
    work.depthwise[kernels as usize][1] / all
}

#[test]
fn pytorch_hands_depthwise_convolutions_to_the_library_in_fp16_alone() {
    let own = |model: &str, gpu: &str, precision: &str, batch: f64, date: &str| {
        let run = MeasuredRun {
            source_date: YearMonth::parse(date),
            batch_per_gpu: Some(batch),
            ..run(model, gpu, precision)
        };
        depthwise_share(&run, DepthwiseKernels::Own)
    };
    let since = |model, precision| own(model, "A100-SXM4-40GB", precision, 128.0, "2022-07");
    for precision in ["fp32", "tf32", "fp64", "amp-bf16"] {
        assert_eq!(since("xception", precision), 1.0);
    }
    // Strides of 1 and 128 channels and more; strides of 2 and as few as 8 channels.
    assert_eq!(since("xception", "amp-fp16"), 0.0);
    let few = since("lcnet-035", "amp-fp16");
    assert!((0.6..1.0).contains(&few), "{few}");
    // Of 33 to 87 taps, but for the first layer and the last.
    assert!(since("quartznet15x5", "amp-fp16") > 0.9);
    // Parts without tensor cores have none, and small batches had none either.
    let on = |gpu, batch, date| own("xception", gpu, "amp-fp16", batch, date);
    assert_eq!(on("TITANXp-12GB", 128.0, "2022-07"), 1.0);
    assert_eq!(on("A100-SXM4-40GB", 4.0, "2022-07"), 0.0);
    let small = on("A100-SXM4-40GB", 4.0, "2021-07");
    assert!((0.5..1.0).contains(&small), "{small}");
}

#[test]
fn blocks_that_norm_channels_keep_them_last() {
    let last = |model: &str| {
        let run = MeasuredRun {
            source_date: YearMonth::parse("2022-04"),
            image_size: Some(224),
            ..run(model, "RTX3090-24GB", "amp-fp16")
        };
        depthwise_share(&run, DepthwiseKernels::ChannelsLast)
    };
    // ConvNeXt mixes channels by linear layers, and its variant `hnf` by convolutions of 1×1; the norms of both take the
    // channels of a position. ConvMixer's and MobileNet's take a channel's positions.
    for (model, share) in [
        ("convnext-tiny", 1.0),
        ("convnext-tiny-hnf", 1.0),
        ("convmixer-768-32", 0.0),
        ("mobilenetv2-100", 0.0),
    ] {
        assert_eq!(last(model), share, "{model}");
    }
}

#[test]
fn nhwc_kernels_want_multiples_of_32_channels_and_a_stride_of_1() {
    let share = |model: &str, date: &str, kernels| {
        let run = MeasuredRun {
            flags: vec!["channels_last".into()],
            source_date: YearMonth::parse(date),
            ..run(model, "RTX3090-24GB", "amp-fp16")
        };
        depthwise_share(&run, kernels)
    };
    use DepthwiseKernels::{ChannelsLast, SlowChannelsLast, UnevenChannelsLast};
    // 64, 128, 256, 1024 and 1536 channels beside 728, 3×3, and no stride.
    let xception = |kernels| share("xception", "2022-07", kernels);
    assert!((0.2..0.6).contains(&xception(ChannelsLast)));
    assert!((0.4..0.8).contains(&xception(UnevenChannelsLast)));
    assert_eq!(xception(SlowChannelsLast), 0.0);
    // Half of MobileNet's are 144 channels wide or of a stride of 2.
    assert!(share("mobilenetv2-100", "2022-07", SlowChannelsLast) > 0.2);
    // 5×5 ones on other channels had no kernel before cuDNN 8.3.
    let slow = |date| share("efficientnet-b0", date, SlowChannelsLast);
    assert!(slow("2022-04") > 1.05 * slow("2022-07"));
}

#[test]
fn the_widest_depthwise_kernels_got_quicker_on_nhwc_tensors_with_pytorch_1_12() {
    let depthwise = |model: &str, date: &str| {
        let run = MeasuredRun {
            flags: vec!["channels_last".into()],
            source_date: YearMonth::parse(date),
            ..run(model, "RTX3090-24GB", "amp-fp16")
        };
        times(&run).depthwise
    };
    let gain = |model| depthwise(model, "2022-04") / depthwise(model, "2022-07");
    // Kernels of 9×9 against 3×3 on multiples of 32 channels.
    let wide = gain("convmixer-1536-20");
    assert!((1.1..3.0).contains(&wide), "{wide}");
    assert_eq!(gain("ese-vovnet19b-dw"), 1.0);
    // Channels that are multiples of 8 alone gained too.
    let uneven = gain("xception");
    assert!((1.1..2.0).contains(&uneven), "{uneven}");
}

#[test]
fn a_recipe_that_parses_records_waits_for_its_host() {
    let at = |framework: &str, gpus: u32| {
        let run = MeasuredRun {
            gpus,
            framework: Some(framework.into()),
            batch_per_gpu: Some(16384.0),
            ..run("wide-and-deep", "A100-SXM4-40GB", "tf32")
        };
        assert_eq!(
            resolved(&run).software.real_data,
            framework == "tensorflow1"
        );
        times(&run)
    };
    let (parsed, fed) = (at("tensorflow1", 1), at("tensorflow2", 1));
    assert_eq!(parsed.micro, parsed.parsed);
    assert_eq!(fed.parsed, 0.0);
    assert!(parsed.micro > 2.0 * fed.micro);
    // Eight processes share a host.
    let shared = at("tensorflow1", 8).parsed / parsed.parsed;
    assert!((2.0..5.0).contains(&shared), "{shared}");
}

#[test]
fn recent_experts_speed_up_what_experts_do_alone() {
    let micro = |model: &str, date: &str| {
        let run = MeasuredRun {
            gpus: 64,
            framework: Some("megatron".into()),
            source_date: YearMonth::parse(date),
            seq_len: Some(4096),
            batch_per_gpu: Some(1.0),
            ..run(model, "GB200-186GB", "mxfp8")
        };
        times(&run).micro
    };
    let gain = |model| micro(model, "2026-04") / micro(model, "2026-06");
    assert_eq!(gain("llama-3-70b"), 1.0);
    assert!(gain("qwen3-30b-a3b") > 1.05, "{}", gain("qwen3-30b-a3b"));
}

#[test]
fn selective_recomputation_repeats_what_its_framework_drops() {
    let of = |framework: &str, recomputed: &str, flags: &[&str]| {
        let run = MeasuredRun {
            act_ckpt: Some(recomputed.into()),
            flags: flags.iter().map(|&flag| flag.into()).collect(),
            ..decoder("gpt3-6.7b", "A100-SXM4-80GB", "amp-bf16", framework)
        };
        times(&run)
    };
    let flash = &["flash-attn"][..];
    // Share of the products of a forward pass that is computed again.
    let products = |framework: &str, flags: &[&str]| {
        let [none, some, full] = ["none", "selective", "full"].map(|r| of(framework, r, flags));
        assert!(
            none.body < some.body && some.body < full.body,
            "{framework}"
        );
        (some.gemm - none.gemm) / (full.gemm - none.gemm)
    };
    assert!(products("megatron", flash).abs() < 1e-9);
    for framework in ["pytorch", "jax"] {
        assert!((products(framework, flash) - 0.5).abs() < 1e-9);
    }
    // Megatron's drops what lies between queries and keys, PyTorch's keeps what fused attention gave.
    let again = |framework: &str, flags: &[&str]| {
        of(framework, "selective", flags).attention / of(framework, "none", flags).attention
    };
    assert!(again("megatron", flash) > 1.1 && again("megatron", &[]) > 1.1);
    assert!(again("pytorch", &[]) > 1.1);
    assert!((again("pytorch", flash) - 1.0).abs() < 1e-9);
}

#[test]
fn narrow_experts_cost_more_than_wide_ones_and_in_eight_bits_more_again() {
    let predictor = Predictor::shipped().unwrap();
    let constants = &predictor.artifact().stages.constants;
    let at = |model: &str, precision: &str| {
        let run = MeasuredRun {
            gpus: 64,
            seq_len: Some(4096),
            batch_per_gpu: Some(1.0),
            ..decoder(model, "H100-SXM5-80GB", precision, "megatron")
        };
        StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap()
    };
    // How much longer products are than those of a dense layer of their size would be.
    let extra = |work: &StepWork| {
        let dense = StepWork {
            routed: 0.0,
            routed_narrow: 0.0,
            ..work.clone()
        };
        let time = |work| StepTimes::compose(work, constants).gemm;
        let share = work.routed / (work.gemm_forward + work.gemm_backward);
        (time(work) / time(&dense) - 1.0) / share
    };
    let wide = at("grok-1", "amp-bf16");
    let narrow = at("qwen3-30b-a3b", "amp-bf16");
    // The narrowest side is 6144 all over; of narrow experts 1536 where gate and values are one product, 768 back from there.
    let halvings = |work: &StepWork| work.routed_narrow / work.routed;
    assert!((halvings(&wide) - (8192.0f64 / 6144.0).log2()).abs() < 1e-9);
    let (least, most) = ((8192.0f64 / 1536.0).log2(), (8192.0f64 / 768.0).log2());
    let of_both = halvings(&narrow);
    assert!(least < of_both && of_both < most, "{of_both}");
    let (few, many) = (extra(&wide), extra(&narrow));
    assert!(few > 0.0 && many > 2.0 * few, "{few} {many}");
    let quantised = extra(&at("grok-1", "fp8"));
    assert!(quantised > few, "{quantised} {few}");
    let none = at("llama-3-8b", "amp-bf16");
    assert_eq!((none.routed, none.routed_narrow), (0.0, 0.0));
}

#[test]
fn the_host_waits_for_the_tokens_of_each_expert_of_its_device() {
    let at = |framework: &str, date: &str, ep: u32| {
        let run = MeasuredRun {
            gpus: 64,
            ep: Some(ep),
            framework: Some(framework.into()),
            source_date: YearMonth::parse(date),
            seq_len: Some(4096),
            batch_per_gpu: Some(4.0),
            ..run("qwen3-30b-a3b", "GB200-186GB", "amp-bf16")
        };
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        (work.awaited_experts, times(&run).stalled)
    };
    // 48 layers of 128 experts, on 8 devices or on 64.
    let (few, many) = (at("megatron", "2026-04", 64), at("megatron", "2026-04", 8));
    assert_eq!((few.0, many.0), (48.0 * 2.0, 48.0 * 16.0));
    assert!(few.1 > 0.0 && (many.1 / few.1 - 8.0).abs() < 1e-9);
    assert_eq!(at("megatron", "2026-06", 8), (0.0, 0.0));
    assert_eq!(at("jax", "2026-04", 8), (0.0, 0.0));
    let dense = decoder("llama-3-8b", "H100-SXM5-80GB", "amp-bf16", "megatron");
    assert_eq!(times(&dense).stalled, 0.0);
}

#[test]
fn a_token_goes_to_all_its_experts_in_their_width() {
    let run = MeasuredRun {
        gpus: 64,
        ep: Some(64),
        framework: Some("megatron".into()),
        seq_len: Some(8192),
        batch_per_gpu: Some(1.0),
        grad_accum: Some(8),
        ..run("nemotron3-super", "GB300-288GB", "amp-bf16")
    };
    let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
    let call = work.exchange.calls[Purpose::Experts as usize].expect("experts");
    // 22 copies, 1,024 wide, of 8,192 tokens in 2 bytes.
    assert_eq!(call.collective.bytes, 22.0 * 1024.0 * 8192.0 * 2.0);
}

#[test]
fn replicas_that_were_never_wrapped_exchange_nothing() {
    let gradients = |run: &MeasuredRun| times(run).gradients;
    let alone = MeasuredRun {
        gpus: 8,
        stack: Some("NVIDIA DeepLearningExamples, PyTorch 1.7.0".into()),
        batch_per_gpu: Some(8.0),
        seq_len: Some(256),
        ..run("transformer-xl-large", "RTX3090-24GB", "tf32")
    };
    assert_eq!(gradients(&alone), 0.0);
    let together = MeasuredRun {
        stack: Some("NGC PyTorch 20.06".into()),
        ..alone
    };
    assert!(gradients(&together) > 0.05);
}

/// Bytes of gradients that a step exchanges.
fn gradient_bytes(run: &MeasuredRun) -> f64 {
    let work = StepWork::new(&resolved(run), PrecisionView::Aware).unwrap();
    let call = work.exchange.calls[Purpose::Gradients as usize].expect("gradients");
    call.collective.bytes * call.calls
}

#[test]
fn a_model_cast_as_a_whole_sends_half_the_gradients_and_casts_nothing() {
    let work = |run: &MeasuredRun| StepWork::new(&resolved(run), PrecisionView::Aware).unwrap();
    let nvidia = |model: &str, date: &str| MeasuredRun {
        gpus: 8,
        stack: Some("NGC PyTorch".into()),
        source_date: YearMonth::parse(date),
        seq_len: Some(192),
        ..run(model, "A100-SXM4-40GB", "amp-fp16")
    };
    let whole = nvidia("transformer-xl-base", "2020-06");
    let plain = MeasuredRun {
        stack: None,
        ..whole.clone()
    };
    assert!((gradient_bytes(&plain) / gradient_bytes(&whole) - 2.0).abs() < 1e-9);
    assert!(work(&plain).autocasts > 0.0);
    assert_eq!(work(&whole).autocasts, 0.0);
    // NVIDIA's recipe to pretrain BERT came with autocast in autumn 2021.
    let ratio = gradient_bytes(&nvidia("bert-large", "2021-11"))
        / gradient_bytes(&nvidia("bert-large", "2020-06"));
    assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
    // Who is blind to the precision does not see how it is cast either.
    let blind = StepWork::new(&resolved(&whole), PrecisionView::Blind).unwrap();
    let other = StepWork::new(&resolved(&plain), PrecisionView::Blind).unwrap();
    assert_eq!(blind.exchange, other.exchange);
}

#[test]
fn raced_stacks_and_recipes_of_nemo_sum_gradients_in_16_bits() {
    let of = |framework: &str, tuning: &str, precision: &str| {
        gradient_bytes(&MeasuredRun {
            gpus: 16,
            framework: Some(framework.into()),
            tuning: Some(tuning.into()),
            source_date: YearMonth::parse("2025-03"),
            seq_len: Some(4096),
            ..run("llama-3-8b", "H100-SXM5-80GB", precision)
        })
    };
    let whole = of("pytorch", "tuned", "amp-bf16");
    let share = |framework, tuning, precision| of(framework, tuning, precision) / whole;
    assert!((share("pytorch", "benchmark", "amp-bf16") - 0.5).abs() < 1e-9);
    let recipe = share("nemo", "tuned", "fp8") / share("nemo", "plain", "fp8");
    assert!((recipe - 0.5).abs() < 1e-9, "{recipe}");
    assert!((share("pytorch", "benchmark", "fp32") - 1.0).abs() < 1e-9);
}

#[test]
fn a_sharded_model_scatters_its_gradients_layer_by_layer() {
    let sharded = MeasuredRun {
        gpus: 64,
        sharding: Some("fsdp".into()),
        seq_len: Some(4096),
        ..run("llama-2-70b", "H100-SXM5-80GB", "amp-bf16")
    };
    let work = StepWork::new(&resolved(&sharded), PrecisionView::Aware).unwrap();
    let [gradients, weights] = [Purpose::Gradients, Purpose::Weights]
        .map(|purpose| work.exchange.calls[purpose as usize].unwrap().calls);
    assert_eq!(gradients, 80.0);
    assert_eq!(weights, 160.0);
}

#[test]
fn buckets_of_gradients_fill_the_pipeline_once() {
    let whole = MeasuredRun {
        gpus: 16,
        ..run("vgg16", "A100-SXM4-80GB", "fp32")
    };
    let work = StepWork::new(&resolved(&whole), PrecisionView::Aware).unwrap();
    let call = work.exchange.calls[Purpose::Gradients as usize].unwrap();
    assert!(call.calls > 10.0);
    let queued = Purpose::Gradients.by_physics(&call.collective, call.calls);
    assert!(queued < 0.8 * call.calls * call.collective.time().value());
}

#[test]
fn fp32_convolutions_are_no_faster_where_nobody_states_the_clock() {
    // Both have 128 lanes a multiprocessor, which libraries' convolutions use half of; the clock of one is not stated.
    let micro = |gpu: &str| times(&run("resnet50", gpu, "fp32")).micro;
    let ratio = micro("B300-SXM-288GB") / micro("B200-SXM-192GB");
    assert!((0.85..1.15).contains(&ratio), "{ratio}");
}

#[test]
fn exchange_through_the_memory_of_the_host_is_slow_and_slower_among_more() {
    let gradients = |gpu: &str, gpus: u32, system: Option<&str>| {
        let run = MeasuredRun {
            gpus,
            system: system.map(Into::into),
            ..run("vgg16", gpu, "fp32")
        };
        times(&run).gradients
    };
    let own = gradients("A6000-48GB", 4, None);
    let rented = gradients("A6000-48GB", 4, Some("LambdaCloud_4xA6000"));
    assert!(rented > 1.5 * own, "{rented} {own}");
    // A ring of eight sends 7/8 twice, one of two 1/2.
    let by_volume = 7.0 / 4.0;
    let more = gradients("RTX3090-24GB", 8, None) / gradients("RTX3090-24GB", 2, None);
    assert!(more > 1.5 * by_volume, "{more}");
    // Where one process drives all, the copy engines pass pieces on.
    let single = |gpu: &str| {
        let run = MeasuredRun {
            gpus: 4,
            replication: Some("dataparallel".into()),
            ..run("vgg16", gpu, "fp32")
        };
        let configuration = resolved(&run);
        assert!(configuration.strategy.single_process);
        (times(&run).gradients, configuration.fabric.staged)
    };
    let (staged, is_staged) = single("RTX3090-24GB");
    let (direct, is_direct) = single("A5000-24GB");
    assert!(is_staged && !is_direct);
    assert!((staged / direct - 1.0).abs() < 1e-9);
}

#[test]
fn scores_of_a_vocabulary_are_read_over_and_over() {
    let softmax = |model: &str, batch| {
        let run = MeasuredRun {
            batch_per_gpu: Some(batch),
            ..run(model, "V100-SXM2-16GB", "fp32")
        };
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        work.traffic_forward[2] + work.traffic_backward[2]
    };
    // 35 words over 33 278 in 32 bits: the trace of the net ends before its loss, so all nine passes are added.
    let bandwidth = 900e9;
    let expected = 9.0 * 35.0 * 33278.0 * 4.0 * 20.0 / bandwidth;
    let found = softmax("lstm-wikitext2", 20.0);
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
    assert_eq!(softmax("resnet50", 64.0), 0.0);
}

#[test]
fn detectors_of_two_stages_take_turns_with_their_host() {
    let stalled = |model: &str, tuning: &str, batch| {
        let run = MeasuredRun {
            tuning: Some(tuning.into()),
            batch_per_gpu: Some(batch),
            ..run(model, "A100-SXM4-40GB", "amp-fp16")
        };
        times(&run).stalled
    };
    let one = stalled("mask-rcnn-r50-fpn", "tuned", 1.0);
    assert!((0.002..0.03).contains(&one), "{one}");
    let twelve = stalled("mask-rcnn-r50-fpn", "tuned", 12.0);
    assert!((twelve / one - 12.0).abs() < 1e-9);
    assert_eq!(stalled("mask-rcnn-r50-fpn", "benchmark", 12.0), 0.0);
    assert_eq!(stalled("ssd300-resnet50", "tuned", 12.0), 0.0);
    // Of one stage too, where pictures keep their aspect.
    assert_eq!(stalled("retinanet-r50-fpn", "tuned", 1.0), one);
}

/// A picture or more of a model in training on a V100, by software of this date.
fn dated(model: &str, precision: &str, batch: f64, date: &str) -> MeasuredRun {
    MeasuredRun {
        batch_per_gpu: Some(batch),
        source_date: YearMonth::parse(date),
        ..run(model, "V100-SXM2-16GB", precision)
    }
}

#[test]
fn turns_were_longer_before_boxes_were_chosen_on_devices() {
    let stalled = |date| times(&dated("mask-rcnn-r50-fpn", "fp32", 1.0, date)).stalled;
    let since = stalled("2021-06");
    assert_eq!(stalled("2023-06"), since);
    let in_2018 = stalled("2018-06") / since;
    assert!(in_2018 > 2.0 && in_2018 < 10.0, "{in_2018}");
}

#[test]
fn groups_of_a_convolution_once_ran_one_after_another() {
    let apart = |model: &str, precision: &str, date: &str| {
        let run = dated(model, precision, 1.0, date);
        let work = StepWork::new(&resolved(&run), PrecisionView::Aware).unwrap();
        work.grouped_apart
    };
    // 33 blocks, forward and both gradients.
    let of_groups = |groups: f64| 33.0 * groups * 3.0;
    assert_eq!(
        apart("faster-rcnn-x101-32x8d-fpn", "fp32", "2018-06"),
        of_groups(32.0)
    );
    let wide = "retinanet-x101-64x4d-fpn";
    assert_eq!(apart(wide, "fp32", "2018-06"), of_groups(64.0));
    assert_eq!(apart(wide, "fp32", "2019-09"), 0.0);
    assert_eq!(apart("retinanet-r50-fpn", "fp32", "2018-06"), 0.0);
    assert_eq!(apart("resnext101-32x4d", "amp-fp16", "2018-06"), 0.0);
    // As long for one picture as for two.
    let extra = |batch| {
        let grouped = |date| times(&dated(wide, "fp32", batch, date)).grouped;
        grouped("2018-06") - grouped("2019-09")
    };
    assert!((extra(2.0) / extra(1.0) - 1.0).abs() < 1e-9);
    assert!((0.1..0.6).contains(&extra(1.0)), "{}", extra(1.0));
}

#[test]
fn all_but_the_products_of_a_convolutional_net_is_in_sixteen_bits_beside_fp8() {
    for model in ["resnet50", "convnext-base", "unet-3d"] {
        let of = |precision: &str| times(&run(model, "H100-SXM5-80GB", precision));
        let (fp8, bf16) = (of("fp8"), of("amp-bf16"));
        for (what, eight, sixteen) in [
            ("norms", fp8.norm, bf16.norm),
            ("elementwise", fp8.elementwise, bf16.elementwise),
        ] {
            assert!(
                (eight / sixteen - 1.0).abs() < 1e-9,
                "{model} {what}: {eight} {sixteen}"
            );
        }
    }
}
