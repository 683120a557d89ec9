//! Every view and state of the window in both themes and at both sizes, drawn on the CPU: no display, no GPU.
//!
//! `MANTISSA_WRITE_SCREENSHOTS=1 cargo test --test window pictures` writes `screenshots/*.png` and small copies of every frame;
//! without the variable the same frames are drawn and held against the small copies. `MANTISSA_SHOT=name` draws those
//! alone whose name begins so.

use crate::support::cpu_renderer::{colours, differing, reduced, save};
use crate::support::window::{Window, edit};
use egui::Theme;
use egui_kittest::kittest::Queryable;
use mantissa::gui::command::{Action, PathPurpose, UiCommand};
use mantissa::gui::state::{Field, View};
use std::path::PathBuf;

/// What is on a picture: its name and how to get there.
type Shot = (&'static str, fn(&mut Window));

const SHOTS: [Shot; 27] = [
    ("main", |_| {}),
    ("scaling", |w| w.send(Action::SetView(View::Scaling))),
    ("breakdown", |w| w.send(Action::SetView(View::Breakdown))),
    ("heatmap", |w| w.send(Action::SetView(View::HeatMap))),
    ("why", |w| w.send(Action::SetView(View::Why))),
    ("evidence", |w| w.send(Action::SetView(View::Evidence))),
    ("keyboard", |w| {
        w.send(Action::Ui(UiCommand::BoxAround));
        w.send(Action::Ui(UiCommand::CellRight));
        let mut plots = w.harness.get_all_by_role(egui::accesskit::Role::Image);
        plots.next().expect("a plot").focus();
        drop(plots);
        w.settle();
    }),
    ("accuracy", |w| w.send(Action::SetView(View::Accuracy))),
    ("compare", |w| w.send(Action::Ui(UiCommand::PinAnswers))),
    ("compare-empty", |w| w.send(Action::SetView(View::Compare))),
    ("start", |w| w.send(Action::Ui(UiCommand::NewPlan))),
    ("palette", |w| {
        w.send(Action::Ui(UiCommand::Palette));
        w.send(Action::PaletteText("h100".into()));
    }),
    ("judged", |w| {
        let runs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/runs/nemo.csv");
        let path = runs.display().to_string();
        w.send(Action::Path(PathPurpose::OpenPlan, path));
    }),
    ("menu", |w| {
        w.click("Mantissa menu");
        w.click("File");
    }),
    ("export-menu", |w| w.click("More exports")),
    ("columns", |w| w.click("Columns")),
    ("axes", |w| {
        w.click("Axes: Cost against time, log");
        w.click("Energy ");
    }),
    ("schedule", |w| {
        edit(w, |r| {
            r.schedule_rule = Some(mantissa::planner::ScheduleRuleRequest {
                at_least: "amp-bf16".into(),
                percent: 20.0,
            });
            r.what_if = Some(mantissa::planner::WhatIfRequest {
                price: Some(1.25),
                ..Default::default()
            });
        });
        w.send(Action::Ui(UiCommand::Sensitivity));
    }),
    ("limits", |w| {
        edit(w, |r| {
            r.region = Some("us-east-1".into());
            r.limits = Some(mantissa::planner::LimitsRequest {
                budget_usd: Some(2000.0),
                deadline_h: Some(48.0),
                deadline_day: None,
                energy_kwh: Some(450.0),
                co2e_kg: Some(250.0),
                memory_headroom_percent: Some(10.0),
                available: [("H100-SXM5-80GB".to_owned(), 32)].into(),
            });
        });
        // Scrolls to it, as whoever types there would see it.
        w.type_into("Available B200 SXM", "many");
    }),
    ("prices", |w| {
        edit(w, |r| {
            r.region = Some("us-east-1".into());
            r.prices = Some(mantissa::planner::PriceRequest {
                tier: Some("owned".into()),
                owned: Some(mantissa::planner::OwnedRequest {
                    years: 4.0,
                    use_percent: 80.0,
                    usd_per_accelerator: [("H100-SXM5-80GB".to_owned(), 35_000.0)].into(),
                    ..Default::default()
                }),
                own_usd_per_hour: [("A100-SXM4-80GB".to_owned(), 1.1)].into(),
                ..Default::default()
            });
        });
        w.type_into("Own price of A100 SXM", "1.15");
    }),
    ("calibrated", |w| {
        let folder = tempfile::tempdir().expect("a folder");
        let runs = crate::support::window::slower_runs(folder.path(), 1.18);
        w.send(Action::Path(PathPurpose::OpenPlan, runs));
        w.click("Calibrate on these runs");
    }),
    ("stages", |w| {
        edit(w, |r| {
            r.model = "llama-3-70b".into();
            r.counts = vec![64];
            r.strategy = Some(mantissa::planner::StrategyRequest::Fixed(
                mantissa::planner::FixedStrategy {
                    tp: Some(4),
                    pp: Some(4),
                    ..Default::default()
                },
            ));
        });
        w.scroll(egui::pos2(1200.0, 500.0), 1100.0);
    }),
    ("filtered", |w| {
        w.send(Action::SetFilter("h100 time < 2d".into()));
    }),
    ("error", |w| {
        w.send(Action::Draft(
            Field::TrainFor,
            "many".into(),
            "“many” is no number. Try 2 000, 2k or 1.5 M".into(),
        ));
    }),
    ("empty", |w| {
        edit(w, |r| {
            r.accelerators = vec!["V100-SXM2-32GB".into()];
            r.precisions = vec!["fp8".into()];
        });
    }),
    ("out-of-range", |w| {
        edit(w, |r| {
            r.counts = vec![512, 1024];
            r.precisions = vec!["bf16".into(), "amp-bf16".into()];
            r.limits = None;
        });
    }),
    ("loading", |w| {
        let ctx = w.harness.ctx.clone();
        let request = (**w.tab().request.as_ref().expect("a request")).clone();
        let mut other = request.clone();
        other.counts = (1..=96).map(|i| i * 8).collect();
        // Applied and drawn, but not waited for.
        w.harness
            .state_mut()
            .send(Action::Edit(Box::new(other), "counts"));
        w.harness.step();
        std::thread::sleep(std::time::Duration::from_millis(400));
        ctx.request_repaint();
        w.harness.step();
    }),
];

/// The pictures that are kept in the repository: every dark one of the small window, and those that show what the other
/// theme and the other size change most.
fn is_kept(name: &str) -> bool {
    const OTHERS: [&str; 12] = [
        "main-light-1280",
        "compare-light-1280",
        "accuracy-light-1280",
        "heatmap-light-1280",
        "error-light-1280",
        "empty-light-1280",
        "main-dark-2560",
        "main-light-2560",
        "compare-dark-2560",
        "why-light-1280",
        "why-dark-2560",
        "evidence-light-1280",
    ];
    name.ends_with("-dark-1280") || OTHERS.contains(&name)
}

/// Frames that show how far a plan is, and so differ from run to run.
const MOVING: [&str; 1] = ["loading"];
/// Height of the status bar, which says how long a plan took, in points.
const STATUS_BAR: u32 = 24;
/// Width of the small copies, in pixels.
const SMALL: u32 = 160;
/// A channel of a small copy may differ by this much.
const TOLERANCE: u8 = 20;
/// Pixels of a small copy that may differ by more: a caret, a rounding.
const STRAY: usize = 60;

fn shoot(width: f32, height: f32) {
    let write = std::env::var_os("MANTISSA_WRITE_SCREENSHOTS").is_some();
    let only = std::env::var("MANTISSA_SHOT").unwrap_or_default();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let (folder, snapshots) = (root.join("screenshots"), root.join("tests/snapshots/views"));
    let mut changed = Vec::new();
    for theme in [Theme::Dark, Theme::Light] {
        let word = if theme == Theme::Dark {
            "dark"
        } else {
            "light"
        };
        for (name, prepare) in SHOTS {
            let name = format!("{name}-{word}-{width}");
            if !name.starts_with(&only) {
                continue;
            }
            let mut window = Window::open(width, height, theme);
            prepare(&mut window);
            let picture = window.picture();
            let colours = colours(&picture);
            assert!(colours > 150, "{name} is nearly blank: {colours} colours");
            assert!(window.labels().len() > 20, "{name} has no text");
            if !MOVING.iter().any(|moving| name.starts_with(moving)) && only.is_empty() {
                let small = reduced(&picture, STATUS_BAR, width as u32 / SMALL);
                let path = snapshots.join(format!("{name}.png"));
                if write {
                    save(&small, &path);
                } else {
                    let strays = differing(&small, &path, TOLERANCE);
                    if strays > STRAY {
                        changed.push(format!("{name}: {strays} pixels"));
                    }
                }
            }
            // One asked for by name is written whether it is kept or not.
            if write && (is_kept(&name) || !only.is_empty()) {
                save(&picture, &folder.join(format!("{name}.png")));
            }
        }
    }
    assert!(
        changed.is_empty(),
        "these look otherwise than tests/snapshots/views; if that is meant, write them anew: {changed:#?}"
    );
}

#[test]
fn every_view_and_state_at_1280() {
    shoot(1280.0, 800.0);
}

#[test]
fn every_view_and_state_at_2560() {
    shoot(2560.0, 1440.0);
}
