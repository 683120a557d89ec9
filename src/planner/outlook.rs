//! Where no run is inside every limit for certain: which are likely to be, which comes closest, and what would be enough.

use super::best::ranked;
use super::rank::runs;
use super::{CheckedRequest, Combination, Plan, PlanRequest, PredictedRun, Quantity, TrainRequest};
use crate::domain::TrainingLength;
use crate::format;
use crate::predictor::Estimate;
use crate::units::{KgCo2e, KilowattHours, Usd};

/// Training that is shortened to less than this share is another run, not an answer.
const LEAST_SHARE: f64 = 0.01;

/// A limit on a whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    /// On its cost.
    Budget,
    /// On its time.
    Deadline,
    /// On its energy.
    Energy,
    /// On its emissions.
    Emissions,
}

impl LimitKind {
    /// Every limit, in the order they are named.
    pub const ALL: [Self; 4] = [Self::Budget, Self::Deadline, Self::Energy, Self::Emissions];

    /// The limit in a sentence: `the budget`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Budget => "the budget",
            Self::Deadline => "the deadline",
            Self::Energy => "the energy limit",
            Self::Emissions => "the limit on CO₂e",
        }
    }

    /// The limit of a request, in dollars, hours, kilowatt-hours or kilograms.
    pub fn of_request(self, request: &CheckedRequest) -> Option<f64> {
        match self {
            Self::Budget => request.budget_usd,
            Self::Deadline => request.deadline_h,
            Self::Energy => request.limits.energy_kwh,
            Self::Emissions => request.limits.co2e_kg,
        }
    }

    /// The figure of a run that it limits; `None` where that is unknown.
    pub fn of_run(self, run: &PredictedRun) -> Option<Estimate> {
        match self {
            Self::Budget => run.cost_usd,
            Self::Deadline => Some(run.total_time_h),
            Self::Energy => run.energy_kwh,
            // In proportion to the energy, and as uncertain.
            Self::Emissions => (run.co2e_kg.zip(run.energy_kwh))
                .map(|(kg, energy)| energy.scaled(kg / energy.value)),
        }
    }

    /// Whether a run keeps it for sure, up to the upper end of its figure; one that is unknown keeps nothing.
    pub(super) fn is_kept(self, request: &CheckedRequest, run: &PredictedRun) -> bool {
        let is_below = |limit| self.of_run(run).is_some_and(|figure| figure.high <= limit);
        self.of_request(request).is_none_or(is_below)
    }

    /// A figure of it as text.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Budget => format::money(Usd(value)),
            Self::Deadline => format::hours(value),
            Self::Energy => format::energy(KilowattHours(value)),
            Self::Emissions => format::emissions(KgCo2e(value)),
        }
    }

    /// The smallest figure not below a value that reads the same as it counts: typed back as it is shown, it is enough.
    fn enough(self, value: f64) -> f64 {
        let step = match self {
            Self::Deadline if value < 24.0 => 1.0 / 12.0,
            Self::Deadline if value < 240.0 => 1.0,
            Self::Deadline if value < 26_000.0 => 24.0,
            Self::Deadline => 8766.0 * 10f64.powi((value / 8766.0).log10().floor() as i32 - 2),
            _ => 10f64.powi(value.max(1e-9).log10().floor() as i32 - 2),
        };
        (value / step).ceil() * step
    }

    fn asked(self, value: f64) -> String {
        let text = self.text(self.enough(value));
        match self {
            Self::Budget => format!("a budget of {text}"),
            Self::Deadline => format!("a deadline of {text}"),
            Self::Energy => format!("an energy limit of {text}"),
            Self::Emissions => format!("a limit of {text} CO₂e"),
        }
    }
}

/// How far a run is beyond a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breach {
    /// Of which limit.
    pub kind: LimitKind,
    /// The limit.
    pub limit: f64,
    /// The run's figure.
    pub value: f64,
}

