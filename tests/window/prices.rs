//! Prices, sources and grids in the window: every seller side by side, what stands behind a figure, other regions.

use crate::support::window::Window;
use egui_kittest::kittest::Queryable;
use mantissa::gui::command::{Action, UiCommand};
use mantissa::gui::rows::Column;
use mantissa::gui::state::CombinationKey;
use mantissa::planner::PriceRequest;
use mantissa::presets::seller_label;
use mantissa::report::{CsvForm, plan_csv};

fn every_seller(window: &mut Window) {
    let mut request = window.request();
    request.prices = Some(PriceRequest {
        every_seller: true,
        ..PriceRequest::default()
    });
    window.send(Action::Edit(Box::new(request), "prices.provider"));
}

#[test]
fn every_seller_of_a_part_has_a_point_and_a_row() {
    let mut window = Window::usual();
    let before = window.plan();
    assert!(before.combinations.iter().all(|c| c.seller.is_none()));
    let pinned = window.tab().selected.expect("a selection");
    window.send(Action::TogglePin(pinned));
    // By the field of the request.
    window.press("From: The cheapest of each");
    window.click("Every seller, side by side");
    let request = window.request();
    assert!(request.prices.is_some_and(|p| p.every_seller));
    let after = window.plan();
    assert!(after.combinations.len() > 3 * before.combinations.len());
    assert_eq!(window.tab().pinned.len(), 1, "the pin did not come along");
    // The first offer of each is what stood there alone; the others differ in price alone.
    let first: Vec<_> = (0..after.combinations.len())
        .filter(|i| !after.is_another_offer(*i))
        .map(|i| &after.combinations[i])
        .collect();
    assert_eq!(first.len(), before.combinations.len());
    for (was, is) in before.combinations.iter().zip(first) {
        let cost = |c: &mantissa::planner::Combination| c.run().and_then(|r| r.cost_usd);
        assert_eq!(cost(was), cost(is));
    }
    let mut offers = 0;
    for (i, c) in after.combinations.iter().enumerate() {
        if !after.is_another_offer(i) {
            continue;
        }
        offers += 1;
        let (a, b) = (&after.combinations[i - 1], c);
        let (a, b) = (a.run().expect("a run"), b.run().expect("a run"));
        assert_eq!(a.total_time_h, b.total_time_h);
        let (a, b) = (a.price.as_ref(), b.price.as_ref());
        let (a, b) = (a.expect("a price"), b.expect("a price"));
        assert_ne!(a.provider, b.provider);
        assert_eq!(Some(&b.provider), c.seller.as_ref());
        assert!(!b.source.is_empty() && !b.date.is_empty());
    }
    assert!(offers > 100, "{offers}");
    // Named in the table, found by the filter, sorted, and in the CSV.
    assert!(window.shows("Sort by Seller"));
    window.send(Action::SetFilter("vast".into()));
    let tab = window.tab();
    assert!(!tab.rows.shown.is_empty());
    for i in &tab.rows.shown {
        assert_eq!(after.combinations[*i].seller.as_deref(), Some("vast"));
    }
    assert!(window.shows(", Vast.ai"), "no row names its seller");
    window.send(Action::Ui(UiCommand::ClearFilter));
    window.send(Action::SortBy(Column::Seller));
    let names: Vec<_> = window.tab().rows.shown.iter().collect();
    let names: Vec<_> = names
        .iter()
        .map(|i| after.combinations[**i].seller.clone())
        .collect();
    assert!(names.is_sorted());
    let csv = plan_csv(&after, CsvForm::Point);
    assert!(csv.lines().filter(|l| l.contains("\"vast\"")).count() > 10);
    // Another offer is another selection, and one step of undo brings the cheapest alone back.
    let key = |i: usize| CombinationKey::of(&after.combinations[i]);
    let offer = (0..after.combinations.len()).find(|i| after.is_another_offer(*i));
    assert_ne!(key(offer.expect("an offer")), key(offer.expect("one") - 1));
    window.send(Action::Ui(UiCommand::Undo));
    assert_eq!(window.plan().combinations.len(), before.combinations.len());
    window.send(Action::Ui(UiCommand::EverySeller));
    assert_eq!(window.plan().combinations.len(), after.combinations.len());
    window.send(Action::Ui(UiCommand::EverySeller));
    assert_eq!(window.plan().combinations.len(), before.combinations.len());
    assert_eq!(window.tab().pinned.len(), 1);
}

#[test]
fn other_views_show_a_run_once_whoever_sells_it() {
    let mut window = Window::usual();
    let rows = |w: &mut Window| {
        w.send(Action::Ui(UiCommand::ShowBreakdown));
        let labels = w.labels().into_iter();
        labels.filter(|l| l.starts_with("Step of ")).count()
    };
    let before = rows(&mut window);
    every_seller(&mut window);
    assert_eq!(rows(&mut window), before);
}

