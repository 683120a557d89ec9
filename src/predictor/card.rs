//! The model card: what was measured of the predictor, as Markdown.

use super::accuracy::{AccuracyReport, ProtocolReport};
use super::artifact::Artifact;
use super::crossval::{ErrorSummary, Protocol};
use super::doubt::FITTED;
use super::prediction::Stage;
use std::fmt::Write as _;

/// What the predictor erred by on our own measurements, mean / median, before anybody had looked at them: `mantissa evaluate
/// --runs` with the first 247 steps of the H200 at revision 2f75468, with the 72 of the H100 at 1b29307 and with 41 more of the
/// H200 at ad9f058, which had never seen them.
const BEFORE: [&str; 3] = ["28.6 / 20.8", "23.3 / 12.8", "10.4 / 9.9"];

/// The same of the publications found afterwards: lambda-tensorflow at revision 4a7fbda, the others, read together, at 874da5d.
const BEFORE_FOUND: [&str; 2] = [
    "18.2 / 13.8 %, 84 % inside the interval (lambda-tensorflow)",
    "17.5 / 12.1 %, 72 % (all the others)",
];

fn pair(e: &ErrorSummary) -> String {
    if e.rows == 0 {
        "–".to_owned()
    } else {
        format!("{:.1} / {:.1}", e.mean, e.median)
    }
}

/// The accuracy tables alone: what `mantissa crossval` prints.
pub fn tables(report: &AccuracyReport) -> String {
    let mut text = String::new();
    protocols(&mut text, report);
    kinds(&mut text, report);
    for protocol in &report.protocols {
        by_precision(&mut text, protocol);
        by_source(&mut text, protocol);
    }
    choice(&mut text, report);
    intervals(&mut text, report);
    text
}

/// The whole card.
pub fn card(artifact: &Artifact) -> String {
    let report = &artifact.accuracy;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "# Model card\n\nMantissa {}, fitted on {} measured runs (data SHA-256 `{}`).\n\nEvery figure comes from `mantissa train`, which fits, measures and writes this page; errors are absolute percentage \
         errors of step time, mean / median, on rows the fit has not seen. Repeats and near-twins of a configuration never straddle a split. \
         The scales of the kernels and the trust in their corrections are learned on folds of these protocols. The trust that a fold is measured \
         with is fitted without the rows it tests. Unseen models and unseen sources are predicted with scales learned without the half of the families \
         and publications they belong to; elsewhere the scales have seen what is held out, \
         which of known configurations hides less than a tenth of the error. Everything else is fitted inside each fold.",
        artifact.product, report.runs, artifact.data_hash
    );
    text.push_str(&tables(report));
    test(&mut text, report);
    found(&mut text, report);
    reliability(&mut text, report);
    ablations(&mut text, report);
    largest(&mut text, report);
    families(&mut text, report);
    effect(&mut text, report);
    importance(&mut text, artifact);
    others(&mut text, report);
    text
}

fn protocols(text: &mut String, report: &AccuracyReport) {
    text.push_str("## Protocols\n\nBlind: the same predictor without any knowledge of the precision. Physics: fitted constants alone. Roofline: every operator at peak or bandwidth. Language: the predictor on language models alone; beside it 6·N·D at 50 % of peak on the same rows.\n\n| protocol | rows | Mantissa | blind | physics | roofline | language | 6·N·D |\n|---|---|---|---|---|---|---|---|\n");
    for p in &report.protocols {
        let _ = writeln!(
            text,
            "| {} | {} | **{}** | {} | {} | {} | {} | {} |",
            p.protocol.label(),
            p.predictor.rows,
            pair(&p.predictor),
            pair(&p.blind),
            pair(&p.physics),
            pair(&p.roofline),
            pair(&p.language),
            pair(&p.six_nd)
        );
    }
    text.push('\n');
}

fn kinds(text: &mut String, report: &AccuracyReport) {
    text.push_str("## By kind of run\n\n| protocol | language models, 16 bits | tensor or pipeline parallel | FP8 and below |\n|---|---|---|---|\n");
    for p in &report.protocols {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            p.protocol.label(),
            pair(&p.language_16bit),
            pair(&p.model_parallel),
            pair(&p.eight_bit)
        );
    }
    text.push('\n');
}

