//! What the shipped predictor must hold: it belongs to the shipped data, sees no outcome, adds its reasons up, repeats itself.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use mantissa::dataset::{MeasuredRun, Usage, data_hash, shipped_runs};
use mantissa::domain::{Configuration, PrecisionMode};
use mantissa::predictor::Predictor;
use mantissa::predictor::artifact::Artifact;
use mantissa::predictor::card;
use mantissa::predictor::crossval::ErrorSummary;
use mantissa::predictor::resolve::resolve;
use mantissa::predictor::rows::{pairs, training_rows};
use mantissa::predictor::stages::{FitOptions, Stages};
use mantissa::presets::Catalogue;

/// Every so-many-th run that states what a fit needs.
fn sample(every: usize) -> Vec<MeasuredRun> {
    let runs = shipped_runs().expect("the runs that ship read");
    runs.into_iter()
        .filter(|r| r.usage == Some(Usage::Fit))
        .step_by(every)
        .collect()
}

#[test]
fn the_predictor_was_fitted_on_the_runs_that_ship() {
    let predictor = Predictor::shipped().expect("the predictor loads");
    assert_eq!(
        predictor.artifact().data_hash,
        data_hash(),
        "run `mantissa train`"
    );
    assert!(predictor.fitted_runs() > 10_000);
    let card = card::card(predictor.artifact());
    assert_eq!(
        card,
        predictor.card(),
        "the card is of another fit; run `mantissa train`"
    );
}

#[test]
fn a_prediction_never_sees_an_outcome() {
    let (catalogue, predictor) = (Catalogue::shipped().unwrap(), Predictor::shipped().unwrap());
    let mut seen = 0;
    for run in sample(60) {
        let Ok(stated) = resolve(&run, &catalogue) else {
            continue;
        };
        let blank = resolve(&run.without_outcomes(), &catalogue).expect("outcomes are not needed");
        assert_eq!(
            predictor.predict(&stated),
            predictor.predict(&blank),
            "{} row {}",
            run.source,
            run.row
        );
        seen += 1;
    }
    assert!(seen > 200);
}

#[test]
fn runs_it_was_fitted_on_are_predicted_well_and_nearly_all() {
    let (catalogue, predictor) = (Catalogue::shipped().unwrap(), Predictor::shipped().unwrap());
    let runs = sample(10);
    let pairs: Vec<(f64, f64)> = runs
        .iter()
        .filter_map(|run| {
            let prediction = predictor.predict(&resolve(run, &catalogue).ok()?).ok()?;
            Some((
                prediction.step_time.value.ln(),
                (run.step_time_ms().ok()? / 1e3).ln(),
            ))
        })
        .collect();
    assert!(pairs.len() as f64 > 0.98 * runs.len() as f64);
    let error = ErrorSummary::of(pairs.into_iter());
    assert!(error.mean < 9.0, "{error:?}");
}

#[test]
fn reasons_add_up_and_parts_make_the_whole() {
    let (catalogue, predictor) = (Catalogue::shipped().unwrap(), Predictor::shipped().unwrap());
    for run in sample(400) {
        let Ok(configuration) = resolve(&run, &catalogue) else {
            continue;
        };
        let prediction = predictor.predict(&configuration).unwrap();
        let explanation = predictor.explain(&configuration).unwrap();
        let sum: f64 = explanation.contributions.iter().map(|c| c.log_ratio).sum();
        let whole = (prediction.step_time.value / prediction.physics_time.value()).ln();
        assert!(
            (sum - whole).abs() < 1e-3,
            "{} row {}: {sum} is not {whole}",
            run.source,
            run.row
        );
        let parts = prediction.breakdown.total().value();
        assert!((parts / prediction.step_time.value - 1.0).abs() < 1e-6);
        assert!(prediction.step_time.low < prediction.step_time.value);
        assert!(!explanation.nearest.is_empty());
    }
}

#[test]
fn the_same_rows_give_the_same_fit_and_the_same_bytes() {
    let catalogue = Catalogue::shipped().unwrap();
    let (rows, _) = training_rows(&sample(12), &catalogue);
    let all: Vec<usize> = (0..rows.len()).collect();
    let options = FitOptions {
        rounds: 2,
        ..FitOptions::shipped().unwrap()
    };
    let fit = || Stages::fit(&rows, &all, &options).unwrap();
    assert_eq!(fit(), fit());
    let shipped = Predictor::shipped().unwrap();
    let bytes = shipped.artifact().encode().unwrap();
    assert_eq!(Artifact::decode(&bytes).unwrap().encode().unwrap(), bytes);
}

#[test]
fn pairs_differ_in_precision_alone_and_all_of_them_are_found() {
    let catalogue = Catalogue::shipped().unwrap();
    let (rows, _) = training_rows(&sample(4), &catalogue);
    // Every other run, so that positions in the list are not those of the rows.
    let of: Vec<usize> = (0..rows.len()).step_by(2).collect();
    let keys: Vec<(String, PrecisionMode)> = (of.iter())
        .map(|row| (rows[*row].all_but_precision(), rows[*row].mode()))
        .collect();
    let differ = |(one, other): &(usize, usize)| {
        keys[*one].1 != keys[*other].1 && keys[*one].0 == keys[*other].0
    };
    let expected: Vec<(usize, usize)> = (0..of.len())
        .flat_map(|one| (one + 1..of.len()).map(move |other| (one, other)))
        .filter(differ)
        .collect();
    let mut found = pairs(&rows, &of);
    found.sort_unstable();
    assert!(!expected.is_empty());
    assert_eq!(found, expected);
}

#[test]
fn pure_bf16_says_that_nobody_measured_it() {
    let (catalogue, predictor) = (Catalogue::shipped().unwrap(), Predictor::shipped().unwrap());
    let run = sample(1)
        .into_iter()
        .find(|r| r.precision.as_deref() == Some("amp-bf16"))
        .expect("a BF16 run");
    let mut configuration = resolve(&run, &catalogue).unwrap();
    configuration.precision = catalogue.precision(PrecisionMode::Bf16);
    let prediction = predictor.predict(&configuration).unwrap();
    assert!(prediction.notes.iter().any(|n| n.contains("pure BF16")));
    assert!(prediction.step_time.half_width() > 0.3);
}

#[test]
fn more_experts_on_a_device_than_anybody_measured_are_told() {
    let (catalogue, predictor) = (Catalogue::shipped().unwrap(), Predictor::shipped().unwrap());
    // Some layouts of the table are refused to who plans.
    let said = |c: &Configuration| {
        let prediction = predictor.predict(c);
        prediction.is_ok_and(|p| p.notes.iter().any(|n| n.contains("what its host takes")))
    };
    let mut measured = sample(1);
    measured.retain(|r| r.source == "megatron-bridge" && r.ep.is_some());
    let resolved: Vec<_> = measured
        .iter()
        .filter_map(|r| resolve(r, &catalogue).ok())
        .collect();
    assert!(resolved.len() > 100);
    assert!(!resolved.iter().any(&said));
    // The most that any holds, and twice that.
    let each = |c: &Configuration| {
        c.workload.profile.blocks.map_or(0.0, |b| b.experts) / f64::from(c.strategy.expert)
    };
    let waiting = (resolved.iter()).filter(|c| !c.software.has_recent_experts());
    let most = waiting.max_by(|a, b| each(a).total_cmp(&each(b)));
    let mut more = most.expect("a run with experts").clone();
    assert_eq!(each(&more), 64.0);
    more.strategy.expert /= 2;
    assert!(said(&more));
}
