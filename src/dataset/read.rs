//! Reading a table of runs. Columns may stand in any order; unknown ones are ignored, optional ones may be missing. Cells are
//! apart by commas, semicolons or tabs, as the header has it; beside semicolons numbers may have decimal commas.
//! A row that does not read is skipped with its reason and the rest goes on.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use csv::ByteRecord;

use super::form::{Lines, Separator, column_name, no_text};
use super::row::{Cell, Columns, Row};
use super::{DatasetError, MeasuredRun, Quality, Usage};
use crate::domain::MemoryCounter;

/// Columns without which a row is no run.
const REQUIRED: [&str; 4] = ["model", "gpu", "gpus", "precision"];
const QUALITIES: [(&str, Quality); 3] = [("A", Quality::A), ("B", Quality::B), ("C", Quality::C)];
const COUNTERS: [(&str, MemoryCounter); 3] = [
    ("allocated", MemoryCounter::Allocated),
    ("reserved", MemoryCounter::Reserved),
    ("device", MemoryCounter::Device),
];
const USAGES: [(&str, Usage); 3] = [
    ("fit", Usage::Fit),
    ("evidence", Usage::Evidence),
    ("test", Usage::Test),
];

/// A row that does not read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedRow {
    /// Row in the file, from 1 after the header.
    pub row: usize,
    /// File, line, column and value, and what is allowed there.
    pub reason: String,
}

/// What a file of runs holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadReport {
    /// The runs that read, in the file's order.
    pub runs: Vec<MeasuredRun>,
    /// The rows that do not.
    pub skipped: Vec<SkippedRow>,
}

/// Reads runs from a file on disk.
pub fn read_runs_file(path: &Path) -> Result<ReadReport, DatasetError> {
    let file = path.display().to_string();
    match File::open(path) {
        Ok(handle) => read_runs(BufReader::new(handle), &file),
        Err(source) => Err(DatasetError::Io { file, source }),
    }
}

/// Reads runs from a table; `file` is the name that messages carry.
pub fn read_runs(mut reader: impl Read, file: &str) -> Result<ReadReport, DatasetError> {
    let mut bytes = Vec::new();
    if let Err(source) = reader.read_to_end(&mut bytes) {
        let file = file.to_owned();
        return Err(DatasetError::Io { file, source });
    }
    if let Some(what) = no_text(&bytes) {
        let file = file.to_owned();
        return Err(DatasetError::NoText { file, what });
    }
    let separator = Separator::of(&bytes, &REQUIRED);
    let mut table = separator.table(&bytes);
    let header = table.byte_headers().map_err(|error| broken(file, error))?;
    let columns = read_header(header, file)?;
    let width = header.len();
    let mut lines = Lines::of(&bytes);
    let mut report = ReadReport::default();
    let mut record = ByteRecord::new();
    let mut row = 0;
    while table
        .read_byte_record(&mut record)
        .map_err(|error| broken(file, error))?
    {
        row += 1;
        let line = (record.position()).map_or(row as u64 + 1, |at| lines.line_at(at.byte()));
        let cells: Result<Vec<&str>, _> = record.iter().map(std::str::from_utf8).collect();
        let run = cells
            .map_err(|_| format!("{file}: line {line}: not valid UTF-8"))
            .and_then(|cells| {
                let cells = Row {
                    columns: &columns,
                    cells: &cells,
                    decimal_comma: separator == Separator::Semicolon,
                    file,
                    line,
                };
                read_record(&cells, row, width)
            });
        match run {
            Ok(run) => report.runs.push(run),
            Err(reason) => report.skipped.push(SkippedRow { row, reason }),
        }
    }
    Ok(report)
}

/// Where each column is.
fn read_header(header: &ByteRecord, file: &str) -> Result<Columns, DatasetError> {
    let required = REQUIRED.map(|column| format!("`{column}`")).join(", ");
    let mut columns = Columns::new();
    for (at, cell) in header.iter().enumerate() {
        let name = column_name(cell);
        if !name.is_empty() && columns.insert(name.clone(), at).is_some() {
            return Err(DatasetError::RepeatedColumn {
                file: file.to_owned(),
                column: name,
            });
        }
    }
    if columns.is_empty() {
        return Err(DatasetError::NoHeader {
            file: file.to_owned(),
            required,
        });
    }
    match REQUIRED
        .into_iter()
        .find(|column| !columns.contains_key(*column))
    {
        Some(column) => Err(DatasetError::MissingColumn {
            file: file.to_owned(),
            column,
            required,
        }),
        None => Ok(columns),
    }
}

