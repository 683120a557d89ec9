//! Logarithmic axes with ticks at round human values.

use crate::format;
use crate::units::Usd;
use egui::{Painter, Rect, Stroke, pos2};
use egui_plot::PlotTransform;

use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::paint;
use egui::Align2;

/// What an axis shows; decides its ticks and their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Hours.
    Hours,
    /// US dollars.
    Dollars,
    /// Powers of two.
    Count,
}

const HOUR_TICKS: [f64; 30] = [
    1.0 / 60.0,
    2.0 / 60.0,
    5.0 / 60.0,
    10.0 / 60.0,
    20.0 / 60.0,
    0.5,
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
    24_576.0,
];
const HOUR_MAIN: [f64; 20] = [
    1.0 / 60.0,
    5.0 / 60.0,
    0.5,
    1.0,
    3.0,
    6.0,
    12.0,
    24.0,
    48.0,
    96.0,
    192.0,
    384.0,
    768.0,
    1536.0,
    3072.0,
    6144.0,
    12_288.0,
    24_576.0,
    49_152.0,
    98_304.0,
];
const MANTISSAS: [f64; 9] = [1.0, 2.0, 5.0, 3.0, 1.5, 4.0, 6.0, 1.2, 2.5];

impl Quantity {
    /// Candidate values inside a range, most welcome first.
    fn candidates(self, lo: f64, hi: f64) -> Vec<f64> {
        let inside = |v: &f64| *v >= lo && *v <= hi;
        match self {
            Self::Hours => {
                let mut ticks: Vec<f64> = HOUR_MAIN.into_iter().filter(inside).collect();
                if ticks.len() < 4 {
                    ticks.extend(HOUR_TICKS.into_iter().filter(inside));
                }
                ticks
            }
            Self::Count => (0..24)
                .map(|i| f64::from(1u32 << i))
                .filter(inside)
                .collect(),
            Self::Dollars => {
                let (first, last) = (lo.log10().floor() as i32, hi.log10().ceil() as i32);
                MANTISSAS
                    .iter()
                    .flat_map(|m| (first..=last).map(move |e| m * 10f64.powi(e)))
                    .filter(inside)
                    .collect()
            }
        }
    }

    /// The words of a tick.
    pub fn words(self, value: f64) -> String {
        match self {
            Self::Hours => format::hours(value),
            Self::Dollars if value < 1.0 => format!("${value}"),
            Self::Dollars => format::money(Usd(value)),
            Self::Count => format::count(value),
        }
    }

    /// Ticks at least `gap` points apart on an axis of `length` points from `lo` to `hi`.
    pub fn ticks(self, lo: f64, hi: f64, length: f32, gap: f32) -> Vec<f64> {
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

/// Where a pair of values (not logarithms) stands on the screen.
pub fn place(transform: &PlotTransform, x: f64, y: f64) -> egui::Pos2 {
    pos2(
        transform.position_from_point_x(x.log10()),
        transform.position_from_point_y(y.log10()),
    )
}

/// Grid, axis lines and labels of a log-log plot.
pub fn paint_axes(
    painter: &Painter,
    transform: &PlotTransform,
    (x, y): (Quantity, Quantity),
    (x_title, y_title): (&str, &str),
    t: &Tokens,
) {
    let frame = *transform.frame();
    let (low, high) = (transform.bounds().min(), transform.bounds().max());
    let [x_lo, y_lo] = low.map(|v| 10f64.powf(v));
    let [x_hi, y_hi] = high.map(|v| 10f64.powf(v));
    for value in x.ticks(x_lo, x_hi, frame.width(), 64.0) {
        let px = painter.round_to_pixel_center(transform.position_from_point_x(value.log10()));
        painter.vline(px, frame.y_range(), Stroke::new(1.0, t.grid));
        paint(
            painter,
            pos2(px, frame.bottom() + 11.0),
            Align2::CENTER_CENTER,
            &x.words(value),
            Role::Caption,
            t.sub,
        );
    }
    for value in y.ticks(y_lo, y_hi, frame.height(), 34.0) {
        let py = painter.round_to_pixel_center(transform.position_from_point_y(value.log10()));
        painter.hline(frame.x_range(), py, Stroke::new(1.0, t.grid));
        // The title stands at the end of the axis; a figure there would run into it.
        if py < frame.top() + 9.0 {
            continue;
        }
        paint(
            painter,
            pos2(frame.left() - 8.0, py),
            Align2::RIGHT_CENTER,
            &y.words(value),
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
        x_title,
        Role::Caption,
        t.text,
    );
    paint(
        painter,
        pos2(frame.left() - 8.0, frame.top() - 2.0),
        Align2::RIGHT_CENTER,
        y_title,
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

/// An interactive, empty plot with the given bounds (logarithms); everything is painted over it.
pub fn base(
    ui: &mut egui::Ui,
    frame: Rect,
    id: impl std::hash::Hash + std::fmt::Debug,
    x: (f64, f64),
    y: (f64, f64),
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
        .allow_scroll(false)
        .show(&mut child, |_| ());
    (plot.response, plot.transform)
}

/// Bounds of logarithms with a margin; at least a factor of 1.5 wide.
pub fn bounds(values: impl Iterator<Item = f64>, margin: (f64, f64)) -> Option<(f64, f64)> {
    let (lo, hi) = values
        .filter(|v| v.is_finite() && *v > 0.0)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| {
            (lo.min(v), hi.max(v))
        });
    if lo > hi {
        return None;
    }
    let (mut lo, mut hi) = (lo.log10(), hi.log10());
    if hi - lo < 0.18 {
        let centre = f64::midpoint(lo, hi);
        (lo, hi) = (centre - 0.09, centre + 0.09);
    }
    let span = hi - lo;
    Some((lo - span * margin.0, hi + span * margin.1))
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
