//! What the window says of an answer beside its figures: what the cheapest costs instead, what stands in amber and why, and
//! where the predictor is weak.

use crate::support::window::{Window, now};
use egui::{Key, Modifiers};
use mantissa::gui::command::{Action, UiCommand};
use mantissa::planner::Standing;

fn sentence(window: &Window) -> String {
    let mut labels = window.labels().into_iter();
    let found =
        labels.find(|text| text.contains("The cheapest, ") || text.contains("The fastest, "));
    found.unwrap_or_default()
}

#[test]
fn the_sentence_says_what_the_cheapest_costs_and_how_it_stands_to_the_limits() {
    let mut window = Window::usual();
    // Too soon for the cheapest, whichever that is.
    let plan = window.tab().plan().expect("a plan").clone();
    let cheapest = plan.answers.cheapest.expect("one");
    let run = plan.combinations[cheapest].run().expect("a run");
    window.type_into(
        "Deadline",
        &format!("{:.1} h", 0.8 * run.total_time_h.value),
    );
    let plan = window.tab().plan().expect("a plan").clone();
    let (best, cheapest) = (plan.recommended(), plan.answers.cheapest.expect("one"));
    assert_ne!(best, Some(cheapest));
    let run = plan.combinations[cheapest].run().expect("a run");
    let said = sentence(&window);
    assert!(said.contains("The cheapest, "), "{said}");
    assert!(said.contains(&run.cost_text()), "{said}");
    assert!(said.contains("after the deadline"), "{said}");
    // Of the cheapest itself the other end is told.
    window.send(Action::Select(cheapest));
    window.type_into("Deadline", "90 d");
    window.type_into("Budget", "90 k");
    let said = sentence(&window);
    let plan = window.tab().plan().expect("a plan");
    let fastest = plan.answers.fastest.expect("one");
    let run = plan.combinations[fastest].run().expect("a run");
    assert!(said.contains("The fastest, "), "{said}");
    assert!(said.contains(&run.cost_text()), "{said}");
    assert!(!said.contains("deadline"), "{said}");
}

#[test]
fn the_printed_page_says_what_the_cheapest_costs() {
    let window = Window::usual();
    let plan = window.tab().plan().expect("a plan");
    let page = mantissa::report::plan_html(plan, &now());
    assert!(page.contains("The cheapest, "));
}

#[test]
fn an_interval_that_crosses_a_limit_shows_both_its_sides() {
    let mut window = Window::usual();
    window.type_into("Budget", "90 M");
    let plan = window.tab().plan().expect("a plan");
    let runs = || plan.combinations.iter().filter_map(|c| c.run());
    // A deadline between a run's figure and the upper end of its interval.
    let time = runs().next().expect("a run").total_time_h;
    let between = f64::midpoint(time.value, time.high);
    window.type_into("Deadline", &format!("{between:.2} h"));
    let plan = window.tab().plan().expect("a plan");
    let runs = || plan.combinations.iter().filter_map(|c| c.run());
    let likely = runs().filter(|run| plan.standing(run) == Some(Standing::Likely));
    assert!(likely.count() > 0);
    for run in runs() {
        let (long, short) = (run.interval_text(), run.interval_short());
        assert_eq!(short.matches('%').count(), 1, "{short}");
        assert_eq!(long.contains('±'), short.contains('±'), "{long} {short}");
    }
}

#[test]
fn accuracy_begins_with_how_far_off_it_is_and_says_where_it_is_weak() {
    let mut window = Window::usual();
    window.send(Action::Ui(UiCommand::ShowAccuracy));
    let labels = window.labels();
    let at = |text: &str| labels.iter().position(|label| label.contains(text));
    let (errors, own) = (at("Mean error of the step time"), at("Runs of your own"));
    assert!(errors.is_some() && errors < own, "{errors:?} {own:?}");
    // What it says of physics follows from the card.
    let card = include_str!("../../models/CARD.md");
    let row = card.lines().find(|l| l.starts_with("| unseen source"));
    let cells: Vec<&str> = row.expect("a row").split('|').map(str::trim).collect();
    let mean = |cell: &str| -> f64 {
        let cell = cell.replace("**", "");
        let first = cell.split('/').next().expect("a mean");
        first.trim().parse().expect("a figure")
    };
    let is_weak = mean(cells[5]) < mean(cells[3]);
    assert_eq!(window.shows("Weak: where publications are new"), is_weak);
    assert!(!window.shows("Weak: where configurations are new"));
}

