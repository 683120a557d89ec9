//! Schedules, sensitivity, advice and interruptions as JSON and CSV.

use super::json::estimate;
use super::table::{Cell, CsvForm, table_csv};
use crate::planner::{PredictedRun, Schedule, Sensitivity};
use crate::presets::Advice;
use serde_json::{Value, json};

/// A line of advice.
pub fn advice_json(advice: &Advice) -> Value {
    json!({
        "precisions": advice.modes.iter().map(|mode| mode.key()).collect::<Vec<_>>(),
        "kind": advice.kind.key(),
        "text": advice.text,
        "source": advice.source,
    })
}

/// Interruptions and checkpoints of a run. A mean time between interruptions that is infinite is null.
pub(super) fn interruptions_json(run: &PredictedRun) -> Value {
    let i = &run.interruptions;
    json!({
        "mean_time_between_h": i.mtbf_h.is_finite().then_some(i.mtbf_h),
        "expected": i.expected,
        "checkpoint_every_h": (i.checkpoint_every_h > 0.0).then_some(i.checkpoint_every_h),
        "checkpoint_write_s": i.checkpoint_write_s,
        "time_factor": i.factor,
    })
}

/// Schedules with their phases.
pub(super) fn schedules_json(schedules: &[Schedule]) -> Value {
    schedules
        .iter()
        .map(|schedule| {
            let mut value = json!({
                "kind": schedule.kind.key(),
                "accelerator": schedule.accelerator.name,
                "count": schedule.count,
            });
            let more = match &schedule.outcome {
                Err(reason) => json!({ "status": "refused", "reason": reason }),
                Ok(totals) => json!({
                    "status": "ok",
                    "reason": null,
                    "total_time_h": estimate(totals.total_time_h),
                    "cost_usd": totals.cost_usd.map(estimate),
                    "energy_kwh": totals.energy_kwh.map(estimate),
                    "co2e_kg": totals.co2e_kg,
                    "phases": totals.phases.iter().map(|part| json!({
                        "precision": part.phase.mode.key(),
                        "percent": part.phase.share * 100.0,
                        "steps": part.steps,
                        "time_h": estimate(part.time_h),
                        "cost_usd": part.cost_usd.map(estimate),
                        "layout": part.layout,
                    })).collect::<Vec<_>>(),
                }),
            };
            if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
                value.extend(more);
            }
            value
        })
        .collect()
}

/// What would change the best combination.
pub fn sensitivity_json(changes: &[Sensitivity]) -> Value {
    changes
        .iter()
        .map(|change| {
            json!({
                "change": change.change,
                "best": change.best,
                "name": change.name,
                "differs": change.differs,
                "total_time_h": change.time_h,
                "cost_usd": change.cost_usd,
                "energy_kwh": change.energy_kwh,
            })
        })
        .collect()
}

/// The columns of schedules.
const SCHEDULE: [&str; 13] = [
    "kind",
    "accelerator",
    "count",
    "status",
    "reason",
    "phase",
    "precision",
    "percent",
    "steps",
    "time_h",
    "time_low_h",
    "time_high_h",
    "cost_usd",
];

/// The schedules of a plan as the text of a CSV file, a line a phase.
pub fn schedules_csv(schedules: &[Schedule], form: CsvForm) -> String {
    let mut lines = Vec::new();
    for schedule in schedules {
        let head = |status: &str, reason: &str| {
            vec![
                Cell::text(schedule.kind.key()),
                Cell::text(&schedule.accelerator.name),
                Cell::whole(schedule.count),
                Cell::text(status),
                Cell::words(reason),
            ]
        };
        match &schedule.outcome {
            Err(reason) => {
                let mut cells = head("refused", reason);
                cells.resize(SCHEDULE.len(), Cell::Empty);
                lines.push(cells);
            }
            Ok(totals) => lines.extend(totals.phases.iter().enumerate().map(|(at, part)| {
                let mut cells = head("ok", "");
                cells.extend([
                    Cell::whole(at as u64 + 1),
                    Cell::text(part.phase.mode.key()),
                    Cell::number(part.phase.share * 100.0),
                    Cell::number(part.steps),
                    Cell::number(part.time_h.value),
                    Cell::number(part.time_h.low),
                    Cell::number(part.time_h.high),
                    Cell::optional(part.cost_usd.map(|cost| cost.value)),
                ]);
                cells
            })),
        }
    }
    table_csv(&SCHEDULE, lines, form)
}

/// What would change the best combination, as the text of a CSV file.
pub fn sensitivity_csv(changes: &[Sensitivity], form: CsvForm) -> String {
    let header = [
        "change",
        "best",
        "differs",
        "total_time_h",
        "cost_usd",
        "energy_kwh",
    ];
    let lines = changes.iter().map(|change| {
        vec![
            Cell::words(&change.change),
            Cell::words(&change.name),
            Cell::text(if change.differs { "yes" } else { "no" }),
            Cell::optional(change.time_h),
            Cell::optional(change.cost_usd),
            Cell::optional(change.energy_kwh),
        ]
    });
    table_csv(&header, lines, form)
}
