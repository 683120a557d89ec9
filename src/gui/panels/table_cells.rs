//! Columns of the table, their widths, and what stands in a cell.

use super::scene::{Scene, cached, key_of};
use crate::format;
use crate::gui::prices;
use crate::gui::rows::Column;
use crate::gui::theme::{Fill, PaintMark, Role, Tokens, paint_swatch, size};
use crate::gui::widgets::{
    interval_glyph, level_bars, memory_bar, paint, paint_in, segmented_bar, width_of,
};
use crate::planner::{CheckedRequest, Combination, LimitKind, PredictedRun, Standing};
use egui::{Align2, Rect, Ui, pos2, vec2};

/// Columns of the normal layout with their least widths and what they take of the room left over.
const NORMAL: [(Column, f32, f32); 11] = [
    (Column::Precision, 78.0, 0.5),
    (Column::Accelerator, 90.0, 1.2),
    (Column::Seller, 74.0, 0.4),
    (Column::Count, 34.0, 0.2),
    (Column::Step, 52.0, 0.4),
    (Column::TotalTime, 76.0, 0.4),
    (Column::Cost, 50.0, 0.5),
    (Column::Energy, 70.0, 0.4),
    (Column::Memory, 106.0, 0.6),
    (Column::Interval, 100.0, 0.2),
    (Column::Confidence, 62.0, 0.2),
];

/// Columns of the wide layout.
const WIDE: [(Column, f32, f32); 17] = [
    (Column::Precision, 92.0, 0.4),
    (Column::Accelerator, 130.0, 1.0),
    (Column::Seller, 90.0, 0.4),
    (Column::Price, 76.0, 0.2),
    (Column::Count, 42.0, 0.2),
    (Column::Layout, 200.0, 2.0),
    (Column::Step, 64.0, 0.3),
    (Column::TotalTime, 88.0, 0.3),
    (Column::Cost, 70.0, 0.3),
    (Column::AgainstSelected, 96.0, 0.2),
    (Column::Energy, 74.0, 0.3),
    (Column::Carbon, 64.0, 0.3),
    (Column::Rate, 76.0, 0.3),
    (Column::Memory, 140.0, 0.5),
    (Column::StepBar, 136.0, 0.8),
    (Column::Interval, 104.0, 0.2),
    (Column::Confidence, 74.0, 0.2),
];

/// Columns that give way first where the window is narrow.
const DROPPED_FIRST: [Column; 14] = [
    Column::Price,
    Column::Layout,
    Column::StepBar,
    Column::AgainstSelected,
    Column::Carbon,
    Column::Rate,
    Column::Step,
    Column::Confidence,
    Column::Energy,
    Column::Memory,
    Column::Count,
    Column::Seller,
    Column::Interval,
    Column::Cost,
];

/// What window and plan ask of the columns where nobody chose them.
#[derive(Debug, Default)]
pub struct Asked {
    /// The window is wide.
    pub wide: bool,
    /// Each seller has rows of its own.
    pub sellers: bool,
    /// The plan knows its region, so emissions are known.
    pub region: bool,
    /// Columns of the figures that the plan limits.
    pub limited: Vec<Column>,
    /// What the widest figure of a column takes.
    pub figures: Vec<(Column, f32)>,
}

impl Asked {
    /// By the plan that is shown.
    pub fn of(ui: &Ui, cx: &Scene<'_>) -> Self {
        let request = cx.plan().map(|plan| &plan.request);
        let columns = [
            (LimitKind::Deadline, Column::TotalTime),
            (LimitKind::Budget, Column::Cost),
            (LimitKind::Energy, Column::Energy),
            (LimitKind::Emissions, Column::Carbon),
        ];
        let limited = columns
            .into_iter()
            .filter(|(kind, _)| request.is_some_and(|request| kind.of_request(request).is_some()));
        Self {
            wide: cx.wide,
            sellers: request.is_some_and(|request| request.prices.every_seller),
            region: request.is_some_and(|request| request.grid.is_some()),
            limited: limited.map(|(_, column)| column).collect(),
            figures: widths(ui, cx),
        }
    }

