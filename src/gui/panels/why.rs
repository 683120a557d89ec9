//! Why: the waterfall from physics to prediction, and the rule that names what limits it.

use super::scene::Scene;
use crate::domain::{Configuration, MatmulKind};
use crate::format;
use crate::gui::theme::{Icon, Role, Tokens, size};
use crate::gui::widgets::{focus_ring, icon_button, note, paint, paint_in, section_head};
use crate::planner::PredictedRun;
use crate::predictor::{Contribution, Explanation, Limit, Stage};
use crate::units::Seconds;
use egui::{Align2, Id, Rect, Response, Sense, Stroke, Ui, pos2, vec2};

/// Contributions below this factor are folded into one line.
const SMALL: f64 = 0.004;
/// Lines a stage shows at most before the rest is folded.
const PER_STAGE: usize = 7;

/// What stands for all features that the model at hand does not have.
const OTHERS: &str = "Not in this model";

/// Whether a feature is one of operators that a configuration has. Features of what it has none of are no more than what
/// tells it from models that have some.
fn applies(feature: &str, configuration: &Configuration) -> bool {
    let profile = &configuration.workload.profile;
    let has = |kinds: &[MatmulKind]| profile.matmuls.iter().any(|op| kinds.contains(&op.kind));
    use MatmulKind::{Activation, Conv3x3, Convolution, Depthwise, Grouped};
    match feature {
        "3×3 convolution share"
        | "Convolutional share of outputs"
        | "Odd-sided convolution share" => has(&[Convolution, Conv3x3, Grouped, Depthwise]),
        "Grouped-convolution share"
        | "Channels per group"
        | "Groups of convolutions"
        | "Uneven groups"
        | "NHWC kernels for grouped convolutions" => has(&[Grouped]),
        "Depthwise-convolution share" | "Depthwise kernel area" => has(&[Depthwise]),
        "NHWC tensors" => has(&[Convolution, Conv3x3, Grouped, Depthwise]),
        "Attention share"
        | "Attention FLOP share"
        | "Odd-sided attention share"
        | "Fused attention" => has(&[Activation]),
        "Experts" => profile.blocks.is_some_and(|b| b.experts > 0.0),
        _ => true,
    }
}

/// A name takes no more than this, however wide the view is.
pub const LABEL: f32 = 240.0;

/// How much of the waterfall is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What matters most, the rest folded.
    Brief,
    /// Every contribution.
    Full,
}

