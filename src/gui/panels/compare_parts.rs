//! Rows of the comparison: heads, times with their intervals, figures.

use super::compare::Grid;
use super::scene::{Scene, devices_of, seller_text, short_label, title_of};
use crate::format;
use crate::gui::command::Action;
use crate::gui::measure::Measure;
use crate::gui::theme::{Fill, Icon, Mark, PaintMark, Role, Tokens};
use crate::gui::widgets::{
    icon_button, level_bars, memory_bar, paint, paint_in, paint_value, width_of,
};
use crate::planner::{Combination, PredictedRun};
use crate::units::{KgCo2e, KilowattHours};
use egui::{Align2, Rect, Stroke, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Marks, names, layouts; the baseline's tag and the others' buttons.
pub fn head_ui(ui: &mut Ui, cx: &mut Scene<'_>, grid: &Grid<'_>) {
    let t = Tokens::of(ui);
    let row = grid.row(ui, 56.0);
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
            right = tag(ui, pos2(right, y), "Baseline");
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
        let painted = paint_in(
            ui.painter(),
            room,
            Align2::LEFT_CENTER,
            &title,
            Role::Column,
            t.strong,
        );
        let id = ui.scope_id().with(("compared", i));
        ui.interact(painted, id, egui::Sense::hover())
            .widget_info(|| WidgetInfo::labeled(accesskit::Role::Heading, true, &title));
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
    let device = devices_of(c.count, short_label(grid.plan, &c.accelerator.label));
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

/// Time and cost: value, interval in words, change, and the interval on a scale that all columns share.
pub fn times_rows(ui: &mut Ui, grid: &Grid<'_>) {
    for measure in [Measure::Time, Measure::Cost] {
        let row = grid.row(ui, 44.0);
        names_of_limit(ui, grid, row, measure);
        let limit = measure.limit(grid.plan);
        let ends = grid.items.iter().filter_map(|(_, run)| measure.of(run));
        let (low, high) = ends.fold((f64::INFINITY, 0.0f64), |(low, high), e| {
            (low.min(e.low), high.max(e.high))
        });
        let (low, high) = (
            low.min(limit.unwrap_or(low)),
            high.max(limit.unwrap_or(high)),
        );
        for i in 0..grid.items.len() {
            interval_cell(ui, grid, i, grid.cell(i, row), measure, (low, high));
        }
    }
}

fn names_of_limit(ui: &Ui, grid: &Grid<'_>, row: Rect, measure: Measure) {
    let t = Tokens::of(ui);
    let names = grid.names(row);
    paint(
        ui.painter(),
        names.left_top() + vec2(0.0, 11.0),
        Align2::LEFT_CENTER,
        measure.title(),
        Role::Body,
        t.sub,
    );
    let Some(limit) = measure.limit(grid.plan) else {
        return;
    };
    let text = match measure {
        Measure::Cost => format!("budget {}", format::money(crate::units::Usd(limit))),
        _ => format!("deadline {}", format::hours(limit)),
    };
    let at = names.left_top() + vec2(2.0, 28.0);
    ui.painter()
        .vline(at.x, at.y - 5.0..=at.y + 5.0, Stroke::new(2.0, t.warn));
    paint(
        ui.painter(),
        at + vec2(8.0, 0.0),
        Align2::LEFT_CENTER,
        &text,
        Role::Caption,
        t.text,
    );
}

fn interval_cell(
    ui: &Ui,
    grid: &Grid<'_>,
    i: usize,
    cell: Rect,
    measure: Measure,
    (low, high): (f64, f64),
) {
    let t = Tokens::of(ui);
    let (c, run) = grid.items[i];
    let y = cell.top() + 11.0;
    let Some(e) = measure.of(run) else {
        let at = pos2(cell.left(), y);
        paint(
            ui.painter(),
            at,
            Align2::LEFT_CENTER,
            "no price",
            Role::Title,
            t.sub,
        );
        return;
    };
    let words = |v: f64| match measure {
        Measure::Cost => format::money(crate::units::Usd(v)),
        _ => format::hours(v),
    };
    let over = measure.limit(grid.plan).is_some_and(|l| e.value > l);
    let color = if over { t.warn } else { t.strong };
    let value = paint(
        ui.painter(),
        pos2(cell.left(), y),
        Align2::LEFT_CENTER,
        &words(e.value),
        Role::Title,
        color,
    );
    let base = grid.items.first().and_then(|(_, r)| measure.of(r));
    let change = base.map_or(1.0, |b| e.value / b.value);
    let right = if i == 0 {
        cell.right()
    } else {
        change_ui(ui, pos2(cell.right(), y), change, false)
    };
    let room = Rect::from_min_max(
        pos2(value.right() + 8.0, y - 8.0),
        pos2(right - 6.0, y + 8.0),
    );
    // Half a range says less than how wide it is.
    let range = format!("{} to {}", words(e.low), words(e.high));
    let fits = width_of(ui.painter(), &range, Role::Caption) <= room.width();
    let half = format::half_width(e.half_width());
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        if fits { &range } else { &half },
        Role::Caption,
        t.sub,
    );
    let id = ui.scope_id().with(("range", i, measure.title()));
    ui.interact(cell.intersect(room), id, egui::Sense::hover())
        .on_hover_text(range);
    let strip = Rect::from_min_max(
        pos2(cell.left(), cell.top() + 22.0),
        pos2(cell.right(), cell.top() + 34.0),
    );
    strip_ui(
        ui,
        strip,
        (low, high),
        e,
        measure.limit(grid.plan),
        t.mode(c.mode),
    );
}

/// An interval on a logarithmic strip, with the limit as a tick.
fn strip_ui(
    ui: &Ui,
    strip: Rect,
    (low, high): (f64, f64),
    e: crate::predictor::Estimate,
    limit: Option<f64>,
    hue: egui::Color32,
) {
    let t = Tokens::of(ui);
    let span = (high / low).ln().max(1e-6);
    let x = |v: f64| {
        let share = ((v / low).ln() / span).clamp(0.0, 1.0) as f32;
        strip.left() + 4.0 + share * (strip.width() - 8.0)
    };
    let y = strip.center().y;
    ui.painter()
        .hline(strip.x_range(), y, Stroke::new(1.0, t.line_strong));
    if let Some(limit) = limit {
        ui.painter()
            .vline(x(limit), strip.y_range(), Stroke::new(2.0, t.warn));
    }
    let stroke = Stroke::new(1.2, t.strong);
    let (a, b) = (x(e.low), x(e.high));
    ui.painter().hline(a..=b, y, stroke);
    for end in [a, b] {
        ui.painter().vline(end, y - 3.5..=y + 3.5, stroke);
    }
    ui.painter().circle_filled(pos2(x(e.value), y), 3.4, hue);
}

/// A change against the baseline with its arrow; returns its left edge. Where more is neither good nor bad it is quiet.
pub fn change_ui(ui: &Ui, right: egui::Pos2, ratio: f64, more_is_good: bool) -> f32 {
    let t = Tokens::of(ui);
    if !ratio.is_finite() || (ratio - 1.0).abs() < 0.005 {
        return paint(
            ui.painter(),
            right,
            Align2::RIGHT_CENTER,
            "same",
            Role::Body,
            t.sub,
        )
        .left();
    }
    let up = ratio > 1.0;
    let text = if ratio > 2.0 {
        format::ratio(ratio)
    } else {
        format::percent((ratio - 1.0).abs())
    };
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
    rect.left() - 14.0
}

/// One line of figures: how it is called, its text, its value, whether more is better.
struct Figure {
    name: &'static str,
    text: fn(&PredictedRun) -> String,
    value: fn(&PredictedRun) -> Option<f64>,
    more_is_good: bool,
}

const FIGURES: [Figure; 3] = [
    Figure {
        name: "Energy",
        text: |r| {
            r.energy_kwh.map_or_else(
                || "power unknown".to_owned(),
                |e| format::energy(KilowattHours(e.value)),
            )
        },
        value: |r| r.energy_kwh.map(|e| e.value),
        more_is_good: false,
    },
    Figure {
        name: "Carbon",
        text: |r| {
            r.co2e_kg.map_or_else(
                || "no region chosen".to_owned(),
                |kg| format!("{} CO₂e", format::emissions(KgCo2e(kg))),
            )
        },
        value: |r| r.co2e_kg,
        more_is_good: false,
    },
    Figure {
        name: "Rate each",
        text: |r| format::rate(per_device(r), r.units_name),
        value: |r| Some(per_device(r)),
        more_is_good: true,
    },
];

fn per_device(run: &PredictedRun) -> f64 {
    run.units_per_s / f64::from(run.configuration.count.max(1))
}

/// Energy, carbon, rate, memory, confidence.
pub fn figure_rows(ui: &mut Ui, grid: &Grid<'_>) {
    let t = Tokens::of(ui);
    for figure in &FIGURES {
        let row = name_row(ui, grid, figure.name);
        let base = grid.items.first().and_then(|(_, r)| (figure.value)(r));
        for (i, (_, run)) in grid.items.iter().enumerate() {
            let cell = grid.cell(i, row);
            let known = (figure.value)(run);
            let color = if known.is_some() { t.strong } else { t.sub };
            paint_value(
                ui.painter(),
                cell.left_center(),
                Align2::LEFT_CENTER,
                &(figure.text)(run),
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
