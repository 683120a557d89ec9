//! x

pub mod dataset;
