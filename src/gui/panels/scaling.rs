//! Scaling: total time against the number of accelerators, one line an accelerator in its best mode, with the
//! efficiency of the selected one.

use super::axes::{Axis, Quantity, base, bounds, dashed, frame_of, paint_axes, place};
use super::cloud::{look_key, mesh_of};
use super::limits::freest;
use super::scene::{Scene, cached, figures_of, key_of, short_label, title_of};
use crate::domain::PrecisionMode;
use crate::format;
use crate::gui::theme::{Fill, Mark, PaintMark, Role, Tokens};
use crate::gui::widgets::{label_in, paint, width_of};
use crate::planner::{Combination, Plan};
use crate::predictor::Estimate;
use egui::{
    Align2, Color32, Mesh, Painter, Pos2, Rect, Shape, Stroke, Ui, WidgetInfo, accesskit, vec2,
};
use egui_plot::PlotTransform;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What figures and ground of the selected line mean.
const KEY: &str = "% = scaling efficiency, band = 90\u{202F}% interval";

/// One run of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    /// Index of its combination.
    index: usize,
    /// Devices.
    count: u32,
    hours: Estimate,
}

/// One line: an accelerator in one mode over its counts.
#[derive(Debug)]
pub(super) struct Series {
    pub label: String,
    pub selected: bool,
    /// Whether its name stands at its end: of many modes only those of the fastest and of the selected.
    pub is_named: bool,
    pub mode: PrecisionMode,
    pub mark: Mark,
    pub stops: Vec<Stop>,
}

/// Points between the labels at the ends of two lines.
const LABEL_PITCH: f32 = 14.0;

/// What is drawn of the series: shapes first, then words, and where each run stands.
#[derive(Debug, Default)]
pub(super) struct Ink {
    pub shapes: Vec<Shape>,
    pub words: Vec<(Pos2, String)>,
    pub places: Vec<(Pos2, usize)>,
}

/// The series, and the bounds of both axes; kept until what is shown changes.
type Lines = (Vec<Series>, Option<[(f64, f64); 2]>);
/// The series on the screen as one mesh with its words and places; kept while nothing moves.
type Drawn = (Arc<Mesh>, Ink);

/// Draws the scaling plot.
pub fn scaling_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else { return };
    // Another count of the same line rings another point, no more.
    let line = cx
        .selection()
        .map(|(_, c, _)| (&c.accelerator.name, c.mode));
    let key = key_of(&(cx.visible_key(), line, cx.state.settings.every_mode));
    let lines = cached(ui, "scaling", key, || lines_of(plan, cx));
    let (series, bounds) = &*lines;
    let said = drawn_words(cx, plan);
    let line = Rect::from_min_size(area.min + vec2(0.0, 2.0), vec2(area.width(), 16.0));
    let drawn = label_in(ui, line, &said, Role::Caption, t.sub);
    let mut top = 26.0;
    if series.iter().any(|s| s.selected) {
        let width = width_of(ui.painter(), KEY, Role::Caption);
        let mut place = line.with_min_x(line.right() - width - 1.0);
        if place.left() < drawn.right() + 16.0 {
            place = line.translate(vec2(0.0, 14.0));
            top += 14.0;
        }
        label_in(ui, place, KEY, Role::Caption, t.sub);
    }
    let frame = frame_of(
        Rect::from_min_max(area.min + vec2(0.0, top), area.max),
        118.0,
    );
    let Some([x, y]) = *bounds else {
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
    let (response, transform) = base(ui, frame, ("scaling", cx.tab.id, stamp), x, y, (None, true));
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
    let deadline = plan.request.deadline_h;
    let limit = deadline.map(|hours| transform.position_from_point_y(hours.log10()));
    if let Some(y) = limit {
        deadline_ui(&inside, &transform, y, t);
    }
    let drawn = drawn_of(ui, series, key, &transform, limit);
    let (mesh, ink) = &*drawn;
    inside.add(Shape::Mesh(Arc::clone(mesh)));
    selected_ui(&inside, cx, &transform, t);
    words_ui(&inside, &ink.words, t);
    let ends = series.iter().filter(|s| s.is_named).filter_map(|s| {
        let last = s.stops.last()?;
        let at = place(&transform, f64::from(last.count), last.hours.value);
        let ink = if s.selected { t.strong } else { t.text };
        Some((at.y, s.label.clone(), ink))
    });
    let seen = limit
        .zip(deadline)
        .filter(|(y, _)| frame.y_range().contains(*y));
    let seen = seen.map(|(y, hours)| (y, format!("Deadline {}", format::hours(hours)), t.sub));
    end_labels(&painter, frame, ends.chain(seen).collect());
    let near = response.hover_pos().and_then(|pointer| {
        let reach = ink
            .places
            .iter()
            .map(|(at, i)| (*at, *i, at.distance_sq(pointer)));
        let reach = reach.filter(|(_, _, distance)| *distance < 144.0);
        reach.min_by(|a, b| a.2.total_cmp(&b.2))
    });
    let ring = near.map(|(at, _, _)| at).or_else(|| {
        let elsewhere = cx.hovered?;
        ink.places
            .iter()
            .find(|p| p.1 == elsewhere)
            .map(|(at, _)| *at)
    });
    if let Some(at) = ring {
        inside.circle_stroke(at, 8.5, Stroke::new(1.5, t.text));
    }
    let run_of = |i: usize| plan.combinations.get(i).and_then(|c| Some((c, c.run()?)));
    if let Some((index, (c, run))) = near.and_then(|(_, i, _)| Some((i, run_of(i)?))) {
        cx.hover(index, true);
        if response.clicked() {
            cx.pick(&response.ctx, index);
        }
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(egui::RichText::new(title_of(cx, c)).color(t.strong));
            ui.label(figures_of(run));
        });
    }
}

