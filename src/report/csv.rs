//! A plan as CSV (RFC 4180): a line a combination, refused ones included, at full precision.
//!
//! Columns are a contract: new ones go to the end, none is renamed. Text that a spreadsheet would run as a formula
//! gets a leading apostrophe.

use super::csv_request;
use crate::planner::{Combination, Outcome, Plan, PredictedRun};
use crate::predictor::Estimate;

/// The columns in their order.
pub(super) const HEADER: [&str; 47] = [
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
    "training_h",
    "interruptions_expected",
    "checkpoint_every_h",
    "time_over_steps",
    "storage_usd",
    "largest_micro_batch",
    "memory_fits",
    "best",
    "pareto_time_cost_energy",
    "layout_why",
    "currency",
];

/// The whole plan as the text of a CSV file.
pub fn plan_csv(plan: &Plan) -> String {
    plan_csv_of(plan, 0..plan.combinations.len())
}

/// Some combinations of a plan by index, in the order given, as the text of a CSV file.
pub fn plan_csv_of(plan: &Plan, rows: impl Iterator<Item = usize>) -> String {
    let header: Vec<&str> = HEADER
        .iter()
        .chain(&csv_request::COLUMNS)
        .copied()
        .collect();
    let line = |at: usize| {
        let combination = plan.combinations.get(at)?;
        let mut cells = record(plan, at, combination);
        cells.extend(csv_request::cells(plan, combination));
        Some(cells)
    };
    table(&header, rows.filter_map(line).collect())
}

/// A header and its lines as the text of a CSV file.
pub(super) fn table(header: &[&str], lines: Vec<Vec<String>>) -> String {
    let mut writer = ::csv::WriterBuilder::new()
        .terminator(::csv::Terminator::CRLF)
        .from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = writer.write_record(header);
    for line in lines {
        let _ = writer.write_record(line);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn record(plan: &Plan, at: usize, combination: &Combination) -> Vec<String> {
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
            cells.extend(added_choices(plan, at, run));
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
    20
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

fn added_choices(plan: &Plan, at: usize, run: &PredictedRun) -> [String; 11] {
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let (memory, interruptions) = (&run.prediction.memory, &run.interruptions);
    let every = interruptions.checkpoint_every_h;
    [
        number(run.training_h),
        number(interruptions.expected),
        optional((every > 0.0).then_some(every)),
        number(interruptions.factor),
        number(run.storage_usd),
        run.largest_micro_batch
            .map_or_else(String::new, |samples| samples.to_string()),
        if memory.fits() { "yes" } else { "tight" }.to_owned(),
        yes(plan.best == Some(at)),
        yes(plan.pareto_all.contains(&at)),
        text(&run.layout_why),
        "USD".to_owned(),
    ]
}

fn estimate(estimate: Option<Estimate>) -> [String; 3] {
    match estimate {
        Some(e) => [number(e.value), number(e.low), number(e.high)],
        None => Default::default(),
    }
}

pub(super) fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, number)
}

/// The shortest form that reads back as the same number; nothing for what is no number.
pub(super) fn number(value: f64) -> String {
    if value.is_finite() {
        value.to_string()
    } else {
        String::new()
    }
}

/// A cell of text that no spreadsheet takes for a formula.
pub(super) fn text(value: &str) -> String {
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
    fn every_column_is_documented_with_its_unit() {
        let page = include_str!("../../docs/csv.md");
        for column in HEADER.iter().chain(&csv_request::COLUMNS) {
            assert!(page.contains(&format!("| `{column}` |")), "{column}");
        }
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
