//! Top bar: brand, tabs of plans, the search field, undo and redo, theme, export.

use super::menus;
use super::scene::Scene;
use crate::gui::app::tabs::TITLE;
use crate::gui::command::{Action, UiCommand};
use crate::gui::places::{self, Region};
use crate::gui::shortcuts::keys_text;
use crate::gui::state::{Status, Tab};
use crate::gui::theme::{Icon, Role, Tokens, paint_icon, size};
use crate::gui::widgets::{
    Edit, TextField, focus_ring, has_keyboard, icon_button, label_at, paint, paint_in,
    primary_icon, text_button, text_field, width_of,
};
use egui::{
    Align2, CornerRadius, Pos2, Rect, Response, Sense, Stroke, Ui, WidgetInfo, accesskit, pos2,
    vec2,
};

/// Draws the top bar, from left to right: in this order the keyboard walks it.
pub fn top_bar_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let bar = ui.max_rect();
    Region::Top.mark(ui.ctx(), bar);
    ui.painter()
        .hline(bar.x_range(), bar.bottom() - 0.5, Stroke::new(1.0, t.line));
    let left_of_actions = bar.right() - actions_width(ui, bar);
    let search_width = match bar.width() {
        w if w < 1120.0 => 160.0,
        w if w < 1360.0 => 220.0,
        _ => 296.0,
    };
    let search = Rect::from_min_max(
        pos2(left_of_actions - 8.0 - search_width, bar.center().y - 13.0),
        pos2(left_of_actions - 8.0, bar.center().y + 13.0),
    );
    let tabs = Rect::from_min_max(
        pos2(bar.left() + 130.0, bar.top()),
        pos2(search.left() - 12.0, bar.bottom()),
    );
    brand_ui(ui, bar, cx);
    tabs_ui(ui, tabs, cx);
    search_ui(ui, search, cx);
    actions_ui(ui, bar, left_of_actions, cx);
}

/// The brand opens the application menu.
fn brand_ui(ui: &mut Ui, bar: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let y = bar.center().y;
    let rect = Rect::from_min_max(
        pos2(bar.left() + 6.0, y - 13.0),
        pos2(bar.left() + 122.0, y + 13.0),
    );
    let response = ui.interact(rect, ui.scope_id().with("brand"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::MenuItem, true, "Mantissa menu"));
    if places::arrives(ui.ctx(), "Mantissa menu") {
        response.request_focus();
    }
    if response.hovered() {
        ui.painter().rect_filled(rect, size::RADIUS, t.hover);
    }
    for (i, (width, strength)) in [(3.0, 0.45), (4.0, 0.7), (6.0, 1.0)]
        .into_iter()
        .enumerate()
    {
        let x = bar.left() + 12.0 + [0.0, 5.0, 11.0][i];
        let rect = Rect::from_min_size(pos2(x, y - 5.5), vec2(width, 11.0));
        ui.painter()
            .rect_filled(rect, 1.0, t.accent.gamma_multiply(strength));
    }
    let name = label_at(
        ui,
        pos2(bar.left() + 38.0, y),
        Align2::LEFT_CENTER,
        "Mantissa",
        Role::Column,
        t.strong,
    );
    let at = pos2(name.right() + 10.0, y);
    paint_icon(ui.painter(), at, Icon::ChevronDown, t.sub, 0.75);
    focus_ring(ui, &response, size::RADIUS);
    let response = response.on_hover_text(format!("Every command\n{}", to_request(ui)));
    menus::application_menu(&response, cx);
}

/// The one primary button.
const EXPORT: &str = "Export CSV";
/// An icon button with the gap after it, and how much of that is the button.
const ICON: (f32, f32) = (28.0, 26.0);
/// Of the arrow beside the export: the gap before it, its width, and what is left to the edge of the window.
const ARROW: (f32, f32, f32) = (1.0, 22.0, 12.0);

/// Width of the export button: its text, the icon before it, and room at both sides.
fn export_width(ui: &Ui) -> f32 {
    width_of(ui.painter(), EXPORT, Role::Section) + 40.0
}

/// What the buttons at the right take of a bar.
fn actions_width(ui: &Ui, bar: Rect) -> f32 {
    let icons = if super::edges::is_narrow(bar.width()) {
        5.0
    } else {
        4.0
    };
    icons * ICON.0 + 8.0 + export_width(ui) + ARROW.0 + ARROW.1 + ARROW.2
}

