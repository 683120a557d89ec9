//! Boosted regression trees: fitting on histograms, flat inference, exact contributions.
//!
//! No well-kept crate boosts regression trees with a robust loss, monotone constraints, exact TreeSHAP and a
//! reproducible fit, so these are our own, behind linfa's traits so that its metrics and folds serve.

mod bins;
mod contributions;
mod fit;
mod forest;
mod params;

pub use forest::{Forest, Tree};
pub use params::{BoostError, BoostParams};
