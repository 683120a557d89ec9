//! Models from a `config.json` as Hugging Face's transformers writes it: the hyper-parameters of a language model.

use super::error::PresetError;
use super::files::PresetFile;
use crate::domain::{Model, ModelSource, Optimizer, TransformerShape};
use crate::units::Bytes;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

/// Decoders with gated feed-forwards, RMS norms and no biases.
const GATED: [&str; 12] = [
    "llama",
    "mistral",
    "mixtral",
    "qwen2",
    "qwen3",
    "qwen2_moe",
    "qwen3_moe",
    "gemma",
    "gemma2",
    "olmo2",
    "phi3",
    "granite",
];
/// What is understood beside them.
const PLAIN: [&str; 4] = ["gpt2", "gpt_neox", "bert", "roberta"];
/// Words of a decoder-only or encoder model in the run schema.
const TASK: &str = "language-pretraining";

/// Whether a JSON object is such a configuration.
pub(super) fn is_config(object: &Map<String, Value>) -> bool {
    object.contains_key("model_type") && !object.contains_key("mm")
}

/// The model that a configuration describes.
///
/// # Errors
/// [`PresetError`] names the file and the field that is missing or not understood.
pub(super) fn model(
    file: &PresetFile,
    object: &Map<String, Value>,
) -> Result<Arc<Model>, PresetError> {
    let kind = object
        .get("model_type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let gated = GATED.contains(&kind);
    if !gated && !PLAIN.contains(&kind) {
        let known: Vec<&str> = GATED.iter().chain(&PLAIN).copied().collect();
        let message = format!(
            "`model_type` `{kind}` is not understood; known are {}",
            known.join(", ")
        );
        return Err(file.at(None, &message));
    }
    let fields = Fields { file, object };
    let shape = if gated {
        gated_shape(&fields)?
    } else {
        plain_shape(&fields, kind)?
    };
    let shape: TransformerShape =
        serde_json::from_value(shape).map_err(|error| file.at(None, &error.to_string()))?;
    let tokens = fields
        .first(&["max_position_embeddings", "n_positions"])
        .map_or(2048, |tokens| tokens.min(8192));
    Ok(Arc::new(Model {
        name: name(file, object),
        aliases: Vec::new(),
        family: kind.split('_').next().unwrap_or(kind).to_owned(),
        task: TASK.to_owned(),
        optimizer: Optimizer::Adamw,
        seq_len: Some(tokens),
        image_size: None,
        batch_per_gpu: Some(1.0),
        profile: ModelSource::Transformer(shape),
        source: file.path.clone(),
        retrieved: String::new(),
        in_place_norm: false,
        unfused_attention: false,
        uneven_samples: false,
        sentences: None,
        parsed_by_host: Vec::new(),
        resident_data: Bytes(0.0),
        note: None,
    }))
}

/// What the file calls the model, else its folder.
fn name(file: &PresetFile, object: &Map<String, Value>) -> String {
    let stated = object
        .get("_name_or_path")
        .and_then(Value::as_str)
        .filter(|name| !name.trim().is_empty());
    let path = Path::new(&file.path);
    let stem = path.file_stem().filter(|stem| *stem != "config");
    let folder = path.parent().and_then(Path::file_name);
    let of_path = stem
        .or(folder)
        .map(|name| name.to_string_lossy().into_owned());
    stated
        .map(str::to_owned)
        .or(of_path)
        .unwrap_or_else(|| "model".to_owned())
        .to_lowercase()
}

/// The numbers of a configuration, by name.
struct Fields<'a> {
    file: &'a PresetFile,
    object: &'a Map<String, Value>,
}

impl Fields<'_> {
    fn number(&self, name: &str) -> Option<u32> {
        let value = self.object.get(name)?.as_u64()?;
        u32::try_from(value).ok().filter(|value| *value > 0)
    }

    /// The first of several names that is there.
    fn first(&self, names: &[&str]) -> Option<u32> {
        names.iter().find_map(|name| self.number(name))
    }

    fn need(&self, names: &[&str]) -> Result<u32, PresetError> {
        self.first(names).ok_or_else(|| {
            let message = format!(
                "field `{}`: a whole number above 0 is needed here",
                names[0]
            );
            self.file.at(None, &message)
        })
    }

    fn is(&self, name: &str, default: bool) -> bool {
        self.object
            .get(name)
            .and_then(Value::as_bool)
            .unwrap_or(default)
    }
}

fn gated_shape(fields: &Fields<'_>) -> Result<Value, PresetError> {
    let experts = fields
        .first(&["num_local_experts", "num_experts"])
        .unwrap_or(0);
    let ffn = fields.need(&["intermediate_size"])?;
    let expert_ffn = fields.number("moe_intermediate_size").unwrap_or(ffn);
    let active = if experts > 0 {
        fields.need(&["num_experts_per_tok"])?
    } else {
        0
    };
    let window = if fields.is("use_sliding_window", true) {
        fields.number("sliding_window").unwrap_or(0)
    } else {
        0
    };
    let ties =
        ["gemma", "gemma2"].contains(&fields.object["model_type"].as_str().unwrap_or_default());
    Ok(json!({
        "layout": "decoder",
        "layers": fields.need(&["num_hidden_layers"])?,
        "hidden": fields.need(&["hidden_size"])?,
        "heads": fields.need(&["num_attention_heads"])?,
        "kv_heads": fields.number("num_key_value_heads"),
        "head_dim": fields.number("head_dim"),
        "ffn": ffn,
        "gated": true,
        "vocab": fields.need(&["vocab_size"])?,
        "tied_embeddings": fields.is("tie_word_embeddings", ties),
        "norm": "rms",
        "experts": experts,
        "active_experts": active,
        "expert_ffn": if experts > 0 { expert_ffn } else { 0 },
        "shared_expert_ffn": fields.number("shared_expert_intermediate_size").unwrap_or(0),
        "window": window,
    }))
}

