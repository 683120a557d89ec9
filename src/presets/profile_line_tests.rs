//! Tests of the lines of profile files.

use super::*;

const LINE: &str = r#"{"model":"x","image_size":32,"params":10,"tensors":2,
    "mm":[["conv",256,8,27,1,1024,3,8,3,1],["conv",256,8,72,1,256,8,8,3,2],["conv",256,1,9,8,256,8,8,3,1],
          ["conv",256,4,36,2,256,8,8,3,1],["lin",1.0,10,8,1,1],["bmm",256,256,4,2.0,1],["rec",20,32,8,1,2]],
    "ew":{"ew_f":[3,100.0],"ew_b":[5,200.0],"pool_f":[1,7.0]},"more":"ignored"}"#;

#[test]
fn operators_get_the_kernels_that_serve_them() {
    let line: ProfileLine = serde_json::from_str(LINE).expect("lawful");
    let profile = line.profile().expect("lawful");
    let kinds: Vec<MatmulKind> = profile.matmuls.iter().map(|op| op.kind).collect();
    use MatmulKind::{Activation, Conv3x3, Convolution, Dense, Depthwise, Grouped, Recurrent};
    assert_eq!(
        kinds,
        [
            Convolution,
            Conv3x3,
            Depthwise,
            Grouped,
            Dense,
            Activation,
            Recurrent
        ]
    );
    assert_eq!(profile.matmul_kernels(), (9.0, 18.0));
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
fn long_convolutions_have_more_than_nine_taps_in_one_or_two_dimensions() {
    let kind = |m: f64, taps: f64, side: f64| {
        MatmulLine::Conv(
            MatmulWord::Conv,
            m,
            8.0,
            4.0 * taps,
            1.0,
            1024.0,
            4.0,
            8.0,
            side,
            1.0,
        )
        .operator()
        .expect("lawful")
        .kind
    };
    assert_eq!(kind(1024.0, 25.0, 5.0), MatmulKind::LongConvolution);
    assert_eq!(kind(1024.0, 11.0, 11.0), MatmulKind::LongConvolution);
    // Few taps, three dimensions, stride 2.
    for (m, taps, side) in [(1024.0, 7.0, 7.0), (1024.0, 27.0, 3.0), (256.0, 49.0, 7.0)] {
        assert_eq!(kind(m, taps, side), MatmulKind::Convolution, "{m} {taps}");
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
