//! The app: applies actions and reports in `logic`, draws panels in `ui`. Nothing else changes the state.

use super::backend::{Backend, PlanFailure};
use super::command::{Action, PathPurpose, UiCommand};
use super::dialogs::{self, Chooser, Chosen};
use super::panels;
use super::state::{Done, Notice, Settings, State, Status, Tab, View};
use super::theme;
use super::worker::{Report, Worker};
use crate::planner::PlanRequest;
use std::sync::Arc;
use std::time::Duration;

/// Key of the settings in eframe's storage.
const STORAGE_KEY: &str = "mantissa-window-1";

/// The window's whole state and its worker.
pub struct MantissaApp {
    backend: Arc<dyn Backend>,
    state: State,
    worker: Option<Worker>,
    chooser: Chooser,
    queue: Vec<Action>,
    next_id: u64,
    /// Tab and generation last sent to the worker.
    next_stamp: u64,
}

impl MantissaApp {
    /// Builds the app: fonts, themes, the plans of the last session or the worked example, already computing.
    pub fn new(
        ctx: &egui::Context,
        storage: Option<&dyn eframe::Storage>,
        backend: Arc<dyn Backend>,
    ) -> Self {
        theme::install(ctx);
        let settings: Settings = storage
            .and_then(|s| eframe::get_value(s, STORAGE_KEY))
            .unwrap_or_default();
        let mut app = Self {
            worker: None,
            state: State::default(),
            chooser: Chooser::new(ctx.clone()),
            queue: Vec::new(),
            next_id: 1,
            next_stamp: 1,
            backend,
        };
        match Worker::start(Arc::clone(&app.backend), ctx.clone()) {
            Ok(worker) => app.worker = Some(worker),
            Err(text) => app.complain(text),
        }
        app.restore(settings);
        app.apply_theme(ctx);
        if (app.state.settings.zoom - 1.0).abs() > 0.01 {
            ctx.set_zoom_factor(app.state.settings.zoom);
        }
        app
    }

    /// The state, to look at.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Queues an action as a panel would.
    pub fn send(&mut self, action: Action) {
        self.queue.push(action);
    }

    /// Waits until the worker has nothing left to do and applies what it reports; for tests.
    pub fn settle(&mut self, ctx: &egui::Context) {
        loop {
            self.apply_queue(ctx);
            self.request_explanation();
            let Some(worker) = &mut self.worker else {
                return;
            };
            if !worker.is_busy() && self.queue.is_empty() {
                return;
            }
            match worker.wait(Duration::from_secs(120)) {
                Some(report) => self.apply_report(report),
                None => return,
            }
        }
    }

    fn restore(&mut self, settings: Settings) {
        let requests: Vec<PlanRequest> = settings
            .plans
            .iter()
            .filter_map(|text| self.backend.parse("autosave", text).ok())
            .collect();
        let active = settings.active.min(requests.len().saturating_sub(1));
        self.state.settings = settings;
        if requests.is_empty() {
            let examples = self.backend.examples();
            match examples.into_iter().next() {
                Some(example) => self.open(example),
                None => self.complain("No example plan ships with this build".to_owned()),
            }
            return;
        }
        for request in requests {
            self.open(request);
        }
        self.state.active = active;
        self.plan_active_if_needed();
    }

    /// Opens a request in a new tab and starts planning it.
    fn open(&mut self, request: PlanRequest) {
        let id = self.next_id;
        self.next_id += 1;
        let mut tab = Tab {
            id,
            ..Tab::default()
        };
        shelve(&mut tab, &request);
        tab.request = Some(Arc::new(request));
        self.state.tabs.push(tab);
        self.state.active = self.state.tabs.len() - 1;
        self.start_plan();
    }

    fn complain(&mut self, text: String) {
        self.state.notice = Some(Notice {
            text,
            is_error: true,
            offer_path: None,
        });
    }

    fn tell(&mut self, text: String) {
        self.state.notice = Some(Notice {
            text,
            is_error: false,
            offer_path: None,
        });
    }

    /// Sends the request of the active tab to the worker.
    fn start_plan(&mut self) {
        let Some(tab) = self.state.tabs.get_mut(self.state.active) else {
            return;
        };
        let (Some(request), Some(worker)) = (&tab.request, &mut self.worker) else {
            return;
        };
        tab.generation += 1;
        tab.status = Status::Computing(0, 0);
        worker.plan(tab.id, tab.generation, Arc::clone(request));
    }

    /// A tab that was left before its plan was done is planned again when it is shown.
    fn plan_active_if_needed(&mut self) {
        let needs = self.state.tab().is_some_and(|t| {
            t.done.is_none() || matches!(t.status, Status::Computing(..) | Status::Idle)
        });
        if needs {
            self.start_plan();
        }
    }

