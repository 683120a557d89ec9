//! One measured run, as its row states it.

use crate::domain::MemoryCounter;
use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// A month, or a year alone, of a measurement or of its software.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct YearMonth {
    /// Calendar year.
    pub year: u16,
    /// Month from 1 to 12, where it is stated.
    pub month: Option<u8>,
}

impl YearMonth {
    /// Reads `YYYY-MM`, `YYYY-MM-DD` (the day is dropped) or `YYYY`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-');
        let year = parts.next().filter(|part| part.len() == 4)?.parse().ok()?;
        let month = match parts.next() {
            None => None,
            Some(part) => Some(part.parse().ok().filter(|m| (1..=12).contains(m))?),
        };
        Some(Self { year, month })
    }

    /// The date in years: the middle of the month, or of the year where no month is stated.
    pub fn year_fraction(self) -> f64 {
        let month = self.month.map_or(0.5, |m| (f64::from(m) - 0.5) / 12.0);
        f64::from(self.year) + month
    }
}

/// How far a row can be trusted; `assets/runs/README.md` says how it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Quality {
    /// Stated by the source, complete.
    A,
    /// One field derived, implied or doubtful.
    B,
    /// A lower bound, or ambiguous.
    C,
}

/// What a row may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Usage {
    /// States all that a fit needs.
    Fit,
    /// Worth showing, but a fit would have to guess.
    Evidence,
    /// Taken to judge by, so that no fit may see it.
    Test,
}

/// One measured run. Words are as the row spells them; an empty cell is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredRun {
    /// Row in its file, from 1 after the header.
    pub row: usize,
    /// Short key of the publication.
    pub source: String,
    /// File, and heading, of the publication that states the figure.
    pub source_path: String,
    /// Month of the measurement or of its software.
    pub source_date: Option<YearMonth>,
    /// Model name.
    pub model: String,
    /// Kind of task, e.g. `language-pretraining`.
    pub task: Option<String>,
    /// Framework, e.g. `pytorch`.
    pub framework: Option<String>,
    /// Container, versions and flags in free words.
    pub stack: Option<String>,
    /// Accelerator name.
    pub gpu: String,
    /// Node type, e.g. `DGX A100`.
    pub system: Option<String>,
    /// Accelerators of the whole job, at least 1.
    pub gpus: u32,
    /// Nodes of the whole job.
    pub nodes: Option<u32>,
    /// Links within and between nodes in free words.
    pub interconnect: Option<String>,
    /// Precision mode, as written; blank where the source does not state it.
    pub precision: Option<String>,
    /// Samples per data-parallel replica and micro-step.
    pub batch_per_gpu: Option<f64>,
    /// Micro-steps per optimizer step.
    pub grad_accum: Option<u32>,
    /// Samples per optimizer step of the whole job.
    pub global_batch: Option<f64>,
    /// Tokens per sample.
    pub seq_len: Option<u32>,
    /// Pixels per side of an image.
    pub image_size: Option<u32>,
    /// Data-parallel degree.
    pub dp: Option<u32>,
    /// Tensor-parallel degree.
    pub tp: Option<u32>,
    /// Pipeline-parallel degree.
    pub pp: Option<u32>,
    /// Context-parallel degree.
    pub cp: Option<u32>,
    /// Expert-parallel degree.
    pub ep: Option<u32>,
    /// `none`, `zero1`, `zero2`, `zero3`, `fsdp` or `hsdp`, as written.
    pub sharding: Option<String>,
    /// Recomputation: `none`, `selective` or `full`, as written.
    pub act_ckpt: Option<String>,
    /// What was switched on, e.g. `channels_last`, `real-data`, `lower-bound`.
    pub flags: Vec<String>,
    /// Rate of the whole job, in `throughput_unit`. An outcome.
    pub throughput: Option<f64>,
    /// Unit of `throughput`, e.g. `images/s`. An outcome.
    pub throughput_unit: Option<String>,
    /// Stated time of one optimizer step, in milliseconds. An outcome.
    pub iter_time_ms: Option<f64>,
    /// Stated TFLOP/s per accelerator; conventions differ between sources. An outcome.
    pub tflops_per_gpu: Option<f64>,
    /// Stated model FLOPs utilisation, as a fraction. An outcome.
    pub mfu: Option<f64>,
    /// Peak memory of an accelerator in GB as `nvidia-smi` and the frameworks count them, of 2^30 bytes. An outcome.
    pub mem_gb_per_gpu: Option<f64>,
    /// What that counts; device samples where nothing is said. An outcome.
    pub memory_counter: Option<MemoryCounter>,
    /// Anything else, audit marks included. An outcome.
    pub notes: String,
    /// Rows that repeat one another carry a common id; `;` between several.
    pub twin_group: Vec<String>,
    /// `plain`, `tuned` or `benchmark`, as written.
    pub tuning: Option<String>,
    /// `step` or `forward+backward`, as written.
    pub timed: Option<String>,
    /// `dataparallel` where one process drives several devices, else blank.
    pub replication: Option<String>,
    /// Grade; ours alone, blank in a user's file.
    pub quality: Option<Quality>,
    /// Id of the twin-closed group: rows that share it must never straddle a split.
    pub group: Option<u32>,
    /// How many rows of the publication were folded into this one.
    pub repeats: Option<u32>,
    /// (max - min) / median of the step times folded; blank where only one.
    pub spread: Option<f64>,
    /// Column `use`: whether the row may train.
    pub usage: Option<Usage>,
    /// Why evidence, or why not grade A.
    pub reason: String,
    /// Column `step_time_ms`, in milliseconds, where the file has it. [`MeasuredRun::step_time_ms`] is what to ask.
    pub stated_step_time_ms: Option<f64>,
}

