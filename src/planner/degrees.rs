//! Parallel degrees given by hand: whether a number of accelerators and a model can be cut by them, and which could.

use super::LayoutChoice;
use crate::domain::BlockStack;
use crate::format;

/// What pipeline stages share out.
const LAYERS: &str = "layers";
/// So many allowed degrees are listed; of more, the first and the largest.
const LISTED: usize = 12;

/// Whether a pipeline shares out the layers of a model evenly, or with one less on each end, where the embedding and the loss
/// stand for it (126 layers in 16 stages: Llama 3, arXiv 2407.21783, section 3.3.2).
pub(super) const fn shares_out(layers: u32, stages: u32) -> bool {
    layers.is_multiple_of(stages) || ((layers + 2).is_multiple_of(stages) && stages <= layers)
}

/// The same of so many virtual stages on each of a pipeline's; of all these the first and the last may hold no layer (the 128 of
/// Llama 3).
pub(super) fn interleaves(layers: u32, stages: u32, each: u32) -> bool {
    let shared = match layers.is_multiple_of(stages) {
        true => layers,
        false => layers + 2,
    };
    (stages.checked_mul(each)).is_some_and(|chunks| shared.is_multiple_of(chunks))
}

/// One degree given by hand, by the name it has in a request and as a flag.
struct Given {
    name: &'static str,
    degree: u32,
    /// What of the model it must divide, how many of it there are.
    part: Option<(&'static str, u32)>,
    /// Whether ranks of its own multiply the devices; experts spread over those there are.
    multiplies: bool,
}

/// What is wrong with the degrees given for so many accelerators, with the field and what is allowed; `None` where they can
/// be had.
pub(super) fn problem(choice: &LayoutChoice, count: u32, blocks: &BlockStack) -> Option<String> {
    let given = given(choice, blocks);
    (given.iter().find_map(|one| alone(one, count))).or_else(|| together(&given, count))
}

/// That the virtual stages given share no pipeline's layers out evenly, with those that would.
pub(super) fn no_interleave(choice: &LayoutChoice, blocks: &BlockStack) -> String {
    let given = choice.interleave.unwrap_or(1);
    if choice.pipeline == Some(1) {
        return format!(
            "No {given} virtual stages (interleave): there is no pipeline. Use pp = 2 or more, or interleave = 1."
        );
    }
    let (layers, pipeline) = (blocks.layers as u32, choice.pipeline.unwrap_or(2));
    let allowed: Vec<u32> = (1..=(layers + 2) / pipeline)
        .filter(|v| interleaves(layers, pipeline, *v))
        .collect();
    match allowed.as_slice() {
        [] => format!(
            "No {given} virtual stages (interleave): {pipeline} pipeline stages do not share out {layers} layers evenly."
        ),
        _ => format!(
            "No {given} virtual stages (interleave): the {layers} layers must be shared out evenly over them. \
             Allowed with {pipeline} pipeline stages: {}.",
            list(allowed)
        ),
    }
}

fn given(choice: &LayoutChoice, blocks: &BlockStack) -> Vec<Given> {
    [
        ("tp", choice.tensor, Some(("attention heads", blocks.heads))),
        ("pp", choice.pipeline, Some((LAYERS, blocks.layers))),
        ("cp", choice.context, None),
        ("ep", choice.expert, Some(("experts", blocks.experts))),
    ]
    .into_iter()
    .filter_map(|(name, degree, part)| {
        Some(Given {
            name,
            degree: degree?,
            part: part.map(|(what, many)| (what, many as u32)),
            multiplies: name != "ep",
        })
    })
    .collect()
}

/// A degree that does not divide the accelerators or what it cuts of the model.
fn alone(given: &Given, count: u32) -> Option<String> {
    let Given { name, degree, .. } = given;
    if !given.multiplies && given.part.is_some_and(|(_, many)| many == 0) {
        return (*degree > 1).then(|| {
            format!("{name} = {degree}: the model has no experts to spread; allowed here: 1.")
        });
    }
    let devices = (given.multiplies).then_some(("accelerators", count));
    let wholes: Vec<(&str, u32)> = devices.into_iter().chain(given.part).collect();
    let divides = |(what, many): &(&str, u32), degree: u32| match *what {
        LAYERS => shares_out(*many, degree),
        _ => many.is_multiple_of(degree),
    };
    let fails: Vec<String> = (wholes.iter())
        .filter(|whole| !divides(whole, *degree))
        .map(|(what, many)| counted(*many, what))
        .collect();
    if fails.is_empty() {
        return None;
    }
    let least = wholes.iter().map(|(_, many)| *many).min().unwrap_or(1);
    let allowed = (1..=least)
        .filter(|degree| wholes.iter().all(|whole| divides(whole, *degree)))
        .collect();
    Some(format!(
        "{name} = {degree} does not divide {}; allowed here: {}.",
        fails.join(" nor "),
        list(allowed)
    ))
}

/// Degrees that divide the accelerators each, and not all at once.
fn together(given: &[Given], count: u32) -> Option<String> {
    let cuts: Vec<&Given> = given.iter().filter(|one| one.multiplies).collect();
    let product: u64 = cuts.iter().map(|one| u64::from(one.degree)).product();
    if u64::from(count).is_multiple_of(product) {
        return None;
    }
    let words: Vec<String> = (cuts.iter())
        .filter(|one| one.degree > 1)
        .map(|one| format!("{} = {}", one.name, one.degree))
        .collect();
    let divisors = (1..=count).filter(|d| count.is_multiple_of(*d)).collect();
    Some(format!(
        "{} need {} accelerators for a copy of the model, which does not divide {}; allowed here: a product of {}.",
        words.join(", "),
        format::count(product as f64),
        counted(count, "accelerators"),
        list(divisors)
    ))
}

fn counted(many: u32, what: &str) -> String {
    let what = if many == 1 {
        what.trim_end_matches('s')
    } else {
        what
    };
    format!("{} {what}", format::count(f64::from(many)))
}

fn list(allowed: Vec<u32>) -> String {
    let word = |degree: &u32| format::count(f64::from(*degree));
    let shown: Vec<String> = allowed.iter().take(LISTED).map(word).collect();
    let rest = match allowed.last() {
        Some(last) if allowed.len() > LISTED => format!(", … up to {}", word(last)),
        _ => String::new(),
    };
    shown.join(", ") + &rest
}

#[cfg(test)]
mod tests {
    use crate::planner::{Outcome, PlanRequest, check, predict_one};
    use crate::predictor::Predictor;
    use crate::presets::Catalogue;

