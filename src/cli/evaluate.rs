//! `mantissa evaluate`: the shipped predictor held against measured runs.
//!
//! A bad row is skipped with its reason and never stops the rest; a prediction never sees an outcome column.

use super::args::EvaluateArgs;
use super::calibrate;
use super::failure::{Failure, print, print_json};
use super::files;
use super::judged::{Judged, percent};
use super::text::{Align, Table, shortened};
use crate::dataset::{MeasuredRun, NoStepTime, SkippedRow, read_runs_file};
use crate::format;
use crate::planner::{CalibrationProfile, JudgedRun};
use crate::predictor::Predictor;
use crate::presets::Catalogue;
use crate::report::{self, Cell, CsvForm};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The columns of `--predictions`, a contract.
const HEADER: [&str; 7] = [
    "row",
    "status",
    "reason",
    "measured_ms",
    "predicted_ms",
    "low_ms",
    "high_ms",
];

pub(super) fn run(args: &EvaluateArgs, catalogue: &Catalogue) -> Result<(), Failure> {
    files::keep_apart(
        &[
            ("--runs", Some(&args.runs)),
            ("--profile", args.profile.as_deref()),
        ],
        &[
            ("--predictions", args.predictions.as_deref()),
            ("--json", args.json.then_some(Path::new("-"))),
        ],
    )?;
    let profile = (args.profile.as_deref())
        .map(|path| calibrate::read(path, catalogue))
        .transpose()?;
    let predictor = Predictor::shipped().map_err(Failure::other)?;
    if let Some(profile) = &profile {
        calibrate::warn_if_stale(profile, &predictor);
    }
    let file = read_runs_file(&args.runs).map_err(Failure::input)?;
    let mut rows: Vec<EvaluatedRow> = file
        .runs
        .par_iter()
        .map(|run| evaluate(run, catalogue, &predictor, profile.as_ref()))
        .collect();
    rows.extend(file.skipped.into_iter().map(EvaluatedRow::unread));
    rows.sort_by_key(|row| row.row);
    if let Some(path) = &args.predictions {
        let form = CsvForm::with_decimal_comma(args.decimal_comma);
        files::write(path, &predictions_csv(&rows, form))?;
        if files::is_stdout(path) {
            return Ok(());
        }
    }
    if args.json {
        print_json(&as_json(&rows, predictor.version()))
    } else {
        print(&summary(&rows, predictor.version()))
    }
}

/// What became of one row.
#[derive(Debug, Clone, Default)]
struct EvaluatedRow {
    /// From 1 after the header.
    row: usize,
    /// Why it was skipped; `None` where it was predicted.
    skipped: Option<String>,
    /// What it contradicts itself in, where it was predicted all the same.
    odd: Option<String>,
    /// Why no measured time follows from what it states, where it states something.
    untimed: Option<String>,
    measured_ms: Option<f64>,
    /// Value and both ends of the interval.
    predicted_ms: Option<[f64; 3]>,
    source: String,
    precision: String,
    /// All of it, where it was predicted.
    judged: Option<JudgedRun>,
}

impl EvaluatedRow {
    fn unread(row: SkippedRow) -> Self {
        Self {
            row: row.row,
            skipped: Some(row.reason),
            ..Self::default()
        }
    }

    /// What is to be said of it, in one word, and why: it was skipped, its prediction is to be doubted, or nothing tells
    /// whether it is right.
    fn remark(&self) -> Option<(&'static str, &str)> {
        let remarks = [
            ("skipped", &self.skipped),
            ("doubtful", &self.odd),
            ("untimed", &self.untimed),
        ];
        (remarks.into_iter()).find_map(|(word, why)| Some((word, why.as_deref()?)))
    }

    /// Why of [`EvaluatedRow::remark`].
    fn reason(&self) -> Option<&str> {
        self.remark().map(|(_, why)| why)
    }

    /// Measured and predicted, where both are known.
    fn pair(&self) -> Option<(f64, [f64; 3])> {
        self.measured_ms.zip(self.predicted_ms)
    }
}

fn evaluate(
    run: &MeasuredRun,
    catalogue: &Catalogue,
    predictor: &Predictor,
    profile: Option<&CalibrationProfile>,
) -> EvaluatedRow {
    let mut judged = JudgedRun::new(run, catalogue, predictor);
    if let (Ok(judged), Some(profile)) = (&mut judged, profile) {
        profile.apply(&judged.configuration, &mut judged.prediction);
    }
    let step = |judged: &JudgedRun| {
        let step = judged.prediction.step_time.scaled(1e3);
        [step.value, step.low, step.high]
    };
    let measured = run.step_time_ms();
    let untimed = (measured.as_ref().err()).filter(|why| **why != NoStepTime::NothingStated);
    EvaluatedRow {
        row: run.row,
        untimed: untimed.map(NoStepTime::to_string),
        measured_ms: measured.ok(),
        predicted_ms: judged.as_ref().ok().map(step),
        skipped: judged.as_ref().err().cloned(),
        odd: (judged.as_ref().ok()).and_then(JudgedRun::contradiction),
        source: run.source.clone(),
        precision: run.precision.clone().unwrap_or_default(),
        judged: judged.ok(),
    }
}

fn predictions_csv(rows: &[EvaluatedRow], form: CsvForm) -> String {
    let lines = rows.iter().map(|row| {
        let [value, low, high] = row.predicted_ms.map_or([None; 3], |p| p.map(Some));
        vec![
            Cell::whole(row.row as u64),
            Cell::text(if row.skipped.is_some() {
                "skipped"
            } else {
                "ok"
            }),
            row.reason().map_or(Cell::Empty, Cell::words),
            Cell::optional(row.measured_ms),
            Cell::optional(value),
            Cell::optional(low),
            Cell::optional(high),
        ]
    });
    report::table_csv(&HEADER, lines, form)
}

