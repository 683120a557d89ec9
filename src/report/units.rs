//! One unit for each column of figures, chosen by the column's range and named in its head: figures of mixed units cannot
//! be compared at a glance.

use crate::format;
use crate::planner::{Plan, PredictedRun};

/// A figure of a run that shares the unit of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnFigure {
    /// Time of a step.
    Step,
    /// Total time.
    Time,
    /// Cost.
    Cost,
    /// Energy.
    Energy,
    /// Emissions.
    Carbon,
}

impl ColumnFigure {
    /// In seconds, hours, dollars, kilowatt-hours or kilograms; `None` where it is unknown.
    fn of(self, run: &PredictedRun) -> Option<f64> {
        match self {
            Self::Step => Some(run.prediction.step_time.value),
            Self::Time => Some(run.total_time_h.value),
            Self::Cost => run.cost_usd.map(|e| e.value),
            Self::Energy => run.energy_kwh.map(|e| e.value),
            Self::Carbon => run.co2e_kg,
        }
    }
}

/// A unit: from which figure on it is taken, its size, its name.
type Unit = (f64, f64, &'static str);

/// Of hours.
const TIMES: [Unit; 5] = [
    (0.0, 1.0 / 3600.0, "s"),
    (1.0 / 60.0, 1.0 / 60.0, "min"),
    (1.0, 1.0, "h"),
    (72.0, 24.0, "d"),
    (26_298.0, 8766.0, "years"),
];
/// Of seconds.
const STEPS: [Unit; 3] = [(0.0, 1e-6, "µs"), (1e-3, 1e-3, "ms"), (1.0, 1.0, "s")];
/// Of dollars.
const COSTS: [Unit; 3] = [(0.0, 1.0, "$"), (1e6, 1e6, "$ M"), (1e9, 1e9, "$ B")];
/// Of kilowatt-hours.
const ENERGIES: [Unit; 4] = [
    (0.0, 1e-3, "Wh"),
    (1.0, 1.0, "kWh"),
    (1e4, 1e3, "MWh"),
    (1e7, 1e6, "GWh"),
];
/// Of kilograms.
const MASSES: [Unit; 2] = [(0.0, 1.0, "kg"), (1e3, 1e3, "t")];
/// Most decimals of a figure in a table.
const MOST_DECIMALS: usize = 3;

/// The unit of one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnUnit {
    size: f64,
    /// Its name, for the head.
    pub name: &'static str,
    decimals: usize,
}

impl ColumnUnit {
    /// The unit that shows the middle one of some figures best, with decimals that tell the smallest one from nothing.
    fn of(units: &[Unit], values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.filter(|v| v.is_finite() && *v > 0.0).collect();
        values.sort_by(f64::total_cmp);
        let (least, middle) = (*values.first()?, *values.get(values.len() / 2)?);
        let (_, size, name) = units.iter().rfind(|(from, ..)| middle >= *from)?;
        // Cents of a large cost say nothing.
        let most = values.last().copied().unwrap_or(middle);
        let has_cents = least < 1.0 || least < format::CENTS && most < 1e3;
        let is_money = *name == "$";
        let wanted =
            format::decimals_for(middle / size).max(format::decimals_for(least / size * 10.0));
        Some(Self {
            size: *size,
            name,
            decimals: if is_money {
                if has_cents { 2 } else { 0 }
            } else {
                wanted.min(MOST_DECIMALS)
            },
        })
    }

    /// A figure in it, without its name.
    pub fn text(&self, value: f64) -> String {
        format::in_column(value / self.size, self.decimals)
    }
}

/// The units of the columns of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ColumnUnits {
    step: Option<ColumnUnit>,
    time: Option<ColumnUnit>,
    cost: Option<ColumnUnit>,
    energy: Option<ColumnUnit>,
    carbon: Option<ColumnUnit>,
}

impl ColumnUnits {
    /// Those of every run of a plan: what a filter hides does not change them.
    pub fn of(plan: &Plan) -> Self {
        let of = |units: &[Unit], figure: ColumnFigure| {
            let runs = plan.combinations.iter().filter_map(|c| c.run());
            ColumnUnit::of(units, runs.filter_map(|run| figure.of(run)))
        };
        Self {
            step: of(&STEPS, ColumnFigure::Step),
            time: of(&TIMES, ColumnFigure::Time),
            cost: of(&COSTS, ColumnFigure::Cost),
            energy: of(&ENERGIES, ColumnFigure::Energy),
            carbon: of(&MASSES, ColumnFigure::Carbon),
        }
    }

    /// The unit of a column; `None` where no run has a figure in it.
    pub const fn unit(&self, figure: ColumnFigure) -> Option<&ColumnUnit> {
        match figure {
            ColumnFigure::Step => self.step.as_ref(),
            ColumnFigure::Time => self.time.as_ref(),
            ColumnFigure::Cost => self.cost.as_ref(),
            ColumnFigure::Energy => self.energy.as_ref(),
            ColumnFigure::Carbon => self.carbon.as_ref(),
        }
    }

    /// What a run has in a column, without the unit; `None` where that is unknown.
    pub fn text(&self, figure: ColumnFigure, run: &PredictedRun) -> Option<String> {
        Some(self.unit(figure)?.text(figure.of(run)?))
    }

    /// The head of a column with its unit: `Time (d)`.
    pub fn head(&self, name: &str, figure: ColumnFigure) -> String {
        let unit = self.unit(figure);
        unit.map_or_else(|| name.to_owned(), |unit| format!("{name} ({})", unit.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_the_unit_of_its_middle_and_tells_its_least_from_nothing() {
        let of = |units: &[Unit], values: &[f64]| {
            let unit = ColumnUnit::of(units, values.iter().copied()).unwrap();
            let texts: Vec<String> = values
                .iter()
                .map(|v| unit.text(*v).replace(format::THIN, "_"))
                .collect();
            format!("{} {}", texts.join(" "), unit.name)
        };
        assert_eq!(of(&TIMES, &[7.5, 30.2, 61.0]), "7.5 30.2 61.0 h");
        assert_eq!(of(&TIMES, &[30.0, 240.0, 480.0]), "1.2 10.0 20.0 d");
        assert_eq!(
            of(&ENERGIES, &[900.0, 12_400.0, 31_000.0]),
            "0.90 12.40 31.00 MWh"
        );
        assert_eq!(of(&COSTS, &[383.0, 1_449.0, 8_567.0]), "383 1_450 8_570 $");
        assert_eq!(of(&COSTS, &[6.2, 9.84, 31.0]), "6.20 9.84 31.00 $");
        assert_eq!(of(&STEPS, &[0.0853, 0.64]), "85 640 ms");
        assert_eq!(ColumnUnit::of(&COSTS, std::iter::empty()), None);
    }
}
