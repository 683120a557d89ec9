//! Menus that drop down from a button: the application menu, axes, columns, export, and a row's own.

use super::accuracy_plots::RUNS_HELP;
use super::scene::Scene;
use crate::gui::command::{Action, Group, PathPurpose, UiCommand};
use crate::gui::measure::{Axes, Measure, Scale};
use crate::gui::rows::Column;
use crate::gui::rows_text;
use crate::gui::shortcuts::keys_text;
use crate::gui::state::Status;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{DropDown, Lines, in_window};
use crate::planner::{Combination, PredictedRun};
use egui::{Button, Label, Response, RichText, Stroke, Ui};

/// One command as a line of a menu.
pub fn command_ui(ui: &mut Ui, cx: &mut Scene<'_>, command: UiCommand) -> Response {
    let keys = command
        .shortcut()
        .map_or_else(String::new, |k| keys_text(ui.ctx(), &k));
    let enabled = is_enabled(cx, command);
    let button = Button::new(command.text())
        .selected(is_chosen(cx, command))
        .shortcut_text(keys);
    let line = ui
        .add_enabled(enabled, button)
        .on_hover_text(command.text_and_tip().1);
    if line.clicked() {
        cx.run(command);
        ui.close();
    }
    line
}

/// Whether a command stands for what is so already: one of several that exclude each other.
fn is_chosen(cx: &Scene<'_>, command: UiCommand) -> bool {
    let theme = cx.state.settings.theme.as_str();
    match command {
        UiCommand::DarkTheme => theme == "dark",
        UiCommand::LightTheme => theme == "light",
        UiCommand::FollowSystemTheme => !matches!(theme, "dark" | "light"),
        _ => false,
    }
}

/// Commands as lines that the keyboard walks.
fn commands_ui(
    ui: &mut Ui,
    cx: &mut Scene<'_>,
    lines: &mut Lines,
    commands: impl IntoIterator<Item = UiCommand>,
) {
    for command in commands {
        let line = command_ui(ui, cx, command);
        lines.add(&line, command.text());
    }
}

/// Whether a command can do something as things stand.
pub fn is_enabled(cx: &Scene<'_>, command: UiCommand) -> bool {
    let tab = cx.tab;
    match command {
        UiCommand::Undo => tab.history.can_undo() || tab.turns_to_pins(true),
        UiCommand::Redo => tab.history.can_redo() || tab.turns_to_pins(false),
        UiCommand::Back => tab.trail.can_go_back(),
        UiCommand::Forward => tab.trail.can_go_forward(),
        UiCommand::ShowAllSeries => {
            !tab.hidden_modes.is_empty() || !tab.hidden_accelerators.is_empty()
        }
        UiCommand::ReopenTab => !cx.state.closed.is_empty(),
        UiCommand::ExportCsv
        | UiCommand::ExportShownCsv
        | UiCommand::ExportCommaCsv
        | UiCommand::ExportJson
        | UiCommand::ExportHtml
        | UiCommand::SaveChart
        | UiCommand::CopyChart
        | UiCommand::CopyTable
        | UiCommand::PinAnswers => tab.plan().is_some(),
        UiCommand::CopyRow
        | UiCommand::CopyCell
        | UiCommand::CellLeft
        | UiCommand::CellRight
        | UiCommand::BoxAround
        | UiCommand::PinSelection => tab.selected.is_some(),
        UiCommand::LargestBatch => cx
            .selection()
            .and_then(|(_, _, run)| cx.plan()?.larger_batch(run))
            .is_some(),
        UiCommand::BoxRemove => tab.row_settings.region.is_some(),
        UiCommand::UnpinAll => !tab.pins.is_empty(),
        UiCommand::RestorePins => tab.has_former_pins(),
        UiCommand::Calibrate => cx.state.evaluation.is_some() && !cx.state.is_calibrating,
        UiCommand::SaveCalibration | UiCommand::RemoveCalibration => cx.state.calibration.is_some(),
        UiCommand::PutCalibrationBack => cx.state.former_calibration.is_some(),
        UiCommand::ClearFilter => tab.row_settings.is_filtered(),
        UiCommand::ResetColumns => cx.state.settings.columns.is_some(),
        UiCommand::Cancel => {
            let sways = tab.sway.as_ref().is_some_and(|s| s.under_way.is_some());
            sways || matches!(tab.status, Status::Computing(..))
        }
        UiCommand::Compute => !matches!(tab.status, Status::Computing(..)),
        _ => true,
    }
}

