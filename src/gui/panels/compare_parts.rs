//! Rows of the comparison: heads, figures, changes against the baseline.

use super::compare::Grid;
use super::compare_head::Item;
use super::scene::{Scene, seller_text, short_label, title_of};
use crate::format;
use crate::gui::command::Action;
use crate::gui::theme::{Fill, Icon, Mark, PaintMark, Role, Tokens};
use crate::gui::widgets::{
    icon_button, level_bars, memory_bar, paint, paint_in, paint_value, width_of,
};
use crate::planner::{Combination, PredictedRun};
use crate::units::{KgCo2e, KilowattHours};
use egui::{Align2, Rect, Ui, WidgetInfo, accesskit, pos2, vec2};

/// What the first column is called.
const BASELINE: &str = "Baseline";

/// Marks, names, layouts; the baseline's tag and the others' buttons.
pub fn head_ui(ui: &mut Ui, cx: &mut Scene<'_>, grid: &Grid<'_>) {
    let t = Tokens::of(ui);
    // Cut titles could not be told apart: where one has no room in its line, all take two.
    let needs = |(i, (c, _)): (usize, &Item<'_>), row: Rect| {
        let width = grid.cell(i, row).width();
        let takes = width_of(ui.painter(), &title_in(grid, cx, c, width), Role::Column);
        let after = match i {
            0 => width_of(ui.painter(), BASELINE, Role::Caption) + 12.0,
            _ => 20.0,
        };
        takes + 22.0 + after + 30.0 > width
    };
    let is_two = grid
        .items
        .iter()
        .enumerate()
        .any(|item| needs(item, ui.max_rect()));
    let row = grid.row(ui, if is_two { 74.0 } else { 56.0 });
    paint(
        ui.painter(),
        grid.names(row).left_top() + vec2(0.0, 18.0),
        Align2::LEFT_CENTER,
        "Against the first",
        Role::Body,
        t.sub,
    );
    for (i, (c, run)) in grid.items.iter().enumerate() {
        let cell = grid.cell(i, row);
        let y = cell.top() + 20.0;
        cx.paint_mark(ui.painter(), pos2(cell.left() + 7.0, y), 5.4, c, t);
        let title = title_in(grid, cx, c, cell.width());
        let close = Rect::from_center_size(pos2(cell.right() - 6.0, y), vec2(20.0, 20.0));
        if icon_button(ui, close, Icon::Close, &format!("Unpin {title}"), true).clicked() {
            cx.send(Action::Unpin(i));
        }
        let mut right = close.left() - 4.0;
        if i == 0 {
            right = tag(ui, pos2(right, y), BASELINE);
        } else {
            let place = Rect::from_center_size(pos2(right - 8.0, y), vec2(20.0, 20.0));
            let label = format!("Compare with {title}");
            if icon_button(ui, place, Icon::Target, &label, true)
                .on_hover_text("Make this the baseline")
                .clicked()
            {
                cx.send(Action::MakeBaseline(i));
            }
            right = place.left();
        }
        let room = Rect::from_min_max(
            pos2(cell.left() + 22.0, y - 10.0),
            pos2(right - 6.0, y + 10.0),
        );
        let first = if is_two { c.mode.label() } else { &title };
        let mut painted = paint_in(
            ui.painter(),
            room,
            Align2::LEFT_CENTER,
            first,
            Role::Column,
            t.strong,
        );
        let mut y = y;
        if is_two {
            y += 18.0;
            let second = title.strip_prefix(first).unwrap_or(&title).trim_start();
            let room =
                Rect::from_min_max(pos2(cell.left(), y - 10.0), pos2(cell.right(), y + 10.0));
            let (anchor, role) = (Align2::LEFT_CENTER, Role::Column);
            painted |= paint_in(ui.painter(), room, anchor, second, role, t.strong);
        }
        let id = ui.scope_id().with(("compared", i));
        let response = ui.interact(painted, id, egui::Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Heading, true, &title));
        response.on_hover_text(title_of(cx, c));
        let room = Rect::from_min_max(pos2(cell.left(), y + 9.0), pos2(cell.right(), y + 27.0));
        paint_in(
            ui.painter(),
            room,
            Align2::LEFT_CENTER,
            &run.layout,
            Role::Body,
            t.sub,
        );
    }
}

