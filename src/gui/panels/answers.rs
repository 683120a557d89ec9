//! The headline in words, what the alternative costs, and the four answers as cards.

use super::scene::{Scene, cached, cost_text, devices_of, key_of, short_label};
use super::{answer_words, limit_words};
use crate::domain::PrecisionMode;
use crate::format;
use crate::gui::theme::{Icon, Role, Tokens, paint_icon, size};
use crate::gui::widgets::{card, focus_ring, paint, paint_in, paint_rows, paint_value, width_of};
use crate::planner::{Combination, Plan, PredictedRun};
use crate::units::{KgCo2e, KilowattHours, Usd};
use egui::{Align2, Rect, Sense, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Intervals that differ by less than this share of the time are equally sure.
const SURER: f64 = 0.025;
/// Cards with less room than this inside drop small words.
const NARROW_CARD: f32 = 150.0;
/// Height of headline and sentence. The same whether the sentence takes one line or two: what lies below must not move
/// when another combination is selected.
const WORDS: f32 = 60.0;

/// Draws headline and cards; returns the y below them.
pub fn answers_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) -> f32 {
    let Some(plan) = cx.plan() else {
        return area.top();
    };
    let (text_area, cards) = if cx.wide {
        let cut = area.right() - (area.width() * 0.545).max(780.0);
        (
            Rect::from_min_max(area.min, pos2(cut - 12.0, area.top() + 84.0)),
            Rect::from_min_max(
                pos2(cut, area.top() + 4.0),
                pos2(area.right(), area.top() + 76.0),
            ),
        )
    } else {
        let text = Rect::from_min_max(area.min, pos2(area.right(), area.top() + WORDS));
        let cards = Rect::from_min_max(
            pos2(area.left(), area.top() + WORDS + 6.0),
            pos2(area.right(), area.top() + WORDS + 78.0),
        );
        (text, cards)
    };
    let top = if cx.wide { 12.0 } else { 0.0 };
    words_ui(ui, text_area.translate(vec2(0.0, top)), cx);
    cards_ui(ui, cards, cx, plan);
    cards.bottom()
}

/// Draws the headline and the sentence under it at the top of an area; returns the y below them.
pub fn words_ui(ui: &mut Ui, area: Rect, cx: &Scene<'_>) -> f32 {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else {
        return area.top();
    };
    let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
    let key = key_of(&(cx.tab.id, stamp, cx.tab.selected));
    let words = cached(ui, "headline", key, || words(cx, plan));
    let (title, sentence) = (&words.0, &words.1);
    let line = |y: f32, height: f32| {
        Rect::from_center_size(
            pos2(area.center().x, area.top() + y),
            vec2(area.width(), height),
        )
    };
    // A long headline is set smaller rather than cut.
    let fits = width_of(ui.painter(), title, Role::Headline) <= area.width();
    let role = if fits { Role::Headline } else { Role::Title };
    let rect = paint_in(
        ui.painter(),
        line(16.0, 26.0),
        Align2::LEFT_CENTER,
        title,
        role,
        t.strong,
    );
    let id = ui.scope_id().with("headline");
    let response = ui.interact(rect, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Heading, true, title));
    let fits = |role: &Role| width_of(ui.painter(), sentence, *role) <= area.width();
    let rect = if let Some(role) = [Role::Sentence, Role::Body].into_iter().find(fits) {
        paint_in(
            ui.painter(),
            line(41.0, 18.0),
            Align2::LEFT_CENTER,
            sentence,
            role,
            t.text,
        )
    } else {
        // The doubt stands at the end of the sentence: a longer one takes two lines rather than lose it.
        let rows = area.with_min_y(area.top() + 31.0);
        paint_rows(ui.painter(), rows, 2, sentence, Role::Body, t.text)
    };
    let response = ui.interact(rect, id.with(1), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, sentence));
    // What is there in full must not be told once more, over the cards.
    if width_of(ui.painter(), sentence, Role::Body) > 1.9 * area.width() {
        response.on_hover_text(sentence);
    }
    area.top() + WORDS - 2.0
}

