//! A user's own measurements, as factors on the predictor: no refit, and one measured step is enough to begin with.
//!
//! `ln(measured / predicted)` is taken apart into an overall shift and shifts by accelerator, precision mode and model
//! family, each shrunk towards none by the number of runs behind it (empirical-Bayes shrinkage; Efron and Morris,
//! "Stein's estimation rule and its competitors", JASA 1973), and into a shift of the host: how much longer it takes to launch
//! kernels than hosts do on the whole, in as far as a step waits for that. Hosts of one kind of accelerator differ by more than
//! the accelerators do, so that shift says nothing of accelerators that none of the runs was on.

use super::JudgedRun;
use crate::domain::{Configuration, PrecisionMode};
use crate::predictor::Prediction;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The form of a profile that this build writes.
const PROFILE_SCHEMA: u32 = 2;
/// The oldest that it reads: a profile without a host has none.
const OLDEST_SCHEMA: u32 = 1;
/// Runs that a prior of no overall shift counts as: another publication's stack is often a third off (model card, unseen
/// publication), repeats of one stack a tenth, so its own runs soon outweigh it.
const OVERALL_PRIOR: f64 = 0.25;
/// The same for the shift of one accelerator, mode or family beside the overall one.
const GROUP_PRIOR: f64 = 2.0;
/// The same for the shift of the host, in runs that do nothing but wait for it.
const HOST_PRIOR: f64 = 0.25;
/// Rounds of taking the shifts apart.
const ROUNDS: usize = 12;
/// Largest log of a factor: what is beyond it is no correction of a prediction.
const MOST_LOG: f64 = 10.0;
/// A run further off than `e^1.5` is another thing than what was predicted, and is clipped there.
const CLIP: f64 = 1.5;

/// Factors on predicted step times, from somebody's own runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibrationProfile {
    /// Version of this form.
    pub schema: u32,
    /// Version of the predictor it was made for.
    pub predictor_version: String,
    /// Runs behind it.
    pub runs: usize,
    /// Mean absolute error of the step time on these runs without the profile, as a share.
    pub error_before: f64,
    /// The same with a profile made of the other runs each time.
    pub error_left_out: f64,
    /// Natural log of the overall factor.
    pub overall: f64,
    /// Natural log of the factor on what the host takes to launch kernels, on `accelerators` alone.
    #[serde(default)]
    pub host: f64,
    /// Natural log of the factor by accelerator.
    pub accelerators: BTreeMap<String, f64>,
    /// Natural log of the factor by precision mode.
    pub precisions: BTreeMap<String, f64>,
    /// Natural log of the factor by model family.
    pub families: BTreeMap<String, f64>,
}

/// Why there is no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalibrationError {
    /// Nothing to learn from.
    #[error("no run states a measured step time that can be predicted")]
    NoRuns,
    /// A figure of the profile is no number that it may be.
    #[error("{0}")]
    Unlawful(String),
    /// The text is no profile.
    #[error("{file}: {message}")]
    Broken {
        /// Path as given.
        file: String,
        /// What is wrong.
        message: String,
    },
}

/// One run: what it is, how much of it waits for the host, and the log of measured over predicted.
struct Point<'a> {
    words: [&'a str; 3],
    host_share: f64,
    log_ratio: f64,
}

