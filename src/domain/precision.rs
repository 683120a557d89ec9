//! Precision modes: what matmuls, storage, gradients, master weights and optimizer states are kept in.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The arithmetic a training step is run in.
///
/// `Fp16`/`Bf16` are pure; `Amp*` is autocast over FP32 master weights; `Fp8` and below run matmuls low and the
/// rest as `AmpBf16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrecisionMode {
    /// IEEE double precision everywhere.
    Fp64,
    /// IEEE single precision everywhere.
    Fp32,
    /// FP32 storage, matmuls rounded to TF32.
    Tf32,
    /// Pure IEEE half precision.
    Fp16,
    /// Pure bfloat16.
    Bf16,
    /// FP16 autocast over FP32 master weights, with loss scaling.
    AmpFp16,
    /// BF16 autocast over FP32 master weights.
    AmpBf16,
    /// FP8 matmuls, the rest as `AmpBf16`.
    Fp8,
    /// Block-scaled (OCP MX) FP8 matmuls, the rest as `AmpBf16`.
    Mxfp8,
    /// Block-scaled FP4 matmuls, the rest as `AmpBf16`.
    Nvfp4,
}

impl PrecisionMode {
    /// Every mode, widest first; the order of the window and of reports.
    pub const ALL: [Self; 10] = [
        Self::Fp64,
        Self::Fp32,
        Self::Tf32,
        Self::Fp16,
        Self::Bf16,
        Self::AmpFp16,
        Self::AmpBf16,
        Self::Fp8,
        Self::Mxfp8,
        Self::Nvfp4,
    ];

    /// The word of files and flags, e.g. `amp-bf16`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Fp64 => "fp64",
            Self::Fp32 => "fp32",
            Self::Tf32 => "tf32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::AmpFp16 => "amp-fp16",
            Self::AmpBf16 => "amp-bf16",
            Self::Fp8 => "fp8",
            Self::Mxfp8 => "mxfp8",
            Self::Nvfp4 => "nvfp4",
        }
    }

    /// The name that people read, in tables, legends and sentences alike, e.g. `AMP-BF16`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Fp64 => "FP64",
            Self::Fp32 => "FP32",
            Self::Tf32 => "TF32",
            Self::Fp16 => "FP16",
            Self::Bf16 => "BF16",
            Self::AmpFp16 => "AMP-FP16",
            Self::AmpBf16 => "AMP-BF16",
            Self::Fp8 => "FP8",
            Self::Mxfp8 => "MXFP8",
            Self::Nvfp4 => "NVFP4",
        }
    }

    /// How faithfully a mode computes, as a rank: a schedule's rule asks for at least one. Mixed modes stand above
    /// pure ones of their width, since they keep FP32 master weights; FP16 and BF16 trade precision for range and tie.
    pub const fn fidelity(self) -> u8 {
        match self {
            Self::Fp64 => 7,
            Self::Fp32 => 6,
            Self::Tf32 => 5,
            Self::AmpFp16 | Self::AmpBf16 => 4,
            Self::Fp16 | Self::Bf16 => 3,
            Self::Mxfp8 => 2,
            Self::Fp8 => 1,
            Self::Nvfp4 => 0,
        }
    }

    /// Whether FP32 master weights are kept beside low-precision compute.
    pub const fn is_mixed(self) -> bool {
        matches!(
            self,
            Self::AmpFp16 | Self::AmpBf16 | Self::Fp8 | Self::Mxfp8 | Self::Nvfp4
        )
    }

    /// The mode that non-matmul operators (and attention products) of this mode run in.
    pub const fn companion(self) -> Self {
        match self {
            Self::Fp8 | Self::Mxfp8 | Self::Nvfp4 => Self::AmpBf16,
            other => other,
        }
    }
}

impl fmt::Display for PrecisionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// A precision word that names no mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown precision `{0}`; allowed: fp64, fp32, tf32, fp16, bf16, amp-fp16, amp-bf16, fp8, mxfp8, nvfp4"
)]
pub struct UnknownPrecision(pub String);

impl FromStr for PrecisionMode {
    type Err = UnknownPrecision;

    /// Case, `_` and `-` do not matter.
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let plain = |s: &str| s.to_lowercase().replace(['-', '_', ' '], "");
        let wanted = plain(word);
        Self::ALL
            .into_iter()
            .find(|mode| plain(mode.key()) == wanted)
            .ok_or_else(|| UnknownPrecision(word.to_owned()))
    }
}

/// What a mode stores and how wide; bytes per element. Read from `presets/precisions.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PrecisionSpec {
    /// The mode described.
    pub mode: PrecisionMode,
    /// Width of matmul operands as the tensor core reads them.
    pub matmul_bytes: f64,
    /// Width of activations kept for backward.
    pub activation_bytes: f64,
    /// Width of the weights the forward pass reads.
    pub weight_bytes: f64,
    /// Width of gradients.
    pub gradient_bytes: f64,
    /// Width of the extra master copy of the weights; 0 where there is none.
    pub master_bytes: f64,
    /// Width of one optimizer state.
    pub optimizer_state_bytes: f64,
    /// Whether gradients are unscaled and checked for overflow each step.
    pub loss_scaling: bool,
    /// Whether a mixed mode casts the model as a whole, weights, gradients and activations alike, and updates master weights
    /// beside it (apex's O2), where autocast chooses operator by operator.
    #[serde(default)]
    pub whole_model: bool,
}

impl PrecisionSpec {
    /// Whether operators choose their widths one by one, as under autocast, so that some stay in 32 bits.
    pub fn casts_by_operator(&self) -> bool {
        self.mode.is_mixed() && !self.whole_model
    }

    /// Bytes of an element where operators that stay in 32 bits under automatic casting have worked on it.
    pub fn uncast_bytes(&self) -> f64 {
        match self.casts_by_operator() {
            true => 4.0,
            false => self.activation_bytes,
        }
    }

    /// The same mode with the whole model cast to 16 bits: gradients are as narrow as the weights they are of.
    pub fn of_whole_model(self) -> Self {
        Self {
            gradient_bytes: self.weight_bytes,
            whole_model: true,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_parses_back_whatever_the_case_and_dashes() {
        for mode in PrecisionMode::ALL {
            assert_eq!(mode.key().parse(), Ok(mode));
            assert_eq!(mode.label().replace('-', "_").parse(), Ok(mode));
        }
        assert!("int8".parse::<PrecisionMode>().is_err());
    }
}
