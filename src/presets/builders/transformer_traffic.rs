//! Traffic and kernels of a transformer beside its matmuls, as an eager implementation has them.

use super::{Builder, Widths};
use crate::domain::{Traffic, TrafficClass};

/// Eager kernels of one block besides its matmuls, forward and backward (counted in profiler traces of GPT-2 and BERT).
const BLOCK_KERNELS: (f64, f64) = (25.0, 38.0);
/// More of them where tokens are routed to experts.
const ROUTING_KERNELS: (f64, f64) = (12.0, 20.0);
/// Kernels of embeddings, head and loss.
const END_KERNELS: (f64, f64) = (20.0, 30.0);

impl Builder<'_> {
    /// By class, for one sample.
    pub(super) fn traffic(&self) -> [Traffic; 6] {
        let s = self.s;
        let w = Widths::of(s);
        let mix = self.mix();
        let decoder = f64::from(s.decoder_layers);
        // Half a block is one branch: attention, state space or feed-forward.
        let halves = self.branches() / 2.0;
        let active = f64::from(s.active_experts.max(1));
        let expert = w.expert * active + f64::from(s.shared_expert_ffn);
        let of_decoder = if s.routes() { expert } else { w.feed_forward };
        let (t, written) = (self.tokens, self.decoder_tokens);
        // Tokens of all halves, of all layers that attend, and of the feed-forwards by their width.
        let of_halves = (halves - decoder) * t + decoder * written;
        let of_attention = mix.attention * t + decoder * written;
        let inner = (mix.dense * w.feed_forward + mix.routed * expert) * t;
        let inner = inner + decoder * of_decoder * written;
        let streams = of_halves * 12.0 * w.hidden;
        let sharded = 5.0 * (w.matrices - 1.0) * inner;
        let elementwise = streams + sharded;
        let scores = mix.attention * t * self.window() + decoder * written * (written + t);
        let softmax = scores * w.heads * 6.0;
        let class = |forward: f64, ratio: f64, kernels: (f64, f64), tensor_share: f64| Traffic {
            forward_kernels: kernels.0,
            backward_kernels: kernels.1,
            forward_elements: forward,
            backward_elements: forward * ratio,
            tensor_share,
        };
        let routed = self.routed_layers();
        let kernels = |share: f64| {
            (
                (halves * BLOCK_KERNELS.0 + routed * ROUTING_KERNELS.0) * share,
                (halves * BLOCK_KERNELS.1 + routed * ROUTING_KERNELS.1) * share,
            )
        };
        let ends = (
            kernels(0.6).0 + END_KERNELS.0,
            kernels(0.6).1 + END_KERNELS.1,
        );
        let mut traffic = [Traffic::default(); 6];
        traffic[TrafficClass::Elementwise as usize] =
            class(elementwise, 1.5, ends, sharded / elementwise.max(1.0));
        traffic[TrafficClass::Norm as usize] =
            class(of_halves * 4.0 * w.hidden, 1.5, kernels(0.1), 0.0);
        traffic[TrafficClass::Softmax as usize] = class(softmax, 1.4, kernels(0.1), 1.0);
        traffic[TrafficClass::Copy as usize] =
            class(of_attention * 6.0 * w.hidden, 1.5, kernels(0.2), 1.0);
        traffic
    }
}