#[test]
fn a_price_names_its_instance_and_region_where_its_source_does() {
    let window = Window::usual();
    let plan = window.plan();
    let priced = plan
        .combinations
        .iter()
        .filter_map(|c| c.run()?.price.as_ref());
    assert!(priced.clone().all(|p| p.instance.is_some()));
    let selected = window.tab().selected.expect("a selection");
    let run = plan.combinations[selected].run().expect("a run");
    let price = run.price.as_ref().expect("a price");
    let instance = price.instance.as_ref().expect("an instance");
    assert!(window.shows(instance), "{instance} is not beside the price");
    let csv = plan_csv(&plan, CsvForm::Point);
    let head = csv.lines().next().expect("a head");
    let added = "\"price_instance\",\"price_region\",\"within_limits\",\"answers\",\"request_adapter_rank\",\
                 \"request_decoder_tokens\"";
    assert!(head.ends_with(added), "{head}");
    assert!(csv.contains(&format!("\"{instance}\"")));
    let region = priced.filter_map(|p| p.region.as_ref()).next();
    assert!(region.is_some_and(|r| csv.contains(&format!("\"{r}\""))));
}

/// What the window asks the desktop to do after a click.
fn commands(window: &mut Window, label: &str) -> Vec<egui::OutputCommand> {
    // The same source may stand in several places.
    let node = window.harness.query_all_by_label(label).next();
    node.expect("a widget").click_accesskit();
    let mut found = Vec::new();
    for _ in 0..4 {
        window.harness.step();
        found.extend(window.harness.output().platform_output.commands.clone());
    }
    found
}

#[test]
fn sources_open_in_the_browser_and_their_addresses_are_copied() {
    let mut window = Window::usual();
    window.send(Action::Ui(UiCommand::ShowEvidence));
    let labels = window.labels();
    assert!(
        !labels
            .iter()
            .any(|l| l.starts_with("Open ") && l.contains("HEAD"))
    );
    let link = labels
        .iter()
        .find(|l| l.starts_with("Open ") && l.contains(" at "))
        .expect("a source with its commit")
        .clone();
    let words = link.trim_start_matches("Open ").to_owned();
    let commit = words.rsplit(' ').next().expect("a commit").to_owned();
    let asked = commands(&mut window, &link);
    let opened = asked.iter().find_map(|c| match c {
        egui::OutputCommand::OpenUrl(open) => Some(open.url.clone()),
        _ => None,
    });
    let opened = opened.expect("an address");
    assert!(opened.starts_with("https://github.com/") && opened.contains(&commit));
    commands(&mut window, &format!("Copy the address of {words}"));
    assert_eq!(window.notice(), "Copied the address");
    // The price beside the selection.
    let plan = window.plan();
    let run = plan.combinations[window.tab().selected.expect("one")].run();
    let price = run.and_then(|r| r.price.clone()).expect("a price");
    let date = format!("read {}", price.date);
    let labels = window.labels();
    let label = labels
        .iter()
        .find(|l| l.starts_with("Open ") && (l.contains(&date) || !l.contains(", commit not")))
        .expect("a link of the price")
        .clone();
    assert!(
        commands(&mut window, &label)
            .iter()
            .any(|c| matches!(c, egui::OutputCommand::OpenUrl(_)))
    );
}

#[test]
fn emissions_are_compared_over_the_grids_that_ship() {
    let mut window = Window::usual();
    let kg = |w: &Window| {
        let plan = w.plan();
        let run = plan.combinations[w.tab().selected.expect("one")].run();
        run.and_then(|r| r.co2e_kg)
    };
    let line = |w: &Window, name: &str| {
        let start = format!("{name} region, ");
        w.labels().into_iter().find(|l| l.starts_with(&start))
    };
    for name in ["Cleanest", "Median", "Dirtiest"] {
        assert!(line(&window, name).is_some(), "no {name}");
    }
    // What it says of a region is what a plan for that region says.
    for name in ["Cleanest", "Dirtiest"] {
        let text = line(&window, name).expect("a line");
        let region = text.split([',', ':']).nth(1).expect("a region").trim();
        let region = region.rsplit(' ').next().expect("a word").to_owned();
        let amount = text.rsplit(": ").next().expect("an amount").to_owned();
        let mut request = window.request();
        request.region = Some(region.clone());
        window.send(Action::Edit(Box::new(request), "region"));
        if window
            .tab()
            .plan()
            .expect("a plan")
            .request
            .grid
            .as_ref()
            .map(|g| &g.region)
            != Some(&region)
        {
            continue;
        }
        let said = mantissa::format::emissions(mantissa::units::KgCo2e(kg(&window).expect("kg")));
        assert_eq!(amount, format!("{said} CO\u{2082}e"), "{region}");
        assert!(line(&window, "Chosen").expect("a line").contains(&amount));
    }
}