    fn wants(&self, column: Column) -> bool {
        match column {
            Column::Seller => self.sellers,
            Column::Carbon => self.region && (self.wide || self.limited.contains(&column)),
            _ => self.wide || NORMAL.iter().any(|n| n.0 == column),
        }
    }
}

/// Columns whose figures may be longer than their least width, and nothing cuts them.
const LONG_FIGURES: [Column; 5] = [
    Column::Step,
    Column::TotalTime,
    Column::Cost,
    Column::Energy,
    Column::Carbon,
];

/// What the longest figure of these columns takes in the whole plan: a filter must not move them.
fn widths(ui: &Ui, cx: &Scene<'_>) -> Vec<(Column, f32)> {
    let Some(plan) = cx.plan() else {
        return Vec::new();
    };
    let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
    let longest = cached(ui, "longest-figures", key_of(&(cx.tab.id, stamp)), || {
        LONG_FIGURES.map(|column| {
            let runs = plan.combinations.iter().filter_map(Combination::run);
            let texts = runs.filter_map(|run| figure_text(cx, column, run));
            texts.max_by_key(|text| text.chars().count())
        })
    });
    let width = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        width_of(ui.painter(), text, Role::Body)
    };
    (LONG_FIGURES.into_iter())
        .zip(longest.iter().map(width))
        .collect()
}

/// What a cell says of a figure; `None` where it is not known.
fn figure_text(cx: &Scene<'_>, column: Column, run: &PredictedRun) -> Option<String> {
    match column {
        // As headline, cards and the deadline's field say it.
        Column::TotalTime => Some(format::hours(run.total_time_h.value)),
        _ => cx.tab.rows.units.text(column.figure()?, run),
    }
}

/// The columns wanted: those chosen, or those that are asked for.
fn wanted(asked: &Asked, chosen: Option<&[Column]>) -> Vec<(Column, f32, f32)> {
    let width = |c: &(Column, f32, f32)| {
        let narrow = NORMAL.iter().find(|n| n.0 == c.0 && !asked.wide);
        *narrow.unwrap_or(c)
    };
    let is_wanted = |column: Column| match chosen {
        Some(chosen) => chosen.contains(&column),
        None => asked.wants(column),
    };
    WIDE.iter().filter(|c| is_wanted(c.0)).map(width).collect()
}

/// Columns with their places in a row that starts at the origin; those limited give way last. One that has less room than its
/// widest figure takes gets that.
pub fn columns_of(width: f32, asked: &Asked, chosen: Option<&[Column]>) -> Vec<(Column, Rect)> {
    let mut wanted = wanted(asked, chosen);
    let takes = |column: Column| {
        let found = asked.figures.iter().find(|(c, _)| *c == column);
        found.map_or(0.0, |(_, takes)| takes.ceil())
    };
    // Each time one at least has the room it needs, and keeps it.
    for _ in 0..LONG_FIGURES.len() {
        let placed = placed(width, asked, wanted.clone());
        let is_short = |c: &(Column, f32, f32)| {
            let place = placed.iter().find(|(column, _)| *column == c.0);
            place.is_some_and(|(_, place)| place.width() < takes(c.0))
        };
        let Some(short) = wanted.iter_mut().find(|c| is_short(c)) else {
            return placed;
        };
        short.1 = takes(short.0);
    }
    placed(width, asked, wanted)
}

