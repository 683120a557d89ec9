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
    /// Data set of the run, as the publication names it.
    pub dataset: Option<String>,
    /// Tokens per sample: 384 is what BERT is trained with on SQuAD; Sentiment140's tweets are taken as 64, as the ratio of
    /// the two throughputs says.
    pub seq_len: Option<u32>,
    /// Pixels a side; nets for CIFAR have no shrinking stem, so that 32 pixels are as much work as 128 of a net that has.
    pub image_size: Option<u32>,
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
    /// Whether it belongs to the same curve over batch sizes: same publication, model, data set, part and count.
    pub fn same_curve(&self, other: &Self) -> bool {
        (
            &self.source,
            &self.model,
            &self.dataset,
            &self.gpu,
            self.gpus,
        ) == (
            &other.source,
            &other.model,
            &other.dataset,
            &other.gpu,
            other.gpus,
        )
    }
}

/// Every shipped row of measured power.
///
/// # Errors
/// [`DatasetError::Shipped`] for a row that does not read.
pub fn shipped_power() -> Result<Vec<PowerRow>, DatasetError> {
    read_table(POWER.as_bytes())
}
