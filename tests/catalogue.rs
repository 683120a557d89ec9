//! The shipped catalogue: complete, sourced, and honest about what it does not know.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use mantissa::domain::{Generation, LinkKind, ModelSource, PrecisionMode};
use mantissa::presets::{Catalogue, Tier};
use std::sync::Arc;

fn catalogue() -> Arc<Catalogue> {
    match Catalogue::shipped() {
        Ok(catalogue) => catalogue,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn everything_shipped_loads() {
    let c = catalogue();
    assert!(c.accelerators().len() >= 88);
    assert_eq!(c.systems().len(), 82);
    for mode in PrecisionMode::ALL {
        assert_eq!(c.precision(mode).mode, mode);
        assert_eq!(c.precision_entry(mode).label, mode.label());
    }
}

#[test]
fn every_figure_has_a_source_and_a_date() {
    let c = catalogue();
    let check = |what: &str, name: &str, source: &str, date: &str| {
        assert!(!source.trim().is_empty(), "{what} {name} has no source");
        assert!(date.len() >= 4, "{what} {name} has no date");
    };
    for a in c.accelerators() {
        check("accelerator", &a.name, &a.source, &a.retrieved);
        for price in c.prices(&a.name) {
            check("price", &price.instance, &price.source, &price.date);
            assert!(price.usd_per_hour.value() > 0.0);
        }
    }
    for s in c.systems() {
        check("system", &s.name, &s.source, &s.retrieved);
    }
    for m in c.models() {
        check("model", &m.name, &m.source, &m.retrieved);
    }
    for g in c.grids() {
        check("grid", &g.region, &g.source, &g.retrieved);
    }
    for p in c.pues() {
        check("pue", &p.provider, &p.source, &p.retrieved);
    }
    for e in c.electricity_prices() {
        check("electricity", &e.region, &e.source, &e.retrieved);
    }
}

#[test]
fn a_clock_that_nobody_states_follows_from_the_fp32_rate() {
    let c = catalogue();
    let part = |name: &str| c.accelerator(name).unwrap();
    let b300 = part("B300-SXM-288GB");
    assert_eq!(b300.boost_clock_mhz, None);
    let clock = b300.clock_mhz().unwrap();
    assert!((1800.0..1900.0).contains(&clock), "{clock}");
    // 75 TFLOP/s on 160 multiprocessors of 128 lanes.
    assert!((2.0 * 128.0 * 160.0 * clock * 1e6 / 75e12 - 1.0).abs() < 1e-9);
    // What is stated stands.
    assert_eq!(part("H100-SXM5-80GB").clock_mhz(), Some(1830.0));
    for generation in [Generation::Ada, Generation::Hopper, Generation::Blackwell] {
        for a in (c.accelerators().iter()).filter(|a| a.generation == generation) {
            assert!(a.clock_mhz().is_some(), "{}", a.name);
        }
    }
}

#[test]
fn blackwell_ultra_has_twice_the_exponentials() {
    let c = catalogue();
    let part = |name: &str| c.accelerator(name).unwrap().exponentials_per_clock;
    assert_eq!(part("GB300-288GB"), Some(32.0));
    assert_eq!(part("B300-SXM-288GB"), Some(32.0));
    assert_eq!(part("GB200-186GB"), None);
}

#[test]
fn systems_and_defaults_hold_known_parts() {
    let c = catalogue();
    for s in c.systems().iter().filter(|s| !s.accelerator.is_empty()) {
        if let Err(error) = c.accelerator(&s.accelerator) {
            panic!("system {}: {error}", s.name);
        }
    }
    let without: Vec<&str> = c
        .accelerators()
        .iter()
        .filter(|a| c.default_system(a).is_none())
        .map(|a| a.name.as_str())
        .collect();
    // No system entry exists for these; their links come from the part itself.
    let known = [
        "Ascend910",
        "Gaudi1-32GB",
        "Graphcore-Bow",
        "Graphcore-GC200",
        "TPUv2",
        "TPUv3",
        "TPUv7x",
        "Trainium3",
    ];
    assert_eq!(without, known);
}

#[test]
fn every_name_of_a_measured_part_is_known_or_said_to_be_ambiguous() {
    let c = catalogue();
    let page = include_str!("../presets/accelerators/UNRESOLVED.md");
    let unresolved = page.split("Known parts").next().unwrap_or(page);
    for name in include_str!("fixtures/part-names.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let ambiguous = unresolved.contains(&format!("| `{name}` |"));
        assert_ne!(c.accelerator(name).is_ok(), ambiguous, "{name}");
    }
}

#[test]
fn parts_asked_for_modes_they_lack_are_refused_by_name() {
    let c = catalogue();
    let refusal = |part: &str, mode| {
        let accelerator = c.accelerator(part).expect("known part");
        accelerator.peak(mode).expect_err("refused").to_string()
    };
    assert_eq!(
        refusal("v100 sxm2-16gb", PrecisionMode::Bf16),
        "V100-SXM2-16GB lacks it: Volta tensor cores have no BF16: it came with Ampere. AMP-FP16 runs on them"
    );
    assert!(refusal("A100-SXM4-80GB", PrecisionMode::Fp8).contains("A100-SXM4-80GB lacks it"));
    assert!(refusal("H100-SXM5-80GB", PrecisionMode::Nvfp4).contains("FP8 runs on them"));
    assert!(refusal("MI355X", PrecisionMode::Tf32).contains("lacks it"));
    assert!(refusal("TPUv5p", PrecisionMode::AmpFp16).contains("lacks it"));
    assert!(refusal("TPUv5p", PrecisionMode::Fp32).starts_with("peak unknown"));
    assert!(refusal("Gaudi1", PrecisionMode::AmpBf16).starts_with("peak unknown"));
}

#[test]
fn every_part_answers_for_every_mode() {
    let c = catalogue();
    let peak = |part: &str, mode| {
        let accelerator = c.accelerator(part).expect("known part");
        accelerator.peak(mode).expect("has it").rate.tera()
    };
    assert_eq!(peak("GTX 1080 Ti", PrecisionMode::AmpFp16), 11.34);
    assert_eq!(peak("RTX 3090", PrecisionMode::AmpFp16), 71.2);
    assert_eq!(peak("A100-SXM4-40GB", PrecisionMode::Fp64), 19.5);
    assert_eq!(peak("MI100", PrecisionMode::Fp32), 46.1);
    assert_eq!(peak("B200", PrecisionMode::Mxfp8), 4500.0);
    assert_eq!(peak("P100-SXM2-16GB", PrecisionMode::Fp16), 21.2);
    let derived = c.accelerator("H100-SXM5-96GB-HBM2e-500W").expect("known");
    let bf16 = derived.peak(PrecisionMode::AmpBf16).expect("derived");
    assert!(
        bf16.derived
            .as_ref()
            .is_some_and(|why| why.contains("H100-NVL"))
    );
    for a in c.accelerators() {
        let answered = a.peaks.len() + a.lacks.len();
        assert!(answered >= 7 || a.name.starts_with("Gaudi"), "{}", a.name);
        assert!(a.peaks.keys().all(|mode| !a.lacks.contains_key(mode)));
    }
}

#[test]
fn unknown_names_list_the_nearest() {
    let c = catalogue();
    let found = c.accelerator("H100-SXM").map(|a| a.name.clone());
    assert_eq!(found.as_deref(), Ok("H100-SXM5-80GB"));
    let error = c.accelerator("A100").map(|_| ()).expect_err("ambiguous");
    assert_eq!(error.nearest.len(), 3);
    assert!(
        error.nearest.iter().all(|n| n.starts_with("A100")),
        "{error}"
    );
    let error = c.system("DGX A10").map(|_| ()).expect_err("unknown");
    assert!(error.to_string().contains("DGX A100"), "{error}");
    let error = c.model("lama-3-8b").map(|_| ()).expect_err("unknown");
    assert!(error.nearest.iter().any(|n| n.contains("llama")), "{error}");
    let error = c.carbon("Germoney").map(|_| ()).expect_err("unknown");
    assert!(error.nearest.contains(&"Germany".to_owned()), "{error}");
    let error = c.provider("lamda").map(|_| ()).expect_err("unknown");
    assert_eq!(error.nearest[0], "lambda");
}

#[test]
fn so_many_layers_of_a_model_go_by_its_name_and_their_number() {
    let c = catalogue();
    let shape = |name: &str| match &c.model_or_layers(name).expect(name).profile {
        ModelSource::Transformer(shape) => shape.clone(),
        other => panic!("{name}: {other:?}"),
    };
    let (whole, cut) = (shape("llama-3.1-405b"), shape("Llama_3.1_405B-l8"));
    assert_eq!((whole.layers, cut.layers), (126, 8));
    assert_eq!(
        (cut.hidden, cut.vocab, cut.kv_heads),
        (whole.hidden, whole.vocab, whole.kv_heads)
    );
    // DeepSeek-V3 has three dense layers before its mixtures.
    assert_eq!(shape("deepseek-v3-l2").dense_layers, 2);
    // A name that is listed is what it says, layers or not.
    assert_eq!(shape("bigscience-104b-l32").layers, 32);
    for refused in [
        "llama-3.1-405b-l126",
        "llama-3.1-405b-l0",
        "resnet50-l4",
        "t5-base-l4",
        "nemotron-h-56b-l4",
        "llama-3.1-405b-large",
    ] {
        let error = c.model_or_layers(refused).map(|_| ()).expect_err(refused);
        assert_eq!(error.name, refused);
        assert!(!error.nearest.is_empty(), "{refused}");
    }
}

#[test]
fn fabrics_follow_the_part_and_the_words() {
    let c = catalogue();
    let fabric = |part: &str, count, nodes, words| {
        let accelerator = c.accelerator(part).expect("known part");
        c.fabric(accelerator, None, count, nodes, words)
    };
    let f = fabric("A100-SXM4-80GB", 16, None, None);
    assert_eq!((f.nodes, f.domain, f.intra.gb_per_s()), (2, 8, 300.0));
    assert_eq!(f.inter.gb_per_s(), 25.0);
    let f = fabric("GB200-186GB", 144, None, None);
    assert_eq!((f.nodes, f.domain, f.link), (2, 72, LinkKind::Fast));
    let f = fabric("RTX4090-24GB", 8, None, None);
    assert_eq!(
        (f.link, f.nodes, f.intra.gb_per_s()),
        (LinkKind::Pcie, 1, 31.5)
    );
    let f = fabric("RTX2080Ti-11GB", 2, Some(1), Some("NVLink bridge"));
    assert_eq!((f.link, f.intra.gb_per_s()), (LinkKind::Fast, 50.0));
    let f = fabric("V100-SXM2-16GB", 32, Some(4), Some("NVLink2/IB-8x100G"));
    assert_eq!((f.per_node, f.inter.gb_per_s()), (8, 12.5));
    let f = fabric("TPUv5p", 512, None, None);
    assert_eq!((f.nodes, f.link), (1, LinkKind::Fast));
    for a in c.accelerators() {
        for count in [1, 2, 8, 64, 10_000] {
            let f = c.fabric(a, None, count, None, None);
            assert!(f.intra.value() > 0.0 && f.inter.value() > 0.0, "{}", a.name);
            assert!(
                f.nodes >= 1 && f.domain >= 1 && f.per_node >= 1,
                "{}",
                a.name
            );
        }
    }
}

#[test]
fn a_named_system_decides_the_fabric() {
    let c = catalogue();
    let h100 = c.accelerator("H100-SXM5-80GB").expect("known part");
    let system = c.system("a3-megagpu-8g").expect("known system");
    let f = c.fabric(h100, Some(system), 32, None, None);
    assert_eq!((f.nodes, f.inter.gb_per_s()), (4, 25.0));
}

#[test]
fn prices_prefer_current_list_prices_and_missing_is_missing() {
    let c = catalogue();
    let best = c
        .price("h100_sxm5_80gb", None, Tier::OnDemand, 1)
        .expect("priced");
    assert!(!best.stale, "{best:?}");
    let all = c.prices("H100-SXM5-80GB");
    assert!(all.len() > 20);
    // A single machine is cheaper; eight that a run joins are not eight of those.
    let joined = c
        .price("h100_sxm5_80gb", None, Tier::OnDemand, 8)
        .expect("priced");
    assert_eq!((best.joins(8), joined.joins(8)), (1, 8));
    assert!(joined.usd_per_hour.value() > best.usd_per_hour.value());
    assert!(!joined.stale);
    let lambda = c.price("H100-SXM5-80GB", Some("Lambda"), Tier::OnDemand, 8);
    assert_eq!(lambda.map(|p| p.provider.as_str()), Some("lambda"));
    assert!(c.price("MI250-128GB", None, Tier::OnDemand, 8).is_none());
    assert!(
        c.price("H100-SXM5-80GB", Some("nobody"), Tier::OnDemand, 8)
            .is_none()
    );
    let old = c
        .price("T4-16GB", Some("aws"), Tier::Spot, 1)
        .expect("priced");
    assert!(old.stale, "spot prices of 2024 are stale");
}

#[test]
fn grids_are_found_by_country_code_state_and_cloud_region() {
    let c = catalogue();
    let grams = |region: &str| c.carbon(region).expect("known region").intensity.value();
    assert_eq!(grams("France"), grams("fra"));
    assert_eq!(grams("us-va"), grams("Virginia"));
    // One dash apart, two clouds.
    let aws = c.carbon("us-east-1").expect("known region");
    let gcp = c.carbon("us-east1").expect("known region");
    assert_eq!(aws.provider.as_deref(), Some("aws"));
    assert_eq!(gcp.provider.as_deref(), Some("gcp"));
    assert_eq!(grams("azure/eastus"), grams("eastus"));
    assert_eq!(
        c.pue("gcp", Some("us-central1")).map(|p| p.ratio),
        Some(1.11)
    );
    assert_eq!(c.pue("GCP", Some("nowhere")).map(|p| p.ratio), Some(1.1));
    assert!(c.pue("nobody", None).is_none());
    assert!(c.electricity("US-CA").is_some());
}

#[test]
fn a_node_takes_parts_of_the_architecture_it_is_built_for() {
    let catalogue = Catalogue::shipped().expect("the catalogue loads");
    let of = |node: &str, part: &str| {
        let part = catalogue.accelerator(part).expect("it is known");
        catalogue
            .system_of(node, part)
            .map(|system| system.name.clone())
    };
    assert_eq!(
        of("DGX A100", "A100-SXM4-80GB").as_deref(),
        Ok("DGX A100 640GB")
    );
    assert_eq!(
        of("DGX A100", "A100-SXM4-40GB").as_deref(),
        Ok("DGX A100 640GB")
    );
    let told = of("DGX A100", "H100-SXM5-80GB").expect_err("another architecture");
    assert!(
        told.contains("holds A100-SXM4-80GB, not H100-SXM5-80GB"),
        "{told}"
    );
}

#[test]
fn the_tracing_script_writes_the_tasks_that_are_read() {
    let script = include_str!("../assets/trace_model.py");
    let tasks = script.split("TASKS = (").nth(1).expect("a tuple of tasks");
    let tasks = tasks.split(')').next().expect("its end");
    let words: Vec<&str> = tasks.split('"').skip(1).step_by(2).collect();
    assert_eq!(words, mantissa::domain::TASKS);
}
