//! Evidence: the nearest measured runs with what is predicted of them.

use super::evidence_strips::{legend_ui, ratios_ui};
use super::regions::source_ui;
use super::scene::{Scene, mode_label};
use crate::format;
use crate::gui::link;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{note, paint, paint_in, paint_name, section_head, width_of};
use crate::planner::PredictedRun;
use crate::predictor::{Explanation, NearestRun};
use egui::{Align2, Rect, Sense, Ui, pos2, vec2};
use std::cmp::Ordering;

/// Draws the nearest measured runs.
pub fn nearest_ui(ui: &mut Ui, cx: &mut Scene<'_>, run: &PredictedRun, explanation: &Explanation) {
    let t = Tokens::of(ui);
    if explanation.nearest.is_empty() {
        section_head(ui, "Nearest measured runs", "");
        note(
            ui,
            "No measured run is known near this configuration",
            t.sub,
        );
        ui.add_space(8.0);
        return;
    }
    section_head(ui, "Nearest measured runs", "measured over predicted");
    let places = ratios_ui(ui, run, &explanation.nearest);
    legend_ui(ui, places, explanation.nearest.len());
    // Whoever sees them all "as measured" would take the fit for a test.
    note(
        ui,
        "The predictor was fitted on these runs too, so how close they are is no test of it: Accuracy is.",
        t.sub,
    );
    for (i, near) in explanation.nearest.iter().take(5).enumerate() {
        run_ui(ui, cx, i, near);
    }
    ui.add_space(6.0);
}

/// How far what is predicted of a run is from what was measured, and to which side: an error that rounds to nothing has
/// none.
fn off(near: &NearestRun) -> (String, Ordering) {
    let off = near.predicted / near.measured - 1.0;
    let share = format!("{}\u{202F}%", format::fixed(off.abs() * 100.0, 1));
    let side = if off.abs() < 0.0005 {
        Ordering::Equal
    } else {
        off.total_cmp(&0.0)
    };
    (share, side)
}

/// The error of a run's prediction: `+2.3 %`.
pub fn off_text(near: &NearestRun) -> String {
    match off(near) {
        (share, Ordering::Equal) => share,
        (share, Ordering::Less) => format!("{}{share}", format::MINUS),
        (share, Ordering::Greater) => format!("+{share}"),
    }
}

/// Samples of a device at once: runs that look alike often differ in these alone. `about` where the figure is not exact.
fn batch_text(near: &NearestRun) -> Option<String> {
    let batch = near.batch.filter(|b| *b >= 0.5)?;
    let (about, batch) = match batch {
        few if few < 48.0 => ("", few.round()),
        many if many < 256.0 => ("about ", (many / 4.0).round() * 4.0),
        many => ("about ", (many / 16.0).round() * 16.0),
    };
    let each = match batch {
        1.0 => "sample",
        _ => "samples",
    };
    Some(format!(
        "{about}{} {each} a device at once",
        format::count(batch)
    ))
}

/// What the table's columns do not tell of a run: what it has otherwise than the plan, which comes first where a line is cut,
/// and its batch.
pub fn apart_text(near: &NearestRun) -> Option<String> {
    let mut parts = near.differs.clone();
    parts.extend(batch_text(near));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The error in words: `2.3 % too long`.
fn off_words(near: &NearestRun) -> String {
    match off(near) {
        (_, Ordering::Equal) => "as measured".to_owned(),
        (share, Ordering::Less) => format!("{share} too short"),
        (share, Ordering::Greater) => format!("{share} too long"),
    }
}

/// The model of a run and, where there is room for all of it, who published it: the link below says that again, while half a
/// model's name is another model.
pub fn run_name(ui: &Ui, place: Rect, near: &NearestRun) {
    let t = Tokens::of(ui);
    let name = paint_name(ui.painter(), place, &near.model, Role::Body, t.strong);
    let source = format!(", {}", near.source);
    let room = place.with_min_x(name.right());
    if width_of(ui.painter(), &source, Role::Body) <= room.width() {
        let at = room.left_center();
        paint(
            ui.painter(),
            at,
            Align2::LEFT_CENTER,
            &source,
            Role::Body,
            t.sub,
        );
    }
}

fn run_ui(ui: &mut Ui, cx: &mut Scene<'_>, place_in_list: usize, near: &NearestRun) {
    let t = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 36.0), Sense::hover());
    let inner = rect.shrink2(vec2(size::MARGIN, 2.0));
    let title = format!("{}, {}", near.model, near.source);
    response.widget_info(|| {
        egui::WidgetInfo::labeled(
            egui::accesskit::Role::Label,
            true,
            format!("Measured run {title}"),
        )
    });
    let step = format::step_time(near.measured);
    let y = inner.top() + 8.0;
    let right = crate::gui::widgets::paint_value(
        ui.painter(),
        pos2(inner.right(), y),
        Align2::RIGHT_CENTER,
        &step,
        Role::Body,
        (t.strong, t.sub),
    );
    let place = Rect::from_min_max(inner.min, pos2(right.left() - 8.0, inner.top() + 16.0));
    run_name(ui, place, near);
    let y = inner.top() + 24.0;
    let word = off_words(near);
    let right = paint(
        ui.painter(),
        pos2(inner.right(), y),
        Align2::RIGHT_CENTER,
        &word,
        Role::Caption,
        t.sub,
    );
    let place = Rect::from_min_max(
        pos2(inner.left(), y - 8.0),
        pos2(right.left() - 8.0, y + 8.0),
    );
    let mode = mode_label(&near.precision);
    let devices = format::devices(near.count, &cx.part_label(&near.accelerator));
    let rest = format!(", {mode}, distance {}", format::fixed(near.distance, 1));
    let detail = format!("{devices}{rest}");
    // Where there is no room for all, the part gives way rather than how far off the run is.
    let end = width_of(ui.painter(), &rest, Role::Caption);
    let room = place.with_max_x((place.right() - end).max(place.left()));
    let name = paint_name(ui.painter(), room, &devices, Role::Caption, t.sub);
    paint_in(
        ui.painter(),
        place.with_min_x(name.right()),
        Align2::LEFT_CENTER,
        &rest,
        Role::Caption,
        t.sub,
    );
    let apart = apart_text(near).map_or_else(String::new, |text| format!("{text}\n"));
    response.on_hover_text(format!("{title}\n{detail}\n{apart}{}", near.source_path));
    if let Some(link) = link::of_run(&near.source, &near.source_path) {
        source_ui(ui, cx, &link, ("near", place_in_list));
        ui.add_space(4.0);
    }
}
