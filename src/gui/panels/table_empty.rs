//! The table where nothing passes, and the filter where it is not understood: what is in the way, and how to undo it.

use super::scene::Scene;
use crate::gui::command::UiCommand;
use crate::gui::filter::UNDERSTOOD;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{paint_in, paint_rows, text_button, unbroken, width_of};
use crate::gui::words::quoted;
use egui::text::LayoutJob;
use egui::{
    Align, Align2, Color32, Galley, Pos2, Rect, RichText, Sense, Stroke, StrokeKind, Ui,
    WidgetInfo, accesskit, pos2, vec2,
};
use std::sync::Arc;

/// Height that a line which says what a filter looks at takes beyond its letters.
const LEADING: f32 = 4.0;
/// Height of what stands above and below these lines.
const BESIDE_HINTS: f32 = 60.0;

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

/// Lines in the middle of a room, as many as a text needs there.
struct Centred(Arc<Galley>, Color32);

impl Centred {
    fn of(ui: &Ui, room: Rect, text: &str, (role, color): (Role, Color32)) -> Self {
        let mut job = LayoutJob::simple(unbroken(text), role.font(), color, room.width());
        job.halign = Align::Center;
        Self(ui.painter().layout_job(job), color)
    }

    fn height(&self) -> f32 {
        self.0.size().y
    }

    /// Draws them from the middle of their upper edge on; screen readers and tests find them by the text.
    fn paint(self, ui: &mut Ui, top: Pos2, text: &str) {
        let rect = self.0.rect.translate(top.to_vec2());
        ui.painter().galley(top, self.0, self.1);
        let id = ui.next_auto_id();
        ui.skip_ahead_auto_ids(1);
        let response = ui.interact(rect, id, Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, text));
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
    let room = body.shrink2(vec2(size::CENTRE_MARGIN, 0.0));
    let title = Centred::of(ui, room, &text, (Role::Body, t.sub));
    let hints = UNDERSTOOD.map(|hint| Centred::of(ui, room, hint, (Role::Caption, t.sub)));
    let mut lower = 0.0;
    let mut shown = 0;
    for hint in hints.iter().filter(|_| !settings.filter.is_empty()) {
        let height = lower + hint.height() + LEADING;
        if body.height() < BESIDE_HINTS + height {
            break;
        }
        (lower, shown) = (height, shown + 1);
    }
    let mut y = body.top() + body.height().min(120.0 + lower) / 2.0 - lower / 2.0;
    let top = y - 14.0 - title.height() / 2.0;
    title.paint(ui, pos2(room.center().x, top.max(body.top())), &text);
    // Whoever wrote a filter that nothing passes is told what one looks at.
    for (hint, text) in hints.into_iter().zip(UNDERSTOOD).take(shown) {
        let height = hint.height() + LEADING;
        hint.paint(ui, pos2(room.center().x, y - 1.0), text);
        y += height;
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
