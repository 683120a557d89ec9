//! Nothing stands on anything else or is cut where the window is small, and nothing jumps while it computes.

use crate::support::window::Window;
use egui::{Rect, Theme};
use egui_kittest::kittest::{NodeT, Queryable};
use mantissa::gui::command::{Action, UiCommand};
use mantissa::gui::state::View;

/// Where each text is painted.
fn place(window: &Window, start: &str) -> Rect {
    let all = window.texts();
    let found = all.into_iter().find(|(text, _)| text.starts_with(start));
    found.expect(start).1
}

#[test]
fn names_of_limits_stand_apart_wherever_the_lines_cross() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    for (budget, hours) in [
        (2000.0, 48.0),
        (24_000.0, 900.0),
        (30_000.0, 700.0),
        (10.0, 1000.0),
    ] {
        let mut request = window.request();
        let limits = request.limits.get_or_insert_default();
        limits.budget_usd = Some(budget);
        limits.deadline_h = Some(hours);
        window.send(Action::Edit(Box::new(request), "limits"));
        let (a, b) = (place(&window, "Budget $"), place(&window, "Deadline "));
        assert!(!a.intersects(b), "{budget} {hours}: {a:?} {b:?}");
    }
}

#[test]
fn tools_of_a_view_stand_beside_its_tabs_with_every_pin() {
    for (width, height) in [(1200.0, 700.0), (1280.0, 800.0)] {
        let mut window = Window::open(width, height, Theme::Dark);
        window.send(Action::Ui(UiCommand::PinAnswers));
        for view in View::ALL.into_iter().filter(|v| *v != View::Compare) {
            window.send(Action::SetView(view));
            let rect = |label: &str| window.harness.get_by_label(label).rect();
            let tab = rect("Compare");
            let tools = window.harness.root().children_recursive();
            let tools = tools.filter(|n| {
                let label = n.accesskit_node().label().unwrap_or_default();
                label.starts_with("Axes: ") || label == "Copy chart as picture"
            });
            for tool in tools {
                assert!(
                    tool.rect().left() >= tab.right(),
                    "{width} {view:?}: {:?} {tab:?}",
                    tool.rect()
                );
            }
        }
    }
}

#[test]
fn reasons_of_refused_rows_are_whole() {
    for width in [1200.0, 1280.0] {
        let mut window = Window::open(width, 700.0, Theme::Dark);
        let mut huge = window.request();
        huge.model = "llama-3-70b".into();
        huge.accelerators = vec!["L40S-48GB".into(), "V100-SXM2-32GB".into()];
        huge.counts = vec![1, 2];
        huge.accelerators.push("H200-SXM-141GB".into());
        huge.counts.push(16);
        for request in [window.request(), huge] {
            window.send(Action::NewFrom(Box::new(request)));
            let refused = window.tab().rows.refused.clone();
            assert!(!refused.is_empty());
            for expanded in [false, true] {
                window.send(Action::ExpandRefused(expanded));
                let painted = window.painted();
                let of = |reason: &str| {
                    let short = reason.split_once(" lacks it: ").map_or(reason, |(_, r)| r);
                    let whole = painted.iter().any(|(text, cut)| text == short && !cut);
                    let seen = painted.iter().any(|(text, _)| {
                        text.len() > 30 && short.starts_with(text.trim_end_matches('…'))
                    });
                    (whole, seen)
                };
                // Folded in a small window it is one line, which says how many there are and tells the first whole to who
                // rests on it.
                if width < 1600.0 && !expanded {
                    let count = format!("{} reason", refused.len());
                    assert!(painted.iter().any(|(text, _)| text.starts_with(&count)));
                    assert!(window.shows("Refused: "));
                    continue;
                }
                assert!(of(&refused[0].reason).0, "{width}: {}", refused[0].reason);
                for group in &refused {
                    let (whole, seen) = of(&group.reason);
                    assert!(whole || !seen, "cut: {}", group.reason);
                }
            }
        }
    }
}

