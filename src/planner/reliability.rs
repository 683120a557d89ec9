//! Failures, checkpoints and restarts: how much longer a run takes than its steps.
//!
//! A job stops when any of its devices stops, so interruptions come `devices` times as often as on one device.
//! Expected time and the best interval between checkpoints are those of Daly, "A higher order estimate of the optimum
//! checkpoint interval for restart dumps" (Future Generation Computer Systems 22, 2006), equations 13 and 37.

use super::{ReliabilityRequest, WhatIf};
use crate::domain::Configuration;
use crate::presets::Catalogue;

/// Hours of a month of 730 h.
pub(super) const MONTH_H: f64 = 730.0;
/// A run that takes this many times its steps is said never to end.
const HOPELESS: f64 = 20.0;

/// How often a run is interrupted and what that costs, as far as it does not depend on the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reliability {
    /// Nothing ever fails and nothing is saved.
    pub ideal: bool,
    /// Mean hours between interruptions of one accelerator.
    pub accelerator_mtbf_h: f64,
    /// Hours between checkpoints; `None` = the best interval.
    pub checkpoint_every_h: Option<f64>,
    /// Hours that training stands still for a checkpoint; `None` = its size over what the accelerators write.
    pub checkpoint_write_h: Option<f64>,
    /// Bytes a second that each accelerator writes.
    pub write_rate: f64,
    /// Hours from an interruption until training goes on.
    pub restart_h: f64,
    /// Chance that a spot node is taken away within a month.
    pub spot_per_month: f64,
    /// How much the slowest device slows a step, as a share.
    pub stragglers: f64,
}

/// What interruptions do to one run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Interruptions {
    /// Mean hours between interruptions of the job; infinite where nothing fails.
    pub mtbf_h: f64,
    /// Interruptions to expect over the run.
    pub expected: f64,
    /// Hours between checkpoints; 0 where none is worth writing.
    pub checkpoint_every_h: f64,
    /// Seconds that each checkpoint takes.
    pub checkpoint_write_s: f64,
    /// Total time over the same without interruptions and checkpoints.
    pub factor: f64,
}

impl Reliability {
    /// What a request states, and the catalogue's figures for the rest. Fields are checked already.
    pub(super) fn new(request: Option<&ReliabilityRequest>, catalogue: &Catalogue) -> Self {
        let stated = request.cloned().unwrap_or_default();
        // A catalogue without the figure: as if nothing failed, nothing was written.
        let figure = |name: &str, without: f64| catalogue.figure(name).map_or(without, |f| f.value);
        let percent = stated.spot_interruptions_percent_per_month;
        Self {
            ideal: stated.ideal.unwrap_or(false),
            accelerator_mtbf_h: (stated.accelerator_mtbf_h)
                .unwrap_or_else(|| figure("accelerator-mtbf-h", f64::INFINITY)),
            checkpoint_every_h: stated.checkpoint_every_min.map(|minutes| minutes / 60.0),
            checkpoint_write_h: stated.checkpoint_write_s.map(|seconds| seconds / 3600.0),
            write_rate: 1e6 * figure("checkpoint-mb-per-s-per-accelerator", f64::INFINITY),
            restart_h: stated
                .restart_min
                .unwrap_or_else(|| figure("restart-min", 0.0))
                / 60.0,
            spot_per_month: percent
                .unwrap_or_else(|| figure("spot-interruptions-percent-per-month", 0.0))
                / 100.0,
            stragglers: stated.stragglers_percent.unwrap_or(0.0) / 100.0,
        }
    }