#[test]
fn two_sellers_of_a_run_are_compared_by_their_prices_alone() {
    let mut window = Window::usual();
    every_seller(&mut window);
    let all = window.plan();
    let offer = (0..all.combinations.len()).find(|i| all.is_another_offer(*i));
    let offer = offer.expect("an offer");
    for index in [offer, offer - 1] {
        window.send(Action::TogglePin(index));
    }
    window.send(Action::Ui(UiCommand::ShowCompare));
    let cost = |i: &usize| {
        let run = all.combinations[*i].run().expect("a run");
        run.cost_usd.expect("a cost").value
    };
    let mut pair = [offer, offer - 1];
    pair.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    let seller = all.combinations[pair[0]].seller_label();
    let seller = seller.expect("a seller");
    let labels = window.labels();
    let text = labels.join("\n");
    let painted: Vec<String> = window.painted().into_iter().map(|p| p.0).collect();
    let painted = painted.join("\n");
    let lead = format!(" from {seller} is the cheaper of the two");
    assert!(painted.contains(&lead) || text.contains(&lead), "{painted}");
    for part in [
        "comes next",
        "this order holds whatever a step takes",
        "Time and energy are the baseline's",
    ] {
        assert!(
            painted.contains(part) || text.contains(part),
            "{part}: {painted}"
        );
    }
    for wrong in ["quicker", "0 s longer", "measure a step"] {
        assert!(!painted.contains(wrong), "{wrong}: {painted}");
    }
}

#[test]
fn what_a_what_if_changes_is_named_by_its_kind() {
    use mantissa::planner::{OwnedRequest, WhatIfRequest};
    let mut window = Window::usual();
    let mut open = |prices: PriceRequest| {
        let mut request = window.request();
        let part = "H100-SXM5-80GB".to_owned();
        request.accelerators = vec![part.clone()];
        request.region = Some("us-east-1".into());
        request.prices = Some(prices);
        request.what_if = Some(WhatIfRequest {
            price: Some(1.5),
            ..WhatIfRequest::default()
        });
        window.send(Action::NewFrom(Box::new(request)));
        let labels = window.labels();
        let told: Vec<String> = labels
            .into_iter()
            .filter(|l| l.contains("times 1.50 by What if"))
            .collect();
        assert_eq!(told.len(), 1, "{told:?}");
        told[0].clone()
    };
    let tier = |tier: &str| PriceRequest {
        tier: Some(tier.into()),
        ..PriceRequest::default()
    };
    assert!(open(tier("on-demand")).starts_with("Listed at $"));
    assert!(open(tier("on-demand")).contains("on demand"));
    assert!(open(tier("spot")).contains("on the spot market"));
    let reserved = open(PriceRequest {
        reserved_discount_percent: Some(40.0),
        ..tier("reserved")
    });
    assert!(
        reserved.contains("after your discount") && !reserved.contains("Listed"),
        "{reserved}"
    );
    let owned = open(PriceRequest {
        owned: Some(OwnedRequest {
            years: 4.0,
            use_percent: 80.0,
            usd_per_kwh: Some(0.12),
            pue: Some(1.2),
            usd_per_accelerator: [("H100-SXM5-80GB".to_owned(), 35_000.0)].into(),
            ..OwnedRequest::default()
        }),
        ..tier("owned")
    });
    assert!(owned.starts_with("Your own hardware comes to $"), "{owned}");
    let own = open(PriceRequest {
        own_usd_per_hour: [("H100-SXM5-80GB".to_owned(), 2.0)].into(),
        ..PriceRequest::default()
    });
    assert!(own.starts_with("Your own price is $2.00/h"), "{own}");
}

#[test]
fn a_point_that_stands_for_several_sellers_passes_with_any_of_them() {
    let mut window = Window::usual();
    every_seller(&mut window);
    window.click("Axes: Cost against time, log");
    window.harness.event(egui::Event::Text("m".into()));
    window.settle();
    window.key(egui::Modifiers::NONE, egui::Key::Enter);
    window.key(egui::Modifiers::NONE, egui::Key::Escape);
    assert!(window.shows("Memory each against time"));
    let plan = window.plan();
    // A seller that is never the cheapest of a part is another offer wherever it sells.
    let is_first = |seller: &str| {
        (0..plan.combinations.len()).any(|i| {
            !plan.is_another_offer(i) && plan.combinations[i].seller.as_deref() == Some(seller)
        })
    };
    let mut sellers: Vec<&str> = plan
        .combinations
        .iter()
        .filter_map(|c| c.seller.as_deref())
        .collect();
    sellers.sort_unstable();
    sellers.dedup();
    let second = sellers
        .into_iter()
        .find(|s| !is_first(s))
        .expect("a second seller")
        .to_owned();
    window.type_into("Filter", &format!("{second} h100"));
    let shown = window.tab().rows.shown.clone();
    assert!(!shown.is_empty() && shown.iter().all(|i| plan.is_another_offer(*i)));
    let told = format!("{} pass the filter", shown.len());
    assert!(
        window.shows(&told),
        "{told}: {:?}",
        window
            .labels()
            .iter()
            .filter(|l| l.contains("against"))
            .collect::<Vec<_>>()
    );
    // What is selected in the table has the ring of its point and its own seller in the callout.
    window.send(Action::Select(shown[1]));
    let painted = window.painted();
    let called = format!(", {}", seller_label(&second));
    assert!(
        painted.iter().any(|(text, _)| text.contains(&called)),
        "no callout of {second}"
    );
    window.send(Action::Ui(UiCommand::ClearFilter));
    assert!(!window.shows("pass the filter"));
}