/// Buttons at the right, from `left` on.
fn actions_ui(ui: &mut Ui, bar: Rect, left: f32, cx: &mut Scene<'_>) {
    let y = bar.center().y;
    let place = |x: f32| Rect::from_min_max(pos2(x, y - 13.0), pos2(x + ICON.1, y + 13.0));
    let mut x = left + ICON.0 - ICON.1;
    // A window with room for one panel turns to the other here.
    if super::edges::is_narrow(bar.width()) {
        let (command, label) = if cx.state.inspector_first {
            (UiCommand::ToggleRequest, "Show the request")
        } else {
            (UiCommand::ToggleInspector, "Show the inspector")
        };
        let button = icon_button(ui, place(x), Icon::Panel, label, true)
            .on_hover_text(format!("{label}: {}", command.tooltip(ui.ctx())));
        if button.clicked() {
            cx.run(command);
        }
        x += ICON.0;
    }
    let theme = if Tokens::of(ui).is_dark {
        Icon::Sun
    } else {
        Icon::Moon
    };
    let [undo, redo] = [UiCommand::Undo, UiCommand::Redo].map(|c| (c, menus::is_enabled(cx, c)));
    let buttons = [
        (Icon::Undo, "Undo", undo.0, undo.1),
        (Icon::Redo, "Redo", redo.0, redo.1),
        (Icon::Folder, "Files", UiCommand::OpenPlan, true),
        (theme, "Switch theme", UiCommand::ToggleTheme, true),
    ];
    for (icon, label, command, enabled) in buttons {
        let response = icon_button(ui, place(x), icon, label, enabled)
            .on_hover_text(command.tooltip(ui.ctx()));
        if command == UiCommand::OpenPlan {
            menus::file_menu(&response, cx);
        } else if response.clicked() {
            cx.run(command);
        }
        x += ICON.0;
    }
    let right = bar.right() - ARROW.2 - ARROW.1 - ARROW.0;
    let export = text_button(ui, pos2(right, y), Some(Icon::Download), EXPORT, true)
        .on_hover_text(UiCommand::ExportCsv.tooltip(ui.ctx()));
    if export.clicked() {
        cx.run(UiCommand::ExportCsv);
    }
    let more = Rect::from_min_max(
        pos2(right + ARROW.0, y - 13.0),
        pos2(right + ARROW.0 + ARROW.1, y + 13.0),
    );
    let button = primary_icon(ui, more, Icon::ChevronDown, "More exports")
        .on_hover_text("JSON, a report to print, the rows shown, the chart");
    menus::export_menu(&button, cx);
}

/// How the keyboard leaves the bar for the request at once.
fn to_request(ui: &Ui) -> String {
    let keys = UiCommand::NextRegion.shortcut();
    let keys = keys.map_or_else(String::new, |k| keys_text(ui.ctx(), &k));
    format!("{keys} takes the keyboard on to the request, the views and the table")
}

/// The field that opens the palette.
fn search_ui(ui: &mut Ui, rect: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let response = ui.interact(rect, ui.scope_id().with("palette-field"), Sense::click());
    response
        .widget_info(|| WidgetInfo::labeled(accesskit::Role::Button, true, "Search everything"));
    let fill = if t.is_dark { t.input } else { t.raised };
    ui.painter().rect_filled(rect, size::RADIUS, fill);
    paint_icon(
        ui.painter(),
        pos2(rect.left() + 16.0, rect.center().y),
        Icon::Search,
        t.sub,
        0.85,
    );
    let keys = UiCommand::Palette.shortcut().map_or_else(String::new, |k| {
        keys_text(ui.ctx(), &k).replace('+', "\u{202F}")
    });
    let tag_width = width_of(ui.painter(), &keys, Role::Caption) + 12.0;
    let tag = Rect::from_min_max(
        pos2(rect.right() - 6.0 - tag_width, rect.center().y - 8.5),
        pos2(rect.right() - 6.0, rect.center().y + 8.5),
    );
    ui.painter().rect_filled(tag, 3.0, t.hover);
    paint(
        ui.painter(),
        tag.center(),
        Align2::CENTER_CENTER,
        &keys,
        Role::Caption,
        t.sub,
    );
    let inner = Rect::from_min_max(
        pos2(rect.left() + 30.0, rect.top()),
        pos2(tag.left() - 6.0, rect.bottom()),
    );
    let text = ["Search everything", "Search"].into_iter();
    let fits = |text: &&str| width_of(ui.painter(), text, Role::Body) <= inner.width();
    let text = text.clone().find(fits).or(text.last()).unwrap_or_default();
    paint_in(
        ui.painter(),
        inner,
        Align2::LEFT_CENTER,
        text,
        Role::Body,
        t.sub,
    );
    focus_ring(ui, &response, size::RADIUS);
    if response.clicked() {
        cx.run(UiCommand::Palette);
    }
    let tip = || {
        format!(
            "{}\n{}",
            UiCommand::Palette.tooltip(ui.ctx()),
            to_request(ui)
        )
    };
    tip_ui(response, cx, tip);
}

