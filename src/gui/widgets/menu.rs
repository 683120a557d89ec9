//! Lines of an open menu by keyboard.

use super::focus_ring;
use crate::gui::theme::size;
use egui::{Event, EventFilter, Id, Key, Popup, PopupCloseBehavior, Response, ScrollArea, Ui};

/// Letters typed no longer apart than this are the beginning of one name.
const TYPED_TOGETHER: f64 = 0.9;

/// Points around the contents of a popup, and between it and the edges of the window.
const AROUND: f32 = 28.0;

/// The most that the contents of a popup may take of the window's height.
pub fn most_height(ui: &Ui) -> f32 {
    (ui.ctx().content_rect().height() - 2.0 * AROUND).max(3.0 * AROUND)
}

/// The contents of a popup: what is higher than the window scrolls, whatever the window's size and zoom.
pub fn in_window<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let most = most_height(ui);
    in_height(ui, most, contents)
}

/// The contents of a popup: what is higher than so many points scrolls.
fn in_height<R>(ui: &mut Ui, most: f32, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let id = ui.scope_id().with("popup-contents");
    // Known from the frame before: contents that fit stay as they are, for a scrolled area decides its own width.
    let height: f32 = ui.data(|d| d.get_temp(id)).unwrap_or(0.0);
    let (inner, height) = if height > most {
        // A popup remembers how small it was: without a least height it would stay so in a larger window.
        let area = ScrollArea::vertical()
            .max_height(most)
            .min_scrolled_height(most);
        let shown = area.show(ui, contents);
        (shown.inner, shown.content_size.y)
    } else {
        let shown = ui.scope(contents);
        (shown.inner, shown.response.rect.height())
    };
    if ui.data(|d| d.get_temp(id)) != Some(height) {
        ui.data_mut(|d| d.insert_temp(id, height));
        ui.ctx().request_repaint();
    }
    inner
}

/// Gives the keyboard back to the button of a list that a key has just closed: whoever walks by keys goes on from there.
pub fn keyboard_returns(button: &Response, popup: Id, was_open: bool) {
    let keys = |i: &egui::InputState| i.key_pressed(Key::Enter) || i.key_pressed(Key::Escape);
    if was_open && button.ctx.input(keys) && !Popup::is_id_open(&button.ctx, popup) {
        button.request_focus();
    }
}

/// A list below a button: walked by keyboard, closed by what is chosen, inside the window. A key that closes it gives the
/// keyboard back to the button.
pub struct DropDown<'a> {
    button: &'a Response,
    width: Option<f32>,
    most: Option<f32>,
    stays_open: bool,
}

impl<'a> DropDown<'a> {
    /// Below this button.
    pub const fn of(button: &'a Response) -> Self {
        Self {
            button,
            width: None,
            most: None,
            stays_open: false,
        }
    }

    /// So many points wide.
    pub const fn width(self, points: f32) -> Self {
        Self {
            width: Some(points),
            ..self
        }
    }

    /// No more than so many points high.
    pub const fn most(self, points: f32) -> Self {
        Self {
            most: Some(points),
            ..self
        }
    }

    /// Several of its lines may be chosen, one after the other.
    pub const fn stays_open(self) -> Self {
        Self {
            stays_open: true,
            ..self
        }
    }

    /// Draws it while it is open; `contents` walks its lines once they are drawn.
    pub fn show(self, contents: impl FnOnce(&mut Ui, &mut Lines)) {
        let mut popup = Popup::menu(self.button).gap(4.0);
        if let Some(width) = self.width {
            popup = popup.width(width);
        }
        if self.stays_open {
            popup = popup.close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        }
        let (id, was_open) = (popup.get_id(), popup.is_open());
        popup.show(|ui| {
            let most = self.most.unwrap_or_else(|| most_height(ui));
            in_height(ui, most, |ui| {
                let mut lines = Lines {
                    stays_open: self.stays_open,
                    ..Lines::default()
                };
                contents(ui, &mut lines);
            });
        });
        keyboard_returns(self.button, id, was_open);
    }
}

/// The lines of a menu with their names, gathered while they are drawn.
#[derive(Default)]
pub struct Lines {
    drawn: Vec<(Response, String)>,
    /// Whether the list stays when one of them is chosen.
    stays_open: bool,
}

impl Lines {
    /// Takes a line that was drawn.
    pub fn add(&mut self, line: &Response, name: impl Into<String>) {
        // A line that cannot be chosen would hold up the arrows.
        if line.enabled() {
            self.drawn.push((line.clone(), name.into()));
        }
    }

    /// Keeps the keyboard inside an open list: its `current` line has it first; up, down, Home and End move among the
    /// lines, a letter goes to the next one that begins with what is typed, and Enter is a click. To be called in the
    /// popup, after its lines.
    pub fn walk(&self, ui: &Ui, current: usize) {
        // A key's click closes nothing by itself.
        if !self.stays_open && self.drawn.iter().any(|(line, _)| line.clicked()) {
            ui.close();
            return;
        }
        self.rings(ui);
        let names: Vec<&str> = self.drawn.iter().map(|(_, name)| name.as_str()).collect();
        walk_named(ui, &self.drawn, &names, current);
    }

