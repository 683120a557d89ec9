//! A plan as a printable page: headline, answers, two charts, the runs worth weighing and what the figures rest on. Every
//! combination stands below; it is printed, on sheets of its own, where a tick says so.

use super::day::day;
use super::html_facts;
use super::svg::{self, escape};
use super::titles::{model_label, title_of};
use super::units::{ColumnFigure, ColumnUnits};
use crate::domain::TrainingLength;
use crate::format;
use crate::planner::{
    Answer, BatchChoice, Combination, Outcome, Outlook, Plan, PredictedRun, plain_reason,
};
use crate::units::Usd;
use jiff::Zoned;
use std::fmt::Write;

const STYLE: &str = "\
body{font:12px/1.4 Inter,system-ui,sans-serif;color:#363e47;max-width:1000px;margin:24px auto;padding:0 16px}\
h1{font-size:20px;color:#12161a;margin:0}h2{font-size:14px;color:#12161a;margin:20px 0 6px}\
p{margin:4px 0}.sub{color:#5f6973}svg{width:100%;height:auto}\
table{border-collapse:collapse;width:100%}td,th{padding:3px 6px;border-bottom:1px solid #e0e4e8;text-align:right;white-space:nowrap}\
th{font-weight:500;color:#5f6973}td:nth-child(-n+3),th:nth-child(-n+3){text-align:left}td.why{text-align:left;white-space:normal;color:#5f6973}\
tr.best td{color:#12161a;font-weight:600}\
table.facts{width:auto;margin:6px 0}table.facts td:nth-child(n),table.facts th:nth-child(n){text-align:left;padding-right:20px}\
.answers{display:flex;gap:16px;flex-wrap:wrap}.answers div{border:1px solid #e0e4e8;border-radius:6px;padding:8px 12px}\
.answers b{display:block;font-size:18px;color:#12161a}.lead{font-size:14px;color:#12161a}\
h2.sheet{break-before:page}@page{margin:10mm}@media print{body{font-size:10px;line-height:1.3;margin:0;max-width:none;padding:0}\
h1{font-size:16px}h2{font-size:12px;margin:10px 0 3px}svg{max-height:62mm}tr{break-inside:avoid}table{font-size:9px}td,th{padding:1px 4px}\
td:nth-child(3){white-space:normal}.answers b{font-size:15px}.answers div{padding:5px 10px}.foot{font-size:8px;line-height:1.25}\
.screen,.all{display:none}body:has(#all:checked) .all{display:block}}";

/// The whole plan as the text of an HTML file that needs nothing else, made on the day that is `now`.
pub fn plan_html(plan: &Plan, now: &Zoned) -> String {
    let model = escape(&model_label(plan));
    let title = escape(&title_of(plan));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
    );
    let made = day(now.date());
    let summary = summary(plan, &model);
    let _ = writeln!(page, "<p class=\"sub\">Report of {made} · {summary}</p>");
    let outlook = plan.outlook();
    lead(&mut page, plan, outlook.as_ref());
    html_facts::facts(&mut page, plan, now);
    answers(&mut page, plan, outlook.as_ref());
    section(&mut page, "Time against cost", &svg::scatter(plan));
    let heading = "Where the step goes on the Pareto front";
    section(&mut page, heading, &svg::step_bars(plan));
    let worth: Vec<usize> = worth_weighing(plan);
    if !worth.is_empty() {
        page.push_str("<h2>Worth weighing: the answers and the Pareto front</h2>\n");
        table(&mut page, plan, worth.into_iter());
    }
    foot(&mut page, plan);
    page.push_str(
        "<p class=\"screen\"><label><input type=\"checkbox\" id=\"all\"> Print every combination too</label></p>\n\
         <div class=\"all\"><h2 class=\"sheet\">Every combination</h2>\n",
    );
    table(&mut page, plan, 0..plan.combinations.len());
    page.push_str("</div>\n</body></html>\n");
    page
}

fn summary(plan: &Plan, model: &str) -> String {
    let runs = plan
        .combinations
        .iter()
        .filter(|c| c.run().is_some())
        .count();
    let refused = plan.combinations.len() - runs;
    let mut text = format!(
        "{model} · trained for {} · {runs} combinations predicted, {refused} refused",
        workload(plan)
    );
    if plan.request.limits_set() > 0 {
        let _ = write!(text, ", {} within limits", plan.within_limits);
    }
    text
}

