//! What a person asks of a plan: limits, how hours are bought, prices of one's own, and corrections from runs of one's
//! own; by label and by keyboard.

use crate::support::window::Window;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use mantissa::gui::Backend;
use mantissa::gui::command::{Action, PathPurpose, UiCommand};
use mantissa::gui::state::{CombinationKey, Field, Status};
use mantissa::planner::PredictedRun;

#[test]
fn what_is_typed_on_the_way_to_no_value_is_taken_back() {
    let mut window = Window::usual();
    let budget = |w: &Window| w.request().limits.and_then(|l| l.budget_usd);
    let before = budget(&window);
    window.type_into("Budget", "1");
    assert_eq!(budget(&window), Some(1.0));
    window.harness.get_by_label("Budget").type_text("e");
    window.settle();
    assert_eq!(budget(&window), before, "not the 1 of 1e30");
    let planned = window.tab().plan().expect("a plan");
    assert_eq!(planned.request.budget_usd, before);
    // A value that was finished before stays.
    window.type_into("Budget", "3 000");
    window.harness.get_by_label("Deadline").focus();
    window.harness.run();
    window.type_into("Budget", "much");
    assert_eq!(budget(&window), Some(3000.0));
}

#[test]
fn the_headline_follows_the_answer_and_another_selection_stays() {
    let mut window = Window::usual();
    let best = |w: &Window| w.tab().plan().expect("a plan").recommended();
    let first = best(&window);
    assert_eq!(window.tab().selected, first);
    // A deadline that the answer misses: the next answer is selected.
    window.type_into("Deadline", "5 h");
    assert_ne!(best(&window), first);
    assert_eq!(window.tab().selected, best(&window));
    // A row of one's own choice stays.
    let other = window.tab().plan().expect("a plan").answers.cheapest;
    assert_ne!(other, best(&window));
    window.send(Action::Select(other.expect("a cheapest one")));
    window.type_into("Deadline", "3 d");
    let chosen = window.tab().selected.expect("a selection");
    let plan = window.tab().plan().expect("a plan");
    assert_eq!(Some(chosen), plan.answers.cheapest);
}

#[test]
fn every_limit_is_set_counted_and_taken_back() {
    let mut window = Window::usual();
    let within = |w: &Window| w.tab().plan().expect("a plan").within_limits;
    let before = within(&window);
    assert!(window.shows("within both"));
    window.press("More limits");
    window.type_into("Energy limit", "0.45 MWh");
    let limits = window.request().limits.expect("limits");
    assert_eq!(limits.energy_kwh, Some(450.0));
    let less = within(&window);
    assert!(less > 0 && less < before, "{less} of {before}");
    assert!(window.shows(&format!("{less} within all limits")));
    // What is shown agrees with what the planner counts.
    window.send(Action::WithinOnly(true));
    assert_eq!(window.tab().rows.shown.len(), less);
    window.send(Action::WithinOnly(false));
    // The answer is one of those within.
    let plan = window.tab().plan().expect("a plan").clone();
    let best = plan.answers.within_limits.expect("an answer");
    assert!(plan.is_within(plan.combinations[best].run().expect("a run")));
    // Emissions are known of a place alone.
    window.type_into("CO₂e limit", "300 kg");
    assert!(window.shows("Without a region"));
    assert_eq!(within(&window), 0);
    window.type_into("Region", "us-east-1");
    assert!(!window.shows("Without a region"));
    // More of a part than can be had is refused by name.
    window.type_into("Available H100 SXM", "16");
    window.send(Action::ExpandRefused(true));
    assert!(window.shows("Only 16 of H100 SXM"));
    window.type_into("Available B200 SXM", "none of it");
    assert!(window.shows("is no number"));
    assert!(window.tab().drafts.contains_key(&Field::Available(2)));
    window.type_into("Free memory", "200");
    assert!(window.shows("Must be from 0 to 100"));
    window.type_into("Free memory", "20");
    // Each field is one step back.
    window.send(Action::Ui(UiCommand::Undo));
    let limits = window.request().limits.expect("limits");
    assert_eq!(limits.memory_headroom_percent, None);
    assert_eq!(limits.available.len(), 1);
    window.key(Modifiers::COMMAND, Key::Z);
    let limits = window.request().limits.expect("limits");
    assert!(limits.available.is_empty() && limits.energy_kwh == Some(450.0));
    window.press("Reset limits");
    assert_eq!(within(&window), before);
    assert!(window.tab().drafts.is_empty());
}

