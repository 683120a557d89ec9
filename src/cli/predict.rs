//! `mantissa predict`: one configuration from flags.

use super::args::PredictArgs;
use super::failure::{Failure, print, print_json};
use crate::format;
use crate::planner::{
    self, BatchRequest, Combination, FineTuneRequest, FixedStrategy, Outcome, PlanRequest,
    PredictedRun, PriceRequest, Quantity, REQUEST_SCHEMA, RequestError, StrategyRequest,
    TrainRequest,
};
use crate::predictor::{Explanation, Predictor};
use crate::presets::{Advice, Catalogue};
use crate::report;
use crate::units::{KgCo2e, KilowattHours, Seconds, Usd};
use serde_json::{Value, json};
use std::fmt::Write;

/// Why totals are missing where no length was given.
const NO_LENGTH: &str =
    "no training length is given; --tokens, --steps, or --epochs with --samples";

pub(super) fn run(args: &PredictArgs, catalogue: &Catalogue) -> Result<(), Failure> {
    let checked = planner::check(&request(args), catalogue).map_err(as_flags)?;
    let system = (args.system.as_deref().zip(checked.accelerators.first()))
        .map(|(name, part)| catalogue.system_of(name, part))
        .transpose()
        .map_err(|error| Failure::input(format!("--system: {error}")))?;
    let predictor = Predictor::shipped().map_err(Failure::other)?;
    let combination =
        planner::predict_one(&checked, system.map(AsRef::as_ref), catalogue, &predictor)
            .ok_or_else(|| Failure::other("nothing to predict"))?;
    match &combination.outcome {
        Outcome::Refused(reason) => Err(Failure::input(format!("refused: {reason}"))),
        Outcome::Predicted(run) => {
            let explanation = predictor.explain(&run.configuration).ok();
            if args.json {
                let name = &checked.model.name;
                let mut value = report::run_json(
                    &combination,
                    name,
                    predictor.version(),
                    explanation.as_ref(),
                );
                hide_totals(args, &mut value);
                if let Some(object) = value.as_object_mut() {
                    let lines = advice(catalogue, run).into_iter().map(report::advice_json);
                    object.insert("advice".into(), lines.collect());
                }
                print_json(&value)
            } else {
                let mut text = summary(args, &combination, run, explanation.as_ref());
                for line in advice(catalogue, run) {
                    let _ = writeln!(text, "{:<12}{} [{}]", "Know", line.text, line.source);
                }
                print(&text)
            }
        }
    }
}

/// What is known of the run's mode on its model.
fn advice<'a>(catalogue: &'a Catalogue, run: &PredictedRun) -> Vec<&'a Advice> {
    let workload = &run.configuration.workload;
    let (model, mode) = (&workload.model, run.configuration.precision.mode);
    catalogue.advice(
        mode,
        &model.family,
        &model.task,
        workload.profile.parameters,
    )
}

fn has_length(args: &PredictArgs) -> bool {
    args.tokens.is_some() || args.steps.is_some() || args.epochs.is_some() || args.samples.is_some()
}

fn request(args: &PredictArgs) -> PlanRequest {
    let quantity = |text: &Option<String>| text.clone().map(Quantity::Text);
    PlanRequest {
        schema: REQUEST_SCHEMA,
        title: None,
        model: args.model.clone(),
        accelerators: vec![args.gpu.clone()],
        counts: vec![args.gpus],
        precisions: vec![args.precision.clone()],
        seq_len: args.seq_len,
        decoder_tokens: args.decoder_tokens,
        image_size: args.image_size,
        optimizer: args.optimizer.clone(),
        tuning: args.tuning.clone(),
        attention: args.attention.clone(),
        compile: args.compile.then_some(true),
        strategy: Some(StrategyRequest::Fixed(FixedStrategy {
            tp: args.tp,
            pp: args.pp,
            cp: args.cp,
            ep: args.ep,
            sharding: args.sharding.clone(),
            accumulation: args.accumulation,
            recompute: args.recompute.clone(),
            offload: args.offload.clone(),
            interleave: args.interleave,
        })),
        region: args.region.clone(),
        train: TrainRequest {
            tokens: quantity(&args.tokens),
            epochs: quantity(&args.epochs),
            samples: quantity(&args.samples),
            // One step stands in where no length was given; its totals are not shown.
            steps: quantity(&args.steps).or((!has_length(args)).then_some(Quantity::Number(1.0))),
        },
        batch: args.batch_per_gpu.map(|samples| BatchRequest {
            global: None,
            per_gpu: Some(samples),
        }),
        fine_tune: fine_tune(args),
        prices: prices(args),
        ..PlanRequest::default()
    }
}

fn fine_tune(args: &PredictArgs) -> Option<FineTuneRequest> {
    let of = |method: &str, rank| FineTuneRequest {
        method: method.to_owned(),
        rank: Some(rank),
    };
    (args.lora.map(|rank| of("lora", rank))).or(args.qlora.map(|rank| of("qlora", rank)))
}

