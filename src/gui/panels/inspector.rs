//! Right panel: the selected combination, its figures, where its step goes, why, and on what evidence.

use super::centre::DIMMED;
use super::importance::{Most, importance_ui};
use super::scene::{Scene, title_of};
use super::schedules::schedules_ui;
use super::{evidence, memory, regions, run_notes, why};
use crate::format;
use crate::gui::command::{Action, UiCommand};
use crate::gui::places::Region;
use crate::gui::state::Status;
use crate::gui::theme::{Icon, Role, Tokens, paint_icon, size};
use crate::gui::widgets::{
    icon_button, label_at, note, paint_in, paint_value, part_row, rule, scroll_pages, section_head,
    segmented_bar,
};
use crate::planner::{Combination, LimitKind, PredictedRun, plain_reason};
use crate::report;
use crate::units::{KilowattHours, Seconds, Usd};
use egui::{Align2, Rect, ScrollArea, Sense, Stroke, Ui, pos2, vec2};

/// Draws the inspector.
pub fn inspector_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let panel = ui.max_rect();
    Region::Inspector.mark(ui.ctx(), panel);
    ui.painter().vline(
        panel.left() + 0.5,
        panel.y_range(),
        Stroke::new(1.0, t.line),
    );
    let Some((index, c, run)) = cx.selection() else {
        let text = if matches!(cx.tab.status, Status::Blank) {
            "Once there is a plan, the selected combination stands here: its figures, where its time goes and why"
        } else if cx.plan().is_some() && cx.tab.rows.predicted == 0 {
            "Nothing of this request can run, so there is nothing to explain yet"
        } else {
            "Select a row or a point to see where its time goes and why"
        };
        let place = panel.shrink2(vec2(size::MARGIN, 40.0));
        let galley = ui
            .painter()
            .layout(text.to_owned(), Role::Body.font(), t.sub, place.width());
        ui.painter().galley(place.min, galley, t.sub);
        return;
    };
    if cx.tab.is_stale() {
        ui.multiply_opacity(DIMMED);
    }
    // What is spoken of, and its pin, stay while the rest scrolls.
    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
    title_ui(ui, cx, (index, c, run));
    let area = ScrollArea::vertical()
        .auto_shrink(false)
        .id_salt(("inspector", cx.tab.id));
    // The window opens on the cautions at its top, wherever it was scrolled to when it was closed.
    let seen = egui::Id::unique("inspector-seen");
    let is_seen = ui.data_mut(|d| std::mem::replace(d.get_temp_mut_or_default(seen), true));
    let area = if is_seen {
        area
    } else {
        area.vertical_scroll_offset(0.0)
    };
    area.show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        scroll_pages(ui, cx.state.inspector_step);
        let cautions = cx.plan().map_or_else(Vec::new, |plan| plan.cautions(c));
        for text in &cautions {
            note(ui, text, t.warn);
        }
        if !cautions.is_empty() {
            ui.add_space(6.0);
        }
        rule(ui);
        metrics_ui(ui, cx, run);
        cost_notes_ui(ui, cx, c, run);
        rule(ui);
        step_ui(ui, run);
        rule(ui);
        schedules_ui(ui, cx);
        match cx.explanation() {
            Some(Ok(explanation)) => {
                why::why_ui(ui, cx, run, explanation, why::Detail::Brief);
                rule(ui);
                evidence::nearest_ui(ui, cx, run, explanation);
                rule(ui);
                why::limit_ui(ui, run, explanation);
                run_notes::advice_ui(ui, cx, c);
            }
            Some(Err(text)) => {
                section_head(ui, "Why", "");
                note(ui, text, t.bad);
            }
            None => former_ui(ui, cx),
        }
        rule(ui);
        memory::memory_ui(ui, cx, run);
        rule(ui);
        run_notes::whole_run_ui(ui, cx, index, run);
        rule(ui);
        regions::regions_ui(ui, cx, run);
        rule(ui);
        importance_ui(ui, cx, "What moves figures most", Most::Of(4));
        ui.add_space(12.0);
    });
}

/// While the reasons are worked out: those of the selection before, dimmed, in the same place.
fn former_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let Some((run, explanation)) = &cx.tab.explained else {
        section_head(ui, "Why", "computing…");
        ui.add_space(120.0);
        return;
    };
    let before = ui.opacity();
    if !cx.tab.is_stale() {
        ui.multiply_opacity(DIMMED);
    }
    why::why_ui(ui, cx, run, explanation, why::Detail::Former);
    rule(ui);
    evidence::nearest_ui(ui, cx, run, explanation);
    rule(ui);
    why::limit_ui(ui, run, explanation);
    ui.set_opacity(before);
}

