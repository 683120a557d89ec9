//! Heat map: precision against accelerator or count, coloured by total time.

use super::scene::{Scene, cached, key_of, short_label, title_of};
use crate::domain::PrecisionMode;
use crate::format;
use crate::gui::command::Action;
use crate::gui::theme::{Fill, Role, Tokens, paint_swatch};
use crate::gui::widgets::{chip_text, focus_ring, paint, paint_in, paint_rows};
use crate::planner::{Combination, Outcome, Plan, Standing};
use egui::{Align2, Rect, Sense, Stroke, StrokeKind, Ui, WidgetInfo, accesskit, pos2, vec2};
use std::collections::BTreeMap;

/// Draws the heat map: modes down; across, the accelerators at the selected count, or the counts of the selected
/// accelerator.
pub fn heatmap_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else { return };
    let by_count = cx.state.settings.heat_by_count;
    let fixed = match cx.selection() {
        Some((_, c, _)) if by_count => Fixed::Part(c.accelerator.name.clone()),
        Some((_, c, _)) => Fixed::Count(c.count),
        None if by_count => Fixed::Part(first_part(plan)),
        None => Fixed::Count(plan.request.counts.first().copied().unwrap_or(1)),
    };
    let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
    let key = key_of(&(cx.tab.id, stamp, &fixed));
    let cells = cached(ui, "heat", key, || Cells::of(plan, &fixed));
    let what = match &fixed {
        Fixed::Count(count) => {
            let count = f64::from(*count);
            format!(
                "{} accelerator{}",
                format::count(count),
                format::plural(count)
            )
        }
        Fixed::Part(_) => cells.part_label.clone(),
    };
    let framed = match cells.any_beyond {
        true => "; an amber frame: beyond a limit",
        false => "",
    };
    let text = format!("Total time on {what}; the stronger the colour, the faster{framed}");
    let right = area.right();
    // Two lines beside the buttons, above the names of the columns.
    let caption = Rect::from_min_max(
        area.min + vec2(0.0, 4.0),
        pos2(right - 68.0 - 100.0 - 10.0, area.top() + 34.0),
    );
    paint_rows(ui.painter(), caption, 2, &text, Role::Caption, t.sub);
    for (i, (name, on)) in [("By count", by_count), ("By accelerator", !by_count)]
        .into_iter()
        .enumerate()
    {
        let x = right - i as f32 * 68.0;
        let width = if i == 0 { 64.0 } else { 100.0 };
        let place = Rect::from_min_max(pos2(x - width, area.top()), pos2(x, area.top() + 22.0));
        if chip_text(ui, place, name, name, on).clicked() {
            cx.send(Action::HeatByCount(i == 0));
        }
    }
    let grid = Rect::from_min_max(area.min + vec2(92.0, 52.0), area.max - vec2(0.0, 10.0));
    let modes = &plan.request.modes;
    let size = vec2(
        grid.width() / cells.columns.len().max(1) as f32,
        (grid.height() / modes.len().max(1) as f32).min(52.0),
    );
    for (i, column) in cells.columns.iter().enumerate() {
        let x = grid.left() + (i as f32 + 0.5) * size.x;
        let place = Rect::from_center_size(pos2(x, grid.top() - 11.0), vec2(size.x, 16.0));
        paint_in(
            ui.painter(),
            place,
            Align2::CENTER_CENTER,
            column,
            Role::Caption,
            t.text,
        );
    }
    for (j, mode) in modes.iter().enumerate() {
        let y = grid.top() + (j as f32 + 0.5) * size.y;
        let swatch = pos2(area.left() + 6.0, y);
        paint_swatch(ui.painter(), swatch, Fill::of(*mode), t.mode(*mode));
        paint(
            ui.painter(),
            pos2(area.left() + 17.0, y),
            Align2::LEFT_CENTER,
            mode.label(),
            Role::Body,
            t.text,
        );
        for i in 0..cells.columns.len() {
            let found = cells.at.get(&(*mode, i));
            let found = found.and_then(|i| Some((*i, plan.combinations.get(*i)?)));
            let min = grid.min + vec2(i as f32 * size.x, j as f32 * size.y);
            let rect = Rect::from_min_size(min, size).shrink(2.0);
            if let Some((index, c)) = found {
                cell_ui(ui, cx, rect, index, c, cells.range);
            }
        }
    }
}

/// What all cells have in common.
#[derive(Debug, Hash)]
enum Fixed {
    Count(u32),
    Part(String),
}

