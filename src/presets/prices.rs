//! Prices of accelerator hours.

use super::error::{NameKind, PresetError, UnknownName};
use super::fields::{Count, Date, Positive, Text};
use super::files::PresetFile;
use super::names::{nearest, normalise};
use super::sellers::seller_label;
use crate::units::UsdPerHour;
use serde::Deserialize;
use std::cmp::{Ordering, Reverse};
use std::str::FromStr;

/// A price older than this before the newest price of the catalogue is stale (months).
const STALE_AFTER_MONTHS: i32 = 12;
/// The provider of a user's own price; it wins wherever no provider is named.
const OWN: &str = "own";
/// Words on the basis of prices that count only where there is nothing better: bids that move, accelerators without
/// their host, and figures somebody else copied.
const SECOND_CHOICE: [&str; 3] = ["marketplace", "accelerator only", "third-party page"];

/// How an accelerator hour is bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// At list price, for as long as one likes.
    OnDemand,
    /// At a discount, until somebody else needs it.
    Spot,
    /// At a discount, for a term that is paid whatever is used.
    Reserved,
    /// Not bought by the hour: the user's own hardware.
    Owned,
}

impl Tier {
    /// The word of files and flags.
    pub const fn key(self) -> &'static str {
        match self {
            Self::OnDemand => "on-demand",
            Self::Spot => "spot",
            Self::Reserved => "reserved",
            Self::Owned => "owned",
        }
    }
}

impl FromStr for Tier {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        [Self::OnDemand, Self::Spot, Self::Reserved, Self::Owned]
            .into_iter()
            .find(|tier| normalise(tier.key()) == normalise(word))
            .ok_or_else(|| {
                format!("unknown tier `{word}`; allowed: on-demand, spot, reserved, owned")
            })
    }
}

