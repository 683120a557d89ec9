//! Evidence: the nearest measured runs with what is predicted of them, and what matters over the whole data set.

use super::scene::Scene;
use crate::format;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{note, paint, paint_in, section_head};
use crate::planner::PredictedRun;
use crate::predictor::{Explanation, NearestRun, Stage};
use egui::{Align2, Rect, Sense, Stroke, Ui, pos2, vec2};

/// Draws the nearest measured runs.
pub fn nearest_ui(ui: &mut Ui, run: &PredictedRun, explanation: &Explanation) {
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
    for near in explanation.nearest.iter().take(5) {
        run_ui(ui, near);
    }
    ui.add_space(6.0);
}

/// Ratios of measured to predicted as dots; 1 is "as predicted", the band is the interval.
fn strip_ui(ui: &mut Ui, run: &PredictedRun, nearest: &[NearestRun]) {
    let t = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 40.0), Sense::hover());
    let inner = rect.shrink2(vec2(size::MARGIN + 14.0, 0.0));
    let step = run.prediction.step_time;
    let ratio = |n: &NearestRun| n.measured / n.predicted;
    let (low, high) = (step.low / step.value, step.high / step.value);
    let reach = nearest
        .iter()
        .map(ratio)
        .chain([low, high])
        .filter(|r| r.is_finite() && *r > 0.0)
        .map(|r| r.ln().abs())
        .fold(0.15, f64::max)
        .min(1.5);
    let x =
        |r: f64| inner.center().x + (r.ln() / reach).clamp(-1.0, 1.0) as f32 * inner.width() / 2.0;
    let y = rect.top() + 9.0;
    let band = Rect::from_min_max(pos2(x(low), y - 8.0), pos2(x(high), y + 8.0));
    ui.painter().rect_filled(band, 3.0, t.sel);
    ui.painter()
        .vline(x(1.0), y - 9.0..=y + 9.0, Stroke::new(2.0, t.sel_line));
    for (i, n) in nearest.iter().enumerate() {
        let color = if i < 3 { t.strong } else { t.sub };
        ui.painter()
            .circle_filled(pos2(x(ratio(n)), y), 3.2, color.gamma_multiply(0.85));
    }
    let far = format::number(reach.exp());
    let near = format::number((-reach).exp());
    for (r, text) in [
        ((-reach).exp(), format!("{near}×")),
        (1.0, "as predicted".to_owned()),
        (reach.exp(), format!("{far}×")),
    ] {
        paint(
            ui.painter(),
            pos2(x(r), y + 19.0),
            Align2::CENTER_CENTER,
            &text,
            Role::Caption,
            t.sub,
        );
    }
}

fn run_ui(ui: &mut Ui, near: &NearestRun) {
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
    let off = near.predicted / near.measured - 1.0;
    let sign = if off < 0.0 { "\u{2212}" } else { "+" };
    let word = format!(
        "we say {sign}{}\u{202F}%",
        format::fixed(off.abs() * 100.0, 1)
    );
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
}

/// Draws what moves figures most over the whole data set.
pub fn importance_ui(ui: &mut Ui, cx: &Scene<'_>) {
    let t = Tokens::of(ui);
    let importance = cx.backend.importance();
    if importance.is_empty() {
        return;
    }
    section_head(ui, "What moves figures most", "error when shuffled");
    for stage in [Stage::Compute, Stage::Communication, Stage::Overlap] {
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
        for item in of_stage.into_iter().take(4) {
            let (rect, _) =
                ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
            let inner = rect.shrink2(vec2(size::MARGIN, 0.0));
            let label = Rect::from_min_max(
                inner.min + vec2(8.0, 0.0),
                pos2(inner.left() + inner.width() * 0.5, inner.bottom()),
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
            let text = format!("+{}", format::percent_in_table(item.permutation));
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
