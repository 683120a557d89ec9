//! What is typed means one thing everywhere: a comma multiplies nothing, a field that is left has been answered, and a text
//! that is refused stays where it is with what is wrong.

use crate::support::window::{Window, edit};
use egui::{Key, Modifiers, Theme};
use egui_kittest::kittest::Queryable;
use mantissa::gui::command::{Action, UiCommand};
use mantissa::gui::state::View;

fn budget(window: &Window) -> Option<f64> {
    window.request().limits.and_then(|limits| limits.budget_usd)
}

/// Pastes into a field over what is there.
fn paste_into(window: &mut Window, label: &str, text: &str) {
    window.harness.get_by_label(label).focus();
    window.harness.run();
    window.key(Modifiers::COMMAND, Key::A);
    window.harness.event(egui::Event::Paste(text.to_owned()));
    window.settle();
}

#[test]
fn a_comma_reads_alike_in_every_field() {
    let mut window = Window::usual();
    for (typed, usd) in [
        ("1,5k", 1500.0),
        ("2,000", 2000.0),
        ("1,281,167", 1_281_167.0),
        ("2.000,50", 2000.5),
        ("$2,000.50", 2000.5),
    ] {
        window.type_into("Budget", typed);
        assert_eq!(budget(&window), Some(usd), "{typed}");
    }
    window.type_into("Deadline", "1,5 d");
    let deadline = window.request().limits.and_then(|limits| limits.deadline_h);
    assert_eq!(deadline, Some(36.0));
    window.type_into("Prices, factor", "1,5");
    let price = window.request().what_if.and_then(|what_if| what_if.price);
    assert_eq!(price, Some(1.5));
    window.type_into("Train for", "1,5 B");
    let tokens = window.request().train.tokens.map(|tokens| tokens.number());
    assert_eq!(tokens, Some(Ok(1.5e9)));
    window.send(Action::SetFilter("cost < 2,000".into()));
    let with_comma = window.tab().rows.shown.clone();
    window.send(Action::SetFilter("cost < 2000".into()));
    assert_eq!(window.tab().rows.shown, with_comma);
}

#[test]
fn lines_that_are_pasted_are_no_thousands() {
    let mut window = Window::usual();
    window.type_into("Budget", "9000");
    window.key(Modifiers::NONE, Key::Enter);
    for text in ["1\n2\n3", "1\n281\n167", "100\r\n200"] {
        paste_into(&mut window, "Budget", text);
        assert_eq!(budget(&window), Some(9000.0), "{text}");
        assert!(window.shows("is no number"), "{:?}", window.labels());
    }
    paste_into(&mut window, "Budget", "8000\n");
    assert_eq!(budget(&window), Some(8000.0));
    // A list may have a line for each entry.
    paste_into(&mut window, "Another count", "12\n1024\n");
    window.key(Modifiers::NONE, Key::Enter);
    let counts = window.request().counts;
    assert!(counts.contains(&12) && counts.contains(&1024), "{counts:?}");
}

#[test]
fn counts_are_taken_when_their_field_is_left() {
    let mut window = Window::usual();
    let before = window.request().counts;
    window.type_into("Another count", "12, 24");
    window.key(Modifiers::NONE, Key::Tab);
    assert_ne!(window.focused(), "Another count");
    let counts = window.request().counts;
    assert!(counts.contains(&12) && counts.contains(&24), "{counts:?}");
    window.key(Modifiers::COMMAND, Key::Z);
    assert_eq!(window.request().counts, before);
    // A click that changes something itself takes both.
    window.type_into("Another count", "12");
    window.click("2 accelerators");
    let counts = window.request().counts;
    assert!(counts.contains(&12), "{counts:?}");
    assert_ne!(counts.contains(&2), before.contains(&2), "{counts:?}");
    // A click on another tab leaves that as it was.
    let (first, mut other) = (window.tab().title(), window.request());
    other.title = None;
    other.train.tokens = Some(mantissa::planner::Quantity::Number(7e9));
    window.send(Action::NewFrom(Box::new(other)));
    let second = window.tab().title();
    window.type_into("Another count", "96");
    window.click(&first);
    assert_eq!(window.request().counts, counts);
    window.click(&second);
    assert!(window.request().counts.contains(&96));
    // Escape takes nothing.
    window.type_into("Another count", "48");
    window.key(Modifiers::NONE, Key::Escape);
    assert!(!window.request().counts.contains(&48));
}

#[test]
fn a_factor_that_is_refused_stays_with_what_is_wrong() {
    let mut window = Window::usual();
    let price = |w: &Window| w.request().what_if.and_then(|what_if| what_if.price);
    window.type_into("Prices, factor", "9");
    window.key(Modifiers::NONE, Key::Tab);
    assert_ne!(window.focused(), "Prices, factor");
    assert!(window.shows("From 0.25 to 4"), "{:?}", window.labels());
    assert!(window.shows("“What if” is refused"));
    assert!(window.texts().iter().any(|(text, _)| text == "9"));
    assert_eq!(price(&window), None);
    // The value it had already is an answer too, and so is Escape.
    window.type_into("Prices, factor", "1");
    assert!(!window.shows("From 0.25 to 4"));
    window.type_into("Prices, factor", "less");
    assert!(window.shows("is no factor"));
    window.key(Modifiers::NONE, Key::Escape);
    assert!(!window.shows("is no factor") && window.tab().drafts.is_empty());
}

