//! From a configuration to a step time with its interval and its reasons.
//!
//! [`resolve`](mod@resolve) turns a measured run into a configuration, [`features`] and [`stages`] predict, [`doubt`]
//! says how surely, [`crossval`] and [`train`](mod@train) measure and fit, [`Predictor`] is what the planner asks.

mod ablation;
pub mod accuracy;
pub mod artifact;
pub mod card;
pub mod communication;
mod constants_fit;
pub mod crossval;
mod differences;
pub mod doubt;
pub mod features;
mod importance;
mod learned;
mod libraries;
mod net;
mod predict;
mod prediction;
pub mod process;
mod quantile;
pub mod reading;
mod recipes;
pub mod resolve;
pub mod rows;
pub mod scales;
pub mod stages;
mod surrogate;
pub mod train;
pub mod trees;
pub mod trust;
mod unstated;

pub use crate::domain::MemoryUse;
pub use predict::{PredictError, Predictor};
pub use prediction::{
    Breakdown, Confidence, Contribution, Estimate, Explanation, Importance, Limit, NearestRun,
    Prediction, Stage, Support,
};
pub use surrogate::LimitRules;
