//! TEMPORARY: stands in for what the catalogue does not answer yet; removed when it does. A profile meanwhile is one matmul of the model's total work.

use crate::domain::{
    BlockStack, MatmulKind, MatmulOp, Model, ModelSource, OperatorProfile, ProfileOrigin,
    ShardAxis, Traffic,
};
use crate::presets::Catalogue;
use std::path::Path;
use std::sync::Arc;

pub(super) trait Pending {
    fn import_model(&self, path: &Path) -> Result<Arc<Model>, String> {
        Err(format!("{}: models cannot be imported yet", path.display()))
    }
    fn profile(
        &self,
        model: &Model,
        seq_len: Option<u32>,
        _: Option<u32>,
    ) -> Result<Arc<OperatorProfile>, String> {
        let tokens = f64::from(seq_len.unwrap_or(1));
        let (parameters, macs, blocks) = match &model.profile {
            ModelSource::Transformer(s) => {
                let (h, l) = (f64::from(s.hidden), f64::from(s.layers + s.decoder_layers));
                let matrices = if s.gated { 3.0 } else { 2.0 };
                let layer = 4.0 * h * h + matrices * h * f64::from(s.ffn);
                let active = l * layer + 2.0 * h * f64::from(s.vocab);
                let blocks = BlockStack {
                    layers: l,
                    hidden: h,
                    heads: f64::from(s.heads),
                    key_value_width: 2.0 * h,
                    feed_forward: f64::from(s.ffn),
                    tokens,
                    experts: f64::from(s.experts),
                    active_experts: f64::from(s.active_experts),
                    vocabulary: f64::from(s.vocab),
                    causal: true,
                };
                (active, active * tokens, Some(blocks))
            }
            ModelSource::Totals {
                parameters,
                forward_macs,
                ..
            } => (*parameters, *forward_macs, None),
            ModelSource::Traced { .. } => (25.6e6, 4.1e9, None),
        };
        let matmul = MatmulOp {
            kind: MatmulKind::Dense,
            m: macs / 1e6,
            n: 1e3,
            k: 1e3,
            groups: 1.0,
            count: 1.0,
            input_elements: macs / 1e3,
            output_elements: macs / 1e3,
            shard: ShardAxis::Columns,
            causal: false,
        };
        Ok(Arc::new(OperatorProfile {
            matmuls: vec![matmul],
            traffic: [Traffic::default(); 6],
            parameters,
            active_parameters: parameters,
            embedding_parameters: 0.0,
            expert_parameters: 0.0,
            parameter_tensors: 100.0,
            blocks,
            origin: ProfileOrigin::Totals,
        }))
    }
}

impl Pending for Catalogue {}
