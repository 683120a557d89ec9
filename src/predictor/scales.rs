//! The kernels' scales: learned by the rounds of [`super::process::learn`] from every protocol's folds, and their file.

use super::crossval::{Protocol, sides};
use super::features::feature_row;
use super::process::learn::{Effort, Facts, Round, learn};
use super::process::{Shape, ShapeError, ShapeFile};
use super::rows::TrainingRow;
use super::stages::{FitOptions, compute_share, doubts, fit_physics};
use super::train::TrainError;
use crate::physics::StepTimes;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

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

/// Scales learned on all rows, and those that what is unseen is measured with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scales {
    /// Learned on all rows: what ships.
    pub whole: Shape,
    /// Each learned without one half of the model families and of the publications; see [`sides`].
    pub halves: [Shape; 2],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: u32,
    whole: ShapeFile,
    halves: [ShapeFile; 2],
}

const SCHEMA: u32 = 2;

impl Scales {
    /// The scales that ship.
    ///
    /// # Errors
    /// [`ShapeError`] if the file is of another build.
    pub fn shipped() -> Result<Self, ShapeError> {
        Self::read(include_str!("../../models/kernel.json"))
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`ShapeError`] if it is of another build.
    pub fn read(text: &str) -> Result<Self, ShapeError> {
        let file: File = serde_json::from_str(text).map_err(|e| ShapeError::Form(e.to_string()))?;
        if file.schema != SCHEMA {
            return Err(ShapeError::Form(format!("not schema {SCHEMA}")));
        }
        let [first, second] = &file.halves;
        Ok(Self {
            whole: Shape::read(&file.whole)?,
            halves: [Shape::read(first)?, Shape::read(second)?],
        })
    }

    /// As the text of a file; values to a thousandth.
    pub fn to_text(&self) -> String {
        let file = File {
            schema: SCHEMA,
            whole: self.whole.file(),
            halves: [self.halves[0].file(), self.halves[1].file()],
        };
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// Learns them. `progress` hears of every round which of the three it serves (0: all rows), its number, its protocol
    /// and the mean error in logs.
    ///
    /// # Errors
    /// [`TrainError`].
    pub fn learn(
        rows: &[TrainingRow],
        progress: &dyn Fn(usize, usize, Protocol, f64),
    ) -> Result<Self, TrainError> {
        let whole = learn_shape(rows, Effort::default(), &|round, protocol, error| {
            progress(0, round, protocol, error);
        })?;
        let half = |side: usize| -> Result<Shape, TrainError> {
            let mut hidden = BTreeSet::new();
            for protocol in Protocol::ALL.into_iter().filter(|p| p.is_nested()) {
                let folds = protocol.folds(rows)?;
                for (fold, own) in folds.iter().zip(sides(&folds)) {
                    hidden.extend(fold.test.iter().filter(|_| own == side).copied());
                }
            }
            let kept: Vec<TrainingRow> = (0..rows.len())
                .filter(|at| !hidden.contains(at))
                .map(|at| rows[at].clone())
                .collect();
            learn_shape(&kept, Effort::half(), &|round, protocol, error| {
                progress(side + 1, round, protocol, error);
            })
        };
        Ok(Self {
            whole,
            halves: [half(0)?, half(1)?],
        })
    }
}

/// Learns the scales. `progress` hears of every round its number, its protocol and the mean error in logs.
///
/// # Errors
/// [`TrainError`].
fn learn_shape(
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
    let options = FitOptions::new(&Scales::default());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_survive_their_file() {
        let shipped = Scales::shipped().unwrap();
        assert_eq!(Scales::read(&shipped.to_text()).unwrap(), shipped);
        assert!(matches!(Scales::read("{}"), Err(ShapeError::Form(_))));
    }
}
