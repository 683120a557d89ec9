//! A slider for a factor around 1, on a logarithmic scale.

use super::{paint, paint_in};
use crate::format;
use crate::gui::places;
use crate::gui::theme::{Role, Tokens};
use egui::{Align2, Rect, Slider, Ui, UiBuilder, pos2, vec2};

/// How far a factor can be moved from 1, either way.
const REACH: f64 = 4.0;

/// Draws a label, a slider and the factor in a row; returns the factor while it is moved.
pub fn factor_slider(ui: &mut Ui, row: Rect, label: &str, factor: f64) -> Option<f64> {
    let t = Tokens::of(ui);
    let name = Rect::from_min_size(row.min, vec2(92.0, row.height()));
    paint_in(
        ui.painter(),
        name,
        Align2::LEFT_CENTER,
        label,
        Role::Body,
        t.sub,
    );
    let ink = if (factor - 1.0).abs() < 1e-9 {
        t.sub
    } else {
        t.strong
    };
    paint(
        ui.painter(),
        row.right_center(),
        Align2::RIGHT_CENTER,
        &format!("×\u{202F}{}", format::fixed(factor, 2)),
        Role::Body,
        ink,
    );
    let place = Rect::from_min_max(
        pos2(name.right() + 4.0, row.top()),
        pos2(row.right() - 56.0, row.bottom()),
    );
    let mut child = ui.new_child(UiBuilder::new().max_rect(place).id_salt(("factor", label)));
    child.spacing_mut().slider_width = place.width();
    child.spacing_mut().slider_rail_height = 4.0;
    child.spacing_mut().interact_size.y = 18.0;
    let visuals = child.visuals_mut();
    visuals.selection.bg_fill = t.accent_fill;
    for widget in [
        &mut visuals.widgets.inactive,
        &mut visuals.widgets.hovered,
        &mut visuals.widgets.active,
    ] {
        widget.bg_fill = t.track;
        widget.fg_stroke.color = t.text;
    }
    let mut value = factor;
    let slider = Slider::new(&mut value, 1.0 / REACH..=REACH)
        .logarithmic(true)
        .show_value(false)
        .smart_aim(false)
        .trailing_fill(false);
    let response = child.centered_and_justified(|ui| ui.add(slider)).inner;
    child
        .ctx()
        .accesskit_node_builder(response.id, |node| node.set_label(label));
    if places::arrives(ui.ctx(), label) {
        response.request_focus();
    }
    super::focus_ring(ui, &response, 4.0);
    if !response.changed() {
        return None;
    }
    // A drag rests at exactly 1 near the middle; two decimals elsewhere, so that a plan file stays readable.
    let rounded = (value * 100.0).round() / 100.0;
    let rests = response.dragged() && (rounded - 1.0).abs() < 0.04;
    Some(if rests { 1.0 } else { rounded })
}
