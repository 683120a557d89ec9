//! Why and evidence as views of their own, and what was mouse alone by keyboard: a cell, a box on the plot.

use crate::support::window::Window;
use egui::accesskit::{Action, Role};
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use mantissa::gui::command::{Action as GuiAction, UiCommand};
use mantissa::gui::measure::{Axes, Measure};
use mantissa::gui::region::BoxStep;
use mantissa::gui::rows::Column;
use mantissa::gui::state::View;
use std::collections::BTreeSet;

#[test]
fn why_says_it_in_words_and_shows_every_contribution_the_path_and_importance() {
    let mut window = Window::usual();
    // What was learned is gathered by what it is about, in the inspector too; which subjects weigh most is the fit's.
    let subjects = [
        "Precision",
        "Mix of operators",
        "Casts and optimizer",
        "Size of model and batch",
        "The accelerator",
        "Software and its age",
        "Layout over devices",
        "Exchange",
    ];
    let shown = |subject: &&str| window.shows(&format!("{subject} ×"));
    assert!(subjects.iter().filter(|s| shown(s)).count() > 2);
    window.key(Modifiers::COMMAND, Key::Num5);
    for words in [
        "Of a step of ",
        "limits it",
        "Physics alone says ",
        "The nearest measured run is ",
    ] {
        assert!(window.shows(words), "no {words}");
    }
    assert!(!window.shows("Software era ×"));
    window.click("Show every input");
    assert_eq!(window.harness.state().state().settings.view, View::Why);
    let (_, _, explanation) = window.tab().explanation.clone().expect("an explanation");
    let explanation = explanation.expect("an explanation");
    let labels = window.labels();
    let rule = explanation.limit_rule.join(" · ");
    let rule = rule.replace(" at most ", " ≤ ").replace(" above ", " > ");
    let tests = format!("Tests passed: {rule}");
    assert!(labels.contains(&tests), "no {tests}");
    assert!(window.shows("From physics to prediction"));
    // What a language model has none of is one line in each stage.
    let absent = [
        "Channels per group",
        "Uneven groups",
        "Depthwise kernel area",
        "Experts",
        "NHWC tensors",
    ];
    let absent =
        |feature: &str| absent.contains(&feature) || feature.to_lowercase().contains("convolution");
    let lacks = |l: &String| l.starts_with("What this model lacks ×");
    assert!(labels.iter().any(lacks));
    for c in &explanation.contributions {
        if absent(&c.feature) {
            let factor = format!("{} ×", c.feature);
            assert!(!labels.iter().any(|l| l.starts_with(&factor)));
            continue;
        }
        let named = labels
            .iter()
            .any(|l| l.starts_with(&format!("{} ×", c.feature)));
        assert!(named, "no {}", c.feature);
    }
}

#[test]
fn evidence_lists_the_nearest_runs_sorts_them_and_copies_a_source() {
    let mut window = Window::usual();
    window.key(Modifiers::COMMAND, Key::Num6);
    let (_, _, explanation) = window.tab().explanation.clone().expect("an explanation");
    let nearest = explanation.expect("an explanation").nearest.clone();
    assert!(nearest.len() > 5);
    let rows = |w: &Window| -> Vec<String> {
        let labels = w.labels().into_iter();
        labels
            .filter(|l| l.contains(", predicted ") && l.contains("source "))
            .collect()
    };
    let by_distance = rows(&window);
    assert!(by_distance.len() > 3);
    assert!(by_distance[0].contains(&nearest[0].source_path));
    assert!(window.shows("nearest runs were measured"));
    window.click("Sort by Measured");
    let by_time = rows(&window);
    assert_ne!(by_distance, by_time);
    window.click("Sort by Measured, smallest first");
    assert!(window.shows("Sort by Measured, largest first"));
    window.click(&rows(&window)[0].clone());
    let notice = window
        .harness
        .state()
        .state()
        .notice
        .clone()
        .expect("a notice");
    assert_eq!(notice.text, "Copied the source");
}

#[test]
fn a_cell_is_marked_and_copied_by_keyboard() {
    let mut window = Window::usual();
    // The first step marks the column the table is sorted by, the next ones move.
    window.key(Modifiers::ALT, Key::Period);
    assert_eq!(window.tab().cell, Some(Column::Cost));
    window.key(Modifiers::ALT, Key::Comma);
    let before = window.tab().cell;
    assert_ne!(before, Some(Column::Cost));
    window.key(Modifiers::ALT, Key::Period);
    assert!(window.shows("Cost: $"), "the marked cell has no name");
    window.key(Modifiers::COMMAND | Modifiers::SHIFT, Key::C);
    assert!(
        window.notice().starts_with("Copied “$"),
        "{}",
        window.notice()
    );
    // Past the last column it stays.
    for _ in 0..20 {
        window.key(Modifiers::ALT, Key::Period);
    }
    let last = window.tab().cell;
    window.key(Modifiers::ALT, Key::Period);
    assert_eq!(window.tab().cell, last);
}

