//! The menus that commands stand in.

use super::command::UiCommand;

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

    /// Its commands; those that take back come first, as in every program.
    pub fn commands(self) -> impl Iterator<Item = UiCommand> {
        let all = move || {
            UiCommand::ALL
                .into_iter()
                .filter(move |c| c.group() == self)
        };
        let takes_back = |c: &UiCommand| matches!(c, UiCommand::Undo | UiCommand::Redo);
        all()
            .filter(takes_back)
            .chain(all().filter(move |c| !takes_back(c)))
    }
}

impl UiCommand {
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
            | Self::RestorePins
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
}