/// Which lines are drawn, in words.
fn drawn_words(cx: &Scene<'_>, plan: &Plan) -> String {
    if cx.state.settings.every_mode {
        return "Every accelerator in every mode; the fastest of each and the selected one are named".to_owned();
    }
    let shown = cx.selection().filter(|(_, c, _)| cx.is_visible(c));
    match shown {
        Some((_, c, _)) if plan.request.accelerators.len() > 1 => format!(
            "{} in {}, as selected; the others in their fastest mode",
            short_label(plan, &c.accelerator.label),
            c.mode.label()
        ),
        Some((_, c, _)) => format!(
            "{} in {}, as selected",
            short_label(plan, &c.accelerator.label),
            c.mode.label()
        ),
        None => "Each accelerator in its fastest mode".to_owned(),
    }
}

/// The selected run above all others, ringed.
fn selected_ui(painter: &Painter, cx: &Scene<'_>, transform: &PlotTransform, t: &Tokens) {
    let shown = cx.selection().filter(|(_, c, _)| cx.is_visible(c));
    if let Some((_, c, run)) = shown {
        let at = place(transform, f64::from(c.count), run.total_time_h.value);
        painter.circle_filled(at, 4.6, t.panel);
        cx.paint_mark(painter, at, 4.2, c, t);
        painter.circle_stroke(at, 9.0, Stroke::new(2.0, t.accent));
    }
}

fn deadline_ui(painter: &Painter, transform: &PlotTransform, y: f32, t: &Tokens) {
    let frame = *transform.frame();
    let ends = [egui::pos2(frame.left(), y), egui::pos2(frame.right(), y)];
    dashed(painter, ends[0], ends[1], t.sub, (3.0, 3.0));
}

/// The series on the screen, kept while nothing moves: many thousands of runs are not placed anew every frame.
fn drawn_of(
    ui: &Ui,
    series: &[Series],
    key: u64,
    transform: &PlotTransform,
    limit: Option<f32>,
) -> Arc<Drawn> {
    let look = look_key(ui, transform);
    let key = key_of(&(key, look, limit.map(f32::to_bits)));
    cached(ui, "scaling-drawn", key, || {
        let mut ink = Ink::default();
        for s in series {
            series_ink(&mut ink, transform, s, limit, Tokens::of(ui));
        }
        let mesh = mesh_of(ui, std::mem::take(&mut ink.shapes));
        (Arc::new(mesh), ink)
    })
}

pub(super) fn words_ui(painter: &Painter, words: &[(Pos2, String)], t: &Tokens) {
    for (at, text) in words {
        // Lines that run below a figure must not strike it out.
        let ground = vec2(width_of(painter, text, Role::Caption) + 4.0, 12.0);
        let ground = Rect::from_center_size(*at, ground);
        painter.rect_filled(ground, 2.0, t.panel.gamma_multiply(0.8));
        let (role, ink) = (Role::Caption, t.strong);
        paint(painter, *at, Align2::CENTER_CENTER, text, role, ink);
    }
}

/// The runs of one part and mode, by count.
pub(super) fn stops_of(plan: &Plan, c: &Combination) -> Vec<Stop> {
    let all = plan.combinations.iter().enumerate();
    let mut stops: Vec<Stop> = all
        .filter(|(i, o)| {
            o.mode == c.mode
                && o.accelerator.name == c.accelerator.name
                && !plan.is_another_offer(*i)
        })
        .filter_map(|(i, o)| Stop::of(i, o))
        .collect();
    stops.sort_by_key(|stop| stop.count);
    stops
}

