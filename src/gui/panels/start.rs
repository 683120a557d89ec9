//! The start page: worked requests for the common cases, a file, or one of the recent files.

use super::menus::recent_ui;
use super::scene::{Scene, devices_of};
use crate::gui::command::{Action, UiCommand};
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{Lines, card, focus_ring, in_window, label_at, paint_in, text_button};
use crate::planner::PlanRequest;
use egui::{Align2, Frame, Id, Modal, Rect, Sense, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Width of the page.
const WIDTH: f32 = 640.0;
/// Height of a card.
const CARD: f32 = 72.0;

/// Draws the start page while it is open.
pub fn start_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    if !cx.state.start_page {
        return;
    }
    let frame = Frame::popup(ui.style())
        .inner_margin(20.0)
        .corner_radius(8.0);
    let modal = Modal::new(Id::unique("start-page")).frame(frame);
    let response = modal.show(ui.ctx(), |ui| {
        ui.set_width(WIDTH);
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        in_window(ui, |ui| contents_ui(ui, cx));
    });
    if response.should_close() {
        cx.send(Action::CloseDialog);
    }
}

fn contents_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(WIDTH, 26.0), Sense::hover());
    label_at(
        ui,
        rect.left_center(),
        Align2::LEFT_CENTER,
        "Start a plan",
        Role::Title,
        t.strong,
    );
    let (rect, _) = ui.allocate_exact_size(vec2(WIDTH, 28.0), Sense::hover());
    label_at(
        ui,
        rect.left_center() - vec2(0.0, 4.0),
        Align2::LEFT_CENTER,
        "Each opens in a tab of its own with every field filled in. Change what differs.",
        Role::Body,
        t.sub,
    );
    let width = (WIDTH - 8.0) / 2.0;
    for pair in cx.backend.examples().chunks(2) {
        let (row, _) = ui.allocate_exact_size(vec2(WIDTH, CARD + 8.0), Sense::hover());
        for (i, example) in pair.iter().enumerate() {
            let left = row.left() + i as f32 * (width + 8.0);
            let card = Rect::from_min_size(pos2(left, row.top()), vec2(width, CARD));
            if card_ui(ui, cx, card, example) {
                cx.send(Action::CloseDialog);
                cx.send(Action::NewFrom(Box::new(example.clone())));
            }
        }
    }
    recent_ui(ui, cx, &mut Lines::default());
    ui.add_space(6.0);
    let (rect, _) = ui.allocate_exact_size(vec2(WIDTH, 28.0), Sense::hover());
    let open = text_button(
        ui,
        rect.right_center(),
        None,
        UiCommand::OpenPlan.text(),
        false,
    );
    if open.clicked() {
        cx.send(Action::CloseDialog);
        cx.run(UiCommand::OpenPlan);
    }
    let at = open.rect.left_center() - vec2(8.0, 0.0);
    if text_button(ui, at, None, "Cancel", false).clicked() {
        cx.send(Action::CloseDialog);
    }
}

/// One worked request: title, model, parts and modes. Returns whether it was chosen.
fn card_ui(ui: &mut Ui, cx: &Scene<'_>, rect: Rect, example: &PlanRequest) -> bool {
    let t = Tokens::of(ui);
    let title = example.title.as_deref().unwrap_or(&example.model);
    let response = ui.interact(rect, ui.scope_id().with(("start", title)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Button, true, title));
    let (fill, edge) = if response.hovered() {
        (t.hover, t.line_strong)
    } else {
        (t.panel, t.line)
    };
    card(ui, rect, fill, edge);
    let line = |y: f32| {
        Rect::from_min_max(
            pos2(rect.left() + 12.0, rect.top() + y - 9.0),
            pos2(rect.right() - 12.0, rect.top() + y + 9.0),
        )
    };
    let painter = ui.painter();
    paint_in(
        painter,
        line(18.0),
        Align2::LEFT_CENTER,
        title,
        Role::Section,
        t.strong,
    );
    let entry = cx.backend.model(&example.model);
    let summary = entry.map_or_else(
        || example.model.clone(),
        |m| {
            format!(
                "{}, {}",
                m.label,
                m.summary.split(", operators").next().unwrap_or_default()
            )
        },
    );
    paint_in(
        painter,
        line(36.0),
        Align2::LEFT_CENTER,
        &summary,
        Role::Body,
        t.text,
    );
    let what = parts_of(cx, example);
    paint_in(
        painter,
        line(54.0),
        Align2::LEFT_CENTER,
        &what,
        Role::Caption,
        t.sub,
    );
    focus_ring(ui, &response, size::RADIUS);
    response.clicked()
}

/// `8–64 × H100, H200 or B200, 5 modes`.
fn parts_of(cx: &Scene<'_>, example: &PlanRequest) -> String {
    let first = |name: &String| {
        let label = cx.backend.accelerator(name).map(|a| a.label.clone());
        let label = label.unwrap_or_else(|| name.clone());
        label.split(' ').next().unwrap_or_default().to_owned()
    };
    let mut names: Vec<String> = example.accelerators.iter().map(first).collect();
    names.dedup();
    let more = names.len().saturating_sub(3);
    names.truncate(3);
    let mut parts = names.join(", ");
    if more > 0 {
        parts.push_str(&format!(" and {more} more"));
    }
    let (low, high) = (
        example.counts.iter().min().copied().unwrap_or(1),
        example.counts.iter().max().copied().unwrap_or(1),
    );
    let parts = if low == high {
        devices_of(low, &parts)
    } else {
        format!("{low}–{high}\u{202F}×\u{202F}{parts}")
    };
    format!("{parts}, {} precision modes", example.precisions.len())
}