fn test(text: &mut String, report: &AccuracyReport) {
    let Some(p) = &report.test else { return };
    let c = &p.choice;
    let _ = writeln!(
        text,
        "## Our own measurements\n\n{} steps on an H200 and an H100 with PyTorch of today (`assets/runs/README.md`), taken to judge by: \
         nothing is fitted on them. Kernels of the physics were told apart by looking at them, and the priors of those that no \
         other run shows (wide depthwise convolutions in 32 bits on NHWC, convolutions in FP32 on parts with doubled rates, fused \
         attention in 32 bits) or tells from the rest (batch norms of NCHW, rows of layer norms and the sums over them) were read \
         off them, so that only what the predictor erred by before is of rows nobody had looked at: {} % on 247 of the H200, later \
         {} % on 72 of the H100, whose host takes longer, and last {} % on 41 more of the H200. Now: {} % (physics {} %); \
         the 90 % interval holds {:.0} %, at ±{:.0} % in the middle; speed-ups err by {:.1} % over {} pairs; the fastest mode is \
         named in {:.1} % of {} sets, the lowest is it in {:.1} %; peak memory, as PyTorch's allocator counts it, errs by {} %.\n",
        p.predictor.rows,
        BEFORE[0],
        BEFORE[1],
        BEFORE[2],
        pair(&p.predictor),
        pair(&p.physics),
        p.coverage * 100.0,
        p.half_width,
        c.speed_up_error,
        c.pairs,
        c.right * 100.0,
        c.sets,
        c.always_lowest * 100.0,
        pair(&report.test_memory)
    );
    errors_by_precision(text, p);
}

fn errors_by_precision(text: &mut String, p: &ProtocolReport) {
    text.push_str("| precision | rows | error |\n|---|---|---|\n");
    for (name, error, _) in &p.by_precision {
        let _ = writeln!(text, "| {name} | {} | {} |", error.rows, pair(error));
    }
    text.push('\n');
}

fn found(text: &mut String, report: &AccuracyReport) {
    let Some(p) = (report.found.as_ref()).filter(|p| p.predictor.rows > 0) else {
        return;
    };
    let _ = writeln!(
        text,
        "## Found afterwards\n\nRuns of {} publications that were found when the predictor was done (`assets/runs/README.md`, \
         `assets/first-sight/README.md`), kept to judge by: nothing is fitted on them. When they were first held against the \
         predictor nobody had looked at them: {}; {}. What narrow experts take was told from what wide ones do by looking at \
         those of dgxc-benchmarking and gpu-recipes since, and so was how many devices a group of HSDP has; what detectors wait for \
         their hosts was set with those of mmdetection and flagperf in view. Such runs of theirs are first sight no longer. Now:\n\n\
         | runs | Mantissa | physics alone | inside the 90 % interval | its median half-width |\n|---|---|---|---|---|\n\
         | {} | {} | {} | {:.0} % | ±{:.0} % |\n\n\
         | publication | rows | Mantissa | physics alone |\n|---|---|---|---|",
        p.by_source.len(),
        BEFORE_FOUND[0],
        BEFORE_FOUND[1],
        p.predictor.rows,
        pair(&p.predictor),
        pair(&p.physics),
        p.coverage * 100.0,
        p.half_width,
    );
    beside(text, &p.by_source);
    text.push('\n');
    errors_by_precision(text, p);
}

fn reliability(text: &mut String, report: &AccuracyReport) {
    text.push_str("## Calibration\n\nHeld-out predictions of every protocol in tenths by predicted half-width; a perfect interval has observed equal to predicted, and 90 % covered.\n\n| predictions | predicted half-width | half-width that holds 90 % | covered |\n|---|---|---|---|\n");
    for r in &report.reliability {
        let _ = writeln!(
            text,
            "| {} | ±{:.1} % | ±{:.1} % | {:.1} % |",
            r.rows,
            r.predicted,
            r.observed,
            r.covered * 100.0
        );
    }
    text.push('\n');
}

fn ablations(text: &mut String, report: &AccuracyReport) {
    if report.ablations.is_empty() {
        return;
    }
    text.push_str("## Ablations\n\nFeatures are hidden from what is learned and the physics keeps what it knows, so each row understates its part; *blind* above takes the precision from both. One fold of known configurations. The trust is that which ships and has seen these rows, so that unseen scale errs less here than above.\n\n| without | known | unseen scale |\n|---|---|---|\n");
    for a in &report.ablations {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            a.without,
            pair(&a.known),
            pair(&a.scale)
        );
    }
    text.push('\n');
}

fn largest(text: &mut String, report: &AccuracyReport) {
    if report.largest.is_empty() {
        return;
    }
    text.push_str("## The largest measured runs\n\nPredicted over measured, by a fit on runs of up to 8 devices.\n\n| devices | run | publication | measured | Mantissa | physics |\n|---|---|---|---|---|---|\n");
    for run in &report.largest {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.3} s | {:.2} | {:.2} |",
            run.devices, run.title, run.source, run.measured, run.predicted, run.physics
        );
    }
    text.push('\n');
}

fn by_precision(text: &mut String, p: &ProtocolReport) {
    // Where the blind baseline was not run, physics stands in its place.
    let other = if p.blind.rows > 0 {
        "precision-blind"
    } else {
        "physics alone"
    };
    let _ = writeln!(
        text,
        "## By precision, {}\n\n| precision | rows | Mantissa | {other} |\n|---|---|---|---|",
        p.protocol.label()
    );
    beside(text, &p.by_precision);
    text.push_str("\nPure BF16 has no run that is fitted on; it is predicted from physics and its neighbours.\n\n");
}

