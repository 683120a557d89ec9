//! Board power over the share of a step in which the device works, fitted again from the measured rows, and its error on parts left out.

use crate::dataset::{MeasuredRun, PowerRow};
use crate::domain::Generation;
use crate::physics::power::{AT_WORK, is_older};
use crate::predictor::{Predictor, resolve};
use crate::presets::Catalogue;
use crate::units::Watts;
use std::collections::BTreeMap;

/// Rounds of reweighting that turn least squares into least absolute errors.
const ROUNDS: usize = 200;
/// Relative errors below this weigh alike.
const FLOOR: f64 = 0.02;
/// Share of held-out rows that an interval of the power is meant to hold.
const COVERAGE: f64 = 0.9;

/// Share of the power limit a board draws: `idle + work · busy`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerLine {
    /// Drawn by a board that waits.
    pub idle: f64,
    /// Added when it works all the time.
    pub work: f64,
}

/// Errors over some rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PowerErrors {
    /// Rows.
    pub rows: usize,
    /// Mean relative error, as a share.
    pub mean: f64,
    /// What nine in ten errors stay below, as a share.
    pub widest: f64,
}

/// Mean power against measured rows, each part left out of the fit in turn.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerReport {
    /// The line through all parts with tensor cores.
    pub line: PowerLine,
    /// What parts before tensor cores draw over that line, median.
    pub older: f64,
    /// By part: errors of all its rows, and of those at work.
    pub parts: BTreeMap<String, [PowerErrors; 2]>,
    /// All held-out rows of parts with tensor cores.
    pub all: PowerErrors,
    /// Those of boards at work.
    pub at_work: PowerErrors,
    /// Those of boards that wait.
    pub waiting: PowerErrors,
    /// Rows whose layout or model is unknown.
    pub skipped: usize,
}

struct Point {
    gpu: String,
    older: bool,
    busy: f64,
    share: f64,
    weight: f64,
}

/// Fits the line to busy shares that the predictor says, and measures it.
pub fn power_report(
    rows: &[PowerRow],
    predictor: &Predictor,
    catalogue: &Catalogue,
) -> PowerReport {
    let points: Vec<Point> = (rows.iter())
        .filter_map(|row| point(row, rows, predictor, catalogue))
        .collect();
    let modern: Vec<&Point> = points.iter().filter(|p| !p.older).collect();
    let line = fit(&modern);
    let older: Vec<f64> = (points.iter().filter(|p| p.older))
        .map(|p| p.share / line.share(p.busy))
        .collect();
    let mut errors: Vec<Missed<'_>> = Vec::new();
    for own in &points {
        if errors.iter().any(|e| e.point.gpu == own.gpu) {
            continue;
        }
        let others: Vec<&Point> = (modern.iter().copied())
            .filter(|p| p.gpu != own.gpu)
            .collect();
        let held_out = fit(&others);
        let same = points.iter().filter(|p| p.gpu == own.gpu);
        errors.extend(same.map(|point| Missed {
            point,
            by: (held_out.share(point.busy) / point.share - 1.0).abs(),
        }));
    }
    let of = |keep: &dyn Fn(&Point) -> bool| {
        let kept = errors.iter().filter(|e| keep(e.point));
        PowerErrors::of(kept.map(|e| e.by).collect())
    };
    let at_work = |p: &Point| p.busy >= AT_WORK;
    PowerReport {
        line,
        older: middle(older),
        parts: (points.iter())
            .map(|own| {
                let every = of(&|p| p.gpu == own.gpu);
                let working = of(&|p| p.gpu == own.gpu && at_work(p));
                (own.gpu.clone(), [every, working])
            })
            .collect(),
        all: of(&|p| !p.older),
        at_work: of(&|p| !p.older && at_work(p)),
        waiting: of(&|p| !p.older && !at_work(p)),
        skipped: rows.len() - points.len(),
    }
}

