//! Why: the waterfall from physics to prediction, and the rule that names what limits it.

use super::scene::Scene;
use super::why_limit::{because, limit_word};
use super::why_words::subjects;
use crate::format;
use crate::gui::theme::{Icon, Role, Tokens, paint_icon, size};
use crate::gui::widgets::{
    check_row, focus_ring_at, label_at, note, paint, paint_in, section_head, width_of,
};
use crate::planner::PredictedRun;
use crate::predictor::Explanation;
use crate::units::Seconds;
use egui::{Align2, Id, Rect, Response, Sense, Stroke, Ui, pos2, vec2};

/// Subjects that move the time by less share a line where there is little room.
const SMALL: f64 = 0.005;
/// Shows what subjects are made of.
const EVERY: &str = "Every input";
/// What the box and its words take.
const EVERY_WIDTH: f32 = 84.0;
/// Height of a line, and the fewest subjects worth cutting a list to.
const LINE: f32 = 18.0;
const FEWEST: usize = 3;

/// A name takes no more than this, however wide the view is.
pub const LABEL: f32 = 240.0;

/// How much of the waterfall is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What matters most, the rest folded.
    Brief,
    /// The same of the selection before, while that of this one is worked out.
    Former,
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
        Detail::Brief | Detail::Former => "Why",
        Detail::Full => "From physics to prediction",
    };
    let head = section_head(ui, title, "");
    let title = head.left() + width_of(ui.painter(), title, Role::Section);
    let every = detail == Detail::Full && every_input(ui, head.with_min_x(title + 8.0));
    let room = match detail {
        Detail::Brief | Detail::Former => title,
        Detail::Full => title + 8.0 + EVERY_WIDTH,
    };
    if detail == Detail::Former {
        let at = head.right_center();
        label_at(
            ui,
            at,
            Align2::RIGHT_CENTER,
            "working it out…",
            Role::Body,
            t.sub,
        );
    } else {
        legend_ui(ui, head.with_min_x(room + 8.0));
    }
    let physics = run.prediction.physics_time.value().max(1e-12);
    let step = run.prediction.step_time;
    let predicted: f64 = explanation.contributions.iter().map(|c| c.log_ratio).sum();
    let after = after_predictor(cx, run, predicted);
    let factors = explanation.contributions.iter().map(|c| c.log_ratio);
    let scale = Scale::of(factors.chain(after.iter().map(|(_, by)| *by)));
    anchor_row(
        ui,
        &scale,
        ("Physics, roofline", &format::step_time(Seconds(physics))),
        (scale.low, 0.0),
        t.part(3),
        (None, physics),
    );
    let mut at = 0.0;
    let most = match detail {
        Detail::Full => usize::MAX,
        Detail::Brief | Detail::Former => rows_in_sight(ui, after.len()),
    };
    let (shown, rest): (Vec<_>, Vec<_>) = subjects(explanation, &run.configuration)
        .into_iter()
        .enumerate()
        .partition(|(i, subject)| detail == Detail::Full || subject.by.abs() >= SMALL && *i < most);
    for (_, subject) in shown {
        let open_id = Id::unique(("why-open", subject.name));
        let open = every || ui.data(|d| d.get_temp(open_id)).unwrap_or(false);
        let row = Factor {
            name: subject.name,
            by: subject.by,
            inputs: Some((subject.inputs.len(), open)),
        };
        if factor_row(ui, &scale, at, &row).clicked() {
            ui.data_mut(|d| d.insert_temp(open_id, !open));
        }
        for (name, by) in subject.inputs.iter().filter(|_| open) {
            let (name, by, inputs) = (*name, *by, None);
            factor_row(ui, &scale, at, &Factor { name, by, inputs });
            at += by;
        }
        at = if open { at } else { at + subject.by };
    }
    let rest: f64 = rest.iter().map(|(_, subject)| subject.by).sum();
    if rest != 0.0 {
        let (name, by, inputs) = ("All else", rest, Some((0, false)));
        factor_row(ui, &scale, at, &Factor { name, by, inputs });
        at += by;
    }
    for (name, by) in after {
        let inputs = None;
        factor_row(ui, &scale, at, &Factor { name, by, inputs });
        at += by;
    }
    let range = ((step.low / physics).ln(), (step.high / physics).ln());
    anchor_row(
        ui,
        &scale,
        ("Prediction", &format::step_time(Seconds(step.value))),
        (scale.low, (step.value / physics).ln()),
        t.accent,
        (Some(range), physics),
    );
    ui.add_space(8.0);
}

/// How many subjects leave the last line, the prediction, in sight, with the rest of them in one line; all where so few would
/// that a reader has to scroll anyway. Counted from the top of the page, so that scrolling changes nothing.
fn rows_in_sight(ui: &Ui, after: usize) -> usize {
    let above = ui.cursor().top() - ui.min_rect().top();
    let room = ((ui.clip_rect().height() - above) / LINE).max(0.0) as usize;
    // The rest and the prediction are lines too, and so is each factor after the subjects.
    match room.saturating_sub(2 + after) {
        0..FEWEST => usize::MAX,
        rows => rows,
    }
}

