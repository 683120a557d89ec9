//! The measured runs that ship: `assets/runs/*.csv`, embedded.

use include_dir::{Dir, File, include_dir};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::{DatasetError, MeasuredRun, read_runs};

static RUNS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/runs");
static FIRST_SIGHT: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/first-sight");
const LEFT_OUT: &str = "left_out.csv";

/// A run that was dropped, and why: for what its source says, never for how well it fits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LeftOut {
    /// Short key of the publication.
    pub source: String,
    /// File, and heading, of the publication.
    pub source_path: String,
    /// Model name.
    pub model: String,
    /// Accelerator name.
    pub gpu: String,
    /// Accelerators of the job, as written.
    pub gpus: String,
    /// Precision mode, as written.
    pub precision: String,
    /// Why it was dropped.
    pub reason: String,
}

/// Every shipped run, file after file in the order of their names; `row` counts within a file.
///
/// # Errors
/// [`DatasetError`] with the first row that does not read.
pub fn shipped_runs() -> Result<Vec<MeasuredRun>, DatasetError> {
    runs_of(&RUNS)
}

/// Every run of the publications that were read when the predictor was done, in the same order: what it is judged by, and no
/// fit takes.
///
/// # Errors
/// [`DatasetError`] with the first row that does not read.
pub fn first_sight_runs() -> Result<Vec<MeasuredRun>, DatasetError> {
    runs_of(&FIRST_SIGHT)
}

fn runs_of(folder: &'static Dir<'static>) -> Result<Vec<MeasuredRun>, DatasetError> {
    let mut runs = Vec::new();
    for file in tables(folder) {
        let report = read_runs(file.contents(), &name_of(file))?;
        if let Some(bad) = report.skipped.into_iter().next() {
            return Err(DatasetError::Shipped {
                row: bad.row,
                reason: bad.reason,
            });
        }
        runs.extend(report.runs);
    }
    Ok(runs)
}

/// Every run that was left out entirely.
pub fn left_out() -> Result<Vec<LeftOut>, DatasetError> {
    let bytes = RUNS.get_file(LEFT_OUT).map_or(&[][..], File::contents);
    read_table(bytes)
}

/// Rows of a shipped table.
///
/// # Errors
/// [`DatasetError::Shipped`] with the number of the first row that does not read.
pub(super) fn read_table<T: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>, DatasetError> {
    let mut table = csv::Reader::from_reader(bytes);
    let rows = table.deserialize().enumerate();
    rows.map(|(index, row)| {
        row.map_err(|error: csv::Error| DatasetError::Shipped {
            row: index + 1,
            reason: error.to_string(),
        })
    })
    .collect()
}

/// SHA-256, in hexadecimal, of the shipped tables of runs: each file's name and bytes, in the order of their names.
pub fn data_hash() -> String {
    let mut hash = Sha256::new();
    for file in tables(&RUNS) {
        hash.update(name_of(file).as_bytes());
        hash.update([0]);
        hash.update(file.contents());
        hash.update([0]);
    }
    hexadecimal(&hash.finalize())
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The tables of runs in a folder, sorted by name, so that neither order nor platform matters.
fn tables(folder: &'static Dir<'static>) -> Vec<&'static File<'static>> {
    let is_table = |file: &&File<'_>| {
        let name = name_of(file);
        name.ends_with(".csv") && name != LEFT_OUT
    };
    let mut files: Vec<_> = folder.files().filter(is_table).collect();
    files.sort_by_key(|file| name_of(file));
    files
}

fn name_of(file: &File<'_>) -> String {
    file.path().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::dataset::{Quality, Usage};

    #[test]
    fn every_shipped_row_reads_and_is_complete() {
        let runs = shipped_runs().unwrap();
        assert!(runs.len() > 10_000, "{}", runs.len());
        for run in &runs {
            let at = format!("{} row {}", run.source, run.row);
            assert!(
                run.group.is_some() && run.quality.is_some() && run.usage.is_some(),
                "{at}"
            );
            assert!(
                run.repeats.is_some() && run.tuning.is_some() && run.timed.is_some(),
                "{at}"
            );
            assert!(!run.source_path.is_empty(), "{at}");
        }
    }

    #[test]
    fn fit_rows_state_what_a_fit_needs_and_evidence_rows_say_what_they_lack() {
        for run in shipped_runs().unwrap() {
            let at = format!("{} row {}", run.source, run.row);
            if run.usage == Some(Usage::Evidence) {
                assert!(!run.reason.is_empty(), "{at}");
                continue;
            }
            assert!(
                run.precision.is_some() && run.samples_per_step().is_some(),
                "{at}"
            );
            assert!(run.stated_step_time_ms.is_some(), "{at}");
            assert!(
                run.quality == Some(Quality::A) || !run.reason.is_empty(),
                "{at}: a grade without a reason"
            );
        }
    }

    #[test]
    fn the_shipped_step_time_is_the_documented_rule() {
        for mut run in shipped_runs().unwrap() {
            let Some(shipped) = run.stated_step_time_ms.take() else {
                continue;
            };
            let derived = run.step_time_ms().unwrap();
            let at = format!("{} row {}", run.source, run.row);
            // Folded rows hold medians of the rate and of the time apart, so they may differ within the spread.
            let slack = 1e-4 + run.spread.unwrap_or(0.0);
            assert!(
                (derived / shipped - 1.0).abs() <= slack,
                "{at}: {derived} against {shipped}"
            );
        }
    }

    #[test]
    fn twins_share_a_group() {
        let mut groups: HashMap<String, HashSet<u32>> = HashMap::new();
        for run in shipped_runs().unwrap() {
            for twin in run.twin_group {
                groups.entry(twin).or_default().extend(run.group);
            }
        }
        assert!(groups.len() > 1_000);
        assert!(groups.values().all(|ids| ids.len() == 1));
    }

    #[test]
    fn what_was_left_out_is_listed_with_reasons() {
        let rows = left_out().unwrap();
        assert!(!rows.is_empty());
        assert!(
            rows.iter()
                .all(|row| !row.reason.is_empty() && !row.source.is_empty())
        );
    }

    #[test]
    fn the_hash_is_stable_hexadecimal() {
        let hash = data_hash();
        assert_eq!(hash.len(), 64);
        assert_eq!(hash, data_hash());
    }
}
