//! Throw-away experiments.
use mantissa::predictor::{crossval::*, rows::training_rows, stages::*};
use std::collections::BTreeMap;
fn main() {
    let t = std::time::Instant::now();
    let cat = mantissa::presets::Catalogue::shipped().unwrap();
    eprintln!("catalogue {:?}", t.elapsed());
    let runs = mantissa::dataset::shipped_runs().unwrap();
    let (rows, skipped) = training_rows(&runs, &cat);
    eprintln!(
        "rows {} skipped {} {:?}",
        rows.len(),
        skipped.len(),
        t.elapsed()
    );
    let mut why: BTreeMap<String, usize> = BTreeMap::new();
    for s in &skipped {
        *why.entry(format!(
            "{}: {}",
            s.source,
            s.reason.chars().take(90).collect::<String>()
        ))
        .or_default() += 1;
    }
    let mut w: Vec<_> = why.into_iter().collect();
    w.sort_by_key(|x| std::cmp::Reverse(x.1));
    if std::env::var("SKIP").is_ok() {
        for (k, n) in w.iter().take(50) {
            eprintln!("{n:6} {k}");
        }
    }
    let mut o = FitOptions::default();
    let env = |k: &str| std::env::var(k).ok().and_then(|v| v.parse::<f64>().ok());
    o.joint = std::env::var("JOINT").is_ok();
    if let Some(v) = env("TREES") {
        o.compute.trees = v as usize;
        o.overlap.trees = v as usize;
    }
    if let Some(v) = env("LEAVES") {
        o.compute.leaves = v as usize;
        o.overlap.leaves = v as usize;
    }
    if let Some(v) = env("RATE") {
        o.compute.rate = v;
        o.overlap.rate = v;
    }
    if let Some(v) = env("PRIOR") {
        o.prior = v;
    }
    if let Some(v) = env("ROUNDS") {
        o.rounds = v as usize;
    }
    if let Some(v) = env("RIDGE") {
        o.ridge_share = v;
    }
    if let Some(v) = env("FAIR") {
        o.compute.fair = v;
        o.overlap.fair = v;
    }
    if let Some(v) = env("L2") {
        o.compute.l2 = v;
        o.overlap.l2 = v;
    }
    if let Some(v) = env("COL") {
        o.compute.column_share = v;
        o.overlap.column_share = v;
    }
    if let Some(v) = env("MINLEAF") {
        o.compute.min_leaf = v as usize;
        o.overlap.min_leaf = v as usize;
    }
    let pts = mantissa::predictor::communication::measured_collectives(&cat);
    let comm = mantissa::predictor::communication::CommunicationStage::fit(&pts).unwrap();
    eprintln!(
        "comm points {} held-out {:?}",
        comm.points, comm.held_out_error
    );
    let mut rows = rows;
    if std::env::var("CONST").is_ok() {
        let all: Vec<usize> = (0..rows.len()).collect();
        let mut oo = o.clone();
        oo.compute.trees = 1;
        oo.overlap.trees = 1;
        for (r, pr) in [(12, 1e-3), (12, 1.5e-4), (30, 1.5e-4), (30, 3e-5)] {
            oo.rounds = r;
            oo.prior = pr;
            let t = std::time::Instant::now();
            let st = Stages::fit(&rows, &all, &oo).unwrap();
            let e = ErrorSummary::of(
                rows.iter()
                    .map(|r| (st.run(&r.work).times.total.ln(), r.log_time)),
            );
            println!(
                "rounds {r}: {:.1}/{:.1} {:?}",
                e.mean,
                e.median,
                t.elapsed()
            );
            if r == 30 && pr > 1e-4 {
                for (k, _, _) in mantissa::physics::Constant::PRIORS {
                    print!("{}={:.2} ", k.name(), st.constants.log(*k));
                }
                println!();
                println!(
                    "{:?}",
                    &st.constants.values()[mantissa::physics::Constant::COUNT..]
                        .chunks(15)
                        .map(|c| c
                            .iter()
                            .map(|v| (v * 100.0).round() / 100.0)
                            .collect::<Vec<_>>())
                        .collect::<Vec<_>>()
                );
            }
        }
        return;
    }
    if std::env::var("COMM").is_ok() {
        for r in &mut rows {
            comm.apply(&mut r.work.exchange);
            comm.apply(&mut r.blind.exchange);
        }
    }
    let which = std::env::args().nth(1).unwrap_or("known".into());
    for p in Protocol::ALL {
        if which != "all" && !which.split(',').any(|w| p.label().ends_with(w)) {
            continue;
        }
        let t = std::time::Instant::now();
        let h = held_out(&rows, p, &o).unwrap();
        let e = ErrorSummary::of(h.iter().map(|h| (h.predicted, rows[h.row].log_time)));
        let ph = ErrorSummary::of(h.iter().map(|h| (h.physics, rows[h.row].log_time)));
        println!(
            "{:20} n={} {:.1}/{:.1}  physics {:.1}/{:.1}  {:?}",
            p.label(),
            e.rows,
            e.mean,
            e.median,
            ph.mean,
            ph.median,
            t.elapsed()
        );
        if let Ok(path) = std::env::var("DUMP") {
            let mut out = String::from(
                "source,model,family,gpu,mode,n,b,cl,date,flags,meas,pred,phys,grouped,dw,gemm,ew,norm,launch,body,micro,exposed,quality\n",
            );
            for h in &h {
                let r = &rows[h.row];
                let w = &r.work;
                let t = mantissa::physics::StepTimes::compose(
                    w,
                    &mantissa::physics::Constants::default(),
                );
                out += &format!(
                    "{},{},{},{},{},{},{},{},{:.2},{},{:.6},{:.6},{:.6},{:.3},{:.3},{:.3},{:.3},{:.3},{:.6},{:.6},{:.6},{:.6},{:?}\n",
                    r.run.source,
                    r.configuration.workload.model.name,
                    r.family,
                    r.run.gpu,
                    r.mode(),
                    r.run.gpus,
                    w.batch,
                    w.channels_last as u8,
                    r.configuration.software.date,
                    r.run.flags.join(";"),
                    r.log_time.exp(),
                    h.predicted.exp(),
                    h.physics.exp(),
                    t.grouped / t.body,
                    t.depthwise / t.body,
                    t.gemm / t.body,
                    t.elementwise / t.body,
                    t.norm / t.body,
                    t.launch,
                    t.body,
                    t.micro,
                    t.exposed,
                    r.run.quality
                );
            }
            std::fs::write(format!("{path}-{}.csv", p.label().replace(' ', "-")), out).unwrap();
        }
        if std::env::var("DETAIL").is_ok() {
            let mut by: BTreeMap<String, Vec<(f64, f64, f64)>> = BTreeMap::new();
            for h in &h {
                let r = &rows[h.row];
                for k in [
                    format!("s:{}", r.run.source),
                    format!("p:{}", r.mode()),
                    format!("m:{}", r.configuration.workload.model.name),
                ] {
                    by.entry(k)
                        .or_default()
                        .push((h.predicted, r.log_time, h.physics));
                }
            }
            for (k, v) in by {
                let big = ErrorSummary::of(v.iter().map(|x| (x.0, x.1)));
                if k.starts_with("m:") && (v.len() < 5 || big.mean < 25.0) {
                    continue;
                }
                let a = ErrorSummary::of(v.iter().map(|x| (x.0, x.1)));
                let b = ErrorSummary::of(v.iter().map(|x| (x.2, x.1)));
                let bias = v.iter().map(|x| x.2 - x.1).sum::<f64>() / v.len() as f64;
                println!(
                    "   {k:28} n={:5} {:6.1}/{:5.1} physics {:6.1}/{:5.1} bias {:+.2}",
                    a.rows, a.mean, a.median, b.mean, b.median, bias
                );
            }
        }
    }
}
