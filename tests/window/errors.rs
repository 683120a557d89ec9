//! What goes wrong and how it is put right: paths, filters, numbers, models of another kind, a plan that was stopped; by
//! label and by keyboard.

use crate::support::window::Window;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use mantissa::gui::command::{Action, PathPurpose, UiCommand};
use mantissa::gui::state::Status;

fn shown(window: &Window) -> usize {
    window.tab().rows.shown.len()
}

#[test]
fn a_path_that_does_not_work_is_put_right_where_it_was_typed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = Window::usual();
    for (purpose, name) in [
        (PathPurpose::ExportCsv, "plan.csv"),
        (PathPurpose::ExportJson, "plan.json"),
        (PathPurpose::ExportHtml, "plan.html"),
        (PathPurpose::SaveChart, "plan.png"),
        (PathPurpose::SavePlan, "plan.toml"),
    ] {
        let wrong = folder.path().join("nowhere").join(name);
        window.send(Action::Path(purpose, wrong.display().to_string()));
        assert!(window.shows("The folder does not exist"), "{name}");
        assert!(window.shows("A file in a folder that exists"), "{name}");
        assert_eq!(window.notice(), "", "{name}");
        // The path is still there; what is typed over it goes through.
        let right = folder.path().join(name);
        window.type_into("Path", &right.display().to_string());
        assert!(!window.shows("does not exist"), "{name}");
        window.harness.key_press(Key::Enter);
        window.settle();
        assert!(right.is_file(), "{name}");
        assert!(window.harness.state().state().path_dialog.is_none());
    }
    // A folder, and a file that is none of those that are opened.
    window.send(Action::Path(
        PathPurpose::ExportCsv,
        folder.path().display().to_string(),
    ));
    assert!(window.shows("This is a folder: add the name of a file"));
    window.click("Cancel");
    assert!(window.harness.state().state().path_problem.is_none());
    for name in ["none.toml", "notes.txt", "none.csv"] {
        let path = folder.path().join(name).display().to_string();
        window.send(Action::Path(PathPurpose::OpenPlan, path.clone()));
        assert!(window.shows("A file that exists: a plan"), "{name}");
        let problem = window.harness.state().state().path_problem.clone();
        assert_eq!(problem.map(|p| p.path), Some(path));
        window.key(Modifiers::NONE, Key::Escape);
    }
}

#[test]
fn a_stopped_plan_goes_on_by_key_and_by_link() {
    let mut window = Window::usual();
    let mut stop = |way: &str| {
        let mut request = window.request();
        request.counts.push(100 + way.len() as u32);
        let app = window.harness.state_mut();
        app.send(Action::Edit(Box::new(request.clone()), "counts"));
        app.send(Action::Ui(UiCommand::Cancel));
        window.settle();
        assert!(matches!(window.tab().status, Status::Idle));
        assert!(window.shows("the result shown is that of the request before"));
        match way {
            "key" => window.key(Modifiers::NONE, Key::F5),
            "link" => window.click("Compute again"),
            _ => window.palette("compute again"),
        }
        assert!(matches!(window.tab().status, Status::Current), "{way}");
        let plan = window.tab().plan().expect("a plan");
        assert_eq!(plan.request.counts.len(), request.counts.len());
    };
    stop("key");
    stop("link");
    stop("palette");
}

#[test]
fn a_model_of_another_kind_trains_for_a_length_it_can_have() {
    let mut window = Window::usual();
    let before = window.request();
    window.send(Action::SetModel("resnet50".into()));
    assert!(matches!(window.tab().status, Status::Current));
    assert!(window.request().train.epochs.is_some());
    assert!(window.shows("ResNet-50"));
    assert!(
        window
            .notice()
            .contains("ResNet-50 now trains for 90 epochs")
    );
    window.send(Action::Ui(UiCommand::Undo));
    assert_eq!(window.request(), before);
    assert_eq!(window.notice(), "Undone: Model");
    // The same kind keeps what was asked.
    window.send(Action::SetModel("llama-3-70b".into()));
    assert_eq!(window.request().train, before.train);
    // What is typed all the same is refused in the window's words.
    window.send(Action::SetModel("resnet50".into()));
    window.type_into("Train for", "15 B tokens");
    assert!(window.shows("ResNet-50 does not train on tokens"));
    assert!(!window.labels().iter().any(|l| l.contains('`')));
    window.send(Action::SetModel("bert-large".into()));
    assert!(window.request().train.tokens.is_some());
    assert!(matches!(window.tab().status, Status::Current));
}

#[test]
fn models_are_found_however_they_are_spelt() {
    let mut window = Window::usual();
    for (text, label) in [
        ("resnet-50", "ResNet-50"),
        ("resnet 50", "ResNet-50"),
        ("llama 3 8b", "Llama 3 8B"),
        ("llama-3-8b", "Llama 3 8B"),
        ("bertlarge", "BERT-Large"),
    ] {
        window.key(Modifiers::COMMAND, Key::K);
        window.send(Action::PaletteText(text.into()));
        assert!(window.labels().iter().any(|l| l == label), "{text}");
        window.key(Modifiers::NONE, Key::Escape);
    }
}

