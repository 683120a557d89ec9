//! A slider for a factor around 1, on a logarithmic scale, with the factor beside it to be typed.

use super::fields::stay_after_enter;
use super::{Edit, TextField, paint_in, text_field};
use crate::format;
use crate::gui::parse;
use crate::gui::places;
use crate::gui::theme::{Role, Tokens};
use egui::{Align2, Rect, Slider, Ui, UiBuilder, pos2, vec2};

/// How far a factor can be moved from 1, either way.
const REACH: f64 = 4.0;
/// Width of the field with the factor.
const FIELD: f32 = 62.0;

/// What became of a factor in this frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Moved {
    /// Nothing.
    Not,
    /// It was moved or typed.
    To(f64),
    /// What was typed into its field is no factor: the text, and why.
    Wrong(String, String),
    /// Its field was left by Escape.
    Left,
}

/// Draws a label, a slider and the factor in a row; instead of the factor the text that was refused, with what is wrong.
pub fn factor_slider(
    ui: &mut Ui,
    row: Rect,
    label: &str,
    factor: f64,
    refused: Option<&(String, String)>,
) -> Moved {
    let t = Tokens::of(ui);
    let name = Rect::from_min_size(row.min, vec2(92.0, row.height()));
    paint_in(
        ui.painter(),
        name,
        Align2::LEFT_CENTER,
        label,
        Role::Body,
        t.sub,
    );
    let place = Rect::from_min_max(
        pos2(name.right() + 4.0, row.top()),
        pos2(row.right() - FIELD - 8.0, row.bottom()),
    );
    let mut child = ui.new_child(UiBuilder::new().max_rect(place).id_salt(("factor", label)));
    child.spacing_mut().slider_width = place.width();
    child.spacing_mut().slider_rail_height = 4.0;
    child.spacing_mut().interact_size.y = 18.0;
    let visuals = child.visuals_mut();
    visuals.selection.bg_fill = t.accent_fill;
    for widget in [
        &mut visuals.widgets.inactive,
        &mut visuals.widgets.hovered,
        &mut visuals.widgets.active,
    ] {
        widget.bg_fill = t.track;
        widget.fg_stroke.color = t.text;
    }
    let mut value = factor;
    let slider = Slider::new(&mut value, 1.0 / REACH..=REACH)
        .logarithmic(true)
        .show_value(false)
        .smart_aim(false)
        .trailing_fill(false);
    let response = child.centered_and_justified(|ui| ui.add(slider)).inner;
    child
        .ctx()
        .accesskit_node_builder(response.id, |node| node.set_label(label));
    // Whoever moved it by mouse goes on by arrows.
    if places::arrives(ui.ctx(), label) || response.is_pointer_button_down_on() {
        response.request_focus();
    }
    super::focus_ring(ui, &response, 4.0);
    // After the slider, so that the keyboard goes from left to right.
    let typed = field_ui(ui, row, label, factor, refused);
    if !response.changed() {
        return typed;
    }
    // A drag rests at exactly 1 near the middle; two decimals elsewhere, so that a plan file stays readable.
    let rounded = (value * 100.0).round() / 100.0;
    let rests = response.dragged() && (rounded - 1.0).abs() < 0.04;
    Moved::To(if rests { 1.0 } else { rounded })
}

/// The factor as a text that can be typed over.
fn field_ui(
    ui: &mut Ui,
    row: Rect,
    label: &str,
    factor: f64,
    refused: Option<&(String, String)>,
) -> Moved {
    let ends = (1.0 / REACH, REACH);
    let name = format!("{label}, factor");
    let place = Rect::from_min_max(
        pos2(row.right() - FIELD, row.top() - 1.0),
        pos2(row.right(), row.bottom() + 1.0),
    );
    let decimals = if (factor * 100.0).fract().abs() < 1e-6 {
        2
    } else {
        3
    };
    let text = format!("×\u{202F}{}", format::fixed(factor, decimals));
    let field = TextField {
        name: &name,
        text: refused.map_or(&text, |(typed, _)| typed),
        unit: "",
        hint: "×\u{202F}1.00",
        error: refused.map(|(_, message)| message.as_str()),
    };
    let edit = text_field(ui, place, &field);
    stay_after_enter(ui, &name);
    match edit {
        Edit::To(text) => match parse::factor(&text, ends) {
            Ok(factor) => Moved::To(factor),
            Err(message) => Moved::Wrong(text, message),
        },
        Edit::Left => Moved::Left,
        Edit::Same => Moved::Not,
    }
}
