//! Figures and advice from practice: how often runs fail, and where numbers go wrong.

use super::fields::{Date, Positive, Text};
use crate::domain::PrecisionMode;
use serde::Deserialize;

/// A sourced figure of practice.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Key, e.g. `restart-min`.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Unit in words.
    pub unit: String,
    /// Where it is from.
    pub source: String,
    /// When it was retrieved.
    pub retrieved: String,
}

/// What a line of advice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AdviceKind {
    /// The mode does not work without it.
    Need,
    /// Known to go wrong.
    Risk,
    /// Worth knowing.
    Note,
}

impl AdviceKind {
    /// The word of files.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Need => "need",
            Self::Risk => "risk",
            Self::Note => "note",
        }
    }
}

/// A line of advice on a precision mode.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// Modes it concerns.
    pub modes: Vec<PrecisionMode>,
    /// Model families; empty = all.
    pub families: Vec<String>,
    /// Tasks; empty = all.
    pub tasks: Vec<String>,
    /// Smallest model it concerns, in parameters.
    pub min_parameters: f64,
    /// Shortest training it concerns, in tokens.
    pub min_tokens: f64,
    /// What it is.
    pub kind: AdviceKind,
    /// A sentence or two.
    pub text: String,
    /// Where it is from.
    pub source: String,
    /// When it was retrieved.
    pub retrieved: String,
}

impl Advice {
    /// Whether it concerns a mode on a model of some family, task and parameters.
    pub fn concerns(&self, mode: PrecisionMode, family: &str, task: &str, parameters: f64) -> bool {
        let among =
            |words: &[String], word: &str| words.is_empty() || words.iter().any(|w| w == word);
        self.modes.contains(&mode)
            && among(&self.families, family)
            && among(&self.tasks, task)
            && parameters >= self.min_parameters
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReliabilityFile {
    pub schema: u32,
    #[serde(default)]
    figure: Vec<FigureRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureRow {
    name: Text,
    value: Positive,
    unit: Text,
    source: Text,
    retrieved: Date,
}

impl ReliabilityFile {
    /// Its figures; one replaces another of its name.
    pub(super) fn add_to(self, figures: &mut Vec<Figure>) {
        for row in self.figure {
            figures.retain(|known| known.name != row.name.0);
            figures.push(Figure {
                name: row.name.0,
                value: row.value.0,
                unit: row.unit.0,
                source: row.source.0,
                retrieved: row.retrieved.0,
            });
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdviceFile {
    pub schema: u32,
    #[serde(default)]
    advice: Vec<AdviceRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AdviceRow {
    modes: Vec<PrecisionMode>,
    #[serde(default)]
    families: Vec<String>,
    #[serde(default)]
    tasks: Vec<String>,
    min_parameters_b: Option<Positive>,
    min_tokens_b: Option<Positive>,
    kind: AdviceKind,
    text: Text,
    source: Text,
    retrieved: Date,
}

impl AdviceFile {
    pub(super) fn add_to(self, advice: &mut Vec<Advice>) {
        advice.extend(self.advice.into_iter().map(|row| {
            Advice {
                modes: row.modes,
                families: row.families,
                tasks: row.tasks,
                min_parameters: row
                    .min_parameters_b
                    .map_or(0.0, |billions| billions.0 * 1e9),
                min_tokens: row.min_tokens_b.map_or(0.0, |billions| billions.0 * 1e9),
                kind: row.kind,
                text: row.text.0,
                source: row.source.0,
                retrieved: row.retrieved.0,
            }
        }));
    }
}
