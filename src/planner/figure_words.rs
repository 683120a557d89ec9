//! How the figures of a run come about, in words: the cost, the energy, the emissions. The window and the printed page say
//! the same.

use super::{Combination, LimitKind, Plan, PredictedRun, PriceUsed, unknown_words};
use crate::format;
use crate::units::{KilowattHours, Usd, UsdPerHour, Watts};

/// What a building adds to its computers' energy is called by this name wherever it is told.
pub const PUE: &str = "power usage effectiveness, PUE";

/// The largest batch with which ResNet-50 kept its accuracy on ImageNet by a linearly scaled learning rate and warm-up alone
/// (arXiv 1706.02677).
const LARGEST_PLAIN_BATCH: f64 = 8192.0;

impl Plan {
    /// `Cost: 32 × $1.92/h × 373.76 h; CUDO Compute, on demand, 2026`, with digits enough for whoever checks it; `None`
    /// without a price.
    pub fn cost_said(&self, c: &Combination, run: &PredictedRun) -> Option<String> {
        let price = run.price.as_ref().filter(|_| run.cost_usd.is_some())?;
        let request = &self.request;
        let hours = run.total_time_h.value / (1.0 - request.extras.idle);
        // What is paid for longer than it trains, or beside the hours, must not be missing from the product.
        let paid = match request.extras.idle > 0.0 {
            true => " paid, idle ones included",
            false => "",
        };
        let storage = match run.storage_usd >= 0.005 {
            true => format!(" + {} of storage", format::money(Usd(run.storage_usd))),
            false => String::new(),
        };
        // What was bought is told by its own price: no seller asks what is supposed.
        Some(format!(
            "Cost: {} × {} × {}{}h{paid}{storage}; {}",
            format::count(c.count.into()),
            price.before_what_if(request.what_if.price),
            format::fixed(
                hours,
                match hours {
                    h if h < 1.0 => 4,
                    h if h < 1e3 => 2,
                    _ => 0,
                }
            ),
            format::THIN,
            price.whose()
        ))
    }

    /// Steps of a run on samples and how many each takes, with a word of caution where so large a batch is known to need a
    /// recipe of its own; `None` of runs on tokens, whose field for the batch says it.
    pub fn steps_said(&self, run: &PredictedRun) -> Option<(String, bool)> {
        let is_image = self.request.image_size.is_some();
        let batch = run.configuration.strategy.global_batch();
        if !is_image {
            return None;
        }
        let steps = format!(
            "{} steps of {} samples",
            format::count(run.steps),
            format::count(batch)
        );
        let is_large = batch > LARGEST_PLAIN_BATCH;
        let caution = match is_large {
            true => format!(
                ": beyond {} (Goyal et al., arXiv 1706.02677) such a batch needs a recipe of its own, or more epochs",
                format::count(LARGEST_PLAIN_BATCH)
            ),
            false => String::new(),
        };
        Some((steps + &caution, is_large))
    }

    /// What each accelerator draws on average, and what its energy holds; `None` where the energy is unknown.
    pub fn energy_said(&self, c: &Combination, run: &PredictedRun) -> Option<String> {
        let energy = run.energy_kwh?;
        let hours = run.total_time_h.value * f64::from(c.count);
        let each = format::power(Watts(energy.value * 1e3 / hours.max(1e-12)));
        Some(format!(
            "Energy: {each} each on average, its share of the node included, the building left out"
        ))
    }

    /// The factor by which the building draws more than its computers, as the emissions of a run count it; `None` without
    /// emissions.
    pub fn building_overhead(&self, run: &PredictedRun) -> Option<f64> {
        let grid = self.request.grid.as_ref()?;
        let alone = grid.intensity * KilowattHours(run.energy_kwh?.value);
        let factor = run.co2e_kg? / alone.value();
        factor.is_finite().then_some(factor)
    }

    /// `Emissions: 20.9 kWh × 1.25 × 381 g/kWh of Germany; 1.25 is the building's (power usage effectiveness, PUE)`; that
    /// there are none where no region is set; `None` where they are unknown otherwise.
    pub fn emissions_said(&self, run: &PredictedRun) -> Option<String> {
        let Some(grid) = &self.request.grid else {
            return Some("No region is set, so emissions are not shown".to_owned());
        };
        let factor = format::fixed(self.building_overhead(run)?, 2);
        Some(format!(
            "Emissions: {} × {factor} × {} g/kWh of {}; {factor} is for the building ({PUE})",
            format::energy(KilowattHours(run.energy_kwh?.value)),
            format::number(grid.intensity.value()),
            grid.region
        ))
    }

    /// How a run stands to one of the limits that are set, in words: met for certain, likely, or missed by how much.
    pub fn limit_said(&self, kind: LimitKind, run: &PredictedRun) -> Option<String> {
        kind.of_request(&self.request)?;
        if kind.of_run(run).is_none() {
            return Some(unknown_words(kind).to_owned());
        }
        let of = |certain| {
            let mut all = self.breaches(run, certain).into_iter();
            all.find(|breach| breach.kind == kind)
        };
        Some(match (of(false), of(true)) {
            (Some(breach), _) => format!("Missed: {}", breach.words()),
            (None, Some(breach)) => format!(
                "Likely, not certain: the upper end of its interval is {}",
                breach.words()
            ),
            (None, None) => "Met, up to the upper end of its interval".to_owned(),
        })
    }
}