fn title_ui(
    ui: &mut Ui,
    cx: &mut Scene<'_>,
    (index, c, run): (usize, &Combination, &PredictedRun),
) {
    let t = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 58.0), Sense::hover());
    let left = rect.left() + size::MARGIN;
    let y = rect.top() + 22.0;
    cx.paint_mark(ui.painter(), pos2(left + 7.0, y), 5.6, c, t);
    let pinned = cx.tab.is_pinned(c);
    let pin = Rect::from_center_size(pos2(rect.right() - size::MARGIN - 8.0, y), vec2(24.0, 24.0));
    let label = if pinned { "Unpin" } else { "Pin to compare" };
    let button = icon_button(ui, pin, Icon::Pin, label, true)
        .on_hover_text(UiCommand::PinSelection.tooltip(ui.ctx()));
    if pinned {
        paint_icon(ui.painter(), pin.center(), Icon::Pin, t.accent, 0.95);
    }
    if button.clicked() {
        cx.send(Action::TogglePin(index));
    }
    let place = Rect::from_min_max(
        pos2(left + 22.0, y - 11.0),
        pos2(pin.left() - 4.0, y + 11.0),
    );
    let title = title_of(cx, c);
    let painted = paint_in(
        ui.painter(),
        place,
        Align2::LEFT_CENTER,
        &title,
        Role::Title,
        t.strong,
    );
    let response = ui.interact(
        painted,
        ui.scope_id().with("inspector-title"),
        Sense::hover(),
    );
    response.widget_info(|| {
        egui::WidgetInfo::labeled(
            egui::accesskit::Role::Heading,
            true,
            format!("Selected: {title}"),
        )
    });
    let place = Rect::from_min_max(
        pos2(left, y + 14.0),
        pos2(rect.right() - size::MARGIN, y + 32.0),
    );
    paint_in(
        ui.painter(),
        place,
        Align2::LEFT_CENTER,
        &run.layout,
        Role::Body,
        t.sub,
    );
    // Cut or not, the layout is read whole wherever the pointer rests on it.
    let id = ui.scope_id().with("inspector-layout");
    let layout = ui.interact(place, id, Sense::hover());
    layout.widget_info(|| {
        let text = format!("Layout: {}", run.layout);
        egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, text)
    });
    layout.on_hover_text(&run.layout);
}

/// Total time, cost, energy and memory with their intervals.
fn metrics_ui(ui: &mut Ui, cx: &Scene<'_>, run: &PredictedRun) {
    let time = run.total_time_h;
    let beyond = cx
        .plan()
        .map_or_else(Vec::new, |plan| plan.breaches(run, false));
    let is_beyond = |kind| beyond.iter().any(|breach| breach.kind == kind);
    let memory = &run.prediction.memory;
    let cost_range = run.cost_usd.map_or_else(
        || {
            let reason = run.missing.cost.as_deref().map(plain_reason);
            reason.unwrap_or_else(|| "no source states a price".to_owned())
        },
        |c| format::money_interval(Usd(c.low), Usd(c.high)),
    );
    let energy = run.energy_kwh.map_or_else(
        || (format::UNKNOWN.to_owned(), "power unknown".to_owned()),
        |e| {
            let [value, low, high] = [e.value, e.low, e.high].map(KilowattHours);
            let range = format::energy_interval(value, low, high);
            (format::energy(value), range)
        },
    );
    let share = memory.total() / memory.capacity;
    let cells = [
        (
            "Total time",
            format::hours(time.value),
            format::hours_interval(time.low, time.high),
            (true, is_beyond(LimitKind::Deadline)),
        ),
        (
            "Cost",
            run.cost_text(),
            cost_range,
            (true, is_beyond(LimitKind::Budget)),
        ),
        (
            "Energy",
            energy.0,
            energy.1,
            (false, is_beyond(LimitKind::Energy)),
        ),
        (
            "Memory each",
            format::memory_gib(memory.total()),
            format!(
                "{} of {}\u{202F}GiB",
                format::percent(share),
                format::count(memory.capacity.gib())
            ),
            (false, false),
        ),
    ];
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 138.0), Sense::hover());
    let inner = rect.shrink2(vec2(size::MARGIN, 10.0));
    let half = inner.width() / 2.0;
    for (i, (label, value, range, shown)) in cells.into_iter().enumerate() {
        let at = inner.min + vec2((i % 2) as f32 * (half + 4.0), (i / 2) as f32 * 61.0);
        metric_ui(ui, at, half - 4.0, (label, &value, &range, shown));
    }
}

