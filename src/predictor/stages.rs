//! The fitted stages and how they compose: compute, communication, overlap.
//!
//! `ln T = ln T_physics + s · f_c + m · f_o`: the communication stage has corrected the alpha-beta time of each collective
//! inside the physics, `f_c` corrects compute (`s` is its share of the physical step), `f_o` what shows on several devices
//! alone (`m` is 1 there, else 0). Both are parts of one Gaussian process, so that far from data physics is what is left.

use super::constants_fit::{ConstantRow, fit_constants};
use super::doubt::{Distances, References};
use super::features::{FEATURES, Group, feature_row};
use super::learned::{Learned, NET, Said, Shares, VOICES, WITHOUT_NET};
use super::process::{Example, FitError, Place, Shape, ShapeError};
use super::rows::{TrainingRow, pairs};
use super::scales::Scales;
use super::trust::Trust;
use crate::physics::{Constants, PrecisionView, StepTimes, StepWork};
use serde::{Deserialize, Serialize};

/// How the stages are fitted; [`FitOptions::shipped`] ships, the rest is for ablations and baselines.
#[derive(Debug, Clone)]
pub struct FitOptions {
    /// What the stages may see of the precision.
    pub view: PrecisionView,
    /// Feature groups left out.
    pub without: Vec<Group>,
    /// Single features left out, by label.
    pub without_features: Vec<&'static str>,
    /// No overlap part.
    pub without_overlap: bool,
    /// Scales of the kernels.
    pub shape: Shape,
    /// Scales learned without one half of the families and publications each.
    pub halves: [Shape; 2],
    /// How much of a correction counts.
    pub trust: Trust,
    /// Rounds of the fit of the constants.
    pub rounds: usize,
    /// Strength of the constants' priors; see `constants_fit`.
    pub prior: f64,
}

impl FitOptions {
    /// With these scales and nothing left out.
    pub fn new(scales: &Scales) -> Self {
        Self {
            view: PrecisionView::Aware,
            without: Vec::new(),
            without_features: Vec::new(),
            without_overlap: false,
            shape: scales.whole.clone(),
            halves: scales.halves.clone(),
            trust: Trust::FULL,
            rounds: 12,
            prior: 1.5e-4,
        }
    }

    /// What ships; a correction counts whole, until a measurement says how much of it to trust.
    ///
    /// # Errors
    /// [`ShapeError`] if the scales are of another build.
    pub fn shipped() -> Result<Self, ShapeError> {
        Ok(Self::new(&Scales::shipped()?))
    }

    fn hidden(&self) -> Vec<bool> {
        let blind = self.view == PrecisionView::Blind;
        FEATURES
            .iter()
            .map(|f| {
                self.without.contains(&f.group)
                    || self.without_features.contains(&f.label)
                    || (blind && matches!(f.group, Group::Precision | Group::Casts))
            })
            .collect()
    }
}

/// A measured run nearer than this, over all features, is like the configuration.
const NEAR: f64 = 0.35;

/// Physics and what is learned on top of it, fitted together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    /// Constants of the physical time.
    pub constants: Constants,
    /// Corrections of compute and of the whole.
    pub learned: Learned,
    /// Feature rows of the measured runs it is fitted on.
    pub references: References,
    /// How much of a correction counts, by the distance to those.
    pub trust: Trust,
}

/// One configuration through the stages; times in seconds.
#[derive(Debug, Clone)]
pub struct Staged {
    /// Physics alone.
    pub times: StepTimes,
    /// The feature row.
    pub row: Vec<f32>,
    /// Log correction of compute.
    pub compute_log: f64,
    /// What that changes of the log of the step, by the share of compute.
    pub composed_log: f64,
    /// Log correction of the overlap stage; 0 on one device.
    pub overlap_log: f64,
    /// Distances to the nearest measured run.
    pub distances: Distances,
    /// Measured runs within [`NEAR`].
    pub near: u32,
    /// What each voice would add to the log of the step, if all of it counted.
    pub voices: [f64; VOICES],
    /// How much of each counts.
    pub shares: Shares,
    /// How far apart process and forest are, in logs.
    pub disagreement: f64,
}