/// Headline and the sentence under it.
fn words(cx: &Scene<'_>, plan: &Plan) -> (String, String) {
    let Some((_, c, run)) = cx.selection() else {
        return (
            "Select a combination to see its figures".to_owned(),
            String::new(),
        );
    };
    let device = devices_of(c.count, short_label(plan, &c.accelerator.label));
    let cost = run.cost_usd.map_or_else(
        || ", price unknown".to_owned(),
        |cost| format!(" for {}", format::money(Usd(cost.value))),
    );
    let title = format!(
        "{} on {device} finishes in {}{cost}, {}",
        c.mode.label(),
        format::hours(run.total_time_h.value),
        format::half_width(run.prediction.step_time.half_width()),
    );
    if let (Some(outlook), Some(index)) = (&cx.tab.rows.outlook, cx.tab.selected) {
        return limit_words::headline(plan, outlook, (index, c, run), title);
    }
    let sentence = alternative(plan, c)
        .and_then(|other| Some(compare(c, run, other, other.run()?)))
        .unwrap_or_else(|| {
            format!(
                "{}. Nothing else of this request runs on the same nodes.",
                run.layout
            )
        });
    (title, sentence)
}

/// The mode most people would use instead on the same nodes.
fn alternative<'p>(plan: &'p Plan, c: &Combination) -> Option<&'p Combination> {
    use PrecisionMode::{AmpBf16, AmpFp16, Bf16, Fp8, Fp16, Fp32, Mxfp8, Tf32};
    [AmpBf16, AmpFp16, Fp8, Bf16, Fp16, Tf32, Mxfp8, Fp32]
        .into_iter()
        .filter(|m| *m != c.mode)
        .find_map(|mode| {
            plan.combinations.iter().find(|o| {
                o.mode == mode
                    && o.count == c.count
                    && o.accelerator.name == c.accelerator.name
                    && o.run().is_some()
            })
        })
}

/// Says the comparison, then the doubt.
fn compare(
    c: &Combination,
    run: &PredictedRun,
    other: &Combination,
    there: &PredictedRun,
) -> String {
    let ratio = there.total_time_h.value / run.total_time_h.value;
    let time = if ratio >= 1.005 {
        format!("takes {} as long", format::ratio(ratio))
    } else if ratio <= 0.995 {
        format!("needs {} of the time", format::percent(ratio))
    } else {
        "takes as long".to_owned()
    };
    let money = match (run.cost_usd, there.cost_usd) {
        (Some(a), Some(b)) if (b.value - a.value).abs() >= 0.5 => {
            let difference = format::money(Usd((b.value - a.value).abs()));
            let word = if b.value > a.value { "more" } else { "less" };
            format!(" and costs {difference} {word}")
        }
        (Some(_), Some(_)) => " at the same cost".to_owned(),
        _ => String::new(),
    };
    let (mine, theirs) = (
        run.prediction.step_time.half_width(),
        there.prediction.step_time.half_width(),
    );
    let sure = if theirs < mine - SURER {
        format!(
            ", but is the surer figure at {}",
            format::half_width(theirs)
        )
    } else if theirs > mine + SURER {
        format!(", and is less sure at {}", format::half_width(theirs))
    } else {
        String::new()
    };
    let nodes = if c.nodes > 1 {
        "the same nodes"
    } else {
        "the same node"
    };
    format!("{} on {nodes} {time}{money}{sure}.", other.mode.label())
}

fn cards_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>, plan: &Plan) {
    let request = &plan.request;
    let outlook = cx.tab.rows.outlook;
    let likely = outlook.and_then(|o| o.likeliest);
    let within = match (request.budget_usd, request.deadline_h, request.limits_set()) {
        _ if likely.is_some() => limit_words::likely_name(plan),
        (Some(_), None, 1) => "In budget",
        (None, Some(_), 1) => "On time",
        (Some(_), Some(_), 2) => "In both limits",
        _ => "Within limits",
    };
    let cards = [
        (Icon::Bolt, "Fastest".to_owned(), plan.answers.fastest),
        (Icon::Coin, "Cheapest".to_owned(), plan.answers.cheapest),
        (
            Icon::Target,
            within.to_owned(),
            plan.answers.within_limits.or(likely),
        ),
        (
            Icon::Leaf,
            plan.greenest_name().to_owned(),
            plan.answers.greenest,
        ),
    ];
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
        .find(|i| cx.tab.selected.is_some() && cards[*i].2 == cx.tab.selected);
    // Beside a name that would be cut there is no room for how sure it is; then none says it.
    let room = width - 2.0 * 10.0 - 24.0 - width_of(ui.painter(), "±99\u{202F}%", Role::Caption);
    let sure = (cards.iter()).all(|c| width_of(ui.painter(), &c.1, Role::Caption) <= room);
    for (i, (icon, name, index)) in cards.into_iter().enumerate() {
        let left = area.left() + i as f32 * (width + 8.0);
        let rect = Rect::from_min_size(pos2(left, area.top()), vec2(width, area.height()));
        let combination = index.and_then(|i| plan.combinations.get(i));
        let said = (icon, name.as_str(), i, &words[i].1);
        card_ui(ui, rect, cx, said, combination, (lit == Some(i), sure));
        let (meaning, none) = &words[i];
        if combination.is_none() {
            let response = ui.interact(rect, ui.scope_id().with(("card", i)), Sense::hover());
            let (what, way) = none;
            let text = format!("{name}: {what}. {way}");
            response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, &text));
            response.on_hover_text(format!("{meaning}. {way}"));
            continue;
        }
        let response = ui
            .interact(rect, ui.scope_id().with(("card", i)), Sense::click())
            .on_hover_text(meaning);
        response.widget_info(|| {
            WidgetInfo::selected(accesskit::Role::Button, true, lit == Some(i), &name)
        });
        focus_ring(ui, &response, size::RADIUS);
        if let Some(index) = index {
            cx.hover(index, response.hovered());
        }
        if let (true, Some(index)) = (response.clicked(), index) {
            cx.pick(ui.ctx(), index);
        }
    }
}

