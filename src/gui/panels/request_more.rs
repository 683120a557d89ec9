//! The rest of the request: what is trained, what is minimised, precision schedules, and what-ifs.

use super::request_fields::choice_row;
use super::request_reset::{Section, head_ui};
use super::request_sway;
use super::scene::Scene;
use crate::domain::PrecisionMode;
use crate::gui::theme::{Icon, Role, Tokens, size};
use crate::gui::widgets::{
    DropDown, Moved, combo_button, factor_slider, icon_button, note, paint, problem, property_row,
    rule, section_head, text_button,
};
use crate::planner::{
    FineTuneRequest, MinimiseRequest, PhaseRequest, PlanRequest, ScheduleRuleRequest, WhatIfRequest,
};
use egui::{Align2, DragValue, Rect, Sense, Ui, pos2, vec2};

/// What is trained of the model.
pub fn method_row(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    const CHOICES: [(&str, &str); 5] = [
        ("full", "All weights"),
        ("lora-16", "LoRA, rank 16"),
        ("lora-64", "LoRA, rank 64"),
        ("qlora-16", "QLoRA, rank 16"),
        ("qlora-64", "QLoRA, rank 64"),
    ];
    let now = request.fine_tune.as_ref().map_or_else(
        || "full".to_owned(),
        |f| match f.method.as_str() {
            "full" => "full".to_owned(),
            method => format!("{method}-{}", f.rank.unwrap_or(16)),
        },
    );
    if let Some(key) = choice_row(ui, "Trained", &now, "As in the file", &CHOICES) {
        cx.edit("fine_tune", |r| {
            r.fine_tune = key.split_once('-').map(|(method, rank)| FineTuneRequest {
                method: method.to_owned(),
                rank: rank.parse().ok(),
            });
        });
    }
    if let Some(message) = cx.tab.error_at("fine_tune") {
        problem(ui, message);
    }
}

/// What the best plan minimises.
pub fn minimise_row(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    const CHOICES: [(&str, &str); 5] = [
        ("cost", "Lowest cost"),
        ("time", "Shortest time"),
        ("energy", "Least energy"),
        ("emissions", "Least CO₂e"),
        ("blend", "Time and cost alike"),
    ];
    let unsaid = cx.tab.plan().and_then(|plan| plan.minimise.word());
    let now = match &request.minimise {
        None => unsaid.unwrap_or("cost"),
        Some(MinimiseRequest::Word(word)) => word.as_str(),
        Some(MinimiseRequest::Blend(_)) => "blend",
    };
    if let Some(key) = choice_row(ui, "Best is", now, "As in the file", &CHOICES) {
        cx.edit("minimise", |r| {
            r.minimise = Some(match key {
                "blend" => MinimiseRequest::Blend(crate::planner::BlendRequest {
                    time: Some(1.0),
                    cost: Some(1.0),
                    ..Default::default()
                }),
                word => MinimiseRequest::Word(word.to_owned()),
            });
        });
    }
    if let Some(message) = cx.tab.error_at("minimise") {
        problem(ui, message);
    }
}

/// Phases in different modes, and the rule under which the fastest schedule is looked for.
pub fn schedule_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    let remark = match request.schedule.len() {
        0 => "one mode throughout".to_owned(),
        n => format!("{n} phases"),
    };
    head_ui(ui, cx, Section::Schedule, &remark);
    let modes = request.modes();
    for (i, phase) in request.schedule.iter().enumerate() {
        phase_row(ui, cx, &modes, i, phase);
    }
    if let Some(rule) = &request.schedule_rule {
        rule_row(ui, cx, &modes, rule);
        let mode = PrecisionMode::ALL
            .into_iter()
            .find(|m| m.key() == rule.at_least);
        let text = format!(
            "The last {} % of the steps run in {} or finer, the others in whichever mode is fastest",
            crate::gui::parse::exact(rule.percent),
            mode.map_or(rule.at_least.as_str(), |m| m.label())
        );
        note(ui, &text, Tokens::of(ui).sub);
    }
    for path in ["schedule", "schedule_rule"] {
        if let Some(message) = cx.tab.error_at(path) {
            problem(ui, message);
        }
    }
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 30.0), Sense::hover());
    let right = rect.right_center() - vec2(size::MARGIN, 0.0);
    let mut left = right;
    if request.schedule_rule.is_none() && modes.len() > 1 {
        let button = text_button(ui, right, None, "Find the fastest schedule", false)
            .on_hover_text(
                "Most steps in the fastest mode, the last tenth in the finest one chosen above; both can be changed",
            );
        left = button.rect.left_center() - vec2(6.0, 0.0);
        if button.clicked() {
            let finest = modes.iter().max_by_key(|m| m.fidelity()).copied();
            cx.edit("", |r| {
                r.schedule_rule = finest.map(|mode| ScheduleRuleRequest {
                    at_least: mode.key().to_owned(),
                    percent: 10.0,
                });
            });
        }
    }
    if !modes.is_empty() && text_button(ui, left, Some(Icon::Plus), "Phase", false).clicked() {
        cx.edit("", |r| add_phase(r, &modes));
    }
    ui.add_space(6.0);
}

/// The first phase takes every step but a tenth; each new one takes half of the last.
fn add_phase(r: &mut PlanRequest, modes: &[PrecisionMode]) {
    let used = |m: &PrecisionMode| r.schedule.iter().any(|p| p.precision == m.key());
    let mode = modes.iter().rev().find(|m| !used(m)).or(modes.last());
    let Some(mode) = mode.copied() else { return };
    let percent = match r.schedule.last_mut() {
        None => 100.0,
        Some(last) => {
            let half = (last.percent / 2.0).round();
            last.percent -= half;
            half
        }
    };
    r.schedule.push(PhaseRequest {
        precision: mode.key().to_owned(),
        percent,
    });
}

