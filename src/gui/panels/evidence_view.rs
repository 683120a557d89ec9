//! The view of evidence: where the prediction lies among the nearest measured runs, and each of them with its figures,
//! distance and source.

use super::evidence::{apart_text, off_text, run_name};
use super::evidence_strips::{legend_ui, ratios_ui, times_ui};
use super::scene::{Scene, mode_label};
use super::why_view::explained_ui;
use crate::domain::PrecisionMode;
use crate::format;
use crate::gui::command::Action;
use crate::gui::link;
use crate::gui::theme::{Fill, Role, Tokens, paint_swatch, size};
use crate::gui::widgets::{
    SortHead, focus_ring, link_ui, note, paint_in, paint_value, scroll_pages, section_head,
    sort_head, width_of,
};
use crate::planner::PredictedRun;
use crate::predictor::NearestRun;
use egui::{
    Align2, Id, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, WidgetInfo, accesskit, pos2, vec2,
};
use std::cmp::Ordering;

/// Figures of one row do not drift further apart than this.
const WIDEST: f32 = 1240.0;
/// Height of a row: the figures, and the source under them.
const ROW: f32 = 44.0;

/// A column of the table with its least width and whether its figures stand at the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Run,
    On,
    Mode,
    Measured,
    Predicted,
    Off,
    Distance,
}

impl Column {
    const ALL: [(Self, &'static str, f32); 7] = [
        (Self::Run, "Measured run", 110.0),
        (Self::On, "On", 112.0),
        (Self::Mode, "Mode", 86.0),
        (Self::Measured, "Measured", 60.0),
        (Self::Predicted, "Predicted", 60.0),
        (Self::Off, "Off by", 52.0),
        (Self::Distance, "Distance", 58.0),
    ];

    const fn is_right(self) -> bool {
        !matches!(self, Self::Run | Self::On | Self::Mode)
    }

    fn order(self, a: &NearestRun, b: &NearestRun) -> Ordering {
        let by = |figure: fn(&NearestRun) -> f64| figure(a).total_cmp(&figure(b));
        match self {
            Self::Run => (&a.model, &a.source).cmp(&(&b.model, &b.source)),
            Self::On => (&a.accelerator, a.count).cmp(&(&b.accelerator, b.count)),
            Self::Mode => a.precision.cmp(&b.precision),
            Self::Measured => by(|r| r.measured.value()),
            Self::Predicted => by(|r| r.predicted.value()),
            Self::Off => by(|r| (r.predicted / r.measured - 1.0).abs()),
            Self::Distance => by(|r| r.distance),
        }
    }
}

/// Draws the view.
pub fn evidence_view_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let Some((run, explanation)) = explained_ui(ui, area, cx) else {
        return;
    };
    let t = Tokens::of(ui);
    // Sections keep the panels' margin; here the tabs above already have one.
    let mut place = area.expand2(vec2(size::MARGIN, 0.0));
    place.set_width(place.width().min(WIDEST));
    let mut child = ui.new_child(
        UiBuilder::new()
            .max_rect(place)
            .id_salt(("evidence-view", cx.tab.id)),
    );
    child.spacing_mut().item_spacing = vec2(0.0, 0.0);
    let nearest = &explanation.nearest;
    let title = format!("The {} nearest measured runs", nearest.len());
    section_head(&mut child, &title, "their step times");
    if nearest.is_empty() {
        let text = "No measured run is known near this configuration";
        note(&mut child, text, t.sub);
        return;
    }
    let strip = times_ui(&mut child, run, nearest);
    legend_ui(&mut child, strip, nearest.len());
    section_head(
        &mut child,
        "Is the predictor right about them?",
        "measured over predicted",
    );
    let strip = ratios_ui(&mut child, run, nearest);
    legend_ui(&mut child, strip, nearest.len());
    note(&mut child, &among(run, nearest), t.text);
    child.add_space(8.0);
    let columns = columns_of(child.available_width());
    let (head, _) = child.allocate_exact_size(
        vec2(child.available_width(), size::TABLE_HEAD),
        Sense::hover(),
    );
    let inner = head.shrink2(vec2(size::MARGIN, 0.0));
    for y in [head.top(), head.bottom()] {
        child
            .painter()
            .hline(inner.x_range(), y, Stroke::new(1.0, t.line));
    }
    let sort_id = Id::unique("evidence-sort");
    let (sorted, descending) = child
        .data(|d| d.get_temp(sort_id))
        .unwrap_or((Column::Distance, false));
    for ((column, title, _), span) in Column::ALL.into_iter().zip(&columns) {
        let rect = head
            .with_min_x(head.left() + span.0)
            .with_max_x(head.left() + span.1);
        let sort = SortHead {
            title,
            unit: None,
            is_right: column.is_right(),
            descending: (column == sorted).then_some(descending),
        };
        if sort_head(&mut child, rect, &sort).clicked() {
            let turned = (column, column == sorted && !descending);
            child.data_mut(|d| d.insert_temp(sort_id, turned));
        }
    }
    let mut list: Vec<&NearestRun> = nearest.iter().collect();
    list.sort_by(|a, b| {
        let order = sorted.order(a, b);
        if descending { order.reverse() } else { order }
    });
    ScrollArea::vertical()
        .auto_shrink(false)
        .id_salt("evidence-rows")
        .show(&mut child, |ui| {
            scroll_pages(ui, cx.state.page_step);
            for (i, near) in list.into_iter().enumerate() {
                row_ui(ui, cx, (i, near), &columns);
            }
            note(
                ui,
                "Distance 0 is the same configuration; within about 0.35 a run counts as near",
                t.sub,
            );
        });
}

