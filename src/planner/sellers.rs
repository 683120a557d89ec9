//! One combination for each seller of a part, where a request asks for them side by side: the same run at other prices.

use super::{CheckedRequest, Combination, Outcome, PredictedRun, PriceUsed, facts};
use crate::domain::Accelerator;
use crate::predictor::Estimate;
use crate::presets::{Catalogue, Tier};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Every combination once for each seller, the one it would have alone first, the others by price. Combinations without
/// a listed price stay as they are.
pub(super) fn each(
    request: &CheckedRequest,
    catalogue: &Catalogue,
    combinations: Vec<Combination>,
) -> Vec<Combination> {
    if !request.prices.every_seller {
        return combinations;
    }
    let mut known: BTreeMap<(String, u32), Vec<PriceUsed>> = BTreeMap::new();
    let mut all = Vec::with_capacity(combinations.len());
    for combination in combinations {
        let part = &combination.accelerator;
        let together = combination.run().map_or(1, |run| {
            run.configuration.fabric.together(combination.count)
        });
        let offers = known
            .entry((part.name.clone(), together))
            .or_insert_with(|| offers(request, catalogue, part, together));
        let own = match combination.run() {
            Some(run) => run.price.clone(),
            None => None,
        };
        let Some(own) = own.filter(|_| !offers.is_empty()) else {
            all.push(combination);
            continue;
        };
        let others = offers.iter().filter(|o| o.provider != own.provider);
        let others: Vec<Combination> = others
            .map(|offer| at_price(request, catalogue, &combination, &own, offer))
            .collect();
        all.push(Combination {
            seller: Some(own.provider),
            ..combination
        });
        all.extend(others);
    }
    all
}

/// What each seller asks for a part the way the request buys, for runs that want so many `together` in one node, scaled
/// by the what-if; nothing where the person states the price.
fn offers(
    request: &CheckedRequest,
    catalogue: &Catalogue,
    part: &Accelerator,
    together: u32,
) -> Vec<PriceUsed> {
    let choice = &request.prices;
    let (tier, share) = match (choice.tier, choice.reserved_discount) {
        _ if choice.own.contains_key(&part.name) => return Vec::new(),
        (Tier::OnDemand | Tier::Spot, _) => (choice.tier, 1.0),
        (Tier::Reserved, Some(discount)) => (Tier::OnDemand, 1.0 - discount),
        (Tier::Reserved, None) | (Tier::Owned, _) => return Vec::new(),
    };
    let sellers = catalogue.providers().into_iter();
    let mut offers: Vec<PriceUsed> = sellers
        .filter_map(|seller| catalogue.price(&part.name, Some(seller), tier, together))
        .map(|price| {
            let mut offer = PriceUsed::listed(price, together);
            offer.usd_per_hour *= share * request.what_if.price;
            choice.tier.key().clone_into(&mut offer.tier);
            offer
        })
        .collect();
    offers.sort_by(|a, b| {
        let by_price = a.usd_per_hour.partial_cmp(&b.usd_per_hour);
        by_price
            .unwrap_or(Ordering::Equal)
            .then_with(|| a.provider.cmp(&b.provider))
    });
    offers
}

/// A combination with what follows from another seller: cost, and emissions by the overhead of its buildings.
fn at_price(
    request: &CheckedRequest,
    catalogue: &Catalogue,
    combination: &Combination,
    own: &PriceUsed,
    offer: &PriceUsed,
) -> Combination {
    let mut other = combination.clone();
    other.seller = Some(offer.provider.clone());
    if let Outcome::Predicted(run) = &mut other.outcome {
        reprice(run, offer.usd_per_hour / own.usd_per_hour);
        let overhead = |provider: &str| {
            let region = &request.grid.as_ref()?.region;
            facts::building_overhead(catalogue, Some(provider), region).ok()
        };
        if let Some((was, is)) = overhead(&own.provider).zip(overhead(&offer.provider)) {
            run.co2e_kg = run.co2e_kg.map(|kg| kg * is / was);
        }
        run.price = Some(offer.clone());
    }
    other
}

/// Hours cost so many times as much; storage costs what it did.
fn reprice(run: &mut PredictedRun, times: f64) {
    let storage = run.storage_usd;
    run.cost_usd = run.cost_usd.map(|cost| {
        let of = |usd: f64| (usd - storage) * times + storage;
        Estimate {
            value: of(cost.value),
            low: of(cost.low),
            high: of(cost.high),
        }
    });
}