    /// Asks for the explanation of the selection if it is not there yet.
    fn request_explanation(&mut self) {
        let Some(tab) = self.state.tabs.get_mut(self.state.active) else {
            return;
        };
        let (Some(done), Some(index), Some(worker)) = (&tab.done, tab.selected, &mut self.worker)
        else {
            return;
        };
        if matches!(&tab.explanation, Some((stamp, i, _)) if *stamp == done.stamp && *i == index) {
            return;
        }
        let Some(run) = done.plan.combinations.get(index).and_then(|c| c.run()) else {
            return;
        };
        tab.explanation = Some((done.stamp, index, Err(String::new())));
        worker.explain(tab.id, done.stamp, index, Arc::clone(&run.configuration));
    }

    fn apply_report(&mut self, report: Report) {
        match report {
            Report::Planned(id, generation, result, took) => {
                let stamp = self.next_stamp;
                self.next_stamp += 1;
                let Some(tab) = self.tab_of(id, generation) else {
                    return;
                };
                match result {
                    Ok(plan) => accept(tab, plan, took, stamp),
                    Err(PlanFailure::Fields(errors)) => {
                        let first = errors.first().map(ToString::to_string);
                        tab.errors = errors;
                        tab.status = Status::Failed(first.unwrap_or_default());
                    }
                    Err(PlanFailure::Cancelled) => tab.status = Status::Idle,
                    Err(PlanFailure::Other(text)) => tab.status = Status::Failed(text),
                }
            }
            Report::Explained(id, stamp, index, result) => {
                if let Some(tab) = self.state.tabs.iter_mut().find(|t| t.id == id)
                    && matches!(&tab.explanation, Some((s, i, _)) if *s == stamp && *i == index)
                {
                    tab.explanation = Some((stamp, index, result));
                }
            }
        }
    }

    /// Copies the worker's progress into the tab that waits for it.
    fn show_progress(&mut self, ctx: &egui::Context) {
        let Some(so_far) = self
            .worker
            .as_ref()
            .filter(|w| w.is_busy())
            .map(Worker::so_far)
        else {
            return;
        };
        if let Some(tab) = self.state.tab_mut()
            && let Status::Computing(done, all) = &mut tab.status
        {
            (*done, *all) = so_far;
            ctx.request_repaint_after(Duration::from_millis(60));
        }
    }

    fn tab_of(&mut self, id: u64, generation: u64) -> Option<&mut Tab> {
        self.state
            .tabs
            .iter_mut()
            .find(|t| t.id == id && t.generation == generation)
    }

    fn apply_queue(&mut self, ctx: &egui::Context) {
        for action in std::mem::take(&mut self.queue) {
            self.apply(ctx, action);
        }
        if let Some(tab) = self.state.tabs.get_mut(self.state.active)
            && let Some(done) = &tab.done
        {
            tab.rows.update(&done.plan, done.stamp, &tab.row_settings);
        }
    }

    fn apply(&mut self, ctx: &egui::Context, action: Action) {
        match action {
            Action::Ui(command) => self.run_command(ctx, command),
            Action::Edit(request, key) => self.edit(*request, key),
            Action::ShowTab(index) if index < self.state.tabs.len() => {
                self.state.active = index;
                self.plan_active_if_needed();
            }
            Action::ShowTab(_) => {}
            Action::CloseTab(index) => self.close_tab(index),
            Action::NewFrom(request) => self.open(*request),
            Action::SetView(view) => self.state.settings.view = view,
            Action::Path(purpose, path) => self.use_path(purpose, &path),
            Action::TypePath(purpose) => {
                self.state.notice = None;
                self.state.path_dialog = Some(purpose);
            }
            Action::CloseDialog => {
                self.state.path_dialog = None;
                self.state.palette = None;
            }
            Action::DismissNotice => self.state.notice = None,
            Action::PaletteText(text) => self.state.palette = Some(text),
            other => {
                if let Some(tab) = self.state.tab_mut() {
                    apply_to_tab(tab, other);
                }
            }
        }
    }

    fn edit(&mut self, request: PlanRequest, key: &'static str) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        if let Some(before) = &tab.request
            && **before != request
        {
            tab.history.record((**before).clone(), key);
        }
        tab.drafts.retain(|field, _| field.path() != key);
        shelve(tab, &request);
        tab.request = Some(Arc::new(request));
        tab.errors.clear();
        self.start_plan();
    }

    fn close_tab(&mut self, index: usize) {
        if index >= self.state.tabs.len() {
            return;
        }
        if self.state.tabs.len() == 1 {
            self.tell("The last plan stays open".to_owned());
            return;
        }
        self.state.tabs.remove(index);
        if self.state.active > index || self.state.active == self.state.tabs.len() {
            self.state.active -= 1;
        }
        self.plan_active_if_needed();
    }

