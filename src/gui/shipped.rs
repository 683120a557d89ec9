//! The backend of the shipped program: the built-in catalogue, the fitted predictor, the worked examples.

use super::backend::{Backend, ModelEntry, PlanFailure};
use super::evaluation::{Evaluation, JudgedRow};
use super::prices;
use super::workload::ModelKind;
use crate::dataset::read_runs_file;
use crate::domain::{Accelerator, Configuration, Model, ModelSource};
use crate::format;
use crate::planner::{
    self, CalibrationProfile, JudgedRun, Plan, PlanRequest, PriceUsed, Progress, RegionsCompared,
    Sensitivity,
};
use crate::predictor::{Explanation, Importance, Predictor};
use crate::presets::{Catalogue, label_of, order};
use crate::units::KilowattHours;
use include_dir::{Dir, include_dir};
use jiff::Zoned;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Worked examples; the first one opens.
static PLANS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/presets/plans");
/// The plan the window opens on.
const FIRST: &str = "llama-3-8b.toml";

/// Catalogue, predictor and examples of this build.
pub struct Shipped {
    catalogue: Arc<Catalogue>,
    /// The predictor, or why there is none: the window then opens all the same and says so.
    predictor: Result<Predictor, String>,
    models: Vec<ModelEntry>,
    accelerators: Vec<Arc<Accelerator>>,
    accelerators_to_find: Vec<Arc<Accelerator>>,
}

impl Shipped {
    /// Reads what is built into the program.
    ///
    /// # Errors
    /// One line, where a built-in file is broken.
    pub fn load() -> Result<Self, String> {
        Ok(Self::with_catalogue(
            Catalogue::shipped().map_err(|e| e.to_string())?,
        ))
    }

    /// The same with a catalogue that may hold presets of one's own.
    pub fn with_catalogue(catalogue: Arc<Catalogue>) -> Self {
        let predictor = Predictor::shipped().map_err(|e| e.to_string());
        let mut models: Vec<ModelEntry> = catalogue
            .models()
            .iter()
            .map(|m| counted(&catalogue, m))
            .collect();
        models.sort_by(|a, b| a.kind.cmp(&b.kind).then_with(|| order(&a.label, &b.label)));
        let mut accelerators = catalogue.accelerators().to_vec();
        accelerators.sort_by(|a, b| b.year.cmp(&a.year).then(a.label.cmp(&b.label)));
        let runs = predictor.as_ref().map(measured_runs).unwrap_or_default();
        let mut accelerators_to_find = accelerators.clone();
        accelerators_to_find.sort_by_cached_key(|part| {
            let measured = runs.get(part.name.as_str()).copied().unwrap_or(0);
            let prices = prices::by_count(&catalogue, &PlanRequest::default(), part);
            (Reverse(measured), prices.is_empty(), part.label.clone())
        });
        drop(runs);
        Self {
            accelerators_to_find,
            catalogue,
            predictor,
            models,
            accelerators,
        }
    }
}

/// How many measured runs each part has.
fn measured_runs(predictor: &Predictor) -> HashMap<&str, usize> {
    let mut runs = HashMap::new();
    for run in &predictor.artifact().reference_runs {
        *runs.entry(run.accelerator.as_str()).or_default() += 1;
    }
    runs
}

/// A model of the catalogue with its parameters, where they follow from its hyper-parameters.
fn counted(catalogue: &Catalogue, model: &Model) -> ModelEntry {
    let entry = entry(model);
    let built = matches!(model.profile, ModelSource::Transformer(_))
        .then(|| catalogue.profile(model, None, None).ok())
        .flatten();
    ModelEntry {
        parameters: built.map_or(entry.parameters, |profile| Some(profile.parameters)),
        ..entry
    }
}

/// A model as the window lists it.
pub fn entry(model: &Model) -> ModelEntry {
    let mut search = format!("{} {} {}", model.name, model.family, model.task);
    for alias in &model.aliases {
        search.push(' ');
        search.push_str(alias);
    }
    let task = model.task.replace('-', " ");
    let summary = match &model.profile {
        ModelSource::Transformer(shape) => {
            let layers = shape.layers + shape.decoder_layers;
            let kind = if shape.experts > 0 {
                format!("{} experts", shape.experts)
            } else {
                "dense".to_owned()
            };
            let written = match (shape.decoder_tokens, model.seq_len) {
                (Some(decoder), Some(encoder)) => {
                    format!(", writes {decoder} tokens for {encoder}")
                }
                _ => String::new(),
            };
            format!("{layers} layers, {kind} transformer{written}")
        }
        ModelSource::Traced { .. } | ModelSource::Imported { .. } => {
            format!("{task}, operators traced from an implementation")
        }
        ModelSource::Totals { parameters, .. } => format!(
            "{task}, {} parameters, published totals only",
            format::short_count(*parameters)
        ),
    };
    ModelEntry {
        parameters: match &model.profile {
            ModelSource::Totals { parameters, .. } => Some(*parameters),
            _ => None,
        },
        name: model.name.clone(),
        label: label_of(&model.name),
        search: search.to_lowercase(),
        aliases: model.aliases.iter().map(|alias| label_of(alias)).collect(),
        summary,
        is_sequence: model.seq_len.is_some() && model.image_size.is_none(),
        has_decoder: model.has_decoder(),
        image_size: model.image_size,
        kind: ModelKind::of(&model.task, &model.family),
    }
}

/// A judged run as the window lists it.
fn row_of(judged: &JudgedRun) -> Result<JudgedRow, String> {
    let configuration = &judged.configuration;
    let measured = judged.run.step_time_ms().map_err(|e| e.to_string())?;
    Ok(JudgedRow {
        row: judged.run.row,
        name: format!(
            "{} on {}\u{202F}×\u{202F}{}",
            label_of(&configuration.workload.model.name),
            configuration.count,
            configuration.accelerator.label
        ),
        mode: configuration.precision.mode,
        measured: measured / 1e3,
        predicted: judged.prediction.step_time,
    })
}

