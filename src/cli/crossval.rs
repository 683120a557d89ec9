//! `mantissa crossval`: every protocol of the accuracy table, beside the baselines.

use super::args::CrossvalArgs;
use super::failure::{self, Failure, print, print_json};
use super::judged;
use crate::dataset::shipped_power;
use crate::planner::{held_out_sweeps, power_report};
use crate::predictor::stages::FitOptions;
use crate::predictor::train::{TrainingSet, measure};
use crate::predictor::{Predictor, card};
use crate::presets::Catalogue;

pub(super) fn run(args: &CrossvalArgs, catalogue: &Catalogue) -> Result<(), Failure> {
    let set = TrainingSet::shipped(catalogue).map_err(Failure::other)?;
    let options = FitOptions::shipped().map_err(Failure::other)?;
    let say = |step: &str| failure::say(&format!("{step} …"));
    let measured = measure(&set, &options, true, &say).map_err(Failure::other)?;
    say("choice of layout, publication held out");
    let sweeps = held_out_sweeps(&set.rows, &options).map_err(Failure::other)?;
    let power = power_report(
        &shipped_power().map_err(Failure::other)?,
        &Predictor::shipped().map_err(Failure::other)?,
        catalogue,
    );
    if args.json {
        let mut json = serde_json::to_value(&measured.report).map_err(Failure::other)?;
        if let Some(object) = json.as_object_mut() {
            object.insert("layout_choice".into(), judged::sweeps_json(&sweeps));
            object.insert("mean_power".into(), judged::power_json(&power));
        }
        return print_json(&json);
    }
    print(&format!(
        "{}## Choice of layout, publication held out\n\n{}\n## Mean power, part held out\n\n{}",
        card::tables(&measured.report),
        judged::regret_table(&sweeps),
        judged::power_table(&power)
    ))
}