/// Said of a tab whose request differs from its file.
const UNSAVED: &str = "Not saved";

/// How its title is changed.
const RENAMES: &str = "A double click renames it (F2)";

/// The whole title of a tab, which may be cut in it, which file it is of, and whether that has its changes.
fn tab_tip(tab: &Tab) -> String {
    let (title, file) = (tab.title(), tab.path.as_deref().unwrap_or("No file yet"));
    if tab.is_changed() {
        format!("{title}\n{file}\n{UNSAVED}\n{RENAMES}")
    } else {
        format!("{title}\n{file}\n{RENAMES}")
    }
}

/// Room at the right of a tab that its cross takes.
const CROSS: f32 = 24.0;
/// What the dot of an unsaved tab takes before that.
const DOT: f32 = 10.0;
/// Less room than this has no letter of a title beside the sign that it is cut.
const LEAST_TITLE: f32 = 14.0;

/// Where the title of a tab stands, between what leads it and the dot and the cross behind it.
fn title_room(tab: Rect, lead: f32, changed: bool) -> Rect {
    let right = tab.right() - CROSS - if changed { DOT } else { 0.0 };
    let left = (tab.left() + lead).min(right);
    Rect::from_min_max(pos2(left, tab.top()), pos2(right, tab.bottom()))
}

/// The middle of the dot of an unsaved tab whose title ends there: behind it, and never over the cross.
fn unsaved_at(tab: Rect, title_end: f32) -> Pos2 {
    pos2(
        (title_end + 7.0).min(tab.right() - CROSS - 3.0),
        tab.center().y,
    )
}

/// A tooltip that keeps off what has the keys: it would cover the list it stands over.
fn tip_ui(response: Response, cx: &Scene<'_>, text: impl FnOnce() -> String) {
    if !cx.state.takes_keys() {
        response.on_hover_text(text());
    }
}

fn tabs_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let count = cx.state.tabs.len().max(1) as f32;
    let room = area.width() - 34.0;
    // A title that is typed needs its room; the others share what is left.
    let is_shown = |id: u64| cx.state.tabs.iter().any(|tab| tab.id == id);
    let is_renaming = (cx.state.renaming.as_ref()).is_some_and(|(id, _)| is_shown(*id));
    let typed = if is_renaming { room.min(200.0) } else { 0.0 };
    let share = if is_renaming {
        ((room - typed) / (count - 1.0).max(1.0) - 2.0).clamp(40.0, 220.0)
    } else {
        (room / count).clamp(60.0, 220.0)
    };
    let mut x = area.left();
    for (i, tab) in cx.state.tabs.iter().enumerate() {
        let title = tab.title();
        let active = i == cx.state.active;
        let lead = if active { 26.0 } else { 14.0 };
        let mark = if tab.is_changed() { 10.0 } else { 0.0 };
        let renaming = cx.state.renaming.as_ref().filter(|(id, _)| *id == tab.id);
        let width = width_of(ui.painter(), &title, Role::Body) + lead + 30.0 + mark;
        let width = if renaming.is_some() {
            typed
        } else {
            width.min(share)
        };
        let rect = Rect::from_min_max(pos2(x, area.top() + 8.0), pos2(x + width, area.bottom()));
        let response = ui.interact(
            rect,
            ui.scope_id().with(("plan-tab", tab.id)),
            Sense::click(),
        );
        response.widget_info(|| WidgetInfo::selected(accesskit::Role::Tab, true, active, &title));
        let changed = tab.is_changed();
        if changed {
            ui.ctx()
                .accesskit_node_builder(response.id, |node| node.set_description(UNSAVED));
        }
        if active {
            let radius = CornerRadius {
                nw: 6,
                ne: 6,
                sw: 0,
                se: 0,
            };
            ui.painter().rect(
                rect,
                radius,
                t.panel,
                Stroke::new(1.0, t.line),
                egui::StrokeKind::Inside,
            );
            ui.painter().hline(
                rect.left() + 1.0..=rect.right() - 1.0,
                rect.bottom() - 0.5,
                Stroke::new(1.5, t.panel),
            );
            let dot = match tab.status {
                Status::Failed(_) => t.bad,
                _ if !tab.drafts.is_empty() => t.bad,
                Status::Computing(..) => t.warn,
                _ => t.accent,
            };
            ui.painter()
                .circle_filled(pos2(rect.left() + 15.0, rect.center().y), 2.6, dot);
        }
        let color = if active || response.hovered() {
            t.strong
        } else {
            t.sub
        };
        let inner = title_room(rect, lead, changed);
        if renaming.is_some() {
            let field = Rect::from_center_size(rect.center(), vec2(width - 10.0, 24.0));
            title_ui(ui, field, cx, tab.id);
            x = rect.right() + 2.0;
            continue;
        }
        let mut end = inner.left();
        if inner.width() >= LEAST_TITLE {
            let place = Align2::LEFT_CENTER;
            end = paint_in(ui.painter(), inner, place, &title, Role::Body, color).right();
        }
        if changed {
            let at = unsaved_at(rect, end);
            ui.painter().circle_filled(at, 2.6, t.strong);
        }
        if active || response.hovered() {
            let close = Rect::from_center_size(
                pos2(rect.right() - 14.0, rect.center().y),
                vec2(18.0, 18.0),
            );
            if icon_button(ui, close, Icon::Close, &format!("Close {title}"), true).clicked() {
                cx.send(Action::CloseTab(i));
            }
        }
        if response.clicked() {
            cx.send(Action::ShowTab(i));
        }
        if response.double_clicked() {
            cx.send(Action::Rename(tab.id));
        }
        if response.middle_clicked() {
            cx.send(Action::CloseTab(i));
        }
        focus_ring(ui, &response, size::RADIUS);
        tip_ui(response, cx, || tab_tip(tab));
        x = rect.right() + 2.0;
    }
    let x = (x + 16.0).min(area.right() - 12.0);
    new_plan_ui(ui, pos2(x, area.center().y + 3.0), cx);
}

