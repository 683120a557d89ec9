//! What `mantissa evaluate` says beyond the step time: peak memory, and the choice among measured layouts.

use super::text::{Align, Table};
use crate::planner::{
    JudgedRun, LayoutSweep, MemoryJudgement, PowerErrors, PowerReport, RegretSummary, judge_memory,
    layout_sweeps, regret,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Both judgements, over all runs and by publication.
pub(super) struct Judged {
    memory: MemoryJudgement,
    memory_by_source: BTreeMap<String, MemoryJudgement>,
    sweeps: Vec<LayoutSweep>,
}

impl Judged {
    pub(super) fn of(runs: &[JudgedRun]) -> Self {
        let mut by_source: BTreeMap<String, Vec<&JudgedRun>> = BTreeMap::new();
        for judged in runs {
            by_source
                .entry(judged.run.source.clone())
                .or_default()
                .push(judged);
        }
        Self {
            memory: judge_memory(runs.iter()),
            memory_by_source: by_source
                .into_iter()
                .map(|(source, runs)| (source, judge_memory(runs.into_iter())))
                .collect(),
            sweeps: layout_sweeps(runs),
        }
    }

    pub(super) fn json(&self) -> (Value, Value) {
        let memory = |m: &MemoryJudgement| {
            let of_rows = |figure: f64| (m.rows > 0).then_some(figure);
            json!({
                "rows": m.rows, "mape": of_rows(m.mean), "median_ape": of_rows(m.median),
                "median_ratio": of_rows(m.ratio), "ran": m.ran, "predicted_not_to_fit": m.refused,
            })
        };
        let sources = |m: &BTreeMap<String, MemoryJudgement>| -> Value {
            (m.iter().map(|(name, m)| (name.clone(), memory(m))))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        (
            json!({ "all": memory(&self.memory), "by_source": sources(&self.memory_by_source) }),
            sweeps_json(&self.sweeps),
        )
    }

    /// The sections of the printed summary; empty where there is nothing to judge.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if self.memory.ran > 0 || self.memory.rows > 0 {
            text.push_str(&format!("\n{}", self.memory_table()));
        }
        if !self.sweeps.is_empty() {
            text.push_str(&format!("\n{}", regret_table(&self.sweeps)));
        }
        text
    }

    fn memory_table(&self) -> Table {
        let mut table = Table::new(&[
            ("Peak memory", Align::Left),
            ("Rows", Align::Right),
            ("MAPE", Align::Right),
            ("Median", Align::Right),
            ("Predicted/stated", Align::Right),
            ("Ran", Align::Right),
            ("Said not to fit", Align::Right),
        ]);
        let mut push = |name: String, m: &MemoryJudgement| {
            let known = |text: String| if m.rows > 0 { text } else { "–".to_owned() };
            table.push(vec![
                name,
                m.rows.to_string(),
                known(percent(m.mean)),
                known(percent(m.median)),
                known(format!("{:.2}", m.ratio)),
                m.ran.to_string(),
                format!(
                    "{} ({})",
                    m.refused,
                    percent(m.refused as f64 / m.ran.max(1) as f64)
                ),
            ]);
        };
        push("All".to_owned(), &self.memory);
        for (name, judgement) in &self.memory_by_source {
            push(format!("source {name}"), judgement);
        }
        table
    }
}

fn by_source(sweeps: &[LayoutSweep]) -> BTreeMap<&str, RegretSummary> {
    let mut sources: BTreeMap<&str, Vec<&LayoutSweep>> = BTreeMap::new();
    for sweep in sweeps {
        sources.entry(&sweep.source).or_default().push(sweep);
    }
    sources
        .into_iter()
        .map(|(source, sweeps)| (source, regret(sweeps.into_iter())))
        .collect()
}

/// Sweeps and what they add up to.
pub(super) fn sweeps_json(sweeps: &[LayoutSweep]) -> Value {
    let sum = |r: &RegretSummary| {
        let of_sweeps = |figure: f64| (r.sweeps > 0).then_some(figure);
        json!({
            "sweeps": r.sweeps, "layouts": r.layouts, "median": of_sweeps(r.median),
            "p90": of_sweeps(r.p90), "blind_median": of_sweeps(r.blind),
        })
    };
    json!({
        "all": sum(&regret(sweeps.iter())),
        "by_source": by_source(sweeps).into_iter()
            .map(|(name, r)| (name.to_owned(), sum(&r)))
            .collect::<serde_json::Map<_, _>>(),
        "sweeps": sweeps.iter().map(|s| json!({
            "source": s.source, "title": s.title, "layouts": s.layouts, "regret": s.regret,
            "chosen_row": s.chosen_row, "fastest_row": s.fastest_row, "blind": s.blind,
        })).collect::<Vec<_>>(),
    })
}

/// Regret of all sweeps and by publication.
pub(super) fn regret_table(sweeps: &[LayoutSweep]) -> Table {
    let mut table = Table::new(&[
        ("Choice of layout", Align::Left),
        ("Sweeps", Align::Right),
        ("Layouts", Align::Right),
        ("Median regret", Align::Right),
        ("90th percentile", Align::Right),
        ("Chosen blindly", Align::Right),
    ]);
    let mut push = |name: String, r: &RegretSummary| {
        table.push(vec![
            name,
            r.sweeps.to_string(),
            r.layouts.to_string(),
            percent(r.median),
            percent(r.p90),
            percent(r.blind),
        ]);
    };
    push("All".to_owned(), &regret(sweeps.iter()));
    for (name, summary) in by_source(sweeps) {
        push(format!("source {name}"), &summary);
    }
    table
}

/// Mean power against measured rows of parts left out.
pub(super) fn power_json(report: &PowerReport) -> Value {
    let of = |e: &PowerErrors| {
        let of_rows = |figure: f64| (e.rows > 0).then_some(figure);
        json!({ "rows": e.rows, "mape": of_rows(e.mean), "nine_in_ten": of_rows(e.widest) })
    };
    let parts = (report.parts.iter()).map(|(part, [all, at_work])| {
        let value = json!({ "all": of(all), "at_work": of(at_work) });
        (part.clone(), value)
    });
    let curve = &report.curve;
    json!({
        "idle_share": curve.idle[0], "idle_share_graphics_memory": curve.idle[1],
        "work_share": curve.work[0], "older_work_share": curve.work[1],
        "exponent": curve.exponent, "skipped": report.skipped,
        "all": of(&report.all), "at_work": of(&report.at_work), "waiting": of(&report.waiting),
        "by_part": parts.collect::<serde_json::Map<_, _>>(),
    })
}

/// The same for readers. At work: computing or moving memory for 80 % of the predicted step or more.
pub(super) fn power_table(report: &PowerReport) -> Table {
    let mut table = Table::new(&[
        ("Part left out", Align::Left),
        ("Rows", Align::Right),
        ("MAPE", Align::Right),
        ("At work", Align::Right),
        ("MAPE at work", Align::Right),
    ]);
    let mut push = |name: &str, [all, at_work]: &[PowerErrors; 2]| {
        table.push(vec![
            name.to_owned(),
            all.rows.to_string(),
            percent(all.mean),
            at_work.rows.to_string(),
            percent(at_work.mean),
        ]);
    };
    for (part, errors) in &report.parts {
        push(part, errors);
    }
    push("Parts with tensor cores", &[report.all, report.at_work]);
    table
}

/// A share with one decimal.
pub(super) fn percent(share: f64) -> String {
    format!("{}\u{202F}%", crate::format::fixed(share * 100.0, 1))
}
