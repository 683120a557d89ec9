//! What the window knows: the open plans, what is selected, and the settings that outlive it.

use super::history::History;
use super::rows::{RowSettings, Rows};
use crate::domain::PrecisionMode;
use crate::planner::{Plan, PlanRequest, RequestError};
use crate::predictor::Explanation;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// A text field of the request panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // named by their labels
pub enum Field {
    TrainFor,
    Samples,
    GlobalBatch,
    Sequence,
    ImageSize,
    Region,
    Budget,
    Deadline,
}

impl Field {
    /// The field of a request file it edits; errors of the planner find their way by it.
    pub const fn path(self) -> &'static str {
        match self {
            Self::TrainFor => "train",
            Self::Samples => "train.samples",
            Self::GlobalBatch => "batch",
            Self::Sequence => "seq_len",
            Self::ImageSize => "image_size",
            Self::Region => "region",
            Self::Budget => "limits.budget_usd",
            Self::Deadline => "limits.deadline_h",
        }
    }
}

/// A view of the centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[allow(missing_docs)] // named by their titles
pub enum View {
    #[default]
    TradeOff,
    Scaling,
    Breakdown,
    HeatMap,
    Accuracy,
}

impl View {
    /// Every view, in the order of the tabs.
    pub const ALL: [Self; 5] = [
        Self::TradeOff,
        Self::Scaling,
        Self::Breakdown,
        Self::HeatMap,
        Self::Accuracy,
    ];

    /// Title of its tab.
    pub const fn title(self) -> &'static str {
        match self {
            Self::TradeOff => "Trade-off",
            Self::Scaling => "Scaling",
            Self::Breakdown => "Breakdown",
            Self::HeatMap => "Heat map",
            Self::Accuracy => "Accuracy",
        }
    }
}

/// A plan with the time it took and a stamp that tells it from its predecessors.
#[derive(Debug, Clone)]
pub struct Done {
    /// The plan.
    pub plan: Arc<Plan>,
    /// How long it took.
    pub took: Duration,
    /// Distinguishes results.
    pub stamp: u64,
}

/// Where a tab's computation stands.
#[derive(Debug, Clone, Default)]
pub enum Status {
    /// Nothing asked yet, or stopped.
    #[default]
    Idle,
    /// So many combinations done of so many.
    Computing(usize, usize),
    /// The result is that of the request.
    Current,
    /// The request cannot be planned.
    Failed(String),
}

/// One open plan.
#[derive(Debug, Default)]
pub struct Tab {
    /// Never reused.
    pub id: u64,
    /// The request as edited; `None` only between construction and the first edit.
    pub request: Option<Arc<PlanRequest>>,
    /// Texts that do not parse, with what is wrong.
    pub drafts: BTreeMap<Field, (String, String)>,
    /// What the planner says is wrong.
    pub errors: Vec<RequestError>,
    /// Undo and redo.
    pub history: History,
    /// The last result.
    pub done: Option<Done>,
    /// Whether it is up to date.
    pub status: Status,
    /// Request generation; results of older ones are dropped.
    pub generation: u64,
    /// Selected combination.
    pub selected: Option<usize>,
    /// Explanation of the selected combination, by result stamp and index.
    pub explanation: Option<(u64, usize, Result<Arc<Explanation>, String>)>,
    /// Rows of the table.
    pub rows: Rows,
    /// What decides them.
    pub row_settings: RowSettings,
    /// Modes the legend hides.
    pub hidden_modes: BTreeSet<PrecisionMode>,
    /// Accelerators the legend hides.
    pub hidden_accelerators: BTreeSet<String>,
    /// Whether all refused groups are shown.
    pub refused_expanded: bool,
    /// Accelerators listed in the request panel, chosen or not, in the order they came.
    pub shelf: Vec<String>,
    /// The table should scroll to the selection.
    pub scroll_to_selection: bool,
}

impl Tab {
    /// Title of the tab.
    pub fn title(&self) -> String {
        self.request.as_ref().map_or_else(
            || "Untitled".to_owned(),
            |r| r.title.clone().unwrap_or_else(|| r.model.clone()),
        )
    }

    /// What is wrong with a field: its own draft first, then the planner's word.
    pub fn error(&self, field: Field) -> Option<&str> {
        self.drafts
            .get(&field)
            .map(|(_, message)| message.as_str())
            .or_else(|| self.error_at(field.path()))
    }

    /// The planner's word on a field or anything inside it.
    pub fn error_at(&self, path: &str) -> Option<&str> {
        self.errors
            .iter()
            .find(|e| {
                e.field == path
                    || e.field.starts_with(&format!("{path}."))
                    || e.field.starts_with(&format!("{path}["))
            })
            .map(|e| e.message.as_str())
    }

    /// The last plan.
    pub fn plan(&self) -> Option<&Arc<Plan>> {
        self.done.as_ref().map(|d| &d.plan)
    }

    /// Whether the result shown is older than the request.
    pub fn is_stale(&self) -> bool {
        !matches!(self.status, Status::Current)
    }
}

/// Settings that outlive the window.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// `dark`, `light` or `system`.
    pub theme: String,
    /// View of the centre.
    pub view: View,
    /// Whiskers on every point.
    pub all_whiskers: bool,
    /// Open plans as TOML.
    pub plans: Vec<String>,
    /// Which of them is shown.
    pub active: usize,
    /// Size of everything.
    pub zoom: f32,
    /// Last path used for a plan.
    pub last_path: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: "system".to_owned(),
            view: View::default(),
            all_whiskers: false,
            plans: Vec::new(),
            active: 0,
            zoom: 1.0,
            last_path: String::new(),
        }
    }
}

/// A line that tells of something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// What happened.
    pub text: String,
    /// Whether it went wrong.
    pub is_error: bool,
    /// Offer to type a path for this purpose.
    pub offer_path: Option<super::command::PathPurpose>,
}

/// Everything the window shows.
#[derive(Debug, Default)]
pub struct State {
    /// Open plans; never empty after construction.
    pub tabs: Vec<Tab>,
    /// Which is shown.
    pub active: usize,
    /// Settings that outlive the window.
    pub settings: Settings,
    /// Text of the palette, while it is open.
    pub palette: Option<String>,
    /// Purpose of the typed-path dialog, while it is open.
    pub path_dialog: Option<super::command::PathPurpose>,
    /// Last notice.
    pub notice: Option<Notice>,
    /// Put the cursor into the filter in the next frame.
    pub focus_filter: bool,
}

impl State {
    /// The tab shown.
    pub fn tab(&self) -> Option<&Tab> {
        self.tabs.get(self.active)
    }

    /// The tab shown, to change it.
    pub fn tab_mut(&mut self) -> Option<&mut Tab> {
        self.tabs.get_mut(self.active)
    }
}