/// How long is trained, in rounded figures, and on samples of what size.
fn workload(plan: &Plan) -> String {
    let request = &plan.request;
    let mut text = match request.length {
        TrainingLength::Tokens(tokens) => format::counted(tokens, "token"),
        TrainingLength::Epochs { epochs, samples } => format!(
            "{} of {}",
            format::counted(epochs, "epoch"),
            format::counted(samples, "sample")
        ),
        TrainingLength::Steps(steps) => format::counted(steps, "step"),
    };
    if let Some(tokens) = request.seq_len {
        let _ = write!(
            text,
            ", sequences of {}",
            format::counted(tokens.into(), "token")
        );
    }
    if let Some(tokens) = request.decoder_tokens {
        let _ = write!(
            text,
            ", {} of its decoder",
            format::counted(tokens.into(), "token")
        );
    }
    if let Some(side) = request.image_size {
        let _ = write!(text, ", images of {side} × {side}");
    }
    let batch = match request.batch {
        BatchChoice::Global(batch) => format!(", {} a step", format::counted(batch, "sample")),
        BatchChoice::PerDevice(each) => {
            format!(
                ", {} a step on each accelerator",
                format::counted(each, "sample")
            )
        }
        BatchChoice::Default(batch) | BatchChoice::Pretraining(batch) => format!(
            ", {} a step, since no batch is stated",
            format::counted(batch, "sample")
        ),
    };
    text + &batch
}

fn section(page: &mut String, heading: &str, chart: &str) {
    if !chart.is_empty() {
        let _ = writeln!(page, "<h2>{heading}</h2>\n{chart}");
    }
}

fn answers(page: &mut String, plan: &Plan, outlook: Option<&Outlook>) {
    page.push_str("<div class=\"answers\">");
    for Answer { name, index, .. } in plan.named_answers(outlook) {
        let combination = index.and_then(|at| plan.combinations.get(at));
        if let Some((combination, run)) = combination.and_then(|c| Some((c, c.run()?))) {
            let _ = write!(
                page,
                "<div>{name} <span class=\"sub\">{}</span><b>{} · {}</b>{}<br><span class=\"sub\">{}</span></div>",
                run.interval_text(),
                format::hours(run.total_time_h.value),
                cost(run),
                escape(&svg::name(combination)),
                ranges(run),
            );
        }
    }
    page.push_str("</div>\n");
}

/// The intervals of time and cost, each on a line: four answers stand beside each other on a printed page.
fn ranges(run: &PredictedRun) -> String {
    let time = run.total_time_h;
    let time = format::hours_interval(time.low, time.high);
    run.cost_usd.map_or_else(
        || time.clone(),
        |cost| {
            let cost = format::money_interval(Usd(cost.low), Usd(cost.high));
            format!("{time}<br>{}", escape(&cost))
        },
    )
}

/// The recommended run in words, and what qualifies it.
fn lead(page: &mut String, plan: &Plan, outlook: Option<&Outlook>) {
    let Some(at) = plan.recommended() else { return };
    let name = |c: &Combination| {
        let (mode, label) = (c.mode.label(), &c.accelerator.label);
        format!("{mode} on {} × {label}", c.count)
    };
    let Some(headline) = plan.headline(outlook, at, &name) else {
        return;
    };
    let limits = headline
        .limits
        .map_or_else(String::new, |said| format!(" {said}"));
    // As in the window: what stands to the limits first, else what the mode that most would use instead takes.
    let combination = plan.combinations.get(at);
    let other = combination.filter(|_| limits.is_empty());
    let other = other.and_then(|c| plan.alternative_said(c));
    let scheduled = combination.and_then(|c| plan.scheduled_said(c));
    let others = [other, plan.extreme_said(at, &name), scheduled];
    let others = others.into_iter().flatten();
    let others: String = others.map(|said| format!(" {said}")).collect();
    let supposed = plan.supposed();
    let supposed = supposed.map_or_else(String::new, |what| format!(" What if: {what}."));
    let said = format!("{}.{supposed}{limits}{others}", headline.title);
    let _ = writeln!(page, "<p class=\"lead\">{}</p>", escape(&said));
    let price = combination.and_then(|c| Some((c, c.run()?.price.as_ref()?)));
    let capacity = price.and_then(|(c, price)| price.capacity(c.count));
    let cautions = combination.map_or_else(Vec::new, |c| plan.cautions(c));
    let old = price.and_then(|(_, price)| price.old_said());
    for caution in cautions.into_iter().chain(old).chain(capacity) {
        let _ = writeln!(page, "<p class=\"sub\">{}</p>", escape(&caution));
    }
}

/// Rows of the first sheet; more would not fit it.
const FIRST_SHEET: usize = 10;

/// The answers and the front, each once, by rising time.
fn worth_weighing(plan: &Plan) -> Vec<usize> {
    let mut found = plan.answers.each();
    found.extend(&plan.pareto);
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|at| seen.insert(*at));
    found.truncate(FIRST_SHEET);
    let hours = |at: &usize| {
        let run = plan.combinations.get(*at).and_then(Combination::run);
        run.map_or(f64::INFINITY, |run| run.total_time_h.value)
    };
    found.sort_by(|a, b| hours(a).total_cmp(&hours(b)));
    found
}

