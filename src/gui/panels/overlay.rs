//! The dialog for typing a path, where no file dialog exists or the person prefers it.

use super::scene::Scene;
use crate::gui::command::{Action, PathPurpose};
use crate::gui::dialogs::proposed_name;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{Edit, TextField, label_at, text_button, text_field};
use egui::{Align2, Id, Key, Modal, Sense, Ui, vec2};

/// Draws the path dialog while it is open.
pub fn overlay_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let Some(purpose) = cx.state.path_dialog else {
        return;
    };
    let t = Tokens::of(ui);
    let id = Id::unique("path-dialog-text");
    let proposed = match purpose {
        PathPurpose::OpenPlan => cx.state.settings.last_path.clone(),
        _ => proposed_name(Some(cx.tab), purpose),
    };
    let mut text: String = ui.data(|d| d.get_temp(id)).unwrap_or(proposed);
    let (title, verb) = match purpose {
        PathPurpose::OpenPlan => ("Open a plan", "Open"),
        PathPurpose::SavePlan => ("Save this plan", "Save"),
        PathPurpose::ExportCsv => ("Export the table", "Export"),
    };
    let (mut done, mut leave) = (false, false);
    let response = Modal::new(Id::unique("path-dialog")).show(ui.ctx(), |ui| {
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
        label_at(
            ui,
            rect.left_center(),
            Align2::LEFT_CENTER,
            "Path of the file",
            Role::Body,
            t.sub,
        );
        let (rect, _) = ui.allocate_exact_size(vec2(440.0, 28.0), Sense::hover());
        let field = TextField {
            name: "Path",
            text: &text,
            unit: "",
            hint: "/home/…",
            error: None,
        };
        if let Edit::To(new) = text_field(ui, rect, &field) {
            text = new;
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
    if done {
        ui.data_mut(|d| d.remove::<String>(id));
        cx.send(Action::Path(purpose, text.trim().to_owned()));
    } else if leave || response.should_close() {
        ui.data_mut(|d| d.remove::<String>(id));
        cx.send(Action::CloseDialog);
    } else {
        ui.data_mut(|d| d.insert_temp(id, text));
    }
}
