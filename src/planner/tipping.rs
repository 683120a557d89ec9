//! Where the answer tips: the deadline, the budget or the price at which another combination takes its place. Everything is
//! read off the runs that the plan has; nothing is predicted anew.

use super::rank::runs;
use super::{LimitKind, Plan, PredictedRun};
use crate::format;
use crate::units::Usd;

/// A part that must become dearer by more than this tells nothing.
const MOST_DEARER: f64 = 3.0;

impl Plan {
    /// At which limit and which price another answer follows, in sentences; none where nothing meets the limits or what is
    /// best is a blend.
    pub fn tipping_points(&self) -> Vec<String> {
        let best = self.best.and_then(|at| self.combinations.get(at));
        let Some((best, run)) = best.and_then(|c| Some((c, c.run()?))) else {
            return Vec::new();
        };
        if !self.is_within(run) {
            return Vec::new();
        }
        let told = |at: usize, run: &PredictedRun| {
            let name = self.combinations.get(at).map(super::Combination::name);
            format!(
                "{} instead, {}, {}",
                name.unwrap_or_default(),
                format::hours(run.total_time_h.value),
                run.cost_text()
            )
        };
        let cost = |run: &PredictedRun| run.cost_usd.map(|usd| usd.value);
        let time = |run: &PredictedRun| Some(run.total_time_h.value);
        // The best under a tighter limit of one kind.
        let under = |kind: LimitKind, by: &dyn Fn(&PredictedRun) -> Option<f64>| {
            let most = kind.of_run(run)?.high;
            let tighter = runs(&self.combinations).filter(|(_, other)| {
                self.is_within(other) && kind.of_run(other).is_some_and(|e| e.high < most)
            });
            let valued = tighter.filter_map(|(at, other)| Some((at, other, by(other)?)));
            let next = valued.min_by(|a, b| a.2.total_cmp(&b.2))?;
            Some((most, told(next.0, next.1)))
        };
        let mut lines = Vec::new();
        match self.minimise.word() {
            Some("cost") => {
                if let Some((most, next)) = under(LimitKind::Deadline, &cost) {
                    lines.push(format!("A deadline under {}: {next}", format::hours(most)));
                }
                let others = runs(&self.combinations)
                    .filter(|(at, _)| {
                        let part = self.combinations.get(*at).map(|c| &c.accelerator.name);
                        part.is_some_and(|name| *name != best.accelerator.name)
                    })
                    .filter(|(_, other)| self.is_within(other))
                    .filter_map(|(at, other)| Some((at, other, cost(other)?)));
                let next = others.min_by(|a, b| a.2.total_cmp(&b.2));
                if let (Some((at, other, usd)), Some(own)) = (next, cost(run)) {
                    let dearer = usd / own - 1.0;
                    if (0.0..MOST_DEARER).contains(&dearer) {
                        lines.push(format!(
                            "{} dearer by {}: {}",
                            best.accelerator.label,
                            format::percent(dearer),
                            told(at, other)
                        ));
                    }
                }
            }
            Some("time") => {
                if let Some((most, next)) = under(LimitKind::Budget, &time) {
                    lines.push(format!(
                        "A budget under {}: {next}",
                        format::money(Usd(most))
                    ));
                }
            }
            _ => {}
        }
        lines
    }
}
