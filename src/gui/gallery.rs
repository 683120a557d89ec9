//! Every widget in every state, every token, mark and icon, on one page: to look at, and to hold the look still.

use super::theme::{Fill, Icon, Mark, PaintMark, Role, Tokens, paint_icon, paint_swatch};
use super::widgets::{
    Forced, SortHead, TextField, check_row, chip_text, combo_button, disclosure, factor_slider,
    force, icon_button, interval_glyph, level_bars, memory_bar, paint, paint_value, primary_icon,
    search_box, segmented_bar, sort_head, tab_button, text_button, text_field,
};
use crate::domain::PrecisionMode;
use crate::predictor::{Breakdown, Confidence};
use crate::units::Seconds;
use egui::{Align2, Color32, Pos2, Rect, Ui, pos2, vec2};

/// States a widget is drawn in.
const STATES: [(&str, Option<Forced>); 3] = [
    ("idle", None),
    ("hover", Some(Forced::Hover)),
    ("focus", Some(Forced::Focus)),
];
const ICONS: [Icon; 25] = [
    Icon::Search,
    Icon::Undo,
    Icon::Redo,
    Icon::Sun,
    Icon::Moon,
    Icon::Download,
    Icon::Plus,
    Icon::Close,
    Icon::ChevronDown,
    Icon::ChevronUp,
    Icon::Reset,
    Icon::Layers,
    Icon::Bolt,
    Icon::Coin,
    Icon::Target,
    Icon::Leaf,
    Icon::Pin,
    Icon::Copy,
    Icon::Check,
    Icon::Folder,
    Icon::Warning,
    Icon::Columns,
    Icon::Menu,
    Icon::Chart,
    Icon::Question,
];
const MARKS: [Mark; 16] = [
    Mark::Circle,
    Mark::Diamond,
    Mark::TriangleUp,
    Mark::Square,
    Mark::TriangleDown,
    Mark::Plus,
    Mark::Hexagon,
    Mark::Pentagon,
    Mark::Star,
    Mark::TriangleLeft,
    Mark::TriangleRight,
    Mark::BowTie,
    Mark::Cross,
    Mark::Hourglass,
    Mark::Bar,
    Mark::Pole,
];

/// Draws the gallery; it takes 1200 × 940 points.
pub fn gallery_ui(ui: &mut Ui) {
    let t = Tokens::of(ui);
    let area = ui.max_rect();
    ui.painter().rect_filled(area, 0.0, t.panel);
    let at = area.min + vec2(24.0, 24.0);
    buttons_ui(ui, at);
    fields_ui(ui, at + vec2(0.0, 300.0));
    figures_ui(ui, at + vec2(0.0, 560.0));
    let right = at + vec2(620.0, 0.0);
    type_ui(ui, right);
    colours_ui(ui, right + vec2(0.0, 250.0));
    modes_ui(ui, right + vec2(0.0, 430.0));
    icons_ui(ui, right + vec2(0.0, 730.0));
}

fn title(ui: &Ui, at: Pos2, text: &str) {
    let t = Tokens::of(ui);
    paint(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        text,
        Role::Column,
        t.strong,
    );
}

/// A quiet word left of a point.
fn caption(ui: &Ui, at: Pos2, text: &str) {
    let sub = Tokens::of(ui).sub;
    paint(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        text,
        Role::Caption,
        sub,
    );
}

/// Column heads of the states.
fn heads(ui: &Ui, at: Pos2) {
    for (i, (name, _)) in STATES.into_iter().enumerate() {
        let at = at + vec2(i as f32 * 190.0, 0.0);
        caption(ui, at, name);
    }
}

fn buttons_ui(ui: &mut Ui, at: Pos2) {
    title(ui, at, "Buttons, chips, tabs");
    heads(ui, at + vec2(0.0, 22.0));
    for (i, (name, forced)) in STATES.into_iter().enumerate() {
        let mut child = ui.new_child(egui::UiBuilder::new().id_salt(("buttons", name)));
        let ui = &mut child;
        force(ui, forced);
        let x = at.x + i as f32 * 190.0;
        let y = |row: f32| at.y + 50.0 + row * 36.0;
        text_button(
            ui,
            pos2(x + 130.0, y(0.0)),
            Some(Icon::Download),
            "Export CSV",
            true,
        );
        let split = Rect::from_min_size(pos2(x + 134.0, y(0.0) - 13.0), vec2(22.0, 26.0));
        primary_icon(ui, split, Icon::ChevronDown, "More");
        text_button(ui, pos2(x + 80.0, y(1.0)), Some(Icon::Undo), "Undo", false);
        let icon = |dx: f32| Rect::from_min_size(pos2(x + dx, y(1.0) - 13.0), vec2(26.0, 26.0));
        icon_button(ui, icon(90.0), Icon::Pin, "Pin", true);
        icon_button(ui, icon(124.0), Icon::Redo, "Redo", false);
        let chip = |dx: f32| Rect::from_min_size(pos2(x + dx, y(2.0) - 12.0), vec2(76.0, 24.0));
        chip_text(ui, chip(0.0), "Chosen", "Chosen", true);
        chip_text(ui, chip(84.0), "Free", "Free", false);
        tab_button(ui, pos2(x, y(3.0)), ("Chosen tab", 8.0), None, true);
        tab_button(ui, pos2(x + 84.0, y(3.0)), ("Tab", 8.0), Some(4), false);
        for (row, on) in [(4.0, true), (5.0, false)] {
            let place = Rect::from_min_size(pos2(x - 12.0, y(row) - 12.0), vec2(150.0, 24.0));
            let label = if on { "Checked" } else { "Unchecked" };
            check_row(ui, place, label, on);
            let t = Tokens::of(ui);
            let at = pos2(x + 24.0, y(row));
            paint(
                ui.painter(),
                at,
                Align2::LEFT_CENTER,
                label,
                Role::Body,
                t.text,
            );
        }
        lines_ui(ui, pos2(x, y(6.0)), i == 0);
        force(ui, None);
    }
}

