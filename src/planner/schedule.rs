//! Runs whose phases are in different precision modes, and the fastest schedule that keeps a rule.
//!
//! Each phase runs in the layout that is best for its mode, from the checkpoint of the one before; its share of the
//! steps takes that share of what the whole run would take in that mode.

use super::choices::{Phase, ScheduleRule};
use super::{Combination, Plan, PredictedRun};
use crate::domain::{Accelerator, PrecisionMode};
use crate::format;
use crate::predictor::Estimate;
use crate::units::Usd;
use std::sync::Arc;

/// Where a schedule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleKind {
    /// As the request writes it.
    Asked,
    /// The fastest under the request's rule.
    Fastest,
}

impl ScheduleKind {
    /// The word of files.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Fastest => "fastest",
        }
    }
}

/// A schedule on one part and count.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Where it comes from.
    pub kind: ScheduleKind,
    /// Part.
    pub accelerator: Arc<Accelerator>,
    /// Devices.
    pub count: u32,
    /// Its phases and totals, or why it cannot run.
    pub outcome: Result<ScheduleTotals, String>,
}

/// Phases of a schedule and what they add up to.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleTotals {
    /// Phases, first to last.
    pub phases: Vec<PhaseTotals>,
    /// Total time in hours.
    pub total_time_h: Estimate,
    /// Cost in US dollars; `None` where a phase has none.
    pub cost_usd: Option<Estimate>,
    /// Energy in kilowatt-hours; `None` where a phase has none.
    pub energy_kwh: Option<Estimate>,
    /// Emissions in kilograms of CO2 equivalent; `None` where a phase has none.
    pub co2e_kg: Option<f64>,
}

/// One phase of a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseTotals {
    /// Mode and share of the steps.
    pub phase: Phase,
    /// Steps of the phase.
    pub steps: f64,
    /// Its time in hours.
    pub time_h: Estimate,
    /// Its cost in US dollars.
    pub cost_usd: Option<Estimate>,
    /// Layout in one line.
    pub layout: String,
}

/// A schedule beside the fastest mode throughout, on the same part and count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgainstOneMode {
    /// The fastest mode throughout.
    pub mode: PrecisionMode,
    /// Hours that the schedule takes more than that; below zero where it takes less.
    pub more_h: f64,
}

/// Hours that nobody plans by: a share of a run's time.
const ALIKE: f64 = 0.005;

impl AgainstOneMode {
    /// In words: `3 h more than FP8 throughout`.
    pub fn words(&self) -> String {
        let (hours, mode) = (format::hours(self.more_h.abs()), self.mode.label());
        if self.more_h > 0.0 {
            format!("{hours} more than {mode} throughout")
        } else if self.more_h < 0.0 {
            format!("{hours} less than {mode} throughout")
        } else {
            format!("as long as {mode} throughout")
        }
    }
}

impl Schedule {
    /// Whether it runs on the part and count of a combination.
    fn is_on(&self, c: &Combination) -> bool {
        c.count == self.count && c.accelerator.name == self.accelerator.name
    }
}

impl Plan {
    /// The schedules on the part and count of a combination.
    pub fn schedules_of(&self, c: &Combination) -> impl Iterator<Item = &Schedule> {
        let is_here = |s: &&Schedule| s.is_on(c);
        self.schedules.iter().filter(is_here)
    }

    /// The schedule on the part and count of a combination in words, the one that was asked for first; `None` where none can
    /// run there.
    pub fn scheduled_said(&self, c: &Combination) -> Option<String> {
        let runs = self
            .schedules_of(c)
            .filter_map(|s| Some((s.kind, s.outcome.as_ref().ok()?)));
        let (_, totals) = runs.min_by_key(|(kind, _)| *kind != ScheduleKind::Asked)?;
        let phases = totals.phases.iter().map(|p| {
            let share = format::percent(p.phase.share);
            format!("{share} {}", p.phase.mode.label())
        });
        let cost = totals.cost_usd.map_or_else(String::new, |usd| {
            format!(", {}", format::money(Usd(usd.value)))
        });
        Some(format!(
            "As a schedule, {}: {}{cost}.",
            phases.collect::<Vec<_>>().join(", then "),
            format::hours(totals.total_time_h.value)
        ))
    }

