//! Things that are typed into: text fields with a unit, search boxes, and buttons that open a list.

use super::{Forced, forced, is_hovered, paint, paint_in, width_of};
use crate::gui::places;
use crate::gui::theme::{Icon, Role, Tokens, paint_icon, size};
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{
    Align2, CornerRadius, Frame, Id, Key, Margin, Rect, Response, Sense, Stroke, StrokeKind,
    TextEdit, Ui, UiBuilder, WidgetInfo, accesskit, pos2, vec2,
};

/// What became of a field in this frame.
pub enum Edit {
    /// Nothing.
    Same,
    /// It was changed to this text.
    To(String),
    /// It was left by Escape: whoever typed wants back what was there.
    Left,
}

/// A text field with its name, its present text and its unit.
pub struct TextField<'a> {
    /// Name for screen readers and tests; also its identity.
    pub name: &'a str,
    /// Text while it is not being edited.
    pub text: &'a str,
    /// Shown at the right.
    pub unit: &'a str,
    /// Shown while empty.
    pub hint: &'a str,
    /// What is wrong with it.
    pub error: Option<&'a str>,
}

fn field_id(ui: &Ui, name: &str) -> Id {
    ui.scope_id().with(("field", name))
}

/// Gives the keyboard to the text field of that name, about to be drawn in this place; whether it has it already.
pub fn focus_field(ui: &Ui, name: &str) -> bool {
    let id = field_id(ui, name);
    ui.memory_mut(|m| {
        let has = m.has_focus(id);
        m.request_focus(id);
        has
    })
}

/// Selects what a text field, drawn in this place, holds from one letter to another.
pub fn select_in_field(ui: &Ui, name: &str, letters: std::ops::Range<usize>) {
    let id = field_id(ui, name);
    let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
    let range = CCursorRange::two(CCursor::new(letters.start), CCursor::new(letters.end));
    state.cursor.set_char_range(Some(range));
    state.store(ui.ctx(), id);
}

/// Whether the text field of that name, drawn in this place, has the keyboard.
pub fn has_keyboard(ui: &Ui, name: &str) -> bool {
    let id = field_id(ui, name);
    ui.memory(|m| m.has_focus(id))
}

/// Leaves the keyboard in the text field of that name, drawn in this place, when Enter takes what was typed: whoever walks
/// by keys goes on from there.
pub fn stay_after_enter(ui: &Ui, name: &str) {
    let id = field_id(ui, name);
    let is_taken = ui.input(|i| i.key_pressed(Key::Enter)) && !has_keyboard(ui, name);
    if is_taken && ui.memory(|m| m.had_focus_last_frame(id)) {
        ui.memory_mut(|m| m.request_focus(id));
    }
}

/// Whether what was typed into the text field of that name, drawn in this place, is taken in this frame: by Enter, or since
/// the keyboard has gone on.
pub fn is_taken(ui: &Ui, name: &str) -> bool {
    let id = field_id(ui, name);
    ui.memory(|m| m.had_focus_last_frame(id) && !m.has_focus(id))
}

/// Gives a field the keyboard with its text selected, so that typing replaces it.
fn take_whole(ui: &Ui, id: Id, text: &str) {
    let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
    let end = CCursor::new(text.chars().count());
    let whole = CCursorRange::two(CCursor::new(0), end);
    state.cursor.set_char_range(Some(whole));
    state.store(ui.ctx(), id);
    ui.memory_mut(|m| m.request_focus(id));
}

/// Frames after the key in which it is still what moved the keyboard: backwards, and from the last widget to the first,
/// it arrives one later.
const TAB_LASTS: u64 = 2;

/// Whether the keyboard moves by Tab or Shift+Tab just now. To be asked by every field in every frame.
fn is_tabbing(ui: &Ui) -> bool {
    let id = Id::unique("tab-pressed");
    let now = ui.ctx().cumulative_frame_nr();
    if ui.input(|i| i.key_pressed(Key::Tab)) {
        ui.data_mut(|d| d.insert_temp(id, now));
        return true;
    }
    ui.data(|d| d.get_temp::<u64>(id))
        .is_some_and(|then| then + TAB_LASTS >= now)
}

/// Draws a text field in a rectangle.
pub fn text_field(ui: &mut Ui, rect: Rect, field: &TextField<'_>) -> Edit {
    let t = Tokens::of(ui);
    let id = field_id(ui, field.name);
    if places::arrives(ui.ctx(), field.name) {
        take_whole(ui, id, field.text);
    }
    let unit_width = if field.unit.is_empty() {
        0.0
    } else {
        width_of(ui.painter(), field.unit, Role::Body) + 10.0
    };
    ui.painter().rect_filled(rect, size::RADIUS_FIELD, t.input);
    let mut inner = rect.shrink2(vec2(8.0, 0.0));
    inner.max.x -= unit_width;
    paint(
        ui.painter(),
        rect.right_center() - vec2(8.0, 0.0),
        Align2::RIGHT_CENTER,
        field.unit,
        Role::Body,
        t.sub,
    );
    let result = edit_line(ui, inner, id, field.text, (field.hint, field.name, true));
    let focused = ui.memory(|m| m.has_focus(id)) || forced(ui) == Some(Forced::Focus);
    let stroke = match (field.error.is_some(), focused) {
        (true, _) => Some(Stroke::new(1.5, t.bad)),
        (false, true) => Some(Stroke::new(2.0, t.accent)),
        _ => None,
    };
    if let Some(stroke) = stroke {
        ui.painter()
            .rect_stroke(rect, size::RADIUS_FIELD, stroke, StrokeKind::Outside);
    }
    result
}