    fn run_command(&mut self, ctx: &egui::Context, command: UiCommand) {
        self.state.palette = None;
        match command {
            UiCommand::Palette => self.state.palette = Some(String::new()),
            UiCommand::NewPlan => {
                if let Some(example) = self.backend.examples().into_iter().next() {
                    self.open(example);
                }
            }
            UiCommand::OpenPlan => self.choose(PathPurpose::OpenPlan),
            UiCommand::SavePlan => self.choose(PathPurpose::SavePlan),
            UiCommand::ExportCsv => {
                if self.state.tab().is_some_and(|t| t.plan().is_some()) {
                    self.choose(PathPurpose::ExportCsv);
                } else {
                    self.complain("There is no plan to export yet".to_owned());
                }
            }
            UiCommand::CloseTab => self.close_tab(self.state.active),
            UiCommand::NextTab => {
                self.state.active = (self.state.active + 1) % self.state.tabs.len().max(1);
                self.plan_active_if_needed();
            }
            UiCommand::Undo | UiCommand::Redo => {
                // A field that is being edited holds its own text; it must show the restored one.
                ctx.memory_mut(|m| {
                    if let Some(id) = m.focused() {
                        m.surrender_focus(id);
                    }
                });
                self.step_history(command == UiCommand::Undo);
            }
            UiCommand::ShowTradeOff => self.state.settings.view = View::TradeOff,
            UiCommand::ShowScaling => self.state.settings.view = View::Scaling,
            UiCommand::ShowBreakdown => self.state.settings.view = View::Breakdown,
            UiCommand::ShowHeatMap => self.state.settings.view = View::HeatMap,
            UiCommand::ShowAccuracy => self.state.settings.view = View::Accuracy,
            UiCommand::SelectNext => self.step_selection(1),
            UiCommand::SelectPrevious => self.step_selection(-1),
            UiCommand::FocusFilter => self.state.focus_filter = true,
            UiCommand::ClearFilter => {
                if let Some(tab) = self.state.tab_mut() {
                    tab.row_settings.filter.clear();
                    tab.row_settings.within_only = false;
                    tab.row_settings.pareto_only = false;
                }
            }
            UiCommand::ToggleWhiskers => {
                self.state.settings.all_whiskers = !self.state.settings.all_whiskers;
            }
            UiCommand::ToggleTheme => {
                let dark = ctx.theme() == egui::Theme::Dark;
                self.state.settings.theme = if dark { "light" } else { "dark" }.to_owned();
                self.apply_theme(ctx);
            }
            UiCommand::FollowSystemTheme => {
                self.state.settings.theme = "system".to_owned();
                self.apply_theme(ctx);
            }
            UiCommand::ZoomIn => self.zoom(ctx, 0.1),
            UiCommand::ZoomOut => self.zoom(ctx, -0.1),
            UiCommand::ZoomReset => {
                self.state.settings.zoom = 1.0;
                ctx.set_zoom_factor(1.0);
            }
            UiCommand::Cancel => {
                if let Some(worker) = &self.worker {
                    worker.cancel();
                }
            }
            UiCommand::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
        }
    }

    fn zoom(&mut self, ctx: &egui::Context, by: f32) {
        let zoom = (self.state.settings.zoom + by).clamp(0.6, 2.0);
        self.state.settings.zoom = zoom;
        ctx.set_zoom_factor(zoom);
    }

    fn apply_theme(&self, ctx: &egui::Context) {
        ctx.set_theme(match self.state.settings.theme.as_str() {
            "dark" => egui::ThemePreference::Dark,
            "light" => egui::ThemePreference::Light,
            _ => egui::ThemePreference::System,
        });
    }

