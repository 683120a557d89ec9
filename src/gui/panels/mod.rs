//! The panels: each reads the state and pushes actions.

mod accuracy;
mod answers;
mod axes;
mod breakdown;
mod centre;
mod evidence;
mod heatmap;
mod inspector;
mod legend;
mod limits;
mod overlay;
mod palette;
mod picker;
mod refused;
mod request;
mod request_lists;
mod scaling;
mod scene;
mod status;
mod table;
mod table_cells;
mod top_bar;
mod tradeoff;
mod why;

use super::backend::Backend;
use super::command::Action;
use super::state::State;
use super::theme::{Tokens, size};
use egui::{CentralPanel, Frame, Panel, Ui};
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
    let (left, right) = if wide {
        (size::LEFT_WIDE, size::RIGHT_WIDE)
    } else {
        (size::LEFT, size::RIGHT)
    };
    Panel::left("request")
        .exact_size(left)
        .resizable(false)
        .show_separator_line(false)
        .frame(bare(t.panel))
        .show(ui, |ui| request::request_ui(ui, &mut cx));
    Panel::right("inspector")
        .exact_size(right)
        .resizable(false)
        .show_separator_line(false)
        .frame(bare(t.panel))
        .show(ui, |ui| inspector::inspector_ui(ui, &mut cx));
    CentralPanel::no_frame()
        .frame(bare(t.panel))
        .show(ui, |ui| centre::centre_ui(ui, &mut cx));
    overlay::overlay_ui(ui, &mut cx);
    palette::palette_ui(ui, &mut cx);
}
