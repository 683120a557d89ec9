//! Left panel: the request, section by section, each field validated beside it.

use super::batch_note::batch_note_ui;
use super::picker::{Choice, picker_ui, rank};
use super::request_fields::{Row, choice_row, field_row};
use super::request_limits::limits_ui;
use super::request_lists::{accelerators_ui, counts_ui, precision_ui};
use super::request_more::{method_row, schedule_ui, what_if_ui};
use super::request_prices::purchase_ui;
use super::request_reset::{Section, head_ui};
use super::scene::Scene;
use crate::format;
use crate::gui::command::Action;
use crate::gui::parse;
use crate::gui::places::Region;
use crate::gui::state::Field;
use crate::gui::theme::{Icon, Tokens, size};
use crate::gui::widgets::{combo_button, icon_button, note, problem, rule, section_head};
use crate::planner::{BatchRequest, FixedStrategy, PlanRequest, StrategyRequest};
use egui::{Rect, ScrollArea, Sense, Stroke, Ui, pos2, vec2};

/// Draws the request panel.
pub fn request_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let panel = ui.max_rect();
    Region::Request.mark(ui.ctx(), panel);
    ui.painter().vline(
        panel.right() - 0.5,
        panel.y_range(),
        Stroke::new(1.0, t.line),
    );
    let Some(request) = cx.tab.request.clone() else {
        return;
    };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        model_ui(ui, cx, &request);
        rule(ui);
        workload_ui(ui, cx, &request);
        rule(ui);
        accelerators_ui(ui, cx, &request);
        rule(ui);
        counts_ui(ui, cx, &request);
        rule(ui);
        precision_ui(ui, cx, &request);
        rule(ui);
        limits_ui(ui, cx, &request);
        rule(ui);
        what_if_ui(ui, cx, &request);
        rule(ui);
        schedule_ui(ui, cx, &request);
        rule(ui);
        setting_ui(ui, cx, &request);
        ui.add_space(12.0);
    });
}

fn model_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    let head = section_head(ui, "Model", "");
    let reset = Rect::from_center_size(pos2(head.right() - 8.0, head.center().y), vec2(22.0, 22.0));
    if icon_button(ui, reset, Icon::Reset, "Reset the request", true)
        .on_hover_text("Back to the worked example of this model, or the first one")
        .clicked()
    {
        let examples = cx.backend.examples();
        let same = examples.iter().find(|e| e.model == request.model);
        if let Some(example) = same.or(examples.first()).cloned() {
            cx.edit("reset", |r| *r = example);
        }
    }
    let (row, _) = ui.allocate_exact_size(vec2(ui.available_width(), 28.0), Sense::hover());
    let field = row.shrink2(vec2(size::MARGIN, 0.0));
    let entry = cx.backend.model(&request.model);
    // A model of a file is called as the file calls it, once it was read; its path stands in the tooltip.
    let own = if entry.is_none() {
        cx.tab.own_model()
    } else {
        None
    };
    let of_file = own.map(crate::gui::shipped::entry);
    let label = match (entry, &of_file, &cx.tab.model_label) {
        (Some(m), ..) => m.label.as_str(),
        (None, Some(m), _) => m.label.as_str(),
        (None, None, Some(label)) => label.as_str(),
        (None, None, None) => request.model.as_str(),
    };
    let button = combo_button(ui, field, "Model", label, Some(Icon::Layers));
    if entry.is_none() {
        button.clone().on_hover_text(request.model.as_str());
    }
    let models = cx.backend.models();
    let picked = picker_ui(&button, "models", field.width(), &|text| {
        rank(models.iter(), text, |m| {
            (m.label.as_str(), m.search.as_str())
        })
        .into_iter()
        .map(|m| Choice {
            key: m.name.clone(),
            label: m.label.clone(),
            detail: m.summary.split(',').next().unwrap_or("").to_owned(),
        })
        .collect()
    });
    if let Some(name) = picked {
        cx.send(Action::SetModel(name));
    }
    ui.add_space(4.0);
    let t = Tokens::of(ui);
    match (cx.tab.error_at("model"), entry.or(of_file.as_ref())) {
        (Some(message), _) => problem(ui, message),
        (None, Some(entry)) => {
            let parameters = cx
                .selection()
                .filter(|(_, _, run)| run.configuration.workload.model.name == entry.name);
            let text = parameters.map_or_else(
                || entry.summary.clone(),
                |(_, _, run)| {
                    let count = run.configuration.workload.profile.parameters;
                    format!(
                        "{} parameters, {}",
                        format::short_count(count),
                        entry.summary
                    )
                },
            );
            note(ui, &text, t.sub);
        }
        (None, None) => note(
            ui,
            &format!(
                "{} models to choose from",
                format::count(models.len() as f64)
            ),
            t.sub,
        ),
    }
    ui.add_space(6.0);
}

