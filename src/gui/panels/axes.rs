//! Logarithmic and linear axes with ticks at round human values.

use crate::format;
use crate::gui::look::ChartStep;
use crate::gui::measure::{Measure, Scale};
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::paint;
use crate::units::{KilowattHours, Seconds, Usd};
use egui::{Align2, Painter, PointerButton, Rect, Stroke, pos2};
use egui_plot::{PlotBounds, PlotTransform};

/// What an axis shows; decides its ticks and their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Hours.
    Hours,
    /// US dollars.
    Dollars,
    /// Powers of two.
    Count,
    /// Kilowatt-hours.
    Energy,
    /// Gibibytes.
    Gibibytes,
    /// Hours of a short while, in decades.
    Step,
    /// Percent.
    Percent,
}

impl From<Measure> for Quantity {
    fn from(measure: Measure) -> Self {
        match measure {
            Measure::Time => Self::Hours,
            Measure::Cost => Self::Dollars,
            Measure::Energy => Self::Energy,
            Measure::Memory => Self::Gibibytes,
        }
    }
}

/// One axis of a plot.
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    /// What it shows.
    pub quantity: Quantity,
    /// How values are spread.
    pub scale: Scale,
    /// Title at its end.
    pub title: &'static str,
}

impl Axis {
    /// A logarithmic axis.
    pub const fn log(quantity: Quantity, title: &'static str) -> Self {
        Self {
            quantity,
            scale: Scale::Log,
            title,
        }
    }
}

const HOUR_TICKS: [f64; 32] = [
    1.0 / 60.0,
    2.0 / 60.0,
    3.0 / 60.0,
    5.0 / 60.0,
    10.0 / 60.0,
    0.25,
    20.0 / 60.0,
    0.5,
    0.75,
    1.0,
    1.5,
    2.0,
    3.0,
    4.0,
    6.0,
    8.0,
    12.0,
    24.0,
    36.0,
    48.0,
    72.0,
    96.0,
    144.0,
    192.0,
    288.0,
    384.0,
    576.0,
    768.0,
    1536.0,
    3072.0,
    6144.0,
    12_288.0,
];
/// Steps of a linear time axis from a minute to ten days.
const HOUR_STEPS: [f64; 14] = [
    1.0 / 60.0,
    5.0 / 60.0,
    10.0 / 60.0,
    0.25,
    0.5,
    1.0,
    2.0,
    3.0,
    6.0,
    12.0,
    24.0,
    48.0,
    96.0,
    120.0,
];
const MANTISSAS: [f64; 10] = [1.0, 2.0, 5.0, 3.0, 1.5, 4.0, 6.0, 1.2, 2.5, 8.0];

impl Quantity {
    /// Candidate values inside a range, most welcome first.
    fn candidates(self, lo: f64, hi: f64) -> Vec<f64> {
        let inside = |v: &f64| *v >= lo && *v <= hi;
        match self {
            Self::Hours => {
                let mut ticks: Vec<f64> = format::ROUND_HOURS.into_iter().filter(inside).collect();
                if ticks.len() < 4 {
                    ticks.extend(HOUR_TICKS.into_iter().filter(inside));
                }
                // Runs of a few steps are over in seconds.
                let minute = HOUR_TICKS[0];
                if lo < minute {
                    ticks.extend(Self::Step.candidates(lo, hi.min(0.99 * minute)));
                }
                ticks
            }
            Self::Count => (0..24)
                .map(|i| f64::from(1u32 << i))
                .filter(inside)
                .collect(),
            Self::Dollars | Self::Energy | Self::Gibibytes | Self::Step | Self::Percent => {
                let unit = if self == Self::Step {
                    1.0 / 3600.0
                } else {
                    1.0
                };
                let (lo, hi) = (lo / unit, hi / unit);
                let (first, last) = (lo.log10().floor() as i32, hi.log10().ceil() as i32);
                MANTISSAS
                    .iter()
                    .flat_map(|m| (first..=last).map(move |e| m * 10f64.powi(e) * unit))
                    .filter(inside)
                    .collect()
            }
        }
    }

    /// The words of a tick.
    pub fn words(self, value: f64) -> String {
        match self {
            _ if value == 0.0 => "0".to_owned(),
            Self::Hours => format::hours_tick(value),
            Self::Dollars if value >= 0.995 && (value - value.round()).abs() < 1e-9 => {
                format::money(Usd(value)).replace(".00", "")
            }
            // Rounded to whole cents, two ticks would bear the same words.
            Self::Dollars
                if value < 0.995 && (100.0 * value - (100.0 * value).round()).abs() > 1e-6 =>
            {
                format!("${}", format::number(value).trim_end_matches('0'))
            }
            Self::Dollars => format::money(Usd(value)),
            Self::Count => format::count(value),
            Self::Percent => format!("{}{}%", format::number(value), format::THIN),
            Self::Step => format::step_time(Seconds(value * 3600.0)),
            Self::Energy => format::energy(KilowattHours(value)),
            Self::Gibibytes => format!("{}{}GiB", format::number(value), format::THIN),
        }
    }