#[test]
fn an_energy_limit_alone_has_an_answer() {
    let mut window = Window::usual();
    let mut request = window.request();
    request.limits = Some(mantissa::planner::LimitsRequest {
        energy_kwh: Some(450.0),
        ..Default::default()
    });
    window.send(Action::Edit(Box::new(request), "limits"));
    let plan = window.tab().plan().expect("a plan").clone();
    assert!(plan.within_limits > 0 && plan.answers.within_limits.is_some());
    assert!(window.shows(&format!("{} within the limit", plan.within_limits)));
    assert!(window.shows("Within limits"));
}

#[test]
fn hours_are_reserved_owned_or_priced_by_hand() {
    let mut window = Window::usual();
    let usd = |w: &Window| {
        let plan = w.tab().plan().expect("a plan").clone();
        let c = plan
            .combinations
            .iter()
            .find(|c| c.accelerator.name == "H100-SXM5-80GB");
        let run = c.and_then(|c| c.run()).expect("a run");
        run.price.as_ref().map(|p| p.usd_per_hour)
    };
    let on_demand = usd(&window).expect("a price");
    assert!(window.shows("on demand"), "whose price it is");
    // One seller's price instead of the cheapest.
    window.press("From: The cheapest of each");
    window.harness.get_by_label_contains("AWS, from").click();
    window.settle();
    let sold = usd(&window).expect("a price");
    assert!(sold > on_demand, "{sold} {on_demand}");
    assert!(window.shows("AWS, on demand"), "whose price it is");
    window.press("Undo");
    assert_eq!(usd(&window), Some(on_demand));
    // The same list by keyboard: it opens on what holds, arrows move, Enter takes.
    window
        .harness
        .get_by_label("From: The cheapest of each")
        .focus();
    window.harness.run();
    window.key(Modifiers::NONE, Key::Enter);
    // Past every seller side by side.
    window.key(Modifiers::NONE, Key::ArrowDown);
    window.key(Modifiers::NONE, Key::ArrowDown);
    window.key(Modifiers::NONE, Key::Enter);
    let first = window.request().prices.and_then(|p| p.provider);
    assert_eq!(first.as_deref(), Some("aws"), "the first seller by name");
    window.press("Undo");
    // Reserved: no price without a discount.
    window.press("Bought: On demand");
    window.click("Reserved");
    assert_eq!(usd(&window), None);
    assert!(window.shows("Reserved prices are agreed by contract"));
    window.type_into("Discount", "40 %");
    let reserved = usd(&window).expect("a price");
    assert!((reserved / on_demand - 0.6).abs() < 1e-9);
    assert!(window.shows("less your discount"));
    // Owned: what one cost, and the power it draws.
    window.press("Bought: Reserved");
    window.click("Own hardware");
    assert_eq!(usd(&window), None);
    assert!(
        window
            .request()
            .prices
            .expect("prices")
            .reserved_discount_percent
            .is_none()
    );
    window.type_into("Electricity", "0.09");
    window.type_into("PUE", "1.3");
    window.type_into("Purchase price of H100 SXM", "$35 000");
    let owned = usd(&window).expect("a price");
    // 35 000 $ over 4 years at 80 % of the hours, and a few hundred watts.
    let hardware = 35_000.0 / (4.0 * 8766.0 * 0.8);
    assert!(
        owned > hardware && owned < hardware + 0.2,
        "{owned} {hardware}"
    );
    assert!(window.shows("Your own hardware"));
    window.type_into("Written off in", "5 years");
    assert!(usd(&window).expect("a price") < owned);
    window.type_into("PUE", "0.5");
    assert!(window.tab().error(Field::BuildingOverhead).is_some());
    window.type_into("PUE", "1.3");
    // A price of one's own goes before all.
    window.press("Own prices");
    window.type_into("Own price of H100 SXM", "2.25");
    assert_eq!(usd(&window), Some(2.25));
    assert!(window.shows("Your own price"));
    window.press("Reset software and site");
    assert_eq!(usd(&window), Some(on_demand));
}

