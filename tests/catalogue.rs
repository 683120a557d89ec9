//! The shipped catalogue: complete, sourced, and honest about what it does not know.

use mantissa::domain::{LinkKind, PrecisionMode};
use mantissa::presets::Catalogue;
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
    assert!(refusal("Gaudi1", PrecisionMode::AmpBf16).starts_with("peak unknown"));
}

#[test]
fn unknown_names_list_the_nearest() {
    let c = catalogue();
    let error = c.accelerator("H100-SXM").map(|a| a.name.clone());
    assert_eq!(error.as_deref(), Ok("H100-SXM5-80GB"));
    let error = c.accelerator("A100").map(|_| ()).expect_err("ambiguous");
    assert_eq!(error.nearest.len(), 3);
    assert!(
        error.nearest.iter().all(|n| n.starts_with("A100")),
        "{error}"
    );
    let error = c.system("DGX A10").map(|_| ()).expect_err("unknown");
    assert!(error.to_string().contains("DGX A100"), "{error}");
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
    let f = fabric("RTX4090-24GB", 4, None, None);
    assert_eq!(
        (f.link, f.nodes, f.intra.gb_per_s()),
        (LinkKind::Pcie, 1, 31.5)
    );
    let f = fabric("RTX2080Ti-11GB", 2, Some(1), Some("NVLink bridge"));
    assert_eq!((f.link, f.intra.gb_per_s()), (LinkKind::Fast, 50.0));
    let f = fabric("V100-SXM2-16GB", 32, Some(4), Some("NVLink2/IB-8x100G"));
    assert_eq!((f.per_node, f.inter.gb_per_s()), (8, 12.5));
}