    /// Steps between the ticks of a linear axis, ascending.
    fn steps(self) -> Vec<f64> {
        match self {
            Self::Hours => {
                let below_ten = (-4..1).flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(e)));
                let mut steps: Vec<f64> = below_ten
                    .chain([10.0, 20.0, 30.0])
                    .map(|seconds| seconds / 3600.0)
                    .collect();
                steps.extend(HOUR_STEPS);
                steps.extend(
                    (0..8).flat_map(|e| [10.0, 20.0, 50.0].map(|m| 24.0 * m * 10f64.powi(e))),
                );
                steps
            }
            Self::Count => (0..24).map(|i| f64::from(1u32 << i)).collect(),
            _ => (-4..12)
                .flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(e)))
                .collect(),
        }
    }

    /// Ticks of a linear axis, at least `gap` points apart.
    fn linear_ticks(self, lo: f64, hi: f64, length: f32, gap: f32) -> Vec<f64> {
        let span = hi - lo;
        if !span.is_finite() || span <= 0.0 {
            return Vec::new();
        }
        let wide_enough = |step: &f64| (step / span) as f32 * length >= gap;
        let Some(step) = self.steps().into_iter().find(wide_enough) else {
            return Vec::new();
        };
        let first = (lo / step).ceil().max(0.0) as i64;
        let last = (hi / step).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }

    /// Ticks at least `gap` points apart on an axis of `length` points from `lo` to `hi`.
    pub fn ticks(self, scale: Scale, (lo, hi): (f64, f64), length: f32, gap: f32) -> Vec<f64> {
        if scale == Scale::Linear {
            return self.linear_ticks(lo, hi, length, gap);
        }
        let span = (hi / lo).ln();
        if !span.is_finite() || span <= 0.0 {
            return Vec::new();
        }
        let place = |v: f64| ((v / lo).ln() / span) as f32 * length;
        let mut kept: Vec<f64> = Vec::new();
        for value in self.candidates(lo, hi) {
            if kept.iter().all(|k| (place(*k) - place(value)).abs() >= gap) {
                kept.push(value);
            }
        }
        kept.sort_by(f64::total_cmp);
        kept
    }
}

/// Where a pair of values of logarithmic axes stands on the screen.
pub fn place(transform: &PlotTransform, x: f64, y: f64) -> egui::Pos2 {
    place_on(transform, Scale::Log, x, y)
}

/// Where a pair of values stands on the screen.
pub fn place_on(transform: &PlotTransform, scale: Scale, x: f64, y: f64) -> egui::Pos2 {
    pos2(
        transform.position_from_point_x(scale.to_plot(x)),
        transform.position_from_point_y(scale.to_plot(y)),
    )
}

/// Grid, axis lines and labels of a plot.
pub fn paint_axes(painter: &Painter, transform: &PlotTransform, x: Axis, y: Axis, t: &Tokens) {
    let frame = *transform.frame();
    let (low, high) = (transform.bounds().min(), transform.bounds().max());
    let range = |axis: Axis, i: usize| (axis.scale.to_value(low[i]), axis.scale.to_value(high[i]));
    for value in x.quantity.ticks(x.scale, range(x, 0), frame.width(), 64.0) {
        let place = transform.position_from_point_x(x.scale.to_plot(value));
        let px = painter.round_to_pixel_center(place);
        painter.vline(px, frame.y_range(), Stroke::new(1.0, t.grid));
        paint(
            painter,
            pos2(px, frame.bottom() + 11.0),
            Align2::CENTER_CENTER,
            &x.quantity.words(value),
            Role::Caption,
            t.sub,
        );
    }
    for value in y.quantity.ticks(y.scale, range(y, 1), frame.height(), 34.0) {
        let place = transform.position_from_point_y(y.scale.to_plot(value));
        let py = painter.round_to_pixel_center(place);
        painter.hline(frame.x_range(), py, Stroke::new(1.0, t.grid));
        // The title stands at the end of the axis; a figure there would run into it.
        if py < frame.top() + 9.0 {
            continue;
        }
        paint(
            painter,
            pos2(frame.left() - 8.0, py),
            Align2::RIGHT_CENTER,
            &y.quantity.words(value),
            Role::Caption,
            t.sub,
        );
    }
    painter.hline(
        frame.x_range(),
        frame.bottom(),
        Stroke::new(1.0, t.grid_zero),
    );
    painter.vline(frame.left(), frame.y_range(), Stroke::new(1.0, t.grid_zero));
    paint(
        painter,
        pos2(frame.right(), frame.bottom() + 25.0),
        Align2::RIGHT_CENTER,
        x.title,
        Role::Caption,
        t.text,
    );
    paint(
        painter,
        pos2(frame.left() - 48.0, frame.top() - 6.0),
        Align2::LEFT_CENTER,
        y.title,
        Role::Caption,
        t.text,
    );
}

