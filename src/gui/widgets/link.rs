//! A source that a click opens, with a button beside it that copies its address.

use super::{focus_ring, icon_button, paint, paint_in, width_of};
use crate::gui::command::Action;
use crate::gui::link::Link;
use crate::gui::theme::{Icon, Role, Tokens};
use egui::{
    Align2, CursorIcon, Rect, Response, Sense, Stroke, Ui, UiBuilder, WidgetInfo, accesskit, pos2,
    vec2,
};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A number for what tells a link from others.
fn ui_key(salt: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    salt.hash(&mut hasher);
    hasher.finish()
}

/// Draws a link in one line; returns what a click on it or its button asks for. The salt tells it from others to the same
/// place.
pub fn link_ui(ui: &mut Ui, place: Rect, link: &Link, salt: impl Hash) -> Option<Action> {
    let builder = UiBuilder::new()
        .max_rect(place)
        .id_salt(("link", ui_key(&salt)));
    let ui = &mut ui.new_child(builder);
    let t = Tokens::of(ui);
    let room = place.with_max_x(place.right() - 22.0);
    let words = link.words();
    // What does not fit is said elsewhere rather than cut.
    let fits = width_of(ui.painter(), &words, Role::Caption) <= room.width();
    let painted = paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        if fits { &words } else { &link.name },
        Role::Caption,
        t.accent,
    );
    let id = ui.scope_id().with("open");
    let response = ui.interact(painted.expand2(vec2(2.0, 2.0)), id, Sense::click());
    response
        .widget_info(|| WidgetInfo::labeled(accesskit::Role::Link, true, format!("Open {words}")));
    if response.hovered() {
        let y = painted.bottom() - 0.5;
        ui.painter()
            .hline(painted.x_range(), y, Stroke::new(1.0, t.accent));
    }
    focus_ring(ui, &response, 2.0);
    let copy = Rect::from_center_size(
        pos2(painted.right() + 13.0, place.center().y),
        vec2(18.0, 18.0),
    );
    let name = format!("Copy the address of {words}");
    let copies = icon_button(ui, copy, Icon::Copy, &name, true).on_hover_text("Copy the address");
    let opens = response
        .on_hover_cursor(CursorIcon::PointingHand)
        .on_hover_text(format!("{words}\n{}", link.url));
    if copies.clicked() {
        Some(Action::Copy(link.url.clone(), "the address"))
    } else {
        opens.clicked().then(|| Action::Open(link.url.clone()))
    }
}

/// A word in the accent colour that can be clicked; its right end is given. The name tells it from others of the same word.
pub fn text_link(ui: &mut Ui, right: egui::Pos2, text: &str, name: &str) -> Response {
    let t = Tokens::of(ui);
    let rect = paint(
        ui.painter(),
        right,
        Align2::RIGHT_CENTER,
        text,
        Role::Caption,
        t.accent,
    );
    let id = ui.scope_id().with(("link", name));
    let response = ui.interact(rect.expand(3.0), id, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Button, true, name));
    if response.hovered() {
        let y = rect.bottom() - 0.5;
        ui.painter()
            .hline(rect.x_range(), y, Stroke::new(1.0, t.accent));
    }
    focus_ring(ui, &response, 2.0);
    response.on_hover_cursor(CursorIcon::PointingHand)
}
