//! The panels: each reads the state and pushes actions.

mod accuracy;
mod accuracy_plots;
mod answer_cards;
mod answer_words;
mod answers;
mod axes;
mod batch_note;
mod blank;
mod breakdown;
mod calibrated;
mod calibration;
mod callout;
mod centre;
mod cloud;
mod compare;
mod compare_head;
mod compare_limits;
mod compare_more;
mod compare_parts;
mod compare_reasons;
mod compare_step;
mod compare_times;
mod compare_units;
mod compare_words;
mod edges;
mod evidence;
mod evidence_strips;
mod evidence_view;
mod heatmap;
mod importance;
mod inspector;
mod legend;
mod limit_words;
mod limits;
mod memory;
mod menus;
mod model_list;
mod overlay;
mod palette;
mod picker;
mod reading;
mod refused;
mod regions;
mod request;
mod request_fields;
mod request_limits;
mod request_lists;
mod request_more;
mod request_prices;
mod request_reset;
mod request_sway;
mod run_notes;
mod scaling;
mod scaling_mini;
mod scene;
mod schedules;
mod start;
mod status;
mod table;
mod table_cells;
mod table_empty;
mod top_bar;
mod tradeoff;
mod why;
mod why_limit;
mod why_view;
mod why_words;

use super::backend::Backend;
use super::command::{Action, Side};
use super::state::State;
use super::theme::{Tokens, size};
use egui::{CentralPanel, Frame, Panel, Ui};
pub use request::set_model;
use scene::Scene;

/// Draws the whole window.
pub fn window_ui(ui: &mut Ui, state: &State, backend: &dyn Backend, out: &mut Vec<Action>) {
    let Some(tab) = state.tab() else { return };
    let t = Tokens::of(ui);
    let wide = ui.available_width() >= size::WIDE;
    let mut cx = Scene {
        state,
        tab,
        backend,
        out,
        wide,
        hovered: tab.hovered,
        hovers: None,
    };
    let bare = |fill| Frame::NONE.fill(fill);
    Panel::top("top-bar")
        .exact_size(size::TOP_BAR)
        .show_separator_line(false)
        .frame(bare(t.window))
        .show(ui, |ui| top_bar::top_bar_ui(ui, &mut cx));
    Panel::bottom("status-bar")
        .exact_size(size::STATUS_BAR)
        .show_separator_line(false)
        .frame(bare(t.window))
        .show(ui, |ui| status::status_ui(ui, &mut cx));
    // The comparison needs the width; a wide window has it beside the request.
    let comparing = state.is_comparing() && tab.plan().is_some();
    let (request_fits, inspector_fits) = fitting(ui.available_width(), state);
    let shows_request = !state.settings.request_hidden && request_fits && (wide || !comparing);
    let shows_inspector = !state.settings.inspector_hidden && inspector_fits && !comparing;
    let (left, right) = edges::widths(&cx, ui.available_width(), (shows_request, shows_inspector));
    let mut edges = Vec::new();
    if shows_request {
        let panel = Panel::left("request")
            .exact_size(left)
            .resizable(false)
            .show_separator_line(false)
            .frame(bare(t.panel))
            .show(ui, |ui| request::request_ui(ui, &mut cx));
        edges.push((Side::Request, (panel.response.rect, right)));
    }
    if shows_inspector {
        let panel = Panel::right("inspector")
            .exact_size(right)
            .resizable(false)
            .show_separator_line(false)
            .frame(bare(t.panel))
            .show(ui, |ui| inspector::inspector_ui(ui, &mut cx));
        edges.push((Side::Inspector, (panel.response.rect, left)));
    }
    CentralPanel::no_frame()
        .frame(bare(t.panel))
        .show(ui, |ui| centre::centre_ui(ui, &mut cx));
    for (side, beside) in edges {
        edges::edge_ui(ui, &mut cx, side, beside);
    }
    overlay::overlay_ui(ui, &mut cx);
    start::start_ui(ui, &mut cx);
    palette::palette_ui(ui, &mut cx);
    if cx.hovers != tab.hovered {
        let hovers = cx.hovers;
        cx.send(Action::Hover(hovers));
    }
}

/// Which of request and inspector a window of this width has room for.
pub fn fitting(window: f32, state: &State) -> (bool, bool) {
    let both = !edges::is_narrow(window);
    (
        both || !state.inspector_first,
        both || state.inspector_first,
    )
}

/// Draws the view of the centre alone, for a picture of it.
pub fn picture_ui(ui: &mut Ui, state: &State, backend: &dyn Backend) {
    let Some(tab) = state.tab() else { return };
    let mut out = Vec::new();
    let mut cx = Scene {
        state,
        tab,
        backend,
        out: &mut out,
        wide: false,
        hovered: None,
        hovers: None,
    };
    CentralPanel::no_frame()
        .frame(Frame::NONE.fill(Tokens::of(ui).panel))
        .show(ui, |ui| centre::chart_ui(ui, &mut cx));
}
