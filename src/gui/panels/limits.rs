//! Limits on the trade-off plot: shade beyond them, dashed lines, labels.

use super::axes::dashed;
use crate::format;
use crate::gui::measure::{Axes, Measure};
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{paint, width_of};
use crate::planner::Plan;
use crate::units::{KilowattHours, Usd};
use egui::{Align2, Color32, Painter, Pos2, Rect, pos2, vec2};
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
        Measure::Cost => format!("Budget {}", format::money(Usd(value))),
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

    /// The limits are named on their lines, above the points; returns where the names stand.
    pub fn labels_ui(&self, painter: &Painter, t: &Tokens) -> Vec<Rect> {
        let frame = self.frame;
        let mut places = Vec::new();
        if let Some(limit) = &self.x {
            let flip =
                limit.at + width_of(painter, &limit.text, Role::Caption) + 10.0 > frame.right();
            let (anchor, dx) = if flip {
                (Align2::RIGHT_CENTER, -6.0)
            } else {
                (Align2::LEFT_CENTER, 6.0)
            };
            let at = pos2(limit.at + dx, frame.top() + 9.0);
            places.push(tag(painter, at, anchor, &limit.text, t.shade, t.text));
        }
        if let Some(limit) = &self.y {
            let width = width_of(painter, &limit.text, Role::Caption);
            let at = |dy: f32| pos2(frame.right() - 6.0, limit.at + dy);
            let free = |at: &Pos2| {
                let rect = Align2::RIGHT_CENTER.anchor_size(*at, vec2(width, 14.0));
                let rect = rect.expand2(vec2(5.0, 1.0));
                rect.top() > frame.top() && !places.iter().any(|p| rect.intersects(*p))
            };
            // Above its line, below where that is out of sight or the other limit's name stands there.
            let at = [at(-9.0), at(9.0), at(23.0)]
                .into_iter()
                .find(free)
                .unwrap_or(at(9.0));
            places.push(tag(
                painter,
                at,
                Align2::RIGHT_CENTER,
                &limit.text,
                t.shade,
                t.text,
            ));
        }
        places
    }
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