/// A line that opens, and the head of a column.
fn lines_ui(ui: &mut Ui, at: Pos2, open: bool) {
    let place = Rect::from_min_size(at - vec2(12.0, 14.0), vec2(96.0, 28.0));
    let mut line = ui.new_child(egui::UiBuilder::new().max_rect(place).id_salt("line"));
    disclosure(&mut line, "More", open);
    let head = SortHead {
        title: "Cost",
        unit: Some("$"),
        is_right: true,
        descending: open.then_some(false),
    };
    sort_head(
        ui,
        Rect::from_min_size(at + vec2(90.0, -13.0), vec2(60.0, 26.0)),
        &head,
    );
}

fn fields_ui(ui: &mut Ui, at: Pos2) {
    title(ui, at, "Fields");
    heads(ui, at + vec2(0.0, 22.0));
    for (i, (name, forced)) in STATES.into_iter().enumerate() {
        let mut child = ui.new_child(egui::UiBuilder::new().id_salt(("fields", name)));
        let ui = &mut child;
        force(ui, forced);
        let x = at.x + i as f32 * 190.0;
        let place =
            |row: f32| Rect::from_min_size(pos2(x, at.y + 38.0 + row * 34.0), vec2(170.0, 24.0));
        let field = |name, text, hint, error| TextField {
            name,
            text,
            unit: "tokens",
            hint,
            error,
        };
        text_field(ui, place(0.0), &field("Full", "15 B", "", None));
        text_field(ui, place(1.0), &field("Empty", "", "model's own", None));
        text_field(
            ui,
            place(2.0),
            &field("Wrong", "many", "", Some("is no number")),
        );
        search_box(ui, place(3.0), "Search", "", "Type to search");
        combo_button(ui, place(4.0), "Model", "Llama 3 8B", Some(Icon::Layers));
        combo_button(ui, place(5.0), "Layout", "Best for each", None);
        force(ui, None);
    }
}

fn figures_ui(ui: &mut Ui, at: Pos2) {
    let t = Tokens::of(ui);
    title(ui, at, "Figures");
    let step = Breakdown {
        matmul: Seconds(4.8),
        memory_traffic: Seconds(1.5),
        launch: Seconds(0.3),
        optimizer: Seconds(0.4),
        casts: Seconds(0.4),
        communication: Seconds(0.6),
        bubble: Seconds(0.5),
    };
    let row = |i: f32| at.y + 34.0 + i * 30.0;
    let bar = Rect::from_min_size(pos2(at.x, row(0.0) - 8.0), vec2(400.0, 16.0));
    segmented_bar(ui.painter(), bar, &step, step.total().value(), t);
    for (i, share) in [0.2, 0.7, 0.97].into_iter().enumerate() {
        let min = pos2(at.x + i as f32 * 140.0, row(1.0) - 3.0);
        memory_bar(
            ui.painter(),
            Rect::from_min_size(min, vec2(80.0, 6.0)),
            share,
            t,
        );
        let text = format!("{}\u{202F}%", (share * 100.0).round());
        let at = min + vec2(90.0, 3.0);
        paint(
            ui.painter(),
            at,
            Align2::LEFT_CENTER,
            &text,
            Role::Body,
            t.text,
        );
    }
    for (i, sides) in [[0.04; 2], [0.1, 0.2], [0.4; 2]].into_iter().enumerate() {
        let min = pos2(at.x + i as f32 * 140.0, row(2.0) - 8.0);
        interval_glyph(
            ui.painter(),
            Rect::from_min_size(min, vec2(60.0, 16.0)),
            sides,
            t.text,
        );
    }
    let levels = [Confidence::Low, Confidence::Medium, Confidence::High];
    for (i, level) in levels.into_iter().enumerate() {
        let min = pos2(at.x + i as f32 * 140.0, row(3.0) - 5.0);
        level_bars(
            ui.painter(),
            Rect::from_min_size(min, vec2(11.0, 9.5)),
            level,
            t,
        );
        let at = min + vec2(18.0, 5.0);
        paint(
            ui.painter(),
            at,
            Align2::LEFT_CENTER,
            level.word(),
            Role::Body,
            t.text,
        );
    }
    for (i, text) in ["343\u{202F}kWh", "$1\u{202F}450", "8.57\u{202F}s"]
        .into_iter()
        .enumerate()
    {
        let at = pos2(at.x + i as f32 * 140.0, row(4.0));
        paint_value(
            ui.painter(),
            at,
            Align2::LEFT_CENTER,
            text,
            Role::Headline,
            (t.strong, t.sub),
        );
    }
    for (i, (name, factor)) in [("Prices", 1.0), ("Network", 0.5)].into_iter().enumerate() {
        let min = pos2(at.x + i as f32 * 290.0, row(5.0) - 12.0);
        factor_slider(
            ui,
            Rect::from_min_size(min, vec2(270.0, 24.0)),
            name,
            factor,
            None,
        );
    }
}

