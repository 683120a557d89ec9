//! Models from a `config.json` as Hugging Face's transformers writes it: the hyper-parameters of a language model.

use super::error::PresetError;
use super::files::PresetFile;
use super::model_ranges::{check_shape, not_allowed};
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

/// What files call a field of a shape, the usual name first; other fields have no second name.
const NAMES: [(&str, &[&str]); 12] = [
    ("layers", &["num_hidden_layers", "n_layer"]),
    ("hidden", &["hidden_size", "n_embd"]),
    ("heads", &["num_attention_heads", "n_head"]),
    ("kv_heads", &["num_key_value_heads"]),
    ("ffn", &["intermediate_size", "n_inner"]),
    ("vocab", &["vocab_size"]),
    ("positions", &TOKENS),
    ("experts", &["num_local_experts", "num_experts"]),
    ("active_experts", &["num_experts_per_tok"]),
    (
        "expert_ffn",
        &["moe_intermediate_size", "intermediate_size"],
    ),
    ("shared_expert_ffn", &["shared_expert_intermediate_size"]),
    ("window", &["sliding_window"]),
];
/// What files call the longest sample.
const TOKENS: [&str; 2] = ["max_position_embeddings", "n_positions"];

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
    check_shape(&shape, |field| fields.name_of(field)).map_err(|message| {
        let key = message.split('`').nth(1).unwrap_or_default();
        file.at_key(key, &message)
    })?;
    let tokens = fields.first(&TOKENS)?.map_or(2048, |t| t.min(8192));
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
    /// A whole number; `None` where the field is not there, null, or 0 as some files write what a model has not.
    fn number(&self, name: &str) -> Result<Option<u32>, PresetError> {
        Ok(self.stated(name)?.filter(|number| *number > 0))
    }

    /// A whole number as it stands there, 0 too.
    fn stated(&self, name: &str) -> Result<Option<u32>, PresetError> {
        let value = match self.object.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value,
        };
        let whole = (value.as_f64())
            .filter(|number| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number));
        match whole {
            Some(number) => Ok(Some(number as u32)),
            None => Err(self.wrong(name, value, "a whole number of 0 or more")),
        }
    }

    fn wrong(&self, name: &str, value: &Value, allowed: &str) -> PresetError {
        self.file.at_key(name, &not_allowed(name, value, allowed))
    }

    /// The first of several names that is there.
    fn first(&self, names: &[&str]) -> Result<Option<u32>, PresetError> {
        for name in names {
            if let Some(number) = self.number(name)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    fn need(&self, names: &[&str]) -> Result<u32, PresetError> {
        self.first(names)?.ok_or_else(|| {
            let name = names
                .iter()
                .find(|name| self.object.contains_key(**name))
                .unwrap_or(&names[0]);
            let message = format!("field `{name}`: a whole number above 0 is needed here");
            self.file.at_key(name, &message)
        })
    }

    fn is(&self, name: &str, default: bool) -> Result<bool, PresetError> {
        match self.object.get(name) {
            None | Some(Value::Null) => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(value) => Err(self.wrong(name, value, "true or false")),
        }
    }

    /// What this file calls a field of a shape.
    fn name_of(&self, field: &'static str) -> &'static str {
        let names = NAMES.iter().find(|(own, _)| *own == field);
        let names = names.map_or(&[][..], |(_, names)| names);
        let there = names.iter().find(|name| self.object.contains_key(**name));
        there.or(names.first()).copied().unwrap_or(field)
    }
}

fn gated_shape(fields: &Fields<'_>) -> Result<Value, PresetError> {
    let experts = fields
        .first(&["num_local_experts", "num_experts"])?
        .unwrap_or(0);
    let ffn = fields.need(&["intermediate_size"])?;
    let expert_ffn = fields.number("moe_intermediate_size")?.unwrap_or(ffn);
    let active = if experts > 0 {
        fields.need(&["num_experts_per_tok"])?
    } else {
        0
    };
    let window = if fields.is("use_sliding_window", true)? {
        fields.number("sliding_window")?.unwrap_or(0)
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
        "kv_heads": fields.stated("num_key_value_heads")?,
        "head_dim": fields.stated("head_dim")?,
        "ffn": ffn,
        "gated": true,
        "vocab": fields.need(&["vocab_size"])?,
        "tied_embeddings": fields.is("tie_word_embeddings", ties)?,
        "norm": "rms",
        "experts": experts,
        "active_experts": active,
        "expert_ffn": if experts > 0 { expert_ffn } else { 0 },
        "shared_expert_ffn": fields.number("shared_expert_intermediate_size")?.unwrap_or(0),
        "window": window,
    }))
}

