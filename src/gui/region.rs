//! The box on the trade-off without a mouse: put around a point, moved and sized in steps of the plot.

use super::measure::{Axes, Measure, Region, Scale};
use crate::planner::{Plan, PredictedRun};

/// Share of the plot's range that a new box reaches to each side.
const REACH: f64 = 0.12;
/// Share of the range that a step moves or sizes.
const STEP: f64 = 0.04;

/// One change of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // named by what they do
pub enum BoxStep {
    Left,
    Right,
    Up,
    Down,
    Wider,
    Narrower,
    Taller,
    Lower,
}

impl BoxStep {
    /// What it does, in words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Left => "Move the box left",
            Self::Right => "Move the box right",
            Self::Up => "Move the box up",
            Self::Down => "Move the box down",
            Self::Wider => "Make the box wider",
            Self::Narrower => "Make the box narrower",
            Self::Taller => "Make the box taller",
            Self::Lower => "Make the box lower",
        }
    }
}

impl Region {
    /// A box around a run; `None` where one of its figures is not known.
    pub fn around(plan: &Plan, axes: Axes, run: &PredictedRun) -> Option<Self> {
        let side = |measure: Measure| {
            let at = axes.scale.to_plot(measure.of(run)?.value);
            let by = REACH * span(plan, measure, axes.scale)?;
            Some(interval(measure, axes.scale, at - by, at + by))
        };
        Some(Self {
            x: side(axes.x)?,
            y: side(axes.y)?,
        })
    }

    /// Whether it lies over a pair of axes.
    pub fn is_on(&self, axes: Axes) -> bool {
        (self.x.0, self.y.0) == (axes.x, axes.y)
    }

    /// The box after one step.
    pub fn stepped(self, plan: &Plan, scale: Scale, step: BoxStep) -> Self {
        let (x, y) = match step {
            BoxStep::Left => ((-1.0, -1.0), (0.0, 0.0)),
            BoxStep::Right => ((1.0, 1.0), (0.0, 0.0)),
            BoxStep::Up => ((0.0, 0.0), (1.0, 1.0)),
            BoxStep::Down => ((0.0, 0.0), (-1.0, -1.0)),
            BoxStep::Wider => ((-1.0, 1.0), (0.0, 0.0)),
            BoxStep::Narrower => ((1.0, -1.0), (0.0, 0.0)),
            BoxStep::Taller => ((0.0, 0.0), (-1.0, 1.0)),
            BoxStep::Lower => ((0.0, 0.0), (1.0, -1.0)),
        };
        Self {
            x: shifted(plan, scale, self.x, x),
            y: shifted(plan, scale, self.y, y),
        }
    }
}

/// An interval whose ends move by so many steps; ends that would cross stay.
fn shifted(
    plan: &Plan,
    scale: Scale,
    (measure, low, high): (Measure, f64, f64),
    by: (f64, f64),
) -> (Measure, f64, f64) {
    let step = STEP * span(plan, measure, scale).unwrap_or(0.0);
    let (a, b) = (
        scale.to_plot(low) + by.0 * step,
        scale.to_plot(high) + by.1 * step,
    );
    if a < b {
        interval(measure, scale, a, b)
    } else {
        (measure, low, high)
    }
}

fn interval(measure: Measure, scale: Scale, low: f64, high: f64) -> (Measure, f64, f64) {
    (measure, scale.to_value(low), scale.to_value(high))
}

/// From the lowest to the highest figure of the plan, in the plot's coordinates; `None` where none is known.
fn span(plan: &Plan, measure: Measure, scale: Scale) -> Option<f64> {
    let known = plan
        .combinations
        .iter()
        .filter_map(|c| measure.of(c.run()?));
    let (low, high) = known
        .map(|e| scale.to_plot(e.value))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        });
    // A plan of one point still has a box around it.
    (low <= high).then(|| (high - low).max(0.05 * high.abs().max(1.0)))
}
