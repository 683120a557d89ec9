//! `mantissa crossval`: every protocol of the accuracy table, beside the baselines.

use super::args::CrossvalArgs;
use super::failure::{Failure, print, print_json};
use crate::predictor::card;
use crate::predictor::stages::FitOptions;
use crate::predictor::train::{TrainingSet, measure};
use crate::presets::Catalogue;

pub(super) fn run(args: &CrossvalArgs) -> Result<(), Failure> {
    let catalogue = Catalogue::shipped().map_err(Failure::other)?;
    let set = TrainingSet::shipped(&catalogue).map_err(Failure::other)?;
    let say = |step: &str| eprintln!("{step} …");
    let measured = measure(&set, &FitOptions::default(), true, &say).map_err(Failure::other)?;
    if args.json {
        let json = serde_json::to_value(&measured.report).map_err(Failure::other)?;
        return print_json(&json);
    }
    print(&card::tables(&measured.report))
}
