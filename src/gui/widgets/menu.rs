//! Lines of an open menu by keyboard.

use egui::{EventFilter, Key, Response, Ui};

/// Keeps the keyboard inside an open menu: its `current` line has it first; up, down, Home and End move among `lines`, and
/// Enter is a click. To be called in the popup, after its lines.
pub fn walk_lines(ui: &Ui, lines: &[Response], current: usize) {
    let Some(at) = lines.iter().position(Response::has_focus) else {
        if let Some(line) = lines.get(current).or(lines.first()) {
            line.request_focus();
        }
        return;
    };
    let arrows = EventFilter {
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|m| m.set_focus_lock_filter(lines[at].id, arrows));
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
    } else {
        return;
    };
    lines[to].request_focus();
    lines[to].scroll_to_me(None);
}
