//! What the layers below say, in the words of the window: files have names, fields and slugs, the window has labels.

use super::backend::Backend;
use super::command::PathPurpose;
use super::path_problem::PathProblem;
use crate::planner::{PlanRequest, RequestError};

/// Letters of a quoted text that are worth repeating: four hundred in a field must not fill the panel.
const QUOTED: usize = 28;

/// A text that stands inside a message, cut where it is too long to be repeated.
pub fn quoted(text: &str) -> String {
    format!("“{}”", clipped(text.trim(), QUOTED))
}

/// A text with its end left out where it is longer than so many letters.
pub fn clipped(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most).collect();
    format!("{}…", kept.trim_end())
}

/// How the planner begins on a list of which nothing is chosen.
const NONE: &str = "none selected";

/// What the window calls a field of a request.
fn field_name(path: &str) -> Option<&'static str> {
    let bare = path.split(['[', '"']).next().unwrap_or(path);
    Some(match bare.trim_end_matches('.') {
        "model" => "Model",
        "accelerators" => "Accelerators",
        "counts" => "Accelerators per run",
        "precisions" => "Precision",
        "train" | "train.tokens" | "train.epochs" | "train.steps" | "epochs" | "steps"
        | "tokens" => "Train for",
        "train.samples" | "samples" => "Data set",
        "batch" | "batch.global" | "batch.per_gpu" | "global" | "per_gpu" => "Batch",
        "seq_len" => "Sequence",
        "decoder_tokens" => "Decoder",
        "image_size" => "Image side",
        "region" => "Region",
        "optimizer" => "Optimizer",
        "tuning" => "Tuning",
        "fine_tune" | "fine_tune.method" | "fine_tune.rank" => "Trained",
        "limits.budget_usd" => "Budget",
        "limits.deadline_h" => "Deadline",
        "limits.energy_kwh" => "Energy",
        "limits.co2e_kg" => "CO₂e",
        "limits.memory_headroom_percent" => "Free memory",
        "limits.available" => "How many can be had",
        "prices.tier" => "Bought",
        "prices.provider" => "From",
        "prices.own_usd_per_hour" => "Own prices",
        "prices.reserved_discount_percent" => "Discount",
        "prices.owned" | "prices.owned.usd_per_accelerator" => "What one cost you",
        "prices.owned.usd_per_kwh" => "Electricity",
        "prices.owned.pue" => "PUE",
        "schedule" | "schedule_rule" => "Precision schedule",
        "minimise" => "Best is",
        "what_if" | "what_if.price" | "what_if.network" | "what_if.failures" => "What if",
        "strategy" => "Layout",
        _ => return None,
    })
}

/// What people call the first field in which two requests differ; titles follow the others.
pub fn changed(a: &PlanRequest, b: &PlanRequest) -> Option<&'static str> {
    let [a, b] = [a, b].map(|request| serde_json::to_value(request).unwrap_or_default());
    let fields = |value: &serde_json::Value| value.as_object().cloned().unwrap_or_default();
    let (a, b) = (fields(&a), fields(&b));
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    // Another model brings other figures with it.
    names.sort_by_key(|name| (*name != "model", *name));
    names
        .into_iter()
        .filter(|name| a.get(*name) != b.get(*name))
        .find_map(|name| {
            let inner =
                |all: &serde_json::Map<String, serde_json::Value>| all.get(name).map(fields);
            let (a, b) = (inner(&a).unwrap_or_default(), inner(&b).unwrap_or_default());
            let mut keys = a
                .keys()
                .chain(b.keys())
                .filter(|key| a.get(*key) != b.get(*key));
            let nested = keys.find_map(|key| field_name(&format!("{name}.{key}")));
            nested.or_else(|| field_name(name))
        })
}

/// That what is shown is not the plan of what was typed: `“Train for” is refused: the plan shown is that of the request
/// before it`.
pub fn refused<'p>(mut paths: impl Iterator<Item = &'p str>) -> Option<String> {
    const SHOWN: &str = "the plan shown is that of the request before";
    let first = paths.next()?;
    Some(match (paths.count(), field_name(first)) {
        (0, Some(name)) => format!("“{name}” is refused: {SHOWN} it"),
        (0, None) => format!("A field is refused: {SHOWN} it"),
        (more, _) => format!("{} fields are refused: {SHOWN} them", more + 1),
    })
}

/// That a saved plan lacks what was refused: `without the refused text of “Train for” and “Budget”`; `None` where nothing
/// was.
pub fn left_out<'p>(paths: impl Iterator<Item = &'p str>) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for path in paths {
        let name = field_name(path).map_or_else(|| "a field".to_owned(), |n| format!("“{n}”"));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| format!("without the refused text of {}", names.join(" and ")))
}

