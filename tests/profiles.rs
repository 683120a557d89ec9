//! Operator profiles of the shipped catalogue against published counts.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use mantissa::domain::{ModelSource, ProfileScaling};
use mantissa::presets::{Catalogue, profile_keys, profile_sizes, traced_profile};

/// Every model of the catalogue has operators at its default size.
#[test]
fn every_model_has_a_profile() {
    let c = Catalogue::shipped().expect("lawful");
    for model in c.models() {
        match c.profile(model, None, None) {
            Ok(profile) => {
                assert!(
                    profile.forward_flops() > 0.0,
                    "{} computes nothing",
                    model.name
                );
                assert!(profile.parameters > 0.0, "{} has no parameters", model.name);
            }
            Err(error) => panic!("{}: {error}", model.name),
        }
    }
}

/// Every line of the store can be read, whether a model names it or not.
#[test]
fn every_stored_profile_is_lawful() {
    for key in profile_keys().expect("lawful") {
        for size in profile_sizes(key).expect("known key") {
            let profile = traced_profile(key, Some(size), ProfileScaling::Pixels);
            assert!(
                profile.is_ok_and(|p| p.forward_flops() > 0.0),
                "{key} at {size}"
            );
        }
    }
}

#[test]
fn an_unknown_profile_names_the_nearest() {
    let error = profile_sizes("resnet_5o").expect_err("unknown").to_string();
    assert!(error.contains("resnet50"), "{error}");
}

/// Parameters of published checkpoints, within 2 %.
#[test]
fn parameters_of_known_transformers_match_their_cards() {
    let c = Catalogue::shipped().expect("lawful");
    let mut wrong = Vec::new();
    for (name, published) in [
        ("gpt2-small", 124.44e6),          // openai-community/gpt2
        ("bert-base", 109.48e6),           // google-bert/bert-base-uncased
        ("bert-large", 335.14e6),          // google-bert/bert-large-uncased
        ("llama-2-7b", 6.738e9),           // arXiv 2307.09288
        ("llama-2-70b", 68.977e9),         // arXiv 2307.09288
        ("llama-3-8b", 8.030e9),           // arXiv 2407.21783
        ("llama-3-70b", 70.554e9),         // arXiv 2407.21783
        ("mistral-7b", 7.242e9),           // arXiv 2310.06825
        ("mixtral-8x7b", 46.703e9),        // arXiv 2401.04088
        ("deepseek-v3", 671.03e9),         // arXiv 2412.19437
        ("vit-base-patch16-224", 86.57e6), // timm
        ("t5-base", 222.90e6),             // google-t5/t5-base
    ] {
        let Ok(model) = c.model(name) else {
            wrong.push(format!("{name} is unknown"));
            continue;
        };
        let profile = c.profile(model, None, None).expect("has one");
        let ratio = profile.parameters / published;
        if (ratio - 1.0).abs() > 0.02 {
            let kind = matches!(model.profile, ModelSource::Transformer(_));
            wrong.push(format!(
                "{name}: {ratio:.4} of the published count (built: {kind})"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
