//! What a plan is called: by the title it was given, else by its model and the amount of training. The window, files and
//! the command line all say the same.

use crate::planner::{Plan, PlanRequest};
use crate::presets::{FileEnding, label_of};
use std::path::Path;

/// What a plan without a model yet is called.
const NEW: &str = "New plan";

/// The title of a plan.
pub fn title_of(plan: &Plan) -> String {
    let request = &plan.request.request;
    request
        .title
        .clone()
        .unwrap_or_else(|| made_title(&model_label(plan), request))
}

/// What people call the model of a plan.
pub fn model_label(plan: &Plan) -> String {
    let (asked, model) = (&plan.request.request.model, &plan.request.model);
    let of_file = file_title(asked).filter(|_| FileEnding::is_model(asked));
    of_file.unwrap_or_else(|| label_of(&model.name))
}

/// The title of a request that has none of its own: `Llama 3 8B, 15 B tokens`.
pub fn made_title(label: &str, request: &PlanRequest) -> String {
    if request.model.trim().is_empty() {
        return NEW.to_owned();
    }
    let amount = request.train.words();
    if amount.starts_with(|c: char| c.is_alphanumeric()) {
        format!("{label}, {amount}")
    } else {
        label.to_owned()
    }
}

/// What a model of a file is called before it was read: the file without its folders, or the folder of a `config.json`,
/// which all are called alike.
pub fn file_title(path: &str) -> Option<String> {
    let path = Path::new(path);
    path.extension()?;
    let stem = path.file_stem()?.to_string_lossy();
    let folder = path.parent().and_then(Path::file_name);
    let name = match folder {
        Some(folder) if stem == "config" => folder.to_string_lossy(),
        _ => stem,
    };
    Some(name.trim_end_matches(".mantissa").to_owned())
}