impl MeasuredRun {
    /// Whether the row carries a flag, without regard to case.
    pub fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|own| own.eq_ignore_ascii_case(flag))
    }

    /// Whether the time is of forward and backward passes alone, without the optimizer.
    pub fn is_forward_backward_only(&self) -> bool {
        self.timed.as_deref() == Some("forward+backward")
    }

    /// Whether one process drives all devices (torch `DataParallel`).
    pub fn is_data_parallel(&self) -> bool {
        self.replication.as_deref() == Some("dataparallel")
    }

    /// Samples of one optimizer step: stated, or per-replica batch × replicas × accumulation (taken as 1 where blank).
    pub fn samples_per_step(&self) -> Option<f64> {
        self.global_batch.or_else(|| {
            let shards = [self.tp, self.pp, self.cp]
                .iter()
                .map(|degree| f64::from(degree.unwrap_or(1)))
                .product::<f64>();
            let replicas = self
                .dp
                .map_or_else(|| (f64::from(self.gpus) / shards).max(1.0), f64::from);
            Some(self.batch_per_gpu? * replicas * f64::from(self.grad_accum.unwrap_or(1)))
        })
    }

    /// Stated peak memory of an accelerator, and what it counts. Figures below half a gigabyte are other counters.
    pub fn stated_memory(&self) -> Option<(Bytes, MemoryCounter)> {
        let stated = self.mem_gb_per_gpu.filter(|gb| *gb > 0.5)?;
        Some((
            Bytes::from_gib(stated),
            self.memory_counter.unwrap_or_default(),
        ))
    }

    /// The same run with every outcome blank: what a prediction is allowed to see.
    pub fn without_outcomes(&self) -> Self {
        Self {
            throughput: None,
            throughput_unit: None,
            iter_time_ms: None,
            tflops_per_gpu: None,
            mfu: None,
            mem_gb_per_gpu: None,
            memory_counter: None,
            notes: String::new(),
            spread: None,
            reason: String::new(),
            stated_step_time_ms: None,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_read_with_and_without_a_month() {
        let month = YearMonth::parse("2022-07").unwrap();
        assert_eq!((month.year, month.month), (2022, Some(7)));
        assert!((month.year_fraction() - (2022.0 + 6.5 / 12.0)).abs() < 1e-12);
        assert_eq!(YearMonth::parse("2022-07-30"), Some(month));
        assert!((YearMonth::parse("2019").unwrap().year_fraction() - 2019.5).abs() < 1e-12);
        for bad in ["", "22-07", "2022-13", "2022-00", "July 2022", "2022-"] {
            assert_eq!(YearMonth::parse(bad), None, "{bad}");
        }
        assert!(YearMonth::parse("2022-01") < YearMonth::parse("2022-02"));
    }
}
