//! Beside a comparison that leaves room: what else could stand in it, one click away.

use super::scene::{Scene, cached, figures_of, key_of, title_of};
use crate::gui::command::Action;
use crate::gui::state::MOST_PINS;
use crate::gui::theme::{Icon, Role, Tokens, paint_icon, size};
use crate::gui::widgets::{focus_ring, heading, label_at, paint, paint_in, width_of};
use crate::planner::{Combination, Plan};
use egui::{Align2, Rect, Sense, Ui, WidgetInfo, accesskit, pos2, vec2};

/// With less room than this nothing is offered.
const LEAST: f32 = 300.0;
/// Offers take no more than this.
const WIDEST: f32 = 520.0;
/// Height of an offer.
const ROW: f32 = 46.0;

/// Draws the answers, the pinned runs in another mode and the points of the front that are not pinned yet, as many as there is room for.
pub fn more_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>, plan: &Plan) {
    if area.width() < LEAST || cx.tab.pinned.len() >= MOST_PINS {
        return;
    }
    let offers = offers_of(ui, cx, plan);
    if offers.is_empty() {
        return;
    }
    let t = Tokens::of(ui);
    let area = area.with_max_x(area.right().min(area.left() + WIDEST));
    let at = pos2(area.left() + 10.0, area.top() + 18.0);
    let head = heading(ui, at, "Add to the comparison", Role::Section, t.strong);
    label_at(
        ui,
        head.right_center() + vec2(8.0, 0.0),
        Align2::LEFT_CENTER,
        "answers, another mode, Pareto front",
        Role::Caption,
        t.sub,
    );
    let fit = ((area.height() - 44.0) / ROW).max(0.0) as usize;
    for (i, (name, index)) in offers.into_iter().take(fit).enumerate() {
        let top = area.top() + 36.0 + i as f32 * ROW;
        let place = Rect::from_min_size(pos2(area.left(), top), vec2(area.width(), ROW - 4.0));
        offer_ui(ui, place, cx, plan, (name, index));
    }
}

/// Each once: the answers by their names, the pinned ones in the mode most people would use instead, then the front.
fn offers_of(ui: &Ui, cx: &Scene<'_>, plan: &Plan) -> Vec<(&'static str, usize)> {
    let [fastest, cheapest, within, greenest] = plan.named_answers(cx.tab.rows.outlook.as_ref());
    let named = [within, cheapest, fastest, greenest].into_iter();
    let named = named.filter_map(|answer| Some((answer.name, answer.index?)));
    // Looked for among every combination, so not in every frame.
    let stamp = cx.tab.done.as_ref().map_or(0, |done| done.stamp);
    let key = key_of(&(cx.tab.id, stamp, &cx.tab.pinned));
    let instead = cached(ui, "instead", key, || -> Vec<usize> {
        let other = |at: &usize| plan.alternative(plan.combinations.get(*at)?);
        let others = cx.tab.pinned.iter().filter_map(other);
        let place = |c: &Combination| plan.combinations.iter().position(|o| std::ptr::eq(o, c));
        others.filter_map(place).collect()
    });
    let instead = instead.iter().map(|at| ("Another mode", *at));
    let front = plan.pareto.iter().map(|i| ("Pareto front", *i));
    let mut out: Vec<(&'static str, usize)> = Vec::new();
    for offer in named.chain(instead).chain(front) {
        if !cx.tab.pinned.contains(&offer.1) && !out.iter().any(|o| o.1 == offer.1) {
            out.push(offer);
        }
    }
    out
}

fn offer_ui(
    ui: &mut Ui,
    place: Rect,
    cx: &mut Scene<'_>,
    plan: &Plan,
    (name, index): (&str, usize),
) {
    let t = Tokens::of(ui);
    let found = plan.combinations.get(index);
    let Some((c, run)) = found.and_then(|c| Some((c, c.run()?))) else {
        return;
    };
    let title = title_of(cx, c);
    let id = ui.scope_id().with(("offer", index));
    let response = ui.interact(place, id, Sense::click());
    response
        .widget_info(|| WidgetInfo::labeled(accesskit::Role::Button, true, format!("Pin {title}")));
    if response.hovered() {
        ui.painter().rect_filled(place, size::RADIUS, t.hover);
    }
    let y = place.center().y;
    let left = place.left() + 10.0;
    cx.paint_mark(ui.painter(), pos2(left + 6.0, y - 9.0), 4.8, c, t);
    let ink = if response.hovered() { t.accent } else { t.sub };
    let pin = pos2(place.right() - 16.0, y);
    paint_icon(ui.painter(), pin, Icon::Pin, ink, 0.9);
    let tag = width_of(ui.painter(), name, Role::Caption);
    let at = pos2(pin.x - 18.0, y - 9.0);
    paint(
        ui.painter(),
        at,
        Align2::RIGHT_CENTER,
        name,
        Role::Caption,
        t.sub,
    );
    let line = |dy: f32, right: f32| {
        Rect::from_min_max(pos2(left + 20.0, y + dy - 9.0), pos2(right, y + dy + 9.0))
    };
    let room = line(-9.0, at.x - tag - 10.0);
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        &title,
        Role::Body,
        t.strong,
    );
    let figures = figures_of(run);
    let room = line(9.0, pin.x - 18.0);
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        &figures,
        Role::Caption,
        t.text,
    );
    focus_ring(ui, &response, size::RADIUS);
    if response.clicked() {
        cx.send(Action::TogglePin(index));
    }
}
