//! The shipped predictor: from a configuration to a prediction and its reasons.

use super::artifact::{Artifact, ArtifactError};
use super::differences;
use super::doubt::{Intervals, Signs};
use super::features::FEATURES;
use super::prediction::{
    Breakdown, Contribution, Estimate, Explanation, Importance, NearestRun, Prediction, Stage,
    Support,
};
use super::stages::Staged;
use super::surrogate::{LimitRules, limit_of};
use crate::dataset::hexadecimal;
use crate::domain::{Configuration, PeakRefusal, PrecisionMode, ProfileOrigin};
use crate::physics::{PrecisionView, StepTimes, StepWork, memory_use};
use crate::units::Seconds;
use sha2::{Digest, Sha256};

/// Why a configuration gets no prediction.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PredictError {
    /// The accelerator cannot run the mode.
    #[error(transparent)]
    Refused(#[from] PeakRefusal),
    /// The strategy does not multiply out or cuts finer than the model allows.
    #[error("{0}")]
    Strategy(String),
}

/// The fitted predictor.
#[derive(Debug)]
pub struct Predictor {
    artifact: Artifact,
    rules: LimitRules,
    version: String,
}

static ARTIFACT: &[u8] = include_bytes!("../../models/predictor.bin");
static RULES: &str = include_str!("../../models/limit-rules.json");
static CARD: &str = include_str!("../../models/CARD.md");

/// Half-width, in logs, that a mode no fit has seen gets at least.
const UNMEASURED_MODE: f64 = 0.35;
/// Runs the evidence panel lists.
const EVIDENCE: usize = 12;
/// Distance within which a measured run counts as near.
const NEAR: f64 = 0.35;
/// Distance from which the reader is told that none is near: twice that.
const FAR: f64 = 2.0 * NEAR;
/// Trust below which a reader is told that the figure is mostly physics.
const LITTLE_TRUST: f64 = 0.5;
/// Most experts of its own for which the host of a device waits in a run of the fit (Nemotron 3 Super on B300s).
const MEASURED_EXPERTS: f64 = 64.0;

impl Predictor {
    /// The predictor that ships with this build.
    ///
    /// # Errors
    /// [`ArtifactError`] if the artifact is broken or of another build.
    pub fn shipped() -> Result<Self, ArtifactError> {
        let artifact = Artifact::decode(ARTIFACT)?;
        let rules = serde_json::from_str(RULES)
            .map_err(|e| ArtifactError::Damaged(format!("limit-rules.json: {e}")))?;
        // Of the file, not of the data alone: two fits on the same runs predict otherwise.
        let hash = hexadecimal(&Sha256::digest(ARTIFACT)[..4]);
        Ok(Self {
            version: format!("{}+{hash}", artifact.product),
            artifact,
            rules,
        })
    }

    /// Version of the product that fitted it and the start of the SHA-256 of `models/predictor.bin`, e.g. `0.1.0+a1b2c3d4`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Everything fitted and measured.
    pub fn artifact(&self) -> &Artifact {
        &self.artifact
    }

    /// What matters over the whole data set, per stage.
    pub fn importance(&self) -> &[Importance] {
        &self.artifact.importance
    }

    /// Number of measured runs it was fitted on.
    pub fn fitted_runs(&self) -> usize {
        self.artifact.stages.references.len()
    }

    /// The model card (Markdown) that ships with it.
    pub fn card(&self) -> &str {
        CARD
    }

    fn work(&self, c: &Configuration) -> Result<StepWork, PredictError> {
        check(c)?;
        let mut work = StepWork::new(c, PrecisionView::Aware)?;
        self.artifact.communication.apply(&mut work.exchange);
        Ok(work)
    }

    /// The step time of physics alone, collectives by latency and bandwidth: where the waterfall starts.
    fn physics(&self, c: &Configuration) -> Result<Seconds, PredictError> {
        let plain = StepWork::new(c, PrecisionView::Aware)?;
        Ok(Seconds(
            StepTimes::compose(&plain, &self.artifact.stages.constants).total,
        ))
    }

