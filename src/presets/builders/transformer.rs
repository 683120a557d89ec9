//! Operator profiles of transformers from their hyper-parameters, for one sample of a given length.
//!
//! Matmuls follow arXiv 2205.05198, appendix A, generalised to grouped key/value heads, gated feed-forwards, routed
//! experts, latent attention, cross-attention and image patches. Traffic and kernel counts are those of an eager
//! implementation; the physics reduces them for fused stacks.

use crate::domain::{
    BlockStack, MASKED_SHARE, MatmulKind, MatmulOp, OperatorProfile, ProfileOrigin, ShardAxis,
    TransformerLayout, TransformerShape,
};

/// For how many tokens the product with the vocabulary is worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    /// All of them: next-word prediction.
    EveryToken,
    /// The masked ones.
    MaskedTokens,
    /// None: a fine-tuned encoder answers with a head of a few columns.
    NoToken,
}

impl Head {
    const fn share(self) -> f64 {
        match self {
            Self::EveryToken => 1.0,
            Self::MaskedTokens => MASKED_SHARE,
            Self::NoToken => 0.0,
        }
    }
}

struct Builder<'a> {
    s: &'a TransformerShape,
    head: Head,
    tokens: f64,
    /// Tokens of the decoder, where there are two stacks; elsewhere `tokens`.
    decoder_tokens: f64,
    matmuls: Vec<MatmulOp>,
    parameters: f64,
    tensors: f64,
    expert_parameters: f64,
    active_expert_parameters: f64,
}

/// Layers by what they hold; a plain block holds attention and a feed-forward.
struct Mix {
    attention: f64,
    ssm: f64,
    dense: f64,
    routed: f64,
}

/// Widths derived from a shape, in elements.
#[derive(Debug, Clone, Copy)]
struct Widths {
    hidden: f64,
    heads: f64,
    head: f64,
    key_values: f64,
    feed_forward: f64,
    /// One routed expert.
    expert: f64,
    matrices: f64,
}

impl Widths {
    fn of(s: &TransformerShape) -> Self {
        let heads = f64::from(s.heads.max(1));
        let head = s.head_dim.map_or(f64::from(s.hidden) / heads, f64::from);
        Self {
            hidden: f64::from(s.hidden),
            heads,
            head,
            key_values: 2.0 * head * s.kv_heads.map_or(heads, f64::from),
            feed_forward: f64::from(s.ffn),
            expert: f64::from(if s.expert_ffn > 0 {
                s.expert_ffn
            } else {
                s.ffn
            }),
            matrices: if s.gated { 3.0 } else { 2.0 },
        }
    }
}

/// Builds the profile of one sample of `tokens` tokens (for image models: of `image_size` pixels a side). The decoder of an
/// encoder-decoder sees `decoder_tokens`, where it states them, else as many as the encoder.
pub fn transformer(
    s: &TransformerShape,
    tokens: u32,
    decoder_tokens: Option<f64>,
    image_size: Option<u32>,
    head: Head,
) -> OperatorProfile {
    let tokens = match (s.layout, s.image, image_size) {
        (TransformerLayout::Vit, Some(image), Some(size)) => {
            let side = (f64::from(size) / f64::from(image.patch.max(1))).floor();
            side * side + 1.0
        }
        _ => f64::from(tokens.max(1)),
    };
    let decoder_tokens = decoder_tokens.unwrap_or(tokens);
    let mut builder = Builder {
        s,
        head,
        tokens,
        decoder_tokens,
        matmuls: Vec::new(),
        parameters: 0.0,
        tensors: 0.0,
        expert_parameters: 0.0,
        active_expert_parameters: 0.0,
    };
    builder.blocks();
    let embedding = builder.ends();
    builder.finish(embedding)
}

