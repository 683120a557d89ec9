//! What the status bar tells, and how long an error stands: until what it was about has changed.

use super::command::{PathPurpose, UiCommand};
use super::state::State;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What an error is about; when that changes, the error goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum About {
    /// Nothing that could be put right in the window.
    #[default]
    Nothing,
    /// What was just done: it is no news any more once the request changes or another tab is shown.
    Deed,
    /// The selection, the axes and what is pinned.
    Selection,
    /// What is pinned.
    Pins,
    /// The result of the plan.
    Plan,
    /// Measured runs and the calibration.
    Runs,
    /// The request: whoever goes on with it has left a file that was dropped behind, and so a change taken back.
    Request,
}

/// A line that tells of something that happened.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Notice {
    /// What happened.
    pub text: String,
    /// Whether it went wrong.
    pub is_error: bool,
    /// Offer to type a path for this purpose.
    pub offer_path: Option<PathPurpose>,
    /// Offer to run this command.
    pub offer: Option<UiCommand>,
    /// What it is about, where it went wrong.
    pub about: About,
    /// How that was then; 0 while what it tells of is still under way.
    pub then: u64,
}

impl Notice {
    /// An error that goes when what it is about has changed.
    pub fn error(text: String, about: About, state: &State) -> Self {
        Self {
            text,
            is_error: true,
            offer_path: None,
            offer: None,
            about,
            then: key(about, state),
        }
    }

    /// Something that went as it should and is true of the request as it stands.
    pub fn of_request(text: String, state: &State) -> Self {
        Self {
            text,
            about: About::Request,
            then: key(About::Request, state),
            ..Self::default()
        }
    }

    /// Something that was done to the pins, with the command that takes it back; it goes when they change again.
    pub fn of_pins(text: String, offer: UiCommand, state: &State) -> Self {
        Self {
            text,
            offer: Some(offer),
            about: About::Pins,
            then: key(About::Pins, state),
            ..Self::default()
        }
    }

    /// Something that went as it should. It lasts until the next edit or another tab.
    pub fn told(text: String) -> Self {
        Self {
            text,
            about: About::Deed,
            ..Self::default()
        }
    }

    /// Takes how things are after what it tells of: files may be written of another tab, and edits end in another request.
    pub fn begin(&mut self, now: u64) {
        if self.about == About::Deed && self.then == 0 {
            self.then = now;
        }
    }

    /// How things are now that end what was just done.
    pub fn now(state: &State) -> u64 {
        key(About::Deed, state).max(1)
    }

    /// Whether what it is about is no longer as it was: an error that was put right, a change that was taken back.
    pub fn is_over(&self, state: &State) -> bool {
        match self.about {
            About::Nothing => false,
            About::Deed => self.then != 0 && Self::now(state) != self.then,
            about => key(about, state) != self.then,
        }
    }
}

/// Stands for what an error is about, within one run of the program.
fn key(about: About, state: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    let tab = state.tab();
    tab.map(|t| t.id).hash(&mut hasher);
    match about {
        About::Nothing => {}
        About::Selection => {
            let axes = state.settings.axes;
            format!("{axes:?}").hash(&mut hasher);
            tab.map(|t| (t.selected, t.pins.len(), t.done.as_ref().map(|d| d.stamp)))
                .hash(&mut hasher);
        }
        About::Pins => format!("{:?}", tab.map(|t| &t.pins)).hash(&mut hasher),
        About::Plan => tab
            .map(|t| t.done.as_ref().map(|d| d.stamp))
            .hash(&mut hasher),
        About::Runs => {
            state.evaluation.as_ref().map(Arc::as_ptr).hash(&mut hasher);
            state
                .calibration
                .as_ref()
                .map(Arc::as_ptr)
                .hash(&mut hasher);
        }
        About::Deed | About::Request => tab
            .and_then(|t| t.request.as_ref().map(Arc::as_ptr))
            .hash(&mut hasher),
    }
    hasher.finish()
}
