//! Accelerators, counts and precision modes of the request panel.

use super::picker::{Choice, Picked, found_accelerators, picker_ui};
use super::request_reset::{Section, head_ui};
use super::scene::Scene;
use crate::domain::PrecisionMode;
use crate::format;
use crate::gui::theme::{
    Fill, Icon, Mark, PaintMark, Role, Tokens, paint_icon, paint_swatch, size,
};
use crate::gui::widgets::{
    Edit, TextField, check_row, chip, chip_text, is_taken, paint, paint_in, paint_value, problem,
    stay_after_enter, text_field,
};
use crate::gui::{parse, places, prices};
use crate::planner::PlanRequest;
use egui::{Align2, Rect, Response, Sense, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Check list of accelerators with their prices, and a search to add one.
pub fn accelerators_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    let t = Tokens::of(ui);
    let all = cx.backend.accelerators().len();
    let remark = format!("{} of {}", request.accelerators.len(), all);
    head_ui(ui, cx, Section::Accelerators, &remark);
    let shelf = cx.tab.shelf.clone();
    for name in &shelf {
        accelerator_row(ui, cx, request, name);
    }
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let row = rect.shrink2(vec2(size::MARGIN, 0.0));
    let response = ui.interact(row, ui.scope_id().with("add-accelerator"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Button, true, "Add accelerator…"));
    if places::arrives(ui.ctx(), "Add accelerator…") {
        response.request_focus();
    }
    let color = if response.hovered() { t.strong } else { t.sub };
    paint_icon(
        ui.painter(),
        pos2(row.left() + 7.0, row.center().y),
        Icon::Plus,
        color,
        0.85,
    );
    paint(
        ui.painter(),
        pos2(row.left() + 22.0, row.center().y),
        Align2::LEFT_CENTER,
        "Add accelerator…",
        Role::Body,
        color,
    );
    crate::gui::widgets::focus_ring(ui, &response, size::RADIUS_FIELD);
    pick_accelerator(cx, &response, row.width());
    if let Some(message) = cx.tab.error_at("accelerators") {
        problem(ui, message);
    }
    ui.add_space(6.0);
}

/// The list of accelerators below a button; what is picked joins the request. Whether one was.
pub fn pick_accelerator(cx: &mut Scene<'_>, button: &Response, width: f32) -> bool {
    let backend = cx.backend;
    let picked = picker_ui(button, ("accelerators", None), width, None, &|text| {
        found_accelerators(backend, text)
            .into_iter()
            .map(|a| Choice {
                key: a.name.clone(),
                label: a.label.clone(),
                detail: format!("{}, {}", gibibytes(a.usable_memory), a.year),
            })
            .collect()
    });
    let is_picked = picked.is_some();
    if let Some(Picked::Line(name)) = picked {
        cx.edit("accelerators", |r| {
            if !r.accelerators.contains(&name) {
                r.accelerators.push(name);
            }
        });
    }
    is_picked
}

fn accelerator_row(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest, name: &str) {
    let t = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let checked = request.accelerators.iter().any(|n| n == name);
    let known = cx.backend.accelerator(name);
    let label = known.as_ref().map_or(name, |a| a.label.as_str());
    let shown = cx.label(label).to_owned();
    let response = check_row(ui, rect, label, checked);
    toggle_part(cx, &response, checked, name);
    // Prices of rows that are scrolled away need not be looked up.
    if !ui.is_rect_visible(rect) {
        return;
    }
    let y = rect.center().y;
    let mark = known.as_ref().map_or(Mark::Circle, |a| cx.mark(&a.name));
    let ink = if checked { t.sub } else { t.faint };
    mark.paint(
        ui.painter(),
        pos2(rect.left() + 42.0, y),
        4.4,
        Fill::Solid,
        ink,
    );
    let memory = known
        .as_ref()
        .map_or_else(String::new, |a| gibibytes(a.usable_memory));
    let listed = (known.as_ref()).map_or_else(Vec::new, |a| cx.backend.prices(request, a));
    let factor = prices::factor(request);
    let text = prices::range(&listed, factor).unwrap_or_else(|| "no price".to_owned());
    let right = rect.right() - size::MARGIN;
    // Two prices need the room of the memory, which the name and the tooltip tell.
    let is_two = text.contains('→');
    if !is_two {
        paint(
            ui.painter(),
            pos2(right, y),
            Align2::RIGHT_CENTER,
            &memory,
            Role::Body,
            t.sub,
        );
    }
    let at = pos2(if is_two { right } else { right - 62.0 }, y);
    let price_left = match (text.strip_suffix("/h"), checked) {
        (Some(amount), true) => {
            let unit = paint(
                ui.painter(),
                at,
                Align2::RIGHT_CENTER,
                "/h",
                Role::Body,
                t.sub,
            );
            paint(
                ui.painter(),
                unit.left_center(),
                Align2::RIGHT_CENTER,
                amount,
                Role::Body,
                t.strong,
            )
            .left()
        }
        _ => paint(
            ui.painter(),
            at,
            Align2::RIGHT_CENTER,
            &text,
            Role::Body,
            t.sub,
        )
        .left(),
    };
    let place = Rect::from_min_max(
        pos2(rect.left() + 54.0, rect.top()),
        pos2(price_left - 6.0, rect.bottom()),
    );
    let color = if checked { t.strong } else { t.sub };
    paint_in(
        ui.painter(),
        place,
        Align2::LEFT_CENTER,
        &shown,
        Role::Body,
        color,
    );
    response.on_hover_ui(|ui| {
        ui.label(format!("{name}, {memory}"));
        if listed.is_empty() {
            ui.label("No source states a price. Own prices, under Software and site, takes yours");
        }
        // Counts at one seller's price stand in one line.
        for same in listed.chunk_by(|a, b| a.1 == b.1) {
            let Some(((first, price), (last, _))) = same.first().zip(same.last()) else {
                continue;
            };
            let counts = match (listed.len(), first == last) {
                (1, _) => String::new(),
                (_, true) => format!("{}: ", format::devices(*first, &shown)),
                (_, false) => format!("{first} to {}: ", format::devices(*last, &shown)),
            };
            let (amount, whose) = (prices::amount(price), price.whose());
            ui.label(format!("{counts}{amount}, {whose}"));
            ui.label(price.source.as_str());
        }
        if is_two {
            let factor = format::fixed(factor, 2);
            ui.label(format!("What if counts it × {factor}: {text}"));
        }
    });
}

