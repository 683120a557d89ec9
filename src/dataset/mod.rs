//! Measured runs: reading them, their step time, the runs that ship, and grouped splits.
//!
//! A run is one row of the schema in `assets/runs/README.md`. This module knows files and rows; it knows nothing of
//! presets (names stay raw words here), of physics or of predictors.

mod error;
mod form;
mod power;
mod read;
mod row;
mod run;
mod shipped;
mod splits;
mod step_time;

pub use error::DatasetError;
pub use power::{PowerRow, shipped_power};
pub use read::{ReadReport, SkippedRow, read_runs, read_runs_file};
pub use run::{MeasuredRun, Quality, Usage, YearMonth};
pub(crate) use shipped::hexadecimal;
pub use shipped::{LeftOut, data_hash, first_sight_runs, left_out, shipped_runs};
pub use splits::{Fold, k_fold, leave_groups_out, scale_split};
pub use step_time::NoStepTime;
