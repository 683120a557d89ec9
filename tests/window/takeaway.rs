//! What a person takes away from the window: the printed page for whoever pays, and a comparison that can be trusted.

use crate::support::window::{Window, edit, now};
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use mantissa::gui::command::{Action, UiCommand};
use mantissa::gui::state::View;
use mantissa::report;

#[test]
fn the_printed_page_tells_whoever_pays_what_the_window_tells() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        let limits = r.limits.get_or_insert_default();
        (limits.budget_usd, limits.deadline_h) = (Some(90_000.0), Some(24.0 * 30.0));
        r.region = Some("Germany".into());
    });
    let plan = window.plan();
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
    let page = report::plan_html(&window.plan(), &now());
    assert!(page.contains("<td>Missed: ") && page.contains(" after the deadline</td>"));
}

#[test]
fn a_page_without_a_region_says_so_once_and_names_no_fields() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.region = None;
        r.limits = None;
    });
    let page = report::plan_html(&window.plan(), &now());
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
    let plan = window.plan();
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

#[test]
fn the_comparisons_headline_says_that_its_leader_misses_a_limit_and_who_meets_it() {
    let mut window = Window::usual();
    let free = window.plan();
    let cheapest = free.answers.cheapest.expect("one");
    let time = free.combinations[cheapest]
        .run()
        .expect("a run")
        .total_time_h;
    edit(&mut window, |r| {
        let limits = r.limits.get_or_insert_default();
        (limits.budget_usd, limits.deadline_h) = (None, Some(0.6 * time.value));
    });
    let plan = window.plan();
    assert!(plan.within_limits > 0);
    window.send(Action::Ui(UiCommand::PinAnswers));
    let labels = window.labels();
    let title = labels
        .iter()
        .find(|l| l.contains(" is the cheapest of the "));
    let title = title.expect("a headline");
    assert!(
        title.contains(", but ") && title.ends_with(" after the deadline"),
        "{title}"
    );
    let said = labels
        .iter()
        .find(|l| l.starts_with("Of these the cheapest that meets the deadline is "));
    let within = plan.combinations[plan.answers.within_limits.expect("one")].run();
    let cost = within.expect("a run").cost_text();
    assert!(
        said.is_some_and(|said| said.contains(&cost)),
        "{said:?} {cost}"
    );
    // Where nothing misses anything nothing is said.
    edit(&mut window, |r| r.limits = None);
    assert!(!window.shows(", but ") && !window.shows("Of these the cheapest"));
}

#[test]
fn a_cause_that_is_the_same_in_both_columns_is_not_blamed() {
    let mut window = Window::usual();
    let plan = window.plan();
    let all = &plan.combinations;
    let pair = all.iter().enumerate().find_map(|(a, one)| {
        let b = all.iter().position(|other| {
            let (Some(run), Some(there)) = (one.run(), other.run()) else {
                return false;
            };
            let ratio = run.total_time_h.value / there.total_time_h.value;
            other.mode != one.mode
                && other.count == one.count
                && other.accelerator.name == one.accelerator.name
                && run.configuration.strategy == there.configuration.strategy
                && !(0.9..1.1).contains(&ratio)
        })?;
        Some([a, b])
    });
    for at in pair.expect("two modes in one layout") {
        window.send(Action::TogglePin(at));
    }
    window.send(Action::SetView(View::Compare));
    let labels = window.labels();
    let reasons = labels.iter().find(|l| l.contains("the baseline's speed\n"));
    let reasons = reasons.expect("reasons");
    let rest = "the share of its peak that each reaches: what runs outside matmuls";
    assert!(reasons.contains(rest), "{reasons}");
    assert!(!reasons.contains(" differ"), "{reasons}");
}

#[test]
fn energies_beside_each_other_have_one_unit() {
    let mut window = Window::usual();
    let plan = window.plan();
    let mut runs: Vec<(usize, f64)> = (plan.combinations.iter().enumerate())
        .filter_map(|(at, c)| Some((at, c.run()?.energy_kwh?.value)))
        .collect();
    runs.sort_by(|a, b| a.1.total_cmp(&b.1));
    let ends = [runs[0].0, runs[runs.len() - 1].0];
    for at in ends {
        window.send(Action::TogglePin(at));
    }
    window.send(Action::SetView(View::Compare));
    let painted = window.painted();
    let units = painted.iter().filter(|(text, _)| text.ends_with("Wh"));
    let units: Vec<&str> = units
        .filter_map(|(text, _)| Some(text.rsplit_once('\u{202F}')?.1))
        .collect();
    assert!(units.len() == 2 && units[0] == units[1], "{units:?}");
}

#[test]
fn an_empty_comparison_keeps_the_table_in_sight_and_is_filled_from_where_it_is() {
    for (width, height) in [(1280.0, 800.0), (1440.0, 900.0), (2560.0, 1440.0)] {
        let mut window = Window::open(width, height, egui::Theme::Dark);
        let strip = |w: &Window| w.harness.get_by_label("Heat map").rect();
        let filters = |w: &Window| w.labels().iter().filter(|l| *l == "Filter").count();
        let (before, table) = (strip(&window), filters(&window));
        window.send(Action::SetView(View::Compare));
        assert_eq!((strip(&window), filters(&window)), (before, table));
        assert!(window.shows("Nothing is pinned yet"));
        let labels = window.labels();
        let pin = labels
            .iter()
            .find(|l| l.starts_with("Pin ") && l.contains(" on "));
        let pin = pin.expect("a way to pin the selection").clone();
        window.click(&pin);
        assert_eq!(
            window.tab().pinned.as_slice(),
            [window.tab().selected.expect("one")]
        );
        assert!(!window.shows("Nothing is pinned yet"));
        window.send(Action::Ui(UiCommand::UnpinAll));
        window.click("Compare the answers");
        assert!(window.tab().pinned.len() > 1);
    }
}

#[test]
fn a_price_of_more_than_a_year_ago_is_told_as_such() {
    let mut window = Window::usual();
    assert!(!window.shows("more than a year older"));
    edit(&mut window, |r| {
        r.prices.get_or_insert_default().every_seller = true;
    });
    let every = window.plan();
    let old = every.combinations.iter().position(|c| {
        let price = c.run().and_then(|run| run.price.as_ref());
        price.is_some_and(|price| price.is_old)
    });
    let old = old.expect("an old price");
    window.send(Action::Select(old));
    let price = every.combinations[old]
        .run()
        .and_then(|run| run.price.clone());
    let price = price.expect("a price");
    let said = format!("A price of {}, more than a year older", price.date);
    assert!(window.shows(&said), "{said}");
    // A page on that seller alone says so too.
    edit(&mut window, |r| {
        let prices = r.prices.get_or_insert_default();
        (prices.every_seller, prices.provider) = (false, Some(price.provider.clone()));
        r.accelerators = vec![every.combinations[old].accelerator.name.clone()];
    });
    let page = report::plan_html(&window.plan(), &now());
    assert!(page.contains(&said), "{said}");
}
