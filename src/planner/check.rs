//! From what was written to what is meant; every field that is wrong is named, all at once.

use super::check_errors::Errors;
use super::reliability::Reliability;
use super::{
    BatchChoice, CheckedRequest, FixedStrategy, LayoutChoice, PlanRequest, PriceChoice, Quantity,
    RequestError, StrategyRequest,
};
use super::{check_choices, facts};
use crate::domain::ranges::{
    MAX_BATCH_PER_DEVICE, MAX_COUNT, MAX_EPOCHS, MAX_IMAGE_SIZE, MAX_RATE_USD, MAX_SAMPLES,
    MAX_SEQ_LEN, MAX_STEPS, MAX_TIME, MAX_TOKENS, MAX_TOTAL,
};
use crate::domain::{
    Accelerator, FINE_TUNING, Model, OperatorProfile, PrecisionMode, TrainingLength,
};
use crate::format::as_given;
use crate::presets::Catalogue;
use jiff::civil::Date;
use std::sync::Arc;

/// Checks a request against the catalogue.
///
/// # Errors
/// Every field that is wrong, in the order of the form, each with what is allowed.
pub fn check(
    request: &PlanRequest,
    catalogue: &Catalogue,
) -> Result<CheckedRequest, Vec<RequestError>> {
    let mut errors = Errors::default();
    errors.check_schema(request.schema);
    let model = errors
        .take("model", facts::model(catalogue, &request.model))
        .map(|model| for_task(request, model));
    let accelerators = accelerators(request, catalogue, &mut errors);
    let counts = counts(request, &mut errors);
    let modes = modes(request, &mut errors);
    errors.check_size(accelerators.len(), counts.len(), modes.len());
    let optimizer = request
        .optimizer
        .as_deref()
        .and_then(|word| errors.take("optimizer", word.parse()));
    let tuning = request
        .tuning
        .as_deref()
        .and_then(|word| errors.take("tuning", word.parse()));
    let flash_attention = check_choices::attention(request, model.as_deref(), &mut errors);
    let length = training_length(request, model.as_deref(), &mut errors);
    let batch = batch(request, &counts, &mut errors);
    let sized = model.as_ref().and_then(|model| {
        input_size(request, model, &mut errors)?;
        let model = facts::as_long(request, model);
        let profile = profile(request, &model, catalogue, &mut errors)?;
        Some((model, profile))
    });
    let layout = layout(request, &mut errors);
    let prices = prices(request, catalogue, &mut errors);
    let grid = request
        .region
        .as_deref()
        .and_then(|region| errors.take("region", facts::grid(catalogue, region)));
    let (budget_usd, deadline_h) = limits(request, &mut errors);
    let limits = check_choices::limits(request, catalogue, &mut errors);
    let adapters = check_choices::adapters(request, sized.as_ref(), &mut errors);
    check_choices::reliability(request, &mut errors);
    let extras = check_choices::extras(request, &mut errors);
    let minimise = check_choices::minimise(request, &mut errors);
    let schedule = check_choices::schedule(request, &mut errors);
    let schedule_rule = check_choices::schedule_rule(request, &mut errors);
    let what_if = check_choices::what_if(request, &mut errors);
    let (Some((model, profile)), Some(length)) = (sized, length) else {
        return Err(errors.all());
    };
    if errors.count() > 0 {
        return Err(errors.all());
    }
    let most = f64::from(counts.last().copied().unwrap_or(1));
    let batch = batch.unwrap_or_else(|| {
        facts::assumed_batch(&model, &profile, length, adapters.is_some(), most)
    });
    let seq_len = request.seq_len.or(model.seq_len);
    Ok(CheckedRequest {
        length,
        accelerators,
        counts,
        modes,
        budget_usd,
        deadline_h,
        seq_len,
        decoder_tokens: (seq_len.and_then(|read| model.decoder_tokens_for(read)))
            .map(|tokens| tokens.round() as u32),
        image_size: request.image_size.or(model.image_size),
        optimizer: optimizer.unwrap_or(model.optimizer),
        tuning,
        flash_attention,
        compiled: request.compile.unwrap_or(false),
        batch,
        layout,
        prices,
        grid,
        limits,
        adapters,
        reliability: Reliability::new(request.reliability.as_ref(), catalogue),
        extras,
        minimise,
        schedule,
        schedule_rule,
        what_if,
        request: request.clone(),
        model,
        profile,
    })
}

