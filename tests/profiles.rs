//! Operator profiles of the shipped catalogue against published counts.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use mantissa::domain::{ModelSource, ProfileScaling, TrafficClass};
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

/// What a net standardises once a step, its weights, is no norm of a sample's.
#[test]
fn nets_that_standardise_weights_normalise_no_sample_by_that() {
    let norms = |key: &str, size: u32| {
        let profile = traced_profile(key, Some(size), ProfileScaling::Pixels).expect("known key");
        let all = profile.class(TrafficClass::Norm).forward_elements;
        // Bytes, of 32 bits.
        let of_groups = profile.autocast.expect("followed").group_norms;
        (all, of_groups.forward_elements / 4.0)
    };
    assert_eq!(norms("nf-resnet50", 256), (0.0, 0.0));
    assert_eq!(norms("dm-nfnet-f0", 192), (0.0, 0.0));
    let (all, groups) = norms("resnetv2-50x1-bit", 224);
    assert!(groups > 0.0 && all == groups, "{all} {groups}");
}

/// VGG-16 adds a bias to all its 13 convolutions write (13,547,520 numbers a picture), and sums the gradients of those and of
/// three linear layers' over it.
#[test]
fn biases_of_convolutions_are_sums_of_their_own() {
    let profile =
        |key: &str| traced_profile(key, Some(224), ProfileScaling::Pixels).expect("known key");
    let vgg = profile("vgg16");
    let sums = vgg.class(TrafficClass::Reduction).backward_elements;
    assert_eq!(sums, 13_547_520.0 + 4096.0 + 4096.0 + 1000.0);
    let autocast = vgg.autocast.expect("followed").traffic;
    let halved = autocast[TrafficClass::Reduction as usize].backward_elements;
    assert_eq!(halved, 2.0 * sums, "two bytes each");
    let without = profile("resnet50")
        .class(TrafficClass::Reduction)
        .backward_elements;
    assert_eq!(without, 1000.0, "of its linear layer alone");
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
