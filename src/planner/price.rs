//! Which prices a request takes, the one a cost was computed with, and of when they are.

use super::choices::Owned;
use crate::presets::{Price, Tier, seller_label};
use std::collections::BTreeMap;

/// Which prices to take.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceChoice {
    /// Provider key; `None` = whoever is cheapest.
    pub provider: Option<String>,
    /// One combination for each seller of a part.
    pub every_seller: bool,
    /// On-demand or spot.
    pub tier: Tier,
    /// The user's own prices: catalogue name of the accelerator to US dollars per accelerator and hour.
    pub own: BTreeMap<String, f64>,
    /// What a reservation takes off the on-demand price, as a share.
    pub reserved_discount: Option<f64>,
    /// The user's own hardware.
    pub owned: Option<Owned>,
}

impl Default for PriceChoice {
    fn default() -> Self {
        Self {
            provider: None,
            every_seller: false,
            tier: Tier::OnDemand,
            own: BTreeMap::new(),
            reserved_discount: None,
            owned: None,
        }
    }
}

/// The price a cost was computed with.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceUsed {
    /// Per accelerator.
    pub usd_per_hour: f64,
    /// Provider key, or `own`.
    pub provider: String,
    /// `on-demand`, `spot` or `own`.
    pub tier: String,
    /// Where the figure is from.
    pub source: String,
    /// Its date, `YYYY-MM-DD` or `YYYY-MM`.
    pub date: String,
    /// As part of what it is sold, where that is stated.
    pub instance: Option<String>,
    /// Where, if stated.
    pub region: Option<String>,
    /// Whether it is more than a year older than the newest price of the catalogue.
    pub is_old: bool,
    /// What its source or whoever read it adds, a commit for one.
    pub note: Option<String>,
}

impl PriceUsed {
    /// A price of the catalogue, for a run that wants so many accelerators `together` in one node.
    pub(crate) fn listed(price: &Price, together: u32) -> Self {
        let joins = price.joins(together);
        let apart = (joins < together).then(|| match joins {
            1 => "sold as single accelerators: what joins them to nodes is not in it".to_owned(),
            most => format!("sold by {most}: what joins {together} is not in it"),
        });
        let notes: Vec<String> = apart.into_iter().chain(price.note.clone()).collect();
        Self {
            usd_per_hour: price.usd_per_hour.value(),
            provider: price.provider.clone(),
            tier: price.tier.key().into(),
            source: price.source.clone(),
            date: price.date.clone(),
            instance: Some(price.instance.clone()),
            region: price.region.clone(),
            is_old: price.stale,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        }
    }

    /// What the seller is called.
    pub fn seller(&self) -> &str {
        seller_label(&self.provider)
    }

    /// A price that the user states, by the hour or by what the hardware cost.
    pub(crate) fn stated(usd_per_hour: f64, tier: &str) -> Self {
        Self {
            usd_per_hour,
            provider: "own".into(),
            tier: tier.into(),
            source: "the request".into(),
            date: String::new(),
            instance: None,
            region: None,
            is_old: false,
            note: None,
        }
    }
}

/// Oldest and newest date of some prices; each may name a day, a month or a year alone, as its source does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceDates {
    /// The oldest.
    pub oldest: String,
    /// The newest.
    pub newest: String,
}

impl PriceDates {
    /// Of these dates, left out where empty; `None` where there is none.
    pub(super) fn of<'a>(dates: impl Iterator<Item = &'a str>) -> Option<Self> {
        let dates: Vec<&str> = dates.filter(|date| !date.is_empty()).collect();
        let (oldest, newest) = dates.iter().min().zip(dates.iter().max())?;
        Some(Self {
            oldest: (*oldest).to_owned(),
            newest: (*newest).to_owned(),
        })
    }
}

impl std::fmt::Display for PriceDates {
    /// `2026 to 2026-06-18`; a date alone where all are of one.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.oldest == self.newest {
            return f.write_str(&self.newest);
        }
        write!(f, "{} to {}", self.oldest, self.newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_prices_span_from_the_oldest_to_the_newest() {
        let told = |dates: &[&str]| {
            let dates = PriceDates::of(dates.iter().copied());
            dates.map_or_else(String::new, |d| d.to_string())
        };
        assert_eq!(
            told(&["2026-06-18", "", "2026", "2026-03"]),
            "2026 to 2026-06-18"
        );
        assert_eq!(told(&["2025-11-02", "2026"]), "2025-11-02 to 2026");
        assert_eq!(told(&["2026-06", "2026-06"]), "2026-06");
        assert_eq!(told(&["", ""]), "");
    }
}
