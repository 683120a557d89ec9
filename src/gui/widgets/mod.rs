//! Widgets the panels are made of. Each paints with tokens and names itself for screen readers.

mod bars;
mod chips;
mod fields;
mod link;
mod menu;
mod rows;
mod slider;
mod sort_head;
mod text;

pub use bars::{interval_glyph, level_bars, memory_bar, segmented_bar};
pub use chips::{
    check_row, chip, chip_text, disclosure, focus_ring, focus_ring_at, icon_button, primary_icon,
    tab_button, text_button,
};
pub use fields::{
    Edit, TextField, combo_button, focus_field, has_keyboard, is_taken, search_box,
    select_in_field, stay_after_enter, text_field,
};
pub use link::{link_ui, text_link};
pub use menu::{DropDown, Lines, in_window, keyboard_returns, most_height, walk_grid};
pub use rows::{card, part_row, scroll_pages};
pub use slider::{Moved, factor_slider};
pub use sort_head::{SortHead, sort_head};
pub use text::{
    heading, label_at, label_in, paint, paint_in, paint_name, paint_rows, paint_value, unbroken,
    width_of,
};

use super::theme::{Role, Tokens, size};
use egui::{Align2, Id, Rect, Response, Sense, Ui, pos2, vec2};

/// A state that the gallery draws widgets in without a pointer or a keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forced {
    /// As under the pointer.
    Hover,
    /// As with the keyboard.
    Focus,
}

fn forced_id() -> Id {
    Id::unique("forced-look")
}

/// Draws what follows in a state; `None` = as it is.
pub fn force(ui: &Ui, forced: Option<Forced>) {
    ui.data_mut(|d| d.insert_temp(forced_id(), forced));
}

fn forced(ui: &Ui) -> Option<Forced> {
    ui.data(|d| d.get_temp::<Option<Forced>>(forced_id()))
        .flatten()
}

/// Whether a widget is drawn as under the pointer.
pub fn is_hovered(ui: &Ui, response: &Response) -> bool {
    response.hovered() || forced(ui) == Some(Forced::Hover)
}

/// Whether a widget is drawn as with the keyboard.
pub fn is_focused(ui: &Ui, response: &Response) -> bool {
    response.has_focus() || forced(ui) == Some(Forced::Focus)
}

/// A rule across the panel.
pub fn rule(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 1.0), Sense::hover());
    ui.painter()
        .hline(rect.x_range(), rect.center().y, (1.0, Tokens::of(ui).line));
}

/// The head of a section: title left, a quiet remark right. Returns the rectangle of the remark's side.
pub fn section_head(ui: &mut Ui, title: &str, remark: &str) -> Rect {
    let t = Tokens::of(ui);
    let (rect, _) =
        ui.allocate_exact_size(vec2(ui.available_width(), size::SECTION), Sense::hover());
    let inner = rect.shrink2(vec2(size::MARGIN, 0.0));
    heading(ui, inner.left_center(), title, Role::Section, t.strong);
    if !remark.is_empty() {
        let at = inner.right_center();
        label_at(ui, at, Align2::RIGHT_CENTER, remark, Role::Body, t.sub);
    }
    inner
}

/// A property row: the label's place and the field's place.
pub fn property_row(ui: &mut Ui, label: &str) -> Rect {
    let t = Tokens::of(ui);
    let (rect, _) =
        ui.allocate_exact_size(vec2(ui.available_width(), size::ROW + 4.0), Sense::hover());
    let inner = rect.shrink2(vec2(size::MARGIN, 2.0));
    let room = inner.with_max_x(inner.left() + 90.0);
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        label,
        Role::Body,
        t.sub,
    );
    Rect::from_min_max(pos2(inner.left() + 96.0, inner.top()), inner.max)
}

/// A line of something wrong below a field.
pub fn problem(ui: &mut Ui, message: &str) {
    let response = wrapped(ui, message, Tokens::of(ui).bad);
    // Whoever types at the lower edge of a panel sees what is wrong without scrolling: when it comes, not ever after.
    let now = ui.ctx().cumulative_frame_nr();
    let id = response.id.with("seen");
    let before: Option<u64> = ui.data(|d| d.get_temp(id));
    ui.data_mut(|d| d.insert_temp(id, now));
    if before.is_none_or(|frame| frame + 1 < now) && ui.ctx().text_edit_focused() {
        ui.scroll_to_rect(response.rect.expand(8.0), None);
    }
}

/// A wrapped line in the panel's width.
pub fn note(ui: &mut Ui, message: &str, color: egui::Color32) {
    wrapped(ui, message, color);
}

fn wrapped(ui: &mut Ui, message: &str, color: egui::Color32) -> Response {
    let width = ui.available_width() - 2.0 * size::MARGIN;
    let galley = ui
        .painter()
        .layout(unbroken(message), Role::Caption.font(), color, width);
    let (rect, response) = ui.allocate_exact_size(
        vec2(ui.available_width(), galley.size().y + 4.0),
        Sense::hover(),
    );
    response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, message));
    ui.painter()
        .galley(rect.min + vec2(size::MARGIN, 1.0), galley, color);
    response
}
