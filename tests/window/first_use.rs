//! What somebody meets who opens the window for the first time: limits that nothing meets, refused texts, titles, files.

use crate::support::window::{Window, now};
use egui::{Key, Modifiers, Rect, Theme};
use mantissa::gui::command::{Action, PathPurpose, UiCommand};
use mantissa::gui::state::{Field, View};
use mantissa::planner::{BatchRequest, Quantity, TrainRequest};
use mantissa::report;

fn limit(window: &mut Window, budget: Option<f64>, hours: Option<f64>) {
    let mut request = window.request();
    let limits = request.limits.get_or_insert_default();
    limits.budget_usd = budget;
    limits.deadline_h = hours;
    window.send(Action::Edit(Box::new(request), "limits"));
}

/// The lowest cost of the plan with the upper end of its interval.
fn cheapest(window: &Window) -> (f64, f64) {
    let plan = window.tab().plan().expect("a plan");
    let c = &plan.combinations[plan.answers.cheapest.expect("a price")];
    let cost = c.run().and_then(|run| run.cost_usd).expect("a price");
    (cost.value, cost.high)
}

#[test]
fn a_run_inside_the_limits_with_its_figures_alone_is_likely_not_certain() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    let (value, high) = cheapest(&window);
    assert!(high > value * 1.02);
    limit(&mut window, Some(value * 1.01), Some(9000.0));
    let outlook = window.tab().rows.outlook.expect("none is certain");
    assert!(outlook.likely > 0 && outlook.closest.is_none());
    assert_eq!(window.tab().selected, outlook.likeliest);
    assert!(
        window.shows("Likely, not certain: "),
        "{:?}",
        window.labels()
    );
    assert!(window.shows("No combination is sure to meet both limits"));
    assert!(window.shows("Likely in both"));
    let painted = window.painted();
    let counted = |text: &str| painted.iter().any(|(t, _)| t.contains(text));
    assert!(counted("0 within both, "), "{painted:?}");
    // With the upper end inside as well, nothing is said of likelihood.
    limit(&mut window, Some(high * 1.01), Some(9000.0));
    assert!(window.tab().rows.outlook.is_none());
    assert!(!window.shows("ikely"), "{:?}", window.labels());
}

#[test]
fn where_nothing_meets_the_limits_the_headline_says_by_how_much_and_what_would_be_enough() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    let (value, _) = cheapest(&window);
    limit(&mut window, Some((value * 0.3).round()), Some(9000.0));
    let outlook = window.tab().rows.outlook.expect("none meets them");
    assert_eq!(outlook.likely, 0);
    assert_eq!(window.tab().selected, outlook.closest);
    assert!(
        window.shows("No combination meets both limits; closest: "),
        "{:?}",
        window.labels()
    );
    assert!(window.shows(" over the budget"));
    assert!(
        !window.shows("Raise a limit"),
        "raising one is not always enough"
    );
    window.send(Action::Ui(UiCommand::Sensitivity));
    assert!(!window.shows("nothing qualifies"), "{:?}", window.labels());
    assert!(window.shows("would be enough"), "{:?}", window.labels());
    // What it offers, typed as it reads, is enough.
    let lines = window.tab().plan().expect("a plan").enough();
    let offered = lines[0]
        .text
        .strip_prefix("A budget of $")
        .and_then(|rest| rest.split(" would").next())
        .expect("a budget");
    window.type_into("Budget", offered);
    assert!(
        window.tab().plan().expect("a plan").within_limits > 0,
        "{offered}"
    );
}

#[test]
fn a_limit_on_what_is_unknown_says_so_instead_of_asking_for_more() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    let mut request = window.request();
    request.prices.get_or_insert_default().tier = Some("owned".to_owned());
    window.send(Action::Edit(Box::new(request), "prices"));
    assert!(window.shows("No price is known"), "{:?}", window.labels());
    assert!(!window.shows("Raise a limit"));
}

/// Texts with the part of them that is in sight.
fn in_sight(window: &Window) -> Vec<(String, Rect)> {
    let shapes = &window.harness.output().shapes;
    let texts = shapes.iter().filter_map(|clipped| match &clipped.shape {
        egui::Shape::Text(text) => Some((
            text.galley.text().to_owned(),
            text.visual_bounding_rect().intersect(clipped.clip_rect),
        )),
        _ => None,
    });
    texts.filter(|(_, rect)| rect.is_positive()).collect()
}

