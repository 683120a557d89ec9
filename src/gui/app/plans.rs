//! Plans between files, the clipboard and sessions; and how wide the panels beside them are.

use super::MantissaApp;
use crate::gui::command::{PathPurpose, Side};
use crate::gui::panels;
use crate::gui::state::{About, PathProblem};
use crate::planner::PriceRequest;

/// No plan is larger than this many bytes; what is, was copied by mistake and is not gone through while the window waits.
const LARGEST_PASTE: usize = 1_000_000;
/// Named in errors of a pasted text.
const PASTED: &str = "the pasted text";

impl MantissaApp {
    /// Writes the plan to its file; asks where there is none yet, or where writing would lose something of it.
    pub(super) fn save_plan(&mut self) {
        let Some(path) = self.state.tab().and_then(|t| t.path.clone()) else {
            return self.choose(PathPurpose::SavePlan);
        };
        match self.lost_by_saving(&path) {
            Some(reason) => {
                let problem = PathProblem::replaces(&path, reason);
                self.ask_again(PathPurpose::SavePlan, problem);
            }
            None => self.use_path(PathPurpose::SavePlan, &path),
        }
    }

    /// What a file holds that the plan's text would not, in words: remarks, or another's changes.
    fn lost_by_saving(&self, path: &str) -> Option<String> {
        let text = std::fs::read_to_string(path).ok()?;
        if text.contains('#') {
            return Some(
                "The file holds comments, which a saved plan has none of. Replace it, or choose another name"
                    .to_owned(),
            );
        }
        let on_disk = self.backend.parse(path, &text).ok();
        let saved = self.state.tab().and_then(|t| t.saved.as_deref());
        (on_disk.as_ref() != saved).then(|| {
            "The file was changed since it was opened or saved here. Replace it, or choose another name"
                .to_owned()
        })
    }

    /// The tab shown is what a file holds from now on.
    pub(super) fn now_saved(&mut self, path: &str) {
        // Wherever a later session is started, it is the same file.
        let whole = std::path::absolute(path).map_or_else(
            |_| path.to_owned(),
            |whole| whole.to_string_lossy().into_owned(),
        );
        if let Some(tab) = self.state.tab_mut() {
            tab.path = Some(whole);
            tab.saved = tab.request.clone();
        }
    }

    pub(super) fn copy_plan(&mut self, ctx: &egui::Context) {
        let request = self.state.tab().and_then(|t| t.request.clone());
        match request.map(|r| self.backend.write(&r)) {
            Some(Ok(text)) => {
                ctx.copy_text(text);
                self.tell("Copied the plan as text".to_owned());
            }
            Some(Err(text)) => self.complain_of(About::Request, text),
            None => {}
        }
    }

    /// One combination for each seller, or the cheapest alone again: a step of undo.
    pub(super) fn toggle_sellers(&mut self) {
        let request = self.state.tab().and_then(|t| t.request.clone());
        let Some(mut request) = request.map(|r| (*r).clone()) else {
            return;
        };
        let mut prices = request.prices.take().unwrap_or_default();
        prices.every_seller = !prices.every_seller;
        if prices.every_seller {
            prices.provider = None;
        }
        request.prices = (prices != PriceRequest::default()).then_some(prices);
        self.edit(request, "");
    }

    /// What is pasted outside of a field is a plan.
    pub(super) fn take_paste(&mut self, ctx: &egui::Context) {
        if ctx.text_edit_focused() {
            return;
        }
        let pasted = ctx.input(|i| {
            i.events.iter().find_map(|e| match e {
                egui::Event::Paste(text) => Some(text.clone()),
                _ => None,
            })
        });
        if let Some(text) = pasted {
            self.paste_plan(&text);
        }
    }

    /// Opens the text of a plan in a new tab.
    pub(super) fn paste_plan(&mut self, text: &str) {
        if text.trim().is_empty() {
            self.complain_of(
                About::Request,
                "Nothing is copied that could be pasted".to_owned(),
            );
            return;
        }
        if text.len() > LARGEST_PASTE {
            self.complain_of(
                About::Request,
                "The pasted text is too long for a plan".to_owned(),
            );
            return;
        }
        match self.backend.parse(PASTED, text) {
            Ok(request) => {
                self.state.start_page = false;
                self.open_in_view(request);
                self.tell("Opened the pasted plan".to_owned());
            }
            Err(reason) if !text.contains('=') => self.complain_of(
                About::Request,
                format!("What was pasted is no plan: a plan is lines of TOML such as model = \"llama-3-8b\" ({reason})"),
            ),
            Err(reason) => self.complain_of(About::Request, reason),
        }
    }

    pub(super) fn set_width(&mut self, side: Side, width: Option<f32>) {
        let settings = &mut self.state.settings;
        match side {
            Side::Request => settings.request_width = width,
            Side::Inspector => settings.inspector_width = width,
        }
    }

    /// Shows a panel or hides it. Where the window has room for one alone, the other gives way.
    pub(super) fn toggle_panel(&mut self, ctx: &egui::Context, side: Side) {
        let (request_fits, inspector_fits) =
            panels::fitting(ctx.content_rect().width(), &self.state);
        let settings = &mut self.state.settings;
        let (hidden, fits) = match side {
            Side::Request => (&mut settings.request_hidden, request_fits),
            Side::Inspector => (&mut settings.inspector_hidden, inspector_fits),
        };
        if fits {
            *hidden = !*hidden;
        } else {
            *hidden = false;
            self.state.inspector_first = side == Side::Inspector;
        }
    }

    pub(super) fn reset_panels(&mut self) {
        let settings = &mut self.state.settings;
        (settings.request_hidden, settings.inspector_hidden) = (false, false);
        (settings.request_width, settings.inspector_width) = (None, None);
    }
}
