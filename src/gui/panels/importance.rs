//! What matters over the whole data set: how much larger the error is without each feature, by stage.

use super::scene::Scene;
use super::why::LABEL;
use crate::format;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{paint, paint_in, section_head, text_link, width_of};
use crate::predictor::{Importance, Stage};
use egui::{Align2, Id, Rect, Response, Sense, Ui, pos2, vec2};

/// Height of a line.
pub const ROW: f32 = 18.0;

/// How many features of each stage are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Most {
    /// So many.
    Of(usize),
    /// So many, and the rest on a click.
    Openable(usize),
}

/// Draws what moves figures most over the whole data set.
pub fn importance_ui(ui: &mut Ui, cx: &Scene<'_>, title: &str, most: Most) {
    let t = Tokens::of(ui);
    let importance = cx.backend.importance();
    if importance.is_empty() {
        return;
    }
    section_head(ui, title, "error without it");
    // One device exchanges nothing.
    let is_alone = cx.selection().is_some_and(|(_, c, _)| c.count == 1);
    let stages = [Stage::Compute, Stage::Communication, Stage::Overlap];
    for stage in stages.into_iter().take(if is_alone { 1 } else { 3 }) {
        let mut of_stage: Vec<_> = importance.iter().filter(|i| i.stage == stage).collect();
        of_stage.sort_by(|a, b| b.permutation.total_cmp(&a.permutation));
        let Some(largest) = of_stage.first().map(|i| i.permutation.max(1e-9)) else {
            continue;
        };
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
        paint(
            ui.painter(),
            rect.left_center() + vec2(size::MARGIN, 0.0),
            Align2::LEFT_CENTER,
            stage.label(),
            Role::Caption,
            t.sub,
        );
        let (few, rest) = match most {
            Most::Of(few) => (few, 0),
            Most::Openable(few) => (few, of_stage.len().saturating_sub(few)),
        };
        let id = Id::unique(("importance-open", stage.label()));
        let open = rest > 0 && ui.data(|d| d.get_temp(id)).unwrap_or(false);
        let shown = if open { of_stage.len() } else { few };
        for item in of_stage.into_iter().take(shown) {
            feature_ui(ui, item, largest);
        }
        if rest > 0 && more_ui(ui, stage, rest, open).clicked() {
            ui.data_mut(|d| d.insert_temp(id, !open));
        }
    }
}

/// The line that shows the rest of a stage, or hides it again.
fn more_ui(ui: &mut Ui, stage: Stage, rest: usize, open: bool) -> Response {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let words = if open {
        "fewer".to_owned()
    } else {
        format!("{rest} more")
    };
    let left = rect.left() + size::MARGIN + 8.0;
    let right = pos2(
        left + width_of(ui.painter(), &words, Role::Caption),
        rect.center().y,
    );
    let name = format!("{}, {words}", stage.label());
    text_link(ui, right, &words, &name)
}

fn feature_ui(ui: &mut Ui, item: &Importance, largest: f64) {
    let t = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let sign = if item.permutation < 0.0 { "" } else { "+" };
    let text = format!("{sign}{}", format::percent_in_table(item.permutation));
    response.widget_info(|| {
        let text = format!("{} {text}", item.feature);
        egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, text)
    });
    response.on_hover_text(&item.feature);
    let inner = rect.shrink2(vec2(size::MARGIN, 0.0));
    let label = Rect::from_min_max(
        inner.min + vec2(8.0, 0.0),
        pos2(
            inner.left() + (inner.width() * 0.56).min(LABEL),
            inner.bottom(),
        ),
    );
    paint_in(
        ui.painter(),
        label,
        Align2::LEFT_CENTER,
        &item.feature,
        Role::Caption,
        t.text,
    );
    let column = Rect::from_min_max(
        pos2(label.right() + 6.0, rect.center().y - 3.0),
        pos2(inner.right() - 52.0, rect.center().y + 3.0),
    );
    let mut bar = column;
    bar.set_width(column.width() * (item.permutation / largest).clamp(0.0, 1.0) as f32);
    ui.painter().rect_filled(bar, 2.0, t.part(3));
    paint(
        ui.painter(),
        pos2(inner.right(), rect.center().y),
        Align2::RIGHT_CENTER,
        &text,
        Role::Caption,
        t.text,
    );
}
