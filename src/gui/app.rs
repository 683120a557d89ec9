//! The app: applies actions and reports in `logic`, draws panels in `ui`. Nothing else changes the state.

mod by_keyboard;
mod calibration;
mod commands;
mod files;
mod going;
mod pins;
mod plans;
mod refused;
mod reports;
mod selection;
mod session;
mod sway;
mod tab_actions;
pub(crate) mod tabs;
mod typing;

use super::backend::Backend;
use super::blank;
use super::calendar;
use super::command::{Action, UiCommand};
use super::dialogs::Chooser;
use super::panels;
use super::session::Session;
use super::state::{About, Notice, State, Status, Tab, View};
use super::theme;
use super::titles;
use super::worker::Worker;
use crate::planner::PlanRequest;
use crate::report;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A plan that takes no longer than this is let finish when the request changes meanwhile.
const QUICK: Duration = Duration::from_millis(900);
/// Whoever loses the power loses no more than this of what was done.
const SAVED_EVERY: Duration = Duration::from_secs(5);
/// Key of the settings in eframe's storage.
const STORAGE_KEY: &str = "mantissa-window-1";
/// Points that a title bar and a task bar take of a screen's height.
const TITLE_BAR: f32 = 48.0;

/// The window's whole state and its worker.
pub struct MantissaApp {
    backend: Arc<dyn Backend>,
    state: State,
    worker: Option<Worker>,
    chooser: Chooser,
    queue: Vec<Action>,
    next_id: u64,
    next_stamp: u64,
    /// Whether the theme in use is the dark one.
    is_dark: bool,
    /// Whether the window was held against the screen it opened on.
    is_fitted: bool,
    /// The path of the file that is being opened, where it was typed or chosen.
    reading: Option<String>,
    /// What had the keyboard; when it leaves a field the edit there is done.
    focused: Option<egui::Id>,
    /// Whether something was done since the last save.
    is_unsaved: bool,
}

impl MantissaApp {
    /// Builds the app: fonts, themes, the plans of the last session or the worked example, already computing.
    pub fn new(
        ctx: &egui::Context,
        storage: Option<&dyn eframe::Storage>,
        backend: Arc<dyn Backend>,
    ) -> Self {
        Self::in_session(ctx, storage, backend, &Session::default())
    }

