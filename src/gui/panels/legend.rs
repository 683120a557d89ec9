//! The legend: modes with their swatches, accelerators with their marks; a click hides and shows.

use super::scene::{Scene, short_label};
use crate::domain::PrecisionMode;
use crate::gui::command::Action;
use crate::gui::theme::{Fill, Mark, PaintMark, Role, Tokens, paint_swatch, size};
use crate::gui::widgets::{focus_ring, paint, width_of};
use egui::{Align2, Rect, Response, Sense, Stroke, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Of a mark with its distance to the name.
const SWATCH: f32 = 15.0;
/// Between entries, and the least there may be.
const WIDE: f32 = 11.0;
const CLOSE: f32 = 4.0;

/// What a click does, alone and with Alt.
const TIP: &str = "Click hides or shows it; Alt+click shows it alone, again: all";

/// Draws the legend; returns the y below it.
pub fn legend_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) -> f32 {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else {
        return area.top();
    };
    let modes: Vec<PrecisionMode> = cx.tab.rows.modes.clone();
    let mut at = pos2(area.left(), area.top() + size::LEGEND / 2.0);
    let parts = plan.request.accelerators.iter();
    let names: Vec<&str> = (modes.iter().map(|mode| mode.label()))
        .chain(parts.map(|part| short_label(plan, &part.label)))
        .collect();
    let gap = gap_of(ui, &names, area.width());
    for mode in modes {
        let shown = !cx.tab.hidden_modes.contains(&mode);
        let (response, rect) = entry(ui, (&mut at, gap), area, mode.label(), shown);
        let hue = t.mode(mode).gamma_multiply(if shown { 1.0 } else { 0.3 });
        paint_swatch(
            ui.painter(),
            rect.left_center() + vec2(5.0, 0.0),
            Fill::of(mode),
            hue,
        );
        if response.clicked() {
            cx.send(if alone(ui) {
                Action::OnlyMode(mode)
            } else {
                Action::ToggleMode(mode)
            });
        }
    }
    ui.painter().vline(
        at.x,
        at.y - 5.0..=at.y + 5.0,
        Stroke::new(1.0, t.line_strong),
    );
    at.x += 12.0;
    for accelerator in &plan.request.accelerators {
        let shown = !cx.tab.hidden_accelerators.contains(&accelerator.name);
        let label = short_label(plan, &accelerator.label);
        let (response, rect) = entry(ui, (&mut at, gap), area, label, shown);
        let mark: Mark = cx.mark(&accelerator.name);
        let ink = t.text.gamma_multiply(if shown { 1.0 } else { 0.3 });
        mark.paint(
            ui.painter(),
            rect.left_center() + vec2(5.0, 0.0),
            4.0,
            Fill::Solid,
            ink,
        );
        if response.clicked() {
            let name = accelerator.name.clone();
            cx.send(if alone(ui) {
                Action::OnlyAccelerator(name)
            } else {
                Action::ToggleAccelerator(name)
            });
        }
    }
    let needed = width_of(ui.painter(), "Pareto front", Role::Caption) + 34.0;
    if at.x + needed < area.right() {
        ui.painter().vline(
            at.x,
            at.y - 5.0..=at.y + 5.0,
            Stroke::new(1.0, t.line_strong),
        );
        let x = at.x + 12.0;
        let steps = vec![
            pos2(x, at.y - 3.0),
            pos2(x + 8.0, at.y - 3.0),
            pos2(x + 8.0, at.y + 3.0),
            pos2(x + 16.0, at.y + 3.0),
        ];
        ui.painter().line(steps, Stroke::new(1.5, t.faint));
        paint(
            ui.painter(),
            pos2(x + 21.0, at.y),
            Align2::LEFT_CENTER,
            "Pareto front",
            Role::Caption,
            t.text,
        );
    }
    at.y + size::LEGEND / 2.0 + 4.0
}

/// Whether a click means this series alone.
fn alone(ui: &Ui) -> bool {
    ui.input(|i| i.modifiers.alt)
}

/// From one entry to the next: closer where one line can then hold them all, for a line less is a taller plot.
fn gap_of(ui: &Ui, names: &[&str], room: f32) -> f32 {
    let widths = names
        .iter()
        .map(|name| width_of(ui.painter(), name, Role::Caption) + SWATCH);
    // The rule between modes and parts takes its own.
    let left = room - widths.sum::<f32>() - 12.0;
    let gap = left / names.len().max(1) as f32;
    if gap < CLOSE { WIDE } else { gap.min(WIDE) }
}

/// One entry that toggles; starts a new line where the line is full.
fn entry(
    ui: &mut Ui,
    (at, gap): (&mut egui::Pos2, f32),
    area: Rect,
    label: &str,
    shown: bool,
) -> (Response, Rect) {
    let t = Tokens::of(ui);
    let width = width_of(ui.painter(), label, Role::Caption) + SWATCH;
    if at.x + width > area.right() {
        *at = pos2(area.left(), at.y + size::LEGEND - 4.0);
    }
    let rect = Rect::from_min_size(pos2(at.x, at.y - 9.0), vec2(width, 18.0));
    let response = ui.interact(rect, ui.scope_id().with(("legend", label)), Sense::click());
    let name = format!("Show {label}");
    response.widget_info(|| WidgetInfo::selected(accesskit::Role::CheckBox, true, shown, &name));
    let color = match (shown, response.hovered()) {
        (false, _) => t.faint,
        (true, true) => t.strong,
        (true, false) => t.text,
    };
    paint(
        ui.painter(),
        pos2(rect.left() + 14.0, rect.center().y),
        Align2::LEFT_CENTER,
        label,
        Role::Caption,
        color,
    );
    focus_ring(ui, &response, 3.0);
    let response = response.on_hover_text(TIP);
    at.x += width + gap;
    (response, rect)
}
