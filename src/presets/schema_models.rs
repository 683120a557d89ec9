//! File schema of models, and what it becomes.

use super::error::PresetError;
use super::fields::{Count, Date, Positive, Text, number};
use super::files::PresetFile;
use crate::domain::{
    Model, ModelSource, Optimizer, ProfileScaling, Sentences, TransformerLayout, TransformerShape,
};
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
            .profile()
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
            (Some(shape), None, None) => match check_shape(&shape) {
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

/// What a shape must obey for a profile to make sense.
fn check_shape(shape: &TransformerShape) -> Result<(), String> {
    for (field, value) in [
        ("layers", shape.layers),
        ("hidden", shape.hidden),
        ("heads", shape.heads),
    ] {
        if value == 0 {
            return Err(format!("field `{field}`: must be a whole number above 0"));
        }
    }
    if shape.experts > 0 && !(1..=shape.experts).contains(&shape.active_experts) {
        return Err(format!(
            "field `active_experts`: {} of {} experts; allowed: 1 to {}",
            shape.active_experts, shape.experts, shape.experts
        ));
    }
    if let Some(norm) = &shape.norm
        && norm != "rms"
        && norm != "layer"
    {
        return Err(format!(
            "field `norm`: unknown `{norm}`; allowed: rms, layer"
        ));
    }
    if let Some(activation) = &shape.activation
        && activation != "gelu-new"
    {
        return Err(format!(
            "field `activation`: unknown `{activation}`; allowed: gelu-new"
        ));
    }
    Ok(())
}