    /// The same for a session, which may be another window's.
    pub(super) fn in_session(
        ctx: &egui::Context,
        storage: Option<&dyn eframe::Storage>,
        backend: Arc<dyn Backend>,
        session: &Session,
    ) -> Self {
        theme::install(ctx);
        let mut app = Self {
            worker: None,
            state: State::default(),
            chooser: Chooser::new(ctx.clone()),
            queue: Vec::new(),
            next_id: 1,
            next_stamp: 1,
            is_dark: true,
            is_fitted: false,
            reading: None,
            focused: None,
            is_unsaved: false,
            backend,
        };
        match Worker::start(Arc::clone(&app.backend), ctx.clone()) {
            Ok(worker) => app.worker = Some(worker),
            Err(text) => app.complain_of(About::Nothing, text),
        }
        app.take_up(storage, session);
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
            self.note_selection();
            self.request_explanation();
            self.plan_now();
            self.follow_sway();
            let Some(worker) = &mut self.worker else {
                return;
            };
            if !worker.is_busy() && self.queue.is_empty() {
                return;
            }
            match worker.wait(Duration::from_secs(120)) {
                Some(report) => self.apply_report(ctx, report),
                None => return,
            }
        }
    }

    /// Opens a request in a new tab and starts planning it.
    fn open(&mut self, request: PlanRequest) {
        let tab = self.new_tab(request);
        self.state.tabs.push(tab);
        self.state.active = self.state.tabs.len() - 1;
        self.start_plan();
    }

    /// A tab of a request, not planned yet.
    fn new_tab(&mut self, mut request: PlanRequest) -> Tab {
        titles::drop_untrue(&*self.backend, &mut request);
        let id = self.next_id;
        self.next_id += 1;
        let mut tab = Tab {
            id,
            ..Tab::default()
        };
        shelve(&mut tab, &request);
        let request = Arc::new(request);
        tab.opened = Some(Arc::clone(&request));
        tab.saved = Some(Arc::clone(&request));
        tab.request = Some(request);
        tab
    }

    /// Opens a request that was asked for, in the view that answers it.
    fn open_in_view(&mut self, request: PlanRequest) {
        self.state.settings.view = View::TradeOff;
        self.open(request);
    }

    /// Maximises a window that opens as high as the screen: its title bar would push the status bar out of sight.
    fn fit_screen(&mut self, ctx: &egui::Context) {
        if self.is_fitted {
            return;
        }
        let (monitor, inner) = ctx.input(|i| (i.viewport().monitor_size, i.viewport().inner_rect));
        let (Some(monitor), Some(inner)) = (monitor, inner) else {
            return;
        };
        self.is_fitted = true;
        if inner.height() > monitor.y - TITLE_BAR {
            ctx.send_viewport_cmd(egui::ViewportCommand::Maximized(true));
        }
    }

    fn complain(&mut self, text: String) {
        self.complain_of(About::Selection, text);
    }

    /// Tells of an error that goes when what it is about has changed.
    fn complain_of(&mut self, about: About, text: String) {
        self.state.notice = Some(Notice::error(text, about, &self.state));
    }

    fn tell(&mut self, text: String) {
        self.state.notice = Some(Notice::told(text));
    }

    /// Sends the request of the active tab to the worker.
    fn start_plan(&mut self) {
        let Some(tab) = self.state.tabs.get_mut(self.state.active) else {
            return;
        };
        tab.plan_at = None;
        if let Some(request) = &mut tab.request
            && let Some(hours) = calendar::renewed_deadline(&self.backend.now(), request)
        {
            let limits = &mut Arc::make_mut(request).limits;
            limits.get_or_insert_default().deadline_h = Some(hours);
        }
        if tab.is_retitled() {
            return;
        }
        let (Some(request), Some(worker)) = (&tab.request, &mut self.worker) else {
            return;
        };
        let model = self.backend.model(&request.model);
        tab.model_label = model
            .map(|m| m.label.clone())
            .or_else(|| report::file_title(&request.model));
        if tab.done.is_none() && blank::lacks(request).is_some() {
            // What is on its way was of a request that was whole.
            tab.generation += 1;
            tab.wants_plan = false;
            tab.status = Status::Blank;
            return;
        }
        // While a slider moves, a quick plan is let finish and shown; the newest request follows it. Leaving every one
        // for the next would show nothing until the slider rests.
        let quick = tab.done.as_ref().is_some_and(|d| d.took < QUICK);
        if quick && matches!(tab.status, Status::Computing(..)) && worker.is_busy() {
            tab.wants_plan = true;
            return;
        }
        if !matches!(tab.status, Status::Computing(..)) {
            tab.asked_at = Some(Instant::now());
        }
        tab.generation += 1;
        tab.status = Status::Computing(0, 0);
        let calibration = self.state.calibration.clone();
        worker.plan(tab.id, tab.generation, Arc::clone(request), calibration);
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

    fn tab_of(&mut self, id: u64, generation: u64) -> Option<&mut Tab> {
        self.state
            .tabs
            .iter_mut()
            .find(|t| t.id == id && t.generation == generation)
    }

    fn apply_queue(&mut self, ctx: &egui::Context) {
        let had_keys = self.state.takes_keys();
        for action in std::mem::take(&mut self.queue) {
            self.apply(ctx, action);
        }
        if self.state.takes_keys() && !had_keys {
            // A list that stayed open behind it would take its keys.
            egui::Popup::close_all(ctx);
        }
        if let Some(tab) = self.state.tabs.get_mut(self.state.active)
            && let Some(done) = &tab.done
        {
            // Rows of another result must not be drawn over this one, not even for a frame.
            (tab.rows).update(&done.plan, done.stamp, &tab.row_settings, &tab.shelf);
        }
        if let Some(mut notice) = self.state.notice.take() {
            notice.begin(Notice::now(&self.state));
            self.state.notice = Some(notice).filter(|n| !n.is_over(&self.state));
        }
    }

    fn apply(&mut self, ctx: &egui::Context, action: Action) {
        match action {
            Action::Ui(command) => self.run_command(ctx, command),
            Action::Edit(request, key) => self.edit(*request, key),
            Action::EditField(request, field) => self.edit_typed(ctx, *request, field),
            Action::Draft(field, text, message) => self.draft(ctx, field, text, message),
            Action::Restore(field) => self.restore_field(field),
            Action::ResetTo(request) => {
                if let Some(tab) = self.state.tab_mut() {
                    tab.drafts.clear();
                    tab.history.seal();
                }
                self.edit(*request, "");
            }
            Action::HeatByCount(on) => self.state.settings.heat_by_count = on,
            Action::EveryMode(on) => self.state.settings.every_mode = on,
            Action::ShowTab(index) if index < self.state.tabs.len() => {
                self.state.active = index;
                self.plan_active_if_needed();
            }
            Action::ShowTab(_) => {}
            Action::CloseTab(index) => self.close_tab(index),
            Action::Rename(id) => self.start_rename(ctx, id),
            Action::RenameText(text) => {
                if let Some((_, title)) = &mut self.state.renaming {
                    *title = text;
                }
            }
            Action::EndRename(is_taken) => self.end_rename(is_taken),
            Action::NewFrom(request) => self.open_in_view(*request),
            Action::SetView(view) => self.state.settings.view = view,
            Action::SetAxes(axes) => self.state.settings.axes = axes,
            Action::SetColumns(columns) => self.state.settings.columns = columns,
            Action::Copy(text, what) => {
                ctx.copy_text(text);
                self.tell(format!("Copied {what}"));
            }
            Action::Open(url) => ctx.open_url(egui::OpenUrl::new_tab(url)),
            Action::TogglePin(index) => self.toggle_pin(index),
            Action::Path(purpose, path) => self.use_typed_path(purpose, &path),
            Action::TypePath(purpose) => self.type_path(purpose),
            Action::SetModel(name) => self.set_model(&name),
            Action::GoTo(place) => self.go_to(ctx, place),
            Action::CloseDialog => {
                self.state.path_dialog = None;
                self.state.path_asked = None;
                self.state.path_problem = None;
                self.state.palette = None;
                self.state.start_page = false;
            }
            Action::SetWidth(side, width) => self.set_width(side, width),
            Action::PastePlan(text) => self.paste_plan(&text),
            Action::CloseEvaluation => self.state.evaluation = None,
            Action::DismissNotice => self.state.notice = None,
            Action::PaletteText(text) => self.state.palette = Some(text),
            other => {
                if let Some(tab) = self.state.tab_mut() {
                    tab_actions::apply(tab, other);
                }
            }
        }
    }

    fn edit(&mut self, request: PlanRequest, key: &str) {
        self.change(request, key);
        self.start_plan();
    }

    /// Changes the request, as a step of undo.
    fn change(&mut self, mut request: PlanRequest, key: &str) {
        let Some(tab) = self.state.tabs.get_mut(self.state.active) else {
            return;
        };
        let before = tab.request.clone();
        if let Some(before) = before.as_ref().filter(|before| ***before != request) {
            titles::follow(&*self.backend, before, &mut request);
            tab.history.record((**before).clone(), key);
            tab.leave_former_pins();
        }
        shelve(tab, &request);
        let shelf = &tab.shelf;
        tab.drafts.retain(|field, _| {
            field.key() != key
                && field.has_place(&request, shelf)
                && !field.is_set_anew(before.as_deref(), &request, shelf)
        });
        tab.request = Some(Arc::new(request));
        tab.errors.clear();
    }
}

