//! What stands where: figures with their own intervals, marks and names that stay, buttons and rings that are seen.

use crate::support::window::{Window, edit};
use egui::accesskit::Toggled;
use egui::{Color32, Key, Modifiers, Rect, Theme};
use egui_kittest::kittest::{NodeT, Queryable};
use mantissa::format;
use mantissa::gui::command::{Action, UiCommand};
use mantissa::gui::look::ChartStep;
use mantissa::gui::measure::{Axes, Measure};
use mantissa::gui::state::View;
use mantissa::gui::theme::Tokens;

/// What is painted inside a place.
fn inside(window: &Window, place: Rect) -> Vec<String> {
    let texts = window.texts().into_iter();
    let inside = texts.filter(|(_, rect)| place.contains(rect.center()));
    inside.map(|(text, _)| text).collect()
}

/// Rings around what has the keyboard.
fn rings(window: &Window) -> Vec<Rect> {
    let accent = Tokens::for_theme(true).accent;
    window.shapes(|shape| match shape {
        egui::Shape::Rect(rect) if rect.stroke.color == accent && rect.stroke.width == 2.0 => {
            Some(rect.rect)
        }
        _ => None,
    })
}

#[test]
fn an_interval_is_that_of_the_figure_before_it() {
    for width in [1200.0, 2560.0] {
        let mut window = Window::open(width, 1000.0, Theme::Dark);
        let plan = window.plan();
        let greenest = plan.answers.greenest.expect("one");
        let run = plan.combinations[greenest].run().expect("a run");
        let of = |measure: Measure| {
            let e = measure.of(run).expect("a figure");
            [format::interval, format::interval_short].map(|form| form(e.value, e.low, e.high))
        };
        let (energy, time) = (of(Measure::Energy), of(Measure::Time));
        assert_ne!(energy, time);
        let card = window.harness.get_by_label("Least energy").rect();
        let said = inside(&window, card);
        assert!(
            said.iter().any(|text| energy.contains(text)),
            "{said:?} {energy:?}"
        );
        assert!(
            !said.iter().any(|text| time.contains(text)),
            "{said:?} {time:?}"
        );
        // On other axes than time and cost each figure of the callout has its own.
        window.send(Action::Select(greenest));
        let (x, y) = (Measure::Time, Measure::Energy);
        window.send(Action::SetAxes(Axes {
            x,
            y,
            ..Axes::default()
        }));
        let figure = |measure: Measure| measure.text(run).expect("a figure");
        let [time, energy] = [(x, &time), (y, &energy)]
            .map(|(measure, interval)| format!("{} {}", figure(measure), interval[1]));
        let callout = format!("{time}, {energy}");
        let texts = window.texts();
        assert!(texts.iter().any(|(text, _)| *text == callout), "{callout}");
    }
}

#[test]
fn a_part_keeps_its_mark_while_others_are_ticked_off() {
    let mut window = Window::usual();
    let parts = [
        "T4-16GB",
        "RTX4090-24GB",
        "RTX6000Ada-48GB",
        "H100-SXM5-80GB",
        "L4-24GB",
    ];
    edit(&mut window, |r| {
        r.accelerators = parts.map(str::to_owned).to_vec()
    });
    let before = window.tab().rows.marks.clone();
    let marks: std::collections::HashSet<_> = parts.iter().map(|part| before[*part]).collect();
    assert_eq!(marks.len(), parts.len(), "{before:?}");
    edit(&mut window, |r| {
        r.accelerators
            .retain(|name| !name.starts_with("RTX4090") && !name.starts_with("T4"))
    });
    let after = &window.tab().rows.marks;
    for part in parts {
        // Those that are unticked are listed still.
        assert_eq!(after.get(part), before.get(part), "{part}");
    }
}

