//! Dependencies against `deny.toml`, without the network: licences, sources, bans.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The packages that this platform builds; those of others need not be in the cache.
fn metadata() -> Value {
    let target = host();
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--filter-platform",
            &target,
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("metadata is JSON")
}

fn host() -> String {
    let output = Command::new("rustc")
        .arg("-vV")
        .output()
        .expect("rustc runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.expect("rustc names its host").to_owned()
}

fn rules() -> toml::Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml");
    let text = std::fs::read_to_string(path).expect("deny.toml is there");
    toml::from_str(&text).expect("deny.toml is TOML")
}

fn words(value: &toml::Value) -> BTreeSet<String> {
    let list = value.as_array().expect("a list");
    list.iter()
        .filter_map(|word| word.as_str().map(str::to_owned))
        .collect()
}

/// Packages in use, the project itself left out.
fn packages(metadata: &Value) -> Vec<&Value> {
    let used: BTreeSet<&str> = metadata["resolve"]["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .filter_map(|node| node["id"].as_str())
        .collect();
    let all = metadata["packages"].as_array().expect("packages");
    all.iter()
        .filter(|p| p["name"] != "mantissa" && p["id"].as_str().is_some_and(|id| used.contains(id)))
        .collect()
}

/// Whether a licence expression can be met: some side of each OR, every side of each AND.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let plain = expression.replace('/', " OR ").replace(['(', ')'], " ");
    // Without brackets AND binds tighter; expressions that nest the other way are read more strictly, never less.
    if expression.contains('(') && expression.contains(" AND ") {
        return plain
            .split(" AND ")
            .all(|side| side.split(" OR ").any(|l| allowed.contains(l.trim())));
    }
    plain.split(" OR ").any(|side| {
        side.split(" AND ")
            .all(|licence| allowed.contains(licence.trim()))
    })
}

#[test]
fn every_licence_is_allowed() {
    let metadata = metadata();
    let allowed = words(&rules()["licenses"]["allow"]);
    let wrong: Vec<String> = packages(&metadata)
        .into_iter()
        .filter(|p| {
            !p["license"]
                .as_str()
                .is_some_and(|l| is_allowed(l, &allowed))
        })
        .map(|p| format!("{} {}: {}", p["name"], p["version"], p["license"]))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn everything_comes_from_the_registry() {
    let metadata = metadata();
    for package in packages(&metadata) {
        let source = package["source"].as_str().unwrap_or("a path");
        assert_eq!(
            source, "registry+https://github.com/rust-lang/crates.io-index",
            "{}",
            package["name"]
        );
    }
}

#[test]
fn nothing_banned_is_used_and_duplicates_are_listed() {
    let metadata = metadata();
    let rules = rules();
    let banned: BTreeSet<&str> = rules["bans"]["deny"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry.get("crate").and_then(toml::Value::as_str))
        .collect();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages(&metadata) {
        let name = package["name"].as_str().expect("a name");
        assert!(!banned.contains(name), "{name} is banned in deny.toml");
        versions
            .entry(name)
            .or_default()
            .insert(package["version"].as_str().expect("a version"));
    }
    for (name, versions) in versions.iter().filter(|(_, v)| v.len() > 1) {
        println!(
            "duplicate: {name} {}",
            versions.iter().copied().collect::<Vec<_>>().join(", ")
        );
    }
}
