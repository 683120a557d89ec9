//! The window, driven by labels and rendered on the CPU: no display, no GPU, no system package.
//!
//! `MANTISSA_WRITE_SCREENSHOTS=1 cargo test --test gui screenshots` writes `screenshots/*.png`; without the variable
//! the same frames are rendered and only checked not to be blank.
#![cfg(feature = "gui")]
#![allow(clippy::expect_used)] // a test may stop at the first surprise

#[path = "support/cpu_renderer.rs"]
mod cpu_renderer;

use cpu_renderer::{Picture, Shared};
use egui::{Key, Modifiers, Theme, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use mantissa::domain::PrecisionMode;
use mantissa::gui::command::{Action, PathPurpose, UiCommand};
use mantissa::gui::state::{Field, Status, Tab, View};
use mantissa::gui::{Backend, MantissaApp, Shipped};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

fn backend() -> Arc<Shipped> {
    static SHIPPED: OnceLock<Arc<Shipped>> = OnceLock::new();
    Arc::clone(SHIPPED.get_or_init(|| Arc::new(Shipped::load().expect("built-in files"))))
}

struct Window {
    harness: Harness<'static, MantissaApp>,
    renderer: Shared,
}

impl Window {
    /// The window on the worked example, its plan computed.
    fn open(width: f32, height: f32, theme: Theme) -> Self {
        let renderer = Shared::default();
        let harness = Harness::builder()
            .with_size(Vec2::new(width, height))
            .with_theme(theme)
            .with_os(egui::os::OperatingSystem::Nix)
            .with_max_steps(64)
            .allow_missing_glyphs()
            .renderer(renderer.clone())
            .build_eframe(|cc| MantissaApp::new(&cc.egui_ctx, None, backend()));
        let mut window = Self { harness, renderer };
        window.settle();
        window
    }

    /// Lets the worker finish and draws until nothing moves.
    fn settle(&mut self) {
        let ctx = self.harness.ctx.clone();
        self.harness.run();
        self.harness.state_mut().settle(&ctx);
        self.harness.run();
    }

    fn send(&mut self, action: Action) {
        self.harness.state_mut().send(action);
        self.settle();
    }

    fn tab(&self) -> &Tab {
        self.harness.state().state().tab().expect("a tab")
    }

    fn click(&mut self, label: &str) {
        self.harness.get_by_label(label).click();
        self.settle();
    }

    /// Labels of all nodes on the screen.
    fn labels(&self) -> Vec<String> {
        self.harness
            .root()
            .children_recursive()
            .filter_map(|n| {
                n.accesskit_node()
                    .label()
                    .or_else(|| n.accesskit_node().value())
            })
            .collect()
    }

    fn picture(&self) -> Picture {
        self.renderer
            .render(&self.harness.ctx, self.harness.output())
    }

    fn modes(&self) -> Vec<PrecisionMode> {
        self.tab().request.as_ref().expect("a request").modes()
    }
}

fn dark() -> Window {
    Window::open(1440.0, 900.0, Theme::Dark)
}

#[test]
fn it_opens_on_the_worked_example_and_the_plan_arrives() {
    let window = dark();
    assert!(matches!(window.tab().status, Status::Current));
    assert!(
        window
            .tab()
            .plan()
            .is_some_and(|p| p.combinations.len() > 20)
    );
    let labels = window.labels();
    let has = |text: &str| labels.iter().any(|l| l.contains(text));
    for text in [
        "finishes in",
        "Fastest",
        "Cheapest",
        "Combinations",
        "Total time",
        "Refused: ",
        "Export CSV",
    ] {
        assert!(has(text), "no `{text}` on the screen");
    }
}

#[test]
fn a_row_is_selected_by_a_click_and_explained() {
    let mut window = dark();
    let last = *window.tab().rows.shown.get(1).expect("rows");
    let label = window
        .labels()
        .into_iter()
        .filter(|l| l.contains(" on ") && l.contains('±') && !l.contains("finishes"))
        .nth(1)
        .expect("a second row");
    window.click(&label);
    assert_eq!(window.tab().selected, Some(last));
    assert!(matches!(&window.tab().explanation, Some((_, i, Ok(_))) if *i == last));
}

#[test]
fn a_mode_is_toggled_undone_and_redone() {
    let mut window = dark();
    let before = window.modes();
    assert!(!before.contains(&PrecisionMode::Bf16));
    window.click("BF16");
    assert!(window.modes().contains(&PrecisionMode::Bf16));
    let with = window.tab().plan().map(|p| p.combinations.len());
    window.click("Undo");
    assert_eq!(window.modes(), before);
    assert!(window.tab().plan().map(|p| p.combinations.len()) < with);
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    window.settle();
    assert!(window.modes().contains(&PrecisionMode::Bf16));
}

#[test]
fn the_table_sorts_and_filters() {
    let mut window = dark();
    window
        .harness
        .get_by_label_contains("Sort by Total time")
        .click();
    window.settle();
    let tab = window.tab();
    let plan = tab.plan().expect("a plan");
    let times: Vec<f64> = tab
        .rows
        .shown
        .iter()
        .filter_map(|i| plan.combinations[*i].run())
        .map(|r| r.total_time_h.value)
        .collect();
    assert!(times.len() > 4 && times.is_sorted());
    let all = times.len();
    window.harness.get_by_label("Filter").focus();
    window.harness.run();
    window
        .harness
        .get_by_label("Filter")
        .type_text("fp8 count >= 16");
    window.settle();
    let tab = window.tab();
    let plan = tab.plan().expect("a plan");
    assert!(!tab.rows.shown.is_empty() && tab.rows.shown.len() < all);
    for i in &tab.rows.shown {
        assert!(
            plan.combinations[*i].count >= 16 && plan.combinations[*i].mode.label().contains("FP8")
        );
    }
    window.send(Action::Ui(UiCommand::ClearFilter));
    assert_eq!(window.tab().rows.shown.len(), all);
}

#[test]
fn the_table_is_exported_to_a_typed_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.csv");
    let mut window = dark();
    window.send(Action::TypePath(PathPurpose::ExportCsv));
    assert!(window.labels().iter().any(|l| l == "Path of the file"));
    window.send(Action::Path(
        PathPurpose::ExportCsv,
        path.display().to_string(),
    ));
    let text = std::fs::read_to_string(&path).expect("a file");
    let rows = window.tab().plan().map_or(0, |p| p.combinations.len());
    assert_eq!(text.lines().count(), rows + 1);
    assert!(window.labels().iter().any(|l| l.starts_with("Exported")));
    window.send(Action::Path(
        PathPurpose::SavePlan,
        folder.path().join("plan.toml").display().to_string(),
    ));
    window.send(Action::Path(
        PathPurpose::OpenPlan,
        folder.path().join("plan.toml").display().to_string(),
    ));
    assert_eq!(window.harness.state().state().tabs.len(), 2);
    window.send(Action::Path(
        PathPurpose::OpenPlan,
        folder.path().join("none.toml").display().to_string(),
    ));
    assert!(
        window
            .harness
            .state()
            .state()
            .notice
            .as_ref()
            .is_some_and(|n| n.is_error)
    );
}