/// Draws the waterfall.
pub fn why_ui(
    ui: &mut Ui,
    cx: &Scene<'_>,
    run: &PredictedRun,
    explanation: &Explanation,
    detail: Detail,
) {
    let t = Tokens::of(ui);
    let title = match detail {
        Detail::Brief => "Why",
        Detail::Full => "From physics to prediction",
    };
    let head = section_head(ui, title, "");
    let mut x = head.right();
    for (text, color) in [("faster", t.faster), ("slower", t.slower)] {
        x = paint(
            ui.painter(),
            pos2(x, head.center().y),
            Align2::RIGHT_CENTER,
            text,
            Role::Caption,
            t.sub,
        )
        .left()
            - 5.0;
        let swatch = Rect::from_center_size(pos2(x - 4.0, head.center().y), vec2(8.0, 8.0));
        ui.painter().rect_filled(swatch, 2.0, color);
        x -= 18.0;
    }
    let physics = run.prediction.physics_time.value().max(1e-12);
    let step = run.prediction.step_time;
    // The scale holds every partial product, so that no bar leaves its column.
    let (mut low, mut high) = (0.0f64, (step.high / physics).ln().max(0.0));
    low = low.min((step.low / physics).ln());
    let predicted: f64 = explanation.contributions.iter().map(|c| c.log_ratio).sum();
    let after = after_predictor(cx, run, predicted);
    let laid_over = after.iter().map(|(_, by)| *by);
    let mut sum = 0.0;
    for by in explanation
        .contributions
        .iter()
        .map(|c| c.log_ratio)
        .chain(laid_over)
    {
        sum += by;
        low = low.min(sum);
        high = high.max(sum);
    }
    let scale = Scale {
        low: low - 0.35 * (high - low).max(0.3),
        high,
    };
    anchor_row(
        ui,
        &scale,
        ("Physics, roofline", &format::step_time(Seconds(physics))),
        (scale.low, 0.0),
        t.part(3),
        None,
    );
    let mut at = 0.0;
    for stage in [Stage::Compute, Stage::Communication, Stage::Overlap] {
        let all: Vec<&Contribution> = explanation
            .contributions
            .iter()
            .filter(|c| c.stage == stage)
            .collect();
        if all.is_empty() {
            continue;
        }
        let open_id = Id::unique(("why-open", stage));
        let full = detail == Detail::Full;
        let open = full || ui.data(|d| d.get_temp(open_id)).unwrap_or(false);
        // What the model does not have stands for the difference to models that do: it is not named as if it had it.
        let (all, absent): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|c| applies(&c.feature, &run.configuration));
        let absent: f64 = absent.iter().map(|c| c.log_ratio).sum();
        let (shown, folded): (Vec<_>, Vec<_>) = all
            .into_iter()
            .enumerate()
            .partition(|(i, c)| open || (*i < PER_STAGE && c.log_ratio.abs() >= SMALL));
        // Next to nothing joins what is folded.
        let lacks = absent.abs() >= if open { 0.0005 } else { SMALL };
        let also = if lacks { 0.0 } else { absent };
        let rest: f64 = folded.iter().map(|(_, c)| c.log_ratio).sum::<f64>() + also;
        let absent = absent - also;
        let folds = !folded.is_empty() && rest.abs() > 0.0005;
        // A heading over nothing.
        if shown.is_empty() && !folds && !lacks {
            at += rest + absent;
            continue;
        }
        if stage_row(ui, stage.label(), open && !full) {
            ui.data_mut(|d| d.insert_temp(open_id, false));
        }
        for (_, c) in shown {
            factor_row(ui, &scale, &c.feature, at, c.log_ratio);
            at += c.log_ratio;
        }
        if folds {
            let name = format!("{} smaller ones", folded.len());
            if factor_row(ui, &scale, &name, at, rest).clicked() {
                ui.data_mut(|d| d.insert_temp(open_id, true));
            }
        }
        at += rest;
        if lacks {
            factor_row(ui, &scale, OTHERS, at, absent);
        }
        at += absent;
    }
    for (name, by) in after {
        factor_row(ui, &scale, name, at, by);
        at += by;
    }
    let range = ((step.low / physics).ln(), (step.high / physics).ln());
    anchor_row(
        ui,
        &scale,
        ("Prediction", &format::step_time(Seconds(step.value))),
        (scale.low, (step.value / physics).ln()),
        t.accent,
        Some(range),
    );
    ui.add_space(8.0);
}

/// What is laid over what the predictor says: a person's calibration, and what no measured run has.
fn after_predictor(cx: &Scene<'_>, run: &PredictedRun, so_far: f64) -> Vec<(&'static str, f64)> {
    let physics = run.prediction.physics_time.value().max(1e-12);
    let rest = (run.prediction.step_time.value / physics).ln() - so_far;
    let own = (cx.plan())
        .filter(|plan| plan.predictor_version.contains("calibrated"))
        .and(cx.state.calibration.as_ref())
        .map_or(0.0, |profile| profile.factor(&run.configuration).ln());
    [
        ("Your calibration", own),
        ("What-if, rates of papers", rest - own),
    ]
    .into_iter()
    .filter(|(_, by)| by.is_finite() && by.abs() > 0.0005)
    .collect()
}

/// Log-ratio to share of the bar's column.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn x(&self, column: Rect, value: f64) -> f32 {
        let share = ((value - self.low) / (self.high - self.low).max(1e-9)).clamp(0.0, 1.0);
        column.left() + share as f32 * column.width()
    }
}

/// Label's place, bar's column, right edge.
fn columns(rect: Rect) -> (Rect, Rect, f32) {
    let inner = rect.shrink2(vec2(size::MARGIN, 0.0));
    let label = Rect::from_min_max(
        inner.min,
        pos2(
            inner.left() + (inner.width() * 0.47).min(LABEL),
            inner.bottom(),
        ),
    );
    let bars = Rect::from_min_max(
        pos2(label.right() + 4.0, inner.top() + 4.5),
        pos2(inner.right() - 52.0, inner.bottom() - 4.5),
    );
    (label, bars, inner.right())
}

