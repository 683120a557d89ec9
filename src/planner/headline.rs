//! What a plan says of one of its runs: the headline, how it stands to limits that no run meets for certain, and what
//! qualifies its figures. The window, the printed page and the command line say the same.

use super::{
    Combination, LimitKind, Outlook, Plan, PredictedRun, PriceUsed, joined, unknown_words,
};
use crate::domain::PrecisionMode;
use crate::format;
use crate::presets::{Advice, AdviceKind};
use crate::units::Usd;

/// From so many accelerators on nobody should take for granted that a seller has them: sixteen nodes of eight.
const MANY: u32 = 128;

/// A run in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// `FP8 on 16 × H100 finishes in 1 d 6 h for $1 450, ±11 %`, without a full stop.
    pub title: String,
    /// Whether the title itself says how the run stands to the limits.
    pub is_of_limits: bool,
    /// How the run stands to limits that no run meets for certain, as sentences.
    pub limits: Option<String>,
}

impl Plan {
    /// A combination in words, under the name that `name` gives it. `outlook` is that of the plan.
    pub fn headline(
        &self,
        outlook: Option<&Outlook>,
        index: usize,
        name: &dyn Fn(&Combination) -> String,
    ) -> Option<Headline> {
        let combination = self.combinations.get(index)?;
        let run = combination.run()?;
        let cost = run.cost_usd.map_or_else(
            || ", price unknown".to_owned(),
            |cost| format!(" for {}", format::money(Usd(cost.value))),
        );
        let title = format!(
            "{} finishes in {}{cost}, {}",
            name(combination),
            format::hours(run.total_time_h.value),
            run.interval_text()
        );
        let said = outlook.map(|o| self.limits_said(o, (index, combination, run), name));
        let (other, limits) = said.map_or_else(
            || (None, self.beyond_said(run, name)),
            |(other, limits)| (other, Some(limits)),
        );
        Some(Headline {
            is_of_limits: other.is_some(),
            title: other.unwrap_or(title),
            limits,
        })
    }

    /// How a run stands to limits that it is not sure to meet and others are; `None` where it is.
    fn beyond_said(
        &self,
        run: &PredictedRun,
        name: &dyn Fn(&Combination) -> String,
    ) -> Option<String> {
        let best = self.combinations.get(self.answers.within_limits?)?;
        let (by_figures, certain) = (self.breaches(run, false), self.breaches(run, true));
        let how = match (by_figures.as_slice(), certain.as_slice()) {
            ([], []) => return None,
            ([], _) => format!(
                "Likely, not certain: the upper end of its interval is {}",
                joined(&certain)
            ),
            _ => format!("This is {}", joined(&by_figures)),
        };
        let figures = best.run().map_or_else(String::new, |run| {
            let time = format::hours(run.total_time_h.value);
            format!(", {time} for {}", run.cost_text())
        });
        let limits = self.limits_words();
        Some(format!(
            "{how}. {} meets {limits} up to the upper end of its interval{figures}.",
            name(best)
        ))
    }

    /// A title of its own where the run is likely to be within the limits or comes closest to them, and how it stands to
    /// them.
    fn limits_said(
        &self,
        outlook: &Outlook,
        (index, combination, run): (usize, &Combination, &PredictedRun),
        name: &dyn Fn(&Combination) -> String,
    ) -> (Option<String>, String) {
        if let Some(kind) = outlook.unknown {
            return (None, format!("{}.", unknown_words(kind)));
        }
        let limits = self.limits_words();
        let own = self.breaches(run, false);
        let half = run.interval_text();
        let figures = format!(
            "{} for {}",
            format::hours(run.total_time_h.value),
            run.cost_text()
        );
        if outlook.likely > 0 && own.is_empty() {
            let title = format!("Likely, not certain: {} in {figures}", name(combination));
            let above = joined(&self.breaches(run, true));
            let sentence = format!(
                "No combination is sure to meet {limits}: the upper end of this one's interval, {half}, is {above}."
            );
            return (Some(title), sentence);
        }
        if outlook.likely > 0 {
            let likely = match outlook.likely {
                1 => "1 is".to_owned(),
                n => format!("{} are", format::count(n as f64)),
            };
            let sentence = format!(
                "This is {}. No combination is sure to meet {limits}; {likely} likely to.",
                joined(&own)
            );
            return (None, sentence);
        }
        let closest = outlook.closest.and_then(|at| self.combinations.get(at));
        match closest {
            Some(_) if outlook.closest == Some(index) => (
                Some(format!(
                    "No combination meets {limits}; closest: {}",
                    name(combination)
                )),
                format!("It finishes in {figures}, {half}: {}.", joined(&own)),
            ),
            Some(closest) => (
                None,
                format!(
                    "No combination meets {limits}. This one is {}; the closest is {}.",
                    joined(&own),
                    name(closest)
                ),
            ),
            None => (None, format!("No combination meets {limits}.")),
        }
    }

