//! What lies over the window: the dialog for typing a path where no file dialog exists or the person prefers it, and
//! the word on files that hover.

use super::scene::Scene;
use crate::gui::command::{Action, PathPurpose};
use crate::gui::dialogs::proposed_name;
use crate::gui::path_problem::KINDS;
use crate::gui::state::PathCause;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{
    Edit, TextField, focus_field, label_at, paint, paint_in, select_in_field, text_button,
    text_field,
};
use egui::{
    Align2, Frame, Id, Key, LayerId, Modal, Order, Rect, RichText, Sense, Stroke, StrokeKind, Ui,
    WidgetInfo, accesskit, vec2,
};

/// While a file hovers over the window: what may be dropped.
fn drop_ui(ui: &Ui) {
    if ui.input(|i| i.raw.hovered_files.is_empty()) {
        return;
    }
    let t = Tokens::of(ui);
    let screen = ui.max_rect();
    let painter = ui
        .ctx()
        .layer_painter(LayerId::new(Order::Foreground, Id::unique("drop")));
    painter.rect_filled(screen, 0.0, t.window.gamma_multiply(0.8));
    let place = Rect::from_center_size(screen.center(), vec2(520.0, 120.0));
    painter.rect(
        place,
        8.0,
        t.raised,
        Stroke::new(2.0, t.accent),
        StrokeKind::Inside,
    );
    let c = place.center();
    for (y, text, role, color) in [
        (-14.0, "Drop to open", Role::Title, t.strong),
        (
            14.0,
            "A plan or a calibration (.toml), a model (.json, .toml) or measured runs (.csv)",
            Role::Body,
            t.text,
        ),
    ] {
        paint(
            &painter,
            c + vec2(0.0, y),
            Align2::CENTER_CENTER,
            text,
            role,
            color,
        );
    }
}

/// What stands over the path: where a name alone would go.
fn path_hint(text: &str) -> String {
    let folder = std::env::current_dir().ok();
    match folder.filter(|_| !std::path::Path::new(text.trim()).is_absolute()) {
        Some(folder) => format!("Path of the file, from {}", folder.display()),
        None => "Path of the file".to_owned(),
    }
}

/// The letters of a path's file name without its ending.
fn stem_of(path: &str) -> std::ops::Range<usize> {
    let letters = |text: &str| text.chars().count();
    let start = path.rfind(['/', '\\']).map_or(0, |at| at + 1);
    let end = (path.rfind('.').filter(|at| *at > start)).unwrap_or(path.len());
    letters(&path[..start])..letters(&path[..end])
}

/// Draws the path dialog while it is open.
pub fn overlay_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    drop_ui(ui);
    let Some(purpose) = cx.state.path_dialog else {
        return;
    };
    let t = Tokens::of(ui);
    let id = Id::unique("path-dialog-text");
    let problem = cx.state.path_problem.clone();
    let proposed = match purpose {
        _ if problem.is_some() => problem.iter().map(|p| p.path.clone()).collect(),
        PathPurpose::OpenPlan => cx.state.settings.last_path.clone(),
        _ => proposed_name(Some(cx.tab), purpose),
    };
    let mut text: String = ui.data(|d| d.get_temp(id)).unwrap_or(proposed);
    // A dialog is laid out unseen at first, when nothing in it takes the keyboard.
    let entered = id.with("entered");
    let is_entered = ui.data(|d| d.get_temp(entered)).unwrap_or(false);
    let (title, verb) = purpose.title_and_verb();
    let (mut done, mut leave) = (false, false);
    // Whoever changes the path is about to put it right.
    let wrong = problem.as_ref().filter(|p| p.path == text.trim());
    let replaces = wrong.is_some_and(|p| p.cause == PathCause::Replaces);
    let verb = if replaces { "Replace" } else { verb };
    let frame = Frame::popup(ui.style())
        .inner_margin(20.0)
        .corner_radius(8.0);
    let modal = Modal::new(Id::unique("path-dialog")).frame(frame);
    let mut typed = None;
    let response = modal.show(ui.ctx(), |ui| {
        ui.set_width(440.0);
        let (rect, _) = ui.allocate_exact_size(vec2(440.0, 26.0), Sense::hover());
        label_at(
            ui,
            rect.left_center(),
            Align2::LEFT_CENTER,
            title,
            Role::Title,
            t.strong,
        );
        let (rect, _) = ui.allocate_exact_size(vec2(440.0, 22.0), Sense::hover());
        let hint = path_hint(&text);
        paint_in(
            ui.painter(),
            rect,
            Align2::LEFT_CENTER,
            &hint,
            Role::Body,
            t.sub,
        );
        let id = ui.scope_id().with("path-hint");
        ui.interact(rect, id, Sense::hover())
            .widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, &hint));
        let (rect, _) = ui.allocate_exact_size(vec2(440.0, 28.0), Sense::hover());
        let field = TextField {
            name: "Path",
            text: &text,
            unit: "",
            hint: "/home/…",
            error: wrong.map(|p| p.text.as_str()),
        };
        if !is_entered {
            let has = focus_field(ui, field.name);
            // Whoever types another name writes over the proposed one and keeps its ending.
            // The path of last time goes whole.
            let whole = 0..text.chars().count();
            let is_open = purpose == PathPurpose::OpenPlan;
            if problem.is_none() {
                let letters = if is_open { whole } else { stem_of(&text) };
                select_in_field(ui, field.name, letters);
            }
            ui.data_mut(|d| d.insert_temp(entered, has));
            ui.ctx().request_repaint();
        }
        let edit = text_field(ui, rect, &field);
        if let Edit::To(new) = edit {
            typed = Some(new);
        }
        if purpose == PathPurpose::OpenPlan && wrong.is_none() {
            ui.add_space(4.0);
            let line = format!("Opens {KINDS}");
            ui.label(RichText::new(line).font(Role::Caption.font()).color(t.sub));
        }
        if let Some(problem) = wrong {
            ui.add_space(4.0);
            // A question is no error.
            let ink = if replaces { t.warn } else { t.bad };
            let lines = [
                Some((problem.reason(), ink)),
                problem.allowed(purpose).map(|text| (text, t.sub)),
            ];
            for (line, color) in lines.into_iter().flatten() {
                ui.label(RichText::new(line).font(Role::Caption.font()).color(color));
            }
        }
        ui.add_space(8.0);
        let (rect, _) = ui.allocate_exact_size(vec2(440.0, 28.0), Sense::hover());
        let accept = text_button(ui, rect.right_center(), None, verb, true);
        done = accept.clicked() || ui.input(|i| i.key_pressed(Key::Enter));
        leave = text_button(
            ui,
            accept.rect.left_center() - vec2(8.0, 0.0),
            None,
            "Cancel",
            false,
        )
        .clicked();
    });
    if let Some(typed) = typed {
        text = typed;
    }
    if done {
        ui.data_mut(|d| {
            d.remove::<String>(id);
            d.remove::<bool>(entered);
        });
        cx.send(Action::Path(purpose, text.trim().to_owned()));
    } else if leave || response.should_close() {
        ui.data_mut(|d| {
            d.remove::<String>(id);
            d.remove::<bool>(entered);
        });
        cx.send(Action::CloseDialog);
    } else {
        ui.data_mut(|d| d.insert_temp(id, text));
    }
}
