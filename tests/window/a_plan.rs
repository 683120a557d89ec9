//! What a person does with the window, from the first plan to taking it away, by label and by keyboard.

use crate::support::window::Window;
use egui::{Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::{NodeT, Queryable};
use mantissa::gui::MantissaApp;
use mantissa::gui::command::{Action, PathPurpose, UiCommand};
use mantissa::gui::measure::{Measure, Scale};
use mantissa::gui::rows::Column;
use mantissa::gui::state::{Status, View};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[test]
fn a_first_plan_starts_from_a_worked_request() {
    let mut window = Window::usual();
    window.key(Modifiers::COMMAND, Key::T);
    for title in [
        "Llama 3 8B fine-tuning",
        "Llama 3 70B",
        "ResNet-50",
        "BERT-large",
        "ViT-L",
        "Stable Diffusion",
        "DLRM",
    ] {
        assert!(window.shows(title), "no {title} to start from");
    }
    window.click("ResNet-50 on ImageNet, 90 epochs");
    assert_eq!(window.harness.state().state().tabs.len(), 2);
    assert!(!window.harness.state().state().start_page);
    assert!(matches!(window.tab().status, Status::Current));
    assert!(window.shows("finishes in"));
    assert!(window.shows("Fastest"));
}

#[test]
fn combinations_are_pinned_compared_and_let_go() {
    let mut window = Window::usual();
    window.key(Modifiers::COMMAND, Key::P);
    assert_eq!(window.tab().pinned.len(), 1);
    window.key(Modifiers::ALT, Key::ArrowDown);
    window.key(Modifiers::COMMAND, Key::P);
    window.key(Modifiers::COMMAND, Key::Num8);
    assert_eq!(window.settings().view, View::Compare);
    let labels = window.labels();
    assert!(labels.iter().any(|l| l.starts_with("The baseline\n")));
    let reason = labels
        .iter()
        .find(|l| l.contains("takes") && (l.contains('±') || l.contains("/\u{a0}+")));
    assert!(reason.is_some(), "no reason in words");
    // The second becomes the baseline, then one is let go.
    let before = window.tab().pinned.clone();
    let label = labels.iter().find(|l| l.starts_with("Compare with"));
    window.click(label.expect("a button"));
    assert_eq!(window.tab().pinned, [before[1], before[0]]);
    let labels = window.labels();
    let label = labels.iter().find(|l| l.starts_with("Unpin "));
    window.click(label.expect("a button"));
    assert_eq!(window.tab().pinned, [before[0]]);
    // At most four.
    let others: Vec<usize> = window.tab().rows.shown.iter().copied().take(6).collect();
    window.send(Action::Ui(UiCommand::UnpinAll));
    for index in others {
        window.send(Action::TogglePin(index));
    }
    assert_eq!(window.tab().pinned.len(), 4);
    assert!(window.notice().contains("4 combinations"));
}

#[test]
fn pins_live_through_another_plan() {
    let mut window = Window::usual();
    window.send(Action::Ui(UiCommand::PinAnswers));
    let pins = window.tab().pins.clone();
    assert!(pins.len() >= 2);
    window.send(Action::SetView(View::TradeOff));
    window.click("BF16");
    assert_eq!(window.tab().pins, pins);
    let plan = window.tab().plan().expect("a plan").clone();
    for (pin, index) in pins.iter().zip(&window.tab().pinned) {
        assert!(pin.names(&plan.combinations[*index]));
    }
}

#[test]
fn a_plan_is_taken_away_in_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = Window::usual();
    let mut export = |purpose: PathPurpose, name: &str| {
        let path = folder.path().join(name);
        window.send(Action::Path(purpose, path.display().to_string()));
        assert!(path.is_file(), "{name}: {}", window.notice());
        std::fs::read(path).expect("a file")
    };
    let json = export(PathPurpose::ExportJson, "plan.json");
    let value: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    let html = String::from_utf8(export(PathPurpose::ExportHtml, "plan.html")).expect("text");
    assert!(html.contains("<svg") && html.contains("</html>"));
    let png = export(PathPurpose::SaveChart, "chart.png");
    assert!(png.starts_with(b"\x89PNG"));
    window.send(Action::SetFilter("fp8 count <= 16".into()));
    let shown = window.tab().rows.shown.len();
    let path = folder.path().join("shown.csv");
    window.send(Action::Path(
        PathPurpose::ExportShownCsv,
        path.display().to_string(),
    ));
    let text = std::fs::read_to_string(&path).expect("a file");
    assert_eq!(text.lines().count(), shown + 1);
    let plan = window.tab().plan().expect("a plan");
    assert!(shown > 0 && shown < plan.combinations.len());
    let listed = value["combinations"].as_array().map_or(0, Vec::len);
    assert_eq!(listed, plan.combinations.len());
    // A folder is no file: told, and the window lives on.
    window.send(Action::Path(
        PathPurpose::ExportJson,
        folder.path().display().to_string(),
    ));
    assert!(window.shows("This is a folder"));
}