impl Stop {
    fn of(index: usize, c: &Combination) -> Option<Self> {
        Some(Self {
            index,
            count: c.count,
            hours: c.run()?.total_time_h,
        })
    }
}

/// Bounds of both axes around the runs and a deadline, with margins.
pub(super) fn bounds_of(
    series: &[Series],
    deadline: Option<f64>,
    margins: [(f64, f64); 2],
) -> Option<[(f64, f64); 2]> {
    let all = || series.iter().flat_map(|s| &s.stops);
    let x = bounds(all().map(|stop| f64::from(stop.count)), margins[0])?;
    // The band of the selected line whole.
    let banded = series.iter().filter(|s| s.selected).flat_map(|s| &s.stops);
    let band = banded.flat_map(|stop| [stop.hours.low, stop.hours.high]);
    let hours = all().map(|stop| stop.hours.value).chain(band);
    Some([x, bounds(hours.chain(deadline), margins[1])?])
}

/// For each accelerator the mode of the selection where it is the selected part, else the one with the least time; all of
/// them where they are asked for.
fn lines_of(plan: &Plan, cx: &Scene<'_>) -> Lines {
    let selected = cx
        .selection()
        .map(|(_, c, _)| (c.accelerator.name.as_str(), c.mode));
    let mut by_part: BTreeMap<&str, Vec<(PrecisionMode, Stop)>> = BTreeMap::new();
    for (i, c) in plan.combinations.iter().enumerate() {
        // Other sellers' offers take the same time.
        let shown = cx.is_visible(c) && !plan.is_another_offer(i);
        if let Some(stop) = Stop::of(i, c).filter(|_| shown) {
            let runs = by_part.entry(&c.accelerator.name).or_default();
            runs.push((c.mode, stop));
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
            .min_by(|a, b| a.1.hours.value.total_cmp(&b.1.hours.value))
            .map(|(mode, _)| *mode);
        let chosen = selected.filter(|_| is_selected).map(|s| s.1);
        let Some(first) = chosen.or(best) else {
            continue;
        };
        let modes = plan.request.modes.iter().copied();
        for mode in modes.filter(|mode| *mode == first || cx.state.settings.every_mode) {
            let of_mode = runs.iter().filter(|(m, _)| *m == mode);
            let mut stops: Vec<Stop> = of_mode.map(|(_, stop)| *stop).collect();
            stops.sort_by_key(|stop| stop.count);
            if !stops.is_empty() {
                let name = short_label(plan, &accelerator.label);
                out.push(Series {
                    label: format!("{name}, {}", mode.label()),
                    selected: is_selected && mode == first,
                    is_named: mode == first,
                    mode,
                    mark: cx.mark(&accelerator.name),
                    stops,
                });
            }
        }
    }
    out.sort_by_key(|s| s.selected);
    let bounds = bounds_of(&out, plan.request.deadline_h, [(0.07, 0.03), (0.08, 0.08)]);
    (out, bounds)
}

/// Draws a series; `limit` is the height of a line that no efficiency may cover.
pub(super) fn series_ink(
    ink: &mut Ink,
    transform: &PlotTransform,
    s: &Series,
    limit: Option<f32>,
    t: &Tokens,
) {
    let (Some(first), Some(last)) = (s.stops.first(), s.stops.last()) else {
        return;
    };
    let hue = t.mode(s.mode);
    let at = |stop: &Stop, hours: f64| place(transform, f64::from(stop.count), hours);
    // Device hours: what perfect scaling would keep.
    let spent = |stop: &Stop| stop.hours.value * f64::from(stop.count);
    if s.selected {
        let ends = |stop: &Stop| {
            (
                at(stop, stop.hours.low.max(1e-9)),
                at(stop, stop.hours.high),
            )
        };
        let band: Vec<(Pos2, Pos2)> = s.stops.iter().map(ends).collect();
        ink.shapes
            .push(Shape::mesh(ribbon(&band, hue.gamma_multiply(0.16))));
        let ideal = at(last, spent(first) / f64::from(last.count));
        let path = [at(first, first.hours.value), ideal];
        let dashes = Shape::dashed_line(&path, Stroke::new(1.0, t.faint), 4.0, 3.0);
        ink.shapes.extend(dashes);
    }
    let strength = match (s.selected, s.is_named) {
        (true, _) => 1.0,
        (false, true) => 0.8,
        (false, false) => 0.5,
    };
    let places: Vec<Pos2> = s
        .stops
        .iter()
        .map(|stop| at(stop, stop.hours.value))
        .collect();
    let width = if s.selected { 2.2 } else { 1.5 };
    let stroke = Stroke::new(width, hue.gamma_multiply(strength));
    ink.shapes.push(Shape::line(thinned(&places), stroke));
    // Where counts are many, marks and efficiencies keep their distance.
    let mut efficiencies = Vec::new();
    let (mut last_mark, mut last_label) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    for (stop, p) in s.stops.iter().zip(places) {
        ink.places.push((p, stop.index));
        if p.x - last_mark < 8.0 {
            continue;
        }
        last_mark = p.x;
        ink.shapes.push(Shape::circle_filled(p, 4.6, t.panel));
        s.mark
            .shapes(p, 4.2, Fill::of(s.mode), hue, &mut ink.shapes);
        if s.selected && p.x - last_label > 36.0 {
            last_label = p.x;
            if stop.count != first.count {
                let share = format::percent(spent(first) / spent(stop));
                efficiencies.push((p, share));
            }
        }
    }
    let frame = *transform.frame();
    for (p, share) in efficiencies {
        let at = efficiency_place(p, frame, ink, limit);
        ink.words.push((at, share));
    }
}

/// Where an efficiency stands: below its point, or where that covers a mark, the limit or another one, beside or above it:
/// farther below it would be taken for that of the next line.
fn efficiency_place(p: Pos2, frame: Rect, ink: &Ink, limit: Option<f32>) -> Pos2 {
    const SIZE: egui::Vec2 = vec2(30.0, 13.0);
    let around = [(0.0, 17.0), (27.0, -7.0), (0.0, -17.0), (-27.0, 15.0)];
    let centres = around.map(|(dx, dy)| {
        let x = (p.x + dx).min(frame.right() - SIZE.x / 2.0 - 3.0);
        egui::pos2(x, p.y + dy)
    });
    let line = limit.map(|y| Rect::from_x_y_ranges(frame.x_range(), y - 1.0..=y + 1.0));
    let others = ink
        .words
        .iter()
        .map(|(at, _)| Rect::from_center_size(*at, SIZE));
    let taken: Vec<Rect> = others.chain(line).collect();
    let marks: Vec<Pos2> = ink.places.iter().map(|(at, _)| *at).collect();
    freest(frame, centres.into_iter(), SIZE, &marks, &taken).center()
}

/// The points of a line without those that no eye tells: of many in one column of the screen the first, the highest, the
/// lowest and the last are drawn.
fn thinned(points: &[Pos2]) -> Vec<Pos2> {
    const COLUMNS_A_POINT: f32 = 2.0;
    let column = |p: &Pos2| (p.x * COLUMNS_A_POINT) as i32;
    let mut kept = Vec::new();
    for group in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |a: &&Pos2, b: &&Pos2| a.y.total_cmp(&b.y);
        let of_all = [
            group.first(),
            group.iter().min_by(by_height),
            group.iter().max_by(by_height),
            group.last(),
        ];
        kept.extend(of_all.into_iter().flatten().copied());
        kept.dedup();
    }
    kept
}