/// The same by least widths that are known.
fn placed(width: f32, asked: &Asked, mut kept: Vec<(Column, f32, f32)>) -> Vec<(Column, Rect)> {
    let gap = |column: Column, before: Option<Column>| match before {
        None => 0.0,
        Some(b) if b.is_right() && !column.is_right() => 18.0,
        Some(_) => 10.0,
    };
    let inner = width - 2.0 * size::CENTRE_MARGIN;
    // A limit is met or not in its own column: that gives way last.
    let is_limited = |column: &Column| asked.limited.contains(column);
    let others = DROPPED_FIRST.into_iter().filter(|c| !is_limited(c));
    let order: Vec<Column> = others
        .chain(DROPPED_FIRST.into_iter().filter(is_limited))
        .collect();
    let least = |kept: &[(Column, f32, f32)]| {
        let mut before = None;
        let mut sum = 0.0;
        for (column, min, _) in kept {
            sum += min + gap(*column, before);
            before = Some(*column);
        }
        sum
    };
    let all = kept.clone();
    for column in order.iter().copied() {
        if least(&kept) <= inner {
            break;
        }
        kept.retain(|c| c.0 != column);
    }
    // A wide one that went may have left room for narrow ones that went before it.
    for column in order.into_iter().rev() {
        let is_kept = |kept: &[(Column, f32, f32)], c: Column| kept.iter().any(|k| k.0 == c);
        let with: Vec<_> = all
            .iter()
            .filter(|c| c.0 == column || is_kept(&kept, c.0))
            .copied()
            .collect();
        if least(&with) <= inner {
            kept = with;
        }
    }
    let weights: f32 = kept.iter().map(|c| c.2).sum();
    let spare = (inner - least(&kept)).max(0.0) / weights.max(0.1);
    let mut x = size::CENTRE_MARGIN;
    let mut before = None;
    kept.into_iter()
        .map(|(column, min, weight)| {
            x += gap(column, before);
            before = Some(column);
            let w = min + weight * spare;
            let rect = Rect::from_min_size(pos2(x, 0.0), vec2(w, size::ROW));
            x += w;
            (column, rect)
        })
        .collect()
}

/// Draws one cell.
pub fn cell_ui(
    ui: &Ui,
    cx: &Scene<'_>,
    column: Column,
    rect: Rect,
    c: &Combination,
    run: &PredictedRun,
) {
    let t = Tokens::of(ui);
    let p = ui.painter();
    let over = |value: Option<f64>, limit: fn(&CheckedRequest) -> Option<f64>| {
        let limit = cx.plan().and_then(|plan| limit(&plan.request));
        value.zip(limit).is_some_and(|(value, limit)| value > limit)
    };
    let right = |text: &str, color| {
        paint(
            p,
            rect.right_center(),
            Align2::RIGHT_CENTER,
            text,
            Role::Body,
            color,
        );
    };
    let warned = |over: bool| if over { t.warn } else { t.text };
    let figure = format::known(figure_text(cx, column, run));
    match column {
        Column::Seller => {
            let name = run.price.as_ref().map_or(format::UNKNOWN, |p| p.seller());
            paint_in(p, rect, Align2::LEFT_CENTER, name, Role::Body, t.text);
        }
        Column::Price => {
            let price = run.price.as_ref().map(prices::amount);
            right(&format::known(price), t.text);
        }
        Column::Precision => {
            paint_swatch(
                p,
                rect.left_center() + vec2(5.0, 0.0),
                Fill::of(c.mode),
                t.mode(c.mode),
            );
            paint(
                p,
                rect.left_center() + vec2(16.0, 0.0),
                Align2::LEFT_CENTER,
                c.mode.label(),
                Role::Body,
                t.strong,
            );
        }
        Column::Accelerator => {
            cx.mark(&c.accelerator.name).paint(
                p,
                rect.left_center() + vec2(5.0, 0.0),
                4.0,
                Fill::Solid,
                t.sub,
            );
            let place = rect.with_min_x(rect.left() + 18.0);
            paint_in(
                p,
                place,
                Align2::LEFT_CENTER,
                cx.label(&c.accelerator.label),
                Role::Body,
                t.text,
            );
        }
        Column::Count => right(&format::count(f64::from(c.count)), t.strong),
        Column::Layout => {
            paint_in(p, rect, Align2::LEFT_CENTER, &run.layout, Role::Body, t.sub);
        }
        Column::Step => right(&figure, t.text),
        Column::TotalTime => {
            let over = over(Some(run.total_time_h.value), |r| r.deadline_h);
            right(&figure, if over { t.warn } else { t.strong });
        }
        Column::Cost => {
            let over = over(run.cost_usd.map(|cost| cost.value), |r| r.budget_usd);
            let color = match (run.cost_usd.is_some(), over) {
                (false, _) => t.sub,
                (true, true) => t.warn,
                (true, false) => t.strong,
            };
            let known = run.cost_usd.is_some();
            right(if known { &figure } else { "no price" }, color);
        }
        Column::AgainstSelected => {
            let text = cx
                .selection()
                .map_or_else(String::new, |(_, chosen, base)| {
                    if std::ptr::eq(chosen, c) {
                        "–".to_owned()
                    } else {
                        format::ratio(run.total_time_h.value / base.total_time_h.value)
                    }
                });
            right(&text, t.text);
        }
        Column::Energy => {
            let over = over(run.energy_kwh.map(|e| e.value), |r| r.limits.energy_kwh);
            right(&figure, warned(over));
        }
        Column::Carbon => {
            let over = over(run.co2e_kg, |r| r.limits.co2e_kg);
            right(&figure, warned(over));
        }
        Column::Rate => right(
            &format::number(run.units_per_s / f64::from(c.count.max(1))),
            t.text,
        ),
        Column::Memory => memory_cell(ui, rect, run),
        Column::StepBar => {
            let bar = Rect::from_center_size(rect.center(), vec2(rect.width(), 9.0));
            let parts = &run.prediction.breakdown;
            segmented_bar(p, bar, parts, parts.total().value(), t);
        }
        Column::Interval => {
            // What is within the limits by its figures and beyond them by the end of its interval is so by the interval.
            let standing = cx.plan().and_then(|plan| plan.standing(run));
            let ink = warned(standing == Some(Standing::Likely));
            let step = run.prediction.step_time;
            let sides = [step.value - step.low, step.high - step.value];
            let sides = sides.map(|side| (side / step.value.max(f64::MIN_POSITIVE)) as f32);
            // Both sides of an interval in words take two thirds of the narrowest column.
            let glyph = Rect::from_min_size(rect.min, vec2(24.0, rect.height()));
            interval_glyph(p, glyph, sides, ink);
            right(&run.interval_short(), ink);
        }
        Column::Confidence => {
            let bars =
                Rect::from_min_size(pos2(rect.left(), rect.center().y - 5.0), vec2(11.0, 9.5));
            level_bars(p, bars, run.confidence(), t);
            let word = run.confidence().word();
            paint(
                p,
                rect.left_center() + vec2(18.0, 0.0),
                Align2::LEFT_CENTER,
                word,
                Role::Body,
                t.text,
            );
        }
    }
}

