//! What the page of publications that no fit has seen says of the predictor is what it makes of their runs.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use mantissa::dataset::{Usage, read_runs_file};
use mantissa::planner::JudgedRun;
use mantissa::predictor::Predictor;
use mantissa::predictor::crossval::ErrorSummary;
use mantissa::presets::Catalogue;
use std::path::PathBuf;

const PAGE: &str = include_str!("../assets/first-sight/README.md");

/// Logs of predicted and measured times, and whether the interval holds the measured one.
type Seen = (f64, f64, bool);

fn seen(name: &str, catalogue: &Catalogue, predictor: &Predictor) -> Vec<Seen> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/first-sight");
    let file = read_runs_file(&folder.join(format!("{name}.csv"))).unwrap();
    assert_eq!(file.skipped, [], "{name}");
    let taken = (file.runs.iter()).filter(|run| run.usage == Some(Usage::Test));
    taken
        .map(|run| {
            let judged = JudgedRun::new(run, catalogue, predictor);
            let step = judged.unwrap_or_else(|why| panic!("{name} row {}: {why}", run.row));
            let step = step.prediction.step_time;
            let measured = run.step_time_ms().unwrap() / 1e3;
            let inside = (step.low..=step.high).contains(&measured);
            (step.value.ln(), measured.ln(), inside)
        })
        .collect()
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
        let of = seen(cells[1], &catalogue, &predictor);
        assert_eq!(cells[3..6], told(&of), "{}", cells[1]);
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
    assert!(readme.contains(&format!("erred by {error} % on them")));
    assert!(readme.contains(&format!("held only {inside}")));
}
