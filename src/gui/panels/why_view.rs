//! The view of why: the path of the rule that names the limit, every contribution from physics to prediction, and what
//! matters in each stage over the whole data set.

use super::evidence::importance_ui;
use super::scene::{Scene, title_of};
use super::why::{Detail, fidelity_ui, why_ui};
use super::why_words::{limit_word, sentences};
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{card, label_at, note, rule, scroll_pages, section_head};
use crate::planner::PredictedRun;
use crate::predictor::Explanation;
use egui::{
    Align2, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, WidgetInfo, accesskit, pos2, vec2,
};

/// Share of the width that the waterfall takes.
const WATERFALL: f32 = 0.58;
/// Least width of a step of the path.
const STEP: f32 = 128.0;
/// Room for the arrow between two steps.
const ARROW: f32 = 22.0;

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
        for sentence in sentences(plan, c, run, explanation) {
            note(&mut child, &sentence, ink);
        }
        child.add_space(6.0);
        rule(&mut child);
    }
    let word = limit_word(run.prediction.limit);
    section_head(&mut child, "What limits it", "");
    path_ui(&mut child, &explanation.limit_rule, word);
    fidelity_ui(&mut child, explanation);
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
            importance_ui(ui, cx, "What matters over all runs", usize::MAX);
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

/// The questions of the rule with their answers, joined by arrows, to the limit they name; in as many rows as it takes.
fn path_ui(ui: &mut Ui, steps: &[String], limit: &str) {
    let t = Tokens::of(ui);
    let width = ui.available_width() - 2.0 * size::MARGIN;
    let all = steps.len() + 1;
    let fit = (((width + ARROW) / (STEP + ARROW)).floor() as usize).clamp(1, all);
    let rows = all.div_ceil(fit);
    let across = all.div_ceil(rows);
    let each = ((width + ARROW) / across as f32 - ARROW).min(260.0);
    let named = format!("Limited by {limit}");
    let texts: Vec<&str> = steps
        .iter()
        .map(String::as_str)
        .chain([named.as_str()])
        .collect();
    let galleys: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(i, text)| {
            let (role, ink) = if i + 1 == all {
                (Role::Section, t.strong)
            } else {
                (Role::Caption, t.text)
            };
            ui.painter()
                .layout((*text).to_owned(), role.font(), ink, each - 18.0)
        })
        .collect();
    let tallest = galleys.iter().map(|g| g.size().y).fold(20.0, f32::max) + 14.0;
    for (row, line) in galleys.chunks(across).enumerate() {
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), tallest + 8.0), Sense::hover());
        let mut x = rect.left() + size::MARGIN;
        for (i, galley) in line.iter().enumerate() {
            let at = row * across + i;
            let last = at + 1 == all;
            let place = Rect::from_min_size(pos2(x, rect.top()), vec2(each, tallest));
            let (fill, edge) = if last {
                (t.sel, t.sel_line)
            } else {
                (t.raised, t.line)
            };
            card(ui, place, fill, edge);
            let text = Align2::LEFT_CENTER
                .align_size_within_rect(galley.size(), place.shrink2(vec2(9.0, 0.0)));
            ui.painter().galley(text.min, galley.clone(), t.text);
            let response = ui.interact(place, ui.scope_id().with(("path", at)), Sense::hover());
            response.widget_info(|| {
                let word = if last { "Limit" } else { "Step" };
                let text = format!("{word} {}: {}", at + 1, texts[at]);
                WidgetInfo::labeled(accesskit::Role::Label, true, text)
            });
            if !last {
                arrow(ui, place.right_center(), t);
            }
            x = place.right() + ARROW;
        }
    }
}

fn arrow(ui: &Ui, from: egui::Pos2, t: &Tokens) {
    let (a, b) = (from + vec2(4.0, 0.0), from + vec2(ARROW - 4.0, 0.0));
    let stroke = Stroke::new(1.5, t.faint);
    ui.painter().line_segment([a, b], stroke);
    for dy in [-3.5, 3.5] {
        ui.painter().line_segment([b, b + vec2(-4.0, dy)], stroke);
    }
}
