//! Hyper-parameters of a boosted forest, and why a fit cannot start.

/// Hyper-parameters of a boosted forest.
#[derive(Debug, Clone, PartialEq)]
pub struct BoostParams {
    /// Number of trees.
    pub trees: usize,
    /// Most leaves a tree.
    pub leaves: usize,
    /// Shrinkage of each tree.
    pub rate: f64,
    /// Fewest rows a leaf.
    pub min_leaf: usize,
    /// L2 penalty on leaf values, in units of row weight.
    pub l2: f64,
    /// Share of the features each tree may use.
    pub column_share: f64,
    /// Scale of the Fair loss, in units of the target.
    pub fair: f64,
    /// Most bins a feature.
    pub bins: usize,
    /// Whether each leaf tries one cut of each feature, drawn evenly among its bins, in place of all: extremely randomised
    /// trees (Geurts, Ernst and Wehenkel 2006).
    pub random_cuts: bool,
    /// +1 where the prediction must not fall as the feature rises, −1 where it must not rise; empty = free.
    pub monotone: Vec<i8>,
    /// Seed of the feature draw.
    pub seed: u64,
}

impl Default for BoostParams {
    fn default() -> Self {
        Self {
            trees: 500,
            leaves: 31,
            rate: 0.05,
            min_leaf: 5,
            l2: 1.0,
            column_share: 0.5,
            fair: 0.1,
            bins: 127,
            random_cuts: false,
            monotone: Vec::new(),
            seed: 1,
        }
    }
}

/// Why a fit cannot start.
#[derive(Debug, thiserror::Error)]
pub enum BoostError {
    /// No rows or no features.
    #[error("boosting needs at least one row and one feature")]
    Empty,
    /// linfa's own.
    #[error(transparent)]
    Linfa(#[from] linfa::Error),
}