/// Where the prediction lies among them, in words.
fn among(run: &PredictedRun, nearest: &[NearestRun]) -> String {
    let step = run.prediction.step_time;
    let ratios = || nearest.iter().map(|n| n.measured / n.predicted);
    let inside = ratios()
        .filter(|r| (step.low / step.value..=step.high / step.value).contains(r))
        .count();
    let (low, high) = ratios().fold((f64::INFINITY, 0.0f64), |(low, high), r| {
        (low.min(r), high.max(r))
    });
    let few = nearest.len() - inside;
    let held = match few {
        0 => format!("All of the {} nearest runs", nearest.len()),
        _ => format!("{inside} of the {} nearest runs", nearest.len()),
    };
    let (low_text, high_text) = (format::ratio(low), format::ratio(high));
    if low_text == high_text {
        return format!(
            "{held} were measured at {low_text} of what is predicted for them: the predictor was fitted on these very runs, so \
             this is no test of it. How it does on runs it never saw stands under Accuracy."
        );
    }
    format!(
        "{held} were measured within the share that this interval allows, at {} to {} of what is predicted for them. The predictor \
         was fitted on them; how it does on runs it never saw stands under Accuracy.",
        low_text, high_text
    )
}

/// Left and right of each column from the left of the row; what room is left over goes to the run.
fn columns_of(width: f32) -> Vec<(f32, f32)> {
    let inner = width - 2.0 * size::MARGIN;
    let gaps = (Column::ALL.len() - 1) as f32;
    let least: f32 = Column::ALL.iter().map(|c| c.2).sum();
    let spare = inner - least - 10.0 * gaps;
    // In the smallest window words give way to figures, which must not leave it.
    let gap = if spare < 0.0 { 6.0 } else { 10.0 };
    let short = (least + gap * gaps - inner).clamp(0.0, 60.0);
    let spare = spare.max(0.0);
    // Figures that belong together do not drift apart in a wide window.
    let to_others = (spare / 12.0).min(40.0);
    let mut x = size::MARGIN;
    Column::ALL
        .into_iter()
        .map(|(column, _, least)| {
            let own = match column {
                Column::Run => spare - 6.0 * to_others - 0.55 * short,
                Column::On => to_others - 0.45 * short,
                _ => to_others,
            };
            let span = (x, x + least + own);
            x = span.1 + gap;
            span
        })
        .collect()
}