/// A band between two lines.
fn ribbon(band: &[(Pos2, Pos2)], color: Color32) -> Mesh {
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

/// Labels at the ends of the lines, pushed apart where they would touch: down first, and up again where the last would leave
/// the frame.
fn end_labels(painter: &Painter, frame: Rect, mut labels: Vec<(f32, String, Color32)>) {
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut above = f32::NEG_INFINITY;
    for (y, ..) in &mut labels {
        *y = y.max(above + LABEL_PITCH);
        above = *y;
    }
    let mut below = frame.bottom() + LABEL_PITCH;
    for (y, ..) in labels.iter_mut().rev() {
        *y = y.min(below - LABEL_PITCH);
        below = *y;
    }
    for (y, text, ink) in labels {
        let at = egui::pos2(frame.right() + 8.0, y);
        paint(painter, at, Align2::LEFT_CENTER, &text, Role::Caption, ink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn a_line_keeps_what_its_columns_span() {
        let few = [pos2(0.0, 3.0), pos2(10.0, 1.0), pos2(20.0, 2.0)];
        assert_eq!(thinned(&few), few);
        let many: Vec<Pos2> = (0..9000)
            .map(|i| pos2(i as f32 / 100.0, (i * 7919 % 1000) as f32))
            .collect();
        let kept = thinned(&many);
        assert!(kept.len() <= 4 * 181, "{}", kept.len());
        assert_eq!((kept.first(), kept.last()), (many.first(), many.last()));
        let span = |list: &[Pos2], column: i32| {
            let inside = list.iter().filter(|p| (p.x * 2.0) as i32 == column);
            inside.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), p| {
                (low.min(p.y), high.max(p.y))
            })
        };
        for column in 0..180 {
            assert_eq!(span(&kept, column), span(&many, column));
        }
    }
}
