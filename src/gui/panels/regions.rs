//! The selection's emissions elsewhere: in the cleanest, the chosen, the median and the dirtiest grid that ships.

use super::scene::{Scene, cached, key_of};
use crate::format;
use crate::gui::link;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{
    disclosure, focus_ring, link_ui, note, paint, paint_in, section_head, width_of,
};
use crate::planner::{GridEmissions, PUE, PredictedRun};
use crate::presets::seller_label;
use crate::units::{KgCo2e, KilowattHours};
use egui::{Align2, Rect, ScrollArea, Sense, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Height of a line of the list of every grid, and of the list.
const LINE: f32 = 22.0;
const LISTED: f32 = 10.0 * LINE;

/// Draws the comparison; nothing where the energy is unknown.
pub fn regions_ui(ui: &mut Ui, cx: &mut Scene<'_>, run: &PredictedRun) {
    let t = Tokens::of(ui);
    let (Some(energy), Some(plan)) = (run.energy_kwh, cx.plan()) else {
        return;
    };
    let region = plan.request.grid.as_ref().map(|g| g.region.as_str());
    let provider = run.price.as_ref().map(|p| p.provider.as_str());
    let key = key_of(&(energy.value.to_bits(), provider, region));
    // Several hundred grids are gone through, so not in every frame.
    let compared = cached(ui, "regions", key, || {
        (cx.backend).regions(KilowattHours(energy.value), provider, region)
    });
    let Some(compared) = compared.as_ref() else {
        return;
    };
    let remark = format!("of {} grids", format::count(compared.all.len() as f64));
    section_head(ui, "Emissions by region", &remark);
    let lines = [
        ("Cleanest", Some(&compared.cleanest)),
        ("Chosen", compared.chosen.as_ref()),
        ("Median", Some(&compared.median)),
        ("Dirtiest", Some(&compared.dirtiest)),
    ];
    let most = compared.dirtiest.kg.max(f64::MIN_POSITIVE);
    for (name, grid) in lines {
        let Some(grid) = grid else { continue };
        line_ui(ui, name, grid, most);
    }
    let shown = compared.chosen.as_ref().unwrap_or(&compared.cleanest);
    let whose = match plan.building_overhead(run) {
        // The factor between the energy above and these figures is told, or nobody could check them.
        Some(factor) if compared.chosen.is_some() => format!(
            "Energy of this run × the building ({PUE}; {} in the chosen) × grid of each region",
            format::fixed(factor, 2)
        ),
        _ if compared.chosen.is_some() => {
            "Energy of this run, buildings and grid of each region".to_owned()
        }
        _ => "No emissions without a region: set one under Software and site".to_owned(),
    };
    note(ui, &whose, t.sub);
    if disclosure(ui, "Every grid", false) {
        every_ui(ui, cx, &compared.all, (most, region));
    }
    if let Some(link) = link::of_preset(&shown.source, shown.note.as_deref(), &shown.retrieved) {
        source_ui(ui, cx, &link, ("grid", 0));
    }
    ui.add_space(8.0);
}

/// A bar for each grid, the cleanest first; a click plans there.
fn every_ui(
    ui: &mut Ui,
    cx: &mut Scene<'_>,
    grids: &[GridEmissions],
    (most, chosen): (f64, Option<&str>),
) {
    let t = Tokens::of(ui);
    ScrollArea::vertical()
        .auto_shrink([false, true])
        .max_height(LISTED)
        .id_salt("every-grid")
        .show_rows(ui, LINE, grids.len(), |ui, range| {
            for grid in grids.get(range).unwrap_or_default() {
                let size = vec2(ui.available_width(), LINE);
                let (row, _) = ui.allocate_exact_size(size, Sense::hover());
                let name = name_of(grid);
                let amount = format!("{} CO₂e", format::emissions(KgCo2e(grid.kg)));
                let id = ui.scope_id().with(("grid", &name));
                let response = ui.interact(row, id, Sense::click());
                response.widget_info(|| {
                    let text = format!("Plan in {name}: {amount}");
                    WidgetInfo::labeled(accesskit::Role::Button, true, text)
                });
                if response.hovered() {
                    ui.painter().rect_filled(row, 0.0, t.hover);
                }
                let inner = row.shrink2(vec2(size::MARGIN, 0.0));
                let is_chosen = chosen == Some(grid.region.as_str());
                let color = if is_chosen { t.accent } else { t.track };
                let mut bar = Rect::from_min_max(
                    pos2(inner.left(), row.bottom() - 4.0),
                    pos2(inner.right(), row.bottom() - 1.0),
                );
                bar.set_width(bar.width() * (grid.kg / most).clamp(0.0, 1.0) as f32);
                ui.painter().rect_filled(bar, 1.5, color);
                let y = row.center().y - 2.0;
                let value = paint(
                    ui.painter(),
                    pos2(inner.right(), y),
                    Align2::RIGHT_CENTER,
                    &amount,
                    Role::Caption,
                    t.text,
                );
                let room = Rect::from_min_max(
                    pos2(inner.left(), y - 8.0),
                    pos2(value.left() - 8.0, y + 8.0),
                );
                let ink = if is_chosen { t.strong } else { t.text };
                paint_in(
                    ui.painter(),
                    room,
                    Align2::LEFT_CENTER,
                    &name,
                    Role::Caption,
                    ink,
                );
                focus_ring(ui, &response, 2.0);
                let tip = format!("{name}\n{}, {}", grid.source, grid.retrieved);
                if response.on_hover_text(tip).clicked() {
                    cx.edit("", |r| r.region = Some(grid.region.clone()));
                }
            }
        });
    ui.add_space(6.0);
}

/// A line of its own for a source.
pub fn source_ui(ui: &mut Ui, cx: &mut Scene<'_>, link: &link::Link, salt: (&str, usize)) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let place = rect.shrink2(vec2(size::MARGIN, 0.0));
    if let Some(action) = link_ui(ui, place, link, salt) {
        cx.send(action);
    }
    let words = width_of(ui.painter(), &link.words(), Role::Caption);
    if words > place.width() - 22.0 {
        note(ui, &link.version, Tokens::of(ui).sub);
    }
}

/// `Google Cloud europe-north1, Finland`.
fn name_of(grid: &GridEmissions) -> String {
    let cloud = grid.provider.as_ref().map_or_else(
        || grid.region.clone(),
        |provider| format!("{} {}", seller_label(provider), grid.region),
    );
    match &grid.place {
        Some(place) => format!("{cloud}, {place}"),
        None => cloud,
    }
}

fn line_ui(ui: &mut Ui, name: &str, grid: &GridEmissions, most: f64) {
    let t = Tokens::of(ui);
    let (row, response) = ui.allocate_exact_size(vec2(ui.available_width(), 32.0), Sense::hover());
    let where_ = name_of(grid);
    let amount = format!("{} CO₂e", format::emissions(KgCo2e(grid.kg)));
    response.widget_info(|| {
        let text = format!("{name} region, {where_}: {amount}");
        WidgetInfo::labeled(accesskit::Role::Label, true, text)
    });
    let inner = row.shrink2(vec2(size::MARGIN, 0.0));
    let y = inner.top() + 9.0;
    let value = paint(
        ui.painter(),
        pos2(inner.right(), y),
        Align2::RIGHT_CENTER,
        &amount,
        Role::Body,
        t.strong,
    );
    let ink = if name == "Chosen" { t.strong } else { t.sub };
    let label = paint(
        ui.painter(),
        pos2(inner.left(), y),
        Align2::LEFT_CENTER,
        name,
        Role::Body,
        ink,
    );
    let room = Rect::from_min_max(
        pos2(label.right() + 8.0, y - 8.0),
        pos2(value.left() - 8.0, y + 8.0),
    );
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        &where_,
        Role::Caption,
        t.text,
    );
    let track = Rect::from_min_max(
        pos2(inner.left(), inner.top() + 21.0),
        pos2(inner.right(), inner.top() + 25.0),
    );
    ui.painter().rect_filled(track, 2.0, t.track);
    let mut bar = track;
    bar.set_width(track.width() * (grid.kg / most).clamp(0.0, 1.0) as f32);
    let color = if name == "Chosen" { t.accent } else { t.sub };
    ui.painter().rect_filled(bar, 2.0, color);
    response.on_hover_text(format!("{where_}\n{}, {}", grid.source, grid.retrieved));
}