#[test]
fn plans_are_calibrated_on_runs_of_ones_own_and_let_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = Window::usual();
    let selected = window.tab().selected.expect("a selection");
    // A run that is selected at first, and need not be when all take longer: its step, its whole time and cost.
    let figures = |w: &Window| {
        let plan = w.tab().plan().expect("a plan").clone();
        let run = plan.combinations[selected].run().expect("a run").clone();
        let cost = run.cost_usd.expect("a price").value;
        (
            run.prediction.step_time.value,
            run.total_time_h.value,
            cost,
            run,
        )
    };
    let before = figures(&window);
    window.send(Action::Ui(UiCommand::Calibrate));
    assert!(
        window.shows("Open a file of measured runs"),
        "nothing to calibrate on"
    );
    let runs = crate::support::window::slower_runs(folder.path(), 1.25);
    window.send(Action::Path(PathPurpose::OpenPlan, runs.clone()));
    // What was shown is what is calibrated on, whatever becomes of the file.
    std::fs::remove_file(runs).expect("a file");
    window.click("Calibrate on these runs");
    let profile = window.harness.state().state().calibration.clone();
    let profile = profile.expect("a calibration");
    assert!(profile.runs > 20);
    assert!(window.shows("Step times come out 2") && window.shows("mean error falls"));
    assert!(window.shows(&format!("Calibrated on {} runs of yours", profile.runs)));
    let after = figures(&window);
    let laid_out = |run: &PredictedRun| (run.configuration.count, run.configuration.strategy);
    assert_eq!(laid_out(&after.3), laid_out(&before.3));
    let factor = profile.factor(&after.3.configuration, &after.3.prediction);
    assert!(factor > 1.15 && factor < 1.3, "{factor}");
    assert!((after.0 / before.0 / factor - 1.0).abs() < 1e-9);
    assert!((after.1 / before.1 / factor - 1.0).abs() < 1e-3);
    assert!((after.2 / before.2 / factor - 1.0).abs() < 1e-3);
    assert!(window.shows("Your calibration"), "no bar in the waterfall");
    // Kept in a file, taken away, and opened again.
    let path = folder.path().join("mine.toml").display().to_string();
    window.send(Action::Path(PathPurpose::SaveCalibration, path.clone()));
    window.press("Remove the calibration");
    assert_eq!(figures(&window).0, before.0);
    assert!(!window.shows("Calibrated on"));
    window.send(Action::Path(PathPurpose::OpenPlan, path));
    assert_eq!(figures(&window).0, after.0);
    // It outlives the window.
    let storage = window.stored();
    let ctx = egui::Context::default();
    let again =
        mantissa::gui::MantissaApp::new(&ctx, Some(&storage), crate::support::window::backend());
    assert_eq!(again.state().calibration, Some(profile));
    // And nothing of it stays once it was removed, until it is put back.
    window.send(Action::Ui(UiCommand::RemoveCalibration));
    assert_eq!(figures(&window).0, before.0);
    let storage = window.stored();
    let again =
        mantissa::gui::MantissaApp::new(&ctx, Some(&storage), crate::support::window::backend());
    assert_eq!(again.state().calibration, None);
    window.send(Action::Ui(UiCommand::PutCalibrationBack));
    assert_eq!(figures(&window).0, after.0);
}