impl Breach {
    /// `$342 000 over the budget`, `8 d after the deadline`.
    pub fn words(&self) -> String {
        let text = self.kind.text(self.value - self.limit);
        match self.kind {
            LimitKind::Deadline => format!("{text} after the deadline"),
            kind => format!("{text} over {}", kind.word()),
        }
    }
}

/// Breaches in a sentence: `$342 000 over the budget and 8 d after the deadline`.
pub fn joined(breaches: &[Breach]) -> String {
    let words: Vec<String> = breaches.iter().map(Breach::words).collect();
    words.join(" and ")
}

/// What there is where no run is inside every limit for certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outlook {
    /// Runs that are inside with their figures, if not with the upper ends of their intervals.
    pub likely: usize,
    /// The best of them, by the rule of the answer within limits.
    pub likeliest: Option<usize>,
    /// The run that is beyond a limit by the least, with its figures; `None` where one is likely or figures are unknown.
    pub closest: Option<usize>,
    /// A limit on a figure that no run has: nothing can be inside it.
    pub unknown: Option<LimitKind>,
}

/// How a run stands to the limits that are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Inside every one with the upper ends of its intervals.
    Within,
    /// Inside with its figures alone: likely, not certain.
    Likely,
    /// Beyond one, or a figure that one limits is unknown.
    Beyond,
}

impl Standing {
    /// Whether it is within the limits, in a word: `yes`, `likely` or `no`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Within => "yes",
            Self::Likely => "likely",
            Self::Beyond => "no",
        }
    }
}

/// What would be enough where no run is inside every limit for certain.
#[derive(Debug, Clone, PartialEq)]
pub struct Enough {
    /// It in words, with the run it is enough for.
    pub text: String,
    /// The change of the request that it is; `None` where something is unknown that no figure can stand for.
    pub change: Option<EnoughChange>,
}

/// A change of a request that would be enough.
#[derive(Debug, Clone, PartialEq)]
pub enum EnoughChange {
    /// Other limits.
    Limits(Vec<(LimitKind, f64)>),
    /// Less training.
    Length(TrainingLength),
}

impl EnoughChange {
    /// Makes the change.
    pub fn apply(&self, request: &mut PlanRequest) {
        match self {
            Self::Limits(limits) => {
                let set = request.limits.get_or_insert_default();
                for (kind, value) in limits {
                    let field = match kind {
                        LimitKind::Budget => &mut set.budget_usd,
                        LimitKind::Deadline => &mut set.deadline_h,
                        LimitKind::Energy => &mut set.energy_kwh,
                        LimitKind::Emissions => &mut set.co2e_kg,
                    };
                    *field = Some(*value);
                }
            }
            Self::Length(length) => {
                let number = |value| Some(Quantity::Number(value));
                let mut train = TrainRequest::default();
                match *length {
                    TrainingLength::Tokens(tokens) => train.tokens = number(tokens),
                    TrainingLength::Steps(steps) => train.steps = number(steps),
                    TrainingLength::Epochs { epochs, .. } => {
                        train.epochs = number(epochs);
                        train.samples.clone_from(&request.train.samples);
                    }
                }
                request.train = train;
            }
        }
    }
}

/// The limits that are set.
fn set(request: &CheckedRequest) -> impl Iterator<Item = (LimitKind, f64)> + '_ {
    let limit = |kind: LimitKind| Some((kind, kind.of_request(request)?));
    LimitKind::ALL.into_iter().filter_map(limit)
}

/// How far a run is from being inside every limit.
#[derive(Debug, Clone, Copy, Default)]
struct Beyond {
    /// Its figure over the limit it is farthest beyond; up to 1 it is inside all.
    worst: f64,
    /// What it is beyond each of them, as logarithms, added up: one limit broken is nearer than two.
    together: f64,
}

