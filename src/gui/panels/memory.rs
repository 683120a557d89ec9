//! What fills the memory of one device, by part, against its capacity.

use crate::format;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{paint, paint_value, section_head};
use crate::planner::PredictedRun;
use crate::units::Bytes;
use egui::{Align2, Rect, Sense, Stroke, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Parts smaller than this share of the capacity have no line of their own.
const SMALL: f64 = 0.002;

/// Draws the memory of a run.
pub fn memory_ui(ui: &mut Ui, run: &PredictedRun) {
    let t = Tokens::of(ui);
    let memory = &run.prediction.memory;
    let head = section_head(ui, "Memory of each device", "");
    let text = format!(
        "{} of {}\u{202F}GB",
        format::number(memory.total().gib()),
        format::count(memory.capacity.gib())
    );
    let ink = if memory.total().value() > 0.95 * memory.capacity.value() {
        t.warn
    } else {
        t.strong
    };
    paint_value(
        ui.painter(),
        head.right_center(),
        Align2::RIGHT_CENTER,
        &text,
        Role::Section,
        (ink, t.sub),
    );
    let parts: [(&str, Bytes); 5] = [
        ("Weights", memory.weights),
        ("Gradients", memory.gradients),
        ("Optimizer states", memory.optimizer),
        ("Activations", memory.activations),
        ("Framework and buffers", memory.overhead),
    ];
    bar_ui(ui, &parts, memory.capacity);
    for (i, (name, bytes)) in parts.into_iter().enumerate() {
        if bytes.value() > SMALL * memory.capacity.value() {
            part_ui(ui, i, name, bytes, memory.capacity);
        }
    }
    ui.add_space(8.0);
}

/// One bar; its whole width is the capacity, or the total where that is more.
fn bar_ui(ui: &mut Ui, parts: &[(&str, Bytes); 5], capacity: Bytes) {
    let t = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let bar = Rect::from_min_size(
        rect.min + vec2(size::MARGIN, 0.0),
        vec2(rect.width() - 2.0 * size::MARGIN, 12.0),
    );
    let total: f64 = parts.iter().map(|(_, b)| b.value()).sum();
    let full = total.max(capacity.value()).max(1.0);
    ui.painter().rect_filled(bar, 2.0, t.track);
    let mut x = bar.left();
    for (i, (_, bytes)) in parts.iter().enumerate() {
        let width = (bytes.value() / full) as f32 * bar.width();
        let piece = Rect::from_min_max(
            pos2(x, bar.top()),
            pos2((x + width - 1.0).max(x), bar.bottom()),
        );
        ui.painter().rect_filled(piece, 2.0, t.memory(i));
        x += width;
    }
    if total > capacity.value() {
        let x = bar.left() + (capacity.value() / full) as f32 * bar.width();
        let line = Stroke::new(2.0, t.warn);
        ui.painter()
            .vline(x, bar.top() - 3.0..=bar.bottom() + 3.0, line);
    }
}

fn part_ui(ui: &mut Ui, i: usize, name: &str, bytes: Bytes, capacity: Bytes) {
    let t = Tokens::of(ui);
    let (row, response) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let text = format::memory_gb(bytes);
    response.widget_info(|| {
        WidgetInfo::labeled(accesskit::Role::Label, true, format!("{name} {text}"))
    });
    let (y, left) = (row.center().y, row.left() + size::MARGIN);
    let swatch = Rect::from_center_size(pos2(left + 4.5, y), vec2(9.0, 9.0));
    ui.painter().rect_filled(swatch, 2.0, t.memory(i));
    paint(
        ui.painter(),
        pos2(left + 18.0, y),
        Align2::LEFT_CENTER,
        name,
        Role::Body,
        t.text,
    );
    let right = row.right() - size::MARGIN;
    paint_value(
        ui.painter(),
        pos2(right - 46.0, y),
        Align2::RIGHT_CENTER,
        &text,
        Role::Section,
        (t.strong, t.sub),
    );
    paint(
        ui.painter(),
        pos2(right, y),
        Align2::RIGHT_CENTER,
        &format::percent(bytes.value() / capacity.value()),
        Role::Body,
        t.sub,
    );
}
