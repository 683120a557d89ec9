//! What each part of the predictor is worth: the error when it is left out.

use super::accuracy::Ablation;
use super::crossval::{CrossvalError, ErrorSummary, Protocol, held_out_of};
use super::features::Group;
use super::rows::TrainingRow;
use super::stages::FitOptions;
use super::train::TrainingSet;

/// Features that hold what a precision-blind predictor lacks, one group an ablation.
const PRECISION_GROUPS: [(&str, &[&str]); 4] = [
    ("the mode's name", &["Precision mode", "Mixed precision"]),
    ("bytes per element", &["Bytes per element"]),
    (
        "arithmetic rate of the mode",
        &[
            "Tensor-core gain over FP32",
            "Arithmetic rate of the mode",
            "Arithmetic intensity against machine balance",
        ],
    ),
    (
        "tensor-core and memory-bound share",
        &["Tensor-core share", "Memory-bound share of matmuls"],
    ),
];

/// Folds of a protocol that an ablation is run on.
const FOLDS: usize = 1;

/// Every ablation: its name and its options.
fn list(options: &FitOptions) -> Vec<(String, FitOptions)> {
    let with = |change: &dyn Fn(&mut FitOptions)| {
        let mut o = options.clone();
        change(&mut o);
        o
    };
    let mut list: Vec<(String, FitOptions)> = PRECISION_GROUPS
        .iter()
        .map(|(name, features)| {
            let o = with(&|o| o.without_features = features.to_vec());
            ((*name).to_owned(), o)
        })
        .collect();
    list.push((
        "casts, quantisation and optimizer shares".into(),
        with(&|o| o.without = vec![Group::Casts]),
    ));
    list.push((
        "all features of precision".into(),
        with(&|o| o.without = vec![Group::Precision, Group::Casts]),
    ));
    list.push((
        "software era".into(),
        with(&|o| o.without_features = vec!["Software era"]),
    ));
    list.push(("overlap stage".into(), with(&|o| o.without_overlap = true)));
    list
}

/// Runs every ablation on known configurations and on unseen scale. `progress` hears its name.
///
/// # Errors
/// [`CrossvalError`].
pub(super) fn ablations(
    set: &TrainingSet,
    options: &FitOptions,
    progress: &dyn Fn(&str),
) -> Result<Vec<Ablation>, CrossvalError> {
    progress("nothing left out, on the ablations' folds");
    let mut table = vec![one(&set.rows, "nothing".into(), options)?];
    for (without, options) in list(options) {
        progress(&format!("without {without}"));
        table.push(one(&set.rows, without, &options)?);
    }
    let without = "communication stage".to_owned();
    progress(&format!("without {without}"));
    let mut rows = set.rows.clone();
    for row in &mut rows {
        super::communication::uncorrect(&mut row.work.exchange);
    }
    table.push(one(&rows, without, options)?);
    Ok(table)
}

fn one(
    rows: &[TrainingRow],
    without: String,
    options: &FitOptions,
) -> Result<Ablation, CrossvalError> {
    let error = |protocol: Protocol| {
        let mut folds = protocol.folds(rows)?;
        folds.truncate(FOLDS);
        let held = held_out_of(rows, &folds, options)?;
        Ok::<_, CrossvalError>(ErrorSummary::of(
            held.iter().map(|h| (h.predicted, rows[h.row].log_time)),
        ))
    };
    Ok(Ablation {
        without,
        known: error(Protocol::Known)?,
        scale: error(Protocol::Scale)?,
    })
}
