//! Surfaces and rows that several panels share.

use super::{paint, paint_value};
use crate::format;
use crate::gui::theme::{Role, Tokens, size};
use egui::{
    Align2, Color32, Rect, Sense, Stroke, StrokeKind, Ui, WidgetInfo, accesskit, pos2, vec2,
};

/// Scrolls the area around by pages, as the keyboard asked for in this frame.
pub fn scroll_pages(ui: &Ui, pages: isize) {
    if pages != 0 {
        let by = 0.85 * ui.clip_rect().height() * pages as f32;
        ui.scroll_with_delta(vec2(0.0, -by));
    }
}

/// The surface of a card.
pub fn card(ui: &Ui, rect: Rect, fill: Color32, edge: Color32) {
    let edge = Stroke::new(1.0, edge);
    ui.painter()
        .rect(rect, size::RADIUS, fill, edge, StrokeKind::Inside);
}

/// One part of a whole: its colour, name, figure and share.
pub fn part_row(ui: &mut Ui, color: Color32, name: &str, text: &str, share: f64) {
    let t = Tokens::of(ui);
    let (row, response) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(accesskit::Role::Label, true, format!("{name} {text}"))
    });
    let (y, left) = (row.center().y, row.left() + size::MARGIN);
    let swatch = Rect::from_center_size(pos2(left + 4.5, y), vec2(9.0, 9.0));
    ui.painter().rect_filled(swatch, 2.0, color);
    let at = pos2(left + 18.0, y);
    paint(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        name,
        Role::Body,
        t.text,
    );
    let right = row.right() - size::MARGIN;
    let at = pos2(right - 46.0, y);
    let ink = (t.strong, t.sub);
    paint_value(
        ui.painter(),
        at,
        Align2::RIGHT_CENTER,
        text,
        Role::Section,
        ink,
    );
    let at = pos2(right, y);
    let share = format::percent(share);
    paint(
        ui.painter(),
        at,
        Align2::RIGHT_CENTER,
        &share,
        Role::Body,
        t.sub,
    );
}
