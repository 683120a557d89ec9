//! `mantissa train`: the predictor fitted again from the measured runs that ship, measured, and written with its card.

use super::args::TrainArgs;
use super::failure::{self, Failure, print};
use crate::predictor::card;
use crate::predictor::scales::Scales;
use crate::predictor::stages::FitOptions;
use crate::predictor::train::{TrainingSet, assemble, measure};
use crate::presets::Catalogue;
use crate::report;

pub(super) fn run(args: &TrainArgs, catalogue: &Catalogue) -> Result<(), Failure> {
    std::fs::create_dir_all(&args.out)
        .map_err(|e| Failure::input(format!("--out: {}: {e}", args.out.display())))?;
    let set = TrainingSet::shipped(catalogue).map_err(Failure::other)?;
    let say = |step: &str| failure::say(&format!("{step} …"));
    let scales = if args.kernel {
        let scales = Scales::learn(&set.rows, &|part, round, protocol, error| {
            let of = [
                "scales",
                "scales without the first half",
                "scales without the second half",
            ];
            failure::say(&format!(
                "{}, round {round}: {} {error:.3}",
                of[part],
                protocol.label()
            ));
        })
        .map_err(Failure::other)?;
        report::save(&args.out.join("kernel.json"), &scales.to_text())?;
        // Rounded as the file holds them, so that a build with the file fits the same.
        Scales::read(&scales.to_text()).map_err(Failure::other)?
    } else {
        Scales::shipped().map_err(Failure::other)?
    };
    let options = FitOptions::new(&scales);
    let measured = measure(&set, &options, true, &say).map_err(Failure::other)?;
    say("the shipping fit");
    let (artifact, rules) = assemble(set, &options, measured).map_err(Failure::other)?;
    let bytes = artifact.encode().map_err(Failure::other)?;
    let rules = serde_json::to_string_pretty(&rules).map_err(Failure::other)?;
    report::save_bytes(&args.out.join("predictor.bin"), &bytes)?;
    report::save(&args.out.join("limit-rules.json"), &(rules + "\n"))?;
    report::save(&args.out.join("CARD.md"), &card::card(&artifact))?;
    print(&format!(
        "wrote predictor.bin ({} bytes), limit-rules.json and CARD.md to {}\n",
        bytes.len(),
        args.out.display()
    ))
}