#[test]
fn show_all_is_above_the_shade_and_apart_from_the_callout() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    for steps in 0..12 {
        window.send(Action::Ui(UiCommand::Chart(match steps {
            0 | 1 => ChartStep::Closer,
            2..=6 => ChartStep::Left,
            _ => ChartStep::Up,
        })));
        let shade = Tokens::for_theme(true).shade;
        let order = window.shapes(|shape| match shape {
            egui::Shape::Rect(rect) if rect.fill == shade => Some((true, rect.rect)),
            egui::Shape::Text(text) if text.galley.text() == "Show all" => {
                Some((false, text.visual_bounding_rect()))
            }
            _ => None,
        });
        let at = order
            .iter()
            .position(|(is_shade, _)| !is_shade)
            .expect("the button");
        let button = order[at].1;
        let hides = |(is_shade, rect): &(bool, Rect)| *is_shade && rect.intersects(button);
        assert!(order[..at].iter().any(hides), "no limit is drawn");
        assert!(!order[at..].iter().any(hides), "hidden after {steps} steps");
        let selected = window.tab().selected.expect("a selection");
        let c = &window.plan().combinations[selected];
        let device = format::devices(c.count, "H100");
        let title = format!("{} on {device}", c.mode.label());
        let callouts = window
            .texts()
            .into_iter()
            .filter(|(text, _)| *text == title);
        for (_, callout) in callouts {
            assert!(!callout.intersects(button), "{callout:?} {button:?}");
        }
    }
}

#[test]
fn the_selected_row_comes_into_sight_under_whichever_view_it_was_selected() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    let in_sight = |window: &Window| {
        let nodes = window.harness.root().children_recursive();
        let mut rows = nodes.filter(|n| n.accesskit_node().role() == egui::accesskit::Role::Row);
        rows.any(|n| n.accesskit_node().toggled() == Some(Toggled::True))
    };
    assert!(in_sight(&window));
    let last = *window.tab().rows.shown.last().expect("a row");
    window.send(Action::SetView(View::Why));
    window.send(Action::Select(last));
    window.send(Action::SetView(View::TradeOff));
    assert!(in_sight(&window));
    // A new best row after a recalculation, in a table that was scrolled away.
    window.send(Action::Select(window.plan().recommended().expect("one")));
    window.scroll(egui::pos2(600.0, 700.0), 3000.0);
    assert!(!in_sight(&window));
    edit(&mut window, |r| {
        let limits = r.limits.get_or_insert_default();
        limits.budget_usd = None;
        limits.deadline_h = Some(30.0);
    });
    assert!(in_sight(&window));
    // The same under another view.
    let first = window.tab().rows.shown[0];
    window.send(Action::Select(first));
    window.send(Action::SetView(View::Why));
    window.send(Action::Select(window.plan().recommended().expect("one")));
    edit(&mut window, |r| {
        let limits = r.limits.get_or_insert_default();
        limits.budget_usd = None;
        limits.deadline_h = Some(9.0);
    });
    window.send(Action::SetView(View::TradeOff));
    assert!(in_sight(&window));
}

#[test]
fn menus_begin_with_undo_name_the_search_once_and_mark_the_theme() {
    let mut window = Window::usual();
    window.click("Mantissa menu");
    window.click("Edit");
    let top = |text: &str| {
        let labels = window.harness.get_all_by_label_contains(text);
        labels.map(|n| n.rect().top()).fold(f32::INFINITY, f32::min)
    };
    assert!(top("Undo Ctrl+Z") < top("Copy chart as picture"));
    window.click("Window");
    let searches = (window.labels().into_iter()).filter(|l| l.starts_with("Search everything…"));
    assert_eq!(searches.count(), 1);
    let is_on = |window: &Window, label: &str| {
        let node = window.harness.get_by_label_contains(label);
        node.accesskit_node().toggled() == Some(Toggled::True)
    };
    assert!(is_on(&window, UiCommand::FollowSystemTheme.text()));
    assert!(!is_on(&window, UiCommand::DarkTheme.text()));
    window.send(Action::Ui(UiCommand::DarkTheme));
    window.key(Modifiers::NONE, Key::Escape);
    window.key(Modifiers::NONE, Key::Escape);
    window.click("Mantissa menu");
    window.click("Window");
    assert!(is_on(&window, UiCommand::DarkTheme.text()));
    assert!(!is_on(&window, UiCommand::FollowSystemTheme.text()));
}

#[test]
fn measured_runs_are_told_by_labels_and_their_distance_is_never_cut() {
    let mut window = Window::open(1280.0, 1400.0, Theme::Dark);
    let painted = window.painted();
    let distances = painted
        .iter()
        .filter(|(text, _)| text.contains(", distance "));
    let distances: Vec<&(String, bool)> = distances.collect();
    assert!(!distances.is_empty());
    for (text, is_cut) in distances {
        assert!(!is_cut, "{text}");
        assert!(!text.contains("fp8") && !text.contains("bf16"), "{text}");
    }
    window.send(Action::SetView(View::Why));
    let (_, _, explanation) = window.tab().explanation.clone().expect("an explanation");
    let near = explanation.expect("an explanation").nearest[0].clone();
    let labels = window.labels();
    let said = labels
        .iter()
        .find(|l| l.starts_with("The nearest measured run is "));
    let said = said.expect("a sentence");
    assert!(
        !said.contains(&near.accelerator) && !said.contains(&near.model),
        "{said}"
    );
}

