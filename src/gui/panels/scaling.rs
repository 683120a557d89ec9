//! Scaling: total time against the number of accelerators, one line an accelerator in its best mode, with the
//! efficiency of the selected one.

use super::axes::{Axis, Quantity, base, bounds, dashed, frame_of, paint_axes, place};
use super::scene::{Scene, cached, figures_of, key_of, short_label, title_of};
use crate::format;
use crate::gui::command::Action;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::paint;
use crate::planner::{Combination, Plan, PredictedRun};
use egui::{Align2, Mesh, Pos2, Rect, Shape, Stroke, Ui, WidgetInfo, accesskit, vec2};
use egui_plot::PlotTransform;
use std::collections::BTreeMap;

/// One line: an accelerator in one mode over its counts.
struct Series<'p> {
    label: String,
    selected: bool,
    points: Vec<(usize, &'p Combination, &'p PredictedRun)>,
}

/// Draws the scaling plot.
pub fn scaling_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else { return };
    let key = key_of(&(cx.visible_key(), cx.tab.selected));
    let lines = cached(ui, "scaling", key, || lines_of(plan, cx));
    let series: Vec<Series<'_>> = lines.iter().map(|l| l.series(plan)).collect();
    let frame = frame_of(
        Rect::from_min_max(area.min + vec2(0.0, 8.0), area.max),
        118.0,
    );
    let all = || series.iter().flat_map(|s| s.points.iter());
    let x = bounds(all().map(|p| f64::from(p.1.count)), (0.07, 0.03));
    let y = bounds(
        all()
            .map(|p| p.2.total_time_h.value)
            .chain(plan.request.deadline_h),
        (0.08, 0.08),
    );
    let (Some(x), Some(y)) = (x, y) else {
        paint(
            ui.painter(),
            area.center(),
            Align2::CENTER_CENTER,
            "Nothing to scale is shown",
            Role::Body,
            t.sub,
        );
        return;
    };
    let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
    let (response, transform) = base(ui, frame, ("scaling", cx.tab.id, stamp), x, y, None);
    response.widget_info(|| {
        let text = format!("Time against accelerators, {} series", series.len());
        WidgetInfo::labeled(accesskit::Role::Image, true, text)
    });
    let painter = ui.painter().clone();
    paint_axes(
        &painter,
        &transform,
        Axis::log(Quantity::Count, "Accelerators"),
        Axis::log(Quantity::Hours, "Total time"),
        t,
    );
    let inside = painter.with_clip_rect(frame.expand(6.0).intersect(ui.clip_rect()));
    if let Some(deadline) = plan.request.deadline_h {
        let py = transform.position_from_point_y(deadline.log10());
        dashed(
            &inside,
            egui::pos2(frame.left(), py),
            egui::pos2(frame.right(), py),
            t.sub,
            (3.0, 3.0),
        );
        let text = format!("Deadline {}", format::hours(deadline));
        paint(
            &inside,
            egui::pos2(frame.right() - 4.0, py - 8.0),
            Align2::RIGHT_CENTER,
            &text,
            Role::Caption,
            t.text,
        );
    }
    let mut labels: Vec<(f32, String, bool)> = Vec::new();
    for s in &series {
        series_ui(&inside, cx, &transform, s, (cx.tab.selected, -1.0), t);
        if let Some((_, c, run)) = s.points.last() {
            let at = place(&transform, f64::from(c.count), run.total_time_h.value);
            labels.push((at.y, s.label.clone(), s.selected));
        }
    }
    end_labels(&painter, frame, labels, t);
    let near = response.hover_pos().and_then(|pointer| {
        all()
            .map(|p| {
                (
                    p,
                    place(&transform, f64::from(p.1.count), p.2.total_time_h.value),
                )
            })
            .filter(|(_, at)| at.distance(pointer) < 12.0)
            .min_by(|a, b| a.1.distance(pointer).total_cmp(&b.1.distance(pointer)))
    });
    if let Some(((index, c, run), at)) = near {
        inside.circle_stroke(at, 8.5, Stroke::new(1.5, t.text));
        if response.clicked() {
            cx.send(Action::Select(*index));
        }
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(egui::RichText::new(title_of(cx, c)).color(t.strong));
            ui.label(figures_of(run));
        });
    }
}

