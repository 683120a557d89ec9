//! The table of every combination: filter bar, sortable head, virtual rows, refused ones pinned below.

use super::scene::Scene;
use super::table_cells::{Asked, cell_ui, columns_of};
use super::{menus, refused, table_empty};
use crate::format;
use crate::gui::command::{Action, UiCommand};
use crate::gui::places::Region;
use crate::gui::reading;
use crate::gui::rows::Column;
use crate::gui::rows_text;
use crate::gui::theme::{Icon, Role, Tokens, paint_icon, size};
use crate::gui::widgets::{
    Edit, SortHead, chip_text, icon_button, in_window, label_at, paint, search_box, sort_head,
    width_of,
};
use crate::planner::{Combination, PredictedRun};
use egui::{
    Align2, EventFilter, Id, Key, Rect, Response, ScrollArea, Sense, Stroke, StrokeKind, Ui,
    UiBuilder, WidgetInfo, accesskit, pos2, vec2,
};

/// Draws the table.
pub fn table_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    Region::Table.mark(ui.ctx(), area);
    let head = Rect::from_min_size(
        area.min + vec2(0.0, 32.0),
        vec2(area.width(), size::TABLE_HEAD),
    );
    let chosen = cx.state.settings.columns.as_deref();
    let columns = columns_of(area.width(), &Asked::of(ui, cx), chosen);
    let bar = Rect::from_min_size(area.min, vec2(area.width(), 32.0));
    let right = tools_ui(ui, bar, cx, &columns);
    bar_ui(ui, bar.with_max_x(right), cx);
    ui.painter()
        .hline(area.x_range(), head.top(), Stroke::new(1.0, t.line));
    ui.painter()
        .hline(area.x_range(), head.bottom(), Stroke::new(1.0, t.line));
    step_cell(cx, &columns);
    for (column, place) in &columns {
        head_ui(
            ui,
            cx,
            *column,
            place
                .translate(head.min.to_vec2())
                .with_max_y(head.bottom()),
        );
    }
    let refused = refused::refused_height(ui, cx, area.width());
    let body = Rect::from_min_max(
        pos2(area.left(), head.bottom()),
        pos2(area.right(), area.bottom() - refused),
    );
    body_ui(ui, body, cx, &columns);
    if refused > 0.0 {
        let place = Rect::from_min_max(pos2(area.left(), body.bottom()), area.max);
        refused::refused_ui(ui, place, cx);
    }
}

/// Buttons at the right of the bar: copy the table, choose columns. Returns their left edge.
fn tools_ui(ui: &mut Ui, bar: Rect, cx: &mut Scene<'_>, columns: &[(Column, Rect)]) -> f32 {
    let right = bar.right() - size::CENTRE_MARGIN + 4.0;
    let place = |i: f32| {
        Rect::from_center_size(
            pos2(right - 12.0 - i * 26.0, bar.center().y),
            vec2(24.0, 24.0),
        )
    };
    let button = icon_button(ui, place(0.0), Icon::Columns, "Columns", true)
        .on_hover_text("Choose the columns of the table");
    let shown: Vec<Column> = columns.iter().map(|c| c.0).collect();
    menus::columns_menu(&button, cx, &shown);
    if icon_button(ui, place(1.0), Icon::Copy, "Copy table", true)
        .on_hover_text(UiCommand::CopyTable.tooltip(ui.ctx()))
        .clicked()
    {
        cx.run(UiCommand::CopyTable);
    }
    place(1.0).left() - 4.0
}