    fn sketch(&self, c: &Configuration, work: &StepWork, staged: &Staged) -> Prediction {
        let value = staged.log_time().exp();
        let parts = breakdown(work, staged);
        let (exposed, exchanged) = (staged.times.exposed, staged.times.exchanged);
        Prediction {
            step_time: Estimate {
                value,
                low: value,
                high: value,
            },
            physics_time: Seconds(staged.times.total),
            overlap: (c.count > 1 && exchanged > 0.0)
                .then(|| (1.0 - exposed / exchanged).clamp(0.0, 1.0)),
            host_share: staged.times.host_share(),
            memory: memory_use(c, work.device_parameters),
            limit: limit_of(&parts),
            support: Support::default(),
            notes: Vec::new(),
            breakdown: parts,
        }
    }

    /// Step time in seconds alone, without interval or support.
    ///
    /// # Errors
    /// As [`Predictor::predict`].
    pub fn step_seconds(&self, c: &Configuration) -> Result<f64, PredictError> {
        let work = self.work(c)?;
        Ok(self.artifact.stages.run(&work).log_time().exp())
    }

    /// What layouts of one run are ranked by, in seconds: see [`super::stages::Stages::whole_log_times`].
    ///
    /// # Errors
    /// As [`Predictor::predict`], of the first that cannot be predicted.
    pub fn ranking_seconds(&self, layouts: &[Configuration]) -> Result<Vec<f64>, PredictError> {
        let work: Vec<StepWork> = (layouts.iter())
            .map(|c| self.work(c))
            .collect::<Result<_, _>>()?;
        let logs = self.artifact.stages.whole_log_times(&work);
        Ok(logs.into_iter().map(f64::exp).collect())
    }

    /// Predicts one configuration.
    ///
    /// # Errors
    /// [`PredictError`] where the part lacks the mode or the strategy is impossible.
    pub fn predict(&self, c: &Configuration) -> Result<Prediction, PredictError> {
        let work = self.work(c)?;
        let (staged, deviation) = self.artifact.stages.run_doubted(&work);
        let distances = staged.distances;
        let signs = signs(&work, &staged, deviation);
        let half = half_width(&self.artifact.intervals, &signs, c.precision.mode);
        let mut prediction = self.sketch(c, &work, &staged);
        prediction.physics_time = self.physics(c)?;
        let value = prediction.step_time.value;
        prediction.step_time = Estimate {
            value,
            low: value * (-half).exp(),
            high: value * half.exp(),
        };
        prediction.support = Support {
            distance: distances.all,
            nearest_runs: staged.near,
        };
        prediction.notes = notes(c, &work, distances.all, staged.trust());
        Ok(prediction)
    }

    /// Explains one prediction.
    ///
    /// # Errors
    /// As [`Predictor::predict`].
    pub fn explain(&self, c: &Configuration) -> Result<Explanation, PredictError> {
        check(c)?;
        let work = self.work(c)?;
        let stages = &self.artifact.stages;
        let staged = stages.run(&work);
        let uncorrected = self.physics(c)?.value().ln();
        let mut contributions =
            self.communication_part(&work, staged.times.total.ln() - uncorrected);
        let place = staged.place(&work);
        let [compute, overlap] = stages.learned.contributions(&place, &staged.shares);
        contributions.extend(stage_part(
            compute,
            Stage::Compute,
            staged.compute_log,
            staged.composed_log,
        ));
        if staged.overlap_log != 0.0 {
            contributions.extend(stage_part(
                overlap,
                Stage::Overlap,
                staged.overlap_log,
                staged.overlap_log,
            ));
        }
        let (limit_rule, limit_named) = self.rules.walk(&staged.row);
        Ok(Explanation {
            contributions: ordered(contributions),
            nearest: self.nearest_runs(&staged.row),
            limit_rule,
            limit_named,
            limit_fidelity: self.rules.fidelity,
        })
    }

    fn nearest_runs(&self, row: &[f32]) -> Vec<NearestRun> {
        let runs = &self.artifact.reference_runs;
        let references = &self.artifact.stages.references;
        let near = references.nearest(row, EVIDENCE);
        near.into_iter()
            .filter_map(|(i, distance)| {
                let run = runs.get(i)?;
                Some(NearestRun {
                    source: run.source.clone(),
                    source_path: run.source_path.clone(),
                    model: run.model.clone(),
                    accelerator: run.accelerator.clone(),
                    count: run.count,
                    precision: run.precision.clone(),
                    batch: references.figure(i, "Batch per device").map(f64::exp),
                    differs: differences::told(references, i, row),
                    distance,
                    measured: Seconds::from_ms(f64::from(run.measured_ms)),
                    predicted: Seconds::from_ms(f64::from(run.predicted_ms)),
                })
            })
            .collect()
    }

