//! A plan as CSV (RFC 4180): a line a combination, refused ones included, at full precision.
//!
//! Columns are a contract: new ones go to the end, none is renamed. Text that a spreadsheet would run as a formula
//! gets a leading apostrophe.

use crate::planner::{Combination, Outcome, Plan, PredictedRun};
use crate::predictor::Estimate;

/// The columns in their order.
pub(super) const HEADER: [&str; 36] = [
    "model",
    "accelerator",
    "count",
    "nodes",
    "precision",
    "strategy",
    "status",
    "reason",
    "step_time_ms",
    "step_time_low_ms",
    "step_time_high_ms",
    "total_time_h",
    "total_time_low_h",
    "total_time_high_h",
    "cost_usd",
    "cost_low_usd",
    "cost_high_usd",
    "price_source",
    "price_date",
    "energy_kwh",
    "co2e_kg",
    "memory_gib",
    "memory_capacity_gib",
    "tokens_or_samples_per_s",
    "limit",
    "distance",
    "predictor_version",
    // Added since.
    "rate_unit",
    "steps",
    "global_batch",
    "price_usd_per_accelerator_hour",
    "price_provider",
    "price_tier",
    "cost_reason",
    "energy_reason",
    "co2e_reason",
];

/// The whole plan as the text of a CSV file.
pub fn plan_csv(plan: &Plan) -> String {
    plan_csv_of(plan, plan.combinations.iter())
}

/// Some combinations of a plan, in the order given, as the text of a CSV file.
pub fn plan_csv_of<'p>(plan: &Plan, rows: impl Iterator<Item = &'p Combination>) -> String {
    let mut writer = ::csv::WriterBuilder::new()
        .terminator(::csv::Terminator::CRLF)
        .from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = writer.write_record(HEADER);
    for combination in rows {
        let _ = writer.write_record(record(plan, combination));
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn record(plan: &Plan, combination: &Combination) -> Vec<String> {
    let mut cells = vec![
        text(&plan.request.model.name),
        text(&combination.accelerator.name),
        combination.count.to_string(),
        combination.nodes.to_string(),
        combination.mode.key().to_owned(),
    ];
    match &combination.outcome {
        Outcome::Predicted(run) => {
            cells.extend([text(&run.layout), "ok".into(), String::new()]);
            cells.extend(figures(run));
            cells.push(text(&plan.predictor_version));
            cells.extend(added(run));
        }
        Outcome::Refused(reason) => {
            cells.extend([String::new(), "refused".into(), text(reason)]);
            let version_at = HEADER.len() - added_count() - 1;
            cells.resize(version_at, String::new());
            cells.push(text(&plan.predictor_version));
            cells.resize(HEADER.len(), String::new());
        }
    }
    cells
}

const fn added_count() -> usize {
    9
}

fn figures(run: &PredictedRun) -> Vec<String> {
    let prediction = &run.prediction;
    let mut cells = Vec::with_capacity(18);
    cells.extend(estimate(Some(prediction.step_time.scaled(1e3))));
    cells.extend(estimate(Some(run.total_time_h)));
    cells.extend(estimate(run.cost_usd));
    cells.push(
        run.price
            .as_ref()
            .map_or_else(String::new, |p| text(&p.source)),
    );
    cells.push(
        run.price
            .as_ref()
            .map_or_else(String::new, |p| text(&p.date)),
    );
    cells.extend([
        optional(run.energy_kwh.map(|energy| energy.value)),
        optional(run.co2e_kg),
        number(prediction.memory.total().gib()),
        number(prediction.memory.capacity.gib()),
        number(run.units_per_s),
        prediction.limit.key().to_owned(),
        number(prediction.support.distance),
    ]);
    cells
}

fn added(run: &PredictedRun) -> [String; 9] {
    let price = run.price.as_ref();
    let reason = |why: &Option<String>| why.as_deref().map_or_else(String::new, text);
    [
        run.units_name.to_owned(),
        number(run.steps),
        number(run.configuration.strategy.global_batch()),
        optional(price.map(|p| p.usd_per_hour)),
        price.map_or_else(String::new, |p| text(&p.provider)),
        price.map_or_else(String::new, |p| text(&p.tier)),
        reason(&run.missing.cost),
        reason(&run.missing.energy),
        reason(&run.missing.co2e),
    ]
}

fn estimate(estimate: Option<Estimate>) -> [String; 3] {
    match estimate {
        Some(e) => [number(e.value), number(e.low), number(e.high)],
        None => Default::default(),
    }
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, number)
}

/// The shortest form that reads back as the same number; nothing for what is no number.
fn number(value: f64) -> String {
    if value.is_finite() {
        value.to_string()
    } else {
        String::new()
    }
}

/// A cell of text that no spreadsheet takes for a formula.
fn text(value: &str) -> String {
    if value.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{value}")
    } else {
        value.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_of_columns_stands() {
        let contract = "model,accelerator,count,nodes,precision,strategy,status,reason,step_time_ms,step_time_low_ms,\
            step_time_high_ms,total_time_h,total_time_low_h,total_time_high_h,cost_usd,cost_low_usd,cost_high_usd,\
            price_source,price_date,energy_kwh,co2e_kg,memory_gib,memory_capacity_gib,tokens_or_samples_per_s,limit,\
            distance,predictor_version";
        assert!(HEADER.join(",").starts_with(contract));
        assert_eq!(
            HEADER[HEADER.len() - added_count() - 1],
            "predictor_version"
        );
    }

    #[test]
    fn formulas_are_defused_and_numbers_are_whole() {
        assert_eq!(text("=1+1"), "'=1+1");
        assert_eq!(text("@x"), "'@x");
        assert_eq!(text("H100"), "H100");
        assert_eq!(number(0.1 + 0.2), "0.30000000000000004");
        assert_eq!(number(f64::NAN), "");
    }
}