#[test]
fn arrows_move_through_the_rows_and_cells_of_the_table() {
    let mut window = Window::usual();
    let selected = window.tab().selected.expect("a selection");
    let place = |w: &Window| {
        let tab = w.tab();
        tab.rows.shown.iter().position(|i| Some(*i) == tab.selected)
    };
    let first = place(&window).expect("a row");
    let focused = |w: &Window| {
        let found = w
            .harness
            .query_all_by_role(Role::Row)
            .find(|n| n.is_focused());
        found.and_then(|n| n.accesskit_node().label())
    };
    let row = window
        .harness
        .query_all_by_role(Role::Row)
        .nth(first)
        .expect("a row");
    row.focus();
    window.harness.run();
    let name = focused(&window).expect("a focused row");
    for _ in 0..2 {
        window.key(Modifiers::NONE, Key::ArrowDown);
    }
    assert_eq!(place(&window), Some(first + 2));
    assert_ne!(
        focused(&window).expect("the keyboard stays in the table"),
        name
    );
    window.key(Modifiers::NONE, Key::ArrowRight);
    window.key(Modifiers::NONE, Key::ArrowRight);
    assert!(window.tab().cell.is_some());
    for _ in 0..2 {
        window.key(Modifiers::NONE, Key::ArrowUp);
    }
    assert_eq!(window.tab().selected, Some(selected));
}

fn focus_plot(window: &mut Window) {
    let mut images = window.harness.get_all_by_role(Role::Image);
    images.next().expect("a plot").focus();
    drop(images);
    window.harness.run();
}

#[test]
fn a_box_is_put_moved_sized_and_removed_by_keyboard() {
    let mut window = Window::usual();
    let all = window.tab().rows.shown.len();
    window.key(Modifiers::COMMAND, Key::B);
    let region = window.tab().row_settings.region.expect("a box");
    let near = window.tab().rows.shown.len();
    assert!(near > 0 && near < all);
    let selected = window.tab().selected.expect("a selection");
    assert!(window.tab().rows.shown.contains(&selected));
    // With the plot focused arrows move the box and with Shift they size it.
    focus_plot(&mut window);
    window.key(Modifiers::NONE, Key::ArrowRight);
    let moved = window.tab().row_settings.region.expect("a box");
    assert!(moved.x.1 > region.x.1 && moved.x.2 > region.x.2 && moved.y == region.y);
    window.key(Modifiers::NONE, Key::ArrowUp);
    window.key(Modifiers::SHIFT, Key::ArrowRight);
    let wider = window.tab().row_settings.region.expect("a box");
    assert!(wider.y.1 > region.y.1 && wider.x.2 / wider.x.1 > moved.x.2 / moved.x.1);
    for _ in 0..30 {
        window.send(GuiAction::Ui(UiCommand::Box(BoxStep::Wider)));
        window.send(GuiAction::Ui(UiCommand::Box(BoxStep::Taller)));
    }
    assert_eq!(window.tab().rows.shown.len(), all);
    for _ in 0..80 {
        window.send(GuiAction::Ui(UiCommand::Box(BoxStep::Narrower)));
    }
    let least = window.tab().row_settings.region.expect("a box");
    assert!(least.x.1 < least.x.2);
    window.key(Modifiers::NONE, Key::Delete);
    assert_eq!(window.tab().row_settings.region, None);
    // And by the keys that work from anywhere.
    window.key(Modifiers::ALT | Modifiers::SHIFT, Key::ArrowUp);
    assert!(window.tab().row_settings.region.is_some());
}

#[test]
fn the_chart_is_looked_at_closer_and_moved_by_keyboard() {
    let mut window = Window::usual();
    focus_plot(&mut window);
    let whole = window.picture().rgba;
    let mut before = whole.clone();
    for (modifiers, key) in [
        (Modifiers::SHIFT, Key::Plus),
        (Modifiers::COMMAND, Key::ArrowRight),
        (Modifiers::NONE, Key::Minus),
    ] {
        window.key(modifiers, key);
        window.harness.run();
        let now = window.picture().rgba;
        assert!(now != before, "{key:?} changes nothing");
        before = now;
    }
    window.key(Modifiers::NONE, Key::Num0);
    window.harness.run();
    assert!(window.picture().rgba == whole, "the whole is not the whole");
    // By command from another view: the trade-off is shown, closer.
    window.key(Modifiers::COMMAND, Key::Num3);
    window.key(Modifiers::COMMAND, Key::PageUp);
    window.harness.run();
    assert_eq!(window.harness.state().state().settings.view, View::TradeOff);
    assert!(window.picture().rgba != whole);
}

