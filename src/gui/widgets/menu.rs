//! Lines of an open menu by keyboard.

use egui::{Event, EventFilter, Id, Key, Response, ScrollArea, Ui};

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
    if was_open && button.ctx.input(keys) && !egui::Popup::is_id_open(&button.ctx, popup) {
        button.request_focus();
    }
}

/// The lines of a menu with their names, gathered while they are drawn.
#[derive(Default)]
pub struct Lines(Vec<(Response, String)>);

impl Lines {
    /// Takes a line that was drawn.
    pub fn add(&mut self, line: &Response, name: impl Into<String>) {
        // A line that cannot be chosen would hold up the arrows.
        if line.enabled() {
            self.0.push((line.clone(), name.into()));
        }
    }

    /// Keeps the keyboard inside an open list: its `current` line has it first; up, down, Home and End move among the
    /// lines, a letter goes to the next one that begins with what is typed, and Enter is a click. To be called in the
    /// popup, after its lines.
    pub fn walk(&self, ui: &Ui, current: usize) {
        let names: Vec<&str> = self.0.iter().map(|(_, name)| name.as_str()).collect();
        walk_named(ui, &self.0, &names, current);
    }

    /// Walks a menu that may open others: egui moves by arrows through those, what is left is where to start, Home, End
    /// and letters. `is_open_behind` tells that one of them has the keyboard.
    pub fn walk_menu(&self, ui: &Ui, is_open_behind: bool) {
        if let Some((line, _)) = self.0.iter().find(|(line, _)| line.gained_focus()) {
            line.scroll_to_me(None);
        }
        let at = self.0.iter().position(|(line, _)| line.has_focus());
        let Some(at) = at else {
            let is_free = !is_open_behind && !self.0.iter().any(|(line, _)| line.hovered());
            if let (true, Some((first, _))) = (is_free, self.0.first()) {
                first.request_focus();
            }
            return;
        };
        let names = self
            .0
            .iter()
            .map(|(_, name)| name.as_str())
            .collect::<Vec<_>>();
        let pressed = |key| ui.input(|i| i.modifiers.is_none() && i.key_pressed(key));
        let to = if pressed(Key::Home) {
            Some(0)
        } else if pressed(Key::End) {
            self.0.len().checked_sub(1)
        } else {
            typed_line(ui, &names, at)
        };
        if let Some((line, _)) = to.and_then(|to| self.0.get(to)) {
            line.request_focus();
            line.scroll_to_me(None);
        }
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
