//! Calibration: whether intervals hold what they promise, from the table of the model card.

use super::accuracy::cells;
use super::axes::{Axis, Quantity, bounds_on, frame_of, paint_axes, place_on};
use crate::format;
use crate::gui::measure::Scale;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{heading, paint};
use egui::{Align2, Pos2, Rect, Sense, Stroke, Ui, WidgetInfo, accesskit, pos2, vec2};
use egui_plot::{PlotBounds, PlotTransform};

/// A tenth of the held-out predictions; half-widths and coverage in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tenth {
    rows: f64,
    predicted: f64,
    observed: f64,
    covered: f64,
}

/// The table under `## Calibration`; empty where the card has none.
fn tenths(card: &str) -> Vec<Tenth> {
    let section = card.lines().skip_while(|l| l.trim() != "## Calibration");
    let lines = section
        .skip(1)
        .take_while(|l| !l.starts_with("## "))
        .filter(|l| l.starts_with('|'));
    let figure = |cell: &str| -> Option<f64> {
        let digits: String = cell
            .chars()
            .filter(|c| c.is_ascii_digit() || *c == '.')
            .collect();
        digits.parse().ok()
    };
    lines
        .filter_map(|line| {
            let cells = cells(line);
            Some(Tenth {
                rows: figure(cells.first()?)?,
                predicted: figure(cells.get(1)?)?,
                observed: figure(cells.get(2)?)?,
                covered: figure(cells.get(3)?)?,
            })
        })
        .collect()
}

/// Half-width promised against the half-width that would have held nine in ten; on the line both agree.
pub fn calibration_ui(ui: &mut Ui, card: &str) {
    let t = Tokens::of(ui);
    let list = tenths(card);
    let all = || list.iter().flat_map(|p| [p.predicted, p.observed]);
    let Some(range) = bounds_on(Scale::Log, all(), (0.08, 0.08)) else {
        return;
    };
    let width = ui.available_width();
    let (head, _) = ui.allocate_exact_size(vec2(width, 34.0), Sense::hover());
    let title = "Do the intervals hold what they promise?";
    heading(ui, head.left_center(), title, Role::Column, t.strong);
    let (area, response) = ui.allocate_exact_size(vec2(width, 280.0), Sense::hover());
    response.widget_info(|| {
        let text = format!("Calibration of intervals, {} groups", list.len());
        WidgetInfo::labeled(accesskit::Role::Image, true, text)
    });
    let side = Rect::from_min_size(area.min, vec2(width.min(460.0), area.height()));
    let frame = frame_of(side, 12.0);
    let bounds = PlotBounds::from_min_max([range.0, range.0], [range.1, range.1]);
    let transform = PlotTransform::new(frame, bounds, egui::Vec2b::FALSE);
    let painter = ui.painter().clone();
    paint_axes(
        &painter,
        &transform,
        Axis::log(Quantity::Percent, "Half-width promised"),
        Axis::log(Quantity::Percent, "Half-width that holds 90 %"),
        t,
    );
    let ends = [range.0, range.1].map(|v| 10f64.powf(v));
    let at = |x: f64, y: f64| place_on(&transform, Scale::Log, x, y);
    painter.line_segment(
        [at(ends[0], ends[0]), at(ends[1], ends[1])],
        Stroke::new(1.0, t.faint),
    );
    let places: Vec<Pos2> = list.iter().map(|p| at(p.predicted, p.observed)).collect();
    painter.line(places.clone(), Stroke::new(1.5, t.accent));
    for place in &places {
        painter.circle_filled(*place, 4.0, t.accent);
    }
    words_ui(ui, area, side.right(), &list);
    hover_ui(ui, &response, &list, &places);
}

/// How much is covered, beside the plot.
fn words_ui(ui: &Ui, area: Rect, left: f32, list: &[Tenth]) {
    let t = Tokens::of(ui);
    let rows: f64 = list.iter().map(|p| p.rows).sum();
    let covered: f64 = list.iter().map(|p| p.rows * p.covered).sum::<f64>() / rows.max(1.0);
    let low = list.iter().map(|p| p.covered).fold(f64::INFINITY, f64::min);
    let high = list.iter().map(|p| p.covered).fold(0.0, f64::max);
    let lines = [
        format!("{} held-out predictions", format::count(rows)),
        format!(
            "{}\u{202F}% inside their interval; 90\u{202F}% are meant to be",
            format::fixed(covered, 1)
        ),
        format!(
            "from {}\u{202F}% to {}\u{202F}% by group",
            format::fixed(low, 1),
            format::fixed(high, 1)
        ),
        "Above the line intervals are too narrow, below it too wide".to_owned(),
    ];
    for (i, line) in lines.iter().enumerate() {
        let at = pos2(left + 20.0, area.top() + 40.0 + i as f32 * 22.0);
        if at.x + 240.0 < area.right() {
            paint(
                ui.painter(),
                at,
                Align2::LEFT_CENTER,
                line,
                Role::Body,
                t.text,
            );
        }
    }
}

fn hover_ui(ui: &Ui, response: &egui::Response, list: &[Tenth], places: &[Pos2]) {
    let Some(pointer) = response.hover_pos() else {
        return;
    };
    let near = places.iter().position(|p| p.distance(pointer) < 10.0);
    let Some((place, p)) = near.and_then(|i| Some((places[i], list.get(i)?))) else {
        return;
    };
    let t = Tokens::of(ui);
    ui.painter()
        .circle_stroke(place, 8.0, Stroke::new(1.5, t.text));
    response.clone().on_hover_text(format!(
        "{} predictions: ±{}\u{202F}% promised, ±{}\u{202F}% holds nine in ten; {}\u{202F}% covered",
        format::count(p.rows),
        format::fixed(p.predicted, 1),
        format::fixed(p.observed, 1),
        format::fixed(p.covered, 1)
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_a_card_is_read() {
        let card = "# Card\n\n## Calibration\n\nHeld-out predictions.\n\n\
            | predictions | predicted half-width | half-width that holds 90 % | covered |\n|---|---|---|---|\n\
            | 1452 | ±6.1 % | ±5.9 % | 90.4 % |\n| 1451 | ±80.0 % | ±91.2 % | 88.0 % |\n\n## Next\n\n| 1 | 2 | 3 | 4 |\n";
        let list = tenths(card);
        assert_eq!(list.len(), 2);
        assert_eq!(list[1].rows, 1451.0);
        assert_eq!((list[0].predicted, list[0].observed), (6.1, 5.9));
        assert_eq!(list[0].covered, 90.4);
        assert!(tenths("# Card\n").is_empty());
    }
}
