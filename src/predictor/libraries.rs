//! Training libraries by name: the framework that each is built on, and what each does unasked.
//!
//! A run that names its library in place of its framework, or beside it, has said more than a framework's name does.

/// What a library does unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Library {
    /// Names in lower case, as frameworks are named.
    names: &'static [&'static str],
    /// The framework of the run schema that it is built on.
    pub framework: &'static str,
    /// Norms and positions of its blocks run in kernels fused by hand.
    pub fuses_blocks: bool,
    /// The loss over a vocabulary runs in one kernel each way.
    pub fuses_loss: bool,
    /// The optimizer runs in one kernel.
    pub fuses_optimizer: bool,
    /// Beside tensor parallelism the rest of a block is cut along the sequence.
    pub sequence_parallel: bool,
}

impl Library {
    const fn on(framework: &'static str, names: &'static [&'static str]) -> Self {
        Self {
            names,
            framework,
            fuses_blocks: false,
            fuses_loss: false,
            fuses_optimizer: false,
            sequence_parallel: false,
        }
    }
}

const LIBRARIES: &[Library] = &[
    // `nn/layer_norm.py` (`TritonRMSNorm`), `models/llama.py` (flash-attn's rotary kernel); its examples have
    // `torch_adam_is_fused` and `tp_mode: REDUCE_SCATTER` (huggingface/nanotron, `examples/config_tiny_llama_bench.yaml`).
    Library {
        fuses_blocks: true,
        fuses_optimizer: true,
        sequence_parallel: true,
        ..Library::on("pytorch", &["nanotron"])
    },
    // Plans of tensor parallelism cut norms along the sequence (`parallelize_llama`), AdamW is fused (`OptimizersContainer`).
    Library {
        fuses_optimizer: true,
        sequence_parallel: true,
        ..Library::on("pytorch", &["torchtitan"])
    },
    // apex's `MixedFusedRMSNorm` and `FusedAdam`, flash-attn's rotary and cross-entropy kernels (InternLM/InternLM, `model/`).
    Library {
        fuses_blocks: true,
        fuses_loss: true,
        fuses_optimizer: true,
        ..Library::on("pytorch", &["internlm", "internevo"])
    },
    // Fused dense layers with their activations, dropout with sum and norm, cross entropy, AdamW (Dao-AILab/flash-attention,
    // `training/configs/experiment`: `fused_mlp`, `fused_bias_fc`, `fused_dropout_add_ln`, `adamw-apex`).
    Library {
        fuses_blocks: true,
        fuses_loss: true,
        fuses_optimizer: true,
        ..Library::on("pytorch", &["flash-attn training repo"])
    },
    // flash-attn's cross entropy (mosaicml/llm-foundry, `llmfoundry/models/mpt/modeling_mpt.py`: `loss_fn: fused_crossentropy`).
    Library {
        fuses_loss: true,
        ..Library::on("pytorch", &["llm-foundry"])
    },
    // `FusedAdam`, `DeepSpeedCPUAdam`.
    Library {
        fuses_optimizer: true,
        ..Library::on("pytorch", &["deepspeed"])
    },
    Library::on(
        "pytorch",
        &[
            "torch",
            "pytorch-lightning",
            "lightning",
            "transformers",
            "accelerate",
            "composer",
            "torchtune",
            "axolotl",
            "litgpt",
            "fairseq",
            "timm",
            "detectron2",
            "mmdetection",
            "pycls",
        ],
    ),
    Library::on(
        "megatron",
        &[
            "megatron-lm",
            "megatron-core",
            "megatron-deepspeed",
            "gpt-neox",
        ],
    ),
    Library::on(
        "jax",
        &["t5x", "paxml", "praxis", "flax", "levanter", "easylm"],
    ),
];

/// The library that a run names as its framework.
fn named(framework: &str) -> Option<&'static Library> {
    LIBRARIES.iter().find(|l| l.names.contains(&framework))
}

