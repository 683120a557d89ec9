//! Small scaling plots beside one another, in the comparison: one scale for all, so that heights can be compared.

use super::axes::{Axis, Quantity, frame_of, paint_axes, place};
use super::scaling::{Ink, Series, bounds_of, series_ink, stops_of, words_ui};
use super::scene::Scene;
use crate::gui::theme::Tokens;
use crate::planner::{Combination, Plan};
use egui::{Rect, Stroke, Ui, WidgetInfo, accesskit, vec2};
use egui_plot::PlotTransform;

/// The lines of all columns, the baseline's first, and the bounds that hold every one of them.
pub struct Minis {
    series: Vec<Series>,
    bounds: Option<[(f64, f64); 2]>,
}

impl Minis {
    /// The lines of what stands side by side.
    pub fn of<'c>(
        cx: &Scene<'_>,
        plan: &Plan,
        shown: impl Iterator<Item = &'c Combination>,
    ) -> Self {
        let line = |c: &Combination| Series {
            label: String::new(),
            selected: true,
            is_named: false,
            mode: c.mode,
            mark: cx.mark(&c.accelerator.name),
            stops: stops_of(plan, c),
        };
        let series: Vec<Series> = shown.map(line).collect();
        let bounds = bounds_of(&series, None, [(0.12, 0.12), (0.34, 0.12)]);
        Self { series, bounds }
    }

    /// Draws the plot of a column, the baseline's line behind its own.
    pub fn mini_ui(&self, ui: &mut Ui, area: Rect, (i, shown): (usize, &Combination)) {
        let t = Tokens::of(ui);
        let (Some([x, y]), Some(own), Some(base)) =
            (self.bounds, self.series.get(i), self.series.first())
        else {
            return;
        };
        let frame = frame_of(
            Rect::from_min_max(area.min, area.max + vec2(0.0, 10.0)),
            6.0,
        );
        let bounds = egui_plot::PlotBounds::from_min_max([x.0, y.0], [x.1, y.1]);
        let transform = PlotTransform::new(frame, bounds, egui::Vec2b::FALSE);
        let painter = ui.painter().clone();
        let (count, hours) = (Quantity::Count, Quantity::Hours);
        paint_axes(
            &painter,
            &transform,
            Axis::log(count, ""),
            Axis::log(hours, ""),
            t,
        );
        let mut ink = Ink::default();
        if i > 0 {
            let behind = Series {
                selected: false,
                label: String::new(),
                stops: base.stops.clone(),
                ..*base
            };
            series_ink(&mut ink, &transform, &behind, None, t);
        }
        series_ink(&mut ink, &transform, own, None, t);
        painter.extend(ink.shapes);
        words_ui(&painter, &ink.words, t);
        let hours = shown.run().map_or(1.0, |r| r.total_time_h.value);
        let at = place(&transform, f64::from(shown.count), hours);
        painter.circle_stroke(at, 9.0, Stroke::new(2.0, t.accent));
        let id = ui.scope_id().with(("scaling-mini", i));
        ui.interact(frame, id, egui::Sense::hover())
            .widget_info(|| {
                let range = |(low, high): (f64, f64)| {
                    [low, high].map(|v| hours_words(10f64.powf(v))).join(" to ")
                };
                let text = format!("Scaling of column {}, total time from {}", i + 1, range(y));
                WidgetInfo::labeled(accesskit::Role::Image, true, text)
            });
    }
}

fn hours_words(hours: f64) -> String {
    crate::format::hours(hours)
}
