//! What a person takes away from the window: the printed page for whoever pays, and a comparison that can be trusted.
#![cfg(feature = "gui")]
#![allow(clippy::expect_used)] // a test may stop at the first surprise

mod support;

use mantissa::gui::command::Action;
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
