//! A plan that is not whole yet: the three things that no default can stand for, asked for in order in the middle of the
//! window. The panel at the left takes them as well.

use super::centre::paragraph;
use super::model_list::pick_model;
use super::request_lists::pick_accelerator;
use super::scene::Scene;
use crate::gui::blank::{Need, lacks};
use crate::gui::command::{Action, UiCommand};
use crate::gui::places::{self, FIELDS, Place};
use crate::gui::theme::{Icon, Role, Tokens, paint_icon};
use crate::gui::widgets::{card, label_at, paint, paint_in, text_button};
use crate::gui::workload;
use crate::planner::PlanRequest;
use egui::{Align2, Rect, Response, Stroke, Ui, pos2, vec2};

/// Where the keyboard goes when a blank plan opens: onto the first thing it asks for.
pub const FIRST: Place = Place {
    title: "First step",
    names: &[CHOOSE],
    inside: None,
};
const CHOOSE: &str = "Choose a model…";
/// Where the keyboard goes on once a step is done: onto the way to do the one that is next then.
const NEXT: Place = Place {
    title: "Next step",
    names: &["Next step"],
    inside: None,
};
/// Width of the steps.
const WIDTH: f32 = 480.0;
/// Height of a step, and the gap below it.
const STEP: (f32, f32) = (56.0, 8.0);
/// Width of the lists that open from a step.
const LIST: f32 = 320.0;

/// Draws the steps.
pub fn blank_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let Some(request) = cx.tab.request.clone() else {
        return;
    };
    let t = Tokens::of(ui);
    let width = WIDTH.min(area.width() - 48.0);
    let height = 3.0 * (STEP.0 + STEP.1) + 130.0;
    let top = (area.center().y - height / 2.0 - 20.0).max(area.top() + 24.0);
    let middle = area.center().x;
    label_at(
        ui,
        pos2(middle, top + 12.0),
        Align2::CENTER_CENTER,
        "Plan a training run",
        Role::Headline,
        t.strong,
    );
    let text = "Three choices make a plan. Everything else has a default, at the left.";
    paragraph(ui, pos2(middle, top + 32.0), text, width);
    let next = lacks(&request);
    for (i, need) in Need::ALL.into_iter().enumerate() {
        let y = top + 70.0 + i as f32 * (STEP.0 + STEP.1);
        let place = Rect::from_min_size(pos2(middle - width / 2.0, y), vec2(width, STEP.0));
        step_ui(ui, place, cx, &request, (i + 1, need, next == Some(need)));
    }
    let y = top + 70.0 + 3.0 * (STEP.0 + STEP.1) + 22.0;
    let right = pos2(middle + width / 2.0, y);
    if text_button(ui, right, None, "Start from a worked example", false)
        .on_hover_text(UiCommand::NewPlan.tooltip(ui.ctx()))
        .clicked()
    {
        cx.run(UiCommand::NewPlan);
    }
}

/// One step: its number or a tick, what it asks for or what was chosen, and the way to choose.
fn step_ui(
    ui: &mut Ui,
    place: Rect,
    cx: &mut Scene<'_>,
    request: &PlanRequest,
    (number, need, is_next): (usize, Need, bool),
) {
    let t = Tokens::of(ui);
    let is_met = need.is_met(request);
    let (fill, edge) = if is_next {
        (t.sel, t.sel_line)
    } else {
        (t.raised, t.line)
    };
    card(ui, place, fill, edge);
    let dot = pos2(place.left() + 26.0, place.center().y);
    if is_met {
        ui.painter().circle_filled(dot, 11.0, t.accent_fill);
        paint_icon(ui.painter(), dot, Icon::Check, t.on_accent, 0.85);
    } else {
        let ring = if is_next { t.sel_line } else { t.line_strong };
        ui.painter()
            .circle_stroke(dot, 11.0, Stroke::new(1.5, ring));
        let ink = if is_next { t.strong } else { t.sub };
        let number = number.to_string();
        paint(
            ui.painter(),
            dot,
            Align2::CENTER_CENTER,
            &number,
            Role::Section,
            ink,
        );
    }
    let right = pos2(place.right() - 12.0, place.center().y);
    let left = match need {
        Need::Model => model_way(ui, cx, right, (is_met, is_next)),
        Need::Accelerators => parts_way(ui, cx, right, (is_met, is_next)),
        Need::Amount => amount_way(ui, cx, request, right, (is_met, is_next)),
    };
    let (title, text) = words(cx, request, need, is_met);
    let room = |y: f32| {
        let middle = place.center().y + y;
        Rect::from_min_max(
            pos2(place.left() + 50.0, middle - 9.0),
            pos2(left - 10.0, middle + 9.0),
        )
    };
    let spoken = paint_in(
        ui.painter(),
        room(-9.0),
        Align2::LEFT_CENTER,
        title,
        Role::Section,
        t.strong,
    );
    let id = ui.scope_id().with(("step", number));
    let response = ui.interact(spoken, id, egui::Sense::hover());
    response.widget_info(|| {
        let text = format!("Step {number}: {title}, {text}");
        egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, text)
    });
    let ink = if is_met { t.text } else { t.sub };
    paint_in(
        ui.painter(),
        room(9.0),
        Align2::LEFT_CENTER,
        &text,
        Role::Body,
        ink,
    );
}