#[test]
fn the_inspector_keeps_its_words_until_the_next_are_there() {
    let mut window = Window::usual();
    let other = window.tab().rows.shown[5];
    let before = place(&window, "Memory of each device").top();
    window.harness.state_mut().send(Action::Select(other));
    for _ in 0..3 {
        window.harness.step();
        assert!(!window.shows("computing…"), "the inspector went blank");
    }
    window.settle();
    let after = place(&window, "Memory of each device").top();
    assert!((after - before).abs() < 400.0);
}

#[test]
fn a_long_list_of_sellers_stays_inside_the_window() {
    let mut window = Window::open(1280.0, 700.0, Theme::Dark);
    window.press("From: The cheapest of each");
    let screen = window.harness.ctx.content_rect();
    let lines = window.harness.root().children_recursive().filter(|n| {
        let label = n.accesskit_node().label().unwrap_or_default();
        label == "The cheapest of each" || label == "Every seller, side by side"
    });
    let mut found = 0;
    for line in lines {
        found += 1;
        assert!(screen.contains_rect(line.rect()), "{:?}", line.rect());
    }
    assert_eq!(found, 2);
}

#[test]
fn a_menu_higher_than_the_window_scrolls() {
    let mut window = Window::open(1200.0, 700.0, Theme::Dark);
    let folder = tempfile::tempdir().expect("a folder");
    let inside = |window: &Window, label: &str| {
        let rect = window.harness.get_by_label(label).rect();
        rect.top() >= 0.0 && rect.bottom() <= 700.0
    };
    for i in 0..8 {
        let path = folder.path().join(format!("plan-{i}.toml"));
        window.send(Action::Path(
            mantissa::gui::command::PathPurpose::SavePlan,
            path.display().to_string(),
        ));
    }
    window.click("Mantissa menu");
    window.key(egui::Modifiers::NONE, egui::Key::ArrowRight);
    assert!(inside(&window, "New plan… Ctrl+T"), "{:?}", window.labels());
    window.key(egui::Modifiers::NONE, egui::Key::End);
    assert_eq!(window.focused(), "plan-0.toml");
    assert!(inside(&window, "plan-0.toml"));
    // Every line is a click away, by wheel too.
    window.click("plan-0.toml");
    assert!(
        window.notice().starts_with("Opened "),
        "{}",
        window.notice()
    );
}

#[test]
fn no_name_on_the_trade_off_covers_the_ring_of_the_selection() {
    for (width, height) in [(1200.0, 700.0), (1280.0, 800.0), (2560.0, 1440.0)] {
        let mut window = Window::open(width, height, Theme::Dark);
        for hides in [false, true] {
            if hides {
                window.send(Action::Ui(UiCommand::ToggleRequest));
                window.send(Action::Ui(UiCommand::ToggleInspector));
            }
            let rings = rings(&window);
            assert!(!rings.is_empty(), "no ring");
            for name in ["Fastest", "Cheapest", "Least energy"] {
                let tags = window.texts().into_iter().filter(|(text, _)| text == name);
                for (_, tag) in tags {
                    let covers = rings.iter().any(|ring| tag.intersects(*ring));
                    assert!(!covers, "{name} at {width}: {tag:?} {rings:?}");
                }
            }
        }
    }
}

/// Where rings around the selection are painted: in the plot and, beside it, in the other.
fn rings(window: &Window) -> Vec<Rect> {
    window.shapes(|shape| match shape {
        egui::Shape::Circle(circle) if circle.stroke.width > 0.0 && circle.radius > 8.0 => {
            Some(circle.visual_bounding_rect())
        }
        _ => None,
    })
}

