//! What limits a step in plain words: the limit, and what the tests of the short rule mean.

use crate::format;
use crate::planner::PredictedRun;
use crate::predictor::{Explanation, Limit};
use crate::units::Seconds;

/// What limits a step, inside a sentence.
pub const fn limit_word(limit: Limit) -> &'static str {
    match limit {
        Limit::Compute => "matmul arithmetic",
        Limit::MemoryTraffic => "memory traffic",
        Limit::Launch => "kernel launches",
        Limit::Communication => "communication",
    }
}

/// What a side of a test means, and the limits that it speaks against: a rule may name one in spite of it.
type Meaning = (&'static str, &'static [Limit]);

/// What a test of the short rule means, by the feature it asks for: where the feature is small, and where it is large. Those
/// of exchange say nothing of one device.
const MEANINGS: [(&str, Meaning, Meaning); 14] = [
    (
        "Arithmetic rate of the mode",
        ("the mode computes slowly", &[]),
        ("the mode computes fast", &[Limit::Compute]),
    ),
    (
        "Arithmetic intensity against machine balance",
        (
            "it computes little for each byte that it moves",
            &[Limit::Compute],
        ),
        (
            "it computes much for each byte that it moves",
            &[Limit::MemoryTraffic],
        ),
    ),
    (
        "Memory-bound share of matmuls",
        (
            "few of its matmuls wait for memory",
            &[Limit::MemoryTraffic],
        ),
        ("many of its matmuls wait for memory", &[Limit::Compute]),
    ),
    (
        "Compute per kernel",
        ("its kernels are short", &[]),
        (
            "its kernels are long enough to keep the device busy",
            &[Limit::Launch],
        ),
    ),
    (
        "Batch per device",
        ("each device has a small batch", &[]),
        ("each device has a large batch", &[Limit::Launch]),
    ),
    (
        "Tokens per micro-step",
        ("a micro-step holds few tokens", &[]),
        ("a micro-step holds many tokens", &[Limit::Launch]),
    ),
    (
        "FLOPs per operator",
        ("its operators are small", &[]),
        ("its operators are large", &[Limit::Launch]),
    ),
    (
        "FLOPs per sample",
        ("a sample takes little arithmetic", &[Limit::Compute]),
        ("a sample takes much arithmetic", &[]),
    ),
    (
        "Traffic per FLOP",
        (
            "it moves few bytes for what it computes",
            &[Limit::MemoryTraffic],
        ),
        (
            "it moves many bytes for what it computes",
            &[Limit::Compute],
        ),
    ),
    (
        "Parameters per device",
        ("each device holds few parameters", &[]),
        ("each device holds many parameters", &[]),
    ),
    (
        EXCHANGE,
        (
            "exchanging gradients is short beside the backward pass",
            &[Limit::Communication],
        ),
        (
            "exchanging gradients is long beside the backward pass",
            &NOT_COMMUNICATION,
        ),
    ),
    (
        COMMUNICATION,
        (
            "its devices exchange little for what they compute",
            &[Limit::Communication],
        ),
        (
            "its devices exchange much for what they compute",
            &NOT_COMMUNICATION,
        ),
    ),
    (
        DEVICES,
        ("it runs on few devices", &[Limit::Communication]),
        ("it runs on many devices", &[]),
    ),
    (
        "Memory bandwidth",
        ("the memory is slow", &[]),
        ("the memory is fast", &[Limit::MemoryTraffic]),
    ),
];
const NOT_COMMUNICATION: [Limit; 3] = [Limit::Compute, Limit::MemoryTraffic, Limit::Launch];
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
fn meanings(path: &[String], is_alone: bool) -> Vec<Meaning> {
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
        (limit, &limits_it(run)),
        explanation.limit_named,
        &meanings(&explanation.limit_rule, is_alone),
    )
}

/// `Matmul arithmetic limits it`. A limit that is the largest together with what counts to it alone says so, or it would
/// contradict the bars beside it.
pub fn limits_it(run: &PredictedRun) -> String {
    let parts = &run.prediction.breakdown;
    let is_behind = |part: Seconds| part.value() < parts.matmul.value();
    let (what, verb) = match run.prediction.limit {
        Limit::MemoryTraffic if is_behind(parts.memory_traffic) => {
            ("memory traffic, casts and the optimizer together", "limit")
        }
        Limit::Communication if is_behind(parts.communication) => {
            ("communication and the pipeline's bubble together", "limit")
        }
        Limit::Launch => (limit_word(Limit::Launch), "limit"),
        limit => (limit_word(limit), "limits"),
    };
    format!("{} {verb} it", format::capitalised(what))
}

fn sentence((limit, limited): (Limit, &str), named: Limit, said: &[Meaning]) -> String {
    let (against, of): (Vec<Meaning>, Vec<Meaning>) = said
        .iter()
        .partition(|(_, against)| against.contains(&named));
    let clause = |word: &str, said: &[Meaning]| match said {
        [] => String::new(),
        said => {
            let words: Vec<&str> = said.iter().map(|(words, _)| *words).collect();
            format!(", {word} {}", list(&words))
        }
    };
    let reasons = clause("because", &of) + &clause("though", &against);
    match (limit == named, said.is_empty()) {
        (_, true) => format!("{limited}."),
        (true, false) => format!("{limited}{reasons}."),
        (false, false) => format!(
            "{limited}, by its largest part. The tests alone would name {}{reasons}.",
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
            sentence(
                (Limit::Compute, "Matmul arithmetic limits it"),
                Limit::Compute,
                &said
            ),
            "Matmul arithmetic limits it, because its kernels are long enough to keep the device busy, few of its matmuls \
             wait for memory and exchanging gradients is short beside the backward pass."
        );
        assert_eq!(meanings(&path, true).len(), 2);
        let other = sentence(
            (Limit::Launch, "Kernel launches limit it"),
            Limit::Compute,
            &said,
        );
        assert!(
            other.starts_with("Kernel launches limit it, by its largest part."),
            "{other}"
        );
        assert_eq!(
            sentence(
                (Limit::Communication, "Communication limits it"),
                Limit::Compute,
                &[]
            ),
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
        let said = meanings(&path, false);
        assert_eq!(said.len(), 1);
        assert_eq!(said[0].0, "it runs on many devices");
    }

    #[test]
    fn what_speaks_against_the_limit_is_no_reason_for_it() {
        let path = [
            "Memory-bound share of matmuls above 0.32",
            "Compute per kernel above 48 µs",
        ];
        let said = meanings(&path.map(str::to_owned), true);
        assert_eq!(
            sentence(
                (Limit::Compute, "Matmul arithmetic limits it"),
                Limit::Compute,
                &said
            ),
            "Matmul arithmetic limits it, because its kernels are long enough to keep the device busy, though many of its \
             matmuls wait for memory."
        );
        assert_eq!(
            sentence(
                (Limit::MemoryTraffic, "Memory traffic limits it"),
                Limit::MemoryTraffic,
                &said[..1]
            ),
            "Memory traffic limits it, because many of its matmuls wait for memory."
        );
    }
}
