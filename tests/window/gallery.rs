//! The gallery of widgets against its pictures: a change of the look shows here first.
//!
//! `MANTISSA_WRITE_SCREENSHOTS=1 cargo test --test window gallery` writes the pictures anew.

use crate::support::cpu_renderer::{Picture, Shared, differing, save};
use egui::{Theme, Vec2};
use egui_kittest::Harness;
use mantissa::gui::{gallery, theme};
use std::path::PathBuf;

/// A channel may differ by this much: fonts are rasterised with floating point.
const TOLERANCE: u8 = 3;

fn picture_of(theme: Theme) -> Picture {
    let renderer = Shared::default();
    let mut harness = Harness::builder()
        .with_size(Vec2::new(1200.0, 860.0))
        .with_theme(theme)
        .with_os(egui::os::OperatingSystem::Nix)
        .allow_missing_glyphs()
        .renderer(renderer.clone())
        .build_ui(|ui| {
            theme::install(ui.ctx());
            gallery::gallery_ui(ui);
        });
    harness.run_steps(3);
    renderer.render(&harness.ctx, harness.output())
}

#[test]
fn every_widget_looks_as_it_did() {
    for (theme, word) in [(Theme::Dark, "dark"), (Theme::Light, "light")] {
        let picture = picture_of(theme);
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
        let path = folder.join(format!("gallery-{word}.png"));
        if std::env::var_os("MANTISSA_WRITE_SCREENSHOTS").is_some() {
            save(&picture, &path);
            continue;
        }
        let differing = differing(&picture, &path, TOLERANCE);
        assert!(
            differing < 40,
            "{differing} pixels of the {word} gallery differ; if that is meant, write it anew"
        );
    }
}