#[test]
fn a_first_phase_is_one_that_the_selected_part_runs() {
    let mut window = Window::open(1440.0, 1400.0, Theme::Dark);
    let selected = window.tab().selected.expect("a selection");
    let mode = window.plan().combinations[selected].mode;
    window.press("Phase");
    assert_eq!(window.request().schedule[0].precision, mode.key());
    assert!(window.shows("1 phase") && !window.shows("1 phases"));
    // The keyboard comes to what a row says before what removes it.
    let label = format!("Mode of phase 1: {}", mode.label());
    window.harness.get_by_label(&label).focus();
    window.harness.run();
    window.key(Modifiers::NONE, Key::Tab);
    window.key(Modifiers::NONE, Key::Tab);
    assert_eq!(window.focused(), "Remove phase 1");
    window.press("Phase");
    let part = &window.plan().combinations[selected].accelerator;
    for phase in window.request().schedule {
        let modes = mantissa::domain::PrecisionMode::ALL.into_iter();
        let mode = modes
            .clone()
            .find(|m| m.key() == phase.precision)
            .expect("a mode");
        assert!(part.peak(mode).is_ok(), "{mode:?}");
    }
}

#[test]
fn cards_of_a_row_keep_their_marks_and_put_intervals_on_one_line() {
    let mut window = Window::open(1200.0, 700.0, Theme::Dark);
    edit(&mut window, |r| {
        r.accelerators = vec!["RTX6000Ada-48GB".into(), "H100-SXM5-80GB".into()];
        r.counts = vec![8, 64];
        r.limits = None;
        r.precisions = vec!["amp-bf16".into()];
    });
    let mut indents = Vec::new();
    let mut lines = Vec::new();
    for name in ["Fastest", "Cheapest", "Least energy"] {
        let card = window.harness.get_by_label(name).rect();
        for (text, rect) in window.texts() {
            if !card.contains(rect.center()) {
                continue;
            }
            if text == "AMP-BF16" {
                indents.push(rect.left() - card.left());
            } else if text.contains('±') || text.contains("/+") {
                lines.push(rect.center().y - card.top());
            }
        }
    }
    assert_eq!((indents.len(), lines.len()), (3, 3));
    assert!(
        indents
            .iter()
            .all(|x| (x - indents[0]).abs() < 1.0 && *x > 20.0),
        "{indents:?}"
    );
    assert!(
        lines.iter().all(|y| (y - lines[0]).abs() < 1.0),
        "{lines:?}"
    );
}

#[test]
fn the_list_of_columns_keeps_its_height() {
    let mut window = Window::open(1200.0, 900.0, Theme::Dark);
    window.click("Columns");
    let reset = |window: &Window| {
        let text = UiCommand::ResetColumns.text();
        window.harness.get_by_label_contains(text).rect()
    };
    let before = reset(&window);
    window.click("Layout");
    assert_eq!(reset(&window), before);
    assert!(window.shows("Some wait for a wider window"));
}