/// What of the window can be clicked: name, identity, and role for whoever reads a failure.
fn clickable(window: &Window) -> Vec<(String, String, Role)> {
    let all = window.harness.root().children_recursive();
    let nodes = all.map(|n| n.accesskit_node());
    // Scroll bars are egui's own, and text that can be selected is no button: pages are scrolled by keys of their own.
    let is_action = |role: Role| !matches!(role, Role::ScrollBar | Role::Label);
    nodes
        .filter(|n| n.data().supports_action(Action::Click) && is_action(n.role()))
        .map(|n| {
            let label = n.label().or_else(|| n.value()).unwrap_or_default();
            (label, format!("{:?}", n.id()), n.role())
        })
        .collect()
}

#[test]
fn whatever_can_be_clicked_is_named_and_reached_with_the_tabulator() {
    for view in View::ALL {
        let mut window = Window::usual();
        window.send(GuiAction::SetView(view));
        if view == View::Compare {
            window.send(GuiAction::Ui(UiCommand::PinAnswers));
        }
        let wanted = clickable(&window);
        assert!(wanted.len() > 20, "{view:?} has {}", wanted.len());
        let mut reached = BTreeSet::new();
        for _ in 0..2 * wanted.len() + 60 {
            window.harness.key_press(Key::Tab);
            window.harness.step();
            let focused = window
                .harness
                .root()
                .children_recursive()
                .find(|n| n.is_focused());
            reached.extend(focused.map(|n| format!("{:?}", n.accesskit_node().id())));
        }
        let lost: Vec<_> = wanted
            .iter()
            .filter(|(label, id, _)| label.is_empty() || !reached.contains(id))
            .collect();
        assert!(
            lost.is_empty(),
            "no name or no way to them in {view:?}: {lost:?}"
        );
    }
}

#[test]
fn long_pages_are_scrolled_by_keyboard() {
    let mut window = Window::usual();
    let top = |w: &Window, label: &str| w.harness.get_by_label(label).rect().top();
    let before = top(&window, "Where the step goes");
    window.key(Modifiers::SHIFT, Key::PageDown);
    assert!(top(&window, "Where the step goes") < before - 100.0);
    window.key(Modifiers::SHIFT, Key::PageUp);
    assert!((top(&window, "Where the step goes") - before).abs() < 1.0);
    for (view, label) in [
        (View::Accuracy, "Model card"),
        (View::Why, "What matters over all runs"),
    ] {
        window.send(GuiAction::SetView(view));
        let before = top(&window, label);
        window.key(Modifiers::NONE, Key::PageDown);
        assert!(top(&window, label) < before - 100.0, "{view:?} stays");
    }
    // Above the table ten rows are stepped.
    window.send(GuiAction::SetView(View::TradeOff));
    let place = |w: &Window| {
        let tab = w.tab();
        tab.rows
            .shown
            .iter()
            .position(|i| Some(*i) == tab.selected)
            .expect("a row")
    };
    let before = place(&window);
    window.key(Modifiers::NONE, Key::PageDown);
    assert_eq!(place(&window), before + 10);
}

#[test]
fn memory_counted_in_powers_of_two_is_labelled_so() {
    let mut window = Window::usual();
    window.send(GuiAction::SetAxes(Axes {
        y: Measure::Memory,
        ..Axes::default()
    }));
    let texts = |w: &Window| -> Vec<String> { w.painted().into_iter().map(|p| p.0).collect() };
    let seen = texts(&window);
    window.send(GuiAction::Ui(UiCommand::PinAnswers));
    let compared = texts(&window);
    for text in seen.iter().chain(&compared) {
        assert!(!text.ends_with("\u{202F}GB"), "{text}");
    }
    for texts in [seen, compared] {
        assert!(texts.iter().any(|t| t.ends_with("\u{202F}GiB")));
    }
}

#[test]
fn the_sentence_below_the_headline_is_never_cut_in_a_small_window() {
    let mut sentences = 0;
    for theme in [egui::Theme::Dark, egui::Theme::Light] {
        let mut window = Window::open(1280.0, 800.0, theme);
        for index in window.tab().rows.shown.clone() {
            window.send(GuiAction::Select(index));
            for (text, is_cut) in window.painted() {
                if text.contains(" on the same node") {
                    sentences += 1;
                    assert!(!is_cut, "{text}");
                }
            }
        }
    }
    assert!(sentences > 12, "{sentences}");
}

