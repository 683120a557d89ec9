//! What a person takes away from the window: the printed page for whoever pays, and a comparison that can be trusted.
#![cfg(feature = "gui")]
#![allow(clippy::expect_used)] // a test may stop at the first surprise

mod support;

use egui::{Key, Modifiers};
use mantissa::gui::command::{Action, UiCommand};
use mantissa::gui::state::View;
use mantissa::planner::{Plan, PlanRequest};
use mantissa::report;
use support::window::{Window, now};

fn edit(window: &mut Window, change: impl FnOnce(&mut PlanRequest)) {
    let mut request = window.request();
    change(&mut request);
    window.send(Action::Edit(Box::new(request), ""));
}

fn plan(window: &Window) -> Plan {
    window.tab().plan().expect("a plan").clone()
}

#[test]
fn the_printed_page_tells_whoever_pays_what_the_window_tells() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        let limits = r.limits.get_or_insert_default();
        (limits.budget_usd, limits.deadline_h) = (Some(90_000.0), Some(24.0 * 30.0));
        r.region = Some("Germany".into());
    });
    let plan = plan(&window);
    let page = report::plan_html(&plan, &now());
    let at = plan.recommended().expect("one");
    assert_eq!(window.tab().selected, Some(at));
    let chosen = &plan.combinations[at];
    let run = chosen.run().expect("it runs");
    assert!(page.contains("Report of Sun 22 Nov 2026 · "));
    assert!(page.contains("<td>Budget</td><td>$90\u{202F}000</td>"));
    let deadline = "<td>Deadline</td><td>30\u{202F}d, Tue 22 Dec 2026</td>";
    assert!(page.contains(deadline), "{page}");
    assert_eq!(page.matches("<td>Met, up to the upper end").count(), 2);
    let day = report::done_on(&now(), run.total_time_h.value).expect("a day");
    let done = format!("Done on {day}");
    assert!(window.shows(&done) && page.contains(&done), "{done}");
    assert!(page.contains("if it starts on the day of this report."));
    let lines = [plan.cost_said(chosen, run), plan.emissions_said(run)];
    for line in lines.into_iter().flatten() {
        assert!(window.shows(&line), "the window: {line}");
        assert!(page.contains(&line), "the page: {line}");
    }
    assert!(page.contains("(power usage effectiveness, PUE) × grid"));
    // The mode most would use instead, as under the window's headline.
    let other = plan.alternative_said(chosen).expect("another mode");
    assert!(window.shows(&other) && page.contains(&other), "{other}");
    // A row says its interval as the window does, uneven or not.
    let uneven = plan.combinations.iter().filter_map(|c| c.run());
    let uneven: Vec<String> = uneven
        .map(|run| run.interval_short())
        .filter(|text| text.contains('/'))
        .collect();
    for text in uneven {
        assert!(page.contains(&format!("<td>{text}</td>")), "{text}");
    }
    // A deadline that nothing meets is said to be missed, and by how much.
    edit(&mut window, |r| {
        r.limits.get_or_insert_default().deadline_h = Some(1.0);
    });
    let page = report::plan_html(&self::plan(&window), &now());
    assert!(page.contains("<td>Missed: ") && page.contains(" after the deadline</td>"));
}

#[test]
fn a_page_without_a_region_says_so_once_and_names_no_fields() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.region = None;
        r.limits = None;
    });
    let page = report::plan_html(&plan(&window), &now());
    assert_eq!(page.matches("No region is set").count(), 1);
    assert!(page.contains("<p>No region is set, so emissions are not shown.</p>"));
    assert!(page.contains("No budget, no deadline and no other limit is set."));
    assert!(!page.contains("<code>") && !page.contains("`"));
}

/// Accelerators, counts and modes that are pinned.
fn pins(window: &Window) -> String {
    format!("{:?}", window.tab().pins)
}

#[test]
fn pins_that_the_answers_replace_come_back_by_undo_by_the_notice_and_by_name() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.batch.get_or_insert_default().global = Some(256.0);
    });
    let request = window.request();
    let plan = plan(&window);
    let answers = plan.answers.each();
    let runs = (0..plan.combinations.len()).filter(|at| plan.combinations[*at].run().is_some());
    let own: Vec<usize> = runs.filter(|at| !answers.contains(at)).take(2).collect();
    for at in &own {
        window.send(Action::TogglePin(*at));
    }
    let mine = pins(&window);
    window.send(Action::Ui(UiCommand::PinAnswers));
    let of_answers = pins(&window);
    assert_ne!(of_answers, mine);
    assert_eq!(window.notice(), "The answers took the place of 2 pins");
    // Undo means the pins, not the batch that was changed long before.
    window.key(Modifiers::COMMAND, Key::Z);
    assert_eq!(
        (pins(&window), window.request()),
        (mine.clone(), request.clone())
    );
    assert_eq!(window.notice(), "");
    window.send(Action::Ui(UiCommand::Redo));
    assert_eq!(pins(&window), of_answers);
    window.palette("restore pins");
    assert_eq!(pins(&window), mine);
    // By the button beside the notice.
    window.send(Action::Ui(UiCommand::UnpinAll));
    assert_eq!(
        (pins(&window).as_str(), window.notice().as_str()),
        ("[]", "Let go of 2 pins")
    );
    window.click("Restore pins");
    assert_eq!(pins(&window), mine);
    // Once something else was done, undo is of the request again.
    window.send(Action::Ui(UiCommand::PinAnswers));
    edit(&mut window, |r| {
        r.batch.get_or_insert_default().global = Some(512.0)
    });
    window.send(Action::Ui(UiCommand::Undo));
    assert_eq!((pins(&window), window.request()), (of_answers, request));
}

#[test]
fn whoever_types_the_name_of_a_view_opens_it() {
    let mut window = Window::usual();
    window.send(Action::TogglePin(window.tab().selected.expect("one")));
    let mine = pins(&window);
    window.palette("compare");
    assert_eq!(window.harness.state().state().settings.view, View::Compare);
    assert_eq!(pins(&window), mine);
    window.palette("compare the");
    assert_ne!(pins(&window), mine);
}
