//! The window: an immediate-mode view over one planner, drawn with egui.
//!
//! Panels read [`state::State`] and return [`command::Action`]s; only [`app::MantissaApp`]'s logic mutates. Planning
//! and explaining run on one named worker thread ([`worker`]); what a panel needs from the layers below goes through
//! [`backend::Backend`], so that tests can put a hand-made plan behind the very same window.

mod action;
pub mod app;
pub mod backend;
mod blank;
mod calendar;
mod combination_key;
pub mod command;
mod command_group;
mod dialogs;
pub mod evaluation;
mod export;
mod filter;
mod filter_figure;
mod filter_words;
pub mod gallery;
mod history;
mod link;
pub mod look;
pub mod measure;
mod notice;
mod panels;
mod parse;
mod parse_counts;
mod parse_duration;
mod parse_figure;
mod parse_sequence;
mod path_problem;
mod picture;
mod pins;
pub mod places;
mod prices;
pub mod raster;
pub mod reading;
pub mod region;
mod remembered;
pub mod rows;
mod rows_text;
mod session;
mod shipped;
mod shortcuts;
pub mod state;
pub mod sway;
pub mod theme;
mod titles;
pub mod trail;
mod view;
mod widgets;
mod words;
mod worker;
mod workload;

pub use app::MantissaApp;
pub use backend::{Backend, PlanFailure};
pub use shipped::Shipped;

use crate::presets::Catalogue;
use session::Session;
use std::sync::Arc;

/// Names the folder of the session, and the window to the desktop.
const APP_ID: &str = "mantissa";
/// Smallest window that clips nothing; one panel stands beside the centre in it, the other is a click away.
const MIN_SIZE: [f32; 2] = [1024.0, 640.0];

/// Opens the window of the shipped program on a catalogue and returns when it is closed.
/// A `file` is opened there as if it had been dropped onto it.
///
/// # Errors
/// One line, where no display is available.
pub fn run(catalogue: Arc<Catalogue>, file: Option<std::ffi::OsString>) -> Result<(), String> {
    run_with(Arc::new(Shipped::with_catalogue(catalogue)), file)
}

/// Opens the window on a planner and returns when it is closed.
/// A `file` is opened in it.
///
/// # Errors
/// One line, where no display or no OpenGL is available.
pub fn run_with(backend: Arc<dyn Backend>, file: Option<std::ffi::OsString>) -> Result<(), String> {
    // Held until the last of the session is written.
    let session = Arc::new(Session::of_program(APP_ID));
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("Mantissa")
            .with_app_id(APP_ID)
            .with_inner_size([1440.0, 900.0])
            .with_min_inner_size(MIN_SIZE),
        renderer: eframe::Renderer::Glow,
        persist_window: true,
        persistence_path: session.other_file(),
        ..Default::default()
    };
    let own = Arc::clone(&session);
    eframe::run_native(
        APP_ID,
        options,
        Box::new(move |cc| {
            let mut app = MantissaApp::in_session(&cc.egui_ctx, cc.storage, backend, &own);
            if let Some(file) = file {
                app.open_given(&file.to_string_lossy());
            }
            Ok(Box::new(app))
        }),
    )
    .map_err(|error| {
        let text = error.to_string().replace('\n', " ");
        // winit puts the place in its own source before the cause.
        let cause = text
            .rsplit_once(".rs:")
            .and_then(|(_, rest)| rest.split_once(": "))
            .map_or(text.as_str(), |(_, cause)| cause)
            .trim_end_matches('.');
        format!(
            "cannot open a window: {cause}. The command line needs none: `mantissa plan --help`"
        )
    })
}
