//! In what a measured run differs from a configuration beyond what its model, part, mode and batch tell: runs on either
//! side of such a difference look alike in a list and are far apart in time.

use super::doubt::References;
use super::features::FEATURES;

/// Features that are either on or off, with what is said of a run that has it where the configuration has not, and of one
/// that has it not.
const TOLD: [(&str, &str, &str); 12] = [
    ("Adapters only", "adapters only", "all weights trained"),
    (
        "Forward and backward only",
        "no optimizer step",
        "with its optimizer step",
    ),
    ("Fused attention", "fused attention", "unfused attention"),
    ("Compiled graph", "compiled", "not compiled"),
    ("XLA", "XLA", "without XLA"),
    ("CUDA graph", "CUDA graph", "without a CUDA graph"),
    ("TensorFlow", "TensorFlow", "not TensorFlow"),
    ("MXNet or Paddle", "MXNet or Paddle", "not MXNet or Paddle"),
    ("NHWC tensors", "NHWC tensors", "NCHW tensors"),
    ("Real input data", "real input data", "synthetic data"),
    (
        "Single-process data parallelism",
        "one process for all devices",
        "a process for each device",
    ),
    (
        "Parameter server",
        "a parameter server",
        "no parameter server",
    ),
];

/// What the run kept at `at` has otherwise than the configuration of `row`, in words, in a fixed order; empty where none of
/// it differs.
pub(super) fn told(references: &References, at: usize, row: &[f32]) -> Vec<String> {
    let own = |label: &str| row.get(FEATURES.iter().position(|f| f.label == label)?);
    let convolves = own("Convolutional share of outputs").is_some_and(|share| *share > 0.0);
    let differs = |(label, with, without): &(&str, &str, &str)| {
        // Without convolutions the order of a tensor's axes is no difference.
        let own = own(label).filter(|_| convolves || *label != "NHWC tensors")?;
        match (references.flag(at, label)?, *own > 0.5) {
            (true, false) => Some((*with).to_owned()),
            (false, true) => Some((*without).to_owned()),
            _ => None,
        }
    };
    TOLD.iter().filter_map(differs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(on: &[&str]) -> Vec<f32> {
        FEATURES
            .iter()
            .map(|f| f32::from(u8::from(on.contains(&f.label))))
            .collect()
    }

    #[test]
    fn a_run_says_what_it_has_otherwise() {
        // Adapters are so rare here that their cell is clipped, and still they are read back.
        let mut rows = vec![row(&["Fused attention"]), row(&["Adapters only"])];
        rows.extend((0..400).map(|_| row(&["Fused attention"])));
        let views: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let references = References::new(&views);
        let plan = row(&["Fused attention"]);
        assert_eq!(told(&references, 0, &plan), Vec::<String>::new());
        assert_eq!(
            told(&references, 1, &plan),
            ["adapters only", "unfused attention"]
        );
        assert_eq!(
            told(&references, 0, &row(&["Adapters only"])),
            ["all weights trained", "fused attention"]
        );
    }

    #[test]
    fn the_order_of_axes_is_told_of_convolutions_alone() {
        let rows = [row(&["NHWC tensors"]), row(&[])];
        let references = References::new(&[&rows[0], &rows[1]]);
        assert_eq!(told(&references, 0, &row(&[])), Vec::<String>::new());
        assert_eq!(
            told(&references, 0, &row(&["Convolutional share of outputs"])),
            ["NHWC tensors"]
        );
    }

    #[test]
    fn what_is_told_is_a_feature_that_is_on_or_off() {
        for (label, ..) in TOLD {
            assert!(FEATURES.iter().any(|f| f.label == label), "{label}");
        }
    }
}
