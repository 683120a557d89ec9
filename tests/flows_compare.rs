//! Views that set runs side by side: evidence, comparison, reasons and scaling can be read without knowing the insides.
#![cfg(feature = "gui")]
#![allow(clippy::expect_used)] // a test may stop at the first surprise

mod support;

use egui::{Rect, Theme};
use mantissa::gui::command::Action;
use mantissa::gui::state::View;
use support::window::Window;

/// Every text that is painted, and where.
fn places(window: &Window) -> Vec<(String, Rect)> {
    window.shapes(|shape| match shape {
        egui::Shape::Text(text) => {
            Some((text.galley.text().to_owned(), text.visual_bounding_rect()))
        }
        _ => None,
    })
}

fn small(view: View) -> Window {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    window.send(Action::SetView(view));
    window
}

#[test]
fn a_measured_run_keeps_its_models_name_and_a_strip_says_its_scale() {
    let window = small(View::Evidence);
    let (_, _, explanation) = window.tab().explanation.clone().expect("an explanation");
    let nearest = explanation.expect("an explanation").nearest.clone();
    let seen = places(&window);
    assert!(nearest.iter().any(|run| run.model == "mpt-760m"));
    for run in nearest.iter().filter(|run| run.model.len() < 12).take(5) {
        assert!(
            seen.iter().any(|(text, _)| *text == run.model),
            "no {}",
            run.model
        );
    }
    // Both strips: their ends, their scale, their dots, all within the centre.
    let labels = window.labels();
    let strips: Vec<&String> = labels
        .iter()
        .filter(|l| l.contains(" on a log scale from "))
        .collect();
    assert!(strips.len() >= 2, "{strips:?}");
    for strip in strips {
        let ends = strip.split_once(" from ").expect("ends").1;
        let (low, rest) = ends.split_once(" to ").expect("a low end");
        let high = rest.split_once(", ").expect("a high end").0;
        for end in [low, high] {
            assert!(seen.iter().any(|(text, _)| text == end), "no {end}");
        }
    }
    for legend in ["log scale", "three nearest", "others"] {
        assert!(
            seen.iter().filter(|(text, _)| text == legend).count() >= 2,
            "{legend}"
        );
    }
}
