//! Fields, lists and steps as whoever walks by keyboard meets them: what Tab selects, what a list puts first, who has the
//! keys.

use crate::support::window::Window;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use mantissa::gui::command::{Action, UiCommand};
use mantissa::planner::PlanRequest;

/// Types into whatever has the keyboard.
fn type_on(window: &mut Window, text: &str) {
    window.harness.event(egui::Event::Text(text.to_owned()));
    window.settle();
}

fn limits(window: &Window) -> (Option<f64>, Option<f64>) {
    let limits = window.request().limits.unwrap_or_default();
    (limits.budget_usd, limits.deadline_h)
}

#[test]
fn a_field_that_is_reached_by_tab_is_typed_over() {
    let mut window = Window::usual();
    window.type_into("Budget", "9000");
    window.key(Modifiers::NONE, Key::Tab);
    assert_eq!(window.focused(), "Deadline");
    type_on(&mut window, "2 days");
    assert_eq!(limits(&window), (Some(9000.0), Some(48.0)));
    window.key(Modifiers::SHIFT, Key::Tab);
    assert_eq!(window.focused(), "Budget");
    type_on(&mut window, "8000");
    assert_eq!(limits(&window).0, Some(8000.0));
    window.type_into("Train for", "15 B");
    window.key(Modifiers::NONE, Key::Tab);
    assert_eq!(window.focused(), "Global batch");
    type_on(&mut window, "64");
    let batch = window.request().batch.expect("a batch").global;
    assert_eq!(batch, Some(64.0));
    // Whoever clicks has the cursor where they point, and Enter leaves it where it was.
    window.key(Modifiers::NONE, Key::Enter);
    type_on(&mut window, "0");
    assert_eq!(window.request().batch.expect("a batch").global, Some(640.0));
    let field = window.harness.get_by_label("Global batch").rect();
    let behind = field.left_center() + egui::vec2(60.0, 0.0);
    window.harness.get_by_label("Deadline").focus();
    window.harness.run();
    window.harness.drag_at(behind);
    window.harness.drop_at(behind);
    window.settle();
    assert_eq!(window.focused(), "Global batch");
    type_on(&mut window, "0");
    assert_eq!(
        window.request().batch.expect("a batch").global,
        Some(6400.0)
    );
}

#[test]
fn two_durations_that_ran_together_are_refused() {
    let mut window = Window::usual();
    window.type_into("Deadline", "1 d 6 h");
    assert_eq!(limits(&window).1, Some(30.0));
    window.key(Modifiers::NONE, Key::Enter);
    for (text, said) in [
        ("1 d2 days", "runs two durations together"),
        ("1 d 2 days", "counts days twice"),
    ] {
        window.type_into("Deadline", text);
        assert!(window.shows(said), "{text}");
        assert!(window.shows("Try 2 d, 36 h, 1 d 6 h"), "{text}");
        assert_eq!(limits(&window).1, Some(30.0), "{text}");
    }
    for text in ["1d6h", "30 h"] {
        window.type_into("Deadline", text);
        assert_eq!(limits(&window).1, Some(30.0), "{text}");
    }
}

#[test]
fn the_palette_takes_the_keys_from_a_list_that_is_open() {
    let mut window = Window::usual();
    let before = window.request();
    window.press("Add accelerator…");
    assert!(window.shows("Search accelerators"));
    window.key(Modifiers::COMMAND, Key::K);
    assert!(!window.shows("Search accelerators"), "the list stays open");
    assert_eq!(window.focused(), "Palette");
    type_on(&mut window, "heat map");
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.request().accelerators, before.accelerators);
    let view = window.harness.state().state().settings.view;
    assert_eq!(view, mantissa::gui::state::View::HeatMap);
    // A dialog does the same.
    window.press("Add accelerator…");
    window.send(Action::Ui(UiCommand::NewPlan));
    assert!(!window.shows("Search accelerators"));
    window.key(Modifiers::NONE, Key::Enter);
    assert!(!window.harness.state().state().start_page);
}

#[test]
fn a_blank_plan_is_made_whole_with_enter_alone() {
    let mut window = Window::usual();
    window.send(Action::Ui(UiCommand::NewPlan));
    window.key(Modifiers::NONE, Key::End);
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.focused(), "Choose a model…");
    window.key(Modifiers::NONE, Key::Enter);
    type_on(&mut window, "llama 3 8b");
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.request().model, "llama-3-8b");
    assert_eq!(window.focused(), "Choose accelerators…");
    window.key(Modifiers::NONE, Key::Enter);
    type_on(&mut window, "h100");
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.request().accelerators.len(), 1);
    assert!(window.focused().starts_with("Use "), "{}", window.focused());
    window.key(Modifiers::NONE, Key::Enter);
    assert_ne!(window.request().train, PlanRequest::default().train);
    assert!(window.tab().plan().is_some());
    assert_eq!(window.focused(), "Trade-off");
}

