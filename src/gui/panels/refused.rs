//! Refused combinations at the foot of the table, each with its reason; folded to a few.

use super::scene::Scene;
use super::table_cells::{Asked, columns_of};
use crate::domain::PrecisionMode;
use crate::format;
use crate::gui::command::Action;
use crate::gui::rows::{Column, RefusedGroup};
use crate::gui::theme::{Fill, Icon, PaintMark, Role, Tokens, paint_icon, paint_swatch, size};
use crate::gui::widgets::{focus_ring, paint, paint_in, width_of};
use egui::{
    Align2, Galley, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, WidgetInfo, accesskit, pos2,
    vec2,
};
use std::sync::Arc;

/// Least height of a row: two lines of a reason, of which a wide window needs one.
fn least_height(cx: &Scene<'_>) -> f32 {
    if cx.wide { size::ROW } else { 32.0 }
}

/// What a list of reasons takes at most; longer ones scroll.
const MOST_HEIGHT: f32 = 200.0;

/// From the left edge of the tag "Refused" to that of the reason.
const TAG: f32 = 62.0;

/// Height of the one line of a folded list.
const LINE: f32 = 26.0;

/// Height of the line below the rows with the button for more.
const MORE: f32 = 20.0;

/// Refused groups shown while the list is folded.
fn folded(cx: &Scene<'_>) -> usize {
    if cx.wide { 5 } else { 1 }
}

/// Refused groups shown now.
fn refused_shown(cx: &Scene<'_>) -> usize {
    let all = cx.tab.rows.refused.len();
    if cx.tab.refused_expanded {
        // The rows of the table stay in sight beside the reasons; what is not shown is scrolled to.
        all.min(if cx.wide { 9 } else { 4 })
    } else {
        all.min(folded(cx))
    }
}

/// Whether a button unfolds or folds the list.
fn has_more(cx: &Scene<'_>) -> bool {
    cx.tab.refused_expanded || cx.tab.rows.refused.len() > folded(cx)
}

/// Columns of no plan in particular: the three that name a row stand in every table alike.
fn plain(cx: &Scene<'_>) -> Asked {
    Asked {
        wide: cx.wide,
        ..Asked::default()
    }
}

/// A reason wrapped to the room that a row of this width has for it: all of it, however many lines it takes.
fn reason_of(ui: &Ui, cx: &Scene<'_>, group: &RefusedGroup, width: f32) -> Arc<Galley> {
    // Refused rows have columns of their own: the table's may hide the three that name them.
    let columns = columns_of(width, &plain(cx), None);
    let count = columns.iter().find(|(c, _)| *c == Column::Count);
    let left = count.map_or(0.0, |(_, place)| place.right()) + 14.0 + TAG;
    let color = Tokens::of(ui).text;
    let text = short_reason(&group.reason).to_owned();
    ui.painter().layout(
        text,
        Role::Caption.font(),
        color,
        (width - 16.0 - left).max(80.0),
    )
}

fn row_height(cx: &Scene<'_>, reason: &Galley) -> f32 {
    least_height(cx).max(reason.size().y + 6.0)
}

/// Whether all there is to see is one line: a small window leaves the height to plot and table.
fn is_line(cx: &Scene<'_>) -> bool {
    !cx.wide && !cx.tab.refused_expanded && !cx.tab.rows.refused.is_empty()
}

/// Height of the refused rows at the bottom of a table of this width.
pub fn refused_height(ui: &Ui, cx: &Scene<'_>, width: f32) -> f32 {
    if is_line(cx) {
        return LINE;
    }
    let shown = cx.tab.rows.refused.iter().take(refused_shown(cx));
    let rows: f32 = (shown.map(|group| reason_of(ui, cx, group, width)))
        .map(|reason| row_height(cx, &reason))
        .sum();
    match rows {
        0.0 => 0.0,
        rows => rows.min(MOST_HEIGHT) + 2.0 + if has_more(cx) { MORE } else { 0.0 },
    }
}

/// Refused combinations with their reasons, folded to a few.
pub fn refused_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    ui.painter()
        .hline(area.x_range(), area.top() + 0.5, Stroke::new(1.0, t.line));
    if is_line(cx) {
        line_ui(ui, area, cx);
        return;
    }
    let tab = cx.tab;
    let groups = &tab.rows.refused;
    let shown = refused_shown(cx);
    let mut child = ui.new_child(
        UiBuilder::new()
            .max_rect(
                area.with_min_y(area.top() + 1.0)
                    .with_max_y(area.bottom() - if has_more(cx) { MORE } else { 0.0 }),
            )
            .id_salt("refused"),
    );
    child.spacing_mut().item_spacing = vec2(0.0, 0.0);
    let listed = if cx.tab.refused_expanded {
        groups.len()
    } else {
        shown
    };
    ScrollArea::vertical()
        .id_salt("refused-rows")
        .auto_shrink(false)
        .min_scrolled_height(0.0)
        .show(&mut child, |ui| {
            for group in groups.iter().take(listed) {
                refused_row(ui, cx, group);
            }
        });
    let hidden = groups.len().saturating_sub(shown);
    if !has_more(cx) {
        return;
    }
    let text = if cx.tab.refused_expanded {
        "Fewer reasons".to_owned()
    } else {
        format!("{hidden} more reason{}", format::plural(hidden as f64))
    };
    more_ui(ui, cx, area.bottom() - MORE / 2.0 - 1.0, &text);
}

