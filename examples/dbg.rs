//! Throw-away.
use mantissa::{physics::*, predictor::rows::training_rows};
fn main() {
    let cat = mantissa::presets::Catalogue::shipped().unwrap();
    let runs = mantissa::dataset::shipped_runs().unwrap();
    let (rows, _) = training_rows(&runs, &cat);
    let k = Constants::default();
    for m in std::env::args().skip(1) {
        for r in rows
            .iter()
            .filter(|r| r.run.model == m || r.configuration.workload.model.name == m)
            .step_by(7)
            .take(4)
        {
            let t = StepTimes::compose(&r.work, &k);
            let w = &r.work;
            let s = &r.configuration.strategy;
            println!(
                "{} {} {} n={} {} b={} acc={} tp{} pp{} dp{} S={:?} meas {:.1}ms phys {:.1} | body {:.1} launch {:.1} gemm {:.1} attn {:.1} ew {:.1} norm {:.1} opt {:.1} exposed {:.1} grad {:.1} kern {:.0}/{:.0} par {:.2e} tuning {:?} {}",
                r.run.source,
                m,
                r.run.gpu,
                r.run.gpus,
                r.mode(),
                s.micro_batch,
                s.accumulation,
                s.tensor,
                s.pipeline,
                s.data,
                r.configuration.workload.seq_len,
                r.log_time.exp() * 1e3,
                t.total * 1e3,
                t.body * 1e3,
                t.launch * 1e3,
                t.gemm * 1e3,
                t.attention * 1e3,
                t.elementwise * 1e3,
                t.norm * 1e3,
                t.optimizer * 1e3,
                t.exposed * 1e3,
                t.gradients * 1e3,
                w.kernels_forward,
                w.kernels_backward,
                w.device_parameters,
                r.configuration.software.tuning,
                r.run.flags.join(";")
            );
        }
    }
}
