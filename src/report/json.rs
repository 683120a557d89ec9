//! Plans and predictions as JSON: snake case, units in the names, and a reason beside what is unknown.

use super::choices::{advice_json, interruptions_json, schedules_json};
use super::csv_request;
use super::titles::title_of;
use crate::domain::{Strategy, TrainingLength};
use crate::planner::{Combination, Outcome, Plan, PredictedRun, Standing};
use crate::predictor::{Estimate, Explanation, MemoryUse};
use serde_json::{Map, Value, json};

/// Why the parts of a plan carry no contributions.
const PLAN_HAS_NO_CONTRIBUTIONS: &str = "left out of a plan; `mantissa predict --json` gives them";

/// The whole plan.
pub fn plan_json(plan: &Plan) -> Value {
    let request = &plan.request;
    let outlook = plan.outlook();
    let keys = plan.answer_keys(outlook.as_ref());
    let name = &request.model.name;
    let all = plan.combinations.iter().enumerate();
    let combinations: Vec<Value> = all
        .map(|(at, combination)| {
            let mut value = run_json(combination, name, &plan.predictor_version, None);
            if let (Some(object), Some(run)) = (value.as_object_mut(), combination.run()) {
                let standing = plan.standing(run).map(Standing::word);
                object.insert("within_limits".into(), json!(standing));
                let own = keys.iter().filter(|(_, index)| *index == at);
                object.insert("answers".into(), own.map(|(key, _)| json!(key)).collect());
            }
            value
        })
        .collect();
    let answers = &plan.answers;
    json!({
        "schema": 1,
        "title": title_of(plan),
        "model": request.model.name,
        "train": train_json(request.length),
        "seq_len": request.seq_len,
        "decoder_tokens": request.decoder_tokens,
        "image_size": request.image_size,
        "predictor_version": plan.predictor_version,
        "prices_date": plan.price_dates.as_ref().map(|dates| &dates.newest),
        "prices_date_oldest": plan.price_dates.as_ref().map(|dates| &dates.oldest),
        "combinations": combinations,
        "pareto": plan.pareto,
        "answers": {
            "fastest": answers.fastest,
            "cheapest": answers.cheapest,
            "within_limits": answers.within_limits,
            "greenest": answers.greenest,
            "likely_within_limits": outlook.and_then(|o| o.likeliest),
            "closest_to_limits": outlook.and_then(|o| o.closest),
        },
        "within_limits": plan.within_limits,
        "best": plan.best,
        "best_why": plan.best_why,
        "pareto_time_cost_energy": plan.pareto_all,
        "schedules": schedules_json(&plan.schedules),
        "advice": plan.advice.iter().map(advice_json).collect::<Vec<_>>(),
        "currency": "USD",
        "limits": {
            "budget_usd": request.budget_usd,
            "deadline_h": request.deadline_h,
            "energy_kwh": request.limits.energy_kwh,
            "co2e_kg": request.limits.co2e_kg,
            "memory_headroom_percent": request.limits.memory_headroom * 100.0,
            "available": request.limits.available,
        },
        "region": request.grid.as_ref().map(|grid| &grid.region),
    })
}

/// How long is trained: `tokens`, `steps`, or `epochs` of so many `samples`, and the same in words.
fn train_json(length: TrainingLength) -> Value {
    let words = csv_request::length(length);
    match length {
        TrainingLength::Tokens(tokens) => json!({ "tokens": tokens, "words": words }),
        TrainingLength::Epochs { epochs, samples } => {
            json!({ "epochs": epochs, "samples": samples, "words": words })
        }
        TrainingLength::Steps(steps) => json!({ "steps": steps, "words": words }),
    }
}

/// One combination. `explanation` fills `contributions`; without it they are null, with a reason.
pub fn run_json(
    combination: &Combination,
    model: &str,
    predictor_version: &str,
    explanation: Option<&Explanation>,
) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("model", json!(model));
    put("accelerator", json!(combination.accelerator.name));
    put("count", json!(combination.count));
    put("nodes", json!(combination.nodes));
    put("precision", json!(combination.mode.key()));
    put("predictor_version", json!(predictor_version));
    match &combination.outcome {
        Outcome::Refused(reason) => {
            put("status", json!("refused"));
            put("reason", json!(reason));
        }
        Outcome::Predicted(run) => {
            put("status", json!("ok"));
            put("reason", Value::Null);
            add_run(&mut object, run);
            add_explanation(&mut object, explanation);
        }
    }
    Value::Object(object)
}

