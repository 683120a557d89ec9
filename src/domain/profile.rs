//! What one sample of a model asks of an accelerator, operator by operator.

use serde::{Deserialize, Serialize};

/// Kind of a matmul-like operator; kinds differ in the kernels that serve them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatmulKind {
    /// Linear layer: weights shared by all samples and tokens.
    Dense,
    /// Dense convolution other than the next two kinds.
    Convolution,
    /// Dense 3×3 stride-1 convolution (Winograd may serve it).
    Conv3x3,
    /// Dense stride-1 convolution of more than nine taps in one or two dimensions (Fourier transforms may serve it).
    LongConvolution,
    /// Grouped convolution with more than one channel per group.
    Grouped,
    /// Depthwise convolution.
    Depthwise,
    /// Product of two activations (attention scores and values).
    Activation,
    /// Product of a recurrent layer's state with its weights: the rows of a sample follow one another.
    Recurrent,
}

impl MatmulKind {
    /// Whether its weights are matrices: a linear or recurrent layer or a convolution of one group.
    pub const fn is_weight_matrix(self) -> bool {
        matches!(self, Self::Dense | Self::Recurrent) || self.is_dense_convolution()
    }

    /// Whether it is a convolution of one group.
    pub const fn is_dense_convolution(self) -> bool {
        matches!(
            self,
            Self::Convolution | Self::Conv3x3 | Self::LongConvolution
        )
    }
}

/// A matmul-like operator: `count` products of `m`×`k` by `k`×`n`, `groups` at a time, per sample, forward.
///
/// For [`MatmulKind::Activation`] the batch multiplies `groups`; for all other kinds it multiplies `m`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MatmulOp {
    /// Which kernels serve it.
    pub kind: MatmulKind,
    /// Rows per sample (output pixels, tokens).
    pub m: f64,
    /// Columns (output channels per group).
    pub n: f64,
    /// Inner dimension.
    pub k: f64,
    /// Independent groups (convolution groups, heads).
    pub groups: f64,
    /// How often the operator occurs in the forward pass.
    pub count: f64,
    /// Activation elements read per sample and occurrence.
    pub input_elements: f64,
    /// Activation elements written per sample and occurrence.
    pub output_elements: f64,
    /// Taps of a convolution's kernel, which `k` is the input channels of a group times; 1 of all other kinds.
    #[serde(default = "one")]
    pub taps: f64,
    /// Which dimension tensor parallelism divides.
    #[serde(default)]
    pub shard: ShardAxis,
    /// Half of the product is masked away (causal attention), which fused attention skips.
    #[serde(default)]
    pub causal: bool,
}

const fn one() -> f64 {
    1.0
}

/// The dimension of a matmul that tensor parallelism divides (arXiv 1909.08053, section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShardAxis {
    /// Every rank computes all of it.
    #[default]
    None,
    /// Columns (`n`).
    Columns,
    /// Inner dimension (`k`).
    Inner,
    /// Groups (attention heads).
    Groups,
    /// Routed experts: expert parallelism divides the groups, tensor parallelism the rows.
    Experts,
}

/// Most channels of a sample as it is stored: red, green, blue and transparency, or the four kinds of a scan.
const MOST_COLOURS: f64 = 4.0;

impl MatmulOp {
    /// Forward floating-point operations per sample, all occurrences.
    pub fn forward_flops(&self) -> f64 {
        2.0 * self.m * self.n * self.k * self.groups * self.count
    }

    /// Scores of a sample's attention, all occurrences: what the wider of two products of activations makes; of any other
    /// operator none.
    pub fn scores(&self) -> f64 {
        match self.kind == MatmulKind::Activation && self.n >= self.k {
            true => self.groups * self.m * self.n * self.count,
            false => 0.0,
        }
    }

    /// Input channels of a group.
    pub fn input_channels(&self) -> f64 {
        self.k / self.taps
    }

    /// Whether it reads the samples themselves, which take no gradient: a convolution of pictures or sound.
    pub fn reads_samples(&self) -> bool {
        self.kind.is_dense_convolution() && self.input_channels() <= MOST_COLOURS
    }

    /// Whether low-rank adapters can stand beside it: a linear layer or a dense convolution.
    pub fn takes_adapters(&self) -> bool {
        self.kind.is_weight_matrix() && self.k > 1.0 && self.n > 1.0
    }
}

/// Class of operators that move data more than they compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrafficClass {
    /// Activations, additions, dropout.
    Elementwise,
    /// Batch, layer, group and RMS norms.
    Norm,
    /// Softmax and its masks.
    Softmax,
    /// Layout changes, concatenation, gather.
    Copy,
    /// Sums and means.
    Reduction,
    /// Pooling and resampling.
    Pooling,
}

impl TrafficClass {
    /// Every class, in a fixed order.
    pub const ALL: [Self; 6] = [
        Self::Elementwise,
        Self::Norm,
        Self::Softmax,
        Self::Copy,
        Self::Reduction,
        Self::Pooling,
    ];
}

/// Kernels launched and elements read plus written by one class of operators, per sample.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// Kernels launched in the forward pass (per micro-batch, not per sample).
    pub forward_kernels: f64,
    /// Kernels launched in the backward pass (per micro-batch, not per sample).
    pub backward_kernels: f64,
    /// Elements read and written per sample, forward.
    pub forward_elements: f64,
    /// Elements read and written per sample, backward.
    pub backward_elements: f64,
    /// Share of the elements that tensor parallelism divides.
    #[serde(default)]
    pub tensor_share: f64,
}

/// Share of positions whose words masked-language pre-training predicts: BERT masks 15 % and pads the list
/// (arXiv 1810.04805; 80 of 512 in NVIDIA's configurations).
pub const MASKED_SHARE: f64 = 0.16;