/// Title, filter, and the chips.
fn bar_ui(ui: &mut Ui, bar: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let left = bar.left() + size::CENTRE_MARGIN;
    let y = bar.center().y;
    let title = label_at(
        ui,
        pos2(left, y),
        Align2::LEFT_CENTER,
        "Combinations",
        Role::Section,
        t.strong,
    );
    let (shown, all) = (cx.tab.rows.shown.len(), cx.tab.rows.predicted);
    let count = if shown == all {
        format::count(all as f64)
    } else {
        format!(
            "{} of {}",
            format::count(shown as f64),
            format::count(all as f64)
        )
    };
    let mut x = paint(
        ui.painter(),
        title.right_center() + vec2(8.0, 0.0),
        Align2::LEFT_CENTER,
        &count,
        Role::Body,
        t.sub,
    )
    .right()
        + 16.0;
    let draft = cx.tab.filter_draft.as_ref();
    let filter = draft.map_or(&cx.tab.row_settings.filter, |(text, _)| text);
    let least = if bar.width() < 660.0 { 150.0 } else { 200.0 };
    // A long filter is read whole rather than by its end.
    let width = (width_of(ui.painter(), filter, Role::Body) + 44.0).clamp(least, 300.0);
    let field = Rect::from_min_size(pos2(x, y - 11.0), vec2(width, 22.0));
    let id = ui.scope_id().with(("field", "Filter"));
    let had_keyboard = ui.memory(|m| m.has_focus(id));
    let (edit, _) = search_box(ui, field, "Filter", filter, "Filter, e.g. cost < 2k");
    // Whoever has found what they looked for goes on among the rows.
    let goes_on = ui.input(|i| i.key_pressed(Key::Enter) || i.key_pressed(Key::ArrowDown));
    if had_keyboard && goes_on {
        enter_rows(ui, cx);
    }
    // What is not understood goes by Escape, as in every field, also where that took the keyboard from it already.
    let escapes = !cx.state.takes_keys() && ui.input(|i| i.key_pressed(Key::Escape));
    if draft.is_some() && escapes {
        cx.send(Action::SetFilter(cx.tab.row_settings.filter.clone()));
    }
    if cx.state.focus_filter {
        ui.memory_mut(|m| m.request_focus(id));
    }
    if let Edit::To(text) = edit {
        cx.send(Action::SetFilter(text));
    }
    x = field.right() + 6.0;
    if let Some((_, problem)) = draft {
        let room = Rect::from_min_max(pos2(x, bar.top()), pos2(bar.right() - 4.0, bar.bottom()));
        table_empty::filter_problem_ui(ui, cx, (field, room), problem);
        return;
    }
    let Some(plan) = cx.plan() else { return };
    let settings = &cx.tab.row_settings;
    let mut chips = Vec::new();
    if let Some(region) = settings.region {
        // Where there is little room the other chips need it more than its words.
        let text = match bar.width() < 660.0 {
            true => "Box".to_owned(),
            false => format!("Box of {} and {}", region.y.0.word(), region.x.0.word()),
        };
        chips.push((text, "Box", true, Action::SetRegion(None)));
    }
    // Without a limit every run would be within.
    if plan.request.limits_set() > 0 || settings.within_only {
        chips.push((
            format!("Within limits  {}", plan.within_limits),
            "Within limits",
            settings.within_only,
            Action::WithinOnly(!settings.within_only),
        ));
    }
    chips.push((
        format!("Pareto front  {}", plan.pareto.len()),
        "Pareto front",
        settings.pareto_only,
        Action::ParetoOnly(!settings.pareto_only),
    ));
    let filtered = settings.is_filtered();
    let room = bar.right() - if filtered { 30.0 } else { 4.0 };
    for (text, label, on, action) in chips {
        let width = width_of(ui.painter(), &text, Role::Body) + 16.0;
        let rect = Rect::from_min_size(pos2(x, y - 11.0), vec2(width, 22.0));
        if rect.right() > room {
            continue;
        }
        if chip_text(ui, rect, &text, label, on).clicked() {
            cx.send(action);
        }
        x = rect.right() + 4.0;
    }
    let rect = Rect::from_min_size(pos2(x, y - 11.0), vec2(22.0, 22.0));
    if filtered
        && rect.right() < bar.right()
        && icon_button(ui, rect, Icon::Close, "Clear the filter", true).clicked()
    {
        cx.run(UiCommand::ClearFilter);
    }
}

/// Gives the keyboard to the selected row, or to the first one where the selected one is not shown.
fn enter_rows(ui: &Ui, cx: &mut Scene<'_>) {
    let shown = &cx.tab.rows.shown;
    let is_shown = cx.tab.selected.is_some_and(|index| shown.contains(&index));
    match shown.first().filter(|_| !is_shown) {
        Some(first) => cx.pick(ui.ctx(), *first),
        None if !is_shown => return,
        None => {}
    }
    let pass = ui.ctx().cumulative_pass_nr();
    ui.data_mut(|d| d.insert_temp(follow_id(), pass));
}

/// One title of the head; a click sorts.
fn head_ui(ui: &mut Ui, cx: &mut Scene<'_>, column: Column, rect: Rect) {
    let rect = Rect::from_min_max(rect.min, pos2(rect.right(), rect.min.y + size::TABLE_HEAD));
    let settings = &cx.tab.row_settings;
    let head = SortHead {
        title: column.title(),
        unit: (column.figure().filter(|_| column != Column::TotalTime))
            .and_then(|f| cx.tab.rows.units.unit(f))
            .map(|unit| unit.name),
        is_right: column.is_right(),
        descending: (settings.sort == column).then_some(settings.descending),
    };
    let response = sort_head(ui, rect, &head).on_hover_text(reading::column(column));
    if response.clicked() {
        cx.send(Action::SortBy(column));
    }
}

