//! The headline in words, what the alternative costs, and the four answers as cards.

use super::answer_cards;
use super::scene::{Scene, cached, figures_of, key_of, short_label};
use crate::format;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{paint_in, paint_rows, width_of};
use crate::planner::{Combination, Plan, PriceUsed, Standing};
use egui::{Align2, Rect, Sense, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Height of headline and sentence. The same whether the sentence takes one line or two: what lies below must not move
/// when another combination is selected.
const WORDS: f32 = 60.0;

/// What headline and cards take where there is one column of them.
pub const TALLEST: f32 = WORDS + 6.0 + answer_cards::TALL;

/// Draws headline and cards, or the headline alone; returns the y below them.
pub fn answers_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>, with_cards: bool) -> f32 {
    let Some(plan) = cx.plan() else {
        return area.top();
    };
    let (text_area, cards) = if cx.wide {
        let cut = area.right() - (area.width() * 0.545).max(780.0);
        (
            Rect::from_min_max(area.min, pos2(cut - 12.0, area.top() + 84.0)),
            Rect::from_min_max(
                pos2(cut, area.top() + 4.0),
                pos2(area.right(), area.bottom()),
            ),
        )
    } else {
        let text = Rect::from_min_max(area.min, pos2(area.right(), area.top() + WORDS));
        let cards = Rect::from_min_max(pos2(area.left(), area.top() + WORDS + 6.0), area.max);
        (text, cards)
    };
    let top = if cx.wide { 12.0 } else { 0.0 };
    words_ui(ui, text_area.translate(vec2(0.0, top)), cx);
    if !with_cards {
        return area.top() + WORDS;
    }
    answer_cards::cards_ui(ui, cards, cx, plan)
}

/// Draws the headline and the sentence under it at the top of an area; returns the y below them.
pub fn words_ui(ui: &mut Ui, area: Rect, cx: &Scene<'_>) -> f32 {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else {
        return area.top();
    };
    let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
    let key = key_of(&(cx.tab.id, stamp, cx.tab.selected));
    let words = cached(ui, "headline", key, || {
        let (titles, sentence) = words(cx, plan);
        let supposed = plan.supposed();
        let supposed = supposed.map_or_else(String::new, |what| format!("What if: {what}. "));
        (titles, supposed + &sentence)
    });
    let (titles, sentence) = (&words.0, &words.1);
    // What is beyond a limit, for certain or likely, must not look like what is not.
    let standing = cx.selection().and_then(|(_, _, run)| plan.standing(run));
    let is_risky = standing.is_some_and(|standing| standing != Standing::Within);
    // Nor must what is supposed look like what is.
    let ink = if is_risky || plan.supposed().is_some() {
        t.warn
    } else {
        t.text
    };
    let line = |y: f32, height: f32| {
        Rect::from_center_size(
            pos2(area.center().x, area.top() + y),
            vec2(area.width(), height),
        )
    };
    // A long headline is set smaller, or said shorter, rather than cut: its interval stands at the end.
    let all = [Role::Headline, Role::Title].into_iter();
    let all = titles
        .iter()
        .flat_map(|title| all.clone().map(move |role| (title, role)));
    let fits =
        |(title, role): &(&String, Role)| width_of(ui.painter(), title, *role) <= area.width();
    let said = all.clone().find(fits).or_else(|| all.last());
    let Some((title, role)) = said else {
        return area.top();
    };
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
            ink,
        )
    } else {
        // The doubt stands at the end of the sentence: a longer one takes two lines rather than lose it.
        let rows = area.with_min_y(area.top() + 31.0);
        paint_rows(ui.painter(), rows, 2, sentence, Role::Body, ink)
    };
    let response = ui.interact(rect, id.with(1), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, sentence));
    // What is there in full must not be told once more, over the cards.
    if width_of(ui.painter(), sentence, Role::Body) > 1.9 * area.width() {
        response.on_hover_text(sentence);
    }
    area.top() + WORDS - 2.0
}

/// Headline, from long to short, and the sentence under it.
fn words(cx: &Scene<'_>, plan: &Plan) -> (Vec<String>, String) {
    let Some((index, c, run)) = cx.selection() else {
        return (
            vec!["Select a combination to see its figures".to_owned()],
            String::new(),
        );
    };
    let name = |c: &Combination| {
        let device = format::devices(c.count, short_label(plan, &c.accelerator.label));
        format!("{} on {device}", c.mode.label())
    };
    let short = format!("{}: {}", name(c), figures_of(run));
    let listed = run.price.as_ref().filter(|_| run.cost_usd.is_some());
    let open = listed.and_then(|price| price.capacity(c.count));
    // A price that may no longer be had is told before what depends on it is read.
    let old = listed.and_then(PriceUsed::old_said);
    let open = old.into_iter().chain(open);
    let open: String = open.map(|text| format!(" {text}.")).collect();
    let risk = match plan.is_risky(c.mode) {
        true => format!(
            " {} has known risks here: see the selection.",
            c.mode.label()
        ),
        false => String::new(),
    };
    // What was asked for is answered where the answer stands.
    let scheduled = plan.scheduled_said(c);
    let scheduled = scheduled.map_or_else(String::new, |text| format!(" {text}"));
    let is_scheduled = !scheduled.is_empty();
    let open = scheduled + &risk + &open;
    let Some(headline) = plan.headline(cx.tab.rows.outlook.as_ref(), index, &name) else {
        return (vec![short], open);
    };
    if let Some(sentence) = headline.limits {
        // What says how the run stands to the limits has no shorter form.
        let titles = if headline.is_of_limits {
            vec![headline.title]
        } else {
            vec![headline.title, short]
        };
        return (titles, sentence + &open);
    }
    let sentence = plan.alternative_said(c).unwrap_or_else(|| {
        format!(
            "{}. Nothing else of this request runs on the same nodes.",
            run.layout
        )
    });
    // The cards tell it too: it gives way to what was asked for.
    let extreme = plan.extreme_said(index, &name).filter(|_| !is_scheduled);
    let extreme = extreme.map_or_else(String::new, |text| format!(" {text}"));
    (vec![headline.title, short], sentence + &extreme + &open)
}
