//! A run of 64 samples on one part, as a user's file would have it, and its configuration.

use mantissa::dataset::MeasuredRun;
use mantissa::domain::Configuration;
use mantissa::predictor::resolve::resolve;
use mantissa::presets::Catalogue;

pub fn run(model: &str, gpu: &str, precision: &str) -> MeasuredRun {
    MeasuredRun {
        model: model.into(),
        gpu: gpu.into(),
        gpus: 1,
        precision: Some(precision.into()),
        batch_per_gpu: Some(64.0),
        framework: Some("pytorch".into()),
        ..MeasuredRun::default()
    }
}

pub fn resolved(run: &MeasuredRun) -> Configuration {
    resolve(run, &Catalogue::shipped().unwrap()).expect("it resolves")
}
