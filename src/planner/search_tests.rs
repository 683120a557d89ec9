//! The search with a predictor of a few lines: memory is what weights and states take, time what work takes.

use super::*;
use crate::domain::{PrecisionMode, PrecisionSpec};
use crate::physics::{PrecisionView, StepWork, memory_use};
use crate::planner::{PlanRequest, check};
use crate::presets::Catalogue;

/// Physics' own memory; a step takes longer the more is recomputed, cut and exchanged.
fn sketch(c: &Configuration) -> Result<(MemoryUse, f64), PredictError> {
    let work = StepWork::new(c, PrecisionView::Aware)?;
    let s = &c.strategy;
    let recompute = [1.0, 1.05, 1.3][s.recompute as usize];
    let step = recompute
        * (1.0 + 0.05 * f64::from(s.tensor * s.pipeline))
        * (1.0 + 0.01 * f64::from(s.sharding.stage()));
    Ok((memory_use(c, work.device_parameters), step))
}

fn found(model: &str, part: &str, count: u32, batch: &str, more: &str) -> Result<Search, String> {
    searched(model, part, count, batch, more).map(|(search, _)| search)
}

/// What was found, and the configuration of the layout that was taken.
fn searched(
    model: &str,
    part: &str,
    count: u32,
    batch: &str,
    more: &str,
) -> Result<(Search, Configuration), String> {
    let text = format!(
        "schema = 1\nmodel = \"{model}\"\naccelerators = [\"{part}\"]\ncounts = [{count}]\n\
         precisions = [\"amp-bf16\"]\ntrain = {{ steps = 10 }}\nbatch = {{ global = {batch} }}\n{more}"
    );
    let catalogue = Catalogue::shipped().unwrap();
    let request = PlanRequest::from_toml(&text, "test").unwrap();
    let request = check(&request, &catalogue).unwrap();
    let accelerator = request.accelerators[0].clone();
    let fabric = catalogue.fabric(&accelerator, None, count, None, None);
    let spec: PrecisionSpec = catalogue.precision(PrecisionMode::AmpBf16);
    let predictor = crate::predictor::Predictor::shipped().unwrap();
    let desk = crate::planner::run::Desk {
        request: &request,
        catalogue: &catalogue,
        predictor: &predictor,
        profile: None,
        system: None,
    };
    let template = desk.template(&accelerator, count, fabric, spec);
    let search = search(
        &Site::new(&request, count, fabric),
        &template,
        &sketch,
        Some(&|layouts| {
            let steps = layouts.iter().map(|c| sketch(c).map(|(_, step)| step));
            steps.collect()
        }),
    )?;
    let strategy = search.best.unwrap_or(template.strategy);
    Ok((
        search,
        Configuration {
            strategy,
            ..template
        },
    ))
}

fn layout(search: &Search) -> Strategy {
    search.best.expect("something fits")
}

#[test]
fn what_fits_plainly_is_laid_out_plainly() {
    let strategy = layout(&found("resnet50", "A100-SXM4-80GB", 8, "512", "").unwrap());
    assert_eq!(
        (strategy.data, strategy.tensor, strategy.pipeline),
        (8, 1, 1)
    );
    assert_eq!(strategy.sharding, Sharding::None);
    assert_eq!((strategy.micro_batch, strategy.accumulation), (64.0, 1));
}

#[test]
fn a_batch_beyond_memory_is_split() {
    let strategy = layout(&found("resnet50", "A100-SXM4-40GB", 1, "8192", "").unwrap());
    assert!(strategy.accumulation > 1);
    assert_eq!(strategy.global_batch(), 8192.0);
}

#[test]
fn a_model_beyond_one_part_is_shared_out() {
    let search = found("llama-3-8b", "A100-SXM4-80GB", 8, "64", "").unwrap();
    let strategy = layout(&search);
    assert!(strategy.sharding != Sharding::None || strategy.tensor > 1);
    assert_eq!(strategy.global_batch(), 64.0);
    assert!(search.dropped.slower > 10, "{:?}", search.dropped);
    assert!(search.dropped.memory > 0);
}

