//! A model of the catalogue: a name, its habits, and where its operator profile comes from.

use super::{OperatorProfile, Optimizer};
use crate::units::Bytes;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which stack of blocks a transformer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransformerLayout {
    /// Causal language model.
    Decoder,
    /// Bidirectional encoder.
    Encoder,
    /// Encoder and decoder joined by cross-attention.
    EncoderDecoder,
    /// Encoder over image patches.
    Vit,
}

/// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatentAttention {
    /// Rank of the query projection; 0 = queries are not compressed.
    #[serde(default)]
    pub q_lora_rank: u32,
    /// Rank of the joint key/value projection.
    pub kv_lora_rank: u32,
    /// Query/key dimensions per head without position.
    pub qk_nope_head_dim: u32,
    /// Query/key dimensions per head with rotary position.
    pub qk_rope_head_dim: u32,
    /// Value dimensions per head.
    pub v_head_dim: u32,
}

/// Input and output of a vision transformer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageShape {
    /// Pixels a side of one patch.
    pub patch: u32,
    /// Input channels.
    pub channels: u32,
    /// Output classes.
    pub classes: u32,
}

/// Hyper-parameters of a transformer; widths in elements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransformerShape {
    /// Stack of blocks.
    pub layout: TransformerLayout,
    /// Layers (of the encoder, where there are two stacks).
    pub layers: u32,
    /// Layers of the decoder of an encoder-decoder.
    #[serde(default)]
    pub decoder_layers: u32,
    /// Tokens that the decoder of an encoder-decoder sees beside the default length of a sample, in proportion at other lengths;
    /// default: as many as the encoder.
    #[serde(default)]
    pub decoder_tokens: Option<u32>,
    /// Width of the residual stream.
    pub hidden: u32,
    /// Attention heads.
    pub heads: u32,
    /// Key/value heads; default: `heads`.
    #[serde(default)]
    pub kv_heads: Option<u32>,
    /// Dimensions per head; default: `hidden / heads`.
    #[serde(default)]
    pub head_dim: Option<u32>,
    /// Width of the dense feed-forward.
    pub ffn: u32,
    /// Gated feed-forward (three matrices).
    #[serde(default)]
    pub gated: bool,
    /// Vocabulary; 0 for image models.
    #[serde(default)]
    pub vocab: u32,
    /// Input and output embeddings are one matrix.
    #[serde(default)]
    pub tied_embeddings: bool,
    /// Learned position embeddings.
    #[serde(default)]
    pub positions: u32,
    /// Linear layers have biases.
    #[serde(default)]
    pub biases: bool,
    /// `rms` or `layer`.
    #[serde(default)]
    pub norm: Option<String>,
    /// `gelu-new` where its usual code writes the activation of the feed-forward out, a kernel for each operation.
    #[serde(default)]
    pub activation: Option<String>,
    /// Routed experts; 0 = dense.
    #[serde(default)]
    pub experts: u32,
    /// Routed experts a token visits.
    #[serde(default)]
    pub active_experts: u32,
    /// Width of one routed expert; default: `ffn`.
    #[serde(default)]
    pub expert_ffn: u32,
    /// Width that routed experts read and write, where they work in a latent space; 0 = `hidden`.
    #[serde(default)]
    pub expert_hidden: u32,
    /// Total width of experts every token visits.
    #[serde(default)]
    pub shared_expert_ffn: u32,
    /// Leading dense layers of a mixture.
    #[serde(default)]
    pub dense_layers: u32,
    /// Layers with attention, where fewer than all.
    #[serde(default)]
    pub attention_layers: Option<u32>,
    /// State-space layers of a hybrid.
    #[serde(default)]
    pub ssm_layers: u32,
    /// Sliding attention window in tokens; 0 = none.
    #[serde(default)]
    pub window: u32,
    /// Latent attention, where used.
    #[serde(default)]
    pub mla: Option<LatentAttention>,
    /// Image input, for `vit`.
    #[serde(default)]
    pub image: Option<ImageShape>,
}

impl TransformerShape {
    /// Whether the activation of the feed-forward is written out: GELU by its tangent, as Transformers has it for GPT-2 and its
    /// heirs (`NewGELUActivation`, `BloomGelu`), which has no kernel of its own.
    pub fn writes_activation_out(&self) -> bool {
        self.activation.as_deref() == Some("gelu-new")
    }

    /// Whether tokens are routed to experts; one expert is a dense feed-forward.
    pub fn routes(&self) -> bool {
        self.experts > 1
    }
}

/// Where a model's operator profile comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelSource {
    /// Built from hyper-parameters.
    Transformer(TransformerShape),
    /// A traced profile of the shipped store.
    Traced {
        /// Key in the profile store.
        profile: String,
        /// How it scales to another input size.
        scales: ProfileScaling,
    },
    /// Published totals only.
    Totals {
        /// Trainable parameters.
        parameters: f64,
        /// Forward multiply-accumulates per sample.
        forward_macs: f64,
        /// Activation elements per sample, where stated.
        activations: Option<f64>,
    },
    /// Operators that came with the model in a file of the user's.
    Imported {
        /// The operators of one sample.
        profile: Arc<OperatorProfile>,
        /// The size they were traced at: pixels a side or tokens; 0 where there is none.
        size: u32,
        /// How they scale to another size.
        scales: ProfileScaling,
    },
}

/// How a traced profile scales when another input size is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileScaling {
    /// With the square of the image side.
    Pixels,
    /// With the tokens or frames of a sample.
    Tokens,
    /// Not at all.
    Fixed,
}

/// Lengths of the sentences of a data set, in tokens with those that mark their ends; taken as log-normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sentences {
    /// Mean.
    pub mean: f64,
    /// Standard deviation of their natural logarithms.
    pub spread: f64,
}

