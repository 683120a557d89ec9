//! The centre: headline, answers, the chosen view, and the table below it.

use super::scene::Scene;
use super::{
    accuracy, answers, blank, breakdown, compare, evidence_view, heatmap, legend, menus, reading,
    refused, scaling, table, tradeoff, why_view,
};
use crate::domain::PrecisionMode;
use crate::gui::command::{Action, UiCommand};
use crate::gui::places::{self, Region};
use crate::gui::state::{Status, View};
use crate::gui::theme::{Icon, Role, Tokens, paint_icon, size};
use crate::gui::widgets::{
    chip_text, combo_button, icon_button, label_at, paint, tab_button, text_button, width_of,
};
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Align2, Rect, Stroke, Ui, pos2, vec2};

/// Share of the width the trade-off takes beside the scaling plot of a wide window.
const FIRST_PLOT: f32 = 0.615;

/// A centre narrower than this, that of the smallest window, has its tabs as close as can be.
const NARROWEST: f32 = 600.0;

/// How strongly a result that is not that of the request is drawn: clearly weaker, and still read without effort.
pub const DIMMED: f32 = 0.72;

/// A centre narrower than this has closer tabs and short words beside them.
const NARROW: f32 = 780.0;

/// The least rows that the table shows, and the least height of a view above it that can be read.
const LEAST_ROWS: f32 = 2.0;
const LEAST_VIEW: f32 = 160.0;

/// Draws the centre.
pub fn centre_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let area = ui.max_rect();
    Region::Views.mark(ui.ctx(), area);
    let Some(plan) = cx.plan() else {
        waiting_ui(ui, area, cx);
        return;
    };
    let stale = cx.tab.is_stale();
    if plan.combinations.iter().all(|c| c.run().is_none()) {
        empty_ui(ui, area, cx);
        return;
    }
    if stale {
        ui.multiply_opacity(DIMMED);
    }
    let inner = area.shrink2(vec2(size::CENTRE_MARGIN, 0.0));
    if cx.state.is_comparing() {
        let y = views_ui(ui, inner.with_min_y(area.top() + 4.0), cx);
        reading::reading_ui(ui, y, cx);
        compare::compare_ui(ui, inner.with_min_y(y), cx);
        return;
    }
    let mut y = area.top() + 8.0;
    // Head, filter bar and refused rows of the table, whatever else it shows.
    let refused = refused::refused_height(ui, cx, area.width());
    let fixed = 32.0 + size::TABLE_HEAD + refused;
    // The cards give way where a chart could not be read below them: the headline tells the best of them.
    let rest = fixed + LEAST_ROWS * size::ROW + LEAST_VIEW + 56.0;
    let with_cards = cx.wide || area.height() >= answers::TALLEST + rest;
    let place = Rect::from_min_max(pos2(inner.left(), y), inner.max);
    y = answers::answers_ui(ui, place, cx, with_cards);
    y += 12.0;
    rule_at(ui, area, y);
    y += 4.0;
    y = views_ui(ui, Rect::from_min_max(pos2(inner.left(), y), inner.max), cx);
    reading::reading_ui(ui, y, cx);
    let left_over = area.bottom() - y;
    if page_ui(ui, inner.with_min_y(y), cx) {
        return;
    }
    // The table shows whole rows: what is left after head, filter bar and refused rows is a multiple of a row.
    let plot = (left_over * if cx.wide { 0.44 } else { 0.48 }).max(200.0);
    let rows = ((left_over - plot - fixed) / size::ROW)
        .floor()
        .max(LEAST_ROWS);
    let split = area.bottom() - fixed - rows * size::ROW;
    let view = Rect::from_min_max(pos2(inner.left(), y), pos2(inner.right(), split));
    view_ui(ui, view, cx);
    rule_at(ui, area, split);
    let below = Rect::from_min_max(pos2(area.left(), split), area.max);
    table::table_ui(ui, below, cx);
}

