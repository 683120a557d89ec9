//! One list of what a person can do: it feeds the palette, the menus, the shortcuts and the tooltips.

pub use super::action::{Action, Asked, PathPurpose, Side};
use super::look::ChartStep;
use super::region::BoxStep;

/// A command without further input: a step names all there is to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // each has its text below
pub enum UiCommand {
    Palette,
    Shortcuts,
    NewPlan,
    OpenPlan,
    SavePlan,
    SavePlanAs,
    RenamePlan,
    CopyPlan,
    PastePlan,
    ExportCsv,
    ExportShownCsv,
    ExportCommaCsv,
    ExportJson,
    ExportHtml,
    SaveChart,
    CopyChart,
    CloseTab,
    ReopenTab,
    NextTab,
    PreviousTab,
    Undo,
    Redo,
    LargestBatch,
    EverySeller,
    CopyRow,
    CopyTable,
    OpenRuns,
    Calibrate,
    SaveCalibration,
    RemoveCalibration,
    PutCalibrationBack,
    ShowTradeOff,
    ShowScaling,
    ShowBreakdown,
    ShowHeatMap,
    ShowWhy,
    ShowEvidence,
    ShowAccuracy,
    ShowCompare,
    SelectNext,
    SelectPrevious,
    Back,
    Forward,
    PinSelection,
    PinAnswers,
    UnpinAll,
    FocusFilter,
    ClearFilter,
    HowToRead,
    ToggleWhiskers,
    ToggleLinear,
    ShowAllSeries,
    Sensitivity,
    ResetColumns,
    PageDown,
    PageUp,
    InspectorDown,
    InspectorUp,
    CellLeft,
    CellRight,
    CopyCell,
    BoxAround,
    Box(BoxStep),
    BoxRemove,
    Chart(ChartStep),
    ToggleRequest,
    ToggleInspector,
    UsualWidths,
    DarkTheme,
    LightTheme,
    ToggleTheme,
    FollowSystemTheme,
    FullScreen,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    NextRegion,
    PreviousRegion,
    Compute,
    Cancel,
    Quit,
}

/// Where a command stands in the menus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // named by their titles
pub enum Group {
    File,
    Edit,
    View,
    Table,
    Box,
    Runs,
    Window,
}

impl Group {
    /// Every menu, in order.
    pub const ALL: [Self; 7] = [
        Self::File,
        Self::Edit,
        Self::View,
        Self::Table,
        Self::Box,
        Self::Runs,
        Self::Window,
    ];

    /// Title of the menu.
    pub const fn title(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::View => "View",
            Self::Table => "Table and compare",
            Self::Box => "Look and box on the trade-off",
            Self::Runs => "Your measured runs",
            Self::Window => "Window",
        }
    }

    /// Its commands.
    pub fn commands(self) -> impl Iterator<Item = UiCommand> {
        UiCommand::ALL
            .into_iter()
            .filter(move |c| c.group() == self)
    }
}

