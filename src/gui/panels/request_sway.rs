//! What would change the answer, once it was asked for: what would be enough where nothing meets the limits, and the best
//! plan under other prices, networks and failures; each can be taken into the request.

use super::scene::{Scene, cached, key_of};
use crate::format;
use crate::gui::command::{Action, UiCommand};
use crate::gui::state::Status;
use crate::gui::sway::Sway;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{note, paint, text_button, text_link, unbroken, width_of};
use crate::planner::{PlanRequest, Sensitivity};
use egui::{Align2, Color32, Id, Sense, Ui, WidgetInfo, accesskit, pos2, vec2};

/// What takes a change into the request.
const APPLY: &str = "Apply";

/// Draws the lines, or the button that asks for them.
pub fn sway_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let Some(sway) = &cx.tab.sway else {
        ask_ui(ui, cx);
        return;
    };
    ui.add_space(6.0);
    let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
    // While the next ones are worked out the last ones keep the height that they had, so that nothing below jumps.
    let height_id = Id::unique(("sway-height", cx.tab.id));
    let top = ui.cursor().top();
    match &sway.found {
        Some((_, Err(text))) => note(ui, text, Tokens::of(ui).bad),
        Some((_, Ok(lines))) if sway.is_of(stamp) => lines_ui(ui, cx, lines, stamp),
        Some((_, Ok(lines))) => {
            for line in lines {
                note(ui, &line.line(), Tokens::of(ui).faint);
            }
        }
        None => {}
    }
    let height = ui.cursor().top() - top;
    if sway.is_of(stamp) {
        ui.data_mut(|d| d.insert_temp(height_id, height));
    } else if sway.found.is_some() {
        let before: f32 = ui.data(|d| d.get_temp(height_id)).unwrap_or(0.0);
        ui.add_space((before - height).max(0.0));
    }
    progress_ui(ui, cx, sway);
}

/// The button that asks for it.
fn ask_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 30.0), Sense::hover());
    let right = rect.right_center() - vec2(size::MARGIN, 0.0);
    let text = "What would change the answer?";
    if text_button(ui, right, None, text, false)
        .on_hover_text(UiCommand::Sensitivity.tooltip(ui.ctx()))
        .clicked()
    {
        cx.run(UiCommand::Sensitivity);
    }
}

/// What was found for the result that is shown.
fn lines_ui(ui: &mut Ui, cx: &mut Scene<'_>, lines: &[Sensitivity], stamp: u64) {
    let t = Tokens::of(ui);
    let key = key_of(&(cx.tab.id, stamp));
    let enough = cached(ui, "enough", key, || {
        cx.plan().map(|plan| plan.enough()).unwrap_or_default()
    });
    for line in enough.iter() {
        match &line.change {
            Some(change) => {
                offer_ui(ui, cx, (&line.text, t.warn), |r| change.apply(r));
            }
            None => note(ui, &line.text, t.warn),
        }
    }
    if !enough.is_empty() && lines.iter().all(|line| line.time_h.is_none()) {
        let text = "Nothing meets the limits with 20\u{202F}% cheaper hours, a network twice as fast or other failures";
        note(ui, text, t.text);
        return;
    }
    let tips = cached(ui, "tipping", key, || {
        cx.plan()
            .map(|plan| plan.tipping_points())
            .unwrap_or_default()
    });
    if lines.iter().all(|line| !line.differs) {
        note(ui, "None of these changes the answer:", t.strong);
    }
    for line in lines {
        let color = if line.differs { t.warn } else { t.text };
        offer_ui(ui, cx, (&line.line(), color), |r| line.apply(r));
    }
    if !tips.is_empty() {
        note(ui, "What would:", t.strong);
    }
    for tip in tips.iter() {
        note(ui, tip, t.text);
    }
}

/// How far it is with a way to stop it, or a way to put it away.
fn progress_ui(ui: &mut Ui, cx: &mut Scene<'_>, sway: &Sway) {
    let t = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    let y = rect.center().y;
    let (said, word, name) = match (&sway.under_way, &cx.tab.status) {
        (Some((_, (_, 0))), _) | (None, Status::Computing(..)) => (
            "Computing…".to_owned(),
            "Stop",
            "Stop what would change the answer",
        ),
        (Some((_, (done, all))), _) => {
            let said = format!(
                "Computing {} of {}…",
                format::count(*done as f64),
                format::count(*all as f64)
            );
            (said, "Stop", "Stop what would change the answer")
        }
        (None, _) => (String::new(), "Hide", "Hide what would change the answer"),
    };
    if !said.is_empty() {
        let at = pos2(rect.left() + size::MARGIN, y);
        paint(
            ui.painter(),
            at,
            Align2::LEFT_CENTER,
            &said,
            Role::Caption,
            t.sub,
        );
        response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, &said));
    }
    if text_link(ui, pos2(rect.right() - size::MARGIN, y), word, name).clicked() {
        cx.run(UiCommand::Sensitivity);
    }
}

/// A line with a word beside it that makes the change, as one step of undo.
fn offer_ui(
    ui: &mut Ui,
    cx: &mut Scene<'_>,
    (text, color): (&str, Color32),
    change: impl FnOnce(&mut PlanRequest),
) {
    let word = width_of(ui.painter(), APPLY, Role::Caption);
    let width = ui.available_width() - 2.0 * size::MARGIN - word - 10.0;
    let galley = ui
        .painter()
        .layout(unbroken(text), Role::Caption.font(), color, width);
    let height = galley.size().y + 6.0;
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, text));
    let at = rect.min + vec2(size::MARGIN, 1.0);
    let line = galley.rows.first().map_or(14.0, |row| row.height());
    ui.painter().galley(at, galley, color);
    let right = pos2(rect.right() - size::MARGIN, at.y + line / 2.0);
    let link = text_link(ui, right, APPLY, &format!("{APPLY}: {text}"))
        .on_hover_text("Changes the request; undo brings it back");
    if link.clicked()
        && let Some(request) = &cx.tab.request
    {
        let mut copy = (**request).clone();
        change(&mut copy);
        // What was typed into a field of the same value before no longer counts.
        cx.send(Action::ResetTo(Box::new(copy)));
    }
}