fn type_ui(ui: &Ui, at: Pos2) {
    let t = Tokens::of(ui);
    title(ui, at, "Type");
    let roles = [
        (Role::Headline, "Headline 20"),
        (Role::Card, "Card 18"),
        (Role::Title, "Title 16"),
        (Role::Column, "Column 14"),
        (Role::Sentence, "Sentence 13"),
        (Role::Section, "Section 12"),
        (Role::Body, "Body 12"),
        (Role::Caption, "Caption 11"),
    ];
    for (i, (role, name)) in roles.into_iter().enumerate() {
        let y = at.y + 28.0 + i as f32 * 25.0;
        for (j, (color, level)) in [(t.strong, "strong"), (t.text, "text"), (t.sub, "sub")]
            .into_iter()
            .enumerate()
        {
            let text = if j == 0 { name } else { level };
            let at = pos2(at.x + j as f32 * 180.0, y);
            paint(ui.painter(), at, Align2::LEFT_CENTER, text, role, color);
        }
    }
}

fn colours_ui(ui: &Ui, at: Pos2) {
    let t = Tokens::of(ui);
    title(ui, at, "Surfaces, lines, accent, status");
    let swatches: [(&str, Color32); 21] = [
        ("window", t.window),
        ("panel", t.panel),
        ("raised", t.raised),
        ("input", t.input),
        ("hover", t.hover),
        ("shade", t.shade),
        ("sel", t.sel),
        ("line", t.line),
        ("line strong", t.line_strong),
        ("track", t.track),
        ("grid", t.grid),
        ("grid zero", t.grid_zero),
        ("sel line", t.sel_line),
        ("faint", t.faint),
        ("accent", t.accent),
        ("accent fill", t.accent_fill),
        ("good", t.good),
        ("warn", t.warn),
        ("bad", t.bad),
        ("slower", t.slower),
        ("faster", t.faster),
    ];
    for (i, (name, color)) in swatches.into_iter().enumerate() {
        let place = at + vec2((i % 7) as f32 * 78.0, 18.0 + (i / 7) as f32 * 50.0);
        let rect = Rect::from_min_size(place, vec2(66.0, 24.0));
        ui.painter().rect(
            rect,
            4.0,
            color,
            egui::Stroke::new(1.0, t.line),
            egui::StrokeKind::Inside,
        );
        let at = pos2(rect.left(), rect.bottom() + 9.0);
        caption(ui, at, name);
    }
}

fn modes_ui(ui: &Ui, at: Pos2) {
    let t = Tokens::of(ui);
    title(ui, at, "Precision modes and accelerators");
    for (i, mode) in PrecisionMode::ALL.into_iter().enumerate() {
        let y = at.y + 28.0 + i as f32 * 26.0;
        let (fill, hue) = (Fill::of(mode), t.mode(mode));
        paint_swatch(ui.painter(), pos2(at.x + 6.0, y), fill, hue);
        let label = pos2(at.x + 20.0, y);
        paint(
            ui.painter(),
            label,
            Align2::LEFT_CENTER,
            mode.label(),
            Role::Body,
            t.strong,
        );
        for (j, mark) in MARKS.into_iter().enumerate() {
            let at = pos2(at.x + 116.0 + j as f32 * 27.0, y);
            mark.paint(ui.painter(), at, 5.2, fill, hue);
        }
    }
}

fn icons_ui(ui: &Ui, at: Pos2) {
    let t = Tokens::of(ui);
    title(ui, at, "Icons");
    for (i, icon) in ICONS.into_iter().enumerate() {
        let at = at + vec2(10.0 + (i % 13) as f32 * 41.0, 32.0 + (i / 13) as f32 * 36.0);
        paint_icon(ui.painter(), at, icon, t.text, 1.0);
    }
}
