//! Operator profiles of catalogue models: looked up in the traced store or built.

use super::Catalogue;
use super::builders;
use super::error::PresetError;
use crate::domain::{
    MatmulKind, MatmulOp, Model, ModelSource, OperatorProfile, ProfileOrigin, ProfileScaling,
    ShardAxis, Traffic, TrafficClass,
};
use flate2::read::GzDecoder;
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{Arc, OnceLock};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/profiles");

/// Traces run over a few thousand operators are loops over boxes or steps that run fused in practice.
const LOOPED_KERNELS: f64 = 20_000.0;
/// Share of such kernels that is launched on its own.
const LOOPED_SHARE: f64 = 0.03;

/// Tables of more parameters than this are trained sparsely: dense gradients would dwarf the rest of the model.
const SPARSE_TABLES: f64 = 1e8;

/// One line of the profile store; `assets/trace_model.py` writes it, `presets/models/README.md` describes it.
#[derive(Debug, Deserialize)]
pub(super) struct ProfileLine {
    model: String,
    params: f64,
    tensors: f64,
    mm: Vec<serde_json::Value>,
    ew: BTreeMap<String, (f64, f64)>,
    #[serde(default)]
    kind: Option<String>,
}

/// The name of a line alone, so that indexing does not decode operators.
#[derive(Debug, Deserialize)]
struct ProfileName {
    model: String,
    #[serde(default)]
    image_size: u32,
    #[serde(default)]
    seq_len: u32,
}

type Index = BTreeMap<String, BTreeMap<u32, String>>;

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = Index::new();
        for file in FILES.files() {
            let mut text = String::new();
            if GzDecoder::new(file.contents())
                .read_to_string(&mut text)
                .is_err()
            {
                continue;
            }
            for line in text.lines() {
                if let Ok(name) = serde_json::from_str::<ProfileName>(line) {
                    let size = name.image_size.max(name.seq_len);
                    index
                        .entry(name.model)
                        .or_default()
                        .insert(size, line.to_owned());
                }
            }
        }
        index
    })
}

impl Catalogue {
    /// Sizes (pixels a side, or tokens) at which a traced profile exists; empty where there is none.
    pub fn profile_sizes(key: &str) -> Vec<u32> {
        index()
            .get(key)
            .map(|sizes| sizes.keys().copied().collect())
            .unwrap_or_default()
    }

    /// Operators of a model for one sample of `seq_len` tokens or `image_size` pixels a side.
    ///
    /// # Errors
    /// [`PresetError`] where the store has no profile of that key or its line is broken.
    pub fn profile(
        &self,
        model: &Model,
        seq_len: Option<u32>,
        image_size: Option<u32>,
    ) -> Result<Arc<OperatorProfile>, PresetError> {
        let profile = match &model.profile {
            ModelSource::Transformer(shape) => {
                let tokens = seq_len.or(model.seq_len).unwrap_or(512);
                builders::transformer(shape, tokens, image_size.or(model.image_size))
            }
            ModelSource::Traced { profile, scales } => {
                let wanted = match scales {
                    ProfileScaling::Pixels => image_size.or(model.image_size),
                    ProfileScaling::Tokens => seq_len.or(model.seq_len),
                    ProfileScaling::Fixed => None,
                };
                traced(profile, *scales, wanted)?
            }
            ModelSource::Totals {
                parameters,
                forward_macs,
                activations,
            } => builders::totals(*parameters, *forward_macs, *activations),
        };
        Ok(Arc::new(profile))
    }
}

fn traced(
    key: &str,
    scales: ProfileScaling,
    wanted: Option<u32>,
) -> Result<OperatorProfile, PresetError> {
    let missing = || PresetError::profile(key, "no such profile in assets/profiles");
    let sizes = index().get(key).ok_or_else(missing)?;
    let size = wanted.unwrap_or(0);
    let (own, line) = sizes
        .iter()
        .min_by_key(|(own, _)| own.abs_diff(size))
        .ok_or_else(missing)?;
    let line: ProfileLine =
        serde_json::from_str(line).map_err(|e| PresetError::profile(key, &e.to_string()))?;
    let mut profile = line.decode()?;
    if *own > 0 && size > 0 && *own != size {
        let ratio = f64::from(size) / f64::from(*own);
        match scales {
            ProfileScaling::Pixels => scale(&mut profile, ratio * ratio),
            ProfileScaling::Tokens => scale(&mut profile, ratio),
            ProfileScaling::Fixed => {}
        }
    }
    Ok(profile)
}

/// Scales rows and elements of a profile to a larger or smaller sample; single-row layers stay.
fn scale(profile: &mut OperatorProfile, ratio: f64) {
    for op in profile.matmuls.iter_mut().filter(|op| op.m > 1.0) {
        op.m *= ratio;
        op.input_elements *= ratio;
        op.output_elements *= ratio;
    }
    for traffic in &mut profile.traffic {
        traffic.forward_elements *= ratio;
        traffic.backward_elements *= ratio;
    }
}