#[test]
fn bad_input_is_told_beside_the_field_and_keeps_the_last_plan() {
    let mut window = dark();
    let before = window.tab().generation;
    window.harness.get_by_label("Train for").focus();
    window.harness.run();
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.harness.run();
    window.harness.get_by_label("Train for").type_text("many");
    window.settle();
    assert!(window.tab().drafts.contains_key(&Field::TrainFor));
    assert!(window.labels().iter().any(|l| l.contains("is no number")));
    assert_eq!(window.tab().generation, before);
    assert!(window.tab().plan().is_some());
}

#[test]
fn an_empty_selection_is_a_message_and_not_a_plan() {
    let mut window = dark();
    let mut request = (**window.tab().request.as_ref().expect("a request")).clone();
    request.accelerators.clear();
    window.send(Action::Edit(Box::new(request), "accelerators"));
    assert!(matches!(window.tab().status, Status::Failed(_)));
    assert!(window.tab().error_at("accelerators").is_some());
    window.send(Action::Ui(UiCommand::Undo));
    assert!(matches!(window.tab().status, Status::Current));
}

#[test]
fn theme_and_views_switch_by_keyboard() {
    let mut window = dark();
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::D);
    window.settle();
    assert_eq!(window.harness.ctx.theme(), Theme::Light);
    for (key, view) in [
        (Key::Num2, View::Scaling),
        (Key::Num3, View::Breakdown),
        (Key::Num4, View::HeatMap),
        (Key::Num5, View::Accuracy),
        (Key::Num1, View::TradeOff),
    ] {
        window.harness.key_press_modifiers(Modifiers::COMMAND, key);
        window.settle();
        assert_eq!(window.harness.state().state().settings.view, view);
    }
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::K);
    window.settle();
    assert!(window.harness.state().state().palette.is_some());
    window.harness.key_press(Key::Escape);
    window.settle();
    assert!(window.harness.state().state().palette.is_none());
}