fn first_part(plan: &Plan) -> String {
    let first = plan.request.accelerators.first();
    first.map_or_else(String::new, |a| a.name.clone())
}

/// Combinations by mode and column, and their shortest and longest time.
struct Cells {
    columns: Vec<String>,
    part_label: String,
    at: BTreeMap<(PrecisionMode, usize), usize>,
    range: (f64, f64),
    /// Whether some of them are beyond a limit.
    any_beyond: bool,
}

impl Cells {
    fn of(plan: &Plan, fixed: &Fixed) -> Self {
        let parts = &plan.request.accelerators;
        let mut cells = Self {
            columns: match fixed {
                Fixed::Count(_) => {
                    let labels = parts.iter().map(|a| short_label(plan, &a.label).to_owned());
                    labels.collect()
                }
                Fixed::Part(_) => plan.request.counts.iter().map(u32::to_string).collect(),
            },
            part_label: String::new(),
            at: BTreeMap::new(),
            range: (f64::INFINITY, 0.0),
            any_beyond: false,
        };
        for (i, c) in plan.combinations.iter().enumerate() {
            let column = match fixed {
                Fixed::Count(count) if c.count == *count => {
                    parts.iter().position(|a| a.name == c.accelerator.name)
                }
                Fixed::Part(name) if c.accelerator.name == *name => {
                    cells.part_label.clone_from(&c.accelerator.label);
                    plan.request.counts.iter().position(|n| *n == c.count)
                }
                _ => None,
            };
            let Some(column) = column else { continue };
            cells.at.entry((c.mode, column)).or_insert(i);
            if let Some(run) = c.run() {
                let hours = run.total_time_h.value;
                cells.range = (cells.range.0.min(hours), cells.range.1.max(hours));
                cells.any_beyond |= plan.standing(run) == Some(Standing::Beyond);
            }
        }
        cells
    }
}

/// Height that time and cost of a cell take one above the other.
const TWO_LINES: f32 = 29.0;

/// Where the time stands in a cell, and the cost below it where there is room for both.
fn lines_of(cell: Rect) -> (Rect, Option<Rect>) {
    if cell.height() < TWO_LINES {
        return (cell, None);
    }
    let middle = cell.center().y;
    let lower = cell.with_min_y(middle + 1.0);
    (cell.with_max_y(middle + 2.0), Some(lower))
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
            // Amber words could not be read on the stronger colours.
            let standing = cx.plan().and_then(|plan| plan.standing(run));
            if standing == Some(Standing::Beyond) {
                let edge = Stroke::new(1.5, t.warn);
                ui.painter()
                    .rect_stroke(rect, 4.0, edge, StrokeKind::Inside);
            }
            let time = format::hours(run.total_time_h.value);
            let cost = run.cost_text();
            let (upper, lower) = lines_of(rect);
            let (place, role) = match lower {
                Some(_) => (Align2::CENTER_BOTTOM, Role::Section),
                None => (Align2::CENTER_CENTER, Role::Caption),
            };
            paint_in(ui.painter(), upper, place, &time, role, t.strong);
            match lower {
                Some(lower) => {
                    let place = Align2::CENTER_TOP;
                    paint_in(ui.painter(), lower, place, &cost, Role::Caption, t.strong);
                }
                None => {
                    response.clone().on_hover_text(format!("{time}, {cost}"));
                }
            }
            if response.clicked() {
                cx.pick(ui.ctx(), index);
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
    let is_hovered = cx.hover(index, response.hovered());
    if cx.tab.selected == Some(index) {
        ui.painter()
            .rect_stroke(rect, 4.0, Stroke::new(2.0, t.accent), StrokeKind::Outside);
    } else if is_hovered {
        ui.painter()
            .rect_stroke(rect, 4.0, Stroke::new(1.5, t.text), StrokeKind::Inside);
    }
    focus_ring(ui, &response, 4.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_cell_has_one_line() {
        let cell = |height| Rect::from_min_size(pos2(0.0, 0.0), vec2(80.0, height));
        for height in [8.0, 16.0, 20.0, 28.0] {
            assert_eq!(lines_of(cell(height)), (cell(height), None));
        }
        let (upper, lower) = lines_of(cell(40.0));
        let lower = lower.unwrap();
        assert!(upper.height() >= 16.0 && lower.height() >= 14.0 && lower.bottom() <= 40.0);
    }
}
