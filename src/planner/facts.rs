//! What the planner asks of the catalogue, and what it assumes where a request says nothing.

use super::{BatchChoice, CheckedRequest, Grid, PlanRequest, PriceChoice, PriceUsed};
use crate::domain::{
    Accelerator, Generation, Model, OperatorProfile, OptimizerKernels, SoftwareStack, Strategy,
    TrainingLength, Tuning, Vendor,
};
use crate::format;
use crate::presets::{Advice, Catalogue, compared, seller_label};
use std::sync::Arc;

/// Software of a run that starts now, as the predictor dates a measured run that states no date.
const SOFTWARE_NOW: f64 = 2024.5;
/// Frameworks stop improving for a part about so many years after its launch.
const SOFTWARE_YEARS: f64 = 4.0;
/// Tokens a device gets per step where neither request nor model says.
const DEFAULT_TOKENS_PER_DEVICE: f64 = 8192.0;
/// Samples a device gets per step where they are no sequences.
const DEFAULT_SAMPLES_PER_DEVICE: f64 = 64.0;
/// The provider under which the catalogue keeps the average of public clouds.
const AVERAGE_CLOUD: &str = "public-cloud-average";

/// The model of a name, an alias or the path of an importable file.
pub(super) fn model(catalogue: &Catalogue, name: &str) -> Result<Arc<Model>, String> {
    catalogue
        .resolve_model(name)
        .map_err(|error| error.to_string())
}

/// The model with a decoder as long as asked.
pub(super) fn as_long(request: &PlanRequest, model: &Arc<Model>) -> Arc<Model> {
    match (request.decoder_tokens, request.seq_len.or(model.seq_len)) {
        (Some(written), Some(read)) => model.with_decoder_tokens(written, read),
        _ => Arc::clone(model),
    }
}

/// How long what a decoder writes is taken to be, as a sentence; `None` where the request states it or no decoder stands beside
/// an encoder.
pub(super) fn assumed_decoder(request: &CheckedRequest) -> Option<String> {
    if request.request.decoder_tokens.is_some() {
        return None;
    }
    let (written, read) = (request.decoder_tokens?, request.seq_len?);
    Some(format!(
        "The decoder is taken to write {written} tokens for {read} that the encoder reads."
    ))
}

/// What a batch runs as that its data-parallel ranks cannot share out whole, as a sentence; `None` where they can.
pub(super) fn rounded_batch(batch: BatchChoice, count: u32, strategy: &Strategy) -> Option<String> {
    let (asked, runs) = batch.rounded(count, strategy)?;
    Some(format!(
        "The batch is {} in place of {}: each of {} data-parallel ranks takes as many whole samples.",
        format::samples(runs),
        format::samples(asked),
        strategy.data
    ))
}

/// The operators of a model at an input size.
pub(super) fn profile(
    catalogue: &Catalogue,
    model: &Model,
    seq_len: Option<u32>,
    image_size: Option<u32>,
) -> Result<Arc<OperatorProfile>, String> {
    catalogue
        .profile(model, seq_len, image_size)
        .map_err(|error| error.to_string())
}

/// Whether a model's data are counted in tokens.
pub(super) fn counts_tokens(model: &Model) -> bool {
    model.seq_len.is_some() && model.image_size.is_none()
}

/// Samples per device and step where the request says nothing.
pub(super) fn default_batch(model: &Model, profile: &OperatorProfile) -> f64 {
    let by_size = || match profile.blocks {
        Some(blocks) if counts_tokens(model) => (DEFAULT_TOKENS_PER_DEVICE
            / blocks.tokens.max(1.0))
        .floor()
        .max(1.0),
        _ => DEFAULT_SAMPLES_PER_DEVICE,
    };
    model.batch_per_gpu.unwrap_or_else(by_size)
}

/// Tokens of a step by the parameters that a token meets: what GPT-3's eight sizes were trained with (arXiv 2005.14165,
/// table 2.1), each up to the middle, in logs, between it and the next.
const TOKENS_A_STEP: [(f64, f64); 4] = [
    (1.0e9, 0.5e6),
    (4.2e9, 1.0e6),
    (48.0e9, 2.0e6),
    (f64::INFINITY, 3.2e6),
];
/// Fewest steps of a run whose batch nobody states: less data is worth more steps, not wider ones.
const LEAST_STEPS: f64 = 1000.0;

