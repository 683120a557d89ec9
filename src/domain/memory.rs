//! Peak device memory of a configuration.

use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// How far a measured peak may lie below the estimate: an estimate beyond capacity by less than this may still run.
///
/// Of the shipped runs that state a peak, more than nine in ten are no further below it (`mantissa evaluate`).
const DOUBT: f64 = 0.15;

/// What a stated peak counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryCounter {
    /// Bytes of tensors that live at once, as `torch.cuda.max_memory_allocated` has it.
    Allocated,
    /// What the framework holds of the device, as `torch.cuda.max_memory_reserved` has it: those and blocks it caches.
    Reserved,
    /// What the driver says is taken, as `nvidia-smi` samples it: those, the context and buffers of communication.
    #[default]
    Device,
}

impl MemoryCounter {
    /// The name in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Allocated => "tensors that live at once",
            Self::Reserved => "those and cached blocks",
            Self::Device => "all that is taken of the device",
        }
    }
}

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
    /// Framework context, communication buffers, temporary tensors and cached blocks.
    pub overhead: Bytes,
    /// Of the overhead, tensors that live for an operator or two (gradients between layers, workspaces), and samples of an
    /// epoch that lie on the device.
    pub temporary: Bytes,
    /// Of the overhead, blocks that the allocator keeps beside what lives.
    pub cached: Bytes,
    /// What the accelerator has.
    pub capacity: Bytes,
}

impl MemoryUse {
    /// States and activations, without any overhead.
    pub fn held(&self) -> Bytes {
        self.weights + self.gradients + self.optimizer + self.activations
    }

    /// All parts together.
    pub fn total(&self) -> Bytes {
        self.held() + self.overhead
    }

    /// Activations with what of the overhead grows with them; samples of an epoch count as such, since no model that keeps
    /// them has a sequence to grow by.
    pub fn growing(&self) -> Bytes {
        let live = self.counted(MemoryCounter::Allocated).value().max(1.0);
        let grows = (self.activations + self.temporary).value();
        Bytes(grows * (1.0 + self.cached.value() / live))
    }

    /// What of it a counter sees.
    pub fn counted(&self, counter: MemoryCounter) -> Bytes {
        let allocated = self.held() + self.temporary;
        match counter {
            MemoryCounter::Allocated => allocated,
            MemoryCounter::Reserved => allocated + self.cached,
            MemoryCounter::Device => self.total(),
        }
    }

    /// Whether the estimate fits.
    pub fn fits(&self) -> bool {
        self.total().value() <= self.capacity.value()
    }

    /// Whether it may fit: the estimate, less what the allocator gives back where memory is short and less its doubt, is
    /// within capacity. What may not is refused.
    pub fn may_fit(&self) -> bool {
        (self.total() - self.cached).value() * (1.0 - DOUBT) <= self.capacity.value()
    }
}