/// Puts a request's accelerators on the panel's list, where they stay when they are unchecked.
fn shelve(tab: &mut Tab, request: &PlanRequest) {
    for name in &request.accelerators {
        if !tab.shelf.contains(name) {
            tab.shelf.push(name.clone());
        }
    }
}

impl eframe::App for MantissaApp {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        if let Some(command) = UiCommand::pressed(ctx) {
            self.queue.push(Action::Ui(command));
        }
        self.fit_screen(ctx);
        self.take_paste(ctx);
        self.is_dark = ctx.theme() == egui::Theme::Dark;
        self.take_drops(ctx);
        self.take_choice();
        while let Some(report) = self.worker.as_mut().and_then(Worker::poll) {
            self.apply_report(ctx, report);
        }
        self.apply_queue(ctx);
        self.note_selection();
        self.request_explanation();
        self.plan_typed(ctx);
        self.follow_sway();
        self.rest_drafts(ctx);
        self.show_progress(ctx);
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let mut actions = Vec::new();
        panels::window_ui(ui, &self.state, &*self.backend, &mut actions);
        let focused = ui.memory(|m| m.focused());
        // Enter takes what was typed and leaves the keyboard where it is.
        let is_taken = ui.input(|i| i.key_pressed(egui::Key::Enter));
        if focused != self.focused || is_taken {
            self.focused = focused;
            if let Some(tab) = self.state.tab_mut() {
                tab.history.seal();
            }
        }
        self.state.focus_filter = false;
        self.state.cell_step = 0;
        self.state.page_step = 0;
        self.state.inspector_step = 0;
        self.state.chart_step = None;
        if let Some(tab) = self.state.tab_mut() {
            tab.scroll_to_selection = false;
        }
        if !actions.is_empty() {
            self.queue.extend(actions);
            ui.ctx().request_repaint();
            self.is_unsaved = true;
        }
        if self.is_unsaved {
            // Saving waits for a frame, and nothing else may draw one.
            ui.ctx().request_repaint_after(SAVED_EVERY.mul_f32(1.1));
        }
    }

    fn auto_save_interval(&self) -> Duration {
        SAVED_EVERY
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.is_unsaved = false;
        eframe::set_value(storage, STORAGE_KEY, &self.to_be_kept());
    }
}