#[test]
fn rows_are_copied() {
    let mut window = Window::usual();
    window.harness.event(egui::Event::Copy);
    window.settle();
    assert_eq!(window.notice(), "Copied the row");
    window.click("Copy table");
    assert!(window.notice().contains("rows"));
}

#[test]
fn a_box_on_the_plot_filters_the_table_and_a_chip_lets_go() {
    let mut window = Window::usual();
    let all = window.tab().rows.shown.len();
    let plot = window
        .harness
        .get_all_by_role(Role::Image)
        .next()
        .expect("a plot")
        .rect();
    let from = plot.left_bottom() + egui::vec2(2.0, -2.0);
    let to = plot.center();
    window.harness.drag_at(from);
    window.harness.step();
    for share in [0.3, 0.7, 1.0] {
        window.harness.hover_at(from + (to - from) * share);
        window.harness.step();
    }
    window.harness.drop_at(to);
    window.settle();
    let region = window.tab().row_settings.region.expect("a box");
    let plan = window.tab().plan().expect("a plan").clone();
    let shown = window.tab().rows.shown.clone();
    assert!(!shown.is_empty() && shown.len() < all);
    assert!(
        shown
            .iter()
            .all(|i| region.contains(&plan.combinations[*i]))
    );
    window.click("Box");
    assert_eq!(window.tab().rows.shown.len(), all);
}

#[test]
fn axes_are_chosen_from_the_menu_and_by_key() {
    let mut window = Window::usual();
    window.click("Axes: Cost against time, log");
    window
        .harness
        .get_by_role_and_label(Role::Button, "Memory each")
        .click();
    window.settle();
    assert_eq!(window.settings().axes.y, Measure::Memory);
    window.key(Modifiers::COMMAND, Key::L);
    assert_eq!(window.settings().axes.scale, Scale::Linear);
    assert!(window.shows("Memory each against time"));
}

#[test]
fn columns_are_chosen_and_outlive_the_window() {
    let mut window = Window::usual();
    window.click("Columns");
    window
        .harness
        .get_by_role_and_label(Role::CheckBox, "Energy")
        .click();
    window.settle();
    let columns = window.settings().columns.clone().expect("a choice");
    assert!(!columns.contains(&Column::Energy) && columns.contains(&Column::Cost));
    window.send(Action::Ui(UiCommand::ToggleLinear));
    // Saved, and opened again.
    let storage = window.stored();
    let ctx = egui::Context::default();
    let again = MantissaApp::new(&ctx, Some(&storage), crate::support::window::backend());
    assert_eq!(again.state().settings.columns, Some(columns));
    assert_eq!(again.state().settings.axes.scale, Scale::Linear);
    assert_eq!(again.state().tabs.len(), 1);
}

#[test]
fn a_wrong_field_is_named_and_its_section_reset() {
    let mut window = Window::usual();
    window.harness.get_by_label("Budget").focus();
    window.harness.run();
    window.key(Modifiers::COMMAND, Key::A);
    window.harness.get_by_label("Budget").type_text("lots");
    window.settle();
    assert!(window.shows("is no number"));
    window.click("Reset limits");
    assert!(!window.shows("is no number"));
    assert!(window.tab().drafts.is_empty());
    window.click("MXFP8");
    assert_eq!(window.modes().len(), 4);
    window.click("Reset precision");
    assert_eq!(window.modes().len(), 5);
}

#[test]
fn a_long_plan_is_cancelled_and_the_last_one_stays() {
    let mut window = Window::usual();
    let before = window.tab().done.as_ref().map(|d| d.stamp);
    let mut request = (**window.tab().request.as_ref().expect("a request")).clone();
    request.counts = (1..=64).map(|i| i * 8).collect();
    let app = window.harness.state_mut();
    app.send(Action::Edit(Box::new(request), "counts"));
    app.send(Action::Ui(UiCommand::Cancel));
    window.settle();
    assert!(matches!(window.tab().status, Status::Idle));
    assert_eq!(window.tab().done.as_ref().map(|d| d.stamp), before);
    assert!(window.shows("the result shown is that of the request before"));
}

/// A file as the system hands it over.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }
    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|e| e.to_string())
    }
}

fn drop_file(window: &mut Window, path: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    let file: egui::DroppedFileHandle = Arc::new(Dropped(path));
    window.harness.input_mut().dropped_files.push(file);
    window.harness.step();
    window.settle();
}

#[test]
fn plans_models_and_measured_runs_are_dropped_onto_the_window() {
    let mut window = Window::usual();
    drop_file(&mut window, "presets/plans/dlrm.toml");
    assert_eq!(window.tab().title(), "DLRM on Criteo 1 TB, one epoch");
    let recent = &window.settings().recent;
    assert!(recent[0].ends_with("dlrm.toml"));
    drop_file(&mut window, "assets/runs/nemo.csv");
    assert_eq!(window.settings().view, View::Accuracy);
    let evaluation = window.harness.state().state().evaluation.clone();
    let evaluation = evaluation.expect("runs were judged");
    assert!(evaluation.rows.len() > 20);
    assert!(evaluation.mean_error().is_some_and(|e| e < 0.5));
    assert!(window.shows("Your measured runs"));
    window.click("Put away");
    assert!(!window.shows("Your measured runs"));
    drop_file(&mut window, "presets/plans/resnet50-imagenet.toml");
    drop_file(&mut window, "tests/fixtures/tiny.mantissa.json");
    assert_eq!(window.harness.state().state().tabs.len(), 4);
    assert!(
        window
            .tab()
            .request
            .as_ref()
            .is_some_and(|r| r.model.ends_with("tiny.mantissa.json"))
    );
    assert!(
        matches!(window.tab().status, Status::Current),
        "{:?}",
        window.tab().status
    );
    drop_file(&mut window, "tests/fixtures/config.json");
    assert!(
        matches!(window.tab().status, Status::Current),
        "{:?}",
        window.tab().status
    );
    drop_file(&mut window, "README.md");
    assert!(window.notice().contains("open a plan (.toml)"));
}