impl Builder<'_> {
    fn biases(&self) -> f64 {
        f64::from(u8::from(self.s.biases))
    }

    fn causal(&self) -> bool {
        matches!(self.s.layout, TransformerLayout::Decoder)
    }

    fn linear(&mut self, rows: f64, n: f64, k: f64, count: f64, shard: ShardAxis) {
        if count <= 0.0 || n <= 0.0 {
            return;
        }
        self.matmuls.push(MatmulOp {
            kind: MatmulKind::Dense,
            m: rows,
            n,
            k,
            groups: 1.0,
            count,
            input_elements: rows * k,
            output_elements: rows * n,
            taps: 1.0,
            shard,
            causal: false,
        });
        self.parameters += count * (n * k + n * self.biases());
        self.tensors += count * (1.0 + self.biases());
    }

    /// Scores and their use; a window shorter than the sample is used in full, so its causal half is not masked away.
    fn scores(&mut self, keys: f64, query_width: f64, value_width: f64, count: f64, causal: bool) {
        let causal = causal && keys >= self.tokens;
        if count <= 0.0 {
            return;
        }
        let (m, heads) = (self.tokens, f64::from(self.s.heads.max(1)));
        let base = MatmulOp {
            kind: MatmulKind::Activation,
            m,
            n: keys,
            k: query_width,
            groups: heads,
            count,
            input_elements: heads * (m + keys) * query_width,
            output_elements: heads * m * keys,
            taps: 1.0,
            shard: ShardAxis::Groups,
            causal,
        };
        self.matmuls.push(base);
        self.matmuls.push(MatmulOp {
            n: value_width,
            k: keys,
            input_elements: heads * (m * keys + keys * value_width),
            output_elements: heads * m * value_width,
            ..base
        });
    }

    fn attention(&mut self, count: f64, causal: bool) {
        let w = Widths::of(self.s);
        let window = self.window();
        if let Some(mla) = self.s.mla {
            let rope = f64::from(mla.qk_rope_head_dim);
            let query = f64::from(mla.qk_nope_head_dim) + rope;
            let (rank, value) = (f64::from(mla.kv_lora_rank), f64::from(mla.v_head_dim));
            let q_rank = f64::from(mla.q_lora_rank);
            if q_rank > 0.0 {
                self.linear(self.tokens, q_rank, w.hidden, count, ShardAxis::None);
                self.linear(
                    self.tokens,
                    w.heads * query,
                    q_rank,
                    count,
                    ShardAxis::Columns,
                );
            } else {
                self.linear(
                    self.tokens,
                    w.heads * query,
                    w.hidden,
                    count,
                    ShardAxis::Columns,
                );
            }
            self.linear(self.tokens, rank + rope, w.hidden, count, ShardAxis::None);
            let up = w.heads * (f64::from(mla.qk_nope_head_dim) + value);
            self.linear(self.tokens, up, rank, count, ShardAxis::Columns);
            self.linear(
                self.tokens,
                w.hidden,
                w.heads * value,
                count,
                ShardAxis::Inner,
            );
            self.scores(window, query, value, count, causal);
        } else {
            let width = w.heads * w.head;
            self.linear(
                self.tokens,
                width + w.key_values,
                w.hidden,
                count,
                ShardAxis::Columns,
            );
            self.linear(self.tokens, w.hidden, width, count, ShardAxis::Inner);
            self.scores(window, w.head, w.head, count, causal);
        }
    }

    /// Tokens that a token attends to.
    fn window(&self) -> f64 {
        match self.s.window {
            0 => self.tokens,
            window => f64::from(window).min(self.tokens),
        }
    }

    fn feed_forward(&mut self, width: f64, count: f64) {
        if width <= 0.0 {
            return;
        }
        let w = Widths::of(self.s);
        self.linear(
            self.tokens,
            (w.matrices - 1.0) * width,
            w.hidden,
            count,
            ShardAxis::Columns,
        );
        self.linear(self.tokens, w.hidden, width, count, ShardAxis::Inner);
    }

    /// Routed experts as grouped products: each expert sees its share of the tokens.
    fn experts(&mut self, count: f64) {
        let s = self.s;
        let w = Widths::of(s);
        let experts = f64::from(s.experts);
        let width = w.expert;
        let active = f64::from(s.active_experts.max(1));
        self.linear(self.tokens, experts, w.hidden, count, ShardAxis::None);
        let latent = self.expert_width();
        if latent < w.hidden {
            self.linear(self.tokens, latent, w.hidden, count, ShardAxis::None);
            self.linear(self.tokens, w.hidden, latent, count, ShardAxis::None);
        }
        let rows = self.tokens * active / experts;
        for (n, k) in [((w.matrices - 1.0) * width, latent), (latent, width)] {
            self.matmuls.push(MatmulOp {
                kind: MatmulKind::Dense,
                m: rows,
                n,
                k,
                groups: experts,
                count,
                input_elements: self.tokens * active * k,
                output_elements: self.tokens * active * n,
                taps: 1.0,
                shard: ShardAxis::Experts,
                causal: false,
            });
        }
        let one = count * w.matrices * latent * width;
        self.expert_parameters += one * experts;
        self.active_expert_parameters += one * active;
        self.parameters += one * experts;
        self.tensors += count * 2.0;
        self.feed_forward(f64::from(s.shared_expert_ffn), count);
    }

    /// Width that routed experts read and write.
    fn expert_width(&self) -> f64 {
        match self.s.expert_hidden {
            0 => f64::from(self.s.hidden),
            latent => f64::from(latent),
        }
    }

    /// How many layers of the first stack hold what. In hybrids each is one of attention, state space or feed-forward.
    fn mix(&self) -> Mix {
        let s = self.s;
        let layers = f64::from(s.layers);
        let ssm = f64::from(s.ssm_layers);
        let attention = s.attention_layers.map_or(layers - ssm, f64::from);
        let feed_forward = if ssm > 0.0 {
            (layers - ssm - attention).max(0.0)
        } else {
            layers
        };
        let dense = if s.routes() {
            f64::from(s.dense_layers).min(feed_forward)
        } else {
            feed_forward
        };
        Mix {
            attention,
            ssm,
            dense,
            routed: feed_forward - dense,
        }
    }

    fn blocks(&mut self) {
        let s = self.s;
        let w = Widths::of(s);
        let mix = self.mix();
        let ssm = mix.ssm;
        self.attention(mix.attention, self.causal());
        if ssm > 0.0 {
            // Mamba-2: input projection to about 4 h, output projection from 2 h (arXiv 2405.21060, section 8).
            self.linear(
                self.tokens,
                4.0 * w.hidden,
                w.hidden,
                ssm,
                ShardAxis::Columns,
            );
            self.linear(self.tokens, w.hidden, 2.0 * w.hidden, ssm, ShardAxis::Inner);
        }
        if mix.dense > 0.0 {
            self.feed_forward(w.feed_forward, mix.dense);
        }
        if mix.routed > 0.0 {
            self.experts(mix.routed);
        }
        if s.layout == TransformerLayout::EncoderDecoder {
            self.decoder();
        }
        let norms = 2.0 * self.layers() + f64::from(s.decoder_layers) + 1.0;
        let affine = if s.norm.as_deref() == Some("rms") {
            1.0
        } else {
            2.0
        };
        self.parameters += norms * affine * w.hidden;
        self.tensors += norms * affine;
    }

    /// Residual branches of all layers.
    fn branches(&self) -> f64 {
        let m = self.mix();
        m.attention + m.ssm + m.dense + m.routed + 2.0 * f64::from(self.s.decoder_layers)
    }

    fn layers(&self) -> f64 {
        f64::from(self.s.layers + self.s.decoder_layers)
    }

    /// Embeddings and head; returns the parameters looked up rather than multiplied.
    fn ends(&mut self) -> f64 {
        let s = self.s;
        let hidden = f64::from(s.hidden);
        if let (TransformerLayout::Vit, Some(image)) = (s.layout, s.image) {
            let patch = f64::from(image.patch * image.patch * image.channels);
            self.linear(self.tokens - 1.0, hidden, patch, 1.0, ShardAxis::None);
            self.linear(1.0, f64::from(image.classes), hidden, 1.0, ShardAxis::None);
            let positions = (self.tokens + 1.0) * hidden;
            self.parameters += positions;
            return positions;
        }
        let vocabulary = f64::from(s.vocab);
        let embedding = (vocabulary + f64::from(s.positions)) * hidden;
        self.parameters += embedding;
        self.tensors += 1.0 + f64::from(u8::from(s.positions > 0));
        if vocabulary > 0.0 {
            let before = (self.parameters, self.tensors);
            let biases = self.biases();
            let rows = self.decoder_tokens * self.head.share();
            if rows > 0.0 {
                self.linear(rows, vocabulary, hidden, 1.0, ShardAxis::Columns);
            }
            if s.tied_embeddings {
                (self.parameters, self.tensors) = before;
            } else if rows > 0.0 {
                // Heads carry no bias even where the blocks do.
                self.parameters -= biases * vocabulary;
            }
        }
        embedding
    }

    fn finish(self, embedding: f64) -> OperatorProfile {
        let s = self.s;
        let w = Widths::of(s);
        let traffic = self.traffic();
        let mix = self.mix();
        let width = if s.routes() && s.expert_ffn > 0 {
            w.expert * f64::from(s.active_experts.max(1)) + f64::from(s.shared_expert_ffn)
        } else {
            w.feed_forward
        };
        OperatorProfile {
            traffic,
            autocast: None,
            parameters: self.parameters,
            active_parameters: self.parameters - self.expert_parameters
                + self.active_expert_parameters,
            embedding_parameters: embedding,
            sparse_parameters: 0.0,
            expert_parameters: self.expert_parameters,
            parameter_tensors: self.tensors,
            kept: None,
            blocks: Some(BlockStack {
                layers: self.layers(),
                hidden: w.hidden,
                heads: w.heads,
                key_value_width: w.key_values,
                feed_forward: width * (w.matrices - 1.0),
                tokens: self.mean_tokens(),
                keys: self.mean_keys(),
                predicted: self.decoder_tokens * self.head.share(),
                experts: if s.routes() {
                    f64::from(s.experts)
                } else {
                    0.0
                },
                active_experts: f64::from(s.active_experts),
                expert_layers: self.routed_layers(),
                expert_width: self.expert_width(),
                scan_layers: mix.ssm,
                branches: self.branches(),
                vocabulary: f64::from(s.vocab),
                causal: self.causal(),
            }),
            matmuls: self.matmuls,
            origin: ProfileOrigin::Built,
        }
    }
}

#[path = "transformer_decoder.rs"]
mod decoder;

#[path = "transformer_traffic.rs"]
mod traffic;

#[cfg(test)]
#[path = "transformer_tests.rs"]
mod tests;