/// A small plot of one part and mode over its counts, the baseline's line behind it.
pub fn mini_ui(ui: &mut Ui, cx: &Scene<'_>, area: Rect, base: &Combination, shown: &Combination) {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else { return };
    let line_of = |c: &Combination, selected: bool| Series {
        label: String::new(),
        selected,
        points: line_points(plan, c),
    };
    let series = [line_of(base, false), line_of(shown, true)];
    let all = || series.iter().flat_map(|s| s.points.iter());
    let frame = frame_of(
        Rect::from_min_max(area.min, area.max + vec2(0.0, 10.0)),
        6.0,
    );
    let x = bounds(all().map(|p| f64::from(p.1.count)), (0.12, 0.12));
    let y = bounds(all().map(|p| p.2.total_time_h.value), (0.34, 0.12));
    let (Some(x), Some(y)) = (x, y) else { return };
    let plot_bounds = egui_plot::PlotBounds::from_min_max([x.0, y.0], [x.1, y.1]);
    let transform = PlotTransform::new(frame, plot_bounds, egui::Vec2b::FALSE);
    let painter = ui.painter().clone();
    paint_axes(
        &painter,
        &transform,
        Axis::log(Quantity::Count, ""),
        Axis::log(Quantity::Hours, ""),
        t,
    );
    for s in &series {
        series_ui(&painter, cx, &transform, s, (None, 1.0), t);
    }
    let at = place(
        &transform,
        f64::from(shown.count),
        shown.run().map_or(1.0, |r| r.total_time_h.value),
    );
    painter.circle_stroke(at, 9.0, Stroke::new(2.0, t.accent));
}

/// The runs of one part and mode, by count.
fn line_points<'p>(
    plan: &'p Plan,
    c: &Combination,
) -> Vec<(usize, &'p Combination, &'p PredictedRun)> {
    let mut points: Vec<_> = plan
        .combinations
        .iter()
        .enumerate()
        .filter(|(_, o)| o.mode == c.mode && o.accelerator.name == c.accelerator.name)
        .filter_map(|(i, o)| Some((i, o, o.run()?)))
        .collect();
    points.sort_by_key(|p| p.1.count);
    points
}

/// A series by indices, kept from frame to frame.
struct Line {
    label: String,
    selected: bool,
    indices: Vec<usize>,
}

impl Line {
    fn series<'p>(&self, plan: &'p Plan) -> Series<'p> {
        let point = |i: &usize| {
            let c = plan.combinations.get(*i)?;
            Some((*i, c, c.run()?))
        };
        Series {
            label: self.label.clone(),
            selected: self.selected,
            points: self.indices.iter().filter_map(point).collect(),
        }
    }
}

/// For each accelerator the mode of the selection where it is the selected part, else the one with the least time.
fn lines_of(plan: &Plan, cx: &Scene<'_>) -> Vec<Line> {
    let selected = cx
        .selection()
        .map(|(_, c, _)| (c.accelerator.name.as_str(), c.mode));
    let mut by_part: BTreeMap<&str, Vec<(usize, &Combination, &PredictedRun)>> = BTreeMap::new();
    for (i, c) in plan.combinations.iter().enumerate() {
        if let Some(run) = c.run().filter(|_| cx.is_visible(c)) {
            by_part
                .entry(&c.accelerator.name)
                .or_default()
                .push((i, c, run));
        }
    }
    let mut out = Vec::new();
    for accelerator in &plan.request.accelerators {
        let Some(runs) = by_part.remove(accelerator.name.as_str()) else {
            continue;
        };
        let is_selected = selected.is_some_and(|(name, _)| name == accelerator.name);
        let best = runs
            .iter()
            .min_by(|a, b| a.2.total_time_h.value.total_cmp(&b.2.total_time_h.value))
            .map(|p| p.1.mode);
        let mode = selected.filter(|_| is_selected).map(|s| s.1).or(best);
        let mut points: Vec<_> = runs
            .into_iter()
            .filter(|p| Some(p.1.mode) == mode)
            .collect();
        points.sort_by_key(|p| p.1.count);
        if let Some(mode) = mode.filter(|_| !points.is_empty()) {
            out.push(Line {
                label: format!(
                    "{}, {}",
                    short_label(plan, &accelerator.label),
                    mode.label()
                ),
                selected: is_selected,
                indices: points.into_iter().map(|p| p.0).collect(),
            });
        }
    }
    out.sort_by_key(|s| s.selected);
    out
}