/// Size of a stack of transformer blocks, which parallel strategies cut up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BlockStack {
    /// Blocks, all stacks together.
    pub layers: f64,
    /// Width of the residual stream.
    pub hidden: f64,
    /// Attention heads.
    pub heads: f64,
    /// Key/value width of one token (all key/value heads, keys and values together).
    pub key_value_width: f64,
    /// Width of the feed-forward activations of one token.
    pub feed_forward: f64,
    /// Tokens per sample; where two stacks see different numbers, in the mean over their blocks.
    pub tokens: f64,
    /// Keys that the queries of a token meet in one head, in the mean over tokens and blocks: its own stack's, and in a decoder
    /// beside an encoder what that one read.
    pub keys: f64,
    /// Tokens of a sample whose words are predicted.
    pub predicted: f64,
    /// Routed experts; 0 = dense.
    pub experts: f64,
    /// Routed experts a token visits.
    pub active_experts: f64,
    /// Blocks that have routed experts.
    pub expert_layers: f64,
    /// Width in which tokens travel to experts: that of the stream, or of a latent space.
    pub expert_width: f64,
    /// State-space blocks.
    pub scan_layers: f64,
    /// Residual branches of all blocks: attention and feed-forward count apart, a block of a hybrid is one.
    pub branches: f64,
    /// Vocabulary; 0 = none.
    pub vocabulary: f64,
    /// Whether attention is causal.
    pub causal: bool,
}

/// How a profile was obtained, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileOrigin {
    /// Run forward and backward on PyTorch's meta device.
    Traced,
    /// Built from hyper-parameters.
    Built,
    /// Hand-written stand-in.
    Estimated,
    /// Only published totals exist.
    Totals,
}

/// Bytes a sample that live at the fullest moment of a step, beside parameters and their gradients.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct KeptBytes {
    /// Everything in 32 bits.
    pub fp32: f64,
    /// Under PyTorch's autocast to 16 bits.
    pub amp: f64,
}

/// Layer norms of one shape.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LayerNorms {
    /// Rows normalised, per sample.
    pub rows: f64,
    /// Elements of a row.
    pub width: f64,
    /// How often the forward pass has them.
    pub count: f64,
}

/// What one sample moves where PyTorch's autocast chooses the width of each operator. Figures of [`Traffic`] called
/// elements are bytes here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AutocastTraffic {
    /// By class, indexed by [`TrafficClass::ALL`]; norms other than those below.
    pub traffic: [Traffic; 6],
    /// Casts of activations and, in their kernels, of parameters.
    pub casts: Traffic,
    /// Layer norms, in 32 bits.
    pub layer_norms: Traffic,
    /// Group norms, in 32 bits.
    pub group_norms: Traffic,
    /// Shapes of the layer norms.
    pub shapes: Vec<LayerNorms>,
}

/// The operators of one model at one input size, per sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperatorProfile {
    /// Matmul-like operators.
    pub matmuls: Vec<MatmulOp>,
    /// Traffic of the other operators, indexed by [`TrafficClass::ALL`].
    pub traffic: [Traffic; 6],
    /// The same under autocast to 16 bits, where a trace followed it.
    #[serde(default)]
    pub autocast: Option<AutocastTraffic>,
    /// Trainable parameters, all of them (every expert of a mixture).
    pub parameters: f64,
    /// Parameters used by one token (equal to `parameters` where nothing is routed).
    pub active_parameters: f64,
    /// Parameters of embedding tables (read by lookup, not by matmul).
    pub embedding_parameters: f64,
    /// Parameters of look-up tables so large that they are updated row by row and spread over the devices
    /// (recommenders); they take part in no dense exchange and no dense optimizer step.
    pub sparse_parameters: f64,
    /// Parameters of routed experts, which expert parallelism spreads.
    pub expert_parameters: f64,
    /// Number of parameter tensors.
    pub parameter_tensors: f64,
    /// What lives at the fullest moment of a step beside parameters and their gradients, where a trace counted it.
    #[serde(default)]
    pub kept: Option<KeptBytes>,
    /// The stack of transformer blocks, where the model is one.
    pub blocks: Option<BlockStack>,
    /// How it was obtained.
    pub origin: ProfileOrigin,
}

impl OperatorProfile {
    /// Forward floating-point operations of matmul-like operators per sample.
    pub fn forward_flops(&self) -> f64 {
        self.matmuls.iter().map(MatmulOp::forward_flops).sum()
    }

    /// Whether it attends: products of activations whose scores a softmax normalises. Others (interactions of features, say)
    /// have as good as none.
    pub fn attends(&self) -> bool {
        let scores = self.scores();
        scores > 0.0 && self.class(TrafficClass::Softmax).forward_elements >= scores
    }

    /// Scores of a sample's attention.
    pub fn scores(&self) -> f64 {
        self.matmuls.iter().map(MatmulOp::scores).sum()
    }

    /// Kernels that the matmuls launch, forward and backward: one an occurrence, and two of it in the backward pass
    /// (for its input and for its weights). They are in no traffic class.
    pub fn matmul_kernels(&self) -> (f64, f64) {
        let forward: f64 = self.matmuls.iter().map(|op| op.count).sum();
        (forward, 2.0 * forward)
    }

    /// Parameters of adapters of some rank on every layer that takes them: `rank · (inputs + outputs)` each (arXiv
    /// 2106.09685, section 4.1).
    pub fn adapter_parameters(&self, rank: u32) -> f64 {
        (self.matmuls.iter())
            .filter(|op| op.takes_adapters())
            .map(|op| f64::from(rank) * (op.k + op.n) * op.groups * op.count)
            .sum()
    }

    /// Traffic of one class.
    pub fn class(&self, class: TrafficClass) -> &Traffic {
        &self.traffic[class as usize]
    }
}
