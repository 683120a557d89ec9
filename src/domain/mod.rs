//! The words of the planner as plain values: no formulas of time, no files, no threads, no window.

mod accelerator;
mod configuration;
mod memory;
mod model;
mod precision;
mod profile;
pub mod ranges;
mod release;
mod strategy;
mod system;
mod workload;

pub use accelerator::{Accelerator, Generation, MemoryKind, Peak, PeakRefusal, Vendor};
pub use configuration::{
    Configuration, FUSED_ATTENTION_SINCE, Fabric, LinkKind, OptimizerKernels, PYTORCH_2,
    SoftwareStack, TORCH_ATTENTION_SINCE, Tuning, is_jax,
};
pub use memory::{MemoryCounter, MemoryUse};
pub use model::{
    FINE_TUNING, ImageShape, LatentAttention, Model, ModelSource, ProfileScaling, Sentences, TASKS,
    TransformerLayout, TransformerShape,
};
pub use precision::{PrecisionMode, PrecisionSpec, UnknownPrecision};
pub use profile::{
    AutocastTraffic, BlockStack, KeptBytes, LayerNorms, MASKED_SHARE, MatmulKind, MatmulOp,
    OperatorProfile, ProfileOrigin, ShardAxis, Traffic, TrafficClass,
};
pub use release::newest_until;
pub use strategy::{Offload, Recompute, Sharding, Strategy};
pub use system::System;
pub use workload::{Adapters, Optimizer, TimedPart, TrainingLength, Workload};