#[test]
fn what_would_change_the_answer_keeps_its_height_while_it_is_worked_out() {
    let mut window = Window::open(1440.0, 1600.0, Theme::Dark);
    window.send(Action::Ui(UiCommand::Sensitivity));
    let below = |window: &Window| {
        let stop = window
            .harness
            .query_by_label("Stop what would change the answer");
        let hide = || {
            window
                .harness
                .get_by_label("Hide what would change the answer")
        };
        stop.unwrap_or_else(hide).rect().top()
    };
    let (before, stamp) = (below(&window), window.tab().done.as_ref().map(|d| d.stamp));
    let mut request = window.request();
    request.limits.get_or_insert_default().budget_usd = Some(2100.0);
    window
        .harness
        .state_mut()
        .send(Action::Edit(Box::new(request), ""));
    let mut seen = 0;
    for _ in 0..2000 {
        window.harness.step();
        let tab = window.tab();
        let stamp_now = tab.done.as_ref().map(|d| d.stamp);
        let is_new = stamp_now
            .zip(tab.sway.as_ref())
            .is_some_and(|(s, sway)| sway.is_of(s));
        if stamp_now != stamp && !is_new {
            seen += 1;
            assert!(
                (below(&window) - before).abs() < 0.5,
                "{} {before}",
                below(&window)
            );
        }
        if seen == 3 || stamp_now != stamp && is_new {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(seen > 0);
}

#[test]
fn a_small_enlarged_window_keeps_a_chart_that_can_be_read() {
    // 1024 × 640 at a zoom of 1.2.
    let mut window = Window::open(853.0, 533.0, Theme::Dark);
    window.send(Action::Ui(UiCommand::ShowTradeOff));
    let plots = window.harness.get_all_by_role(egui::accesskit::Role::Image);
    let height = plots.map(|n| n.rect().height()).fold(0.0, f32::max);
    assert!(height > 90.0, "{height}");
    // Where there is room the cards are there.
    let window = Window::open(1024.0, 640.0, Theme::Dark);
    assert!(window.shows("Least energy"));
}

#[test]
fn the_line_of_a_list_that_has_the_keyboard_has_a_ring() {
    let mut window = Window::usual();
    for button in ["Axes: Cost against time, log", "Columns", "More exports"] {
        window.press(button);
        let nodes = window.harness.root().children_recursive();
        let focused = nodes.filter(|n| n.accesskit_node().is_focused());
        let line: Vec<Rect> = focused.map(|n| n.rect()).collect();
        let rings = rings(&window);
        let is_around = |ring: &Rect| ring.expand(0.5).contains_rect(line[0]);
        assert!(rings.iter().any(is_around), "{button}: {line:?} {rings:?}");
        window.key(Modifiers::NONE, Key::Escape);
    }
}

#[test]
fn rings_of_why_are_inside_the_panel() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    let mut rows = window
        .harness
        .get_all_by_label_contains("Software and its age");
    rows.next().expect("a subject").focus();
    drop(rows);
    window.settle();
    let rings = rings(&window);
    let found: Vec<&Rect> = rings.iter().filter(|r| r.left() > 940.0).collect();
    assert!(!found.is_empty());
    for ring in found {
        assert!(
            ring.left() >= 957.0 + 4.0 && ring.right() <= 1280.0 - 4.0,
            "{ring:?}"
        );
    }
}

#[test]
fn the_model_keeps_its_parameters_where_nothing_can_run() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.accelerators = vec!["V100-SXM2-32GB".into()];
        r.precisions = vec!["fp8".into()];
    });
    assert!(window.shows("Nothing in this request can run"));
    assert!(
        window
            .labels()
            .iter()
            .any(|l| l.starts_with("8.03\u{202F}B parameters")),
        "{:?}",
        window.labels()
    );
}

#[test]
fn a_narrow_window_cuts_neither_its_search_nor_what_is_compared() {
    let mut window = Window::open(1024.0, 640.0, Theme::Dark);
    assert!(window.painted().contains(&("Search".to_owned(), false)));
    let shown = window.tab().rows.shown.clone();
    for index in shown.into_iter().take(4) {
        window.send(Action::TogglePin(index));
    }
    window.send(Action::SetView(View::Compare));
    let plan = window.plan();
    let painted = window.painted();
    for index in &window.tab().pinned {
        let c = &plan.combinations[*index];
        let device = format::devices(
            c.count,
            c.accelerator.label.split(' ').next().expect("a word"),
        );
        let wanted = format!("on {device}");
        assert!(
            painted
                .iter()
                .any(|(text, cut)| text.ends_with(&wanted) && !cut),
            "{wanted} {painted:?}"
        );
    }
    assert!(
        !painted
            .iter()
            .any(|(text, cut)| *cut && text.contains('/') && text.contains('%'))
    );
}

#[test]
fn a_plate_lies_under_what_counts_the_runs() {
    let window = Window::usual();
    let ground = |fill: Color32| fill != Color32::TRANSPARENT;
    let plates = window.shapes(|shape| match shape {
        egui::Shape::Rect(rect) if ground(rect.fill) => Some(rect.rect),
        _ => None,
    });
    let texts = window.texts();
    let counts = texts
        .iter()
        .find(|(text, _)| text.contains("intervals included"));
    let (_, place) = counts.expect("the count");
    let fits = |plate: &&Rect| {
        (plate.center() - place.center()).length() < 3.0 && plate.width() < place.width() + 12.0
    };
    assert!(plates.iter().any(|plate| fits(&plate)), "{place:?}");
}