    /// Why a layout of a model on so many H100 is refused; empty where it is predicted.
    fn refusal(model: &str, count: u32, strategy: &str) -> String {
        let text = format!(
            "schema = 1\nmodel = \"{model}\"\naccelerators = [\"H100-SXM5-80GB\"]\ncounts = [{count}]\n\
             precisions = [\"amp-bf16\"]\ntrain = {{ tokens = 1e9 }}\nstrategy = {{ {strategy} }}"
        );
        let request = PlanRequest::from_toml(&text, "test").unwrap();
        let catalogue = Catalogue::shipped().unwrap();
        let checked = check(&request, &catalogue).unwrap();
        let predictor = Predictor::shipped().unwrap();
        match predict_one(&checked, None, &catalogue, &predictor)
            .unwrap()
            .outcome
        {
            Outcome::Refused(reason) => reason,
            Outcome::Predicted(_) => String::new(),
        }
    }

    #[test]
    fn a_degree_that_does_not_divide_is_named_with_those_that_do() {
        for (model, count, strategy, said) in [
            (
                "llama-3-8b",
                8,
                "tp = 3",
                "tp = 3 does not divide 8 accelerators nor 32 attention heads; allowed here: 1, 2, 4, 8.",
            ),
            (
                "llama-3-8b",
                8,
                "tp = 16",
                "tp = 16 does not divide 8 accelerators; allowed here: 1, 2, 4, 8.",
            ),
            (
                "llama-3-8b",
                8,
                "pp = 64",
                "pp = 64 does not divide 8 accelerators nor 32 layers; allowed here: 1, 2, 4, 8.",
            ),
            (
                "llama-3-8b",
                6,
                "cp = 4",
                "cp = 4 does not divide 6 accelerators; allowed here: 1, 2, 3, 6.",
            ),
            (
                "llama-3-8b",
                1,
                "tp = 2",
                "tp = 2 does not divide 1 accelerator; allowed here: 1.",
            ),
            (
                "llama-3-8b",
                8,
                "ep = 4",
                "ep = 4: the model has no experts to spread; allowed here: 1.",
            ),
            (
                "mixtral-8x7b",
                8,
                "ep = 3",
                "ep = 3 does not divide 8 experts; allowed here: 1, 2, 4, 8.",
            ),
            (
                "llama-3-8b",
                8,
                "tp = 4, pp = 4, cp = 1",
                "tp = 4, pp = 4 need 16 accelerators for a copy of the model, which does not divide 8 accelerators; \
                 allowed here: a product of 1, 2, 4, 8.",
            ),
            // Far more than a count can hold.
            (
                "llama-3-8b",
                8,
                "tp = 1000000, pp = 1000000",
                "tp = 1000000 does not divide 8 accelerators nor 32 attention",
            ),
        ] {
            let refusal = refusal(model, count, strategy);
            assert!(refusal.starts_with(said), "{strategy}: {refusal}");
        }
        assert_eq!(refusal("mixtral-8x7b", 8, "tp = 2, ep = 4"), "");
    }

    #[test]
    fn a_long_list_of_degrees_is_cut() {
        let many = super::list((1..=40).collect());
        assert_eq!(many, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, … up to 40");
    }

    #[test]
    fn stages_may_have_a_layer_less_on_either_end() {
        // 126 layers, 16 stages: Meta's own layout of Llama 3 405B.
        assert!(super::shares_out(126, 16) && super::shares_out(96, 12));
        assert!(!super::shares_out(96, 16 * 5) && !super::shares_out(32, 12));
        assert!(super::interleaves(126, 16, 8) && !super::shares_out(126, 128));
        assert!(super::interleaves(32, 2, 16) && !super::interleaves(32, 2, 17));
        assert_eq!(refusal("llama-3.1-405b", 1024, "tp = 8, pp = 16"), "");
        let told = refusal("llama-3.1-405b", 1024, "tp = 8, pp = 128");
        let allowed = "allowed here: 1, 2, 4, 8, 16, 32, 64.";
        assert!(told.contains(allowed), "{told}");
    }
}
