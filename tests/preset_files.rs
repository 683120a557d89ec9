//! Files laid over the catalogue: what is taken, and what is refused in which words.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use mantissa::domain::{PrecisionMode, ProfileOrigin};
use mantissa::presets::{Catalogue, Tier, load_model_file};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn refusal(folder: &str) -> String {
    match Catalogue::with_user_overrides(&fixture(&format!("presets/{folder}"))) {
        Ok(_) => panic!("{folder} was taken"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(folder: &str, expected: &[&str]) {
    let message = refusal(folder);
    for words in expected {
        assert!(message.contains(words), "`{words}` is not in: {message}");
    }
}

#[test]
fn a_figure_without_source_or_date_is_refused() {
    check("no-source", &["x.toml:3:1", "missing field `source`"]);
    check("blank-source", &["x.toml:13:10", "field `source`", "blank"]);
    check(
        "no-source-system",
        &["x.toml:3:1", "missing field `source`"],
    );
    check(
        "no-source-carbon",
        &["x.toml:3:1", "missing field `source`"],
    );
    check("no-date", &["x.toml:3:1", "missing field `retrieved`"]);
}

#[test]
fn errors_name_file_line_column_field_and_what_is_allowed() {
    check("broken-toml", &["x.toml:11:13", "memory_gb"]);
    check(
        "unknown-vendor",
        &["x.toml:6:10", "field `vendor`", "nvida", "`nvidia`"],
    );
    check(
        "zero-price",
        &["x.toml:8:38", "above 0", "leave the field out"],
    );
    check(
        "strange-part",
        &["x.toml:6:15", "field `accelerator`", "T4-17GB", "T4-16GB"],
    );
    check("two-profiles", &["x.toml:4:8", "twice", "exactly one"]);
    check(
        "no-decoder",
        &["x.toml:4:8", "field `decoder_tokens`", "`layout`"],
    );
    check(
        "odd-activation",
        &[
            "x.toml:4:8",
            "field `activation`",
            "gelu_new",
            "allowed: gelu-new",
        ],
    );
    check("stray", &["gpus.toml", "accelerators/*.toml"]);
}

#[test]
fn a_newer_schema_is_told_apart_from_a_mistake() {
    check("newer", &["schema 2 is newer", "update Mantissa"]);
}

#[test]
fn a_folder_of_ones_own_adds_and_overrides() {
    let c = Catalogue::with_user_overrides(&fixture("presets/own")).expect("lawful");
    let part = c.accelerator("x1").expect("added");
    assert_eq!(
        part.peak(PrecisionMode::AmpBf16).map(|p| p.rate.tera()),
        Ok(900.0)
    );
    let own = c.price("X1", None, Tier::OnDemand, 1).expect("priced");
    assert_eq!(
        (own.provider.as_str(), own.usd_per_hour.value()),
        ("own", 0.4)
    );
    let rack = c.system("my rack").expect("added");
    let f = c.fabric(part, Some(rack), 8, None, None);
    assert_eq!(
        (f.nodes, f.intra.gb_per_s(), f.inter.gb_per_s()),
        (2, 400.0, 20.0)
    );
    assert!(c.carbon("My Roof").is_ok());
    for (name, origin) in [
        ("mine", ProfileOrigin::Built),
        ("my-resnet", ProfileOrigin::Traced),
        ("my-totals", ProfileOrigin::Totals),
    ] {
        let model = c.model(name).expect("added");
        let profile = c.profile(model, None, None).expect("has one");
        assert_eq!(profile.origin, origin);
        assert!(profile.forward_flops() > 0.0);
    }
    assert!(c.accelerator("A100-SXM4-80GB").is_ok());
}

#[test]
fn a_folder_that_is_not_there_changes_nothing() {
    let c = Catalogue::with_user_overrides(Path::new("/no/such/folder")).expect("shipped");
    assert!(c.accelerator("A100-SXM4-80GB").is_ok());
}

#[test]
fn a_traced_model_of_ones_own_is_read_and_scaled() {
    let c = Catalogue::shipped().expect("lawful");
    let path = fixture("tiny.mantissa.json");
    let model = c
        .resolve_model(&path.display().to_string())
        .expect("lawful");
    assert_eq!(
        (model.name.as_str(), model.image_size),
        ("tiny-net", Some(32))
    );
    let small = c.profile(&model, None, None).expect("its own");
    let large = c.profile(&model, None, Some(64)).expect("scaled");
    assert_eq!(small.parameters, 1234.0);
    assert_eq!(large.matmuls[0].m, 4.0 * small.matmuls[0].m);
}

#[test]
fn a_broken_model_file_names_its_place() {
    let error = load_model_file(&fixture("broken.mantissa.json")).map(|_| ());
    let message = error.expect_err("refused").to_string();
    assert!(message.contains("broken.mantissa.json:2:"), "{message}");
    let error = load_model_file(Path::new("/no/such.json")).map(|_| ());
    assert!(
        error
            .expect_err("refused")
            .to_string()
            .contains("/no/such.json")
    );
}
