//! Things that are clicked: chips, tabs, icon and text buttons, check rows.

use super::{is_focused, is_hovered, paint, paint_in, width_of};
use crate::gui::places;
use crate::gui::theme::{Icon, Role, Tokens, paint_icon, size};
use egui::{
    Align2, CornerRadius, Rect, Response, Sense, Stroke, StrokeKind, Ui, WidgetInfo, accesskit,
    pos2, vec2,
};

/// The accent ring around what has the keyboard.
pub fn focus_ring(ui: &Ui, response: &Response, radius: f32) {
    focus_ring_at(ui, response, response.rect, radius);
}

/// The same around a place inside of it: what reaches from edge to edge of a panel would have its ring cut there.
pub fn focus_ring_at(ui: &Ui, response: &Response, place: Rect, radius: f32) {
    // Whoever moves by keyboard must see where they are.
    if response.gained_focus() {
        ui.scroll_to_rect(response.rect.expand(8.0), None);
    }
    if is_focused(ui, response) {
        ui.painter().rect_stroke(
            place.expand(2.0),
            CornerRadius::same((radius + 2.0) as u8),
            Stroke::new(2.0, Tokens::of(ui).accent),
            StrokeKind::Outside,
        );
    }
}

/// The surface of a chip; its contents are painted by the caller.
pub fn chip(ui: &mut Ui, rect: Rect, label: &str, chosen: bool) -> Response {
    let t = Tokens::of(ui);
    let response = ui.interact(rect, ui.scope_id().with(("chip", label)), Sense::click());
    if places::arrives(ui.ctx(), label) {
        response.request_focus();
    }
    response.widget_info(|| {
        WidgetInfo::selected(accesskit::Role::CheckBox, ui.is_enabled(), chosen, label)
    });
    let radius = size::RADIUS_FIELD;
    if chosen {
        ui.painter().rect_filled(rect, radius, t.hover);
    } else {
        let stroke = if is_hovered(ui, &response) {
            t.line_strong
        } else {
            t.line
        };
        ui.painter()
            .rect_stroke(rect, radius, Stroke::new(1.0, stroke), StrokeKind::Inside);
    }
    focus_ring(ui, &response, radius);
    response
}

/// A chip with centred text.
pub fn chip_text(ui: &mut Ui, rect: Rect, text: &str, label: &str, chosen: bool) -> Response {
    let t = Tokens::of(ui);
    let response = chip(ui, rect, label, chosen);
    let color = if chosen { t.strong } else { t.sub };
    paint_in(
        ui.painter(),
        rect.shrink(2.0),
        Align2::CENTER_CENTER,
        text,
        Role::Body,
        color,
    );
    response
}

/// A button that is an icon.
pub fn icon_button(ui: &mut Ui, rect: Rect, icon: Icon, label: &str, enabled: bool) -> Response {
    let t = Tokens::of(ui);
    let sense = if enabled {
        Sense::click()
    } else {
        Sense::hover()
    };
    let response = ui.interact(rect, ui.scope_id().with(("icon", label)), sense);
    if places::arrives(ui.ctx(), label) {
        response.request_focus();
    }
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Button, enabled, label));
    if enabled && is_hovered(ui, &response) {
        ui.painter().rect_filled(rect, size::RADIUS_FIELD, t.hover);
    }
    let color = match (enabled, is_hovered(ui, &response)) {
        (false, _) => t.faint,
        (true, true) => t.strong,
        (true, false) => t.text,
    };
    paint_icon(ui.painter(), rect.center(), icon, color, 0.95);
    focus_ring(ui, &response, size::RADIUS_FIELD);
    response
}

/// A button with text and perhaps an icon before it; the primary one is filled. Its right edge is at `right`.
pub fn text_button(
    ui: &mut Ui,
    right: egui::Pos2,
    icon: Option<Icon>,
    text: &str,
    primary: bool,
) -> Response {
    let t = Tokens::of(ui);
    let role = if primary { Role::Section } else { Role::Body };
    let lead = if icon.is_some() { 20.0 } else { 0.0 };
    let width = width_of(ui.painter(), text, role) + lead + 20.0;
    let rect = Rect::from_min_max(
        pos2(right.x - width, right.y - 13.0),
        pos2(right.x, right.y + 13.0),
    );
    let response = ui.interact(rect, ui.scope_id().with(("button", text)), Sense::click());
    if places::arrives(ui.ctx(), text) {
        response.request_focus();
    }
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Button, true, text));
    let (fill, color) = match (primary, is_hovered(ui, &response)) {
        (true, false) => (t.accent_fill, t.on_accent),
        (true, true) => (t.accent_fill.gamma_multiply(0.9), t.on_accent),
        (false, true) => (t.hover, t.strong),
        (false, false) => (t.raised, t.text),
    };
    ui.painter().rect_filled(rect, size::RADIUS, fill);
    if !primary {
        // Its ground alone hardly differs from a panel's.
        let edge = Stroke::new(1.0, t.line_strong);
        ui.painter()
            .rect_stroke(rect, size::RADIUS, edge, StrokeKind::Inside);
    }
    if let Some(icon) = icon {
        paint_icon(
            ui.painter(),
            pos2(rect.left() + 17.0, rect.center().y),
            icon,
            color,
            0.9,
        );
    }
    paint(
        ui.painter(),
        pos2(rect.left() + 10.0 + lead, rect.center().y),
        Align2::LEFT_CENTER,
        text,
        role,
        color,
    );
    focus_ring(ui, &response, size::RADIUS);
    response
}