/// Opens the list of accelerators, types into it and takes the first line.
fn first_accelerator(window: &mut Window, text: &str) -> String {
    window.press("Add accelerator…");
    type_on(window, text);
    window.key(Modifiers::NONE, Key::Enter);
    let parts = window.request().accelerators;
    parts.last().expect("an accelerator").clone()
}

#[test]
fn the_part_with_the_most_measured_runs_is_found_first() {
    let mut window = Window::usual();
    let mut request = window.request();
    request.accelerators = vec!["A100-SXM4-80GB".to_owned()];
    window.send(Action::Edit(Box::new(request), ""));
    assert_eq!(first_accelerator(&mut window, "h100"), "H100-SXM5-80GB");
    assert_eq!(first_accelerator(&mut window, "h200"), "H200-SXM-141GB");
    let mut request = window.request();
    request.accelerators = vec!["A100-SXM4-80GB".to_owned()];
    window.send(Action::Edit(Box::new(request), ""));
    let last = |window: &Window| window.request().accelerators.last().cloned();
    for (text, name) in [
        ("add h200", "H200-SXM-141GB"),
        ("80 h100 add", "H100-SXM5-80GB"),
        ("sxm b200", "B200-SXM-192GB"),
    ] {
        window.palette(text);
        assert_eq!(last(&window).as_deref(), Some(name), "{text}");
    }
}

#[test]
fn help_is_found_by_the_words_people_look_for_it_by() {
    let mut window = Window::usual();
    for text in ["help", "shortcut", "keyboard", "shortcuts keyboard"] {
        window.key(Modifiers::COMMAND, Key::K);
        type_on(&mut window, text);
        assert!(window.shows("Keyboard shortcuts…"), "{text}");
        window.key(Modifiers::NONE, Key::Escape);
    }
    window.key(Modifiers::COMMAND, Key::K);
    type_on(&mut window, "help");
    assert!(window.shows("How to read this view") && window.shows("Next region"));
    window.key(Modifiers::NONE, Key::Escape);
    // F1 lists what has keys; typing looks for something else.
    window.key(Modifiers::NONE, Key::F1);
    assert_eq!(window.focused(), "Palette");
    assert!(window.shows("Undo") && window.shows("Export CSV…"));
    assert!(!window.shows("Go to: Budget"));
    type_on(&mut window, "go budget");
    assert!(window.shows("Go to: Budget") && !window.shows("Undo…"));
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.focused(), "Budget");
}

#[test]
fn a_model_that_is_found_by_another_name_says_so() {
    let mut window = Window::usual();
    window.press("Model: Llama 3 8B");
    type_on(&mut window, "llama 3.1 8b");
    assert!(window.shows("Llama 3 8B · also Llama 3.1 8B"));
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.request().model, "llama-3-8b");
    window.press("Model: Llama 3 8B");
    type_on(&mut window, "llama 3 8b");
    assert!(!window.shows(" · also "), "{:?}", window.labels());
}

/// What the filter leaves of the plan, as mode, count and part.
fn filtered(window: &mut Window, text: &str) -> Vec<(String, u32, String)> {
    window.send(Action::SetFilter(text.to_owned()));
    let tab = window.tab();
    assert!(tab.filter_draft.is_none(), "{:?}", tab.filter_draft);
    let plan = tab.plan().expect("a plan");
    let rows = tab.rows.shown.iter().map(|i| &plan.combinations[*i]);
    rows.map(|c| {
        (
            c.mode.label().to_owned(),
            c.count,
            c.accelerator.label.clone(),
        )
    })
    .collect()
}

#[test]
fn a_row_is_found_by_the_words_of_its_own_name() {
    let mut window = Window::usual();
    for text in [
        "16 h100 fp8",
        "FP8 on 16 × H100 SXM",
        "fp8 on 16\u{202F}×\u{202F}h100",
        "sxm h100 16x fp8",
    ] {
        let rows = filtered(&mut window, text);
        assert_eq!(rows.len(), 1, "{text}: {rows:?}");
        assert_eq!((rows[0].0.as_str(), rows[0].1), ("FP8", 16), "{text}");
    }
    let both = filtered(&mut window, "mode fp8 and cost < 10k");
    let signed = filtered(&mut window, "mode = fp8 cost < 10 000");
    assert!(!both.is_empty() && both.iter().all(|row| row.0 == "FP8"));
    assert_eq!(both, signed);
    // Where nothing passes, what a filter looks at stands there.
    assert!(!window.shows("Words are looked for in"));
    assert!(filtered(&mut window, "512 h100 fp8 unobtainium").is_empty());
    assert!(window.shows("Words are looked for in precision, count"));
    assert!(window.shows("mode fp8 and cost < 1k"));
}