/// The batch of a plan that states none, over the whole job on at `most` so many accelerators: causal language models that
/// are pre-trained take as many tokens a step as models of their size did, all else what each accelerator takes by default.
pub(super) fn assumed_batch(
    model: &Model,
    profile: &OperatorProfile,
    length: TrainingLength,
    adapters: bool,
    most: f64,
) -> BatchChoice {
    let each = BatchChoice::Default((default_batch(model, profile) * most).round().max(1.0));
    let (Some(blocks), TrainingLength::Tokens(tokens)) = (profile.blocks, length) else {
        return each;
    };
    if !blocks.causal || !counts_tokens(model) || adapters || model.is_fine_tuned() {
        return each;
    }
    let size = profile.active_parameters;
    let step = (TOKENS_A_STEP.iter().find(|(upto, _)| size < *upto)).map_or(0.5e6, |row| row.1);
    let samples = step.min(tokens / LEAST_STEPS) / blocks.tokens.max(1.0);
    // A power of two divides over most counts, and every accelerator has a sample.
    let even = samples.max(1.0).log2().round().exp2();
    BatchChoice::Pretraining(even.max(most.round()))
}

/// The key of a provider.
pub(super) fn provider(catalogue: &Catalogue, name: &str) -> Result<String, String> {
    catalogue
        .provider(name)
        .map(str::to_owned)
        .map_err(|error| error.to_string())
}

/// The price of a part for a run that wants so many `together` in one node, or why there is none.
pub(super) fn price(
    catalogue: &Catalogue,
    part: &Accelerator,
    choice: &PriceChoice,
    together: u32,
) -> Result<PriceUsed, String> {
    let provider = choice.provider.as_deref();
    let price = catalogue
        .price(&part.name, provider, choice.tier, together)
        .ok_or_else(|| {
            let from = provider.map_or("any provider", seller_label);
            let tier = choice.tier.key();
            format!(
                "No {tier} price of {} from {from} is known. `prices.own_usd_per_hour` takes your own.",
                part.label
            )
        })?;
    Ok(PriceUsed::listed(price, together))
}

/// What is known of the modes of a request on its model and length of training, each line once; needs first, then risks.
pub(super) fn advice(catalogue: &Catalogue, request: &CheckedRequest) -> Vec<Advice> {
    let model = &request.model;
    // A batch of so much each is largest on the most accelerators.
    let most = request.counts.iter().copied().max().unwrap_or(1);
    let of = |samples: f64| samples * f64::from(request.seq_len.unwrap_or(1));
    let tokens = match request.length {
        TrainingLength::Tokens(tokens) => tokens,
        TrainingLength::Epochs { epochs, samples } => of(epochs * samples),
        TrainingLength::Steps(steps) => of(steps * request.batch.global(most)),
    };
    let mut lines: Vec<Advice> = Vec::new();
    for &mode in &request.modes {
        let found = catalogue.advice(mode, &model.family, &model.task, request.profile.parameters);
        for line in found {
            if tokens >= line.min_tokens && !lines.contains(line) {
                lines.push(line.clone());
            }
        }
    }
    lines.sort_by_key(|line| line.kind);
    lines
}

/// The grid of a region.
pub(super) fn grid(catalogue: &Catalogue, region: &str) -> Result<Grid, String> {
    let found = catalogue
        .carbon(region)
        .map_err(|error| error.to_string())?;
    let year = found.year.map(|year| year.to_string());
    Ok(Grid {
        region: found.region.clone(),
        intensity: found.intensity,
        source: found.source.clone(),
        date: year.unwrap_or_else(|| found.retrieved.clone()),
    })
}

/// Energy of a building over that of its computers: that of the provider's region, else of its fleet, else of the
/// average public cloud.
pub(super) fn building_overhead(
    catalogue: &Catalogue,
    provider: Option<&str>,
    region: &str,
) -> Result<f64, String> {
    provider
        .and_then(|provider| catalogue.pue(provider, Some(region)))
        .or_else(|| catalogue.pue(AVERAGE_CLOUD, None))
        .map(|pue| pue.ratio)
        .ok_or_else(|| "No source states the overhead of the building (PUE).".to_owned())
}

