//! Checks what a request asks beyond the grid.

use super::check_errors::Errors;
use super::choices::{Extras, Limits, Minimise, Owned, Phase, ScheduleRule, WhatIf};
use super::{MinimiseRequest, PhaseRequest, PlanRequest};
use crate::domain::ranges::{
    MAX_FACTOR, MAX_PUE, MAX_RANK, MAX_RATE_USD, MAX_STORAGE_TB, MAX_TIME, MAX_TOTAL, MAX_YEARS,
};
use crate::domain::{Adapters, Model, OperatorProfile, PrecisionMode, ProfileOrigin};
use crate::presets::Catalogue;
use std::sync::Arc;

/// More than this share of anything is no longer one.
const MOST_PERCENT: f64 = 99.0;
/// Slowest device at ten times the others: beyond that a run is broken, not slow.
const MOST_SLOWER_PERCENT: f64 = 900.0;

/// Adapters, where the request trains some; `sized` is the model with its operators, where they are known.
pub(super) fn adapters(
    request: &PlanRequest,
    sized: Option<&(Arc<Model>, Arc<OperatorProfile>)>,
    errors: &mut Errors,
) -> Option<Adapters> {
    let asked = request.fine_tune.as_ref()?;
    errors.in_range("fine_tune.rank", asked.rank, MAX_RANK);
    let rank = asked.rank.unwrap_or(Adapters::TYPICAL_RANK);
    let method = asked.method.to_lowercase();
    if let ("lora" | "qlora", Some((model, profile))) = (method.as_str(), sized)
        && !takes_adapters(profile)
    {
        errors.add(
            "fine_tune.method",
            format!(
                "`{}` has no attention, beside whose projections adapters stand; allowed: full",
                model.name
            ),
        );
    }
    match method.as_str() {
        "full" => {
            if let Some(rank) = asked.rank {
                errors.add(
                    "fine_tune.rank",
                    format!("{rank} with method full, which has no adapters; leave it out, or allowed methods: lora, qlora"),
                );
            }
            None
        }
        "lora" => Some(Adapters {
            rank,
            base_bytes: None,
        }),
        "qlora" => Some(Adapters {
            rank,
            base_bytes: Some(Adapters::NF4_BYTES),
        }),
        other => {
            errors.add(
                "fine_tune.method",
                format!("unknown `{other}`; allowed: full, lora, qlora"),
            );
            None
        }
    }
}

/// Whether people train adapters on such a model: one that attends. Of published totals alone nobody can tell.
fn takes_adapters(profile: &OperatorProfile) -> bool {
    profile.blocks.is_some() || profile.origin == ProfileOrigin::Totals || profile.attends()
}

/// Whether attention is fused, where the request says.
pub(super) fn attention(
    request: &PlanRequest,
    model: Option<&Model>,
    errors: &mut Errors,
) -> Option<bool> {
    match request.attention.as_deref()?.to_lowercase().as_str() {
        "flash" if model.is_some_and(|m| m.unfused_attention) => {
            errors.add(
                "attention",
                "flash: the code of this model writes attention out; allowed: eager",
            );
            None
        }
        "flash" => Some(true),
        "eager" => Some(false),
        other => {
            errors.add(
                "attention",
                format!("unknown `{other}`; allowed: flash, eager"),
            );
            None
        }
    }
}

/// Fields of `reliability` that no run could mean.
pub(super) fn reliability(request: &PlanRequest, errors: &mut Errors) {
    let Some(asked) = &request.reliability else {
        return;
    };
    errors.above_zero(
        "reliability.accelerator_mtbf_h",
        asked.accelerator_mtbf_h,
        MAX_TIME,
    );
    errors.above_zero(
        "reliability.checkpoint_every_min",
        asked.checkpoint_every_min,
        MAX_TIME,
    );
    errors.at_least_zero(
        "reliability.checkpoint_write_s",
        asked.checkpoint_write_s,
        MAX_TIME,
    );
    errors.at_least_zero("reliability.restart_min", asked.restart_min, MAX_TIME);
    errors.percent(
        "reliability.spot_interruptions_percent_per_month",
        asked.spot_interruptions_percent_per_month,
        MOST_PERCENT,
    );
    errors.percent(
        "reliability.stragglers_percent",
        asked.stragglers_percent,
        MOST_SLOWER_PERCENT,
    );
}

