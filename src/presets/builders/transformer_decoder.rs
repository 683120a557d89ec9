//! The stack that writes, beside one that reads: what it adds to a transformer, and what both come to together.

use super::{Builder, Widths};
use crate::domain::ShardAxis;

impl Builder<'_> {
    /// Attention of the decoder to what the encoder read, `keys` tokens.
    fn cross_attention(&mut self, keys: f64, count: f64) {
        let w = Widths::of(self.s);
        let width = w.heads * w.head;
        self.linear(self.tokens, width, w.hidden, count, ShardAxis::Columns);
        self.linear(keys, w.key_values, w.hidden, count, ShardAxis::Columns);
        self.linear(self.tokens, w.hidden, width, count, ShardAxis::Inner);
        self.scores(keys, w.head, w.head, count, false);
    }

    /// The stack that writes, where there is one beside the stack that reads.
    pub(super) fn decoder(&mut self) {
        let decoder = f64::from(self.s.decoder_layers);
        let read = std::mem::replace(&mut self.tokens, self.decoder_tokens);
        self.attention(decoder, true);
        self.cross_attention(read, decoder);
        if self.s.routes() {
            self.experts(decoder);
        } else {
            self.feed_forward(f64::from(self.s.ffn), decoder);
        }
        self.tokens = read;
    }

    /// Tokens of a layer, in the mean over both stacks.
    pub(super) fn mean_tokens(&self) -> f64 {
        let (layers, decoder) = (f64::from(self.s.layers), f64::from(self.s.decoder_layers));
        (layers * self.tokens + decoder * self.decoder_tokens) / (layers + decoder).max(1.0)
    }

    /// Keys that the queries of a token meet in one head, in the mean over tokens and layers of both stacks.
    pub(super) fn mean_keys(&self) -> f64 {
        let (layers, decoder) = (f64::from(self.s.layers), f64::from(self.s.decoder_layers));
        let (read, written) = (self.tokens, self.decoder_tokens);
        let scores = layers * read * read + decoder * written * (written + read);
        scores / (layers * read + decoder * written).max(1.0)
    }

    /// Layers with routed experts, of both stacks.
    pub(super) fn routed_layers(&self) -> f64 {
        let written = if self.s.routes() {
            f64::from(self.s.decoder_layers)
        } else {
            0.0
        };
        self.mix().routed + written
    }
}