    /// What the cheapest run costs instead and what speaks against it, or the fastest where this is the cheapest, as a
    /// sentence; `None` where there is no other.
    pub fn extreme_said(
        &self,
        index: usize,
        name: &dyn Fn(&Combination) -> String,
    ) -> Option<String> {
        let cheapest = self.answers.cheapest?;
        let (word, at) = if cheapest == index {
            ("fastest", self.answers.fastest?)
        } else {
            ("cheapest", cheapest)
        };
        let other = self.combinations.get(at).filter(|_| at != index)?;
        let run = other.run()?;
        let (by_figures, certain) = (self.breaches(run, false), self.breaches(run, true));
        let but = match (by_figures.as_slice(), certain.as_slice()) {
            ([], []) => String::new(),
            ([], _) => format!(", at worst {}", joined(&certain)),
            _ => format!(", {}", joined(&by_figures)),
        };
        let time = format::hours(run.total_time_h.value);
        let cost = run.cost_text();
        Some(format!(
            "The {word}, {}, takes {time} for {cost}{but}.",
            name(other)
        ))
    }

    /// The limits in a sentence: `both limits`, `the budget`.
    pub fn limits_words(&self) -> &'static str {
        let mut set = LimitKind::ALL
            .into_iter()
            .filter(|kind| kind.of_request(&self.request).is_some());
        match (set.next(), set.next(), set.next()) {
            (Some(one), None, _) => one.word(),
            (_, Some(_), None) => "both limits",
            _ => "every limit",
        }
    }

    /// What the plan supposes, in words: `prices × 1.25, network × 0.50`; `None` where it supposes nothing.
    pub fn supposed(&self) -> Option<String> {
        let what_if = self.request.what_if;
        let factors = [
            ("prices", what_if.price),
            ("network", what_if.network),
            ("failures", what_if.failures),
        ];
        let words: Vec<String> = (factors.into_iter())
            .filter(|(_, factor)| (factor - 1.0).abs() > 1e-9)
            .map(|(name, factor)| format!("{name} ×{}{}", format::THIN, format::fixed(factor, 2)))
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// What is known of a mode on this model; needs first.
    pub fn advice_for(&self, mode: PrecisionMode) -> impl Iterator<Item = &Advice> {
        let lines = self.advice.iter();
        lines.filter(move |line| line.modes.contains(&mode))
    }

    /// Whether runs in a mode are known to go wrong on this model or for so long.
    pub fn is_risky(&self, mode: PrecisionMode) -> bool {
        self.advice_for(mode)
            .any(|line| line.kind == AdviceKind::Risk)
    }

    /// What qualifies the figures of a run, each as a sentence: what the predictor notes, what a what-if moved, and what is
    /// known to go wrong in its mode on this model and for so long.
    pub fn cautions(&self, combination: &Combination) -> Vec<String> {
        let Some(run) = combination.run() else {
            return Vec::new();
        };
        let risks = self.advice_for(combination.mode);
        let risks = risks.filter(|line| line.kind == AdviceKind::Risk);
        (run.prediction.notes.iter().cloned())
            .chain(run.relaid())
            .chain(risks.map(|line| line.text.clone()))
            .collect()
    }
}

impl PredictedRun {
    /// How wide the interval of the time is: `±11 %`, or both of its sides where they are clearly uneven.
    pub fn interval_text(&self) -> String {
        let step = self.prediction.step_time;
        format::interval(step.value, step.low, step.high)
    }

    /// The same with one sign of percent, for a cell: `±11 %`, `−9/+14 %`.
    pub fn interval_short(&self) -> String {
        let step = self.prediction.step_time;
        format::interval_short(step.value, step.low, step.high)
    }

    /// The cost as money, or the words for a missing price.
    pub fn cost_text(&self) -> String {
        self.cost_usd.map_or_else(
            || "no price".to_owned(),
            |cost| format::money(Usd(cost.value)),
        )
    }

    /// That a what-if of the network changed the layout, so that figures and interval are those of another one.
    pub fn relaid(&self) -> Option<String> {
        let before = self.layout_before.as_ref()?;
        Some(format!(
            "The what-if of the network changes the layout: {} instead of {before}. Time and interval are those of the new one.",
            self.layout
        ))
    }
}

impl PriceUsed {
    /// What a listed price leaves open at large counts; `None` of few accelerators and of prices that are the person's
    /// own.
    pub fn capacity(&self, count: u32) -> Option<String> {
        let is_listed = !matches!(self.tier.as_str(), "own" | "owned");
        (is_listed && count >= MANY).then(|| {
            format!(
                "Listed price; {} does not state whether {} can be had",
                self.seller(),
                format::count(f64::from(count))
            )
        })
    }
}
