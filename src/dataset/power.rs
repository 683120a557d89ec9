//! The measured mean power of boards in training: `assets/power.csv`, embedded.

use super::DatasetError;
use super::shipped::read_table;
use serde::Deserialize;

static POWER: &str = include_str!("../../assets/power.csv");

/// Mean power of one accelerator over a training run at its highest power limit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PowerRow {
    /// Short key of the publication.
    pub source: String,
    /// File in it that states the figure.
    pub source_path: String,
    /// Model name.
    pub model: String,
    /// Accelerator name.
    pub gpu: String,
    /// Accelerators of the job.
    pub gpus: u32,
    /// Samples per step of the job.
    pub batch: f64,
    /// Throughput of the job.
    pub throughput: f64,
    /// Its unit.
    pub unit: String,
    /// Mean power of one board in watts.
    pub mean_power_w: f64,
    /// Power limit of the board in watts.
    pub power_limit_w: f64,
}

impl PowerRow {
    /// Whether it belongs to the same curve over batch sizes: same publication, model, part and count.
    pub fn same_curve(&self, other: &Self) -> bool {
        let key = |row: &Self| {
            (
                row.source.clone(),
                row.model.clone(),
                row.gpu.clone(),
                row.gpus,
            )
        };
        key(self) == key(other)
    }
}

/// Every shipped row of measured power.
///
/// # Errors
/// [`DatasetError::Shipped`] for a row that does not read.
pub fn shipped_power() -> Result<Vec<PowerRow>, DatasetError> {
    read_table(POWER.as_bytes())
}
