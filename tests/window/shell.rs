//! The window, driven by labels and keys: no display, no GPU, no system package.

use crate::support::window::{Remembering, Window};
use egui::{Key, Modifiers, Theme};
use egui_kittest::kittest::Queryable;
use mantissa::domain::PrecisionMode;
use mantissa::gui::command::{Action, PathPurpose, UiCommand};
use mantissa::gui::state::{Field, Status, View};

#[test]
fn it_opens_on_the_worked_example_and_the_plan_arrives() {
    let window = Window::usual();
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
    let mut window = Window::usual();
    let last = *window.tab().rows.shown.get(1).expect("rows");
    let label = window
        .labels()
        .into_iter()
        .filter(|l| {
            l.ends_with('%') && l.contains(" on ") && (l.contains(", ±") || l.contains(", −"))
        })
        .filter(|l| !l.contains("finishes") && !l.contains("Selected"))
        .nth(1)
        .expect("a second row");
    window.click(&label);
    assert_eq!(window.tab().selected, Some(last));
    assert!(matches!(&window.tab().explanation, Some((_, i, Ok(_))) if *i == last));
}

#[test]
fn a_mode_is_toggled_undone_and_redone() {
    let mut window = Window::usual();
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
    let mut window = Window::usual();
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
    let mut window = Window::usual();
    window.send(Action::TypePath(PathPurpose::ExportCsv));
    // The field has the keyboard at once: Enter never writes a name that nobody saw.
    assert!(window.harness.get_by_label("Path").is_focused());
    let labels = window.labels();
    assert!(labels.iter().any(|l| l.starts_with("Path of the file")));
    window.send(Action::Path(
        PathPurpose::ExportCsv,
        path.display().to_string(),
    ));
    let text = std::fs::read_to_string(&path).expect("a file");
    let rows = window.tab().plan().map_or(0, |p| p.combinations.len());
    assert_eq!(text.lines().count(), rows + 1);
    assert!(window.labels().iter().any(|l| l.starts_with("Exported")));
    let comma_path = folder.path().join("comma.csv");
    window.send(Action::Path(
        PathPurpose::ExportCommaCsv,
        comma_path.display().to_string(),
    ));
    let comma = std::fs::read_to_string(&comma_path).expect("a file");
    assert_eq!(comma.lines().count(), rows + 1);
    assert!(comma.starts_with("\"model\";\"accelerator\";"));
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
    // Told beside the path, which stays to be put right.
    let problem = &window.harness.state().state().path_problem;
    assert!(problem.is_some());
}

#[test]
fn bad_input_is_told_beside_the_field_and_keeps_the_last_plan() {
    let mut window = Window::usual();
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
    let mut window = Window::usual();
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
    let mut window = Window::usual();
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::D);
    window.settle();
    assert_eq!(window.harness.ctx.theme(), Theme::Light);
    for (key, view) in [
        (Key::Num2, View::Scaling),
        (Key::Num3, View::Breakdown),
        (Key::Num4, View::HeatMap),
        (Key::Num5, View::Why),
        (Key::Num6, View::Evidence),
        (Key::Num7, View::Accuracy),
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

#[test]
fn tabs_are_walked_closed_and_reopened_by_keyboard() {
    let mut window = Window::usual();
    let state = |w: &Window| {
        let state = w.harness.state().state();
        (state.tabs.len(), state.active)
    };
    for title in [
        "ResNet-50 on ImageNet, 90 epochs",
        "BERT-large pre-training",
    ] {
        window.key(Modifiers::COMMAND, Key::T);
        let found = window.labels().into_iter().find(|l| l.starts_with(title));
        let other = window
            .labels()
            .into_iter()
            .find(|l| l.contains("BERT-large"));
        window.click(&found.or(other).expect("a worked request"));
    }
    assert_eq!(state(&window), (3, 2));
    window.key(Modifiers::CTRL, Key::Tab);
    assert_eq!(state(&window), (3, 0));
    window.key(Modifiers::CTRL | Modifiers::SHIFT, Key::Tab);
    assert_eq!(state(&window), (3, 2));
    window.key(Modifiers::CTRL | Modifiers::SHIFT, Key::Tab);
    assert_eq!(state(&window), (3, 1));
    // With its place, its filter and its steps of undo.
    window.click("BF16");
    window.send(Action::SetFilter("count >= 1".into()));
    let third = window.tab().rows.shown[2];
    window.send(Action::Select(third));
    let request = window.request();
    window.key(Modifiers::COMMAND, Key::W);
    assert_eq!(state(&window).0, 2);
    assert_ne!(window.request(), request);
    window.key(Modifiers::COMMAND | Modifiers::SHIFT, Key::T);
    assert_eq!(state(&window), (3, 1));
    assert_eq!(window.request(), request);
    assert!(matches!(window.tab().status, Status::Current));
    assert_eq!(window.tab().row_settings.filter, "count >= 1");
    assert_eq!(window.tab().selected, Some(third));
    assert!(matches!(&window.tab().explanation, Some((_, _, Ok(_)))));
    window.key(Modifiers::COMMAND, Key::Z);
    assert_ne!(window.request(), request);
    window.key(Modifiers::COMMAND, Key::Y);
    assert_eq!(window.request(), request);
    window.key(Modifiers::COMMAND | Modifiers::SHIFT, Key::T);
    assert_eq!(state(&window).0, 3);
    assert!(window.notice().contains("No closed plan"));
}

#[test]
fn the_whole_screen_is_asked_for_by_key() {
    let mut window = Window::usual();
    window.harness.key_down(Key::F11);
    window.harness.step();
    let viewports = &window.harness.output().viewport_output;
    let mut commands = viewports.values().flat_map(|v| &v.commands);
    assert!(commands.any(|c| matches!(c, egui::ViewportCommand::Fullscreen(true))));
}

#[test]
fn every_view_says_how_it_is_read() {
    let mut window = Window::usual();
    let is_open = |w: &Window| w.harness.state().state().reading;
    window.key(Modifiers::NONE, Key::Questionmark);
    assert!(is_open(&window));
    for view in View::ALL {
        window.send(Action::SetView(view));
        let first = mantissa::gui::reading::lines_of(view)[0];
        assert!(window.shows(first.1), "no {first:?}");
    }
    window.harness.key_press(Key::Escape);
    window.settle();
    assert!(!is_open(&window));
    window.send(Action::SetView(View::TradeOff));
    window.click("How to read this view");
    assert!(is_open(&window) && window.shows("Columns of the table"));
    window.click("Close how to read");
    assert!(!is_open(&window));
    // In a field it is text.
    window.harness.get_by_label("Filter").focus();
    window.harness.run();
    window.harness.key_press(Key::Questionmark);
    window.settle();
    assert!(!is_open(&window));
}

/// A frame holds what is on the screen, however many rows there are; `cargo bench` says how long one takes.
#[test]
fn a_frame_of_a_hundred_thousand_rows_draws_no_more_than_one_of_ten_thousand() {
    let drawn = |rows: usize| {
        let many = Remembering::growing_to(rows);
        let mut window = Window::open_on(many, 1440.0, 900.0, Theme::Dark);
        let found = window.tab().plan().map_or(0, |p| p.combinations.len());
        assert!(found >= rows, "{found}");
        window.harness.run_steps(3);
        window.harness.output().shapes.len()
    };
    let (few, many) = (drawn(10_000), drawn(100_000));
    assert!(
        few > 100 && many < few + few / 10,
        "{few} shapes, then {many}"
    );
}
