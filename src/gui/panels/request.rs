//! Left panel: the request, section by section, each field validated beside it.

use super::batch_note::batch_note_ui;
use super::model_list::pick_model;
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
use crate::gui::parse_sequence::sequence;
use crate::gui::places::Region;
use crate::gui::state::Field;
use crate::gui::theme::{Icon, Tokens, size};
use crate::gui::widgets::{combo_button, icon_button, note, problem, rule, section_head};
use crate::gui::workload::usual_length;
use crate::planner::{
    BatchChoice, BatchRequest, CheckedRequest, FixedStrategy, PlanRequest, Quantity,
    StrategyRequest, TrainRequest,
};
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
    // Each plan has its own place in the panel: a new one starts at the top.
    let area = ScrollArea::vertical()
        .auto_shrink(false)
        .id_salt(("request", cx.tab.id));
    area.show(ui, |ui| {
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
    reset_ui(ui, cx, request, head);
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
        _ if request.model.is_empty() => "Choose a model",
        (Some(m), ..) => m.label.as_str(),
        (None, Some(m), _) => m.label.as_str(),
        (None, None, Some(label)) => label.as_str(),
        (None, None, None) => request.model.as_str(),
    };
    let button = combo_button(ui, field, "Model", label, Some(Icon::Layers));
    if entry.is_none() && !request.model.is_empty() {
        button.clone().on_hover_text(request.model.as_str());
    }
    pick_model(cx, &button, field.width());
    let models = cx.backend.models();
    ui.add_space(4.0);
    let t = Tokens::of(ui);
    match (cx.tab.error_at("model"), entry.or(of_file.as_ref())) {
        (Some(message), _) => problem(ui, message),
        (None, Some(entry)) => {
            let parameters = cx
                .selection()
                .filter(|(_, _, run)| run.configuration.workload.model.name == entry.name);
            let parameters = parameters
                .map(|(_, _, run)| run.configuration.workload.profile.parameters)
                // Where nothing can run they are what they were.
                .or(entry.parameters)
                .filter(|_| !entry.summary.contains(" parameters"));
            let text = parameters.map_or_else(
                || entry.summary.clone(),
                |count| {
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

/// Back to the worked example of the model; where there is none, to the request as it was opened.
fn reset_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest, head: Rect) {
    let examples = cx.backend.examples();
    let same = examples.into_iter().find(|e| e.model == request.model);
    let (there, tip) = match (same, &cx.tab.opened) {
        (Some(example), _) => (example, "Back to the worked example of this model"),
        (None, Some(opened)) => ((**opened).clone(), "Back to how the plan was opened"),
        (None, None) => return,
    };
    if there == *request && cx.tab.drafts.is_empty() {
        return;
    }
    let place = Rect::from_center_size(pos2(head.right() - 8.0, head.center().y), vec2(22.0, 22.0));
    if icon_button(ui, place, Icon::Reset, "Reset the request", true)
        .on_hover_text(tip)
        .clicked()
    {
        cx.send(Action::ResetTo(Box::new(there)));
    }
}

/// Another model brings its own defaults; the title no longer fits.
pub fn set_model(r: &mut PlanRequest, name: &str) {
    r.model = name.to_owned();
    r.title = None;
    r.seq_len = None;
    r.decoder_tokens = None;
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
    amount_row(ui, cx, request);
    if request.train.epochs.is_some() {
        let samples = request.train.samples.as_ref();
        let text = samples.map_or_else(String::new, Quantity::text);
        // Thousands apart as everywhere; what was typed with a unit stays as it was typed.
        let is_plain = text.chars().all(|c| c.is_ascii_digit() || c == ',')
            && parse::number(&text).is_ok_and(|n| n.fract() == 0.0);
        let text = match is_plain {
            true => text.replace(',', &format::THIN.to_string()),
            false => text,
        };
        field_row(
            ui,
            cx,
            Row::new("Data set", Field::Samples, &text, "samples"),
            |r, typed| {
                r.train.samples = Some(parse::quantity(typed)?);
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
    let assumed = assumed_batch(cx, request);
    let row = Row::new(label, Field::GlobalBatch, &text, unit)
        .hint(assumed.as_ref().map_or("a typical one", |(batch, _)| batch));
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
    read_as_ui(ui, "batch-in-tokens", told.into_inner(), batch);
    if let Some((_, why)) = &assumed {
        note(ui, why, Tokens::of(ui).sub);
    }
    batch_note_ui(ui, cx, request);
    if is_sequence {
        let own = sequence_of(cx, request);
        let row = TokensRow {
            label: "Sequence",
            field: Field::Sequence,
            stated: request.seq_len,
            own,
        };
        row.ui(ui, cx, |r, tokens| r.seq_len = tokens);
        decoder_row(ui, cx, request);
    } else if has_images(cx, request) {
        let text = request
            .image_size
            .map_or_else(String::new, |v| format::count(f64::from(v)));
        let listed = cx.backend.model(&request.model).and_then(|m| m.image_size);
        let own = listed.or_else(|| planned(cx, request)?.image_size);
        let own = hint_of_own(own);
        let row = Row::new("Image side", Field::ImageSize, &text, "pixels").hint(&own);
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

/// How long what a decoder writes is, where one stands beside an encoder.
fn decoder_row(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    let model = cx.backend.model(&request.model);
    if request.decoder_tokens.is_none() && !model.is_some_and(|m| m.has_decoder) {
        return;
    }
    let row = TokensRow {
        label: "Decoder",
        field: Field::Decoder,
        stated: request.decoder_tokens,
        own: planned(cx, request).and_then(|planned| planned.decoder_tokens),
    };
    row.ui(ui, cx, |r, tokens| r.decoder_tokens = tokens);
}

/// What an empty field stands for: the model's own figure, as far as it is known.
fn hint_of_own(own: Option<u32>) -> String {
    own.map_or_else(
        || "model's own".to_owned(),
        |own| format!("{}, its own", format::count(f64::from(own))),
    )
}

/// A length in tokens, which a `k` after it multiplies.
struct TokensRow {
    label: &'static str,
    field: Field,
    /// What the request states.
    stated: Option<u32>,
    /// The model's own, where the last plan knows it.
    own: Option<u32>,
}

impl TokensRow {
    fn ui(self, ui: &mut Ui, cx: &mut Scene<'_>, set: fn(&mut PlanRequest, Option<u32>)) {
        let counted = |tokens: u32| format::count(f64::from(tokens));
        let text = self.stated.map_or_else(String::new, counted);
        let own = hint_of_own(self.own);
        let row = Row::new(self.label, self.field, &text, "tokens").hint(&own);
        let told = std::cell::RefCell::new(None);
        field_row(ui, cx, row, |r, typed| {
            let value = parse::optional(typed, sequence)?;
            let tokens = value.map(|(tokens, note)| {
                *told.borrow_mut() = note.map(|note| (f64::from(tokens), note));
                tokens
            });
            set(r, tokens);
            Ok(())
        });
        let now = self.stated.map(f64::from);
        read_as_ui(ui, self.label, told.into_inner(), now);
    }
}

/// Whether a model looks at pixels, as far as its last plan tells: a recommender does not.
pub fn has_images(cx: &Scene<'_>, request: &PlanRequest) -> bool {
    let looks = |plan: &crate::planner::Plan| plan.request.image_size.is_some();
    request.image_size.is_some() || cx.plan().is_none_or(looks)
}

/// What a text was read as, said below its field as long as the value is the one it came to.
fn read_as_ui(ui: &mut Ui, name: &str, told: Option<(f64, String)>, now: Option<f64>) {
    let id = ui.scope_id().with(name);
    if let Some(told) = told {
        ui.data_mut(|d| d.insert_temp::<(f64, String)>(id, told));
    }
    let said = ui.data(|d| d.get_temp::<(f64, String)>(id));
    if let Some((_, text)) = said.filter(|(value, _)| now == Some(*value)) {
        note(ui, &text, Tokens::of(ui).sub);
    }
}

/// How long to train. Of a plan without an amount yet a bare number counts what its model reads.
fn amount_row(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    let is_open = request.train == TrainRequest::default();
    let mut before = request.train.clone();
    let (text, unit) = before.text_and_unit();
    let model = cx.backend.model(&request.model);
    let (unit, hint) = if is_open {
        let reads_tokens = model.is_some_and(|m| m.is_sequence);
        before.tokens = reads_tokens.then(|| Quantity::Text(String::new()));
        let hint = if reads_tokens {
            "15 B tokens, 20k steps"
        } else {
            "90 epochs, 100k steps"
        };
        ("", hint)
    } else {
        (unit, "")
    };
    let tip = match model.is_none_or(|m| m.is_sequence) {
        true => "In tokens, epochs or steps: 15 B tokens, 3 epochs, 20k steps",
        false => "In epochs or steps: 90 epochs, 100k steps",
    };
    let row = Row::new("Train for", Field::TrainFor, &text, unit)
        .hint(hint)
        .tip(tip);
    let backend = cx.backend;
    field_row(ui, cx, row, |r, typed| {
        if !(is_open && typed.trim().is_empty()) {
            r.train = parse::training(typed, &before)?;
        }
        // Epochs are of the data set that models of the kind are usually trained on, until another is said.
        if r.train.epochs.is_some() && r.train.samples.is_none() {
            let usual = backend
                .model(&r.model)
                .and_then(|m| usual_length(backend, m));
            r.train.samples = usual.and_then(|train| train.samples);
        }
        Ok(())
    });
}

/// `256 assumed`: the batch of a plan that states none, the same for every count; and what it goes by, with the way out.
fn assumed_batch(cx: &Scene<'_>, request: &PlanRequest) -> Option<(String, String)> {
    let plan = cx.plan().filter(|_| request.batch.is_none())?;
    let (batch, by) = match plan.request.batch {
        BatchChoice::Pretraining(batch) => {
            (batch, "As GPT-3 models of its size were trained".to_owned())
        }
        BatchChoice::Default(batch) => {
            let most = f64::from(*request.counts.iter().max()?);
            (
                batch,
                format!("By the largest count, {}", format::count(most)),
            )
        }
        BatchChoice::Global(_) | BatchChoice::PerDevice(_) => return None,
    };
    let assumed = format!("{} assumed", format::count(batch));
    Some((assumed, format!("{by}; type a batch to fix it")))
}

/// The last plan's request, where it is of the same model.
fn planned<'a>(cx: &'a Scene<'_>, request: &PlanRequest) -> Option<&'a CheckedRequest> {
    let planned = &cx.plan()?.request;
    (planned.request.model == request.model).then_some(planned)
}

/// Tokens of a sequence: those of the request, else the model's own, which the last plan of it knows.
fn sequence_of(cx: &Scene<'_>, request: &PlanRequest) -> Option<u32> {
    request.seq_len.or_else(|| planned(cx, request)?.seq_len)
}

fn layout_row(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    const CHOICES: [(&str, &str); 6] = [
        ("auto", "Best for each"),
        ("none", "Data parallel (DDP)"),
        ("zero1", "ZeRO-1"),
        ("zero2", "ZeRO-2"),
        ("fsdp", "FSDP (ZeRO-3)"),
        ("hsdp", "HSDP (FSDP in groups)"),
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

/// Every optimizer that a request may name.
const OPTIMIZERS: [(&str, &str); 11] = [
    ("", "The model's own"),
    ("sgd", "SGD"),
    ("adam", "Adam"),
    ("adamw", "AdamW"),
    ("adam-8bit", "Adam, 8-bit states"),
    ("lamb", "LAMB"),
    ("rmsprop", "RMSprop"),
    ("adagrad", "Adagrad"),
    ("adafactor", "Adafactor"),
    ("lion", "Lion"),
    ("muon", "Muon"),
];

fn setting_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    head_ui(ui, cx, Section::Software, "");
    purchase_ui(ui, cx, request);
    let now = request.optimizer.clone().unwrap_or_default();
    if let Some(key) = choice_row(ui, "Optimizer", &now, &now, &OPTIMIZERS) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Optimizer;

    #[test]
    fn every_optimizer_of_a_request_is_on_the_list() {
        for optimizer in Optimizer::ALL {
            let key = optimizer.key();
            assert!(OPTIMIZERS.iter().any(|(word, _)| *word == key), "{key}");
        }
        assert_eq!(OPTIMIZERS.len(), Optimizer::ALL.len() + 1);
    }
}
