//! Why in words: what a prediction is made of, gathered by what it is about, and said in sentences.

use super::scene::{Scene, mode_label, short_label};
use super::why_limit::limits_it;
use crate::domain::{Configuration, MatmulKind};
use crate::format;
use crate::planner::{Combination, Plan, PredictedRun};
use crate::predictor::features::Group;
use crate::predictor::{Contribution, Explanation, Limit, Stage};
use crate::units::{BytesPerSecond, FlopsPerSecond, Seconds};

/// Contributions below this factor say nothing by themselves.
const SMALL: f64 = 0.0005;

/// What stands for all features that the model at hand does not have.
const OTHERS: &str = "What this model lacks";
/// Parts of a step below this share go unnamed.
const NAMED: f64 = 0.03;
/// A subject that moves the time by less than this share goes unnamed.
const MOVES: f64 = 0.01;

/// Whether a feature is one of operators that a configuration has. Features of what it has none of are no more than what
/// tells it from models that have some.
fn applies(feature: &str, configuration: &Configuration) -> bool {
    let profile = &configuration.workload.profile;
    let has = |kinds: &[MatmulKind]| profile.matmuls.iter().any(|op| kinds.contains(&op.kind));
    use MatmulKind::{Activation, Depthwise, Grouped};
    let is_convolutional = profile
        .matmuls
        .iter()
        .any(|op| op.kind.is_dense_convolution() || matches!(op.kind, Grouped | Depthwise));
    match feature {
        "3×3 convolution share"
        | "Convolutional share of outputs"
        | "Odd-sided convolution share"
        | "NHWC tensors" => is_convolutional,
        "Grouped-convolution share"
        | "Channels per group"
        | "Groups of convolutions"
        | "Uneven groups"
        | "NHWC kernels for grouped convolutions" => has(&[Grouped]),
        "Depthwise-convolution share" | "Depthwise kernel area" => has(&[Depthwise]),
        "Attention share"
        | "Attention FLOP share"
        | "Odd-sided attention share"
        | "Fused attention" => has(&[Activation]),
        "Experts" => profile.blocks.is_some_and(|b| b.experts > 0.0),
        _ => true,
    }
}

/// What a group of features is about, in words.
pub fn subject_of(contribution: &Contribution) -> &'static str {
    if contribution.stage == Stage::Communication {
        return "Exchange";
    }
    match Group::of(&contribution.feature) {
        Some(Group::Precision) => "Precision",
        Some(Group::Share) => "Mix of operators",
        Some(Group::Casts) => "Casts and optimizer",
        Some(Group::Size) => "Size of model and batch",
        Some(Group::Hardware) => "The accelerator",
        Some(Group::Software) => "Software and its age",
        Some(Group::Layout) => "Layout over devices",
        Some(Group::Communication) => "Exchange",
        None => "Average of all runs",
    }
}

/// What the predictor learned of one subject.
pub struct Subject<'a> {
    /// What it is about.
    pub name: &'static str,
    /// Log of its factor on the step time: the sum of its inputs.
    pub by: f64,
    /// Its inputs with theirs, largest first.
    pub inputs: Vec<(&'a str, f64)>,
}

/// Every contribution, gathered by what it is about, what matters most first. What the model does not have stands for the
/// difference to models that do: it is not named as if it had it.
pub fn subjects<'a>(
    explanation: &'a Explanation,
    configuration: &Configuration,
) -> Vec<Subject<'a>> {
    let mut all: Vec<Subject<'a>> = Vec::new();
    for c in &explanation.contributions {
        let name = match applies(&c.feature, configuration) {
            true => subject_of(c),
            false => OTHERS,
        };
        let at = all.iter().position(|s| s.name == name).unwrap_or_else(|| {
            let (by, inputs) = (0.0, Vec::new());
            all.push(Subject { name, by, inputs });
            all.len() - 1
        });
        all[at].by += c.log_ratio;
        if name != OTHERS {
            all[at].inputs.push((&c.feature, c.log_ratio));
        }
    }
    let by = |a: &f64, b: &f64| b.abs().total_cmp(&a.abs());
    for subject in &mut all {
        subject.inputs.sort_by(|a, b| by(&a.1, &b.1));
    }
    all.retain(|subject| !subject.inputs.is_empty() || subject.by.abs() >= SMALL);
    all.sort_by(|a, b| by(&a.by, &b.by).then(a.name.cmp(b.name)));
    all
}

/// Why a run takes as long as it does, as sentences: where its step goes, what limits it, what measured runs add to physics,
/// and the nearest of them.
pub fn sentences(
    cx: &Scene<'_>,
    plan: &Plan,
    c: &Combination,
    run: &PredictedRun,
    explanation: &Explanation,
) -> Vec<String> {
    let mut said = vec![parts_sentence(run)];
    said.extend(mode_sentence(plan, c, run));
    said.push(limit_sentence(plan, c, run));
    said.push(learned_sentence(run, explanation));
    if let Some(near) = explanation.nearest.first() {
        let model = cx.backend.model(&near.model);
        said.push(format!(
            "The nearest measured run is {} in {} on {} × {} ({}): {} measured, {} predicted.",
            model.map_or(near.model.as_str(), |m| m.label.as_str()),
            mode_label(&near.precision),
            format::count(near.count.into()),
            cx.part_label(&near.accelerator),
            near.source,
            format::step_time(near.measured),
            format::step_time(near.predicted)
        ));
    }
    said
}