/// A point with its relative error by a line fitted without its part.
struct Missed<'a> {
    point: &'a Point,
    by: f64,
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(1.0)
}

impl PowerErrors {
    fn of(mut errors: Vec<f64>) -> Self {
        errors.sort_by(f64::total_cmp);
        let rows = errors.len();
        let at = ((rows as f64 * COVERAGE).ceil() as usize).saturating_sub(1);
        Self {
            rows,
            mean: errors.iter().sum::<f64>() / rows.max(1) as f64,
            widest: errors.get(at).copied().unwrap_or(0.0),
        }
    }
}

/// A row with the busy share the predictor says, in FP32 as PyTorch trains where nothing is said; every curve over batch sizes
/// weighs the same.
fn point(
    row: &PowerRow,
    rows: &[PowerRow],
    predictor: &Predictor,
    catalogue: &Catalogue,
) -> Option<Point> {
    if row.gpus != 1 {
        return None;
    }
    let run = MeasuredRun {
        model: row.model.clone(),
        framework: Some("pytorch".to_owned()),
        gpu: row.gpu.clone(),
        gpus: 1,
        precision: Some("fp32".to_owned()),
        batch_per_gpu: Some(row.batch),
        seq_len: row.seq_len,
        image_size: row.image_size,
        ..MeasuredRun::default()
    };
    let configuration = resolve::resolve(&run, catalogue).ok()?;
    let prediction = predictor.predict(&configuration).ok()?;
    let curve = rows.iter().filter(|other| row.same_curve(other)).count();
    let generation: Generation = configuration.accelerator.generation;
    Some(Point {
        gpu: row.gpu.clone(),
        older: is_older(generation),
        busy: prediction.breakdown.busy(),
        share: Watts(row.mean_power_w) / Watts(row.power_limit_w),
        weight: 1.0 / curve as f64,
    })
}

impl PowerLine {
    fn share(self, busy: f64) -> f64 {
        self.idle + self.work * busy
    }
}

/// The line of least relative absolute error, by reweighted least squares.
fn fit(points: &[&Point]) -> PowerLine {
    let mut line = PowerLine {
        idle: 0.2,
        work: 0.6,
    };
    for _ in 0..ROUNDS {
        let [mut n, mut x, mut xx, mut y, mut xy] = [0.0; 5];
        for p in points {
            let error = (line.share(p.busy) / p.share - 1.0).abs().max(FLOOR);
            let weight = p.weight / error / (p.share * p.share);
            n += weight;
            x += weight * p.busy;
            xx += weight * p.busy * p.busy;
            y += weight * p.share;
            xy += weight * p.busy * p.share;
        }
        let spread = n * xx - x * x;
        if spread.abs() < 1e-12 {
            return line;
        }
        line.work = (n * xy - x * y) / spread;
        line.idle = (y - line.work * x) / n;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::shipped_power;
    use crate::physics::power;

    fn shipped() -> PowerReport {
        let catalogue = Catalogue::shipped().unwrap();
        let predictor = Predictor::shipped().unwrap();
        power_report(&shipped_power().unwrap(), &predictor, &catalogue)
    }

    #[test]
    fn the_shipped_line_is_the_fit_and_holds_on_parts_left_out() {
        let report = shipped();
        let near = |a: f64, b: f64| (a - b).abs() < 0.02;
        assert!(near(report.line.idle, power::IDLE_SHARE), "{report:?}");
        assert!(near(report.line.work, power::WORK_SHARE), "{report:?}");
        assert!(near(report.older, power::OLDER_SHARE), "{report:?}");
        assert!(
            near(report.at_work.widest, power::BOARD_ERROR),
            "{report:?}"
        );
        assert!(
            near(report.waiting.widest, power::WAITING_ERROR),
            "{report:?}"
        );
        assert!(report.at_work.mean < 0.12, "{report:?}");
        assert!(report.all.mean < 0.16, "{report:?}");
        assert_eq!((report.parts.len(), report.skipped), (4, 11));
    }
}