/// Draws the view if it is one that takes the whole height; returns whether it is.
fn page_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) -> bool {
    match cx.state.settings.view {
        View::Accuracy => accuracy::accuracy_ui(ui, area, cx),
        View::Why => why_view::why_view_ui(ui, area, cx),
        View::Evidence => evidence_view::evidence_view_ui(ui, area, cx),
        _ => return false,
    }
    true
}

fn rule_at(ui: &Ui, area: Rect, y: f32) {
    ui.painter()
        .hline(area.x_range(), y, Stroke::new(1.0, Tokens::of(ui).line));
}

/// The row of view tabs; returns the y below it.
fn views_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) -> f32 {
    let y = area.top() + 16.0;
    let mut x = area.left();
    let narrow = area.width() < NARROW;
    for view in View::ALL {
        let count =
            (view == View::Compare && !cx.tab.pinned.is_empty()).then_some(cx.tab.pinned.len());
        let chosen = cx.state.settings.view == view;
        let pad = match area.width() {
            w if w < NARROWEST => 4.0,
            _ if narrow => 6.0,
            _ => 8.0,
        };
        let (response, right) = tab_button(ui, pos2(x, y), (view.title(), pad), count, chosen);
        let response = response.on_hover_text(view.command().tooltip(ui.ctx()));
        if response.clicked() {
            cx.send(Action::SetView(view));
        }
        x = right + if narrow { 0.0 } else { 4.0 };
    }
    let right = if cx.wide && cx.state.settings.view == View::TradeOff {
        area.left() + area.width() * FIRST_PLOT - 16.0
    } else {
        area.right()
    };
    view_tools_ui(ui, pos2(right, y), x, cx);
    y + 16.0
}

/// What goes with the view, right-aligned: the axes, the chart as a picture, the comparison as a table.
fn view_tools_ui(ui: &mut Ui, right: egui::Pos2, left: f32, cx: &mut Scene<'_>) {
    let view = cx.state.settings.view;
    let place = Rect::from_min_max(right - vec2(24.0, 12.0), right + vec2(0.0, 12.0));
    let tip = UiCommand::HowToRead.tooltip(ui.ctx());
    let name = UiCommand::HowToRead.text();
    if icon_button(ui, place, Icon::Question, name, true)
        .on_hover_text(tip)
        .clicked()
    {
        cx.run(UiCommand::HowToRead);
    }
    // Where not even three pictures have room, copying is in the menus alone.
    let least = if view == View::TradeOff { 80.0 } else { 52.0 };
    let place = if right.x - left >= least {
        let place = place.translate(vec2(-26.0, 0.0));
        let button = icon_button(ui, place, Icon::Copy, "Copy chart as picture", true)
            .on_hover_text(UiCommand::CopyChart.text_and_tip().1);
        if button.clicked() {
            cx.run(UiCommand::CopyChart);
        }
        place
    } else {
        place
    };
    if view == View::Scaling {
        every_mode_ui(ui, place.left_center() - vec2(4.0, 0.0), left, cx);
    }
    if view != View::TradeOff {
        return;
    }
    let full = menus::axes_text(cx.state.settings.axes);
    let room = place.left() - 8.0 - left;
    let needs = width_of(ui.painter(), &full, Role::Body) + 36.0;
    let text = if needs <= room { full.as_str() } else { "Axes" };
    let width = width_of(ui.painter(), text, Role::Body) + 36.0;
    let right = place.left() - 4.0;
    // A window with pins has the least room: a picture of axes says the same.
    let button = if width > room {
        let place = place.translate(vec2(-26.0, 0.0));
        icon_button(ui, place, Icon::Chart, "Axes", true)
    } else {
        let left = (right - width).max(left + 4.0);
        let place = Rect::from_min_max(pos2(left, place.top()), pos2(right, place.bottom()));
        combo_button(ui, place, "Axes", text, None)
    };
    // A short word must not hide from a screen reader what the axes are.
    ui.ctx()
        .accesskit_node_builder(button.id, |node| node.set_label(format!("Axes: {full}")));
    let button = button.on_hover_text(full);
    menus::axes_menu(&button, cx);
}

