//! One traced profile as a line of JSON, and the operator profile it becomes.
//!
//! `mm` lists matmul-like forward operators, each with its count last: `["conv", output pixels, output channels per
//! group, input channels per group × kernel area, groups, input pixels, input channels, output channels, kernel side,
//! count]`, `["lin", rows per sample, columns, inner, 1, count]`, `["rec", …]` the same of rows that follow one another,
//! `["bmm", m, n, k, batch per sample, count]`; `ew` holds per class and direction (`norm ew reduce copy pool softmax` ×
//! `_f`, `_b`) `[kernels, elements per sample]`; `amp`,
//! if there, the same under autocast in bytes, with `layer`, `group` and `cast` beside, and `ln` its layer norms;
//! `kept`, if there, the bytes a sample that live at the fullest moment, `fp32` and `amp`.

use crate::domain::{
    AutocastTraffic, KeptBytes, LayerNorms, MatmulKind, MatmulOp, OperatorProfile, ProfileOrigin,
    ProfileScaling, ShardAxis, Traffic, TrafficClass,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A trace that launches more kernels than this is a loop over boxes or time steps, which runs fused in practice.
const LOOPED_KERNELS: f64 = 20_000.0;
/// Share of the kernels of such a loop that is launched on its own.
const LOOPED_SHARE: f64 = 0.03;

/// Tables of more parameters than this are trained row by row: dense gradients would dwarf the rest of the model.
const SPARSE_TABLES: f64 = 1e8;

/// Where a line's size stands: pixels a side, or tokens, or 0 for one size only.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ProfileKey {
    pub model: String,
    #[serde(default)]
    image_size: u32,
    #[serde(default)]
    seq_len: u32,
}

impl ProfileKey {
    /// The size the profile was traced at.
    pub(super) fn size(&self) -> u32 {
        self.image_size.max(self.seq_len)
    }
}

/// How a profile was obtained, as a line says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LineKind {
    /// Run on the meta device.
    #[default]
    Traced,
    /// A hand-written stand-in was run.
    Estimated,
}