fn plain_shape(fields: &Fields<'_>, kind: &str) -> Result<Value, PresetError> {
    let encoder = ["bert", "roberta"].contains(&kind);
    let hidden = fields.need(&["hidden_size", "n_embd"])?;
    let positions = fields.first(&["max_position_embeddings", "n_positions"]);
    Ok(json!({
        "layout": if encoder { "encoder" } else { "decoder" },
        "layers": fields.need(&["num_hidden_layers", "n_layer"])?,
        "hidden": hidden,
        "heads": fields.need(&["num_attention_heads", "n_head"])?,
        "ffn": fields.first(&["intermediate_size", "n_inner"]).unwrap_or(4 * hidden),
        "vocab": fields.need(&["vocab_size"])?,
        "tied_embeddings": fields.is("tie_word_embeddings", kind != "gpt_neox"),
        // Rotary positions have no weights.
        "positions": if kind == "gpt_neox" { 0 } else { positions.unwrap_or(0) },
        "biases": true,
        "activation": activation(fields, kind),
        "norm": "layer",
    }))
}

/// GPT-2's GELU is written out unless the file names another.
fn activation(fields: &Fields<'_>, kind: &str) -> Option<&'static str> {
    let stated = ["activation_function", "hidden_act"]
        .iter()
        .find_map(|name| fields.object.get(*name)?.as_str());
    let usual = if kind == "gpt2" { "gelu_new" } else { "gelu" };
    (stated.unwrap_or(usual) == "gelu_new").then_some("gelu-new")
}

#[cfg(test)]
mod tests {
    use crate::domain::ModelSource;
    use crate::presets::{Catalogue, load_model_file};

    /// Writes a configuration and reads it as a model's file.
    fn read(text: &str) -> Result<std::sync::Arc<crate::domain::Model>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.json");
        std::fs::write(&path, text).expect("it writes");
        load_model_file(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn a_configuration_gives_the_shape_the_catalogue_has() {
        let catalogue = Catalogue::shipped().expect("the catalogue");
        for (name, text) in [
            (
                "llama-3-8b",
                r#"{"model_type":"llama","_name_or_path":"my/llama","hidden_size":4096,"intermediate_size":14336,
                "num_attention_heads":32,"num_key_value_heads":8,"num_hidden_layers":32,"vocab_size":128256,
                "max_position_embeddings":8192,"tie_word_embeddings":false}"#,
            ),
            (
                "mixtral-8x7b",
                r#"{"model_type":"mixtral","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,
                "num_key_value_heads":8,"num_hidden_layers":32,"vocab_size":32000,"num_local_experts":8,
                "num_experts_per_tok":2,"sliding_window":null}"#,
            ),
            (
                "bert-large",
                r#"{"model_type":"bert","hidden_size":1024,"intermediate_size":4096,"num_attention_heads":16,
                "num_hidden_layers":24,"vocab_size":30522,"max_position_embeddings":512}"#,
            ),
            (
                "gpt2",
                r#"{"model_type":"gpt2","n_embd":768,"n_head":12,"n_layer":12,"n_positions":1024,"vocab_size":50257}"#,
            ),
        ] {
            let model = read(text).expect(name);
            let known = catalogue.model(name).expect(name);
            let (ModelSource::Transformer(own), ModelSource::Transformer(theirs)) =
                (&model.profile, &known.profile)
            else {
                panic!("{name} is no transformer");
            };
            let plain = |shape: &crate::domain::TransformerShape| {
                let mut shape = shape.clone();
                shape.kv_heads = shape.kv_heads.or(Some(shape.heads));
                shape
            };
            assert_eq!(plain(own), plain(theirs), "{name}");
        }
    }

    #[test]
    fn an_activation_is_written_out_where_the_file_says_so() {
        let written = |more: &str| {
            let text = format!(
                r#"{{"model_type":"gpt2","n_embd":768,"n_head":12,"n_layer":12,"n_positions":1024,"vocab_size":50257{more}}}"#
            );
            match &read(&text).expect("a model").profile {
                ModelSource::Transformer(shape) => shape.writes_activation_out(),
                _ => panic!("no transformer"),
            }
        };
        assert!(written(""));
        assert!(written(r#","activation_function":"gelu_new""#));
        assert!(!written(r#","activation_function":"gelu""#));
    }

    #[test]
    fn what_is_missing_or_unknown_is_named() {
        let error = read(r#"{"model_type":"llama","hidden_size":4096}"#).expect_err("no layers");
        assert!(
            error.contains("intermediate_size") && error.contains("config.json"),
            "{error}"
        );
        let error = read(r#"{"model_type":"clip"}"#).expect_err("unknown");
        assert!(
            error.contains("`clip`") && error.contains("llama"),
            "{error}"
        );
    }
}
