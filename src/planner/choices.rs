//! What a checked request asks beyond the grid: limits, extras, what to minimise, schedules, and what-ifs.

use crate::domain::PrecisionMode;
use std::collections::BTreeMap;

/// Limits beside budget and deadline.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Limits {
    /// Energy in kilowatt-hours.
    pub energy_kwh: Option<f64>,
    /// Emissions in kilograms of CO2 equivalent.
    pub co2e_kg: Option<f64>,
    /// Share of each device's memory that must stay free.
    pub memory_headroom: f64,
    /// How many of a part can be had, by catalogue name.
    pub available: BTreeMap<String, u32>,
}

/// What a run costs beside its steps; shares from 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Extras {
    /// Evaluation over training time.
    pub evaluation: f64,
    /// Share of the paid hours in which nothing runs.
    pub idle: f64,
    /// Decimal terabytes in store.
    pub storage_tb: f64,
    /// US dollars for a terabyte and month.
    pub storage_usd_per_tb_month: f64,
}

/// Weights of what the best plan minimises; at least one is above 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Minimise {
    /// Weight of the total time.
    pub time: f64,
    /// Weight of the cost.
    pub cost: f64,
    /// Weight of the energy.
    pub energy: f64,
    /// Weight of the emissions.
    pub emissions: f64,
}

/// Factors on what the catalogue says; 1 changes nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WhatIf {
    /// On every price of an accelerator hour.
    pub price: f64,
    /// On the bandwidth between nodes.
    pub network: f64,
    /// On the rate of interruptions.
    pub failures: f64,
}

impl Default for WhatIf {
    fn default() -> Self {
        Self {
            price: 1.0,
            network: 1.0,
            failures: 1.0,
        }
    }
}

/// One phase of a precision schedule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// The mode.
    pub mode: PrecisionMode,
    /// Share of the steps, 0 to 1.
    pub share: f64,
}

/// At least `share` of the steps must run at or above the fidelity of `mode`.
pub type ScheduleRule = Phase;

/// Hardware of one's own.
#[derive(Debug, Clone, PartialEq)]
pub struct Owned {
    /// Catalogue name to US dollars for one accelerator with its share of node and network.
    pub usd_per_accelerator: BTreeMap<String, f64>,
    /// Years until it is written off.
    pub years: f64,
    /// Share of those years in which it works.
    pub in_use: f64,
    /// Upkeep a year over the purchase.
    pub upkeep: f64,
    /// US dollars for a kilowatt-hour; `None` = what industry pays in the region.
    pub usd_per_kwh: Option<f64>,
    /// Energy of the building over that of its computers; `None` = the average of companies' own.
    pub pue: Option<f64>,
}

impl Owned {
    /// Hours of a mean year.
    const YEAR_H: f64 = 8766.0;

    /// US dollars for an hour of use of a part, without power; `None` where its price is not given.
    pub fn usd_per_hour(&self, part: &str) -> Option<f64> {
        let purchase = self.usd_per_accelerator.get(part)?;
        let a_year = purchase * (1.0 / self.years + self.upkeep);
        Some(a_year / (Self::YEAR_H * self.in_use))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owned_hour_is_its_share_of_the_purchase() {
        let owned = Owned {
            usd_per_accelerator: BTreeMap::from([("X".to_owned(), 35_064.0)]),
            years: 4.0,
            in_use: 0.5,
            upkeep: 0.05,
            usd_per_kwh: None,
            pue: None,
        };
        // 35 064 / 4 / 8 766 = 1 $/h written off, 0.2 $/h upkeep; doubled, since half the hours are used.
        let hour = owned.usd_per_hour("X").unwrap();
        assert!((hour - 2.4).abs() < 1e-9, "{hour}");
        assert_eq!(owned.usd_per_hour("Y"), None);
    }
}
