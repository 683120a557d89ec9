//! When versions of a framework came out: a run on an old version stays old, whenever it was measured.

/// First release of each minor version of PyTorch, as a fraction of a year (<https://github.com/pytorch/pytorch/releases>).
const PYTORCH: [(u32, u32, f64); 26] = [
    (1, 0, 2018.93),
    (1, 1, 2019.33),
    (1, 2, 2019.60),
    (1, 3, 2019.77),
    (1, 4, 2020.04),
    (1, 5, 2020.30),
    (1, 6, 2020.57),
    (1, 7, 2020.82),
    (1, 8, 2021.17),
    (1, 9, 2021.46),
    (1, 10, 2021.81),
    (1, 11, 2022.19),
    (1, 12, 2022.49),
    (1, 13, 2022.82),
    (2, 0, 2023.20),
    (2, 1, 2023.76),
    (2, 2, 2024.08),
    (2, 3, 2024.31),
    (2, 4, 2024.56),
    (2, 5, 2024.79),
    (2, 6, 2025.08),
    (2, 7, 2025.31),
    (2, 8, 2025.60),
    (2, 9, 2025.79),
    (2, 10, 2026.06),
    (2, 11, 2026.23),
];

/// A week, as a fraction of a year.
const WEEK: f64 = 7.0 / 365.0;

/// The last date, as a fraction of a year, at which the version of PyTorch named in a description of software was the
/// newest one; `None` where none is named or no newer one is known. `PyTorch 1.10`, `torch==2.1.0` and
/// `pytorch 1.13.0a0+d0d6b1f` are versions; `NGC PyTorch 22.05` is a container.
pub fn newest_until(stack: &str) -> Option<f64> {
    let words = stack.to_lowercase();
    let named = words
        .match_indices("torch")
        .map(|(at, word)| words[at + word.len()..].trim_start_matches([' ', '=', '-']))
        .find_map(version)?;
    let next = PYTORCH
        .iter()
        .find(|(major, minor, _)| (*major, *minor) > named)?;
    Some(next.2 - WEEK)
}

/// `1.10` of `1.10.0a0+ecc3718`, where it is one of PyTorch's.
fn version(text: &str) -> Option<(u32, u32)> {
    let (major, rest) = text.split_once('.')?;
    let minor = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    let (major, minor) = (major.parse().ok()?, minor.parse().ok()?);
    PYTORCH
        .iter()
        .any(|(a, b, _)| (*a, *b) == (major, minor))
        .then_some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_containers_are_not() {
        let dates = [
            ("PyTorch 1.10 + CUDA 11.3, timm benchmark.py train", 2022.17),
            (
                "NVIDIA DeepLearningExamples, PyTorch 1.10.0a0+ecc3718, CUDA V11.4.48",
                2022.17,
            ),
            ("Composer FSDP, torch 1.12", 2022.80),
            ("llm-foundry + Composer FSDP, torch 2.1-era", 2024.06),
            ("PyTorch 1.0.0a0+dd2c487, CUDA 9.2", 2019.31),
            ("flash-attn, torch==2.1.0+cu118", 2024.06),
        ];
        for (stack, date) in dates {
            let found = newest_until(stack).unwrap();
            assert!((found - date).abs() < 0.005, "{stack}: {found}");
        }
        for stack in [
            "NGC PyTorch 22.05",
            "PyTorch NVIDIA Release 25.09",
            "CUDA 10.2, cuDNN 7605",
            "TensorFlow 1.15",
            "",
        ] {
            assert_eq!(newest_until(stack), None, "{stack}");
        }
    }

    #[test]
    fn releases_follow_one_another() {
        assert!(
            PYTORCH
                .windows(2)
                .all(|w| (w[0].0, w[0].1) < (w[1].0, w[1].1) && w[0].2 < w[1].2)
        );
    }
}