/// Whether scaling is drawn of every mode, between two edges: a chip, or a picture of one where there is no room for words.
fn every_mode_ui(ui: &mut Ui, right: egui::Pos2, left: f32, cx: &mut Scene<'_>) {
    const NAME: &str = "Scaling of every mode";
    const TIP: &str = "A line for each mode of each accelerator, not for the fastest alone";
    let on = cx.state.settings.every_mode;
    let text = "Every mode";
    let width = width_of(ui.painter(), text, Role::Body) + 16.0;
    let place = |width: f32| Rect::from_min_max(right - vec2(width, 11.0), right + vec2(0.0, 11.0));
    let chip = if right.x - width > left + 4.0 {
        chip_text(ui, place(width), text, NAME, on)
    } else {
        let button = icon_button(ui, place(24.0), Icon::Layers, NAME, true);
        if on {
            let at = button.rect.center();
            paint_icon(ui.painter(), at, Icon::Layers, Tokens::of(ui).accent, 0.95);
        }
        button
    };
    if chip.on_hover_text(TIP).clicked() {
        cx.send(Action::EveryMode(!on));
    }
}

/// The chart alone, with the headline above it, for a picture.
pub fn chart_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let area = ui.max_rect().shrink2(vec2(24.0, 16.0));
    if cx.state.settings.view == View::Compare {
        compare::compare_ui(ui, area, cx);
        return;
    }
    let y = answers::words_ui(ui, area, cx) + 12.0;
    let body = area.with_min_y(y);
    if !page_ui(ui, body, cx) {
        view_ui(ui, body, cx);
    }
}

fn view_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let wide_pair = cx.wide && cx.state.settings.view == View::TradeOff;
    let (first, second) = if wide_pair {
        let cut = area.left() + area.width() * FIRST_PLOT;
        let gap = size::CENTRE_MARGIN / 2.0;
        (
            Rect::from_min_max(area.min, pos2(cut - gap, area.bottom())),
            Some(Rect::from_min_max(
                pos2(cut + gap, area.top() - 36.0),
                area.max,
            )),
        )
    } else {
        (area, None)
    };
    if let Some(second) = second {
        let t = Tokens::of(ui);
        ui.painter().vline(
            second.left() - 8.0,
            second.top() + 4.0..=second.bottom(),
            Stroke::new(1.0, t.line),
        );
        let head = label_at(
            ui,
            second.min + vec2(8.0, 20.0),
            Align2::LEFT_CENTER,
            "Scaling",
            Role::Section,
            t.strong,
        );
        paint(
            ui.painter(),
            head.right_center() + vec2(8.0, 0.0),
            Align2::LEFT_CENTER,
            "time against count",
            Role::Caption,
            t.sub,
        );
        every_mode_ui(ui, second.right_top() + vec2(0.0, 20.0), second.left(), cx);
        let body = Rect::from_min_max(second.min + vec2(8.0, 40.0), second.max);
        scaling::scaling_ui(ui, body, cx);
    }
    match cx.state.settings.view {
        View::TradeOff => {
            let top = legend::legend_ui(ui, first, cx);
            tradeoff::tradeoff_ui(
                ui,
                Rect::from_min_max(pos2(first.left(), top), first.max),
                cx,
            );
        }
        View::Scaling => scaling::scaling_ui(ui, first, cx),
        View::Breakdown => breakdown::breakdown_ui(ui, first, cx),
        View::HeatMap => heatmap::heatmap_ui(ui, first, cx),
        View::Compare => compare::compare_ui(ui, first, cx),
        View::Why | View::Evidence | View::Accuracy => {}
    }
}

