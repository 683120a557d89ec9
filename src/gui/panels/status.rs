//! Status bar: whether the figures are up to date, what they rest on, and the last notice.

use super::calibrated;
use super::scene::{Scene, cached, key_of};
use crate::format;
use crate::gui::blank;
use crate::gui::command::{Action, UiCommand};
use crate::gui::prices;
use crate::gui::state::Status;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{label_at, paint, text_link, width_of};
use crate::gui::words;
use crate::planner::Plan;
use egui::{Align2, Color32, Rect, Sense, Stroke, Ui, WidgetInfo, accesskit, pos2};
use std::time::Duration;

/// Room that a notice has at least.
const NOTICE: f32 = 380.0;
/// Said until it is known how many combinations there are.
const COMPUTING: &str = "Computing…";
/// No plan is computed in less.
const AT_ONCE: Duration = Duration::from_millis(1);

/// Draws the status bar.
pub fn status_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let bar = ui.max_rect();
    ui.painter()
        .hline(bar.x_range(), bar.top() + 0.5, Stroke::new(1.0, t.line));
    let y = bar.center().y + 0.5;
    let (dot, text) = state_text(cx, t);
    ui.painter()
        .circle_filled(pos2(bar.left() + 15.0, y), 2.6, dot);
    let mut x = label_at(
        ui,
        pos2(bar.left() + 24.0, y),
        Align2::LEFT_CENTER,
        &text,
        Role::Caption,
        t.text,
    )
    .right();
    // Whoever stopped a plan finds the way on where the stop was.
    let way = match cx.tab.status {
        Status::Computing(..) => Some(("Stop", UiCommand::Cancel)),
        Status::Idle => Some(("Compute again", UiCommand::Compute)),
        // What needs the change is out of sight.
        Status::Failed(_) if cx.state.settings.request_hidden => {
            Some(("Show the request", UiCommand::ToggleRequest))
        }
        _ => None,
    };
    if let Some((word, command)) = way {
        if link(ui, pos2(x + 12.0, y), word) {
            cx.run(command);
        }
        x += 14.0 + width_of(ui.painter(), word, Role::Caption);
    }
    // As Escape in the field does.
    if let Some(field) = cx.tab.drafts.keys().next().copied() {
        let word = "Restore";
        if link(ui, pos2(x + 12.0, y), word) {
            cx.send(Action::Restore(field));
        }
        x += 14.0 + width_of(ui.painter(), word, Role::Caption);
    }
    // What is supposed stays in sight, wherever its section is scrolled to.
    if let Some(supposed) = cx.plan().and_then(Plan::supposed) {
        let text = format!("What if: {supposed}");
        let at = pos2(x + 18.0, y);
        x = label_at(ui, at, Align2::LEFT_CENTER, &text, Role::Caption, t.warn).right();
        let word = "Reset what-if";
        if link(ui, pos2(x + 10.0, y), word) {
            cx.edit("what_if", |r| r.what_if = None);
        }
        x += 10.0 + width_of(ui.painter(), word, Role::Caption);
    }
    if let Some(plan) = cx.plan() {
        let all = plan.combinations.len();
        let refused = all.saturating_sub(cx.tab.rows.predicted);
        let mut parts = vec![
            format!(
                "{} combination{}, {} refused",
                format::count(all as f64),
                format::plural(all as f64),
                format::count(refused as f64)
            ),
            format!(
                "Predictor {}, {} measured runs",
                plan.predictor_version
                    .split_once(" calibrated")
                    .map_or(plan.predictor_version.as_str(), |(version, _)| version),
                format::count(cx.backend.fitted_runs() as f64)
            ),
        ];
        // Every combination is looked at, so not in every frame.
        let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
        let key = key_of(&(cx.tab.id, stamp));
        parts.push((*cached(ui, "prices-of", key, || prices_text(plan))).clone());
        // What does not fit is left out whole; where something is told, that comes first.
        let told = if cx.state.notice.is_some() {
            NOTICE
        } else {
            12.0
        };
        for part in parts {
            let end = x + 18.0 + width_of(ui.painter(), &part, Role::Caption);
            if end > bar.right() - told {
                break;
            }
            x = paint(
                ui.painter(),
                pos2(x + 18.0, y),
                Align2::LEFT_CENTER,
                &part,
                Role::Caption,
                t.sub,
            )
            .right();
        }
    }
    if let Some(profile) = cx.state.calibration.clone() {
        x = label_at(
            ui,
            pos2(x + 18.0, y),
            Align2::LEFT_CENTER,
            &calibrated::title(&profile),
            Role::Caption,
            t.accent,
        )
        .right();
        let text = "Remove";
        if link(ui, pos2(x + 10.0, y), text) {
            cx.run(UiCommand::RemoveCalibration);
        }
        x += 10.0 + width_of(ui.painter(), text, Role::Caption);
    }
    if let Some(why) = &cx.state.unremembered {
        let at = pos2(x + 18.0, y);
        let text = "Not remembered";
        let rect = label_at(ui, at, Align2::LEFT_CENTER, text, Role::Caption, t.warn);
        x = rect.right();
        let id = ui.scope_id().with("unremembered");
        ui.interact(rect, id, Sense::hover())
            .on_hover_text(why.as_str());
    }
    notice_ui(ui, bar, x, cx);
}