#[test]
fn unfolded_reasons_stand_below_the_rows_of_the_table() {
    for (width, height) in [(1200.0, 700.0), (1280.0, 800.0)] {
        let mut window = Window::open(width, height, Theme::Dark);
        let mut request = window.request();
        request.precisions.push("nvfp4".to_owned());
        request.precisions.push("fp16".to_owned());
        window.send(Action::Edit(Box::new(request), "precisions"));
        assert!(window.tab().rows.refused.len() > 4);
        window.send(Action::ExpandRefused(true));
        let texts = in_sight(&window);
        let head = texts.iter().find(|(text, _)| text == "Combinations");
        let head = head.expect("the table").1;
        let end = texts.iter().find(|(text, _)| text == "Fewer reasons");
        let end = end.expect("the button").1;
        let table = texts.iter().filter(|(text, r)| {
            let inside = r.left() >= head.left() - 1.0 && r.right() <= end.right() + 40.0;
            r.top() > head.bottom() && r.bottom() < end.bottom() + 8.0 && inside && !text.is_empty()
        });
        let table: Vec<_> = table.collect();
        assert!(table.len() > 20, "{table:?}");
        for (i, (a, place)) in table.iter().enumerate() {
            for (b, other) in &table[i + 1..] {
                let both = place.shrink(2.0).intersect(other.shrink(2.0));
                assert!(!both.is_positive(), "{a} over {b} at {width}: {both:?}");
            }
        }
    }
}

#[test]
fn a_title_nobody_wrote_follows_the_amount_and_a_written_one_stays() {
    let mut window = Window::usual();
    assert_eq!(window.tab().title(), "Llama 3 8B, 15 B tokens");
    window.type_into("Train for", "2 B");
    assert_eq!(window.tab().title(), "Llama 3 8B, 2 B tokens");
    window.type_into("Train for", "1 steps");
    assert_eq!(window.tab().title(), "Llama 3 8B, 1 step");
    window.send(Action::Ui(UiCommand::Undo));
    let mut request = window.request();
    request.title = Some("Spring run".to_owned());
    window.send(Action::Edit(Box::new(request), ""));
    window.type_into("Train for", "3 B");
    assert_eq!(window.tab().title(), "Spring run");
    // A file that kept an example's title beside another amount.
    let mut request = window.request();
    request.title = Some("Llama 3 8B, 15 B tokens".to_owned());
    window.send(Action::NewFrom(Box::new(request)));
    assert_eq!(
        window.tab().title(),
        "Llama 3 8B, 3B tokens".replace("3B", "3 B")
    );
}

#[test]
fn what_sets_a_field_clears_the_text_it_refused() {
    let mut window = Window::usual();
    window.type_into("Global batch", "128 apples");
    assert!(window.tab().drafts.contains_key(&Field::GlobalBatch));
    let mut request = window.request();
    request.batch = Some(BatchRequest {
        global: Some(64.0),
        per_gpu: None,
    });
    window.send(Action::Edit(Box::new(request), ""));
    assert!(window.tab().drafts.is_empty(), "{:?}", window.tab().drafts);
    // Another field's refused text is not what this one was set to.
    window.type_into("Budget", "lots");
    window.type_into("Train for", "3 B");
    assert!(window.tab().drafts.contains_key(&Field::Budget));
}

#[test]
fn fields_take_their_own_unit_scientific_notation_and_a_batch_in_tokens() {
    let mut window = Window::usual();
    let batch = |w: &Window| w.request().batch.and_then(|b| b.global);
    window.type_into("Global batch", "256 sequences");
    assert_eq!(batch(&window), Some(256.0));
    window.type_into("Global batch", "4M tokens");
    assert_eq!(batch(&window), Some(488.0));
    assert!(window.shows("rounded to 488"), "{:?}", window.labels());
    window.type_into("Sequence", "4096 tokens");
    assert_eq!(window.request().seq_len, Some(4096));
    assert!(!window.shows("rounded to 488") || batch(&window) == Some(488.0));
    window.type_into("Train for", "2e9");
    assert!(window.tab().drafts.is_empty(), "{:?}", window.tab().drafts);
    let plan = window.tab().plan().expect("a plan");
    assert_eq!(
        plan.request.length,
        mantissa::domain::TrainingLength::Tokens(2e9)
    );
}