/// Every command by group, with the recent files.
pub fn application_menu(button: &Response, cx: &mut Scene<'_>) {
    DropDown::of(button).show(|ui, lines| {
        ui.set_min_width(180.0);
        let mut is_open_behind = false;
        for group in Group::ALL {
            let button = ui.menu_button(group.title(), |ui| {
                ui.set_min_width(230.0);
                let mut inner = Lines::default();
                in_window(ui, |ui| {
                    if group == Group::Runs {
                        help_ui(ui, RUNS_HELP);
                    }
                    // What stands below the menus need not stand in one of them too.
                    let commands = group.commands().filter(|c| *c != UiCommand::Palette);
                    commands_ui(ui, cx, &mut inner, commands);
                    if group == Group::File {
                        recent_ui(ui, cx, &mut inner);
                    }
                    // Right and Enter lead in here, Left leads out again: egui's own.
                    inner.walk_menu(ui, true);
                });
            });
            is_open_behind |= button.inner.is_some();
            lines.add(&button.response, group.title());
        }
        ui.separator();
        commands_ui(ui, cx, lines, [UiCommand::Palette]);
        lines.walk_menu(ui, is_open_behind);
    });
}

/// Width of a line of help in a menu.
const HELP_WIDTH: f32 = 260.0;

/// What a menu is for, where its commands wait for something a person has to bring.
fn help_ui(ui: &mut Ui, text: &str) {
    ui.set_max_width(HELP_WIDTH);
    let text = RichText::new(text).font(Role::Caption.font());
    ui.add(Label::new(text.color(Tokens::of(ui).sub)).wrap());
    ui.separator();
}

/// Files opened and saved last.
pub fn recent_ui(ui: &mut Ui, cx: &mut Scene<'_>, lines: &mut Lines) {
    let recent = &cx.state.settings.recent;
    if recent.is_empty() {
        return;
    }
    ui.separator();
    ui.label(RichText::new("Recent files").color(Tokens::of(ui).sub));
    for path in recent {
        let name = std::path::Path::new(path)
            .file_name()
            .map_or_else(|| path.clone(), |n| n.to_string_lossy().into_owned());
        let line = ui.button(&name).on_hover_text(path);
        lines.add(&line, name);
        if line.clicked() {
            cx.out
                .push(Action::Path(PathPurpose::OpenPlan, path.clone()));
            ui.close();
        }
    }
}

/// Open, save and the recent files.
pub fn file_menu(button: &Response, cx: &mut Scene<'_>) {
    DropDown::of(button).show(|ui, lines| {
        ui.set_min_width(220.0);
        let commands = [
            UiCommand::NewPlan,
            UiCommand::OpenPlan,
            UiCommand::SavePlan,
            UiCommand::SavePlanAs,
            UiCommand::RenamePlan,
            UiCommand::CopyPlan,
            UiCommand::PastePlan,
        ];
        commands_ui(ui, cx, lines, commands);
        recent_ui(ui, cx, lines);
        lines.walk(ui, 0);
    });
}

/// Every way to take the plan away.
pub fn export_menu(button: &Response, cx: &mut Scene<'_>) {
    DropDown::of(button).show(|ui, lines| {
        ui.set_min_width(240.0);
        let commands = [
            UiCommand::ExportCsv,
            UiCommand::ExportShownCsv,
            UiCommand::ExportCommaCsv,
            UiCommand::ExportJson,
            UiCommand::ExportHtml,
        ];
        commands_ui(ui, cx, lines, commands);
        ui.separator();
        let commands = [
            UiCommand::SaveChart,
            UiCommand::CopyChart,
            UiCommand::CopyTable,
            UiCommand::CopyRow,
        ];
        commands_ui(ui, cx, lines, commands);
        lines.walk(ui, 0);
    });
}

/// What the axes of the trade-off show.
pub fn axes_menu(button: &Response, cx: &mut Scene<'_>) {
    let axes = cx.state.settings.axes;
    DropDown::of(button).stays_open().show(|ui, lines| {
        ui.set_min_width(190.0);
        let mut wanted = axes;
        measures_ui(ui, "Up", "", &mut wanted.y, lines);
        ui.separator();
        // The space tells the lines of the two lists apart.
        measures_ui(ui, "Across", " ", &mut wanted.x, lines);
        // The same figure on both axes says nothing: the other one gives way.
        if wanted.x == wanted.y {
            if wanted.x == axes.x {
                wanted.x = axes.y;
            } else {
                wanted.y = axes.x;
            }
        }
        ui.separator();
        for (scale, name) in [(Scale::Log, "Logarithmic"), (Scale::Linear, "Linear")] {
            let line = ui.selectable_label(axes.scale == scale, name);
            lines.add(&line, name);
            if line.clicked() {
                wanted.scale = scale;
            }
        }
        ui.separator();
        let all = cx.state.settings.all_whiskers;
        let whiskers = ui
            .selectable_label(all, UiCommand::ToggleWhiskers.text())
            .on_hover_text(UiCommand::ToggleWhiskers.tooltip(ui.ctx()));
        lines.add(&whiskers, UiCommand::ToggleWhiskers.text());
        if whiskers.clicked() {
            cx.run(UiCommand::ToggleWhiskers);
        }
        let commands = [UiCommand::BoxAround, UiCommand::BoxRemove];
        commands_ui(ui, cx, lines, commands);
        let current = Measure::ALL.iter().position(|m| *m == axes.y);
        lines.walk(ui, current.unwrap_or(0));
        if wanted != axes {
            cx.send(Action::SetAxes(wanted));
        }
    });
}