#[test]
fn a_filter_that_is_not_understood_is_named_and_the_last_one_stays() {
    let mut window = Window::usual();
    let all = shown(&window);
    window.type_into("Filter", "fp8");
    let some = shown(&window);
    assert!(some > 0 && some < all);
    window.type_into("Filter", "price >> banana");
    assert!(window.shows("“price >>” compares nothing"));
    assert!(window.shows("“fp8” stays in effect"));
    assert_eq!(shown(&window), some);
    window.type_into("Filter", "cost < banana");
    assert!(window.shows("“banana” is no number for cost"));
    // Letter by letter: what was typed on the way is no filter that was meant.
    window.send(Action::Ui(UiCommand::ClearFilter));
    let typed = "fp8 price >> 3";
    for end in 1..=typed.len() {
        window.send(Action::SetFilter(typed[..end].to_owned()));
    }
    assert_eq!(shown(&window), some);
    window.send(Action::SetFilter(typed[4..].to_owned()));
    assert_eq!(shown(&window), some);
    window.type_into("Filter", "cost < 1 k".replace(' ', "").as_str());
    assert!(!window.shows("stays in effect"));
    window.type_into("Filter", "banana");
    assert!(window.shows("No combination matches the filter “banana”"));
    window.click("Show every combination");
    assert_eq!(shown(&window), all);
}

#[test]
fn fields_and_themes_are_reached_from_the_palette_and_regions_by_key() {
    let mut window = Window::usual();
    for (text, name) in [
        ("budget", "Budget"),
        ("deadline", "Deadline"),
        ("batch", "Global batch"),
        ("sequence", "Sequence"),
        ("go to region", "Region"),
        ("energy limit", "Energy limit"),
    ] {
        window.palette(text);
        assert_eq!(window.focused(), name, "{text}");
    }
    // The field's text is replaced by what is typed.
    window.palette("budget");
    window.harness.get_by_label("Budget").type_text("750");
    window.settle();
    let limits = window.request().limits.expect("limits");
    assert_eq!(limits.budget_usd, Some(750.0));
    window.palette("light theme");
    assert_eq!(window.harness.state().state().settings.theme, "light");
    window.palette("dark theme");
    assert_eq!(window.harness.state().state().settings.theme, "dark");
    let mut reached = Vec::new();
    window.palette("go to model");
    for _ in 0..5 {
        window.key(Modifiers::NONE, Key::F6);
        reached.push(window.focused());
    }
    assert_eq!(reached[0], "Trade-off");
    assert_eq!(reached[1], "Filter");
    assert_eq!(reached[2], "Pin to compare");
    assert_eq!(reached[3], "Mantissa menu");
    assert!(reached[4].starts_with("Model"));
    window.key(Modifiers::SHIFT, Key::F6);
    assert_eq!(window.focused(), "Mantissa menu");
}

#[test]
fn menus_are_walked_by_arrows_and_letters() {
    let mut window = Window::usual();
    window.click("Axes: Cost against time, log");
    assert_eq!(window.focused(), "Cost");
    window.key(Modifiers::NONE, Key::ArrowDown);
    assert_eq!(window.focused(), "Energy");
    window.harness.event(egui::Event::Text("m".into()));
    window.settle();
    assert_eq!(window.focused(), "Memory each");
    window.key(Modifiers::NONE, Key::Enter);
    assert!(window.shows("Memory each against time"));
    window.key(Modifiers::NONE, Key::Escape);
    window.click("Columns");
    assert_eq!(window.focused(), "Precision");
    window.key(Modifiers::NONE, Key::End);
    window.key(Modifiers::NONE, Key::ArrowUp);
    assert_ne!(window.focused(), "Precision");
    window.key(Modifiers::NONE, Key::Escape);
    window.click("More exports");
    window.key(Modifiers::NONE, Key::ArrowDown);
    assert!(
        window.focused().contains("Export shown rows"),
        "{}",
        window.focused()
    );
    window.key(Modifiers::NONE, Key::Escape);
    // The menu of menus: down to the second, right into it, left out again.
    window.click("Mantissa menu");
    window.key(Modifiers::NONE, Key::ArrowDown);
    let menu = window.focused();
    assert!(menu.starts_with("Edit"), "{menu}");
    window.key(Modifiers::NONE, Key::ArrowRight);
    assert_ne!(window.focused(), menu);
    window.key(Modifiers::NONE, Key::ArrowLeft);
    assert_eq!(window.focused(), menu);
}