fn body_ui(ui: &mut Ui, body: Rect, cx: &mut Scene<'_>, columns: &[(Column, Rect)]) {
    if cx.tab.rows.shown.is_empty() {
        table_empty::nothing_ui(ui, body, cx);
        return;
    }
    let mut child = ui.new_child(UiBuilder::new().max_rect(body).id_salt("table-body"));
    child.spacing_mut().item_spacing = vec2(0.0, 0.0);
    let seen_id = Id::unique(("table-seen", cx.tab.id));
    // egui's own least height is more than the two rows that a small window has beside an open list of reasons.
    let mut area = ScrollArea::vertical()
        .auto_shrink(false)
        .min_scrolled_height(0.0)
        .id_salt(("rows", cx.tab.id));
    // Another selection or another result comes into sight when the table is drawn next: it may not have been there when it
    // came, under a view that takes its place.
    let drawn_id = Id::unique(("table-selection", cx.tab.id));
    let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
    let drawn = (stamp, cx.tab.selected);
    let is_new = ui.data(|d| d.get_temp(drawn_id)) != Some(drawn);
    ui.data_mut(|d| d.insert_temp(drawn_id, drawn));
    if (cx.tab.scroll_to_selection || is_new)
        && let Some(row) = cx
            .tab
            .selected
            .and_then(|s| cx.tab.rows.shown.iter().position(|i| *i == s))
    {
        let visible = (body.height() / size::ROW).floor().max(1.0);
        let offset = (row as f32 - visible / 2.0).max(0.0).floor();
        let offset = if (row as f32) < visible { 0.0 } else { offset };
        // A row in sight stays where it is.
        let top = row as f32 * size::ROW;
        let seen = ui.data(|d| d.get_temp::<f32>(seen_id));
        let is_seen = seen.is_some_and(|seen| {
            (seen - 0.5..=seen + body.height() - size::ROW + 0.5).contains(&top)
        });
        if !is_seen {
            area = area.vertical_scroll_offset(offset * size::ROW);
        }
    }
    let total = cx.tab.rows.shown.len();
    let shown = area.show_rows(&mut child, size::ROW, total, |ui, range| {
        for i in range {
            if let Some(index) = cx.tab.rows.shown.get(i) {
                row_ui(ui, cx, *index, columns);
            }
        }
    });
    ui.data_mut(|d| d.insert_temp(seen_id, shown.state.clamped_offset().y));
}

/// Marks the next cell of the selected row among the columns there is room for.
fn step_cell(cx: &mut Scene<'_>, columns: &[(Column, Rect)]) {
    let by = cx.state.cell_step;
    if by == 0 || columns.is_empty() {
        return;
    }
    let now = cx.tab.cell.unwrap_or(cx.tab.row_settings.sort);
    let place = columns.iter().position(|c| c.0 == now);
    let next = match (place, cx.tab.cell) {
        (Some(place), Some(_)) => place.saturating_add_signed(by),
        // The first step marks where it starts.
        (place, _) => place.unwrap_or(0),
    };
    if let Some((column, _)) = columns.get(next.min(columns.len() - 1)) {
        cx.send(Action::SetCell(*column));
    }
}

/// Under it stands since when the keyboard is to go to the selected row.
fn follow_id() -> Id {
    Id::unique("rows-follow")
}

/// Arrows in a row that has the keyboard: across its cells, and up and down with the selection.
fn row_keys(ui: &Ui, cx: &mut Scene<'_>, index: usize, response: &Response) {
    let follow = follow_id();
    let frame = ui.ctx().cumulative_pass_nr();
    let selected = cx.tab.selected == Some(index);
    let wanted: Option<u64> = ui.data(|d| d.get_temp(follow));
    if selected && wanted.is_some_and(|since| since < frame) {
        ui.data_mut(|d| d.remove::<u64>(follow));
        response.request_focus();
    }
    if !response.has_focus() {
        return;
    }
    let arrows = EventFilter {
        horizontal_arrows: true,
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|m| m.set_focus_lock_filter(response.id, arrows));
    let pressed = |key| ui.input(|i| i.modifiers.is_none() && i.key_pressed(key));
    for (key, command) in [
        (Key::ArrowLeft, UiCommand::CellLeft),
        (Key::ArrowRight, UiCommand::CellRight),
        (Key::ArrowUp, UiCommand::SelectPrevious),
        (Key::ArrowDown, UiCommand::SelectNext),
    ] {
        if pressed(key) {
            if !selected {
                cx.send(Action::Select(index));
            }
            cx.run(command);
            ui.data_mut(|d| d.insert_temp(follow, frame));
        }
    }
}