    fn step_history(&mut self, back: bool) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let Some(now) = &tab.request else { return };
        let now = (**now).clone();
        let there = if back {
            tab.history.undo(now)
        } else {
            tab.history.redo(now)
        };
        if let Some(request) = there {
            tab.request = Some(Arc::new(request));
            tab.drafts.clear();
            tab.errors.clear();
            self.start_plan();
        }
    }

    fn step_selection(&mut self, by: isize) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let shown = &tab.rows.shown;
        let here = tab
            .selected
            .and_then(|s| shown.iter().position(|i| *i == s))
            .map_or(0, |p| p.saturating_add_signed(by));
        if let Some(index) = shown.get(here.min(shown.len().saturating_sub(1))) {
            tab.selected = Some(*index);
            tab.scroll_to_selection = true;
        }
    }

    fn choose(&mut self, purpose: PathPurpose) {
        let name = dialogs::proposed_name(self.state.tab(), purpose);
        if !self.chooser.choose(purpose, &name) {
            self.state.path_dialog = Some(purpose);
        }
    }

    fn use_path(&mut self, purpose: PathPurpose, path: &str) {
        self.state.path_dialog = None;
        self.state.notice = None;
        let outcome = match purpose {
            PathPurpose::OpenPlan => dialogs::read_plan(&*self.backend, path).map(|request| {
                self.open(request);
                format!("Opened {path}")
            }),
            PathPurpose::SavePlan => dialogs::write_plan(&*self.backend, self.state.tab(), path),
            PathPurpose::ExportCsv => dialogs::write_csv(&*self.backend, self.state.tab(), path),
        };
        if outcome.is_ok() {
            self.state.settings.last_path = path.to_owned();
        }
        match outcome {
            Ok(text) => self.tell(text),
            Err(text) => self.complain(text),
        }
    }

    fn take_drops(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        for file in dropped {
            let path = file.path().to_string_lossy().into_owned();
            self.use_path(PathPurpose::OpenPlan, &path);
        }
    }

    fn take_choice(&mut self) {
        match self.chooser.poll() {
            Some(Chosen::Path(purpose, path)) => self.use_path(purpose, &path),
            Some(Chosen::NoDialog(purpose)) => self.state.path_dialog = Some(purpose),
            Some(Chosen::Nothing(purpose)) => {
                self.state.notice = Some(Notice {
                    text: "No file was chosen".to_owned(),
                    is_error: false,
                    offer_path: Some(purpose),
                });
            }
            None => {}
        }
    }
}

/// Takes a new result into a tab and keeps the selection on the same combination where it still exists.
fn accept(tab: &mut Tab, plan: Arc<crate::planner::Plan>, took: Duration, stamp: u64) {
    let key = |plan: &crate::planner::Plan, i: usize| {
        plan.combinations
            .get(i)
            .map(|c| (c.accelerator.name.clone(), c.count, c.mode))
    };
    let wanted = match (&tab.done, tab.selected) {
        (Some(done), Some(i)) => key(&done.plan, i),
        _ => None,
    };
    let kept = wanted.and_then(|wanted| {
        (0..plan.combinations.len()).find(|i| {
            key(&plan, *i).as_ref() == Some(&wanted)
                && plan.combinations.get(*i).is_some_and(|c| c.run().is_some())
        })
    });
    tab.selected = kept.or_else(|| plan.recommended());
    tab.scroll_to_selection = true;
    tab.errors.clear();
    tab.status = Status::Current;
    tab.done = Some(Done { plan, took, stamp });
}

/// Puts a request's accelerators on the panel's list, where they stay when they are unchecked.
fn shelve(tab: &mut Tab, request: &PlanRequest) {
    for name in &request.accelerators {
        if !tab.shelf.contains(name) {
            tab.shelf.push(name.clone());
        }
    }
}

fn toggle<T: Ord>(set: &mut std::collections::BTreeSet<T>, item: T) {
    if !set.remove(&item) {
        set.insert(item);
    }
}

/// Actions that concern one tab alone.
fn apply_to_tab(tab: &mut Tab, action: Action) {
    match action {
        Action::Draft(field, text, message) => {
            tab.drafts.insert(field, (text, message));
        }
        Action::Select(index) => tab.selected = Some(index),
        Action::SortBy(column) => {
            let settings = &mut tab.row_settings;
            settings.descending = settings.sort == column && !settings.descending;
            settings.sort = column;
        }
        Action::SetFilter(text) => tab.row_settings.filter = text,
        Action::WithinOnly(on) => tab.row_settings.within_only = on,
        Action::ParetoOnly(on) => tab.row_settings.pareto_only = on,
        Action::ToggleMode(mode) => toggle(&mut tab.hidden_modes, mode),
        Action::ToggleAccelerator(name) => toggle(&mut tab.hidden_accelerators, name),
        Action::ExpandRefused(on) => tab.refused_expanded = on,
        _ => {}
    }
}

impl eframe::App for MantissaApp {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        if let Some(command) = UiCommand::pressed(ctx) {
            self.queue.push(Action::Ui(command));
        }
        self.take_drops(ctx);
        self.take_choice();
        while let Some(report) = self.worker.as_mut().and_then(Worker::poll) {
            self.apply_report(report);
        }
        self.apply_queue(ctx);
        self.request_explanation();
        self.show_progress(ctx);
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let mut actions = Vec::new();
        panels::window_ui(ui, &self.state, &*self.backend, &mut actions);
        self.state.focus_filter = false;
        if let Some(tab) = self.state.tab_mut() {
            tab.scroll_to_selection = false;
        }
        if !actions.is_empty() {
            self.queue.extend(actions);
            ui.ctx().request_repaint();
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        let mut settings = self.state.settings.clone();
        settings.active = self.state.active;
        settings.plans = self
            .state
            .tabs
            .iter()
            .filter_map(|t| t.request.as_ref())
            .filter_map(|r| self.backend.write(r).ok())
            .collect();
        eframe::set_value(storage, STORAGE_KEY, &settings);
    }
}