/// The name of a combination, shorter where its column is narrow.
fn title_in(grid: &Grid<'_>, cx: &Scene<'_>, c: &Combination, width: f32) -> String {
    if width > 300.0 {
        return title_of(cx, c);
    }
    let device = format::devices(c.count, short_label(grid.plan, &c.accelerator.label));
    format!("{} on {device}{}", c.mode.label(), seller_text(c))
}

/// A small word on the accent's ground; returns its left edge.
fn tag(ui: &Ui, right: egui::Pos2, text: &str) -> f32 {
    let t = Tokens::of(ui);
    let width = width_of(ui.painter(), text, Role::Caption) + 12.0;
    let rect = Rect::from_min_max(right - vec2(width, 8.5), right + vec2(0.0, 8.5));
    ui.painter().rect_filled(rect, 4.0, t.sel);
    paint(
        ui.painter(),
        rect.center(),
        Align2::CENTER_CENTER,
        text,
        Role::Caption,
        t.accent,
    );
    rect.left()
}

/// What a change that rounds to nothing is called.
const SAME: &str = "same";
/// Left of a change, for its arrow.
pub const ARROW: f32 = 14.0;

/// A change in words, without its arrow.
pub fn change_text(ratio: f64) -> String {
    match ratio {
        _ if !ratio.is_finite() || (ratio - 1.0).abs() < 0.005 => SAME.to_owned(),
        _ if ratio > 2.0 => format::ratio(ratio),
        _ => format::percent((ratio - 1.0).abs()),
    }
}

/// A change against the baseline with its arrow; returns its left edge. Where more is neither good nor bad it is quiet.
pub fn change_ui(ui: &Ui, right: egui::Pos2, ratio: f64, more_is_good: bool) -> f32 {
    let t = Tokens::of(ui);
    let text = change_text(ratio);
    if text == SAME {
        let (anchor, role) = (Align2::RIGHT_CENTER, Role::Body);
        return paint(ui.painter(), right, anchor, &text, role, t.sub).left();
    }
    let up = ratio > 1.0;
    let color = if up == more_is_good { t.good } else { t.bad };
    let rect = paint(
        ui.painter(),
        right,
        Align2::RIGHT_CENTER,
        &text,
        Role::Body,
        t.text,
    );
    Mark::arrow(up).paint(
        ui.painter(),
        pos2(rect.left() - 9.0, right.y),
        3.2,
        Fill::Solid,
        color,
    );
    rect.left() - ARROW
}

/// One line of figures: how it is called, its text, its value, whether more is better.
struct Figure {
    name: &'static str,
    /// Told in the unit that the largest of the row takes.
    text: fn(&PredictedRun, f64) -> String,
    value: fn(&PredictedRun) -> Option<f64>,
    more_is_good: bool,
    /// Whether the row is left out where no column knows the figure.
    is_optional: bool,
}

const FIGURES: [Figure; 3] = [
    Figure {
        name: "Energy",
        text: |r, largest| {
            r.energy_kwh.map_or_else(
                || "power unknown".to_owned(),
                |e| format::energy_beside(KilowattHours(largest), KilowattHours(e.value)),
            )
        },
        value: |r| r.energy_kwh.map(|e| e.value),
        more_is_good: false,
        is_optional: false,
    },
    Figure {
        name: "Carbon",
        text: |r, largest| {
            r.co2e_kg.map_or_else(
                || "no region chosen".to_owned(),
                |kg| {
                    format!(
                        "{} CO₂e",
                        format::emissions_beside(KgCo2e(largest), KgCo2e(kg))
                    )
                },
            )
        },
        value: |r| r.co2e_kg,
        more_is_good: false,
        is_optional: true,
    },
    Figure {
        name: "Rate each",
        text: |r, _| format::rate(per_device(r), r.units_name),
        value: |r| Some(per_device(r)),
        more_is_good: true,
        is_optional: false,
    },
];

