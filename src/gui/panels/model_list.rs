//! The list of models below a button: those of files that were read, every one of the catalogue, and the way to another file.

use super::picker::{Choice, Picked, found_models, picker_ui};
use super::scene::Scene;
use crate::format;
use crate::gui::backend::ModelEntry;
use crate::gui::command::{Action, UiCommand};
use egui::Response;
use std::path::Path;

/// The line below the models.
pub const OPEN: &str = "Open a model file…";
/// What it reads.
const KINDS: &str = "config.json, *.mantissa.json, *.toml";

/// The list of models below a button; whether one was picked.
pub fn pick_model(cx: &mut Scene<'_>, button: &Response, width: f32) -> bool {
    let asked = cx.tab.request.as_ref().map(|r| r.model.clone());
    let now = asked.map(|name| {
        let known = cx.backend.model(&name);
        known.map_or(name, |entry| entry.name.clone())
    });
    let (models, own) = (cx.backend.models(), &cx.state.own_models);
    let foot = Choice {
        key: String::new(),
        label: OPEN.to_owned(),
        detail: KINDS.to_owned(),
    };
    let names = ("models", now.as_deref());
    let picked = picker_ui(button, names, width, Some(&foot), &|text| {
        choices(own, models, text)
    });
    match picked {
        // The one that is chosen already keeps what was asked of it.
        Some(Picked::Line(name)) => {
            if Some(&name) != now.as_ref() {
                cx.send(Action::SetModel(name));
            }
            true
        }
        Some(Picked::Foot) => {
            cx.run(UiCommand::OpenPlan);
            false
        }
        None => false,
    }
}

/// The lines for a search text: first the person's own models, by what they and their files are called.
fn choices(own: &[ModelEntry], models: &[ModelEntry], text: &str) -> Vec<Choice> {
    let of_files = found_models(own, text).map(|(m, label)| Choice {
        key: m.name.clone(),
        label,
        detail: file_of(&m.name),
    });
    let of_catalogue = found_models(models, text).map(|(m, label)| Choice {
        key: m.name.clone(),
        label,
        detail: m.parameters.map_or_else(
            || m.summary.split(',').next().unwrap_or("").to_owned(),
            format::short_count,
        ),
    });
    of_files.chain(of_catalogue).collect()
}

/// The name of a file without its folders.
fn file_of(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| path.to_owned(), |n| n.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Backend, Shipped};

    #[test]
    fn models_of_files_stand_above_those_of_the_catalogue() {
        let backend = Shipped::load().unwrap();
        let own = ModelEntry {
            name: "/home/me/config.json".to_owned(),
            label: "Tiny Llama".to_owned(),
            ..backend.models()[0].clone()
        };
        let own = [own];
        for text in ["", "llama"] {
            let lines = choices(&own, backend.models(), text);
            assert_eq!(lines[0].key, "/home/me/config.json", "{text}");
            assert_eq!(lines[0].detail, "config.json");
            assert!(lines.len() > 5, "{text}");
        }
        let others = choices(&own, backend.models(), "resnet50");
        assert!(others.iter().all(|line| line.key != "/home/me/config.json"));
    }
}