fn toggle_part(cx: &mut Scene<'_>, response: &Response, checked: bool, name: &str) {
    if !response.clicked() {
        return;
    }
    let shelf = cx.tab.shelf.clone();
    cx.edit("", |r| {
        if checked {
            r.accelerators.retain(|n| n != name);
        } else {
            r.accelerators.push(name.to_owned());
            r.accelerators
                .sort_by_key(|n| shelf.iter().position(|s| s == n));
        }
    });
}

/// Counts as chips, powers of two, and a field for others.
pub fn counts_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    head_ui(ui, cx, Section::Counts, "");
    let mut row: Vec<u32> = (0..8).map(|i| 1 << i).collect();
    let others: Vec<u32> = request
        .counts
        .iter()
        .copied()
        .filter(|c| !row.contains(c))
        .collect();
    chips_row(ui, cx, request, &row);
    ui.add_space(4.0);
    row = [256, 512, 1024]
        .into_iter()
        .filter(|c| !others.contains(c))
        .collect();
    row.extend(&others);
    row.sort_unstable();
    // Every count that is planned has a chip that takes it away; what nobody chose gives way.
    let chosen = |c: &u32| request.counts.contains(c);
    while let Some(place) = row
        .iter()
        .rposition(|c| !chosen(c))
        .filter(|_| rows_of(&row).len() > 1)
    {
        row.remove(place);
    }
    let mut rows = rows_of(&row);
    let last = rows.pop().unwrap_or_default();
    for counts in rows {
        chips_row(ui, cx, request, &counts);
        ui.add_space(4.0);
    }
    let field = chips_row(ui, cx, request, &last);
    other_counts_ui(ui, cx, field);
    if let Some(message) = cx.tab.error_at("counts") {
        problem(ui, message);
    }
    ui.add_space(10.0);
}

/// Chips of one column that a row has room for.
const COLUMNS: f32 = 8.0;
/// Of these, what stands beside the field for others.
const BESIDE_FIELD: f32 = 5.8;

/// Columns that the chip of a count takes.
fn span(count: u32) -> f32 {
    match count {
        0..1000 => 1.0,
        1000..10_000 => 1.35,
        10_000..100_000 => 1.7,
        _ => 2.1,
    }
}

/// Counts row by row, each with room for the field.
fn rows_of(counts: &[u32]) -> Vec<Vec<u32>> {
    let mut rows: Vec<Vec<u32>> = Vec::new();
    let mut room = 0.0;
    for &count in counts {
        if span(count) > room || rows.is_empty() {
            rows.push(Vec::new());
            room = BESIDE_FIELD;
        }
        room -= span(count);
        if let Some(row) = rows.last_mut() {
            row.push(count);
        }
    }
    rows
}

/// A row of counts; returns the place left over at its right.
fn chips_row(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest, counts: &[u32]) -> Rect {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let row = rect.shrink2(vec2(size::MARGIN, 0.0));
    let width = (row.width() - 4.0 * (COLUMNS - 1.0)) / COLUMNS;
    let mut x = row.left();
    for count in counts {
        let text = count.to_string();
        let size = vec2(width * span(*count), row.height());
        let place = Rect::from_min_size(pos2(x, row.top()), size);
        let chosen = request.counts.contains(count);
        let label = format!("{count} accelerators");
        if chip_text(ui, place, &text, &label, chosen).clicked() {
            cx.edit("", |r| {
                if chosen {
                    r.counts.retain(|c| c != count);
                } else {
                    r.counts.push(*count);
                    r.counts.sort_unstable();
                }
            });
        }
        x = place.right() + 4.0;
    }
    Rect::from_min_max(pos2(x.min(row.right()), row.top()), row.max)
}

