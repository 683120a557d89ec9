//! The start page: worked requests for the common cases, a file, or one of the recent files.

use super::blank as blank_ui;
use super::menus::recent_ui;
use super::scene::Scene;
use crate::format;
use crate::gui::blank;
use crate::gui::command::{Action, UiCommand};
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{
    Lines, card, focus_ring, in_window, label_at, paint_in, text_button, walk_grid, width_of,
};
use crate::planner::PlanRequest;
use egui::{
    Align2, Frame, Id, Modal, Rect, Response, Sense, Ui, WidgetInfo, accesskit, pos2, vec2,
};

/// Width of the page.
const WIDTH: f32 = 640.0;
/// Cards beside each other.
const COLUMNS: usize = 2;
/// Height of a card.
const CARD: f32 = 72.0;

/// Draws the start page while it is open.
pub fn start_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    if !cx.state.start_page {
        ui.data_mut(|d| d.remove::<bool>(entered()));
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
        "Each opens in a tab of its own. Change what differs.",
        Role::Body,
        t.sub,
    );
    let width = (WIDTH - 8.0) / 2.0;
    let offers = offers_of(cx);
    let mut cards = Vec::with_capacity(offers.len());
    for (row_of, pair) in offers.chunks(COLUMNS).enumerate() {
        let (row, _) = ui.allocate_exact_size(vec2(WIDTH, CARD + 8.0), Sense::hover());
        for (i, offer) in pair.iter().enumerate() {
            let left = row.left() + i as f32 * (width + 8.0);
            let card = Rect::from_min_size(pos2(left, row.top()), vec2(width, CARD));
            let response = card_ui(ui, card, offer);
            // A dialog is laid out unseen at first, when nothing in it takes the keyboard.
            let is_entered = ui.data(|d| d.get_temp(entered())).unwrap_or(false);
            if (row_of, i) == (0, 0) && !is_entered {
                let has = response.has_focus();
                response.request_focus();
                ui.data_mut(|d| d.insert_temp(entered(), has));
                ui.ctx().request_repaint();
            }
            if response.clicked() {
                cx.send(Action::CloseDialog);
                cx.send(Action::NewFrom(Box::new(offer.request.clone())));
                if blank::lacks(&offer.request).is_some() {
                    cx.send(Action::GoTo(blank_ui::FIRST));
                }
            }
            cards.push(response);
        }
    }
    walk_grid(ui, &cards, COLUMNS);
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

/// Whether the keyboard came into the page since it was opened.
fn entered() -> Id {
    Id::unique("start-page-entered")
}

/// A request to start from, with the words on its card; the last one stands for several lengths, the longest first.
struct Offer {
    request: PlanRequest,
    title: String,
    summary: String,
    parts: Vec<String>,
}

/// The worked requests, the plan that is shown once more, and one with nothing chosen.
fn offers_of(cx: &Scene<'_>) -> Vec<Offer> {
    let examples = cx.backend.examples();
    let mut offers: Vec<Offer> = examples.iter().map(|e| worked(cx, e)).collect();
    let whole = cx
        .tab
        .request
        .as_ref()
        .filter(|r| blank::lacks(r).is_none());
    if let Some(request) = whole {
        offers.push(Offer {
            title: "Duplicate this plan".to_owned(),
            summary: format!("{}, as it stands now", cx.tab.title()),
            ..worked(cx, request)
        });
    }
    offers.push(Offer {
        title: "Blank plan".to_owned(),
        summary: "Nothing chosen, no limits".to_owned(),
        parts: vec!["You are asked for model, accelerators and amount".to_owned()],
        request: blank::request(),
    });
    offers
}

fn worked(cx: &Scene<'_>, example: &PlanRequest) -> Offer {
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
    let title = example.title.clone();
    Offer {
        request: example.clone(),
        title: title.unwrap_or_else(|| example.model.clone()),
        summary,
        parts: [3, 2, 1].map(|most| parts_of(cx, example, most)).to_vec(),
    }
}

/// A card: title, model, parts and modes.
fn card_ui(ui: &mut Ui, rect: Rect, offer: &Offer) -> Response {
    let t = Tokens::of(ui);
    let title = offer.title.as_str();
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
    let room = line(54.0).width();
    // Fewer names rather than half a line.
    let fits = |text: &&String| width_of(painter, text, Role::Caption) <= room;
    let parts = offer.parts.iter().find(fits).or(offer.parts.last());
    let lines = [
        (18.0, title, Role::Section, t.strong),
        (36.0, offer.summary.as_str(), Role::Body, t.text),
        (54.0, parts.map_or("", String::as_str), Role::Caption, t.sub),
    ];
    for (y, text, role, color) in lines {
        paint_in(painter, line(y), Align2::LEFT_CENTER, text, role, color);
    }
    focus_ring(ui, &response, size::RADIUS);
    response
}

/// `8–64 × H100, H200 or B200, 5 modes`.
fn parts_of(cx: &Scene<'_>, example: &PlanRequest, most: usize) -> String {
    let first = |name: &String| {
        let label = cx.backend.accelerator(name).map(|a| a.label.clone());
        let label = label.unwrap_or_else(|| name.clone());
        label.split(' ').next().unwrap_or_default().to_owned()
    };
    let mut names: Vec<String> = example.accelerators.iter().map(first).collect();
    names.dedup();
    let more = names.len().saturating_sub(most);
    names.truncate(most);
    let mut parts = names.join(", ");
    if more > 0 {
        parts.push_str(&format!(" and {more} more"));
    }
    let (low, high) = (
        example.counts.iter().min().copied().unwrap_or(1),
        example.counts.iter().max().copied().unwrap_or(1),
    );
    let parts = if low == high {
        format::devices(low, &parts)
    } else {
        format!("{low}–{high}\u{202F}×\u{202F}{parts}")
    };
    match example.precisions.len() {
        1 => format!("{parts}, one precision mode"),
        n => format!("{parts}, {n} precision modes"),
    }
}