impl ProfileLine {
    /// The profile a line states.
    pub(super) fn decode(&self) -> Result<OperatorProfile, PresetError> {
        let matmuls = self
            .mm
            .iter()
            .map(|entry| {
                decode_matmul(entry).ok_or_else(|| {
                    PresetError::profile(&self.model, &format!("cannot read operator {entry}"))
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let kernels: f64 = self.ew.values().map(|(kernels, _)| kernels).sum();
        let launched = if kernels > LOOPED_KERNELS {
            LOOPED_SHARE
        } else {
            1.0
        };
        let mut traffic = [Traffic::default(); 6];
        for (class, word) in [
            (TrafficClass::Elementwise, "ew"),
            (TrafficClass::Norm, "norm"),
            (TrafficClass::Softmax, "softmax"),
            (TrafficClass::Copy, "copy"),
            (TrafficClass::Reduction, "reduce"),
            (TrafficClass::Pooling, "pool"),
        ] {
            let get = |way: &str| {
                self.ew
                    .get(&format!("{word}_{way}"))
                    .copied()
                    .unwrap_or_default()
            };
            let (forward, backward) = (get("f"), get("b"));
            traffic[class as usize] = Traffic {
                forward_kernels: forward.0 * launched,
                backward_kernels: backward.0 * launched,
                forward_elements: forward.1,
                backward_elements: backward.1,
                tensor_share: 0.0,
            };
        }
        let matmuls: Vec<MatmulOp> = matmuls;
        let multiplied: f64 = matmuls
            .iter()
            .map(|op| op.n * op.k * op.groups * op.count)
            .sum();
        let looked_up = (self.params - multiplied).max(0.0);
        let estimated = self.kind.as_deref() == Some("estimated");
        Ok(OperatorProfile {
            matmuls,
            traffic,
            parameters: self.params,
            active_parameters: self.params,
            embedding_parameters: 0.0,
            sparse_parameters: if looked_up > SPARSE_TABLES {
                looked_up
            } else {
                0.0
            },
            expert_parameters: 0.0,
            parameter_tensors: self.tensors,
            blocks: None,
            origin: if estimated {
                ProfileOrigin::Estimated
            } else {
                ProfileOrigin::Traced
            },
        })
    }
}

/// `["conv", out pixels, out channels per group, in channels per group × kernel area, groups, in pixels, in channels,
/// out channels, kernel side, count]`, `["lin", rows, columns, inner, 1, count]`, `["bmm", m, n, k, batch, count]`.
fn decode_matmul(entry: &serde_json::Value) -> Option<MatmulOp> {
    let list = entry.as_array()?;
    let word = list.first()?.as_str()?;
    let number = |i: usize| list.get(i).and_then(serde_json::Value::as_f64);
    let (m, n, k, groups) = (number(1)?, number(2)?, number(3)?, number(4)?);
    let op = |kind, count, input_elements, output_elements| MatmulOp {
        kind,
        m,
        n,
        k,
        groups,
        count,
        input_elements,
        output_elements,
        shard: ShardAxis::None,
        causal: false,
    };
    match word {
        "conv" => {
            let (input, side) = (number(5)?, number(8)?);
            let kind = match (groups > 1.0, n <= 1.0, side == 3.0 && input == m) {
                (true, true, _) => MatmulKind::Depthwise,
                (true, false, _) => MatmulKind::Grouped,
                (false, _, true) => MatmulKind::Conv3x3,
                (false, _, false) => MatmulKind::Dense,
            };
            Some(op(kind, number(9)?, input * number(6)?, m * number(7)?))
        }
        "lin" => Some(op(MatmulKind::Dense, number(5)?, m * k, m * n)),
        "bmm" => Some(op(
            MatmulKind::Activation,
            number(5)?,
            groups * (m * k + n * k),
            groups * m * n,
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resnet50_at_224_has_its_published_size() {
        let profile = traced("resnet50", ProfileScaling::Pixels, Some(224)).unwrap();
        // 25,557,032 parameters and 4.09 GMACs (torchvision's model card).
        assert_eq!(profile.parameters, 25_557_032.0);
        assert!((profile.forward_flops() / 2.0 / 4.089e9 - 1.0).abs() < 0.02);
    }

    #[test]
    fn another_size_scales_with_the_pixels() {
        let small = traced("resnet50", ProfileScaling::Pixels, Some(224)).unwrap();
        let large = traced("resnet50", ProfileScaling::Pixels, Some(448)).unwrap();
        let ratio = large.forward_flops() / small.forward_flops();
        assert!((3.9..4.01).contains(&ratio), "{ratio}");
    }

    #[test]
    fn every_shipped_line_decodes() {
        for (key, sizes) in index() {
            for line in sizes.values() {
                let line: ProfileLine = serde_json::from_str(line).unwrap();
                let profile = line.decode().unwrap();
                assert!(profile.forward_flops() > 0.0, "{key}");
            }
        }
    }
}
