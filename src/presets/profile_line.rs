//! One traced profile as a line of JSON, and the operator profile it becomes.
//!
//! `mm` lists matmul-like forward operators, each with its count last: `["conv", output pixels, output channels per
//! group, input channels per group × kernel area, groups, input pixels, input channels, output channels, kernel side,
//! count]`, `["lin", rows per sample, columns, inner, 1, count]`, `["bmm", m, n, k, batch per sample, count]`; `ew`
//! holds per class and direction (`norm ew reduce copy pool softmax` × `_f`, `_b`) `[kernels, elements per sample]`; `amp`,
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
                let kind = if groups <= 1.0 {
                    // One of stride 1 keeps the pixels, or all but its border; one in a single dimension or in three
                    // is no 3x3 convolution, whatever its side.
                    let is_planar = k == 9.0 * channels;
                    if side == 3.0 && is_planar && m > 0.5 * pixels && m <= pixels {
                        MatmulKind::Conv3x3
                    } else {
                        MatmulKind::Convolution
                    }
                } else if n == 1.0 {
                    MatmulKind::Depthwise
                } else {
                    MatmulKind::Grouped
                };
                Some(operator(
                    kind,
                    [m, n, k, groups, count],
                    pixels * channels,
                    m * out,
                ))
            }
            Self::Product(MatmulWord::Lin, m, n, k, _, count) => Some(operator(
                MatmulKind::Dense,
                [m, n, k, 1.0, count],
                m * k,
                m * n,
            )),
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

/// Scales a profile from the size it was traced at to another: pixels with the square of the side, tokens linearly.
///
/// Rows of single vectors (classifiers, squeeze-and-excite) stay as they are, and so do kernels. Attention over all
/// positions grows in both of its dimensions; attention inside windows gets more windows.
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
        kept.fp32 *= ratio;
        kept.amp *= ratio;
    }
    let mut scale = |traffic: &mut Traffic| {
        traffic.forward_elements *= ratio;
        traffic.backward_elements *= ratio;
    };
    profile.traffic.iter_mut().for_each(&mut scale);
    if let Some(autocast) = &mut profile.autocast {
        autocast.traffic.iter_mut().for_each(&mut scale);
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
mod tests {
    use super::*;

    const LINE: &str = r#"{"model":"x","image_size":32,"params":10,"tensors":2,
        "mm":[["conv",256,8,27,1,1024,3,8,3,1],["conv",256,8,72,1,256,8,8,3,2],["conv",256,1,9,8,256,8,8,3,1],
              ["conv",256,4,36,2,256,8,8,3,1],["lin",1.0,10,8,1,1],["bmm",256,256,4,2.0,1]],
        "ew":{"ew_f":[3,100.0],"ew_b":[5,200.0],"pool_f":[1,7.0]},"more":"ignored"}"#;

    #[test]
    fn operators_get_the_kernels_that_serve_them() {
        let line: ProfileLine = serde_json::from_str(LINE).expect("lawful");
        let profile = line.profile().expect("lawful");
        let kinds: Vec<MatmulKind> = profile.matmuls.iter().map(|op| op.kind).collect();
        use MatmulKind::{Activation, Conv3x3, Convolution, Dense, Depthwise, Grouped};
        assert_eq!(
            kinds,
            [Convolution, Conv3x3, Depthwise, Grouped, Dense, Activation]
        );
        assert_eq!(profile.matmul_kernels(), (7.0, 14.0));
        assert_eq!(
            profile.class(TrafficClass::Elementwise).backward_elements,
            200.0
        );
        assert_eq!(profile.origin, ProfileOrigin::Traced);
    }

    #[test]
    fn only_planar_convolutions_of_stride_1_are_3x3() {
        let kind = |m: f64, k: f64| {
            MatmulLine::Conv(MatmulWord::Conv, m, 8.0, k, 1.0, 1024.0, 4.0, 8.0, 3.0, 1.0)
                .operator()
                .expect("lawful")
                .kind
        };
        assert_eq!(kind(1024.0, 36.0), MatmulKind::Conv3x3);
        assert_eq!(kind(900.0, 36.0), MatmulKind::Conv3x3); // without padding
        // Stride 2, a transposed one, one dimension, three dimensions.
        for (m, k) in [
            (256.0, 36.0),
            (4096.0, 36.0),
            (1024.0, 12.0),
            (1024.0, 108.0),
        ] {
            assert_eq!(kind(m, k), MatmulKind::Convolution, "{m} {k}");
        }
    }

    #[test]
    fn twice_the_side_is_four_times_the_pixels() {
        let line: ProfileLine = serde_json::from_str(LINE).expect("lawful");
        let small = line.profile().expect("lawful");
        let mut large = small.clone();
        rescale(&mut large, 32, 64, ProfileScaling::Pixels);
        assert_eq!(large.matmuls[0].m, 1024.0);
        assert_eq!(large.matmuls[4], small.matmuls[4]);
        // Attention over all positions grows with the square of the positions.
        let growth = large.matmuls[5].forward_flops() / small.matmuls[5].forward_flops();
        assert_eq!(growth, 16.0);
        assert_eq!(large.class(TrafficClass::Pooling).forward_elements, 28.0);
    }

    #[test]
    fn what_autocast_moves_is_told_apart_and_grows_with_the_pixels() {
        let text = LINE.replace(
            "\"more\"",
            r#""amp":{"ew_f":[3,220.0],"layer_f":[1,40.0],"layer_b":[1,60.0],"group_b":[1,8.0],"cast_f":[9,80.0]},
            "ln":[[256,8,2]],"more""#,
        );
        let line: ProfileLine = serde_json::from_str(&text).expect("lawful");
        let mut profile = line.profile().expect("lawful");
        rescale(&mut profile, 32, 64, ProfileScaling::Pixels);
        let autocast = profile.autocast.expect("traced");
        let elementwise = &autocast.traffic[TrafficClass::Elementwise as usize];
        assert_eq!(elementwise.forward_elements, 880.0);
        assert_eq!(autocast.layer_norms.backward_elements, 240.0);
        assert_eq!(autocast.group_norms.backward_elements, 32.0);
        assert_eq!(autocast.casts.forward_elements, 320.0);
        assert_eq!(autocast.casts.forward_kernels, 9.0);
        assert_eq!(autocast.shapes[0].rows, 1024.0);
        assert_eq!(autocast.shapes[0].width, 8.0);
    }

    #[test]
    fn a_malformed_operator_is_named() {
        let text = r#"{"params":1,"mm":[["lin",1,2,3,1,1],["conv",1,2,3,1,1]]}"#;
        let line: ProfileLine = serde_json::from_str(text).expect("parses");
        let error = line.profile().expect_err("refused");
        assert!(error.contains("operator 2"), "{error}");
        for (text, named) in [
            (r#"{"params":1,"mm":[],"amp":{"ew_f":[1,-2]}}"#, "`amp`"),
            (r#"{"params":1,"mm":[],"ln":[[4,0,1]]}"#, "`ln`"),
        ] {
            let line: ProfileLine = serde_json::from_str(text).expect("parses");
            let error = line.profile().expect_err("refused");
            assert!(error.contains(named), "{error}");
        }
    }
}