/// A message without back quotes: names of files become those of the window, and hints on the command line go.
pub fn plain(backend: &dyn Backend, message: &str) -> String {
    let kept: Vec<&str> = message
        .split("; ")
        .filter(|part| !part.contains("exactly one of `tokens`"))
        .collect();
    let message = kept.join("; ").replace(", see `mantissa catalog gpus`", "");
    let mut out = String::new();
    for (i, part) in message.split('`').enumerate() {
        if i % 2 == 0 {
            out.push_str(part);
        } else if let Some(model) = backend.model(part) {
            out.push_str(&model.label);
        } else if let Some(part) = backend.accelerator(part) {
            out.push_str(&part.label);
        } else if let Some(name) = field_name(part) {
            out.push_str(name);
        } else {
            out.push_str(&quoted(part));
        }
    }
    out
}

/// The planner's errors as the window tells them; the fields they belong to stay as they are.
pub fn errors(backend: &dyn Backend, errors: Vec<RequestError>) -> Vec<RequestError> {
    let told = |error: RequestError| {
        let message = match error.field.as_str() {
            "train.tokens" if error.message.contains("does not train on tokens") => {
                let name = error.message.split('`').nth(1).unwrap_or_default();
                let label = backend.model(name).map_or(name, |m| m.label.as_str());
                format!("{label} does not train on tokens. Try 90 epochs or 100k steps")
            }
            "train.samples" => "Say how many samples the data set has, such as 1.28 M".to_owned(),
            "train" => "Say how long, such as 15 B tokens, 90 epochs or 100k steps".to_owned(),
            "accelerators" if error.message.starts_with(NONE) => {
                "Choose at least one accelerator".to_owned()
            }
            "counts" if error.message.starts_with(NONE) => {
                "Choose at least one count, or type another".to_owned()
            }
            "precisions" if error.message.starts_with(NONE) => {
                "Choose at least one precision mode".to_owned()
            }
            "model" if error.message.contains("(os error") => unread(&error.message),
            _ => plain(backend, &error.message),
        };
        RequestError { message, ..error }
    };
    errors.into_iter().map(told).collect()
}

/// That the file of a person's own model cannot be read, in words, from `path: the system's word`.
fn unread(message: &str) -> String {
    let path = message.rsplit_once(": ").map_or(message, |(path, _)| path);
    let problem = PathProblem::of(PathPurpose::OpenPlan, path, message.to_owned());
    let reason = problem.reason();
    format!("{reason}: {path}. Put the model's file there, or choose another model")
}

/// The first error with the name of its field, for where the field itself is out of sight.
pub fn first(errors: &[RequestError]) -> String {
    errors.first().map_or_else(String::new, |error| {
        let name = field_name(&error.field);
        name.map_or_else(
            || error.message.clone(),
            |name| format!("{name}: {}", error.message),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::state::Field;

    fn all_named() -> bool {
        [
            Field::TrainFor,
            Field::Samples,
            Field::GlobalBatch,
            Field::Sequence,
            Field::Decoder,
            Field::ImageSize,
            Field::Region,
            Field::Budget,
            Field::Deadline,
            Field::EnergyLimit,
            Field::CarbonLimit,
            Field::FreeMemory,
            Field::WhatIfPrices,
            Field::WhatIfNetwork,
            Field::WhatIfFailures,
        ]
        .into_iter()
        .all(|field| field_name(field.path()).is_some())
    }

    #[test]
    fn a_model_whose_file_is_gone_is_told_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.json").display().to_string();
        let system = std::fs::read(&path).unwrap_err();
        let told = unread(&format!("{path}: {system}"));
        let wanted = format!("There is no such file or folder: {path}. Put ");
        assert!(
            told.starts_with(&wanted) && !told.contains("os error"),
            "{told}"
        );
    }

    #[test]
    fn an_empty_choice_is_told_as_what_to_do() {
        let backend = crate::gui::Shipped::load().unwrap();
        let example = backend.examples().into_iter().next().unwrap();
        let request = PlanRequest {
            accelerators: Vec::new(),
            counts: Vec::new(),
            precisions: Vec::new(),
            ..example
        };
        let progress = crate::planner::Progress::default();
        let failure = backend.plan(&request, None, &progress).unwrap_err();
        let crate::gui::PlanFailure::Fields(wrong) = failure else {
            unreachable!("fields are wrong");
        };
        let told = errors(&backend, wrong);
        assert_eq!(told.len(), 3, "{told:?}");
        for error in &told {
            assert!(
                error.message.starts_with("Choose at least one"),
                "{error:?}"
            );
        }
    }

    #[test]
    fn fields_have_names_and_long_texts_are_cut() {
        assert!(all_named());
        assert_eq!(field_name("accelerators[2]"), Some("Accelerators"));
        assert_eq!(
            field_name("limits.available.\"H100\""),
            Some("How many can be had")
        );
        let long = "x".repeat(400);
        assert!(quoted(&long).chars().count() < 40);
        assert_eq!(quoted(" 1e400 "), "“1e400”");
    }
}