/// Every view and state that has a picture.
#[test]
fn screenshots() {
    let write = std::env::var_os("MANTISSA_WRITE_SCREENSHOTS").is_some();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    let bf16: fn(&mut Window) = |w| w.click("BF16");
    let nothing: fn(&mut Window) = |_| {};
    let bad: fn(&mut Window) = |w| {
        w.send(Action::Draft(
            Field::TrainFor,
            "many".into(),
            "“many” is no number. Try 2 000, 2k or 1.5 M".into(),
        ))
    };
    let palette: fn(&mut Window) = |w| {
        w.send(Action::Ui(UiCommand::Palette));
        w.send(Action::PaletteText("h100".into()));
    };
    let shots = [
        (
            "main-dark",
            1440.0,
            900.0,
            Theme::Dark,
            View::TradeOff,
            nothing,
        ),
        (
            "main-light",
            1440.0,
            900.0,
            Theme::Light,
            View::TradeOff,
            nothing,
        ),
        (
            "main-dark-1280",
            1280.0,
            800.0,
            Theme::Dark,
            View::TradeOff,
            bf16,
        ),
        (
            "main-dark-2560",
            2560.0,
            1440.0,
            Theme::Dark,
            View::TradeOff,
            nothing,
        ),
        (
            "main-light-2560",
            2560.0,
            1440.0,
            Theme::Light,
            View::TradeOff,
            nothing,
        ),
        (
            "scaling-light",
            1440.0,
            900.0,
            Theme::Light,
            View::Scaling,
            nothing,
        ),
        (
            "scaling-dark",
            1280.0,
            800.0,
            Theme::Dark,
            View::Scaling,
            nothing,
        ),
        (
            "breakdown-dark",
            1440.0,
            900.0,
            Theme::Dark,
            View::Breakdown,
            nothing,
        ),
        (
            "heatmap-light",
            1280.0,
            800.0,
            Theme::Light,
            View::HeatMap,
            nothing,
        ),
        (
            "accuracy-dark",
            1440.0,
            900.0,
            Theme::Dark,
            View::Accuracy,
            nothing,
        ),
        (
            "error-light",
            1280.0,
            800.0,
            Theme::Light,
            View::TradeOff,
            bad,
        ),
        (
            "palette-dark",
            1280.0,
            800.0,
            Theme::Dark,
            View::TradeOff,
            palette,
        ),
    ];
    let only = std::env::var("MANTISSA_SHOT").unwrap_or_default();
    for (name, width, height, theme, view, prepare) in shots {
        if !name.starts_with(&only) {
            continue;
        }
        let mut window = Window::open(width, height, theme);
        window.send(Action::SetView(view));
        prepare(&mut window);
        let picture = window.picture();
        assert!(picture.colours() > 200, "{name} is nearly blank");
        assert!(window.labels().len() > 30, "{name} has no text");
        if write {
            picture.save(&folder.join(format!("{name}.png")));
        }
    }
}

/// Layout of one frame; printed, and held to a generous bound since test machines are shared.
#[test]
fn a_frame_is_laid_out_quickly_with_ten_thousand_rows() {
    let mut window = dark();
    let mut request = (**window.tab().request.as_ref().expect("a request")).clone();
    let names: Vec<String> = backend()
        .accelerators()
        .iter()
        .take(60)
        .map(|a| a.name.clone())
        .collect();
    request.accelerators = names;
    request.counts = (1..=34).map(|i| i * 8).collect();
    request.precisions = ["fp32", "tf32", "amp-fp16", "amp-bf16", "fp8"]
        .map(str::to_owned)
        .to_vec();
    window.send(Action::Edit(Box::new(request), "bench"));
    let rows = window.tab().plan().map_or(0, |p| p.combinations.len());
    window.harness.run_steps(3);
    let mut times: Vec<f64> = (0..20)
        .map(|_| {
            let start = Instant::now();
            window.harness.step();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "frame layout with {rows} combinations: median {:.2} ms, worst {:.2} ms",
        times[10], times[19]
    );
    assert!(rows >= 10_000, "{rows}");
    assert!(times[10] < 250.0, "median {} ms", times[10]);
}