fn per_device(run: &PredictedRun) -> f64 {
    run.units_per_s / f64::from(run.configuration.count.max(1))
}

/// Energy, carbon, rate, memory, confidence.
pub fn figure_rows(ui: &mut Ui, grid: &Grid<'_>) {
    let t = Tokens::of(ui);
    for figure in &FIGURES {
        // Without a region there is no carbon to compare: the field says so, not every column.
        let is_known = |(_, run): &(_, &PredictedRun)| (figure.value)(run).is_some();
        if figure.is_optional && !grid.items.iter().any(is_known) {
            continue;
        }
        let row = name_row(ui, grid, figure.name);
        let base = grid.items.first().and_then(|(_, r)| (figure.value)(r));
        let known = grid.items.iter().filter_map(|(_, r)| (figure.value)(r));
        let largest = known.fold(0.0, f64::max);
        for (i, (_, run)) in grid.items.iter().enumerate() {
            let cell = grid.cell(i, row);
            let known = (figure.value)(run);
            let color = if known.is_some() { t.strong } else { t.sub };
            paint_value(
                ui.painter(),
                cell.left_center(),
                Align2::LEFT_CENTER,
                &(figure.text)(run, largest),
                Role::Body,
                (color, t.sub),
            );
            if let (true, Some(a), Some(b)) = (i > 0, base, known) {
                change_ui(ui, cell.right_center(), b / a, figure.more_is_good);
            }
        }
    }
    let row = name_row(ui, grid, "Memory each");
    for (i, (_, run)) in grid.items.iter().enumerate() {
        let cell = grid.cell(i, row);
        let memory = &run.prediction.memory;
        let share = memory.total() / memory.capacity;
        let text = format!(
            "{} of {}\u{202F}GiB",
            format::number(memory.total().gib()),
            format::count(memory.capacity.gib())
        );
        let end = paint_value(
            ui.painter(),
            cell.left_center(),
            Align2::LEFT_CENTER,
            &text,
            Role::Body,
            (t.strong, t.sub),
        );
        let bar = Rect::from_min_size(
            pos2(end.right() + 12.0, cell.center().y - 3.0),
            vec2(64.0, 6.0),
        );
        if bar.right() < cell.right() - 40.0 {
            memory_bar(ui.painter(), bar, share as f32, t);
        }
        let text = format::percent(share);
        paint(
            ui.painter(),
            cell.right_center(),
            Align2::RIGHT_CENTER,
            &text,
            Role::Body,
            t.text,
        );
    }
    let row = name_row(ui, grid, "Confidence");
    for (i, (_, run)) in grid.items.iter().enumerate() {
        let cell = grid.cell(i, row);
        let bars = Rect::from_min_size(cell.left_center() - vec2(0.0, 5.0), vec2(11.0, 9.5));
        level_bars(ui.painter(), bars, run.confidence(), t);
        let word = paint(
            ui.painter(),
            cell.left_center() + vec2(18.0, 0.0),
            Align2::LEFT_CENTER,
            run.confidence().word(),
            Role::Body,
            t.strong,
        );
        paint(
            ui.painter(),
            word.right_center() + vec2(6.0, 0.0),
            Align2::LEFT_CENTER,
            &run.interval_text(),
            Role::Body,
            t.sub,
        );
    }
}

fn name_row(ui: &mut Ui, grid: &Grid<'_>, name: &str) -> Rect {
    let row = grid.row(ui, 24.0);
    let color = Tokens::of(ui).sub;
    paint(
        ui.painter(),
        grid.names(row).left_center(),
        Align2::LEFT_CENTER,
        name,
        Role::Body,
        color,
    );
    row
}
