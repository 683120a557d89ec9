//! How long a model of each kind is trained where nobody has said: what moving to another kind of model needs.

use super::backend::{Backend, ModelEntry};
use super::panels::set_model;
use crate::planner::{PlanRequest, Quantity, TrainRequest};
use serde::{Deserialize, Serialize};

/// Pixels a side of CIFAR's images: models of images no larger are trained on those.
const CIFAR_SIDE: u32 = 32;

/// What a model is trained on; it decides which lengths of training make sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // named by their words
pub enum ModelKind {
    Language,
    Images,
    Detection,
    Segmentation,
    Diffusion,
    Speech,
    Voice,
    Recommendation,
    Other,
}

impl ModelKind {
    /// The kind of a catalogue's task; models of one family of the task `speech` speak rather than listen.
    pub fn of(task: &str, family: &str) -> Self {
        match task {
            t if t.starts_with("language") || t == "translation" => Self::Language,
            "image-classification" => Self::Images,
            "detection" => Self::Detection,
            "segmentation" => Self::Segmentation,
            "diffusion" => Self::Diffusion,
            "speech" if family == "tts" => Self::Voice,
            "speech" => Self::Speech,
            "recommendation" => Self::Recommendation,
            _ => Self::Other,
        }
    }

    /// Where the length that models of this kind start with comes from; of images by how many pixels a side they have.
    fn usual(self, image_size: Option<u32>) -> Usual {
        match self {
            // CIFAR-10's training images (<https://www.cs.toronto.edu/~kriz/cifar.html>), whose side is 32 pixels; 200 epochs in
            // kuangliu/pytorch-cifar (main.py), whose models these are.
            Self::Images if image_size.is_some_and(|side| side <= CIFAR_SIDE) => {
                Usual::Epochs(200.0, "50,000")
            }
            Self::Language => Usual::Example("llama-3-8b"),
            Self::Images => Usual::Example("resnet50"),
            Self::Recommendation => Usual::Example("dlrm-small"),
            Self::Diffusion | Self::Other => Usual::Example("stable-diffusion-v2-unet"),
            // COCO train2017 (<https://cocodataset.org>) under the "1x" schedule of Detectron2 and MMDetection: 90 K steps
            // of 16 images are 12.2 epochs, MMDetection's `schedule_1x.py` says 12.
            Self::Detection => Usual::Epochs(12.0, "118,287"),
            // PASCAL VOC 2012 with the extra annotations; DeepLabv3 (arXiv:1706.05587) trains 30 K steps of 16 on them.
            Self::Segmentation => Usual::Epochs(45.0, "10,582"),
            // LibriSpeech, 960 h: 28,539 + 104,014 + 148,688 utterances (<https://www.openslr.org/12>); 100 epochs in
            // MLPerf's RNN-T (mlcommons/training, rnn_speech_recognition/pytorch/scripts/train.sh).
            Self::Speech => Usual::Epochs(100.0, "281,241"),
            // LJSpeech 1.1 (<https://keithito.com/LJ-Speech-Dataset>); 1000 epochs in NVIDIA's FastPitch
            // (DeepLearningExamples, PyTorch/SpeechSynthesis/FastPitch/scripts/train.sh).
            Self::Voice => Usual::Epochs(1000.0, "13,100"),
        }
    }
}

/// A length of training to start with.
enum Usual {
    /// That of the worked request of a model.
    Example(&'static str),
    /// So many epochs over so many samples.
    Epochs(f64, &'static str),
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
    // The row that takes adapters away again is not there for other models.
    let adapters = changed.fine_tune.take_if(|_| !model.is_sequence);
    let adapters = adapters.filter(|f| f.method != "full").map(|f| f.method);
    let before = backend.model(&request.model).map(|m| m.kind);
    let has_tokens = changed.train.tokens.is_some();
    // Where nobody has said how long yet, it is asked for.
    let is_open = changed.train == TrainRequest::default();
    let fits = is_open
        || before.is_none_or(|kind| kind == model.kind) && (!has_tokens || model.is_sequence);
    let usual = usual_length(backend, model);
    let train = if fits {
        usual.and_then(|usual| of_its_data(backend, request, usual))
    } else {
        usual
    };
    let train = train.filter(|train| *train != changed.train);
    let length = train.as_ref().map(words_in_full);
    if let Some(train) = train {
        changed.train = train;
    }
    (changed, told(&model.label, length, adapters))
}

/// How long a request trains for on the data set that is usual for its next model, where that is another than the one that is
/// usual for the model before, whose epochs it counts: the usual epochs where they were those, else as many as were asked for.
fn of_its_data(
    backend: &dyn Backend,
    request: &PlanRequest,
    usual: TrainRequest,
) -> Option<TrainRequest> {
    let samples = |train: &TrainRequest| train.samples.as_ref()?.number().ok();
    let before = usual_length(backend, backend.model(&request.model)?)?;
    let counted = samples(&before).filter(|_| request.train.epochs.is_some())?;
    if samples(&usual).is_none_or(|n| n == counted) || samples(&request.train) != Some(counted) {
        return None;
    }
    if request.train == before {
        return Some(usual);
    }
    Some(TrainRequest {
        samples: usual.samples,
        ..request.train.clone()
    })
}

/// What else changed with the model, in a sentence.
fn told(model: &str, length: Option<String>, adapters: Option<String>) -> Option<String> {
    let method = adapters.map(|method| match method.as_str() {
        "qlora" => "QLoRA",
        _ => "LoRA",
    });
    match (length, method) {
        (None, None) => None,
        (Some(length), None) => Some(format!(
            "{model} now trains for {length}. Undo takes both back"
        )),
        (None, Some(method)) => Some(format!(
            "{model} trains all weights: {method} is for models of sequences. Undo brings both back"
        )),
        (Some(length), Some(method)) => Some(format!(
            "{model} now trains for {length}, all weights: {method} is for models of sequences. Undo takes it all back"
        )),
    }
}

/// The length that a model's kind starts with; in steps where that counts what the model does not.
pub fn usual_length(backend: &dyn Backend, model: &ModelEntry) -> Option<TrainRequest> {
    let examples = backend.examples();
    let of = |kind: ModelKind| match kind.usual(model.image_size) {
        Usual::Example(name) => {
            let example = examples.iter().find(|e| e.model == name);
            example.map(|e| e.train.clone())
        }
        Usual::Epochs(epochs, samples) => Some(TrainRequest {
            epochs: Some(Quantity::Number(epochs)),
            samples: Some(Quantity::Text(samples.to_owned())),
            ..TrainRequest::default()
        }),
    };
    let train = of(model.kind)?;
    if train.tokens.is_some() && !model.is_sequence {
        return of(ModelKind::Other);
    }
    Some(train)
}

/// How long is trained, with the samples of an epoch: `12 epochs of 118,287 samples`.
fn words_in_full(train: &TrainRequest) -> String {
    let samples = train.samples.as_ref().map_or_else(String::new, |samples| {
        format!(" of {} samples", samples.text())
    });
    train.words() + &samples
}
