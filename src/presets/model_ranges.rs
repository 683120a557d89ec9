//! What a model's file may state: each field against its range and against the others, under the name it has in the file.

use super::builders::{self, Head};
use crate::domain::ranges::{MAX_DIMENSION, MAX_LAYERS, MAX_PARAMETERS, MAX_SEQ_LEN, MAX_WIDTH};
use crate::domain::{TASKS, TransformerShape};
use crate::format;

/// What is wrong with a field: the value, and what is allowed.
pub(super) fn not_allowed(field: &str, given: impl std::fmt::Display, allowed: &str) -> String {
    format!("field `{field}`: {given} is not allowed; allowed: {allowed}")
}

/// Whether a task is one that models have; without words there is none.
///
/// # Errors
/// A sentence with the words that are allowed.
pub(super) fn check_task(task: &str) -> Result<(), String> {
    if TASKS.contains(&task) {
        return Ok(());
    }
    Err(not_allowed("task", format!("`{task}`"), &TASKS.join(", ")))
}

/// What a shape must obey for a profile to make sense; `name` tells how the file calls a field of it.
///
/// # Errors
/// A sentence that names the first field that is wrong and what is allowed there.
pub(super) fn check_shape<'a>(
    shape: &TransformerShape,
    name: impl Fn(&'static str) -> &'a str,
) -> Result<(), String> {
    for (field, value, least, most) in bounds(shape) {
        if !(least..=most).contains(&value) {
            let allowed = format!(
                "a whole number from {least} to {}",
                format::count(f64::from(most))
            );
            let given = format::count(f64::from(value));
            return Err(not_allowed(name(field), given, &allowed));
        }
    }
    check_heads(shape, &name)?;
    if shape.experts > 0 && !(1..=shape.experts).contains(&shape.active_experts) {
        return Err(format!(
            "field `{}`: {} of {} experts; allowed: 1 to {}",
            name("active_experts"),
            shape.active_experts,
            shape.experts,
            shape.experts
        ));
    }
    for (field, given, allowed) in [
        ("norm", &shape.norm, &["rms", "layer"][..]),
        ("activation", &shape.activation, &["gelu-new"]),
    ] {
        if let Some(word) = given
            && !allowed.contains(&word.as_str())
        {
            let allowed = allowed.join(", ");
            return Err(format!(
                "field `{}`: unknown `{word}`; allowed: {allowed}",
                name(field)
            ));
        }
    }
    check_size(shape, &name)
}

/// The fields of a shape that are numbers, each with its least and its most.
fn bounds(shape: &TransformerShape) -> Vec<(&'static str, u32, u32, u32)> {
    let rows = MAX_DIMENSION as u32;
    let mut bounds = vec![
        ("layers", shape.layers, 1, MAX_LAYERS),
        ("decoder_layers", shape.decoder_layers, 0, MAX_LAYERS),
        ("hidden", shape.hidden, 1, MAX_WIDTH),
        ("heads", shape.heads, 1, MAX_WIDTH),
        ("ffn", shape.ffn, 0, MAX_WIDTH),
        ("vocab", shape.vocab, 0, rows),
        ("positions", shape.positions, 0, rows),
        ("experts", shape.experts, 0, MAX_WIDTH),
        ("expert_ffn", shape.expert_ffn, 0, MAX_WIDTH),
        ("expert_hidden", shape.expert_hidden, 0, MAX_WIDTH),
        ("shared_expert_ffn", shape.shared_expert_ffn, 0, MAX_WIDTH),
        ("dense_layers", shape.dense_layers, 0, shape.layers),
        ("ssm_layers", shape.ssm_layers, 0, shape.layers),
        ("window", shape.window, 0, rows),
    ];
    let stated = [
        ("head_dim", shape.head_dim, 1, MAX_WIDTH),
        ("attention_layers", shape.attention_layers, 0, shape.layers),
        ("decoder_tokens", shape.decoder_tokens, 1, MAX_SEQ_LEN),
    ];
    bounds.extend(
        stated
            .into_iter()
            .filter_map(|(field, value, least, most)| Some((field, value?, least, most))),
    );
    if let Some(mla) = &shape.mla {
        bounds.extend([
            ("mla.q_lora_rank", mla.q_lora_rank, 0, MAX_WIDTH),
            ("mla.kv_lora_rank", mla.kv_lora_rank, 1, MAX_WIDTH),
            ("mla.qk_nope_head_dim", mla.qk_nope_head_dim, 0, MAX_WIDTH),
            ("mla.qk_rope_head_dim", mla.qk_rope_head_dim, 0, MAX_WIDTH),
            ("mla.v_head_dim", mla.v_head_dim, 1, MAX_WIDTH),
        ]);
    }
    if let Some(image) = &shape.image {
        bounds.extend([
            (
                "image.patch",
                image.patch,
                1,
                crate::domain::ranges::MAX_IMAGE_SIZE,
            ),
            ("image.channels", image.channels, 1, MAX_WIDTH),
            ("image.classes", image.classes, 0, rows),
        ]);
    }
    bounds
}

/// Heads share out the width where no width of one is stated, and key/value heads are shared by equally many of them.
fn check_heads<'a>(
    shape: &TransformerShape,
    name: &impl Fn(&'static str) -> &'a str,
) -> Result<(), String> {
    let (hidden, heads) = (shape.hidden, shape.heads);
    if shape.head_dim.is_none() && shape.mla.is_none() && !hidden.is_multiple_of(heads) {
        let allowed = format!(
            "a number that divides `{}` {hidden}, or `{}` beside it",
            name("hidden"),
            name("head_dim")
        );
        return Err(not_allowed(name("heads"), heads, &allowed));
    }
    match shape.kv_heads {
        Some(shared) if shared == 0 || !heads.is_multiple_of(shared) => {
            let allowed = format!("a number that divides `{}` {heads}", name("heads"));
            Err(not_allowed(name("kv_heads"), shared, &allowed))
        }
        _ => Ok(()),
    }
}

/// Fields that are lawful alone may still multiply to what nobody could train.
fn check_size<'a>(
    shape: &TransformerShape,
    name: &impl Fn(&'static str) -> &'a str,
) -> Result<(), String> {
    let patch = shape.image.map(|image| image.patch);
    let parameters = builders::transformer(shape, 1, None, patch, Head::EveryToken).parameters;
    if parameters <= MAX_PARAMETERS {
        return Ok(());
    }
    Err(format!(
        "field `{}`: with the other sizes {} parameters; allowed: up to {}",
        name("hidden"),
        format::count(parameters),
        format::count(MAX_PARAMETERS)
    ))
}