impl PriceUsed {
    /// `$2.99/h`, to a hundredth of a cent where a price has such, and `$2.99/h × 1.50 by What if` where a factor makes
    /// another price count.
    pub fn before_what_if(&self, factor: f64) -> String {
        let before = self.usd_per_hour / factor;
        let is_cents = ((before * 100.0).round() / 100.0 - before).abs() < 5e-5;
        let before = match is_cents {
            true => format::money_per_hour(UsdPerHour(before)),
            false => format!("${}/h", format::fixed(before, 4)),
        };
        if (factor - 1.0).abs() < 1e-9 {
            return before;
        }
        format!("{before} × {} by What if", format::fixed(factor, 2))
    }

    /// That a price is an old one, as a sentence; `None` of one that is not.
    pub fn old_said(&self) -> Option<String> {
        self.is_old.then(|| {
            format!(
                "A price of {}, more than a year older than the newest: ask {} before you rely on it",
                self.date,
                self.seller()
            )
        })
    }

    /// Whose price it is and of when: `Vast.ai, on demand, 2026-06-18`.
    pub fn whose(&self) -> String {
        let provider = self.seller();
        let date = &self.date;
        match self.tier.as_str() {
            "own" => "Your own price".to_owned(),
            "owned" => "Your own hardware".to_owned(),
            "reserved" => format!("{provider}, on demand less your discount, {date}"),
            "on-demand" => format!("{provider}, on demand, {date}"),
            tier => format!("{provider}, {tier}, {date}"),
        }
    }
}

/// A reason without the sentences that name fields of a file: the window has the fields themselves, and a printed page no
/// use for them.
pub fn plain_reason(reason: &str) -> String {
    let kept: Vec<&str> = reason
        .split_inclusive(". ")
        .map(str::trim)
        .filter(|sentence| !sentence.contains('`'))
        .collect();
    if kept.is_empty() {
        reason.replace('`', "")
    } else {
        kept.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{PlanRequest, Progress, check, plan};
    use crate::predictor::Predictor;
    use crate::presets::Catalogue;

    fn planned(more: &str) -> Plan {
        let text = format!(
            "schema = 1\nmodel = \"resnet50\"\naccelerators = [\"A100-SXM4-40GB\"]\ncounts = [8]\n\
             precisions = [\"amp-fp16\"]\ntrain = {{ steps = 200000 }}\n{more}"
        );
        let request = PlanRequest::from_toml(&text, "test").unwrap();
        let (catalogue, predictor) = (Catalogue::shipped().unwrap(), Predictor::shipped().unwrap());
        let checked = check(&request, &catalogue).unwrap();
        plan(&checked, &catalogue, &predictor, &Progress::default()).unwrap()
    }

    #[test]
    fn reasons_lose_the_names_of_fields() {
        assert_eq!(
            plain_reason("No price is known. `prices.own` takes it."),
            "No price is known."
        );
        assert_eq!(plain_reason("`a` is missing."), "a is missing.");
    }

    #[test]
    fn what_a_cost_is_said_to_be_the_product_of_gives_the_cost() {
        let plan = planned(
            "extras = { idle_percent = 20, storage_tb = 10, storage_usd_per_tb_month = 20 }\n",
        );
        let c = &plan.combinations[0];
        let run = c.run().unwrap();
        let said = plan.cost_said(c, run).unwrap();
        assert!(said.contains(" paid, idle ones included + $"), "{said}");
        let hours: f64 = said
            .split(" × ")
            .nth(2)
            .unwrap()
            .split('\u{202F}')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let of_hours = 8.0 * run.price.as_ref().unwrap().usd_per_hour * hours;
        let cost = run.cost_usd.unwrap().value;
        assert!(
            (of_hours + run.storage_usd - cost).abs() < 0.01 * cost,
            "{said} {cost}"
        );
        assert!(
            (hours / run.total_time_h.value - 1.25).abs() < 0.01,
            "{said}"
        );
    }

    #[test]
    fn emissions_name_the_building_between_energy_and_grid() {
        let plan = planned("region = \"Germany\"\n");
        let run = plan.combinations[0].run().unwrap();
        let factor = plan.building_overhead(run).unwrap();
        assert!(factor > 1.0 && factor < 2.0, "{factor}");
        let said = plan.emissions_said(run).unwrap();
        let word = format!("× {factor:.2} ×");
        assert!(said.contains(&word) && said.contains("PUE"), "{said}");
        let without = planned("");
        let run = without.combinations[0].run().unwrap();
        assert_eq!(without.building_overhead(run), None);
        let said = without.emissions_said(run).unwrap();
        assert!(said.starts_with("No region is set"), "{said}");
    }

    #[test]
    fn a_limit_is_met_likely_or_missed() {
        let free = planned("");
        let time = free.combinations[0].run().unwrap().total_time_h;
        let of = |hours: f64| {
            let plan = planned(&format!("limits = {{ deadline_h = {hours} }}\n"));
            let run = plan.combinations[0].run().unwrap();
            assert_eq!(plan.limit_said(LimitKind::Budget, run), None);
            plan.limit_said(LimitKind::Deadline, run).unwrap()
        };
        assert!(of(time.high * 1.1).starts_with("Met"));
        assert!(of(f64::midpoint(time.value, time.high)).starts_with("Likely, not certain"));
        assert!(of(time.value * 0.5).starts_with("Missed: "));
    }
}
