//! The price of an accelerator hour as the window lists it, and the words for whose it is.

use crate::domain::Accelerator;
use crate::format;
use crate::planner::{Owned, OwnedRequest, PlanRequest, PriceDates, PriceUsed};
use crate::presets::{Catalogue, Tier};
use crate::units::UsdPerHour;
use std::collections::BTreeMap;

/// The prices a request would use for a part, by rising count. Hardware of one's own is listed without the power it draws,
/// which differs from run to run. None where no source and no person states one.
pub fn by_count(
    catalogue: &Catalogue,
    request: &PlanRequest,
    part: &Accelerator,
) -> Vec<(u32, PriceUsed)> {
    let mut counts = request.counts.clone();
    counts.sort_unstable();
    counts.dedup();
    if counts.is_empty() {
        counts.push(1);
    }
    (counts.into_iter())
        .filter_map(|count| Some((count, listed(catalogue, request, part, count)?)))
        .collect()
}

/// `$1.92/h`, and `$0.14–0.79/h` where the count makes a difference; `factor` is that of a what-if.
pub fn range(prices: &[(u32, PriceUsed)], factor: f64) -> Option<String> {
    let by = |a: &&PriceUsed, b: &&PriceUsed| a.usd_per_hour.total_cmp(&b.usd_per_hour);
    let all = || prices.iter().map(|(_, price)| price);
    let (low, high) = all().min_by(by).zip(all().max_by(by))?;
    let same = format::fixed(low.usd_per_hour, 2) == format::fixed(high.usd_per_hour, 2);
    Some(if same || (factor - 1.0).abs() > 1e-9 {
        counting(high, factor)
    } else {
        let end = |price: &PriceUsed| format::fixed(price.usd_per_hour, 2);
        format!("${}–{}/h", end(low), end(high))
    })
}

/// The price of a part for a run on `count` of them.
fn listed(
    catalogue: &Catalogue,
    request: &PlanRequest,
    part: &Accelerator,
    count: u32,
) -> Option<PriceUsed> {
    let wanted = request.prices.clone().unwrap_or_default();
    if let Some(usd) = value_for(catalogue, &wanted.own_usd_per_hour, part) {
        return Some(PriceUsed::stated(usd, "own"));
    }
    let word = wanted.tier.as_deref().unwrap_or_default();
    if word == Tier::Owned.key() {
        let owned = wanted.owned.as_ref()?;
        return Some(PriceUsed::stated(
            hardware(catalogue, owned, part)?,
            Tier::Owned.key(),
        ));
    }
    if word == Tier::Reserved.key() {
        let share = 1.0 - wanted.reserved_discount_percent? / 100.0;
        let mut price = published(catalogue, request, part, (Tier::OnDemand, count))?;
        price.usd_per_hour *= share;
        price.tier = Tier::Reserved.key().into();
        return Some(price);
    }
    let tier = if word == Tier::Spot.key() {
        Tier::Spot
    } else {
        Tier::OnDemand
    };
    published(catalogue, request, part, (tier, count))
}

/// How many of a part stand in one node of a run on `count` of them.
fn together(catalogue: &Catalogue, part: &Accelerator, count: u32) -> u32 {
    let count = count.max(1);
    catalogue
        .fabric(part, None, count, None, None)
        .together(count)
}

/// Who lists a price for any part of a request the way it buys: see [`super::backend::Backend::sellers`].
pub fn sellers(catalogue: &Catalogue, request: &PlanRequest) -> Vec<(String, f64)> {
    let asked = request.prices.clone().unwrap_or_default();
    let word = asked.tier.unwrap_or_default();
    let tier = match word.as_str() {
        word if word == Tier::Owned.key() => return Vec::new(),
        word if word == Tier::Spot.key() => Tier::Spot,
        _ => Tier::OnDemand,
    };
    let parts: Vec<&Accelerator> = (request.accelerators.iter())
        .filter_map(|name| catalogue.accelerator(name).ok().map(AsRef::as_ref))
        .collect();
    let most = request.counts.iter().max().copied().unwrap_or(1);
    let lowest = |seller: &str| {
        (parts.iter())
            .filter_map(|part| {
                let together = together(catalogue, part, most);
                catalogue.price(&part.name, Some(seller), tier, together)
            })
            .map(|price| price.usd_per_hour.value())
            .min_by(f64::total_cmp)
    };
    (catalogue.providers().into_iter())
        .filter_map(|seller| Some((seller.to_owned(), lowest(seller)?)))
        .collect()
}

/// What a person's list says of a part, whatever alias it uses; of several the last counts, as in the planner.
fn value_for(
    catalogue: &Catalogue,
    list: &BTreeMap<String, f64>,
    part: &Accelerator,
) -> Option<f64> {
    list.iter()
        .rev()
        .find(|(name, _)| {
            catalogue
                .accelerator(name)
                .is_ok_and(|a| a.name == part.name)
        })
        .map(|(_, value)| *value)
}

fn hardware(catalogue: &Catalogue, asked: &OwnedRequest, part: &Accelerator) -> Option<f64> {
    let purchase = value_for(catalogue, &asked.usd_per_accelerator, part)?;
    let owned = Owned {
        usd_per_accelerator: BTreeMap::from([(part.name.clone(), purchase)]),
        years: asked.years,
        in_use: asked.use_percent / 100.0,
        upkeep: asked.upkeep_percent.unwrap_or(0.0) / 100.0,
        usd_per_kwh: asked.usd_per_kwh,
        pue: asked.pue,
    };
    owned.usd_per_hour(&part.name).filter(|usd| usd.is_finite())
}

