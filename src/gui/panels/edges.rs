//! The inner edges of the panels beside the centre: dragged, or moved by arrows, within what both sides need.

use super::scene::Scene;
use crate::gui::command::{Action, Side};
use crate::gui::theme::{Tokens, size};
use egui::{
    CursorIcon, EventFilter, Key, Rect, Sense, Stroke, Ui, WidgetInfo, accesskit, pos2, vec2,
};

/// Narrower than this, fields and figures of a panel are cut.
const LEAST: f32 = 280.0;
/// Wider than this, a panel says no more.
const MOST: f32 = 560.0;
/// What the centre keeps until both panels are at their least.
const CENTRE: f32 = 560.0;
/// Points an arrow moves an edge.
const STEP: f32 = 10.0;
/// Points of an edge that take the pointer.
const GRIP: f32 = 6.0;

fn usual(side: Side, wide: bool) -> f32 {
    match (side, wide) {
        (Side::Request, false) => size::LEFT,
        (Side::Request, true) => size::LEFT_WIDE,
        (Side::Inspector, false) => size::RIGHT,
        (Side::Inspector, true) => size::RIGHT_WIDE,
    }
}

/// Widths of request and inspector in a window of this width.
pub fn widths(cx: &Scene<'_>, window: f32) -> (f32, f32) {
    let settings = &cx.state.settings;
    let wanted = |side, width: Option<f32>| {
        let usual = usual(side, cx.wide);
        width.map_or(usual, |w| w.clamp(LEAST.min(usual), MOST))
    };
    let left = wanted(Side::Request, settings.request_width);
    let right = wanted(Side::Inspector, settings.inspector_width);
    // What the centre lacks is taken from both sides alike, down to their least.
    let over = (left + right + CENTRE - window).max(0.0);
    let less = |width: f32| (width - over / 2.0).max(width.min(LEAST));
    (less(left), less(right))
}

/// Draws the inner edge of a panel, above everything else of the window.
pub fn edge_ui(ui: &mut Ui, cx: &mut Scene<'_>, side: Side, panel: Rect) {
    let t = Tokens::of(ui);
    let (x, name) = match side {
        Side::Request => (panel.right(), "Width of the request"),
        Side::Inspector => (panel.left(), "Width of the inspector"),
    };
    // Always to the right of the line: to its left stands a scroll bar, of the request or of the table.
    let rect = Rect::from_min_size(pos2(x, panel.top()), vec2(GRIP, panel.height()));
    let id = ui.scope_id().with(("edge", side));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    let width = panel.width();
    response.widget_info(|| WidgetInfo::slider(true, f64::from(width), name));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(accesskit::Role::Splitter);
        node.set_min_numeric_value(f64::from(LEAST));
        node.set_max_numeric_value(f64::from(MOST));
    });
    let active = response.hovered() || response.dragged() || response.has_focus();
    if active {
        ui.painter()
            .vline(x, panel.y_range(), Stroke::new(2.0, t.accent));
    }
    let sign = if side == Side::Request { 1.0 } else { -1.0 };
    let mut wanted = None;
    if response.dragged()
        && let Some(at) = response.interact_pointer_pos()
    {
        wanted = Some(match side {
            Side::Request => at.x - panel.left(),
            Side::Inspector => panel.right() - at.x,
        });
    }
    if response.has_focus() {
        let arrows = EventFilter {
            horizontal_arrows: true,
            ..EventFilter::default()
        };
        ui.memory_mut(|m| m.set_focus_lock_filter(response.id, arrows));
        for (key, by) in [(Key::ArrowLeft, -STEP), (Key::ArrowRight, STEP)] {
            if ui.input(|i| i.modifiers.is_none() && i.key_pressed(key)) {
                wanted = Some(width + sign * by);
            }
        }
    }
    if let Some(width) = wanted {
        cx.send(Action::SetWidth(side, Some(width.clamp(LEAST, MOST))));
    }
    if response.double_clicked() {
        cx.send(Action::SetWidth(side, None));
    }
    response
        .on_hover_cursor(CursorIcon::ResizeHorizontal)
        .on_hover_text("Drag, or move by arrows; a double click sets the usual width");
}