fn plain_shape(fields: &Fields<'_>, kind: &str) -> Result<Value, PresetError> {
    let encoder = ["bert", "roberta"].contains(&kind);
    let hidden = fields.need(&["hidden_size", "n_embd"])?;
    let positions = fields.first(&TOKENS)?;
    Ok(json!({
        "layout": if encoder { "encoder" } else { "decoder" },
        "layers": fields.need(&["num_hidden_layers", "n_layer"])?,
        "hidden": hidden,
        "heads": fields.need(&["num_attention_heads", "n_head"])?,
        "ffn": fields.first(&["intermediate_size", "n_inner"])?.unwrap_or(hidden.saturating_mul(4)),
        "vocab": fields.need(&["vocab_size"])?,
        "tied_embeddings": fields.is("tie_word_embeddings", kind != "gpt_neox")?,
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

    #[test]
    fn sizes_no_model_has_are_refused_under_the_names_of_the_file() {
        const LLAMA: &str = r#"{"model_type":"llama","hidden_size":2048,"intermediate_size":5632,"num_attention_heads":32,
            "num_key_value_heads":4,"num_hidden_layers":22,"vocab_size":32000,"tie_word_embeddings":false}"#;
        assert!(read(LLAMA).is_ok());
        // The width of a head may stand for itself, as in Gemma.
        let apart = LLAMA.replace("_heads\":32", "_heads\":28,\"head_dim\":128");
        assert!(read(&apart).is_ok(), "{:?}", read(&apart));
        for (from, to, said) in [
            (
                "attention_heads\":32",
                "attention_heads\":7",
                "field `num_attention_heads`: 7 is not allowed; allowed: a number that divides `hidden_size` 2048, or `head_dim`",
            ),
            (
                "value_heads\":4",
                "value_heads\":3",
                "field `num_key_value_heads`: 3 is not allowed; allowed: a number that divides `num_attention_heads` 32",
            ),
            (
                "value_heads\":4",
                "value_heads\":64",
                "field `num_key_value_heads`: 64 is not allowed",
            ),
            (
                "value_heads\":4",
                "value_heads\":0",
                "field `num_key_value_heads`: 0 is not allowed",
            ),
            (
                "layers\":22",
                "layers\":1000000000",
                "field `num_hidden_layers`: 1\u{202F}000\u{202F}000\u{202F}000 is not allowed; allowed: a whole number from 1 to 10\u{202F}000",
            ),
            (
                "hidden_size\":2048",
                "hidden_size\":1000000000",
                "field `hidden_size`: 1\u{202F}000",
            ),
            (
                "hidden_size\":2048",
                "hidden_size\":8000000",
                "field `hidden_size`: with the other sizes ",
            ),
            (
                "hidden_size\":2048",
                "hidden_size\":-2048",
                "field `hidden_size`: -2048 is not allowed; allowed: a whole number",
            ),
            (
                "size\":32000",
                "size\":\"32000\"",
                "field `vocab_size`: \"32000\" is not allowed",
            ),
            (
                "layers\":22",
                "layers\":0",
                "field `num_hidden_layers`: a whole number above 0 is needed",
            ),
            (
                "ings\":false",
                "ings\":\"no\"",
                "field `tie_word_embeddings`: \"no\" is not allowed; allowed: true or false",
            ),
        ] {
            assert!(LLAMA.contains(from), "{from}");
            let error = read(&LLAMA.replace(from, to)).expect_err(to);
            assert!(error.contains(said), "{error}");
        }
        // The place is that of the field.
        let error =
            read(&LLAMA.replace("\"num_hidden_layers\":22", "\n\"num_hidden_layers\":20000"))
                .expect_err("too many");
        assert!(error.contains("config.json:3:1: "), "{error}");
    }
}
