//! Rows of the request panel: a text field with its problem below, a list of choices, and rows of one figure a part.

use super::scene::Scene;
use crate::gui::command::Action;
use crate::gui::state::Field;
use crate::gui::widgets::{
    DropDown, Edit, TextField, combo_button, problem, property_row, stay_after_enter, text_field,
};
use crate::planner::PlanRequest;
use egui::{Rect, Sense, Ui};
use std::collections::BTreeMap;

/// A text row: label, field, present text, unit, hint.
pub struct Row<'a> {
    label: &'a str,
    field: Field,
    text: &'a str,
    unit: &'a str,
    hint: &'a str,
    /// What screen readers and tests call it, where the label alone does not tell.
    name: &'a str,
    /// What is read over the label.
    tip: &'a str,
    /// What the request calls the part whose figure it is.
    written: &'a [&'a String],
}

impl<'a> Row<'a> {
    pub fn new(label: &'a str, field: Field, text: &'a str, unit: &'a str) -> Self {
        Self {
            label,
            field,
            text,
            unit,
            hint: "",
            name: label,
            tip: "",
            written: &[],
        }
    }
    pub fn hint(self, hint: &'a str) -> Self {
        Self { hint, ..self }
    }
    pub fn name(self, name: &'a str) -> Self {
        Self { name, ..self }
    }
    pub fn tip(self, tip: &'a str) -> Self {
        Self { tip, ..self }
    }
    fn written(self, written: &'a [&'a String]) -> Self {
        Self { written, ..self }
    }
}

/// Draws a text row; a text that `apply` takes becomes an edit, another one a draft with its problem.
pub fn field_row(
    ui: &mut Ui,
    cx: &mut Scene<'_>,
    row: Row<'_>,
    apply: impl Fn(&mut PlanRequest, &str) -> Result<(), String>,
) {
    let rect = property_row(ui, row.label);
    if !row.tip.is_empty() {
        let label = Rect::from_x_y_ranges(ui.max_rect().left()..=rect.left(), rect.y_range());
        let id = ui.scope_id().with(("tip", row.name));
        ui.interact(label, id, Sense::hover())
            .on_hover_text(row.tip);
    }
    let draft = cx.tab.drafts.get(&row.field);
    let error = if row.written.is_empty() {
        cx.tab.error(row.field)
    } else {
        cx.tab.error_under(row.field, row.written)
    };
    let edit = text_field(
        ui,
        rect,
        &TextField {
            name: row.name,
            text: draft.map_or(row.text, |(text, _)| text),
            unit: row.unit,
            hint: row.hint,
            error,
        },
    );
    stay_after_enter(ui, row.name);
    if let Some(message) = error {
        problem(ui, message);
        if matches!(edit, Edit::Left) {
            cx.send(Action::Restore(row.field));
        }
    }
    let (Edit::To(text), Some(request)) = (edit, &cx.tab.request) else {
        return;
    };
    let mut copy = (**request).clone();
    // The unit stands behind the text already: whoever types it too means the same.
    match apply(&mut copy, crate::gui::parse::without_unit(&text, row.unit)) {
        Ok(()) => cx.send(Action::EditField(Box::new(copy), row.field)),
        Err(message) => cx.send(Action::Draft(row.field, text, message)),
    }
}

/// A row with a list of fixed choices; returns the key picked.
pub fn choice_row<'a>(
    ui: &mut Ui,
    label: &str,
    now: &str,
    other: &str,
    choices: &[(&'a str, &str)],
) -> Option<&'a str> {
    let rect = property_row(ui, label);
    let text = choices
        .iter()
        .find(|(key, _)| *key == now)
        .map_or(other, |(_, text)| *text);
    let button = combo_button(ui, rect, label, text, None);
    let mut picked = None;
    // The larger of the rooms above and below: a longer list scrolls rather than leave the window.
    let window = ui.ctx().content_rect();
    let most = (rect.top() - window.top()).max(window.bottom() - rect.bottom()) - 24.0;
    DropDown::of(&button)
        .width(rect.width())
        .most(most)
        .show(|ui, lines| {
            for (key, text) in choices {
                let line = ui.selectable_label(*key == now, *text);
                if line.clicked() {
                    picked = Some(*key);
                }
                lines.add(&line, *text);
            }
            let current = choices.iter().position(|(key, _)| *key == now);
            lines.walk(ui, current.unwrap_or(0));
        });
    picked
}

/// A figure of each part that is written by its name in the request.
pub struct PartRows<'a, V> {
    /// The field of a part's place on the shelf.
    pub field: fn(usize) -> Field,
    /// What it says, for screen readers: `Available H100 SXM`.
    pub what: &'a str,
    pub unit: &'a str,
    pub hint: &'a dyn Fn(&Scene<'_>, &str) -> String,
    /// Where the request keeps it.
    pub map: fn(&PlanRequest) -> BTreeMap<String, V>,
    pub set_map: fn(&mut PlanRequest, BTreeMap<String, V>),
    pub show: fn(V) -> String,
    pub parse: fn(&str) -> Result<V, String>,
}

/// Draws a row for each part of the request.
pub fn part_rows<V: Copy>(
    ui: &mut Ui,
    cx: &mut Scene<'_>,
    request: &PlanRequest,
    rows: &PartRows<'_, V>,
) {
    let shelf = cx.tab.shelf.clone();
    let map = (rows.map)(request);
    let mut without_row: Vec<&String> = map.keys().collect();
    for (i, name) in shelf.iter().enumerate() {
        if !request.accelerators.contains(name) {
            continue;
        }
        let part = cx.backend.accelerator(name);
        let label = part
            .as_ref()
            .map_or(name.as_str(), |a| cx.label(&a.label))
            .to_owned();
        // The file may use another name of the same part, and has an error under that name.
        let is_part = |key: &String| {
            let named = cx.backend.accelerator(key);
            key == name
                || part
                    .as_ref()
                    .zip(named)
                    .is_some_and(|(a, b)| a.name == b.name)
        };
        let written: Vec<&String> = map.keys().filter(|key| is_part(key)).collect();
        without_row.retain(|key| !written.contains(key));
        let value = written.last().and_then(|key| map.get(*key));
        let text = value.map_or_else(String::new, |value| (rows.show)(*value));
        let hint = (rows.hint)(cx, name);
        let spoken = format!("{} {label}", rows.what);
        let row = Row::new(&label, (rows.field)(i), &text, rows.unit)
            .hint(&hint)
            .name(&spoken)
            .written(&written);
        field_row(ui, cx, row, |r, typed| {
            let value = crate::gui::parse::optional(typed, rows.parse)?;
            let mut map = (rows.map)(r);
            map.retain(|key, _| !written.contains(&key));
            if let Some(value) = value {
                map.insert(name.clone(), value);
            }
            (rows.set_map)(r, map);
            Ok(())
        });
    }
    // A part that is not planned, or that nobody knows, has no row to show its error in.
    for name in without_row {
        let path = format!("{}.\"{name}\"", (rows.field)(0).path());
        if let Some(message) = cx.tab.error_at(&path) {
            problem(ui, &format!("{name}: {message}"));
        }
    }
}
