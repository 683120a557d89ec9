//! What the page of publications that no fit has seen says of the predictor is what it makes of their runs.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use mantissa::dataset::{MeasuredRun, Usage, first_sight_runs};
use mantissa::planner::JudgedRun;
use mantissa::predictor::Predictor;
use mantissa::predictor::crossval::ErrorSummary;
use mantissa::presets::Catalogue;

const PAGE: &str = include_str!("../assets/first-sight/README.md");

/// Logs of predicted and measured times, and whether the interval holds the measured one.
type Seen = (f64, f64, bool);

fn seen(runs: &[&MeasuredRun], catalogue: &Catalogue, predictor: &Predictor) -> Vec<Seen> {
    let step = |run: &MeasuredRun| {
        let judged = JudgedRun::new(run, catalogue, predictor);
        let step = judged.unwrap_or_else(|why| panic!("{} row {}: {why}", run.source, run.row));
        let step = step.prediction.step_time;
        let measured = run.step_time_ms().unwrap() / 1e3;
        let inside = (step.low..=step.high).contains(&measured);
        (step.value.ln(), measured.ln(), inside)
    };
    runs.iter().map(|run| step(run)).collect()
}

fn told(seen: &[Seen]) -> [String; 3] {
    let error = ErrorSummary::of(seen.iter().map(|s| (s.0, s.1)));
    let inside = seen.iter().filter(|s| s.2).count() as f64 / seen.len() as f64;
    [
        seen.len().to_string(),
        format!("{:.1} / {:.1}", error.mean, error.median),
        format!("{:.0} %", inside * 100.0),
    ]
}

#[test]
fn the_page_of_unseen_publications_is_what_the_predictor_makes_of_them() {
    let (catalogue, predictor) = (Catalogue::shipped().unwrap(), Predictor::shipped().unwrap());
    let fitted = &predictor.artifact().reference_runs;
    let runs = first_sight_runs().unwrap();
    let mut all = Vec::new();
    let table = (PAGE.lines())
        .skip_while(|line| !line.starts_with("| publication | repository"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    for line in table {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        assert!(
            fitted.iter().all(|run| run.source != cells[1]),
            "{}",
            cells[1]
        );
        let own: Vec<&MeasuredRun> = (runs.iter())
            .filter(|run| run.source == cells[1] && run.usage == Some(Usage::Test))
            .collect();
        let of = seen(&own, &catalogue, &predictor);
        let [rows, error, inside] = told(&of);
        assert_eq!(cells[3..6], [&*rows, &*error, &*inside], "{}", cells[1]);
        // The card's table says the same: what judges the predictor has not changed since it was fitted.
        let line = format!("| {} | {rows} | {error} |", cells[1]);
        assert!(predictor.card().contains(&line), "{line}");
        all.extend(of);
    }
    let [runs, error, inside] = told(&all);
    for figure in [
        format!("**{error} %**"),
        format!("on {runs} runs"),
        format!("**{inside}**"),
    ] {
        assert!(PAGE.contains(&figure), "{figure}");
    }
    let readme = include_str!("../README.md");
    assert!(readme.contains(&format!("it errs by {error} % on them")));
    assert!(readme.contains(&format!("holds only {inside}")));
}
