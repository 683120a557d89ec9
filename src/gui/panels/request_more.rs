//! The rest of the request: what is trained, what is minimised, precision schedules, and what-ifs.

use super::request_fields::choice_row;
use super::request_reset::{Section, head_ui};
use super::request_sway;
use super::scene::Scene;
use crate::domain::PrecisionMode;
use crate::format;
use crate::gui::command::Action;
use crate::gui::state::Field;
use crate::gui::theme::{Icon, Tokens, size};
use crate::gui::widgets::{
    DropDown, Moved, combo_button, factor_slider, icon_button, note, problem, property_row,
    text_button,
};
use crate::planner::{
    FineTuneRequest, MinimiseRequest, PhaseRequest, PlanRequest, ScheduleKind, ScheduleRuleRequest,
    WhatIfRequest,
};
use egui::{DragValue, Rect, Sense, Ui, pos2, vec2};

/// What is trained of the model.
pub fn method_row(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    const CHOICES: [(&str, &str); 13] = [
        ("full", "All weights"),
        ("lora-4", "LoRA, rank 4"),
        ("lora-8", "LoRA, rank 8"),
        ("lora-16", "LoRA, rank 16"),
        ("lora-32", "LoRA, rank 32"),
        ("lora-64", "LoRA, rank 64"),
        ("lora-128", "LoRA, rank 128"),
        ("qlora-4", "QLoRA, rank 4"),
        ("qlora-8", "QLoRA, rank 8"),
        ("qlora-16", "QLoRA, rank 16"),
        ("qlora-32", "QLoRA, rank 32"),
        ("qlora-64", "QLoRA, rank 64"),
        ("qlora-128", "QLoRA, rank 128"),
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

/// Lowest cost, or the shortest time where a budget is the only limit.
const AUTOMATIC: &str = "auto";

/// What the best plan minimises.
pub fn minimise_row(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    const CHOICES: [(&str, &str); 6] = [
        (AUTOMATIC, "By the limits"),
        ("cost", "Lowest cost"),
        ("time", "Shortest time"),
        ("energy", "Least energy"),
        ("emissions", "Least CO₂e"),
        ("blend", "Time and cost alike"),
    ];
    let unsaid = cx.tab.plan().and_then(|plan| plan.minimise.word());
    let now = match &request.minimise {
        // What follows from the limits must not look like what was chosen: it changes with them.
        None => "",
        Some(MinimiseRequest::Word(word)) => word.as_str(),
        Some(MinimiseRequest::Blend(_)) => "blend",
    };
    let said = CHOICES.iter().find(|(key, _)| Some(*key) == unsaid);
    let other = match (&request.minimise, said) {
        (None, Some((_, said))) => format!("{said} (auto)"),
        (None, None) => "Lowest cost (auto)".to_owned(),
        _ => "As in the file".to_owned(),
    };
    if let Some(key) = choice_row(ui, "Best is", now, &other, &CHOICES) {
        cx.edit("minimise", |r| {
            r.minimise = match key {
                AUTOMATIC => None,
                "blend" => Some(MinimiseRequest::Blend(crate::planner::BlendRequest {
                    time: Some(1.0),
                    cost: Some(1.0),
                    ..Default::default()
                })),
                word => Some(MinimiseRequest::Word(word.to_owned())),
            };
        });
    }
    if let Some(message) = cx.tab.error_at("minimise") {
        problem(ui, message);
    }
}

/// What adds a rule.
const ADD_RULE: &str = "Add a rule for the fastest schedule";
/// Share of the steps that a new rule keeps in the finest mode.
const RULE_PERCENT: f64 = 10.0;

/// What the rule comes to on the selected part and count, beside one mode throughout; and whether it takes longer.
fn rule_result(cx: &Scene<'_>) -> Option<(String, bool)> {
    let (plan, (_, c, _)) = (cx.plan()?, cx.selection()?);
    let mut found = plan.schedules_of(c);
    let found = found.find(|s| s.kind == ScheduleKind::Fastest)?;
    let hours = found.outcome.as_ref().ok()?.total_time_h.value;
    let against = plan.against_one_mode(found)?;
    let text = format!(
        "On {}\u{202F}×\u{202F}{}: {}, {}",
        c.count,
        cx.label(&c.accelerator.label),
        format::hours(hours),
        against.words()
    );
    Some((text, against.more_h > 0.0))
}

/// Phases in different modes, and the rule under which the fastest schedule is looked for.
pub fn schedule_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    let remark = match (request.schedule.len(), &request.schedule_rule) {
        (0, None) => "one mode throughout".to_owned(),
        (0, Some(_)) => "fastest under a rule".to_owned(),
        (n, None) => format!("{n} phase{}", format::plural(n as f64)),
        (n, Some(_)) => format!("{n} phase{}, and a rule", format::plural(n as f64)),
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
        if let Some((text, is_slower)) = rule_result(cx) {
            let t = Tokens::of(ui);
            note(ui, &text, if is_slower { t.warn } else { t.text });
        }
    }
    for path in ["schedule", "schedule_rule"] {
        if let Some(message) = cx.tab.error_at(path) {
            problem(ui, message);
        }
    }
    // Runs in FP8 and below finish in BF16 by practice; where that is none of the modes or the coarsest, in the finest.
    let practice = PrecisionMode::AmpBf16;
    let is_usual =
        modes.contains(&practice) && modes.iter().any(|m| m.fidelity() < practice.fidelity());
    let finest = match is_usual {
        true => Some(practice),
        false => modes.iter().max_by_key(|m| m.fidelity()).copied(),
    };
    if let Some(finest) = finest.filter(|_| request.schedule_rule.is_none() && modes.len() > 1) {
        let tip = format!(
            "The last {RULE_PERCENT} % of the steps stay in {} or finer, the others run in whichever mode is fastest. Mode and share can be changed",
            finest.label()
        );
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 30.0), Sense::hover());
        let right = rect.right_center() - vec2(size::MARGIN, 0.0);
        if text_button(ui, right, None, ADD_RULE, false)
            .on_hover_text(tip)
            .clicked()
        {
            cx.edit("", |r| {
                r.schedule_rule = Some(ScheduleRuleRequest {
                    at_least: finest.key().to_owned(),
                    percent: RULE_PERCENT,
                });
            });
        }
    }
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 30.0), Sense::hover());
    let right = rect.right_center() - vec2(size::MARGIN, 0.0);
    if !modes.is_empty() && text_button(ui, right, Some(Icon::Plus), "Phase", false).clicked() {
        let offered = offered(cx, &modes);
        cx.edit("", |r| add_phase(r, &offered));
    }
    ui.add_space(6.0);
}

