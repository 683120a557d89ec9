//! Board power over the share of a step in which the device works, fitted again from the measured rows, and its error on parts left out.

use crate::dataset::{MeasuredRun, PowerRow};
use crate::physics::power::{AT_WORK, Board};
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

/// Powers of the busy share that the fit chooses among.
const EXPONENTS: std::ops::RangeInclusive<u8> = 10..=20;

/// Share of the power limit a board draws: `idle + (work - idle) · busy^exponent`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerCurve {
    /// Drawn by a board that waits, with stacked memory and with memory beside the processor.
    pub idle: [f64; 2],
    /// Drawn by a board that works all the time, with tensor cores and without.
    pub work: [f64; 2],
    /// How a board's power grows with its busy share.
    pub exponent: f64,
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
    /// The curve through all parts.
    pub curve: PowerCurve,
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
    board: Board,
    busy: f64,
    share: f64,
    weight: f64,
}

/// Fits the curve to busy shares that the predictor says, and measures it. A part that is the only one without tensor cores
/// keeps, where it is left out, what such parts draw at work, since no other row could say so.
pub fn power_report(
    rows: &[PowerRow],
    predictor: &Predictor,
    catalogue: &Catalogue,
) -> PowerReport {
    let points: Vec<Point> = (rows.iter())
        .filter_map(|row| point(row, rows, predictor, catalogue))
        .collect();
    let every: Vec<&Point> = points.iter().collect();
    let curve = fit(&every, [0.2, 0.8]);
    let mut errors: Vec<Missed<'_>> = Vec::new();
    for own in &points {
        if errors.iter().any(|e| e.point.gpu == own.gpu) {
            continue;
        }
        let others: Vec<&Point> = points.iter().filter(|p| p.gpu != own.gpu).collect();
        let held_out = fit(&others, curve.work);
        let same = points.iter().filter(|p| p.gpu == own.gpu);
        errors.extend(same.map(|point| Missed {
            point,
            by: (held_out.share(point) / point.share - 1.0).abs(),
        }));
    }
    let of = |keep: &dyn Fn(&Point) -> bool| {
        let kept = errors.iter().filter(|e| keep(e.point));
        PowerErrors::of(kept.map(|e| e.by).collect())
    };
    let at_work = |p: &Point| p.busy >= AT_WORK;
    PowerReport {
        curve,
        parts: (points.iter())
            .map(|own| {
                let every = of(&|p| p.gpu == own.gpu);
                let working = of(&|p| p.gpu == own.gpu && at_work(p));
                (own.gpu.clone(), [every, working])
            })
            .collect(),
        all: of(&|p| !p.board.older),
        at_work: of(&|p| !p.board.older && at_work(p)),
        waiting: of(&|p| !p.board.older && !at_work(p)),
        skipped: rows.len() - points.len(),
    }
}

/// A point with its relative error by a curve fitted without its part.
struct Missed<'a> {
    point: &'a Point,
    by: f64,
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
    let part = &configuration.accelerator;
    Some(Point {
        gpu: row.gpu.clone(),
        board: Board::new(part.generation, part.memory_kind),
        busy: prediction.breakdown.busy(),
        share: Watts(row.mean_power_w) / Watts(row.power_limit_w),
        weight: 1.0 / curve as f64,
    })
}

impl PowerCurve {
    /// What each of its four shares weighs at a point: waiting by memory, at work by age.
    fn weights(exponent: f64, p: &Point) -> [f64; 4] {
        let busy = p.busy.clamp(0.0, 1.0).powf(exponent);
        let mut weights = [0.0; 4];
        weights[usize::from(p.board.graphics_memory)] = 1.0 - busy;
        weights[2 + usize::from(p.board.older)] = busy;
        weights
    }

    fn share(&self, p: &Point) -> f64 {
        let shares = [self.idle[0], self.idle[1], self.work[0], self.work[1]];
        let weights = Self::weights(self.exponent, p);
        shares.iter().zip(weights).map(|(s, w)| s * w).sum()
    }

    /// Mean relative error, by weight.
    fn error(&self, points: &[&Point]) -> f64 {
        let missed = |p: &Point| p.weight * (self.share(p) / p.share - 1.0).abs();
        let total: f64 = points.iter().map(|p| p.weight).sum();
        points.iter().map(|p| missed(p)).sum::<f64>() / total
    }
}

/// The curve of least relative absolute error; a share that no point tells stays 0.2 of a waiting board and as `work` of
/// one at work.
fn fit(points: &[&Point], work: [f64; 2]) -> PowerCurve {
    let fitted = EXPONENTS.map(|tenths| {
        let curve = fit_shares(points, f64::from(tenths) / 10.0, work);
        (curve, curve.error(points))
    });
    let best = fitted.min_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or_else(|| fit_shares(points, 1.0, work), |(curve, _)| curve)
}

/// The shares at one exponent, by reweighted least squares, a share at a time (Gauss and Seidel).
fn fit_shares(points: &[&Point], exponent: f64, work: [f64; 2]) -> PowerCurve {
    let mut curve = PowerCurve {
        idle: [0.2; 2],
        work,
        exponent,
    };
    for _ in 0..ROUNDS {
        for own in 0..4 {
            let (mut pull, mut stiffness) = (0.0, 0.0);
            for p in points {
                let missed = p.share - curve.share(p);
                let weight = PowerCurve::weights(exponent, p)[own];
                let by = p.weight / (missed.abs() / p.share).max(FLOOR) / (p.share * p.share);
                pull += by * weight * missed;
                stiffness += by * weight * weight;
            }
            let [waiting, working] = [&mut curve.idle, &mut curve.work];
            let share = if own < 2 {
                &mut waiting[own]
            } else {
                &mut working[own - 2]
            };
            *share += if stiffness > 0.0 {
                pull / stiffness
            } else {
                0.0
            };
        }
    }
    curve
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
    fn the_shipped_curve_is_the_fit_and_holds_on_parts_left_out() {
        let report = shipped();
        let near = |a: f64, b: f64| (a - b).abs() < 0.02;
        let curve = report.curve;
        assert!(near(curve.idle[0], power::IDLE_SHARES[0]), "{report:?}");
        assert!(near(curve.idle[1], power::IDLE_SHARES[1]), "{report:?}");
        assert!(near(curve.work[0], power::WORK_SHARE), "{report:?}");
        let older = curve.work[1] / curve.work[0];
        assert!(near(older, power::OLDER_SHARE), "{report:?}");
        assert!(
            (curve.exponent - power::EXPONENT).abs() < 1e-9,
            "{report:?}"
        );
        assert!(
            near(report.at_work.widest, power::BOARD_ERROR),
            "{report:?}"
        );
        assert!(
            near(report.waiting.widest, power::WAITING_ERROR),
            "{report:?}"
        );
        assert!(report.at_work.mean < 0.12, "{report:?}");
        assert!(report.all.mean < 0.12, "{report:?}");
        assert_eq!((report.parts.len(), report.skipped), (4, 11));
    }
}
