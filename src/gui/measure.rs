//! What an axis of the trade-off may show, and a box drawn over two of them.

use crate::format;
use crate::planner::{Combination, Plan, PredictedRun};
use crate::predictor::Estimate;
use crate::units::KilowattHours;
use serde::{Deserialize, Serialize};

/// A figure of a run that can be weighed against another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // named by their titles
pub enum Measure {
    Time,
    Cost,
    Energy,
    Memory,
}

impl Measure {
    /// Every measure, in the order of the menus.
    pub const ALL: [Self; 4] = [Self::Time, Self::Cost, Self::Energy, Self::Memory];

    /// Title at the end of an axis.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Time => "Total time",
            Self::Cost => "Cost",
            Self::Energy => "Energy",
            Self::Memory => "Memory each",
        }
    }

    /// The word in a sentence: "cost against time".
    pub const fn word(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Cost => "cost",
            Self::Energy => "energy",
            Self::Memory => "memory",
        }
    }

    /// The figure of a run: hours, dollars, kilowatt-hours or gibibytes; `None` where it is not known.
    pub fn of(self, run: &PredictedRun) -> Option<Estimate> {
        match self {
            Self::Time => Some(run.total_time_h),
            Self::Cost => run.cost_usd,
            Self::Energy => run.energy_kwh,
            Self::Memory => {
                let value = run.prediction.memory.total().gib();
                Some(Estimate {
                    value,
                    low: value,
                    high: value,
                })
            }
        }
    }

    /// The figure of a run as text; `None` where it is not known.
    pub fn text(self, run: &PredictedRun) -> Option<String> {
        match self {
            Self::Time => Some(format::hours(run.total_time_h.value)),
            Self::Cost => Some(run.cost_text()),
            Self::Energy => (run.energy_kwh).map(|e| format::energy(KilowattHours(e.value))),
            Self::Memory => Some(format::memory_gib(run.prediction.memory.total())),
        }
    }

    /// How wide the interval of the figure is, with one sign of percent: `±11 %`, `−9/+14 %`; `None` where the figure is not
    /// known or has none.
    pub fn interval(self, run: &PredictedRun) -> Option<String> {
        let e = self
            .of(run)
            .filter(|e| e.low < e.value || e.value < e.high)?;
        Some(format::interval_short(e.value, e.low, e.high))
    }

    /// The limit the request sets on it.
    pub fn limit(self, plan: &Plan) -> Option<f64> {
        match self {
            Self::Time => plan.request.deadline_h,
            Self::Cost => plan.request.budget_usd,
            Self::Energy => plan.request.limits.energy_kwh,
            Self::Memory => None,
        }
    }
}

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[allow(missing_docs)] // named by what they are
pub enum Scale {
    #[default]
    Log,
    Linear,
}

impl Scale {
    /// A value's place in the plot's own coordinates.
    pub fn to_plot(self, value: f64) -> f64 {
        match self {
            Self::Log => value.max(1e-12).log10(),
            Self::Linear => value,
        }
    }

    /// The value at a place of the plot.
    pub fn to_value(self, place: f64) -> f64 {
        match self {
            Self::Log => 10f64.powf(place),
            Self::Linear => place,
        }
    }
}

/// What the trade-off plot shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Axes {
    /// Across.
    pub x: Measure,
    /// Up.
    pub y: Measure,
    /// Of both axes.
    pub scale: Scale,
}

impl Default for Axes {
    fn default() -> Self {
        Self {
            x: Measure::Time,
            y: Measure::Cost,
            scale: Scale::Log,
        }
    }
}

/// A rectangle drawn on the trade-off: the table shows what lies inside.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Measure across with its smallest and largest value.
    pub x: (Measure, f64, f64),
    /// Measure up with its smallest and largest value.
    pub y: (Measure, f64, f64),
}

impl Region {
    /// Whether a combination lies inside.
    pub fn contains(&self, c: &Combination) -> bool {
        let inside = |(measure, low, high): (Measure, f64, f64)| {
            c.run()
                .and_then(|run| measure.of(run))
                .is_some_and(|e| e.value >= low && e.value <= high)
        };
        inside(self.x) && inside(self.y)
    }
}