#[test]
fn each_pipeline_stage_shows_its_memory() {
    let mut window = Window::usual();
    assert!(!window.shows("By pipeline stage"));
    let mut request = window.request();
    request.model = "llama-3-70b".into();
    request.counts = vec![64];
    request.strategy = Some(mantissa::planner::StrategyRequest::Fixed(
        mantissa::planner::FixedStrategy {
            tp: Some(4),
            pp: Some(4),
            ..Default::default()
        },
    ));
    window.send(Action::Edit(Box::new(request), "strategy"));
    assert!(window.shows("is the fullest"));
    assert!(window.shows("Stage 4"));
    assert!(window.shows("Largest micro-batch that fits"));
}

#[test]
fn the_largest_batch_that_fits_is_taken_by_a_click_and_by_command() {
    let mut window = Window::usual();
    let each = |w: &Window| w.request().batch.expect("a batch").per_gpu;
    let examples = crate::support::window::backend().examples();
    let images = examples.into_iter().find(|r| r.model == "resnet50");
    window.send(Action::NewFrom(Box::new(images.expect("an example"))));
    window.type_into("Batch each", "1");
    let offer = |w: &Window| {
        let found = w
            .labels()
            .into_iter()
            .find(|l| l.starts_with("Set the batch to "));
        found.map(|l| l.replace(|c: char| !c.is_ascii_digit() && c != '.', ""))
    };
    let offered = offer(&window).expect("an offer");
    let largest: f64 = offered.parse().expect("a number");
    assert!(largest > 1.0, "{largest}");
    window.press(&format!("Set the batch to {offered} per accelerator"));
    assert_eq!(each(&window), Some(largest));
    // The device is full: the layout takes as many samples at once as were offered, or a faster one does.
    let run = |w: &Window| {
        let plan = w.tab().plan().expect("a plan").clone();
        let run = plan.combinations[w.tab().selected.expect("a selection")].run();
        run.expect("a run").clone()
    };
    let strategy = run(&window).configuration.strategy;
    assert_eq!(
        strategy.global_batch(),
        largest * f64::from(strategy.devices())
    );
    // One step back, whatever was typed into the field before and after.
    window.type_into("Batch each", "3");
    window.send(Action::Ui(UiCommand::Undo));
    assert_eq!(each(&window), Some(largest));
    window.send(Action::Ui(UiCommand::Undo));
    assert_eq!(each(&window), Some(1.0));
    window.send(Action::Ui(UiCommand::LargestBatch));
    assert_eq!(each(&window), Some(largest));
    // A batch far above what fits at once has no offer, and the command says so.
    window.type_into("Batch each", "1000");
    let now = each(&window);
    assert_eq!((offer(&window), now), (None, Some(1000.0)));
    window.send(Action::Ui(UiCommand::LargestBatch));
    assert!(window.notice().contains("No larger batch fits"));
    assert_eq!(each(&window), now);
    // What must stay free is not offered.
    window.type_into("Batch each", "1");
    window.press("More limits");
    window.type_into("Free memory", "30");
    let less: f64 = offer(&window).expect("an offer").parse().expect("a number");
    assert!(less < largest, "{less} of {largest}");
}

#[test]
fn an_error_of_a_price_shows_in_its_row_whatever_the_part_is_called() {
    let mut window = Window::usual();
    let mut request = window.request();
    let prices = request.prices.get_or_insert_default();
    prices.own_usd_per_hour.insert("H100 SXM5".into(), -2.0);
    prices.own_usd_per_hour.insert("K80 of mine".into(), 1.0);
    window.send(Action::Edit(Box::new(request), "prices"));
    assert!(matches!(window.tab().status, Status::Failed(_)));
    let message = "-2 is not allowed; allowed: a number above 0";
    let field = window.harness.get_by_label("Own price of H100 SXM").rect();
    let problem = window.harness.get_by_label(message).rect();
    assert!(
        (0.0..12.0).contains(&(problem.top() - field.bottom())),
        "{field} {problem}"
    );
    // A part that nobody knows has no row; its error stands below them.
    assert!(window.shows("K80 of mine: "));
    // What is typed into the row takes the place of the price, under whatever name.
    window.type_into("Own price of H100 SXM", "2.25");
    let prices = window.request().prices.expect("prices").own_usd_per_hour;
    assert_eq!(prices.get("H100-SXM5-80GB"), Some(&2.25));
    assert!(!prices.contains_key("H100 SXM5") && !window.shows(message));
}

