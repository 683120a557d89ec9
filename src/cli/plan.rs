//! `mantissa plan`: a request file in, a table and exports out.

use super::args::PlanArgs;
use super::calibrate;
use super::failure::{Failure, json_text, print};
use super::files;
use super::text::{Align, Table};
use crate::domain::MemoryUse;
use crate::format;
use crate::planner::{self, Answer, Outcome, Plan, PlanRequest, Progress, Schedule, Sensitivity};
use crate::predictor::Predictor;
use crate::presets::{Catalogue, FileEnding};
use crate::report::{self, ColumnFigure, ColumnUnits, CsvForm};
use crate::units::Usd;
use std::fmt::Write;
use std::path::Path;

/// Width of the names of answers.
const LABEL: usize = 18;

pub(super) fn run(args: &PlanArgs, catalogue: &Catalogue) -> Result<(), Failure> {
    let path = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Failure::input(format!("{path}: cannot be read: {error}")))?;
    let request = PlanRequest::from_toml(&text, &path)?;
    files::keep_apart(&inputs(args, &request), &outputs(args))?;
    let checked = planner::check(&request, catalogue)?;
    let predictor = Predictor::shipped().map_err(Failure::other)?;
    let profile = (args.profile.as_deref())
        .map(|path| calibrate::read(path, catalogue))
        .transpose()?;
    if let Some(profile) = &profile {
        calibrate::warn_if_stale(profile, &predictor);
    }
    let progress = Progress::default();
    let profile = profile.as_ref();
    let plan = planner::plan_calibrated(&checked, catalogue, &predictor, profile, &progress)
        .map_err(Failure::other)?;
    let wanted = args.sensitivity || args.sensitivity_csv.is_some();
    let changes = wanted
        .then(|| planner::sensitivity(&plan, catalogue, &predictor, profile, &progress))
        .transpose()
        .map_err(Failure::other)?;
    write(args, &plan, changes.as_deref())
}

fn write(args: &PlanArgs, plan: &Plan, changes: Option<&[Sensitivity]>) -> Result<(), Failure> {
    let form = CsvForm::with_decimal_comma(args.decimal_comma);
    if let Some(path) = &args.csv {
        files::write(path, &report::plan_csv(plan, form))?;
    }
    if let Some(path) = &args.html {
        files::write(path, &report::plan_html(plan, &jiff::Zoned::now()))?;
    }
    if let Some(path) = &args.schedule_csv {
        files::write(path, &report::schedules_csv(&plan.schedules, form))?;
    }
    if let Some(path) = &args.sensitivity_csv {
        let changes = changes.unwrap_or_default();
        files::write(path, &report::sensitivity_csv(changes, form))?;
    }
    if let Some(path) = &args.json {
        let mut value = report::plan_json(plan);
        if let (Some(object), Some(changes)) = (value.as_object_mut(), changes) {
            object.insert("sensitivity".into(), report::sensitivity_json(changes));
        }
        files::write(path, &json_text(&value))?;
    }
    let on_stdout = |(_, path): &files::Named<'_>| path.is_some_and(files::is_stdout);
    if outputs(args).iter().any(on_stdout) {
        return Ok(());
    }
    let mut summary = summary(plan);
    for change in changes.unwrap_or_default() {
        let _ = writeln!(summary, "{}", change.line());
    }
    print(&summary)
}

/// The files that are asked for.
fn outputs(args: &PlanArgs) -> [files::Named<'_>; 5] {
    [
        ("--csv", args.csv.as_deref()),
        ("--json", args.json.as_deref()),
        ("--html", args.html.as_deref()),
        ("--sensitivity-csv", args.sensitivity_csv.as_deref()),
        ("--schedule-csv", args.schedule_csv.as_deref()),
    ]
}

/// The files that are read; a model may be one.
fn inputs<'a>(args: &'a PlanArgs, request: &'a PlanRequest) -> [files::Named<'a>; 3] {
    let model = FileEnding::is_model(&request.model).then(|| Path::new(&request.model));
    [
        ("the request", Some(&args.file)),
        ("the model", model),
        ("--profile", args.profile.as_deref()),
    ]
}