impl CalibrationProfile {
    /// Fits the factors to runs.
    ///
    /// # Errors
    /// [`CalibrationError::NoRuns`] where no run states a measured time, [`CalibrationError::Unlawful`] where the runs make a
    /// factor that is none.
    pub fn fit(runs: &[JudgedRun], predictor_version: &str) -> Result<Self, CalibrationError> {
        let points: Vec<Point<'_>> = runs
            .iter()
            .filter_map(|judged| {
                let measured = judged.run.step_time_ms().ok()? / 1e3;
                let predicted = judged.prediction.step_time.value;
                Some(Point {
                    words: words(&judged.configuration),
                    host_share: judged.prediction.host_share,
                    log_ratio: (measured / predicted).ln().clamp(-CLIP, CLIP),
                })
            })
            .collect();
        if points.is_empty() {
            return Err(CalibrationError::NoRuns);
        }
        let error = |shift: f64, point: &Point<'_>| ((shift - point.log_ratio).exp() - 1.0).abs();
        let mean = |errors: Vec<f64>| errors.iter().sum::<f64>() / errors.len() as f64;
        let all: Vec<&Point<'_>> = points.iter().collect();
        let left_out = (0..points.len())
            .map(|out| {
                let others: Vec<&Point<'_>> = (points.iter().enumerate())
                    .filter(|(at, _)| *at != out)
                    .map(|(_, point)| point)
                    .collect();
                error(
                    Self::of(&others).shift(&points[out].words, points[out].host_share),
                    &points[out],
                )
            })
            .collect();
        let profile = Self {
            schema: PROFILE_SCHEMA,
            predictor_version: predictor_version.to_owned(),
            runs: points.len(),
            error_before: mean(points.iter().map(|point| error(0.0, point)).collect()),
            error_left_out: mean(left_out),
            ..Self::of(&all)
        };
        profile.check().map_err(CalibrationError::Unlawful)?;
        Ok(profile)
    }