/// The title of a tab while it is typed: Enter or a click elsewhere takes it, Escape leaves the old one.
fn title_ui(ui: &mut Ui, place: Rect, cx: &mut Scene<'_>, id: u64) {
    let text = match &cx.state.renaming {
        Some((_, text)) => text.clone(),
        None => return,
    };
    let field = TextField {
        name: TITLE,
        text: &text,
        unit: "",
        hint: "Model and amount",
        error: None,
    };
    let edit = text_field(ui, place, &field);
    let entered = egui::Id::unique(("title-entered", id));
    let was_entered = ui.data(|d| d.get_temp(entered)).unwrap_or(false);
    let has = has_keyboard(ui, TITLE);
    ui.data_mut(|d| d.insert_temp(entered, has));
    let is_left = matches!(edit, Edit::Left);
    if let Edit::To(text) = edit {
        cx.send(Action::RenameText(text));
    }
    if was_entered && !has {
        cx.send(Action::EndRename(!is_left));
    }
}

/// The plus after the tabs opens the start page.
fn new_plan_ui(ui: &mut Ui, centre: Pos2, cx: &mut Scene<'_>) {
    let rect = Rect::from_center_size(centre, vec2(24.0, 24.0));
    if icon_button(ui, rect, Icon::Plus, "New plan", true)
        .on_hover_text(UiCommand::NewPlan.tooltip(ui.ctx()))
        .clicked()
    {
        cx.run(UiCommand::NewPlan);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dot_of_an_unsaved_tab_stands_beside_its_cross() {
        for (width, lead, title_end) in
            [(220.0, 26.0, 90.0), (60.0, 26.0, 36.0), (60.0, 14.0, 36.0)]
        {
            let tab = Rect::from_min_size(pos2(100.0, 0.0), vec2(width, 32.0));
            let room = title_room(tab, lead, true);
            assert!(room.width() >= 0.0 && room.right() <= tab.right() - CROSS - DOT);
            let dot = unsaved_at(tab, tab.left() + title_end);
            let cross = Rect::from_center_size(pos2(tab.right() - 14.0, 16.0), vec2(18.0, 18.0));
            let dot = Rect::from_center_size(dot, vec2(5.2, 5.2));
            assert!(
                !dot.intersects(cross) && tab.contains_rect(dot),
                "{width}: {dot:?}"
            );
        }
    }

    #[test]
    fn the_tooltip_of_a_tab_begins_with_its_whole_title() {
        let request = crate::planner::PlanRequest {
            title: Some("A title that no tab has room for".into()),
            ..Default::default()
        };
        let tab = Tab {
            request: Some(request.into()),
            ..Tab::default()
        };
        let lines: Vec<String> = tab_tip(&tab).lines().map(str::to_owned).collect();
        assert_eq!(
            lines[..2],
            ["A title that no tab has room for", "No file yet"]
        );
    }
}
