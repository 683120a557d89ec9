//! The line of board power over load, fitted again from the measured rows, and its error on parts left out of the fit.

use crate::dataset::PowerRow;
use std::collections::BTreeMap;

/// Rounds of reweighting that turn least squares into least absolute errors.
const ROUNDS: usize = 100;
/// Relative errors below this weigh alike.
const FLOOR: f64 = 0.02;
/// A board that works this share of its best throughput is at work, not waiting.
const AT_WORK: f64 = 0.8;

/// Share of the power limit a board draws: `idle + work · busy`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerLine {
    /// Share drawn by a board that waits.
    pub idle: f64,
    /// Share added when it works all the time.
    pub work: f64,
}

/// Mean power against measured rows, each part left out of the fit in turn.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerReport {
    /// The line through all parts with tensor cores.
    pub line: PowerLine,
    /// What parts before tensor cores draw over that line, median.
    pub older: f64,
    /// By part: rows, mean error of all, rows at work, mean error of those; as shares.
    pub parts: BTreeMap<String, [f64; 4]>,
    /// Mean error of all held-out rows of parts with tensor cores.
    pub error: f64,
    /// The same of rows at work, 80 % of the best throughput or more.
    pub error_at_work: f64,
}

struct Point<'a> {
    gpu: &'a str,
    busy: f64,
    share: f64,
    weight: f64,
}

/// Fits the line and measures it.
pub fn power_report(rows: &[PowerRow]) -> PowerReport {
    let points: Vec<Point<'_>> = rows.iter().map(|row| point(row, rows)).collect();
    let modern: Vec<&Point<'_>> = points.iter().filter(|p| !is_older(p.gpu)).collect();
    let line = fit(&modern);
    let mut older: Vec<f64> = (points.iter().filter(|p| is_older(p.gpu)))
        .map(|p| p.share / line.share(p.busy))
        .collect();
    older.sort_by(f64::total_cmp);
    let mut parts: BTreeMap<String, [f64; 4]> = BTreeMap::new();
    let (mut all, mut at_work) = (Vec::new(), Vec::new());
    for own in &points {
        let others: Vec<&Point<'_>> = (modern.iter().copied())
            .filter(|p| p.gpu != own.gpu)
            .collect();
        let part = parts.entry(own.gpu.to_owned()).or_insert_with(|| {
            let held_out = fit(&others);
            let errors = |least: f64| {
                let errors: Vec<f64> = (points.iter())
                    .filter(|p| p.gpu == own.gpu && p.busy >= least)
                    .map(|p| (held_out.share(p.busy) / p.share - 1.0).abs())
                    .collect();
                (errors.len() as f64, errors.iter().sum::<f64>())
            };
            let ((rows, sum), (busy, busy_sum)) = (errors(0.0), errors(AT_WORK));
            if !is_older(own.gpu) {
                all.push((rows, sum));
                at_work.push((busy, busy_sum));
            }
            [rows, sum / rows.max(1.0), busy, busy_sum / busy.max(1.0)]
        });
        debug_assert!(part[0] >= 1.0);
    }
    let mean = |sums: Vec<(f64, f64)>| {
        let (rows, sum) = sums
            .into_iter()
            .fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        sum / f64::max(rows, 1.0)
    };
    PowerReport {
        line,
        older: older.get(older.len() / 2).copied().unwrap_or(1.0),
        parts,
        error: mean(all),
        error_at_work: mean(at_work),
    }
}

/// Parts before tensor cores draw less of their limit in training.
fn is_older(gpu: &str) -> bool {
    gpu.starts_with("P100")
}

/// Load is the throughput over the best of its curve; every curve weighs the same.
fn point<'a>(row: &'a PowerRow, rows: &[PowerRow]) -> Point<'a> {
    let curve: Vec<&PowerRow> = rows.iter().filter(|other| row.same_curve(other)).collect();
    let best = curve.iter().map(|r| r.throughput).fold(0.0, f64::max);
    Point {
        gpu: &row.gpu,
        busy: row.throughput / best,
        share: row.mean_power_w / row.power_limit_w,
        weight: 1.0 / curve.len() as f64,
    }
}

impl PowerLine {
    fn share(self, busy: f64) -> f64 {
        self.idle + self.work * busy
    }
}

/// The line of least relative absolute error, by reweighted least squares.
fn fit(points: &[&Point<'_>]) -> PowerLine {
    let mut line = PowerLine {
        idle: 0.3,
        work: 0.5,
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

    #[test]
    fn the_shipped_line_is_the_fit() {
        let report = power_report(&shipped_power().unwrap());
        let near = |a: f64, b: f64| (a - b).abs() < 0.006;
        assert!(near(report.line.idle, power::IDLE_SHARE), "{report:?}");
        assert!(near(report.line.work, power::WORK_SHARE), "{report:?}");
        assert!(near(report.older, power::OLDER_SHARE), "{report:?}");
    }

    #[test]
    fn boards_at_work_are_within_an_eighth_on_parts_left_out() {
        let report = power_report(&shipped_power().unwrap());
        assert!(report.error_at_work < 0.12, "{report:?}");
        assert!(report.error < 0.25, "{report:?}");
        assert_eq!(report.parts.len(), 5);
    }
}
