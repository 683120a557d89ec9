//! Counts of the builder against published ones and the papers' formulas.

use super::*;
use crate::domain::TrafficClass;

fn llama_3_8b() -> TransformerShape {
    toml::from_str(
        "layout='decoder'\nlayers=32\nhidden=4096\nheads=32\nkv_heads=8\nffn=14336\ngated=true\nvocab=128256\nnorm='rms'",
    )
    .unwrap()
}

#[test]
fn parameters_of_llama_3_8b_match_its_card() {
    // 8,030,261,248 in the published checkpoint's index.
    let p = transformer(&llama_3_8b(), 8192, None, None, Head::EveryToken);
    assert!(
        (p.parameters / 8_030_261_248.0 - 1.0).abs() < 1e-6,
        "{}",
        p.parameters
    );
}

#[test]
fn flops_follow_six_n_d_plus_attention() {
    let p = transformer(&llama_3_8b(), 2048, None, None, Head::EveryToken);
    let dense = 2.0 * (p.parameters - p.embedding_parameters) * 2048.0;
    let attention = 4.0 * 2048.0 * 2048.0 * 4096.0 * 32.0;
    assert!((p.forward_flops() / (dense + attention) - 1.0).abs() < 0.01);
}

#[test]
fn an_encoder_predicts_masked_words_and_a_fine_tuned_one_none() {
    let bert: TransformerShape = toml::from_str(
        "layout='encoder'\nlayers=24\nhidden=1024\nheads=16\nffn=4096\nvocab=30522\ntied_embeddings=true",
    )
    .unwrap();
    let flops = |head| transformer(&bert, 512, None, None, head).forward_flops();
    let body = flops(Head::NoToken);
    let head = 2.0 * 512.0 * 30522.0 * 1024.0;
    assert!(((flops(Head::EveryToken) - body) / head - 1.0).abs() < 1e-9);
    assert!(((flops(Head::MaskedTokens) - body) / head - MASKED_SHARE).abs() < 1e-9);
    let parameters =
        |shape: &TransformerShape, head| transformer(shape, 512, None, None, head).parameters;
    assert_eq!(
        parameters(&bert, Head::NoToken),
        parameters(&bert, Head::EveryToken)
    );
    let untied = TransformerShape {
        tied_embeddings: false,
        biases: true,
        ..bert
    };
    let of_head = parameters(&untied, Head::MaskedTokens) - parameters(&untied, Head::NoToken);
    assert_eq!(of_head, 30522.0 * 1024.0);
}

#[test]
fn a_decoder_sees_as_many_tokens_as_it_is_told() {
    let t5: TransformerShape = toml::from_str(
        "layout='encoder-decoder'\nlayers=12\nhidden=768\nheads=12\nffn=3072\nvocab=32128\ntied_embeddings=true\ndecoder_layers=12",
    )
    .unwrap();
    let built = |written| transformer(&t5, 512, Some(written), None, Head::EveryToken);
    let (as_long, shorter) = (built(512.0), built(114.0));
    assert_eq!(as_long.parameters, shorter.parameters);
    // Products with weights: 12 h^2 a layer of the encoder, 14 h^2 a token written and 2 h^2 a token read in the decoder, and
    // the vocabulary. Scores and what they weigh: both stacks' own, and the decoder's of what was read.
    let flops = |read: f64, written: f64| {
        let (h, layers) = (768.0, 12.0);
        let weights = layers * h * h * (12.0 * read + 14.0 * written + 2.0 * read);
        let scores = layers * 2.0 * h * (read * read + written * written + written * read);
        2.0 * (weights + scores + 32128.0 * h * written)
    };
    for (profile, written) in [(&as_long, 512.0), (&shorter, 114.0)] {
        let expected = flops(512.0, written);
        assert!((profile.forward_flops() / expected - 1.0).abs() < 1e-9);
    }
    for (profile, written) in [(&as_long, 512.0), (&shorter, 114.0)] {
        let scores = 12.0 * (512.0 * 512.0 + written * written + written * 512.0);
        let softmax = profile.traffic[TrafficClass::Softmax as usize].forward_elements;
        assert!((softmax / (6.0 * 12.0 * scores) - 1.0).abs() < 1e-9);
        let blocks = profile.blocks.unwrap();
        assert_eq!(blocks.tokens, (512.0 + written) / 2.0);
        assert!((blocks.layers * blocks.tokens * blocks.keys / scores - 1.0).abs() < 1e-9);
        assert_eq!(blocks.predicted, written);
    }
}