impl Backend for Shipped {
    fn models(&self) -> &[ModelEntry] {
        &self.models
    }

    fn accelerators(&self) -> &[Arc<Accelerator>] {
        &self.accelerators
    }

    fn accelerators_to_find(&self) -> &[Arc<Accelerator>] {
        &self.accelerators_to_find
    }

    fn accelerator(&self, name: &str) -> Option<Arc<Accelerator>> {
        self.catalogue.accelerator(name).ok().cloned()
    }

    fn model(&self, name: &str) -> Option<&ModelEntry> {
        let known = self.catalogue.model(name).ok()?;
        self.models.iter().find(|m| m.name == known.name)
    }

    fn read_model(&self, path: &str) -> Result<ModelEntry, String> {
        let model = self
            .catalogue
            .resolve_model(path)
            .map_err(|e| e.to_string())?;
        Ok(entry(&model))
    }

    fn now(&self) -> Zoned {
        Zoned::now()
    }

    fn prices(&self, request: &PlanRequest, accelerator: &Accelerator) -> Vec<(u32, PriceUsed)> {
        prices::by_count(&self.catalogue, request, accelerator)
    }

    fn sellers(&self, request: &PlanRequest) -> Vec<(String, f64)> {
        prices::sellers(&self.catalogue, request)
    }

    fn regions(
        &self,
        energy: KilowattHours,
        provider: Option<&str>,
        region: Option<&str>,
    ) -> Option<RegionsCompared> {
        planner::compare_regions(&self.catalogue, energy, provider, region)
    }

    fn examples(&self) -> Vec<PlanRequest> {
        let mut files: Vec<_> = PLANS
            .files()
            .filter(|f| f.path().extension().is_some_and(|e| e == "toml"))
            .collect();
        files.sort_by_key(|f| (!f.path().ends_with(FIRST), f.path()));
        files
            .into_iter()
            .filter_map(|f| {
                let name = f.path().to_string_lossy();
                PlanRequest::from_toml(f.contents_utf8()?, &name).ok()
            })
            .collect()
    }

    fn parse(&self, name: &str, text: &str) -> Result<PlanRequest, String> {
        PlanRequest::from_toml(text, name).map_err(|e| e.to_string())
    }

    fn write(&self, request: &PlanRequest) -> Result<String, String> {
        request.to_toml().map_err(|e| e.to_string())
    }

    fn plan(
        &self,
        request: &PlanRequest,
        calibration: Option<&CalibrationProfile>,
        progress: &Progress,
    ) -> Result<Plan, PlanFailure> {
        let checked = planner::check(request, &self.catalogue).map_err(PlanFailure::Fields)?;
        let predictor = self
            .predictor
            .as_ref()
            .map_err(|text| PlanFailure::Other(format!("No prediction is possible: {text}")))?;
        planner::plan_calibrated(&checked, &self.catalogue, predictor, calibration, progress)
            .map_err(|_| PlanFailure::Cancelled)
    }

    fn sensitivity(
        &self,
        plan: &Plan,
        calibration: Option<&CalibrationProfile>,
        progress: &Progress,
    ) -> Result<Vec<Sensitivity>, PlanFailure> {
        let predictor = (self.predictor.as_ref()).map_err(|e| PlanFailure::Other(e.clone()))?;
        planner::sensitivity(plan, &self.catalogue, predictor, calibration, progress)
            .map_err(|_| PlanFailure::Cancelled)
    }

    fn explain(&self, configuration: &Configuration) -> Result<Explanation, String> {
        let predictor = self.predictor.as_ref().map_err(Clone::clone)?;
        predictor.explain(configuration).map_err(|e| e.to_string())
    }

    fn evaluate(&self, path: &str) -> Result<Evaluation, String> {
        let predictor = self.predictor.as_ref().map_err(Clone::clone)?;
        let file = read_runs_file(Path::new(path)).map_err(|e| e.to_string())?;
        let judged: Vec<Result<(JudgedRow, JudgedRun), String>> = file
            .runs
            .par_iter()
            .map(|run| {
                let judged = JudgedRun::of_own_run(run, &self.catalogue, predictor)?;
                Ok((row_of(&judged)?, judged))
            })
            .collect();
        let mut evaluation = Evaluation {
            path: path.to_owned(),
            ..Evaluation::default()
        };
        let unread = file.skipped.into_iter().map(|s| Err(s.reason));
        for outcome in judged.into_iter().chain(unread) {
            match outcome {
                Ok((row, run)) => {
                    evaluation.rows.push(row);
                    evaluation.runs.push(run);
                }
                Err(reason) => *evaluation.skipped.entry(reason).or_default() += 1,
            }
        }
        Ok(evaluation)
    }

    fn calibrate(&self, evaluation: &Evaluation) -> Result<CalibrationProfile, String> {
        let predictor = self.predictor.as_ref().map_err(Clone::clone)?;
        CalibrationProfile::fit(&evaluation.runs, predictor.version())
            .map_err(|e| format!("{}: {e}", evaluation.path))
    }

    fn importance(&self) -> &[Importance] {
        self.predictor.as_ref().map_or(&[], Predictor::importance)
    }

    fn card(&self) -> &str {
        self.predictor.as_ref().map_or("", Predictor::card)
    }

    fn fitted_runs(&self) -> usize {
        self.predictor.as_ref().map_or(0, Predictor::fitted_runs)
    }

    fn predictor_version(&self) -> &str {
        self.predictor.as_ref().map_or("", Predictor::version)
    }
}
