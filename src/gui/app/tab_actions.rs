//! Actions that concern one tab alone: selection, order and filter of its rows, pins, and what its legend hides.

use crate::gui::action::Action;
use crate::gui::state::Tab;
use std::collections::BTreeSet;

fn toggle<T: Ord>(set: &mut BTreeSet<T>, item: T) {
    if !set.remove(&item) {
        set.insert(item);
    }
}

/// Hides all but one; shows all where the others are hidden already.
fn only<T: Ord + Clone>(hidden: &mut BTreeSet<T>, all: &[T], one: &T) {
    let others = || all.iter().filter(|other| *other != one);
    let alone = !hidden.contains(one) && others().all(|other| hidden.contains(other));
    hidden.clear();
    if !alone {
        hidden.extend(others().cloned());
    }
}

/// Actions that concern one tab alone.
pub(super) fn apply(tab: &mut Tab, action: Action) {
    match action {
        Action::Hover(index) => tab.hovered = index,
        Action::Select(index) => {
            tab.selected = Some(index);
            tab.scroll_to_selection = true;
        }
        Action::SortBy(column) => {
            let settings = &mut tab.row_settings;
            settings.descending = settings.sort == column && !settings.descending;
            settings.sort = column;
        }
        Action::SetFilter(text) => tab.set_filter(text),
        Action::SetRegion(region) => tab.row_settings.region = region,
        Action::SetCell(column) => tab.cell = Some(column),
        Action::Unpin(place) if place < tab.pins.len() => {
            tab.pins.remove(place);
            tab.leave_former_pins();
            tab.refresh_pins();
        }
        Action::MakeBaseline(place) if place < tab.pins.len() => {
            tab.pins[..=place].rotate_right(1);
            tab.leave_former_pins();
            tab.refresh_pins();
        }
        Action::WithinOnly(on) => tab.row_settings.within_only = on,
        Action::ParetoOnly(on) => tab.row_settings.pareto_only = on,
        Action::ToggleMode(mode) => toggle(&mut tab.hidden_modes, mode),
        Action::ToggleAccelerator(name) => toggle(&mut tab.hidden_accelerators, name),
        Action::OnlyMode(mode) => only(&mut tab.hidden_modes, &tab.rows.modes, &mode),
        Action::OnlyAccelerator(name) => {
            let parts = (tab.plan().into_iter()).flat_map(|plan| &plan.request.accelerators);
            let all: Vec<String> = parts.map(|part| part.name.clone()).collect();
            only(&mut tab.hidden_accelerators, &all, &name);
        }
        Action::ExpandRefused(on) => tab.refused_expanded = on,
        _ => {}
    }
}