/// Errors of a set of rows.
#[derive(Debug, Clone, Copy, Default)]
struct Errors {
    rows: usize,
    mape: f64,
    median_ape: f64,
    /// Share of measured times inside the interval.
    coverage: f64,
}

impl Errors {
    /// `None` where no row has both times.
    fn of<'a>(rows: impl Iterator<Item = &'a EvaluatedRow>) -> Option<Self> {
        let mut errors = Vec::new();
        let mut inside = 0usize;
        for (measured, [value, low, high]) in rows.filter_map(EvaluatedRow::pair) {
            errors.push((value / measured - 1.0).abs());
            inside += usize::from((low..=high).contains(&measured));
        }
        errors.sort_by(f64::total_cmp);
        let count = errors.len();
        let median_ape = *errors.get(count / 2)?;
        Some(Self {
            rows: count,
            mape: errors.iter().sum::<f64>() / count as f64,
            median_ape,
            coverage: inside as f64 / count as f64,
        })
    }
}

/// Why no error can be told of rows.
fn no_errors(rows: &[EvaluatedRow]) -> &'static str {
    let mut predicted = rows.iter().filter(|row| row.skipped.is_none());
    if rows.is_empty() {
        "the file has no rows"
    } else if predicted.next().is_none() {
        "no row could be predicted"
    } else if rows.iter().all(|row| row.measured_ms.is_none()) {
        "no row states a measured time"
    } else {
        "no row that could be predicted states a measured time"
    }
}

type ByWord = BTreeMap<String, Errors>;

fn grouped(rows: &[EvaluatedRow], word: impl Fn(&EvaluatedRow) -> &str) -> ByWord {
    let mut groups: BTreeMap<&str, Vec<&EvaluatedRow>> = BTreeMap::new();
    for row in rows {
        groups.entry(word(row)).or_default().push(row);
    }
    groups
        .into_iter()
        .filter_map(|(name, rows)| Some((name.to_owned(), Errors::of(rows.into_iter())?)))
        .collect()
}

fn as_json(rows: &[EvaluatedRow], version: &str) -> Value {
    let errors = |e: &Errors| json!({ "rows": e.rows, "mape": e.mape, "median_ape": e.median_ape, "coverage": e.coverage });
    let table = |groups: ByWord| -> Value {
        groups
            .iter()
            .map(|(name, e)| (name.clone(), errors(e)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let rows_json: Vec<Value> = rows
        .iter()
        .map(|row| {
            let [value, low, high] = row.predicted_ms.map_or([None; 3], |p| p.map(Some));
            json!({
                "row": row.row, "status": if row.skipped.is_some() { "skipped" } else { "ok" },
                "reason": row.reason(), "measured_ms": row.measured_ms, "predicted_ms": value,
                "low_ms": low, "high_ms": high, "source": row.source, "precision": row.precision,
                "memory_gib": row.judged.as_ref().map(|judged| report::memory_json(&judged.prediction.memory)),
                "measured_memory_gb": row.judged.as_ref().and_then(|judged| judged.run.mem_gb_per_gpu),
            })
        })
        .collect();
    let (memory, layouts) = judged(rows).json();
    json!({
        "predictor_version": version,
        "rows": rows.len(),
        "predicted": rows.iter().filter(|row| row.skipped.is_none()).count(),
        "errors": Errors::of(rows.iter()).as_ref().map(errors),
        "errors_reason": Errors::of(rows.iter()).is_none().then(|| no_errors(rows)),
        "by_precision": table(grouped(rows, |row| &row.precision)),
        "by_source": table(grouped(rows, |row| &row.source)),
        "memory": memory,
        "layout_choice": layouts,
        "predictions": rows_json,
    })
}

fn judged(rows: &[EvaluatedRow]) -> Judged {
    let runs: Vec<JudgedRun> = rows.iter().filter_map(|row| row.judged.clone()).collect();
    Judged::of(&runs)
}

fn summary(rows: &[EvaluatedRow], version: &str) -> String {
    let predicted = rows.iter().filter(|row| row.skipped.is_none()).count();
    let mut text = format!("{predicted} of {} rows predicted\n", rows.len());
    let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for row in rows {
        if let Some(remark) = row.remark() {
            *reasons.entry(remark).or_default() += 1;
        }
    }
    for ((what, reason), count) in reasons {
        text.push_str(&format!("  {what} {count}: {}\n", shortened(reason)));
    }
    match Errors::of(rows.iter()) {
        None => {
            let why = no_errors(rows);
            let (first, rest) = why.split_at(1);
            let first = first.to_uppercase();
            text.push_str(&format!("{first}{rest}, so there is no error to tell\n"));
        }
        Some(all) => {
            let mut table = Table::new(&[
                ("", Align::Left),
                ("Rows", Align::Right),
                ("MAPE", Align::Right),
                ("Median", Align::Right),
                ("Inside interval", Align::Right),
            ]);
            push(&mut table, "All".to_owned(), &all);
            for (name, errors) in grouped(rows, |row| &row.precision) {
                push(&mut table, format!("precision {name}"), &errors);
            }
            for (name, errors) in grouped(rows, |row| &row.source) {
                push(&mut table, format!("source {name}"), &errors);
            }
            text.push_str(&format!("\n{table}"));
        }
    }
    text.push_str(&judged(rows).text());
    text.push_str(&format!("\nPredictor {version}\n"));
    text
}

fn push(table: &mut Table, name: String, errors: &Errors) {
    table.push(vec![
        name,
        errors.rows.to_string(),
        percent(errors.mape),
        percent(errors.median_ape),
        format::percent(errors.coverage),
    ]);
}
