//! The request behind a plan as columns of its CSV: the same in every line, so that a line stands for itself.

use super::table::Cell;
use super::titles::title_of;
use crate::domain::TrainingLength;
use crate::format;
use crate::planner::{Combination, Plan};

/// The columns, after all others.
pub(super) const COLUMNS: [&str; 18] = [
    "energy_low_kwh",
    "energy_high_kwh",
    "interval_percent",
    "confidence",
    "request_title",
    "request_train",
    "request_seq_len",
    "request_image_size",
    "request_optimizer",
    "request_tuning",
    "request_region",
    "request_fine_tune",
    "request_budget_usd",
    "request_deadline_h",
    "request_price_tier",
    "what_if_price",
    "what_if_network",
    "what_if_failures",
];

/// The cells of one combination.
pub(super) fn cells(plan: &Plan, combination: &Combination) -> Vec<Cell> {
    let request = &plan.request;
    let run = combination.run();
    let energy = run.and_then(|r| r.energy_kwh);
    let whole = |value: Option<u32>| value.map_or(Cell::Empty, Cell::whole);
    let asked = &request.request;
    let grid = request.grid.as_ref();
    let confidence = run.map(|r| r.confidence().word().to_lowercase());
    let fine_tune = asked.fine_tune.as_ref();
    vec![
        Cell::optional(energy.map(|e| e.low)),
        Cell::optional(energy.map(|e| e.high)),
        Cell::optional(run.map(|r| r.prediction.step_time.half_width() * 100.0)),
        Cell::optional_text(confidence.as_deref()),
        Cell::text(&title_of(plan)),
        Cell::text(&length(request.length)),
        whole(request.seq_len),
        whole(request.image_size),
        Cell::optional_text(asked.optimizer.as_deref()),
        Cell::optional_text(request.tuning.map(|t| t.key())),
        Cell::optional_text(grid.map(|g| g.region.as_str())),
        Cell::optional_text(fine_tune.map(|f| f.method.as_str())),
        Cell::optional(request.budget_usd),
        Cell::optional(request.deadline_h),
        Cell::text(request.prices.tier.key()),
        Cell::number(request.what_if.price),
        Cell::number(request.what_if.network),
        Cell::number(request.what_if.failures),
    ]
}

/// How long is trained, in words with a whole figure.
pub(super) fn length(length: TrainingLength) -> String {
    match length {
        TrainingLength::Tokens(tokens) => counted(tokens, "token"),
        TrainingLength::Epochs { epochs, samples } => {
            format!(
                "{} of {}",
                counted(epochs, "epoch"),
                counted(samples, "sample")
            )
        }
        TrainingLength::Steps(steps) => counted(steps, "step"),
    }
}

fn counted(value: f64, noun: &str) -> String {
    format!("{value} {noun}{}", format::plural(value))
}
