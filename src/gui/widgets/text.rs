//! Setting text: roles, elision, values with quiet units, and text that screen readers find.

use crate::format::THIN;
use crate::gui::theme::Role;
use egui::{
    Align2, Color32, Galley, Painter, Pos2, Rect, Sense, Ui, WidgetInfo, accesskit,
    text::{LayoutJob, TextFormat},
    vec2,
};
use std::sync::Arc;

fn format(role: Role, color: Color32) -> TextFormat {
    TextFormat {
        extra_letter_spacing: role.tracking(),
        ..TextFormat::simple(role.font(), color)
    }
}

fn layout(
    painter: &Painter,
    text: &str,
    role: Role,
    color: Color32,
    max_width: f32,
) -> Arc<Galley> {
    let mut job = LayoutJob::single_section(text.to_owned(), format(role, color));
    job.wrap.max_width = max_width;
    job.wrap.max_rows = 1;
    job.wrap.break_anywhere = true;
    job.halign = egui::Align::LEFT;
    painter.layout_job(job)
}

/// Width a text takes.
pub fn width_of(painter: &Painter, text: &str, role: Role) -> f32 {
    layout(painter, text, role, Color32::PLACEHOLDER, f32::INFINITY)
        .size()
        .x
}

/// Paints one line anchored at a point and returns where it stands.
pub fn paint(
    painter: &Painter,
    at: Pos2,
    anchor: Align2,
    text: &str,
    role: Role,
    color: Color32,
) -> Rect {
    if text.is_empty() {
        return Rect::from_min_size(at, vec2(0.0, 0.0));
    }
    let galley = layout(painter, text, role, color, f32::INFINITY);
    let rect = anchor.anchor_size(at, galley.size());
    painter.galley(rect.min, galley, color);
    rect
}

/// Paints one line inside a rectangle, cut with "…" where it is too long.
pub fn paint_in(
    painter: &Painter,
    rect: Rect,
    anchor: Align2,
    text: &str,
    role: Role,
    color: Color32,
) -> Rect {
    let galley = layout(painter, text, role, color, rect.width());
    let place = anchor.align_size_within_rect(galley.size(), rect);
    painter.galley(place.min, galley, color);
    place
}

/// Paints a name of which both ends tell it from others: what is too long loses its middle.
pub fn paint_name(painter: &Painter, rect: Rect, name: &str, role: Role, color: Color32) -> Rect {
    let letters: Vec<char> = name.chars().collect();
    let cut = |kept: usize| {
        let tail = kept / 2;
        let head = letters.iter().take(kept - tail);
        let tail = letters.iter().skip(letters.len() - tail);
        head.chain(['…'].iter()).chain(tail).collect::<String>()
    };
    let fits = |text: &str| width_of(painter, text, role) <= rect.width();
    if fits(name) {
        return paint_in(painter, rect, Align2::LEFT_CENTER, name, role, color);
    }
    // The first guess is in proportion; the rest is a few letters.
    let share = rect.width() / width_of(painter, name, role);
    let mut kept = ((letters.len() as f32 * share) as usize).min(letters.len().saturating_sub(1));
    while kept > 2 && !fits(&cut(kept)) {
        kept -= 1;
    }
    let text = cut(kept);
    paint_in(painter, rect, Align2::LEFT_CENTER, &text, role, color)
}

/// Paints up to `rows` lines of words from the left top of a rectangle on; what is longer is cut with "…".
pub fn paint_rows(
    painter: &Painter,
    rect: Rect,
    rows: usize,
    text: &str,
    role: Role,
    color: Color32,
) -> Rect {
    let mut job = LayoutJob::single_section(unbroken(text), format(role, color));
    job.wrap.max_width = rect.width();
    job.wrap.max_rows = rows;
    let galley = painter.layout_job(job);
    let place = Rect::from_min_size(rect.min, galley.size());
    painter.galley(place.min, galley, color);
    place
}

/// Text whose figures stay with their units where it wraps: egui ends lines at narrow no-break spaces, not at wide ones.
pub fn unbroken(text: &str) -> String {
    text.replace(THIN, "\u{A0}")
}

/// Paints a figure with its unit in the quiet colour (`343 kWh`).
pub fn paint_value(
    painter: &Painter,
    at: Pos2,
    anchor: Align2,
    text: &str,
    role: Role,
    colors: (Color32, Color32),
) -> Rect {
    let cut = text
        .rfind(THIN)
        .filter(|i| {
            text[*i..]
                .chars()
                .nth(1)
                .is_some_and(|c| !c.is_ascii_digit())
        })
        .unwrap_or(text.len());
    let mut job = LayoutJob::default();
    job.append(&text[..cut], 0.0, format(role, colors.0));
    job.append(&text[cut..], 0.0, format(role, colors.1));
    job.wrap.max_rows = 1;
    let galley = painter.layout_job(job);
    let rect = anchor.anchor_size(at, galley.size());
    painter.galley(rect.min, galley, colors.0);
    rect
}

/// A line that screen readers and tests find by its text.
pub fn label_at(
    ui: &mut Ui,
    at: Pos2,
    anchor: Align2,
    text: &str,
    role: Role,
    color: Color32,
) -> Rect {
    let rect = paint(ui.painter(), at, anchor, text, role, color);
    let id = ui.next_auto_id();
    ui.skip_ahead_auto_ids(1);
    let response = ui.interact(rect, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, text));
    rect
}

/// The same inside a rectangle, from its left end; cut where it is too long, and read whole under the pointer then.
pub fn label_in(ui: &mut Ui, rect: Rect, text: &str, role: Role, color: Color32) -> Rect {
    let painted = paint_in(ui.painter(), rect, Align2::LEFT_CENTER, text, role, color);
    let id = ui.next_auto_id();
    ui.skip_ahead_auto_ids(1);
    let response = ui.interact(painted, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, text));
    if width_of(ui.painter(), text, role) > rect.width() {
        response.on_hover_text(text);
    }
    painted
}

/// A heading left of a point.
pub fn heading(ui: &mut Ui, at: Pos2, text: &str, role: Role, color: Color32) -> Rect {
    label_at(ui, at, Align2::LEFT_CENTER, text, role, color)
}
