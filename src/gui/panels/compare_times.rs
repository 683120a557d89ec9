//! Rows of the comparison: time and cost with their intervals.

use super::compare::Grid;
use super::compare_parts::{ARROW, change_text, change_ui};
use crate::format;
use crate::gui::measure::Measure;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{paint, paint_in, width_of};
use crate::predictor::Estimate;
use egui::{Align2, Rect, Stroke, Ui, pos2, vec2};

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
        let range = range_form(ui, grid, row, measure);
        for i in 0..grid.items.len() {
            let cell = grid.cell(i, row);
            interval_cell(ui, grid, (i, cell), measure, (low, high), range);
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
        Measure::Cost => format!("budget {}", format::money_given(crate::units::Usd(limit))),
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

/// How an interval is told beside its value.
type RangeForm = fn(Measure, Estimate) -> String;

/// A value of a measure in words.
fn words_of(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Cost => format::money(crate::units::Usd(value)),
        _ => format::hours(value),
    }
}

/// Both ends: half a range says less than how wide it is.
fn whole_range(measure: Measure, e: Estimate) -> String {
    let words = |v| words_of(measure, v);
    format!("{} to {}", words(e.low), words(e.high))
}

/// Both ends to the hour: minutes of a range of many hours are no news.
fn short_range(measure: Measure, e: Estimate) -> String {
    let rounded = |hours: f64| if hours >= 10.0 { hours.round() } else { hours };
    match measure {
        Measure::Time => {
            let (low, high) = (rounded(e.low), rounded(e.high));
            whole_range(measure, Estimate { low, high, ..e })
        }
        _ => whole_range(measure, e),
    }
}

/// The fullest form for which every column of a row has room, so that all of them can be compared.
fn range_form(ui: &Ui, grid: &Grid<'_>, row: Rect, measure: Measure) -> RangeForm {
    let width = |text: &str, role| width_of(ui.painter(), text, role);
    let base = grid.items.first().and_then(|(_, r)| measure.of(r));
    let fits = |form: &RangeForm| {
        grid.items.iter().enumerate().all(|(i, (_, run))| {
            let Some(e) = measure.of(run) else {
                return true;
            };
            let change = base.map_or(1.0, |b| e.value / b.value);
            let right = match i {
                0 => 0.0,
                _ => width(&change_text(change), Role::Body) + ARROW,
            };
            let value = width(&words_of(measure, e.value), Role::Title);
            let taken = value + width(&form(measure, e), Role::Caption) + right + 14.0;
            taken <= grid.cell(i, row).width()
        })
    };
    let forms: [RangeForm; 2] = [whole_range, short_range];
    let half: RangeForm = |_, e| format::interval_short(e.value, e.low, e.high);
    // Where not even that has room the strip below shows the interval, and what is pointed at tells it.
    let none: RangeForm = |_, _| String::new();
    (forms.into_iter().chain([half])).find(fits).unwrap_or(none)
}

fn interval_cell(
    ui: &Ui,
    grid: &Grid<'_>,
    (i, cell): (usize, Rect),
    measure: Measure,
    (low, high): (f64, f64),
    range: RangeForm,
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
    let over = measure.limit(grid.plan).is_some_and(|l| e.value > l);
    let color = if over { t.warn } else { t.strong };
    let value = paint(
        ui.painter(),
        pos2(cell.left(), y),
        Align2::LEFT_CENTER,
        &words_of(measure, e.value),
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
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        &range(measure, e),
        Role::Caption,
        t.sub,
    );
    let id = ui.scope_id().with(("range", i, measure.title()));
    ui.interact(cell.intersect(room), id, egui::Sense::hover())
        .on_hover_text(whole_range(measure, e));
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
    e: Estimate,
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
