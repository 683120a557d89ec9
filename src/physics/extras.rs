//! Time of what no run of the fit is read to have: offload to the host (of those that did, the memory alone is read so), quantised
//! base weights, orthogonalised updates.

use super::memory::share_of_states;
use crate::domain::{Configuration, Offload, Optimizer, PrecisionMode};
use crate::units::Seconds;

/// Parameters that the processors of one node update a second with an optimised Adam: 1 B in about a quarter of a
/// second (ZeRO-Offload, arXiv 2101.06840, section 6, CPU-Adam).
const HOST_ADAM_PER_S: f64 = 4e9;
/// Share of a PCIe x16 slot's rate that large copies reach.
const PCIE_SHARE: f64 = 0.8;
/// Bytes a second and direction of a x16 slot of the third generation; each next one doubles it (PCI-SIG).
const PCIE3: f64 = 15.75e9;
/// Generation of the slot where the part's is unknown.
const TYPICAL_PCIE: u8 = 4;
/// Newton–Schulz iterations of Muon (kellerjordan.github.io/posts/muon).
const ITERATIONS: f64 = 5.0;
/// Share of the peak that its square products reach.
const SQUARE_EFFICIENCY: f64 = 0.5;

/// Seconds that a step takes beyond what the predictor knows of, by where they go.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ExtraTime {
    /// Copies between host and device.
    pub transfers: Seconds,
    /// Optimizer work on the host, and orthogonalisation.
    pub optimizer: Seconds,
    /// Restoring quantised weights.
    pub dequantise: Seconds,
}

impl ExtraTime {
    /// All of it.
    pub fn total(&self) -> Seconds {
        self.transfers + self.optimizer + self.dequantise
    }
}

/// The extra time of a configuration's step; zero for what most runs are. `device_parameters` live on one device.
pub fn extra_time(c: &Configuration, device_parameters: f64) -> ExtraTime {
    let mut extra = ExtraTime::default();
    add_offload(c, device_parameters, &mut extra);
    add_quantised_base(c, device_parameters, &mut extra);
    if c.workload.optimizer == Optimizer::Muon && !c.workload.adapters_only {
        extra.optimizer += orthogonalisation(c);
    }
    extra
}

/// Gradients go down and weights come up once a step; offloaded weights come up twice a micro-step. Each rank moves its
/// share and updates it; nothing of it is taken to overlap with compute.
fn add_offload(c: &Configuration, device_parameters: f64, extra: &mut ExtraTime) {
    let s = &c.strategy;
    if s.offload == Offload::None {
        return;
    }
    let generation = c.accelerator.pcie_generation.unwrap_or(TYPICAL_PCIE);
    let slot = PCIE_SHARE * PCIE3 * 2f64.powi(i32::from(generation) - 3);
    let share = if s.sharding.stage() >= 1 {
        share_of_states(c, device_parameters)
    } else {
        1.0
    };
    let own = device_parameters * share;
    let trained = c.workload.trained_share();
    let width = c.precision.weight_bytes;
    let mut bytes = own * trained * 2.0 * width;
    if s.offload == Offload::All {
        bytes += own * 2.0 * width * f64::from(s.accumulation.max(1));
    }
    extra.transfers = Seconds(bytes / slot);
    let beside = f64::from(c.fabric.together(c.count));
    extra.optimizer = Seconds(own * trained * beside / HOST_ADAM_PER_S);
}

/// Each pass reads the quantised weights and writes them in the compute width.
fn add_quantised_base(c: &Configuration, device_parameters: f64, extra: &mut ExtraTime) {
    if let Some(bytes) = c.workload.adapters.and_then(|adapters| adapters.base_bytes) {
        let passes = match c.strategy.recompute {
            crate::domain::Recompute::Full => 3.0,
            _ => 2.0,
        };
        let moved = device_parameters * (bytes + c.precision.weight_bytes) * passes;
        let steps = f64::from(c.strategy.accumulation.max(1));
        extra.dequantise = Seconds(steps * moved / c.accelerator.memory_bandwidth.value());
    }
}

/// `5 · (4 n² m + 2 n³)` operations for each weight matrix of `m` by `n ≤ m`, shared out over all devices (arXiv
/// 2502.16982, section 2.3).
fn orthogonalisation(c: &Configuration) -> Seconds {
    let operations: f64 = c
        .workload
        .profile
        .matmuls
        .iter()
        .filter(|op| op.kind.is_weight_matrix())
        .map(|op| {
            let (m, n) = (op.k.max(op.n), op.k.min(op.n));
            ITERATIONS * (4.0 * n * n * m + 2.0 * n * n * n) * op.groups * op.count
        })
        .sum();
    let rate = c
        .accelerator
        .peak(PrecisionMode::AmpBf16)
        .or_else(|_| c.accelerator.peak(c.precision.mode))
        .map_or(f64::INFINITY, |peak| peak.rate.value());
    Seconds(operations / f64::from(c.count.max(1)) / (rate * SQUARE_EFFICIENCY))
}