fn published(
    catalogue: &Catalogue,
    request: &PlanRequest,
    part: &Accelerator,
    (tier, count): (Tier, u32),
) -> Option<PriceUsed> {
    let provider = request.prices.as_ref().and_then(|p| p.provider.as_deref());
    let together = together(catalogue, part, count);
    let price = catalogue.price(&part.name, provider, tier, together)?;
    Some(PriceUsed::listed(price, together))
}

/// `$1.82/h`.
pub fn amount(price: &PriceUsed) -> String {
    format::money_per_hour(UsdPerHour(price.usd_per_hour))
}

/// The factor that a request puts on every price.
pub fn factor(request: &PlanRequest) -> f64 {
    request
        .what_if
        .as_ref()
        .and_then(|w| w.price)
        .unwrap_or(1.0)
}

/// `$2.99 → $4.49/h` where a factor makes another price count than the list's, else the price alone.
pub fn counting(price: &PriceUsed, factor: f64) -> String {
    if (factor - 1.0).abs() < 1e-9 {
        return amount(price);
    }
    let listed = format::fixed(price.usd_per_hour, 2);
    let counts = format::money_per_hour(UsdPerHour(price.usd_per_hour * factor));
    format!("${listed} → {counts}")
}

/// What a price was before a what-if made another of it, by its kind: only a provider's is a list's.
pub fn by_what_if(price: &PriceUsed, factor: f64) -> String {
    let before = format::money_per_hour(UsdPerHour(price.usd_per_hour / factor));
    let before = match price.tier.as_str() {
        "own" => format!("Your own price is {before}"),
        "owned" => format!("Your own hardware comes to {before}"),
        "reserved" => format!("{before} after your discount"),
        "spot" => format!("Listed at {before} on the spot market"),
        _ => format!("Listed at {before} on demand"),
    };
    format!("{before}, times {} by What if", format::fixed(factor, 2))
}

/// Of when prices are: `Prices of 2026-08`; where a date is but a year, `Prices of 2026, the newest of 2026-08`.
pub fn dates(dates: &PriceDates) -> String {
    let (oldest, newest) = (&dates.oldest, &dates.newest);
    if oldest == newest {
        format!("Prices of {newest}")
    } else if newest.starts_with(oldest.as_str()) {
        format!("Prices of {oldest}, the newest of {newest}")
    } else {
        format!("Prices from {oldest} to {newest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::PriceRequest;

    #[test]
    fn a_span_of_dates_is_said_in_words_that_hold_for_years_and_days() {
        let told = |oldest: &str, newest: &str| {
            dates(&PriceDates {
                oldest: oldest.to_owned(),
                newest: newest.to_owned(),
            })
        };
        assert_eq!(told("2026-08", "2026-08"), "Prices of 2026-08");
        assert_eq!(
            told("2026", "2026-08"),
            "Prices of 2026, the newest of 2026-08"
        );
        assert_eq!(told("2025-11", "2026"), "Prices from 2025-11 to 2026");
    }

    fn request(prices: PriceRequest) -> PlanRequest {
        PlanRequest {
            prices: Some(prices),
            ..PlanRequest::default()
        }
    }

    #[test]
    fn every_way_to_buy_has_its_price_or_none() {
        let catalogue = Catalogue::shipped().unwrap();
        let part = catalogue.accelerator("H100-SXM5-80GB").unwrap();
        let price = |prices: PriceRequest| listed(&catalogue, &request(prices), part, 1);
        let on_demand = price(PriceRequest::default()).unwrap().usd_per_hour;
        let reserved = PriceRequest {
            tier: Some("reserved".into()),
            ..PriceRequest::default()
        };
        // No provider publishes one: without the person's discount there is no price.
        assert_eq!(price(reserved.clone()), None);
        let half = PriceRequest {
            reserved_discount_percent: Some(50.0),
            ..reserved
        };
        let found = price(half).unwrap();
        assert!((found.usd_per_hour - on_demand / 2.0).abs() < 1e-9);
        assert!(found.whose().contains("less your discount"));
        let mut owned = PriceRequest {
            tier: Some("owned".into()),
            owned: Some(OwnedRequest {
                years: 4.0,
                use_percent: 50.0,
                ..OwnedRequest::default()
            }),
            ..PriceRequest::default()
        };
        assert_eq!(price(owned.clone()), None);
        if let Some(owned) = &mut owned.owned {
            owned
                .usd_per_accelerator
                .insert("H100-SXM5-80GB".into(), 35_064.0);
        }
        assert!((price(owned.clone()).unwrap().usd_per_hour - 2.0).abs() < 1e-9);
        owned.own_usd_per_hour.insert("H100-SXM5-80GB".into(), 1.25);
        assert_eq!(price(owned).unwrap().whose(), "Your own price");
    }

    #[test]
    fn sellers_are_those_of_the_parts_and_the_way_of_buying() {
        let catalogue = Catalogue::shipped().unwrap();
        let of = |tier: Option<&str>| {
            let mut request = request(PriceRequest {
                tier: tier.map(str::to_owned),
                ..PriceRequest::default()
            });
            request.accelerators = vec!["H100-SXM5-80GB".into()];
            sellers(&catalogue, &request)
        };
        let part = catalogue.accelerator("H100-SXM5-80GB").unwrap();
        let on_demand = of(None);
        assert!(on_demand.len() > 3, "{on_demand:?}");
        for (seller, usd) in &on_demand {
            let price = catalogue.price(&part.name, Some(seller), Tier::OnDemand, 1);
            assert!(
                price.is_some_and(|p| *usd >= p.usd_per_hour.value()),
                "{seller}"
            );
        }
        assert_ne!(of(Some("spot")), on_demand);
        assert_eq!(of(Some("owned")), Vec::new());
    }
}
