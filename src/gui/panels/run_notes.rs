//! What is to be known of the whole run: why this layout, what interruptions cost, and where the numbers may go wrong.

use super::regions;
use super::scene::Scene;
use crate::format;
use crate::gui::link;
use crate::gui::prices;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{note, paint, paint_in, rule, section_head};
use crate::planner::{Combination, PredictedRun, plain_reason};
use crate::presets::AdviceKind;
use crate::units::{KgCo2e, Seconds};
use egui::{Align2, Rect, Response, Sense, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Layout, batch, and the hours that are no steps.
pub fn whole_run_ui(ui: &mut Ui, cx: &mut Scene<'_>, index: usize, run: &PredictedRun) {
    let t = Tokens::of(ui);
    section_head(ui, "The whole run", "");
    if let Some(plan) = cx.plan().filter(|p| p.best == Some(index)) {
        note(ui, &format!("The best plan. {}", plan.best_why), t.text);
    }
    if !run.layout_why.is_empty() {
        note(ui, &run.layout_why, t.text);
    }
    price_ui(ui, cx, run);
    let lost = run.total_time_h.value - run.training_h;
    let i = &run.interruptions;
    let plain = |name: &'static str, text: String| (name, text, String::new());
    let mut lines = vec![plain("Steps alone", format::hours(run.training_h))];
    if lost > 0.005 * run.training_h {
        lines.push(plain("Saving, restarts, evaluation", format::hours(lost)));
    }
    if i.expected >= 0.05 {
        let basis = format!(
            "One every {} on average, by the failures of accelerators and, on the spot market, the nodes taken away. \
             Providers differ: `reliability` in the plan's file takes what yours does",
            format::hours(i.mtbf_h)
        );
        lines.push(("Interruptions to expect", format::number(i.expected), basis));
    }
    if i.checkpoint_every_h > 0.0 {
        let every = format::hours(i.checkpoint_every_h);
        let write = format::step_time(Seconds(i.checkpoint_write_s));
        lines.push(plain("Checkpoint", format!("every {every}, {write} each")));
    }
    // Beside the energy there is no room for it, and without a region the reason is longer still.
    if let Some(kg) = run.co2e_kg {
        let grid = cx.plan().and_then(|p| p.request.grid.as_ref());
        let region = grid.map_or_else(String::new, |grid| {
            format!(
                "Counted for the grid of {}, wherever the price is from",
                grid.region
            )
        });
        let text = format!("{} CO₂e", format::emissions(KgCo2e(kg)));
        lines.push(("Emissions", text, region));
    }
    for (name, text, basis) in lines {
        let line = line_ui(ui, name, &text);
        if !basis.is_empty() {
            line.on_hover_text(basis);
        }
    }
    ui.add_space(8.0);
}

/// Which price the cost was computed with, whose and of when; or why there is none.
fn price_ui(ui: &mut Ui, cx: &mut Scene<'_>, run: &PredictedRun) {
    let t = Tokens::of(ui);
    match &run.price {
        Some(price) => {
            line_ui(ui, "Price each", &prices::amount(price)).on_hover_text(&price.source);
            note(ui, &price.whose(), t.sub);
            // What counts, and what the list says, stand together; where to read it up comes after.
            let factor = cx
                .plan()
                .map_or(1.0, |p| prices::factor(&p.request.request));
            if (factor - 1.0).abs() > 1e-9 {
                note(ui, &prices::by_what_if(price, factor), t.warn);
            }
            let sold = [&price.instance, &price.region];
            let sold: Vec<&str> = sold.into_iter().flatten().map(String::as_str).collect();
            if !sold.is_empty() {
                note(ui, &sold.join(", "), t.sub);
            }
            if let Some(more) = &price.note {
                note(ui, more, t.sub);
            }
            if let Some(link) = link::of_price(price) {
                regions::source_ui(ui, cx, &link, ("price", 0));
            }
        }
        None => {
            line_ui(ui, "Price each", "not known");
            if let Some(reason) = &run.missing.cost {
                note(ui, &plain_reason(reason), t.sub);
            }
        }
    }
}

/// A quiet name and its figure.
pub fn line_ui(ui: &mut Ui, name: &str, text: &str) -> Response {
    let t = Tokens::of(ui);
    let (row, response) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(accesskit::Role::Label, true, format!("{name} {text}"))
    });
    let inner = row.shrink2(vec2(size::MARGIN, 0.0));
    let value = paint(
        ui.painter(),
        inner.right_center(),
        Align2::RIGHT_CENTER,
        text,
        Role::Body,
        t.strong,
    );
    let room = inner.with_max_x(value.left() - 8.0);
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        name,
        Role::Body,
        t.sub,
    );
    response
}

/// What the mode needs, and where it is known to go wrong, for this model.
pub fn advice_ui(ui: &mut Ui, cx: &Scene<'_>, c: &Combination) {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else { return };
    let lines: Vec<_> = plan.advice_for(c.mode).collect();
    if lines.is_empty() {
        return;
    }
    rule(ui);
    section_head(ui, "Numbers in this mode", c.mode.label());
    for advice in lines {
        let (word, color) = match advice.kind {
            AdviceKind::Need => ("Needs", t.accent),
            AdviceKind::Risk => ("Risk", t.warn),
            AdviceKind::Note => ("Note", t.sub),
        };
        let width = ui.available_width() - 2.0 * size::MARGIN - 44.0;
        let galley = ui
            .painter()
            .layout(advice.text.clone(), Role::Caption.font(), t.text, width);
        let (rect, response) = ui.allocate_exact_size(
            vec2(ui.available_width(), galley.size().y + 6.0),
            Sense::hover(),
        );
        let text = format!("{word}: {}", advice.text);
        response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, &text));
        let left = rect.left() + size::MARGIN;
        let tag = Rect::from_min_size(pos2(left, rect.top() + 1.0), vec2(40.0, 14.0));
        paint_in(
            ui.painter(),
            tag,
            Align2::LEFT_CENTER,
            word,
            Role::Caption,
            color,
        );
        let at = pos2(left + 44.0, rect.top() + 1.0);
        ui.painter().galley(at, galley, t.text);
        response.on_hover_text(&advice.source);
    }
    ui.add_space(8.0);
}