#[test]
fn a_file_that_is_no_model_is_refused_where_it_was_chosen() {
    let mut window = Window::usual();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("bad.json"), [0u8, 159, 146, 150]).expect("a file");
    window.send(Action::Path(PathPurpose::OpenPlan, path("bad.json")));
    let state = window.harness.state().state();
    assert_eq!(state.tabs.len(), 1);
    assert!(state.path_problem.is_some(), "it is asked for again");
    window.send(Action::CloseDialog);
    let config = r#"{"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,
        "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
        "max_position_embeddings": 8192, "tie_word_embeddings": true}"#;
    std::fs::write(path("tiny-llama.json"), config).expect("a file");
    window.send(Action::Path(PathPurpose::OpenPlan, path("tiny-llama.json")));
    assert!(window.notice().starts_with("Read "), "{}", window.notice());
    assert!(window.notice().contains("16 layers"), "{}", window.notice());
    assert!(
        window.tab().title().starts_with("tiny-llama, "),
        "{}",
        window.tab().title()
    );
    assert!(
        window.shows("parameters, 16 layers"),
        "{:?}",
        window.labels()
    );
}

#[test]
fn a_typed_path_replaces_a_file_only_after_it_was_asked() {
    let mut window = Window::usual();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.csv");
    std::fs::write(&path, "mine").expect("a file");
    let text = path.display().to_string();
    window.send(Action::Path(PathPurpose::ExportCsv, text.clone()));
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), "mine");
    assert!(
        window.shows("A file of this name exists"),
        "{:?}",
        window.labels()
    );
    assert!(window.shows("Replace"));
    window.send(Action::Path(PathPurpose::ExportCsv, text));
    assert_ne!(std::fs::read_to_string(&path).expect("a file"), "mine");
}

#[test]
fn a_missing_data_set_is_asked_for_once() {
    let mut window = Window::usual();
    let mut request = window.request();
    request.train = TrainRequest {
        epochs: Some(Quantity::Number(3.0)),
        ..TrainRequest::default()
    };
    window.send(Action::Edit(Box::new(request), ""));
    let asked = window
        .painted()
        .into_iter()
        .filter(|(text, _)| text.contains("how many samples the data set has"))
        .count();
    assert_eq!(asked, 1, "{:?}", window.labels());
}

#[test]
fn a_comparison_names_the_count_of_devices_first_and_its_factors_multiply_to_the_whole() {
    let mut window = Window::open(2560.0, 1440.0, Theme::Dark);
    let plan = window.tab().plan().expect("a plan").clone();
    let find = |part: &str, count: u32| {
        plan.combinations.iter().position(|c| {
            c.accelerator.label.starts_with(part)
                && c.count == count
                && c.mode.label() == "FP8"
                && c.run().is_some()
        })
    };
    let (few, many) = (find("H100", 8), find("B200", 64));
    window.send(Action::TogglePin(few.expect("8 H100")));
    window.send(Action::TogglePin(many.expect("64 B200")));
    window.send(Action::SetView(View::Compare));
    let labels = window.labels();
    let why = labels
        .iter()
        .find(|l| l.contains("the baseline's speed"))
        .expect("a reason");
    let mut lines = why.lines();
    let number = |line: &str| {
        line.split_once('×')
            .and_then(|(n, _)| n.parse::<f64>().ok())
    };
    let whole = lines.next().and_then(number).expect("a whole");
    let factors: Vec<&str> = lines.filter(|l| number(l).is_some()).collect();
    assert_eq!(factors[0], "8.00× the accelerators (64 against 8)", "{why}");
    assert!(factors[1].contains("B200 against H100"), "{why}");
    let product: f64 = factors.iter().filter_map(|l| number(l)).product();
    assert!((product / whole - 1.0).abs() < 0.02, "{product}: {why}");
    assert!(
        why.contains("64 accelerators share it instead of 8, and each B200"),
        "{why}"
    );
    // Its names stay in sight while it scrolls.
    let titles = |w: &Window| {
        let seen = in_sight(w);
        seen.iter().any(|(text, _)| text == "Against the first")
    };
    assert!(titles(&window));
    for _ in 0..4 {
        window.send(Action::Ui(UiCommand::PageDown));
    }
    assert!(titles(&window));
}

#[test]
fn a_what_if_is_typed_and_moved_by_arrows() {
    let mut window = Window::usual();
    let price = |w: &Window| w.request().what_if.and_then(|w| w.price);
    window.type_into("Prices, factor", "-20 %");
    assert_eq!(price(&window), Some(0.8));
    window.type_into("Prices, factor", "9");
    assert_eq!(price(&window), Some(0.8));
    assert!(window.shows("From 0.25 to 4"), "{:?}", window.labels());
    window.palette("what if prices");
    assert_eq!(window.focused(), "Prices");
    window.key(Modifiers::NONE, Key::ArrowRight);
    assert!(
        price(&window).is_some_and(|p| p > 0.8),
        "{:?}",
        price(&window)
    );
}

