//! The request behind a plan as columns of its CSV: the same in every line, so that a line stands for itself.

use super::csv::{number, optional, text};
use crate::domain::TrainingLength;
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
pub(super) fn cells(plan: &Plan, combination: &Combination) -> Vec<String> {
    let request = &plan.request;
    let run = combination.run();
    let energy = run.and_then(|r| r.energy_kwh);
    let whole = |value: Option<u32>| value.map_or_else(String::new, |v| v.to_string());
    let fine_tune = request.request.fine_tune.as_ref();
    let mut cells = vec![
        optional(energy.map(|e| e.low)),
        optional(energy.map(|e| e.high)),
        optional(run.map(|r| r.prediction.step_time.half_width() * 100.0)),
        run.map_or_else(String::new, |r| r.confidence().word().to_lowercase()),
        request
            .request
            .title
            .as_deref()
            .map_or_else(String::new, text),
        length(request.length),
        whole(request.seq_len),
        whole(request.image_size),
        request
            .request
            .optimizer
            .as_deref()
            .map_or_else(String::new, text),
        request
            .tuning
            .map_or_else(String::new, |t| t.key().to_owned()),
        request
            .grid
            .as_ref()
            .map_or_else(String::new, |g| text(&g.region)),
        fine_tune.map_or_else(String::new, |f| text(&f.method)),
    ];
    cells.extend([
        optional(request.budget_usd),
        optional(request.deadline_h),
        request.prices.tier.key().to_owned(),
        number(request.what_if.price),
        number(request.what_if.network),
        number(request.what_if.failures),
    ]);
    cells
}

/// How long is trained, in words with a whole figure.
fn length(length: TrainingLength) -> String {
    match length {
        TrainingLength::Tokens(tokens) => format!("{tokens} tokens"),
        TrainingLength::Epochs { epochs, samples } => {
            format!("{epochs} epochs of {samples} samples")
        }
        TrainingLength::Steps(steps) => format!("{steps} steps"),
    }
}
