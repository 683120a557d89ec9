//! Why each combination of the comparison differs: a few words in each column, the largest reasons under them, and the rest
//! one click away. Whole paragraphs side by side are read by nobody.

use super::compare::Grid;
use super::compare_words::{Reasons, why};
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{paint, text_link, unbroken, width_of};
use egui::{Align2, Galley, Id, Rect, Sense, Ui, WidgetInfo, accesskit, pos2, vec2};
use std::sync::Arc;

/// Reasons that stand in a column unasked.
const FEW: usize = 3;
/// Left of a reason, for its dot.
const INDENT: f32 = 11.0;
/// Between reasons.
const GAP: f32 = 3.0;
/// Above the first line.
const TOP: f32 = 5.0;

/// What a column says, laid out in its width.
struct Told {
    reasons: Reasons,
    lead: Arc<Galley>,
    points: Vec<Arc<Galley>>,
    /// What the click on the last line is remembered by.
    id: Id,
    open: bool,
}

impl Told {
    fn of(ui: &Ui, grid: &Grid<'_>, i: usize, width: f32) -> Option<Self> {
        let t = Tokens::of(ui);
        let (base, item) = (grid.items.first().copied()?, grid.items[i]);
        let reasons = why(grid.plan, &grid.units, base, item);
        let id = Id::unique(("compare-reasons", i));
        let open = ui.data(|d| d.get_temp(id)).unwrap_or(false);
        let lay = |text: &str, role: Role, ink, width| {
            ui.painter().layout(unbroken(text), role.font(), ink, width)
        };
        let shown = if open { reasons.points.len() } else { FEW };
        let points = reasons.points.iter().take(shown);
        let points = points.map(|text| lay(text, Role::Body, t.text, width - INDENT));
        Some(Self {
            lead: lay(&reasons.lead, Role::Section, t.strong, width),
            points: points.collect(),
            reasons,
            id,
            open,
        })
    }

    /// How many more there are than stand in the column unasked.
    fn more(&self) -> usize {
        self.reasons.points.len().saturating_sub(FEW)
    }

    fn height(&self) -> f32 {
        let points: f32 = self.points.iter().map(|g| g.size().y + GAP).sum();
        let link = if self.more() > 0 { 20.0 } else { 0.0 };
        TOP + self.lead.size().y + 4.0 + points + link
    }
}

/// Why each differs.
pub fn reasons_ui(ui: &mut Ui, grid: &Grid<'_>) {
    let t = Tokens::of(ui);
    let probe = grid.cell(0, Rect::from_min_size(pos2(0.0, 0.0), vec2(100.0, 10.0)));
    let columns = 0..grid.items.len();
    let told: Vec<Told> = columns
        .filter_map(|i| Told::of(ui, grid, i, probe.width()))
        .collect();
    let height = told.iter().map(Told::height).fold(0.0, f32::max);
    let row = grid.row(ui, height + 6.0);
    paint(
        ui.painter(),
        grid.names(row).left_top() + vec2(0.0, 12.0),
        Align2::LEFT_CENTER,
        "Why it differs",
        Role::Section,
        t.strong,
    );
    for (i, told) in told.into_iter().enumerate() {
        column_ui(ui, grid.cell(i, row), &told, i);
    }
}

fn column_ui(ui: &mut Ui, cell: Rect, told: &Told, i: usize) {
    let t = Tokens::of(ui);
    let mut at = cell.left_top() + vec2(0.0, TOP);
    ui.painter().galley(at, Arc::clone(&told.lead), t.strong);
    at.y += told.lead.size().y + 4.0;
    for galley in &told.points {
        ui.painter().circle_filled(at + vec2(3.0, 7.5), 1.6, t.sub);
        let place = at + vec2(INDENT, 0.0);
        ui.painter().galley(place, Arc::clone(galley), t.text);
        at.y += galley.size().y + GAP;
    }
    let text = Rect::from_min_max(cell.left_top(), pos2(cell.right(), at.y));
    ui.interact(text, ui.scope_id().with(("reason", i)), Sense::hover())
        .widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, told.reasons.said()));
    if told.more() == 0 {
        return;
    }
    let words = match (told.open, told.more()) {
        (true, _) => "fewer".to_owned(),
        (false, 1) => "and 1 smaller one".to_owned(),
        (false, more) => format!("and {more} smaller ones"),
    };
    let width = width_of(ui.painter(), &words, Role::Caption);
    let right = pos2(at.x + INDENT + width, at.y + 8.0);
    let column = ["first", "second", "third", "fourth"][i.min(3)];
    let name = format!("Reasons of the {column} column, {words}");
    let mut link = text_link(ui, right, &words, &name);
    if !told.open {
        link = link.on_hover_text(told.reasons.points[FEW..].join("\n"));
    }
    if link.clicked() {
        ui.data_mut(|d| d.insert_temp(told.id, !told.open));
    }
}
