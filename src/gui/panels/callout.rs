//! Words on the trade-off: the selection's callout and the names of the answers, each where nothing else stands.

use super::cloud::{Cloud, Drawn, Point};
use super::limits::tag;
use super::scene::{Scene, seller_text, short_label};
use crate::format;
use crate::gui::measure::Measure;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{paint, width_of};
use crate::planner::{Plan, PredictedRun};
use egui::{Align2, Painter, Pos2, Rect, Stroke, StrokeKind, Vec2, pos2, vec2};

/// From the middle of a mark to where it ends, with a little air.
const MARK: f32 = 8.0;
/// Points looked at when the emptiest place is sought.
const SAMPLE: usize = 2000;

/// One callout for the selection; returns where it stands.
pub fn callout_ui(
    painter: &Painter,
    cx: &Scene<'_>,
    p: &Point,
    at: Pos2,
    (taken, points): (&[Rect], &[Pos2]),
    t: &Tokens,
) -> Rect {
    let Some((plan, c, run)) = cx.plan().and_then(|plan| {
        let c = plan.combinations.get(p.index)?;
        Some((plan, c, c.run()?))
    }) else {
        return Rect::NOTHING;
    };
    let device = format::devices(c.count, short_label(plan, &c.accelerator.label));
    let title = format!("{} on {device}{}", c.mode.label(), seller_text(c));
    // What the axes show, so that the callout can be read against them.
    let axes = cx.state.settings.axes;
    let figures = figures_on([axes.x, axes.y], run);
    let title_width = width_of(painter, &title, Role::Section);
    let width = title_width + width_of(painter, &figures, Role::Caption) + 30.0;
    let rect = place_callout(painter.clip_rect(), at, vec2(width, 22.0), (taken, points));
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

/// Two figures of a run: time and cost have one interval, which stands behind both; any other has its own behind it.
fn figures_on(measures: [Measure; 2], run: &PredictedRun) -> String {
    let is_shared = (measures.iter()).all(|m| matches!(m, Measure::Time | Measure::Cost));
    let texts = measures.iter().filter_map(|measure| {
        let text = measure.text(run)?;
        let own = measure.interval(run).filter(|_| !is_shared);
        Some(own.map_or(text.clone(), |interval| format!("{text} {interval}")))
    });
    let shared = is_shared.then(|| run.interval_text());
    texts.chain(shared).collect::<Vec<String>>().join(", ")
}

/// Below, above, beside the point or aslant of it: the place inside the frame that covers the fewest points and no other
/// words; among equals the nearest.
fn place_callout(frame: Rect, at: Pos2, size: Vec2, (taken, points): (&[Rect], &[Pos2])) -> Rect {
    let half = size.x / 2.0;
    let low = frame.left() + half + 4.0;
    let x = at.x.clamp(low, (frame.right() - half - 4.0).max(low));
    let mut places = Vec::new();
    for by in [27.0, 48.0, 70.0, 94.0, 120.0] {
        for sign in [1.0, -1.0] {
            let y = at.y + sign * by;
            places.push(pos2(x, y));
            places.extend([1.0, -1.0].map(|side| pos2(at.x + side * (half + 14.0), y)));
        }
    }
    places.extend([1.0, -1.0].map(|side| pos2(at.x + side * (half + 20.0), at.y)));
    // Of very many points a sample tells as well where it is empty, and every frame asks anew.
    let every = points.len() / SAMPLE + 1;
    let sample: Vec<Pos2> = points.iter().copied().step_by(every).collect();
    let burden = |rect: &Rect| {
        // A mark is some points wide, and its middle alone does not tell what is covered.
        let around = rect.expand(5.0);
        let covered = sample.iter().filter(|p| around.contains(**p)).count() as f32;
        let words = taken.iter().filter(|o| o.intersects(*rect)).count() as f32;
        20.0 * covered + 200.0 * words + rect.distance_to_pos(at)
    };
    let inside: Vec<Rect> = places
        .iter()
        .map(|centre| Rect::from_center_size(*centre, size))
        .filter(|rect| frame.contains_rect(*rect))
        .collect();
    inside
        .iter()
        .min_by(|a, b| burden(a).total_cmp(&burden(b)))
        .copied()
        .unwrap_or_else(|| Rect::from_center_size(pos2(x, at.y + 27.0), size))
}

/// From the ring to the callout's nearest edge.
fn stem(at: Pos2, rect: Rect) -> (Pos2, Pos2) {
    let x = at.x.clamp(rect.left() + 8.0, rect.right() - 8.0);
    if rect.top() > at.y {
        let to = pos2(x, rect.top());
        (at + (to - at).normalized() * 9.5, to)
    } else if rect.bottom() < at.y {
        let to = pos2(x, rect.bottom());
        (at + (to - at).normalized() * 9.5, to)
    } else if rect.left() > at.x {
        (at + vec2(9.5, 0.0), pos2(rect.left(), at.y))
    } else {
        (at - vec2(9.5, 0.0), pos2(rect.right(), at.y))
    }
}

/// The answers and where they are.
fn answers_of(plan: &Plan) -> [(&'static str, Option<usize>); 3] {
    [
        ("Fastest", plan.answers.fastest),
        ("Cheapest", plan.answers.cheapest),
        (plan.greenest_name(), plan.answers.greenest),
    ]
}

/// The marks of the answers and of the plan's best, which no word may cover.
pub fn answer_marks(plan: &Plan, cloud: &Cloud, drawn: &Drawn) -> Vec<Rect> {
    let answers = answers_of(plan).into_iter().filter_map(|(_, index)| index);
    let places = answers.chain(plan.best).filter_map(|i| cloud.place(i));
    let points = places.filter_map(|place| drawn.places.get(place));
    points
        .map(|at| Rect::from_center_size(*at, Vec2::splat(2.0 * MARK)))
        .collect()
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
    // Places rather than combinations: offers of several sellers may share one.
    let mut named: Vec<usize> = (selected.iter())
        .filter_map(|p| cloud.place(p.index))
        .collect();
    for (name, index) in answers_of(plan) {
        let Some(place) = index.and_then(|i| cloud.place(i)) else {
            continue;
        };
        let point = drawn.places[place];
        if named.contains(&place) {
            continue;
        }
        named.push(place);
        let size = vec2(width_of(painter, name, Role::Caption), 13.0);
        let places = [
            (Align2::LEFT_CENTER, vec2(11.0, 0.0)),
            (Align2::RIGHT_CENTER, vec2(-11.0, 0.0)),
            (Align2::CENTER_BOTTOM, vec2(0.0, -9.0)),
            (Align2::CENTER_TOP, vec2(0.0, 9.0)),
            (Align2::LEFT_BOTTOM, vec2(9.0, -9.0)),
            (Align2::LEFT_TOP, vec2(9.0, 9.0)),
            (Align2::RIGHT_BOTTOM, vec2(-9.0, -9.0)),
            (Align2::RIGHT_TOP, vec2(-9.0, 9.0)),
        ];
        let around = Rect::from_center_size(point, 2.0 * size + vec2(40.0, 40.0));
        let near: Vec<Pos2> = drawn
            .places
            .iter()
            .copied()
            .filter(|o| around.contains(*o))
            .collect();
        let covered = |rect: Rect| {
            let around = rect.expand(MARK);
            near.iter().filter(|o| around.contains(**o)).count()
        };
        // Never on other words; among the rest the side that covers the fewest marks.
        let free = (places.into_iter())
            .map(|(anchor, by)| (anchor, by, anchor.anchor_size(point + by, size)))
            .filter(|(_, _, rect)| {
                painter.clip_rect().contains_rect(*rect)
                    && !taken.iter().any(|r| r.intersects(*rect))
            })
            .min_by_key(|(_, _, rect)| covered(*rect))
            .map(|(anchor, by, _)| (anchor, by));
        // Where words are on every side the card above already names it.
        if let Some((anchor, by)) = free {
            taken.push(tag(painter, point + by, anchor, name, t.panel, t.strong));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callout_stands_where_the_fewest_points_are() {
        let frame = Rect::from_min_size(pos2(0.0, 0.0), vec2(600.0, 400.0));
        let (at, size) = (pos2(300.0, 200.0), vec2(120.0, 22.0));
        let free = place_callout(frame, at, size, (&[], &[]));
        assert!((free.center() - at).length() < 60.0);
        // Points above and below drive it aside.
        let points: Vec<Pos2> = (0..20)
            .flat_map(|i| [1.0, -1.0].map(|s| pos2(250.0 + 5.0 * i as f32, 200.0 + s * 30.0)))
            .collect();
        let moved = place_callout(frame, at, size, (&[], &points));
        assert!(!points.iter().any(|p| moved.contains(*p)), "{moved:?}");
        // Other words are worse than points.
        let words = [moved.expand(4.0)];
        let again = place_callout(frame, at, size, (&words, &points));
        assert!(!again.intersects(words[0]), "{again:?}");
        assert!(frame.contains_rect(again));
    }
}
