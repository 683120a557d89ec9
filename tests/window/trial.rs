//! What people stumbled over who tried the window for the first time: refused fields, a blank plan, titles, and ways on.

use crate::support::window::{Window, backend, edit, now};
use egui::{Key, Modifiers, Theme};
use egui_kittest::kittest::Queryable;
use mantissa::gui::MantissaApp;
use mantissa::gui::command::{Action, PathPurpose, UiCommand};
use mantissa::gui::state::{Field, Status, View};
use mantissa::planner::WhatIfRequest;
use mantissa::report;

fn open_blank() -> Window {
    let mut window = Window::usual();
    window.send(Action::Ui(UiCommand::NewPlan));
    window.press("Blank plan");
    window
}

#[test]
fn a_refused_field_says_what_the_plan_shown_is_of_and_escape_brings_it_back() {
    let mut window = Window::usual();
    let before = window.request();
    window.type_into("Train for", "many");
    assert!(
        window.shows("“Train for” is refused: the plan shown is that of the request before it")
    );
    assert!(!window.shows("Up to date"));
    window.type_into("Budget", "lots");
    assert!(window.shows("2 fields are refused"));
    // Left alone, what is shown is dimmed.
    window.harness.get_by_label("Switch theme").focus();
    window.settle();
    assert!(window.tab().is_stale());
    for (label, field) in [("Train for", Field::TrainFor), ("Budget", Field::Budget)] {
        assert!(window.tab().drafts.contains_key(&field));
        window.harness.get_by_label(label).focus();
        window.harness.run();
        window.key(Modifiers::NONE, Key::Escape);
        assert!(!window.tab().drafts.contains_key(&field), "{label}");
    }
    assert!(window.shows("Up to date") && !window.tab().is_stale());
    assert_eq!(window.request(), before);
    // By mouse alone.
    window.type_into("Deadline", "soon");
    window.click("Restore");
    assert!(window.tab().drafts.is_empty() && window.shows("Up to date"));
}

#[test]
fn a_value_the_planner_refuses_goes_by_escape_too() {
    let mut window = Window::usual();
    window.type_into("Region", "us-east-1");
    window.harness.get_by_label("Budget").focus();
    window.settle();
    window.type_into("Region", "Atlantis");
    assert!(matches!(window.tab().status, Status::Failed(_)));
    assert!(window.shows("“Region” is refused: the plan shown is that of the request before it"));
    window.key(Modifiers::NONE, Key::Escape);
    assert_eq!(window.request().region.as_deref(), Some("us-east-1"));
    assert!(matches!(window.tab().status, Status::Current));
}

#[test]
fn a_blank_plan_asks_for_three_things_in_order_and_calls_nothing_wrong() {
    let mut window = open_blank();
    assert_eq!(window.tab().title(), "New plan");
    assert!(matches!(window.tab().status, Status::Blank));
    assert!(window.tab().errors.is_empty() && window.tab().plan().is_none());
    assert!(window.request().model.is_empty());
    assert!(window.shows("To plan, choose a model"));
    for step in ["Step 1: Model", "Step 2: Accelerators", "Step 3: Amount"] {
        assert!(window.shows(step), "{step}");
    }
    // It is asked for by keys: the first step has the keyboard.
    assert_eq!(window.focused(), "Choose a model…");
    // The key that opens the list does not choose in it.
    window.key(Modifiers::NONE, Key::Enter);
    assert!(window.shows("Search models") && window.request().model.is_empty());
    window
        .harness
        .get_by_label("Search models")
        .type_text("bert-large");
    window.settle();
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.request().model, "bert-large");
    window.send(Action::SetModel("resnet50".into()));
    assert!(window.shows("To plan, choose accelerators"));
    assert_eq!(window.tab().title(), "ResNet-50");
    edit(&mut window, |r| {
        r.accelerators.push("H100-SXM5-80GB".into())
    });
    assert!(window.shows("To plan, say how long to train"));
    assert!(window.tab().errors.is_empty());
    window.click("Use 90 epochs");
    assert!(window.tab().plan().is_some());
    assert_eq!(window.tab().title(), "ResNet-50, 90 epochs");
    // A step back it is asked for once more, and forward again the plan is there.
    window.key(Modifiers::COMMAND, Key::Z);
    assert!(matches!(window.tab().status, Status::Blank));
    assert!(window.shows("To plan, say how long to train"));
    window.key(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert!(window.tab().plan().is_some());
    // What is typed in the panel counts as well.
    let mut window = open_blank();
    window.send(Action::SetModel("llama-3-8b".into()));
    edit(&mut window, |r| {
        r.accelerators.push("H100-SXM5-80GB".into())
    });
    window.type_into("Train for", "2 B");
    assert!(window.tab().plan().is_some());
    assert_eq!(window.tab().title(), "Llama 3 8B, 2 B tokens");
}