/// When it is done, how the cost and the energy come about, and what the cost leaves open.
fn cost_notes_ui(ui: &mut Ui, cx: &Scene<'_>, c: &Combination, run: &PredictedRun) {
    let price = run.price.as_ref();
    let now = cx.backend.now();
    let done = report::done_said(&now, run.total_time_h, "now");
    let lines = cx.plan().map(|plan| {
        let emissions = run.co2e_kg.and_then(|_| plan.emissions_said(run));
        [plan.cost_said(c, run), plan.energy_said(c, run), emissions]
    });
    for text in done
        .into_iter()
        .chain(lines.into_iter().flatten().flatten())
    {
        note(ui, &text, Tokens::of(ui).sub);
    }
    if let Some((text, is_caution)) = cx.plan().and_then(|plan| plan.steps_said(run)) {
        let t = Tokens::of(ui);
        note(ui, &text, if is_caution { t.warn } else { t.sub });
    }
    if let Some(share) = run.flops_utilisation() {
        let text = format!(
            "MFU: {} of the dense {} rate",
            format::percent(share),
            c.mode.label()
        );
        note(ui, &text, Tokens::of(ui).sub);
    }
    note(ui, "Ranges hold nine of ten runs", Tokens::of(ui).sub);
    ui.add_space(6.0);
    if let Some(text) = price.and_then(|price| price.capacity(c.count)) {
        note(ui, &text, Tokens::of(ui).sub);
        ui.add_space(6.0);
    }
}

/// One figure: label, value, interval. `whole` values are one piece; in others the unit is quiet. What is beyond a limit is
/// `over`.
fn metric_ui(
    ui: &mut Ui,
    at: egui::Pos2,
    width: f32,
    (label, value, range, (whole, over)): (&str, &str, &str, (bool, bool)),
) {
    let t = Tokens::of(ui);
    label_at(
        ui,
        at + vec2(0.0, 8.0),
        Align2::LEFT_CENTER,
        label,
        Role::Body,
        t.sub,
    );
    let strong = if over { t.warn } else { t.strong };
    let colors = (strong, if whole { strong } else { t.sub });
    let rect = paint_value(
        ui.painter(),
        at + vec2(0.0, 27.0),
        Align2::LEFT_CENTER,
        value,
        Role::Headline,
        colors,
    );
    let id = ui.scope_id().with(("metric", label));
    ui.interact(rect, id, Sense::hover()).widget_info(|| {
        egui::WidgetInfo::labeled(
            egui::accesskit::Role::Label,
            true,
            format!("{label} {value}, {range}"),
        )
    });
    let place = Rect::from_min_size(at + vec2(0.0, 38.0), vec2(width, 16.0));
    paint_in(
        ui.painter(),
        place,
        Align2::LEFT_CENTER,
        range,
        Role::Caption,
        t.sub,
    );
}

/// Where the step goes: one bar and its parts.
fn step_ui(ui: &mut Ui, run: &PredictedRun) {
    let t = Tokens::of(ui);
    let step = format::step_time(Seconds(run.prediction.step_time.value));
    let head = section_head(ui, "Where the step goes", "");
    paint_value(
        ui.painter(),
        head.right_center(),
        Align2::RIGHT_CENTER,
        &step,
        Role::Section,
        (t.strong, t.sub),
    );
    let parts = &run.prediction.breakdown;
    let total = parts.total().value();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    let bar = Rect::from_min_size(
        rect.min + vec2(size::MARGIN, 0.0),
        vec2(rect.width() - 2.0 * size::MARGIN, 16.0),
    );
    segmented_bar(ui.painter(), bar, parts, total, t);
    let list = parts.parts();
    let largest = list.iter().map(|(_, s)| s.value()).fold(0.0, f64::max);
    let (scale, unit) = if largest >= 1.0 {
        (1.0, "s")
    } else {
        (1e3, "ms")
    };
    let decimals = format::decimals_for(largest * scale);
    for (i, (name, time)) in list.into_iter().enumerate() {
        if time.value() <= 0.0 {
            continue;
        }
        let shown = format::fixed(time.value() * scale, decimals);
        // What is there must not look like nothing.
        let is_nothing = shown.chars().all(|c| matches!(c, '0' | '.'));
        let least = format::fixed(10f64.powi(-(decimals as i32)), decimals);
        let shown = if is_nothing {
            format!("<{least}")
        } else {
            shown
        };
        let text = format!("{shown}\u{202F}{unit}");
        part_row(ui, t.part(i), name, &text, time.value() / total);
    }
    ui.add_space(8.0);
}