impl UiCommand {
    /// Every command, in the order of the palette.
    pub const ALL: [Self; 94] = [
        Self::Palette,
        Self::Shortcuts,
        Self::NewPlan,
        Self::OpenPlan,
        Self::SavePlan,
        Self::SavePlanAs,
        Self::RenamePlan,
        Self::CopyPlan,
        Self::PastePlan,
        Self::ExportCsv,
        Self::ExportShownCsv,
        Self::ExportCommaCsv,
        Self::ExportJson,
        Self::ExportHtml,
        Self::SaveChart,
        Self::CopyChart,
        Self::CloseTab,
        Self::ReopenTab,
        Self::NextTab,
        Self::PreviousTab,
        Self::Undo,
        Self::Redo,
        Self::LargestBatch,
        Self::EverySeller,
        Self::CopyRow,
        Self::CopyTable,
        Self::OpenRuns,
        Self::Calibrate,
        Self::SaveCalibration,
        Self::RemoveCalibration,
        Self::PutCalibrationBack,
        Self::ShowTradeOff,
        Self::ShowScaling,
        Self::ShowBreakdown,
        Self::ShowHeatMap,
        Self::ShowWhy,
        Self::ShowEvidence,
        Self::ShowAccuracy,
        Self::ShowCompare,
        Self::SelectNext,
        Self::SelectPrevious,
        Self::Back,
        Self::Forward,
        Self::PinSelection,
        Self::PinAnswers,
        Self::UnpinAll,
        Self::FocusFilter,
        Self::ClearFilter,
        Self::HowToRead,
        Self::ToggleWhiskers,
        Self::ToggleLinear,
        Self::ShowAllSeries,
        Self::Sensitivity,
        Self::ResetColumns,
        Self::PageDown,
        Self::PageUp,
        Self::InspectorDown,
        Self::InspectorUp,
        Self::CellLeft,
        Self::CellRight,
        Self::CopyCell,
        Self::BoxAround,
        Self::Box(BoxStep::Left),
        Self::Box(BoxStep::Right),
        Self::Box(BoxStep::Up),
        Self::Box(BoxStep::Down),
        Self::Box(BoxStep::Wider),
        Self::Box(BoxStep::Narrower),
        Self::Box(BoxStep::Taller),
        Self::Box(BoxStep::Lower),
        Self::BoxRemove,
        Self::Chart(ChartStep::Closer),
        Self::Chart(ChartStep::Farther),
        Self::Chart(ChartStep::Left),
        Self::Chart(ChartStep::Right),
        Self::Chart(ChartStep::Up),
        Self::Chart(ChartStep::Down),
        Self::Chart(ChartStep::Whole),
        Self::ToggleRequest,
        Self::ToggleInspector,
        Self::UsualWidths,
        Self::DarkTheme,
        Self::LightTheme,
        Self::ToggleTheme,
        Self::FollowSystemTheme,
        Self::FullScreen,
        Self::ZoomIn,
        Self::ZoomOut,
        Self::ZoomReset,
        Self::NextRegion,
        Self::PreviousRegion,
        Self::Compute,
        Self::Cancel,
        Self::Quit,
    ];

