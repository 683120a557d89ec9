//! Peak device memory of a configuration.

use crate::units::Bytes;
use serde::{Deserialize, Serialize};

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

    /// Whether it fits.
    pub fn fits(&self) -> bool {
        self.total().value() <= self.capacity.value()
    }
}
