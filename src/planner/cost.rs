//! From a step time to the time, cost, energy and emissions of a whole run.

use super::reliability::{Interruptions, MONTH_H};
use super::{CheckedRequest, Missing, PriceUsed, facts, money};
use crate::domain::{Accelerator, Configuration, Fabric, Strategy, System, TrainingLength};
use crate::physics::power;
use crate::predictor::{Estimate, Prediction};
use crate::presets::{Catalogue, Tier};
use crate::units::{KilowattHours, Seconds, Usd, UsdPerHour, Watts};

/// The figures of a whole run.
#[derive(Debug, Clone)]
pub(super) struct Totals {
    pub steps: f64,
    /// Of the steps alone.
    pub training_h: f64,
    pub interruptions: Interruptions,
    pub storage_usd: f64,
    pub time_h: Estimate,
    pub cost_usd: Option<Estimate>,
    pub price: Option<PriceUsed>,
    pub energy_kwh: Option<Estimate>,
    pub co2e_kg: Option<f64>,
    pub missing: Missing,
}

/// Where a run stands, as far as cost and energy need it.
pub(super) struct Place<'a> {
    pub catalogue: &'a Catalogue,
    pub accelerator: &'a Accelerator,
    pub system: Option<&'a System>,
    pub fabric: Fabric,
    pub count: u32,
    pub nodes: u32,
}

/// Optimizer steps of the whole run, a part of a step counted whole.
pub(super) fn steps(request: &CheckedRequest, strategy: &Strategy) -> f64 {
    let batch = strategy.global_batch().max(f64::MIN_POSITIVE);
    let steps = match request.length {
        TrainingLength::Tokens(tokens) => {
            tokens / (batch * f64::from(request.seq_len.unwrap_or(1).max(1)))
        }
        TrainingLength::Epochs { epochs, samples } => epochs * (samples / batch).ceil(),
        TrainingLength::Steps(steps) => steps,
    };
    steps.ceil().max(1.0)
}

/// Samples or tokens per second of the whole job, and which.
pub(super) fn rate(
    request: &CheckedRequest,
    strategy: &Strategy,
    step: f64,
) -> (f64, &'static str) {
    let samples = strategy.global_batch() / step.max(f64::MIN_POSITIVE);
    match request.seq_len {
        Some(tokens) if facts::counts_tokens(&request.model) => {
            (samples * f64::from(tokens), "tokens/s")
        }
        _ => (samples, "samples/s"),
    }
}

/// Adds a prediction up over the run: steps, evaluation, checkpoints, interruptions; then money and energy.
///
/// # Errors
/// A sentence, where interruptions leave the run no progress.
pub(super) fn totals(
    request: &CheckedRequest,
    place: &Place<'_>,
    configuration: &Configuration,
    prediction: &Prediction,
) -> Result<Totals, String> {
    let strategy = &configuration.strategy;
    let (extras, reliability) = (&request.extras, &request.reliability);
    let steps = steps(request, strategy);
    let training_h = prediction.step_time.value * steps / 3600.0 * (1.0 + reliability.stragglers);
    let undisturbed_h = training_h * (1.0 + extras.evaluation);
    let spot = (request.prices.tier == Tier::Spot).then_some(place.nodes);
    let interruptions =
        reliability.interruptions(configuration, undisturbed_h, spot, request.what_if)?;
    let slower = (1.0 + reliability.stragglers) * (1.0 + extras.evaluation) * interruptions.factor;
    let time_h = prediction.step_time.scaled(steps * slower / 3600.0);
    let mut missing = Missing::default();
    let energy_kwh = keep(energy(place, prediction, time_h), &mut missing.energy);
    let price = keep(
        money::price(request, place, energy_kwh, time_h),
        &mut missing.cost,
    );
    let paid_h = time_h.scaled(1.0 / (1.0 - extras.idle));
    let storage_usd = extras.storage_tb * extras.storage_usd_per_tb_month * paid_h.value / MONTH_H;
    let cost_usd = price.as_ref().map(|price| {
        let hours = cost(price, place.count, paid_h);
        Estimate {
            value: hours.value + storage_usd,
            low: hours.low + storage_usd,
            high: hours.high + storage_usd,
        }
    });
    let co2e_kg = keep(
        emissions(request, place, price.as_ref(), energy_kwh),
        &mut missing.co2e,
    );
    Ok(Totals {
        steps,
        training_h,
        interruptions,
        storage_usd,
        time_h,
        cost_usd,
        price,
        energy_kwh,
        co2e_kg,
        missing,
    })
}

fn keep<T>(result: Result<T, String>, reason: &mut Option<String>) -> Option<T> {
    result.map_err(|why| *reason = Some(why)).ok()
}

fn cost(price: &PriceUsed, count: u32, time_h: Estimate) -> Estimate {
    let rate = UsdPerHour(price.usd_per_hour) * f64::from(count);
    let of = |hours: f64| -> Usd { rate * Seconds(hours * 3600.0) };
    Estimate {
        value: of(time_h.value).value(),
        low: of(time_h.low).value(),
        high: of(time_h.high).value(),
    }
}

/// Energy at the socket of the nodes: boards and what is around them, without the building.
fn energy(
    place: &Place<'_>,
    prediction: &Prediction,
    time_h: Estimate,
) -> Result<Estimate, String> {
    let part = place.accelerator;
    let tdp = part
        .tdp
        .ok_or_else(|| format!("No source states the power limit of {}.", part.name))?;
    let busy = prediction.breakdown.busy();
    let board = power::Board::new(part.generation, part.memory_kind).power(tdp, busy);
    // A node's limit is that of the part it is built for, which may draw more or less than one that stands in for it.
    let node = (place.system).and_then(|system| Some((system, system.node_power?)));
    let built_for = node
        .and_then(|(system, _)| place.catalogue.accelerator(&system.accelerator).ok()?.tdp)
        .unwrap_or(tdp);
    let limit = node.map(|(_, limit)| limit);
    let host = power::host(built_for, limit, place.fabric.per_node, place.fabric.domain);
    let draw = (board + host) * f64::from(place.count);
    let of = |hours: f64| -> KilowattHours { Watts(draw.value()) * Seconds(hours * 3600.0) };
    let value = of(time_h.value).value();
    // Time and power err independently, so their relative errors add as squares.
    let ratio = |end: f64| (end / time_h.value.max(f64::MIN_POSITIVE) - 1.0).abs();
    let width = |end: f64| ratio(end).hypot(power::board_error(busy));
    Ok(Estimate {
        value,
        low: value * (1.0 - width(time_h.low)).max(0.0),
        high: value * (1.0 + width(time_h.high)),
    })
}

fn emissions(
    request: &CheckedRequest,
    place: &Place<'_>,
    price: Option<&PriceUsed>,
    energy_kwh: Option<Estimate>,
) -> Result<f64, String> {
    let grid = request
        .grid
        .as_ref()
        .ok_or("No region is set. `region` takes a country, a US state or a cloud region.")?;
    let energy = energy_kwh.ok_or("The energy is unknown.")?;
    let provider = price.map(|price| price.provider.as_str());
    let overhead = facts::building_overhead(place.catalogue, provider, &grid.region)?;
    let drawn = KilowattHours(energy.value * overhead);
    Ok((grid.intensity * drawn).value())
}
