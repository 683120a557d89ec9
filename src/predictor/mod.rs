//! From a configuration to a step time with its interval and its reasons.

mod constants_fit;
pub mod crossval;
pub mod features;
mod prediction;
pub mod resolve;
mod ridge;
pub mod rows;
pub mod stages;
pub mod trees;

pub use prediction::{
    Breakdown, Confidence, Contribution, Estimate, Explanation, Importance, Limit, NearestRun,
    Prediction, Stage, Support,
};

pub use crate::domain::MemoryUse;
use crate::domain::{Configuration, PeakRefusal};
use crate::units::Seconds;

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
    version: String,
}

impl Predictor {
    /// The predictor that ships with this build.
    ///
    /// # Errors
    /// A sentence, if the artifact is broken or of another version.
    pub fn shipped() -> Result<Self, String> {
        Ok(Self {
            version: "0.1.0".into(),
        })
    }

    /// Version of the artifact, e.g. `0.1.0+a1b2c3d4` (data hash).
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Predicts one configuration.
    ///
    /// # Errors
    /// [`PredictError`] where the part lacks the mode or the strategy is impossible.
    pub fn predict(&self, configuration: &Configuration) -> Result<Prediction, PredictError> {
        // TEMPORARY while the fitted stages are being built: a bare roofline at 40 % of peak.
        let c = configuration;
        let rate = c.accelerator.peak(c.precision.mode)?.rate.value() * 0.4;
        let flops = 3.0 * c.workload.profile.forward_flops() * c.strategy.global_batch();
        let step = flops / rate / f64::from(c.count) + 1e-3;
        Ok(Prediction {
            step_time: Estimate {
                value: step,
                low: step * 0.7,
                high: step * 1.4,
            },
            physics_time: Seconds(step * 0.9),
            breakdown: Breakdown {
                matmul: Seconds(step * 0.6),
                memory_traffic: Seconds(step * 0.2),
                launch: Seconds(step * 0.02),
                optimizer: Seconds(step * 0.05),
                casts: Seconds(step * 0.03),
                communication: Seconds(step * 0.1),
                bubble: Seconds(0.0),
            },
            overlap: (c.count > 1).then_some(0.6),
            memory: MemoryUse {
                capacity: c.accelerator.memory,
                ..MemoryUse::default()
            },
            limit: Limit::Compute,
            support: Support::default(),
            notes: Vec::new(),
        })
    }

    /// Explains one prediction.
    ///
    /// # Errors
    /// As [`Predictor::predict`].
    pub fn explain(&self, configuration: &Configuration) -> Result<Explanation, PredictError> {
        self.predict(configuration)?;
        Ok(Explanation {
            contributions: vec![Contribution {
                feature: "Tensor-core share".into(),
                stage: Stage::Compute,
                log_ratio: 0.105,
            }],
            nearest: Vec::new(),
            limit_rule: vec!["Compute share > 0.5".into()],
            limit_fidelity: 0.9,
        })
    }

    /// What matters over the whole data set, per stage.
    pub fn importance(&self) -> &[Importance] {
        &[]
    }

    /// Number of measured runs it was fitted on.
    pub fn fitted_runs(&self) -> usize {
        0
    }

    /// The model card (Markdown) that ships with it.
    pub fn card(&self) -> &str {
        ""
    }
}