/// How far beyond the limits a run is; `None` where one of its figures is unknown.
fn beyond(
    request: &CheckedRequest,
    run: &PredictedRun,
    figure: fn(Estimate) -> f64,
) -> Option<Beyond> {
    set(request).try_fold(Beyond::default(), |sum, (kind, limit)| {
        let times = figure(kind.of_run(run)?) / limit.max(f64::MIN_POSITIVE);
        Some(Beyond {
            worst: sum.worst.max(times),
            together: sum.together + times.max(1.0).ln(),
        })
    })
}

impl Plan {
    /// What there is where no run is inside every limit for certain; `None` where one is, or no limit is set.
    pub fn outlook(&self) -> Option<Outlook> {
        if self.within_limits > 0 || self.request.limits_set() == 0 {
            return None;
        }
        let request = &self.request;
        let beyond = |run: &PredictedRun| beyond(request, run, |e| e.value);
        let is_likely = |run: &PredictedRun| self.is_inside_by_figures(run);
        let all = || runs(&self.combinations);
        let likely = all().filter(|(_, run)| is_likely(run)).count();
        let near = all().filter_map(|(at, run)| Some((at, beyond(run)?)));
        let closest = near.min_by(|a, b| a.1.together.total_cmp(&b.1.together));
        let closest = closest.map(|(at, _)| at);
        Some(Outlook {
            likely,
            likeliest: ranked(request, &self.combinations, is_likely)
                .1
                .first()
                .map(|(_, at)| *at),
            closest: closest.filter(|_| likely == 0),
            unknown: set(request)
                .map(|(kind, _)| kind)
                .find(|kind| all().all(|(_, run)| kind.of_run(run).is_none())),
        })
    }

    fn is_inside_by_figures(&self, run: &PredictedRun) -> bool {
        beyond(&self.request, run, |e| e.value).is_some_and(|far| far.worst <= 1.0)
    }

    /// How a run stands to the limits; `None` where none is set.
    pub fn standing(&self, run: &PredictedRun) -> Option<Standing> {
        (self.request.limits_set() > 0).then(|| match self.is_within(run) {
            true => Standing::Within,
            false if self.is_inside_by_figures(run) => Standing::Likely,
            false => Standing::Beyond,
        })
    }

    /// The limits a run is beyond, with its figures; where `certain`, with the upper ends of their intervals.
    pub fn breaches(&self, run: &PredictedRun, certain: bool) -> Vec<Breach> {
        set(&self.request)
            .filter_map(|(kind, limit)| {
                let figure = kind.of_run(run)?;
                let value = if certain { figure.high } else { figure.value };
                (value > limit).then_some(Breach { kind, limit, value })
            })
            .collect()
    }

    /// What would be enough where no run is inside every limit for certain, one by one: another limit, or less training.
    pub fn enough(&self) -> Vec<Enough> {
        let Some(outlook) = self.outlook() else {
            return Vec::new();
        };
        if let Some(kind) = outlook.unknown {
            return vec![Enough {
                text: unknown_words(kind).to_owned(),
                change: None,
            }];
        }
        let request = &self.request;
        let limits: Vec<(LimitKind, f64)> = set(request).collect();
        let mut lines = Vec::new();
        for (kind, _) in &limits {
            let others_hold = |run: &PredictedRun| {
                let others = limits.iter().filter(|(other, _)| other != kind);
                others
                    .into_iter()
                    .all(|(other, limit)| other.of_run(run).is_some_and(|e| e.high <= *limit))
            };
            let needs = runs(&self.combinations)
                .filter(|(_, run)| others_hold(run))
                .filter_map(|(at, run)| Some((at, kind.of_run(run)?.high)));
            if let Some((at, value)) = needs.min_by(|a, b| a.1.total_cmp(&b.1)) {
                let change = EnoughChange::Limits(vec![(*kind, kind.enough(value))]);
                lines.push(line(&kind.asked(value), self.combinations.get(at), change));
            }
        }
        let near = || {
            let far = |run: &PredictedRun| beyond(request, run, |e| e.high);
            runs(&self.combinations).filter_map(move |(at, run)| Some((at, far(run)?, run)))
        };
        let nearest = near().min_by(|a, b| a.1.together.total_cmp(&b.1.together));
        if let (true, Some((at, _, run))) = (lines.is_empty(), nearest) {
            let broken: Vec<(LimitKind, f64)> = limits
                .iter()
                .filter_map(|(kind, limit)| {
                    let high = kind.of_run(run)?.high;
                    (high > *limit).then_some((*kind, high))
                })
                .collect();
            let asked: Vec<String> = broken
                .iter()
                .map(|(kind, high)| kind.asked(*high))
                .collect();
            let raised = broken
                .iter()
                .map(|(kind, high)| (*kind, kind.enough(*high)));
            lines.push(line(
                &asked.join(" with "),
                self.combinations.get(at),
                EnoughChange::Limits(raised.collect()),
            ));
        }
        let shortest = near().min_by(|a, b| a.1.worst.total_cmp(&b.1.worst));
        if let Some((at, far, _)) = shortest
            && let Some((less, length)) = less(request.length, 1.0 / far.worst)
        {
            let change = EnoughChange::Length(length);
            lines.push(line(&less, self.combinations.get(at), change));
        }
        lines
    }
}

