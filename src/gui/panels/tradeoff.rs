//! Trade-off: cost against time on log axes, the Pareto front, intervals as whiskers, limits shaded.

use super::axes::{Quantity, base, bounds, frame_of, paint_axes, place};
use super::limits::{limit_labels, limit_lines, shade_ui, tag};
use super::scene::{Scene, cost_text, devices_of, figures_of, short_label, title_of};
use crate::format;
use crate::gui::command::Action;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{paint, width_of};
use crate::planner::{Combination, Plan, PredictedRun};
use crate::predictor::Estimate;
use egui::{
    Align2, Color32, Painter, Pos2, Rect, Stroke, StrokeKind, Ui, WidgetInfo, accesskit, pos2, vec2,
};
use egui_plot::PlotTransform;

/// One point of the plot.
struct Point<'p> {
    index: usize,
    c: &'p Combination,
    run: &'p PredictedRun,
    cost: Estimate,
    at: Pos2,
    on_front: bool,
}

/// Draws the trade-off plot.
pub fn tradeoff_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else { return };
    let priced: Vec<(usize, &Combination, &PredictedRun, Estimate)> = plan
        .combinations
        .iter()
        .enumerate()
        .filter(|(_, c)| cx.is_visible(c))
        .filter_map(|(i, c)| c.run().and_then(|r| Some((i, c, r, r.cost_usd?))))
        .collect();
    let limits = (plan.request.deadline_h, plan.request.budget_usd);
    let x = bounds(
        priced
            .iter()
            .map(|p| p.2.total_time_h.value)
            .chain(limits.0),
        (0.07, 0.05),
    );
    let y = bounds(
        priced.iter().map(|p| p.3.value).chain(limits.1),
        (0.24, 0.1),
    );
    let frame = frame_of(area, 2.0);
    let (Some(x), Some(y)) = (x, y) else {
        let text =
            "No combination shown here has both a time and a price. The table lists their times";
        paint(
            ui.painter(),
            area.center(),
            Align2::CENTER_CENTER,
            text,
            Role::Body,
            t.sub,
        );
        return;
    };
    let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
    let (response, transform) = base(ui, frame, ("trade-off", cx.tab.id, stamp), x, y);
    response.widget_info(|| {
        let text = format!("Cost against time, {} combinations", priced.len());
        WidgetInfo::labeled(accesskit::Role::Image, true, text)
    });
    let painter = ui.painter().with_clip_rect(ui.clip_rect());
    let inside = painter.with_clip_rect(frame.intersect(ui.clip_rect()));
    shade_ui(&inside, &transform, limits, t);
    paint_axes(
        &painter,
        &transform,
        (Quantity::Hours, Quantity::Dollars),
        ("Total time", "Cost"),
        t,
    );
    limit_lines(&inside, &transform, limits, t);
    let mut points: Vec<Point<'_>> = priced
        .into_iter()
        .map(|(index, c, run, cost)| Point {
            index,
            c,
            run,
            cost,
            at: place(&transform, run.total_time_h.value, cost.value),
            on_front: plan.pareto.contains(&index),
        })
        .collect();
    // Those on the front are drawn last, above the rest.
    points.sort_by_key(|p| p.on_front);
    front_ui(&inside, plan, &points, t);
    points_ui(&inside, cx, &transform, &points, t);
    names_ui(&inside, plan, cx.tab.selected, &points, t);
    limit_labels(&inside, &transform, limits, t);
    if limits.0.is_some() && limits.1.is_some() {
        let text = format!("{} within both, intervals included", plan.within_limits);
        paint(
            &inside,
            frame.left_bottom() + vec2(8.0, -10.0),
            Align2::LEFT_CENTER,
            &text,
            Role::Caption,
            t.sub,
        );
    }
    let missing = plan
        .combinations
        .iter()
        .filter(|c| c.run().is_some_and(|r| r.cost_usd.is_none()))
        .count();
    if missing > 0 {
        let text = format!("{missing} without a price are in the table alone");
        paint(
            &inside,
            frame.right_bottom() + vec2(-8.0, -10.0),
            Align2::RIGHT_CENTER,
            &text,
            Role::Caption,
            t.sub,
        );
    }
    let near = response
        .hover_pos()
        .and_then(|pointer| nearest(&points, pointer));
    selection_ui(&inside, cx, plan, &points, t);
    if let Some(p) = near {
        inside.circle_stroke(p.at, 9.0, Stroke::new(1.5, t.text));
        if response.clicked() {
            cx.send(Action::Select(p.index));
        }
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(
                egui::RichText::new(title_of(cx, p.c))
                    .font(Role::Section.font())
                    .color(t.strong),
            );
            ui.label(figures_of(p.run));
            ui.label(egui::RichText::new(&p.run.layout).color(t.sub));
        });
    }
}