/// Another model brings its own defaults; the title no longer fits.
pub fn set_model(r: &mut PlanRequest, name: &str) {
    r.model = name.to_owned();
    r.title = None;
    r.seq_len = None;
    r.image_size = None;
    r.batch = None;
    r.optimizer = None;
}

fn workload_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    let steps = cx.selection().map_or_else(String::new, |(_, _, run)| {
        let plural = format::plural(run.steps);
        format!("{} step{plural}", format::count(run.steps))
    });
    head_ui(ui, cx, Section::Workload, &steps);
    let before = request.train.clone();
    let (text, unit) = parse::training_text(&before);
    field_row(
        ui,
        cx,
        Row::new("Train for", Field::TrainFor, &text, unit),
        |r, typed| {
            r.train = parse::training(typed, &before)?;
            Ok(())
        },
    );
    if request.train.epochs.is_some() {
        let text = parse::quantity_text(request.train.samples.as_ref());
        field_row(
            ui,
            cx,
            Row::new("Data set", Field::Samples, &text, "samples"),
            |r, typed| {
                parse::number(typed)?;
                r.train.samples = Some(crate::planner::Quantity::Text(typed.trim().to_owned()));
                Ok(())
            },
        );
    }
    let is_sequence = cx
        .backend
        .model(&request.model)
        .is_none_or(|m| m.is_sequence);
    let per_gpu = request.batch.as_ref().and_then(|b| b.per_gpu);
    let batch = request.batch.as_ref().and_then(|b| b.global.or(b.per_gpu));
    let text = batch.map_or_else(String::new, parse::exact);
    let label = if per_gpu.is_some() {
        "Batch each"
    } else {
        "Global batch"
    };
    let unit = if is_sequence { "sequences" } else { "samples" };
    let row = Row::new(label, Field::GlobalBatch, &text, unit).hint("model's own");
    let tokens_each = if is_sequence {
        sequence_of(cx, request)
    } else {
        None
    };
    let told = std::cell::RefCell::new(None);
    field_row(ui, cx, row, |r, typed| {
        let value = parse::optional(typed, |typed| parse::batch(typed, tokens_each))?;
        let value = value.map(|(value, note)| {
            *told.borrow_mut() = note.map(|note| (value, note));
            value
        });
        r.batch = value.map(|v| match per_gpu {
            Some(_) => BatchRequest {
                global: None,
                per_gpu: Some(v),
            },
            None => BatchRequest {
                global: Some(v),
                per_gpu: None,
            },
        });
        Ok(())
    });
    let id = ui.scope_id().with("batch-in-tokens");
    if let Some(told) = told.into_inner() {
        ui.data_mut(|d| d.insert_temp::<(f64, String)>(id, told));
    }
    // It is said as long as the batch is the one it came to.
    let said = ui.data(|d| d.get_temp::<(f64, String)>(id));
    if let Some((_, text)) = said.filter(|(value, _)| batch == Some(*value)) {
        note(ui, &text, Tokens::of(ui).sub);
    }
    batch_note_ui(ui, cx, request);
    if is_sequence {
        let text = request
            .seq_len
            .map_or_else(String::new, |v| format::count(f64::from(v)));
        let row = Row::new("Sequence", Field::Sequence, &text, "tokens").hint("model's own");
        field_row(ui, cx, row, |r, typed| {
            r.seq_len = parse::optional(typed, parse::whole)?;
            Ok(())
        });
    } else {
        let text = request
            .image_size
            .map_or_else(String::new, |v| format::count(f64::from(v)));
        let row = Row::new("Image side", Field::ImageSize, &text, "pixels").hint("model's own");
        field_row(ui, cx, row, |r, typed| {
            r.image_size = parse::optional(typed, parse::whole)?;
            Ok(())
        });
    }
    layout_row(ui, cx, request);
    if is_sequence {
        method_row(ui, cx, request);
    }
    ui.add_space(8.0);
}