/// `Of a step of 6.91 s, matmul takes 58 %, memory traffic 34 % and exposed communication 4 %.`
fn parts_sentence(run: &PredictedRun) -> String {
    let step = run.prediction.step_time.value;
    let mut parts: Vec<(&str, f64)> = (run.prediction.breakdown.parts().into_iter())
        .map(|(name, time)| (name, time.value() / step))
        .filter(|(_, share)| *share >= NAMED)
        .collect();
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut said: Vec<String> = (parts.iter().enumerate())
        .map(|(i, (name, share))| {
            let verb = if i == 0 { "takes " } else { "" };
            format!("{} {verb}{}", name.to_lowercase(), format::percent(*share))
        })
        .collect();
    let last = said.pop().unwrap_or_default();
    let list = match said.is_empty() {
        true => last,
        false => format!("{} and {last}", said.join(", ")),
    };
    format!("Of a step of {}, {list}.", format::step_time(Seconds(step)))
}

/// What the mode changes, against the one that most people would use instead on the same nodes: the parts of both steps that
/// differ, for a mode that is quicker in its matmuls pays for it in casts.
fn mode_sentence(plan: &Plan, c: &Combination, run: &PredictedRun) -> Option<String> {
    let other = plan.alternative(c)?;
    let there = other.run()?;
    // Steps of other batches are no measure of a mode.
    let batch = |run: &PredictedRun| run.configuration.strategy.global_batch();
    if batch(run) != batch(there) {
        return None;
    }
    let steps = [run, there].map(|run| run.prediction.step_time.value);
    let parts = run.prediction.breakdown.parts().into_iter();
    let pairs = parts.zip(there.prediction.breakdown.parts());
    let mut differ: Vec<(f64, String)> = pairs
        .map(|((name, here), (_, there))| (name, here.value(), there.value()))
        .filter(|(_, here, there)| (here - there).abs() >= NAMED * steps[1])
        .map(|(name, here, there)| {
            let [here, there_text] = [here, there].map(|s| (s, format::step_time(Seconds(s))));
            let text = format!("{} {} for {}", name.to_lowercase(), here.1, there_text.1);
            ((here.0 - there).abs(), text)
        })
        .collect();
    differ.sort_by(|a, b| b.0.total_cmp(&a.0));
    let listed: Vec<String> = differ.into_iter().map(|(_, text)| text).collect();
    let listed = match listed.is_empty() {
        true => "no part differs by much".to_owned(),
        false => listed.join(", "),
    };
    let [here, there] = steps.map(|s| format::step_time(Seconds(s)));
    Some(format!(
        "Against {} on the same nodes, a step of {here} for {there}: {listed}.",
        other.mode.label()
    ))
}

/// What limits it, with the figure of the part that stands behind it and what would help.
fn limit_sentence(plan: &Plan, c: &Combination, run: &PredictedRun) -> String {
    let part = short_label(plan, &c.accelerator.label);
    match run.prediction.limit {
        Limit::Compute => {
            let rate = |mode| c.accelerator.peak(mode).ok().map(|peak| peak.rate);
            let faster = (plan.request.modes.iter())
                .filter_map(|mode| Some((*mode, rate(*mode)?)))
                .filter(|(_, other)| rate(c.mode).is_some_and(|own| *other > own * 1.2))
                .max_by(|a, b| a.1.value().total_cmp(&b.1.value()));
            let own = rate(c.mode).map_or_else(String::new, |own| {
                format!(": {part} peaks at {} in {}", teraflops(own), c.mode.label())
            });
            let faster = faster.map_or_else(String::new, |(mode, rate)| {
                format!(", in {} at {}", mode.label(), teraflops(rate))
            });
            format!("{}{own}{faster}.", limits_it(run))
        }
        Limit::MemoryTraffic => format!(
            "{}: {part} moves {} at most, and fewer bytes an element or fused kernels move less.",
            limits_it(run),
            bandwidth(c.accelerator.memory_bandwidth)
        ),
        Limit::Launch => "Kernel launches limit it: the device waits for its host. A larger micro-batch, a compiled \
                          graph or CUDA graphs would help."
            .to_owned(),
        Limit::Communication => format!(
            "Exchange between {} limits it; laid out as {}.",
            format::devices(c.count, part),
            run.layout
        ),
    }
}

/// `1 979 TFLOP/s`.
fn teraflops(rate: FlopsPerSecond) -> String {
    format!("{}\u{202F}TFLOP/s", format::count(rate.value() / 1e12))
}

/// `3.35 TB/s`.
fn bandwidth(rate: BytesPerSecond) -> String {
    format!("{}\u{202F}TB/s", format::number(rate.value() / 1e12))
}

/// What measured runs add to physics, and what of it most.
fn learned_sentence(run: &PredictedRun, explanation: &Explanation) -> String {
    let physics = run.prediction.physics_time;
    let by: f64 = explanation.contributions.iter().map(|c| c.log_ratio).sum();
    let most: Vec<String> = subjects(explanation, &run.configuration)
        .iter()
        .filter(|subject| subject.by.abs() >= MOVES)
        .take(2)
        .map(|subject| {
            let factor = format::fixed(subject.by.exp(), 2);
            format!("{} (×\u{202F}{factor})", subject.name.to_lowercase())
        })
        .collect();
    let alone = format::step_time(physics);
    if by.abs() < MOVES {
        return format!(
            "Physics alone says {alone}; measured runs change next to nothing about it."
        );
    }
    let most = match most.as_slice() {
        [] => String::new(),
        named => format!(", most by {}", named.join(" and ")),
    };
    let factor = format::fixed(by.exp(), 2);
    format!(
        "Physics alone says {alone}; what measured runs teach makes it ×\u{202F}{factor}{most}."
    )
}