#[test]
fn a_blank_plan_survives_the_session() {
    let mut window = open_blank();
    let storage = window.stored();
    let ctx = egui::Context::default();
    let mut again = MantissaApp::new(&ctx, Some(&storage), backend());
    again.settle(&ctx);
    let tab = again.state().tab().expect("a tab");
    assert_eq!(tab.title(), "New plan");
    assert!(matches!(tab.status, Status::Blank) && tab.errors.is_empty());
}

#[test]
fn every_file_has_the_title_of_the_window() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.title = None;
        r.train.tokens = Some("3 B".parse().expect("a quantity"));
    });
    let title = window.tab().title();
    assert_eq!(title, "Llama 3 8B, 3 B tokens");
    let plan = window.tab().plan().expect("a plan").clone();
    assert_eq!(report::title_of(&plan), title);
    let page = report::plan_html(&plan, &now());
    assert!(page.contains(&format!("<h1>{title}</h1>")) && !page.contains("llama-3-8b"));
    assert_eq!(report::plan_json(&plan)["title"], title.as_str());
    assert!(report::plan_csv(&plan, report::CsvForm::Point).contains(&title));
}

#[test]
fn what_would_be_enough_is_taken_by_a_click_and_one_undo() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        let limits = r.limits.get_or_insert_default();
        (limits.budget_usd, limits.deadline_h) = (Some(40.0), None);
    });
    assert_eq!(window.tab().plan().expect("a plan").within_limits, 0);
    let before = window.request();
    window.send(Action::Ui(UiCommand::Sensitivity));
    let labels = window.labels();
    let line = labels.iter().find(|l| l.starts_with("Apply: A budget of"));
    let line = line.expect("an offer").clone();
    // Parts are called as people call them.
    assert!(!line.contains("SXM5-80GB"), "{line}");
    window.press(&line);
    assert!(window.tab().plan().expect("a plan").within_limits > 0);
    window.key(Modifiers::COMMAND, Key::Z);
    assert_eq!(window.request(), before);
    let labels = window.labels();
    let less = labels.iter().find(|l| l.starts_with("Apply: About "));
    window.press(&less.expect("less training").clone());
    assert!(window.tab().plan().expect("a plan").within_limits > 0);
}

#[test]
fn a_change_of_prices_is_planned_by_a_click() {
    let mut window = Window::usual();
    window.send(Action::Ui(UiCommand::Sensitivity));
    let labels = window.labels();
    let line = labels
        .iter()
        .find(|l| l.starts_with("Apply: Prices fall by 20 %"));
    window.press(&line.expect("an offer").clone());
    let what_if = window.request().what_if.expect("a what-if");
    assert_eq!(what_if.price, Some(0.8));
}

#[test]
fn every_answer_keeps_time_cost_and_interval_in_small_windows() {
    for (width, height) in [(1280.0, 800.0), (1200.0, 700.0), (1024.0, 640.0)] {
        let window = Window::open(width, height, Theme::Dark);
        let painted = window.painted();
        let cut: Vec<_> = painted.iter().filter(|(_, cut)| *cut).collect();
        let plan = window.tab().plan().expect("a plan");
        let answers = [plan.answers.fastest, plan.answers.cheapest];
        for run in answers.map(|i| plan.combinations[i.expect("one")].run().expect("it runs")) {
            let time = mantissa::format::hours(run.total_time_h.value);
            let cost = mantissa::units::Usd(run.cost_usd.expect("a price").value);
            let is_whole = |text: &str| painted.iter().any(|(p, cut)| !cut && p.contains(text));
            for text in [time, mantissa::format::money(cost)] {
                assert!(is_whole(&text), "{text} at {width}: {cut:?}");
            }
            let [long, short] = [run.interval_text(), run.interval_short()];
            assert!(
                is_whole(&long) || is_whole(&short),
                "{long} at {width}: {cut:?}"
            );
        }
        // The headline is whole: its interval stands at its end.
        let ends = |p: &str| p.contains(", ±") || p.contains(", −");
        let headline = painted.iter().any(|(p, cut)| !cut && ends(p));
        assert!(headline, "{cut:?}");
        // So is that of every row.
        assert!(window.shows("Sort by Interval"), "{width}");
    }
}

#[test]
fn in_a_narrow_window_one_panel_stands_beside_the_centre_and_a_button_turns_to_the_other() {
    let mut window = Window::open(1024.0, 640.0, Theme::Light);
    let inspects = |w: &Window| w.labels().iter().any(|l| l.starts_with("Selected: "));
    assert!(window.shows("Train for") && !inspects(&window));
    window.click("Show the inspector");
    assert!(inspects(&window) && !window.shows("Train for"));
    window.click("Show the request");
    assert!(window.shows("Train for") && !inspects(&window));
    window.send(Action::Ui(UiCommand::ToggleInspector));
    assert!(inspects(&window) && !window.shows("Train for"));
    // A wide one has both, as before.
    let window = Window::open(1280.0, 800.0, Theme::Light);
    assert!(inspects(&window) && window.shows("Train for"));
}