    fn of(points: &[&Point<'_>]) -> Self {
        let mut profile = Self::default();
        let sum =
            |of: &dyn Fn(&Point<'_>) -> f64| points.iter().map(|point| of(point)).sum::<f64>();
        let runs = points.len() as f64 + OVERALL_PRIOR;
        let shares = sum(&|p| p.host_share);
        let squares = sum(&|p| p.host_share * p.host_share) + HOST_PRIOR;
        for _ in 0..ROUNDS {
            // The overall shift and the host's at once: where most runs wait for the host, either looks like the other.
            let rest = |point: &Point<'_>| point.log_ratio - profile.beside(&point.words);
            let (all, waiting) = (sum(&rest), sum(&|p| p.host_share * rest(p)));
            let host = (runs * waiting - shares * all) / (runs * squares - shares * shares);
            profile.overall = (all - shares * host) / runs;
            profile.host = host;
            for axis in 0..3 {
                let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
                for point in points {
                    let word = point.words[axis];
                    let own = profile.axis(axis).get(word).copied().unwrap_or(0.0);
                    let all = profile.overall + profile.host * point.host_share;
                    let sum = sums.entry(word.to_owned()).or_default();
                    sum.0 += point.log_ratio - all - profile.beside(&point.words) + own;
                    sum.1 += 1.0;
                }
                *profile.axis_mut(axis) = sums
                    .into_iter()
                    .map(|(word, (sum, count))| (word, sum / (count + GROUP_PRIOR)))
                    .collect();
            }
        }
        profile
    }

    fn axis(&self, at: usize) -> &BTreeMap<String, f64> {
        [&self.accelerators, &self.precisions, &self.families][at]
    }

    fn axis_mut(&mut self, at: usize) -> &mut BTreeMap<String, f64> {
        match at {
            0 => &mut self.accelerators,
            1 => &mut self.precisions,
            _ => &mut self.families,
        }
    }

    /// The shifts beside the overall one and the host's.
    fn beside(&self, words: &[&str; 3]) -> f64 {
        let axis = |at: usize| self.axis(at).get(words[at]).copied().unwrap_or(0.0);
        axis(0) + axis(1) + axis(2)
    }

    fn shift(&self, words: &[&str; 3], host_share: f64) -> f64 {
        let host = match self.accelerators.contains_key(words[0]) {
            true => self.host * host_share,
            false => 0.0,
        };
        self.overall + host + self.beside(words)
    }

    /// How many runs it rests on, with their noun.
    pub fn counted(&self) -> String {
        match self.runs {
            1 => "1 run".to_owned(),
            runs => format!("{runs} runs"),
        }
    }

    /// The factor on the step time of a configuration, given its prediction.
    pub fn factor(&self, c: &Configuration, prediction: &Prediction) -> f64 {
        self.shift(&words(c), prediction.host_share).exp()
    }

    /// A prediction with its step time, interval and breakdown scaled by the factor.
    pub fn apply(&self, c: &Configuration, prediction: &mut Prediction) {
        let factor = self.factor(c, prediction);
        prediction.step_time = prediction.step_time.scaled(factor);
        prediction.breakdown = prediction.breakdown.scaled(factor);
    }

    /// The profile as the text of a file (TOML).
    ///
    /// # Errors
    /// [`CalibrationError::Broken`] for a number TOML has no form for.
    pub fn to_toml(&self, file: &str) -> Result<String, CalibrationError> {
        toml::to_string(self).map_err(|error| broken(file, error))
    }

    /// Reads a profile from the text of a file.
    ///
    /// # Errors
    /// [`CalibrationError::Broken`] with file and cause: no profile, a newer form, a factor that is no number.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, CalibrationError> {
        let mut profile: Self =
            toml::from_str(text).map_err(|error| broken(file, error.message()))?;
        if !(OLDEST_SCHEMA..=PROFILE_SCHEMA).contains(&profile.schema) {
            let schema = profile.schema;
            return Err(broken(
                file,
                format!(
                    "schema: {schema} is not one this build reads; allowed: {OLDEST_SCHEMA} to {PROFILE_SCHEMA}"
                ),
            ));
        }
        profile.schema = PROFILE_SCHEMA;
        profile.check().map_err(|message| broken(file, message))?;
        Ok(profile)
    }

    /// The first figure that is none it may be, in a sentence: factors stand as logs, so that each finite one is positive.
    fn check(&self) -> Result<(), String> {
        let own = [("overall", self.overall), ("host", self.host)];
        let axes = ["accelerators", "precisions", "families"];
        let shared = axes.into_iter().enumerate().flat_map(|(at, axis)| {
            let factors = self.axis(at).iter();
            factors.map(move |(word, log)| (format!("{axis}.{word}"), *log))
        });
        for (name, log) in (own.map(|(name, log)| (name.to_owned(), log)).into_iter()).chain(shared)
        {
            if !(log.is_finite() && log.abs() <= MOST_LOG) {
                return Err(format!(
                    "{name}: {log} is not the log of a factor; allowed: -{MOST_LOG} to {MOST_LOG}"
                ));
            }
        }
        for (name, share) in [
            ("error_before", self.error_before),
            ("error_left_out", self.error_left_out),
        ] {
            if !(share.is_finite() && share >= 0.0) {
                return Err(format!(
                    "{name}: {share} is not a share; allowed: 0 or above"
                ));
            }
        }
        Ok(())
    }

    /// Whether every part and precision that a factor is of is one of the catalogue, under the name that plans go by: a factor
    /// under another name would correct nothing. `own_name` gives it for a part, or what is wrong with the name. Families
    /// are free words.
    ///
    /// # Errors
    /// [`CalibrationError::Broken`] with file, key and what is allowed.
    pub fn check_names(
        &self,
        own_name: impl Fn(&str) -> Result<String, String>,
        file: &str,
    ) -> Result<(), CalibrationError> {
        let wrong = |key: &str, name: &str, message: String| {
            broken(file, format!("{key}.\"{name}\": {message}"))
        };
        for name in self.accelerators.keys() {
            let own = own_name(name).map_err(|message| wrong("accelerators", name, message))?;
            if own != *name {
                return Err(wrong("accelerators", name, format!("allowed: `{own}`")));
            }
        }
        for word in self.precisions.keys() {
            let mode = word.parse::<PrecisionMode>();
            let mode = mode.map_err(|error| wrong("precisions", word, error.to_string()))?;
            if mode.key() != word {
                return Err(wrong("precisions", word, format!("allowed: `{mode}`")));
            }
        }
        Ok(())
    }
}

fn broken(file: &str, message: impl ToString) -> CalibrationError {
    CalibrationError::Broken {
        file: file.to_owned(),
        message: message.to_string().trim().replace('\n', " "),
    }
}

fn words(c: &Configuration) -> [&str; 3] {
    [
        &c.accelerator.name,
        c.precision.mode.key(),
        &c.workload.model.family,
    ]
}

#[cfg(test)]
#[path = "calibrate_tests.rs"]
mod tests;
