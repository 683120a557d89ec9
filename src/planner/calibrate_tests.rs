//! Profiles of a person's own runs: what they learn, and how their files are read.

use super::*;

fn point<'a>(part: &'a str, mode: &'a str, log_ratio: f64) -> Point<'a> {
    Point {
        words: [part, mode, "llama"],
        host_share: 0.0,
        log_ratio,
    }
}

#[test]
fn one_run_moves_most_of_the_way() {
    let profile = CalibrationProfile::of(&[&point("A", "bf16", 0.3)]);
    let shift = profile.shift(&["A", "bf16", "llama"], 0.0);
    assert!(shift > 0.2 && shift < 0.3, "{shift}");
    assert!(profile.shift(&["B", "fp16", "vit"], 0.0) > 0.1);
}

#[test]
fn what_parts_share_is_told_from_what_is_their_own() {
    let points: Vec<Point<'_>> = (0..20)
        .map(|at| {
            if at % 2 == 0 {
                point("A", "bf16", 0.4)
            } else {
                point("B", "bf16", 0.0)
            }
        })
        .collect();
    let profile = CalibrationProfile::of(&points.iter().collect::<Vec<_>>());
    let (a, b) = (
        profile.shift(&["A", "bf16", "llama"], 0.0),
        profile.shift(&["B", "bf16", "llama"], 0.0),
    );
    assert!((a - 0.4).abs() < 0.05 && b.abs() < 0.05, "{a} {b}");
}

#[test]
fn a_slow_host_is_told_from_a_slow_stack_and_is_not_that_of_another_accelerator() {
    let points: Vec<Point<'_>> = (0..40)
        .map(|at| {
            let host_share = f64::from(at % 5) / 4.0;
            Point {
                host_share,
                ..point("A", "bf16", 0.1 + 0.3 * host_share)
            }
        })
        .collect();
    let profile = CalibrationProfile::of(&points.iter().collect::<Vec<_>>());
    let shift = |part: &str, host_share: f64| profile.shift(&[part, "bf16", "llama"], host_share);
    for host_share in [0.0, 0.5, 1.0] {
        let shift = shift("A", host_share);
        assert!(
            (shift - 0.1 - 0.3 * host_share).abs() < 0.02,
            "{host_share} {shift}"
        );
    }
    assert_eq!(shift("B", 1.0), shift("B", 0.0));
    assert!((shift("B", 1.0) - 0.1).abs() < 0.05, "{}", shift("B", 1.0));
}

#[test]
fn a_factor_that_is_none_is_named() {
    let profile = CalibrationProfile {
        schema: PROFILE_SCHEMA,
        accelerators: BTreeMap::from([("H100-SXM5-80GB".to_owned(), 0.5)]),
        ..CalibrationProfile::default()
    };
    let text = profile.to_toml("p").unwrap();
    for (was, is, says) in [
        (
            "overall = 0.0",
            "overall = nan",
            "p.toml: overall: NaN is not the log of a factor; allowed: -10 to 10",
        ),
        ("host = 0.0", "host = -inf", "p.toml: host: -inf is not"),
        (
            "GB = 0.5",
            "GB = 11.0",
            "p.toml: accelerators.H100-SXM5-80GB: 11 is not",
        ),
        (
            "error_before = 0.0",
            "error_before = nan",
            "p.toml: error_before: NaN is not a share; allowed: 0 or above",
        ),
    ] {
        let text = text.replace(was, is);
        let error = CalibrationProfile::from_toml(&text, "p.toml")
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(says), "{error}");
    }
}

#[test]
fn a_profile_survives_its_file_and_a_broken_one_names_it() {
    let profile = CalibrationProfile {
        schema: PROFILE_SCHEMA,
        runs: 1,
        overall: 0.1,
        host: 0.2,
        accelerators: BTreeMap::from([("H100-SXM5-80GB".to_owned(), -0.2)]),
        ..CalibrationProfile::default()
    };
    let text = profile.to_toml("p").unwrap();
    assert_eq!(CalibrationProfile::from_toml(&text, "p"), Ok(profile));
    for (text, says) in [("schema = 1", "missing field"), ("x = 1", "unknown field")] {
        let error = CalibrationProfile::from_toml(text, "p.toml")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("p.toml: ") && error.contains(says),
            "{error}"
        );
    }
    let newer = text.replace("schema = 2", "schema = 9");
    let error = CalibrationProfile::from_toml(&newer, "p")
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("allowed: 1 to 2"), "{error}");
    // Of the first form, which knew no host.
    let older = text
        .replace("schema = 2", "schema = 1")
        .replace("host = 0.2\n", "");
    let older = CalibrationProfile::from_toml(&older, "p").unwrap();
    assert_eq!(
        (older.schema, older.host, older.overall),
        (PROFILE_SCHEMA, 0.0, 0.1)
    );
}

#[test]
fn a_factor_under_a_name_that_no_plan_goes_by_is_refused() {
    let catalogue = crate::presets::Catalogue::shipped().unwrap();
    let own_name = |name: &str| {
        let found = catalogue.accelerator(name);
        found.map(|p| p.name.clone()).map_err(|e| e.to_string())
    };
    let said = |part: &str, mode: &str| {
        let profile = CalibrationProfile {
            accelerators: BTreeMap::from([(part.to_owned(), 0.1)]),
            precisions: BTreeMap::from([(mode.to_owned(), 0.1)]),
            families: BTreeMap::from([("my own".to_owned(), 0.1)]),
            ..CalibrationProfile::default()
        };
        match profile.check_names(own_name, "p.toml") {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(said("H100-SXM5-80GB", "amp-bf16"), "");
    for (part, mode, words) in [
        (
            "H100-SXM5-8OGB",
            "fp8",
            "p.toml: accelerators.\"H100-SXM5-8OGB\": unknown accelerator `H100-SXM5-8OGB`; nearest known: H100-SXM5-80GB",
        ),
        (
            "h100-sxm5-80gb",
            "fp8",
            "p.toml: accelerators.\"h100-sxm5-80gb\": allowed: `H100-SXM5-80GB`",
        ),
        (
            "H100-SXM5-80GB",
            "int8",
            "p.toml: precisions.\"int8\": unknown precision `int8`; allowed: fp64",
        ),
        (
            "H100-SXM5-80GB",
            "AMP_BF16",
            "p.toml: precisions.\"AMP_BF16\": allowed: `amp-bf16`",
        ),
    ] {
        let error = said(part, mode);
        assert!(error.starts_with(words), "{error}");
    }
}
