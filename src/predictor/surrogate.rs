//! A readable stand-in that names what limits a configuration: one shallow decision tree, fitted by linfa-trees.
//!
//! The label is the largest part of the predicted step. linfa-trees sums in hash order, so that equal splits may fall
//! either way; the tree most often found in several fits, in a canonical form, is the one that ships.

use super::features::FEATURES;
use super::prediction::{Breakdown, Limit};
use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_trees::{DecisionTree, TreeNode};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A node of the rule tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Rule {
    /// Ask a feature: below or at the threshold go left.
    Ask {
        /// Index of the feature.
        feature: usize,
        /// Threshold, rounded to four decimals.
        threshold: f64,
        /// At or below.
        low: Box<Rule>,
        /// Above.
        high: Box<Rule>,
    },
    /// The limit.
    Answer(Limit),
}

/// The shipped rule tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitRules {
    /// The tree.
    pub root: Rule,
    /// How often it names the predictor's own limit on measured runs it was not fitted on, 0 to 1.
    pub fidelity: f64,
}

impl Default for LimitRules {
    fn default() -> Self {
        Self {
            root: Rule::Answer(Limit::Compute),
            fidelity: 0.0,
        }
    }
}

/// Features a person can check: sizes, layout and hardware, not shares of the answer itself.
const ASKED: [&str; 14] = [
    "Arithmetic rate of the mode",
    "Arithmetic intensity against machine balance",
    "Memory-bound share of matmuls",
    "Compute per kernel",
    "Batch per device",
    "Tokens per micro-step",
    "FLOPs per operator",
    "FLOPs per sample",
    "Traffic per FLOP",
    "Parameters per device",
    "Gradient exchange over backward",
    "Communication over compute",
    "Devices",
    "Memory bandwidth",
];

const DEPTH: usize = 4;
const FITS: usize = 9;
/// Every fifth row is kept back to state the fidelity.
const KEPT_BACK: usize = 5;

/// The limit of a step: its largest part.
pub fn limit_of(parts: &Breakdown) -> Limit {
    let options = [
        (Limit::Compute, parts.matmul),
        (
            Limit::MemoryTraffic,
            parts.memory_traffic + parts.optimizer + parts.casts,
        ),
        (Limit::Launch, parts.launch),
        (Limit::Communication, parts.communication + parts.bubble),
    ];
    options
        .iter()
        .fold(
            (Limit::Compute, f64::NEG_INFINITY),
            |best, (limit, time)| {
                if time.value() > best.1 {
                    (*limit, time.value())
                } else {
                    best
                }
            },
        )
        .0
}

fn asked() -> Vec<usize> {
    (0..FEATURES.len())
        .filter(|i| ASKED.contains(&FEATURES[*i].label))
        .collect()
}

impl LimitRules {
    /// Fits the rules on feature rows and limits; `None` where linfa-trees finds no tree.
    pub fn fit(rows: &[Vec<f32>], limits: &[Limit]) -> Option<Self> {
        let asked = asked();
        let train: Vec<usize> = (0..rows.len()).filter(|i| i % KEPT_BACK != 0).collect();
        let records = Array2::from_shape_fn((train.len(), asked.len()), |(i, j)| {
            // Coarse values leave few near-ties between splits.
            (f64::from(rows[train[i]][asked[j]]) * 50.0).round() / 50.0
        });
        let labels: Array1<usize> = train.iter().map(|i| limits[*i] as usize).collect();
        let data = DatasetBase::new(records, labels);
        let mut found: BTreeMap<String, (usize, Rule)> = BTreeMap::new();
        for _ in 0..FITS {
            let tree = DecisionTree::params()
                .max_depth(Some(DEPTH))
                .min_weight_leaf(40.0)
                .fit(&data)
                .ok()?;
            let rule = canonical(tree.root_node(), &asked)?;
            let key = serde_json::to_string(&rule).ok()?;
            found.entry(key).or_insert((0, rule)).0 += 1;
        }
        let root = found.into_values().max_by_key(|(count, _)| *count)?.1;
        let mut rules = Self {
            root,
            fidelity: 0.0,
        };
        let kept: Vec<usize> = (0..rows.len()).filter(|i| i % KEPT_BACK == 0).collect();
        let right = kept
            .iter()
            .filter(|i| rules.answer(&rows[**i]) == limits[**i])
            .count();
        rules.fidelity = right as f64 / kept.len().max(1) as f64;
        Some(rules)
    }

    /// The limit the rules name.
    pub fn answer(&self, row: &[f32]) -> Limit {
        self.walk(row).1
    }

    /// The rules passed on the way, and the limit they name.
    pub fn walk(&self, row: &[f32]) -> (Vec<String>, Limit) {
        let mut path = Vec::new();
        let mut at = &self.root;
        loop {
            match at {
                Rule::Answer(limit) => return (path, *limit),
                Rule::Ask {
                    feature,
                    threshold,
                    low,
                    high,
                } => {
                    let value = f64::from(row.get(*feature).copied().unwrap_or(0.0));
                    let below = value <= *threshold;
                    let word = if below { "at most" } else { "above" };
                    let label = FEATURES.get(*feature).map_or("?", |f| f.label);
                    path.push(format!("{label} {word} {}", natural(label, *threshold)));
                    at = if below { low } else { high };
                }
            }
        }
    }
}

/// A threshold in the unit a person knows: most features are logarithms.
fn natural(label: &str, threshold: f64) -> String {
    let value = threshold.exp();
    match label {
        "Memory bandwidth" => format!("{:.0} GB/s", value / 1e9),
        "Arithmetic rate of the mode" => format!("{:.0} TFLOP/s", value / 1e12),
        "Compute per kernel" => format!("{:.0} µs", value * 1e6),
        _ if value >= 1e4 => format!("{value:.1e}"),
        _ if value >= 10.0 => format!("{value:.0}"),
        _ if value >= 0.1 => format!("{value:.2}"),
        _ if value >= 1e-3 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    }
}

fn canonical(node: &TreeNode<f64, usize>, asked: &[usize]) -> Option<Rule> {
    if node.is_leaf() {
        return Limit::ALL
            .get(node.prediction()?)
            .map(|limit| Rule::Answer(*limit));
    }
    let (feature, threshold, _) = node.split();
    let children = node.children();
    let child = |i: usize| canonical(children.get(i)?.as_ref()?, asked);
    let (low, high) = (child(0)?, child(1)?);
    if low == high {
        return Some(low);
    }
    Some(Rule::Ask {
        feature: *asked.get(feature)?,
        threshold: (threshold * 1e4).round() / 1e4,
        low: Box::new(low),
        high: Box::new(high),
    })
}