#[test]
fn tab_walks_the_top_bar_from_left_to_right() {
    let mut window = Window::usual();
    window.type_into("Budget", "9000");
    window.harness.get_by_label("Mantissa menu").focus();
    window.settle();
    let title = window.tab().title();
    let close = format!("Close {title}");
    let expected = [
        "Mantissa menu",
        &title,
        &close,
        "New plan",
        "Search everything",
        "Undo",
        "Files",
        "Switch theme",
        "Export CSV",
        "More exports",
    ];
    let mut left = 0.0;
    for name in expected {
        assert_eq!(window.focused(), name);
        let here = window.harness.get_by_label(name).rect().left();
        assert!(here > left, "{name} at {here} after {left}");
        left = here;
        window.key(Modifiers::NONE, Key::Tab);
    }
    // One key leads on to the request.
    window.harness.get_by_label("Mantissa menu").focus();
    window.settle();
    window.key(Modifiers::NONE, Key::F6);
    assert!(window.focused().starts_with("Model"));
}

#[test]
fn a_rule_says_what_it_costs_beside_one_mode_throughout() {
    let mut window = Window::usual();
    assert!(window.shows("one mode throughout"));
    window.press("Add a rule for the fastest schedule");
    assert!(window.request().schedule_rule.is_some());
    assert!(!window.shows("one mode throughout"));
    assert!(window.shows("fastest under a rule"));
    let tab = window.tab();
    let plan = tab.plan().expect("a plan");
    let here = &plan.combinations[tab.selected.expect("a selection")];
    let rule = plan.schedules.iter().find(|s| {
        s.count == here.count && s.accelerator.name == here.accelerator.name && s.outcome.is_ok()
    });
    let rule = rule.expect("a schedule");
    let against = plan.against_one_mode(rule).expect("one mode runs");
    let totals = rule.outcome.as_ref().expect("it runs").total_time_h.value;
    let best = plan
        .combinations
        .iter()
        .filter(|c| c.count == here.count && c.accelerator.name == here.accelerator.name)
        .filter_map(|c| Some(c.run()?.total_time_h.value))
        .fold(f64::INFINITY, f64::min);
    assert!((against.more_h - (totals - best)).abs() < 1e-9 && against.more_h > 0.0);
    assert!(against.words().ends_with(" throughout"));
    // In the request, and beside the bars of the inspector.
    assert!(window.shows(&format!(", {}", against.words())));
    assert!(window.shows(&format!("That is {}", against.words())));
}

#[test]
fn whoever_has_measured_runs_is_told_how_to_bring_them() {
    let mut window = Window::usual();
    window.send(Action::SetView(mantissa::gui::state::View::Accuracy));
    assert!(window.shows("Drop a CSV table of runs you measured on the window"));
    window.press("Choose a file of runs…");
    let dialog = window.harness.state().state().path_dialog;
    assert_eq!(dialog, Some(mantissa::gui::command::PathPurpose::OpenPlan));
    window.key(Modifiers::NONE, Key::Escape);
    // The menu says the same, and its first command can be chosen.
    window.send(Action::SetView(mantissa::gui::state::View::TradeOff));
    window.harness.get_by_label("Mantissa menu").focus();
    window.settle();
    window.key(Modifiers::NONE, Key::Enter);
    while !window.focused().starts_with("Your measured runs") {
        window.key(Modifiers::NONE, Key::ArrowDown);
    }
    window.key(Modifiers::NONE, Key::ArrowRight);
    assert!(window.shows("Drop a CSV table of runs"));
    assert_eq!(window.focused().trim(), "Choose a file of runs…");
}

#[test]
fn what_is_refused_says_what_is_allowed_in_figures_people_read() {
    let mut window = Window::usual();
    window.type_into("Train for", "");
    window.key(Modifiers::COMMAND, Key::A);
    window.key(Modifiers::NONE, Key::Backspace);
    assert!(window.shows("Empty. Try 15 B tokens, 90 epochs or 20k steps"));
    window.key(Modifiers::NONE, Key::Escape);
    window.type_into("Sequence", "99999999");
    let said = "99 999 999 is not allowed; allowed: 1 to 10 000 000";
    let shown = window
        .labels()
        .iter()
        .any(|label| label.replace(['\u{202F}', '\u{A0}'], " ").contains(said));
    assert!(shown, "{:?}", window.labels());
}

