//! The view of why: what limits the step and the tests that say so, every contribution from physics to prediction, and what
//! matters in each stage over the whole data set.

use super::importance::{Most, ROW, importance_ui};
use super::scene::{Scene, title_of};
use super::why::{Detail, reasons_of_limit_ui, trust_of_limit, why_ui};
use super::why_words::sentences;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{label_at, note, rule, scroll_pages, section_head};
use crate::planner::PredictedRun;
use crate::predictor::Explanation;
use egui::{Align2, Rect, ScrollArea, Stroke, Ui, UiBuilder, vec2};

/// Share of the width that the waterfall takes.
const WATERFALL: f32 = 0.58;
/// Draws the view.
pub fn why_view_ui(ui: &mut Ui, area: Rect, cx: &Scene<'_>) {
    let Some((run, explanation)) = explained_ui(ui, area, cx) else {
        return;
    };
    // Sections keep the panels' margin; here the tabs above already have one.
    let place = area.expand2(vec2(size::MARGIN, 0.0));
    let mut child = ui.new_child(
        UiBuilder::new()
            .max_rect(place)
            .id_salt(("why-view", cx.tab.id)),
    );
    child.spacing_mut().item_spacing = vec2(0.0, 0.0);
    if let Some((plan, (_, c, _))) = cx.plan().zip(cx.selection()) {
        section_head(&mut child, "In words", "");
        let ink = Tokens::of(ui).text;
        for sentence in sentences(cx, plan, c, run, explanation) {
            note(&mut child, &sentence, ink);
        }
        child.add_space(6.0);
        rule(&mut child);
    }
    let trust = trust_of_limit(explanation);
    section_head(&mut child, "What limits it", &trust);
    reasons_of_limit_ui(&mut child, run, explanation);
    child.add_space(6.0);
    rule(&mut child);
    let rest = child.available_rect_before_wrap();
    let cut = rest.left() + rest.width() * WATERFALL;
    let pages = cx.state.page_step;
    let of = cx.tab.id;
    column(ui, rest.with_max_x(cut), (("waterfall", of), pages), |ui| {
        why_ui(ui, cx, run, explanation, Detail::Full);
    });
    let line = Stroke::new(1.0, Tokens::of(ui).line);
    ui.painter().vline(cut, rest.y_range(), line);
    column(
        ui,
        rest.with_min_x(cut),
        (("importance", of), pages),
        |ui| {
            // A large window has room for more of them.
            let few = ((rest.height() - 140.0) / 3.0 / ROW).max(10.0) as usize;
            importance_ui(ui, cx, "What matters over all runs", Most::Openable(few));
        },
    );
}

/// The selection with its explanation, or words for why there is none.
pub fn explained_ui<'a>(
    ui: &mut Ui,
    area: Rect,
    cx: &Scene<'a>,
) -> Option<(&'a PredictedRun, &'a Explanation)> {
    let t = Tokens::of(ui);
    let (text, ink) = match (cx.selection(), cx.explanation()) {
        (Some((_, _, run)), Some(Ok(explanation))) => return Some((run, explanation)),
        (None, _) => (
            "Select a row of the table or a point of the trade-off first".to_owned(),
            t.sub,
        ),
        (Some(_), Some(Err(text))) => (text.to_owned(), t.bad),
        (Some((_, c, _)), None) => (format!("Explaining {}…", title_of(cx, c)), t.sub),
    };
    let at = area.center_top() + vec2(0.0, 80.0);
    label_at(ui, at, Align2::CENTER_CENTER, &text, Role::Body, ink);
    None
}

fn column(
    ui: &mut Ui,
    place: Rect,
    (salt, pages): ((&str, u64), isize),
    contents: impl FnOnce(&mut Ui),
) {
    let mut child = ui.new_child(UiBuilder::new().max_rect(place).id_salt(salt));
    let area = ScrollArea::vertical().auto_shrink(false).id_salt(salt);
    area.show(&mut child, |ui| {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        scroll_pages(ui, pages);
        contents(ui);
        ui.add_space(12.0);
    });
}
