//! Budget and deadline on the trade-off plot: shade beyond them, dashed lines, labels.

use super::axes::dashed;
use crate::format;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{paint, width_of};
use crate::units::Usd;
use egui::{Align2, Color32, Painter, Pos2, Rect, pos2, vec2};
use egui_plot::PlotTransform;

/// What lies outside budget or deadline is darker.
pub fn shade_ui(
    painter: &Painter,
    transform: &PlotTransform,
    limits: (Option<f64>, Option<f64>),
    t: &Tokens,
) {
    let frame = *transform.frame();
    if limits == (None, None) {
        return;
    }
    painter.rect_filled(frame, 0.0, t.shade);
    let right = limits.0.map_or(frame.right(), |h| {
        transform.position_from_point_x(h.log10())
    });
    let top = limits
        .1
        .map_or(frame.top(), |d| transform.position_from_point_y(d.log10()));
    let inside = Rect::from_min_max(pos2(frame.left(), top), pos2(right, frame.bottom()));
    painter.rect_filled(inside.intersect(frame), 0.0, t.panel);
}

/// Deadline in hours and budget in dollars.
pub type Limits = (Option<f64>, Option<f64>);

pub fn limit_lines(painter: &Painter, transform: &PlotTransform, limits: Limits, t: &Tokens) {
    let frame = *transform.frame();
    if let Some(hours) = limits.0 {
        let x = painter.round_to_pixel_center(transform.position_from_point_x(hours.log10()));
        dashed(
            painter,
            pos2(x, frame.top()),
            pos2(x, frame.bottom()),
            t.sub,
            (3.0, 3.0),
        );
    }
    if let Some(dollars) = limits.1 {
        let y = painter.round_to_pixel_center(transform.position_from_point_y(dollars.log10()));
        dashed(
            painter,
            pos2(frame.left(), y),
            pos2(frame.right(), y),
            t.sub,
            (3.0, 3.0),
        );
    }
}

/// The limits are named on their lines, above the points.
pub fn limit_labels(painter: &Painter, transform: &PlotTransform, limits: Limits, t: &Tokens) {
    let frame = *transform.frame();
    if let Some(hours) = limits.0 {
        let x = transform.position_from_point_x(hours.log10());
        let text = format!("Deadline {}", format::hours(hours));
        let flip = x + width_of(painter, &text, Role::Caption) + 10.0 > frame.right();
        let (anchor, dx) = if flip {
            (Align2::RIGHT_CENTER, -6.0)
        } else {
            (Align2::LEFT_CENTER, 6.0)
        };
        tag(
            painter,
            pos2(x + dx, frame.top() + 9.0),
            anchor,
            &text,
            t.shade,
            t.text,
        );
    }
    if let Some(dollars) = limits.1 {
        let y = transform.position_from_point_y(dollars.log10());
        let text = format!("Budget {}", format::money(Usd(dollars)));
        tag(
            painter,
            pos2(frame.right() - 6.0, y - 9.0),
            Align2::RIGHT_CENTER,
            &text,
            t.shade,
            t.text,
        );
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
) {
    let size = vec2(width_of(painter, text, Role::Caption), 14.0);
    let rect = anchor.anchor_size(at, size).expand2(vec2(3.0, 0.0));
    painter.rect_filled(rect, 3.0, ground.gamma_multiply(0.85));
    paint(painter, at, anchor, text, Role::Caption, color);
}