fn memory_cell(ui: &Ui, rect: Rect, run: &PredictedRun) {
    let t = Tokens::of(ui);
    let memory = &run.prediction.memory;
    let (used, all) = (memory.total().gib(), memory.capacity.gib());
    let bar = Rect::from_min_size(pos2(rect.left(), rect.center().y - 3.0), vec2(30.0, 6.0));
    memory_bar(ui.painter(), bar, (used / all.max(1e-9)) as f32, t);
    let text = pos2(bar.right() + 8.0, rect.center().y);
    let figure = paint(
        ui.painter(),
        text,
        Align2::LEFT_CENTER,
        &format::count(used),
        Role::Body,
        t.text,
    );
    let rest = format!("\u{202F}/\u{202F}{}\u{202F}GiB", format::count(all));
    paint(
        ui.painter(),
        figure.right_center(),
        Align2::LEFT_CENTER,
        &rest,
        Role::Body,
        t.sub,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_figure_reaches_into_the_column_before_it() {
        let usual = columns_of(656.0, &Asked::default(), None);
        let asked = |figures: &[(Column, f32)]| Asked {
            figures: figures.to_vec(),
            ..Asked::default()
        };
        // What has room leaves the columns as they are.
        let fits = asked(&[(Column::TotalTime, 60.0), (Column::Cost, 48.0)]);
        assert_eq!(columns_of(656.0, &fits, None), usual);
        for width in [656.0, 816.0, 1200.0] {
            let takes = [(Column::TotalTime, 96.0), (Column::Cost, 90.0)];
            let columns = columns_of(width, &asked(&takes), None);
            for (column, least) in takes {
                let found = columns.iter().find(|(c, _)| *c == column);
                assert!(
                    found.is_some_and(|(_, place)| place.width() >= least),
                    "{width}"
                );
            }
            let gaps = columns.windows(2).map(|w| w[1].1.left() - w[0].1.right());
            assert!(gaps.into_iter().all(|gap| gap >= 9.9), "{width}");
            let end = columns.last().map_or(0.0, |(_, place)| place.right());
            assert!(end <= width - size::CENTRE_MARGIN + 0.1, "{width}: {end}");
        }
    }
}