/// One run, or why the record is none.
fn read_record(cells: &Row<'_>, row: usize, width: usize) -> Cell<MeasuredRun> {
    let (found, file, line) = (cells.cells.len(), cells.file, cells.line);
    if found != width {
        return Err(format!(
            "{file}: line {line}: {found} cells where the header names {width} columns"
        ));
    }
    read_run(cells, row)
}

/// One run from checked cells.
fn read_run(cells: &Row<'_>, row: usize) -> Cell<MeasuredRun> {
    let mut run = MeasuredRun {
        row,
        source: cells.text("source").to_owned(),
        source_path: cells.text("source_path").to_owned(),
        source_date: cells.month("source_date")?,
        model: cells.required("model")?,
        task: cells.word("task"),
        framework: cells.word("framework"),
        stack: cells.word("stack"),
        gpu: cells.required("gpu")?,
        system: cells.word("system"),
        gpus: cells.required_count("gpus")?,
        nodes: cells.count("nodes")?,
        interconnect: cells.word("interconnect"),
        precision: cells.word("precision"),
        ..MeasuredRun::default()
    };
    read_strategy(cells, &mut run)?;
    read_outcomes(cells, &mut run)?;
    read_curation(cells, &mut run)?;
    Ok(run)
}

/// Batch, shapes and how the run is laid out.
fn read_strategy(cells: &Row<'_>, run: &mut MeasuredRun) -> Cell<()> {
    run.batch_per_gpu = cells.positive("batch_per_gpu")?;
    run.grad_accum = cells.count("grad_accum")?;
    run.global_batch = cells.positive("global_batch")?;
    run.seq_len = cells.count("seq_len")?;
    run.image_size = cells.count("image_size")?;
    run.dp = cells.count("dp")?;
    run.tp = cells.count("tp")?;
    run.pp = cells.count("pp")?;
    run.cp = cells.count("cp")?;
    run.ep = cells.count("ep")?;
    run.sharding = cells.word("sharding");
    run.act_ckpt = cells.word("act_ckpt");
    run.flags = cells.list("flags");
    run.tuning = cells.word("tuning");
    run.timed = cells.word("timed");
    run.replication = cells.word("replication");
    Ok(())
}

/// What was measured.
fn read_outcomes(cells: &Row<'_>, run: &mut MeasuredRun) -> Cell<()> {
    run.throughput = cells.positive("throughput")?;
    run.throughput_unit = cells.word("throughput_unit");
    run.iter_time_ms = cells.positive("iter_time_ms")?;
    run.tflops_per_gpu = cells.non_negative("tflops_per_gpu")?;
    run.mfu = cells.non_negative("mfu")?;
    run.mem_gb_per_gpu = cells.non_negative("mem_gb_per_gpu")?;
    run.memory_counter = cells.choice("memory_counter", &COUNTERS)?;
    run.notes = cells.text("notes").to_owned();
    run.stated_step_time_ms = cells.positive("step_time_ms")?;
    Ok(())
}

/// What curation added.
fn read_curation(cells: &Row<'_>, run: &mut MeasuredRun) -> Cell<()> {
    run.twin_group = cells.list("twin_group");
    run.quality = cells.choice("quality", &QUALITIES)?;
    run.group = cells.count("group")?;
    run.repeats = cells.count("repeats")?;
    run.spread = cells.non_negative("spread")?;
    run.usage = cells.choice("use", &USAGES)?;
    run.reason = cells.text("reason").to_owned();
    Ok(())
}

/// A failure of the reader itself; bad cells and ragged rows never come here.
fn broken(file: &str, error: csv::Error) -> DatasetError {
    let file = file.to_owned();
    let source = match error.into_kind() {
        csv::ErrorKind::Io(source) => source,
        kind => std::io::Error::other(format!("{kind:?}")),
    };
    DatasetError::Io { file, source }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