fn table(page: &mut String, plan: &Plan, rows: impl Iterator<Item = usize>) {
    let units = ColumnUnits::of(plan);
    let head = |name: &str, figure| units.head(name, figure);
    let heads = [
        "Accelerators".to_owned(),
        "Precision".to_owned(),
        "Layout".to_owned(),
        head("Step", ColumnFigure::Step),
        head("Time", ColumnFigure::Time),
        "Interval".to_owned(),
        head("Cost", ColumnFigure::Cost),
        head("Energy", ColumnFigure::Energy),
        head("CO₂e", ColumnFigure::Carbon),
        "Memory".to_owned(),
        "Rate".to_owned(),
    ];
    page.push_str("<table><thead><tr>");
    for head in heads {
        let _ = write!(page, "<th>{head}</th>");
    }
    page.push_str("</tr></thead><tbody>\n");
    for (at, combination) in rows.filter_map(|at| Some((at, plan.combinations.get(at)?))) {
        let class = if Some(at) == plan.recommended() {
            " class=\"best\""
        } else {
            ""
        };
        let _ = writeln!(page, "<tr{class}>{}</tr>", row(combination, &units));
    }
    page.push_str("</tbody></table>\n");
}

/// The part, and whose offer it is where sellers stand side by side.
fn sold(combination: &Combination) -> String {
    let label = &combination.accelerator.label;
    let seller = combination.seller_label();
    seller.map_or_else(|| label.clone(), |name| format!("{label}, {name}"))
}

fn row(combination: &Combination, units: &ColumnUnits) -> String {
    let mut cells = format!(
        "<td>{}× {}</td><td>{}</td>",
        combination.count,
        escape(&sold(combination)),
        combination.mode.label(),
    );
    match &combination.outcome {
        Outcome::Refused(reason) => {
            let _ = write!(
                cells,
                "<td class=\"why\" colspan=\"9\">Refused · {}</td>",
                escape(reason)
            );
        }
        Outcome::Predicted(run) => {
            let prediction = &run.prediction;
            let figure = |figure| format::known(units.text(figure, run));
            for cell in [
                escape(&run.layout),
                figure(ColumnFigure::Step),
                figure(ColumnFigure::Time),
                run.interval_short(),
                figure(ColumnFigure::Cost),
                figure(ColumnFigure::Energy),
                figure(ColumnFigure::Carbon),
                format::memory_gib(prediction.memory.total()),
                format::rate(run.units_per_s, run.units_name),
            ] {
                let _ = write!(cells, "<td>{cell}</td>");
            }
        }
    }
    cells
}

fn cost(run: &PredictedRun) -> String {
    format::known(
        run.cost_usd
            .map(|cost| escape(&format::money(Usd(cost.value)))),
    )
}

/// Why figures are missing, then where prices and grid are from; each said once.
fn foot(page: &mut String, plan: &Plan) {
    let (mut missing, mut lines) = (Vec::new(), Vec::new());
    let say = |lines: &mut Vec<String>, line: String| {
        if !lines.contains(&line) {
            lines.push(line);
        }
    };
    for (combination, run) in plan.combinations.iter().filter_map(|c| Some((c, c.run()?))) {
        if let Some(price) = &run.price {
            let line = format!(
                "{}: ${}/h each, {} {}, {} {}",
                combination.accelerator.label,
                format::fixed(price.usd_per_hour, 2),
                price.seller(),
                price.tier,
                price.source,
                price.date
            );
            say(&mut lines, line);
        }
        // That no region is set is told once, where the emissions would stand.
        let co2e = run.missing.co2e.as_ref();
        let co2e = co2e.filter(|_| plan.request.grid.is_some());
        for reason in [run.missing.cost.as_ref(), run.missing.energy.as_ref(), co2e]
            .into_iter()
            .flatten()
        {
            say(&mut missing, plain_reason(reason));
        }
    }
    if let Some(grid) = &plan.request.grid {
        let line = format!(
            "Grid {}: {} gCO₂e/kWh, {} {}{}",
            grid.region,
            grid.intensity.value(),
            grid.source,
            grid.date,
            html_facts::building(plan)
        );
        say(&mut lines, line);
    }
    for (heading, lines) in [("Figures that are not known", missing), ("Sources", lines)] {
        if lines.is_empty() && heading != "Sources" {
            continue;
        }
        let _ = writeln!(page, "<h2>{heading}</h2>\n<div class=\"foot\">");
        for line in lines {
            let _ = writeln!(page, "<p class=\"sub\">{}</p>", escape(&line));
        }
        page.push_str("</div>\n");
    }
    let _ = writeln!(
        page,
        "<p class=\"sub foot\">Predictor {}. Intervals hold nine runs in ten.</p>",
        escape(&plan.predictor_version)
    );
}
