//! Mantissa: a planner for deep-learning training runs.
//!
//! The modules stand in the order of their dependencies; a test (`tests/architecture.rs`) holds them to it:
//! `units ← domain ← {physics, presets, dataset} ← predictor ← planner ← report ← {cli, gui}`.

pub mod cli;
pub mod dataset;
pub mod domain;
pub mod format;
#[cfg(feature = "gui")]
pub mod gui;
pub mod physics;
pub mod planner;
pub mod predictor;
pub mod presets;
pub mod report;
pub mod units;