/// The plot's frame inside an area: room for labels at the left, below and above.
pub fn frame_of(area: Rect, right: f32) -> Rect {
    Rect::from_min_max(
        pos2(area.left() + 48.0, area.top() + 14.0),
        pos2(area.right() - right, area.bottom() - 36.0),
    )
}

/// An interactive, empty plot with the given bounds in plot coordinates; everything is painted over it. The middle
/// button pans, and so does the primary one with Shift and scrolling with two fingers or a wheel; a pinch or Ctrl with the
/// wheel zooms, and so does `step`. The primary button alone is left to the caller. In a page that scrolls, `scrolls`
/// must be false, or the page would stand still below the pointer.
pub fn base(
    ui: &mut egui::Ui,
    frame: Rect,
    id: impl std::hash::Hash + std::fmt::Debug,
    x: (f64, f64),
    y: (f64, f64),
    (step, scrolls): (Option<ChartStep>, bool),
) -> (egui::Response, PlotTransform) {
    let salt = egui::Id::unique(id);
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(frame).id_salt(salt));
    let plot = egui_plot::Plot::new(salt)
        .width(frame.width())
        .height(frame.height())
        .show_axes(false)
        .show_grid(false)
        .show_background(false)
        .show_x(false)
        .show_y(false)
        .show_crosshair(false)
        .set_margin_fraction(egui::Vec2::ZERO)
        .default_x_bounds(x.0, x.1)
        .default_y_bounds(y.0, y.1)
        .allow_scroll(scrolls)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .pan_pointer_button(PointerButton::Middle)
        .show(&mut child, |plot| {
            if is_shift_drag(plot.response()) {
                plot.translate_bounds(-plot.pointer_coordinate_drag_delta());
            }
            if let Some(step) = step {
                let seen = plot.plot_bounds();
                let [(x_low, x_high), (y_low, y_high)] =
                    step.from(seen.range_x(), seen.range_y(), (x, y));
                plot.set_plot_bounds(PlotBounds::from_min_max([x_low, y_low], [x_high, y_high]));
            }
        });
    (plot.response, plot.transform)
}

/// Whether a drag moves the chart instead of drawing on it.
pub fn is_shift_drag(response: &egui::Response) -> bool {
    let with_shift = response.ctx.input(|i| i.modifiers.shift);
    with_shift && response.dragged_by(PointerButton::Primary)
}

/// Bounds of logarithms with a margin; at least a factor of 1.5 wide.
pub fn bounds(values: impl Iterator<Item = f64>, margin: (f64, f64)) -> Option<(f64, f64)> {
    bounds_on(Scale::Log, values, margin)
}

/// Bounds in plot coordinates with a margin; never of no width, and a linear axis starts no lower than 0.
pub fn bounds_on(
    scale: Scale,
    values: impl Iterator<Item = f64>,
    margin: (f64, f64),
) -> Option<(f64, f64)> {
    let (lo, hi) = values
        .filter(|v| v.is_finite() && *v > 0.0)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| {
            (lo.min(v), hi.max(v))
        });
    if lo > hi {
        return None;
    }
    let (mut lo, mut hi) = (scale.to_plot(lo), scale.to_plot(hi));
    let least = match scale {
        Scale::Log => 0.18,
        Scale::Linear => 0.2 * hi,
    };
    if hi - lo < least {
        let centre = f64::midpoint(lo, hi);
        (lo, hi) = (centre - least / 2.0, centre + least / 2.0);
    }
    let span = hi - lo;
    let (lo, hi) = (lo - span * margin.0, hi + span * margin.1);
    Some(match scale {
        Scale::Log => (lo, hi),
        Scale::Linear => (lo.max(0.0), hi),
    })
}

/// A dashed line, 3 on and 3 off.
pub fn dashed(
    painter: &Painter,
    a: egui::Pos2,
    b: egui::Pos2,
    color: egui::Color32,
    dash: (f32, f32),
) {
    painter.extend(egui::Shape::dashed_line(
        &[a, b],
        Stroke::new(1.0, color),
        dash.0,
        dash.1,
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every range that a plan may have, on both scales: there are ticks, and no two of them bear the same words.
    #[test]
    fn ticks_of_any_range_are_there_and_differ() {
        for quantity in [Quantity::Hours, Quantity::Dollars, Quantity::Energy] {
            for scale in [Scale::Log, Scale::Linear] {
                for exponent in -14..17 {
                    let lo = 10f64.powf(f64::from(exponent) / 4.0);
                    for (factor, least) in [(2.2, 1), (4.1, 2), (10.0, 2), (300.0, 2)] {
                        let range = (lo, lo * factor);
                        let ticks = quantity.ticks(scale, range, 560.0, 64.0);
                        let words: BTreeSet<String> =
                            ticks.iter().map(|v| quantity.words(*v)).collect();
                        let told = format!("{quantity:?} {scale:?} {range:?}: {words:?}");
                        assert!(words.len() >= least, "{told}");
                        assert_eq!(words.len(), ticks.len(), "{told}");
                    }
                }
            }
        }
    }
}