/// What a strategy may be; ends every message about it.
pub(super) const LAYOUTS_ALLOWED: &str = "allowed: \"auto\", or a table of tp, pp, cp, ep, sharding, accumulation, \
     recompute, offload, interleave";

/// The model as it is trained: fine-tuning an encoder leaves its vocabulary head out.
fn for_task(request: &PlanRequest, model: Arc<Model>) -> Arc<Model> {
    if request.fine_tune.is_some() && model.task.starts_with("language") {
        model.for_task(FINE_TUNING)
    } else {
        model
    }
}

fn accelerators(
    request: &PlanRequest,
    catalogue: &Catalogue,
    errors: &mut Errors,
) -> Vec<Arc<Accelerator>> {
    if request.accelerators.is_empty() {
        errors.add(
            "accelerators",
            "none selected; allowed: one or more names, see `mantissa catalog gpus`",
        );
    }
    let mut found: Vec<Arc<Accelerator>> = Vec::new();
    for (at, name) in request.accelerators.iter().enumerate() {
        let field = format!("accelerators[{at}]");
        if let Some(part) = errors.take(&field, catalogue.accelerator(name))
            && !found.iter().any(|known| known.name == part.name)
        {
            found.push(Arc::clone(part));
        }
    }
    found
}

fn counts(request: &PlanRequest, errors: &mut Errors) -> Vec<u32> {
    if request.counts.is_empty() {
        errors.add(
            "counts",
            format!(
                "none selected; allowed: one or more whole numbers, 1 to {}",
                as_given(f64::from(MAX_COUNT))
            ),
        );
    }
    for (at, &count) in request.counts.iter().enumerate() {
        errors.in_range(&format!("counts[{at}]"), Some(count), MAX_COUNT);
    }
    let mut counts = request.counts.clone();
    counts.sort_unstable();
    counts.dedup();
    counts
}

fn modes(request: &PlanRequest, errors: &mut Errors) -> Vec<PrecisionMode> {
    let all = || PrecisionMode::ALL.map(PrecisionMode::key).join(", ");
    if request.precisions.is_empty() {
        errors.add("precisions", format!("none selected; allowed: {}", all()));
    }
    let mut asked = Vec::new();
    for (at, word) in request.precisions.iter().enumerate() {
        let field = format!("precisions[{at}]");
        let parsed = word.parse().map_err(|_| {
            let near = facts::nearest(word, PrecisionMode::ALL.map(PrecisionMode::key));
            format!(
                "unknown precision `{word}`; nearest known: {near}; allowed: {}",
                all()
            )
        });
        asked.extend(errors.take::<PrecisionMode, _>(&field, parsed));
    }
    PrecisionMode::ALL
        .into_iter()
        .filter(|mode| asked.contains(mode))
        .collect()
}