    /// Text and explanation.
    pub const fn text_and_tip(self) -> (&'static str, &'static str) {
        match self {
            Self::Palette => ("Search everything…", "Models, parts, fields and commands"),
            Self::Shortcuts => (
                "Keyboard shortcuts…",
                "Every command that has a key, in the list that searches everything",
            ),
            Self::NewPlan => ("New plan…", "Start from a worked example or a file"),
            Self::OpenPlan => ("Open plan…", "Read a request from a TOML file"),
            Self::SavePlan => (
                "Save plan",
                "Write this request to its file; asks for one where it has none",
            ),
            Self::SavePlanAs => ("Save plan as…", "Write this request to another TOML file"),
            Self::RenamePlan => (
                "Rename plan…",
                "Give it a title of its own; an empty one follows the model",
            ),
            Self::CopyPlan => (
                "Copy plan as text",
                "The request as a few lines of TOML, to paste into a mail or another window",
            ),
            Self::PastePlan => ("Paste plan", "Open the copied text of a plan in a new tab"),
            Self::ExportCsv => ("Export CSV…", "Every combination of this plan as a table"),
            Self::ExportShownCsv => (
                "Export shown rows as CSV…",
                "The rows the filter lets pass, in the order of the table",
            ),
            Self::ExportCommaCsv => (
                "Export CSV with decimal commas…",
                "Every combination, for a spreadsheet set to a language with a decimal comma",
            ),
            Self::ExportJson => ("Export JSON…", "The whole plan for scripts"),
            Self::ExportHtml => (
                "Export report…",
                "One page with charts and every figure, to print or send",
            ),
            Self::SaveChart => ("Save chart as picture…", "The view in the centre as a PNG"),
            Self::CopyChart => (
                "Copy chart as picture",
                "The view in the centre, onto the clipboard",
            ),
            Self::CloseTab => ("Close tab", "Close this plan"),
            Self::ReopenTab => ("Reopen closed tab", "The plan that was closed last"),
            Self::NextTab => ("Next tab", "Show the next plan"),
            Self::PreviousTab => ("Previous tab", "Show the plan before it"),
            Self::Undo => ("Undo", "Take back the last edit of the request"),
            Self::Redo => ("Redo", "Bring the edit back"),
            Self::LargestBatch => (
                "Use the largest batch that fits",
                "Sets the batch at which the selected layout takes its largest micro-batch in every micro-step; global stays \
                 global, each stays each, and every combination is planned with it",
            ),
            Self::EverySeller => (
                "Every seller side by side",
                "A point and a row for each seller of a part, or the cheapest alone again",
            ),
            Self::CopyRow => ("Copy row", "The selected combination with its units"),
            Self::CopyTable => ("Copy table", "The rows shown, to paste into a spreadsheet"),
            Self::OpenRuns => ("Choose a file of runs…", "A CSV table of runs you measured"),
            Self::Calibrate => (
                "Calibrate on these runs",
                "Correct every plan by how your measured runs differ from their predictions",
            ),
            Self::SaveCalibration => (
                "Save calibration…",
                "Write the factors to a file, to open again or give to others",
            ),
            Self::RemoveCalibration => (
                "Remove the calibration",
                "Back to the predictor as it ships",
            ),
            Self::PutCalibrationBack => (
                "Put the calibration back",
                "The one that was removed or replaced last",
            ),
            Self::ShowTradeOff => ("Show trade-off", "Cost against time, with the Pareto front"),
            Self::ShowScaling => ("Show scaling", "Time against the number of accelerators"),
            Self::ShowBreakdown => ("Show breakdown", "Where each step goes"),
            Self::ShowHeatMap => ("Show heat map", "Precision against accelerator"),
            Self::ShowWhy => (
                "Show why",
                "From physics to prediction, what limits it, and what matters in each stage",
            ),
            Self::ShowEvidence => (
                "Show evidence",
                "The nearest measured runs, and where the prediction lies among them",
            ),
            Self::ShowAccuracy => ("Show accuracy", "How the predictor was judged"),
            Self::ShowCompare => ("Show compare", "Pinned combinations side by side"),
            Self::SelectNext => ("Select next row", "The next row of the table"),
            Self::SelectPrevious => ("Select previous row", "The previous row of the table"),
            Self::Back => ("Back", "The combination that was selected before"),
            Self::Forward => ("Forward", "The combination that “Back” came from"),
            Self::PinSelection => (
                "Pin selection",
                "Keep the selected combination for the comparison, or let it go",
            ),
            Self::PinAnswers => (
                "Compare the answers",
                "Fastest, cheapest, within limits and least energy or CO₂e side by side",
            ),
            Self::UnpinAll => ("Unpin all", "Empty the comparison"),
            Self::FocusFilter => (
                "Filter the table",
                "Words, cost < 2k, time <= 2d, precision = fp8, joined by and",
            ),
            Self::ClearFilter => ("Clear the filter", "Show every combination again"),
            Self::HowToRead => (
                "How to read this view",
                "What its marks, whiskers, shades and columns mean",
            ),
            Self::ToggleWhiskers => ("Show all intervals", "Whiskers on every point of the plot"),
            Self::ToggleLinear => (
                "Switch between log and linear axes",
                "How values are spread along the axes of the trade-off",
            ),
            Self::ShowAllSeries => (
                "Show every series",
                "Every mode and accelerator that the legend hides",
            ),
            Self::Sensitivity => (
                "What would change the answer",
                "The best plan if prices, networks or failures were others",
            ),
            Self::ResetColumns => ("Reset columns", "Those that fit the window"),
            Self::PageDown => ("Page down", "In the view, or ten rows of the table"),
            Self::PageUp => ("Page up", "In the view, or ten rows of the table"),
            Self::InspectorDown => ("Inspector down", "More of the selected combination"),
            Self::InspectorUp => ("Inspector up", "Back towards its figures"),
            Self::CellLeft => ("Cell to the left", "In the selected row of the table"),
            Self::CellRight => ("Cell to the right", "In the selected row of the table"),
            Self::CopyCell => (
                "Copy cell",
                "The marked cell of the selected row, with its unit",
            ),
            Self::BoxAround => (
                "Box around the selection",
                "Show what lies near the selected point alone; arrows move the box",
            ),
            Self::Box(step) => (step.text(), "Over the trade-off"),
            Self::BoxRemove => ("Remove the box", "Show what lies outside again"),
            Self::Chart(step) => step.text_and_tip(),
            Self::ToggleRequest => ("Hide or show the request", "The panel at the left"),
            Self::ToggleInspector => ("Hide or show the inspector", "The panel at the right"),
            Self::UsualWidths => ("Reset panels", "Both shown, as wide as they come"),
            Self::DarkTheme => ("Dark theme", "Light words on dark ground"),
            Self::LightTheme => ("Light theme", "Dark words on light ground"),
            Self::ToggleTheme => ("Switch theme", "Dark or light"),
            Self::FollowSystemTheme => {
                ("Follow the system's theme", "Dark or light as the desktop")
            }
            Self::FullScreen => ("Full screen", "Only this window, or back to its size"),
            Self::ZoomIn => ("Zoom in", "Make everything larger"),
            Self::ZoomOut => ("Zoom out", "Make everything smaller"),
            Self::ZoomReset => ("Reset zoom", "Normal size"),
            Self::NextRegion => (
                "Next region",
                "Top bar, request, views, table, inspector: the keyboard goes on to the next",
            ),
            Self::PreviousRegion => ("Previous region", "The keyboard goes back by one"),
            Self::Compute => (
                "Compute again",
                "Plan the request as it stands, after a stop or for good measure",
            ),
            Self::Cancel => ("Stop computing", "Keep the last result"),
            Self::Quit => ("Quit", "Close the window; plans are kept"),
        }
    }

