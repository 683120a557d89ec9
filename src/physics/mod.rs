//! Formulas of time and memory with their sources: no data files, no trees.
//!
//! [`StepWork`] turns a configuration into seconds at unit efficiency per part and kind of work, [`Constants`] says how
//! efficient each kind is, and [`StepTimes`] composes the two into the physical step time that what is learned corrects.

mod activations;
mod clocks;
pub mod collectives;
mod constants;
mod depthwise;
mod efficiency;
pub mod exchange;
mod extras;
mod matmul;
mod memory;
mod operators;
mod optimizer;
pub mod power;
mod step;
mod step_work;
mod traffic;
mod work;

pub use constants::{Constant, Constants, GenerationOffset};
pub use extras::{ExtraTime, extra_time};
pub use memory::{host_bytes, hybrid_group, memory_by_stage, memory_use, sharing_ranks};
pub use step::StepTimes;
pub use step_work::{DepthwiseKernels, PrecisionView, Recomputed, StepWork};
pub(crate) use work::expected_largest;
