//! Evidence: the nearest measured runs with what is predicted of them, and what matters over the whole data set.

use super::regions::source_ui;
use super::scene::Scene;
use super::why::LABEL;
use crate::format;
use crate::gui::link;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{note, paint, paint_in, section_head, width_of};
use crate::planner::PredictedRun;
use crate::predictor::{Explanation, NearestRun, Stage};
use crate::units::Seconds;
use egui::{Align2, Rect, Sense, Stroke, Ui, pos2, vec2};
use std::cmp::Ordering;

/// Draws the nearest measured runs.
pub fn nearest_ui(ui: &mut Ui, cx: &mut Scene<'_>, run: &PredictedRun, explanation: &Explanation) {
    let t = Tokens::of(ui);
    if explanation.nearest.is_empty() {
        section_head(ui, "Nearest measured runs", "");
        note(
            ui,
            "No measured run is known near this configuration",
            t.sub,
        );
        ui.add_space(8.0);
        return;
    }
    section_head(ui, "Nearest measured runs", "measured over predicted");
    strip_ui(ui, run, &explanation.nearest);
    // Whoever sees them all "as measured" would take the fit for a test.
    note(
        ui,
        "The predictor was fitted on these runs too, so how close they are is no test of it: Accuracy is.",
        t.sub,
    );
    for (i, near) in explanation.nearest.iter().take(5).enumerate() {
        run_ui(ui, cx, i, near);
    }
    ui.add_space(6.0);
}

/// Ratios of measured to predicted as dots; 1 is "as predicted", the band is the interval.
pub fn strip_ui(ui: &mut Ui, run: &PredictedRun, nearest: &[NearestRun]) {
    let step = run.prediction.step_time;
    let here = (step.low / step.value, 1.0, step.high / step.value);
    let ratios: Vec<f64> = nearest.iter().map(|n| n.measured / n.predicted).collect();
    let reach = ratios
        .iter()
        .copied()
        .chain([here.0, here.2])
        .filter(|r| r.is_finite() && *r > 0.0)
        .map(|r| r.ln().abs())
        .fold(0.15, f64::max)
        .min(1.5);
    let words = |r: f64| format!("{}×", format::number(r));
    let ends = ((-reach).exp(), reach.exp());
    dots_ui(ui, &ratios, here, ends, ("as predicted", &words));
}

/// Measured step times as dots on a logarithmic line, this prediction and its interval among them.
pub fn times_ui(ui: &mut Ui, run: &PredictedRun, nearest: &[NearestRun]) {
    let step = run.prediction.step_time;
    let here = (step.low, step.value, step.high);
    let times: Vec<f64> = nearest.iter().map(|n| n.measured.value()).collect();
    let all = || times.iter().copied().chain([here.0, here.2]);
    let low = all().fold(f64::INFINITY, f64::min).max(1e-9);
    let high = all().fold(low, f64::max);
    let words = |s: f64| format::step_time(Seconds(s));
    let named = format!("this prediction, {}", words(step.value));
    dots_ui(
        ui,
        &times,
        here,
        (low / 1.05, high * 1.05),
        (&named, &words),
    );
}

/// Dots on a logarithmic line from one end to the other; a mark and a band for what is here, named below.
fn dots_ui(
    ui: &mut Ui,
    dots: &[f64],
    here: (f64, f64, f64),
    ends: (f64, f64),
    (named, words): (&str, &dyn Fn(f64) -> String),
) {
    let t = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 40.0), Sense::hover());
    let inner = rect.shrink2(vec2(size::MARGIN + 14.0, 0.0));
    let span = (ends.1 / ends.0).ln().max(1e-9);
    let x = |v: f64| {
        let share = ((v / ends.0).ln() / span).clamp(0.0, 1.0);
        inner.left() + share as f32 * inner.width()
    };
    let y = rect.top() + 9.0;
    let track = Rect::from_min_max(pos2(inner.left(), y - 0.5), pos2(inner.right(), y + 0.5));
    ui.painter().rect_filled(track, 0.0, t.track);
    let band = Rect::from_min_max(pos2(x(here.0), y - 8.0), pos2(x(here.2), y + 8.0));
    ui.painter().rect_filled(band, 3.0, t.sel);
    let mark = Stroke::new(2.0, t.sel_line);
    ui.painter().vline(x(here.1), y - 9.0..=y + 9.0, mark);
    for (i, dot) in dots.iter().enumerate() {
        let color = if i < 3 { t.strong } else { t.sub };
        ui.painter()
            .circle_filled(pos2(x(*dot), y), 3.2, color.gamma_multiply(0.85));
    }
    let at = |v: f64| pos2(x(v), y + 19.0);
    let half = width_of(ui.painter(), named, Role::Caption) / 2.0;
    let middle = at(here.1).x.clamp(rect.left() + half, rect.right() - half);
    for end in [ends.0, ends.1] {
        if (at(end).x - middle).abs() > half + 30.0 {
            paint(
                ui.painter(),
                at(end),
                Align2::CENTER_CENTER,
                &words(end),
                Role::Caption,
                t.sub,
            );
        }
    }
    let place = pos2(middle, y + 19.0);
    paint(
        ui.painter(),
        place,
        Align2::CENTER_CENTER,
        named,
        Role::Caption,
        t.text,
    );
}

