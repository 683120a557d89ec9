//! Limits of the request: budget and deadline, and behind a line the rest of them.

use super::limit_words::count_text;
use super::request_fields::{PartRows, Row, field_row, part_rows};
use super::request_more::minimise_row;
use super::request_reset::{Section, head_ui};
use super::scene::Scene;
use crate::format;
use crate::gui::state::Field;
use crate::gui::theme::Tokens;
use crate::gui::widgets::{disclosure, note};
use crate::gui::{calendar, parse};
use crate::planner::{LimitsRequest, PlanRequest};
use crate::report;
use egui::Ui;

/// Draws the section.
pub fn limits_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    let within = cx
        .plan()
        .filter(|p| p.request.limits_set() > 0)
        .map_or_else(String::new, |p| count_text(cx, p));
    head_ui(ui, cx, Section::Limits, &within);
    let limits = request.limits.clone().unwrap_or_default();
    let text = limits
        .budget_usd
        .map_or_else(String::new, |v| format!("${}", format::count(v)));
    let row = Row::new("Budget", Field::Budget, &text, "").hint("none");
    field_row(ui, cx, row, |r, typed| {
        let value = parse::optional(typed, parse::number)?;
        set_limits(r, |l| l.budget_usd = value);
        Ok(())
    });
    deadline_ui(ui, cx, &limits);
    let is_set = limits.energy_kwh.is_some()
        || limits.co2e_kg.is_some()
        || limits.memory_headroom_percent.is_some()
        || !limits.available.is_empty();
    if disclosure(ui, "More limits", is_set) {
        more_ui(ui, cx, request, &limits);
    }
    minimise_row(ui, cx, request);
    ui.add_space(8.0);
}

/// The deadline: hours, or a day, which then stays what was typed while the hours to it pass.
fn deadline_ui(ui: &mut Ui, cx: &mut Scene<'_>, limits: &LimitsRequest) {
    let t = Tokens::of(ui);
    let now = cx.backend.now();
    let day = limits.deadline_day.as_deref().and_then(calendar::day);
    let hours = limits.deadline_h.map_or_else(String::new, format::hours);
    let text = day.map_or_else(|| hours.clone(), report::day);
    let unit = if day.is_some() {
        "its end"
    } else {
        "from start"
    };
    let row = Row::new("Deadline", Field::Deadline, &text, unit).hint("none");
    field_row(ui, cx, row, |r, typed| {
        let hours = |typed: &str| {
            let day = calendar::hours_until(&now, typed);
            day.unwrap_or_else(|| {
                parse::hours(typed).map_err(|text| format!("{text}; or a day such as 2026-12-04"))
            })
        };
        let value = parse::optional(typed, hours)?;
        let day = value.and(calendar::day(typed)).map(|day| day.to_string());
        set_limits(r, |l| (l.deadline_h, l.deadline_day) = (value, day));
        Ok(())
    });
    let over = (limits.deadline_day.as_deref())
        .and_then(|day| calendar::hours_until(&now, day))
        .is_some_and(|left| left.is_err());
    if over {
        let text = format!("This day is over; the plan goes on with {hours} from start");
        note(ui, &text, t.warn);
    } else if day.is_some() {
        note(ui, &format!("{hours} from now"), t.sub);
    } else if let Some(day) = (limits.deadline_h).and_then(|h| report::done_on(&now, h)) {
        note(ui, &format!("{day}, if it starts now"), t.sub);
    }
}

fn more_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest, limits: &LimitsRequest) {
    let t = Tokens::of(ui);
    let text = limits.energy_kwh.map_or_else(String::new, parse::exact);
    let row = Row::new("Energy", Field::EnergyLimit, &text, "kWh")
        .hint("none")
        .name("Energy limit");
    field_row(ui, cx, row, |r, typed| {
        let value = parse::optional(typed, parse::energy_kwh)?;
        set_limits(r, |l| l.energy_kwh = value);
        Ok(())
    });
    let text = limits.co2e_kg.map_or_else(String::new, parse::exact);
    let row = Row::new("CO₂e", Field::CarbonLimit, &text, "kg")
        .hint("none")
        .name("CO₂e limit");
    field_row(ui, cx, row, |r, typed| {
        let value = parse::optional(typed, parse::mass_kg)?;
        set_limits(r, |l| l.co2e_kg = value);
        Ok(())
    });
    if limits.co2e_kg.is_some() && request.region.is_none() {
        let text = "Without a region no CO₂e is known, so nothing is within this limit";
        note(ui, text, t.warn);
    }
    let text = limits
        .memory_headroom_percent
        .map_or_else(String::new, parse::exact);
    let row = Row::new("Free memory", Field::FreeMemory, &text, "% each").hint("0");
    field_row(ui, cx, row, |r, typed| {
        let value = parse::optional(typed, parse::percent)?;
        set_limits(r, |l| {
            l.memory_headroom_percent = value.filter(|v| *v > 0.0)
        });
        Ok(())
    });
    if !request.accelerators.is_empty() {
        note(ui, "How many of each can be had", t.sub);
    }
    let available = PartRows {
        field: Field::Available,
        what: "Available",
        unit: "at most",
        hint: &|_, _| "any number".to_owned(),
        map: |r| r.limits.clone().unwrap_or_default().available,
        set_map: |r, map| set_limits(r, |l| l.available = map),
        show: |v: u32| format::count(f64::from(v)),
        parse: parse::whole,
    };
    part_rows(ui, cx, request, &available);
}

fn set_limits(r: &mut PlanRequest, change: impl FnOnce(&mut LimitsRequest)) {
    let mut limits = r.limits.clone().unwrap_or_default();
    change(&mut limits);
    r.limits = (limits != LimitsRequest::default()).then_some(limits);
}