#[test]
fn the_largest_batch_keeps_the_kind_of_batch_that_was_asked() {
    let mut window = Window::usual();
    window.type_into("Sequence", "512");
    window.type_into("Global batch", "64");
    let plan = window.tab().plan().expect("a plan").clone();
    let selected = window.tab().selected.expect("a selection");
    let key = CombinationKey::of(&plan.combinations[selected]);
    let offers = window.labels();
    let offer = offers
        .iter()
        .find(|l| l.starts_with("Set the global batch to "));
    let offer = offer.expect("an offer").clone();
    let offered: f64 = offer
        .replace(|c: char| !c.is_ascii_digit(), "")
        .parse()
        .expect("a number");
    window.press(&offer);
    let batch = window.request().batch.expect("a batch");
    assert_eq!((batch.global, batch.per_gpu), (Some(offered), None));
    assert!(window.shows("Global batch"));
    // The combination it was offered for fills it; the answer, and the selection with it, may be another now.
    let plan = window.tab().plan().expect("a plan").clone();
    let same = key.find(&plan).expect("the combination");
    let run = plan.combinations[same].run().expect("a run");
    assert_eq!(run.configuration.strategy.global_batch(), offered);
    window.send(Action::Ui(UiCommand::Undo));
    assert_eq!(window.request().batch.and_then(|b| b.global), Some(64.0));
}

#[test]
fn an_uneven_batch_each_is_offered_whole_ones_each() {
    let mut window = Window::usual();
    let examples = crate::support::window::backend().examples();
    let images = examples.into_iter().find(|r| r.model == "resnet50");
    window.send(Action::NewFrom(Box::new(images.expect("an example"))));
    window.type_into("Batch each", "12.3");
    assert!(
        window.shows("does not divide over"),
        "{:?}",
        window.labels()
    );
    window.harness.get_by_label("Use 12 each").hover();
    window.harness.run();
    window.press("Use 13 each");
    let batch = window.request().batch.expect("a batch");
    assert_eq!((batch.global, batch.per_gpu), (None, Some(13.0)));
    assert!(!window.shows("does not divide over"));
}

#[test]
fn several_counts_are_typed_at_once_and_undone_at_once() {
    let mut window = Window::usual();
    let before = window.request().counts;
    window.type_into("Another count", "12, 24 96,1 536");
    window.key(Modifiers::NONE, Key::Enter);
    let mut wanted = before.clone();
    wanted.extend([12, 24, 96, 1536]);
    wanted.sort_unstable();
    assert_eq!(window.request().counts, wanted);
    for count in [12, 24, 96, 1536] {
        assert!(
            window.shows(&format!("{count} accelerators")),
            "{count} has no chip"
        );
    }
    window.key(Modifiers::COMMAND, Key::Z);
    assert_eq!(window.request().counts, before);
    // What is wrong is named, and nothing of the list is taken.
    window.type_into("Another count", "12, many, 24");
    window.key(Modifiers::NONE, Key::Enter);
    assert!(window.shows("“many” is no count. Allowed: whole numbers from 1 to 1 000 000"));
    assert_eq!(window.request().counts, before);
}

