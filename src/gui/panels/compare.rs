//! Compare: up to four pinned combinations side by side, each against the first, with the reasons in words.

use super::centre::paragraph;
use super::compare_head::{Item, headline};
use super::compare_more;
use super::compare_parts::{figure_rows, head_ui};
use super::compare_reasons::reasons_ui;
use super::compare_step::{bars_row, scaling_row};
use super::compare_times::times_rows;
use super::compare_units::Units;
use super::scene::{Scene, title_of};
use crate::gui::command::UiCommand;
use crate::gui::shortcuts::keys_text;
use crate::gui::theme::{Icon, Role, Tokens, paint_icon};
use crate::gui::widgets::{label_at, paint_in, paint_rows, scroll_pages, text_button, width_of};
use crate::planner::Plan;
use egui::scroll_area::ScrollBarVisibility;
use egui::style::ScrollStyle;
use egui::{Align2, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, pos2, vec2};

/// Width of the column of names.
const NAMES: f32 = 178.0;
/// Columns are no wider than this, so that two pins do not drift apart.
const WIDEST: f32 = 640.0;

/// Where things stand: the column of names and one column a pin.
pub struct Grid<'p> {
    /// The plan behind it.
    pub plan: &'p Plan,
    /// Pinned runs, the baseline first.
    pub items: Vec<Item<'p>>,
    /// What parts are compared in, and what each row is told in.
    pub units: Units,
    width: f32,
    left: f32,
}

impl Grid<'_> {
    /// The place of a pin's column in a row that starts at `top`.
    pub fn cell(&self, i: usize, row: Rect) -> Rect {
        let left = self.left + NAMES + i as f32 * self.width;
        Rect::from_min_max(
            pos2(left + 16.0, row.top()),
            pos2(left + self.width - 16.0, row.bottom()),
        )
    }

    /// The place of the names in a row.
    pub fn names(&self, row: Rect) -> Rect {
        Rect::from_min_max(
            pos2(self.left, row.top()),
            pos2(self.left + NAMES - 8.0, row.bottom()),
        )
    }

    /// A row of the grid.
    pub fn row(&self, ui: &mut Ui, height: f32) -> Rect {
        ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover())
            .0
    }
}

/// Draws the comparison.
pub fn compare_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let Some(plan) = cx.plan() else { return };
    let pinned = &cx.tab.pinned;
    let items: Vec<Item<'_>> = pinned
        .iter()
        .filter_map(|i| plan.combinations.get(*i))
        .filter_map(|c| Some((c, c.run()?)))
        .collect();
    if items.is_empty() {
        empty_ui(ui, area, cx);
        return;
    }
    let t = Tokens::of(ui);
    let (title, sentence) = headline(plan, &items);
    let line = |y: f32, height: f32| {
        Rect::from_min_size(
            pos2(area.left(), area.top() + y),
            vec2(area.width(), height),
        )
    };
    let fits = |text: &str, role| width_of(ui.painter(), text, role) <= area.width();
    // A long headline is set smaller rather than cut.
    let role = if fits(&title, Role::Headline) {
        Role::Headline
    } else {
        Role::Title
    };
    let rect = paint_in(
        ui.painter(),
        line(8.0, 26.0),
        Align2::LEFT_CENTER,
        &title,
        role,
        t.strong,
    );
    let id = ui.scope_id().with("compare-headline");
    ui.interact(rect, id, Sense::hover())
        .widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Heading, true, &title));
    let rect = if let Some(role) = [Role::Sentence, Role::Body]
        .into_iter()
        .find(|role| fits(&sentence, *role))
    {
        let place = line(34.0, 20.0);
        paint_in(
            ui.painter(),
            place,
            Align2::LEFT_CENTER,
            &sentence,
            role,
            t.text,
        )
    } else {
        paint_rows(
            ui.painter(),
            line(32.0, 32.0),
            2,
            &sentence,
            Role::Body,
            t.text,
        )
    };
    let response = ui.interact(rect, id.with(1), Sense::hover());
    response
        .widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, &sentence));
    response.on_hover_text(&sentence);
    let body = area.with_min_y(area.top() + 64.0);
    let width = ((area.width() - NAMES) / items.len() as f32).min(WIDEST);
    let grid = Grid {
        units: Units::of(&items),
        plan,
        items,
        width,
        left: area.left(),
    };
    body_ui(ui, body, cx, &grid);
    let end = area.left() + NAMES + width * grid.items.len() as f32;
    compare_more::more_ui(ui, body.with_min_x(end + 24.0), cx, plan);
}