#[test]
fn arrows_in_the_palette_stay_in_sight_and_name_the_current_line() {
    let mut window = Window::usual();
    window.key(Modifiers::COMMAND, Key::K);
    let current = |w: &Window| {
        let lines = w.harness.query_all_by_role(Role::ListItem);
        let mut found = lines.filter(|n| n.accesskit_node().is_selected() == Some(true));
        let line = found.next().expect("a current line");
        assert!(found.next().is_none());
        (line.accesskit_node().label().expect("a name"), line.rect())
    };
    let commands: Vec<&str> = UiCommand::ALL.iter().map(|c| c.text()).skip(1).collect();
    let first = current(&window);
    assert_eq!(first.0, commands[0]);
    let mut lowest: f32 = 0.0;
    for command in commands.iter().skip(1).take(40) {
        window.key(Modifiers::NONE, Key::ArrowDown);
        let (name, place) = current(&window);
        assert_eq!(name, *command);
        lowest = lowest.max(place.bottom());
        assert!(lowest - first.1.top() < 345.0, "{name} at {place}");
    }
    for _ in 0..40 {
        window.key(Modifiers::NONE, Key::ArrowUp);
    }
    let (name, place) = current(&window);
    assert_eq!(name, commands[0]);
    assert!((place.top() - first.1.top()).abs() < 1.0, "{place}");
}

#[test]
fn scrolling_and_a_drag_with_shift_move_the_chart_and_draw_no_box() {
    let mut window = Window::usual();
    let images = window.harness.get_all_by_role(Role::Image);
    let plot = images.into_iter().next().expect("a plot").rect();
    let ring = |w: &Window| w.mesh_corner();
    let start = ring(&window);
    window.scroll(plot.center(), 40.0);
    let scrolled = ring(&window);
    assert!(
        (scrolled.y - start.y + 40.0).abs() < 2.0,
        "{start} {scrolled}"
    );
    assert!((scrolled.x - start.x).abs() < 1.0, "{start} {scrolled}");
    let (from, to) = (plot.center(), plot.center() + egui::vec2(60.0, 0.0));
    window.harness.drag_at(from);
    window.harness.step();
    let shift = egui::Event::ModifiersChanged(Modifiers::SHIFT);
    window.harness.event(shift);
    for share in [0.3, 0.7, 1.0] {
        window.harness.hover_at(from + (to - from) * share);
        window.harness.step();
    }
    window.harness.drop_at(to);
    let released = egui::Event::ModifiersChanged(Modifiers::NONE);
    window.harness.event(released);
    window.settle();
    assert!(ring(&window).x > scrolled.x + 30.0);
    assert_eq!(window.tab().row_settings.region, None);
}

#[test]
fn what_the_pointer_is_on_is_marked_in_every_view() {
    let mut window = Window::usual();
    let rows: Vec<egui::Rect> = {
        let found = window.harness.query_all_by_role(Role::Row);
        found.map(|n| n.rect()).take(6).collect()
    };
    let rings = |w: &Window| -> Vec<egui::Pos2> {
        let shapes = w.harness.output().shapes.iter();
        let rings = shapes.filter_map(|s| match &s.shape {
            egui::Shape::Circle(c) if c.radius == 9.0 => Some(c.center),
            _ => None,
        });
        rings.collect()
    };
    let is_filled = |w: &Window, row: egui::Rect| {
        w.harness.output().shapes.iter().any(|s| match &s.shape {
            egui::Shape::Rect(r) => {
                r.rect.expand(0.5).contains_rect(row) && r.rect.height() < row.height() + 1.0
            }
            _ => false,
        })
    };
    assert!(rings(&window).is_empty());
    let mut returned = 0;
    for (i, row) in rows.into_iter().enumerate() {
        let index = window.tab().rows.shown[i];
        if window.tab().selected == Some(index) {
            continue;
        }
        assert!(!is_filled(&window, row));
        window.harness.hover_at(row.center());
        window.settle();
        assert_eq!(window.tab().hovered, Some(index));
        let marked = rings(&window);
        assert_eq!(marked.len(), 1, "{marked:?}");
        // From the point back to its row, unless another point lies on it.
        window.harness.hover_at(marked[0]);
        window.settle();
        if window.tab().hovered == Some(index) {
            assert!(is_filled(&window, row));
            returned += 1;
        }
        window.harness.hover_at(egui::pos2(5.0, 5.0));
        window.settle();
        assert_eq!(window.tab().hovered, None);
        assert!(rings(&window).is_empty());
    }
    assert!(returned > 0);
}
