//! Search-as-you-type lists that drop down from a button.

use crate::domain::Accelerator;
use crate::gui::backend::{Backend, ModelEntry};
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{Edit, focus_ring, keyboard_returns, most_height, paint_in, search_box};
use crate::gui::words::quoted;
use crate::presets::squeezed;
use egui::{
    Align2, Key, Popup, PopupCloseBehavior, Rect, Response, ScrollArea, Sense, Ui, WidgetInfo,
    accesskit, pos2, vec2,
};
use std::sync::Arc;

/// Words that may be typed before the name of any accelerator.
const ADDS: &str = "add accelerator gpu";

/// One line of a list.
#[derive(Clone)]
pub struct Choice {
    /// What is returned.
    pub key: String,
    /// Main text.
    pub label: String,
    /// Quiet text at the right.
    pub detail: String,
}

/// What was picked of a list.
pub enum Picked {
    /// The line with this key.
    Line(String),
    /// The line below the others.
    Foot,
}

/// Opens below a button, on the line of the key that holds `now`; returns what was picked. `find` yields the lines for a
/// search text, best first; the one at the `foot` stands below them whatever is searched.
pub fn picker_ui(
    button: &Response,
    (name, now): (&str, Option<&str>),
    width: f32,
    foot: Option<&Choice>,
    find: &dyn Fn(&str) -> Vec<Choice>,
) -> Option<Picked> {
    let mut picked = None;
    let memory = button.id.with("picker");
    let popup = Popup::menu(button)
        .id(memory)
        .width(width)
        .gap(4.0)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let was_open = popup.is_open();
    popup.show(|ui| {
        ui.set_width(width);
        let (mut text, mut cursor): (String, usize) =
            ui.data(|d| d.get_temp(memory)).unwrap_or_default();
        // Whoever opens the list again looks for something else.
        if !was_open {
            text.clear();
        }
        let (rect, _) = ui.allocate_exact_size(vec2(width, 28.0), Sense::hover());
        let (edit, id) = search_box(
            ui,
            rect.shrink2(vec2(2.0, 2.0)),
            &format!("Search {name}"),
            &text,
            "Type to search",
        );
        let mut moved = false;
        if let Edit::To(new) = edit {
            text = new;
            (cursor, moved) = (0, true);
        }
        if button.clicked() || !was_open {
            ui.memory_mut(|m| m.request_focus(id));
        }
        let choices = find(&text);
        if !was_open {
            let current = choices.iter().position(|c| Some(c.key.as_str()) == now);
            (cursor, moved) = (current.unwrap_or(0), true);
        }
        let (down, up, enter) = ui.input(|i| {
            (
                i.key_pressed(Key::ArrowDown),
                i.key_pressed(Key::ArrowUp),
                i.key_pressed(Key::Enter),
            )
        });
        // The foot comes after the last line, and is not where a search without a find ends.
        let most = match foot {
            Some(_) => choices.len(),
            None => choices.len().saturating_sub(1),
        };
        cursor = (cursor + usize::from(down)).min(most);
        cursor = cursor.saturating_sub(usize::from(up));
        let on_foot = !choices.is_empty() && cursor == choices.len();
        // The key that opened the list chooses nothing in it.
        let enter = enter && was_open && !button.clicked();
        if enter && let Some(choice) = choices.get(cursor) {
            picked = Some(Picked::Line(choice.key.clone()));
        } else if enter && on_foot {
            picked = Some(Picked::Foot);
        }
        if choices.is_empty() {
            // The search goes on where Enter found nothing to take.
            if enter {
                ui.memory_mut(|m| m.request_focus(id));
            }
            ui.add_space(4.0);
            let text = format!("Nothing is called {}", quoted(&text));
            ui.colored_label(Tokens::of(ui).sub, text);
        }
        let list = List {
            lines: choices.len(),
            // The search stands above the lines.
            height: 288.0_f32.min(most_height(ui) - if foot.is_some() { 76.0 } else { 40.0 }),
            cursor: (moved || down || up).then_some(cursor),
        };
        list.show(ui, |ui, i| {
            if let Some(choice) = choices.get(i)
                && line_ui(ui, choice, i == cursor).clicked()
            {
                picked = Some(Picked::Line(choice.key.clone()));
            }
        });
        if let Some(foot) = foot {
            ui.separator();
            if line_ui(ui, foot, on_foot).clicked() {
                picked = Some(Picked::Foot);
            }
        }
        if picked.is_some() {
            text.clear();
            cursor = 0;
            ui.close();
        }
        ui.data_mut(|d| d.insert_temp(memory, (text, cursor)));
    });
    keyboard_returns(button, memory, was_open);
    picked
}

/// A list of lines that keeps the one the arrows went to in sight.
pub struct List {
    /// How many lines there are.
    pub lines: usize,
    /// Height of those in sight.
    pub height: f32,
    /// The line the arrows went to just now; `None` where nothing moved, so that the wheel can leave it.
    pub cursor: Option<usize>,
}

impl List {
    /// Draws the lines in sight.
    pub fn show(&self, ui: &mut Ui, mut line: impl FnMut(&mut Ui, usize)) {
        let row = size::ROW - 4.0;
        let step = row + ui.spacing().item_spacing.y;
        // Without a least height a list that was short once would stay so: its window remembers how small it was.
        let mut area = ScrollArea::vertical()
            .max_height(self.height)
            .min_scrolled_height(self.height);
        let id = ui.scope_id().with("list-offset");
        if let Some(cursor) = self.cursor {
            // Lines out of sight are not laid out, so none of them can ask to be scrolled to.
            let (seen, top) = (
                ui.data(|d| d.get_temp(id)).unwrap_or(0.0f32),
                cursor as f32 * step,
            );
            area = area.vertical_scroll_offset(seen.min(top).max(top + row - self.height));
        }
        let shown = area.show_rows(ui, row, self.lines, |ui, range| {
            for i in range {
                line(ui, i);
            }
        });
        ui.data_mut(|d| d.insert_temp(id, shown.state.clamped_offset().y));
    }
}