/// The part of a line that describes operators.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ProfileLine {
    params: f64,
    #[serde(default)]
    tensors: f64,
    mm: Vec<MatmulLine>,
    #[serde(default)]
    ew: BTreeMap<TrafficKey, (f64, f64)>,
    #[serde(default)]
    amp: Option<BTreeMap<TrafficKey, (f64, f64)>>,
    #[serde(default)]
    ln: Vec<(f64, f64, f64)>,
    #[serde(default)]
    kept: Option<KeptBytes>,
    #[serde(default)]
    kind: LineKind,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MatmulWord {
    Conv,
    Lin,
    Rec,
    Bmm,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum MatmulLine {
    Conv(MatmulWord, f64, f64, f64, f64, f64, f64, f64, f64, f64),
    Product(MatmulWord, f64, f64, f64, f64, f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TrafficKey {
    EwF,
    EwB,
    NormF,
    NormB,
    SoftmaxF,
    SoftmaxB,
    CopyF,
    CopyB,
    ReduceF,
    ReduceB,
    PoolF,
    PoolB,
    LayerF,
    LayerB,
    GroupF,
    GroupB,
    CastF,
    CastB,
}

impl TrafficKey {
    const fn class(self) -> TrafficClass {
        match self {
            Self::EwF | Self::EwB => TrafficClass::Elementwise,
            Self::NormF
            | Self::NormB
            | Self::LayerF
            | Self::LayerB
            | Self::GroupF
            | Self::GroupB => TrafficClass::Norm,
            Self::SoftmaxF | Self::SoftmaxB => TrafficClass::Softmax,
            Self::CopyF | Self::CopyB | Self::CastF | Self::CastB => TrafficClass::Copy,
            Self::ReduceF | Self::ReduceB => TrafficClass::Reduction,
            Self::PoolF | Self::PoolB => TrafficClass::Pooling,
        }
    }

    const fn is_forward(self) -> bool {
        matches!(
            self,
            Self::EwF
                | Self::NormF
                | Self::SoftmaxF
                | Self::CopyF
                | Self::ReduceF
                | Self::PoolF
                | Self::LayerF
                | Self::GroupF
                | Self::CastF
        )
    }
}

impl TrafficKey {
    /// Enters kernels and what they move for its direction.
    fn add(self, traffic: &mut Traffic, (kernels, moved): (f64, f64), launched: f64) {
        if self.is_forward() {
            traffic.forward_kernels = kernels * launched;
            traffic.forward_elements = moved;
        } else {
            traffic.backward_kernels = kernels * launched;
            traffic.backward_elements = moved;
        }
    }
}

/// Share of the kernels that is launched on its own.
fn launched(entries: &BTreeMap<TrafficKey, (f64, f64)>) -> f64 {
    let all: f64 = entries.values().map(|(kernels, _)| kernels).sum();
    if all > LOOPED_KERNELS {
        LOOPED_SHARE
    } else {
        1.0
    }
}

impl MatmulLine {
    fn operator(&self) -> Option<MatmulOp> {
        match *self {
            Self::Conv(MatmulWord::Conv, m, n, k, groups, pixels, channels, out, side, count) => {
                let taps = k * groups.max(1.0) / channels;
                let kind = if groups <= 1.0 {
                    // One of stride 1 keeps the pixels, or all but its border; one in a single dimension or in three
                    // is no 3x3 convolution, whatever its side.
                    let keeps = m > 0.5 * pixels && m <= pixels;
                    let is_planar = taps == side * side;
                    if keeps && side == 3.0 && is_planar {
                        MatmulKind::Conv3x3
                    } else if keeps && taps > 9.0 && (is_planar || taps == side) {
                        MatmulKind::LongConvolution
                    } else {
                        MatmulKind::Convolution
                    }
                } else if n == 1.0 {
                    MatmulKind::Depthwise
                } else {
                    MatmulKind::Grouped
                };
                Some(MatmulOp {
                    taps,
                    ..operator(kind, [m, n, k, groups, count], pixels * channels, m * out)
                })
            }
            Self::Product(word @ (MatmulWord::Lin | MatmulWord::Rec), m, n, k, _, count) => {
                let kind = match word {
                    MatmulWord::Rec => MatmulKind::Recurrent,
                    _ => MatmulKind::Dense,
                };
                Some(operator(kind, [m, n, k, 1.0, count], m * k, m * n))
            }
            Self::Product(MatmulWord::Bmm, m, n, k, groups, count) => Some(operator(
                MatmulKind::Activation,
                [m, n, k, groups, count],
                groups * (m * k + n * k),
                groups * m * n,
            )),
            _ => None,
        }
    }
}

fn operator(kind: MatmulKind, shape: [f64; 5], input: f64, output: f64) -> MatmulOp {
    let [m, n, k, groups, count] = shape;
    MatmulOp {
        kind,
        m,
        n,
        k,
        groups,
        count,
        input_elements: input,
        output_elements: output,
        taps: 1.0,
        shard: ShardAxis::None,
        causal: false,
    }
}

impl ProfileLine {
    /// The operator profile at the size it was traced at.
    ///
    /// # Errors
    /// A sentence that names the operator which is not of the documented form.
    pub(super) fn profile(&self) -> Result<OperatorProfile, String> {
        let matmuls = self
            .mm
            .iter()
            .enumerate()
            .map(|(at, line)| {
                line.operator().ok_or_else(|| {
                    format!(
                        "field `mm`: operator {} has the wrong number of figures",
                        at + 1
                    )
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        if !(self.params.is_finite() && self.params > 0.0) {
            return Err("field `params`: must be a number above 0".into());
        }
        let counts = |entries: &BTreeMap<TrafficKey, (f64, f64)>| {
            (entries.values()).all(|(kernels, moved)| *kernels >= 0.0 && *moved >= 0.0)
        };
        if !counts(&self.ew) || !self.amp.as_ref().is_none_or(counts) {
            return Err(
                "fields `ew` and `amp`: kernels and what they move must be 0 or more".into(),
            );
        }
        let is_shape =
            |&(rows, width, count): &(f64, f64, f64)| rows >= 0.0 && width >= 1.0 && count >= 0.0;
        if !self.ln.iter().all(is_shape) {
            return Err("field `ln`: rows and count must be 0 or more, width 1 or more".into());
        }
        let is_lawful = |bytes: f64| bytes.is_finite() && bytes > 0.0;
        if self
            .kept
            .is_some_and(|k| !(is_lawful(k.fp32) && is_lawful(k.amp)))
        {
            return Err("field `kept`: `fp32` and `amp` must be numbers above 0".into());
        }
        Ok(OperatorProfile {
            sparse_parameters: self.sparse_parameters(&matmuls),
            matmuls,
            traffic: self.traffic(),
            autocast: self.autocast(),
            parameters: self.params,
            active_parameters: self.params,
            embedding_parameters: 0.0,
            expert_parameters: 0.0,
            parameter_tensors: self.tensors,
            kept: self.kept,
            blocks: None,
            origin: match self.kind {
                LineKind::Traced => ProfileOrigin::Traced,
                LineKind::Estimated => ProfileOrigin::Estimated,
            },
        })
    }

    /// Parameters that no matmul reads, where they are large tables.
    fn sparse_parameters(&self, matmuls: &[MatmulOp]) -> f64 {
        let multiplied: f64 = matmuls
            .iter()
            .filter(|op| op.kind != MatmulKind::Activation)
            .map(|op| op.n * op.k * op.groups * op.count)
            .sum();
        let looked_up = self.params - multiplied;
        if looked_up > SPARSE_TABLES {
            looked_up
        } else {
            0.0
        }
    }

    fn traffic(&self) -> [Traffic; 6] {
        let launched = launched(&self.ew);
        let mut traffic = [Traffic::default(); 6];
        for (key, entry) in &self.ew {
            key.add(&mut traffic[key.class() as usize], *entry, launched);
        }
        traffic
    }

    /// What autocast moves, where the trace followed it.
    fn autocast(&self) -> Option<AutocastTraffic> {
        let amp = self.amp.as_ref()?;
        let launched = launched(amp);
        let mut all = AutocastTraffic {
            traffic: [Traffic::default(); 6],
            casts: Traffic::default(),
            layer_norms: Traffic::default(),
            group_norms: Traffic::default(),
            shapes: (self.ln.iter())
                .map(|&(rows, width, count)| LayerNorms { rows, width, count })
                .collect(),
        };
        for (key, entry) in amp {
            let traffic = match key {
                TrafficKey::CastF | TrafficKey::CastB => &mut all.casts,
                TrafficKey::LayerF | TrafficKey::LayerB => &mut all.layer_norms,
                TrafficKey::GroupF | TrafficKey::GroupB => &mut all.group_norms,
                _ => &mut all.traffic[key.class() as usize],
            };
            key.add(traffic, *entry, launched);
        }
        Some(all)
    }
}

/// Bytes that are kept of a score until the backward pass, in FP32 and by autocast (softmax in 32 bits, and what the product after
/// it reads in 16), as `physics::activations` takes them off where attention is fused.
const KEPT_OF_SCORE: [f64; 2] = [4.0, 6.0];

/// Scales a profile from the size it was traced at to another: pixels with the square of the side, tokens linearly.
///
/// Rows of single vectors (classifiers, squeeze-and-excite) stay as they are, and so do kernels. Attention over all
/// positions grows in both of its dimensions, and so do its scores, what softmax moves and what is kept of them; attention inside
/// windows gets more windows.
pub(super) fn rescale(profile: &mut OperatorProfile, from: u32, to: u32, scales: ProfileScaling) {
    let side = f64::from(to) / f64::from(from.max(1));
    let ratio = match scales {
        ProfileScaling::Pixels => side * side,
        ProfileScaling::Tokens => side,
        ProfileScaling::Fixed => 1.0,
    };
    if from == 0 || to == 0 || (ratio - 1.0).abs() < 1e-9 {
        return;
    }
    let positions: Vec<f64> = profile
        .matmuls
        .iter()
        .filter(|op| op.kind != MatmulKind::Activation)
        .map(|op| op.m)
        .collect();
    let all = profile.scores();
    let squared: f64 = (profile.matmuls.iter())
        .filter(|op| positions.contains(&op.m))
        .map(MatmulOp::scores)
        .sum();
    let share = squared / all.max(1.0);
    for op in &mut profile.matmuls {
        if op.kind == MatmulKind::Activation {
            rescale_attention(op, ratio, positions.contains(&op.m));
        } else if op.m > 1.0 {
            op.m *= ratio;
            op.input_elements *= ratio;
            op.output_elements *= ratio;
        }
    }
    if let Some(kept) = &mut profile.kept {
        let grown = |bytes: f64, of_scores: f64| {
            let squared = of_scores.min(bytes);
            (bytes - squared) * ratio + squared * ratio * ratio
        };
        kept.fp32 = grown(kept.fp32, KEPT_OF_SCORE[0] * squared);
        kept.amp = grown(kept.amp, KEPT_OF_SCORE[1] * squared);
    }
    let mut scale = |traffic: &mut Traffic| {
        traffic.forward_elements *= ratio;
        traffic.backward_elements *= ratio;
    };
    profile.traffic.iter_mut().for_each(&mut scale);
    // Softmax runs over the scores.
    let softmax = TrafficClass::Softmax as usize;
    let widen = |traffic: &mut Traffic| {
        traffic.forward_elements *= 1.0 + share * (ratio - 1.0);
        traffic.backward_elements *= 1.0 + share * (ratio - 1.0);
    };
    widen(&mut profile.traffic[softmax]);
    if let Some(autocast) = &mut profile.autocast {
        autocast.traffic.iter_mut().for_each(&mut scale);
        widen(&mut autocast.traffic[softmax]);
        scale(&mut autocast.casts);
        scale(&mut autocast.layer_norms);
        scale(&mut autocast.group_norms);
        for norms in &mut autocast.shapes {
            norms.rows *= ratio;
        }
    }
}

fn rescale_attention(op: &mut MatmulOp, ratio: f64, over_all_positions: bool) {
    if !over_all_positions {
        op.groups *= ratio;
        op.input_elements *= ratio;
        op.output_elements *= ratio;
        return;
    }
    let positions = op.m;
    op.m *= ratio;
    if op.n == positions {
        op.n *= ratio;
    } else if op.k == positions {
        op.k *= ratio;
    }
    op.input_elements = op.groups * (op.m * op.k + op.n * op.k);
    op.output_elements = op.groups * op.m * op.n;
}

#[cfg(test)]
#[path = "profile_line_tests.rs"]
mod tests;