/// The folded list of a small window: the first reason as far as there is room, and how many there are.
fn line_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let y = area.top() + LINE / 2.0;
    let groups = &cx.tab.rows.refused;
    let all = groups.len() as f64;
    let count = format!("{} reason{}", format::count(all), format::plural(all));
    let Some((group, c)) = groups.first().and_then(|group| {
        let plan = cx.plan()?;
        Some((group, plan.combinations.get(group.example)?))
    }) else {
        return;
    };
    let label = cx.label(&c.accelerator.label);
    let reason = short_reason(&group.reason);
    let text = format!("{} on {label}: {reason}", group.mode.label());
    let full = format!("Refused: {text}");
    let right = more_ui(ui, cx, y, &count);
    let tag = tag_ui(ui, pos2(area.left() + size::CENTRE_MARGIN, y));
    let room = Rect::from_min_max(
        pos2(tag.right() + 10.0, area.top() + 2.0),
        pos2(right - 10.0, area.top() + LINE),
    );
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        &text,
        Role::Caption,
        t.text,
    );
    let id = ui.scope_id().with("first-reason");
    let response = ui.interact(room, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Row, true, &full));
    response.on_hover_text(&group.reason);
}

/// The word "Refused" on its ground, from its left middle on; where it stands.
fn tag_ui(ui: &Ui, left: egui::Pos2) -> Rect {
    let t = Tokens::of(ui);
    let tag = Rect::from_min_size(left - vec2(0.0, 8.5), vec2(52.0, 17.0));
    ui.painter()
        .rect_filled(tag, 4.0, t.bad.gamma_multiply(0.14));
    paint(
        ui.painter(),
        tag.center(),
        Align2::CENTER_CENTER,
        "Refused",
        Role::Caption,
        t.bad,
    );
    tag
}

/// The button that unfolds or folds the list, at the right; where it begins.
fn more_ui(ui: &mut Ui, cx: &mut Scene<'_>, y: f32, text: &str) -> f32 {
    let t = Tokens::of(ui);
    let right = pos2(ui.max_rect().right() - 30.0, y);
    let rect = Rect::from_min_max(
        right - vec2(width_of(ui.painter(), text, Role::Body) + 6.0, 10.0),
        right + vec2(20.0, 10.0),
    );
    let response = ui.interact(rect, ui.scope_id().with("more-reasons"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Button, true, text));
    ui.painter().rect_filled(
        rect,
        4.0,
        if response.hovered() { t.hover } else { t.panel },
    );
    paint(
        ui.painter(),
        right,
        Align2::RIGHT_CENTER,
        text,
        Role::Body,
        t.text,
    );
    let icon = Icon::chevron(!cx.tab.refused_expanded);
    paint_icon(ui.painter(), right + vec2(10.0, 0.0), icon, t.sub, 0.8);
    focus_ring(ui, &response, 4.0);
    if response.clicked() {
        cx.send(Action::ExpandRefused(!cx.tab.refused_expanded));
    }
    rect.left()
}

fn refused_row(ui: &mut Ui, cx: &Scene<'_>, group: &RefusedGroup) {
    let t = Tokens::of(ui);
    let area = ui.max_rect();
    let reason = reason_of(ui, cx, group, area.width());
    let height = row_height(cx, &reason);
    let (rect, response) = ui.allocate_exact_size(vec2(area.width(), height), Sense::hover());
    let Some(c) = cx.plan().and_then(|p| p.combinations.get(group.example)) else {
        return;
    };
    let mode: PrecisionMode = group.mode;
    response.widget_info(|| {
        let text = format!(
            "Refused: {} on {}. {}",
            mode.label(),
            c.accelerator.label,
            short_reason(&group.reason)
        );
        WidgetInfo::labeled(accesskit::Role::Row, true, text)
    });
    let columns = columns_of(rect.width(), &plain(cx), None);
    let place = |column| {
        columns
            .iter()
            .find(|(c, _)| *c == column)
            .map_or(rect, |(_, r)| {
                let place = r.translate(rect.min.to_vec2());
                Rect::from_x_y_ranges(place.x_range(), rect.y_range())
            })
    };
    let precision = place(Column::Precision);
    paint_swatch(
        ui.painter(),
        precision.left_center() + vec2(5.0, 0.0),
        Fill::of(mode),
        t.mode(mode).gamma_multiply(0.6),
    );
    paint(
        ui.painter(),
        precision.left_center() + vec2(16.0, 0.0),
        Align2::LEFT_CENTER,
        mode.label(),
        Role::Body,
        t.sub,
    );
    let part = place(Column::Accelerator);
    cx.mark(&c.accelerator.name).paint(
        ui.painter(),
        part.left_center() + vec2(5.0, 0.0),
        3.8,
        Fill::Solid,
        t.faint,
    );
    let name = part.with_min_x(part.left() + 18.0);
    paint_in(
        ui.painter(),
        name,
        Align2::LEFT_CENTER,
        cx.label(&c.accelerator.label),
        Role::Body,
        t.sub,
    );
    let (low, high) = group.counts;
    let counts = if low == high {
        low.to_string()
    } else {
        format!("{low}–{high}")
    };
    let count = place(Column::Count);
    paint(
        ui.painter(),
        count.right_center(),
        Align2::RIGHT_CENTER,
        &counts,
        Role::Body,
        t.sub,
    );
    let tag = tag_ui(ui, pos2(count.right() + 14.0, rect.center().y));
    let at = pos2(tag.left() + TAG, rect.center().y);
    let at = Align2::LEFT_CENTER.anchor_size(at, reason.size());
    ui.painter().galley(at.min, reason, t.text);
    response.on_hover_text(&group.reason);
}

/// A reason without the part's name, which stands in the row already.
fn short_reason(reason: &str) -> &str {
    reason
        .split_once(" lacks it: ")
        .map_or(reason, |(_, rest)| rest)
}