/// What a step is called, and what was chosen or is to be.
fn words(
    cx: &Scene<'_>,
    request: &PlanRequest,
    need: Need,
    is_met: bool,
) -> (&'static str, String) {
    match need {
        Need::Model => {
            let label = cx.tab.model_label.clone();
            let text = label.filter(|_| is_met);
            (
                "Model",
                text.unwrap_or_else(|| "What is trained".to_owned()),
            )
        }
        Need::Accelerators => {
            let label = |name: &String| {
                let part = cx.backend.accelerator(name);
                part.map_or_else(|| name.clone(), |a| a.label.clone())
            };
            let labels: Vec<String> = request.accelerators.iter().map(label).collect();
            let text = if is_met {
                labels.join(", ")
            } else {
                "One or several to compare".to_owned()
            };
            ("Accelerators", text)
        }
        Need::Amount => {
            let text = if is_met {
                request.train.words()
            } else {
                "Tokens, epochs or steps".to_owned()
            };
            ("Amount of training", text)
        }
    }
}

/// A button of a step; the one asked for next is the primary one, and has the keyboard once the step before is done.
fn way(ui: &mut Ui, right: egui::Pos2, text: &str, (is_met, is_next): (bool, bool)) -> Response {
    let is_primary = is_next && !is_met;
    let button = text_button(ui, right, None, text, is_primary);
    if is_primary && NEXT.names.iter().any(|n| places::arrives(ui.ctx(), n)) {
        button.request_focus();
    }
    button
}

/// Returns the left edge of what it drew, as the others do.
fn model_way(ui: &mut Ui, cx: &mut Scene<'_>, right: egui::Pos2, state: (bool, bool)) -> f32 {
    let text = if state.0 { "Change…" } else { CHOOSE };
    let button = way(ui, right, text, state);
    if pick_model(cx, &button, LIST) {
        places::send_to(ui.ctx(), NEXT);
    }
    button.rect.left()
}

fn parts_way(ui: &mut Ui, cx: &mut Scene<'_>, right: egui::Pos2, state: (bool, bool)) -> f32 {
    let text = if state.0 {
        "Add another…"
    } else {
        "Choose accelerators…"
    };
    let button = way(ui, right, text, state);
    if pick_accelerator(cx, &button, LIST) {
        places::send_to(ui.ctx(), NEXT);
    }
    button.rect.left()
}

/// The amount is typed at the left; what models of this kind are usually trained for is one click away.
fn amount_way(
    ui: &mut Ui,
    cx: &mut Scene<'_>,
    request: &PlanRequest,
    right: egui::Pos2,
    state: (bool, bool),
) -> f32 {
    let model = cx.backend.model(&request.model);
    let usual = model.and_then(|model| workload::usual_length(cx.backend, model));
    let typed = way(ui, right, "Type it…", (state.0 || usual.is_some(), state.1));
    if typed.clicked()
        && let Some(place) = FIELDS.iter().find(|place| place.title == "Train for")
    {
        cx.send(Action::GoTo(*place));
    }
    let Some(usual) = usual.filter(|_| !state.0) else {
        return typed.rect.left();
    };
    let at = typed.rect.left_center() - vec2(6.0, 0.0);
    let text = format!("Use {}", usual.words());
    let button =
        way(ui, at, &text, state).on_hover_text("What models of this kind are usually trained for");
    if button.clicked() {
        cx.edit("", |r| r.train = usual.clone());
        // The plan takes the place of the steps.
        places::send_to(ui.ctx(), places::Region::Views.place());
    }
    button.rect.left()
}
