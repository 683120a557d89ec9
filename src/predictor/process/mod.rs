//! Gaussian process on the log of measured over physical time (Rasmussen and Williams, "Gaussian Processes for Machine
//! Learning", 2006, algorithm 2.1).
//!
//! The compute and overlap stages are two parts of one process, fitted together, since most runs on several devices give
//! their sum alone: `ln(T / T_physics) = s · f_c(x) + m · f_o(x) + noise`, with `s` the share of compute in the physical
//! time and `m` 1 on several devices, else 0. Far from every measured run both parts fall back to zero, which is physics.
//! `f_o` of a language model and of another model share little: [`ACROSS`].
//!
//! [`Shape`] holds the scales of the kernels, [`learn`] learns them, [`Process`] is the fitted whole.

mod cholesky;
mod fit;
mod folded;
mod inputs;
mod kernel;
pub mod learn;
mod left_out;
mod shape;
mod table;

pub(super) use cholesky::solve_symmetric as solve;
pub use fit::{Example, FitError, Process, Value};
pub use inputs::Place;
pub(super) use inputs::{Coordinate, Scaler, everything, share_out};
pub use shape::{Shape, ShapeError, ShapeFile};

/// Number of kernels: compute over all it sees, over model and shares, over part and software; overlap over everything, and over
/// part, software, layout and links, since what holds one model up on a cluster holds up others of its kind.
pub(crate) const KERNELS: usize = 5;

/// How much of the covariance of overlap holds between a language model and another model. What holds up nets on several
/// devices (samples to load and to augment, one process for all devices) says little of language models, and the other way
/// round: with all of it, language models of families left out erred by 14.0 % and all models by 12.2 %, with this by 11.5
/// and 11.8 %, with none by as much; of compute it is of no use.
const ACROSS: f64 = 0.2;

/// What a value of the process is the sum of, where each is heard by itself: the slopes of compute, its three kernels, and all
/// of overlap. Far from measured runs they are not right equally often.
pub(crate) const VOICES: usize = 5;

/// The voice a kernel is part of.
pub(crate) const fn voice_of(kernel: usize) -> usize {
    if inputs::part_of(kernel) == 0 {
        1 + kernel
    } else {
        VOICES - 1
    }
}