fn body_ui(ui: &mut Ui, body: Rect, cx: &mut Scene<'_>, grid: &Grid<'_>) {
    let t = Tokens::of(ui);
    let end = body.left() + NAMES + grid.width * grid.items.len() as f32;
    ui.painter()
        .hline(body.left()..=end, body.top(), Stroke::new(1.0, t.line));
    let baseline = Rect::from_min_max(
        pos2(body.left() + NAMES, body.top() + 1.0),
        pos2(body.left() + NAMES + grid.width, body.bottom()),
    );
    ui.painter().rect_filled(baseline, 0.0, t.raised);
    for i in 0..grid.items.len() {
        let x = body.left() + NAMES + i as f32 * grid.width;
        ui.painter()
            .vline(x, body.y_range(), Stroke::new(1.0, t.line));
    }
    ui.painter()
        .vline(end, body.y_range(), Stroke::new(1.0, t.line));
    let mut child = ui.new_child(
        UiBuilder::new()
            .max_rect(Rect::from_min_max(
                pos2(body.left(), body.top() + 1.0),
                pos2(end, body.bottom()),
            ))
            .id_salt(("compare", cx.tab.id)),
    );
    child.spacing_mut().item_spacing = vec2(0.0, 0.0);
    // The names stay in sight while the figures scroll.
    head_ui(&mut child, cx, grid);
    // The last line may be cut: a bar that stays says that there is more. It takes the padding of the last column.
    child.spacing_mut().scroll = ScrollStyle {
        bar_width: 6.0,
        ..ScrollStyle::solid()
    };
    child.visuals_mut().widgets.inactive.bg_fill = t.faint;
    let height = child.available_height();
    ScrollArea::vertical()
        .auto_shrink(false)
        .scroll_bar_visibility(ScrollBarVisibility::VisibleWhenNeeded)
        .show(&mut child, |ui| {
            scroll_pages(ui, cx.state.page_step);
            times_rows(ui, grid);
            figure_rows(ui, grid);
            rule(ui, end);
            bars_row(ui, grid);
            rule(ui, end);
            reasons_ui(ui, grid);
            rule(ui, end);
            let above = ui.cursor().top() - ui.min_rect().top();
            scaling_row(ui, cx, grid, height - above - 12.0);
            ui.add_space(12.0);
        });
}

fn rule(ui: &mut Ui, end: f32) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 9.0), Sense::hover());
    ui.painter().hline(
        rect.left()..=end,
        rect.center().y,
        Stroke::new(1.0, Tokens::of(ui).line),
    );
}

/// Nothing is pinned yet: what this view is for and the ways to fill it.
fn empty_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let c = pos2(
        area.center().x,
        area.top() + (area.height() * 0.4).min(320.0),
    );
    paint_icon(ui.painter(), c - vec2(0.0, 58.0), Icon::Pin, t.sub, 1.8);
    label_at(
        ui,
        c - vec2(0.0, 22.0),
        Align2::CENTER_CENTER,
        "Nothing is pinned yet",
        Role::Title,
        t.strong,
    );
    let keys = UiCommand::PinSelection
        .shortcut()
        .map_or_else(String::new, |k| keys_text(ui.ctx(), &k));
    let text = format!(
        "Select a row below and press {keys}, or use the pin beside its name. Up to four stand side by side."
    );
    paragraph(
        ui,
        c - vec2(0.0, 4.0),
        &text,
        (area.width() - 80.0).min(460.0),
    );
    // Both ways to fill it stand where it is empty.
    let selected = cx.selection().map(|(_, c, _)| title_of(cx, c));
    let pin = selected.map(|title| format!("Pin {title}"));
    let answers = UiCommand::PinAnswers;
    let gap = 8.0;
    let room = |text: &str, role| width_of(ui.painter(), text, role) + 20.0;
    let first = room(answers.text(), Role::Section);
    let second = pin.as_ref().map_or(0.0, |pin| room(pin, Role::Body) + gap);
    let right = pos2(c.x + (first + second) / 2.0, c.y + 60.0);
    if text_button(ui, right - vec2(second, 0.0), None, answers.text(), true)
        .on_hover_text(answers.tooltip(ui.ctx()))
        .clicked()
    {
        cx.run(answers);
    }
    if let Some(pin) = pin
        && text_button(ui, right, None, &pin, false)
            .on_hover_text(UiCommand::PinSelection.tooltip(ui.ctx()))
            .clicked()
    {
        cx.run(UiCommand::PinSelection);
    }
}
