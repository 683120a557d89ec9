//! The best combination under every limit, the Pareto set over time, cost and energy, and what would change the answer.

use super::again::added_up;
use super::choices::{Minimise, WhatIf};
use super::rank::{is_within, runs};
use super::run::{Cancelled, Progress, combinations_of, plan_begun};
use super::{
    CalibrationProfile, CheckedRequest, Combination, Plan, PlanRequest, PredictedRun, WhatIfRequest,
};
use crate::format;
use crate::predictor::Predictor;
use crate::presets::Catalogue;
use crate::units::Usd;

/// What a word of `minimise` stands for in a run.
type Figure = fn(&PredictedRun) -> Option<f64>;

/// The figures that a blend weighs, with their names.
const FIGURES: [(&str, Figure); 4] = [
    ("time", |run| Some(run.total_time_h.value)),
    ("cost", |run| run.cost_usd.map(|cost| cost.value)),
    ("energy", |run| run.energy_kwh.map(|energy| energy.value)),
    ("emissions", |run| run.co2e_kg),
];

impl Minimise {
    fn weights(self) -> [f64; 4] {
        [self.time, self.cost, self.energy, self.emissions]
    }

    /// The shortest time, whatever else.
    const TIME: Self = Self {
        time: 1.0,
        cost: 0.0,
        energy: 0.0,
        emissions: 0.0,
    };
    /// The lowest cost, whatever else.
    const COST: Self = Self {
        time: 0.0,
        cost: 1.0,
        ..Self::TIME
    };

    /// What a request minimises: what it says, else cost; time where its only limit is a budget, which is there to be
    /// spent, and where nothing has a price.
    fn of(request: &CheckedRequest, combinations: &[Combination]) -> Self {
        let is_priced = || runs(combinations).any(|(_, run)| run.cost_usd.is_some());
        let has_budget_alone = request.budget_usd.is_some() && request.limits_set() == 1;
        match request.minimise {
            Some(stated) => stated,
            None if has_budget_alone || !is_priced() => Self::TIME,
            None => Self::COST,
        }
    }

    /// Its word in a request; `None` for a blend.
    pub fn word(self) -> Option<&'static str> {
        let mut weighed = (FIGURES.iter().zip(self.weights())).filter(|(_, weight)| *weight > 0.0);
        match (weighed.next(), weighed.next()) {
            (Some(((name, _), _)), None) => Some(name),
            _ => None,
        }
    }

    /// The run that has least of it, as an adjective.
    pub fn superlative(self) -> &'static str {
        match self.word() {
            Some("time") => "quickest",
            Some("cost") => "cheapest",
            Some("energy") => "most frugal",
            Some("emissions") => "cleanest",
            _ => "best",
        }
    }

    /// What is minimised, in words.
    fn words(self) -> String {
        let weighed: Vec<(&str, f64)> = (FIGURES.iter().map(|(name, _)| *name))
            .zip(self.weights())
            .filter(|(_, weight)| *weight > 0.0)
            .collect();
        match weighed.as_slice() {
            [(name, _)] => format!("the lowest {name}"),
            several => {
                let parts: Vec<String> = (several.iter())
                    .map(|(name, weight)| format!("{weight} × {name}"))
                    .collect();
                format!("the lowest blend of {}", parts.join(" + "))
            }
        }
    }

    /// Each weighed figure over its lowest in the plan, weighed; `None` where one is unknown.
    fn score(self, run: &PredictedRun, lowest: &[f64; 4]) -> Option<f64> {
        let mut score = 0.0;
        for (at, weight) in self.weights().into_iter().enumerate() {
            if weight > 0.0 {
                score += weight * FIGURES[at].1(run)? / lowest[at].max(f64::MIN_POSITIVE);
            }
        }
        Some(score)
    }
}

/// The runs `inside`, best first: by what the request minimises, and where that is unknown of all of them and nothing was
/// stated, by time. Runs that only fit if the estimate of their memory is high are left out beside one that fits.
pub(super) fn ranked(
    request: &CheckedRequest,
    combinations: &[Combination],
    inside: impl Fn(&PredictedRun) -> bool,
) -> (Minimise, Vec<(f64, usize)>) {
    let mut lowest = [f64::INFINITY; 4];
    for (_, run) in runs(combinations) {
        for (low, (_, figure)) in lowest.iter_mut().zip(FIGURES) {
            *low = low.min(figure(run).unwrap_or(f64::INFINITY));
        }
    }
    let by = |minimise: Minimise| {
        let qualify = || {
            runs(combinations)
                .filter(|(_, run)| inside(run))
                .filter_map(|(at, run)| Some((at, run, minimise.score(run, &lowest)?)))
        };
        let certain = qualify().any(|(_, run, _)| run.prediction.memory.fits());
        let mut scored: Vec<(f64, usize)> = qualify()
            .filter(|(_, run, _)| !certain || run.prediction.memory.fits())
            .map(|(at, _, score)| (score, at))
            .collect();
        scored.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        (minimise, scored)
    };
    let asked = by(Minimise::of(request, combinations));
    if !asked.1.is_empty() || request.minimise.is_some() {
        return asked;
    }
    let by_time = by(Minimise::TIME);
    if by_time.1.is_empty() { asked } else { by_time }
}