#[test]
fn a_model_beyond_all_parts_says_what_it_needs() {
    let resident = "strategy = { offload = \"none\" }\n";
    let search = found("llama-3.1-405b", "A100-SXM4-80GB", 8, "8", resident).unwrap();
    assert!(search.best.is_none());
    let (strategy, memory) = search.smallest.unwrap();
    let told = too_large(&memory, &strategy, 8, Some(8192));
    assert!(
        told.starts_with("Does not fit: needs ") && told.contains("GiB of 80.0 GiB"),
        "{told}"
    );
    assert!(told.contains("Use more accelerators"), "{told}");
}

#[test]
fn a_sequence_beyond_all_parts_is_told_a_shorter_one_that_fits() {
    let long = "seq_len = 2000000\nstrategy = { offload = \"none\", cp = 1 }\n";
    let search = found("llama-3-8b", "A100-SXM4-80GB", 8, "8", long).unwrap();
    assert!(search.best.is_none());
    let (strategy, memory) = search.smallest.unwrap();
    let told = too_large(&memory, &strategy, 8, Some(2_000_000));
    assert!(told.contains("Use a sequence of about "), "{told}");
    // Without a sequence there is nothing to shorten.
    assert!(!too_large(&memory, &strategy, 8, None).contains("sequence"));
}

#[test]
fn more_parts_than_samples_cut_the_model() {
    let strategy = layout(&found("llama-3-8b", "H100-SXM5-80GB", 64, "16", "").unwrap());
    assert!(strategy.tensor * strategy.pipeline * strategy.context >= 4);
    assert_eq!(strategy.devices(), 64);
}

#[test]
fn given_degrees_are_kept_or_refused() {
    let fixed = "strategy = { tp = 4, pp = 2, sharding = \"zero1\", recompute = \"full\", accumulation = 8 }\n";
    let strategy = layout(&found("llama-3-8b", "H100-SXM5-80GB", 16, "64", fixed).unwrap());
    assert_eq!(
        (strategy.tensor, strategy.pipeline, strategy.data),
        (4, 2, 2)
    );
    assert_eq!(
        (strategy.sharding, strategy.recompute),
        (Sharding::Zero1, Recompute::Full)
    );
    assert_eq!((strategy.micro_batch, strategy.accumulation), (4.0, 8));
    let uneven = found(
        "llama-3-8b",
        "H100-SXM5-80GB",
        24,
        "24",
        "strategy = { tp = 3 }\n",
    )
    .unwrap_err();
    assert!(uneven.contains("32 attention heads"), "{uneven}");
    let no_blocks = found(
        "resnet50",
        "H100-SXM5-80GB",
        8,
        "64",
        "strategy = { tp = 2 }\n",
    )
    .unwrap_err();
    assert!(no_blocks.contains("No tensor parallelism"), "{no_blocks}");
}

#[test]
fn states_go_to_the_host_only_where_nothing_fits_without() {
    let search = found("llama-3-8b", "A100-SXM4-80GB", 1, "4", "").unwrap();
    assert_ne!(layout(&search).offload, Offload::None);
    let search = found("llama-3-8b", "H100-SXM5-80GB", 8, "64", "").unwrap();
    assert_eq!(layout(&search).offload, Offload::None);
    let second = search.second.expect("there are others");
    assert!(second.1 >= -TIE);
    let why = layout_why(Some(second), &search.dropped, 1);
    assert!(
        why.contains("layouts that fit") && why.ends_with('.'),
        "{why}"
    );
}

#[test]
fn a_headroom_is_left_free() {
    let free = "limits = { memory_headroom_percent = 40 }\n";
    let (search, configuration) = searched("llama-3-8b", "H100-SXM5-80GB", 8, "64", free).unwrap();
    assert!(search.best.is_some(), "something fits");
    let (memory, _) = sketch(&configuration).unwrap();
    assert!(memory.total().value() <= 0.6 * memory.capacity.value());
}

