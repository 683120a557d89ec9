//! Heat map: precision against accelerator at one count, coloured by total time.

use super::scene::{Scene, cost_text, short_label, title_of};
use crate::format;
use crate::gui::command::Action;
use crate::gui::theme::{Fill, Role, Tokens, paint_swatch};
use crate::gui::widgets::{focus_ring, paint, paint_in};
use crate::planner::{Combination, Outcome};
use egui::{Align2, Rect, Sense, Stroke, StrokeKind, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Draws the heat map at the count of the selection.
pub fn heatmap_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else { return };
    let count = cx
        .selection()
        .map(|(_, c, _)| c.count)
        .or_else(|| plan.request.counts.first().copied())
        .unwrap_or(1);
    let (modes, parts) = (&plan.request.modes, &plan.request.accelerators);
    let text = format!("Total time on {count} accelerators; the stronger the colour, the faster");
    paint(
        ui.painter(),
        area.min + vec2(0.0, 11.0),
        Align2::LEFT_CENTER,
        &text,
        Role::Caption,
        t.sub,
    );
    let grid = Rect::from_min_max(area.min + vec2(92.0, 46.0), area.max - vec2(0.0, 10.0));
    let cell = vec2(
        grid.width() / parts.len().max(1) as f32,
        (grid.height() / modes.len().max(1) as f32).min(52.0),
    );
    let times = plan
        .combinations
        .iter()
        .filter(|c| c.count == count)
        .filter_map(|c| Some(c.run()?.total_time_h.value));
    let (low, high) = times.fold((f64::INFINITY, 0.0f64), |(a, b), v| (a.min(v), b.max(v)));
    for (i, part) in parts.iter().enumerate() {
        let x = grid.left() + (i as f32 + 0.5) * cell.x;
        paint(
            ui.painter(),
            pos2(x, grid.top() - 11.0),
            Align2::CENTER_CENTER,
            short_label(plan, &part.label),
            Role::Caption,
            t.text,
        );
    }
    for (j, mode) in modes.iter().enumerate() {
        let y = grid.top() + (j as f32 + 0.5) * cell.y;
        paint_swatch(
            ui.painter(),
            pos2(area.left() + 6.0, y),
            Fill::of(*mode),
            t.mode(*mode),
        );
        paint(
            ui.painter(),
            pos2(area.left() + 17.0, y),
            Align2::LEFT_CENTER,
            mode.label(),
            Role::Body,
            t.text,
        );
        for (i, part) in parts.iter().enumerate() {
            let found = plan.combinations.iter().enumerate().find(|(_, c)| {
                c.count == count && c.mode == *mode && c.accelerator.name == part.name
            });
            let min = grid.min + vec2(i as f32 * cell.x, j as f32 * cell.y);
            let rect = Rect::from_min_size(min, cell).shrink(2.0);
            if let Some((index, c)) = found {
                cell_ui(ui, cx, rect, index, c, (low, high));
            }
        }
    }
}

fn cell_ui(
    ui: &mut Ui,
    cx: &mut Scene<'_>,
    rect: Rect,
    index: usize,
    c: &Combination,
    (low, high): (f64, f64),
) {
    let t = Tokens::of(ui);
    let response = ui.interact(rect, ui.scope_id().with(("heat", index)), Sense::click());
    response.widget_info(|| {
        WidgetInfo::selected(
            accesskit::Role::Button,
            true,
            cx.tab.selected == Some(index),
            title_of(cx, c),
        )
    });
    match &c.outcome {
        Outcome::Predicted(run) => {
            let span = (high / low).ln().max(1e-6);
            let share = ((run.total_time_h.value / low).ln() / span).clamp(0.0, 1.0) as f32;
            ui.painter()
                .rect_filled(rect, 4.0, t.accent_fill.gamma_multiply(0.75 - 0.62 * share));
            let time = format::hours(run.total_time_h.value);
            let upper = Rect::from_min_max(rect.min, pos2(rect.right(), rect.center().y + 2.0));
            paint_in(
                ui.painter(),
                upper,
                Align2::CENTER_BOTTOM,
                &time,
                Role::Section,
                t.strong,
            );
            let lower = Rect::from_min_max(pos2(rect.left(), rect.center().y + 1.0), rect.max);
            paint_in(
                ui.painter(),
                lower,
                Align2::CENTER_TOP,
                &cost_text(run),
                Role::Caption,
                t.text,
            );
            if response.clicked() {
                cx.send(Action::Select(index));
            }
        }
        Outcome::Refused(reason) => {
            ui.painter()
                .rect_stroke(rect, 4.0, Stroke::new(1.0, t.line), StrokeKind::Inside);
            paint_in(
                ui.painter(),
                rect.shrink(4.0),
                Align2::CENTER_CENTER,
                "Refused",
                Role::Caption,
                t.sub,
            );
            response.clone().on_hover_text(reason);
        }
    }
    if cx.tab.selected == Some(index) {
        ui.painter()
            .rect_stroke(rect, 4.0, Stroke::new(2.0, t.accent), StrokeKind::Outside);
    }
    focus_ring(ui, &response, 4.0);
}
