//! What leaves the window says what the window says: the printed page, CSV and JSON.

use crate::support::window::{Window, edit, now};
use mantissa::format;
use mantissa::gui::command::{Action, PathPurpose};
use mantissa::planner::{Plan, PriceRequest};
use mantissa::report::{self, ColumnFigure, ColumnUnits, CsvForm};

/// A budget that the cheapest run meets with its cost, not with the upper end of it.
fn likely_budget(plan: &Plan) -> f64 {
    let cheapest = &plan.combinations[plan.answers.cheapest.expect("a price")];
    let cost = cheapest.run().and_then(|run| run.cost_usd);
    cost.expect("a price").value * 1.01
}

#[test]
fn the_printed_page_qualifies_its_headline_as_the_window_does() {
    let mut window = Window::usual();
    // A mode of which every prediction warns.
    edit(&mut window, |r| {
        r.counts = vec![512];
        r.precisions = vec!["bf16".into()];
        r.limits = None;
    });
    let budget = likely_budget(&window.plan());
    edit(&mut window, |r| {
        r.limits.get_or_insert_default().budget_usd = Some(budget);
    });
    let plan = window.plan();
    let page = report::plan_html(&plan, &now());
    let outlook = plan.outlook().expect("none is certain");
    assert!(outlook.likely > 0);
    let at = plan.recommended().expect("one");
    assert_eq!(window.tab().selected, Some(at));
    let chosen = &plan.combinations[at];
    let run = chosen.run().expect("it runs");
    for words in [
        "Likely, not certain: ",
        "No combination is sure to meet the budget: the upper end of this one's interval",
        "does not state whether 512 can be had",
    ] {
        assert!(window.shows(words), "the window: {words}");
        assert!(page.contains(words), "the page: {words}");
    }
    assert!(window.shows("Likely in budget") && page.contains(">Likely in budget <"));
    let cost = run.cost_usd.expect("a price");
    let [low, high] = [cost.low, cost.high].map(mantissa::units::Usd);
    let range = format::money_interval(low, high);
    assert!(window.shows(&range) && page.contains(&range), "{range}");
    // Whatever stands above the figures of the inspector stands below the headline of the page.
    let cautions = plan.cautions(chosen);
    assert!(!cautions.is_empty());
    for caution in cautions {
        assert!(window.shows(&caution), "the window: {caution}");
        let escaped = caution.replace('&', "&amp;").replace('<', "&lt;");
        assert!(page.contains(&escaped), "the page: {caution}");
    }
}

/// Cells of a column of a CSV, by line.
fn column(text: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().expect("a head").clone();
    let at = head.iter().position(|h| h == name).expect(name);
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| row[at].to_owned()).collect()
}

#[test]
fn rows_of_files_say_which_answers_they_are_and_how_they_stand_to_the_limits() {
    let mut window = Window::usual();
    let check = |plan: &Plan, expect: &str| {
        let text = report::plan_csv(plan, CsvForm::Point);
        let within = column(&text, "within_limits");
        let answers = column(&text, "answers");
        let json = report::plan_json(plan);
        let marked = |key: &str| {
            let is = |cell: &String| cell.split(' ').any(|k| k == key);
            answers.iter().position(is)
        };
        assert_eq!(marked("fastest"), plan.answers.fastest);
        assert_eq!(marked("cheapest"), plan.answers.cheapest);
        assert_eq!(marked("greenest"), plan.answers.greenest);
        assert_eq!(marked(expect), plan.recommended(), "{expect}");
        assert_eq!(json["answers"][expect], marked(expect).expect("one"));
        let count = |word: &str| within.iter().filter(|w| *w == word).count();
        assert_eq!(count("yes"), plan.within_limits);
        for (at, (within, answers)) in within.iter().zip(&answers).enumerate() {
            let row = &json["combinations"][at];
            assert_eq!(row["within_limits"].as_str().unwrap_or_default(), within);
            let keys = row["answers"].as_array().map_or(0, Vec::len);
            assert_eq!(keys, answers.split_whitespace().count());
        }
        count("likely")
    };
    edit(&mut window, |r| r.limits = None);
    let free = window.plan();
    let text = report::plan_csv(&free, CsvForm::Point);
    assert!(column(&text, "within_limits").iter().all(String::is_empty));
    let budget = |window: &mut Window, usd: f64| {
        edit(window, |r| {
            r.limits.get_or_insert_default().budget_usd = Some(usd);
        });
        window.plan()
    };
    let likely = likely_budget(&free);
    check(&budget(&mut window, 10.0 * likely), "within_limits");
    let some = budget(&mut window, likely);
    let outlook = some.outlook().expect("none is certain");
    assert_eq!(check(&some, "likely_within_limits"), outlook.likely);
    assert_eq!(check(&budget(&mut window, 1.0), "closest_to_limits"), 0);
}

#[test]
fn the_printed_table_has_one_unit_a_column_and_sellers_their_names() {
    let mut window = Window::usual();
    edit(&mut window, |r| {
        r.accelerators.truncate(2);
        r.counts = vec![8, 256];
        r.prices = Some(PriceRequest {
            every_seller: true,
            ..PriceRequest::default()
        });
    });
    let plan = window.plan();
    let page = report::plan_html(&plan, &now());
    let units = ColumnUnits::of(&plan);
    for (name, figure) in [
        ("Step", ColumnFigure::Step),
        ("Time", ColumnFigure::Time),
        ("Cost", ColumnFigure::Cost),
        ("Energy", ColumnFigure::Energy),
    ] {
        let head = units.head(name, figure);
        assert!(
            head.ends_with(')') && page.contains(&format!("<th>{head}</th>")),
            "{head}"
        );
        let run = plan.combinations.iter().find_map(|c| c.run()).expect("one");
        let cell = units.text(figure, run).expect("known");
        assert!(page.contains(&format!("<td>{cell}</td>")), "{cell}");
    }
    let sold = plan.combinations.iter().filter_map(|c| c.seller.as_deref());
    assert!(
        sold.clone().any(|key| key == "vast"),
        "{:?}",
        sold.collect::<Vec<_>>()
    );
    assert!(page.contains(", Vast.ai</td>") && !page.contains(", vast</td>"));
    window.send(Action::SetFilter("vast.ai".into()));
    assert!(window.shows(", Vast.ai"), "found and shown by its name");
    // Files for programs keep the keys.
    assert!(report::plan_csv(&plan, CsvForm::Point).contains("\"vast\""));
}

#[test]
fn a_plan_saved_with_refused_text_says_what_it_lacks() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = Window::usual();
    let save = |window: &mut Window, name: &str| {
        let path = folder.path().join(name).display().to_string();
        window.send(Action::Path(PathPurpose::SavePlan, path.clone()));
        let told = window.notice();
        let told = told.strip_prefix(&format!("Saved {path}"));
        told.expect("it is saved").to_owned()
    };
    window.type_into("Train for", "many");
    assert_eq!(
        save(&mut window, "one.toml"),
        " without the refused text of “Train for”"
    );
    window.type_into("Budget", "lots");
    assert_eq!(
        save(&mut window, "two.toml"),
        " without the refused text of “Train for” and “Budget”"
    );
    window.type_into("Train for", "2 B");
    window.type_into("Budget", "9000");
    assert_eq!(save(&mut window, "whole.toml"), "");
}