/// Rows of a table: each error with its count, and another beside it.
fn beside(text: &mut String, rows: &[(String, ErrorSummary, ErrorSummary)]) {
    for (name, own, other) in rows {
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} |",
            own.rows,
            pair(own),
            pair(other)
        );
    }
}

fn by_source(text: &mut String, p: &ProtocolReport) {
    list(
        text,
        &format!("By publication, {}", p.protocol.label()),
        "publication",
        &p.by_source,
    );
}

fn list(text: &mut String, title: &str, what: &str, rows: &[(String, ErrorSummary, ErrorSummary)]) {
    let _ = writeln!(
        text,
        "## {title}\n\n| {what} | rows | Mantissa | physics alone |\n|---|---|---|---|"
    );
    beside(text, rows);
    text.push('\n');
}

fn choice(text: &mut String, report: &AccuracyReport) {
    text.push_str("## Precision choice\n\nPairs and sets of runs that differ in precision alone. Right: the fastest mode is named, ties within 3 % count.\n\n| protocol | pairs | error of the speed-up | sets | right | always the lowest | sets where the lowest is not fastest | right there |\n|---|---|---|---|---|---|---|---|\n");
    for p in &report.protocols {
        let c = &p.choice;
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} % | {} | {:.1} % | {:.1} % | {} | {:.1} % |",
            p.protocol.label(),
            c.pairs,
            c.speed_up_error,
            c.sets,
            c.right * 100.0,
            c.always_lowest * 100.0,
            c.hard_sets,
            c.hard_right * 100.0
        );
    }
    text.push('\n');
}

fn intervals(text: &mut String, report: &AccuracyReport) {
    let _ = writeln!(
        text,
        "## 90 % intervals\n\nFitted on one half of the configurations to hold {:.1} % of it, measured on the other; the interval \
         is not told the protocol.\n\n| protocol | covered | median half-width |\n|---|---|---|",
        FITTED * 100.0
    );
    for p in &report.protocols {
        let _ = writeln!(
            text,
            "| {} | {:.1} % | ±{:.0} % |",
            p.protocol.label(),
            p.coverage * 100.0,
            p.half_width
        );
    }
    text.push('\n');
}

fn families(text: &mut String, report: &AccuracyReport) {
    let find = |protocol| report.protocols.iter().find(|p| p.protocol == protocol);
    if let Some(p) = find(Protocol::Family) {
        list(
            text,
            "By model family, unseen model",
            "family",
            &p.by_family,
        );
    }
    if let Some(p) = find(Protocol::Accelerator) {
        list(text, "By part, unseen accelerator", "part", &p.by_part);
    }
}

fn effect(text: &mut String, report: &AccuracyReport) {
    text.push_str("## The precision effect in the data\n\nSlowest over fastest mode, all else equal.\n\n| family | sets | median | largest |\n|---|---|---|---|\n");
    for e in &report.effect {
        let _ = writeln!(
            text,
            "| {} | {} | {:.2}× | {:.2}× |",
            e.family, e.sets, e.median, e.largest
        );
    }
    text.push('\n');
}

/// Features listed per stage.
const LISTED: usize = 12;

fn importance(text: &mut String, artifact: &Artifact) {
    text.push_str("## What matters\n\nShare: of the absolute reasons of the stage over measured runs (communication: of the trees' gain). Shuffled: rise of the mean absolute log error on held-out rows.\n\n");
    for stage in [Stage::Compute, Stage::Communication, Stage::Overlap] {
        let _ = writeln!(
            text,
            "### {}\n\n| feature | shuffled | share |\n|---|---|---|",
            stage.label()
        );
        for i in artifact
            .importance
            .iter()
            .filter(|i| i.stage == stage)
            .take(LISTED)
        {
            let _ = writeln!(
                text,
                "| {} | {:+.3} | {:.1} % |",
                i.feature,
                i.permutation,
                i.gain * 100.0
            );
        }
        text.push('\n');
    }
}

fn others(text: &mut String, report: &AccuracyReport) {
    let _ = writeln!(
        text,
        "## Collectives\n\n{} measured points; median error with whole systems held out: {:.0} % by latency, bandwidth and ramp alone, {:.0} % with the communication stage.\n",
        report.collective_points, report.collectives.0, report.collectives.1
    );
    let _ = writeln!(
        text,
        "## Memory\n\nPredicted peak against {} runs that state one, each against what its figure counts: {} %. Runs that ran but are predicted not to fit: {:.1} %.\n\n| publication | counts | runs | error |\n|---|---|---|---|",
        report.memory.rows,
        pair(&report.memory),
        report.false_out_of_memory
    );
    for part in &report.memory_by_source {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            part.source,
            part.counter.label(),
            part.error.rows,
            pair(&part.error)
        );
    }
    text.push('\n');
    text.push_str("## Left out of the fit\n\n| reason | runs |\n|---|---|\n");
    for (reason, count) in &report.left_out {
        let _ = writeln!(text, "| {reason} | {count} |");
    }
}