fn nearest<'a, 'p>(points: &'a [Point<'p>], pointer: Pos2) -> Option<&'a Point<'p>> {
    points
        .iter()
        .filter(|p| p.at.distance(pointer) < 12.0)
        .min_by(|a, b| a.at.distance(pointer).total_cmp(&b.at.distance(pointer)))
}

/// The front as steps: until something cheaper comes, the best cost stays.
fn front_ui(painter: &Painter, plan: &Plan, points: &[Point<'_>], t: &Tokens) {
    let mut line: Vec<Pos2> = Vec::new();
    for index in &plan.pareto {
        let Some(p) = points.iter().find(|p| p.index == *index) else {
            continue;
        };
        if let Some(last) = line.last().copied() {
            line.push(pos2(p.at.x, last.y));
        }
        line.push(p.at);
    }
    if line.len() > 1 {
        painter.line(line, Stroke::new(1.5, t.faint));
    }
}

fn points_ui(
    painter: &Painter,
    cx: &Scene<'_>,
    transform: &PlotTransform,
    points: &[Point<'_>],
    t: &Tokens,
) {
    let radius = if transform.frame().height() > 420.0 {
        5.2
    } else {
        4.4
    };
    for p in points {
        let selected = cx.tab.selected == Some(p.index);
        let hue = t.mode(p.c.mode);
        if p.on_front || selected || cx.state.settings.all_whiskers {
            // At a fixed price cost is time × price: both intervals are one, so the whisker is one slanted stroke.
            let time = p.run.total_time_h;
            let ends = [(time.low, p.cost.low), (time.high, p.cost.high)]
                .map(|(h, d)| place(transform, h.max(1e-9), d.max(1e-9)));
            let color = if selected {
                t.strong
            } else {
                hue.gamma_multiply(0.65)
            };
            whisker(painter, ends, color);
        }
        let strength = if p.on_front || selected {
            1.0
        } else {
            t.rest_opacity
        };
        let size = if p.on_front || selected {
            radius * 1.15
        } else {
            radius
        };
        cx.mark(&p.c.accelerator.name).paint(
            painter,
            p.at,
            size,
            crate::gui::theme::Fill::of(p.c.mode),
            hue.gamma_multiply(strength),
        );
    }
}

fn whisker(painter: &Painter, [a, b]: [Pos2; 2], color: Color32) {
    let stroke = Stroke::new(1.3, color);
    painter.line_segment([a, b], stroke);
    let across = (b - a).normalized().rot90() * 3.2;
    for end in [a, b] {
        painter.line_segment([end - across, end + across], stroke);
    }
}

/// The four answers are named in place.
fn names_ui(
    painter: &Painter,
    plan: &Plan,
    selected: Option<usize>,
    points: &[Point<'_>],
    t: &Tokens,
) {
    let answers = [
        ("Fastest", plan.answers.fastest),
        ("Cheapest", plan.answers.cheapest),
        ("Greenest", plan.answers.greenest),
    ];
    let mut named: Vec<usize> = selected.into_iter().collect();
    let mut taken: Vec<Rect> = points
        .iter()
        .map(|p| Rect::from_center_size(p.at, vec2(9.0, 9.0)))
        .collect();
    taken.extend(
        points
            .iter()
            .filter(|p| selected == Some(p.index))
            .map(|p| {
                let side = if callout_below(p.at, painter.clip_rect()) {
                    1.0
                } else {
                    -1.0
                };
                Rect::from_center_size(p.at + vec2(0.0, 27.0 * side), vec2(256.0, 24.0))
            }),
    );
    for (name, index) in answers {
        let Some(p) = index.and_then(|i| points.iter().find(|p| p.index == i)) else {
            continue;
        };
        if named.contains(&p.index) {
            continue;
        }
        named.push(p.index);
        let size = vec2(width_of(painter, name, Role::Caption), 13.0);
        let places = [
            (Align2::LEFT_CENTER, vec2(11.0, 0.0)),
            (Align2::RIGHT_CENTER, vec2(-11.0, 0.0)),
            (Align2::CENTER_BOTTOM, vec2(0.0, -9.0)),
            (Align2::CENTER_TOP, vec2(0.0, 9.0)),
        ];
        let free = places.into_iter().find(|(anchor, by)| {
            let rect = anchor.anchor_size(p.at + *by, size);
            painter.clip_rect().contains_rect(rect) && !taken.iter().any(|r| r.intersects(rect))
        });
        // Where every side is taken the card above already names it.
        if let Some((anchor, by)) = free {
            taken.push(anchor.anchor_size(p.at + by, size));
            tag(painter, p.at + by, anchor, name, t.panel, t.strong);
        }
    }
}

/// Whether the callout of a point fits below it.
fn callout_below(at: Pos2, frame: Rect) -> bool {
    at.y + 40.0 < frame.bottom()
}

/// Accent ring and one callout.
fn selection_ui(painter: &Painter, cx: &Scene<'_>, plan: &Plan, points: &[Point<'_>], t: &Tokens) {
    let Some(p) = points.iter().find(|p| cx.tab.selected == Some(p.index)) else {
        return;
    };
    painter.circle_stroke(p.at, 9.5, Stroke::new(2.0, t.accent));
    let device = devices_of(p.c.count, short_label(plan, &p.c.accelerator.label));
    let title = format!("{} on {device}", p.c.mode.label());
    let figures = format!(
        "{}, {}, {}",
        format::hours(p.run.total_time_h.value),
        cost_text(p.run),
        format::half_width(p.run.prediction.step_time.half_width())
    );
    let title_width = width_of(painter, &title, Role::Section);
    let width = title_width + width_of(painter, &figures, Role::Caption) + 30.0;
    let frame = painter.clip_rect();
    let below = callout_below(p.at, frame);
    let y = if below { p.at.y + 27.0 } else { p.at.y - 27.0 };
    let x = p.at.x.clamp(
        frame.left() + width / 2.0 + 4.0,
        (frame.right() - width / 2.0 - 4.0).max(frame.left() + width / 2.0 + 4.0),
    );
    let rect = Rect::from_center_size(pos2(x, y), vec2(width, 22.0));
    let from = if below {
        p.at + vec2(0.0, 9.5)
    } else {
        p.at - vec2(0.0, 9.5)
    };
    painter.line_segment(
        [
            from,
            pos2(p.at.x, if below { rect.top() } else { rect.bottom() }),
        ],
        Stroke::new(1.0, t.accent),
    );
    painter.rect(
        rect,
        5.0,
        t.raised,
        Stroke::new(1.0, t.line_strong),
        StrokeKind::Inside,
    );
    paint(
        painter,
        rect.left_center() + vec2(9.0, 0.0),
        Align2::LEFT_CENTER,
        &title,
        Role::Section,
        t.strong,
    );
    paint(
        painter,
        rect.left_center() + vec2(title_width + 19.0, 0.0),
        Align2::LEFT_CENTER,
        &figures,
        Role::Caption,
        t.text,
    );
}