/// The modes that new phases are given: those that the selected part runs, its own last, for that one is taken first. A phase
/// that it cannot run would be refused as soon as it is there.
fn offered(cx: &Scene<'_>, modes: &[PrecisionMode]) -> Vec<PrecisionMode> {
    let Some((_, c, _)) = cx.selection() else {
        return modes.to_vec();
    };
    let others = modes.iter().filter(|m| **m != c.mode);
    let others = others.filter(|m| c.accelerator.peak(**m).is_ok());
    let own = modes.iter().filter(|m| **m == c.mode);
    let offered: Vec<PrecisionMode> = others.chain(own).copied().collect();
    match offered.is_empty() {
        true => modes.to_vec(),
        false => offered,
    }
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
    let field = rect.with_max_x(close.left() - 4.0);
    let name = format!("Mode of phase {}", i + 1);
    let (mode, percent) =
        mode_and_percent(ui, field, &name, modes, &phase.precision, phase.percent);
    // Drawn last, for so the keyboard comes to it after what it removes.
    let name = format!("Remove phase {}", i + 1);
    if icon_button(ui, close, Icon::Close, &name, true).clicked() {
        cx.edit("", |r| {
            r.schedule.remove(i);
        });
        return;
    }
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
    let field = rect.with_max_x(close.left() - 4.0);
    let name = "Mode of the rule";
    let (mode, percent) = mode_and_percent(ui, field, name, modes, &rule.at_least, rule.percent);
    if icon_button(ui, close, Icon::Close, "Remove the rule", true).clicked() {
        cx.edit("", |r| r.schedule_rule = None);
        return;
    }
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
    type Factor = fn(&mut WhatIfRequest) -> &mut Option<f64>;
    let fields: [(&str, Field, Factor); 3] = [
        ("Prices", Field::WhatIfPrices, |w| &mut w.price),
        ("Network", Field::WhatIfNetwork, |w| &mut w.network),
        ("Failures", Field::WhatIfFailures, |w| &mut w.failures),
    ];
    for (label, field, of) in fields {
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), size::ROW + 4.0), Sense::hover());
        let row = rect.shrink2(vec2(size::MARGIN, 2.0));
        let factor = of(&mut now.clone()).unwrap_or(1.0);
        let refused = cx.tab.drafts.get(&field);
        let set = |r: &mut PlanRequest, factor: f64| {
            let mut wanted = r.what_if.clone().unwrap_or_default();
            *of(&mut wanted) = (factor != 1.0).then_some(factor);
            r.what_if = (wanted != WhatIfRequest::default()).then_some(wanted);
        };
        match factor_slider(ui, row, label, factor, refused) {
            Moved::To(factor) => {
                // What was refused before is answered, also where the factor is the one it was.
                if refused.is_some() {
                    cx.send(Action::Restore(field));
                }
                cx.edit("what_if", |r| set(r, factor));
            }
            Moved::Wrong(text, message) => cx.send(Action::Draft(field, text, message)),
            Moved::Left if refused.is_some() => cx.send(Action::Restore(field)),
            Moved::Left | Moved::Not => {}
        }
        if let Some((_, message)) = refused {
            problem(ui, message);
        }
    }
    if let Some(message) = cx.tab.error_at("what_if") {
        problem(ui, message);
    }
    request_sway::sway_ui(ui, cx);
    ui.add_space(8.0);
}
