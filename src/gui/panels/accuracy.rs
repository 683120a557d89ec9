//! Accuracy: the model card that ships with the predictor, set as headings, paragraphs and tables.

use super::accuracy_plots::{bring_runs_ui, judged_ui, protocols_ui};
use super::calibrated::calibrated_ui;
use super::calibration::calibration_ui;
use super::scene::Scene;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{label_at, paint_in, scroll_pages, width_of};
use egui::{Align2, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, pos2, vec2};

/// Draws the model card.
pub fn accuracy_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let card = cx.backend.card();
    let mut child = ui.new_child(UiBuilder::new().max_rect(area).id_salt("accuracy"));
    if card.trim().is_empty() {
        label_at(
            &mut child,
            area.min + vec2(0.0, 24.0),
            Align2::LEFT_CENTER,
            "No model card ships with this predictor, so its accuracy is not known here",
            Role::Body,
            t.sub,
        );
        return;
    }
    ScrollArea::vertical()
        .auto_shrink(false)
        .show(&mut child, |ui| {
            ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
            scroll_pages(ui, cx.state.page_step);
            // Room for the scroll bar beside what stands at the right.
            ui.set_max_width((area.width() - 14.0).min(980.0));
            let state = cx.state;
            if let Some(profile) = &state.calibration {
                calibrated_ui(ui, cx, profile);
            }
            if let Some(evaluation) = &state.evaluation {
                judged_ui(ui, cx, evaluation);
            }
            protocols_ui(ui, card);
            calibration_ui(ui, card);
            if state.evaluation.is_none() {
                bring_runs_ui(ui, cx);
            }
            let lines: Vec<&str> = card.lines().collect();
            let mut i = 0;
            while i < lines.len() {
                let line = lines[i].trim();
                if line.starts_with('|') {
                    let end = lines[i..]
                        .iter()
                        .position(|l| !l.trim().starts_with('|'))
                        .map_or(lines.len(), |n| i + n);
                    table_ui(ui, &lines[i..end]);
                    i = end;
                    continue;
                }
                line_ui(ui, line);
                i += 1;
            }
            ui.add_space(16.0);
        });
}

/// Marks of emphasis and code are dropped: the card is prose and figures.
fn plain(text: &str) -> String {
    text.replace("**", "").replace('`', "")
}

fn line_ui(ui: &mut Ui, line: &str) {
    let t = Tokens::of(ui);
    let text = plain(line.trim_start_matches('#').trim());
    let (role, color, before, after) = match line.chars().take_while(|c| *c == '#').count() {
        0 if line.is_empty() => {
            ui.add_space(6.0);
            return;
        }
        0 => (Role::Body, t.text, 0.0, 3.0),
        1 => (Role::Title, t.strong, 10.0, 4.0),
        2 => (Role::Column, t.strong, 12.0, 3.0),
        _ => (Role::Section, t.strong, 8.0, 2.0),
    };
    let (text, indent) = match text.strip_prefix("- ") {
        Some(rest) => (format!("•  {rest}"), 8.0),
        None => (text, 0.0),
    };
    ui.add_space(before);
    ui.horizontal(|ui| {
        ui.add_space(indent);
        ui.add(egui::Label::new(egui::RichText::new(text).font(role.font()).color(color)).wrap());
    });
    ui.add_space(after);
}

/// The cells of a row of a Markdown table, as [`plain`] text.
pub(super) fn cells(line: &str) -> Vec<String> {
    let cells = line.trim().trim_matches('|').split('|');
    cells.map(|cell| plain(cell.trim())).collect()
}

/// Between two columns of a table.
const GAP: f32 = 14.0;

/// A Markdown table: first column left, the others right.
fn table_ui(ui: &mut Ui, lines: &[&str]) {
    let t = Tokens::of(ui);
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|line| cells(line))
        .filter(|row: &Vec<String>| !row.iter().all(|c| c.chars().all(|x| "-: ".contains(x))))
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(1);
    let width = ui.available_width();
    // As wide as what stands in it; where that is too much, all in smaller letters, then the longest cut.
    let needs = |role: Role| -> Vec<f32> {
        let cell = |row: &Vec<String>, i: usize, head: bool| {
            let role = if head { Role::Caption } else { role };
            row.get(i).map_or(0.0, |c| width_of(ui.painter(), c, role))
        };
        let widest = |i| (rows.iter().enumerate()).map(move |(j, row)| cell(row, i, j == 0));
        (0..columns)
            .map(|i| widest(i).fold(0.0, f32::max) + GAP)
            .collect()
    };
    let body = [Role::Body, Role::Caption]
        .into_iter()
        .find(|role| needs(*role).iter().sum::<f32>() <= width)
        .unwrap_or(Role::Caption);
    let mut widths = needs(body);
    let over = widths.iter().sum::<f32>() - width;
    if over > 0.0
        && let Some(longest) = widths.iter_mut().max_by(|a, b| a.total_cmp(b))
    {
        *longest = (*longest - over).max(60.0);
    }
    // Figures do not drift apart in a wide window.
    let spare = (width - widths.iter().sum::<f32>()).max(0.0) / columns as f32;
    widths.iter_mut().for_each(|w| *w += spare.min(28.0));
    ui.add_space(4.0);
    for (j, row) in rows.iter().enumerate() {
        let (rect, _) = ui.allocate_exact_size(vec2(width, size::ROW - 2.0), Sense::hover());
        let mut left = rect.left();
        for (i, (cell, span)) in row.iter().zip(&widths).enumerate() {
            let place =
                Rect::from_min_size(pos2(left, rect.top()), vec2(span - GAP, rect.height()));
            left += span;
            let anchor = if i == 0 {
                Align2::LEFT_CENTER
            } else {
                Align2::RIGHT_CENTER
            };
            let (role, color) = match (j, i) {
                (0, _) => (Role::Caption, t.sub),
                (_, 0) => (body, t.text),
                _ => (body, t.strong),
            };
            paint_in(ui.painter(), place, anchor, cell, role, color);
        }
        let end = rect.left() + widths.iter().sum::<f32>() - GAP;
        ui.painter()
            .hline(rect.left()..=end, rect.bottom(), Stroke::new(1.0, t.line));
    }
    ui.add_space(10.0);
}
