//! How long a model of each kind is trained where nobody has said: what moving to another kind of model needs.

use super::backend::{Backend, ModelEntry};
use super::panels::set_model;
use super::parse;
use crate::planner::{PlanRequest, TrainRequest};
use serde::{Deserialize, Serialize};

/// What a model is trained on; it decides which lengths of training make sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // named by their words
pub enum ModelKind {
    Language,
    Images,
    Detection,
    Diffusion,
    Speech,
    Recommendation,
    Other,
}

impl ModelKind {
    /// The kind of a catalogue's task.
    pub fn of(task: &str) -> Self {
        match task {
            t if t.starts_with("language") || t == "translation" => Self::Language,
            "image-classification" => Self::Images,
            "detection" | "segmentation" => Self::Detection,
            "diffusion" => Self::Diffusion,
            "speech" => Self::Speech,
            "recommendation" => Self::Recommendation,
            _ => Self::Other,
        }
    }

    /// The model of the worked request whose length this kind starts with.
    const fn example(self) -> &'static str {
        match self {
            Self::Language => "llama-3-8b",
            Self::Images => "resnet50",
            Self::Recommendation => "dlrm-small",
            Self::Detection | Self::Diffusion | Self::Speech | Self::Other => {
                "stable-diffusion-v2-unet"
            }
        }
    }
}

/// A request with another model, and what else had to change for it, in a sentence.
pub fn with_model(
    backend: &dyn Backend,
    request: &PlanRequest,
    name: &str,
) -> (PlanRequest, Option<String>) {
    let mut changed = request.clone();
    set_model(&mut changed, name);
    let Some(model) = backend.model(name) else {
        return (changed, None);
    };
    if !model.is_sequence {
        // The row that takes adapters away again is not there for other models.
        changed.fine_tune = None;
    }
    let before = backend.model(&request.model).map(|m| m.kind);
    let has_tokens = changed.train.tokens.is_some();
    let fits = before.is_none_or(|kind| kind == model.kind) && (!has_tokens || model.is_sequence);
    if fits {
        return (changed, None);
    }
    let Some(train) = usual_length(backend, model) else {
        return (changed, None);
    };
    if train == changed.train {
        return (changed, None);
    }
    changed.train = train;
    let text = format!(
        "{} now trains for {}. Undo takes both back",
        model.label,
        words(&changed.train)
    );
    (changed, Some(text))
}

/// The length of the worked request of a model's kind; in steps where that counts what the model does not.
fn usual_length(backend: &dyn Backend, model: &ModelEntry) -> Option<TrainRequest> {
    let examples = backend.examples();
    let of = |kind: ModelKind| {
        let example = examples.iter().find(|e| e.model == kind.example());
        example.map(|e| e.train.clone())
    };
    let train = of(model.kind)?;
    if train.tokens.is_some() && !model.is_sequence {
        return of(ModelKind::Other);
    }
    Some(train)
}

/// `90 epochs`, `15 B tokens`, `1 step`.
pub fn words(train: &TrainRequest) -> String {
    let (text, unit) = parse::training_text(train);
    format!("{text} {unit}")
}
