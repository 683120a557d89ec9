//! What an hour of an accelerator costs: bought on demand, on the spot market, reserved, or owned.

use super::cost::Place;
use super::{CheckedRequest, PriceChoice, PriceUsed, facts};
use crate::predictor::Estimate;
use crate::presets::Tier;

/// The provider under which the catalogue keeps the overhead of companies' own data centres.
const OWN_BUILDING: &str = "on-premises-average";

/// The price of the place's part under the request's choice, scaled by its what-if.
///
/// # Errors
/// Why there is none, as a sentence: a price that is missing stays missing.
pub(super) fn price(
    request: &CheckedRequest,
    place: &Place<'_>,
    energy_kwh: Option<Estimate>,
    time_h: Estimate,
) -> Result<PriceUsed, String> {
    let part = place.accelerator;
    let mut price = match request.prices.own.get(&part.name) {
        Some(&usd_per_hour) => PriceUsed::stated(usd_per_hour, "own"),
        None => match request.prices.tier {
            Tier::OnDemand | Tier::Spot => facts::price(
                place.catalogue,
                part,
                &request.prices,
                place.fabric.together(place.count),
            )?,
            Tier::Reserved => reserved(request, place)?,
            Tier::Owned => owned(request, place, energy_kwh, time_h)?,
        },
    };
    price.usd_per_hour *= request.what_if.price;
    Ok(price)
}

/// The on-demand price less the discount of the user's contract: no provider publishes what a reservation costs.
fn reserved(request: &CheckedRequest, place: &Place<'_>) -> Result<PriceUsed, String> {
    let discount = request.prices.reserved_discount.ok_or(
        "None of the price lists has a reserved price. `prices.reserved_discount_percent` takes what your contract takes off the \
         on-demand price, `prices.own_usd_per_hour` the price itself.",
    )?;
    let choice = PriceChoice {
        tier: Tier::OnDemand,
        ..request.prices.clone()
    };
    let mut price = facts::price(
        place.catalogue,
        place.accelerator,
        &choice,
        place.fabric.together(place.count),
    )?;
    price.usd_per_hour *= 1.0 - discount;
    price.tier = Tier::Reserved.key().into();
    Ok(price)
}

/// The share of the purchase and its upkeep that an hour takes, and the power it draws.
fn owned(
    request: &CheckedRequest,
    place: &Place<'_>,
    energy_kwh: Option<Estimate>,
    time_h: Estimate,
) -> Result<PriceUsed, String> {
    let part = &place.accelerator.name;
    let owned = request.prices.owned.as_ref().ok_or(
        "Nothing says what your own hardware costs. `prices.owned` takes the price of a part, its years and its use.",
    )?;
    let hardware = owned.usd_per_hour(part).ok_or_else(|| {
        let part = &place.accelerator.label;
        format!("Nothing says what {part} cost you. `prices.owned.usd_per_accelerator` takes it.")
    })?;
    let energy = energy_kwh.ok_or("The power that your own hardware draws is unknown.")?;
    let tariff = match (owned.usd_per_kwh, &request.grid) {
        (Some(usd), _) => usd,
        (None, Some(grid)) => (place.catalogue.electricity(&grid.region))
            .map(|price| price.usd_per_kwh)
            .ok_or_else(|| {
                format!(
                    "No source states what electricity costs in {}. `prices.owned.usd_per_kwh` takes your own.",
                    grid.region
                )
            })?,
        (None, None) => {
            return Err(
                "Nothing says what electricity costs. `prices.owned.usd_per_kwh` or `region` does.".into(),
            );
        }
    };
    let overhead = match owned.pue {
        Some(pue) => pue,
        None => (place.catalogue.pue(OWN_BUILDING, None))
            .map(|pue| pue.ratio)
            .ok_or("No source states the overhead of the building (PUE). `prices.owned.pue` takes your own.")?,
    };
    let device_hours = time_h.value.max(f64::MIN_POSITIVE) * f64::from(place.count);
    let power = energy.value / device_hours * overhead * tariff;
    Ok(PriceUsed::stated(hardware + power, Tier::Owned.key()))
}
