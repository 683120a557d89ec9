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
/// What the centre keeps, whatever is dragged; only where the window itself is narrower than both panels' least does it
/// have less.
const CENTRE: f32 = 560.0;
/// Points an arrow moves an edge.
const STEP: f32 = 10.0;
/// Points of an edge that take the pointer.
const GRIP: f32 = 6.0;

/// Whether a window of this width has room for one panel alone beside the centre.
pub const fn is_narrow(window: f32) -> bool {
    window < 2.0 * LEAST + CENTRE
}

fn usual(side: Side, wide: bool) -> f32 {
    match (side, wide) {
        (Side::Request, false) => size::LEFT,
        (Side::Request, true) => size::LEFT_WIDE,
        (Side::Inspector, false) => size::RIGHT,
        (Side::Inspector, true) => size::RIGHT_WIDE,
    }
}

/// Widths of request and inspector in a window of this width; `shown` tells which of them are there.
pub fn widths(cx: &Scene<'_>, window: f32, shown: (bool, bool)) -> (f32, f32) {
    let settings = &cx.state.settings;
    let usual = [Side::Request, Side::Inspector].map(|side| usual(side, cx.wide));
    let wanted = [settings.request_width, settings.inspector_width];
    share(window, usual, wanted, [shown.0, shown.1])
}

fn share(window: f32, usual: [f32; 2], wanted: [Option<f32>; 2], shown: [bool; 2]) -> (f32, f32) {
    let mut widths = [0.0; 2];
    for (i, width) in widths.iter_mut().enumerate() {
        if shown[i] {
            *width = wanted[i].map_or(usual[i], |w| w.clamp(LEAST.min(usual[i]), MOST));
        }
    }
    // A window that became smaller takes first from what was made wider than usual, then from both, down to their least.
    for floor in [usual, [LEAST; 2]] {
        let over = (widths[0] + widths[1] + CENTRE - window).max(0.0);
        let spare = [0, 1].map(|i: usize| (widths[i] - floor[i]).max(0.0));
        let all = spare[0] + spare[1];
        if all > 0.0 {
            let share = (over / all).min(1.0);
            widths = [0, 1].map(|i: usize| widths[i] - share * spare[i]);
        }
    }
    (widths[0], widths[1])
}

/// The widest a panel may be made beside another one in a window of this width.
fn most(window: f32, other: f32) -> f32 {
    (window - CENTRE - other).clamp(LEAST, MOST)
}

/// Draws the inner edge of a panel, above everything else of the window; `other` is the width of the other panel.
pub fn edge_ui(ui: &mut Ui, cx: &mut Scene<'_>, side: Side, (panel, other): (Rect, f32)) {
    let t = Tokens::of(ui);
    let window = ui.ctx().content_rect().width();
    let (x, name) = match side {
        Side::Request => (panel.right(), "Width of the request"),
        Side::Inspector => (panel.left(), "Width of the inspector"),
    };
    // Always to the right of the line: to its left stands a scroll bar, of the request or of the table.
    let rect = Rect::from_min_size(pos2(x, panel.top()), vec2(GRIP, panel.height()));
    let id = ui.scope_id().with(("edge", side));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    let width = panel.width();
    let most = most(window, other);
    response.widget_info(|| WidgetInfo::slider(true, f64::from(width), name));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(accesskit::Role::Splitter);
        node.set_min_numeric_value(f64::from(LEAST));
        node.set_max_numeric_value(f64::from(most));
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
        let settings = &cx.state.settings;
        let (beside, its) = match side {
            Side::Request => (Side::Inspector, settings.inspector_width),
            Side::Inspector => (Side::Request, settings.request_width),
        };
        // A panel that wants more than the window has room for would claim it back from this one while it is moved.
        if other > 0.0 && its.is_some_and(|w| w > other) {
            cx.send(Action::SetWidth(beside, Some(other)));
        }
        cx.send(Action::SetWidth(side, Some(width.clamp(LEAST, most))));
    }
    if response.double_clicked() {
        cx.send(Action::SetWidth(side, None));
    }
    response
        .on_hover_cursor(CursorIcon::ResizeHorizontal)
        .on_hover_text("Drag, or move by arrows; a double click sets the usual width");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_panel_was_widened_by_goes_before_the_other_gives_anything() {
        let usual = [300.0, 324.0];
        let of = |window, wanted| share(window, usual, wanted, [true, true]);
        assert_eq!(of(1600.0, [None, None]), (300.0, 324.0));
        // The window became smaller: the widened request gives its surplus, the inspector nothing.
        assert_eq!(of(1280.0, [Some(500.0), None]), (396.0, 324.0));
        // Where that is not enough both go down to their least, and no further.
        let (left, right) = of(1160.0, [Some(500.0), None]);
        assert!((left + right - 600.0).abs() < 0.01 && left >= LEAST && right >= LEAST);
        assert_eq!(of(900.0, [None, Some(560.0)]), (LEAST, LEAST));
        // A hidden panel takes nothing.
        let alone = share(1280.0, usual, [Some(560.0), None], [true, false]);
        assert_eq!(alone, (560.0, 0.0));
    }

    #[test]
    fn a_panel_grows_into_what_is_left_alone() {
        assert_eq!(most(1280.0, 324.0), 396.0);
        assert_eq!(most(2560.0, 400.0), MOST);
        assert_eq!(most(1100.0, 324.0), LEAST);
    }
}