/// Sets several lines that are pasted at once apart as a list does: ends of lines become spaces in a field of one line, and
/// a column of figures would be one number by its thousands.
fn keep_lines_apart(ui: &Ui) {
    ui.input_mut(|i| {
        for event in &mut i.events {
            if let egui::Event::Paste(text) = event
                && text.trim_end().contains(['\n', '\r'])
            {
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                *text = lines.collect::<Vec<_>>().join("; ");
            }
        }
    });
}

/// A borderless line of text. One that `holds` keeps its own text while it has the keyboard, so that formatting never
/// fights typing.
fn edit_line(
    ui: &mut Ui,
    rect: Rect,
    id: Id,
    text: &str,
    (hint, name, holds): (&str, &str, bool),
) -> Edit {
    let held = id.with("held");
    let is_tabbing = is_tabbing(ui);
    let focused = ui.memory(|m| m.has_focus(id));
    let mut buffer = if focused && holds {
        ui.data(|d| d.get_temp::<String>(held))
            .unwrap_or_else(|| text.to_owned())
    } else {
        text.to_owned()
    };
    if focused && holds {
        keep_lines_apart(ui);
    }
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(id));
    let t = Tokens::of(ui);
    let response = child.add(
        TextEdit::singleline(&mut buffer)
            .id(id)
            .frame(Frame::NONE)
            .margin(Margin::ZERO)
            .desired_width(rect.width())
            .min_size(rect.size())
            .align(Align2::LEFT_CENTER)
            .font(Role::Body.font())
            .text_color(t.strong)
            .hint_text(egui::RichText::new(hint).color(t.sub)),
    );
    child
        .ctx()
        .accesskit_node_builder(id, |node| node.set_label(name));
    if response.gained_focus() {
        ui.scroll_to_rect(rect.expand(8.0), None);
        // A click puts the cursor where it points; whoever walks in by keys means the whole text.
        if is_tabbing {
            take_whole(ui, id, &buffer);
        }
    }
    if response.has_focus() {
        child.data_mut(|d| d.insert_temp(held, buffer.clone()));
    } else {
        child.data_mut(|d| d.remove::<String>(held));
    }
    if response.changed() {
        Edit::To(buffer)
    } else if response.lost_focus() && ui.input(|i| i.key_pressed(Key::Escape)) {
        Edit::Left
    } else {
        Edit::Same
    }
}

/// A search box with a magnifier; returns what was typed and the response's identity for focusing.
pub fn search_box(ui: &mut Ui, rect: Rect, name: &str, text: &str, hint: &str) -> (Edit, Id) {
    let t = Tokens::of(ui);
    let id = ui.scope_id().with(("field", name));
    if places::arrives(ui.ctx(), name) {
        take_whole(ui, id, text);
    }
    ui.painter().rect_filled(rect, size::RADIUS_FIELD, t.input);
    paint_icon(
        ui.painter(),
        pos2(rect.left() + 14.0, rect.center().y),
        Icon::Search,
        t.sub,
        0.85,
    );
    let inner = Rect::from_min_max(
        pos2(rect.left() + 26.0, rect.top()),
        rect.max - vec2(6.0, 0.0),
    );
    let edit = edit_line(ui, inner, id, text, (hint, name, false));
    if ui.memory(|m| m.has_focus(id)) || forced(ui) == Some(Forced::Focus) {
        ui.painter().rect_stroke(
            rect,
            CornerRadius::same(4),
            Stroke::new(2.0, t.accent),
            StrokeKind::Outside,
        );
    }
    (edit, id)
}

/// A button in a field's clothes that opens a list.
pub fn combo_button(
    ui: &mut Ui,
    rect: Rect,
    name: &str,
    text: &str,
    icon: Option<Icon>,
) -> Response {
    let t = Tokens::of(ui);
    let response = ui.interact(rect, ui.scope_id().with(("combo", name)), Sense::click());
    if places::arrives(ui.ctx(), name) {
        response.request_focus();
    }
    response.widget_info(|| {
        WidgetInfo::labeled(accesskit::Role::ComboBox, true, format!("{name}: {text}"))
    });
    let fill = if is_hovered(ui, &response) {
        t.hover
    } else {
        t.input
    };
    ui.painter().rect_filled(rect, size::RADIUS_FIELD, fill);
    let mut left = rect.left() + 8.0;
    let role = if icon.is_some() {
        Role::Section
    } else {
        Role::Body
    };
    if let Some(icon) = icon {
        paint_icon(
            ui.painter(),
            pos2(left + 8.0, rect.center().y),
            icon,
            t.sub,
            0.9,
        );
        left += 24.0;
    }
    let inner = Rect::from_min_max(pos2(left, rect.top()), rect.max - vec2(24.0, 0.0));
    paint_in(
        ui.painter(),
        inner,
        Align2::LEFT_CENTER,
        text,
        role,
        t.strong,
    );
    paint_icon(
        ui.painter(),
        pos2(rect.right() - 13.0, rect.center().y),
        Icon::ChevronDown,
        t.sub,
        0.85,
    );
    super::focus_ring(ui, &response, size::RADIUS_FIELD);
    response
}