fn training_length(
    request: &PlanRequest,
    model: Option<&Model>,
    errors: &mut Errors,
) -> Option<TrainingLength> {
    const ALLOWED: &str = "allowed: exactly one of `tokens`, `steps`, or `epochs` with `samples`";
    let train = &request.train;
    let mut read = |field: &str, value: &Option<Quantity>, most: f64| {
        let field = format!("train.{field}");
        let number = errors.take(&field, value.as_ref()?.number())?;
        errors.at_most(&field, number, "above 0", most)
    };
    let tokens = read("tokens", &train.tokens, MAX_TOKENS);
    let epochs = read("epochs", &train.epochs, MAX_EPOCHS);
    let samples = read("samples", &train.samples, MAX_SAMPLES);
    let steps = read("steps", &train.steps, MAX_STEPS);
    let by_epochs = train.epochs.is_some() || train.samples.is_some();
    let ways = [train.tokens.is_some(), by_epochs, train.steps.is_some()];
    match ways.iter().filter(|way| **way).count() {
        0 => errors.add("train", format!("missing; {ALLOWED}")),
        1 => {}
        _ => errors.add("train", format!("contradicts itself; {ALLOWED}")),
    }
    if by_epochs && train.epochs.is_none() {
        errors.add(
            "train.epochs",
            "missing beside `samples`; allowed: a number above 0",
        );
    }
    if by_epochs && train.samples.is_none() {
        errors.add(
            "train.samples",
            "missing beside `epochs`; allowed: samples of the data set, e.g. \"1.28 M\"",
        );
    }
    if tokens.is_some() && model.is_some_and(|model| !facts::counts_tokens(model)) {
        let name = model.map_or("", |model| &model.name);
        errors.add(
            "train.tokens",
            format!(
                "`{name}` does not train on tokens; allowed: `steps`, or `epochs` with `samples`"
            ),
        );
        return None;
    }
    let epochs = epochs.zip(samples);
    (tokens.map(TrainingLength::Tokens))
        .or(steps.map(TrainingLength::Steps))
        .or(epochs.map(|(epochs, samples)| TrainingLength::Epochs { epochs, samples }))
}

fn batch(request: &PlanRequest, counts: &[u32], errors: &mut Errors) -> Option<BatchChoice> {
    let batch = request.batch.as_ref()?;
    let global = errors.above_zero("batch.global", batch.global, f64::MAX);
    let per_gpu = errors.above_zero("batch.per_gpu", batch.per_gpu, f64::MAX);
    match (batch.global, batch.per_gpu) {
        (None, None) => errors.add(
            "batch",
            "empty; allowed: `global` or `per_gpu`, a number above 0",
        ),
        (Some(_), Some(_)) => errors.add(
            "batch",
            "has both `global` and `per_gpu`; allowed: one of them",
        ),
        _ => {}
    }
    let most = MAX_BATCH_PER_DEVICE;
    if per_gpu.is_some_and(|samples| samples > most) {
        errors.add(
            "batch.per_gpu",
            format!(
                "more than a device could take; allowed: up to {}",
                as_given(most)
            ),
        );
    }
    let fewest = f64::from(counts.first().copied().unwrap_or(1).max(1));
    if global.is_some_and(|samples| samples / fewest > most) {
        errors.add(
            "batch.global",
            format!(
                "more than {} samples for each of {} devices; allowed: up to {}",
                as_given(most),
                as_given(fewest),
                as_given(most * fewest)
            ),
        );
    }
    if global.is_some_and(|samples| samples.fract() != 0.0) {
        errors.add("batch.global", "not a whole number; allowed: 1, 2, 3, …");
    }
    global
        .map(BatchChoice::Global)
        .or(per_gpu.map(BatchChoice::PerDevice))
}

/// `None` where a size is wrong and no profile can be had.
fn input_size(request: &PlanRequest, model: &Model, errors: &mut Errors) -> Option<()> {
    let before = errors.count();
    errors.in_range("seq_len", request.seq_len, MAX_SEQ_LEN);
    errors.in_range("decoder_tokens", request.decoder_tokens, MAX_SEQ_LEN);
    errors.in_range("image_size", request.image_size, MAX_IMAGE_SIZE);
    if request.seq_len.is_some() && model.seq_len.is_none() {
        errors.add(
            "seq_len",
            format!("`{}` has no sequence; leave it out", model.name),
        );
    }
    if request.decoder_tokens.is_some() && !model.has_decoder() {
        errors.add(
            "decoder_tokens",
            format!(
                "`{}` has no decoder beside an encoder; leave it out",
                model.name
            ),
        );
    }
    if request.image_size.is_some() && model.image_size.is_none() {
        errors.add(
            "image_size",
            format!("`{}` takes no images; leave it out", model.name),
        );
    }
    (errors.count() == before).then_some(())
}

fn profile(
    request: &PlanRequest,
    model: &Model,
    catalogue: &Catalogue,
    errors: &mut Errors,
) -> Option<Arc<OperatorProfile>> {
    let seq_len = request.seq_len.or(model.seq_len);
    let image_size = request.image_size.or(model.image_size);
    errors.take(
        "model",
        facts::profile(catalogue, model, seq_len, image_size),
    )
}