#[test]
fn a_filter_that_is_being_typed_keeps_the_last_one_in_force() {
    let mut window = Window::usual();
    let type_on = |w: &mut Window, text: &str| w.send(Action::SetFilter(text.to_owned()));
    let all = window.tab().rows.shown.len();
    type_on(&mut window, "cost < 2k");
    let cheap = window.tab().rows.shown.len();
    assert!(cheap > 0 && cheap < all);
    for end in [
        " an",
        " and",
        " and pre",
        " and precision =",
        " and precision = f",
    ] {
        type_on(&mut window, &format!("cost < 2k{end}"));
        assert_eq!(window.tab().rows.shown.len(), cheap, "{end}");
    }
    type_on(&mut window, "cost < 2k and precision = fp8");
    let fp8 = window.tab().rows.shown.len();
    assert!(fp8 > 0 && fp8 < cheap);
}

#[test]
fn the_palette_finds_sections_by_common_words_and_adds_no_part_twice() {
    let mut window = Window::usual();
    for (word, title) in [
        ("schedule", "Go to: Precision schedule"),
        ("reserved", "Go to: How hours are bought"),
        ("carbon", "Go to: Region"),
        ("gpu", "Go to: Add accelerator"),
    ] {
        window.key(Modifiers::COMMAND, Key::K);
        window.send(Action::PaletteText(word.to_owned()));
        assert!(window.shows(title), "{word}: {:?}", window.labels());
        window.send(Action::CloseDialog);
    }
    window.key(Modifiers::COMMAND, Key::K);
    window.send(Action::PaletteText("h200".to_owned()));
    assert!(!window.shows("Add H200 SXM"), "{:?}", window.labels());
    window.send(Action::CloseDialog);
    window.palette("precision schedule");
    assert_eq!(window.focused(), "Phase");
}

#[test]
fn the_start_page_is_walked_by_keys_and_offers_a_blank_plan_and_this_one_again() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    window.type_into("Train for", "2 B");
    window.send(Action::Ui(UiCommand::NewPlan));
    assert_eq!(window.focused(), "Llama 3 8B, 15 B tokens");
    let painted = window.painted();
    let cut: Vec<_> = painted
        .iter()
        .filter(|(text, cut)| *cut && text.contains("precision m"))
        .collect();
    assert!(cut.is_empty(), "{cut:?}");
    window.key(Modifiers::NONE, Key::ArrowRight);
    let second = window.focused();
    assert_ne!(second, "Llama 3 8B, 15 B tokens");
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.tab().title(), second);
    window.send(Action::ShowTab(0));
    window.send(Action::Ui(UiCommand::NewPlan));
    window.press("Duplicate this plan");
    assert_eq!(window.tab().title(), "Llama 3 8B, 2 B tokens");
    assert_eq!(window.harness.state().state().tabs.len(), 3);
    window.send(Action::Ui(UiCommand::NewPlan));
    window.press("Blank plan");
    assert!(window.request().accelerators.is_empty());
    assert!(window.request().limits.is_none());
}

#[test]
fn a_layout_that_is_cut_is_read_whole_under_the_pointer() {
    let window = Window::open(1280.0, 800.0, Theme::Dark);
    let layout = {
        let tab = window.tab();
        let plan = tab.plan().expect("a plan");
        let run = plan.combinations[tab.selected.expect("a selection")].run();
        run.expect("it runs").layout.clone()
    };
    assert!(
        window.shows(&format!("Layout: {layout}")),
        "{:?}",
        window.labels()
    );
}

#[test]
fn reports_state_the_amount_of_training_and_what_no_run_meets() {
    let mut window = Window::usual();
    window.type_into("Train for", "2 B");
    let plan = window.tab().plan().expect("a plan").clone();
    let page = report::plan_html(&plan, &now()).replace('\u{202F}', " ");
    assert!(page.contains("trained for 2 B tokens, sequences of 8 192 tokens, 128 samples a step"));
    assert!(!page.contains("15 B tokens"));
    assert!(!page.contains("No combination is"));
    let json = report::plan_json(&plan);
    assert_eq!(json["train"]["tokens"], 2e9);
    assert_eq!(json["train"]["words"], "2000000000 tokens");
    limit(&mut window, Some(1.0), None);
    let plan = window.tab().plan().expect("a plan").clone();
    let page = report::plan_html(&plan, &now());
    assert!(page.contains("No combination meets the budget; closest: "));
}
