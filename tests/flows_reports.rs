//! What leaves the window says what the window says: the printed page, CSV and JSON.
#![cfg(feature = "gui")]
#![allow(clippy::expect_used)] // a test may stop at the first surprise

mod support;

use mantissa::format;
use mantissa::gui::command::Action;
use mantissa::planner::{Plan, PlanRequest};
use mantissa::report;
use std::sync::Arc;
use support::window::Window;

fn edit(window: &mut Window, change: impl FnOnce(&mut PlanRequest)) {
    let mut request = window.request();
    change(&mut request);
    window.send(Action::Edit(Box::new(request), "limits"));
}

fn plan(window: &Window) -> Arc<Plan> {
    Arc::clone(window.tab().plan().expect("a plan"))
}

/// A budget that the cheapest run meets with its cost, not with the upper end of it.
fn likely_budget(plan: &Plan) -> f64 {
    let cheapest = &plan.combinations[plan.answers.cheapest.expect("a price")];
    let cost = cheapest.run().and_then(|run| run.cost_usd);
    cost.expect("a price").value * 1.01
}

#[test]
fn the_printed_page_qualifies_its_headline_as_the_window_does() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.counts = vec![512];
        r.limits = None;
    });
    let budget = likely_budget(&plan(&window));
    edit(&mut window, |r| {
        r.limits.get_or_insert_default().budget_usd = Some(budget);
    });
    let plan = plan(&window);
    let page = report::plan_html(&plan);
    let outlook = plan.outlook().expect("none is certain");
    assert!(outlook.likely > 0);
    let at = plan.recommended().expect("one");
    assert_eq!(window.tab().selected, Some(at));
    let chosen = &plan.combinations[at];
    let run = chosen.run().expect("it runs");
    for words in [
        "Likely, not certain: ",
        "No combination is sure to meet the budget: the upper end of this one's interval",
        "does not state whether 512 can be had",
    ] {
        assert!(window.shows(words), "the window: {words}");
        assert!(page.contains(words), "the page: {words}");
    }
    assert!(window.shows("Likely in budget") && page.contains(">Likely in budget <"));
    let cost = run.cost_usd.expect("a price");
    let [low, high] = [cost.low, cost.high].map(mantissa::units::Usd);
    let range = format::money_interval(low, high);
    assert!(window.shows(&range) && page.contains(&range), "{range}");
    // Whatever stands above the figures of the inspector stands below the headline of the page.
    let cautions = plan.cautions(chosen);
    assert!(!cautions.is_empty());
    for caution in cautions {
        assert!(window.shows(&caution), "the window: {caution}");
        let escaped = caution.replace('&', "&amp;").replace('<', "&lt;");
        assert!(page.contains(&escaped), "the page: {caution}");
    }
}