    /// The ring around the line that has the keyboard: one that is chosen already looks the same with it and without.
    fn rings(&self, ui: &Ui) {
        for (line, _) in &self.drawn {
            focus_ring(ui, line, size::RADIUS_FIELD);
        }
    }

    /// Walks a menu that may open others: egui moves by arrows through those, what is left is where to start, Home, End
    /// and letters. `is_open_behind` tells that one of them has the keyboard.
    pub fn walk_menu(&self, ui: &Ui, is_open_behind: bool) {
        if let Some((line, _)) = self.drawn.iter().find(|(line, _)| line.gained_focus()) {
            line.scroll_to_me(None);
        }
        self.rings(ui);
        let at = self.drawn.iter().position(|(line, _)| line.has_focus());
        let Some(at) = at else {
            let is_free = !is_open_behind && !self.drawn.iter().any(|(line, _)| line.hovered());
            if let (true, Some((first, _))) = (is_free, self.drawn.first()) {
                first.request_focus();
            }
            return;
        };
        let names = self
            .drawn
            .iter()
            .map(|(_, name)| name.as_str())
            .collect::<Vec<_>>();
        let pressed = |key| ui.input(|i| i.modifiers.is_none() && i.key_pressed(key));
        let to = if pressed(Key::Home) {
            Some(0)
        } else if pressed(Key::End) {
            self.drawn.len().checked_sub(1)
        } else {
            typed_line(ui, &names, at)
        };
        if let Some((line, _)) = to.and_then(|to| self.drawn.get(to)) {
            line.request_focus();
            line.scroll_to_me(None);
        }
    }
}

/// Moves the keyboard by arrows, Home and End among cells that stand in rows of so many `columns`, where one of them has
/// it. To be called after the cells.
pub fn walk_grid(ui: &Ui, cells: &[Response], columns: usize) {
    let Some(at) = cells.iter().position(Response::has_focus) else {
        return;
    };
    let arrows = EventFilter {
        vertical_arrows: true,
        horizontal_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|m| m.set_focus_lock_filter(cells[at].id, arrows));
    let last = cells.len() - 1;
    let steps = [
        (Key::ArrowRight, (at + 1).min(last)),
        (Key::ArrowLeft, at.saturating_sub(1)),
        (
            Key::ArrowDown,
            if at + columns <= last {
                at + columns
            } else {
                at
            },
        ),
        (Key::ArrowUp, at.checked_sub(columns).unwrap_or(at)),
        (Key::Home, 0),
        (Key::End, last),
    ];
    let pressed = |key| ui.input(|i| i.modifiers.is_none() && i.key_pressed(key));
    if let Some((_, to)) = steps.into_iter().find(|(key, _)| pressed(*key)) {
        cells[to].request_focus();
        cells[to].scroll_to_me(None);
    }
}

fn walk_named(ui: &Ui, lines: &[(Response, String)], names: &[&str], current: usize) {
    let Some(at) = lines.iter().position(|(line, _)| line.has_focus()) else {
        if let Some((line, _)) = lines.get(current).or(lines.first()) {
            line.request_focus();
        }
        return;
    };
    let arrows = EventFilter {
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|m| m.set_focus_lock_filter(lines[at].0.id, arrows));
    let pressed = |key| ui.input(|i| i.modifiers.is_none() && i.key_pressed(key));
    let last = lines.len() - 1;
    let to = if pressed(Key::ArrowDown) {
        (at + 1).min(last)
    } else if pressed(Key::ArrowUp) {
        at.saturating_sub(1)
    } else if pressed(Key::Home) {
        0
    } else if pressed(Key::End) {
        last
    } else if let Some(to) = typed_line(ui, names, at) {
        to
    } else {
        return;
    };
    lines[to].0.request_focus();
    lines[to].0.scroll_to_me(None);
}

/// The line that begins with what is typed: the next one for a letter alone, this one too for a longer beginning.
fn typed_line(ui: &Ui, names: &[&str], at: usize) -> Option<usize> {
    let typed: String = ui.input(|i| {
        let text = |event: &Event| match event {
            Event::Text(text) if text != " " => Some(text.to_lowercase()),
            _ => None,
        };
        i.events.iter().filter_map(text).collect()
    });
    if typed.is_empty() {
        return None;
    }
    let id = Id::unique("typed-ahead");
    let now = ui.input(|i| i.time);
    let before: Option<(f64, String)> = ui.data(|d| d.get_temp(id));
    let mut wanted = before
        .filter(|(then, _)| now - then < TYPED_TOGETHER)
        .map_or_else(String::new, |(_, text)| text);
    wanted.push_str(&typed);
    ui.data_mut(|d| d.insert_temp(id, (now, wanted.clone())));
    let count = names.len();
    let found = |wanted: &str, from: usize| {
        (from..from + count)
            .map(|i| i % count)
            .find(|i| names[*i].to_lowercase().starts_with(wanted))
    };
    let longer = (wanted.chars().count() > 1)
        .then(|| found(&wanted, at))
        .flatten();
    longer.or_else(|| found(&typed, at + 1))
}