/// Whether every input is shown, and the box that switches it.
fn every_input(ui: &mut Ui, room: Rect) -> bool {
    let id = Id::unique("why-every-input");
    let on = ui.data(|d| d.get_temp(id)).unwrap_or(false);
    let place = Rect::from_min_size(
        pos2(room.left(), room.center().y - 11.0),
        vec2(EVERY_WIDTH, 22.0),
    );
    // The box keeps the margin of a row inside its own place.
    let row = place.with_min_x(place.left() - size::MARGIN);
    if check_row(ui, row, "Show every input", on).clicked() {
        ui.data_mut(|d| d.insert_temp(id, !on));
    }
    let (anchor, ink) = (Align2::LEFT_CENTER, Tokens::of(ui).text);
    let at = place.left_center() + vec2(20.0, 0.0);
    paint(ui.painter(), at, anchor, EVERY, Role::Caption, ink);
    on
}

/// What the two colours mean, where there is room for all of it.
fn legend_ui(ui: &Ui, room: Rect) {
    let t = Tokens::of(ui);
    let entries = [("faster", t.faster), ("slower", t.slower)];
    let width = |text: &str| width_of(ui.painter(), text, Role::Caption);
    let wanted: f32 = entries.iter().map(|(text, _)| width(text) + 13.0).sum();
    if wanted + 10.0 > room.width() {
        return;
    }
    let mut x = room.right();
    for (text, color) in entries {
        let (at, anchor) = (pos2(x, room.center().y), Align2::RIGHT_CENTER);
        x = paint(ui.painter(), at, anchor, text, Role::Caption, t.sub).left() - 5.0;
        let swatch = Rect::from_center_size(pos2(x - 4.0, at.y), vec2(8.0, 8.0));
        ui.painter().rect_filled(swatch, 2.0, color);
        x -= 18.0;
    }
}

/// What is laid over what the predictor says: a person's calibration, and what no measured run has.
fn after_predictor(cx: &Scene<'_>, run: &PredictedRun, so_far: f64) -> Vec<(&'static str, f64)> {
    let physics = run.prediction.physics_time.value().max(1e-12);
    let rest = (run.prediction.step_time.value / physics).ln() - so_far;
    let own = (cx.plan())
        .filter(|plan| plan.predictor_version.contains("calibrated"))
        .and(cx.state.calibration.as_ref())
        .map_or(0.0, |profile| {
            profile.factor(&run.configuration, &run.prediction).ln()
        });
    [
        ("Your calibration", own),
        ("What-if, rates of papers", rest - own),
    ]
    .into_iter()
    .filter(|(_, by)| by.is_finite() && by.abs() > 0.0005)
    .collect()
}

/// Log-ratio to share of the bar's column. Its axis is broken: it starts a little below the smallest of the running
/// products, so that factors near 1 are bars and not slivers.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn of(factors: impl Iterator<Item = f64>) -> Self {
        let (mut sum, mut low, mut high) = (0.0f64, 0.0f64, 0.0f64);
        for by in factors {
            sum += by;
            low = low.min(sum);
            high = high.max(sum);
        }
        // Room for what stands before the first factor, and for the whisker on both sides of the last bar.
        let room = (0.25 * (high - low)).max(0.08);
        Self {
            low: low - room,
            high: high + room,
        }
    }

    fn x(&self, column: Rect, value: f64) -> f32 {
        let share = ((value - self.low) / (self.high - self.low).max(1e-9)).clamp(0.0, 1.0);
        column.left() + share as f32 * column.width()
    }

    const fn holds(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
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
    (range, physics): (Option<(f64, f64)>, f64),
) {
    let t = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), Sense::hover());
    response.widget_info(|| {
        let text = format!("{name} {value}");
        egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, text)
    });
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
        whisker_ui(ui, scale, bars, (low, high), t);
        let ends = [low, high].map(|by| format::step_time(Seconds(physics * by.exp())));
        response.on_hover_text(format!("90\u{202F}% interval {}", ends.join(" to ")));
    }
    break_ui(ui, bar, t);
    crate::gui::widgets::paint_value(
        ui.painter(),
        pos2(right, rect.center().y),
        Align2::RIGHT_CENTER,
        value,
        Role::Caption,
        (t.strong, t.sub),
    );
}

/// Two short strokes through the start of a bar: what lies left of them is left out.
fn break_ui(ui: &Ui, bar: Rect, t: &Tokens) {
    for x in [10.0, 14.0] {
        let at = pos2(bar.left() + x, bar.center().y);
        let slant = vec2(2.0, -bar.height() / 2.0 - 1.5);
        let ends = [at - slant, at + slant];
        ui.painter().line_segment(ends, Stroke::new(1.6, t.panel));
    }
}