fn prices(args: &PredictArgs) -> Option<PriceRequest> {
    let own = args.price.map(|usd| (args.gpu.clone(), usd));
    (args.provider.is_some() || args.tier.is_some() || own.is_some()).then(|| PriceRequest {
        provider: args.provider.clone(),
        tier: args.tier.clone(),
        own_usd_per_hour: own.into_iter().collect(),
        ..PriceRequest::default()
    })
}

/// The same errors with the flags' names.
fn as_flags(errors: Vec<RequestError>) -> Failure {
    let named = errors.into_iter().map(|error| RequestError {
        field: flag(&error.field),
        message: error.message,
    });
    named.collect::<Vec<_>>().into()
}

fn flag(field: &str) -> String {
    match field {
        "accelerators[0]" => "--gpu".into(),
        "counts[0]" => "--gpus".into(),
        "precisions[0]" => "--precision".into(),
        "batch.per_gpu" => "--batch-per-gpu".into(),
        "fine_tune.rank" | "fine_tune.method" => "--lora or --qlora".into(),
        "train" => "--tokens, --steps, or --epochs with --samples".into(),
        field if field.starts_with("prices.own_usd_per_hour") => "--price".into(),
        other => {
            let last = other.rsplit('.').next().unwrap_or(other);
            format!("--{}", last.replace('_', "-"))
        }
    }
}

/// Totals of the step that stood in for a length are nobody's wish.
fn hide_totals(args: &PredictArgs, value: &mut Value) {
    let Some(object) = value.as_object_mut().filter(|_| !has_length(args)) else {
        return;
    };
    let totals = [
        "total_time_h",
        "training_h",
        "cost_usd",
        "storage_usd",
        "energy_kwh",
        "co2e_kg",
        "steps",
        "interruptions",
    ];
    for key in totals {
        object.insert(key.into(), Value::Null);
        object.insert(format!("{key}_reason"), json!(NO_LENGTH));
    }
}

fn summary(
    args: &PredictArgs,
    combination: &Combination,
    run: &PredictedRun,
    explanation: Option<&Explanation>,
) -> String {
    let prediction = &run.prediction;
    let step = prediction.step_time;
    let mut text = format!(
        "{} on {}× {}, {}\n\n",
        run.configuration.workload.model.name,
        combination.count,
        combination.accelerator.name,
        combination.mode.label()
    );
    let mut line = |label: &str, value: String| {
        let _ = writeln!(text, "{label:<12}{value}");
    };
    line(
        "Step",
        format!(
            "{} ({} to {}, {} confidence)",
            format::step_time(Seconds(step.value)),
            format::step_time(Seconds(step.low)),
            format::step_time(Seconds(step.high)),
            run.confidence().word().to_lowercase()
        ),
    );
    line("Rate", format::rate(run.units_per_s, run.units_name));
    if has_length(args) {
        line("Time", format::hours(run.total_time_h.value));
        line(
            "Cost",
            known(
                run.cost_usd.map(|c| format::money(Usd(c.value))),
                &run.missing.cost,
            ),
        );
        line(
            "Energy",
            known(
                run.energy_kwh
                    .map(|e| format::energy(KilowattHours(e.value))),
                &run.missing.energy,
            ),
        );
        line(
            "Emissions",
            known(
                run.co2e_kg.map(|kg| format::emissions(KgCo2e(kg))),
                &run.missing.co2e,
            ),
        );
    }
    line(
        "Memory",
        format!(
            "{} of {}",
            format::memory_gib(prediction.memory.total()),
            format::memory_gib(prediction.memory.capacity)
        ),
    );
    line(
        "Batch",
        match run.largest_micro_batch {
            Some(most) => format!(
                "{} a rank and micro-step; up to {most} fit",
                format::samples(run.configuration.strategy.micro_batch)
            ),
            None => "not even one sample fits".to_owned(),
        },
    );
    line("Layout", run.layout.clone());
    line("", run.layout_why.clone());
    line("Limit", prediction.limit.key().to_owned());
    for (part, time) in prediction.breakdown.parts() {
        if time.value() > 0.0 {
            line("", format!("{} {part}", format::step_time(time)));
        }
    }
    for note in &prediction.notes {
        line("Note", note.clone());
    }
    if let Some(explanation) = explanation {
        why(&mut text, explanation);
    }
    text
}

fn known(value: Option<String>, why: &Option<String>) -> String {
    value.unwrap_or_else(|| format!("missing. {}", why.as_deref().unwrap_or("")))
}

/// The contributions that matter, largest first.
fn why(text: &mut String, explanation: &Explanation) {
    const MOST: usize = 6;
    let mut parts: Vec<_> = explanation.contributions.iter().collect();
    parts.sort_by(|a, b| b.log_ratio.abs().total_cmp(&a.log_ratio.abs()));
    for part in parts.into_iter().take(MOST) {
        let change = format::change(part.log_ratio.exp());
        let _ = writeln!(
            text,
            "{:<12}{change} {} ({})",
            "Why",
            part.feature,
            part.stage.label()
        );
    }
}