/// The best combination, what it is lowest in, and why; or why there is none. Exact: every run of the grid is looked at.
pub(super) fn best(
    request: &CheckedRequest,
    combinations: &[Combination],
) -> (Option<usize>, Minimise, String) {
    let (minimise, scored) = ranked(request, combinations, |run| is_within(request, run));
    let limited = if request.limits_set() > 0 {
        " within every limit"
    } else {
        ""
    };
    let why = match scored.as_slice() {
        [] => none_why(request, combinations, limited),
        [_] => format!(
            "It has {}{limited}; no other combination qualifies.",
            minimise.words()
        ),
        [(score, _), (second, next), ..] => {
            let behind = second / score.max(f64::MIN_POSITIVE) - 1.0;
            format!(
                "It has {}{limited}: {} of the {} that can run qualify, and the next, {}, is {} behind.",
                minimise.words(),
                format::count(scored.len() as f64),
                format::count(runs(combinations).count() as f64),
                combinations[*next].name(),
                format::percent_in_table(behind)
            )
        }
    };
    (scored.first().map(|(_, at)| *at), minimise, why)
}

fn none_why(request: &CheckedRequest, combinations: &[Combination], limited: &str) -> String {
    if runs(combinations).next().is_none() {
        return "No combination can run.".to_owned();
    }
    let within = runs(combinations)
        .filter(|(_, run)| is_within(request, run))
        .count();
    if within == 0 {
        format!("No combination is{limited} with the upper end of its interval.")
    } else {
        "What is to be minimised is unknown for every combination.".to_owned()
    }
}

/// Indices of the runs that no other beats in time, cost and energy at once, by rising time. A figure that is unknown
/// counts as worst.
pub(super) fn pareto(combinations: &[Combination]) -> Vec<usize> {
    let figures =
        |run: &PredictedRun| [0, 1, 2].map(|at: usize| FIGURES[at].1(run).unwrap_or(f64::INFINITY));
    let points: Vec<(usize, [f64; 3])> = runs(combinations)
        .map(|(at, run)| (at, figures(run)))
        .collect();
    let beats = |a: &[f64; 3], b: &[f64; 3]| {
        a.iter().zip(b).all(|(x, y)| x <= y) && a.iter().zip(b).any(|(x, y)| x < y)
    };
    let mut front: Vec<(usize, [f64; 3])> = points
        .iter()
        .filter(|(_, own)| !points.iter().any(|(_, other)| beats(other, own)))
        .copied()
        .collect();
    front.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]).then(a.0.cmp(&b.0)));
    front.into_iter().map(|(at, _)| at).collect()
}

/// One what-if and what becomes of the best plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// What is changed, in words, e.g. `Prices fall by 20 %`.
    pub change: String,
    /// The factors with it, for a request that is to be planned so.
    pub what_if: WhatIf,
    /// Index of the best combination then.
    pub best: Option<usize>,
    /// It in words; empty where there is none.
    pub name: String,
    /// Whether it is another than without the change.
    pub differs: bool,
    /// Its total time in hours.
    pub time_h: Option<f64>,
    /// Its cost in US dollars.
    pub cost_usd: Option<f64>,
    /// Its energy in kilowatt-hours.
    pub energy_kwh: Option<f64>,
}

impl Sensitivity {
    /// Has a request planned under the change.
    pub fn apply(&self, request: &mut PlanRequest) {
        let set = |factor: f64| (factor != 1.0).then_some(factor);
        let wanted = WhatIfRequest {
            price: set(self.what_if.price),
            network: set(self.what_if.network),
            failures: set(self.what_if.failures),
        };
        request.what_if = (wanted != WhatIfRequest::default()).then_some(wanted);
    }

    /// One line for a reader.
    pub fn line(&self) -> String {
        let Some(hours) = self.time_h else {
            return format!("{}: nothing qualifies", self.change);
        };
        let cost = self
            .cost_usd
            .map_or_else(String::new, |usd| format!(", {}", format::money(Usd(usd))));
        let same = if self.differs { "" } else { "still " };
        format!(
            "{}: {same}{}, {}{cost}",
            self.change,
            self.name,
            format::hours(hours)
        )
    }
}

/// The changes that are tried: words, and the factors on price, network and failures.
const CHANGES: [(&str, [f64; 3]); 5] = [
    ("Prices fall by 20 %", [0.8, 1.0, 1.0]),
    ("Prices rise by 20 %", [1.2, 1.0, 1.0]),
    ("The network between nodes halves", [1.0, 0.5, 1.0]),
    ("The network between nodes doubles", [1.0, 2.0, 1.0]),
    ("Failures double", [1.0, 1.0, 2.0]),
];

/// Plans the request again under each change, corrected by a profile where the base was, and says what the best
/// combination then is.
///
/// # Errors
/// [`Cancelled`] if `progress` was cancelled meanwhile.
pub fn sensitivity(
    base: &Plan,
    catalogue: &Catalogue,
    predictor: &Predictor,
    profile: Option<&CalibrationProfile>,
    progress: &Progress,
) -> Result<Vec<Sensitivity>, Cancelled> {
    progress.begin(CHANGES.len() * combinations_of(&base.request));
    CHANGES
        .into_iter()
        .map(|(change, [price, network, failures])| {
            let mut request = (*base.request).clone();
            let now = request.what_if;
            request.what_if = WhatIf {
                price: now.price * price,
                network: now.network * network,
                failures: now.failures * failures,
            };
            // Only the network moves predictions.
            let plan = if network == 1.0 {
                added_up(base, &request, catalogue, predictor, profile, progress)
            } else {
                plan_begun(&request, catalogue, predictor, profile, progress)?
            };
            let best = plan.best.and_then(|at| plan.combinations.get(at));
            let run = best.and_then(Combination::run);
            Ok(Sensitivity {
                change: change.to_owned(),
                what_if: request.what_if,
                best: plan.best,
                name: best.map(Combination::name).unwrap_or_default(),
                differs: plan.best != base.best,
                time_h: run.map(|run| run.total_time_h.value),
                cost_usd: run.and_then(|run| run.cost_usd).map(|cost| cost.value),
                energy_kwh: run
                    .and_then(|run| run.energy_kwh)
                    .map(|energy| energy.value),
            })
        })
        .collect()
}
