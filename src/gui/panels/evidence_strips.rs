//! Strips of the evidence: measured runs as dots on a logarithmic line, with the mark and the band of the prediction.

use crate::format;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{paint, width_of};
use crate::planner::PredictedRun;
use crate::predictor::NearestRun;
use crate::units::Seconds;
use egui::{Align2, Rect, Sense, Stroke, Ui, WidgetInfo, accesskit, pos2, vec2};

/// So many of the nearest runs are drawn stronger.
const STRONG: usize = 3;
const DOT: f32 = 3.2;

/// What a strip shows: its dots, the prediction with the ends of its interval, and the ends of the line.
struct Strip<'a> {
    dots: &'a [f64],
    here: (f64, f64, f64),
    ends: (f64, f64),
    /// How the prediction's mark is called.
    name: &'a str,
    /// A value of the line in words.
    words: &'a dyn Fn(f64) -> String,
}

/// Ratios of measured to predicted as dots; 1 is "as predicted", the band is the interval. Returns the strip's place.
pub fn ratios_ui(ui: &mut Ui, run: &PredictedRun, nearest: &[NearestRun]) -> Rect {
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
    let strip = Strip {
        dots: &ratios,
        here,
        ends: ((-reach).exp(), reach.exp()),
        name: "as predicted",
        words: &|r| format!("{}×", format::number(r)),
    };
    dots_ui(ui, &strip)
}

/// Measured step times as dots, this prediction and its interval among them. Returns the strip's place.
pub fn times_ui(ui: &mut Ui, run: &PredictedRun, nearest: &[NearestRun]) -> Rect {
    let step = run.prediction.step_time;
    let here = (step.low, step.value, step.high);
    let times: Vec<f64> = nearest.iter().map(|n| n.measured.value()).collect();
    let all = || times.iter().copied().chain([here.0, here.2]);
    let low = all().fold(f64::INFINITY, f64::min).max(1e-9);
    let high = all().fold(low, f64::max);
    let words = |s: f64| format::step_time(Seconds(s));
    let strip = Strip {
        dots: &times,
        here,
        ends: (low / 1.05, high * 1.05),
        name: &format!("this prediction, {}", words(step.value)),
        words: &words,
    };
    dots_ui(ui, &strip)
}

/// The prediction's name above the line, both ends of the line below it: none covers another, none leaves the margins.
fn dots_ui(ui: &mut Ui, strip: &Strip<'_>) -> Rect {
    let t = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 54.0), Sense::hover());
    let (low, high) = ((strip.words)(strip.ends.0), (strip.words)(strip.ends.1));
    response.widget_info(|| {
        let dots = strip.dots.len();
        let text = format!(
            "{dots} measured runs on a log scale from {low} to {high}, {}",
            strip.name
        );
        WidgetInfo::labeled(accesskit::Role::Label, true, text)
    });
    let inner = rect.shrink2(vec2(size::MARGIN, 0.0));
    let line = inner.shrink2(vec2(DOT, 0.0));
    let span = (strip.ends.1 / strip.ends.0).ln().max(1e-9);
    let x = |v: f64| {
        let share = ((v / strip.ends.0).ln() / span).clamp(0.0, 1.0);
        line.left() + share as f32 * line.width()
    };
    let painter = ui.painter();
    let (above, y, below) = (rect.top() + 8.0, rect.top() + 26.0, rect.top() + 44.0);
    let track = Rect::from_min_max(pos2(line.left(), y - 0.5), pos2(line.right(), y + 0.5));
    painter.rect_filled(track, 0.0, t.track);
    for end in [line.left(), line.right()] {
        painter.vline(end, y - 4.0..=y + 4.0, Stroke::new(1.0, t.line_strong));
    }
    let (from, at, to) = strip.here;
    let band = Rect::from_min_max(pos2(x(from), y - 8.0), pos2(x(to), y + 8.0));
    painter.rect_filled(band, 3.0, t.sel);
    painter.vline(x(at), y - 9.0..=y + 9.0, Stroke::new(2.0, t.sel_line));
    for (i, dot) in strip.dots.iter().enumerate().rev() {
        let color = if i < STRONG { t.strong } else { t.sub };
        painter.circle_filled(pos2(x(*dot), y), DOT, color.gamma_multiply(0.85));
    }
    let half = width_of(painter, strip.name, Role::Caption) / 2.0;
    let middle = x(at).clamp(
        inner.left() + half,
        (inner.right() - half).max(inner.left() + half),
    );
    for (at, anchor, text, ink) in [
        (
            pos2(middle, above),
            Align2::CENTER_CENTER,
            strip.name,
            t.text,
        ),
        (
            pos2(inner.left(), below),
            Align2::LEFT_CENTER,
            low.as_str(),
            t.sub,
        ),
        (
            pos2(inner.right(), below),
            Align2::RIGHT_CENTER,
            high.as_str(),
            t.sub,
        ),
    ] {
        paint(painter, at, anchor, text, Role::Caption, ink);
    }
    rect
}

/// What dots and band of a strip mean, between the two ends below it.
pub fn legend_ui(ui: &mut Ui, strip: Rect, dots: usize) {
    let t = Tokens::of(ui);
    let y = strip.top() + 44.0;
    let mut words = vec![("log scale", None)];
    // In a side panel the band is left to the guide of the view.
    if strip.width() > 420.0 {
        words.insert(0, ("band = 90\u{202F}% interval", None));
    }
    if dots > STRONG {
        words.insert(0, ("others", Some(t.sub)));
        words.insert(0, ("three nearest", Some(t.strong)));
    }
    let width = |(text, dot): &(&str, Option<egui::Color32>)| {
        width_of(ui.painter(), text, Role::Caption) + if dot.is_some() { 11.0 } else { 0.0 }
    };
    const GAP: f32 = 14.0;
    let all: f32 = words.iter().map(width).sum::<f32>() + GAP * (words.len() - 1) as f32;
    let mut x = strip.center().x - all / 2.0;
    for word in &words {
        let next = x + width(word) + GAP;
        if let Some(color) = word.1 {
            let at = pos2(x + DOT, y);
            ui.painter()
                .circle_filled(at, DOT, color.gamma_multiply(0.85));
            x += 11.0;
        }
        paint(
            ui.painter(),
            pos2(x, y),
            Align2::LEFT_CENTER,
            word.0,
            Role::Caption,
            t.sub,
        );
        x = next;
    }
}
