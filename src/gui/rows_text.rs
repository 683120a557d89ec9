//! Rows of the table as text for the clipboard: full figures, units in the head or a column of their own, nothing a
//! spreadsheet would run.

use super::prices;
use super::rows::Column;
use crate::format;
use crate::planner::{Combination, Plan, PredictedRun};
use crate::report;
use crate::units::{KgCo2e, KilowattHours, Seconds, Usd};

const HEAD: [&str; 23] = [
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
    "Rate unit",
    "Memory each (GiB)",
    "Memory capacity (GiB)",
    "Confidence",
    "Seller",
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

fn cells(c: &Combination, run: &PredictedRun) -> [String; 23] {
    let step = run.prediction.step_time;
    let time = run.total_time_h;
    let optional = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
    let memory = &run.prediction.memory;
    [
        c.mode.label().to_owned(),
        report::no_formula(&c.accelerator.name),
        c.count.to_string(),
        c.nodes.to_string(),
        report::no_formula(&run.layout),
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
            .map_or_else(String::new, |p| report::no_formula(&p.date)),
        optional(run.energy_kwh.map(|e| e.value)),
        optional(run.co2e_kg),
        run.units_per_s.to_string(),
        run.units_name.to_owned(),
        memory.total().gib().to_string(),
        memory.capacity.gib().to_string(),
        run.confidence().word().to_owned(),
        report::no_formula(super::rows::seller_of(Some(c))),
    ]
}

/// What a cell shows, as words.
pub fn cell(column: Column, c: &Combination, run: &PredictedRun) -> String {
    let known = format::known;
    let memory = &run.prediction.memory;
    match column {
        Column::Precision => c.mode.label().to_owned(),
        Column::Accelerator => c.accelerator.name.clone(),
        Column::Seller => {
            let price = run.price.as_ref();
            known(price.map(|price| price.seller().to_owned()))
        }
        Column::Price => known(run.price.as_ref().map(prices::amount)),
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
            format::memory_gib(memory.total()),
            format::memory_gib(memory.capacity)
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
        Column::Interval => run.interval_short(),
        Column::Confidence => run.confidence().word().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Accelerator;
    use crate::planner::{PlanRequest, Progress, check, plan};
    use crate::predictor::Predictor;
    use crate::presets::Catalogue;
    use std::sync::Arc;

    fn planned() -> Plan {
        let text = "schema = 1\nmodel = \"resnet50\"\naccelerators = [\"A100-SXM4-40GB\"]\ncounts = [1, 8]\n\
            precisions = [\"amp-fp16\"]\ntrain = { steps = 100 }\n";
        let request = PlanRequest::from_toml(text, "test").unwrap();
        let (catalogue, predictor) = (Catalogue::shipped().unwrap(), Predictor::shipped().unwrap());
        let checked = check(&request, &catalogue).unwrap();
        plan(&checked, &catalogue, &predictor, &Progress::default()).unwrap()
    }

    #[test]
    fn copied_figures_are_numbers_and_copied_names_no_formulas() {
        let mut plan = planned();
        let part = &plan.combinations[0].accelerator;
        let hostile = Accelerator {
            name: "x;=1+1\t=2+2".into(),
            ..(**part).clone()
        };
        plan.combinations[0].accelerator = Arc::new(hostile);
        let text = tab_separated(&plan, &[0, 1]);
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split('\t').collect()).collect();
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.len() == HEAD.len()));
        let cell = |line: usize, name: &str| {
            let at = HEAD.iter().position(|head| *head == name).unwrap();
            lines[line][at]
        };
        assert_eq!(cell(1, "Accelerator"), "x;'=1+1 '=2+2");
        assert_eq!(cell(2, "Accelerator"), "A100-SXM4-40GB");
        assert_eq!(cell(1, "Rate unit"), "samples/s");
        let figures = HEAD
            .iter()
            .filter(|head| head.contains('(') || **head == "Rate");
        for name in figures {
            let figure = cell(1, name);
            assert!(
                figure.is_empty() || figure.parse::<f64>().is_ok(),
                "{name}: {figure}"
            );
        }
    }
}
