//! Rows of the comparison: where the step goes, how each scales.

use super::compare::Grid;
use super::compare_parts::change_ui;
use super::compare_units::Basis;
use super::scaling_mini::Minis;
use super::scene::Scene;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{paint, paint_in, paint_value, segmented_bar, width_of};
use crate::planner::PredictedRun;
use crate::predictor::Breakdown;
use egui::{Align2, Rect, Ui, pos2, vec2};

/// Where the step goes: one bar a column on one scale, then a line for each part with its difference.
pub fn bars_row(ui: &mut Ui, grid: &Grid<'_>) {
    let t = Tokens::of(ui);
    let total = |r: &PredictedRun| grid.units.basis.of_part(r.prediction.breakdown.total(), r);
    let longest = grid.items.iter().map(|(_, r)| total(r)).fold(0.0, f64::max);
    let title = match grid.units.basis {
        Basis::Step => "Where the step goes",
        Basis::Run => "Where the run goes",
    };
    let row = grid.row(ui, 46.0);
    paint(
        ui.painter(),
        grid.names(row).left_top() + vec2(0.0, 12.0),
        Align2::LEFT_CENTER,
        title,
        Role::Section,
        t.strong,
    );
    let base = grid.items.first().map_or(1.0, |(_, r)| total(r));
    for (i, (_, run)) in grid.items.iter().enumerate() {
        let cell = grid.cell(i, row);
        let at = cell.left_top() + vec2(0.0, 12.0);
        paint_value(
            ui.painter(),
            at,
            Align2::LEFT_CENTER,
            &grid.units.total.text(total(run)),
            Role::Section,
            (t.strong, t.sub),
        );
        if i > 0 {
            change_ui(
                ui,
                cell.right_top() + vec2(0.0, 12.0),
                total(run) / base,
                false,
            );
        }
        let width = cell.width() * (total(run) / longest.max(1e-12)) as f32;
        let bar = Rect::from_min_size(cell.left_top() + vec2(0.0, 24.0), vec2(width, 14.0));
        let parts = &run.prediction.breakdown;
        segmented_bar(ui.painter(), bar, parts, parts.total().value(), t);
    }
    let present = |place: usize| {
        let has = |r: &PredictedRun| r.prediction.breakdown.parts()[place].1.value() > 0.0;
        grid.items.iter().any(|(_, r)| has(r))
    };
    let parts = Breakdown::default().parts();
    let places: Vec<usize> = (0..parts.len()).filter(|p| present(*p)).collect();
    let room = Room::of(ui, grid, &places);
    for place in places {
        part_row(ui, grid, (place, parts[place].0), longest, &room);
    }
}

/// What the figures beside the bars take, of the widest of all rows, so that the bars share one scale.
struct Room {
    /// Left of the bars.
    lead: f32,
    /// Right of them.
    tail: f32,
}

impl Room {
    fn of(ui: &Ui, grid: &Grid<'_>, places: &[usize]) -> Self {
        let mut room = Self {
            lead: 46.0,
            tail: 56.0,
        };
        let width = |text: &str| width_of(ui.painter(), text, Role::Body);
        for place in places {
            let unit = grid.units.part(*place);
            let base = grid
                .items
                .first()
                .map_or(0.0, |(_, r)| part_of(grid, *place, r));
            for (i, (_, run)) in grid.items.iter().enumerate() {
                let seconds = part_of(grid, *place, run);
                room.lead = room.lead.max(width(&unit.text(seconds)));
                if i > 0 {
                    let text = unit.difference(seconds - base);
                    room.tail = room.tail.max(width(&text));
                }
            }
        }
        room.lead += 10.0;
        room.tail += 10.0;
        room
    }
}

/// Seconds of a part of a run, of a step or of the whole.
fn part_of(grid: &Grid<'_>, place: usize, run: &PredictedRun) -> f64 {
    grid.units
        .basis
        .of_part(run.prediction.breakdown.parts()[place].1, run)
}

fn part_row(ui: &mut Ui, grid: &Grid<'_>, (place, name): (usize, &str), longest: f64, room: &Room) {
    let t = Tokens::of(ui);
    let row = grid.row(ui, 20.0);
    let names = grid.names(row);
    let swatch = Rect::from_center_size(names.left_center() + vec2(4.5, 0.0), vec2(9.0, 9.0));
    ui.painter().rect_filled(swatch, 2.0, t.part(place));
    paint_in(
        ui.painter(),
        names.with_min_x(names.left() + 16.0),
        Align2::LEFT_CENTER,
        name,
        Role::Body,
        t.sub,
    );
    let value = |r: &PredictedRun| part_of(grid, place, r);
    let unit = grid.units.part(place);
    let base = grid.items.first().map_or(0.0, |(_, r)| value(r));
    for (i, (_, run)) in grid.items.iter().enumerate() {
        let cell = grid.cell(i, row);
        let seconds = value(run);
        paint_value(
            ui.painter(),
            cell.left_center(),
            Align2::LEFT_CENTER,
            &unit.text(seconds),
            Role::Body,
            (t.text, t.sub),
        );
        let width = (cell.width() - room.lead - room.tail).max(0.0);
        let width = (width * (seconds / longest.max(1e-12)) as f32).max(0.0);
        let bar = Rect::from_min_size(
            pos2(cell.left() + room.lead, cell.center().y - 4.0),
            vec2(width.max(1.0), 8.0),
        );
        ui.painter().rect_filled(bar, 2.0, t.part(place));
        if i == 0 {
            continue;
        }
        let difference = seconds - base;
        // A hundredth of the longest bar is no news.
        let color = if difference.abs() < 0.01 * longest {
            t.sub
        } else if difference > 0.0 {
            t.bad
        } else {
            t.good
        };
        paint(
            ui.painter(),
            cell.right_center(),
            Align2::RIGHT_CENTER,
            &unit.difference(difference),
            Role::Body,
            color,
        );
    }
}

/// Height of the scaling plots: the least, and the most that they take of what is left over.
const PLOT: (f32, f32) = (150.0, 260.0);

/// Scaling of each part and mode, the baseline's behind it; `room` is what the window has below.
pub fn scaling_row(ui: &mut Ui, cx: &Scene<'_>, grid: &Grid<'_>, room: f32) {
    let t = Tokens::of(ui);
    let row = grid.row(ui, room.clamp(PLOT.0, PLOT.1));
    let names = grid.names(row);
    paint(
        ui.painter(),
        names.left_top() + vec2(0.0, 14.0),
        Align2::LEFT_CENTER,
        "Scaling",
        Role::Section,
        t.strong,
    );
    let galley = ui.painter().layout(
        "Total time against accelerators on the same log axes in every column. % = scaling efficiency, band = 90\u{A0}% \
         interval. The baseline lies behind."
            .to_owned(),
        Role::Caption.font(),
        t.sub,
        names.width(),
    );
    ui.painter()
        .galley(names.left_top() + vec2(0.0, 26.0), galley, t.sub);
    let minis = Minis::of(cx, grid.plan, grid.items.iter().map(|(c, _)| *c));
    for (i, (c, _)) in grid.items.iter().enumerate() {
        minis.mini_ui(ui, grid.cell(i, row), (i, c));
    }
}
