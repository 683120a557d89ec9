//! A plan as CSV (RFC 4180): a line a combination, refused ones included, at full precision.
//!
//! Columns are a contract: new ones go to the end, none is renamed.

use super::csv_request;
use super::table::{Cell, CsvForm, table_csv};
use crate::planner::{Combination, Outcome, Plan, PredictedRun, Standing};
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

/// The currency of every amount: stated in refused lines too, whose budget is one.
const CURRENCY: &str = "USD";

/// What came after the columns of the request.
const LAST: [&str; 6] = [
    "price_instance",
    "price_region",
    "within_limits",
    "answers",
    "request_adapter_rank",
    "request_decoder_tokens",
];

/// The whole plan as the text of a CSV file.
pub fn plan_csv(plan: &Plan, form: CsvForm) -> String {
    plan_csv_of(plan, 0..plan.combinations.len(), form)
}

/// Some combinations of a plan by index, in the order given, as the text of a CSV file.
pub fn plan_csv_of(plan: &Plan, rows: impl Iterator<Item = usize>, form: CsvForm) -> String {
    let header: Vec<&str> = HEADER
        .iter()
        .chain(&csv_request::COLUMNS)
        .chain(&LAST)
        .copied()
        .collect();
    let answers = plan.answer_keys(plan.outlook().as_ref());
    let line = |at: usize| {
        let combination = plan.combinations.get(at)?;
        let mut cells = record(plan, at, combination);
        cells.extend(csv_request::cells(plan, combination));
        let run = combination.run();
        let price = run.and_then(|run| run.price.as_ref());
        let stated = |text: Option<&String>| text.map_or(Cell::Empty, |text| Cell::words(text));
        cells.push(stated(price.and_then(|p| p.instance.as_ref())));
        cells.push(stated(price.and_then(|p| p.region.as_ref())));
        let standing = run.and_then(|run| plan.standing(run));
        cells.push(Cell::optional_text(standing.map(Standing::word)));
        let own = answers.iter().filter(|(_, index)| *index == at);
        let keys: Vec<&str> = own.map(|(key, _)| *key).collect();
        cells.push(Cell::text(&keys.join(" ")));
        let adapters = plan.request.adapters;
        cells.push(adapters.map_or(Cell::Empty, |a| Cell::whole(a.rank)));
        let written = plan.request.decoder_tokens;
        cells.push(written.map_or(Cell::Empty, Cell::whole));
        Some(cells)
    };
    table_csv(&header, rows.filter_map(line), form)
}

fn record(plan: &Plan, at: usize, combination: &Combination) -> Vec<Cell> {
    let mut cells = vec![
        Cell::text(&plan.request.model.name),
        Cell::text(&combination.accelerator.name),
        Cell::whole(combination.count),
        Cell::whole(combination.nodes),
        Cell::text(combination.mode.key()),
    ];
    match &combination.outcome {
        Outcome::Predicted(run) => {
            cells.extend([Cell::words(&run.layout), Cell::text("ok"), Cell::Empty]);
            cells.extend(figures(run));
            cells.push(Cell::words(&plan.predictor_version));
            cells.extend(added(run));
            cells.extend(added_choices(plan, at, run));
        }
        Outcome::Refused(reason) => {
            cells.extend([Cell::Empty, Cell::text("refused"), Cell::words(reason)]);
            let version_at = HEADER.len() - added_count() - 1;
            cells.resize(version_at, Cell::Empty);
            cells.push(Cell::words(&plan.predictor_version));
            cells.resize(HEADER.len() - 1, Cell::Empty);
            cells.push(Cell::text(CURRENCY));
        }
    }
    cells
}

const fn added_count() -> usize {
    20
}

fn figures(run: &PredictedRun) -> Vec<Cell> {
    let prediction = &run.prediction;
    let price = run.price.as_ref();
    let mut cells = Vec::with_capacity(18);
    cells.extend(estimate(Some(prediction.step_time.scaled(1e3))));
    cells.extend(estimate(Some(run.total_time_h)));
    cells.extend(estimate(run.cost_usd));
    cells.extend([
        Cell::optional_text(price.map(|p| p.source.as_str())),
        Cell::optional_text(price.map(|p| p.date.as_str())),
        Cell::optional(run.energy_kwh.map(|energy| energy.value)),
        Cell::optional(run.co2e_kg),
        Cell::number(prediction.memory.total().gib()),
        Cell::number(prediction.memory.capacity.gib()),
        Cell::number(run.units_per_s),
        Cell::text(prediction.limit.key()),
        Cell::number(prediction.support.distance),
    ]);
    cells
}

fn added(run: &PredictedRun) -> [Cell; 9] {
    let price = run.price.as_ref();
    let reason = |why: &Option<String>| why.as_deref().map_or(Cell::Empty, Cell::words);
    [
        Cell::text(run.units_name),
        Cell::number(run.steps),
        Cell::number(run.configuration.strategy.global_batch()),
        Cell::optional(price.map(|p| p.usd_per_hour)),
        Cell::optional_text(price.map(|p| p.provider.as_str())),
        Cell::optional_text(price.map(|p| p.tier.as_str())),
        reason(&run.missing.cost),
        reason(&run.missing.energy),
        reason(&run.missing.co2e),
    ]
}

fn added_choices(plan: &Plan, at: usize, run: &PredictedRun) -> [Cell; 11] {
    let yes = |is: bool| Cell::text(if is { "yes" } else { "no" });
    let (memory, interruptions) = (&run.prediction.memory, &run.interruptions);
    let every = interruptions.checkpoint_every_h;
    [
        Cell::number(run.training_h),
        Cell::number(interruptions.expected),
        Cell::optional((every > 0.0).then_some(every)),
        Cell::number(interruptions.factor),
        Cell::number(run.storage_usd),
        run.largest_micro_batch.map_or(Cell::Empty, Cell::whole),
        Cell::text(if memory.fits() { "yes" } else { "tight" }),
        yes(plan.best == Some(at)),
        yes(plan.pareto_all.contains(&at)),
        Cell::words(&run.layout_why),
        Cell::text(CURRENCY),
    ]
}

fn estimate(estimate: Option<Estimate>) -> [Cell; 3] {
    match estimate {
        Some(e) => [e.value, e.low, e.high].map(Cell::number),
        None => [const { Cell::Empty }; 3],
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
        for column in HEADER.iter().chain(&csv_request::COLUMNS).chain(&LAST) {
            assert!(page.contains(&format!("| `{column}` |")), "{column}");
        }
    }
}
