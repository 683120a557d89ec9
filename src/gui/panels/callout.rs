//! Words on the trade-off: the selection's callout and the names of the answers, each where nothing else stands.

use super::cloud::{Cloud, Drawn, Point};
use super::limits::tag;
use super::scene::{Scene, cost_text, devices_of, short_label};
use crate::format;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{paint, width_of};
use crate::planner::Plan;
use egui::{Align2, Painter, Pos2, Rect, Stroke, StrokeKind, Vec2, pos2, vec2};

/// One callout for the selection; returns where it stands.
pub fn callout_ui(
    painter: &Painter,
    cx: &Scene<'_>,
    p: &Point,
    at: Pos2,
    taken: &[Rect],
    t: &Tokens,
) -> Rect {
    let Some((plan, c, run)) = cx.plan().and_then(|plan| {
        let c = plan.combinations.get(p.index)?;
        Some((plan, c, c.run()?))
    }) else {
        return Rect::NOTHING;
    };
    let device = devices_of(c.count, short_label(plan, &c.accelerator.label));
    let title = format!("{} on {device}", c.mode.label());
    let figures = format!(
        "{}, {}, {}",
        format::hours(run.total_time_h.value),
        cost_text(run),
        format::half_width(run.prediction.step_time.half_width())
    );
    let title_width = width_of(painter, &title, Role::Section);
    let width = title_width + width_of(painter, &figures, Role::Caption) + 30.0;
    let rect = place_callout(painter.clip_rect(), at, vec2(width, 22.0), taken);
    let (from, to) = stem(at, rect);
    painter.line_segment([from, to], Stroke::new(1.0, t.accent));
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
    rect.expand(2.0)
}

/// Below, above or beside the point: the first place inside the frame that covers no other words.
fn place_callout(frame: Rect, at: Pos2, size: Vec2, taken: &[Rect]) -> Rect {
    let half = size.x / 2.0;
    let low = frame.left() + half + 4.0;
    let x = at.x.clamp(low, (frame.right() - half - 4.0).max(low));
    let places = [
        pos2(x, at.y + 27.0),
        pos2(x, at.y - 27.0),
        pos2(at.x + half + 20.0, at.y),
        pos2(at.x - half - 20.0, at.y),
        pos2(x, at.y - 48.0),
    ]
    .map(|centre| Rect::from_center_size(centre, size));
    let free = |r: &&Rect| frame.contains_rect(**r) && !taken.iter().any(|o| o.intersects(**r));
    let inside = |r: &&Rect| frame.contains_rect(**r);
    places
        .iter()
        .find(free)
        .or_else(|| places.iter().find(inside))
        .copied()
        .unwrap_or(places[0])
}

/// From the ring to the callout's nearest edge.
fn stem(at: Pos2, rect: Rect) -> (Pos2, Pos2) {
    if rect.top() > at.y {
        (at + vec2(0.0, 9.5), pos2(at.x, rect.top()))
    } else if rect.bottom() < at.y {
        (at - vec2(0.0, 9.5), pos2(at.x, rect.bottom()))
    } else if rect.left() > at.x {
        (at + vec2(9.5, 0.0), pos2(rect.left(), at.y))
    } else {
        (at - vec2(9.5, 0.0), pos2(rect.right(), at.y))
    }
}

/// The answers are named in place, where there is room.
pub fn names_ui(
    painter: &Painter,
    plan: &Plan,
    (cloud, drawn): (&Cloud, &Drawn),
    selected: &Option<Point>,
    mut taken: Vec<Rect>,
    t: &Tokens,
) {
    let answers = [
        ("Fastest", plan.answers.fastest),
        ("Cheapest", plan.answers.cheapest),
        ("Greenest", plan.answers.greenest),
    ];
    let mut named: Vec<usize> = selected.iter().map(|p| p.index).collect();
    for (name, index) in answers {
        let Some(place) = index.and_then(|i| cloud.points.iter().position(|p| p.index == i)) else {
            continue;
        };
        let (p, point) = (&cloud.points[place], drawn.places[place]);
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
        let around = Rect::from_center_size(point, 2.0 * size + vec2(40.0, 40.0));
        let near: Vec<Pos2> = drawn
            .places
            .iter()
            .copied()
            .filter(|o| around.contains(*o))
            .collect();
        let free = places.into_iter().find(|(anchor, by)| {
            let rect = anchor.anchor_size(point + *by, size);
            painter.clip_rect().contains_rect(rect)
                && !taken.iter().any(|r| r.intersects(rect))
                && !near.iter().any(|o| rect.expand(4.0).contains(*o))
        });
        // Where every side is taken the card above already names it.
        if let Some((anchor, by)) = free {
            taken.push(tag(painter, point + by, anchor, name, t.panel, t.strong));
        }
    }
}
