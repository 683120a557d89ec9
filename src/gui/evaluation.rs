//! A person's own measured runs held against the predictor.

use crate::domain::PrecisionMode;
use crate::planner::JudgedRun;
use crate::predictor::Estimate;
use std::collections::BTreeMap;

/// One measured run with what is predicted of it.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedRow {
    /// Row in the file, from 1 after the header.
    pub row: usize,
    /// Model, part and count in words.
    pub name: String,
    /// Mode.
    pub mode: PrecisionMode,
    /// Measured step time in seconds.
    pub measured: f64,
    /// Predicted step time in seconds.
    pub predicted: Estimate,
}

impl JudgedRow {
    /// Predicted over measured, less one.
    pub fn error(&self) -> f64 {
        self.predicted.value / self.measured - 1.0
    }
}

/// A file of measured runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluation {
    /// Where it was read.
    pub path: String,
    /// Rows with both times.
    pub rows: Vec<JudgedRow>,
    /// The runs of those rows as they were read: what a calibration is fitted to, whatever became of the file since.
    pub runs: Vec<JudgedRun>,
    /// Reasons why rows were left out, with their counts.
    pub skipped: BTreeMap<String, usize>,
}

impl Evaluation {
    /// Mean absolute error as a share; `None` without rows.
    pub fn mean_error(&self) -> Option<f64> {
        let sum: f64 = self.rows.iter().map(|r| r.error().abs()).sum();
        (!self.rows.is_empty()).then(|| sum / self.rows.len() as f64)
    }

    /// Median absolute error as a share.
    pub fn median_error(&self) -> Option<f64> {
        let mut errors: Vec<f64> = self.rows.iter().map(|r| r.error().abs()).collect();
        errors.sort_by(f64::total_cmp);
        errors.get(errors.len() / 2).copied()
    }

    /// Share of the measured times inside their intervals.
    pub fn coverage(&self) -> Option<f64> {
        let inside = self
            .rows
            .iter()
            .filter(|r| (r.predicted.low..=r.predicted.high).contains(&r.measured))
            .count();
        (!self.rows.is_empty()).then(|| inside as f64 / self.rows.len() as f64)
    }

    /// Median of predicted over measured: how far all of them lean to one side.
    pub fn lean(&self) -> Option<f64> {
        let mut ratios: Vec<f64> = self.rows.iter().map(|r| 1.0 + r.error()).collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_shares_of_the_measured_time() {
        let row = |measured: f64, value: f64| JudgedRow {
            row: 1,
            name: String::new(),
            mode: PrecisionMode::Fp32,
            measured,
            predicted: Estimate {
                value,
                low: value * 0.9,
                high: value * 1.1,
            },
        };
        let evaluation = Evaluation {
            rows: vec![row(1.0, 1.05), row(1.0, 1.5), row(2.0, 2.0)],
            ..Evaluation::default()
        };
        let mean = evaluation.mean_error().expect("rows");
        assert!((mean - 0.55 / 3.0).abs() < 1e-12);
        assert!((evaluation.median_error().expect("rows") - 0.05).abs() < 1e-12);
        assert!((evaluation.coverage().expect("rows") - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(Evaluation::default().mean_error(), None);
    }
}