/// The field for counts without a chip: one, or several at once, which are one step of undo. They are taken by Enter and when
/// the field is left, a frame later: the click that left it may have changed the request or shown another tab.
fn other_counts_ui(ui: &mut Ui, cx: &mut Scene<'_>, place: Rect) {
    let memory = ui.scope_id().with(("other-count", cx.tab.id));
    let is_due = memory.with("is-due");
    let mut text: String = ui.data(|d| d.get_temp(memory)).unwrap_or_default();
    if ui.data_mut(|d| d.remove_temp::<bool>(is_due)).is_some()
        && let Ok(counts) = parse::counts(&text)
    {
        text.clear();
        ui.data_mut(|d| d.remove::<String>(memory));
        cx.edit("", |r| {
            r.counts.extend(counts);
            r.counts.sort_unstable();
            r.counts.dedup();
        });
    }
    let error = parse::optional(&text, parse::counts).err();
    let field = TextField {
        name: "Another count",
        text: &text,
        unit: "",
        hint: "Others",
        error: error.as_deref(),
    };
    let edit = text_field(ui, place, &field);
    if is_taken(ui, field.name) && !matches!(edit, Edit::Left) {
        ui.data_mut(|d| d.insert_temp(is_due, true));
        ui.ctx().request_repaint();
    }
    stay_after_enter(ui, field.name);
    match edit {
        Edit::To(typed) => {
            ui.data_mut(|d| d.insert_temp(memory, typed));
        }
        Edit::Left => {
            ui.data_mut(|d| d.remove::<String>(memory));
        }
        Edit::Same => {}
    }
    if let Some(error) = error {
        problem(ui, &error);
    }
}

/// Precision modes as chips with their swatches, grouped by number format.
pub fn precision_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    use PrecisionMode::{AmpBf16, AmpFp16, Bf16, Fp8, Fp16, Fp32, Fp64, Mxfp8, Nvfp4, Tf32};
    const GRID: [&[PrecisionMode]; 4] = [
        &[Fp64, Fp32, Tf32],
        &[Fp16, Bf16],
        &[AmpFp16, AmpBf16],
        &[Fp8, Mxfp8, Nvfp4],
    ];
    let chosen = request.modes();
    let remark = format!("{} of {}", chosen.len(), PrecisionMode::ALL.len());
    head_ui(ui, cx, Section::Precision, &remark);
    for line in GRID {
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), size::ROW + 4.0), Sense::hover());
        let row = rect.shrink2(vec2(size::MARGIN, 2.0));
        let width = (row.width() - 8.0) / 3.0;
        for (i, mode) in line.iter().enumerate() {
            let left = row.left() + i as f32 * (width + 4.0);
            let place = Rect::from_min_size(pos2(left, row.top()), vec2(width, row.height()));
            mode_chip(ui, cx, place, *mode, chosen.contains(mode));
        }
    }
    fills_legend(ui);
    if let Some(message) = cx.tab.error_at("precisions") {
        problem(ui, message);
    }
    ui.add_space(8.0);
}

fn mode_chip(ui: &mut Ui, cx: &mut Scene<'_>, place: Rect, mode: PrecisionMode, chosen: bool) {
    let t = Tokens::of(ui);
    let response = chip(ui, place, mode.label(), chosen);
    let hue = t.mode(mode).gamma_multiply(if chosen { 1.0 } else { 0.55 });
    paint_swatch(
        ui.painter(),
        pos2(place.left() + 13.0, place.center().y),
        Fill::of(mode),
        hue,
    );
    let color = if chosen { t.strong } else { t.sub };
    let inner = Rect::from_min_max(
        pos2(place.left() + 22.0, place.top()),
        place.max - vec2(1.0, 0.0),
    );
    paint_in(
        ui.painter(),
        inner,
        Align2::LEFT_CENTER,
        mode.label(),
        Role::Body,
        color,
    );
    if response.clicked() {
        cx.edit("", |r| {
            let mut modes = r.modes();
            if chosen {
                modes.retain(|m| *m != mode);
            } else {
                modes.push(mode);
            }
            modes.sort();
            r.precisions = modes.iter().map(|m| m.key().to_owned()).collect();
        });
    }
}

/// What the three fills mean.
fn fills_legend(ui: &mut Ui) {
    let t = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let mut x = rect.left() + size::MARGIN;
    for (fill, text) in [
        (Fill::Solid, "everywhere"),
        (Fill::Ring, "autocast"),
        (Fill::Half, "matmuls only"),
    ] {
        paint_swatch(ui.painter(), pos2(x + 4.0, rect.center().y), fill, t.sub);
        x = paint_value(
            ui.painter(),
            pos2(x + 13.0, rect.center().y),
            Align2::LEFT_CENTER,
            text,
            Role::Caption,
            (t.sub, t.sub),
        )
        .right()
            + 12.0;
    }
}

/// Memory of a part without decimals: the figure of its data sheet, which counts in 2^30 bytes whatever it calls them.
fn gibibytes(memory: crate::units::Bytes) -> String {
    format!("{}\u{202F}GiB", format::count(memory.gib()))
}