/// Before the first result: what is asked for, computing, or what is wrong.
fn waiting_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    if matches!(cx.tab.status, Status::Blank) {
        blank::blank_ui(ui, area, cx);
        return;
    }
    if matches!(cx.tab.status, Status::Computing(..)) {
        places::hold(ui.ctx());
    }
    let (title, text) = match &cx.tab.status {
        Status::Failed(text) => ("The request needs a change", text.clone()),
        Status::Idle => (
            "Stopped before there was a result",
            "Compute again, or change the request first".to_owned(),
        ),
        Status::Computing(done, all) if *all > 0 => (
            "Computing the plan",
            format!("{done} of {all} combinations"),
        ),
        _ => (
            "Computing the plan",
            "Every accelerator, count and precision mode of the request".to_owned(),
        ),
    };
    let icon = if matches!(cx.tab.status, Status::Failed(_)) {
        Icon::Warning
    } else {
        Icon::Layers
    };
    message_ui(ui, area, icon, title, &text);
    if matches!(cx.tab.status, Status::Idle) {
        let at = pos2(area.center().x + 52.0, area.center().y + 44.0);
        let button = text_button(ui, at, None, UiCommand::Compute.text(), true);
        let tip = UiCommand::Compute.tooltip(ui.ctx());
        if button.on_hover_text(tip).clicked() {
            cx.run(UiCommand::Compute);
        }
    }
}

/// A plan in which nothing can run.
fn empty_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let reason = cx
        .plan()
        .and_then(|p| {
            p.combinations.iter().find_map(|c| match &c.outcome {
                // The person chose it by its label.
                crate::planner::Outcome::Refused(reason) => {
                    let lacks = format!(" lacks {}. ", c.mode.label());
                    let reason = reason.replace(&c.accelerator.name, &c.accelerator.label);
                    Some(reason.replacen(" lacks it: ", &lacks, 1))
                }
                crate::planner::Outcome::Predicted(_) => None,
            })
        })
        .unwrap_or_else(|| "Choose at least one accelerator, count and precision mode".to_owned());
    message_ui(
        ui,
        area,
        Icon::Warning,
        "Nothing in this request can run",
        &reason,
    );
    let middle = pos2(area.center().x, area.center().y + 44.0);
    let (undo, runs) = (cx.tab.history.can_undo(), mode_that_runs(cx));
    let left = if undo && runs.is_some() { 6.0 } else { -34.0 };
    if undo {
        let at = middle - vec2(left, 0.0);
        if text_button(ui, at, Some(Icon::Undo), "Undo", false).clicked() {
            cx.run(UiCommand::Undo);
        }
    }
    if let Some(mode) = runs {
        let word = format!("Add {}", mode.label());
        let width = width_of(ui.painter(), &word, Role::Body) + 28.0;
        let at = middle + vec2(if undo { 6.0 + width } else { width / 2.0 }, 0.0);
        if text_button(ui, at, None, &word, true).clicked() {
            cx.edit("precisions", |r| r.precisions.push(mode.key().to_owned()));
        }
    }
}

/// Where every part lacks every mode that was asked for: the mode that most runs use among those that one of the parts has.
fn mode_that_runs(cx: &Scene<'_>) -> Option<PrecisionMode> {
    let plan = cx.plan()?;
    let has = |mode: PrecisionMode| {
        plan.request
            .accelerators
            .iter()
            .any(|a| a.peak(mode).is_ok())
    };
    if plan.request.modes.iter().any(|mode| has(*mode)) {
        return None;
    }
    let usual = [
        PrecisionMode::AmpBf16,
        PrecisionMode::AmpFp16,
        PrecisionMode::Fp32,
    ];
    usual.into_iter().find(|mode| has(*mode))
}

fn message_ui(ui: &mut Ui, area: Rect, icon: Icon, title: &str, text: &str) {
    let t = Tokens::of(ui);
    let c = area.center() - vec2(0.0, 30.0);
    paint_icon(ui.painter(), c - vec2(0.0, 34.0), icon, t.sub, 1.8);
    label_at(ui, c, Align2::CENTER_CENTER, title, Role::Title, t.strong);
    let width = (area.width() - 80.0).min(560.0);
    paragraph(ui, c + vec2(0.0, 18.0), text, width);
}

/// A centred paragraph below a point.
pub fn paragraph(ui: &Ui, top: egui::Pos2, text: &str, width: f32) {
    let t = Tokens::of(ui);
    let format = TextFormat::simple(Role::Sentence.font(), t.text);
    let mut job = LayoutJob::single_section(text.to_owned(), format);
    job.wrap.max_width = width;
    job.halign = Align::Center;
    let galley = ui.painter().layout_job(job);
    ui.painter().galley(top, galley, t.text);
}
