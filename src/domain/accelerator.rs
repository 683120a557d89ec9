//! One GPU or TPU part.

use super::PrecisionMode;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Watts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Who makes a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vendor {
    /// NVIDIA GPUs.
    Nvidia,
    /// AMD GPUs.
    Amd,
    /// Google TPUs.
    Google,
    /// Intel (Habana) accelerators.
    Intel,
    /// AWS Trainium.
    Aws,
    /// Anyone else.
    Other,
}

/// The micro-architecture, which decides how efficient kernels are and which modes exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // the names are the makers' own
pub enum Generation {
    Kepler,
    Maxwell,
    Pascal,
    Volta,
    Turing,
    Ampere,
    Ada,
    Hopper,
    Blackwell,
    Cdna,
    Rdna,
    Tpu,
    Gaudi,
    Trainium,
    Other,
}

impl Generation {
    /// Whether its parts have units for products of matrices (tensor cores and their like). Where there are none, tensors of
    /// 16 bits are multiplied on the vector units, by kernels like those of FP32.
    pub const fn has_matrix_units(self) -> bool {
        !matches!(self, Self::Kepler | Self::Maxwell | Self::Pascal)
    }
}

/// How a part's memory is made, which decides what it draws while the part waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)] // the names are the standards' own
pub enum MemoryKind {
    #[serde(rename = "GDDR5")]
    Gddr5,
    #[serde(rename = "GDDR5X")]
    Gddr5x,
    #[serde(rename = "GDDR6")]
    Gddr6,
    #[serde(rename = "GDDR6X")]
    Gddr6x,
    #[serde(rename = "GDDR7")]
    Gddr7,
    #[serde(rename = "HBM")]
    Hbm,
    #[serde(rename = "HBM2")]
    Hbm2,
    #[serde(rename = "HBM2e")]
    Hbm2e,
    #[serde(rename = "HBM3")]
    Hbm3,
    #[serde(rename = "HBM3e")]
    Hbm3e,
    #[serde(rename = "HBM4")]
    Hbm4,
    #[serde(rename = "SRAM")]
    Sram,
}

impl MemoryKind {
    /// Whether it lies beside the processor, on the board.
    pub const fn is_graphics(self) -> bool {
        matches!(
            self,
            Self::Gddr5 | Self::Gddr5x | Self::Gddr6 | Self::Gddr6x | Self::Gddr7
        )
    }
}

/// The dense matmul rate of a part in one mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// Dense rate, without structured sparsity.
    pub rate: FlopsPerSecond,
    /// How the figure was derived where no data sheet states it (units × clock of a sister part); else `None`.
    pub derived: Option<String>,
}

/// Why a part cannot run a mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PeakRefusal {
    /// The hardware has no such arithmetic.
    #[error("{accelerator} lacks it: {reason}")]
    LacksIt {
        /// The part asked.
        accelerator: String,
        /// The cause and the way out, as a sentence.
        reason: String,
    },
    /// The hardware has it, but nobody states how fast.
    #[error("peak unknown: no source states the {mode} rate of {accelerator}")]
    PeakUnknown {
        /// The part asked.
        accelerator: String,
        /// The mode asked.
        mode: PrecisionMode,
    },
}

/// One accelerator part and its published figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Accelerator {
    /// Key, e.g. `A100-SXM4-80GB`.
    pub name: String,
    /// Short label for tables and legends, e.g. `A100 SXM 80 GB`.
    pub label: String,
    /// Other names it is known by.
    pub aliases: Vec<String>,
    /// Maker.
    pub vendor: Vendor,
    /// Micro-architecture family.
    pub generation: Generation,
    /// Micro-architecture as the maker writes it, e.g. `Blackwell Ultra`.
    pub architecture: String,
    /// Year of launch.
    pub year: u16,
    /// Board or package, e.g. `SXM5`, `PCIe`.
    pub form_factor: String,
    /// Device memory, as it is sold.
    pub memory: Bytes,
    /// Device memory that a program may have: what the driver reports in all where that is known (correction of errors and the
    /// driver take their part), else what is sold.
    pub usable_memory: Bytes,
    /// Device memory bandwidth.
    pub memory_bandwidth: BytesPerSecond,
    /// How the memory is made, where stated.
    pub memory_kind: Option<MemoryKind>,
    /// Streaming multiprocessors or compute units, where stated.
    pub sm_count: Option<u32>,
    /// Boost clock in MHz, where stated; see [`Accelerator::clock_mhz`].
    pub boost_clock_mhz: Option<f64>,
    /// Exponentials of a multiprocessor a clock, where they are not the usual 16.
    pub exponentials_per_clock: Option<f64>,
    /// Last-level on-chip cache in MB, where stated.
    pub l2_mb: Option<f64>,
    /// Board power limit.
    pub tdp: Option<Watts>,
    /// Known dense peaks by mode. A mode that is absent is refused by [`Accelerator::peak`].
    pub peaks: BTreeMap<PrecisionMode, Peak>,
    /// Modes the hardware lacks, with the cause and the way out.
    pub lacks: BTreeMap<PrecisionMode, String>,
    /// Rate of FP16 arithmetic outside tensor cores, where stated.
    pub fp16_vector: Option<FlopsPerSecond>,
    /// Rate of FP64 arithmetic outside tensor cores, where stated.
    pub fp64_vector: Option<FlopsPerSecond>,
    /// Device-to-device link: both directions, all links together; `None` where there is only PCIe.
    pub link_bandwidth: Option<BytesPerSecond>,
    /// PCIe generation, where stated.
    pub pcie_generation: Option<u8>,
    /// Where the figures are from.
    pub source: String,
    /// When they were retrieved or dated, `YYYY-MM`.
    pub retrieved: String,
}

/// FP32 lanes of a multiprocessor of Ada, Hopper and Blackwell (NVIDIA's whitepapers of the three).
const FP32_LANES: f64 = 128.0;

impl Accelerator {
    /// The boost clock in MHz: as stated, else that at which the lanes of its multiprocessors, two FLOP each a clock, give
    /// its FP32 rate. `None` where neither is known.
    pub fn clock_mhz(&self) -> Option<f64> {
        let implied = || {
            let has_known_lanes = matches!(
                self.generation,
                Generation::Ada | Generation::Hopper | Generation::Blackwell
            );
            let fp32 = self.peaks.get(&PrecisionMode::Fp32)?.rate.value();
            let units = f64::from(self.sm_count.filter(|_| has_known_lanes)?);
            Some(fp32 / (2.0 * FP32_LANES * units) / 1e6)
        };
        self.boost_clock_mhz.or_else(implied)
    }

    /// The dense peak in a mode.
    ///
    /// # Errors
    /// [`PeakRefusal`] where the hardware lacks the mode or nobody states its rate.
    pub fn peak(&self, mode: PrecisionMode) -> Result<&Peak, PeakRefusal> {
        if let Some(reason) = self.lacks.get(&mode) {
            return Err(PeakRefusal::LacksIt {
                accelerator: self.name.clone(),
                reason: reason.clone(),
            });
        }
        self.peaks
            .get(&mode)
            .ok_or_else(|| PeakRefusal::PeakUnknown {
                accelerator: self.name.clone(),
                mode,
            })
    }
}