pub(super) fn extras(request: &PlanRequest, errors: &mut Errors) -> Extras {
    let asked = request.extras.clone().unwrap_or_default();
    let evaluation = errors.percent(
        "extras.evaluation_percent",
        asked.evaluation_percent,
        MOST_SLOWER_PERCENT,
    );
    let idle = errors.percent("extras.idle_percent", asked.idle_percent, MOST_PERCENT);
    let tb = errors.at_least_zero("extras.storage_tb", asked.storage_tb, MAX_STORAGE_TB);
    let usd = errors.at_least_zero(
        "extras.storage_usd_per_tb_month",
        asked.storage_usd_per_tb_month,
        MAX_RATE_USD,
    );
    if asked.storage_tb.is_some() != asked.storage_usd_per_tb_month.is_some() {
        errors.add(
            "extras",
            "`storage_tb` and `storage_usd_per_tb_month` belong together; give both or neither",
        );
    }
    Extras {
        evaluation: evaluation.unwrap_or(0.0),
        idle: idle.unwrap_or(0.0),
        storage_tb: tb.unwrap_or(0.0),
        storage_usd_per_tb_month: usd.unwrap_or(0.0),
    }
}

pub(super) fn limits(request: &PlanRequest, catalogue: &Catalogue, errors: &mut Errors) -> Limits {
    let asked = request.limits.clone().unwrap_or_default();
    let mut limits = Limits {
        energy_kwh: errors.above_zero("limits.energy_kwh", asked.energy_kwh, MAX_TOTAL),
        co2e_kg: errors.above_zero("limits.co2e_kg", asked.co2e_kg, MAX_TOTAL),
        memory_headroom: errors
            .percent(
                "limits.memory_headroom_percent",
                asked.memory_headroom_percent,
                MOST_PERCENT,
            )
            .unwrap_or(0.0),
        ..Limits::default()
    };
    for (name, &count) in &asked.available {
        let field = format!("limits.available.\"{name}\"");
        if let Some(part) = errors.take(&field, catalogue.accelerator(name)) {
            limits.available.insert(part.name.clone(), count);
        }
    }
    limits
}

/// What may be minimised; ends every message about it.
pub(super) const GOALS_ALLOWED: &str = "allowed: \"time\", \"cost\", \"energy\", \"emissions\", or weights of them, \
     e.g. { time = 1, cost = 2 }";

/// `None` where the request does not say.
pub(super) fn minimise(request: &PlanRequest, errors: &mut Errors) -> Option<Minimise> {
    let mut blend = Minimise::default();
    match request.minimise.as_ref()? {
        MinimiseRequest::Word(word) => match word.to_lowercase().as_str() {
            "time" => blend.time = 1.0,
            "cost" => blend.cost = 1.0,
            "energy" => blend.energy = 1.0,
            "emissions" => blend.emissions = 1.0,
            other => errors.add("minimise", format!("unknown `{other}`; {GOALS_ALLOWED}")),
        },
        MinimiseRequest::Blend(weights) => {
            let mut weight = |name: &str, value| {
                errors
                    .at_least_zero(&format!("minimise.{name}"), value, MAX_FACTOR)
                    .unwrap_or(0.0)
            };
            blend = Minimise {
                time: weight("time", weights.time),
                cost: weight("cost", weights.cost),
                energy: weight("energy", weights.energy),
                emissions: weight("emissions", weights.emissions),
            };
            if blend == Minimise::default() {
                errors.add("minimise", format!("every weight is 0; {GOALS_ALLOWED}"));
            }
        }
    }
    Some(blend)
}