#[test]
fn the_keyboard_goes_from_a_slider_to_its_field() {
    let mut window = Window::usual();
    // As it stands, so that nothing is changed on leaving.
    window.type_into("Prices, factor", "1");
    window.key(Modifiers::SHIFT, Key::Tab);
    assert_eq!(window.focused(), "Prices");
    window.key(Modifiers::NONE, Key::Tab);
    assert_eq!(window.focused(), "Prices, factor");
}

#[test]
fn a_filter_finds_durations_alternatives_and_columns_of_words() {
    let mut window = Window::usual();
    let rows = |window: &mut Window, text: &str| {
        window.send(Action::SetFilter(text.to_owned()));
        assert!(window.tab().filter_draft.is_none(), "{text}");
        window.tab().rows.shown.clone()
    };
    let all = window.tab().rows.shown.len();
    let thirty = rows(&mut window, "time < 30");
    assert!(!thirty.is_empty() && thirty.len() < all);
    for text in ["time < 1 d 6 h", "time < 1d 6h"] {
        assert_eq!(rows(&mut window, text), thirty, "{text}");
    }
    let (fp8, h200) = (rows(&mut window, "fp8"), rows(&mut window, "h200"));
    let either = rows(&mut window, "fp8 or h200");
    let both: Vec<usize> = (0..window.plan().combinations.len())
        .filter(|i| fp8.contains(i) || h200.contains(i))
        .collect();
    let mut sorted = either.clone();
    sorted.sort_unstable();
    assert!(fp8.len() > 1 && h200.len() > 1);
    assert_eq!(sorted, both);
    assert_eq!(rows(&mut window, "accelerator = h200"), h200);
    let plain = rows(&mut window, "precision = fp8");
    let mode = |i: &usize| window.plan().combinations[*i].mode;
    let is_fp8 = |i: &usize| mode(i) == mantissa::domain::PrecisionMode::Fp8;
    assert!(!plain.is_empty() && plain.iter().all(is_fp8), "{plain:?}");
    let none = rows(&mut window, "seller = h200");
    assert!(none.is_empty());
}

#[test]
fn a_list_is_searched_anew_and_enter_without_a_find_keeps_the_keyboard() {
    let mut window = Window::usual();
    let name = window
        .labels()
        .into_iter()
        .find(|l| l.starts_with("Model: "));
    let name = name.expect("the model");
    window.press(&name);
    window.harness.event(egui::Event::Text("zzz".to_owned()));
    window.settle();
    assert!(window.shows("Nothing is called “zzz”"));
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.focused(), "Search models");
    window.key(Modifiers::NONE, Key::Escape);
    assert!(!window.shows("Search models"));
    window.press(&name);
    assert!(window.shows("Search models") && !window.shows("Nothing is called"));
}

#[test]
fn a_model_of_cifar_is_trained_on_cifar() {
    let mut window = Window::usual();
    let samples = |w: &Window| w.request().train.samples.map(|n| n.number());
    window.send(Action::SetModel("resnet50".into()));
    assert_eq!(samples(&window), Some(Ok(1_281_167.0)));
    let sizes = |w: &Window| -> Vec<String> {
        let seen = w.texts().into_iter().map(|(text, _)| text);
        seen.filter(|text| text.ends_with(", its own")).collect()
    };
    assert_eq!(sizes(&window), ["224, its own"]);
    window.send(Action::SetModel("resnet18-cifar10".into()));
    assert_eq!(samples(&window), Some(Ok(50_000.0)));
    assert!(window.notice().contains("200 epochs of 50,000 samples"));
    assert_eq!(sizes(&window), ["32, its own"]);
    // So many epochs were asked for: of the other data they stay as many.
    edit(&mut window, |r| {
        r.train.epochs = Some(mantissa::planner::Quantity::Number(30.0));
    });
    window.send(Action::SetModel("resnet50".into()));
    assert_eq!(samples(&window), Some(Ok(1_281_167.0)));
    let epochs = window.request().train.epochs.map(|n| n.number());
    assert_eq!(epochs, Some(Ok(30.0)));
    // A data set of one's own stays.
    edit(&mut window, |r| {
        r.train.samples = Some(mantissa::planner::Quantity::Number(7000.0));
    });
    window.send(Action::SetModel("resnet18-cifar10".into()));
    assert_eq!(samples(&window), Some(Ok(7000.0)));
}

