//! Limits on the trade-off plot: shade beyond them, dashed lines, labels.

use super::axes::dashed;
use crate::format;
use crate::gui::measure::{Axes, Measure};
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{paint, width_of};
use crate::planner::Plan;
use crate::units::{KilowattHours, Usd};
use egui::{Align2, Color32, Painter, Pos2, Rect, Vec2, pos2, vec2};
use egui_plot::PlotTransform;

/// A limit on an axis: where it stands on the screen, and its name.
struct Limit {
    at: f32,
    text: String,
}

/// The limits that the two axes of a plot have.
pub struct Limits {
    x: Option<Limit>,
    y: Option<Limit>,
    frame: Rect,
}

fn text_of(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Cost => format!("Budget {}", format::money_given(Usd(value))),
        Measure::Energy => format!("At most {}", format::energy(KilowattHours(value))),
        _ => format!("Deadline {}", format::hours(value)),
    }
}

impl Limits {
    /// Those of a plan on a pair of axes.
    pub fn of(plan: &Plan, axes: Axes, transform: &PlotTransform) -> Self {
        let value = |m: Measure| m.limit(plan);
        let x = value(axes.x).map(|v| Limit {
            at: transform.position_from_point_x(axes.scale.to_plot(v)),
            text: text_of(axes.x, v),
        });
        let y = value(axes.y).map(|v| Limit {
            at: transform.position_from_point_y(axes.scale.to_plot(v)),
            text: text_of(axes.y, v),
        });
        Self {
            x,
            y,
            frame: *transform.frame(),
        }
    }

    /// What lies outside is darker.
    pub fn shade_ui(&self, painter: &Painter, t: &Tokens) {
        if self.x.is_none() && self.y.is_none() {
            return;
        }
        let frame = self.frame;
        painter.rect_filled(frame, 0.0, t.shade);
        let right = self.x.as_ref().map_or(frame.right(), |l| l.at);
        let top = self.y.as_ref().map_or(frame.top(), |l| l.at);
        let inside = Rect::from_min_max(pos2(frame.left(), top), pos2(right, frame.bottom()));
        painter.rect_filled(inside.intersect(frame), 0.0, t.panel);
    }

    /// Dashed lines.
    pub fn lines_ui(&self, painter: &Painter, t: &Tokens) {
        let frame = self.frame;
        if let Some(limit) = &self.x {
            let x = painter.round_to_pixel_center(limit.at);
            dashed(
                painter,
                pos2(x, frame.top()),
                pos2(x, frame.bottom()),
                t.sub,
                (3.0, 3.0),
            );
        }
        if let Some(limit) = &self.y {
            let y = painter.round_to_pixel_center(limit.at);
            dashed(
                painter,
                pos2(frame.left(), y),
                pos2(frame.right(), y),
                t.sub,
                (3.0, 3.0),
            );
        }
    }

    /// The limits are named on their lines, where the names cover no mark, not each other and not a button; returns where
    /// they stand.
    pub fn labels_ui(
        &self,
        painter: &Painter,
        marks: &[Pos2],
        button: Option<Rect>,
        t: &Tokens,
    ) -> Vec<Rect> {
        let frame = self.frame;
        let mut places: Vec<Rect> = Vec::new();
        let size = |text: &str| vec2(width_of(painter, text, Role::Caption), HEIGHT);
        let named = |rect: Rect, text: &str| {
            let middle = Align2::CENTER_CENTER;
            tag(painter, rect.center(), middle, text, t.shade, t.text)
        };
        if let Some(limit) = &self.x {
            let size = size(&limit.text);
            let beside = [limit.at + 6.0 + size.x / 2.0, limit.at - 6.0 - size.x / 2.0];
            // At the top to the right of the line, to its left, and so on down.
            let along = steps(frame.top() + 9.0, frame.bottom() - 9.0, HEIGHT);
            let centres = along.flat_map(|y| beside.map(|x| pos2(x, y)));
            // A name on the other limit's line would be read as its name.
            let line = self
                .y
                .as_ref()
                .map(|y| Rect::from_x_y_ranges(frame.x_range(), y.at - 1.0..=y.at + 1.0));
            let taken: Vec<Rect> = line.into_iter().chain(button).collect();
            let rect = freest(frame, centres, size, marks, &taken);
            places.push(named(rect, &limit.text));
        }
        if let Some(limit) = &self.y {
            let size = size(&limit.text);
            // At the right above the line, below it, and so on to the left; lower where the other limit's name is.
            let along = steps(
                6.0 + size.x / 2.0 - frame.right(),
                -frame.left() - 6.0 - size.x / 2.0,
                size.x / 2.0,
            );
            let rows = [-9.0, 0.0, 9.0, 23.0].map(|dy| limit.at + dy);
            let centres = along.flat_map(|x| rows.map(|y| pos2(-x, y)));
            let crossing = self.x.as_ref();
            let crossing =
                crossing.map(|x| Rect::from_x_y_ranges(x.at - 1.0..=x.at + 1.0, frame.y_range()));
            let taken: Vec<Rect> = (places.iter().copied())
                .chain(crossing)
                .chain(button)
                .collect();
            let rect = freest(frame, centres, size, marks, &taken);
            places.push(named(rect, &limit.text));
        }
        places
    }
}