/// The interval; an end that the axis does not reach is an arrow.
fn whisker_ui(ui: &Ui, scale: &Scale, bars: Rect, (low, high): (f64, f64), t: &Tokens) {
    let (a, b) = (scale.x(bars, low), scale.x(bars, high));
    let y = bars.center().y;
    let stroke = Stroke::new(1.2, t.strong);
    ui.painter().hline(a..=b, y, stroke);
    for (x, value, inwards) in [(a, low, 4.0), (b, high, -4.0)] {
        if scale.holds(value) {
            ui.painter().vline(x, y - 3.5..=y + 3.5, stroke);
            continue;
        }
        for dy in [-3.5, 3.5] {
            let ends = [pos2(x, y), pos2(x + inwards, y + dy)];
            ui.painter().line_segment(ends, stroke);
        }
    }
}

/// A line of the waterfall: a subject, with how many inputs it has and whether they are shown, or one input.
struct Factor<'a> {
    name: &'a str,
    by: f64,
    inputs: Option<(usize, bool)>,
}

fn factor_row(ui: &mut Ui, scale: &Scale, from: f64, row: &Factor<'_>) -> Response {
    let t = Tokens::of(ui);
    let can_open = row.inputs.filter(|(count, _)| *count > 1);
    let sense = if can_open.is_some() {
        Sense::click()
    } else {
        Sense::hover()
    };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), sense);
    if response.sense.senses_click() && response.hovered() {
        ui.painter().rect_filled(rect, 0.0, t.hover);
    }
    let ring = rect.shrink2(vec2(size::MARGIN - 4.0, 0.0));
    focus_ring_at(ui, &response, ring, 2.0);
    let (label, bars, right) = columns(rect);
    let factor = format!("×\u{202F}{}", format::fixed(row.by.exp(), 2));
    response.widget_info(|| {
        let text = format!("{} {factor}", row.name);
        match can_open {
            Some((_, open)) => {
                let role = egui::accesskit::Role::DisclosureTriangle;
                egui::WidgetInfo::selected(role, true, open, text)
            }
            None => egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, text),
        }
    });
    let is_subject = row.inputs.is_some();
    let indent = if is_subject { 14.0 } else { 26.0 };
    let place = label.with_min_x(label.left() + indent);
    paint_in(
        ui.painter(),
        place,
        Align2::LEFT_CENTER,
        row.name,
        Role::Caption,
        if is_subject { t.text } else { t.sub },
    );
    if let Some((_, open)) = can_open {
        let icon = if open {
            Icon::ChevronUp
        } else {
            Icon::ChevronDown
        };
        let at = label.left_center() + vec2(5.0, 0.0);
        paint_icon(ui.painter(), at, icon, t.sub, 0.7);
    }
    let to = from + row.by;
    let (a, b) = (scale.x(bars, from), scale.x(bars, to));
    let color = if row.by > 0.0 { t.slower } else { t.faster };
    let bar = Rect::from_min_max(
        pos2(a.min(b), bars.top()),
        pos2(a.max(b).max(a.min(b) + 2.0), bars.bottom()),
    );
    // What is told as ×1.00 has no bar: the line goes on to the next.
    let is_nothing = (row.by.exp() - 1.0).abs() < 0.005;
    // An open subject is told by its inputs.
    if !can_open.is_some_and(|(_, open)| open) {
        let line = Stroke::new(1.0, t.line_strong);
        let end = if is_nothing {
            rect.bottom()
        } else {
            bars.top()
        };
        ui.painter().vline(a, rect.top() - 4.0..=end, line);
        if !is_nothing {
            ui.painter().rect_filled(bar, 1.5, color);
        }
    }
    paint(
        ui.painter(),
        pos2(right, rect.center().y),
        Align2::RIGHT_CENTER,
        &factor,
        Role::Caption,
        if is_subject { t.text } else { t.sub },
    );
    match can_open {
        Some((count, _)) => response.on_hover_text(format!("{}: {count} inputs", row.name)),
        None => response.on_hover_text(row.name),
    }
}

/// What limits it as one sentence, then the tests that say so. Thresholds alone tell a reader nothing, so they stand last and
/// small.
pub fn reasons_of_limit_ui(ui: &mut Ui, run: &PredictedRun, explanation: &Explanation) {
    let t = Tokens::of(ui);
    note(ui, &because(run, explanation), t.text);
    if explanation.limit_rule.is_empty() {
        return;
    }
    let passed: Vec<String> = (explanation.limit_rule.iter())
        .map(|test| test.replace(" at most ", " ≤ ").replace(" above ", " > "))
        .collect();
    let tests = format!("Tests passed: {}", passed.join(" · "));
    note(ui, &tests, t.sub);
}

/// How far the tests can be trusted; nothing where there are none.
pub fn trust_of_limit(explanation: &Explanation) -> String {
    if explanation.limit_rule.is_empty() {
        return String::new();
    }
    let share = format::percent(explanation.limit_fidelity);
    format!("a short rule that agrees with the predictor in {share} of configurations")
}

/// The same as a section of its own.
pub fn limit_ui(ui: &mut Ui, run: &PredictedRun, explanation: &Explanation) {
    section_head(ui, "What limits it", limit_word(run.prediction.limit));
    reasons_of_limit_ui(ui, run, explanation);
    let trust = trust_of_limit(explanation);
    if !trust.is_empty() {
        note(ui, &format!("By {trust}"), Tokens::of(ui).sub);
    }
    ui.add_space(8.0);
}