#[test]
fn huge_input_is_refused_in_a_few_words() {
    let mut window = Window::usual();
    for text in ["1e400".to_owned(), "9".repeat(400), "x".repeat(400)] {
        for field in [
            "Budget",
            "Deadline",
            "Global batch",
            "Sequence",
            "Train for",
            "Another count",
        ] {
            window.type_into(field, &text);
            let message = |l: &String| l.contains('“') || l.starts_with("Too");
            let told: Vec<String> = window.labels().into_iter().filter(message).collect();
            assert!(!told.is_empty(), "{field} takes {}", &text[..5]);
            let longest = told.iter().map(|l| l.chars().count()).max();
            assert!(longest.is_some_and(|n| n < 160), "{field}: {told:?}");
            // Take it back as a person would.
            window.type_into(field, if field == "Train for" { "15 B" } else { "" });
        }
    }
    window.type_into("Budget", &"9".repeat(400));
    assert!(window.shows("Too large. At most 1000 T"));
    window.type_into("Region", &"x".repeat(400));
    let widest = window
        .labels()
        .into_iter()
        .filter(|l| l.contains("xxx") && l.contains('“'));
    assert!(widest.into_iter().all(|l| l.chars().count() < 200));
}

#[test]
fn an_error_goes_with_its_cause() {
    let mut window = Window::usual();
    let others: Vec<usize> = window.tab().rows.shown.iter().copied().take(5).collect();
    for index in others {
        window.send(Action::TogglePin(index));
    }
    assert!(window.notice().contains("4 combinations"));
    window.send(Action::Unpin(0));
    assert_eq!(window.notice(), "");
}

#[test]
fn an_uneven_batch_says_what_it_runs_as_and_offers_the_nearest_even_ones() {
    let mut window = Window::usual();
    window.type_into("Global batch", "100");
    let told = window
        .labels()
        .into_iter()
        .find(|l| l.contains("does not divide over"));
    let told = told.expect("a word on the batch");
    assert!(told.contains("so it runs as"), "{told}");
    let offers: Vec<String> = window
        .labels()
        .into_iter()
        .filter(|l| l.starts_with("Use ") && l.len() < 12)
        .collect();
    assert_eq!(offers.len(), 2, "{offers:?}");
    window.press(&offers[0]);
    assert!(!window.shows("does not divide over"));
    let batch = window.request().batch.and_then(|b| b.global);
    assert_eq!(batch, offers[0].trim_start_matches("Use ").parse().ok());
    window.send(Action::Ui(UiCommand::Undo));
    assert!(window.shows("does not divide over"));
}

#[test]
fn words_say_what_counts_and_why_nothing_does() {
    let mut window = Window::usual();
    window.type_into("Deadline", "1 min");
    assert!(window.shows("None meets both"));
    window.type_into("Budget", "1");
    window.key(Modifiers::NONE, Key::Backspace);
    assert!(window.shows("None is on time"));
    assert!(window.shows("to be sure"));
    // An own price is a price.
    let mut request = window.request();
    request.accelerators.truncate(1);
    let name = request.accelerators[0].clone();
    let prices = request.prices.get_or_insert_default();
    prices.own_usd_per_hour.insert(name, 2.0);
    window.send(Action::NewFrom(Box::new(request)));
    let texts = window.painted();
    assert!(texts.iter().any(|(text, _)| text == "Your own prices"));
    // A factor on prices shows beside the list's.
    let mut request = window.request();
    request.what_if = Some(mantissa::planner::WhatIfRequest {
        price: Some(1.5),
        ..Default::default()
    });
    window.send(Action::NewFrom(Box::new(request)));
    let texts = window.painted();
    assert!(
        texts.iter().any(|(text, _)| text == "$2.00 → $3.00"),
        "{texts:?}"
    );
    assert!(window.shows("Your own price is $2.00/h, times 1.50 by What if"));
}

#[test]
fn advice_names_quantities_and_both_figures() {
    let mut window = Window::usual();
    window.send(Action::Ui(UiCommand::PinAnswers));
    let against = |text: &String| text.contains("against");
    let labels = window.labels();
    let reasons = labels.iter().filter(|l| l.contains("takes") && against(l));
    assert!(reasons.count() >= 1);
    let texts = window.painted();
    assert!(
        texts.iter().any(
            |(text, _)| text.contains("meets both limits is") && text.matches('$').count() >= 2
        ),
        "{texts:?}"
    );
}

#[test]
fn each_kind_of_model_starts_with_a_length_people_train_it_for() {
    let mut window = Window::usual();
    for (model, told, samples) in [
        (
            "faster-rcnn-r50-fpn",
            "12 epochs of 118,287 samples",
            118_287.0,
        ),
        ("rnnt", "100 epochs of 281,241 samples", 281_241.0),
        ("tacotron2", "1 000 epochs of 13,100 samples", 13_100.0),
        ("deeplabv3-r50", "45 epochs of 10,582 samples", 10_582.0),
    ] {
        window.palette(model);
        assert_eq!(window.request().model, model);
        assert!(window.notice().contains(told), "{}", window.notice());
        let train = window.request().train;
        let number = train.samples.expect("samples").number();
        assert_eq!(number.ok(), Some(samples), "{model}");
        assert!(matches!(window.tab().status, Status::Current), "{model}");
        assert!(window.shows("Data set"));
    }
}