    /// A schedule beside the fastest mode throughout; `None` where either cannot run.
    pub fn against_one_mode(&self, schedule: &Schedule) -> Option<AgainstOneMode> {
        let total = schedule.outcome.as_ref().ok()?.total_time_h.value;
        let here = self.combinations.iter().filter(|c| schedule.is_on(c));
        let (mode, best) = here
            .filter_map(|c| Some((c.mode, c.run()?.total_time_h.value)))
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        let more = total - best;
        let is_alike = more.abs() <= ALIKE * best;
        Some(AgainstOneMode {
            mode,
            more_h: if is_alike { 0.0 } else { more },
        })
    }
}

/// The schedule as asked, from combinations that hold each of its modes for one part and count.
pub(super) fn asked(
    phases: &[Phase],
    combinations: &[Combination],
) -> Result<ScheduleTotals, String> {
    let mut parts = Vec::new();
    for phase in phases.iter().filter(|phase| phase.share > 0.0) {
        let found = combinations.iter().find(|c| c.mode == phase.mode);
        let run = found
            .and_then(Combination::run)
            .ok_or_else(|| refusal(found, phase))?;
        parts.push((*phase, run));
    }
    add_up(&parts)
}

fn refusal(found: Option<&Combination>, phase: &Phase) -> String {
    let label = phase.mode.label();
    match found.map(|c| &c.outcome) {
        Some(super::Outcome::Refused(reason)) => format!("The {label} phase cannot run. {reason}"),
        _ => format!("The {label} phase cannot run."),
    }
}

/// The fastest schedule of these combinations in which at least the rule's share of steps runs at or above the rule's
/// fidelity. Time adds up over steps, so the fastest faithful mode takes that share and the fastest of all the rest.
pub(super) fn fastest(
    rule: ScheduleRule,
    combinations: &[Combination],
) -> Result<ScheduleTotals, String> {
    let quickest = |least: u8| {
        combinations
            .iter()
            .filter(|c| c.mode.fidelity() >= least)
            .filter_map(|c| Some((c.mode, c.run()?)))
            .min_by(|a, b| a.1.total_time_h.value.total_cmp(&b.1.total_time_h.value))
    };
    let faithful = quickest(rule.mode.fidelity())
        .ok_or_else(|| format!("No mode at or above {} can run.", rule.mode.label()))?;
    let any = quickest(0).unwrap_or(faithful);
    let phase = |(mode, run): (_, _), share| (Phase { mode, share }, run);
    if any.0 == faithful.0 || rule.share >= 1.0 {
        return add_up(&[phase(faithful, 1.0)]);
    }
    // The low mode first: what its rounding costs, the faithful end mends (arXiv 2409.12517, section 6).
    let mut parts = vec![phase(any, 1.0 - rule.share)];
    if rule.share > 0.0 {
        parts.push(phase(faithful, rule.share));
    }
    add_up(&parts)
}

fn add_up(parts: &[(Phase, &PredictedRun)]) -> Result<ScheduleTotals, String> {
    if parts.is_empty() {
        return Err("The schedule has no phase.".to_owned());
    }
    let phases: Vec<PhaseTotals> = parts
        .iter()
        .map(|(phase, run)| PhaseTotals {
            phase: *phase,
            steps: run.steps * phase.share,
            time_h: run.total_time_h.scaled(phase.share),
            cost_usd: run.cost_usd.map(|cost| cost.scaled(phase.share)),
            layout: run.layout.clone(),
        })
        .collect();
    let energy = |(phase, run): &(Phase, &PredictedRun)| Some(run.energy_kwh?.scaled(phase.share));
    Ok(ScheduleTotals {
        total_time_h: sum(phases.iter().map(|part| Some(part.time_h))).unwrap_or(NOTHING),
        cost_usd: sum(phases.iter().map(|part| part.cost_usd)),
        energy_kwh: sum(parts.iter().map(energy)),
        co2e_kg: parts
            .iter()
            .map(|(phase, run)| Some(run.co2e_kg? * phase.share))
            .sum(),
        phases,
    })
}

const NOTHING: Estimate = Estimate {
    value: 0.0,
    low: 0.0,
    high: 0.0,
};

/// Ends add up with the values: what one phase gets wrong the next gets wrong the same way.
fn sum(parts: impl Iterator<Item = Option<Estimate>>) -> Option<Estimate> {
    let mut sum = NOTHING;
    for part in parts {
        let part = part?;
        sum.value += part.value;
        sum.low += part.low;
        sum.high += part.high;
    }
    Some(sum)
}
