//! A pane beside the view with the words for what it shows.

use super::scene::Scene;
use crate::gui::command::UiCommand;
use crate::gui::reading::{Line, column, has_table, lines_of};
use crate::gui::rows::Column;
use crate::gui::theme::{Icon, Role, Tokens, size};
use crate::gui::widgets::{icon_button, label_at};
use egui::{
    Align2, Area, Frame, Id, Key, Order, Rect, RichText, ScrollArea, Sense, Ui, pos2,
    scroll_area::ScrollBarVisibility, vec2,
};

/// Width of the words.
const WIDTH: f32 = 280.0;
/// Between the words and the edge.
const MARGIN: f32 = 12.0;

/// Draws the pane while it is open: over the inspector, so that the view it tells of stays in sight.
pub fn reading_ui(ui: &Ui, top: f32, cx: &mut Scene<'_>) {
    if !cx.state.reading {
        return;
    }
    let frame = Frame::popup(ui.style())
        .inner_margin(MARGIN)
        .corner_radius(8.0);
    let window = ui.ctx().content_rect();
    let at = pos2(window.right() - WIDTH - 2.0 * MARGIN - 8.0, top);
    let height = (window.bottom() - size::STATUS_BAR - top - 60.0).max(120.0);
    // Tooltips and menus open above it, and the view beside it stays in use.
    let pane = Area::new(Id::unique("reading"))
        .order(Order::Middle)
        .default_size(vec2(WIDTH, height + 60.0))
        .fixed_pos(at);
    pane.show(ui.ctx(), |ui| {
        frame.show(ui, |ui| {
            ui.set_width(WIDTH);
            contents_ui(ui, cx, height);
        });
    });
    let is_alone = cx.state.palette.is_none() && !ui.ctx().text_edit_focused();
    if is_alone && ui.input(|i| i.key_pressed(Key::Escape)) {
        cx.run(UiCommand::HowToRead);
    }
}

fn contents_ui(ui: &mut Ui, cx: &mut Scene<'_>, height: f32) {
    let t = Tokens::of(ui);
    let view = cx.state.settings.view;
    let (head, _) = ui.allocate_exact_size(vec2(WIDTH, 24.0), Sense::hover());
    let title = label_at(
        ui,
        head.left_center(),
        Align2::LEFT_CENTER,
        "How to read",
        Role::Column,
        t.strong,
    );
    let at = title.right_center() + vec2(8.0, 0.0);
    label_at(ui, at, Align2::LEFT_CENTER, view.title(), Role::Body, t.sub);
    let close = Rect::from_min_max(pos2(head.right() - 24.0, head.top()), head.max);
    if icon_button(ui, close, Icon::Close, "Close how to read", true).clicked() {
        cx.run(UiCommand::HowToRead);
    }
    // The last line may be cut: a bar that stays says that there is more.
    ui.spacing_mut().scroll = egui::style::ScrollStyle::solid();
    let area = ScrollArea::vertical()
        .max_height(height)
        .scroll_bar_visibility(ScrollBarVisibility::VisibleWhenNeeded);
    area.id_salt(view.title()).show(ui, |ui| {
        ui.set_width(WIDTH - 18.0);
        for line in lines_of(view) {
            line_ui(ui, *line, t);
        }
        if has_table(view) {
            ui.add_space(8.0);
            let title = RichText::new("Columns of the table").font(Role::Section.font());
            ui.label(title.color(t.strong));
            for each in Column::ALL {
                line_ui(ui, (each.title(), column(each)), t);
            }
        }
    });
}

fn line_ui(ui: &mut Ui, (what, means): Line, t: &Tokens) {
    ui.add_space(4.0);
    ui.spacing_mut().item_spacing.y = 1.0;
    ui.label(RichText::new(what).font(Role::Body.font()).color(t.strong));
    ui.label(RichText::new(means).font(Role::Body.font()).color(t.text));
}