    /// The menu it stands in.
    pub const fn group(self) -> Group {
        match self {
            Self::NewPlan
            | Self::OpenPlan
            | Self::SavePlan
            | Self::SavePlanAs
            | Self::RenamePlan
            | Self::CopyPlan
            | Self::PastePlan
            | Self::ExportCsv
            | Self::ExportShownCsv
            | Self::ExportCommaCsv
            | Self::ExportJson
            | Self::ExportHtml
            | Self::SaveChart
            | Self::CloseTab
            | Self::ReopenTab
            | Self::Quit => Group::File,
            Self::Undo
            | Self::Redo
            | Self::LargestBatch
            | Self::EverySeller
            | Self::CopyCell
            | Self::CopyRow
            | Self::CopyTable
            | Self::CopyChart => Group::Edit,
            Self::ShowTradeOff
            | Self::ShowScaling
            | Self::ShowBreakdown
            | Self::ShowHeatMap
            | Self::ShowWhy
            | Self::ShowEvidence
            | Self::ShowAccuracy
            | Self::ShowCompare
            | Self::HowToRead
            | Self::ToggleWhiskers
            | Self::ToggleLinear
            | Self::ShowAllSeries
            | Self::PageDown
            | Self::PageUp
            | Self::InspectorDown
            | Self::InspectorUp
            | Self::Sensitivity => Group::View,
            Self::SelectNext
            | Self::SelectPrevious
            | Self::Back
            | Self::Forward
            | Self::PinSelection
            | Self::PinAnswers
            | Self::UnpinAll
            | Self::FocusFilter
            | Self::ClearFilter
            | Self::CellLeft
            | Self::CellRight
            | Self::ResetColumns => Group::Table,
            Self::BoxAround | Self::Box(_) | Self::BoxRemove | Self::Chart(_) => Group::Box,
            Self::OpenRuns
            | Self::Calibrate
            | Self::SaveCalibration
            | Self::RemoveCalibration
            | Self::PutCalibrationBack => Group::Runs,
            Self::Palette
            | Self::Shortcuts
            | Self::NextTab
            | Self::PreviousTab
            | Self::ToggleRequest
            | Self::ToggleInspector
            | Self::UsualWidths
            | Self::DarkTheme
            | Self::LightTheme
            | Self::ToggleTheme
            | Self::FollowSystemTheme
            | Self::FullScreen
            | Self::ZoomIn
            | Self::ZoomOut
            | Self::ZoomReset
            | Self::NextRegion
            | Self::PreviousRegion
            | Self::Compute
            | Self::Cancel => Group::Window,
        }
    }

    /// Text alone.
    pub const fn text(self) -> &'static str {
        self.text_and_tip().0
    }
}
