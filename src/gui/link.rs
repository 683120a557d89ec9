//! Where a source can be opened: an address made of what the data say, and words for how exact it is. Nothing is added
//! to the data: without a commit the address leads to the newest state, and the words say so.

use crate::planner::PriceUsed;

/// Characters of a commit that are shown.
const SHORT: usize = 9;
/// When the measured runs were transcribed: `assets/runs/README.md`.
const READ: &str = "2026-11";
/// The repository behind each publication of the measured runs whose rows give a path in it.
const REPOSITORIES: [(&str, &str); 29] = [
    ("bigscience", "bigscience-workshop/bigscience"),
    ("colossalai", "hpcaitech/ColossalAI"),
    ("detectron", "facebookresearch/Detectron"),
    ("flash-attention", "Dao-AILab/flash-attention"),
    ("gavel", "stanford-futuredata/gavel"),
    ("jax-toolbox", "NVIDIA/JAX-Toolbox"),
    ("lambda", "lambdal/deeplearning-benchmark"),
    (
        "lambda-tensorflow",
        "LambdaColdStorage/lambda-tensorflow-benchmark",
    ),
    ("levanter", "stanford-crfm/levanter"),
    ("llm-foundry", "mosaicml/llm-foundry"),
    ("llm.c", "karpathy/llm.c"),
    ("maskrcnn-benchmark", "facebookresearch/maskrcnn-benchmark"),
    ("maxtext", "AI-Hypercomputer/maxtext"),
    ("megatron-bridge", "NVIDIA-NeMo/Megatron-Bridge"),
    ("megatron-deepspeed", "deepspeedai/Megatron-DeepSpeed"),
    ("megatron-lm", "NVIDIA/Megatron-LM"),
    ("mli-transformers-benchmarks", "mli/transformers-benchmarks"),
    ("modded-nanogpt", "KellerJordan/modded-nanogpt"),
    ("mosaicml-examples", "mosaicml/examples"),
    ("nemo", "NVIDIA/NeMo"),
    ("nemo-launcher", "NVIDIA/NeMo-Framework-Launcher"),
    ("neusight", "sitar-lab/NeuSight"),
    ("nvidia-dle", "NVIDIA/DeepLearningExamples"),
    ("nvidia-dle-history", "NVIDIA/DeepLearningExamples"),
    ("perseus-sosp24", "ml-energy/zeus"),
    ("ryujaehun", "ryujaehun/pytorch-gpu-benchmark"),
    ("timm", "huggingface/pytorch-image-models"),
    ("tpu-recipes", "AI-Hypercomputer/tpu-recipes"),
    ("vtrain", "VIA-Research/vTrain"),
];

/// A source that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its address.
    pub url: String,
    /// Which repository or site.
    pub name: String,
    /// At which commit; that none is recorded, where none is; nothing of a site.
    pub version: String,
}

impl Link {
    fn site(url: &str) -> Self {
        let url = url.split([' ', ';']).next().unwrap_or(url);
        let bare = url
            .trim_start_matches("https://")
            .trim_start_matches("http://");
        let host = bare.split('/').next().unwrap_or(bare);
        Self {
            url: url.to_owned(),
            name: host.to_owned(),
            version: String::new(),
        }
    }

    /// A file, or a folder, of a repository; `dated` is when it was read, where that is known.
    fn file(repository: &str, path: &str, commit: Option<&str>, dated: Option<&str>) -> Self {
        let kind = if path.ends_with('/') { "tree" } else { "blob" };
        let path = encoded(path.trim_end_matches('/'));
        let at = commit.unwrap_or("HEAD");
        let version = match (commit, dated) {
            (Some(commit), _) => {
                // A tag is no hash: it is shown whole.
                let is_hash = commit.chars().all(|c| c.is_ascii_hexdigit());
                let most = if is_hash { SHORT } else { commit.len() };
                let short: String = commit.chars().take(most).collect();
                format!("at {short}")
            }
            (None, Some(date)) => format!("commit not recorded, read {date}"),
            (None, None) => "commit not recorded".to_owned(),
        };
        Self {
            url: format!("https://github.com/{repository}/{kind}/{at}/{path}"),
            name: repository.to_owned(),
            version,
        }
    }

    /// Name and version: `NVIDIA/NeMo at 8e3d65dcf`.
    pub fn words(&self) -> String {
        let gap = match self.version.as_str() {
            "" => "",
            version if version.starts_with("at ") => " ",
            _ => ", ",
        };
        format!("{}{gap}{}", self.name, self.version)
    }
}

/// Blanks and what would end a path, as an address writes them.
fn encoded(path: &str) -> String {
    let mut out = String::new();
    for c in path.chars() {
        match c {
            ' ' => out.push_str("%20"),
            '#' => out.push_str("%23"),
            '?' => out.push_str("%3F"),
            '%' => out.push_str("%25"),
            c => out.push(c),
        }
    }
    out
}

