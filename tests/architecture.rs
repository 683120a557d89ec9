//! The rules of the code base as code: who may know whom, how long a file may be, what stands at the top.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Modules in the order of their dependencies; each may know those before it. Equals share a number.
const LAYERS: [(&str, u8); 12] = [
    ("units", 0),
    ("format", 1),
    ("domain", 1),
    ("physics", 2),
    ("presets", 2),
    ("dataset", 2),
    ("predictor", 3),
    ("planner", 4),
    ("report", 5),
    ("cli", 6),
    ("gui", 6),
    ("main", 7),
];
const MAX_LINES: usize = 500;
/// What may stand at the top of the repository, beside files whose name begins with a dot.
const TOP: [&str; 18] = [
    "Cargo.toml",
    "Cargo.lock",
    "src",
    "assets",
    "models",
    "presets",
    "tests",
    "screenshots",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "deny.toml",
    "clippy.toml",
    "docs",
    "benches",
    "target",
    "shared",
    "rustfmt.toml",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file reads");
            found.push((path, text));
        }
    }
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    rust_files(&root().join("src"), &mut found);
    assert!(found.len() > 30, "the sources are found");
    found
}

/// The top module a file belongs to; its tests beside it are part of it.
fn module(path: &Path) -> String {
    let relative = path.strip_prefix(root().join("src")).expect("under src");
    let first = relative.components().next().expect("a component");
    first
        .as_os_str()
        .to_string_lossy()
        .trim_end_matches(".rs")
        .trim_end_matches("_tests")
        .to_owned()
}

fn layer(module: &str) -> Option<u8> {
    LAYERS
        .iter()
        .find(|(name, _)| *name == module)
        .map(|(_, layer)| *layer)
}

/// Code without comments, so that a doc may name what code may not.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn modules_know_only_those_below_them() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let own = module(&path);
        if own == "lib" {
            continue;
        }
        let own_layer =
            layer(&own).unwrap_or_else(|| panic!("module `{own}` has no place in the layers"));
        for line in code(&text) {
            for (start, _) in line.match_indices("crate::") {
                let rest = &line[start + "crate::".len()..];
                let named: Vec<String> = if let Some(list) = rest.strip_prefix('{') {
                    list.split([',', '}'])
                        .map(|part| first_word(part.trim()))
                        .collect()
                } else {
                    vec![first_word(rest)]
                };
                for other in named.iter().filter(|other| **other != own) {
                    if layer(other).is_some_and(|l| l >= own_layer) {
                        wrong.push(format!("{} names {other}", path.display()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn first_word(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect()
}

#[test]
fn only_the_window_knows_egui_and_only_the_command_line_clap() {
    for (path, text) in sources() {
        let own = module(&path);
        for line in code(&text) {
            let names = |word: &str| line.contains(&format!("{word}::"));
            let window = ["egui", "eframe", "egui_plot", "egui_extras", "rfd"]
                .into_iter()
                .any(names);
            assert!(own == "gui" || !window, "{}: {line}", path.display());
            assert!(own == "cli" || !names("clap"), "{}: {line}", path.display());
        }
    }
}

#[test]
fn raw_colours_live_in_the_tokens_alone() {
    // Neither is a colour of its own: one says "the text's colour", the other "none".
    const ALLOWED: [&str; 2] = ["PLACEHOLDER", "TRANSPARENT"];
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        if module(&path) != "gui" || path.ends_with("theme/tokens.rs") {
            continue;
        }
        for line in code(&text) {
            for (start, _) in line.match_indices("Color32::") {
                let name = first_word(&line[start + "Color32::".len()..]);
                let is_constant = name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
                if name.starts_with("from_") || (is_constant && !ALLOWED.contains(&name.as_str())) {
                    wrong.push(format!("{}: {}", path.display(), line.trim()));
                }
            }
            if line.contains("Rgba::") || line.contains("Hsva::") {
                wrong.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn files_stay_short_safe_and_explained() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let lines = text.lines().count();
        if lines > MAX_LINES {
            wrong.push(format!(
                "{}: {lines} lines, at most {MAX_LINES}",
                path.display()
            ));
        }
        if !text.starts_with("//!") {
            wrong.push(format!("{}: no `//!` says what it is for", path.display()));
        }
        if code(&text).any(|line| line.contains("unsafe ")) {
            wrong.push(format!("{}: unsafe", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_binary_is_thin() {
    let main = std::fs::read_to_string(root().join("src/main.rs")).expect("it reads");
    assert!(main.lines().count() <= 60);
}

#[test]
fn the_top_level_is_fixed() {
    let allowed: BTreeSet<&str> = TOP.into_iter().collect();
    for entry in std::fs::read_dir(root()).expect("it reads").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(
            name.starts_with('.') || allowed.contains(name.as_str()),
            "`{name}` has no place at the top level"
        );
    }
}

#[test]
fn nothing_depends_on_a_folder_outside() {
    // Written apart, so that this file does not find itself.
    let outside = format!("..{}shared", '/');
    let mut files = sources();
    for folder in ["tests", "benches"] {
        rust_files(&root().join(folder), &mut files);
    }
    for name in ["README.md", "Cargo.toml", "CHANGELOG.md", ".ci/run"] {
        let path = root().join(name);
        let text = std::fs::read_to_string(&path).expect("it reads");
        files.push((path, text));
    }
    for (path, text) in files {
        assert!(
            !text.contains(&outside),
            "{} names {outside}",
            path.display()
        );
    }
}