fn add_run(object: &mut Map<String, Value>, run: &PredictedRun) {
    let prediction = &run.prediction;
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("step_time_ms", estimate(prediction.step_time.scaled(1e3)));
    put("total_time_h", estimate(run.total_time_h));
    put("steps", json!(run.steps));
    put("tokens_or_samples_per_s", json!(run.units_per_s));
    put("rate_unit", json!(run.units_name));
    put("layout", json!(run.layout));
    put("layout_why", json!(run.layout_why));
    put(
        "memory_by_stage_gib",
        run.memory_by_stage.iter().map(memory_json).collect(),
    );
    put("largest_micro_batch", json!(run.largest_micro_batch));
    put("training_h", json!(run.training_h));
    put("interruptions", interruptions_json(run));
    put("storage_usd", json!(run.storage_usd));
    put("confidence", json!(run.confidence()));
    put("memory_gib", memory_json(&prediction.memory));
    put("strategy", strategy(&run.configuration.strategy, run));
    put("limit", json!(prediction.limit.key()));
    put("notes", json!(prediction.notes));
    put("physics_time_ms", json!(prediction.physics_time.ms()));
    put(
        "support",
        json!({
            "nearest_runs": prediction.support.nearest_runs,
            "distance": prediction.support.distance,
        }),
    );
    put("breakdown_ms", breakdown(run));
    put(
        "dropped_layouts",
        json!({
            "memory": run.dropped.memory,
            "batch": run.dropped.batch,
            "slower": run.dropped.slower,
            "impossible": run.dropped.impossible,
        }),
    );
    put(
        "price",
        match &run.price {
            Some(price) => json!({
                "usd_per_accelerator_hour": price.usd_per_hour,
                "provider": price.provider,
                "tier": price.tier,
                "source": price.source,
                "date": price.date,
            }),
            None => Value::Null,
        },
    );
    let overlap_reason = Some("one device does not communicate".to_owned());
    known_or_why(
        object,
        "overlap",
        prediction.overlap.map(|share| json!(share)),
        &overlap_reason,
    );
    known_or_why(
        object,
        "cost_usd",
        run.cost_usd.map(estimate),
        &run.missing.cost,
    );
    known_or_why(
        object,
        "energy_kwh",
        run.energy_kwh.map(estimate),
        &run.missing.energy,
    );
    known_or_why(
        object,
        "co2e_kg",
        run.co2e_kg.map(|kg| json!(kg)),
        &run.missing.co2e,
    );
}

/// A value, or null with `<name>_reason` beside it.
fn known_or_why(
    object: &mut Map<String, Value>,
    key: &str,
    value: Option<Value>,
    why: &Option<String>,
) {
    if value.is_none() {
        let reason = why.as_deref().unwrap_or("unknown");
        object.insert(format!("{key}_reason"), json!(reason));
    }
    object.insert(key.to_owned(), value.unwrap_or(Value::Null));
}

fn add_explanation(object: &mut Map<String, Value>, explanation: Option<&Explanation>) {
    let Some(explanation) = explanation else {
        let why = Some(PLAN_HAS_NO_CONTRIBUTIONS.to_owned());
        return known_or_why(object, "contributions", None, &why);
    };
    if let Value::Object(parts) = explanation_json(explanation) {
        object.extend(parts);
    }
}

/// Contributions, nearest runs and the rule that names the limit.
pub fn explanation_json(explanation: &Explanation) -> Value {
    let nearest: Vec<Value> = explanation
        .nearest
        .iter()
        .map(|run| {
            json!({
                "source": run.source,
                "source_path": run.source_path,
                "model": run.model,
                "accelerator": run.accelerator,
                "count": run.count,
                "precision": run.precision,
                "distance": run.distance,
                "measured_ms": run.measured.ms(),
                "predicted_ms": run.predicted.ms(),
            })
        })
        .collect();
    json!({
        "contributions": explanation.contributions,
        "nearest": nearest,
        "limit_rule": explanation.limit_rule,
        "limit_fidelity": explanation.limit_fidelity,
    })
}

pub(super) fn estimate(estimate: Estimate) -> Value {
    json!({ "value": estimate.value, "low": estimate.low, "high": estimate.high })
}

/// Peak memory of one device by part, in GiB.
pub fn memory_json(memory: &MemoryUse) -> Value {
    json!({
        "weights": memory.weights.gib(),
        "gradients": memory.gradients.gib(),
        "optimizer": memory.optimizer.gib(),
        "activations": memory.activations.gib(),
        "overhead": memory.overhead.gib(),
        "total": memory.total().gib(),
        "capacity": memory.capacity.gib(),
        "fits": if memory.fits() { "yes" } else if memory.may_fit() { "tight" } else { "no" },
    })
}

fn breakdown(run: &PredictedRun) -> Value {
    let parts = &run.prediction.breakdown;
    json!({
        "matmul": parts.matmul.ms(),
        "memory_traffic": parts.memory_traffic.ms(),
        "launch": parts.launch.ms(),
        "optimizer": parts.optimizer.ms(),
        "casts": parts.casts.ms(),
        "communication": parts.communication.ms(),
        "bubble": parts.bubble.ms(),
    })
}

fn strategy(strategy: &Strategy, run: &PredictedRun) -> Value {
    let step = run.prediction.step_time.value;
    let bubble = run.prediction.breakdown.bubble.value() / step.max(f64::MIN_POSITIVE);
    json!({
        "data": strategy.data,
        "tensor": strategy.tensor,
        "pipeline": strategy.pipeline,
        "context": strategy.context,
        "expert": strategy.expert,
        "sharding": strategy.sharding.key(),
        "micro_batch": strategy.micro_batch,
        "accumulation": strategy.accumulation,
        "recompute": strategy.recompute.key(),
        "offload": strategy.offload.key(),
        "interleave": strategy.interleave,
        "bubble": bubble,
    })
}