/// A path without the word that names no version: the link says that none is recorded.
fn path_of(path: &str) -> String {
    path.replace("@HEAD", "")
}

fn row_ui(
    ui: &mut Ui,
    cx: &mut Scene<'_>,
    (i, near): (usize, &NearestRun),
    columns: &[(f32, f32)],
) {
    let t = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let mode: Option<PrecisionMode> = near.precision.parse().ok();
    let texts = [
        format!("{}, {}", near.model, near.source),
        format::devices(near.count, &cx.part_label(&near.accelerator)),
        mode_label(&near.precision).to_owned(),
        format::step_time(near.measured),
        format::step_time(near.predicted),
        off_text(near),
        format::fixed(near.distance, 2),
    ];
    response.widget_info(|| {
        let text = format!(
            "{} on {} in {}, {}, measured {}, predicted {}, {}, distance {}, source {}",
            texts[0],
            texts[1],
            texts[2],
            apart_text(near).unwrap_or_default(),
            texts[3],
            texts[4],
            texts[5],
            texts[6],
            near.source_path
        );
        WidgetInfo::labeled(accesskit::Role::Row, true, text)
    });
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, t.hover);
    }
    let line = |(left, right): (f32, f32)| {
        Rect::from_min_max(
            pos2(rect.left() + left, rect.top() + 4.0),
            pos2(rect.left() + right, rect.top() + 22.0),
        )
    };
    for ((column, _, _), (span, text)) in Column::ALL.into_iter().zip(columns.iter().zip(&texts)) {
        let mut place = line(*span);
        match column {
            Column::Run => {
                run_name(ui, place, near);
                continue;
            }
            _ if column.is_right() => {
                let at = place.right_center();
                let ink = (t.strong, t.sub);
                paint_value(
                    ui.painter(),
                    at,
                    Align2::RIGHT_CENTER,
                    text,
                    Role::Body,
                    ink,
                );
                continue;
            }
            Column::Mode => {
                if let Some(mode) = mode {
                    let at = place.left_center() + vec2(5.0, 0.0);
                    paint_swatch(ui.painter(), at, Fill::of(mode), t.mode(mode));
                }
                place.min.x += 16.0;
            }
            _ => {}
        }
        paint_in(
            ui.painter(),
            place,
            Align2::LEFT_CENTER,
            text,
            Role::Body,
            t.strong,
        );
    }
    let source = Rect::from_min_max(
        pos2(rect.left() + size::MARGIN, rect.top() + 22.0),
        pos2(rect.right() - size::MARGIN, rect.bottom() - 4.0),
    );
    let path = path_of(&near.source_path);
    let below = apart_text(near).map_or_else(|| path.clone(), |apart| format!("{apart}; {path}"));
    let link = link::of_run(&near.source, &near.source_path);
    // The link says which version it is: the path gives way first.
    let words = link.as_ref().map_or(0.0, |link| {
        width_of(ui.painter(), &link.words(), Role::Caption) + 40.0
    });
    let path = paint_in(
        ui.painter(),
        source.with_max_x((source.right() - words).max(source.left() + 80.0)),
        Align2::LEFT_CENTER,
        &below,
        Role::Caption,
        t.sub,
    );
    ui.painter().hline(
        rect.shrink(size::MARGIN).x_range(),
        rect.bottom() - 0.5,
        Stroke::new(1.0, t.line),
    );
    focus_ring(ui, &response, 2.0);
    if let Some(link) = link
        && let Some(action) = link_ui(ui, source.with_min_x(path.right() + 12.0), &link, i)
    {
        cx.send(action);
    }
    if response.clicked() {
        cx.send(Action::Copy(near.source_path.clone(), "the source"));
    }
    response.on_hover_ui(|ui| {
        if let Some(apart) = apart_text(near) {
            ui.label(apart);
        }
        ui.label(&near.source_path);
        ui.label(egui::RichText::new("Click or press Enter to copy the source").color(t.sub));
    });
}
