//! Peak device memory of a configuration.

use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// How far a measured peak may lie below the estimate: an estimate beyond capacity by less than this may still run.
///
/// Of the shipped runs that state a peak, more than nine in ten are no further below it (`mantissa evaluate`).
const DOUBT: f64 = 0.15;

/// Peak device memory by part.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Weights in compute and master precision.
    pub weights: Bytes,
    /// Gradients.
    pub gradients: Bytes,
    /// Optimizer states.
    pub optimizer: Bytes,
    /// Activations kept for backward.
    pub activations: Bytes,
    /// Framework context, communication buffers, fragmentation.
    pub overhead: Bytes,
    /// What the accelerator has.
    pub capacity: Bytes,
}

impl MemoryUse {
    /// All parts together.
    pub fn total(&self) -> Bytes {
        self.weights + self.gradients + self.optimizer + self.activations + self.overhead
    }

    /// Whether the estimate fits.
    pub fn fits(&self) -> bool {
        self.total().value() <= self.capacity.value()
    }

    /// Whether it may fit: the estimate, less its doubt, is within capacity. What may not is refused.
    pub fn may_fit(&self) -> bool {
        self.total().value() * (1.0 - DOUBT) <= self.capacity.value()
    }
}
