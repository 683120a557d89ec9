//! The schedules of the selected part and count in the inspector.

use super::scene::Scene;
use crate::domain::PrecisionMode;
use crate::gui::theme::{Role, Tokens, size};
use crate::gui::widgets::{note, paint, rule, section_head};
use egui::{Align2, Rect, Sense, Ui, pos2, vec2};

/// The schedules of the selected part and count as bars of time, beside one mode throughout.
pub fn schedules_ui(ui: &mut Ui, cx: &Scene<'_>) {
    let t = Tokens::of(ui);
    let (Some(plan), Some((_, c, run))) = (cx.plan(), cx.selection()) else {
        return;
    };
    let found: Vec<_> = plan.schedules_of(c).collect();
    if found.is_empty() {
        return;
    }
    section_head(ui, "Precision schedule", "time of each phase");
    let own = run.total_time_h.value;
    let totals = found.iter().filter_map(|s| s.outcome.as_ref().ok());
    let longest = totals.map(|s| s.total_time_h.value).fold(own, f64::max);
    let title = format!("{} throughout", c.mode.label());
    schedule_bar(ui, (&title, own), &[(c.mode, own)], longest);
    for schedule in found {
        let name = match schedule.kind {
            crate::planner::ScheduleKind::Asked => "As asked",
            crate::planner::ScheduleKind::Fastest => "Fastest under the rule",
        };
        match &schedule.outcome {
            Ok(totals) => {
                let phases: Vec<_> = totals
                    .phases
                    .iter()
                    .map(|p| (p.phase.mode, p.time_h.value))
                    .collect();
                schedule_bar(ui, (name, totals.total_time_h.value), &phases, longest);
                let text = totals.phases.iter().map(|p| {
                    let share = crate::format::percent(p.phase.share);
                    format!("{share} {}", p.phase.mode.label())
                });
                let cost = totals.cost_usd.map_or_else(String::new, |cost| {
                    format!(", {}", crate::format::money(crate::units::Usd(cost.value)))
                });
                let text = format!("{}{cost}", text.collect::<Vec<_>>().join(", then "));
                note(ui, &text, t.sub);
                if let Some(against) = plan.against_one_mode(schedule) {
                    let is_slower = against.more_h > 0.0;
                    let text = format!("That is {}", against.words());
                    note(ui, &text, if is_slower { t.warn } else { t.sub });
                }
            }
            Err(reason) => note(ui, &format!("{name}: {reason}"), t.warn),
        }
    }
    ui.add_space(8.0);
    rule(ui);
}

fn schedule_bar(
    ui: &mut Ui,
    (name, hours): (&str, f64),
    phases: &[(PrecisionMode, f64)],
    longest: f64,
) {
    let t = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 38.0), Sense::hover());
    let text = crate::format::hours(hours);
    response.widget_info(|| {
        let text = format!("{name} {text}");
        egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, text)
    });
    let inner = rect.shrink2(vec2(size::MARGIN, 0.0));
    let y = inner.top() + 10.0;
    let at = pos2(inner.left(), y);
    paint(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        name,
        Role::Body,
        t.text,
    );
    let at = pos2(inner.right(), y);
    paint(
        ui.painter(),
        at,
        Align2::RIGHT_CENTER,
        &text,
        Role::Section,
        t.strong,
    );
    let mut x = inner.left();
    for (mode, time) in phases {
        let width = (time / longest.max(1e-9)) as f32 * inner.width();
        let piece = Rect::from_min_size(
            pos2(x, inner.top() + 20.0),
            vec2((width - 1.0).max(1.0), 10.0),
        );
        ui.painter().rect_filled(piece, 2.0, t.mode(*mode));
        x += width;
    }
}
