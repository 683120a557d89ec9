//! What panels send to the app: commands, edits, and choices with what was chosen; and what a path is wanted for.

use super::command::UiCommand;
use super::measure::{Axes, Region};
use super::places::Place;
use super::rows::Column;
use super::state::{Field, View};
use crate::domain::PrecisionMode;
use crate::planner::PlanRequest;

/// What a path is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathPurpose {
    /// Read a request.
    OpenPlan,
    /// Write the request.
    SavePlan,
    /// Write the plan's table.
    ExportCsv,
    /// Write the rows of the table that are shown.
    ExportShownCsv,
    /// Write the plan's table with decimal commas.
    ExportCommaCsv,
    /// Write the plan for scripts.
    ExportJson,
    /// Write the printable page.
    ExportHtml,
    /// Write the view in the centre as a picture.
    SaveChart,
    /// Write the calibration.
    SaveCalibration,
}

impl PathPurpose {
    /// Kind of file and its extension.
    pub const fn kind(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenPlan | Self::SavePlan => ("Mantissa plan", "toml"),
            Self::ExportCsv | Self::ExportShownCsv | Self::ExportCommaCsv => ("CSV", "csv"),
            Self::ExportJson => ("JSON", "json"),
            Self::ExportHtml => ("HTML page", "html"),
            Self::SaveChart => ("PNG picture", "png"),
            Self::SaveCalibration => ("Mantissa calibration", "toml"),
        }
    }

    /// Title of the dialog and the word on its button.
    pub const fn title_and_verb(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenPlan => ("Open a file", "Open"),
            Self::SavePlan => ("Save this plan", "Save"),
            Self::ExportCsv => ("Export every combination", "Export"),
            Self::ExportCommaCsv => ("Export with decimal commas", "Export"),
            Self::ExportShownCsv => ("Export the rows shown", "Export"),
            Self::ExportJson => ("Export the plan as JSON", "Export"),
            Self::ExportHtml => ("Export the report", "Export"),
            Self::SaveChart => ("Save the chart", "Save"),
            Self::SaveCalibration => ("Save the calibration", "Save"),
        }
    }
}

/// What a path is asked for, and of which tab: another may be shown when the path comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// What the path is wanted for.
    pub purpose: PathPurpose,
    /// Id of the tab that was shown when it was asked for.
    pub tab: u64,
}

/// A panel beside the centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The request, at the left.
    Request,
    /// The inspector, at the right.
    Inspector,
}

/// What a panel asks of the app.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // payloads named by their type
pub enum Action {
    Ui(UiCommand),
    /// A new request; the key names the field, so that keystrokes fold into one undo step.
    Edit(Box<PlanRequest>, &'static str),
    /// Another model, by its name in the catalogue, with a length of training it can have.
    SetModel(String),
    /// A new request from a text field.
    EditField(Box<PlanRequest>, Field),
    /// A request to go back to; texts that do not parse are dropped.
    ResetTo(Box<PlanRequest>),
    /// Text of a field that does not parse, with what is wrong.
    Draft(Field, String, String),
    /// Bring back what a refused field had before.
    Restore(Field),
    Select(usize),
    /// The pointer came to a combination in some view, or left the last one.
    Hover(Option<usize>),
    ShowTab(usize),
    CloseTab(usize),
    /// Give the plan of a tab, by its id, another title.
    Rename(u64),
    /// What the title is so far.
    RenameText(String),
    /// Take the title as it was typed, or leave the old one.
    EndRename(bool),
    NewFrom(Box<PlanRequest>),
    SetView(View),
    SortBy(Column),
    SetFilter(String),
    WithinOnly(bool),
    ParetoOnly(bool),
    /// Show what lies inside a box of the trade-off alone.
    SetRegion(Option<Region>),
    /// Mark a cell of the selected row.
    SetCell(Column),
    SetAxes(Axes),
    /// Whether the heat map has counts across rather than accelerators.
    HeatByCount(bool),
    /// Whether the scaling view draws every mode.
    EveryMode(bool),
    /// Columns of the table; `None` = those that fit.
    SetColumns(Option<Vec<Column>>),
    /// Pin a combination, or let it go where it is pinned.
    TogglePin(usize),
    /// Let the n-th pin go.
    Unpin(usize),
    /// Compare the others with the n-th pin.
    MakeBaseline(usize),
    /// Put a text onto the clipboard and say what it was.
    Copy(String, &'static str),
    /// Open an address in the browser.
    Open(String),
    ToggleMode(PrecisionMode),
    ToggleAccelerator(String),
    /// Show one mode alone; every mode where it is alone already.
    OnlyMode(PrecisionMode),
    /// Show one accelerator alone; every one where it is alone already.
    OnlyAccelerator(String),
    /// A panel was made wider or narrower; `None` = as wide as it comes.
    SetWidth(Side, Option<f32>),
    /// The text of a plan was pasted.
    PastePlan(String),
    ExpandRefused(bool),
    /// A path was typed or chosen.
    Path(PathPurpose, String),
    /// Type a path instead of choosing one.
    TypePath(PathPurpose),
    CloseDialog,
    /// Put the measured runs away.
    CloseEvaluation,
    DismissNotice,
    PaletteText(String),
    /// Put the keyboard into a field.
    GoTo(Place),
}
