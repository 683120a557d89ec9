//! Plans and predictions as files: one exporter a file, all pure; [`save`] alone touches the disk.

mod choices;
mod csv;
mod csv_request;
mod day;
mod html;
mod html_facts;
mod json;
mod marks;
mod save;
mod svg;
mod table;
mod titles;
mod units;

pub use choices::{advice_json, schedules_csv, sensitivity_csv, sensitivity_json};
pub use csv::{plan_csv, plan_csv_of};
pub use day::{day, done_on, done_said};
pub use html::plan_html;
pub use json::{explanation_json, memory_json, plan_json, run_json};
pub use marks::Mark;
pub use save::{SaveError, replaced_file, save, save_bytes};
pub use table::{Cell, CsvForm, no_formula, table_csv};
pub use titles::{file_title, made_title, model_label, title_of};
pub use units::{ColumnFigure, ColumnUnit, ColumnUnits};
