//! What limits a step in plain words: the limit, and what the tests of the short rule mean.

use crate::format;
use crate::planner::PredictedRun;
use crate::predictor::{Explanation, Limit};

/// What limits a step, inside a sentence.
pub const fn limit_word(limit: Limit) -> &'static str {
    match limit {
        Limit::Compute => "matmul arithmetic",
        Limit::MemoryTraffic => "memory traffic",
        Limit::Launch => "kernel launches",
        Limit::Communication => "communication",
    }
}

/// What a test of the short rule means, by the feature it asks for: where the feature is small, and where it is large. Those
/// of exchange say nothing of one device.
const MEANINGS: [(&str, &str, &str); 14] = [
    (
        "Arithmetic rate of the mode",
        "the mode computes slowly",
        "the mode computes fast",
    ),
    (
        "Arithmetic intensity against machine balance",
        "it computes little for each byte that it moves",
        "it computes much for each byte that it moves",
    ),
    (
        "Memory-bound share of matmuls",
        "few of its matmuls wait for memory",
        "many of its matmuls wait for memory",
    ),
    (
        "Compute per kernel",
        "its kernels are short",
        "its kernels are long enough to keep the device busy",
    ),
    (
        "Batch per device",
        "each device has a small batch",
        "each device has a large batch",
    ),
    (
        "Tokens per micro-step",
        "a micro-step holds few tokens",
        "a micro-step holds many tokens",
    ),
    (
        "FLOPs per operator",
        "its operators are small",
        "its operators are large",
    ),
    (
        "FLOPs per sample",
        "a sample takes little arithmetic",
        "a sample takes much arithmetic",
    ),
    (
        "Traffic per FLOP",
        "it moves few bytes for what it computes",
        "it moves many bytes for what it computes",
    ),
    (
        "Parameters per device",
        "each device holds few parameters",
        "each device holds many parameters",
    ),
    (
        EXCHANGE,
        "exchanging gradients is short beside the backward pass",
        "exchanging gradients is long beside the backward pass",
    ),
    (
        COMMUNICATION,
        "its devices exchange little for what they compute",
        "its devices exchange much for what they compute",
    ),
    (DEVICES, "it runs on few devices", "it runs on many devices"),
    (
        "Memory bandwidth",
        "the memory is slow",
        "the memory is fast",
    ),
];
const EXCHANGE: &str = "Gradient exchange over backward";
const COMMUNICATION: &str = "Communication over compute";
const DEVICES: &str = "Devices";

/// A test of the rule: its feature, and whether that is above the threshold.
fn test_of(rule: &str) -> Option<(&str, bool)> {
    let of = |word: &str, above| rule.rsplit_once(word).map(|(feature, _)| (feature, above));
    of(" at most ", false).or_else(|| of(" above ", true))
}

/// What a path means: each feature once. One that is asked for twice and lies between two thresholds is neither small nor
/// large and says nothing.
fn meanings(path: &[String], is_alone: bool) -> Vec<&'static str> {
    let tests: Vec<(&str, bool)> = path.iter().filter_map(|rule| test_of(rule)).collect();
    let mut said = Vec::new();
    for (feature, above) in &tests {
        let between = tests.contains(&(*feature, !above));
        let of_many = [EXCHANGE, COMMUNICATION, DEVICES].contains(feature);
        let meaning = MEANINGS.iter().find(|(name, _, _)| name == feature);
        if let (false, Some((_, small, large))) = (between || of_many && is_alone, meaning) {
            let words = if *above { *large } else { *small };
            if !said.contains(&words) {
                said.push(words);
            }
        }
    }
    said
}

/// Phrases as one list: `a, b and c`.
fn list(said: &[&str]) -> String {
    match said {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// What limits a run and why, as one sentence. Where the short rule names another limit than the predictor, it says so
/// rather than give reasons for the wrong one.
pub fn because(run: &PredictedRun, explanation: &Explanation) -> String {
    let limit = run.prediction.limit;
    let is_alone = run.configuration.count <= 1;
    sentence(
        limit,
        explanation.limit_named,
        &meanings(&explanation.limit_rule, is_alone),
    )
}

fn sentence(limit: Limit, named: Limit, said: &[&str]) -> String {
    let verb = if limit == Limit::Launch {
        "limit"
    } else {
        "limits"
    };
    let limited = format!("{} {verb} it", format::capitalised(limit_word(limit)));
    let reasons = list(said);
    match (limit == named, said.is_empty()) {
        (_, true) => format!("{limited}."),
        (true, false) => format!("{limited}, because {reasons}."),
        (false, false) => format!(
            "{limited}, by its largest part. The tests alone would name {}, because {reasons}.",
            limit_word(named)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_said_in_plain_words() {
        let path = [
            "Compute per kernel above 59 µs",
            "Memory-bound share of matmuls at most 0.32",
            "Gradient exchange over backward at most 0.64",
        ]
        .map(str::to_owned);
        let said = meanings(&path, false);
        assert_eq!(
            sentence(Limit::Compute, Limit::Compute, &said),
            "Matmul arithmetic limits it, because its kernels are long enough to keep the device busy, few of its matmuls \
             wait for memory and exchanging gradients is short beside the backward pass."
        );
        assert_eq!(meanings(&path, true).len(), 2);
        let other = sentence(Limit::Launch, Limit::Compute, &said);
        assert!(
            other.starts_with("Kernel launches limit it, by its largest part."),
            "{other}"
        );
        assert_eq!(
            sentence(Limit::Communication, Limit::Compute, &[]),
            "Communication limits it."
        );
    }

    #[test]
    fn what_lies_between_two_thresholds_is_neither_small_nor_large() {
        let path = [
            "Compute per kernel above 20 µs",
            "Compute per kernel at most 59 µs",
        ];
        assert!(meanings(&path.map(str::to_owned), false).is_empty());
        let path = ["Devices above 8", "Devices above 64"].map(str::to_owned);
        assert_eq!(meanings(&path, false), ["it runs on many devices"]);
    }
}
