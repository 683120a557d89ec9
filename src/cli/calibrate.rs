//! `mantissa calibrate`: factors from a user's own runs.

use super::args::CalibrateArgs;
use super::failure::{Failure, print, say};
use super::files;
use super::text::shortened;
use crate::dataset::read_runs_file;
use crate::format;
use crate::planner::{CalibrationProfile, JudgedRun};
use crate::predictor::Predictor;
use crate::presets::Catalogue;
use rayon::prelude::*;
use std::fmt::Write;
use std::path::Path;

pub(super) fn run(args: &CalibrateArgs, catalogue: &Catalogue) -> Result<(), Failure> {
    let (runs, out) = (Some(args.runs.as_path()), Some(args.out.as_path()));
    files::keep_apart(&[("--runs", runs)], &[("--out", out)])?;
    let predictor = Predictor::shipped().map_err(Failure::other)?;
    let file = read_runs_file(&args.runs).map_err(Failure::input)?;
    let judged: Vec<Result<JudgedRun, String>> = (file.runs.par_iter())
        .map(|run| {
            (run.step_time_ms().map_err(|why| why.to_string()))
                .and_then(|_| JudgedRun::of_own_run(run, catalogue, &predictor))
                .map_err(|reason| format!("row {}: {reason}", run.row))
        })
        .collect();
    let skipped: Vec<String> = (file.skipped.iter().map(|row| row.reason.clone()))
        .chain(judged.iter().filter_map(|row| row.as_ref().err().cloned()))
        .collect();
    let runs: Vec<JudgedRun> = judged.into_iter().filter_map(Result::ok).collect();
    let profile = CalibrationProfile::fit(&runs, predictor.version()).map_err(|error| {
        let first = skipped
            .first()
            .map_or_else(String::new, |why| format!("; {why}"));
        Failure::input(format!("{}: {error}{first}", args.runs.display()))
    })?;
    let shown = args.out.display().to_string();
    files::write(&args.out, &profile.to_toml(&shown).map_err(Failure::other)?)?;
    if files::is_stdout(&args.out) {
        return Ok(());
    }
    print(&summary(&profile, &skipped, &shown))
}

/// Reads a profile.
pub(super) fn read(path: &Path, catalogue: &Catalogue) -> Result<CalibrationProfile, Failure> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::input(format!("{shown}: cannot be read: {error}")))?;
    let profile = CalibrationProfile::from_toml(&text, &shown).map_err(Failure::input)?;
    let own_name = |name: &str| match catalogue.accelerator(name) {
        Ok(part) => Ok(part.name.clone()),
        Err(unknown) => Err(unknown.to_string()),
    };
    profile
        .check_names(own_name, &shown)
        .map_err(Failure::input)?;
    Ok(profile)
}

/// Says on standard error that a profile corrects the errors of another predictor than this one.
pub(super) fn warn_if_stale(profile: &CalibrationProfile, predictor: &Predictor) {
    if profile.predictor_version != predictor.version() {
        say(&format!(
            "--profile: made with predictor {}, not {}; calibrate again on your runs",
            profile.predictor_version,
            predictor.version()
        ));
    }
}

fn summary(profile: &CalibrationProfile, skipped: &[String], file: &str) -> String {
    let mut text = format!(
        "{} runs, mean error {} before and {} with the profile of the other runs\n",
        profile.runs,
        format::percent_in_table(profile.error_before),
        format::percent_in_table(profile.error_left_out)
    );
    let _ = writeln!(text, "Overall {}", format::change(profile.overall.exp()));
    let _ = writeln!(
        text,
        "Launches by the host {}",
        format::change(profile.host.exp())
    );
    for (what, factors) in [
        ("Accelerator", &profile.accelerators),
        ("Precision", &profile.precisions),
        ("Family", &profile.families),
    ] {
        for (name, log) in factors {
            let _ = writeln!(text, "{what} {name} {}", format::change(log.exp()));
        }
    }
    for reason in skipped {
        let _ = writeln!(text, "Skipped {}", shortened(reason));
    }
    let _ = writeln!(text, "Written to {file}");
    text
}
