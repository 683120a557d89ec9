//! What the window knows: the open plans, what is selected, and the settings that outlive it.

use super::backend::ModelEntry;
pub use super::combination_key::CombinationKey;
use super::evaluation::Evaluation;
use super::history::History;
use super::look::ChartStep;
use super::measure::Axes;
pub use super::notice::{About, Notice};
pub use super::path_problem::{PathCause, PathProblem};
use super::pins::FormerPins;
use super::remembered::{ClosedPlan, TabMemory};
use super::rows::{Column, RowSettings, Rows};
use super::sway::Sway;
use super::trail::Trail;
pub use super::view::View;
use crate::domain::PrecisionMode;
use crate::planner::{
    CalibrationProfile, Combination, Plan, PlanRequest, PredictedRun, RequestError,
};
use crate::predictor::Explanation;
use crate::report::made_title;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A text field of the request panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // named by their labels
pub enum Field {
    TrainFor,
    Samples,
    GlobalBatch,
    Sequence,
    Decoder,
    ImageSize,
    Region,
    Budget,
    Deadline,
    EnergyLimit,
    CarbonLimit,
    FreeMemory,
    Discount,
    OwnedYears,
    OwnedUse,
    OwnedUpkeep,
    Electricity,
    BuildingOverhead,
    WhatIfPrices,
    WhatIfNetwork,
    WhatIfFailures,
    /// Of the n-th part of the shelf: how many can be had.
    Available(usize),
    /// Of the n-th part of the shelf: the person's own price of an hour.
    OwnPrice(usize),
    /// Of the n-th part of the shelf: what one cost.
    Purchase(usize),
}

impl Field {
    /// The field of a request file it edits; errors of the planner find their way by it.
    pub const fn path(self) -> &'static str {
        match self {
            Self::TrainFor => "train",
            Self::Samples => "train.samples",
            Self::GlobalBatch => "batch",
            Self::Sequence => "seq_len",
            Self::Decoder => "decoder_tokens",
            Self::ImageSize => "image_size",
            Self::Region => "region",
            Self::Budget => "limits.budget_usd",
            Self::Deadline => "limits.deadline_h",
            Self::EnergyLimit => "limits.energy_kwh",
            Self::CarbonLimit => "limits.co2e_kg",
            Self::FreeMemory => "limits.memory_headroom_percent",
            Self::Available(_) => "limits.available",
            Self::Discount => "prices.reserved_discount_percent",
            Self::OwnPrice(_) => "prices.own_usd_per_hour",
            Self::OwnedYears => "prices.owned.years",
            Self::OwnedUse => "prices.owned.use_percent",
            Self::OwnedUpkeep => "prices.owned.upkeep_percent",
            Self::Electricity => "prices.owned.usd_per_kwh",
            Self::BuildingOverhead => "prices.owned.pue",
            Self::WhatIfPrices => "what_if.price",
            Self::WhatIfNetwork => "what_if.network",
            Self::WhatIfFailures => "what_if.failures",
            Self::Purchase(_) => "prices.owned.usd_per_accelerator",
        }
    }

    /// The place on the shelf of the part it belongs to, if it belongs to one.
    pub const fn part(self) -> Option<usize> {
        match self {
            Self::Available(i) | Self::OwnPrice(i) | Self::Purchase(i) => Some(i),
            _ => None,
        }
    }

    /// Tells fields apart: keystrokes of one field are one step of undo.
    pub fn key(self) -> String {
        self.part().map_or_else(
            || self.path().to_owned(),
            |i| format!("{}#{i}", self.path()),
        )
    }
}

/// A result older than its request is dimmed after this long.
const DIMMED_AFTER: Duration = Duration::from_millis(250);
/// Combinations that can be compared side by side.
pub const MOST_PINS: usize = 4;

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
    /// The request is not whole yet: what it lacks is asked for.
    Blank,
}