fn layout(request: &PlanRequest, errors: &mut Errors) -> LayoutChoice {
    match &request.strategy {
        None => LayoutChoice::default(),
        Some(StrategyRequest::Word(word)) if word.eq_ignore_ascii_case("auto") => {
            LayoutChoice::default()
        }
        Some(StrategyRequest::Word(word)) => {
            errors.add("strategy", format!("unknown `{word}`; {LAYOUTS_ALLOWED}"));
            LayoutChoice::default()
        }
        Some(StrategyRequest::Fixed(fixed)) => fixed_layout(fixed, errors),
    }
}

fn fixed_layout(fixed: &FixedStrategy, errors: &mut Errors) -> LayoutChoice {
    for (field, value) in [
        ("strategy.tp", fixed.tp),
        ("strategy.pp", fixed.pp),
        ("strategy.cp", fixed.cp),
        ("strategy.ep", fixed.ep),
        ("strategy.accumulation", fixed.accumulation),
        ("strategy.interleave", fixed.interleave),
    ] {
        errors.in_range(field, value, MAX_COUNT);
    }
    LayoutChoice {
        tensor: fixed.tp,
        pipeline: fixed.pp,
        context: fixed.cp,
        expert: fixed.ep,
        accumulation: fixed.accumulation,
        interleave: fixed.interleave,
        offload: (fixed.offload.as_deref())
            .and_then(|word| errors.take("strategy.offload", word.parse())),
        sharding: (fixed.sharding.as_deref())
            .and_then(|word| errors.take("strategy.sharding", word.parse())),
        recompute: (fixed.recompute.as_deref())
            .and_then(|word| errors.take("strategy.recompute", word.parse())),
    }
}

fn prices(request: &PlanRequest, catalogue: &Catalogue, errors: &mut Errors) -> PriceChoice {
    let Some(asked) = &request.prices else {
        return PriceChoice::default();
    };
    let mut choice = PriceChoice {
        provider: (asked.provider.as_deref())
            .and_then(|name| errors.take("prices.provider", facts::provider(catalogue, name))),
        reserved_discount: errors.percent(
            "prices.reserved_discount_percent",
            asked.reserved_discount_percent,
            99.0,
        ),
        owned: check_choices::owned(request, catalogue, errors),
        every_seller: asked.every_seller && asked.provider.is_none(),
        ..PriceChoice::default()
    };
    if let Some(word) = asked.tier.as_deref() {
        choice.tier = errors
            .take("prices.tier", word.parse())
            .unwrap_or(choice.tier);
    }
    for (name, &usd) in &asked.own_usd_per_hour {
        let field = format!("prices.own_usd_per_hour.\"{name}\"");
        let usd = errors.above_zero(&field, Some(usd), MAX_RATE_USD);
        let part = errors.take(&field, catalogue.accelerator(name));
        if let (Some(usd), Some(part)) = (usd, part) {
            choice.own.insert(part.name.clone(), usd);
        }
    }
    choice
}

fn limits(request: &PlanRequest, errors: &mut Errors) -> (Option<f64>, Option<f64>) {
    let limits = request.limits.clone().unwrap_or_default();
    if limits.deadline_day.is_some() && limits.deadline_h.is_none() {
        errors.add(
            "limits.deadline_day",
            "needs deadline_h beside it, the hours from the start; the window fills them in",
        );
    }
    if let Some(day) = &limits.deadline_day
        && !Date::strptime("%Y-%m-%d", day).is_ok_and(|date| date.to_string() == *day)
    {
        errors.add(
            "limits.deadline_day",
            format!("{day:?} is not a day; allowed: year-month-day, e.g. 2026-12-04"),
        );
    }
    (
        errors.above_zero("limits.budget_usd", limits.budget_usd, MAX_TOTAL),
        errors.above_zero("limits.deadline_h", limits.deadline_h, MAX_TIME),
    )
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
