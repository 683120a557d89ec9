//! One list of what a person can do: it feeds the palette, the shortcuts and the tooltips; and the actions panels
//! send to the app.

use super::measure::{Axes, Region};
use super::rows::Column;
use super::state::{Field, View};
use crate::domain::PrecisionMode;
use crate::planner::PlanRequest;
use egui::{Key, KeyboardShortcut, Modifiers};

/// A command without further input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // each has its text below
pub enum UiCommand {
    Palette,
    NewPlan,
    OpenPlan,
    SavePlan,
    ExportCsv,
    ExportShownCsv,
    ExportJson,
    ExportHtml,
    SaveChart,
    CopyChart,
    CloseTab,
    NextTab,
    Undo,
    Redo,
    CopyRow,
    CopyTable,
    Calibrate,
    SaveCalibration,
    RemoveCalibration,
    ShowTradeOff,
    ShowScaling,
    ShowBreakdown,
    ShowHeatMap,
    ShowAccuracy,
    ShowCompare,
    SelectNext,
    SelectPrevious,
    PinSelection,
    PinAnswers,
    UnpinAll,
    FocusFilter,
    ClearFilter,
    ToggleWhiskers,
    ToggleLinear,
    Sensitivity,
    ResetColumns,
    ToggleTheme,
    FollowSystemTheme,
    ZoomIn,
    ZoomOut,
    ZoomReset,
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
    Runs,
    Window,
}

