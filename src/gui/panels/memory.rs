//! What fills the memory of one device, by part, against its capacity, and the largest batch that fits.

use super::run_notes::line_ui;
use super::scene::Scene;
use crate::domain::MemoryUse;
use crate::format;
use crate::gui::command::UiCommand;
use crate::gui::parse;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{note, paint, paint_value, part_row, section_head, text_button};
use crate::planner::PredictedRun;
use crate::units::Bytes;
use egui::{Align2, Rect, Sense, Stroke, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Parts smaller than this share of the capacity have no line of their own.
const SMALL: f64 = 0.002;

/// Draws the memory of a run.
pub fn memory_ui(ui: &mut Ui, cx: &mut Scene<'_>, run: &PredictedRun) {
    let t = Tokens::of(ui);
    let memory = &run.prediction.memory;
    let head = section_head(ui, "Memory of each device", "");
    let text = format!(
        "{} of {}\u{202F}GiB",
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
            let share = bytes.value() / memory.capacity.value();
            part_row(ui, t.memory(i), name, &format::memory_gib(bytes), share);
        }
    }
    stages_ui(ui, run);
    largest_ui(ui, cx, run);
    ui.add_space(8.0);
}

/// The largest micro-batch that fits, and where the batch of the request is smaller a button that asks for it.
fn largest_ui(ui: &mut Ui, cx: &mut Scene<'_>, run: &PredictedRun) {
    let text = run.largest_micro_batch.map_or_else(
        || "not even one sample fits".to_owned(),
        |n| match n {
            1 => "1 sample".to_owned(),
            n => format!("{} samples", format::count(f64::from(n))),
        },
    );
    line_ui(ui, "Largest micro-batch that fits", &text);
    let Some(batch) = cx.plan().and_then(|plan| plan.larger_batch(run)) else {
        return;
    };
    let (row, _) = ui.allocate_exact_size(vec2(ui.available_width(), 30.0), Sense::hover());
    let right = row.right_center() - vec2(size::MARGIN, 0.0);
    let (text, kind) = match (batch.global, batch.per_gpu) {
        (Some(global), _) => (
            format!("Set the global batch to {}", parse::exact(global)),
            "It stays a batch for all accelerators together",
        ),
        (None, each) => (
            format!(
                "Set the batch to {} per accelerator",
                parse::exact(each.unwrap_or_default())
            ),
            "It is a batch for each accelerator, whatever their count",
        ),
    };
    let command = UiCommand::LargestBatch;
    let tooltip = format!(
        "{text}: this layout then fills its memory in every micro-step, as nearly as the batch divides. {kind}, and every \
         combination is planned with it"
    );
    let button = text_button(ui, right, None, &text, false).on_hover_text(tooltip);
    if button.clicked() {
        cx.run(command);
    }
}

/// The peak of each pipeline stage as a bar against the capacity; the fullest is named. Nothing without a pipeline.
fn stages_ui(ui: &mut Ui, run: &PredictedRun) {
    let stages = &run.memory_by_stage;
    let Some(worst) = fullest(stages).filter(|_| stages.len() > 1) else {
        return;
    };
    let t = Tokens::of(ui);
    ui.add_space(4.0);
    let text = format!(
        "By pipeline stage: stage {} of {} is the fullest",
        worst + 1,
        stages.len()
    );
    note(ui, &text, t.sub);
    let peaks = stages
        .iter()
        .map(|s| (s.total().value(), s.capacity.value()));
    let full = peaks.fold(1.0f64, |most, (used, all)| most.max(used).max(all));
    for (at, stage) in shown_stages(stages.len(), worst) {
        let Some(memory) = stage.and_then(|i| stages.get(i)) else {
            note(ui, &format!("{at} more"), t.sub);
            continue;
        };
        stage_ui(ui, at, memory, full, at == worst + 1);
    }
}

fn fullest(stages: &[MemoryUse]) -> Option<usize> {
    let peaks = stages.iter().map(|s| s.total().value()).enumerate();
    peaks
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
        .map(|(i, _)| i)
}

/// Numbers and indices of the stages that have a line: of a long pipeline the ends and the fullest; between them how many
/// are left out.
fn shown_stages(all: usize, worst: usize) -> Vec<(usize, Option<usize>)> {
    const MOST: usize = 8;
    let is_shown = |i: usize| all <= MOST || i < 3 || i + 2 >= all || i == worst;
    let mut list: Vec<(usize, Option<usize>)> = Vec::new();
    for i in 0..all {
        match (is_shown(i), list.last_mut()) {
            (true, _) => list.push((i + 1, Some(i))),
            (false, Some((left_out, None))) => *left_out += 1,
            (false, _) => list.push((1, None)),
        }
    }
    list
}

fn stage_ui(ui: &mut Ui, number: usize, memory: &MemoryUse, full: f64, is_worst: bool) {
    let t = Tokens::of(ui);
    let (row, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let text = format::memory_gib(memory.total());
    response.widget_info(|| {
        WidgetInfo::labeled(
            accesskit::Role::Label,
            true,
            format!("Stage {number} {text}"),
        )
    });
    let inner = row.shrink2(vec2(size::MARGIN, 0.0));
    let y = inner.center().y;
    let ink = if is_worst { t.strong } else { t.sub };
    let name = format!("Stage {number}");
    paint(
        ui.painter(),
        pos2(inner.left(), y),
        Align2::LEFT_CENTER,
        &name,
        Role::Caption,
        ink,
    );
    let at = pos2(inner.right(), y);
    let (role, colors) = (Role::Caption, (ink, t.sub));
    paint_value(ui.painter(), at, Align2::RIGHT_CENTER, &text, role, colors);
    let column = Rect::from_min_max(
        pos2(inner.left() + 62.0, y - 3.5),
        pos2(inner.right() - 62.0, y + 3.5),
    );
    let to = |bytes: f64| column.left() + (bytes / full) as f32 * column.width();
    let track = column.with_max_x(to(memory.capacity.value()));
    ui.painter().rect_filled(track, 2.0, t.track);
    let (used, is_over) = (memory.total().value(), !memory.fits());
    let fill = if is_over { t.warn } else { t.memory(3) };
    let fill = if is_worst {
        fill
    } else {
        fill.gamma_multiply(0.6)
    };
    ui.painter()
        .rect_filled(column.with_max_x(to(used)), 2.0, fill);
    if is_over {
        let line = Stroke::new(2.0, t.strong);
        ui.painter().vline(
            track.right(),
            column.top() - 2.0..=column.bottom() + 2.0,
            line,
        );
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_pipeline_shows_its_ends_and_the_fullest() {
        assert_eq!(
            shown_stages(3, 0),
            [(1, Some(0)), (2, Some(1)), (3, Some(2))]
        );
        let list = shown_stages(16, 7);
        let numbers: Vec<usize> = list.iter().filter(|s| s.1.is_some()).map(|s| s.0).collect();
        assert_eq!(numbers, [1, 2, 3, 8, 15, 16]);
        let left_out: usize = list.iter().filter(|s| s.1.is_none()).map(|s| s.0).sum();
        assert_eq!(left_out, 10);
    }
}
