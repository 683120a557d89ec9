//! The four answers of a plan by name: cards, tables and files call them alike.

use super::{Outlook, Plan};

/// One of the answers of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// What people read: `Fastest`, `In budget`, `Likely on time`.
    pub name: &'static str,
    /// Its key in files.
    pub key: &'static str,
    /// Index of its combination; `None` where there is none.
    pub index: Option<usize>,
}

impl Plan {
    /// Fastest, cheapest, within the limits and least emissions, in this order. Where no run is inside the limits for
    /// certain the third is the best that is likely to be. `outlook` is that of the plan.
    pub fn named_answers(&self, outlook: Option<&Outlook>) -> [Answer; 4] {
        let likely = outlook.and_then(|o| o.likeliest);
        let answers = &self.answers;
        let of = |name, key, index| Answer { name, key, index };
        [
            of("Fastest", "fastest", answers.fastest),
            of("Cheapest", "cheapest", answers.cheapest),
            of(
                self.within_name(likely.is_some()),
                if likely.is_some() {
                    "likely_within_limits"
                } else {
                    "within_limits"
                },
                answers.within_limits.or(likely),
            ),
            of(self.greenest_name(), "greenest", answers.greenest),
        ]
    }

    /// Every answer by its key in files, and beside the four the run that comes closest to limits that none is within.
    /// `outlook` is that of the plan.
    pub fn answer_keys(&self, outlook: Option<&Outlook>) -> Vec<(&'static str, usize)> {
        let closest = outlook.and_then(|o| o.closest);
        let named = self.named_answers(outlook).into_iter();
        named
            .map(|answer| (answer.key, answer.index))
            .chain([("closest_to_limits", closest)])
            .filter_map(|(key, index)| Some((key, index?)))
            .collect()
    }

    /// Name of the answer within limits, by which limits are set and whether it is only likely to be inside.
    fn within_name(&self, likely: bool) -> &'static str {
        let request = &self.request;
        let (budget, deadline) = (request.budget_usd.is_some(), request.deadline_h.is_some());
        match (budget, deadline, request.limits_set(), likely) {
            (true, false, 1, false) => "In budget",
            (true, false, 1, true) => "Likely in budget",
            (false, true, 1, false) => "On time",
            (false, true, 1, true) => "Likely on time",
            (true, true, 2, false) => "In both limits",
            (_, _, 2, true) => "Likely in both",
            (.., false) => "Within limits",
            (.., true) => "Likely in limits",
        }
    }

    /// What the fourth answer is the least of: emissions where the plan knows its region, else energy.
    pub fn greenest_name(&self) -> &'static str {
        let run = self
            .answers
            .greenest
            .and_then(|i| self.combinations.get(i)?.run());
        if run.is_some_and(|run| run.co2e_kg.is_some()) {
            "Least CO₂e"
        } else {
            "Least energy"
        }
    }
}