/// The framework of the run schema behind the name that a run gives it, in lower case.
pub(super) fn framework_of(name: &str) -> &str {
    named(name).map_or(name, |library| library.framework)
}

/// The library of a run by its framework's name or a word of its stack, both in lower case, where it does more unasked than its
/// framework. A stack names the framework's libraries and much else: only those count that are built on the run's framework.
pub(super) fn library(listed: &str, framework: &str, stack: &str) -> Option<&'static Library> {
    let does_more = |l: &&Library| **l != Library::on(l.framework, l.names);
    let mentions = |name: &&&str| {
        stack.match_indices(**name).any(|(at, _)| {
            let inside = |c: char| c.is_alphanumeric() || c == '-';
            let [before, after] = [&stack[..at], &stack[at + name.len()..]];
            !before.ends_with(inside) && !after.starts_with(inside)
        })
    };
    named(listed).filter(does_more).or_else(|| {
        LIBRARIES
            .iter()
            .filter(does_more)
            .find(|l| l.framework == framework && l.names.iter().any(|n| mentions(&n)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::MeasuredRun;
    use crate::domain::Configuration;
    use crate::physics::{PrecisionView, StepWork};
    use crate::predictor::resolve::resolve;
    use crate::presets::Catalogue;

    fn cut_in_four(framework: &str, stack: &str, flags: &[&str]) -> (Configuration, StepWork) {
        let run = MeasuredRun {
            model: "llama3-8b".into(),
            gpu: "H100-SXM5-80GB".into(),
            gpus: 8,
            precision: Some("amp-bf16".into()),
            framework: Some(framework.into()),
            stack: Some(stack.into()),
            seq_len: Some(4096),
            batch_per_gpu: Some(2.0),
            tp: Some(4),
            flags: flags.iter().map(|f| (*f).to_owned()).collect(),
            ..MeasuredRun::default()
        };
        let c = resolve(&run, &Catalogue::shipped().unwrap()).unwrap();
        let work = StepWork::new(&c, PrecisionView::Aware).unwrap();
        (c, work)
    }

    #[test]
    fn a_run_that_names_its_library_as_framework_or_in_its_stack_is_the_same_run() {
        let [by_name, by_stack] = [
            cut_in_four("nanotron", "", &[]),
            cut_in_four("pytorch", "nanotron 0.4", &[]),
        ];
        assert_eq!(by_name, by_stack);
        assert!(by_name.0.strategy.sequence_parallel);
    }

    #[test]
    fn what_is_cut_along_the_sequence_is_normed_once_among_its_ranks() {
        let norms = |flags: &[&str]| {
            let (c, work) = cut_in_four("nanotron", "", flags);
            (c.strategy.sequence_parallel, work.traffic_forward[1])
        };
        let (cut, part) = norms(&[]);
        let (whole, all) = norms(&["tp-mode=ALL_REDUCE"]);
        assert!(cut && !whole);
        assert!((all / part - 4.0).abs() < 1e-9, "{all} {part}");
    }

    #[test]
    fn a_library_is_known_by_its_name_or_a_word_of_the_stack() {
        let nanotron = named("nanotron").unwrap();
        assert_eq!(framework_of("nanotron"), "pytorch");
        assert_eq!(framework_of("gpt-neox"), "megatron");
        assert_eq!(framework_of("mxnet"), "mxnet");
        assert_eq!(library("nanotron", "pytorch", ""), Some(nanotron));
        assert_eq!(
            library("pytorch", "pytorch", "nanotron 0.4, torch 2.5"),
            Some(nanotron)
        );
        // What a stack names in passing, or what does nothing of its own.
        assert_eq!(
            library("megatron", "megatron", "megatron-lm beside deepspeed"),
            None
        );
        assert_eq!(library("pytorch", "pytorch", "timm benchmark.py"), None);
    }
}
