//! What published recipes do that their tables of speeds do not say, as their code has it.

use super::resolve::is_raced;
use crate::dataset::MeasuredRun;
use crate::domain::{
    Model, ModelSource, OperatorProfile, Optimizer, OptimizerKernels, PrecisionMode, Sentences,
    SoftwareStack, TORCH_ATTENTION_SINCE, TransformerLayout,
};
use crate::physics::expected_largest;
use crate::presets::Catalogue;
use std::sync::Arc;

/// Lambda's benchmark, which runs NVIDIA's examples with arguments of its own, by the start of its stack.
const BY_LAMBDA: &str = "nvidia deeplearningexamples";

/// Transformer-XL as NVIDIA's script has it, whatever its size.
const TRANSFORMER_XL: &str = "transformer-xl";

/// The task of runs that translate.
const TRANSLATION: &str = "translation";

/// NVIDIA's recipe to pretrain BERT came with batches of like length, and with autocast in place of apex, in autumn 2021; that
/// on PaddlePaddle with such batches in January 2023 (its README, "Changelog"), measured in the container of December 2022.
const BERT_RECIPE_OF_2021: f64 = 2021.75;
const PADDLE_RECIPE_OF_2023: f64 = 2022.9;

/// The stack of a run in lower case; empty where it names none.
pub(super) fn stack_of(run: &MeasuredRun) -> String {
    run.stack.as_deref().unwrap_or("").to_lowercase()
}

/// Whether a stack is NVIDIA's examples, in NVIDIA's containers or as Lambda's benchmark runs them.
fn is_by_nvidia(stack: &str) -> bool {
    stack.contains("ngc") || stack.starts_with(BY_LAMBDA)
}

/// The model a run names, as its recipe trains it: Lambda's benchmark gives Transformer-XL's script no `--adaptive`, so that
/// every word scores the whole vocabulary (lambdal/deeplearning-benchmark, `pytorch/scripts/config_v1`).
pub(super) fn as_trained(
    run: &MeasuredRun,
    catalogue: &Catalogue,
) -> Result<Arc<Model>, super::resolve::Unresolved> {
    let named = |name: &str| catalogue.model_or_layers(name).map_err(|e| e.to_string());
    let model = named(&run.model)?;
    let adaptive = matches!(
        model.name.as_str(),
        "transformer-xl-base" | "transformer-xl-large"
    );
    if adaptive && stack_of(run).starts_with(BY_LAMBDA) {
        return named(&format!("{}-full-softmax", model.name));
    }
    Ok(model)
}

/// How the optimizer runs: PyTorch's own has a kernel for each operation, racing stacks fuse theirs. NVIDIA's recipes, which
/// Lambda's benchmark runs too, take fused ones for Adam and LAMB (DeepLearningExamples: apex's in BERT, GNMT, Transformer,
/// FastPitch and NCF, `JITLamb` in Transformer-XL), but fine-tune BERT with `BertAdam` where nothing is cast
/// (`PyTorch/LanguageModeling/BERT`: `run_squad.py`, `optimization.py`).
pub(super) fn optimizer_kernels(
    model: &Model,
    mode: PrecisionMode,
    framework: &str,
    stack: &str,
    benchmark: bool,
) -> OptimizerKernels {
    if framework != "pytorch" || benchmark {
        return OptimizerKernels::Fused;
    }
    let adaptive = matches!(
        model.optimizer,
        Optimizer::Adam | Optimizer::Adamw | Optimizer::Lamb
    );
    if !is_by_nvidia(stack) || !adaptive {
        return OptimizerKernels::Operations;
    }
    let casts = matches!(mode, PrecisionMode::AmpFp16 | PrecisionMode::AmpBf16);
    if model.family == "bert" && model.is_fine_tuned() && !casts {
        OptimizerKernels::BertAdam
    } else if model.name.starts_with(TRANSFORMER_XL) && model.optimizer == Optimizer::Adam {
        // Its script compiles a LAMB of its own, but takes PyTorch's Adam.
        OptimizerKernels::Operations
    } else {
        OptimizerKernels::Fused
    }
}

/// Whether blocks run in kernels fused by hand, as NVIDIA's recipes to pretrain have them by what its containers bring (apex,
/// for one). Scripts that fine-tune run plainly (DeepLearningExamples, `PyTorch/LanguageModeling/BERT`: `run_squad.py` beside
/// `run_pretraining.py`), and a run that names no container is taken for plain.
pub(super) fn fuses_by_hand(model: &Model, framework: &str, stack: &str) -> bool {
    stack.contains("ngc") && matches!(framework, "pytorch" | "paddle") && !model.is_fine_tuned()
}

/// What submissions list that race NVIDIA's code, by how it starts: the frameworks that are in it, its containers, or nothing.
const LISTED: [&str; 9] = [
    "mxnet",
    "nemo",
    "pytorch",
    "hugectr",
    "dgl",
    "nvidia dgl",
    "ngc",
    "cuda",
    "merlin",
];

