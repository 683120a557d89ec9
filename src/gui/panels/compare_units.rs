//! What the figures of a comparison are told in: one basis for all, and in each row one unit with the same decimals, so that
//! figures beside one another can be compared at a glance.

use super::compare_head::Item;
use crate::format::{self, THIN};
use crate::planner::PredictedRun;
use crate::units::Seconds;

/// What the parts of two runs are compared in: seconds of a step where both take the same steps, else hours of the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Basis {
    /// Seconds of one step.
    Step,
    /// Hours of the whole run.
    Run,
}

/// Units of a step's parts with their seconds.
const OF_STEPS: [(&str, f64); 3] = [("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)];
/// Units of a run's parts; days only where hours are many.
const OF_RUNS: [(&str, f64); 3] = [("h", 3600.0), ("min", 60.0), ("s", 1.0)];
const DAY: (&str, f64) = ("d", 86_400.0);

impl Basis {
    /// The basis on which all of them can be compared.
    pub fn of(items: &[Item<'_>]) -> Self {
        let same = items.windows(2).all(|w| w[0].1.steps == w[1].1.steps);
        if same { Self::Step } else { Self::Run }
    }

    /// A part of a run's step in the basis, in seconds.
    pub fn of_part(self, time: Seconds, run: &PredictedRun) -> f64 {
        match self {
            Self::Step => time.value(),
            Self::Run => time.value() * run.steps,
        }
    }

    /// The unit of all parts: they are read down a column too, where 8.1 ms under 0.90 s would have to be worked out. A step
    /// of up to two seconds is told in milliseconds, or its small parts would round to nothing.
    fn shared_unit(self, rows: &[Vec<f64>]) -> (&'static str, f64) {
        const FEW: f64 = 2.0;
        let all = rows.iter().flatten().copied();
        let largest = all.filter(|v| v.is_finite()).fold(0.0, f64::max);
        match self {
            Self::Step if largest < FEW => self.unit(largest / FEW),
            _ => self.unit(largest),
        }
    }

    /// The unit that a row takes from its largest figure.
    fn unit(self, largest: f64) -> (&'static str, f64) {
        let units = match self {
            Self::Run if largest >= 10.0 * DAY.1 => return DAY,
            Self::Run => OF_RUNS,
            Self::Step => OF_STEPS,
        };
        let fits = |unit: &&(&str, f64)| largest >= unit.1;
        units.iter().find(fits).copied().unwrap_or(units[2])
    }
}

/// The unit and the decimals of all figures of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    name: &'static str,
    seconds: f64,
    decimals: usize,
}

impl Unit {
    /// What a row of seconds is told in: the largest decides, with a decimal more where the smallest would keep one digit.
    pub fn of(basis: Basis, row: &[f64]) -> Self {
        let largest = row.iter().copied().filter(|v| v.is_finite());
        Self::in_unit(basis.unit(largest.fold(0.0, f64::max)), row)
    }

    fn in_unit((name, seconds): (&'static str, f64), row: &[f64]) -> Self {
        let there = || row.iter().copied().filter(|v| v.is_finite() && *v > 0.0);
        let largest = there().fold(0.0, f64::max);
        let decimals = format::decimals_for(largest / seconds);
        let least = 10f64.powi(-(decimals as i32));
        let is_short = |v: f64| v / seconds >= least && v / seconds < 9.5 * least;
        let more = usize::from(decimals < 2 && there().any(is_short));
        let decimals = (decimals + more).min(2);
        Self {
            name,
            seconds,
            decimals,
        }
    }

    /// A time: `3.99 s`; what is there but too small for the row is `<0.01 s`.
    pub fn text(&self, seconds: f64) -> String {
        let text = format::fixed(seconds / self.seconds, self.decimals);
        let is_nothing = !text.chars().any(|c| matches!(c, '1'..='9'));
        let text = match (is_nothing, seconds == 0.0) {
            (true, true) => "0".to_owned(),
            (true, false) => {
                let least = 10f64.powi(-(self.decimals as i32));
                format!("<{}", format::fixed(least, self.decimals))
            }
            (false, _) => text,
        };
        format!("{text}{THIN}{}", self.name)
    }

    /// A difference with its sign; one that is too small for the row has none.
    pub fn difference(&self, seconds: f64) -> String {
        let text = self.text(seconds.abs());
        if seconds == 0.0 || text.starts_with('<') {
            return text;
        }
        let sign = if seconds < 0.0 { format::MINUS } else { '+' };
        format!("{sign}{text}")
    }
}

/// The units of all rows of a comparison.
#[derive(Debug, Clone)]
pub struct Units {
    /// What parts are compared in.
    pub basis: Basis,
    /// That of the whole step or run.
    pub total: Unit,
    parts: Vec<Unit>,
}

impl Units {
    /// Those of the runs that stand side by side.
    pub fn of(items: &[Item<'_>]) -> Self {
        let basis = Basis::of(items);
        let row = |time: &dyn Fn(&PredictedRun) -> Seconds| {
            let row = items.iter().map(|(_, run)| basis.of_part(time(run), run));
            Unit::of(basis, &row.collect::<Vec<f64>>())
        };
        let parts = items
            .first()
            .map_or(0, |(_, run)| run.prediction.breakdown.parts().len());
        let of_part = |place: usize| -> Vec<f64> {
            let time = |run: &PredictedRun| run.prediction.breakdown.parts()[place].1;
            let row = items.iter().map(|(_, run)| basis.of_part(time(run), run));
            row.collect()
        };
        let rows: Vec<Vec<f64>> = (0..parts).map(of_part).collect();
        let unit = basis.shared_unit(&rows);
        Self {
            basis,
            total: row(&|run| run.prediction.breakdown.total()),
            parts: rows.iter().map(|row| Unit::in_unit(unit, row)).collect(),
        }
    }

    /// That of a part's row.
    pub fn part(&self, place: usize) -> Unit {
        self.parts.get(place).copied().unwrap_or(self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_one_unit_and_one_number_of_decimals() {
        let of = |row: &[f64]| -> Vec<String> {
            let unit = Unit::of(Basis::Step, row);
            let texts = row.iter().map(|s| unit.text(*s).replace(THIN, " "));
            texts.collect()
        };
        assert_eq!(
            of(&[3.99, 0.003_92, 0.399]),
            ["3.99 s", "<0.01 s", "0.40 s"]
        );
        assert_eq!(of(&[13.3, 0.758]), ["13.30 s", "0.76 s"]);
        assert_eq!(of(&[0.0169, 0.0015]), ["16.9 ms", "1.5 ms"]);
        assert_eq!(of(&[0.639, 0.0336, 0.0]), ["639 ms", "34 ms", "0 ms"]);
        assert_eq!(of(&[0.000_433]), ["433 µs"]);
    }

    #[test]
    fn the_parts_of_a_step_share_a_unit() {
        let of = |rows: &[f64]| {
            let rows: Vec<Vec<f64>> = rows.iter().map(|v| vec![*v]).collect();
            let unit = Basis::Step.shared_unit(&rows);
            let text = |row: &Vec<f64>| Unit::in_unit(unit, row).text(row[0]).replace(THIN, " ");
            rows.iter().map(text).collect::<Vec<String>>()
        };
        assert_eq!(of(&[0.9, 0.203, 0.0081]), ["900 ms", "203 ms", "8.10 ms"]);
        assert_eq!(of(&[13.3, 0.203]), ["13.3 s", "0.20 s"]);
        assert_eq!(of(&[0.0169, 0.000_4]), ["16.9 ms", "0.40 ms"]);
    }

    #[test]
    fn differences_carry_a_sign_and_the_unit_of_their_row() {
        let unit = Unit::of(Basis::Step, &[0.5, 0.25]);
        assert_eq!(unit.difference(-0.25), "\u{2212}250\u{202F}ms");
        assert_eq!(unit.difference(-0.0), "0\u{202F}ms");
        assert_eq!(unit.difference(0.000_1), "<1\u{202F}ms");
        let unit = Unit::of(Basis::Run, &[50_000.0]);
        assert_eq!(unit.difference(7200.0), "+2.0\u{202F}h");
    }
}