#[test]
fn the_palette_finds_the_parts_of_the_plan_too() {
    let mut window = Window::usual();
    window.key(Modifiers::COMMAND, Key::K);
    window.send(Action::PaletteText("b200".to_owned()));
    assert!(window.shows("Select the quickest run on B200 SXM"));
    window.key(Modifiers::NONE, Key::Enter);
    let selected = window.tab().selected.expect("a selection");
    let plan = window.tab().plan().expect("a plan");
    let chosen = &plan.combinations[selected];
    assert!(chosen.accelerator.label.contains("B200"));
    let time = |at: usize| {
        plan.combinations[at]
            .run()
            .map(|run| run.total_time_h.value)
    };
    let parts = plan.combinations.iter().enumerate();
    let same = parts.filter(|(_, c)| c.accelerator.name == chosen.accelerator.name);
    assert!(
        same.filter_map(|(at, _)| time(at))
            .all(|t| Some(t) >= time(selected))
    );
}

#[test]
fn what_is_supposed_is_told_wherever_its_figures_are_and_taken_back_there() {
    let mut window = Window::usual();
    assert!(!window.shows("What if: "));
    let cost = |w: &Window| {
        let plan = w.tab().plan().expect("a plan");
        plan.combinations[plan.answers.cheapest.expect("one")]
            .run()
            .and_then(|run| run.cost_usd)
            .expect("a cost")
            .value
    };
    let before = cost(&window);
    window.type_into("Prices, factor", "1.5");
    assert!(cost(&window) > 1.4 * before);
    // In the sentence, in the status bar and beside the seller's own price.
    let told = window.labels();
    let told = |text: &str| told.iter().filter(|l| l.contains(text)).count();
    assert!(told("What if: prices") >= 2);
    assert!(told("× 1.50 by What if") >= 1);
    window.click("Reset what-if");
    assert!(!window.shows("What if: "));
    assert!((cost(&window) / before - 1.0).abs() < 1e-9);
}

#[test]
fn from_the_filter_enter_leads_to_the_rows() {
    let mut window = Window::usual();
    window.type_into("Filter", "b200 mxfp8");
    window.key(Modifiers::NONE, Key::Enter);
    window.settle();
    let first = window.tab().rows.shown[0];
    assert_eq!(window.tab().selected, Some(first));
    window.key(Modifiers::NONE, Key::ArrowDown);
    window.settle();
    assert_eq!(window.tab().selected, Some(window.tab().rows.shown[1]));
}

#[test]
fn a_chart_that_was_moved_has_a_way_back() {
    let mut window = Window::usual();
    assert!(!window.shows("Show all"));
    window.send(Action::Ui(UiCommand::Chart(
        mantissa::gui::look::ChartStep::Closer,
    )));
    window.settle();
    window.click("Show all");
    window.settle();
    assert!(!window.shows("Show all"));
}

#[test]
fn the_list_of_keys_does_not_lead_to_itself() {
    let mut window = Window::usual();
    window.key(Modifiers::NONE, Key::F1);
    let lines = window.labels();
    assert!(lines.iter().any(|l| l == "Undo"));
    assert!(!lines.iter().any(|l| l == UiCommand::Shortcuts.text()));
}

#[test]
fn a_wrong_word_in_a_field_leaves_the_selection() {
    let mut window = Window::usual();
    let plan = window.tab().plan().expect("a plan");
    let other = plan.answers.greenest.expect("one");
    window.send(Action::Select(other));
    window.type_into("Train for", "banana");
    assert_eq!(window.tab().selected, Some(other));
    window.key(Modifiers::NONE, Key::Escape);
    window.settle();
    assert_eq!(window.tab().selected, Some(other));
    assert!(window.tab().drafts.is_empty());
}

#[test]
fn a_limit_on_energy_shows_its_column_in_a_small_window() {
    let mut window = Window::open(1280.0, 800.0, egui::Theme::Dark);
    let has = |w: &Window| {
        w.painted()
            .iter()
            .any(|(text, _)| text.starts_with("Energy, "))
    };
    assert!(!has(&window));
    window.press("More limits");
    window.type_into("Energy limit", "0.45 MWh");
    assert!(has(&window));
}

#[test]
fn another_model_says_which_of_the_figures_stated_are_its_own_now() {
    let mut window = Window::usual();
    window.send(Action::SetModel("llama-2-7b".to_owned()));
    window.settle();
    assert!(
        window.notice().contains("batch, sequence"),
        "{}",
        window.notice()
    );
    let own = window
        .tab()
        .plan()
        .and_then(|plan| plan.request.seq_len)
        .expect("a length");
    let own = mantissa::format::count(f64::from(own));
    assert!(
        window
            .painted()
            .iter()
            .any(|(text, _)| *text == format!("{own}, its own")),
        "{own}"
    );
}