/// What one axis may show.
fn measures_ui(ui: &mut Ui, title: &str, suffix: &str, shown: &mut Measure, lines: &mut Lines) {
    ui.label(RichText::new(title).color(Tokens::of(ui).sub));
    for measure in Measure::ALL {
        let text = format!("{}{suffix}", measure.title());
        let line = ui.selectable_label(*shown == measure, text);
        lines.add(&line, measure.title());
        if line.clicked() {
            *shown = measure;
        }
    }
}

/// `Cost against time, log`.
pub fn axes_text(axes: Axes) -> String {
    let scale = match axes.scale {
        Scale::Log => "log",
        Scale::Linear => "linear",
    };
    format!("{} against {}, {scale}", axes.y.title(), axes.x.word())
}

/// Which columns the table has; `shown` are those that fit now.
pub fn columns_menu(button: &Response, cx: &mut Scene<'_>, shown: &[Column]) {
    DropDown::of(button).stays_open().show(|ui, lines| {
        ui.set_min_width(190.0);
        let t = Tokens::of(ui);
        let chosen = cx.state.settings.columns.clone();
        let listed = chosen.as_deref().unwrap_or(shown);
        ui.label(RichText::new("Columns").color(t.sub));
        for column in Column::ALL {
            let mut on = listed.contains(&column);
            let line = edged(ui, |ui| ui.checkbox(&mut on, column.title()));
            lines.add(&line, column.title());
            if line.changed() {
                let wanted = Column::ALL
                    .into_iter()
                    .filter(|c| if *c == column { on } else { listed.contains(c) })
                    .collect::<Vec<_>>();
                // A table without columns says nothing.
                if !wanted.is_empty() {
                    cx.send(Action::SetColumns(Some(wanted)));
                }
            }
        }
        // Its line is there from the start: a list that grows while it is open jumps to the other side of its button.
        let waits = listed.iter().any(|c| !shown.contains(c));
        let text = RichText::new("Some wait for a wider window").color(t.warn);
        ui.add_visible(waits, Label::new(text));
        ui.separator();
        commands_ui(ui, cx, lines, [UiCommand::ResetColumns]);
        lines.walk(ui, 0);
    });
}

/// Boxes with an edge: their ground alone hardly differs from a menu's.
fn edged<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let edge = Stroke::new(1.0, Tokens::of(ui).line_strong);
    ui.scope(|ui| {
        let looks = &mut ui.visuals_mut().widgets;
        for look in [&mut looks.inactive, &mut looks.hovered, &mut looks.active] {
            look.bg_stroke = edge;
        }
        contents(ui)
    })
    .inner
}

/// What can be done with one row; `column` is the one that was clicked.
pub fn row_menu(
    ui: &mut Ui,
    cx: &mut Scene<'_>,
    (index, c, run): (usize, &Combination, &PredictedRun),
    column: Option<Column>,
) {
    ui.set_min_width(200.0);
    let mut lines = Lines::default();
    if let Some(column) = column {
        let text = rows_text::cell(column, c, run);
        let line = ui.button(format!("Copy “{text}”"));
        lines.add(&line, "Copy");
        if line.clicked() {
            cx.send(Action::Copy(text, "the cell"));
            ui.close();
        }
    }
    let line = ui.button("Copy row");
    lines.add(&line, "Copy row");
    if line.clicked() {
        if let Some(plan) = cx.plan() {
            let text = rows_text::tab_separated(plan, &[index]);
            cx.send(Action::Copy(text, "the row"));
        }
        ui.close();
    }
    commands_ui(ui, cx, &mut lines, [UiCommand::CopyTable]);
    ui.separator();
    let pinned = cx.tab.is_pinned(c);
    let word = if pinned { "Unpin" } else { "Pin to compare" };
    let line = ui.button(word);
    lines.add(&line, word);
    if line.clicked() {
        cx.send(Action::TogglePin(index));
        ui.close();
    }
    lines.walk(ui, 0);
}