/// Height of a limit's name.
const HEIGHT: f32 = 14.0;
/// From the middle of a mark to where it ends.
const MARK: f32 = 6.0;
/// Marks looked at for a place: of very many a sample tells as well where it is empty.
const SAMPLE: usize = 2000;

/// Values from one to another, at least the first.
fn steps(from: f32, to: f32, by: f32) -> impl Iterator<Item = f32> {
    let count = ((to - from) / by).floor().clamp(0.0, 100.0) as usize;
    (0..=count).map(move |i| from + i as f32 * by)
}

/// The first of some places inside the frame that no other name takes and where no mark is covered; else the one that
/// covers the fewest.
pub fn freest(
    frame: Rect,
    centres: impl Iterator<Item = Pos2>,
    size: Vec2,
    marks: &[Pos2],
    taken: &[Rect],
) -> Rect {
    let every = marks.len() / SAMPLE + 1;
    let sample: Vec<Pos2> = marks.iter().copied().step_by(every).collect();
    let mut best: Option<(usize, Rect)> = None;
    let mut first = None;
    for centre in centres {
        let rect = Rect::from_center_size(centre, size).expand2(vec2(3.0, 0.0));
        first = first.or(Some(rect));
        let is_free = !taken
            .iter()
            .any(|other| other.expand2(vec2(2.0, 1.0)).intersects(rect));
        if !is_free || !frame.contains_rect(rect) {
            continue;
        }
        let around = rect.expand(MARK);
        let covered = sample.iter().filter(|p| around.contains(**p)).count();
        if best.is_none_or(|(least, _)| covered < least) {
            best = Some((covered, rect));
        }
        if covered == 0 {
            break;
        }
    }
    best.map(|(_, rect)| rect)
        .or(first)
        .unwrap_or(Rect::from_center_size(frame.center(), size))
}

/// A label on a soft ground, so that points beneath do not disturb it.
pub fn tag(
    painter: &Painter,
    at: Pos2,
    anchor: Align2,
    text: &str,
    ground: Color32,
    color: Color32,
) -> Rect {
    let size = vec2(width_of(painter, text, Role::Caption), 14.0);
    let rect = anchor.anchor_size(at, size).expand2(vec2(3.0, 0.0));
    painter.rect_filled(rect, 3.0, ground.gamma_multiply(0.85));
    paint(painter, at, anchor, text, Role::Caption, color);
    rect
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_where_no_mark_is() {
        let frame = Rect::from_min_size(pos2(0.0, 0.0), vec2(400.0, 200.0));
        let size = vec2(80.0, HEIGHT);
        let centres = || steps(9.0, 191.0, HEIGHT).map(|y| pos2(100.0, y));
        let free = freest(frame, centres(), size, &[], &[]);
        assert!((free.center().y - 9.0).abs() < 0.01);
        // Marks and another name drive it down.
        let marks: Vec<Pos2> = (0..10).map(|i| pos2(70.0 + 6.0 * i as f32, 10.0)).collect();
        let lower = freest(frame, centres(), size, &marks, &[]);
        assert!(
            !marks.iter().any(|p| lower.expand(MARK).contains(*p)),
            "{lower:?}"
        );
        let again = freest(frame, centres(), size, &marks, &[lower]);
        assert!(!again.intersects(lower) && frame.contains_rect(again));
        // Where marks are everywhere the fewest are covered.
        let everywhere: Vec<Pos2> = (0..200)
            .flat_map(|y| (0..10).map(move |x| pos2(10.0 * x as f32 + 60.0, y as f32)))
            .filter(|p| p.y < 100.0 || p.x < 70.0)
            .collect();
        let least = freest(frame, centres(), size, &everywhere, &[]);
        assert!(least.top() > 94.0, "{least:?}");
    }
}