    /// What interruptions do to a run of `hours` of undisturbed work on a configuration; `nodes` are bought on the
    /// spot market where that is so.
    ///
    /// # Errors
    /// A sentence, where the run would hardly get on between interruptions.
    pub(super) fn interruptions(
        &self,
        c: &Configuration,
        hours: f64,
        spot_nodes: Option<u32>,
        what_if: WhatIf,
    ) -> Result<Interruptions, String> {
        let write = self.checkpoint_write_h.unwrap_or_else(|| {
            checkpoint_bytes(c) / (self.write_rate * f64::from(c.count)) / 3600.0
        });
        let spot = spot_nodes.map_or(0.0, |nodes| {
            -f64::from(nodes) * (1.0 - self.spot_per_month).max(1e-9).ln() / MONTH_H
        });
        let rate = what_if.failures * (f64::from(c.count) / self.accelerator_mtbf_h + spot);
        if self.ideal || rate <= 0.0 {
            return Ok(Interruptions {
                mtbf_h: f64::INFINITY,
                factor: 1.0,
                ..Interruptions::default()
            });
        }
        let mtbf = 1.0 / rate;
        let every = self
            .checkpoint_every_h
            .unwrap_or_else(|| best_interval(write, mtbf));
        // A run shorter than the interval writes none on its way.
        let (every, write) = if every < hours {
            (every, write)
        } else {
            (hours, 0.0)
        };
        let factor = expected_time(every, write, self.restart_h, mtbf) / every.max(1e-300);
        if !(factor.is_finite() && factor < HOPELESS) {
            return Err(format!(
                "Interrupted every {:.2} h on average, the run would hardly get on. Use fewer or more dependable \
                 accelerators, or a faster restart.",
                mtbf
            ));
        }
        Ok(Interruptions {
            mtbf_h: mtbf,
            expected: hours * factor * rate,
            checkpoint_every_h: if write > 0.0 { every } else { 0.0 },
            checkpoint_write_s: write * 3600.0,
            factor: factor.max(1.0),
        })
    }
}

/// Bytes of a checkpoint: weights as the optimizer keeps them and its states, of what is trained.
fn checkpoint_bytes(c: &Configuration) -> f64 {
    let spec = &c.precision;
    let weight = spec.master_bytes.max(spec.weight_bytes);
    c.workload.trained_parameters()
        * (weight + c.workload.optimizer.state_bytes(spec.optimizer_state_bytes))
}

/// The best work between checkpoints (Daly, equation 37); Young's `√(2δM)` in the first order.
fn best_interval(write: f64, mtbf: f64) -> f64 {
    if write >= 2.0 * mtbf {
        return mtbf;
    }
    let ratio = write / (2.0 * mtbf);
    ((2.0 * write * mtbf).sqrt() * (1.0 + ratio.sqrt() / 3.0 + ratio / 9.0) - write).max(1e-3)
}

/// Expected hours for `every` hours of work and a checkpoint (Daly, equation 13).
fn expected_time(every: f64, write: f64, restart: f64, mtbf: f64) -> f64 {
    mtbf * (restart / mtbf).exp() * ((every + write) / mtbf).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_interval_is_the_best() {
        for (write, mtbf) in [(0.01, 3.0), (0.1, 100.0), (0.5, 10.0)] {
            let cost = |every: f64| expected_time(every, write, 0.2, mtbf) / every;
            let best = best_interval(write, mtbf);
            assert!(cost(best) <= cost(best * 1.2) && cost(best) <= cost(best * 0.8));
            // Young's first order is near.
            assert!((best / (2.0 * write * mtbf).sqrt() - 1.0).abs() < 0.25);
        }
    }

    #[test]
    fn llama_3_405b_kept_more_than_nine_tenths_of_its_time() {
        // 16,384 devices, 12 bytes a parameter written at 2 TB/s (arXiv 2407.21783, sections 3.3.1 and 3.3.4).
        let mtbf = 54.0 * 24.0 / 419.0;
        let write = 405e9 * 12.0 / 2e12 / 3600.0;
        let every = best_interval(write, mtbf);
        let share = every / expected_time(every, write, 0.25, mtbf);
        assert!(share > 0.88 && share < 0.96, "{share}");
    }

    #[test]
    fn without_failures_time_is_work() {
        let hours = expected_time(5.0, 0.0, 0.3, 1e12);
        assert!((hours - 5.0).abs() < 1e-6);
    }
}