/// Draws a series; `ringed` is the point that is selected, `side` is −1 for efficiencies above the line, 1 for below.
fn series_ui(
    painter: &egui::Painter,
    cx: &Scene<'_>,
    transform: &PlotTransform,
    s: &Series<'_>,
    (ringed, side): (Option<usize>, f32),
    t: &Tokens,
) {
    let Some((_, first, start)) = s.points.first() else {
        return;
    };
    let hue = t.mode(first.mode);
    let at = |c: &Combination, hours: f64| place(transform, f64::from(c.count), hours);
    if s.selected {
        let band: Vec<(Pos2, Pos2)> = s
            .points
            .iter()
            .map(|(_, c, r)| {
                (
                    at(c, r.total_time_h.low.max(1e-9)),
                    at(c, r.total_time_h.high),
                )
            })
            .collect();
        painter.add(Shape::mesh(ribbon(&band, hue.gamma_multiply(0.16))));
        if let Some((_, last, _)) = s.points.last() {
            let ideal = start.total_time_h.value * f64::from(first.count) / f64::from(last.count);
            dashed(
                painter,
                at(first, start.total_time_h.value),
                at(last, ideal),
                t.faint,
                (4.0, 3.0),
            );
        }
    }
    let strength = if s.selected { 1.0 } else { 0.8 };
    let line: Vec<Pos2> = s
        .points
        .iter()
        .map(|(_, c, r)| at(c, r.total_time_h.value))
        .collect();
    let width = if s.selected { 2.2 } else { 1.5 };
    painter.line(line, Stroke::new(width, hue.gamma_multiply(strength)));
    // Where counts are many, marks and efficiencies keep their distance.
    let (mut last_mark, mut last_label) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    for (index, c, run) in &s.points {
        let p = at(c, run.total_time_h.value);
        let is_ringed = ringed == Some(*index);
        if p.x - last_mark < 8.0 && !is_ringed {
            continue;
        }
        last_mark = p.x;
        painter.circle_filled(p, 4.6, t.panel);
        cx.paint_mark(painter, p, 4.2, c, t);
        if s.selected && p.x - last_label > 36.0 {
            last_label = p.x;
            let share = start.total_time_h.value * f64::from(first.count)
                / (run.total_time_h.value * f64::from(c.count));
            if c.count != first.count {
                paint(
                    painter,
                    p + vec2(0.0, 17.0 * side),
                    Align2::CENTER_CENTER,
                    &format::percent(share),
                    Role::Caption,
                    t.strong,
                );
            }
        }
        if is_ringed {
            painter.circle_stroke(p, 9.0, Stroke::new(2.0, t.accent));
        }
    }
}

/// A band between two lines.
fn ribbon(band: &[(Pos2, Pos2)], color: egui::Color32) -> Mesh {
    let mut mesh = Mesh::default();
    for (low, high) in band {
        mesh.colored_vertex(*low, color);
        mesh.colored_vertex(*high, color);
    }
    for i in 1..band.len() as u32 {
        let k = 2 * i;
        mesh.add_triangle(k - 2, k - 1, k);
        mesh.add_triangle(k - 1, k, k + 1);
    }
    mesh
}

/// Labels at the ends of the lines, pushed apart where they would touch.
fn end_labels(
    painter: &egui::Painter,
    frame: Rect,
    mut labels: Vec<(f32, String, bool)>,
    t: &Tokens,
) {
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut y = frame.top() - 20.0;
    for (wanted, text, selected) in labels {
        y = wanted.max(y + 14.0);
        let color = if selected { t.strong } else { t.text };
        paint(
            painter,
            egui::pos2(frame.right() + 8.0, y),
            Align2::LEFT_CENTER,
            &text,
            Role::Caption,
            color,
        );
    }
}