/// One line: label left, detail right.
pub fn line_ui(ui: &mut Ui, choice: &Choice, current: bool) -> Response {
    let t = Tokens::of(ui);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), size::ROW - 4.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(accesskit::Role::ListItem, true, &choice.label));
    ui.ctx()
        .accesskit_node_builder(response.id, |node| node.set_selected(current));
    let area = rect.expand2(vec2(0.0, 2.0));
    if current || response.hovered() {
        ui.painter().rect_filled(
            area,
            size::RADIUS_FIELD,
            if current { t.sel } else { t.hover },
        );
    }
    focus_ring(ui, &response, size::RADIUS_FIELD);
    let inner = area.shrink2(vec2(8.0, 0.0));
    let right = paint_in(
        ui.painter(),
        inner,
        Align2::RIGHT_CENTER,
        &choice.detail,
        Role::Caption,
        t.sub,
    );
    let left = Rect::from_min_max(
        inner.min,
        pos2(
            (right.left() - 8.0).max(inner.left() + 60.0),
            inner.bottom(),
        ),
    );
    paint_in(
        ui.painter(),
        left,
        Align2::LEFT_CENTER,
        &choice.label,
        Role::Body,
        t.strong,
    );
    response
}

/// What a search text asks for, in letters and digits alone: `resnet 50` finds `ResNet-50`.
struct Wanted {
    whole: String,
    words: Vec<String>,
}

impl Wanted {
    fn of(text: &str) -> Self {
        let words = text.split(|c: char| !c.is_alphanumeric());
        Self {
            whole: squeezed(text),
            words: words.filter(|w| !w.is_empty()).map(squeezed).collect(),
        }
    }

    /// Whether each of its words, in any order, is in one of these names.
    fn is_in(&self, names: &[&str]) -> bool {
        let has = |word: &String| names.iter().any(|name| name.contains(word.as_str()));
        self.words.iter().all(has)
    }
}

/// Sorts lines for a search: names that start with it, names that contain it, then those whose other words contain it or
/// that have every word of it in any order. What is equally good stays in the order it comes in.
pub fn rank<'a, T>(
    items: impl Iterator<Item = &'a T>,
    text: &str,
    words_of: impl Fn(&T) -> (&str, &str),
) -> Vec<&'a T> {
    rank_with(items, text, "", words_of)
}

/// The same, where words that are common to all lines may be typed too.
pub fn rank_with<'a, T>(
    items: impl Iterator<Item = &'a T>,
    text: &str,
    common: &str,
    words_of: impl Fn(&T) -> (&str, &str),
) -> Vec<&'a T> {
    let wanted = Wanted::of(text);
    if wanted.whole.is_empty() {
        return items.collect();
    }
    let mut classes: [Vec<&T>; 4] = Default::default();
    for item in items {
        let (own, others) = words_of(item);
        let (name, more) = (squeezed(own), squeezed(others));
        let class = if name.starts_with(&wanted.whole) {
            0
        } else if name.contains(&wanted.whole) {
            1
        } else if more.contains(&wanted.whole) {
            2
        } else if wanted.is_in(&[&name, &more, common]) {
            3
        } else {
            continue;
        };
        // `13b` is found in `1.3B` too, but that is not what was meant.
        let class = match stands_alone(text, &[own, others]) {
            true => class,
            false => 3,
        };
        classes[class].push(item);
    }
    classes.into_iter().flatten().collect()
}

/// Whether a text that begins with a digit stands in one of these names as a number of its own, not as the end of another;
/// other texts always do.
fn stands_alone(text: &str, names: &[&str]) -> bool {
    let text = text.trim().to_lowercase();
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return true;
    }
    names.iter().any(|name| {
        let name = name.to_lowercase();
        name.match_indices(&text).any(|(at, _)| {
            let before = name[..at].chars().next_back();
            before.is_none_or(|c| !c.is_ascii_digit() && c != '.')
        })
    })
}

/// The models that a text finds, best first. One that is found by another name says so: it has the shape of both.
pub fn found_models<'a>(
    models: &'a [ModelEntry],
    text: &str,
) -> impl Iterator<Item = (&'a ModelEntry, String)> {
    let wanted = Wanted::of(text);
    let found = rank_with(models.iter(), text, "model", |m| {
        (m.label.as_str(), m.search.as_str())
    });
    found.into_iter().map(move |m| {
        let is_called = |name: &str| wanted.is_in(&[&squeezed(name), "model"]);
        let other = (m.aliases.iter()).find(|name| is_called(name) && !is_called(&m.label));
        let label = other.map_or_else(
            || m.label.clone(),
            |other| format!("{} · also {other}", m.label),
        );
        (m, label)
    })
}

/// The accelerators that a text finds, best first; without a text all, newest first.
pub fn found_accelerators<'a>(backend: &'a dyn Backend, text: &str) -> Vec<&'a Arc<Accelerator>> {
    let all = if text.trim().is_empty() {
        backend.accelerators()
    } else {
        backend.accelerators_to_find()
    };
    rank_with(all.iter(), text, ADDS, |a: &Arc<Accelerator>| {
        (a.label.as_str(), a.name.as_str())
    })
}
