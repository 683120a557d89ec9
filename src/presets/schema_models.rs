//! File schema of models, and what it becomes.

use super::error::PresetError;
use super::fields::{Count, Date, Positive, Text, number};
use super::files::PresetFile;
use super::model_ranges::{check_shape, check_task, not_allowed};
use crate::domain::ranges::{
    MAX_BATCH_PER_DEVICE, MAX_FORWARD_FLOPS, MAX_IMAGE_SIZE, MAX_MOVED, MAX_PARAMETERS, MAX_SEQ_LEN,
};
use crate::domain::{
    Model, ModelSource, Optimizer, ProfileScaling, Sentences, TransformerLayout, TransformerShape,
};
use crate::format;
use crate::units::Bytes;
use serde::Deserialize;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelsFile {
    pub schema: u32,
    #[serde(default)]
    pub model: Vec<ModelRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelRow {
    name: Spanned<String>,
    #[serde(default)]
    aliases: Vec<Text>,
    family: Text,
    task: Text,
    optimizer: Optimizer,
    seq_len: Option<Count>,
    image_size: Option<Count>,
    batch_per_gpu: Option<Positive>,
    #[serde(default)]
    unfused_attention: bool,
    #[serde(default)]
    in_place_norm: bool,
    #[serde(default)]
    uneven_samples: bool,
    sentences: Option<SentencesRow>,
    #[serde(default)]
    parsed_by_host: Vec<String>,
    resident_gb: Option<Positive>,
    source: Text,
    retrieved: Date,
    note: Option<String>,
    transformer: Option<TransformerShape>,
    traced: Option<TracedRow>,
    totals: Option<TotalsRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SentencesRow {
    mean_tokens: Positive,
    spread: Positive,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TracedRow {
    profile: Text,
    scales: ProfileScaling,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TotalsRow {
    params_m: Positive,
    forward_gmacs: Positive,
    activations_m: Option<Positive>,
}

impl ModelRow {
    /// The model; exactly one of the three sources of a profile must stand.
    pub(super) fn convert(mut self, file: &PresetFile) -> Result<Model, PresetError> {
        let profile = self
            .check_own()
            .and_then(|()| self.profile())
            .and_then(|profile| self.check_decoder(profile))
            .map_err(|message| file.at(Some(self.name.span()), &message))?;
        Ok(Model {
            name: self.name.into_inner(),
            aliases: self.aliases.into_iter().map(|a| a.0).collect(),
            family: self.family.0,
            task: self.task.0,
            optimizer: self.optimizer,
            seq_len: self.seq_len.map(|c| c.0),
            image_size: self.image_size.map(|c| c.0),
            batch_per_gpu: number(self.batch_per_gpu),
            in_place_norm: self.in_place_norm,
            unfused_attention: self.unfused_attention,
            uneven_samples: self.uneven_samples,
            sentences: self.sentences.map(|row| Sentences {
                mean: row.mean_tokens.0,
                spread: row.spread.0,
            }),
            parsed_by_host: self.parsed_by_host,
            resident_data: Bytes(number(self.resident_gb).unwrap_or(0.0) * 1e9),
            profile,
            source: self.source.0,
            retrieved: self.retrieved.0,
            note: self.note,
        })
    }

    /// Whether the fields beside the three sources of a profile are in their ranges.
    fn check_own(&self) -> Result<(), String> {
        let name = self.name.get_ref();
        let of_model = |message| format!("model `{name}`: {message}");
        check_task(&self.task.0).map_err(of_model)?;
        let count = |field: Option<Count>| field.map(|count| f64::from(count.0));
        let totals = self.totals.as_ref();
        for (field, value, most) in [
            ("seq_len", count(self.seq_len), f64::from(MAX_SEQ_LEN)),
            (
                "image_size",
                count(self.image_size),
                f64::from(MAX_IMAGE_SIZE),
            ),
            (
                "batch_per_gpu",
                number(self.batch_per_gpu),
                MAX_BATCH_PER_DEVICE,
            ),
            ("resident_gb", number(self.resident_gb), MAX_MOVED / 1e9),
            (
                "totals.params_m",
                totals.map(|t| t.params_m.0),
                MAX_PARAMETERS / 1e6,
            ),
            (
                "totals.forward_gmacs",
                totals.map(|t| t.forward_gmacs.0),
                MAX_FORWARD_FLOPS / 2e9,
            ),
            (
                "totals.activations_m",
                totals.and_then(|t| number(t.activations_m)),
                MAX_MOVED / 1e6,
            ),
        ] {
            if let Some(given) = value.filter(|value| *value > most) {
                let allowed = format!("up to {}", format::count(most));
                return Err(of_model(not_allowed(
                    field,
                    format::as_given(given),
                    &allowed,
                )));
            }
        }
        Ok(())
    }

    /// The profile, if the tokens of its decoder are those of a decoder beside an encoder of a stated length.
    fn check_decoder(&self, profile: ModelSource) -> Result<ModelSource, String> {
        let ModelSource::Transformer(shape) = &profile else {
            return Ok(profile);
        };
        let Some(tokens) = shape.decoder_tokens else {
            return Ok(profile);
        };
        let problem = if tokens == 0 {
            "0; allowed: 1 or more"
        } else if shape.layout != TransformerLayout::EncoderDecoder || shape.decoder_layers == 0 {
            "without a decoder beside an encoder (`layout`, `decoder_layers`)"
        } else if self.seq_len.is_none() {
            "without a `seq_len` that they are beside"
        } else {
            return Ok(profile);
        };
        let name = self.name.get_ref();
        Err(format!("model `{name}`: field `decoder_tokens`: {problem}"))
    }

    fn profile(&mut self) -> Result<ModelSource, String> {
        let name = self.name.get_ref();
        if name.trim().is_empty() {
            return Err("field `name`: blank; words are needed here".into());
        }
        match (
            self.transformer.take(),
            self.traced.take(),
            self.totals.take(),
        ) {
            (Some(shape), None, None) => match check_shape(&shape, |field| field) {
                Ok(()) => Ok(ModelSource::Transformer(shape)),
                Err(message) => Err(format!("model `{name}`: {message}")),
            },
            (None, Some(traced), None) => Ok(ModelSource::Traced {
                profile: traced.profile.0,
                scales: traced.scales,
            }),
            (None, None, Some(totals)) => Ok(ModelSource::Totals {
                parameters: totals.params_m.0 * 1e6,
                forward_macs: totals.forward_gmacs.0 * 1e9,
                activations: number(totals.activations_m).map(|m| m * 1e6),
            }),
            _ => Err(format!(
                "model `{name}`: needs exactly one of `transformer`, `traced` and `totals`"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::presets::load_model_file;

    const MODEL: &str = "schema = 1\n[[model]]\nname = \"x\"\nfamily = \"gpt\"\ntask = \"speech\"\noptimizer = \"adamw\"\n\
        seq_len = 512\nsource = \"a test\"\nretrieved = \"2026-11\"\n";
    const SHAPE: &str = "[model.transformer]\nlayout = \"decoder\"\nlayers = 2\nhidden = 64\nheads = 2\nffn = 256\n";
    const TOTALS: &str = "[model.totals]\nparams_m = 12\nforward_gmacs = 3\n";

    fn said(text: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.toml");
        std::fs::write(&path, text).expect("it writes");
        let read = load_model_file(&path).map(|_| String::new());
        read.unwrap_or_else(|error| error.to_string().replace('\u{202F}', " "))
    }

    #[test]
    fn sizes_no_model_has_and_tasks_nobody_knows_are_refused() {
        let (shape, totals) = (format!("{MODEL}{SHAPE}"), format!("{MODEL}{TOTALS}"));
        assert_eq!(
            (said(&shape), said(&totals)),
            (String::new(), String::new())
        );
        for (text, from, to, message) in [
            (
                &shape,
                "hidden = 64",
                "hidden = -1",
                "x.toml:13:10: field `hidden`: the number -1 is not allowed; allowed: a whole",
            ),
            (
                &shape,
                "layers = 2",
                "layers = 10001",
                "x.toml:3:8: model `x`: field `layers`: 10 001 is not allowed; allowed: a whole number from 1 to 10 000",
            ),
            (
                &shape,
                "heads = 2",
                "heads = 3",
                "field `heads`: 3 is not allowed; allowed: a number that divides `hidden` 64",
            ),
            (
                &shape,
                "heads = 2",
                "heads = 2\nkv_heads = 4",
                "field `kv_heads`: 4 is not allowed",
            ),
            (
                &shape,
                "\"speech\"",
                "\"speach\"",
                "field `task`: `speach` is not allowed; allowed: image-classification",
            ),
            (
                &shape,
                "seq_len = 512",
                "seq_len = 20000000",
                "field `seq_len`: 20 000 000 is not allowed; allowed: up to 10 000 000",
            ),
            (
                &totals,
                "params_m = 12",
                "params_m = 1e300",
                "field `totals.params_m`: 1e300 is",
            ),
            (
                &totals,
                "gmacs = 3",
                "gmacs = 1e300",
                "field `totals.forward_gmacs`: 1e300 is",
            ),
        ] {
            let error = said(&text.replace(from, to));
            assert!(error.contains(message), "{error}");
        }
    }
}
