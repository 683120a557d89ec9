//! The four answers as cards: what each is about, its time, its cost, how sure it is, and which combination it is.

use super::answer_words;
use super::scene::{Scene, cached, key_of, short_label};
use crate::format;
use crate::gui::theme::{Icon, Role, Tokens, paint_icon, size};
use crate::gui::widgets::{card, focus_ring, paint, paint_in, paint_rows, paint_value, width_of};
use crate::planner::{Answer, Combination, Plan, PredictedRun};
use crate::units::{KgCo2e, KilowattHours};
use egui::{Align2, Rect, Sense, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Cards with less room than this inside drop small words.
const NARROW_CARD: f32 = 150.0;
/// Of the answers, in their order.
const ICONS: [Icon; 4] = [Icon::Bolt, Icon::Coin, Icon::Target, Icon::Leaf];
/// With so much room inside all that a card says fits beside each other.
const ROOMY: f32 = 224.0;
/// Height of a card.
const HEIGHT: f32 = 72.0;
/// The same where a line of its own is needed for what stands beside the others.
const TALL: f32 = 92.0;

/// Draws the cards at the top of an area; returns the y below them.
pub fn cards_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>, plan: &Plan) -> f32 {
    let outlook = cx.tab.rows.outlook;
    let cards = plan.named_answers(outlook.as_ref());
    let width = (area.width() - 24.0) / 4.0;
    // Every combination may be looked at for them, so not in every frame.
    let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
    let key = key_of(&(cx.tab.id, stamp));
    let words = cached(ui, "answer-words", key, || {
        let outlook = outlook.as_ref();
        let words = |i| answer_words::meaning(plan, outlook, i);
        [0, 1, 2, 3].map(|i| (words(i), answer_words::none(plan, outlook, i)))
    });
    // The selection may be several answers at once: the most specific card that names it is lit.
    let lit = [2, 1, 0, 3]
        .into_iter()
        .find(|i| cx.tab.selected.is_some() && cards[*i].index == cx.tab.selected);
    // Where a name and its interval, or time and cost, may have no room beside each other, every card has a line more. The
    // room alone decides, not the figures: what lies below must not move when they change.
    let is_tight = width - 2.0 * side(width) < ROOMY;
    let height = if is_tight { TALL } else { HEIGHT };
    for (i, Answer { name, index, .. }) in cards.into_iter().enumerate() {
        let left = area.left() + i as f32 * (width + 8.0);
        let rect = Rect::from_min_size(pos2(left, area.top()), vec2(width, height));
        let combination = index.and_then(|i| plan.combinations.get(i));
        let said = (ICONS[i], name, i, &words[i].1);
        card_ui(ui, rect, cx, said, combination, (lit == Some(i), is_tight));
        let (meaning, none) = &words[i];
        if combination.is_none() {
            let response = ui.interact(rect, ui.scope_id().with(("card", i)), Sense::hover());
            let (what, way) = none;
            let text = format!("{name}: {what}. {way}");
            response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, &text));
            response.on_hover_text(format!("{meaning}. {way}"));
            continue;
        }
        let run = combination.and_then(|c| c.run());
        let figures = run.map_or_else(String::new, |run| whole_text(run, i));
        let response = ui
            .interact(rect, ui.scope_id().with(("card", i)), Sense::click())
            .on_hover_text(format!("{figures}\n{meaning}"));
        response.widget_info(|| {
            WidgetInfo::selected(accesskit::Role::Button, true, lit == Some(i), name)
        });
        focus_ring(ui, &response, size::RADIUS);
        if let Some(index) = index {
            cx.hover(index, response.hovered());
        }
        if let (true, Some(index)) = (response.clicked(), index) {
            cx.pick(ui.ctx(), index);
        }
    }
    area.top() + height
}

/// Room at the sides of a card.
fn side(width: f32) -> f32 {
    if width < NARROW_CARD + 10.0 {
        7.0
    } else {
        10.0
    }
}

/// What the n-th card is about, and what stands beside it: time and cost in each of them.
fn figures(run: &PredictedRun, place: usize, is_tight: bool) -> (String, String) {
    let time = format::hours(run.total_time_h.value);
    match place {
        0 => (time, run.cost_text()),
        3 => (
            least_text(run, is_tight),
            format!("{time}, {}", run.cost_text()),
        ),
        _ => (run.cost_text(), time),
    }
}

/// Every figure of the n-th card, of which it may have no room for all.
fn whole_text(run: &PredictedRun, place: usize) -> String {
    let (value, beside) = figures(run, place, false);
    format!("{value}, {beside}, {}", run.interval_text())
}

/// Emissions, or the energy where they are not known; of what, the name of a tight card says already.
fn least_text(run: &PredictedRun, is_tight: bool) -> String {
    let energy = || {
        run.energy_kwh
            .map(|e| format::energy(KilowattHours(e.value)))
    };
    let of = if is_tight { "" } else { " CO₂e" };
    let emissions = run
        .co2e_kg
        .map(|kg| format!("{}{of}", format::emissions(KgCo2e(kg))));
    format::known(emissions.or_else(energy))
}