/// The source of a measured run by its publication and the path in it.
pub fn of_run(source: &str, path: &str) -> Option<Link> {
    let file = path.split('#').next().unwrap_or(path);
    if file.starts_with("http") {
        return Some(Link::site(file));
    }
    let file = file.split(" (").next().unwrap_or(file).trim_end();
    let (file, at) = match file.rsplit_once('@') {
        Some((file, at)) => (file, Some(at)),
        None => (file, None),
    };
    // The word for "the newest" that some rows bear is no version.
    let commit = at.filter(|at| *at != "HEAD" && !at.is_empty());
    if source == "mlperf-training" {
        // A repository for each round.
        let (round, rest) = file.split_once('/')?;
        return Some(Link::file(
            &format!("mlcommons/{round}"),
            rest,
            commit,
            Some(READ),
        ));
    }
    if let Some((repository, file)) = file.split_once(' ').filter(|_| source == "tensorflow-docs") {
        return Some(Link::file(repository, file, commit, Some(READ)));
    }
    if let Some(file) = file.strip_prefix("NeMo-Framework-Launcher:") {
        let repository = "NVIDIA/NeMo-Framework-Launcher";
        return Some(Link::file(repository, file, commit, Some(READ)));
    }
    let (_, repository) = REPOSITORIES.iter().find(|(key, _)| *key == source)?;
    Some(Link::file(repository, file, commit, Some(READ)))
}

/// The source of a figure that the presets have: an address, or `owner/repository:path`. Of several the first.
pub fn of_preset(source: &str, note: Option<&str>, date: &str) -> Option<Link> {
    if source.starts_with("http") {
        return Some(Link::site(source));
    }
    let first = source.split(" ; ").next().unwrap_or(source);
    let (repository, path) = first.split_once(':')?;
    let (owner, name) = repository.split_once('/')?;
    let plain = |word: &str| !word.is_empty() && !word.contains([' ', '/']);
    if !plain(owner) || !plain(name) {
        return None;
    }
    let path = path.split(" + ").next().unwrap_or(path);
    let path = path.split(" (").next().unwrap_or(path).trim();
    let commit = note
        .and_then(|note| note.strip_prefix("commit "))
        .and_then(|rest| rest.split([';', ' ', ',']).next())
        .filter(|word| word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit()));
    let dated = (!date.is_empty()).then_some(date);
    Some(Link::file(repository, path, commit, dated))
}

/// The source of a price.
pub fn of_price(price: &PriceUsed) -> Option<Link> {
    of_preset(&price.source, price.note.as_deref(), &price.date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::Catalogue;

    #[test]
    fn runs_lead_to_their_commit_or_say_that_none_is_recorded() {
        let of = |source: &str, path: &str| {
            let link = of_run(source, path).unwrap();
            (link.url.clone(), link.words())
        };
        let (url, words) = of(
            "megatron-bridge",
            "docs/performance-summary-archive.md@4ab94dfad#25.09 NeMo > System: DGX-B200",
        );
        assert_eq!(
            url,
            "https://github.com/NVIDIA-NeMo/Megatron-Bridge/blob/4ab94dfad/docs/performance-summary-archive.md"
        );
        assert_eq!(words, "NVIDIA-NeMo/Megatron-Bridge at 4ab94dfad");
        let (url, words) = of("llm-foundry", "scripts/README.md@HEAD#H100 80GB BF16");
        assert_eq!(
            url,
            "https://github.com/mosaicml/llm-foundry/blob/HEAD/scripts/README.md"
        );
        assert_eq!(
            words,
            "mosaicml/llm-foundry, commit not recorded, read 2026-11"
        );
        let (url, _) = of(
            "mlperf-training",
            "training_results_v5.0/NVIDIA/results/x/bert/",
        );
        assert_eq!(
            url,
            "https://github.com/mlcommons/training_results_v5.0/tree/HEAD/NVIDIA/results/x/bert"
        );
        let (url, _) = of("ryujaehun", "new_results/GeForce RTX 2080 Ti_half.csv");
        assert!(url.ends_with("/new_results/GeForce%20RTX%202080%20Ti_half.csv"));
        let (url, _) = of("gavel", "scheduler/a.json#k80 ('A3C', 1)");
        assert!(url.ends_with("/blob/HEAD/scheduler/a.json"));
        let (url, words) = of(
            "tensorflow-docs",
            "tensorflow/tensorflow tensorflow/docs_src/b.md@5984ffefd320c5d7#EC2 K80",
        );
        assert_eq!(
            url,
            "https://github.com/tensorflow/tensorflow/blob/5984ffefd320c5d7/tensorflow/docs_src/b.md"
        );
        assert_eq!(words, "tensorflow/tensorflow at 5984ffefd");
        let (_, words) = of("nemo", "docs/performance.md@24.09-alpha#Pretraining");
        assert_eq!(words, "NVIDIA/NeMo at 24.09-alpha");
        assert_eq!(of_run("somebody", "a/b.csv"), None);
    }

    #[test]
    fn every_price_and_grid_that_ships_leads_somewhere_without_a_blank() {
        let catalogue = Catalogue::shipped().unwrap();
        let mut with_commit = 0;
        for part in catalogue.accelerators() {
            for price in catalogue.prices(&part.name) {
                let link = of_price(&PriceUsed::listed(price, 1));
                let link = link.unwrap_or_else(|| panic!("no link for {}", price.source));
                assert!(link.url.starts_with("https://") && !link.url.contains(' '));
                with_commit += usize::from(link.version.starts_with("at "));
            }
        }
        assert!(with_commit > 30, "{with_commit}");
        for grid in catalogue.grids() {
            let link = of_preset(&grid.source, grid.note.as_deref(), &grid.retrieved);
            assert!(
                link.is_some_and(|l| !l.url.contains(' ')),
                "{}",
                grid.source
            );
        }
    }
}
