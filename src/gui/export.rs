//! What is taken away as a file or a picture. It is made ready in the window, which takes no time, and made on a thread beside it:
//! a large plan takes longer to write, and a chart to draw, than a frame may.

use super::command::PathPurpose;
use super::dialogs::{place_of, write_bytes};
use super::picture::Sheet;
use super::state::Tab;
use crate::planner::Plan;
use crate::report::{self, CsvForm};
use jiff::Zoned;
use std::sync::Arc;

/// What is written to a file.
pub enum Export {
    /// The combinations of a plan, in a form.
    Rows(Rows),
    /// A chart as a picture.
    Chart(Box<Sheet>),
}

/// A plan in one of its forms.
pub struct Rows {
    purpose: PathPurpose,
    plan: Arc<Plan>,
    /// The rows of the table, where these alone are asked for.
    shown: Vec<usize>,
    /// The day of a report.
    now: Zoned,
}

impl Export {
    /// The plan of a tab in the form asked.
    ///
    /// # Errors
    /// A sentence, where there is no plan.
    pub fn rows(purpose: PathPurpose, tab: Option<&Tab>, now: Zoned) -> Result<Self, String> {
        let (tab, plan) = tab
            .and_then(|t| Some((t, t.plan()?)))
            .ok_or("There is no plan to export yet")?;
        let shown = match purpose {
            PathPurpose::ExportShownCsv => tab.rows.shown.clone(),
            _ => Vec::new(),
        };
        Ok(Self::Rows(Rows {
            purpose,
            plan: Arc::clone(plan),
            shown,
            now,
        }))
    }

    /// Writes it; says what was written.
    ///
    /// # Errors
    /// A sentence, where the file cannot be written.
    pub fn write(&self, path: &str) -> Result<String, String> {
        match self {
            Self::Rows(rows) => {
                let (text, what) = rows.text();
                write_bytes(path, text.as_bytes())?;
                Ok(format!("Exported {what} to {}", place_of(path)))
            }
            Self::Chart(sheet) => {
                write_bytes(path, &sheet.png()?)?;
                Ok(format!("Saved the chart to {}", place_of(path)))
            }
        }
    }
}

impl Rows {
    /// The text of the file, and what it holds in words.
    fn text(&self) -> (String, String) {
        let plan = &self.plan;
        let all = plan.combinations.len();
        match self.purpose {
            PathPurpose::ExportShownCsv => {
                let rows = self.shown.iter().copied();
                let text = report::plan_csv_of(plan, rows, CsvForm::Point);
                (text, counted(self.shown.len()))
            }
            PathPurpose::ExportCommaCsv => (report::plan_csv(plan, CsvForm::Comma), counted(all)),
            PathPurpose::ExportJson => (format!("{:#}", report::plan_json(plan)), counted(all)),
            PathPurpose::ExportHtml => {
                (report::plan_html(plan, &self.now), "the report".to_owned())
            }
            _ => (report::plan_csv(plan, CsvForm::Point), counted(all)),
        }
    }
}

fn counted(rows: usize) -> String {
    match rows {
        1 => "1 combination".to_owned(),
        n => format!("{} combinations", crate::format::count(n as f64)),
    }
}