#[test]
fn a_plan_file_of_another_form_is_refused_in_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.toml");
    let text = "schema = 1\nmodel = \"llama-3-8b\"\naccelerators = [\"H100\"]\ncounts = \"many\"\n\
                precisions = [\"fp8\"]\ntrain = { tokens = \"15 B\" }\n";
    std::fs::write(&path, text).expect("a file");
    let mut window = Window::usual();
    let path = path.display().to_string();
    window.send(Action::Path(
        mantissa::gui::command::PathPurpose::OpenPlan,
        path,
    ));
    assert!(window.shows("the text \"many\" is not allowed; allowed: a list, such as [8, 16]"));
    assert!(!window.shows("expected"), "{:?}", window.labels());
}

#[test]
fn the_heat_map_counts_one_accelerator_as_one() {
    let mut window = Window::usual();
    let mut request = window.request();
    request.counts = vec![1];
    request.model = "resnet50".to_owned();
    request.seq_len = None;
    request.batch = None;
    request.train = PlanRequest::default().train;
    request.train.steps = Some(mantissa::planner::Quantity::Number(1000.0));
    window.send(Action::Edit(Box::new(request), ""));
    window.send(Action::SetView(mantissa::gui::state::View::HeatMap));
    let painted = window.painted();
    let has = |text: &str| painted.iter().any(|(shown, _)| shown.contains(text));
    assert!(has("Total time on 1 accelerator;"), "{painted:?}");
}

#[test]
fn accelerators_that_are_not_ticked_stay_on_the_list_after_a_restart() {
    let mut window = Window::usual();
    let parts = window.request().accelerators;
    let label = |name: &str| {
        let part = crate::support::window::backend();
        let part = mantissa::gui::Backend::accelerator(&*part, name);
        part.expect("a known part").label.clone()
    };
    let left = label(&parts[1]);
    window.press(&left);
    assert!(!window.request().accelerators.contains(&parts[1]));
    let memory = window.stored();
    let ctx = egui::Context::default();
    let again =
        mantissa::gui::MantissaApp::new(&ctx, Some(&memory), crate::support::window::backend());
    let tab = again.state().tab().expect("a tab");
    assert_eq!(tab.shelf, window.tab().shelf);
    let request = tab.request.as_ref().expect("a request");
    assert!(!request.accelerators.contains(&parts[1]));
}

#[test]
fn the_plus_stays_off_the_search_while_a_tab_is_renamed() {
    let mut window = Window::open(1280.0, 800.0, egui::Theme::Dark);
    for _ in 0..3 {
        let request = window.request();
        window.send(Action::NewFrom(Box::new(request)));
    }
    window.send(Action::Ui(UiCommand::RenamePlan));
    assert_eq!(window.focused(), "Title of the plan");
    let plus = window.harness.get_by_label("New plan").rect();
    let search = window.harness.get_by_label("Search everything").rect();
    assert!(plus.right() <= search.left(), "{plus:?} over {search:?}");
}

#[test]
fn the_tip_of_a_tab_keeps_off_the_palette() {
    let mut window = Window::usual();
    let title = window.tab().title();
    let tab = window.harness.get_by_label(&title).rect();
    window
        .harness
        .hover_at(tab.left_center() + egui::vec2(30.0, 0.0));
    window.settle();
    assert!(window.shows("A double click renames it"));
    window.key(Modifiers::COMMAND, Key::K);
    assert!(!window.shows("A double click renames it"));
}

#[test]
fn a_decoder_has_a_length_of_its_own_where_there_is_one() {
    let mut window = Window::usual();
    assert!(!window.shows("Decoder"));
    window.send(Action::SetModel("t5-large".to_owned()));
    window.settle();
    assert!(window.shows("Decoder"), "{:?}", window.labels());
    let own = |w: &Window| w.tab().plan().and_then(|plan| plan.request.decoder_tokens);
    assert_eq!(own(&window), Some(114));
    window.type_into("Decoder", "1k");
    assert_eq!(window.request().decoder_tokens, Some(1024));
    assert!(window.shows("1k is read as 1\u{202F}024 tokens"));
    assert_eq!(own(&window), Some(1024));
    // Another model has its own, and says that the stated one is gone.
    window.send(Action::SetModel("llama-3-8b".to_owned()));
    window.settle();
    assert_eq!(window.request().decoder_tokens, None);
    assert!(window.tab().plan().is_some());
    assert!(!window.shows("Decoder"));
    window.send(Action::Ui(UiCommand::Undo));
    assert_eq!(window.request().decoder_tokens, Some(1024));
    // All of it selected, nothing typed: deleted.
    window.type_into("Decoder", "");
    window.key(Modifiers::NONE, Key::Delete);
    window.settle();
    assert_eq!(window.request().decoder_tokens, None);
    assert_eq!(own(&window), Some(114));
}