/// One open plan.
#[derive(Debug, Default)]
pub struct Tab {
    /// Never reused.
    pub id: u64,
    /// The request as edited; `None` only between construction and the first edit.
    pub request: Option<Arc<PlanRequest>>,
    /// The request as it was opened, to go back to.
    pub opened: Option<Arc<PlanRequest>>,
    /// What people call its model; `None` for a model of a file.
    pub model_label: Option<String>,
    /// Texts that do not parse, with what is wrong.
    pub drafts: BTreeMap<Field, (String, String)>,
    /// Whether nobody is about to put them right: what is shown is dimmed then.
    pub drafts_rest: bool,
    /// When the last of them was typed, in seconds of the window's clock.
    pub drafted_at: f64,
    /// What the planner says is wrong.
    pub errors: Vec<RequestError>,
    /// Undo and redo.
    pub history: History,
    /// The last result.
    pub done: Option<Done>,
    /// Whether it is up to date.
    pub status: Status,
    /// When the plan under way was asked for.
    pub asked_at: Option<Instant>,
    /// When a request that is being typed is planned, in seconds of the window's clock: what the first letters of a figure
    /// say is of no use to anybody.
    pub plan_at: Option<f64>,
    /// Plan again as soon as the plan under way is there.
    pub wants_plan: bool,
    /// Request generation; results of older ones are dropped.
    pub generation: u64,
    /// Selected combination.
    pub selected: Option<usize>,
    /// The combination under the pointer, which every view marks; a place in the last plan.
    pub hovered: Option<usize>,
    /// Explanation of the selected combination, by result stamp and index.
    pub explanation: Option<(u64, usize, Result<Arc<Explanation>, String>)>,
    /// The last explanation with its run: shown dimmed until the next is there, so that nothing jumps.
    pub explained: Option<(Box<PredictedRun>, Arc<Explanation>)>,
    /// What would change the answer; `None` where nobody asked.
    pub sway: Option<Sway>,
    /// A filter that is not understood, with what is wrong; the last one that was is in effect.
    pub filter_draft: Option<(String, String)>,
    /// Filters that were in effect, the last one last: what is being typed passes through many.
    pub filters: Vec<String>,
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
    /// Combinations to compare; the first is the baseline.
    pub pins: Vec<CombinationKey>,
    /// Those of them that can run in the last plan, by index.
    pub pinned: Vec<usize>,
    /// What was pinned before others took its place.
    pub former_pins: FormerPins,
    /// The marked cell of the selected row, to be copied.
    pub cell: Option<Column>,
    /// The table should scroll to the selection.
    pub scroll_to_selection: bool,
    /// The file it was read from or written to last.
    pub path: Option<String>,
    /// The request as that file has it, or as it was opened where there is no file.
    pub saved: Option<Arc<PlanRequest>>,
    /// Combinations selected before and after this one.
    pub trail: Trail,
    /// What the first plan is to select: the selection of the last session.
    pub wanted: Option<CombinationKey>,
}

impl Tab {
    /// Title of the tab.
    pub fn title(&self) -> String {
        self.request.as_ref().map_or_else(
            || "Untitled".to_owned(),
            |r| {
                let label = self.model_label.as_ref().unwrap_or(&r.model);
                let written = r.title.clone();
                written.unwrap_or_else(|| made_title(label, r))
            },
        )
    }

    /// The model of the last plan, where that was planned with the model the request names.
    pub fn own_model(&self) -> Option<&crate::domain::Model> {
        let planned = &self.plan()?.request;
        let now = self.request.as_ref()?;
        (planned.request.model == now.model).then_some(&*planned.model)
    }

    /// Whether the request differs from what is saved.
    pub fn is_changed(&self) -> bool {
        match (&self.request, &self.saved) {
            (Some(now), Some(saved)) => !Arc::ptr_eq(now, saved) && now != saved,
            _ => false,
        }
    }

    /// What is wrong with a field: its own draft first, then the planner's word.
    pub fn error(&self, field: Field) -> Option<&str> {
        let name = field.part().and_then(|i| self.shelf.get(i));
        self.error_under(field, &Vec::from_iter(name))
    }

    /// The same of a part's field, whose figures stand under these names in the request; without a name the whole field.
    pub fn error_under(&self, field: Field, names: &[&String]) -> Option<&str> {
        let draft = self.drafts.get(&field);
        let path = field.path();
        draft
            .map(|(_, message)| message.as_str())
            .or_else(|| match names {
                [] => self.error_at(path),
                names => names
                    .iter()
                    .find_map(|name| self.error_at(&format!("{path}.\"{name}\""))),
            })
    }

    /// The planner's word on a field or anything inside it.
    pub fn error_at(&self, path: &str) -> Option<&str> {
        self.errors
            .iter()
            // The data set has a row of its own below the length of training.
            .filter(|e| e.field != Field::Samples.path() || path == e.field)
            .find(|e| {
                e.field == path
                    || e.field.starts_with(&format!("{path}."))
                    || e.field.starts_with(&format!("{path}["))
            })
            .map(|e| e.message.as_str())
    }

    /// Lets go of the last plan with what belongs to it, as before there was one.
    pub fn forget_plan(&mut self) {
        self.done = None;
        (self.selected, self.hovered) = (None, None);
        (self.explanation, self.explained, self.sway) = (None, None, None);
        self.rows = Rows::default();
        self.refresh_pins();
    }

    /// The last plan.
    pub fn plan(&self) -> Option<&Arc<Plan>> {
        self.done.as_ref().map(|d| &d.plan)
    }

    /// Finds the pins in the last plan again; call after either changed.
    pub fn refresh_pins(&mut self) {
        self.pinned = match &self.done {
            Some(done) => {
                let found = self.pins.iter().filter_map(|p| p.find(&done.plan));
                found.collect()
            }
            None => Vec::new(),
        };
    }

    /// Whether a combination is pinned.
    pub fn is_pinned(&self, c: &Combination) -> bool {
        self.pins.iter().any(|p| p.names(c))
    }

