//! Formulas with their sources: no files, no trees.

pub mod power;
