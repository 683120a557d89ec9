//! Models from a user's file: a `config.json` of Hugging Face's transformers, `*.mantissa.json` as `assets/trace_model.py` writes it, or a TOML of one model.

use super::catalogue::Catalogue;
use super::endings::FileEnding;
use super::error::{PresetError, UnknownName};
use super::files::{Kind, PresetFile, SCHEMA};
use super::load;
use super::profile_line::ProfileLine;
use super::{import_checks, import_config};
use crate::domain::{Model, ModelSource, Optimizer, ProfileScaling};
use crate::units::Bytes;
use serde::Deserialize;
use serde_json::error::Category;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// Why a model cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// No model has that name, and no file lies there.
    #[error("{0}; a path to a config.json, *.mantissa.json or *.toml file is allowed too")]
    Unknown(UnknownName),
    /// The file is broken.
    #[error(transparent)]
    File(#[from] PresetError),
}

impl Catalogue {
    /// The model of that name (or so many layers of it, [`Self::model_or_layers`]), or of the file at that path.
    ///
    /// # Errors
    /// [`ModelError`] with the nearest names, or with the place in the file that is wrong.
    pub fn resolve_model(&self, name_or_path: &str) -> Result<Arc<Model>, ModelError> {
        if FileEnding::is_model(name_or_path) {
            return Ok(load_model_file(Path::new(name_or_path))?);
        }
        self.model_or_layers(name_or_path)
            .map_err(ModelError::Unknown)
    }
}

/// The head of a `*.mantissa.json` file; the rest is a profile line.
#[derive(Deserialize)]
struct ModelHead {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    family: String,
    #[serde(default)]
    task: String,
    #[serde(default)]
    optimizer: Option<Optimizer>,
    #[serde(default)]
    image_size: u32,
    #[serde(default)]
    seq_len: u32,
    #[serde(default)]
    batch_per_gpu: Option<f64>,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    traced_with: Option<String>,
    #[serde(default)]
    note: Option<String>,
}

/// Reads a model of the user's: JSON of a traced model, or a TOML with one `[[model]]`.
///
/// # Errors
/// [`PresetError`] names the file, the place and what is allowed.
pub fn load_model_file(path: &Path) -> Result<Arc<Model>, PresetError> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| PresetError::Io {
        path: shown.clone(),
        message: error.to_string(),
    })?;
    // Editors put a byte-order mark there; TOML allows one, JSON does not.
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    let file = PresetFile {
        kind: Kind::Models,
        path: shown,
        text: Cow::Owned(text),
    };
    if path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("json"))
    {
        return traced(&file);
    }
    let mut models = load::models(&file)?;
    match (models.pop(), models.is_empty()) {
        (Some(model), true) => Ok(Arc::new(model)),
        _ => Err(file.at(None, "needs exactly one `[[model]]`")),
    }
}

/// A JSON text that holds neither form of a model.
const NO_MODEL: &str = "no model; allowed: a config.json of Hugging Face (`model_type`), or operators as assets/trace_model.py \
     writes them (`params`, `mm`)";

/// What is wrong with a JSON text, in words; its line and column stand before them already.
fn broken(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string().replace(&place, "");
    match error.classify() {
        Category::Eof => {
            "the file ends in the middle of a value; it may have been cut off".to_owned()
        }
        Category::Syntax => format!("this is no JSON: {text}"),
        Category::Io | Category::Data => text,
    }
}

fn traced(file: &PresetFile) -> Result<Arc<Model>, PresetError> {
    let wrong = |error: serde_json::Error| PresetError::At {
        file: file.path.clone(),
        line: error.line(),
        column: error.column(),
        message: broken(&error),
    };
    let value: serde_json::Value = serde_json::from_str(&file.text).map_err(wrong)?;
    let object = (value.as_object()).ok_or_else(|| file.at(None, NO_MODEL))?;
    if import_config::is_config(object) {
        return import_config::model(file, object);
    }
    if let Some(found) = object.get("schema").and_then(serde_json::Value::as_u64)
        && found > u64::from(SCHEMA)
    {
        return Err(PresetError::Newer {
            file: file.path.clone(),
            found: u32::try_from(found).unwrap_or(u32::MAX),
            known: SCHEMA,
        });
    }
    if !object.contains_key("mm") && !object.contains_key("params") {
        return Err(file.at(None, NO_MODEL));
    }
    import_checks::check(object).map_err(|wrong| file.at_key(&wrong.key, &wrong.message))?;
    let head: ModelHead = serde_json::from_str(&file.text).map_err(wrong)?;
    let line: ProfileLine = serde_json::from_str(&file.text).map_err(wrong)?;
    let profile = (line.profile())
        .and_then(|profile| import_checks::check_work(&profile).map(|()| profile))
        .map_err(|message| file.at(None, &message))?;
    let name = head
        .name
        .or(head.model)
        .filter(|name| !name.trim().is_empty())
        .ok_or_else(|| file.at(None, "field `name`: words are needed here"))?;
    let or = |words: String, other: &str| {
        if words.trim().is_empty() {
            other.to_owned()
        } else {
            words
        }
    };
    let size = |pixels: u32| (pixels > 0).then_some(pixels);
    let (scales, traced_at) = match (head.image_size, head.seq_len) {
        (0, 0) => (ProfileScaling::Fixed, 0),
        (0, tokens) => (ProfileScaling::Tokens, tokens),
        (pixels, _) => (ProfileScaling::Pixels, pixels),
    };
    let model = Model {
        aliases: Vec::new(),
        family: or(head.family, &name),
        task: or(head.task, "other"),
        optimizer: head.optimizer.unwrap_or(Optimizer::Adamw),
        seq_len: size(head.seq_len),
        image_size: size(head.image_size),
        batch_per_gpu: head.batch_per_gpu,
        profile: ModelSource::Imported {
            profile: Arc::new(profile),
            size: traced_at,
            scales,
        },
        source: head.source.unwrap_or_else(|| file.path.clone()),
        retrieved: head.traced_with.unwrap_or_default(),
        in_place_norm: false,
        unfused_attention: false,
        uneven_samples: false,
        sentences: None,
        parsed_by_host: Vec::new(),
        resident_data: Bytes(0.0),
        note: head.note,
        name,
    };
    Ok(Arc::new(model))
}
