//! Where the keyboard goes on after Enter, and what the arrows walk.

use crate::support::window::Window;
use egui::{Key, Modifiers, Theme};
use egui_kittest::kittest::{NodeT, Queryable};
use mantissa::domain::PrecisionMode;
use mantissa::gui::command::{Action, PathPurpose, UiCommand};
use mantissa::planner::PhaseRequest;

/// Gives the keyboard to what is called so, and presses Enter on it.
fn enter(window: &mut Window, label: &str) {
    window.harness.get_by_label(label).focus();
    window.settle();
    window.key(Modifiers::NONE, Key::Enter);
}

#[test]
fn enter_takes_what_is_typed_and_leaves_the_keyboard_in_the_field() {
    let mut window = Window::usual();
    window.type_into("Budget", "9000");
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.focused(), "Budget");
    let budget = |window: &Window| window.request().limits.and_then(|l| l.budget_usd);
    assert_eq!(budget(&window), Some(9000.0));
    // What is typed on after Enter is a step of undo of its own.
    window.key(Modifiers::COMMAND, Key::A);
    window.harness.get_by_label("Budget").type_text("8000");
    window.settle();
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(budget(&window), Some(8000.0));
    window.send(Action::Ui(UiCommand::Undo));
    assert_eq!(budget(&window), Some(9000.0));
    // A refused text stays, with the keyboard in it, and Escape brings the value back.
    window.type_into("Deadline", "soon");
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.focused(), "Deadline");
    window.key(Modifiers::NONE, Key::Escape);
    assert!(window.tab().drafts.is_empty());
    // The field for other counts is emptied for the next one.
    window.type_into("Another count", "12");
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.focused(), "Another count");
    assert!(window.request().counts.contains(&12));
}

#[test]
fn a_list_of_a_phase_closes_by_enter_and_gives_the_keyboard_back() {
    let mut window = Window::usual();
    let mut request = window.request();
    let modes = request.modes();
    let phase = |mode: PrecisionMode, percent| PhaseRequest {
        precision: mode.key().to_owned(),
        percent,
    };
    request.schedule = vec![phase(modes[0], 90.0), phase(modes[1], 10.0)];
    window.send(Action::Edit(Box::new(request), ""));
    let label = format!("Mode of phase 1: {}", modes[0].label());
    enter(&mut window, &label);
    assert_eq!(window.focused(), modes[0].label(), "the list is not open");
    window.key(Modifiers::NONE, Key::ArrowDown);
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.request().schedule[0].precision, modes[1].key());
    let label = format!("Mode of phase 1: {}", modes[1].label());
    assert_eq!(window.focused(), label);
    window.key(Modifiers::NONE, Key::Enter);
    window.key(Modifiers::NONE, Key::Escape);
    assert_eq!(window.focused(), label);
}

#[test]
fn menus_close_by_enter_and_give_the_keyboard_back() {
    let mut window = Window::usual();
    enter(&mut window, "More exports");
    assert!(window.focused().contains("Export"), "{}", window.focused());
    window.key(Modifiers::NONE, Key::End);
    let copy = window.focused();
    window.key(Modifiers::NONE, Key::Enter);
    assert!(window.notice().contains("Copied"), "{}", window.notice());
    assert!(!window.shows(&copy), "the menu stays open");
    assert_eq!(window.focused(), "More exports");
    // A list of which several may be chosen stays, until Escape.
    let axes = "Axes: Cost against time, log";
    enter(&mut window, axes);
    window.key(Modifiers::NONE, Key::ArrowDown);
    window.key(Modifiers::NONE, Key::Enter);
    assert!(window.shows("Logarithmic"));
    window.key(Modifiers::NONE, Key::Escape);
    assert!(!window.shows("Logarithmic"));
    assert!(
        window.focused().starts_with("Axes: "),
        "{}",
        window.focused()
    );
    // The menu of menus, from a command two levels down.
    enter(&mut window, "Mantissa menu");
    window.key(Modifiers::NONE, Key::ArrowDown);
    window.key(Modifiers::NONE, Key::ArrowRight);
    window.key(Modifiers::NONE, Key::End);
    window.key(Modifiers::NONE, Key::Enter);
    assert!(!window.shows("Command palette…"), "{:?}", window.labels());
    assert_eq!(window.focused(), "Mantissa menu");
}

#[test]
fn arrows_walk_the_cards_of_the_start_page_and_enter_opens_one() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    window.send(Action::Ui(UiCommand::NewPlan));
    let first = window.focused();
    window.key(Modifiers::NONE, Key::ArrowDown);
    let below = window.focused();
    window.key(Modifiers::NONE, Key::ArrowRight);
    let beside = window.focused();
    assert!(first != below && below != beside && first != beside);
    window.key(Modifiers::NONE, Key::ArrowUp);
    window.key(Modifiers::NONE, Key::ArrowLeft);
    assert_eq!(window.focused(), first);
    window.key(Modifiers::NONE, Key::End);
    assert_eq!(window.focused(), "Blank plan");
    window.key(Modifiers::NONE, Key::ArrowDown);
    assert_eq!(window.focused(), "Blank plan");
    window.key(Modifiers::NONE, Key::Home);
    window.key(Modifiers::NONE, Key::ArrowDown);
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.tab().title(), below);
}

#[test]
fn the_palette_waits_until_a_dialog_is_answered() {
    let mut window = Window::usual();
    window.send(Action::TypePath(PathPurpose::SavePlan));
    window.key(Modifiers::COMMAND, Key::K);
    let state = window.harness.state().state();
    assert!(state.palette.is_none() && state.path_dialog.is_some());
    window.key(Modifiers::NONE, Key::Escape);
    // The start page holds nothing that could be lost: it gives way.
    window.send(Action::Ui(UiCommand::NewPlan));
    window.key(Modifiers::COMMAND, Key::K);
    let state = window.harness.state().state();
    assert!(state.palette.is_some() && !state.start_page);
}

#[test]
fn the_list_of_models_opens_on_the_chosen_one_and_tells_parameters() {
    let mut window = Window::usual();
    let before = window.request();
    let label = "Model: Llama 3 8B";
    enter(&mut window, label);
    let chosen = window.harness.root().children_recursive().find(|n| {
        let node = n.accesskit_node();
        node.label().as_deref() == Some("Llama 3 8B") && node.is_selected() == Some(true)
    });
    assert!(chosen.is_some(), "the chosen model is not in sight");
    let painted = window.painted();
    assert!(
        painted.iter().any(|(text, _)| text == "8.03\u{202F}B"),
        "{painted:?}"
    );
    // Taken once more it changes nothing.
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.request(), before);
    assert_eq!(window.focused(), label);
    enter(&mut window, label);
    window.key(Modifiers::NONE, Key::ArrowDown);
    window.key(Modifiers::NONE, Key::Enter);
    assert_ne!(window.request().model, before.model);
}