#[test]
fn nothing_is_cut_in_the_smallest_window() {
    let mut window = Window::open(1200.0, 700.0, Theme::Dark);
    let whole = |window: &Window, text: &str| {
        let painted = window.painted();
        painted.iter().any(|(t, cut)| t == text && !cut)
    };
    for name in ["Fastest", "Cheapest", "In both limits", "Least energy"] {
        assert!(whole(&window, name), "{name}");
    }
    window.send(Action::SetView(View::Evidence));
    // The inspector begins at 876.
    for head in ["Measured", "Predicted", "Off by", "Distance"] {
        assert!(place(&window, head).right() < 876.0, "{head}");
    }
    // A range that has no room says how wide it is rather than half of it.
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    window.send(Action::Ui(UiCommand::PinAnswers));
    let cut: Vec<String> = window
        .painted()
        .into_iter()
        .filter(|(text, cut)| *cut && text.contains(" to "))
        .map(|(text, _)| text)
        .collect();
    assert!(cut.is_empty(), "{cut:?}");
}

#[test]
fn menus_scroll_and_stay_inside_a_small_window() {
    let mut window = Window::open(1200.0, 360.0, Theme::Dark);
    let screen = window.harness.ctx.content_rect();
    for (button, first, last) in [
        ("Columns", "Precision", "Confidence"),
        ("More exports", "Export CSV…", "Copy row"),
        (
            "Axes: Cost against time, log",
            "Time",
            "Whiskers on every point",
        ),
        ("Optimizer: The model's own", "The model's own", "Muon"),
    ] {
        let tops = |w: &Window| w.texts().len();
        let before = tops(&window);
        window.press(button);
        assert!(tops(&window) > before, "{button} opens nothing");
        for (key, name) in [(egui::Key::Home, first), (egui::Key::End, last)] {
            window.key(egui::Modifiers::NONE, key);
            let focused = window.focused();
            let nodes = window.harness.root().children_recursive();
            let mut nodes = nodes.filter(|n| n.accesskit_node().is_focused());
            let rect = nodes.next().expect(name).rect();
            assert!(
                screen.contains_rect(rect.shrink(1.0)),
                "{button} {key:?}: {focused} {rect:?}"
            );
        }
        window.key(egui::Modifiers::NONE, egui::Key::Escape);
    }
    // The same with everything drawn larger.
    let mut window = Window::open(1200.0, 700.0, Theme::Dark);
    for _ in 0..9 {
        window.send(Action::Ui(UiCommand::ZoomIn));
    }
    let screen = window.harness.ctx.content_rect();
    window.press("Columns");
    window.key(egui::Modifiers::NONE, egui::Key::End);
    let nodes = window.harness.root().children_recursive();
    let mut nodes = nodes.filter(|n| n.accesskit_node().is_focused());
    let rect = nodes.next().expect("a line").rect();
    assert!(
        screen.contains_rect(rect.shrink(1.0)),
        "{screen:?} {rect:?}"
    );
}

/// Corners of what is painted as one mesh: the marks of a plot.
fn corners(window: &Window) -> Vec<egui::Pos2> {
    let shapes = &window.harness.output().shapes;
    let meshes = shapes.iter().filter_map(|s| match &s.shape {
        egui::Shape::Mesh(mesh) => Some(mesh),
        _ => None,
    });
    let largest = meshes.max_by_key(|m| m.vertices.len()).expect("a mesh");
    largest.vertices.iter().map(|v| v.pos).collect()
}

#[test]
fn names_of_limits_cover_no_mark() {
    for width in [1200.0, 1280.0] {
        let mut window = Window::open(width, 800.0, Theme::Dark);
        for (budget, hours) in [
            (2000.0, 48.0),
            (3000.0, 24.0),
            (1500.0, 100.0),
            (2500.0, 70.0),
        ] {
            let mut request = window.request();
            let limits = request.limits.get_or_insert_default();
            limits.budget_usd = Some(budget);
            limits.deadline_h = Some(hours);
            window.send(Action::Edit(Box::new(request), "limits"));
            let marks = corners(&window);
            for name in ["Budget $", "Deadline "] {
                let rect = place(&window, name);
                let covered = marks.iter().filter(|p| rect.contains(**p)).count();
                assert_eq!(covered, 0, "{name} at {width}, {budget} {hours}: {rect:?}");
            }
        }
    }
}