fn anchor_row(
    ui: &mut Ui,
    scale: &Scale,
    (name, value): (&str, &str),
    (from, to): (f64, f64),
    color: egui::Color32,
    range: Option<(f64, f64)>,
) {
    let t = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let (label, bars, right) = columns(rect);
    paint_in(
        ui.painter(),
        label,
        Align2::LEFT_CENTER,
        name,
        Role::Caption,
        t.strong,
    );
    let bar = Rect::from_min_max(
        pos2(scale.x(bars, from), bars.top()),
        pos2(scale.x(bars, to), bars.bottom()),
    );
    ui.painter().rect_filled(bar, 2.0, color);
    if let Some((low, high)) = range {
        let (a, b) = (scale.x(bars, low), scale.x(bars, high));
        let y = bars.center().y;
        let stroke = Stroke::new(1.2, t.strong);
        ui.painter().hline(a..=b, y, stroke);
        for x in [a, b] {
            ui.painter().vline(x, y - 3.5..=y + 3.5, stroke);
        }
    }
    crate::gui::widgets::paint_value(
        ui.painter(),
        pos2(right, rect.center().y),
        Align2::RIGHT_CENTER,
        value,
        Role::Caption,
        (t.strong, t.sub),
    );
}

/// The head of a stage; one that shows every contribution can be folded again. Returns whether it was.
fn stage_row(ui: &mut Ui, name: &str, open: bool) -> bool {
    let t = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 17.0), Sense::hover());
    let title = paint(
        ui.painter(),
        rect.left_center() + vec2(size::MARGIN, 0.0),
        Align2::LEFT_CENTER,
        name,
        Role::Caption,
        t.sub,
    );
    let place = Rect::from_center_size(title.right_center() + vec2(12.0, 0.0), vec2(16.0, 16.0));
    open && icon_button(ui, place, Icon::ChevronUp, &format!("Fold {name}"), true).clicked()
}

fn factor_row(ui: &mut Ui, scale: &Scale, name: &str, from: f64, by: f64) -> Response {
    let t = Tokens::of(ui);
    // The folded rest can be clicked open.
    let sense = if name.ends_with("smaller ones") {
        Sense::click()
    } else {
        Sense::hover()
    };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), sense);
    if response.sense.senses_click() && response.hovered() {
        ui.painter().rect_filled(rect, 0.0, t.hover);
    }
    focus_ring(ui, &response, 2.0);
    let (label, bars, right) = columns(rect);
    let factor = format!("×\u{202F}{}", format::fixed(by.exp(), 2));
    response.widget_info(|| {
        egui::WidgetInfo::labeled(
            egui::accesskit::Role::Label,
            true,
            format!("{name} {factor}"),
        )
    });
    let place = label.with_min_x(label.left() + 8.0);
    paint_in(
        ui.painter(),
        place,
        Align2::LEFT_CENTER,
        name,
        Role::Caption,
        t.text,
    );
    let (a, b) = (scale.x(bars, from), scale.x(bars, from + by));
    let color = if by > 0.0 { t.slower } else { t.faster };
    let bar = Rect::from_min_max(
        pos2(a.min(b), bars.top()),
        pos2(a.max(b).max(a.min(b) + 1.5), bars.bottom()),
    );
    ui.painter().vline(
        a,
        rect.top() - 4.0..=bars.top(),
        Stroke::new(1.0, t.line_strong),
    );
    ui.painter().rect_filled(bar, 1.5, color);
    paint(
        ui.painter(),
        pos2(right, rect.center().y),
        Align2::RIGHT_CENTER,
        &factor,
        Role::Caption,
        t.text,
    );
    response.on_hover_text(name)
}

pub const fn limit_word(limit: Limit) -> &'static str {
    match limit {
        Limit::Compute => "matmul arithmetic",
        Limit::MemoryTraffic => "memory traffic",
        Limit::Launch => "kernel launches",
        Limit::Communication => "communication",
    }
}

/// How far the readable rule can be trusted.
pub fn fidelity_ui(ui: &mut Ui, explanation: &Explanation) {
    if !explanation.limit_rule.is_empty() {
        let text = format!(
            "The rule names the predictor's own limit in {} of configurations",
            format::percent(explanation.limit_fidelity)
        );
        note(ui, &text, Tokens::of(ui).sub);
    }
}

/// What limits it, by the readable rule.
pub fn limit_ui(ui: &mut Ui, run: &PredictedRun, explanation: &Explanation) {
    let t = Tokens::of(ui);
    section_head(ui, "What limits it", limit_word(run.prediction.limit));
    for rule in &explanation.limit_rule {
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
        response
            .widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, rule));
        let inner = rect.shrink2(vec2(size::MARGIN, 0.0));
        ui.painter()
            .circle_filled(inner.left_center() + vec2(3.0, 0.0), 1.6, t.sub);
        paint_in(
            ui.painter(),
            inner.with_min_x(inner.left() + 14.0),
            Align2::LEFT_CENTER,
            rule,
            Role::Caption,
            t.text,
        );
    }
    fidelity_ui(ui, explanation);
    ui.add_space(8.0);
}