#[test]
fn the_palette_runs_what_is_typed() {
    let mut window = Window::usual();
    window.key(Modifiers::COMMAND, Key::K);
    window.send(Action::PaletteText("linear".into()));
    window.harness.key_press(Key::Enter);
    window.settle();
    assert_eq!(window.settings().axes.scale, Scale::Linear);
    assert!(window.harness.state().state().palette.is_none());
}

#[test]
fn what_matters_is_reached_with_the_tabulator_alone() {
    let mut window = Window::usual();
    let mut reached = BTreeSet::new();
    for _ in 0..160 {
        window.harness.key_press(Key::Tab);
        window.harness.step();
        let focused = window
            .harness
            .root()
            .children_recursive()
            .find(|n| n.accesskit_node().is_focused())
            .and_then(|n| n.accesskit_node().label());
        reached.extend(focused);
    }
    for name in [
        "Mantissa menu",
        "New plan",
        "Export CSV",
        "More exports",
        "Files",
        "Train for",
        "FP8",
        "Budget",
        "Trade-off",
        "Compare",
        "Axes: Cost against time, log",
        "Copy chart as picture",
        "Filter",
        "Columns",
        "Sort by Cost, smallest first",
        "Fastest",
        "Pin to compare",
    ] {
        assert!(reached.contains(name), "{name} is not reached: {reached:?}");
    }
}

#[test]
fn every_command_stands_in_a_menu_and_no_key_stands_twice() {
    use mantissa::gui::command::Group;
    let listed: usize = Group::ALL.into_iter().map(|g| g.commands().count()).sum();
    assert_eq!(listed, UiCommand::ALL.len());
    let keys: Vec<String> = UiCommand::ALL
        .into_iter()
        .filter_map(|c| c.shortcut())
        .map(|k| format!("{k:?}"))
        .collect();
    let different: BTreeSet<&String> = keys.iter().collect();
    assert_eq!(different.len(), keys.len());
    let mut window = Window::usual();
    window.click("Mantissa menu");
    for group in Group::ALL {
        assert!(window.shows(group.title()));
    }
}

#[test]
fn sliders_schedules_and_methods_change_the_plan() {
    let mut window = Window::usual();
    let cost = |w: &Window| {
        let plan = w.tab().plan().expect("a plan");
        let best = plan.answers.cheapest.expect("a price");
        let run = plan.combinations[best].run().expect("a run");
        run.cost_usd.expect("a price").value
    };
    let before = cost(&window);
    // The slider by keyboard: prices rise, so does the cost.
    window.harness.get_by_label("Prices").focus();
    window.harness.run();
    for _ in 0..12 {
        window.harness.key_press(Key::ArrowRight);
        window.harness.run();
    }
    window.settle();
    let request = window.tab().request.clone().expect("a request");
    let factor = request
        .what_if
        .as_ref()
        .and_then(|w| w.price)
        .expect("a factor");
    assert!(factor > 1.0);
    assert!((cost(&window) / before / factor - 1.0).abs() < 0.02);
    window.press("Reset what if");
    let request = window.tab().request.clone().expect("a request");
    assert_eq!(request.what_if, None);
    assert!((cost(&window) / before - 1.0).abs() < 1e-9);
    // What would change the answer.
    window.send(Action::Ui(UiCommand::Sensitivity));
    assert!(window.shows("Prices rise by 20"));
    // A schedule under a rule, shown beside the selected mode.
    window.press("Add a rule for the fastest schedule");
    let plan = window.tab().plan().expect("a plan").clone();
    assert!(!plan.schedules.is_empty());
    assert!(
        window.shows("As a schedule, 90"),
        "the answer tells of it: {:?}",
        window.labels()
    );
    assert!(window.shows("Fastest under the rule"));
    window.press("Reset precision schedule");
    assert!(window.tab().plan().is_some_and(|p| p.schedules.is_empty()));
    // Adapters need less memory than all weights.
    let memory = |w: &Window| {
        let index = w.tab().selected.expect("a selection");
        let plan = w.tab().plan().expect("a plan").clone();
        plan.combinations[index]
            .run()
            .map(|r| r.prediction.memory.optimizer.gib())
    };
    let all = memory(&window);
    window.click("Trained: All weights");
    window.click("LoRA, rank 16");
    assert!(memory(&window) < all, "{:?} {all:?}", memory(&window));
}