    /// What correcting the collectives changed, shared out by the contributions to each call's correction.
    fn communication_part(&self, work: &StepWork, change: f64) -> Vec<Contribution> {
        if change == 0.0 {
            return Vec::new();
        }
        let mut sums = [0.0; super::communication::LABELS.len()];
        for call in work.exchange.calls.iter().flatten() {
            let parts = self.artifact.communication.contributions(&call.collective);
            sums.iter_mut()
                .zip(parts)
                .for_each(|(sum, part)| *sum += part * call.seconds);
        }
        let total: f64 = sums.iter().map(|s| s.abs()).sum::<f64>().max(1e-300);
        super::communication::LABELS
            .iter()
            .zip(sums)
            .map(|(label, sum)| Contribution {
                feature: (*label).to_owned(),
                stage: Stage::Communication,
                // By size, so that opposing signs cannot blow a small change up.
                log_ratio: change * sum.abs() / total,
            })
            .collect()
    }
}

/// Contributions of one stage in units of its change to the step time. The stage's own log is scaled so that the whole is
/// what the step changed by; an average run's correction stands as a line of its own.
fn stage_part(
    parts: (Vec<(usize, f64)>, f64),
    stage: Stage,
    own: f64,
    change: f64,
) -> Vec<Contribution> {
    let (features, base) = parts;
    let scale = if own.abs() > 1e-9 { change / own } else { 0.0 };
    let mut list: Vec<Contribution> = features
        .into_iter()
        .map(|(feature, value)| Contribution {
            feature: FEATURES[feature].label.to_owned(),
            stage,
            log_ratio: value * scale,
        })
        .collect();
    list.push(Contribution {
        feature: "Average measured run".to_owned(),
        stage,
        log_ratio: base * scale,
    });
    list
}

/// Stage by stage, largest first; names break ties.
fn ordered(mut list: Vec<Contribution>) -> Vec<Contribution> {
    list.retain(|c| c.log_ratio != 0.0);
    list.sort_by(|a, b| {
        a.stage
            .cmp(&b.stage)
            .then(b.log_ratio.abs().total_cmp(&a.log_ratio.abs()))
            .then(a.feature.cmp(&b.feature))
    });
    list
}

fn check(c: &Configuration) -> Result<(), PredictError> {
    let s = &c.strategy;
    if s.devices() != c.count {
        return Err(PredictError::Strategy(format!(
            "data {} × tensor {} × pipeline {} × context {} is {}, not the {} devices of the run",
            s.data,
            s.tensor,
            s.pipeline,
            s.context,
            s.devices(),
            c.count
        )));
    }
    if !(s.micro_batch.is_finite() && s.micro_batch > 0.0) {
        return Err(PredictError::Strategy(
            "batch per device must be a number above 0".into(),
        ));
    }
    Ok(())
}

fn notes(c: &Configuration, work: &StepWork, distance: f64, trust: f64) -> Vec<String> {
    let mut notes = Vec::new();
    if c.precision.mode == PrecisionMode::Bf16 {
        notes.push("No run in pure BF16 is fitted on. The figure follows from physics and from mixed BF16 and pure FP16 runs.".to_owned());
    }
    match c.workload.profile.origin {
        ProfileOrigin::Estimated => {
            notes.push("The operators of this model are a hand-written stand-in.".to_owned())
        }
        ProfileOrigin::Totals => notes
            .push("Only published totals of this model are known, not its operators.".to_owned()),
        ProfileOrigin::Traced | ProfileOrigin::Built => {}
    }
    if let Ok(peak) = c.accelerator.peak(c.precision.mode)
        && let Some(how) = &peak.derived
    {
        notes.push(format!("The peak rate is derived, not published: {how}"));
    }
    if !c.batch_stated {
        notes.push("The batch was not stated; a typical one is assumed.".to_owned());
    }
    notes.extend(far_or_few(distance, trust));
    notes.extend(many_experts(work));
    notes
}

