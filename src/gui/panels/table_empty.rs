//! The table where nothing passes, and the filter where it is not understood: what is in the way, and how to undo it.

use super::scene::Scene;
use crate::gui::command::UiCommand;
use crate::gui::filter::UNDERSTOOD;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{label_at, paint_in, paint_rows, text_button, width_of};
use crate::gui::words::quoted;
use egui::{
    Align2, Rect, RichText, Sense, Stroke, StrokeKind, Ui, WidgetInfo, accesskit, pos2, vec2,
};

/// Height of a line that says what a filter looks at.
const HINT: f32 = 18.0;
/// Height from which on there is room for these.
const LEAST_WITH_HINTS: f32 = 96.0;

/// What is wrong with the filter, beside its field, which is ringed.
pub fn filter_problem_ui(ui: &mut Ui, cx: &Scene<'_>, (field, room): (Rect, Rect), problem: &str) {
    let t = Tokens::of(ui);
    let ring = Stroke::new(1.5, t.bad);
    ui.painter()
        .rect_stroke(field, size::RADIUS_FIELD, ring, StrokeKind::Outside);
    let kept = match cx.tab.row_settings.filter.as_str() {
        "" => "No filter is in effect.".to_owned(),
        before => format!("{} stays in effect.", quoted(before)),
    };
    let text = format!("{problem}. {kept}");
    let place = room.shrink2(vec2(4.0, 2.0));
    let id = ui.scope_id().with("filter-problem");
    // What does not fit beside the field stands below it whole, and only there.
    if width_of(ui.painter(), &text, Role::Caption) > 1.8 * place.width() {
        ui.interact(field, id, Sense::hover())
            .widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, &text));
        egui::Tooltip::always_open(ui.ctx().clone(), ui.layer_id(), id, field).show(|ui| {
            ui.set_max_width(320.0);
            ui.label(RichText::new(text).color(t.bad));
        });
    } else {
        // One line stands level with the field.
        let is_one = width_of(ui.painter(), &text, Role::Caption) <= place.width();
        let rect = match is_one {
            true => paint_in(
                ui.painter(),
                place,
                Align2::LEFT_CENTER,
                &text,
                Role::Caption,
                t.bad,
            ),
            false => paint_rows(ui.painter(), place, 2, &text, Role::Caption, t.bad),
        };
        let response = ui.interact(rect, id, Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, &text));
    }
}

/// Says what hides every row, with a button that takes it away.
pub fn nothing_ui(ui: &mut Ui, body: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let settings = &cx.tab.row_settings;
    let mut ways = Vec::new();
    if settings.region.is_some() {
        ways.push("lies in the box on the trade-off".to_owned());
    }
    if !settings.filter.is_empty() {
        ways.push(format!("matches the filter {}", quoted(&settings.filter)));
    }
    if settings.within_only {
        let likely = cx.tab.rows.outlook.map_or(0, |o| o.likely);
        ways.push(match likely {
            0 => "is within the limits".to_owned(),
            n => format!("is sure to be within the limits ({n} likely)"),
        });
    }
    if settings.pareto_only {
        ways.push("is on the Pareto front".to_owned());
    }
    let text = if ways.is_empty() {
        "No combination can be shown".to_owned()
    } else {
        format!("No combination {}", ways.join(" and "))
    };
    let has_hints = !settings.filter.is_empty() && body.height() >= LEAST_WITH_HINTS;
    let hints: &[&str] = if has_hints { &UNDERSTOOD } else { &[] };
    let lower = HINT * hints.len() as f32;
    let mut y = body.top() + body.height().min(120.0 + lower) / 2.0 - lower / 2.0;
    let at = pos2(body.center().x, y - 14.0);
    label_at(ui, at, Align2::CENTER_CENTER, &text, Role::Body, t.sub);
    // Whoever wrote a filter that nothing passes is told what one looks at.
    for hint in hints {
        let at = pos2(body.center().x, y + 6.0);
        label_at(ui, at, Align2::CENTER_CENTER, hint, Role::Caption, t.sub);
        y += HINT;
    }
    if !settings.is_filtered() {
        return;
    }
    let is_box_alone = settings.region.is_some() && ways.len() == 1;
    let (word, command) = if is_box_alone {
        ("Remove the box", UiCommand::BoxRemove)
    } else {
        ("Show every combination", UiCommand::ClearFilter)
    };
    let right = pos2(body.center().x + 76.0, y + 14.0);
    if text_button(ui, right, None, word, false)
        .on_hover_text(command.tooltip(ui.ctx()))
        .clicked()
    {
        cx.run(command);
    }
}