#[test]
fn a_new_plan_starts_at_the_top_of_its_panel() {
    let mut window = Window::usual();
    let top = |w: &Window| w.harness.get_by_label("Train for").rect().top();
    let before = top(&window);
    window.scroll(egui::pos2(150.0, 500.0), 600.0);
    window.settle();
    let scrolled = top(&window);
    assert!(scrolled < before - 100.0);
    window.send(Action::NewFrom(Box::new(window.request())));
    assert!((top(&window) - before).abs() < 1.0);
    // Each plan keeps its own place.
    window.send(Action::ShowTab(0));
    assert!((top(&window) - scrolled).abs() < 1.0);
}

#[test]
fn a_sequence_of_8k_has_8192_tokens_and_says_so() {
    let mut window = Window::usual();
    window.type_into("Sequence", "4k");
    assert_eq!(window.request().seq_len, Some(4096));
    assert!(window.shows("4k is read as 4\u{202F}096 tokens"));
    window.type_into("Sequence", "4000");
    assert_eq!(window.request().seq_len, Some(4000));
    assert!(!window.shows("is read as"));
    // Elsewhere a thousand is one.
    window.type_into("Global batch", "2k");
    assert_eq!(
        window.request().batch.expect("a batch").global,
        Some(2000.0)
    );
}

#[test]
fn undo_and_redo_survive_a_restart() {
    let mut window = Window::usual();
    let first = window.request();
    window.click("BF16");
    let second = window.request();
    window.click("FP64");
    let third = window.request();
    window.key(Modifiers::COMMAND, Key::Z);
    let storage = window.stored();
    let ctx = egui::Context::default();
    let mut again = MantissaApp::new(&ctx, Some(&storage), backend());
    let request = |app: &MantissaApp| app.state().tab().and_then(|t| t.request.clone());
    for (command, wanted) in [
        (UiCommand::Redo, &third),
        (UiCommand::Undo, &second),
        (UiCommand::Undo, &first),
    ] {
        again.send(Action::Ui(command));
        again.settle(&ctx);
        assert_eq!(request(&again).as_deref(), Some(wanted));
    }
}

#[test]
fn a_wide_comparison_offers_what_else_could_stand_in_it() {
    let mut window = Window::open(2560.0, 1440.0, Theme::Dark);
    let rows = window.tab().rows.shown.clone();
    window.send(Action::TogglePin(rows[1]));
    window.send(Action::TogglePin(rows[2]));
    window.send(Action::SetView(View::Compare));
    assert!(window.shows("Add to the comparison"));
    let labels = window.labels();
    let offer = labels
        .iter()
        .find(|l| l.starts_with("Pin ") && l.contains(" on "));
    window.press(&offer.expect("an offer").clone());
    assert_eq!(window.tab().pins.len(), 3);
}

#[test]
fn scaling_says_which_lines_it_draws_and_draws_the_others_on_request() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    window.send(Action::SetView(View::Scaling));
    assert!(window.shows("the others in their fastest mode"));
    let series = |w: &Window| {
        let labels = w.labels();
        let plot = labels
            .iter()
            .find(|l| l.starts_with("Time against accelerators"));
        plot.cloned().expect("a plot")
    };
    let few = series(&window);
    window.click("Scaling of every mode");
    assert!(window.shows("Every accelerator in every mode"));
    assert_ne!(series(&window), few);
}

#[test]
fn columns_have_one_unit_each_and_name_it() {
    let mut window = Window::open(2560.0, 1440.0, Theme::Dark);
    edit(&mut window, |r| r.region = Some("us-east-1".into()));
    let painted = window.painted();
    for head in ["Cost, $", "Energy, ", "Step, ", "CO₂e, "] {
        let named = painted.iter().any(|(p, cut)| p.starts_with(head) && !cut);
        assert!(named, "{head}");
    }
    // Durations are told as the headline tells them, in days and hours.
    assert!(painted.iter().any(|(p, _)| p == "Total time"));
    let run = window
        .tab()
        .plan()
        .and_then(|p| p.combinations[window.tab().selected?].run());
    let time = mantissa::format::hours(run.expect("a run").total_time_h.value);
    assert!(
        painted.iter().filter(|(p, _)| *p == time).count() > 1,
        "{time}"
    );
}

