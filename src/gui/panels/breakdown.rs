//! Breakdown: where each step goes, one stacked bar a combination on one scale, in the order of the table.

use super::scene::{Scene, cached, short_label};
use crate::format;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{focus_ring, paint, paint_in, segmented_bar, width_of};
use crate::planner::{Combination, Plan};
use crate::predictor::Breakdown;
use egui::{Align2, Rect, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, accesskit, pos2, vec2};
use std::collections::HashSet;

/// Draws the breakdown.
pub fn breakdown_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else { return };
    let rows = cached(ui, "breakdown", cx.visible_key(), || -> Vec<usize> {
        let shown = cx.tab.rows.shown.iter().copied();
        // Whoever sells the hours, the step is the same: the first of each run that is shown.
        let mut seen = HashSet::new();
        shown
            .filter(|i| {
                plan.combinations.get(*i).is_some_and(|c| {
                    cx.is_visible(c) && seen.insert((&c.accelerator.name, c.count, c.mode))
                })
            })
            .collect()
    });
    let top = parts_legend(ui, area, plan, &rows, t) + 8.0;
    let body = Rect::from_min_max(pos2(area.left(), top), area.max - vec2(0.0, 6.0));
    let mut child = ui.new_child(
        UiBuilder::new()
            .max_rect(body)
            .id_salt(("breakdown", cx.tab.id)),
    );
    child.spacing_mut().item_spacing = vec2(0.0, 0.0);
    ScrollArea::vertical().auto_shrink(false).show_rows(
        &mut child,
        22.0,
        rows.len(),
        |ui, range| {
            // The bars on the screen share one scale: far slower ones further down would make them all slivers.
            let longest = range
                .clone()
                .filter_map(|i| plan.combinations.get(*rows.get(i)?)?.run())
                .map(|r| r.prediction.breakdown.total().value())
                .fold(0.0, f64::max);
            for i in range {
                let Some(index) = rows.get(i) else { continue };
                row_ui(ui, cx, *index, longest);
            }
        },
    );
}

/// The parts that this plan has, in as many lines as they take; returns the y below them.
fn parts_legend(ui: &Ui, area: Rect, plan: &Plan, shown: &[usize], t: &Tokens) -> f32 {
    let mut at = pos2(area.left(), area.top() + size::LEGEND / 2.0);
    for (i, (name, _)) in Breakdown::default().parts().into_iter().enumerate() {
        let has = |c: &Combination| {
            let run = c.run();
            run.is_some_and(|r| r.prediction.breakdown.parts()[i].1.value() > 0.0)
        };
        let mut runs = shown.iter().filter_map(|i| plan.combinations.get(*i));
        if !runs.any(has) {
            continue;
        }
        let width = width_of(ui.painter(), name, Role::Caption) + 14.0;
        if at.x + width > area.right() {
            at = pos2(area.left(), at.y + size::LEGEND - 4.0);
        }
        let swatch = Rect::from_center_size(at + vec2(4.5, 0.0), vec2(9.0, 9.0));
        ui.painter().rect_filled(swatch, 2.0, t.part(i));
        paint(
            ui.painter(),
            at + vec2(14.0, 0.0),
            Align2::LEFT_CENTER,
            name,
            Role::Caption,
            t.text,
        );
        at.x += width + 14.0;
    }
    let text = "Time of one step";
    if at.x + width_of(ui.painter(), text, Role::Caption) < area.right() {
        paint(
            ui.painter(),
            pos2(area.right(), at.y),
            Align2::RIGHT_CENTER,
            text,
            Role::Caption,
            t.sub,
        );
    }
    at.y + size::LEGEND / 2.0
}

fn row_ui(ui: &mut Ui, cx: &mut Scene<'_>, index: usize, longest: f64) {
    let t = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::click());
    let Some(plan) = cx.plan() else { return };
    let Some((c, run)) = plan
        .combinations
        .get(index)
        .and_then(|c| Some((c, c.run()?)))
    else {
        return;
    };
    let device = format::devices(c.count, short_label(plan, &c.accelerator.label));
    response.widget_info(|| {
        let text = format!("Step of {} on {device}", c.mode.label());
        WidgetInfo::selected(
            accesskit::Role::ListItem,
            true,
            cx.tab.selected == Some(index),
            text,
        )
    });
    let is_hovered = cx.hover(index, response.hovered());
    if cx.tab.selected == Some(index) {
        ui.painter().rect_filled(rect, 4.0, t.sel);
    } else if is_hovered {
        ui.painter().rect_filled(rect, 4.0, t.hover);
    }
    focus_ring(ui, &response, 4.0);
    let y = rect.center().y;
    cx.paint_mark(ui.painter(), pos2(rect.left() + 10.0, y), 4.4, c, t);
    let name = Rect::from_min_max(
        pos2(rect.left() + 24.0, rect.top()),
        pos2(rect.left() + 92.0, rect.bottom()),
    );
    paint_in(
        ui.painter(),
        name,
        Align2::LEFT_CENTER,
        c.mode.label(),
        Role::Body,
        t.strong,
    );
    let place = Rect::from_min_max(
        pos2(rect.left() + 96.0, rect.top()),
        pos2(rect.left() + 186.0, rect.bottom()),
    );
    paint_in(
        ui.painter(),
        place,
        Align2::LEFT_CENTER,
        &device,
        Role::Body,
        t.text,
    );
    let bar = Rect::from_min_max(
        pos2(rect.left() + 196.0, y - 6.0),
        pos2(rect.right() - 76.0, y + 6.0),
    );
    segmented_bar(ui.painter(), bar, &run.prediction.breakdown, longest, t);
    let step = format::step_time(crate::units::Seconds(run.prediction.step_time.value));
    crate::gui::widgets::paint_value(
        ui.painter(),
        pos2(rect.right() - 8.0, y),
        Align2::RIGHT_CENTER,
        &step,
        Role::Body,
        (t.strong, t.sub),
    );
    if response.clicked() {
        cx.pick(ui.ctx(), index);
    }
    response.on_hover_ui(|ui| {
        for (name, time) in run.prediction.breakdown.parts() {
            if time.value() > 0.0 {
                ui.label(format!("{name}  {}", format::step_time(time)));
            }
        }
    });
}