/// The small half of a split primary button.
pub fn primary_icon(ui: &mut Ui, rect: Rect, icon: Icon, label: &str) -> Response {
    let t = Tokens::of(ui);
    let response = ui.interact(rect, ui.scope_id().with(("icon", label)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Button, true, label));
    let fill = if is_hovered(ui, &response) {
        t.accent_fill.gamma_multiply(0.9)
    } else {
        t.accent_fill
    };
    ui.painter().rect_filled(rect, size::RADIUS, fill);
    paint_icon(ui.painter(), rect.center(), icon, t.on_accent, 0.85);
    focus_ring(ui, &response, size::RADIUS);
    response
}

/// A tab of the centre with the room at its sides, perhaps with a count; returns the response and its right edge.
pub fn tab_button(
    ui: &mut Ui,
    left: egui::Pos2,
    (text, pad): (&str, f32),
    count: Option<usize>,
    chosen: bool,
) -> (Response, f32) {
    let t = Tokens::of(ui);
    let tag = if count.is_some() { 22.0 } else { 0.0 };
    let width = width_of(ui.painter(), text, Role::Body) + 2.0 * pad + tag;
    let rect = Rect::from_min_size(pos2(left.x, left.y - 12.0), vec2(width, 24.0));
    let response = ui.interact(rect, ui.scope_id().with(("tab", text)), Sense::click());
    if chosen && places::arrives(ui.ctx(), "Chosen view") {
        response.request_focus();
    }
    response.widget_info(|| WidgetInfo::selected(accesskit::Role::Tab, true, chosen, text));
    if chosen {
        ui.painter().rect_filled(rect, size::RADIUS_FIELD, t.hover);
    }
    let color = if chosen || is_hovered(ui, &response) {
        t.strong
    } else {
        t.sub
    };
    paint(
        ui.painter(),
        rect.left_center() + vec2(pad, 0.0),
        Align2::LEFT_CENTER,
        text,
        Role::Body,
        color,
    );
    if let Some(count) = count {
        let place =
            Rect::from_center_size(pos2(rect.right() - 15.0, rect.center().y), vec2(16.0, 16.0));
        ui.painter().rect_filled(place, 3.0, t.track);
        paint(
            ui.painter(),
            place.center(),
            Align2::CENTER_CENTER,
            &count.to_string(),
            Role::Caption,
            t.strong,
        );
    }
    focus_ring(ui, &response, size::RADIUS_FIELD);
    (response, rect.right())
}

/// A line that opens and closes what stands below it; returns whether it is open. It starts open where something behind
/// it is set.
pub fn disclosure(ui: &mut Ui, title: &str, is_set: bool) -> bool {
    let t = Tokens::of(ui);
    let (rect, _) =
        ui.allocate_exact_size(vec2(ui.available_width(), size::ROW + 4.0), Sense::hover());
    let row = rect.shrink2(vec2(size::MARGIN, 2.0));
    let id = ui.scope_id().with(("disclosure", title));
    let mut open = ui.data(|d| d.get_temp(id)).unwrap_or(is_set);
    let response = ui.interact(row, id, Sense::click());
    if places::arrives(ui.ctx(), title) {
        response.request_focus();
    }
    if !open && places::is_behind(ui.ctx(), title) {
        open = true;
        ui.data_mut(|d| d.insert_temp(id, open));
    }
    response.widget_info(|| {
        WidgetInfo::selected(accesskit::Role::DisclosureTriangle, true, open, title)
    });
    let color = if is_hovered(ui, &response) {
        t.strong
    } else {
        t.sub
    };
    let icon = Icon::chevron(open);
    paint_icon(
        ui.painter(),
        row.left_center() + vec2(7.0, 0.0),
        icon,
        color,
        0.85,
    );
    let at = row.left_center() + vec2(22.0, 0.0);
    paint(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        title,
        Role::Body,
        color,
    );
    focus_ring(ui, &response, size::RADIUS_FIELD);
    let open = open != response.clicked();
    if response.clicked() {
        ui.data_mut(|d| d.insert_temp(id, open));
    }
    open
}

/// A row with a check box; the rest is painted by the caller.
pub fn check_row(ui: &mut Ui, rect: Rect, label: &str, checked: bool) -> Response {
    let t = Tokens::of(ui);
    let response = ui.interact(rect, ui.scope_id().with(("check", label)), Sense::click());
    response.widget_info(|| WidgetInfo::selected(accesskit::Role::CheckBox, true, checked, label));
    if is_hovered(ui, &response) {
        ui.painter()
            .rect_filled(rect, 0.0, t.hover.gamma_multiply(0.5));
    }
    let mark = Rect::from_center_size(
        pos2(rect.left() + size::MARGIN + 7.0, rect.center().y),
        vec2(14.0, 14.0),
    );
    if checked {
        ui.painter().rect_filled(mark, 3.0, t.accent_fill);
        paint_icon(ui.painter(), mark.center(), Icon::Check, t.on_accent, 0.8);
    } else {
        ui.painter().rect_stroke(
            mark,
            3.0,
            Stroke::new(1.0, t.line_strong),
            StrokeKind::Inside,
        );
    }
    if response.gained_focus() {
        ui.scroll_to_rect(response.rect.expand(8.0), None);
    }
    if is_focused(ui, &response) {
        ui.painter().rect_stroke(
            mark.expand(3.0),
            5.0,
            Stroke::new(2.0, t.accent),
            StrokeKind::Outside,
        );
    }
    response
}