#[test]
fn a_title_is_typed_into_the_tab_and_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml").display().to_string();
    let mut window = Window::usual();
    let before = window.tab().title();
    window.key(Modifiers::NONE, Key::F2);
    assert_eq!(window.focused(), "Title of the plan");
    window
        .harness
        .get_by_label("Title of the plan")
        .type_text("For the board");
    window.settle();
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.tab().title(), "For the board");
    assert!(window.harness.state().state().renaming.is_none());
    window.send(Action::Path(PathPurpose::SavePlan, path.clone()));
    assert!(
        std::fs::read_to_string(&path)
            .expect("a plan")
            .contains("For the board")
    );
    // Escape leaves it as it was, and so does undo.
    window.send(Action::Ui(UiCommand::RenamePlan));
    window
        .harness
        .get_by_label("Title of the plan")
        .type_text("No");
    window.settle();
    window.key(Modifiers::NONE, Key::Escape);
    assert_eq!(window.tab().title(), "For the board");
    window.key(Modifiers::COMMAND, Key::Z);
    assert_eq!(window.tab().title(), before);
}

#[test]
fn a_language_model_is_not_explained_by_convolutions() {
    let mut window = Window::usual();
    window.send(Action::SetView(View::Why));
    let labels = window.labels();
    let named = |text: &str| {
        let factors = labels.iter().filter(|l| l.contains(" ×\u{202F}"));
        factors.into_iter().any(|l| l.to_lowercase().contains(text))
    };
    assert!(!named("convolution") && !named("groups"), "{labels:?}");
    assert!(
        named("bytes per element") || named("precision"),
        "{labels:?}"
    );
}

#[test]
fn a_layout_that_a_what_if_changes_is_named_with_the_one_before() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.model = "llama-3-70b".into();
        r.counts = vec![16, 32, 64, 128];
        r.limits = None;
        r.what_if = Some(WhatIfRequest {
            network: Some(0.1),
            ..WhatIfRequest::default()
        });
    });
    let plan = window.tab().plan().expect("a plan").clone();
    let runs =
        || (0..plan.combinations.len()).filter_map(|i| Some((i, plan.combinations[i].run()?)));
    let (index, run) = runs()
        .find(|(_, run)| run.layout_before.is_some())
        .expect("a network of a tenth changes some layout");
    assert_ne!(run.layout_before.as_ref(), Some(&run.layout));
    window.send(Action::Select(index));
    assert!(window.shows("The what-if of the network changes the layout"));
    let (index, _) = runs()
        .find(|(_, run)| run.layout_before.is_none())
        .expect("one that stays");
    window.send(Action::Select(index));
    assert!(!window.shows("The what-if of the network changes the layout"));
}

#[test]
fn a_listed_price_says_that_nobody_states_so_many_are_there() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.counts = vec![8, 1024];
        r.limits = None;
    });
    let of = |window: &Window, count: u32| {
        let plan = window.tab().plan().expect("a plan");
        let all = plan.combinations.iter();
        all.clone()
            .position(|c| c.count == count && c.run().is_some_and(|r| r.cost_usd.is_some()))
            .expect("one")
    };
    let many = of(&window, 1024);
    window.send(Action::Select(many));
    let told = window.labels();
    let told = told
        .iter()
        .filter(|l| l.contains("does not state whether 1\u{202F}024 can be had"));
    assert!(
        told.count() >= 2,
        "in the answer's words and beside the cost"
    );
    let few = of(&window, 8);
    window.send(Action::Select(few));
    assert!(!window.shows("does not state whether"));
}

#[test]
fn a_broken_file_is_not_called_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = Window::usual();
    for (name, text) in [
        ("broken.toml", "model = ["),
        ("broken.json", "{"),
        ("runs.csv", "a,b\n1,2\n"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        window.send(Action::Path(
            PathPurpose::OpenPlan,
            path.display().to_string(),
        ));
        window.settle();
        assert!(
            window.shows("The file was found"),
            "{name}: {:?}",
            window.labels()
        );
        assert!(!window.shows("A file that exists"), "{name}");
        window.key(Modifiers::NONE, Key::Escape);
    }
    let odd = folder.path().join("notes.txt");
    std::fs::write(&odd, "x").expect("written");
    window.send(Action::Path(
        PathPurpose::OpenPlan,
        odd.display().to_string(),
    ));
    assert!(window.shows("Allowed: a plan") && !window.shows("A file that exists"));
}

#[test]
fn every_grid_has_a_bar_and_a_click_plans_in_it() {
    let mut window = Window::open(1440.0, 2400.0, Theme::Dark);
    window.press("Every grid");
    let labels = window.labels();
    let grids: Vec<&String> = labels
        .iter()
        .filter(|l| l.starts_with("Plan in "))
        .collect();
    assert!(grids.len() >= 5, "{grids:?}");
    let first = grids[0].clone();
    window.press(&first);
    let region = window.request().region.expect("a region");
    assert!(first.contains(&region), "{first} {region}");
    assert!(matches!(window.tab().status, Status::Current));
}
