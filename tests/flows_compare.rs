//! Views that set runs side by side: evidence, comparison, reasons and scaling can be read without knowing the insides.
#![cfg(feature = "gui")]
#![allow(clippy::expect_used)] // a test may stop at the first surprise

mod support;

use egui::{Rect, Theme};
use mantissa::gui::command::{Action, UiCommand};
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

#[test]
fn a_column_names_three_reasons_the_largest_first_and_the_rest_on_a_click() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    window.send(Action::Ui(UiCommand::PinAnswers));
    let told = |w: &Window| -> Vec<String> {
        let labels = w.labels().into_iter();
        labels
            .filter(|l| l.contains("the baseline's speed\n"))
            .collect()
    };
    let reasons = told(&window);
    assert_eq!(reasons.len(), 3, "{reasons:?}");
    let painted = |w: &Window| -> Vec<String> { w.painted().into_iter().map(|p| p.0).collect() };
    let plain = |text: &str| text.replace('\u{202F}', "\u{A0}");
    let (mut links, seen) = (0, painted(&window));
    for text in &reasons {
        let points: Vec<String> = text.lines().skip(1).map(plain).collect();
        let shown = |p: &&String| seen.contains(p);
        assert!(points.iter().take(3).all(|p| shown(&p)), "{text}");
        links += usize::from(points.len() > 3);
        // Factors are told apart by their size: none stands above a larger one.
        let by = |line: &String| {
            line.split_once('×')
                .and_then(|(n, _)| n.parse::<f64>().ok())
        };
        let sizes: Vec<f64> = points.iter().filter_map(by).map(|f| f.ln().abs()).collect();
        assert!(sizes.windows(2).all(|w| w[0] >= w[1]), "{text}");
        assert!(points.iter().all(|p| !p.ends_with('.')), "{text}");
    }
    let more: Vec<String> = window
        .labels()
        .into_iter()
        .filter(|l| l.contains(" smaller one"))
        .collect();
    assert_eq!(more.len(), links);
    window.press(&more[0]);
    let seen = painted(&window);
    let all = |text: &String| text.lines().skip(1).map(plain).all(|p| seen.contains(&p));
    assert_eq!(
        told(&window).iter().filter(|r| all(r)).count(),
        1 + reasons.len() - links
    );
}