/// Why nothing can be inside a limit on a figure that no run has, and what helps.
pub fn unknown_words(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Budget => {
            "No price is known, so nothing is in budget. Own prices, or other ways to buy hours, give one"
        }
        LimitKind::Emissions => "No CO₂e is known. A region gives it",
        LimitKind::Energy => "No energy is known: no source states the power of these parts",
        LimitKind::Deadline => "No time is known",
    }
}

fn line(what: &str, combination: Option<&Combination>, change: EnoughChange) -> Enough {
    let what = format::capitalised(what);
    let by = combination.map_or_else(String::new, |c| format!(", for {}", c.name()));
    Enough {
        text: format!("{what} would be enough{by}"),
        change: Some(change),
    }
}

/// So much less training, in two digits; `None` where too little would be left.
fn less(length: TrainingLength, share: f64) -> Option<(String, TrainingLength)> {
    if !(LEAST_SHARE..1.0).contains(&share) {
        return None;
    }
    let down = |value: f64| {
        let step = 10f64.powi(value.max(1e-9).log10().floor() as i32 - 1);
        (value / step).floor() * step
    };
    let (value, unit) = match length {
        TrainingLength::Tokens(tokens) => (down(tokens * share), "token"),
        TrainingLength::Epochs { epochs, .. } => (down(epochs * share), "epoch"),
        TrainingLength::Steps(steps) => (down(steps * share).floor(), "step"),
    };
    let length = match length {
        TrainingLength::Tokens(_) => TrainingLength::Tokens(value),
        TrainingLength::Epochs { samples, .. } => TrainingLength::Epochs {
            epochs: value,
            samples,
        },
        TrainingLength::Steps(_) => TrainingLength::Steps(value),
    };
    (value > 0.0).then(|| (format!("about {}", format::counted(value, unit)), length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_enough_is_never_rounded_below_it() {
        let plain = |kind: LimitKind, value: f64| kind.asked(value).replace(format::THIN, "_");
        assert_eq!(plain(LimitKind::Budget, 58_801.0), "a budget of $58_900");
        assert!(plain(LimitKind::Deadline, 63.2).ends_with("2_d\u{a0}16_h"));
        assert_eq!(
            plain(LimitKind::Energy, 33_010.0),
            "an energy limit of 33.1_MWh"
        );
    }

    #[test]
    fn less_training_is_rounded_down_and_never_next_to_nothing() {
        let text = |length, share| less(length, share).map(|(t, _)| t.replace(format::THIN, "_"));
        let tokens = TrainingLength::Tokens(100e9);
        assert_eq!(text(tokens, 0.858), Some("about 85_B tokens".to_owned()));
        assert_eq!(text(tokens, 0.001), None);
        assert_eq!(text(tokens, 1.0), None);
        assert_eq!(text(TrainingLength::Steps(2.0), 0.3), None);
    }
}
