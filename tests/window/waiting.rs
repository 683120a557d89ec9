//! What takes its time: it shows how far it is, can be stopped, and follows what it is about; what is typed is planned once.

use crate::support::window::{Window, edit};
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use mantissa::gui::command::{Action, PathPurpose, UiCommand};

#[test]
fn what_would_change_the_answer_follows_the_plan_until_it_is_put_away() {
    let mut window = Window::usual();
    window.press("What would change the answer?");
    assert!(window.shows("Prices fall by 20 %"), "{:?}", window.labels());
    let of = |window: &Window| {
        let sway = window.tab().sway.as_ref().expect("it was asked for");
        sway.found.as_ref().map(|(stamp, _)| *stamp)
    };
    let before = of(&window);
    edit(&mut window, |r| r.counts = vec![8, 16]);
    let stamp = window.tab().done.as_ref().map(|d| d.stamp);
    assert_ne!(of(&window), before);
    assert_eq!(of(&window), stamp, "worked out anew for the new result");
    window.press("Hide what would change the answer");
    assert!(window.tab().sway.is_none());
    assert!(!window.shows("Prices fall by 20 %"));
    assert!(window.shows("What would change the answer?"));
}

#[test]
fn what_would_change_the_answer_tells_how_far_it_is_and_can_be_stopped() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.counts = (1..=32).map(|n| 8 * n).collect()
    });
    let ask = |window: &mut Window| {
        let app = window.harness.state_mut();
        app.send(Action::Ui(UiCommand::Sensitivity));
        window.harness.step();
        window.harness.step();
        let sway = window.tab().sway.as_ref().expect("it was asked for");
        assert!(sway.under_way.is_some() && sway.found.is_none());
        assert!(window.shows("Computing"), "{:?}", window.labels());
    };
    ask(&mut window);
    window.press("Stop what would change the answer");
    assert!(window.tab().sway.is_none());
    ask(&mut window);
    // What stops a plan stops it too, and the result shown stays.
    window.send(Action::Ui(UiCommand::Cancel));
    assert!(window.tab().sway.is_none());
    assert!(window.shows("Up to date"), "{:?}", window.labels());
}

#[test]
fn what_is_being_typed_is_planned_when_it_rests() {
    let mut window = Window::usual();
    let stamp = |window: &Window| window.tab().done.as_ref().map(|d| d.stamp);
    let before = stamp(&window);
    window.harness.get_by_label("Train for").focus();
    window.harness.run();
    window.key(Modifiers::COMMAND, Key::A);
    for letters in ["1", "5", "2", " B"] {
        // A frame of the test takes as long as the typing rests.
        window.harness.get_by_label("Train for").type_text(letters);
        window.harness.step();
    }
    window.harness.step();
    assert_eq!(stamp(&window), before, "no plan of what it begins with");
    assert!(window.tab().plan_at.is_some());
    assert!(window.shows("Computing"));
    window.settle();
    let plan = window.tab().plan().expect("a plan");
    let asked = format!("{:?}", plan.request.request.train.tokens);
    assert!(asked.contains("152"), "{asked}");
    // One plan, not one for each letter.
    assert_eq!(stamp(&window), before.map(|stamp| stamp + 1));
}

#[test]
fn a_field_that_is_left_is_planned_at_once() {
    let mut window = Window::usual();
    window.harness.get_by_label("Train for").focus();
    window.harness.run();
    window.key(Modifiers::COMMAND, Key::A);
    window.harness.get_by_label("Train for").type_text("3 B");
    window.harness.step();
    window.harness.key_press(Key::Tab);
    window.harness.step();
    window.harness.step();
    assert!(window.tab().plan_at.is_none());
    window.settle();
    let plan = window.tab().plan().expect("a plan");
    let asked = format!("{:?}", plan.request.request.train.tokens);
    assert!(asked.contains('3'), "{asked}");
}

#[test]
fn a_typed_name_keeps_the_ending_of_what_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = Window::usual();
    window.send(Action::Path(
        PathPurpose::SavePlan,
        folder.path().join("llama-3.1").display().to_string(),
    ));
    assert!(folder.path().join("llama-3.1.toml").is_file());
    window.send(Action::Path(
        PathPurpose::ExportCsv,
        folder.path().join("figures.txt").display().to_string(),
    ));
    assert!(folder.path().join("figures.txt").is_file());
}

#[test]
fn what_is_typed_over_a_proposed_name_replaces_its_stem_alone() {
    let mut window = Window::usual();
    window.send(Action::TypePath(PathPurpose::SavePlan));
    window.harness.run();
    window.harness.get_by_label("Path").type_text("mine");
    window.harness.run();
    let value = window.harness.get_by_label("Path").value();
    assert_eq!(value.as_deref(), Some("mine.toml"));
}