pub(super) fn what_if(request: &PlanRequest, errors: &mut Errors) -> WhatIf {
    let asked = request.what_if.clone().unwrap_or_default();
    WhatIf {
        price: errors
            .factor("what_if.price", asked.price, 1.0 / MAX_FACTOR)
            .unwrap_or(1.0),
        network: errors
            .factor("what_if.network", asked.network, 1.0 / MAX_FACTOR)
            .unwrap_or(1.0),
        failures: errors
            .factor("what_if.failures", asked.failures, 0.0)
            .unwrap_or(1.0),
    }
}

pub(super) fn schedule(request: &PlanRequest, errors: &mut Errors) -> Vec<Phase> {
    let phases: Vec<Phase> = (request.schedule.iter().enumerate())
        .filter_map(|(at, asked)| phase(&format!("schedule[{at}]"), asked, errors))
        .collect();
    let total: f64 = request.schedule.iter().map(|phase| phase.percent).sum();
    if !request.schedule.is_empty() && (total - 100.0).abs() > 0.01 {
        errors.add(
            "schedule",
            format!("the phases add up to {total} percent; allowed: 100 percent in all"),
        );
    }
    phases
}

pub(super) fn schedule_rule(request: &PlanRequest, errors: &mut Errors) -> Option<ScheduleRule> {
    let asked = request.schedule_rule.as_ref()?;
    let as_phase = PhaseRequest {
        precision: asked.at_least.clone(),
        percent: asked.percent,
    };
    phase("schedule_rule", &as_phase, errors)
}

fn phase(field: &str, asked: &PhaseRequest, errors: &mut Errors) -> Option<Phase> {
    let mode: Option<PrecisionMode> = errors.take(field, asked.precision.parse());
    let share = errors.percent(&format!("{field}.percent"), Some(asked.percent), 100.0);
    Some(Phase {
        mode: mode?,
        share: share?,
    })
}

/// What the user's own hardware costs, where the request says.
pub(super) fn owned(
    request: &PlanRequest,
    catalogue: &Catalogue,
    errors: &mut Errors,
) -> Option<Owned> {
    let asked = request.prices.as_ref()?.owned.as_ref()?;
    let mut owned = Owned {
        usd_per_accelerator: std::collections::BTreeMap::new(),
        years: errors.above_zero("prices.owned.years", Some(asked.years), MAX_YEARS)?,
        in_use: errors.percent("prices.owned.use_percent", Some(asked.use_percent), 100.0)?,
        upkeep: errors
            .percent("prices.owned.upkeep_percent", asked.upkeep_percent, 100.0)
            .unwrap_or(0.0),
        usd_per_kwh: errors.at_least_zero(
            "prices.owned.usd_per_kwh",
            asked.usd_per_kwh,
            MAX_RATE_USD,
        ),
        pue: asked.pue,
    };
    if owned.in_use <= 0.0 {
        errors.add(
            "prices.owned.use_percent",
            "0 is not allowed; allowed: above 0, up to 100 percent",
        );
    }
    if asked.pue.is_some_and(|pue| !(1.0..=MAX_PUE).contains(&pue)) {
        errors.add(
            "prices.owned.pue",
            format!("not allowed; allowed: a number from 1 to {MAX_PUE}"),
        );
    }
    for (name, &usd) in &asked.usd_per_accelerator {
        let field = format!("prices.owned.usd_per_accelerator.\"{name}\"");
        let usd = errors.above_zero(&field, Some(usd), MAX_TOTAL);
        let part = errors.take(&field, catalogue.accelerator(name));
        if let (Some(usd), Some(part)) = (usd, part) {
            owned.usd_per_accelerator.insert(part.name.clone(), usd);
        }
    }
    Some(owned)
}