impl Staged {
    /// Natural log of the predicted step time in seconds.
    pub fn log_time(&self) -> f64 {
        self.times.total.ln() + self.composed_log + self.overlap_log
    }

    /// How much of what process and forests said counts in all, 0 to 1: the mean over voices, by what each has to say.
    pub fn trust(&self) -> f64 {
        let spoken = &self.voices[..NET];
        let size: f64 = spoken.iter().map(|v| v.abs()).sum();
        let heard = spoken.iter().zip(self.shares);
        heard.map(|(v, s)| v.abs() * s).sum::<f64>() / size.max(1e-300)
    }

    fn correct(&mut self, said: &Said) {
        let value = said.value(&self.shares);
        self.voices = said.voices();
        self.disagreement = said.disagreement();
        self.compute_log = value.compute;
        self.composed_log = self.compute_log * said.compute_share;
        self.overlap_log = value.overlap;
    }

    /// The configuration as the process sees it.
    pub fn place(&self, work: &StepWork) -> Place<'_> {
        place(&self.row, &self.times, work)
    }
}

/// A configuration as the process sees it, given its physics.
fn place<'a>(row: &'a [f32], times: &StepTimes, work: &StepWork) -> Place<'a> {
    Place {
        row,
        compute_share: compute_share(times),
        many: work.devices > 1.0,
    }
}

/// Share of compute in the physical step.
pub(super) fn compute_share(t: &StepTimes) -> f64 {
    let compute = t.compute + t.optimizer + t.unscale;
    compute / (compute + t.exposed)
}

/// What makes a measured time less certain: quality B, quality C, an assumed batch.
pub(super) fn doubts(row: &TrainingRow) -> [f64; 3] {
    use crate::dataset::Quality;
    let flag = |b: bool| f64::from(u8::from(b));
    [
        flag(row.run.quality == Some(Quality::B)),
        flag(row.run.quality == Some(Quality::C)),
        flag(!row.work.batch_stated),
    ]
}

/// The work of rows under one view of the precision.
fn seen<'a>(rows: &'a [TrainingRow], view: PrecisionView) -> impl Fn(usize) -> &'a StepWork {
    move |row| match view {
        PrecisionView::Aware => &rows[row].work,
        PrecisionView::Blind => &rows[row].blind,
    }
}

/// Fits the constants of the physical time alone, on rows (indices into `rows`).
pub fn fit_physics(rows: &[TrainingRow], train: &[usize], options: &FitOptions) -> Constants {
    fit_on(rows, train, options, &seen(rows, options.view))
}

impl Stages {
    /// Fits all stages on rows (indices into `rows`).
    ///
    /// # Errors
    /// [`FitError`] where there are no rows.
    pub fn fit(
        rows: &[TrainingRow],
        train: &[usize],
        options: &FitOptions,
    ) -> Result<Self, FitError> {
        let work = seen(rows, options.view);
        let constants = fit_physics(rows, train, options);
        let staged = Self::compose(train, &constants, &work);
        let examples = Self::examples(rows, train, &staged, options);
        let overlap = !options.without_overlap;
        let pairs = pairs(rows, train);
        let hidden = options.hidden();
        let learned = Learned::fit(&examples, &pairs, &options.shape, &hidden, overlap)?;
        let features: Vec<&[f32]> = staged.iter().map(|(_, row)| row.as_slice()).collect();
        Ok(Self {
            references: References::new(&features),
            trust: options.trust,
            constants,
            learned,
        })
    }