/// A warning where a device feeds more experts one by one than any measured one did.
fn many_experts(work: &StepWork) -> Option<String> {
    let each = work.own_experts();
    (work.awaited_experts > 0.0 && each > MEASURED_EXPERTS).then(|| {
        format!(
            "Each device holds {each:.0} experts, measured ones up to {MEASURED_EXPERTS:.0}: what its host takes to feed them \
             is extrapolated. Expert parallelism leaves it fewer."
        )
    })
}

/// What a prediction rests on where measured runs are far or few; `None` where they are near and say most.
fn far_or_few(distance: f64, trust: f64) -> Option<String> {
    let share = (100.0 * trust).round();
    let physics = |runs: &str| match share >= 1.0 {
        true => format!("physics and {share} % of what {runs} suggest"),
        false => "physics alone".to_owned(),
    };
    if distance > FAR {
        Some(format!(
            "No measured run is near this one: the time is {}. Measure a step before you rely on it.",
            physics("runs far away")
        ))
    } else if trust >= LITTLE_TRUST {
        None
    } else if distance > NEAR {
        Some(format!(
            "Few similar runs were measured: the time is {}.",
            physics("they")
        ))
    } else {
        Some(format!(
            "The runs like this one are of few publications: the time is {}.",
            physics("they")
        ))
    }
}

/// Signs of doubt of one prediction.
pub(super) fn signs(work: &StepWork, staged: &Staged, deviation: f64) -> Signs {
    Signs {
        distances: staged.distances,
        correction: staged.composed_log + staged.overlap_log,
        deviation,
        disagreement: staged.disagreement,
        estimated: work.estimated,
        batch_assumed: !work.batch_stated,
        tuning_unknown: work.tuning.is_none(),
        language: work.language,
        log_devices: work.devices.ln(),
        launch: (staged.times.launch / staged.times.body).max(1e-6).ln(),
        communication: ((staged.times.exchanged + 1e-9) / staged.times.compute).ln(),
        width: work.width,
    }
}

/// Half-width of the interval, in logs.
pub(super) fn half_width(intervals: &Intervals, signs: &Signs, mode: PrecisionMode) -> f64 {
    let half = intervals.half_width(signs);
    match mode {
        PrecisionMode::Bf16 => half.max(UNMEASURED_MODE),
        _ => half,
    }
}

/// Where the predicted step goes: the physical parts, scaled to the predicted step time.
pub(super) fn breakdown(work: &StepWork, staged: &Staged) -> Breakdown {
    let t = &staged.times;
    let compute = staged.compute_log.exp();
    // Launches lengthen a micro-step by what they add to its compute.
    let kernels = t.gemm
        + t.grouped
        + t.depthwise
        + t.attention
        + t.elementwise
        + t.norm
        + t.conversion
        + t.cast
        + t.quantise;
    let stretch = (t.micro.min(t.body) / kernels.max(1e-12)) * work.micro_steps * compute;
    let parts = Breakdown {
        matmul: Seconds((t.gemm + t.grouped + t.depthwise + t.attention) * stretch),
        memory_traffic: Seconds((t.elementwise + t.norm + t.conversion) * stretch),
        launch: Seconds(
            ((t.micro - t.body).max(0.0) * work.micro_steps + t.optimizer_launch) * compute,
        ),
        optimizer: Seconds((t.optimizer - t.optimizer_launch) * compute),
        casts: Seconds((t.cast + t.quantise) * stretch + t.unscale * compute),
        communication: Seconds(t.exposed),
        // Slots beyond the micro-steps: the bubble, and what all stages wait for the longest.
        bubble: Seconds((t.slots - work.micro_steps).max(0.0) * t.micro * compute),
    };
    parts.scaled(staged.log_time().exp() / parts.total().value().max(1e-12))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_told_once_what_a_figure_rests_on() {
        let said = |distance, trust| far_or_few(distance, trust).unwrap_or_default();
        assert_eq!(said(0.1, 0.9), "");
        assert!(said(0.1, 0.2).ends_with("the time is physics and 20 % of what they suggest."));
        assert!(said(0.5, 0.07).starts_with("Few similar runs"));
        assert_eq!(
            said(0.5, 0.001),
            "Few similar runs were measured: the time is physics alone."
        );
        // Far away it is told whatever the trust.
        assert!(said(0.8, 0.9).starts_with("No measured run is near this one"));
        assert!(said(3.0, 0.0).contains("physics alone. Measure a step"));
    }
}