fn phase_row(
    ui: &mut Ui,
    cx: &mut Scene<'_>,
    modes: &[PrecisionMode],
    i: usize,
    phase: &PhaseRequest,
) {
    let rect = property_row(ui, &format!("Phase {}", i + 1));
    let close = Rect::from_center_size(pos2(rect.right() - 8.0, rect.center().y), vec2(18.0, 18.0));
    if icon_button(
        ui,
        close,
        Icon::Close,
        &format!("Remove phase {}", i + 1),
        true,
    )
    .clicked()
    {
        cx.edit("", |r| {
            r.schedule.remove(i);
        });
        return;
    }
    let field = rect.with_max_x(close.left() - 4.0);
    let name = format!("Mode of phase {}", i + 1);
    let (mode, percent) =
        mode_and_percent(ui, field, &name, modes, &phase.precision, phase.percent);
    if let Some(mode) = mode {
        cx.edit("", |r| r.schedule[i].precision = mode.key().to_owned());
    }
    if let Some(percent) = percent {
        cx.edit("schedule", |r| r.schedule[i].percent = percent);
    }
}

fn rule_row(ui: &mut Ui, cx: &mut Scene<'_>, modes: &[PrecisionMode], rule: &ScheduleRuleRequest) {
    let rect = property_row(ui, "Ends in");
    let close = Rect::from_center_size(pos2(rect.right() - 8.0, rect.center().y), vec2(18.0, 18.0));
    if icon_button(ui, close, Icon::Close, "Remove the rule", true).clicked() {
        cx.edit("", |r| r.schedule_rule = None);
        return;
    }
    let field = rect.with_max_x(close.left() - 4.0);
    let name = "Mode of the rule";
    let (mode, percent) = mode_and_percent(ui, field, name, modes, &rule.at_least, rule.percent);
    if let Some(mode) = mode {
        cx.edit("", |r| {
            if let Some(rule) = &mut r.schedule_rule {
                mode.key().clone_into(&mut rule.at_least);
            }
        });
    }
    if let Some(percent) = percent {
        cx.edit("schedule_rule", |r| {
            if let Some(rule) = &mut r.schedule_rule {
                rule.percent = percent;
            }
        });
    }
}

/// A mode from a list and a share of the steps.
fn mode_and_percent(
    ui: &mut Ui,
    field: Rect,
    name: &str,
    modes: &[PrecisionMode],
    key: &str,
    percent: f64,
) -> (Option<PrecisionMode>, Option<f64>) {
    let now = PrecisionMode::ALL.into_iter().find(|m| m.key() == key);
    let label = now.map_or(key, |mode| mode.label());
    let place = field.with_max_x(field.right() - 58.0);
    let button = combo_button(ui, place, name, label, None);
    let mut picked = None;
    DropDown::of(&button).show(|ui, lines| {
        for mode in modes {
            let line = ui.selectable_label(Some(*mode) == now, mode.label());
            if line.clicked() {
                picked = Some(*mode);
            }
            lines.add(&line, mode.label());
        }
        let current = modes.iter().position(|mode| Some(*mode) == now);
        lines.walk(ui, current.unwrap_or(0));
    });
    let mut value = percent;
    let drag = DragValue::new(&mut value)
        .range(0.0..=100.0)
        .speed(0.5)
        .fixed_decimals(0)
        .suffix("\u{202F}%");
    let place = field.with_min_x(field.right() - 54.0);
    let changed = ui.put(place, drag).changed();
    (picked, changed.then_some(value))
}

/// Sliders for prices, networks and failures, and what would change the answer.
pub fn what_if_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    head_ui(ui, cx, Section::WhatIf, "");
    let now = request.what_if.clone().unwrap_or_default();
    type Field = fn(&mut WhatIfRequest) -> &mut Option<f64>;
    let fields: [(&str, Field); 3] = [
        ("Prices", |w| &mut w.price),
        ("Network", |w| &mut w.network),
        ("Failures", |w| &mut w.failures),
    ];
    for (label, field) in fields {
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), size::ROW + 4.0), Sense::hover());
        let row = rect.shrink2(vec2(size::MARGIN, 2.0));
        let factor = field(&mut now.clone()).unwrap_or(1.0);
        match factor_slider(ui, row, label, factor) {
            Moved::To(factor) => cx.edit("what_if", |r| {
                let mut wanted = r.what_if.clone().unwrap_or_default();
                *field(&mut wanted) = (factor != 1.0).then_some(factor);
                r.what_if = (wanted != WhatIfRequest::default()).then_some(wanted);
            }),
            Moved::Wrong(message) => problem(ui, &message),
            Moved::Not => {}
        }
    }
    if let Some(message) = cx.tab.error_at("what_if") {
        problem(ui, message);
    }
    request_sway::sway_ui(ui, cx);
    ui.add_space(8.0);
}

/// The schedules of the selected part and count as bars of time, beside one mode throughout.
pub fn schedules_ui(ui: &mut Ui, cx: &Scene<'_>) {
    let t = Tokens::of(ui);
    let (Some(plan), Some((_, c, run))) = (cx.plan(), cx.selection()) else {
        return;
    };
    let found: Vec<_> = plan
        .schedules
        .iter()
        .filter(|s| s.count == c.count && s.accelerator.name == c.accelerator.name)
        .collect();
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