#[test]
fn the_palette_finds_the_other_theme_and_opens_over_the_start_page() {
    let mut window = Window::usual();
    window.palette("theme");
    assert_eq!(window.harness.ctx.theme(), egui::Theme::Light);
    window.palette("theme");
    assert_eq!(window.harness.ctx.theme(), egui::Theme::Dark);
    window.send(Action::Ui(UiCommand::NewPlan));
    assert!(window.shows("Start a plan"));
    window.key(Modifiers::NONE, Key::F1);
    assert!(!window.shows("Start a plan"));
    let palette = &window.harness.state().state().palette;
    assert!(palette.is_some(), "the list of keys is open");
}

#[test]
fn a_plan_of_which_nothing_runs_offers_a_mode_that_does() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.accelerators = vec!["A100-SXM4-80GB".to_owned()];
        r.precisions = vec!["fp8".to_owned()];
    });
    assert!(window.shows("Nothing in this request can run"));
    window.click("Add AMP-BF16");
    assert!(!window.shows("Nothing in this request can run"));
}

#[test]
fn the_heat_map_says_what_its_frames_mean() {
    let mut window = Window::usual();
    window.send(Action::Ui(UiCommand::ShowHeatMap));
    let is_told = |window: &Window| {
        let painted = window.painted();
        painted.iter().any(|(text, _)| text.contains("amber frame"))
    };
    edit(&mut window, |r| r.limits = None);
    assert!(!is_told(&window));
    edit(&mut window, |r| {
        r.limits.get_or_insert_default().deadline_h = Some(1e-3);
    });
    assert!(is_told(&window));
}

#[test]
fn what_would_change_the_answer_names_where_it_tips() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.limits = None;
        r.minimise = None;
    });
    let plan = window.tab().plan().expect("a plan");
    let best = plan.best.expect("one");
    let high = plan.combinations[best]
        .run()
        .expect("a run")
        .total_time_h
        .high;
    let tips = plan.tipping_points();
    let deadline = tips.iter().find(|tip| tip.starts_with("A deadline under"));
    assert!(window.shows("What would change the answer?"));
    window.press("What would change the answer?");
    assert!(window.shows(deadline.expect("one that tips")));
    // What it says is so.
    edit(&mut window, |r| {
        r.limits.get_or_insert_default().deadline_h = Some(high * 1.001);
        r.minimise = Some(mantissa::planner::MinimiseRequest::Word("cost".to_owned()));
    });
    assert_eq!(window.tab().plan().expect("a plan").best, Some(best));
    edit(&mut window, |r| {
        r.limits.get_or_insert_default().deadline_h = Some(high * 0.999);
    });
    let plan = window.tab().plan().expect("a plan");
    let next = plan.best.expect("another");
    assert_ne!(next, best);
    let name = plan.combinations[next].name();
    assert!(
        deadline.expect("one").contains(&name),
        "{deadline:?} {name}"
    );
}

#[test]
fn undo_tells_what_it_undid() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.limits.get_or_insert_default().budget_usd = Some(1234.0);
    });
    window.key(Modifiers::COMMAND, Key::Z);
    assert_eq!(window.notice(), "Undone: Budget");
    window.key(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_eq!(window.notice(), "Redone: Budget");
}

#[test]
fn escape_drops_a_filter_that_is_not_understood() {
    let mut window = Window::usual();
    window.send(Action::SetFilter("fp8".to_owned()));
    window.harness.get_by_label("Filter").focus();
    window.harness.run();
    window.send(Action::SetFilter("cost < abc".to_owned()));
    assert!(window.tab().filter_draft.is_some());
    window.harness.get_by_label("Filter").focus();
    window.harness.run();
    window.key(Modifiers::NONE, Key::Escape);
    assert!(window.tab().filter_draft.is_none());
    assert_eq!(window.tab().row_settings.filter, "fp8");
}

#[test]
fn what_is_best_by_the_limits_says_that_it_is() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.minimise = None;
        r.limits = None;
        r.limits.get_or_insert_default().budget_usd = Some(1e7);
    });
    assert!(
        window.shows("Best is: Shortest time (auto)"),
        "{:?}",
        window.labels()
    );
    edit(&mut window, |r| {
        r.limits.get_or_insert_default().deadline_h = Some(1e4);
    });
    assert!(window.shows("Best is: Lowest cost (auto)"));
}

#[test]
fn the_nearest_runs_say_their_batch() {
    let mut window = Window::usual();
    window.send(Action::Ui(UiCommand::ShowEvidence));
    assert!(window.shows("at once, measured"), "{:?}", window.labels());
}