/// A model of the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Canonical name, lower case.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Architecture family, e.g. `llama`; groups the splits of the accuracy table.
    pub family: String,
    /// Task word of the run schema, e.g. `language-pretraining`.
    pub task: String,
    /// The optimizer it is usually trained with.
    pub optimizer: Optimizer,
    /// Default tokens per sample.
    pub seq_len: Option<u32>,
    /// Default pixels a side.
    pub image_size: Option<u32>,
    /// A sensible samples per device.
    pub batch_per_gpu: Option<f64>,
    /// Whether its batch norms are in-place activated ones (arXiv 1712.02616), whose kernels know NCHW alone.
    pub in_place_norm: bool,
    /// Its code writes attention out, products and softmax, whatever kernel there is for it.
    pub unfused_attention: bool,
    /// Its samples differ in size and in what is found in them, so that devices wait for the slowest of them: pictures that keep
    /// their aspect, whose boxes are chosen one picture after another.
    pub uneven_samples: bool,
    /// How long its samples are, where they are sentences that its recipe pads to the longest of their batch.
    pub sentences: Option<Sentences>,
    /// Frameworks (words of the run schema) whose recipe for it has the host parse every sample from records while it
    /// trains, so that the input is part of the step.
    pub parsed_by_host: Vec<String>,
    /// What its recipe keeps on every device beside the model: the samples of an epoch, where they lie there.
    pub resident_data: Bytes,
    /// Where the profile comes from.
    pub profile: ModelSource,
    /// Where the figures are from.
    pub source: String,
    /// When they were retrieved.
    pub retrieved: String,
    /// Anything a reader should know.
    pub note: Option<String>,
}

/// Task word of language models whose pre-trained weights are trained on.
pub const FINE_TUNING: &str = "language-finetuning";

/// Every task word of a model, as its file states it.
pub const TASKS: [&str; 11] = [
    "image-classification",
    "detection",
    "segmentation",
    "language-pretraining",
    FINE_TUNING,
    "translation",
    "speech",
    "diffusion",
    "recommendation",
    "graph",
    "other",
];

impl Model {
    /// Whether the recipe of a framework (a word of the run schema) for it has the host parse every sample.
    pub fn is_parsed_by_host(&self, framework: &str) -> bool {
        self.parsed_by_host.iter().any(|f| f == framework)
    }

    /// The same model trained for another task. The task decides the head of an encoder, and how long what a decoder writes is
    /// beside what its encoder reads: of a task that is not the entry's own, as long.
    pub fn for_task(self: &Arc<Self>, task: &str) -> Arc<Self> {
        if self.task == task {
            return Arc::clone(self);
        }
        let mut model = Self::clone(self);
        task.clone_into(&mut model.task);
        if let ModelSource::Transformer(shape) = &mut model.profile {
            shape.decoder_tokens = None;
        }
        Arc::new(model)
    }

    /// Whether a decoder stands beside an encoder, each over tokens of its own.
    pub fn has_decoder(&self) -> bool {
        matches!(
            &self.profile,
            ModelSource::Transformer(s) if s.layout == TransformerLayout::EncoderDecoder && s.decoder_layers > 0
        )
    }

    /// The same model whose decoder sees so many tokens for `read` of its encoder; as it is where it has no decoder.
    pub fn with_decoder_tokens(self: &Arc<Self>, written: u32, read: u32) -> Arc<Self> {
        if !self.has_decoder() {
            return Arc::clone(self);
        }
        let mut model = Self::clone(self);
        model.seq_len = Some(read);
        if let ModelSource::Transformer(shape) = &mut model.profile {
            shape.decoder_tokens = Some(written);
        }
        Arc::new(model)
    }

    /// Tokens that its decoder sees for `read` of its encoder; `None` where it has no decoder.
    pub fn decoder_tokens_for(&self, read: u32) -> Option<f64> {
        let share = match (self.decoder_tokens(), self.seq_len) {
            (Some(written), Some(read)) => f64::from(written) / f64::from(read.max(1)),
            _ => 1.0,
        };
        self.has_decoder()
            .then(|| (f64::from(read) * share).max(1.0))
    }

    /// Tokens that its decoder sees beside the default length of a sample, where they are not as many as its encoder's.
    pub const fn decoder_tokens(&self) -> Option<u32> {
        match &self.profile {
            ModelSource::Transformer(shape) => shape.decoder_tokens,
            _ => None,
        }
    }

    /// Its first `layers` layers under `name`; `None` where it is no stack of like layers, or has no more than that.
    pub fn first_layers(&self, layers: u32, name: &str) -> Option<Self> {
        let ModelSource::Transformer(shape) = &self.profile else {
            return None;
        };
        let alike = shape.layout != TransformerLayout::EncoderDecoder
            && shape.ssm_layers == 0
            && shape.attention_layers.is_none();
        if !alike || layers == 0 || layers >= shape.layers {
            return None;
        }
        let dense_layers = shape.dense_layers.min(layers);
        let shape = TransformerShape {
            layers,
            dense_layers,
            ..shape.clone()
        };
        Some(Self {
            name: name.to_owned(),
            aliases: Vec::new(),
            profile: ModelSource::Transformer(shape),
            ..self.clone()
        })
    }

    /// Whether the task is to fine-tune pre-trained weights.
    pub fn is_fine_tuned(&self) -> bool {
        self.task == FINE_TUNING
    }

    /// Whether it is an encoder that is fine-tuned: it scores a few columns in place of the vocabulary.
    pub fn is_fine_tuned_encoder(&self) -> bool {
        let encoder = matches!(&self.profile, ModelSource::Transformer(s) if s.layout == TransformerLayout::Encoder);
        encoder && self.is_fine_tuned()
    }
}