#[test]
fn what_was_done_is_told_until_the_next_edit_or_another_tab() {
    let mut window = Window::usual();
    let undo = |window: &mut Window| {
        edit(window, |r| {
            r.limits.get_or_insert_default().budget_usd = Some(9000.0);
        });
        window.send(Action::Ui(UiCommand::Undo));
        assert!(
            window.notice().starts_with("Undone: "),
            "{}",
            window.notice()
        );
    };
    undo(&mut window);
    edit(&mut window, |r| r.counts.push(3));
    assert_eq!(window.notice(), "");
    undo(&mut window);
    let other = window.request();
    window.send(Action::NewFrom(Box::new(other)));
    assert_eq!(window.notice(), "");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("own.toml").display().to_string();
    let purpose = mantissa::gui::command::PathPurpose::SavePlan;
    window.send(Action::Path(purpose, path.clone()));
    let purpose = mantissa::gui::command::PathPurpose::OpenPlan;
    window.send(Action::Path(purpose, path));
    assert!(
        window.notice().starts_with("Opened "),
        "{}",
        window.notice()
    );
    window.send(Action::Ui(UiCommand::CloseTab));
    assert_eq!(window.notice(), "");
}

#[test]
fn what_a_filter_looks_at_is_read_whole_in_a_small_window() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    window.send(Action::SetFilter("512 h100 fp8 unobtainium".into()));
    let filter = window.harness.get_by_label("Filter").rect();
    let lines: Vec<egui::Rect> = window
        .texts()
        .into_iter()
        .filter(|(text, _)| text.starts_with("Words are looked for") || text.starts_with("No comb"))
        .map(|(_, rect)| rect)
        .collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    let (left, right) = (300.0, 1280.0 - 324.0);
    for line in lines {
        assert!(line.left() >= left && line.right() <= right, "{line:?}");
        assert!(line.top() > filter.bottom(), "{line:?}");
    }
}

#[test]
fn a_low_cell_of_the_heat_map_has_one_line() {
    let mut window = Window::open(900.0, 600.0, Theme::Dark);
    edit(&mut window, |r| {
        r.precisions = mantissa::domain::PrecisionMode::ALL
            .iter()
            .map(|mode| mode.key().to_owned())
            .collect();
    });
    window.send(Action::SetView(View::HeatMap));
    let plan = window.plan();
    let times: Vec<String> = plan
        .combinations
        .iter()
        .filter_map(|c| Some(mantissa::format::hours(c.run()?.total_time_h.value)))
        .collect();
    let areas = window.harness.get_by_label("By count").rect();
    let refused = window.texts();
    let cells: Vec<&(String, egui::Rect)> = refused
        .iter()
        .filter(|(text, rect)| {
            (times.contains(text) || text.starts_with('$')) && rect.top() > areas.bottom()
        })
        .filter(|(_, rect)| rect.left() < areas.right())
        .collect();
    for (i, (text, rect)) in cells.iter().enumerate() {
        for (other, place) in &cells[i + 1..] {
            assert!(!rect.shrink(1.0).intersects(*place), "{text} over {other}");
        }
    }
}

#[test]
fn a_model_whose_file_is_gone_is_told_in_words_and_found_in_the_palette() {
    let mut window = Window::usual();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("own.json");
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/config.json");
    std::fs::copy(fixture, &path).expect("a file");
    let purpose = mantissa::gui::command::PathPurpose::OpenPlan;
    window.send(Action::Path(purpose, path.display().to_string()));
    assert!(window.notice().starts_with("Read "), "{}", window.notice());
    std::fs::remove_file(&path).expect("a file");
    edit(&mut window, |r| r.counts = vec![8]);
    assert!(window.shows("There is no such file or folder: "));
    assert!(!window.shows("os error"), "{:?}", window.labels());
    for text in ["own model", "config.json"] {
        window.key(Modifiers::COMMAND, Key::K);
        window.send(Action::PaletteText(text.to_owned()));
        assert!(window.shows("Open plan…"), "{text}: {:?}", window.labels());
        window.send(Action::CloseDialog);
    }
}

#[test]
fn the_quickest_is_measured_against_the_one_the_sentence_names_before() {
    let mut window = Window::usual();
    let plan = window.plan();
    let run = |i: usize| plan.combinations[i].run().expect("a run");
    let cheapest = run(plan.answers.cheapest.expect("one")).total_time_h.value;
    edit(&mut window, |r| {
        let limits = r.limits.get_or_insert_default();
        (limits.budget_usd, limits.deadline_h) = (None, Some(0.6 * cheapest));
    });
    window.send(Action::Ui(UiCommand::PinAnswers));
    let plan = window.plan();
    let run = |i: usize| plan.combinations[i].run().expect("a run");
    let within = run(plan.answers.within_limits.expect("one"));
    let fastest = run(plan.answers.fastest.expect("one"));
    let times = within.total_time_h.value / fastest.total_time_h.value;
    assert!(times >= 2.0 && !std::ptr::eq(within, fastest), "{times}");
    let more = fastest.cost_usd.expect("a cost").value - within.cost_usd.expect("a cost").value;
    let wanted = format!(
        " is {} as quick for {} more.",
        mantissa::format::ratio(times),
        mantissa::format::money(mantissa::units::Usd(more))
    );
    let labels = window.labels();
    let said = labels
        .iter()
        .find(|l| l.starts_with("Of these the cheapest"));
    assert!(
        said.is_some_and(|said| said.contains(&wanted)),
        "{wanted}: {said:?}"
    );
}