/// The framework that a raced run's model runs in, whichever its submission lists. One that cuts its layers or its stack of them
/// is built on Megatron; else partners of NVIDIA race NVIDIA's code and list the containers of the whole suite, so that RetinaNet
/// is one of MXNet or NeMo in half of the entries, at the same speed (MLPerf training results, `benchmarks/*/implementations` of
/// their submitters). `None` where the list stands: language models and SSD have been raced in several, others bring code of
/// their own, and who lists PyTorch alone for a benchmark that NVIDIA runs in MXNet has ported it.
pub(super) fn raced_in(run: &MeasuredRun, listed: &str) -> Option<&'static str> {
    if !is_raced(run) {
        return None;
    }
    if run.tp.unwrap_or(1) > 1 || run.pp.unwrap_or(1) > 1 {
        return Some("nemo");
    }
    let own = match run.task.as_deref()? {
        "image-classification" | "segmentation" => "mxnet",
        "recommendation" => "hugectr",
        "diffusion" => "nemo",
        "detection" if !run.model.starts_with("ssd") => "pytorch",
        "speech" | "graph" | TRANSLATION => "pytorch",
        _ => return None,
    };
    let is_nvidia_s = listed.is_empty() || LISTED.iter().any(|start| listed.starts_with(start));
    let is_ported = listed == "pytorch" && own == "mxnet";
    (is_nvidia_s && !is_ported).then_some(own)
}

/// Whether BERT's batches hold sequences of like length, so that `seq_len` is a ceiling: those of NVIDIA's recipe of the second
/// phase do from these dates on (DeepLearningExamples, PyTorch and PaddlePaddle BERT README: LDDL, bins of 64 tokens).
/// Racing stacks drop all padding (MLPerf training, BERT reference and submissions).
pub(super) fn binned_by_length(
    model: &Model,
    seq_len: Option<u32>,
    framework: &str,
    stack: &str,
    date: f64,
) -> bool {
    let since = match framework {
        "pytorch" => BERT_RECIPE_OF_2021,
        "paddle" => PADDLE_RECIPE_OF_2023,
        _ => return false,
    };
    !model.is_fine_tuned()
        && seq_len.is_some_and(|length| length >= 512)
        && stack.contains("ngc")
        && date >= since
}

/// Tokens that sentences to translate are padded to in a model of whole sequences, where a run states none: its `seq_len`
/// is then a ceiling that few reach, and a batch is as long as its longest (`run_translation.py` of Hugging Face pads by
/// batch, to multiples of 8; recipes of models whose sentences are known pad to whole tokens).
///
/// Elsewhere a sentence has 24 words on average (Europarl v7: 54.0 M words in 2.22 M English sentences,
/// statmt.org/europarl), each of about one and a half tokens, behind a prompt of a few; lengths are taken as log-normal. Two
/// published rows of T5 agree: predicted 4.2 times too slow at the 512 tokens of its pretraining.
pub(super) fn sentence_tokens(run: &MeasuredRun, model: &Model) -> Option<u32> {
    const EUROPARL: Sentences = Sentences {
        mean: 24.0 * 1.5 + 6.0,
        spread: 0.6,
    };
    const MULTIPLE: f64 = 8.0;
    let whole = matches!(&model.profile, ModelSource::Transformer(shape)
        if shape.layout == TransformerLayout::EncoderDecoder);
    if run.task.as_deref() != Some(TRANSLATION) || !whole {
        return None;
    }
    let batch = run.batch_per_gpu.or(model.batch_per_gpu)?.max(1.0);
    let longest = |of: Sentences| {
        of.mean * (of.spread * expected_largest(batch) - of.spread * of.spread / 2.0).exp()
    };
    if let Some(known) = model.sentences {
        return Some(longest(known).ceil() as u32);
    }
    let most = f64::from(model.seq_len?);
    Some(((longest(EUROPARL) / MULTIPLE).ceil() * MULTIPLE).min(most) as u32)
}

/// Whether a run's replicas never exchange gradients: Lambda's benchmark gives Transformer-XL's script no `--multi_gpu`, without
/// which it wraps the model in nothing (`multi_gpu : None` in each of its logs, `pytorch/results`; eight RTX 3090 without
/// NVLink take as long a step as one).
pub(super) fn forgets_exchange(run: &MeasuredRun) -> bool {
    run.model.starts_with(TRANSFORMER_XL) && stack_of(run).starts_with(BY_LAMBDA)
}

/// Whether models take PyTorch's fused attention, encoders and nets for pictures too, in 32 bits as in 16: most of timm's do
/// since its 0.9 (May 2023), diffusers' since 0.13 (February 2023), those of Transformers since 4.41 (May 2024). NVIDIA's
/// examples write theirs out, as some models do.
pub(super) fn has_torch_attention(
    framework: &str,
    stack: &str,
    profile: &OperatorProfile,
    mode: PrecisionMode,
    date: f64,
) -> bool {
    framework == "pytorch"
        && date >= TORCH_ATTENTION_SINCE
        && mode != PrecisionMode::Fp64
        && !is_by_nvidia(stack)
        && profile.attends()
}