#[test]
fn the_whole_prediction_ranks_the_shortlist_alone() {
    let run = Strategy::data_parallel(8, 1.0);
    // By physics: 1.0, 1.1, 1.15 near, 2.0 far. The whole predictor would have the far one first.
    let mut layouts = vec![(2.0, 3), (1.1, 1), (1.0, 0), (1.15, 2)];
    let steps = [3.0, 1.5, 2.5, 0.1];
    let whole = |list: &[usize]| -> Option<Vec<f64>> {
        list.iter().map(|at| steps.get(*at).copied()).collect()
    };
    assert_eq!(shortlist(&mut layouts, |_| run, whole), 3);
    assert_eq!(layouts, [(1.5, 1), (2.5, 2), (3.0, 0), (2.0, 3)]);
    // Another number of context ranks is not compared, however fast it is said to be.
    let mut layouts = vec![(1.1, 1), (1.0, 0), (1.15, 2)];
    let mixed = |at: usize| Strategy {
        context: if at == 1 { 2 } else { 1 },
        ..run
    };
    assert_eq!(shortlist(&mut layouts, mixed, whole), 2);
    assert_eq!(layouts, [(2.5, 2), (3.0, 0), (1.1, 1)]);
    // What cannot be predicted leaves the order of physics.
    let mut layouts = vec![(1.1, 9), (1.0, 0)];
    assert_eq!(shortlist(&mut layouts, |_| run, whole), 2);
    assert_eq!(layouts, [(1.0, 0), (1.1, 9)]);
    let mut none: Vec<(f64, usize)> = Vec::new();
    assert_eq!(shortlist(&mut none, |_| run, whole), 0);
}

#[test]
fn of_layouts_as_fast_as_can_be_told_the_one_with_most_work_a_kernel_is_taken_then_the_plainest() {
    let plain = Strategy::data_parallel(8, 2.0);
    let of = |tensor, context, pipeline, micro_batch| Strategy {
        tensor,
        context,
        pipeline,
        micro_batch,
        ..plain
    };
    // Eight samples a kernel on two pipeline stages, four cut over two tensor ranks, two laid out plainly.
    let layouts = [
        (1.0, plain),
        (1.01, of(2, 1, 1, 8.0)),
        (1.02, of(1, 1, 2, 8.0)),
    ];
    assert_eq!(surest(&layouts), Some(2));
    // A cut sequence is half the work.
    assert_eq!(surest(&[(1.0, plain), (1.01, of(1, 2, 1, 4.0))]), Some(0));
    // As much work: the plainest.
    let layouts = [(1.0, of(1, 1, 2, 2.0)), (1.02, plain)];
    assert_eq!(surest(&layouts), Some(1));
    // Faster than can be told apart counts.
    let layouts = [(1.0, plain), (1.05, of(1, 1, 1, 64.0))];
    assert_eq!(surest(&layouts), Some(0));
    assert_eq!(surest(&[]), None);
}

#[test]
fn a_layout_that_nearly_fills_the_memory_gives_way_to_one_as_fast() {
    let plain = Strategy::data_parallel(8, 4.0);
    let small = Strategy {
        micro_batch: 1.0,
        ..plain
    };
    // Most work a kernel, but hardly room for it.
    let layouts = [(1.0, (plain, true)), (1.02, (small, false))];
    assert_eq!(roomiest(&layouts), Some(1));
    // Slower than can be told apart: the full one stays, and is told.
    assert_eq!(
        roomiest(&[(1.0, (plain, true)), (1.05, (small, false))]),
        Some(0)
    );
    assert_eq!(roomiest(&[(1.0, (plain, true))]), Some(0));
    // As fast is as fast as the first of all, not as the first with room: the slower of two with room is out.
    let layouts = [
        (1.0, (plain, true)),
        (1.02, (small, false)),
        (1.04, (plain, false)),
    ];
    assert_eq!(roomiest(&layouts), Some(1));
    assert_eq!(roomiest(&[]), None);
    let memory = |gib: f64| MemoryUse {
        weights: crate::units::Bytes::from_gib(gib),
        capacity: crate::units::Bytes::from_gib(80.0),
        ..MemoryUse::default()
    };
    assert!(is_nearly_full(&memory(79.0)) && !is_nearly_full(&memory(70.0)));
    // What does not fit has words of its own.
    assert!(!is_nearly_full(&memory(81.0)));
    assert!(nearly_full(&memory(79.0), 11.0).contains("99 % full, 79.0 of 80.0 GiB"));
}