fn card_ui(
    ui: &mut Ui,
    rect: Rect,
    cx: &Scene<'_>,
    (icon, name, place, none): (Icon, &str, usize, &(String, String)),
    combination: Option<&Combination>,
    (lit, is_sure_told): (bool, bool),
) {
    let t = Tokens::of(ui);
    let (fill, edge) = if lit {
        (t.sel, t.sel_line)
    } else {
        (t.raised, t.line)
    };
    card(ui, rect, fill, edge);
    let side = if rect.width() < NARROW_CARD + 10.0 {
        7.0
    } else {
        10.0
    };
    let inner = rect.shrink2(vec2(side, 0.0));
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
    let sure = if is_sure_told {
        format::half_width(run.prediction.step_time.half_width())
    } else {
        String::new()
    };
    let right = paint(
        ui.painter(),
        pos2(inner.right(), y),
        Align2::RIGHT_CENTER,
        &sure,
        Role::Caption,
        t.sub,
    );
    let room = Rect::from_min_max(
        pos2(inner.left() + 20.0, y - 8.0),
        pos2(right.left() - 4.0, y + 8.0),
    );
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        name,
        Role::Caption,
        // An answer that is not certain must not look like one that is.
        if is_likely { t.warn } else { t.sub },
    );
    let time = format::hours(run.total_time_h.value);
    let (value, beside) = match place {
        0 => (time, cost_text(run)),
        3 => (
            run.co2e_kg.map_or_else(
                || {
                    run.energy_kwh.map_or_else(
                        || "—".to_owned(),
                        |e| format::energy(KilowattHours(e.value)),
                    )
                },
                |kg| format!("{} CO₂e", format::emissions(KgCo2e(kg))),
            ),
            time,
        ),
        _ => (cost_text(run), time),
    };
    let y = rect.top() + 36.0;
    let big = paint_value(
        ui.painter(),
        pos2(inner.left(), y),
        Align2::LEFT_CENTER,
        &value,
        Role::Card,
        (t.strong, t.strong),
    );
    let room = Rect::from_min_max(
        pos2(big.right() + 8.0, y - 7.0),
        pos2(inner.right(), y + 11.0),
    );
    let role = if width_of(ui.painter(), &beside, Role::Body) <= room.width() {
        Role::Body
    } else {
        Role::Caption
    };
    if width_of(ui.painter(), &beside, role) <= room.width() {
        paint_in(
            ui.painter(),
            room,
            Align2::LEFT_CENTER,
            &beside,
            role,
            t.text,
        );
    }
    let y = rect.top() + 57.0;
    cx.paint_mark(ui.painter(), pos2(inner.left() + 6.0, y), 4.8, c, t);
    let device = cx.plan().map_or(c.accelerator.label.as_str(), |p| {
        short_label(p, &c.accelerator.label)
    });
    let (mode, devices) = (c.mode.label(), devices_of(c.count, device));
    let width = |role| width_of(ui.painter(), mode, role) + width_of(ui.painter(), &devices, role);
    // What an answer is must be read whole, in smaller letters if need be.
    let role = if width(Role::Body) + 24.0 > inner.width() {
        Role::Caption
    } else {
        Role::Body
    };
    let at = pos2(inner.left() + 18.0, y);
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
