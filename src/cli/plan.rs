//! `mantissa plan`: a request file in, a table and exports out.

use super::args::PlanArgs;
use super::failure::{Failure, json_text, print};
use super::text::{Align, Table};
use crate::format;
use crate::planner::{self, Outcome, Plan, PlanRequest, Progress};
use crate::predictor::Predictor;
use crate::presets::Catalogue;
use crate::report;
use crate::units::{KilowattHours, Seconds, Usd};
use std::fmt::Write;
use std::path::Path;

pub(super) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let path = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Failure::input(format!("{path}: cannot be read: {error}")))?;
    let request = PlanRequest::from_toml(&text, &path)?;
    let catalogue = Catalogue::shipped().map_err(Failure::other)?;
    let checked = planner::check(&request, &catalogue)?;
    let predictor = Predictor::shipped().map_err(Failure::other)?;
    let plan = planner::plan(&checked, &catalogue, &predictor, &Progress::default())
        .map_err(Failure::other)?;
    write(args, &plan)
}

fn write(args: &PlanArgs, plan: &Plan) -> Result<(), Failure> {
    if let Some(path) = &args.csv {
        report::save(path, &report::plan_csv(plan))?;
    }
    if let Some(path) = &args.html {
        report::save(path, &report::plan_html(plan))?;
    }
    let Some(path) = &args.json else {
        return print(&summary(plan));
    };
    let json = json_text(&report::plan_json(plan));
    if path == Path::new("-") {
        return print(&json);
    }
    report::save(path, &json)?;
    print(&summary(plan))
}

fn summary(plan: &Plan) -> String {
    let request = &plan.request;
    let title = request
        .request
        .title
        .as_deref()
        .unwrap_or(&request.model.name);
    let mut text = format!("{title}\n\n");
    text.push_str(&table(plan));
    text.push('\n');
    for (label, at) in [
        ("Fastest", plan.answers.fastest),
        ("Cheapest", plan.answers.cheapest),
        ("Within limits", plan.answers.within_limits),
        ("Greenest", plan.answers.greenest),
    ] {
        let combination = at.and_then(|at| plan.combinations.get(at));
        if let Some((combination, run)) = combination.and_then(|c| Some((c, c.run()?))) {
            let cost = run.cost_usd.map_or_else(
                || "price missing".into(),
                |cost| format::money(Usd(cost.value)),
            );
            let _ = writeln!(
                text,
                "{label:<14}{}× {} {}: {}, {cost}",
                combination.count,
                combination.accelerator.name,
                combination.mode.label(),
                format::hours(run.total_time_h.value),
            );
        }
    }
    if request.budget_usd.is_some() || request.deadline_h.is_some() {
        let _ = writeln!(
            text,
            "{} of {} combinations are within limits",
            plan.within_limits,
            plan.combinations.len()
        );
    }
    let _ = writeln!(text, "Predictor {}", plan.predictor_version);
    text
}

fn table(plan: &Plan) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("Accelerator", Left),
        ("Each", Right),
        ("Precision", Left),
        ("Step", Right),
        ("Time", Right),
        ("±", Right),
        ("Cost", Right),
        ("Energy", Right),
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
                format::step_time(Seconds(run.prediction.step_time.value)),
                format::hours(run.total_time_h.value),
                format::percent(run.prediction.step_time.half_width()),
                run.cost_usd.map_or_else(
                    || "price missing".into(),
                    |cost| format::money(Usd(cost.value)),
                ),
                run.energy_kwh.map_or_else(
                    || format::UNKNOWN.into(),
                    |e| format::energy(KilowattHours(e.value)),
                ),
                format::memory_gib(run.prediction.memory.total()),
                run.layout.clone(),
            ]),
        }
        table.push(cells);
    }
    table.to_string()
}