/// The same layout with half the micro-steps.
fn next_larger(configuration: &Configuration, per_rank: f64) -> Configuration {
    let mut larger = configuration.clone();
    let steps = (f64::from(configuration.strategy.accumulation) / 2.0).floor();
    larger.strategy.accumulation = steps as u32;
    larger.strategy.micro_batch = per_rank / steps;
    larger
}

#[test]
fn the_largest_micro_batch_that_fits_is_found_however_large_the_batch() {
    for (model, part, batch) in [
        ("resnet50", "A100-SXM4-40GB", "4096"),
        ("resnet50", "A100-SXM4-40GB", "65536"),
        ("gpt2-small", "A100-SXM4-40GB", "512"),
        ("llama-3-8b", "H100-SXM5-80GB", "1024"),
    ] {
        let count = if model.starts_with("llama") { 8 } else { 1 };
        let resident = "strategy = { tp = 1, pp = 1, cp = 1, offload = \"none\" }\n";
        let (search, configuration) = searched(model, part, count, batch, resident).unwrap();
        let strategy = layout(&search);
        let per_rank: f64 = batch.parse::<f64>().unwrap() / f64::from(count);
        assert!(strategy.accumulation > 1, "{model}: {strategy:?}");
        let (memory, _) = sketch(&next_larger(&configuration, per_rank)).unwrap();
        assert!(
            !memory.fits() || is_nearly_full(&memory),
            "{model} at {batch}: {strategy:?} leaves room for twice the micro-batch"
        );
    }
}

#[test]
fn a_batch_that_divides_by_nothing_is_split_all_the_same() {
    let strategy = layout(&found("resnet50", "A100-SXM4-40GB", 1, "2053", "").unwrap());
    assert!((strategy.global_batch() - 2053.0).abs() < 1e-6);
    assert!(strategy.micro_batch > 32.0, "{strategy:?}");
    assert!(strategy.accumulation < 64, "{strategy:?}");
}

#[test]
fn virtual_stages_are_those_that_share_the_layers_out() {
    let given = |more: &str| found("llama-3-8b", "H100-SXM5-80GB", 8, "64", more);
    let strategy = layout(&given("strategy = { pp = 2, interleave = 4 }\n").unwrap());
    assert_eq!((strategy.pipeline, strategy.interleave), (2, 4));
    let wrong = given("strategy = { pp = 4, interleave = 100 }\n").unwrap_err();
    assert!(
        wrong.contains("Allowed with 4 pipeline stages: 1, 2, 4, 8."),
        "{wrong}"
    );
    let wrong = given("strategy = { pp = 2, interleave = 3 }\n").unwrap_err();
    assert!(
        wrong.contains("Allowed with 2 pipeline stages: 1, 2, 4, 8, 16."),
        "{wrong}"
    );
    let wrong = given("strategy = { pp = 1, interleave = 3 }\n").unwrap_err();
    assert!(wrong.contains("there is no pipeline"), "{wrong}");
    let wrong = found(
        "resnet50",
        "A100-SXM4-80GB",
        8,
        "512",
        "strategy = { interleave = 2 }\n",
    );
    assert!(
        wrong
            .unwrap_err()
            .contains("No interleaved pipeline parallelism")
    );
}
