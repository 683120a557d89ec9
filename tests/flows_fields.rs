//! Fields, lists and steps as whoever walks by keyboard meets them: what Tab selects, what a list puts first, who has the
//! keys.
#![cfg(feature = "gui")]
#![allow(clippy::expect_used)] // a test may stop at the first surprise

mod support;

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use mantissa::gui::command::{Action, UiCommand};
use mantissa::planner::PlanRequest;
use support::window::Window;

fn press(window: &mut Window, key: Key) {
    window.key(Modifiers::NONE, key);
}

/// Types into whatever has the keyboard.
fn type_on(window: &mut Window, text: &str) {
    window.harness.event(egui::Event::Text(text.to_owned()));
    window.settle();
}

fn limits(window: &Window) -> (Option<f64>, Option<f64>) {
    let limits = window.request().limits.unwrap_or_default();
    (limits.budget_usd, limits.deadline_h)
}

#[test]
fn a_field_that_is_reached_by_tab_is_typed_over() {
    let mut window = Window::usual();
    window.type_into("Budget", "9000");
    press(&mut window, Key::Tab);
    assert_eq!(window.focused(), "Deadline");
    type_on(&mut window, "2 days");
    assert_eq!(limits(&window), (Some(9000.0), Some(48.0)));
    window.key(Modifiers::SHIFT, Key::Tab);
    assert_eq!(window.focused(), "Budget");
    type_on(&mut window, "8000");
    assert_eq!(limits(&window).0, Some(8000.0));
    window.type_into("Train for", "15 B");
    press(&mut window, Key::Tab);
    assert_eq!(window.focused(), "Global batch");
    type_on(&mut window, "64");
    let batch = window.request().batch.expect("a batch").global;
    assert_eq!(batch, Some(64.0));
    // Whoever clicks has the cursor where they point, and Enter leaves it where it was.
    press(&mut window, Key::Enter);
    type_on(&mut window, "0");
    assert_eq!(window.request().batch.expect("a batch").global, Some(640.0));
    let field = window.harness.get_by_label("Global batch").rect();
    let behind = field.left_center() + egui::vec2(60.0, 0.0);
    window.harness.get_by_label("Deadline").focus();
    window.harness.run();
    window.harness.drag_at(behind);
    window.harness.drop_at(behind);
    window.settle();
    assert_eq!(window.focused(), "Global batch");
    type_on(&mut window, "0");
    assert_eq!(
        window.request().batch.expect("a batch").global,
        Some(6400.0)
    );
}

#[test]
fn two_durations_that_ran_together_are_refused() {
    let mut window = Window::usual();
    window.type_into("Deadline", "1 d 6 h");
    assert_eq!(limits(&window).1, Some(30.0));
    press(&mut window, Key::Enter);
    for (text, said) in [
        ("1 d2 days", "runs two durations together"),
        ("1 d 2 days", "counts days twice"),
    ] {
        window.type_into("Deadline", text);
        assert!(window.shows(said), "{text}");
        assert!(window.shows("Try 2 d, 36 h, 1 d 6 h"), "{text}");
        assert_eq!(limits(&window).1, Some(30.0), "{text}");
    }
    for text in ["1d6h", "30 h"] {
        window.type_into("Deadline", text);
        assert_eq!(limits(&window).1, Some(30.0), "{text}");
    }
}