/// Whether a recipe casts the model as a whole to FP16 in place of autocast: NVIDIA's BERT (`amp.initialize(opt_level="O2")` in
/// `run_squad.py`, and in `run_pretraining.py` until its recipe of autumn 2021) and Transformer-XL (`--apex_amp_opt_level O2`
/// by default) do, on PyTorch (DeepLearningExamples).
pub(super) fn casts_whole_model(
    run: &MeasuredRun,
    model: &Model,
    mode: PrecisionMode,
    software: &SoftwareStack,
) -> bool {
    let bert =
        model.family == "bert" && (model.is_fine_tuned() || software.date < BERT_RECIPE_OF_2021);
    mode == PrecisionMode::AmpFp16
        && software.framework == "pytorch"
        && is_by_nvidia(&stack_of(run))
        && (bert || model.name.starts_with(TRANSFORMER_XL))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FINE_TUNING;

    #[test]
    fn a_raced_model_runs_in_its_own_framework_whichever_are_listed() {
        let raced = |task: &str, tuning: &str| MeasuredRun {
            task: Some(task.into()),
            tuning: Some(tuning.into()),
            ..MeasuredRun::default()
        };
        let detector = raced("detection", "benchmark");
        assert_eq!(raced_in(&detector, "mxnet"), Some("pytorch"));
        assert_eq!(raced_in(&detector, ""), Some("pytorch"));
        assert_eq!(raced_in(&detector, "popart 2.3"), None);
        let ssd = MeasuredRun {
            model: "ssd-resnet34".into(),
            ..detector.clone()
        };
        assert_eq!(raced_in(&ssd, "mxnet"), None);
        let classifier = raced("image-classification", "benchmark");
        assert_eq!(raced_in(&classifier, "nemo"), Some("mxnet"));
        assert_eq!(raced_in(&classifier, "pytorch"), None);
        assert_eq!(raced_in(&raced("detection", "tuned"), "mxnet"), None);
        let language = raced("language-pretraining", "benchmark");
        assert_eq!(raced_in(&language, "mxnet"), None);
    }

    #[test]
    fn recipes_that_pretrain_fuse_by_hand_and_those_that_fine_tune_do_not() {
        let catalogue = Catalogue::shipped().unwrap();
        let bert = catalogue.model("bert-large").unwrap();
        let fuses = |framework: &str, stack: &str, task: &str| {
            fuses_by_hand(&bert.for_task(task), framework, stack)
        };
        let pretraining = "language-pretraining";
        assert!(fuses("pytorch", "ngc pytorch 21.11", pretraining));
        assert!(fuses("paddle", "ngc paddlepaddle 22.12", pretraining));
        assert!(!fuses("pytorch", "ngc pytorch 21.11", FINE_TUNING));
        assert!(!fuses("pytorch", "pytorch 1.10", pretraining));
        assert!(!fuses("tensorflow2", "ngc tensorflow 21.02", pretraining));
    }

    #[test]
    fn sentences_are_as_long_as_the_longest_of_a_batch() {
        let catalogue = Catalogue::shipped().unwrap();
        let tokens = |model: &str, task: &str, batch: f64| {
            let run = MeasuredRun {
                model: model.into(),
                task: Some(task.into()),
                batch_per_gpu: Some(batch),
                ..MeasuredRun::default()
            };
            sentence_tokens(&run, catalogue.model(model).unwrap())
        };
        let alone = tokens("t5-base", "translation", 1.0).unwrap();
        let among = tokens("t5-base", "translation", 32.0).unwrap();
        assert!((32..=48).contains(&alone), "{alone}");
        assert!((88..=128).contains(&among) && among % 8 == 0, "{among}");
        assert!(tokens("t5-base", "translation", 1e9).unwrap() <= 512);
        assert_eq!(tokens("t5-base", "language-pretraining", 32.0), None);
        let short = tokens("transformer-multi30k", "translation", 64.0).unwrap();
        assert!((26..=32).contains(&short), "{short}");
        // Whose trace is of sentences.
        assert_eq!(tokens("gnmt-v2", "translation", 32.0), None);
    }

    #[test]
    fn lambda_alone_forgets_the_exchange_of_transformer_xl() {
        let run = |model: &str, stack: &str| MeasuredRun {
            model: model.into(),
            stack: Some(stack.into()),
            ..MeasuredRun::default()
        };
        let lambda = "NVIDIA DeepLearningExamples, PyTorch 1.13";
        assert!(forgets_exchange(&run("transformer-xl-base", lambda)));
        assert!(!forgets_exchange(&run("bert-base", lambda)));
        assert!(!forgets_exchange(&run(
            "transformer-xl-base",
            "NGC PyTorch 20.06"
        )));
    }
}
