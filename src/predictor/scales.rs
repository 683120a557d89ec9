//! Learns the kernels' scales on the measured runs: the rounds of [`super::process::learn`] from every protocol's folds.

use super::crossval::Protocol;
use super::features::feature_row;
use super::process::Shape;
use super::process::learn::{Effort, Facts, Round, learn};
use super::rows::TrainingRow;
use super::stages::{FitOptions, compute_share, doubts, fit_physics};
use super::train::TrainError;
use crate::physics::StepTimes;
use rayon::prelude::*;

/// Protocols in the order they take turns, and the weight of their errors, which are larger the less is known: what most
/// ask for is either like measured runs or a publication of its own.
const TURNS: [(Protocol, f64); 9] = [
    (Protocol::Known, 1.0),
    (Protocol::Family, 0.5),
    (Protocol::Known, 1.0),
    (Protocol::Publication, 0.6),
    (Protocol::Accelerator, 0.55),
    (Protocol::Known, 1.0),
    (Protocol::Family, 0.5),
    (Protocol::Publication, 0.6),
    (Protocol::Scale, 0.4),
];

/// Learns the scales. `progress` hears of every round its number, its protocol and the mean error in logs.
///
/// # Errors
/// [`TrainError`].
pub fn learn_shape(
    rows: &[TrainingRow],
    effort: Effort,
    progress: &dyn Fn(usize, Protocol, f64),
) -> Result<Shape, TrainError> {
    let mut families: Vec<&str> = rows.iter().map(|r| r.family.as_str()).collect();
    families.sort_unstable();
    families.dedup();
    let facts = Facts {
        many: rows.iter().map(|r| r.work.devices > 1.0).collect(),
        doubts: rows.iter().map(doubts).collect(),
        family: rows
            .iter()
            .map(|r| families.partition_point(|f| *f < r.family.as_str()))
            .collect(),
        // Between a row and a publication: the root, so that neither the largest table nor the smallest rules.
        weight: rows.iter().map(|r| r.weight.sqrt()).collect(),
    };
    let options = FitOptions::new(Shape::default());
    let mut by_protocol = Vec::new();
    for protocol in Protocol::ALL {
        let folds = protocol.folds(rows)?;
        let weight = TURNS.iter().find(|t| t.0 == protocol).map_or(1.0, |t| t.1);
        let rounds: Vec<Round> = folds
            .into_par_iter()
            .map(|fold| {
                let constants = fit_physics(rows, &fold.train, &options);
                let times: Vec<StepTimes> = rows
                    .iter()
                    .map(|r| StepTimes::compose(&r.work, &constants))
                    .collect();
                Round {
                    features: rows
                        .iter()
                        .zip(&times)
                        .map(|(r, t)| feature_row(&r.work, t))
                        .collect(),
                    compute_share: times.iter().map(compute_share).collect(),
                    targets: rows
                        .iter()
                        .zip(&times)
                        .map(|(r, t)| r.log_time - t.total.ln())
                        .collect(),
                    train: fold.train,
                    test: fold.test,
                    dense: protocol == Protocol::Known,
                    weight,
                }
            })
            .collect();
        by_protocol.push(rounds);
    }
    let turns: Vec<usize> = TURNS
        .iter()
        .filter_map(|t| Protocol::ALL.iter().position(|p| *p == t.0))
        .collect();
    let shape = learn(&by_protocol, &turns, &facts, effort, &|turn, error| {
        progress(turn, TURNS[(turn - 1) % TURNS.len()].0, error);
    })?;
    Ok(shape)
}
