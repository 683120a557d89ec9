//! What the window asks of the layers below it.

use super::evaluation::Evaluation;
use super::workload::ModelKind;
use crate::domain::{Accelerator, Configuration};
use crate::planner::{
    CalibrationProfile, Plan, PlanRequest, PriceUsed, Progress, RegionsCompared, RequestError,
    Sensitivity,
};
use crate::predictor::{Explanation, Importance};
use crate::units::KilowattHours;
use jiff::Zoned;
use std::sync::Arc;

/// A model as the search box lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelEntry {
    /// Name a request uses.
    pub name: String,
    /// Name people read.
    pub label: String,
    /// Other names, lower case, joined for the search.
    pub search: String,
    /// Other names as people read them: models of the same shape.
    pub aliases: Vec<String>,
    /// One line below the field, e.g. `8.03 B parameters, 32 layers, dense transformer`.
    pub summary: String,
    /// Its trainable parameters, where its figures state them: not of models whose operators are traced, which are read when
    /// they are planned.
    pub parameters: Option<f64>,
    /// Whether samples are sequences (tokens) rather than images or others.
    pub is_sequence: bool,
    /// Whether a decoder stands beside an encoder.
    pub has_decoder: bool,
    /// Pixels a side of its images, where it looks at some and they have a usual size.
    pub image_size: Option<u32>,
    /// What it is trained on.
    pub kind: ModelKind,
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanFailure {
    /// Fields of the request are wrong.
    Fields(Vec<RequestError>),
    /// It was cancelled.
    Cancelled,
    /// Something else, as a sentence.
    Other(String),
}

/// The planner, its catalogue and its files.
pub trait Backend: Send + Sync + 'static {
    /// Every model of the catalogue: language models first, each family by version and size.
    fn models(&self) -> &[ModelEntry];
    /// Every accelerator of the catalogue, newest first.
    fn accelerators(&self) -> &[Arc<Accelerator>];
    /// The same, for a search: those with the most measured runs in the shipped data first, then those with a price, then
    /// by name.
    fn accelerators_to_find(&self) -> &[Arc<Accelerator>];
    /// The accelerator a request names, whatever alias it uses.
    fn accelerator(&self, name: &str) -> Option<Arc<Accelerator>>;
    /// A model of a person's own, read from a file.
    ///
    /// # Errors
    /// One line that names the file and what is wrong in it.
    fn read_model(&self, path: &str) -> Result<ModelEntry, String>;
    /// The model a request names, whatever alias it uses.
    fn model(&self, name: &str) -> Option<&ModelEntry>;
    /// The time by the clock on the wall.
    fn now(&self) -> Zoned;
    /// The prices a request would use for an accelerator, by count, as far as there are any: a seller of single ones may ask
    /// another than one of whole nodes.
    fn prices(&self, request: &PlanRequest, accelerator: &Accelerator) -> Vec<(u32, PriceUsed)>;
    /// Who lists a price for any part of a request the way it buys, by name, with the lowest of these prices in dollars an
    /// hour; nobody where it does not buy hours.
    fn sellers(&self, request: &PlanRequest) -> Vec<(String, f64)>;
    /// What so much energy emits in the cleanest, the chosen, the median and the dirtiest grid that ships, bought of a provider.
    fn regions(
        &self,
        energy: KilowattHours,
        provider: Option<&str>,
        region: Option<&str>,
    ) -> Option<RegionsCompared>;
    /// Worked examples, title and request; the first one opens.
    fn examples(&self) -> Vec<PlanRequest>;
    /// Reads a request file.
    ///
    /// # Errors
    /// One line that names the file, line and column.
    fn parse(&self, name: &str, text: &str) -> Result<PlanRequest, String>;
    /// Writes a request file.
    ///
    /// # Errors
    /// One line.
    fn write(&self, request: &PlanRequest) -> Result<String, String>;
    /// Plans, corrected by a person's own runs where a calibration is given; stops where `progress` is cancelled.
    ///
    /// # Errors
    /// [`PlanFailure`].
    fn plan(
        &self,
        request: &PlanRequest,
        calibration: Option<&CalibrationProfile>,
        progress: &Progress,
    ) -> Result<Plan, PlanFailure>;
    /// What would change the best combination of a plan; stops where `progress` is cancelled.
    ///
    /// # Errors
    /// [`PlanFailure`].
    fn sensitivity(
        &self,
        plan: &Plan,
        calibration: Option<&CalibrationProfile>,
        progress: &Progress,
    ) -> Result<Vec<Sensitivity>, PlanFailure>;
    /// Explains one prediction.
    ///
    /// # Errors
    /// A sentence.
    fn explain(&self, configuration: &Configuration) -> Result<Explanation, String>;
    /// Holds measured runs of a CSV file against the predictor.
    ///
    /// # Errors
    /// One line that names the file.
    fn evaluate(&self, path: &str) -> Result<Evaluation, String>;
    /// Factors on step times from measured runs that were held against the predictor.
    ///
    /// # Errors
    /// One line that names the file.
    fn calibrate(&self, evaluation: &Evaluation) -> Result<CalibrationProfile, String>;
    /// What matters over the whole data set.
    fn importance(&self) -> &[Importance];
    /// The model card (Markdown).
    fn card(&self) -> &str;
    /// Measured runs it was fitted on.
    fn fitted_runs(&self) -> usize;
    /// Version of the predictor; empty where there is none.
    fn predictor_version(&self) -> &str;
}