impl Group {
    /// Every menu, in order.
    pub const ALL: [Self; 6] = [
        Self::File,
        Self::Edit,
        Self::View,
        Self::Table,
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
    pub const ALL: [Self; 43] = [
        Self::Palette,
        Self::NewPlan,
        Self::OpenPlan,
        Self::SavePlan,
        Self::ExportCsv,
        Self::ExportShownCsv,
        Self::ExportJson,
        Self::ExportHtml,
        Self::SaveChart,
        Self::CopyChart,
        Self::CloseTab,
        Self::NextTab,
        Self::Undo,
        Self::Redo,
        Self::CopyRow,
        Self::CopyTable,
        Self::Calibrate,
        Self::SaveCalibration,
        Self::RemoveCalibration,
        Self::ShowTradeOff,
        Self::ShowScaling,
        Self::ShowBreakdown,
        Self::ShowHeatMap,
        Self::ShowAccuracy,
        Self::ShowCompare,
        Self::SelectNext,
        Self::SelectPrevious,
        Self::PinSelection,
        Self::PinAnswers,
        Self::UnpinAll,
        Self::FocusFilter,
        Self::ClearFilter,
        Self::ToggleWhiskers,
        Self::ToggleLinear,
        Self::Sensitivity,
        Self::ResetColumns,
        Self::ToggleTheme,
        Self::FollowSystemTheme,
        Self::ZoomIn,
        Self::ZoomOut,
        Self::ZoomReset,
        Self::Cancel,
        Self::Quit,
    ];

    /// Text and explanation.
    pub const fn text_and_tip(self) -> (&'static str, &'static str) {
        match self {
            Self::Palette => ("Search everything…", "Models, parts and commands"),
            Self::NewPlan => ("New plan…", "Start from a worked example or a file"),
            Self::OpenPlan => ("Open plan…", "Read a request from a TOML file"),
            Self::SavePlan => ("Save plan…", "Write this request to a TOML file"),
            Self::ExportCsv => ("Export CSV…", "Every combination of this plan as a table"),
            Self::ExportShownCsv => (
                "Export shown rows as CSV…",
                "The rows the filter lets pass, in the order of the table",
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
            Self::NextTab => ("Next tab", "Show the next plan"),
            Self::Undo => ("Undo", "Take back the last edit of the request"),
            Self::Redo => ("Redo", "Bring the edit back"),
            Self::CopyRow => ("Copy row", "The selected combination with its units"),
            Self::CopyTable => ("Copy table", "The rows shown, to paste into a spreadsheet"),
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
            Self::ShowTradeOff => ("Show trade-off", "Cost against time, with the Pareto front"),
            Self::ShowScaling => ("Show scaling", "Time against the number of accelerators"),
            Self::ShowBreakdown => ("Show breakdown", "Where each step goes"),
            Self::ShowHeatMap => ("Show heat map", "Precision against accelerator"),
            Self::ShowAccuracy => ("Show accuracy", "How the predictor was judged"),
            Self::ShowCompare => ("Show compare", "Pinned combinations side by side"),
            Self::SelectNext => ("Select next row", "The next row of the table"),
            Self::SelectPrevious => ("Select previous row", "The previous row of the table"),
            Self::PinSelection => (
                "Pin selection",
                "Keep the selected combination for the comparison, or let it go",
            ),
            Self::PinAnswers => (
                "Compare the answers",
                "Fastest, cheapest, within limits and greenest side by side",
            ),
            Self::UnpinAll => ("Unpin all", "Empty the comparison"),
            Self::FocusFilter => ("Filter the table", "Put the cursor into the filter"),
            Self::ClearFilter => ("Clear the filter", "Show every combination again"),
            Self::ToggleWhiskers => ("Show all intervals", "Whiskers on every point of the plot"),
            Self::ToggleLinear => (
                "Switch between log and linear axes",
                "How values are spread along the axes of the trade-off",
            ),
            Self::Sensitivity => (
                "What would change the answer",
                "The best plan if prices, networks or failures were others",
            ),
            Self::ResetColumns => ("Reset columns", "Those that fit the window"),
            Self::ToggleTheme => ("Switch theme", "Dark or light"),
            Self::FollowSystemTheme => {
                ("Follow the system's theme", "Dark or light as the desktop")
            }
            Self::ZoomIn => ("Zoom in", "Make everything larger"),
            Self::ZoomOut => ("Zoom out", "Make everything smaller"),
            Self::ZoomReset => ("Reset zoom", "Normal size"),
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
            | Self::ExportCsv
            | Self::ExportShownCsv
            | Self::ExportJson
            | Self::ExportHtml
            | Self::SaveChart
            | Self::CloseTab
            | Self::Quit => Group::File,
            Self::Undo | Self::Redo | Self::CopyRow | Self::CopyTable | Self::CopyChart => {
                Group::Edit
            }
            Self::ShowTradeOff
            | Self::ShowScaling
            | Self::ShowBreakdown
            | Self::ShowHeatMap
            | Self::ShowAccuracy
            | Self::ShowCompare
            | Self::ToggleWhiskers
            | Self::ToggleLinear
            | Self::Sensitivity => Group::View,
            Self::SelectNext
            | Self::SelectPrevious
            | Self::PinSelection
            | Self::PinAnswers
            | Self::UnpinAll
            | Self::FocusFilter
            | Self::ClearFilter
            | Self::ResetColumns => Group::Table,
            Self::Calibrate | Self::SaveCalibration | Self::RemoveCalibration => Group::Runs,
            Self::Palette
            | Self::NextTab
            | Self::ToggleTheme
            | Self::FollowSystemTheme
            | Self::ZoomIn
            | Self::ZoomOut
            | Self::ZoomReset
            | Self::Cancel => Group::Window,
        }
    }

    /// Text alone.
    pub const fn text(self) -> &'static str {
        self.text_and_tip().0
    }

    /// The key that runs it.
    pub fn shortcut(self) -> Option<KeyboardShortcut> {
        let ctrl = |key| Some(KeyboardShortcut::new(Modifiers::COMMAND, key));
        let both = Modifiers::COMMAND.plus(Modifiers::SHIFT);
        match self {
            Self::Palette => ctrl(Key::K),
            Self::NewPlan => ctrl(Key::T),
            Self::OpenPlan => ctrl(Key::O),
            Self::SavePlan => ctrl(Key::S),
            Self::ExportCsv => ctrl(Key::E),
            Self::CloseTab => ctrl(Key::W),
            Self::NextTab => Some(KeyboardShortcut::new(Modifiers::CTRL, Key::Tab)),
            Self::Undo => ctrl(Key::Z),
            Self::Redo => Some(KeyboardShortcut::new(both, Key::Z)),
            Self::ShowTradeOff => ctrl(Key::Num1),
            Self::ShowScaling => ctrl(Key::Num2),
            Self::ShowBreakdown => ctrl(Key::Num3),
            Self::ShowHeatMap => ctrl(Key::Num4),
            Self::ShowAccuracy => ctrl(Key::Num5),
            Self::ShowCompare => ctrl(Key::Num6),
            Self::PinSelection => ctrl(Key::P),
            Self::ToggleLinear => ctrl(Key::L),
            Self::ExportHtml => Some(KeyboardShortcut::new(both, Key::E)),
            // The system turns these keys into a copy event before they arrive: see `pressed`.
            Self::CopyRow => ctrl(Key::C),
            Self::SelectNext => Some(KeyboardShortcut::new(Modifiers::ALT, Key::ArrowDown)),
            Self::SelectPrevious => Some(KeyboardShortcut::new(Modifiers::ALT, Key::ArrowUp)),
            Self::FocusFilter => ctrl(Key::F),
            Self::ToggleWhiskers => ctrl(Key::I),
            Self::ToggleTheme => ctrl(Key::D),
            Self::ZoomIn => ctrl(Key::Plus),
            Self::ZoomOut => ctrl(Key::Minus),
            Self::ZoomReset => ctrl(Key::Num0),
            Self::Quit => ctrl(Key::Q),
            Self::ExportShownCsv
            | Self::ExportJson
            | Self::SaveChart
            | Self::CopyChart
            | Self::CopyTable
            | Self::PinAnswers
            | Self::UnpinAll
            | Self::ClearFilter
            | Self::Sensitivity
            | Self::ResetColumns
            | Self::FollowSystemTheme
            | Self::Calibrate
            | Self::SaveCalibration
            | Self::RemoveCalibration
            | Self::Cancel => None,
        }
    }

    /// What a button's tooltip says: the explanation and the key.
    pub fn tooltip(self, ctx: &egui::Context) -> String {
        let tip = self.text_and_tip().1;
        self.shortcut().map_or_else(
            || tip.to_owned(),
            |keys| format!("{tip} ({})", ctx.format_shortcut(&keys)),
        )
    }

    /// The command whose keys were pressed, if any; the longest combination wins.
    pub fn pressed(ctx: &egui::Context) -> Option<Self> {
        let mut list: Vec<_> = Self::ALL
            .into_iter()
            .filter_map(|c| c.shortcut().map(|keys| (c, keys)))
            .collect();
        list.sort_by_key(|(_, keys)| !keys.modifiers.shift);
        let copies = ctx.input(|i| i.events.iter().any(|e| matches!(e, egui::Event::Copy)));
        if copies && !ctx.text_edit_focused() {
            return Some(Self::CopyRow);
        }
        ctx.input_mut(|input| {
            list.into_iter()
                .find(|(_, keys)| input.consume_shortcut(keys))
                .map(|(command, _)| command)
        })
    }
}

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
            Self::ExportCsv | Self::ExportShownCsv => ("CSV", "csv"),
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
            Self::ExportShownCsv => ("Export the rows shown", "Export"),
            Self::ExportJson => ("Export the plan as JSON", "Export"),
            Self::ExportHtml => ("Export the report", "Export"),
            Self::SaveChart => ("Save the chart", "Save"),
            Self::SaveCalibration => ("Save the calibration", "Save"),
        }
    }
}

/// What a panel asks of the app.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // payloads named by their type
pub enum Action {
    Ui(UiCommand),
    /// A new request; the key names the field, so that keystrokes fold into one undo step.
    Edit(Box<PlanRequest>, &'static str),
    /// A new request from a text field.
    EditField(Box<PlanRequest>, Field),
    /// A request to go back to; texts that do not parse are dropped.
    ResetTo(Box<PlanRequest>),
    /// Text of a field that does not parse, with what is wrong.
    Draft(Field, String, String),
    Select(usize),
    ShowTab(usize),
    CloseTab(usize),
    NewFrom(Box<PlanRequest>),
    SetView(View),
    SortBy(Column),
    SetFilter(String),
    WithinOnly(bool),
    ParetoOnly(bool),
    /// Show what lies inside a box of the trade-off alone.
    SetRegion(Option<Region>),
    SetAxes(Axes),
    /// Whether the heat map has counts across rather than accelerators.
    HeatByCount(bool),
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
    ToggleMode(PrecisionMode),
    ToggleAccelerator(String),
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
}