#[test]
fn adapters_stay_where_the_model_takes_them_and_their_loss_is_told() {
    let mut window = Window::usual();
    window.press("Trained: All weights");
    window.click("QLoRA, rank 16");
    let adapters = window.request().fine_tune;
    assert!(adapters.is_some());
    window.palette("llama-3-70b");
    assert_eq!(window.request().model, "llama-3-70b");
    assert_eq!(window.request().fine_tune, adapters);
    assert!(!window.notice().contains("weights"), "{}", window.notice());
    let before = window.request();
    window.palette("resnet50");
    assert_eq!(window.request().model, "resnet50");
    assert_eq!(window.request().fine_tune, None);
    let told = window.notice();
    assert!(
        told.contains("all weights: QLoRA is for models of sequences"),
        "{told}"
    );
    assert!(told.contains("Undo takes it all back"), "{told}");
    window.key(Modifiers::COMMAND, Key::Z);
    assert_eq!(window.request(), before);
    // Where the length may stay the adapters alone are told of.
    let mut request = window.request();
    request.train = mantissa::planner::TrainRequest {
        epochs: Some(mantissa::planner::Quantity::Number(90.0)),
        samples: Some(mantissa::planner::Quantity::Text("1,281,167".into())),
        ..Default::default()
    };
    window.send(Action::Edit(Box::new(request), "train"));
    window.palette("resnet50");
    assert!(
        window
            .notice()
            .contains("QLoRA is for models of sequences. Undo brings both back"),
        "{}",
        window.notice()
    );
}

#[test]
fn a_deadline_may_be_a_day_and_runs_say_on_which_they_are_done() {
    let mut window = Window::usual();
    // The window's clock stands at noon of Sunday 22 November 2026.
    assert!(window.shows("Done on "));
    assert!(window.shows("if it starts now"));
    window.type_into("Deadline", "2026-11-30");
    let deadline = |window: &Window| window.tab().plan().expect("a plan").request.deadline_h;
    assert_eq!(deadline(&window), Some(203.9));
    let left = format!("{} from now", mantissa::format::hours(203.9));
    assert!(window.shows(&left), "{left}");
    // The day stays a day, in the field and in the file.
    let day = |window: &Window| window.request().limits.expect("limits").deadline_day;
    assert_eq!(day(&window).as_deref(), Some("2026-11-30"));
    // A day that is over is refused, and the deadline stays.
    window.harness.get_by_label("Budget").focus();
    window.harness.run();
    let painted = window.painted();
    assert!(painted.iter().any(|(text, _)| text == "Mon 30 Nov 2026"));
    window.type_into("Deadline", "2026-11-21");
    assert!(window.shows("2026-11-21 is over"));
    assert_eq!(deadline(&window), Some(203.9));
    window.type_into("Deadline", "2 d");
    assert_eq!(deadline(&window), Some(48.0));
    assert_eq!(day(&window), None);
}

#[test]
fn the_inspector_says_how_cost_and_energy_come_about() {
    let window = Window::usual();
    assert!(window.shows("Cost: "));
    assert!(window.shows("/h × "));
    // Whoever multiplies it out comes to the cost.
    let labels = window.labels();
    let line = labels
        .iter()
        .find(|l| l.starts_with("Cost: "))
        .expect("a line");
    let figures: Vec<f64> = (line["Cost: ".len()..].split([' ', '\u{202F}', '/', '$', ';']))
        .filter_map(|piece| piece.trim_end_matches('h').parse().ok())
        .collect();
    let [count, price, hours, ..] = figures[..] else {
        panic!("{line}")
    };
    let plan = window.tab().plan().expect("a plan");
    let run = plan.combinations[window.tab().selected.expect("one")].run();
    let cost = run.and_then(|run| run.cost_usd).expect("a cost").value;
    assert!(
        (count * price * hours / cost - 1.0).abs() < 1e-3,
        "{line} {cost}"
    );
    assert!(window.shows("W each on average"));
}

#[test]
fn epochs_of_an_image_classifier_are_of_imagenet_until_another_data_set_is_said() {
    let mut window = Window::usual();
    window.send(Action::SetModel("resnet50".to_owned()));
    window.type_into("Train for", "100k steps");
    window.harness.get_by_label("Budget").focus();
    window.harness.run();
    window.type_into("Train for", "30 epochs");
    assert!(window.shows("Data set"));
    let plan = window.tab().plan().expect("a plan");
    let samples = plan
        .request
        .request
        .train
        .samples
        .as_ref()
        .expect("samples");
    assert!(
        samples.text().replace([',', ' '], "").contains("1281167"),
        "{}",
        samples.text()
    );
}