/// Of when the prices are, and whether some are the person's own.
fn prices_text(plan: &Plan) -> String {
    let mut used = (plan.combinations.iter()).filter_map(|c| c.run()?.price.as_ref());
    let has_own = used.any(|price| matches!(price.tier.as_str(), "own" | "owned"));
    let dates = plan.price_dates.as_ref().map(prices::dates);
    match (dates, has_own) {
        (Some(dates), true) => format!("{dates} and your own"),
        (Some(dates), false) => dates,
        (None, true) => "Your own prices".to_owned(),
        (None, false) => "No prices".to_owned(),
    }
}

/// What is said of a plan that took so long. One that stood ready was not computed: the time to fetch it says nothing.
fn up_to_date(took: Duration) -> String {
    if took < AT_ONCE {
        return "Up to date".to_owned();
    }
    let took = format::step_time(crate::units::Seconds(took.as_secs_f64()));
    format!("Up to date, {took}")
}

fn state_text(cx: &Scene<'_>, t: &Tokens) -> (Color32, String) {
    let drafts = || cx.tab.drafts.keys().map(|field| field.path());
    if cx.tab.plan_at.is_some() && cx.tab.drafts.is_empty() {
        return (t.warn, COMPUTING.to_owned());
    }
    match &cx.tab.status {
        Status::Current if !cx.tab.drafts.is_empty() => {
            (t.bad, words::refused(drafts()).unwrap_or_default())
        }
        Status::Current => {
            let took = cx.tab.done.as_ref().map_or(Duration::ZERO, |d| d.took);
            (t.good, up_to_date(took))
        }
        Status::Computing(_, 0) => (t.warn, COMPUTING.to_owned()),
        Status::Computing(done, all) => (t.warn, format!("Computing {done} of {all}…")),
        Status::Idle => {
            let text = match (cx.plan(), &cx.tab.request) {
                (Some(plan), Some(now)) if plan.request.request == **now => {
                    "Stopped: the result shown is that of this request"
                }
                (Some(_), _) => "Stopped: the result shown is that of the request before",
                (None, _) => "Stopped before there was a result",
            };
            (t.warn, text.to_owned())
        }
        Status::Blank => {
            let need = cx.tab.request.as_ref().and_then(|r| blank::lacks(r));
            let text = need.map_or_else(String::new, |need| format!("To plan, {}", need.words()));
            (t.sub, text)
        }
        Status::Failed(_) => {
            let errors = cx.tab.errors.iter().map(|e| e.field.as_str());
            let shown = cx
                .plan()
                .and_then(|_| words::refused(drafts().chain(errors)));
            let text = shown.unwrap_or_else(|| "The request needs a change".to_owned());
            (t.bad, text)
        }
    }
}

fn notice_ui(ui: &mut Ui, bar: Rect, left: f32, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let y = bar.center().y + 0.5;
    let Some(notice) = cx.state.notice.clone() else {
        return;
    };
    let mut right = bar.right() - 12.0;
    if link_right(ui, pos2(right, y), "Dismiss") {
        cx.send(Action::DismissNotice);
    }
    right -= width_of(ui.painter(), "Dismiss", Role::Caption) + 14.0;
    if let Some(purpose) = notice.offer_path {
        if link_right(ui, pos2(right, y), "Type a path instead") {
            cx.send(Action::TypePath(purpose));
        }
        right -= width_of(ui.painter(), "Type a path instead", Role::Caption) + 14.0;
    }
    if let Some(command) = notice.offer {
        if link_right(ui, pos2(right, y), command.text()) {
            cx.run(command);
        }
        right -= width_of(ui.painter(), command.text(), Role::Caption) + 14.0;
    }
    let color = if notice.is_error { t.bad } else { t.text };
    let room = Rect::from_min_max(pos2(left + 16.0, bar.top()), pos2(right, bar.bottom()));
    let rect = crate::gui::widgets::paint_in(
        ui.painter(),
        room,
        Align2::RIGHT_CENTER,
        &notice.text,
        Role::Caption,
        color,
    );
    let id = ui.next_auto_id();
    ui.skip_ahead_auto_ids(1);
    let response = ui.interact(rect, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, &notice.text));
    response.on_hover_text(notice.text);
}

/// A text that can be clicked; its left end is given.
fn link(ui: &mut Ui, at: egui::Pos2, text: &str) -> bool {
    let width = width_of(ui.painter(), text, Role::Caption);
    link_right(ui, at + egui::vec2(width, 0.0), text)
}

/// The same by its right end.
fn link_right(ui: &mut Ui, right: egui::Pos2, text: &str) -> bool {
    text_link(ui, right, text, text).clicked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_stood_ready_names_no_time() {
        assert_eq!(up_to_date(Duration::from_micros(200)), "Up to date");
        let said = up_to_date(Duration::from_millis(1310));
        assert_eq!(said.replace('\u{202F}', " "), "Up to date, 1.31 s");
    }
}