fn card_ui(
    ui: &mut Ui,
    rect: Rect,
    cx: &Scene<'_>,
    (icon, name, place, none): (Icon, &str, usize, &(String, String)),
    combination: Option<&Combination>,
    (lit, is_tight): (bool, bool),
) {
    let t = Tokens::of(ui);
    let (fill, edge) = if lit {
        (t.sel, t.sel_line)
    } else {
        (t.raised, t.line)
    };
    card(ui, rect, fill, edge);
    let inner = rect.shrink2(vec2(side(rect.width()), 0.0));
    let y = rect.top() + 16.0;
    paint_icon(ui.painter(), pos2(inner.left() + 7.0, y), icon, t.sub, 0.85);
    let Some((c, run)) = combination.and_then(|c| Some((c, c.run()?))) else {
        paint(
            ui.painter(),
            pos2(inner.left() + 20.0, y),
            Align2::LEFT_CENTER,
            name,
            Role::Caption,
            t.sub,
        );
        let (what, way) = none;
        let place = inner.with_min_y(y + 12.0);
        let rect = paint_rows(ui.painter(), place, 1, what, Role::Body, t.text);
        let place = inner.with_min_y(rect.bottom() + 2.0);
        paint_rows(ui.painter(), place, 2, way, Role::Caption, t.sub);
        return;
    };
    let is_likely = place == 2 && cx.tab.rows.outlook.is_some();
    let (value, beside) = figures(run, place, is_tight);
    let line = |y: f32| {
        let middle = rect.top() + y;
        Rect::from_min_max(
            pos2(inner.left(), middle - 8.0),
            pos2(inner.right(), middle + 8.0),
        )
    };
    let wide = |text: &str| width_of(ui.painter(), text, Role::Caption);
    // Both sides of an uneven interval, with one sign of percent where there is little room for them: in every card of a tight
    // row, for cards beside one another have one form.
    let sure = run.interval_text();
    let beside_it = wide(name) + 24.0;
    let sure = if !is_tight && beside_it + wide(&sure) + 6.0 <= inner.width() {
        sure
    } else {
        run.interval_short()
    };
    let room_below = inner.width() - wide(&beside) - wide(&sure) - 6.0;
    let room_above =
        |role| inner.width() - width_of(ui.painter(), &value, role) - wide(&sure) - 6.0;
    // Where the interval fits nowhere else, the figure gives it room.
    let gives = is_tight && room_below < 0.0 && room_above(Role::Card) < 0.0;
    let role = if gives { Role::Column } else { Role::Card };
    let big = paint_value(
        ui.painter(),
        line(36.0).left_center(),
        Align2::LEFT_CENTER,
        &value,
        role,
        (t.strong, t.strong),
    );
    // The interval stands beside the name; in a tight card beside what is on the line more, or beside the figure above it.
    let below = room_below >= 0.0 || room_above(role) < 0.0;
    let y = match (is_tight, below) {
        (false, _) => 16.0,
        (true, true) => 56.0,
        (true, false) => 38.0,
    };
    let at = line(y).right_center();
    let end = paint(
        ui.painter(),
        at,
        Align2::RIGHT_CENTER,
        &sure,
        Role::Caption,
        t.sub,
    );
    let mut room = line(16.0).with_min_x(inner.left() + 20.0);
    if !is_tight {
        room.max.x = end.left() - 4.0;
    }
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        name,
        Role::Caption,
        // An answer that is not certain must not look like one that is.
        if is_likely { t.warn } else { t.sub },
    );
    let room = match (is_tight, below) {
        (false, _) => line(38.0).with_min_x(big.right() + 8.0),
        (true, true) => line(56.0).with_max_x(end.left() - 6.0),
        (true, false) => line(56.0),
    };
    let fits = |role| width_of(ui.painter(), &beside, role) <= room.width();
    let role = if fits(Role::Body) && !is_tight {
        Role::Body
    } else {
        Role::Caption
    };
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        &beside,
        role,
        t.text,
    );
    let y = rect.bottom() - 15.0;
    let device = cx.plan().map_or(c.accelerator.label.as_str(), |p| {
        short_label(p, &c.accelerator.label)
    });
    let (mode, devices) = (c.mode.label(), format::devices(c.count, device));
    let width = |role| width_of(ui.painter(), mode, role) + width_of(ui.painter(), &devices, role);
    // What an answer is must be read whole, in smaller letters if need be.
    let role = if width(Role::Body) + 24.0 > inner.width() {
        Role::Caption
    } else {
        Role::Body
    };
    // Its mark gives way to the name, which says the same.
    let has_mark = width(role) + 24.0 <= inner.width();
    if has_mark {
        cx.paint_mark(ui.painter(), pos2(inner.left() + 6.0, y), 4.8, c, t);
    }
    let indent = if has_mark { 18.0 } else { 0.0 };
    let at = pos2(inner.left() + indent, y);
    let x = paint(ui.painter(), at, Align2::LEFT_CENTER, mode, role, t.strong).right();
    // A narrow card has no room for the small word.
    let x = if inner.width() < NARROW_CARD {
        x
    } else {
        let at = pos2(x + 6.0, y);
        paint(ui.painter(), at, Align2::LEFT_CENTER, "on", role, t.sub).right()
    };
    let room = Rect::from_min_max(pos2(x + 6.0, y - 9.0), pos2(inner.right(), y + 9.0));
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        &devices,
        role,
        t.strong,
    );
}
