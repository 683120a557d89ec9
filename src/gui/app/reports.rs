//! What becomes of the worker's reports: plans, explanations, judged runs, and how far it is.

use super::{MantissaApp, QUICK};
use crate::gui::backend::PlanFailure;
use crate::gui::state::{CombinationKey, Done, Status, Tab, View};
use crate::gui::worker::Report;
use crate::gui::{shipped, words};
use crate::planner::Plan;
use crate::presets::FileEnding;
use std::sync::Arc;
use std::time::Duration;

impl MantissaApp {
    pub(super) fn apply_report(&mut self, ctx: &egui::Context, report: Report) {
        match report {
            Report::Planned(id, generation, result, took) => {
                let stamp = self.next_stamp;
                self.next_stamp += 1;
                let backend = Arc::clone(&self.backend);
                if let Ok(plan) = &result {
                    self.list_own_model_of(plan);
                }
                let Some(tab) = self.tab_of(id, generation) else {
                    return;
                };
                match result {
                    Ok(plan) => accept(tab, plan, took, stamp),
                    Err(PlanFailure::Fields(errors)) => {
                        tab.errors = words::errors(&*backend, errors);
                        tab.status = Status::Failed(words::first(&tab.errors));
                    }
                    Err(PlanFailure::Cancelled) => tab.status = Status::Idle,
                    Err(PlanFailure::Other(text)) => tab.status = Status::Failed(text),
                }
                if std::mem::take(&mut tab.wants_plan)
                    && self.state.tab().is_some_and(|t| t.id == id)
                {
                    self.start_plan();
                }
            }
            Report::Written(asked, path, result) => self.take_written(asked, &path, result),
            Report::Drawn(image) => self.take_drawn(ctx, image),
            Report::Swayed(id, stamp, result) => self.take_sway(id, stamp, result),
            Report::Evaluated(Ok(evaluation)) => {
                let rows = crate::format::count(evaluation.rows.len() as f64);
                self.tell(format!("Held {rows} measured runs against the predictor"));
                self.state.settings.view = View::Accuracy;
                self.state.evaluation = Some(Arc::new(evaluation));
            }
            Report::Evaluated(Err(text)) => self.open_failed(text),
            Report::Calibrated(result) => self.take_calibration(result),
            Report::Explained(id, stamp, index, result) => {
                if let Some(tab) = self.state.tabs.iter_mut().find(|t| t.id == id)
                    && matches!(&tab.explanation, Some((s, i, _)) if *s == stamp && *i == index)
                {
                    let run = tab.plan().and_then(|p| p.combinations.get(index)?.run());
                    if let (Some(run), Ok(words)) = (run, &result) {
                        tab.explained = Some((Box::new(run.clone()), Arc::clone(words)));
                    }
                    tab.explanation = Some((stamp, index, result));
                }
            }
        }
    }

    /// A model of a file that an open plan names is on the list of models, as if it had just been read.
    fn list_own_model_of(&mut self, plan: &Plan) {
        let path = &plan.request.request.model;
        let is_listed = self.state.own_models.iter().any(|m| m.name == *path);
        if FileEnding::is_model(path) && !is_listed {
            self.list_own_model(path, shipped::entry(&plan.request.model));
        }
    }

    /// Copies the worker's progress into the tab that waits for it.
    pub(super) fn show_progress(&mut self, ctx: &egui::Context) {
        let Some((so_far, swayed)) = (self.worker.as_ref())
            .filter(|w| w.is_busy())
            .map(|w| (w.so_far(), w.sway_so_far()))
        else {
            return;
        };
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        if let Some((_, so_far)) = (tab.sway.as_mut()).and_then(|s| s.under_way.as_mut()) {
            *so_far = swayed;
            ctx.request_repaint_after(Duration::from_millis(60));
        }
        if let Status::Computing(done, all) = &mut tab.status {
            (*done, *all) = so_far;
            ctx.request_repaint_after(Duration::from_millis(60));
        }
        // Not quick after all: leave it for the newest request.
        let late = tab.asked_at.is_some_and(|t| t.elapsed() > 2 * QUICK);
        if tab.wants_plan && late {
            tab.wants_plan = false;
            tab.status = Status::Idle;
            self.start_plan();
        }
    }
}

/// Takes a new result into a tab. Where the answer was selected the new answer is, since the headline speaks of it;
/// another selection stays on its combination where that still exists.
fn accept(tab: &mut Tab, plan: Arc<Plan>, took: Duration, stamp: u64) {
    let wanted = match (&tab.done, tab.selected) {
        (None, None) => tab.wanted.take(),
        (Some(done), Some(i)) if done.plan.recommended() != Some(i) => {
            done.plan.combinations.get(i).map(CombinationKey::of)
        }
        _ => None,
    };
    let kept = wanted.and_then(|wanted| wanted.find(&plan));
    tab.selected = kept.or_else(|| plan.recommended());
    tab.scroll_to_selection = true;
    tab.errors.clear();
    tab.status = Status::Current;
    // What is under the pointer has another place in the new plan.
    tab.hovered = None;
    tab.done = Some(Done { plan, took, stamp });
    tab.refresh_pins();
}