    fn compose<'a>(
        train: &[usize],
        constants: &Constants,
        work: &impl Fn(usize) -> &'a StepWork,
    ) -> Vec<(StepTimes, Vec<f32>)> {
        train
            .iter()
            .map(|i| {
                let times = StepTimes::compose(work(*i), constants);
                let row = feature_row(work(*i), &times);
                (times, row)
            })
            .collect()
    }

    fn examples<'a>(
        rows: &[TrainingRow],
        train: &[usize],
        staged: &'a [(StepTimes, Vec<f32>)],
        options: &FitOptions,
    ) -> Vec<Example<'a>> {
        train
            .iter()
            .zip(staged)
            .map(|(i, (times, row))| Example {
                place: Place {
                    row,
                    compute_share: compute_share(times),
                    many: rows[*i].work.devices > 1.0 && !options.without_overlap,
                },
                target: rows[*i].log_time - times.total.ln(),
                doubts: doubts(&rows[*i]),
                group: rows[*i].group,
            })
            .collect()
    }

    /// Natural logs of step times in seconds with the whole correction, however far measured runs are: what layouts of one
    /// run are ranked by. What is new about the run is new about each of them; how they differ is what sweeps have
    /// measured (regret at the 90th percentile of all sweeps, publication left out: 13 %). Networks are not asked, which are heard
    /// among measured runs alone.
    pub fn whole_log_times(&self, work: &[StepWork]) -> Vec<f64> {
        let times = (work.iter()).map(|work| StepTimes::compose(work, &self.constants));
        let physics: Vec<(StepTimes, Vec<f32>)> = (times.zip(work))
            .map(|(times, work)| (times, feature_row(work, &times)))
            .collect();
        let places: Vec<Place<'_>> = (physics.iter().zip(work))
            .map(|((times, row), work)| place(row, times, work))
            .collect();
        (physics.iter().zip(self.learned.said_without_net(&places)))
            .map(|((times, _), said)| {
                let value = said.value(&WITHOUT_NET);
                times.total.ln() + value.compute * said.compute_share + value.overlap
            })
            .collect()
    }

    /// Runs one configuration's work through the stages.
    pub fn run(&self, work: &StepWork) -> Staged {
        let mut staged = self.physics(work);
        let place = staged.place(work);
        let said = self.learned.said(&[place]).remove(0);
        staged.correct(&said);
        staged
    }

    /// The same, and the posterior deviation of the log of the step time.
    pub fn run_doubted(&self, work: &StepWork) -> (Staged, f64) {
        let mut staged = self.physics(work);
        let place = staged.place(work);
        let (said, deviation) = self.learned.doubted(&place);
        staged.correct(&said);
        (staged, deviation)
    }

    fn physics(&self, work: &StepWork) -> Staged {
        let times = StepTimes::compose(work, &self.constants);
        let row = feature_row(work, &times);
        let (distances, near) = self.references.distances(&row, NEAR);
        Staged {
            voices: [0.0; VOICES],
            disagreement: 0.0,
            shares: self.trust.shares(&distances),
            distances,
            near,
            row,
            times,
            compute_log: 0.0,
            composed_log: 0.0,
            overlap_log: 0.0,
        }
    }
}

/// Rows of one group on the same software beyond this many say nothing new of the constants.
const ROWS_A_GROUP: usize = 2;

fn fit_on<'a>(
    rows: &'a [TrainingRow],
    train: &[usize],
    options: &FitOptions,
    work: &dyn Fn(usize) -> &'a StepWork,
) -> Constants {
    let mut seen = std::collections::BTreeMap::<(u32, u64, bool), usize>::new();
    let mut publications = std::collections::BTreeMap::<String, usize>::new();
    let chosen: Vec<ConstantRow<'_>> = train
        .iter()
        .filter(|i| {
            let row = &rows[**i];
            let software = &row.configuration.software;
            let key = (row.group, software.date.to_bits(), software.channels_last);
            let count = seen.entry(key).or_default();
            *count += 1;
            *count <= ROWS_A_GROUP
        })
        .map(|i| ConstantRow {
            work: work(*i),
            log_time: rows[*i].log_time,
            weight: rows[*i].weight,
            publication: {
                let next = publications.len();
                *publications.entry(rows[*i].publication()).or_insert(next)
            },
        })
        .collect();
    fit_constants(&chosen, options.prior, options.rounds)
}
