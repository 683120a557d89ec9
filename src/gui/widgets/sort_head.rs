//! The title of a column: a click sorts, an arrow shows how.

use super::{focus_ring, is_hovered, paint_in};
use crate::gui::theme::{Fill, Mark, PaintMark, Role, Tokens};
use egui::{Align2, Rect, Response, Sense, Ui, WidgetInfo, accesskit, pos2};

/// A column's title and how it is sorted.
pub struct SortHead<'a> {
    /// What it says.
    pub title: &'a str,
    /// The unit of its figures, where they share one.
    pub unit: Option<&'a str>,
    /// Whether its figures stand at the right edge.
    pub is_right: bool,
    /// Whether the largest is first; `None` where another column decides.
    pub descending: Option<bool>,
}

/// Draws the title.
pub fn sort_head(ui: &mut Ui, rect: Rect, head: &SortHead<'_>) -> Response {
    let t = Tokens::of(ui);
    let response = ui.interact(
        rect,
        ui.scope_id().with(("head", head.title)),
        Sense::click(),
    );
    let direction = match head.descending {
        None => "",
        Some(true) => ", largest first",
        Some(false) => ", smallest first",
    };
    response.widget_info(|| {
        let text = format!("Sort by {}{direction}", head.title);
        WidgetInfo::labeled(accesskit::Role::ColumnHeader, true, text)
    });
    let is_sorted = head.descending.is_some();
    let color = if is_sorted || is_hovered(ui, &response) {
        t.strong
    } else {
        t.sub
    };
    let anchor = if head.is_right {
        Align2::RIGHT_CENTER
    } else {
        Align2::LEFT_CENTER
    };
    let title = match head.unit {
        Some(unit) => format!("{}, {unit}", head.title),
        None => head.title.to_owned(),
    };
    let text = paint_in(ui.painter(), rect, anchor, &title, Role::Caption, color);
    if let Some(descending) = head.descending {
        let x = if head.is_right {
            text.left() - 7.0
        } else {
            text.right() + 7.0
        };
        let at = pos2(x, rect.center().y);
        Mark::arrow(!descending).paint(ui.painter(), at, 2.6, Fill::Solid, t.strong);
    }
    focus_ring(ui, &response, 2.0);
    response
}
