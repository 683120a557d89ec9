//! What outlives a tab, a title and the window: plans that were closed, figures under a new name, models of files.

use crate::support::window::Window;
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use mantissa::gui::MantissaApp;
use mantissa::gui::command::{Action, PathPurpose, UiCommand};
use mantissa::gui::state::Status;

#[test]
fn a_plan_that_was_closed_comes_back_in_the_next_session_too() {
    let mut window = Window::usual();
    let first = window.request();
    let mut other = first.clone();
    other.counts = vec![8];
    window.send(Action::NewFrom(Box::new(other)));
    let mut edited = window.request();
    edited.counts = vec![16];
    window.send(Action::Edit(Box::new(edited.clone()), "counts"));
    window.key(Modifiers::COMMAND, Key::W);
    assert!(window.notice().contains("closed"), "{}", window.notice());
    assert!(window.shows(UiCommand::ReopenTab.text()));
    assert_eq!(window.harness.state().state().tabs.len(), 1);
    let storage = window.stored();
    let ctx = egui::Context::default();
    let mut again = MantissaApp::new(&ctx, Some(&storage), crate::support::window::backend());
    assert_eq!(again.state().tabs.len(), 1);
    again.send(Action::Ui(UiCommand::ReopenTab));
    again.settle(&ctx);
    assert_eq!(again.state().tabs.len(), 2);
    let tab = again.state().tab().expect("a tab");
    assert_eq!(tab.request.as_deref(), Some(&edited));
    assert!(tab.is_changed() && tab.history.can_undo() && tab.plan().is_some());
    assert_eq!(again.state().active, 1);
    // One that is as it was opened goes without a word.
    window.send(Action::NewFrom(Box::new(first)));
    window.key(Modifiers::COMMAND, Key::W);
    assert!(!window.notice().contains("closed"), "{}", window.notice());
}

#[test]
fn a_new_title_computes_nothing() {
    let mut window = Window::usual();
    let before = window.tab().title();
    let stamp = |w: &Window| w.tab().done.as_ref().map(|d| d.stamp);
    let planned = stamp(&window);
    let id = window.tab().id;
    window.send(Action::Rename(id));
    window.send(Action::RenameText("For the board".to_owned()));
    window.send(Action::EndRename(true));
    assert_eq!(window.tab().title(), "For the board");
    assert!(matches!(window.tab().status, Status::Current));
    assert_eq!(stamp(&window), planned);
    // What is exported bears the new one.
    assert_eq!(window.plan().request.request, window.request());
    window.key(Modifiers::COMMAND, Key::Z);
    assert_eq!((window.tab().title(), stamp(&window)), (before, planned));
    assert_eq!(window.plan().request.request, window.request());
}

/// Opens the list of models.
fn open_models(window: &mut Window) {
    let labels = window.labels();
    let name = labels.into_iter().find(|l| l.starts_with("Model: "));
    window.press(&name.expect("the model"));
}

#[test]
fn the_list_of_models_leads_to_a_file_and_keeps_what_was_read() {
    let mut window = Window::usual();
    open_models(&mut window);
    window.press("Open a model file…");
    let dialog = |w: &Window| w.harness.state().state().path_dialog;
    assert_eq!(dialog(&window), Some(PathPurpose::OpenPlan));
    let kinds =
        "Opens a plan or a calibration (.toml), a model (.json, .toml) or measured runs (.csv)";
    assert!(window.shows(kinds), "{:?}", window.labels());
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/config.json");
    window.key(Modifiers::NONE, Key::Escape);
    window.send(Action::Path(PathPurpose::OpenPlan, fixture.to_owned()));
    assert_eq!(window.request().model, fixture);
    window.send(Action::SetModel("llama-3-8b".to_owned()));
    open_models(&mut window);
    let own = window.harness.state().state().own_models.clone();
    assert_eq!(own.len(), 1);
    window
        .harness
        .event(egui::Event::Text("config.json".to_owned()));
    window.settle();
    let lines = window.harness.query_all_by_role(Role::ListItem);
    let lines: Vec<String> = lines
        .filter_map(|line| line.accesskit_node().label())
        .collect();
    assert_eq!(lines.first(), Some(&own[0].label), "{lines:?}");
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.request().model, fixture);
    // By keys the way to another file is the line after the last.
    open_models(&mut window);
    window
        .harness
        .event(egui::Event::Text("config.json".to_owned()));
    window.settle();
    for _ in 0..3 {
        window.key(Modifiers::NONE, Key::ArrowDown);
    }
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(dialog(&window), Some(PathPurpose::OpenPlan));
    // What is typed takes the place of the path of last time.
    window.harness.run();
    window.harness.get_by_label("Path").type_text("/other.toml");
    window.harness.run();
    let value = window.harness.get_by_label("Path").value();
    assert_eq!(value.as_deref(), Some("/other.toml"));
}

#[test]
fn a_text_that_is_no_plan_is_told_to_be_none() {
    let mut window = Window::usual();
    window.send(Action::PastePlan("hello world".to_owned()));
    let told = window.notice();
    assert!(told.starts_with("What was pasted is no plan"), "{told}");
    assert!(
        told.contains("TOML") && told.contains("the pasted text:1"),
        "{told}"
    );
}

#[test]
fn the_length_of_training_says_what_it_may_be_told_in() {
    let mut window = Window::usual();
    let field = window.harness.get_by_label("Train for").rect();
    window
        .harness
        .hover_at(field.left_center() - egui::vec2(30.0, 0.0));
    window.settle();
    assert!(
        window.shows("In tokens, epochs or steps"),
        "{:?}",
        window.labels()
    );
    window.type_into("Train for", "3 epochs of 50k samples");
    let train = window.request().train;
    assert_eq!(train.samples.map(|n| n.number()), Some(Ok(50e3)));
    assert!(window.shows("Data set"));
}
