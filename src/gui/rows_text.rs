//! Rows of the table as text for the clipboard: full figures, units in the head, nothing a spreadsheet would run.

use super::rows::Column;
use crate::format;
use crate::planner::{Combination, Plan, PredictedRun};
use crate::units::{KgCo2e, KilowattHours, Seconds, Usd};

const HEAD: [&str; 21] = [
    "Precision",
    "Accelerator",
    "Count",
    "Nodes",
    "Layout",
    "Step (s)",
    "Step, low (s)",
    "Step, high (s)",
    "Total time (h)",
    "Total time, low (h)",
    "Total time, high (h)",
    "Cost (USD)",
    "Cost, low (USD)",
    "Cost, high (USD)",
    "Price of",
    "Energy (kWh)",
    "CO2e (kg)",
    "Rate",
    "Memory each (GiB)",
    "Memory capacity (GiB)",
    "Confidence",
];

/// Head and rows, cells apart by tabs.
pub fn tab_separated(plan: &Plan, rows: &[usize]) -> String {
    let mut text = HEAD.join("\t");
    let found = rows.iter().filter_map(|i| plan.combinations.get(*i));
    for (c, run) in found.filter_map(|c| Some((c, c.run()?))) {
        text.push('\n');
        text.push_str(&cells(c, run).join("\t"));
    }
    text.push('\n');
    text
}

fn cells(c: &Combination, run: &PredictedRun) -> [String; 21] {
    let step = run.prediction.step_time;
    let time = run.total_time_h;
    let optional = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
    let memory = &run.prediction.memory;
    [
        c.mode.label().to_owned(),
        plain(&c.accelerator.name),
        c.count.to_string(),
        c.nodes.to_string(),
        plain(&run.layout),
        step.value.to_string(),
        step.low.to_string(),
        step.high.to_string(),
        time.value.to_string(),
        time.low.to_string(),
        time.high.to_string(),
        optional(run.cost_usd.map(|e| e.value)),
        optional(run.cost_usd.map(|e| e.low)),
        optional(run.cost_usd.map(|e| e.high)),
        run.price
            .as_ref()
            .map_or_else(String::new, |p| plain(&p.date)),
        optional(run.energy_kwh.map(|e| e.value)),
        optional(run.co2e_kg),
        format!("{} {}", run.units_per_s, run.units_name),
        memory.total().gib().to_string(),
        memory.capacity.gib().to_string(),
        run.confidence().word().to_owned(),
    ]
}

/// A text that stays in its cell and is no formula.
fn plain(text: &str) -> String {
    let flat: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if flat.starts_with(['=', '+', '-', '@']) {
        format!("'{flat}")
    } else {
        flat
    }
}

/// What a cell shows, as words.
pub fn cell(column: Column, c: &Combination, run: &PredictedRun) -> String {
    let known = |text: Option<String>| text.unwrap_or_else(|| format::UNKNOWN.to_owned());
    let memory = &run.prediction.memory;
    match column {
        Column::Precision => c.mode.label().to_owned(),
        Column::Accelerator => c.accelerator.name.clone(),
        Column::Count => c.count.to_string(),
        Column::Layout => run.layout.clone(),
        Column::Step => format::step_time(Seconds(run.prediction.step_time.value)),
        Column::TotalTime | Column::AgainstSelected => format::hours(run.total_time_h.value),
        Column::Cost => known(run.cost_usd.map(|e| format::money(Usd(e.value)))),
        Column::Energy => known(
            run.energy_kwh
                .map(|e| format::energy(KilowattHours(e.value))),
        ),
        Column::Carbon => known(run.co2e_kg.map(|kg| format::emissions(KgCo2e(kg)))),
        Column::Rate => format::rate(run.units_per_s / f64::from(c.count.max(1)), run.units_name),
        Column::Memory => format!(
            "{} of {}",
            format::memory_gb(memory.total()),
            format::memory_gb(memory.capacity)
        ),
        Column::StepBar => run
            .prediction
            .breakdown
            .parts()
            .iter()
            .filter(|(_, time)| time.value() > 0.0)
            .map(|(name, time)| format!("{name} {}", format::step_time(*time)))
            .collect::<Vec<_>>()
            .join(", "),
        Column::Interval => format::half_width(run.prediction.step_time.half_width()),
        Column::Confidence => run.confidence().word().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_in_its_cell_and_is_no_formula() {
        assert_eq!(plain("=cmd"), "'=cmd");
        assert_eq!(plain("a\tb\nc"), "a b c");
        assert_eq!(plain("FSDP over 8"), "FSDP over 8");
    }
}