/// Tokens of a sequence: those of the request, else the model's own, which the last plan of it knows.
fn sequence_of(cx: &Scene<'_>, request: &PlanRequest) -> Option<u32> {
    request.seq_len.or_else(|| {
        let planned = &cx.plan()?.request;
        (planned.request.model == request.model)
            .then_some(planned.seq_len)
            .flatten()
    })
}

fn layout_row(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    const CHOICES: [(&str, &str); 6] = [
        ("auto", "Best for each"),
        ("none", "Data parallel (DDP)"),
        ("zero1", "ZeRO-1"),
        ("zero2", "ZeRO-2"),
        ("fsdp", "FSDP (ZeRO-3)"),
        ("hsdp", "FSDP inside a node"),
    ];
    let now = match &request.strategy {
        Some(StrategyRequest::Fixed(fixed)) => {
            fixed.sharding.clone().unwrap_or_else(|| "fixed".to_owned())
        }
        _ => "auto".to_owned(),
    };
    let picked = choice_row(ui, "Layout", &now, "As in the file", &CHOICES);
    if let Some(key) = picked {
        cx.edit("strategy", |r| {
            r.strategy = (key != "auto").then(|| {
                StrategyRequest::Fixed(FixedStrategy {
                    sharding: Some(key.to_owned()),
                    ..FixedStrategy::default()
                })
            });
        });
    }
    if let Some(message) = cx.tab.error_at("strategy") {
        problem(ui, message);
    }
}

fn setting_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    head_ui(ui, cx, Section::Software, "");
    purchase_ui(ui, cx, request);
    let now = request.optimizer.clone().unwrap_or_default();
    let optimizers = [
        ("", "The model's own"),
        ("sgd", "SGD"),
        ("adam", "Adam"),
        ("adamw", "AdamW"),
        ("lamb", "LAMB"),
        ("adafactor", "Adafactor"),
        ("lion", "Lion"),
        ("muon", "Muon"),
    ];
    if let Some(key) = choice_row(ui, "Optimizer", &now, &now, &optimizers) {
        cx.edit("optimizer", |r| {
            r.optimizer = (!key.is_empty()).then(|| key.to_owned())
        });
    }
    let now = request.tuning.clone().unwrap_or_default();
    let tunings = [
        ("", "Not stated"),
        ("plain", "Out of the box"),
        ("tuned", "A team's stack"),
        ("benchmark", "Raced (MLPerf)"),
    ];
    if let Some(key) = choice_row(ui, "Tuning", &now, &now, &tunings) {
        cx.edit("tuning", |r| {
            r.tuning = (!key.is_empty()).then(|| key.to_owned())
        });
    }
    let text = request.region.clone().unwrap_or_default();
    let row = Row::new("Region", Field::Region, &text, "").hint("no CO₂e without one");
    field_row(ui, cx, row, |r, typed| {
        r.region = (!typed.trim().is_empty()).then(|| typed.trim().to_owned());
        Ok(())
    });
}
