//! What is remembered of an open plan beside its request: where it is saved, and what was looked at.

use super::rows::RowSettings;
use super::state::{CombinationKey, Tab};
use crate::domain::PrecisionMode;
use crate::planner::PlanRequest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One tab between two sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TabMemory {
    /// Its file.
    pub path: Option<String>,
    /// The request as it was saved, as TOML, where it has changed since.
    pub saved: Option<String>,
    /// The request as it was opened, as TOML, where it has changed since.
    pub opened: Option<String>,
    /// Requests that undo would bring back, as TOML, the next one last.
    pub undo: Vec<String>,
    /// Requests that redo would bring back.
    pub redo: Vec<String>,
    /// What was selected.
    pub selected: Option<CombinationKey>,
    /// What was pinned.
    pub pins: Vec<CombinationKey>,
    /// Filter, box and order of the table.
    pub rows: RowSettings,
    /// Accelerators of the panel's list, ticked or not, in its order.
    pub shelf: Vec<String>,
    /// Modes the legend hides.
    pub hidden_modes: BTreeSet<PrecisionMode>,
    /// Accelerators the legend hides.
    pub hidden_accelerators: BTreeSet<String>,
}

/// A plan that was closed and can be opened again, between two sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClosedPlan {
    /// Where its tab stood.
    pub place: usize,
    /// Its request, as TOML.
    pub plan: String,
    /// What else is remembered of it.
    pub tab: TabMemory,
}

impl TabMemory {
    /// What is to be remembered of a tab, its requests written as TOML; `saved` is its saved one where that differs.
    pub fn of(
        tab: &Tab,
        saved: Option<String>,
        write: &dyn Fn(&PlanRequest) -> Option<String>,
    ) -> Self {
        let [undo, redo] = tab
            .history
            .kept()
            .map(|steps| steps.iter().filter_map(write).collect());
        let selected = match (tab.plan(), tab.selected) {
            (Some(plan), Some(i)) => plan.combinations.get(i).map(CombinationKey::of),
            // Not planned yet in this session: what the last one remembered still holds.
            _ => tab.wanted.clone(),
        };
        Self {
            path: tab.path.clone(),
            saved,
            opened: (tab.opened.as_ref())
                .filter(|opened| Some(*opened) != tab.request.as_ref())
                .and_then(|opened| write(opened)),
            undo,
            redo,
            selected,
            pins: tab.pins.clone(),
            rows: tab.row_settings.clone(),
            shelf: tab.shelf.clone(),
            hidden_modes: tab.hidden_modes.clone(),
            hidden_accelerators: tab.hidden_accelerators.clone(),
        }
    }

    /// Puts everything but the saved request back into a tab that was just opened.
    pub fn put_into(self, tab: &mut Tab) {
        tab.path = self.path;
        tab.wanted = self.selected;
        tab.pins = self.pins;
        // What came with the request stands on it already; of an older session nothing else is known.
        let new = tab.shelf.iter().filter(|name| !self.shelf.contains(name));
        let new: Vec<String> = new.cloned().collect();
        tab.shelf = self.shelf;
        tab.shelf.extend(new);
        let filter = self.rows.filter.clone();
        tab.row_settings = self.rows;
        // As if it were typed: the next one that is not understood leaves this one in effect.
        tab.set_filter(filter);
        tab.hidden_modes = self.hidden_modes;
        tab.hidden_accelerators = self.hidden_accelerators;
    }
}