fn summary(plan: &Plan) -> String {
    let request = &plan.request;
    let title = report::title_of(plan);
    let mut text = format!("{title}\n\n");
    text.push_str(&table(plan));
    text.push('\n');
    for Answer { name, index, .. } in plan.named_answers(plan.outlook().as_ref()) {
        let combination = index.and_then(|at| plan.combinations.get(at));
        if let Some((combination, run)) = combination.and_then(|c| Some((c, c.run()?))) {
            let cost = run.cost_usd.map_or_else(
                || "price missing".into(),
                |cost| format::money(Usd(cost.value)),
            );
            let _ = writeln!(
                text,
                "{name:<LABEL$}{}: {}, {cost}, {}",
                combination.name(),
                format::hours(run.total_time_h.value),
                run.interval_text(),
            );
        }
    }
    let all = plan.combinations.len();
    let run = plan.combinations.iter().filter(|c| c.run().is_some());
    let run = run.count();
    if request.limits_set() > 0 {
        let _ = writeln!(
            text,
            "{} of the {run} combinations that can run are within every limit, intervals included",
            plan.within_limits,
        );
    }
    if run < all {
        let _ = writeln!(text, "{} of {all} combinations are refused", all - run);
    }
    best(&mut text, plan);
    for line in plan.enough() {
        let _ = writeln!(text, "{}", line.text);
    }
    for schedule in &plan.schedules {
        let _ = writeln!(text, "{}", schedule_line(schedule));
    }
    for advice in &plan.advice {
        let modes: Vec<&str> = advice.modes.iter().map(|mode| mode.label()).collect();
        let _ = writeln!(
            text,
            "{}: {} [{}]",
            modes.join(", "),
            advice.text,
            advice.source
        );
    }
    let _ = writeln!(text, "Predictor {}", plan.predictor_version);
    text
}

fn best(text: &mut String, plan: &Plan) {
    let best = plan.best.and_then(|at| plan.combinations.get(at));
    let name = best.map_or_else(String::new, |c| format!("{}. ", c.name()));
    let _ = writeln!(text, "{:<LABEL$}{name}{}", "Best", plan.best_why);
    for caution in best.map_or_else(Vec::new, |best| plan.cautions(best)) {
        let _ = writeln!(text, "{:<LABEL$}{caution}", "Note");
    }
}

/// A schedule in one line.
fn schedule_line(schedule: &Schedule) -> String {
    let place = format!(
        "Schedule, {}, {}× {}",
        schedule.kind.key(),
        schedule.count,
        schedule.accelerator.name
    );
    match &schedule.outcome {
        Err(reason) => format!("{place}: {reason}"),
        Ok(totals) => {
            let phases: Vec<String> = (totals.phases.iter())
                .map(|part| {
                    format!(
                        "{} {}",
                        format::percent(part.phase.share),
                        part.phase.mode.label()
                    )
                })
                .collect();
            let cost = (totals.cost_usd).map_or_else(
                || "price missing".into(),
                |cost| format::money(Usd(cost.value)),
            );
            format!(
                "{place}: {}: {}, {cost}",
                phases.join(" then "),
                format::hours(totals.total_time_h.value)
            )
        }
    }
}

fn table(plan: &Plan) -> String {
    use Align::{Left, Right};
    let units = ColumnUnits::of(plan);
    let head = |name: &str, figure| units.head(name, figure);
    let mut table = Table::new(&[
        ("Accelerator", Left),
        ("Each", Right),
        ("Precision", Left),
        (&head("Step", ColumnFigure::Step), Right),
        (&head("Time", ColumnFigure::Time), Right),
        ("±", Right),
        (&head("Cost", ColumnFigure::Cost), Right),
        (&head("Energy", ColumnFigure::Energy), Right),
        ("Memory", Right),
        ("Layout", Left),
    ]);
    for combination in &plan.combinations {
        let mut cells = vec![
            combination.accelerator.name.clone(),
            combination.count.to_string(),
            combination.mode.label().to_owned(),
        ];
        match &combination.outcome {
            Outcome::Refused(reason) => {
                table.push_note(cells, format!("Refused: {reason}"));
                continue;
            }
            Outcome::Predicted(run) => cells.extend([
                format::known(units.text(ColumnFigure::Step, run)),
                format::known(units.text(ColumnFigure::Time, run)),
                run.interval_short(),
                units.text(ColumnFigure::Cost, run).map_or_else(
                    || "price missing".into(),
                    |cost| {
                        let seller = combination.seller_label();
                        let of = seller.map_or_else(String::new, |name| format!(", {name}"));
                        format!("{cost}{of}")
                    },
                ),
                format::known(units.text(ColumnFigure::Energy, run)),
                memory(&run.prediction.memory),
                run.layout.clone(),
            ]),
        }
        table.push(cells);
    }
    table.to_string()
}

/// What a run needs of the memory; of how much, where by the estimate it does not fit.
fn memory(memory: &MemoryUse) -> String {
    let needs = format::memory_gib(memory.total());
    match memory.fits() {
        true => needs,
        false => format!("{needs} of {}, tight", format::memory_gib(memory.capacity)),
    }
}