/// How far what is predicted of a run is from what was measured, and to which side: an error that rounds to nothing has
/// none.
fn off(near: &NearestRun) -> (String, Ordering) {
    let off = near.predicted / near.measured - 1.0;
    let share = format!("{}\u{202F}%", format::fixed(off.abs() * 100.0, 1));
    let side = if off.abs() < 0.0005 {
        Ordering::Equal
    } else {
        off.total_cmp(&0.0)
    };
    (share, side)
}

/// The error of a run's prediction: `+2.3 %`.
pub fn off_text(near: &NearestRun) -> String {
    match off(near) {
        (share, Ordering::Equal) => share,
        (share, Ordering::Less) => format!("{}{share}", format::MINUS),
        (share, Ordering::Greater) => format!("+{share}"),
    }
}

/// The same in words: `2.3 % too long`.
fn off_words(near: &NearestRun) -> String {
    match off(near) {
        (_, Ordering::Equal) => "as measured".to_owned(),
        (share, Ordering::Less) => format!("{share} too short"),
        (share, Ordering::Greater) => format!("{share} too long"),
    }
}

fn run_ui(ui: &mut Ui, cx: &mut Scene<'_>, place_in_list: usize, near: &NearestRun) {
    let t = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 36.0), Sense::hover());
    let inner = rect.shrink2(vec2(size::MARGIN, 2.0));
    let title = format!("{}, {}", near.source, near.model);
    response.widget_info(|| {
        egui::WidgetInfo::labeled(
            egui::accesskit::Role::Label,
            true,
            format!("Measured run {title}"),
        )
    });
    let step = format::step_time(near.measured);
    let y = inner.top() + 8.0;
    let right = crate::gui::widgets::paint_value(
        ui.painter(),
        pos2(inner.right(), y),
        Align2::RIGHT_CENTER,
        &step,
        Role::Body,
        (t.strong, t.sub),
    );
    let place = Rect::from_min_max(inner.min, pos2(right.left() - 8.0, inner.top() + 16.0));
    paint_in(
        ui.painter(),
        place,
        Align2::LEFT_CENTER,
        &title,
        Role::Body,
        t.strong,
    );
    let y = inner.top() + 24.0;
    let word = off_words(near);
    let right = paint(
        ui.painter(),
        pos2(inner.right(), y),
        Align2::RIGHT_CENTER,
        &word,
        Role::Caption,
        t.sub,
    );
    let place = Rect::from_min_max(
        pos2(inner.left(), y - 8.0),
        pos2(right.left() - 8.0, y + 8.0),
    );
    let detail = format!(
        "{}\u{202F}×\u{202F}{}, {}, distance {}",
        near.count,
        near.accelerator,
        near.precision,
        format::fixed(near.distance, 1)
    );
    paint_in(
        ui.painter(),
        place,
        Align2::LEFT_CENTER,
        &detail,
        Role::Caption,
        t.sub,
    );
    response.on_hover_text(format!("{title}\n{detail}\n{}", near.source_path));
    if let Some(link) = link::of_run(&near.source, &near.source_path) {
        source_ui(ui, cx, &link, ("near", place_in_list));
        ui.add_space(4.0);
    }
}

/// Draws what moves figures most over the whole data set.
/// At most `most` features of each stage.
pub fn importance_ui(ui: &mut Ui, cx: &Scene<'_>, title: &str, most: usize) {
    let t = Tokens::of(ui);
    let importance = cx.backend.importance();
    if importance.is_empty() {
        return;
    }
    section_head(ui, title, "error without it");
    // One device exchanges nothing.
    let is_alone = cx.selection().is_some_and(|(_, c, _)| c.count == 1);
    let stages = [Stage::Compute, Stage::Communication, Stage::Overlap];
    for stage in stages.into_iter().take(if is_alone { 1 } else { 3 }) {
        let mut of_stage: Vec<_> = importance.iter().filter(|i| i.stage == stage).collect();
        of_stage.sort_by(|a, b| b.permutation.total_cmp(&a.permutation));
        let Some(largest) = of_stage.first().map(|i| i.permutation.max(1e-9)) else {
            continue;
        };
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
        paint(
            ui.painter(),
            rect.left_center() + vec2(size::MARGIN, 0.0),
            Align2::LEFT_CENTER,
            stage.label(),
            Role::Caption,
            t.sub,
        );
        for item in of_stage.into_iter().take(most) {
            let (rect, response) =
                ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
            let text = format!("+{}", format::percent_in_table(item.permutation));
            response.widget_info(|| {
                let text = format!("{} {text}", item.feature);
                egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, text)
            });
            response.on_hover_text(&item.feature);
            let inner = rect.shrink2(vec2(size::MARGIN, 0.0));
            let label = Rect::from_min_max(
                inner.min + vec2(8.0, 0.0),
                pos2(
                    inner.left() + (inner.width() * 0.56).min(LABEL),
                    inner.bottom(),
                ),
            );
            paint_in(
                ui.painter(),
                label,
                Align2::LEFT_CENTER,
                &item.feature,
                Role::Caption,
                t.text,
            );
            let column = Rect::from_min_max(
                pos2(label.right() + 6.0, rect.center().y - 3.0),
                pos2(inner.right() - 52.0, rect.center().y + 3.0),
            );
            let mut bar = column;
            bar.set_width(column.width() * (item.permutation / largest).clamp(0.0, 1.0) as f32);
            ui.painter().rect_filled(bar, 2.0, t.part(3));
            paint(
                ui.painter(),
                pos2(inner.right(), rect.center().y),
                Align2::RIGHT_CENTER,
                &text,
                Role::Caption,
                t.text,
            );
        }
    }
}