fn row_ui(ui: &mut Ui, cx: &mut Scene<'_>, index: usize, columns: &[(Column, Rect)]) {
    let t = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let response = ui.interact(rect, ui.scope_id().with(("row", index)), Sense::click());
    let Some(plan) = cx.plan() else { return };
    let Some((c, run)) = plan
        .combinations
        .get(index)
        .and_then(|c| Some((c, c.run()?)))
    else {
        return;
    };
    let selected = cx.tab.selected == Some(index);
    response.widget_info(|| {
        let text = format!(
            "{}, {}",
            super::scene::title_of(cx, c),
            super::scene::figures_of(run)
        );
        WidgetInfo::selected(accesskit::Role::Row, true, selected, text)
    });
    let is_hovered = cx.hover(index, response.hovered());
    if selected {
        ui.painter().rect_filled(rect, 0.0, t.sel);
        let edge = Rect::from_min_size(rect.min, vec2(2.0, rect.height()));
        ui.painter().rect_filled(edge, 0.0, t.sel_line);
    } else if is_hovered {
        ui.painter().rect_filled(rect, 0.0, t.hover);
    }
    if response.has_focus() {
        ui.painter().rect_stroke(
            rect.shrink(1.0),
            2.0,
            Stroke::new(2.0, t.accent),
            StrokeKind::Inside,
        );
    }
    row_keys(ui, cx, index, &response);
    let shown = cx.is_visible(c);
    let before = ui.opacity();
    if !shown {
        ui.multiply_opacity(0.45);
    }
    for (column, place) in columns {
        let cell = place.translate(rect.min.to_vec2());
        cell_ui(ui, cx, *column, cell, c, run);
    }
    ui.set_opacity(before);
    let marked = columns
        .iter()
        .find(|(column, _)| selected && cx.tab.cell == Some(*column));
    if let Some((column, place)) = marked {
        marked_ui(ui, *column, place.translate(rect.min.to_vec2()), c, run);
    }
    // What a cell has no room for, whole.
    let cut = columns.iter().find_map(|(column, place)| {
        let place = place.translate(rect.min.to_vec2());
        let (text, lead) = match column {
            Column::Layout => (run.layout.as_str(), 0.0),
            Column::Accelerator => (cx.label(&c.accelerator.label), 18.0),
            Column::Seller => (run.price.as_ref()?.seller(), 0.0),
            _ => return None,
        };
        let is_cut = width_of(ui.painter(), text, Role::Body) > place.width() - lead;
        (is_cut && ui.rect_contains_pointer(place)).then_some(text)
    });
    match run.relaid() {
        Some(text) => {
            response.clone().on_hover_text_at_pointer(text);
        }
        None => {
            if let Some(text) = cut {
                response.clone().on_hover_text_at_pointer(text);
            }
        }
    }
    if cx.tab.is_pinned(c) {
        let at = pos2(rect.left() + 9.0, rect.center().y);
        paint_icon(ui.painter(), at, Icon::Pin, t.accent, 0.62);
    }
    if response.clicked() {
        // Arrows go on from the row that was clicked.
        response.request_focus();
        cx.pick(ui.ctx(), index);
    }
    // The menu outlives the click that opened it, so the column under that click is kept.
    let id = ui.scope_id().with("clicked-column");
    if response.secondary_clicked() {
        let column = response.interact_pointer_pos().and_then(|at| {
            let x = at.x - rect.left();
            columns
                .iter()
                .find(|(_, r)| r.x_range().contains(x))
                .map(|c| c.0)
        });
        ui.data_mut(|d| d.insert_temp(id, column));
    }
    response.context_menu(|ui| {
        let column: Option<Column> = ui.data(|d| d.get_temp(id)).flatten();
        in_window(ui, |ui| menus::row_menu(ui, cx, (index, c, run), column));
    });
}

/// The ring around the marked cell, named with what would be copied.
fn marked_ui(ui: &mut Ui, column: Column, cell: Rect, c: &Combination, run: &PredictedRun) {
    let place = cell.expand2(vec2(5.0, -2.0));
    let stroke = Stroke::new(1.5, Tokens::of(ui).accent);
    ui.painter()
        .rect_stroke(place, size::RADIUS_FIELD, stroke, StrokeKind::Inside);
    let response = ui.interact(place, ui.scope_id().with("marked-cell"), Sense::hover());
    response.widget_info(|| {
        let text = format!("{}: {}", column.title(), rows_text::cell(column, c, run));
        WidgetInfo::selected(accesskit::Role::Cell, true, true, text)
    });
}