/// What an hour of one accelerator costs somewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Key of the accelerator.
    pub accelerator: String,
    /// US dollars per hour and accelerator.
    pub usd_per_hour: UsdPerHour,
    /// Who sells it.
    pub provider: String,
    /// As part of what.
    pub instance: String,
    /// Accelerators of that instance.
    pub accelerators: u32,
    /// Said of an accelerator, whatever it is sold in: so many as one likes stand together.
    pub any_count: bool,
    /// Where, if stated.
    pub region: Option<String>,
    /// Bought how.
    pub tier: Tier,
    /// Where the figure is from.
    pub source: String,
    /// When it was valid: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    pub date: String,
    /// More than a year older than the newest price of the catalogue.
    pub stale: bool,
    /// Anything a buyer should know.
    pub note: Option<String>,
    second_choice: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PricesFile {
    pub schema: u32,
    #[serde(default)]
    price: Vec<PriceRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceRow {
    provider: Text,
    instance: Text,
    region: Option<Text>,
    accelerator: toml::Spanned<String>,
    accelerators: Count,
    #[serde(default)]
    any_count: bool,
    on_demand_usd_per_accelerator_hour: Option<Positive>,
    spot_usd_per_accelerator_hour: Option<Positive>,
    spot_dated: Option<Date>,
    basis: Option<Text>,
    source: Text,
    retrieved: Date,
    note: Option<Text>,
}

impl PriceRow {
    fn prices(&self, accelerator: &str) -> impl Iterator<Item = Price> {
        let spot_date = self.spot_dated.as_ref().unwrap_or(&self.retrieved);
        [
            (
                Tier::OnDemand,
                self.on_demand_usd_per_accelerator_hour,
                &self.retrieved,
            ),
            (Tier::Spot, self.spot_usd_per_accelerator_hour, spot_date),
        ]
        .into_iter()
        .filter_map(move |(tier, usd, date)| {
            Some(Price {
                accelerator: accelerator.to_owned(),
                usd_per_hour: UsdPerHour(usd?.0),
                provider: self.provider.0.clone(),
                instance: self.instance.0.clone(),
                accelerators: self.accelerators.0,
                any_count: self.any_count,
                region: self.region.as_ref().map(|r| r.0.clone()),
                tier,
                source: self.source.0.clone(),
                date: date.0.clone(),
                stale: false,
                note: self.note.as_ref().map(|n| n.0.clone()),
                second_choice: self
                    .basis
                    .as_ref()
                    .is_some_and(|b| SECOND_CHOICE.contains(&b.0.as_str())),
            })
        })
    }
}

/// All prices of the catalogue.
#[derive(Debug, Clone, Default)]
pub(super) struct PriceList(Vec<Price>);

impl PriceList {
    /// Adds the prices of a file; one for the same shape and place replaces the earlier. `resolve` finds the key of
    /// an accelerator.
    pub(super) fn add(
        &mut self,
        file: &PresetFile,
        parsed: &PricesFile,
        resolve: impl Fn(&str) -> Result<String, UnknownName>,
    ) -> Result<(), PresetError> {
        for row in &parsed.price {
            let accelerator = resolve(row.accelerator.get_ref()).map_err(|unknown| {
                file.at(
                    Some(row.accelerator.span()),
                    &format!("field `accelerator`: {unknown}"),
                )
            })?;
            for price in row.prices(&accelerator) {
                self.0.retain(|old| !old.same_offer(&price));
                self.0.push(price);
            }
        }
        Ok(())
    }

    /// Marks what is stale, once all files are in.
    pub(super) fn finish(mut self) -> Self {
        let newest = self.0.iter().map(|p| months(&p.date)).max().unwrap_or(0);
        for price in &mut self.0 {
            price.stale = newest - months(&price.date) > STALE_AFTER_MONTHS;
        }
        self.0.sort_by(|a, b| {
            (&a.accelerator, &a.provider, a.tier)
                .cmp(&(&b.accelerator, &b.provider, b.tier))
                .then(a.cheaper(b))
        });
        self
    }

    /// Prices of a part.
    pub(super) fn of<'a, 'b>(
        &'a self,
        accelerator: &'b str,
    ) -> impl Iterator<Item = &'a Price> + use<'a, 'b> {
        self.0.iter().filter(move |p| p.accelerator == accelerator)
    }

    /// The price to plan with: see [`super::Catalogue::price`].
    pub(super) fn best(
        &self,
        accelerator: &str,
        provider: Option<&str>,
        tier: Tier,
        together: u32,
    ) -> Option<&Price> {
        let wanted = provider.map(normalise);
        self.of(accelerator)
            .filter(|p| p.tier == tier)
            .filter(|p| wanted.as_ref().is_none_or(|w| *w == normalise(&p.provider)))
            .min_by(|a, b| {
                let rank = |p: &Price| {
                    let joined = Reverse(p.joins(together));
                    (p.provider != OWN, p.stale, p.second_choice, joined)
                };
                rank(a).cmp(&rank(b)).then(a.cheaper(b))
            })
    }

    /// Sellers, sorted.
    pub(super) fn providers(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.iter().map(|p| p.provider.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The seller of that key or name.
    pub(super) fn provider(&self, name: &str) -> Result<&str, UnknownName> {
        let known = self.providers();
        let wanted = normalise(name);
        known
            .iter()
            .copied()
            .find(|p| normalise(p) == wanted || normalise(seller_label(p)) == wanted)
            .ok_or_else(|| UnknownName {
                kind: NameKind::Provider,
                name: name.to_owned(),
                nearest: nearest(name, known.iter().map(|p| (*p, *p))),
            })
    }
}

impl Price {
    /// How many of `together` accelerators that a run wants in one node an instance of this price holds.
    pub fn joins(&self, together: u32) -> u32 {
        if self.any_count || self.provider == OWN {
            return together;
        }
        self.accelerators.min(together)
    }

    fn same_offer(&self, other: &Self) -> bool {
        self.accelerator == other.accelerator
            && self.tier == other.tier
            && normalise(&self.provider) == normalise(&other.provider)
            && self.instance == other.instance
            && self.region == other.region
    }

    fn cheaper(&self, other: &Self) -> Ordering {
        self.usd_per_hour
            .0
            .total_cmp(&other.usd_per_hour.0)
            .then_with(|| self.instance.cmp(&other.instance))
    }
}

/// Months since year 0; a bare year counts as its middle.
fn months(date: &str) -> i32 {
    let mut parts = date.split('-').map(|p| p.parse::<i32>().unwrap_or(0));
    let year = parts.next().unwrap_or(0);
    year * 12 + parts.next().unwrap_or(6)
}
