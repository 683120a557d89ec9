//! How large a figure may be that a person states, in a request or in a model's file: the one place for these bounds. They
//! stand far above anything that was ever trained, and low enough that nothing worked out from them overflows.

/// Accelerators of a run: more than any has used by a factor of ten. Parallel degrees stay below it too.
pub const MAX_COUNT: u32 = 1_000_000;
/// Combinations of accelerator, count and precision in one plan: more than a table can be read for, and minutes of work.
pub const MAX_COMBINATIONS: usize = 20_000;
/// Rank of low-rank adapters: the highest that is still called low.
pub const MAX_RANK: u32 = 4096;
/// Tokens that a run trains on.
pub const MAX_TOKENS: f64 = 1e18;
/// Samples of a data set.
pub const MAX_SAMPLES: f64 = 1e13;
/// Passes over it.
pub const MAX_EPOCHS: f64 = 1e6;
/// Optimizer steps.
pub const MAX_STEPS: f64 = 1e12;
/// US dollars for an accelerator and hour, a kilowatt-hour, or a terabyte and month.
pub const MAX_RATE_USD: f64 = 1e6;
/// US dollars, kilowatt-hours or kilograms that a run may come to, or that something costs.
pub const MAX_TOTAL: f64 = 1e15;
/// Hours, minutes or seconds of anything that happens in a run.
pub const MAX_TIME: f64 = 1e12;
/// Years until hardware is written off.
pub const MAX_YEARS: f64 = 100.0;
/// Energy of a building over that of its computers.
pub const MAX_PUE: f64 = 10.0;
/// Terabytes in store.
pub const MAX_STORAGE_TB: f64 = 1e9;
/// Factors of a what-if and weights of what is minimised; the least factor is one over it.
pub const MAX_FACTOR: f64 = 1e6;
/// Samples of one accelerator and step.
pub const MAX_BATCH_PER_DEVICE: f64 = 1e7;
/// Tokens of a sample.
pub const MAX_SEQ_LEN: u32 = 10_000_000;
/// Pixels a side.
pub const MAX_IMAGE_SIZE: u32 = 16_384;

/// Layers of a model.
pub const MAX_LAYERS: u32 = 10_000;
/// Width of a layer, its heads and its experts, in elements.
pub const MAX_WIDTH: u32 = 10_000_000;
/// Parameters of a model.
pub const MAX_PARAMETERS: f64 = 1e14;
/// One dimension of an operator, or how often a model has something: rows, columns, kernels, tensors.
pub const MAX_DIMENSION: f64 = 1e9;
/// Elements or bytes that the operators of one kind move, or that a sample keeps.
pub const MAX_MOVED: f64 = 1e18;
/// Floating-point operations of the forward pass of a sample.
pub const MAX_FORWARD_FLOPS: f64 = 1e21;
