//! What a measured run leaves unsaid of its memory, read as what a run that ran must have done.
//!
//! A table of speeds seldom says what was recomputed, whether states were sharded, or where they lay. A table of
//! measured runs lists runs that ran, and so they fitted: of the ways to read what one leaves open the plainest that fits is
//! taken, whether or not its outcome is shown. What it states is never read otherwise.

use crate::dataset::MeasuredRun;
use crate::domain::{Configuration, MemoryUse, Offload, Recompute, Sharding};
use crate::physics::{PrecisionView, StepWork, memory_use};

/// The memory of a measured run, and the configuration it was read as.
pub fn memory_reading(run: &MeasuredRun, stated: &Configuration) -> (MemoryUse, Configuration) {
    let plainest = of(run, stated.clone());
    if plainest.0.may_fit() {
        return plainest;
    }
    readings(run, stated)
        .into_iter()
        .map(|reading| of(run, reading))
        .find(|(memory, _)| memory.may_fit())
        .unwrap_or(plainest)
}

fn of(run: &MeasuredRun, mut c: Configuration) -> (MemoryUse, Configuration) {
    if run.has_flag("cpu-offload") && c.strategy.offload == Offload::None {
        c.strategy.offload = Offload::All;
    }
    let parameters = StepWork::new(&c, PrecisionView::Aware)
        .map_or(c.workload.profile.parameters, |work| work.device_parameters);
    (memory_use(&c, parameters), c)
}

/// The ways to read what is left open, plainest first.
fn readings(run: &MeasuredRun, stated: &Configuration) -> Vec<Configuration> {
    let is_stack = stated.workload.profile.blocks.is_some();
    let recomputes: &[Recompute] = match run.act_ckpt.as_deref() {
        None if is_stack => &[Recompute::None, Recompute::Selective, Recompute::Full],
        // JAX's policies are many, and most keep less than the name says.
        Some("selective") if stated.software.is_jax() => &[Recompute::Selective, Recompute::Full],
        _ => &[stated.strategy.recompute],
    };
    let shardings: &[Sharding] = match run.sharding.as_deref() {
        None if is_stack => &[stated.strategy.sharding, Sharding::Zero1, Sharding::Fsdp],
        _ => &[stated.strategy.sharding],
    };
    let mut readings = Vec::new();
    for (tensor, pipeline) in cuts(run, stated) {
        for &sharding in shardings {
            for &recompute in recomputes {
                let mut c = stated.clone();
                let s = &mut c.strategy;
                s.data = (s.data * s.tensor * s.pipeline / (tensor * pipeline)).max(1);
                (s.tensor, s.pipeline) = (tensor, pipeline);
                s.sequence_parallel |= tensor > 1;
                s.sharding = sharding;
                s.recompute = recompute;
                readings.push(c);
            }
        }
    }
    readings
}

/// Degrees as stated; where a run of many devices states none, also those of a node and some stages.
fn cuts(run: &MeasuredRun, stated: &Configuration) -> Vec<(u32, u32)> {
    let s = &stated.strategy;
    let mut cuts = vec![(s.tensor, s.pipeline)];
    let says_nothing = run.tp.is_none() && run.pp.is_none() && run.dp.is_none();
    if let Some(blocks) = stated.workload.profile.blocks.filter(|_| says_nothing) {
        let tensor = stated.fabric.domain.min(8);
        let candidates = [
            (tensor, 1),
            (tensor, 2),
            (tensor, 4),
            (tensor, 8),
            (tensor, 16),
        ];
        cuts.extend(candidates.into_iter().filter(|&(t, p)| {
            t * p <= s.data
                && s.data.is_multiple_of(t * p)
                && blocks.heads % f64::from(t) == 0.0
                && blocks.layers >= f64::from(p)
        }));
    }
    cuts
}