    /// Whether the result shown is older than the request, and has been for long enough to be dimmed: a plan that is
    /// there at once must not make the window flicker.
    pub fn is_stale(&self) -> bool {
        if self.drafts_rest && !self.drafts.is_empty() {
            return true;
        }
        match self.status {
            Status::Current | Status::Blank => false,
            Status::Computing(..) => self.asked_at.is_none_or(|t| t.elapsed() > DIMMED_AFTER),
            Status::Idle | Status::Failed(_) => true,
        }
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
    /// What the trade-off shows.
    pub axes: Axes,
    /// The heat map has counts across rather than accelerators.
    pub heat_by_count: bool,
    /// The scaling view draws every mode rather than the fastest of each accelerator.
    pub every_mode: bool,
    /// Columns of the table; `None` = those that fit the window.
    pub columns: Option<Vec<Column>>,
    /// Files opened and saved last, the newest first.
    pub recent: Vec<String>,
    /// Open plans as TOML.
    pub plans: Vec<String>,
    /// What else is remembered of each of them.
    pub tabs: Vec<TabMemory>,
    /// Plans that were closed, the last one last.
    pub closed: Vec<ClosedPlan>,
    /// Whether the request panel is hidden.
    pub request_hidden: bool,
    /// Whether the inspector is hidden.
    pub inspector_hidden: bool,
    /// Width of the request panel; `None` = the usual one.
    pub request_width: Option<f32>,
    /// Width of the inspector; `None` = the usual one.
    pub inspector_width: Option<f32>,
    /// Which of them is shown.
    pub active: usize,
    /// Size of everything.
    pub zoom: f32,
    /// Last path used for a plan.
    pub last_path: String,
    /// The calibration in use, as the text of its file.
    pub calibration: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: "system".to_owned(),
            view: View::default(),
            all_whiskers: false,
            axes: Axes::default(),
            heat_by_count: false,
            every_mode: false,
            columns: None,
            recent: Vec::new(),
            plans: Vec::new(),
            tabs: Vec::new(),
            closed: Vec::new(),
            request_hidden: false,
            inspector_hidden: false,
            request_width: None,
            inspector_width: None,
            active: 0,
            zoom: 1.0,
            last_path: String::new(),
            calibration: None,
        }
    }
}

/// Everything the window shows.
#[derive(Debug, Default)]
pub struct State {
    /// Open plans; never empty after construction.
    pub tabs: Vec<Tab>,
    /// Which is shown.
    pub active: usize,
    /// Tabs that were closed and where they stood, the last one last.
    pub closed: Vec<(usize, Tab)>,
    /// Settings that outlive the window.
    pub settings: Settings,
    /// Text of the palette, while it is open.
    pub palette: Option<String>,
    /// Purpose of the typed-path dialog, while it is open.
    pub path_dialog: Option<super::command::PathPurpose>,
    /// What a path was asked for last and of which tab: that one is meant, whichever is shown when the path comes.
    pub path_asked: Option<super::command::Asked>,
    /// The path that was tried in it last, and why that did not work.
    pub path_problem: Option<PathProblem>,
    /// Why nothing of this window is remembered; `None` where it is.
    pub unremembered: Option<String>,
    /// Models of files that were read, the last one first.
    pub own_models: Vec<ModelEntry>,
    /// Last notice.
    pub notice: Option<Notice>,
    /// A person's measured runs held against the predictor.
    pub evaluation: Option<Arc<Evaluation>>,
    /// Factors on step times from a person's own runs; every plan is corrected by them.
    pub calibration: Option<Arc<CalibrationProfile>>,
    /// The factors before these, to be put back.
    pub former_calibration: Option<Arc<CalibrationProfile>>,
    /// Whether they are being worked out.
    pub is_calibrating: bool,
    /// Whether the page that offers plans to start from is open.
    pub start_page: bool,
    /// The tab whose title is being typed, by its id, and the title so far.
    pub renaming: Option<(u64, String)>,
    /// Of the two panels the inspector is the one that a narrow window has room for.
    pub inspector_first: bool,
    /// Whether the words on how to read the view are open.
    pub reading: bool,
    /// Put the cursor into the filter in the next frame.
    pub focus_filter: bool,
    /// Mark the cell so many columns to the right in the next frame: only the table knows which columns it has room for.
    pub cell_step: isize,
    /// Scroll the view so many pages on in the next frame.
    pub page_step: isize,
    /// The same of the inspector.
    pub inspector_step: isize,
    /// Where the chart is to look, this frame.
    pub chart_step: Option<ChartStep>,
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

    /// Whether the comparison fills the window. While nothing is pinned it leaves the answers and the table in sight: they
    /// are what to pin from.
    pub fn is_comparing(&self) -> bool {
        let has_pins = self.tab().is_some_and(|tab| !tab.pinned.is_empty());
        self.settings.view == View::Compare && has_pins
    }

    /// Whether the table stands below the view.
    pub fn has_table(&self) -> bool {
        let view = self.settings.view;
        view.has_table() || (view == View::Compare && !self.is_comparing())
    }

    /// Whether a dialog waits for an answer: a path, or a plan to start from.
    pub fn has_dialog(&self) -> bool {
        self.path_dialog.is_some() || self.start_page
    }

    /// Whether the palette or a dialog has the keys.
    pub fn takes_keys(&self) -> bool {
        self.palette.is_some() || self.has_dialog()
    }
}