/// The nearest of some words to one that is unknown, three at most: those that hold it first, as `nvfp4` does `fp4`.
pub(super) fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let wanted = compared(wanted).to_lowercase();
    let mut ranked: Vec<(f64, &str)> = known
        .into_iter()
        .map(|word| {
            let holds = wanted.len() > 1 && word.contains(&wanted);
            (
                f64::from(u8::from(holds)) + strsim::jaro_winkler(&wanted, word),
                word,
            )
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let words: Vec<&str> = ranked.into_iter().take(3).map(|(_, word)| word).collect();
    words.join(", ")
}

/// The stack most would run the request on: PyTorch (JAX on TPUs) of today, or of the part's best years. What few
/// measured runs state (overlap, real input) stays unstated, so that the prediction stays among them.
pub(super) fn software(
    model: &Model,
    profile: &OperatorProfile,
    part: &Accelerator,
    tuning: Option<Tuning>,
) -> SoftwareStack {
    let tpu = part.vendor == Vendor::Google;
    let date = SOFTWARE_NOW.min(f64::from(part.year) + SOFTWARE_YEARS);
    // Whoever starts now has a PyTorch whose models take it, on an older part too.
    let fused = !model.unfused_attention
        && (profile.blocks.is_some() || profile.attends())
        && !matches!(
            part.generation,
            Generation::Kepler | Generation::Maxwell | Generation::Pascal | Generation::Volta
        );
    SoftwareStack {
        framework: if tpu { "jax" } else { "pytorch" }.into(),
        date,
        tuning,
        compiled: false,
        fused_kernels: false,
        fused_loss: false,
        // Trainers of language models ask PyTorch for its fused AdamW by now (Transformers 5, torchtitan), others do not.
        optimizer: match tpu || profile.blocks.is_some() {
            true => OptimizerKernels::Fused,
            false => OptimizerKernels::Operations,
        },
        xla: tpu,
        cuda_graph: false,
        flash_attention: fused,
        eager_attention: false,
        channels_last: false,
        overlap: false,
        real_data: false,
        parameter_server: false,
        includes_idle: false,
        unpadded: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{PlanRequest, check};

    fn batch(model: &str, train: &str, more: &str) -> BatchChoice {
        let text = format!(
            "schema = 1\nmodel = \"{model}\"\naccelerators = [\"H100-SXM5-80GB\"]\ncounts = [8, 64]\n\
             precisions = [\"amp-bf16\"]\ntrain = {{ {train} }}\n{more}"
        );
        let request = PlanRequest::from_toml(&text, "test").unwrap();
        check(&request, &Catalogue::shipped().unwrap())
            .unwrap()
            .batch
    }

    #[test]
    fn a_word_that_holds_what_was_written_is_nearest() {
        let modes = || crate::domain::PrecisionMode::ALL.map(crate::domain::PrecisionMode::key);
        assert!(nearest("fp4", modes()).starts_with("nvfp4, "));
        assert!(nearest("fp31", modes()).starts_with("fp32, "));
    }

    #[test]
    fn pre_training_takes_the_tokens_a_step_of_models_of_its_size() {
        // 2 M tokens over 4,096 a sample is 488, and 512 divides.
        let large = batch("llama-2-13b", "tokens = 300e9", "");
        assert_eq!(large, BatchChoice::Pretraining(512.0));
        // A short run still has a thousand steps; every accelerator has a sample.
        let short = batch("llama-2-13b", "tokens = 300e6", "");
        assert_eq!(short, BatchChoice::Pretraining(64.0));
        // Adapters and images go by the count.
        let adapters = batch(
            "llama-2-13b",
            "tokens = 300e9",
            "fine_tune = { method = \"lora\", rank = 16 }",
        );
        assert!(matches!(adapters, BatchChoice::Default(_)), "{adapters:?}");
        assert!(!large.is_stated());
        let images = batch("resnet50", "epochs = 3, samples = 1000000", "");
        assert!(matches!(images, BatchChoice::Default(_)), "{images:?}");
    }
}
