//! One list of what a person can do: it feeds the palette, the shortcuts and the tooltips; and the actions panels
//! send to the app.

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
    CloseTab,
    NextTab,
    Undo,
    Redo,
    ShowTradeOff,
    ShowScaling,
    ShowBreakdown,
    ShowHeatMap,
    ShowAccuracy,
    SelectNext,
    SelectPrevious,
    FocusFilter,
    ClearFilter,
    ToggleWhiskers,
    ToggleTheme,
    FollowSystemTheme,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    Cancel,
    Quit,
}

impl UiCommand {
    /// Every command, in the order of the palette.
    pub const ALL: [Self; 26] = [
        Self::Palette,
        Self::NewPlan,
        Self::OpenPlan,
        Self::SavePlan,
        Self::ExportCsv,
        Self::CloseTab,
        Self::NextTab,
        Self::Undo,
        Self::Redo,
        Self::ShowTradeOff,
        Self::ShowScaling,
        Self::ShowBreakdown,
        Self::ShowHeatMap,
        Self::ShowAccuracy,
        Self::SelectNext,
        Self::SelectPrevious,
        Self::FocusFilter,
        Self::ClearFilter,
        Self::ToggleWhiskers,
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
            Self::NewPlan => ("New plan", "Start from the worked example in a new tab"),
            Self::OpenPlan => ("Open plan…", "Read a request from a TOML file"),
            Self::SavePlan => ("Save plan…", "Write this request to a TOML file"),
            Self::ExportCsv => ("Export CSV…", "Every combination of this plan as a table"),
            Self::CloseTab => ("Close tab", "Close this plan"),
            Self::NextTab => ("Next tab", "Show the next plan"),
            Self::Undo => ("Undo", "Take back the last edit of the request"),
            Self::Redo => ("Redo", "Bring the edit back"),
            Self::ShowTradeOff => ("Show trade-off", "Cost against time, with the Pareto front"),
            Self::ShowScaling => ("Show scaling", "Time against the number of accelerators"),
            Self::ShowBreakdown => ("Show breakdown", "Where each step goes"),
            Self::ShowHeatMap => ("Show heat map", "Precision against accelerator"),
            Self::ShowAccuracy => ("Show accuracy", "How the predictor was judged"),
            Self::SelectNext => ("Select next row", "The next row of the table"),
            Self::SelectPrevious => ("Select previous row", "The previous row of the table"),
            Self::FocusFilter => ("Filter the table", "Put the cursor into the filter"),
            Self::ClearFilter => ("Clear the filter", "Show every combination again"),
            Self::ToggleWhiskers => ("Show all intervals", "Whiskers on every point of the plot"),
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
            Self::SelectNext => Some(KeyboardShortcut::new(Modifiers::ALT, Key::ArrowDown)),
            Self::SelectPrevious => Some(KeyboardShortcut::new(Modifiers::ALT, Key::ArrowUp)),
            Self::FocusFilter => ctrl(Key::F),
            Self::ToggleWhiskers => ctrl(Key::I),
            Self::ToggleTheme => ctrl(Key::D),
            Self::ZoomIn => ctrl(Key::Plus),
            Self::ZoomOut => ctrl(Key::Minus),
            Self::ZoomReset => ctrl(Key::Num0),
            Self::Quit => ctrl(Key::Q),
            Self::ClearFilter | Self::FollowSystemTheme | Self::Cancel => None,
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
}

/// What a panel asks of the app.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // payloads named by their type
pub enum Action {
    Ui(UiCommand),
    /// A new request; the key names the field, so that keystrokes fold into one undo step.
    Edit(Box<PlanRequest>, &'static str),
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
    ToggleMode(PrecisionMode),
    ToggleAccelerator(String),
    ExpandRefused(bool),
    /// A path was typed or chosen.
    Path(PathPurpose, String),
    /// Type a path instead of choosing one.
    TypePath(PathPurpose),
    CloseDialog,
    DismissNotice,
    PaletteText(String),
}
