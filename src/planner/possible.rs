//! Rows of measured runs that contradict themselves: columns that no run can have together.
//!
//! Published tables have a few such rows, and what they must have meant is taken (`predictor::resolve`). A person's own row is
//! better mended: only what is certainly impossible is named, and what the row leaves open is not.

use crate::dataset::MeasuredRun;
use crate::domain::ranges::MAX_COUNT;
use crate::domain::{BlockStack, Sharding};
use crate::format;

/// How far a batch may be off what its parts multiply to: sources round.
const ROUNDING: f64 = 0.05;
/// Pipeline stages beyond the layers of a model: the embedding and the head may have one each (Megatron-LM,
/// `--account-for-embedding-in-pipeline-split` and the one for the loss).
const STAGES_BESIDE_LAYERS: f64 = 2.0;

/// What a row contradicts itself in, given the blocks of its model where it has any: a sentence with the columns, their values
/// and what is allowed.
pub(super) fn contradiction(run: &MeasuredRun, blocks: Option<&BlockStack>) -> Option<String> {
    check_columns(run)
        .and_then(|()| check_layout(run, blocks))
        .err()
}

/// What no run can be, whatever its model is.
fn check_columns(run: &MeasuredRun) -> Result<(), String> {
    let gpus = f64::from(run.gpus);
    if run.gpus > MAX_COUNT {
        let most = format::as_given(f64::from(MAX_COUNT));
        return Err(format!(
            "`gpus` {} is not a whole number from 1 to {most}",
            run.gpus
        ));
    }
    for (column, value) in [("nodes", run.nodes), ("ep", run.ep)] {
        if let Some(value) = value.filter(|value| *value > run.gpus) {
            return Err(format!(
                "`{column}` {value} is more than `gpus` {}; allowed: 1 to `gpus`",
                run.gpus
            ));
        }
    }
    let degrees = degrees(run);
    if product(&degrees) > gpus {
        return Err(format!(
            "{} are more devices than `gpus` {}; allowed: degrees that multiply to `gpus`",
            multiplied(&degrees),
            run.gpus
        ));
    }
    check_batch(run)
}

/// What no run of a model can be.
fn check_layout(run: &MeasuredRun, blocks: Option<&BlockStack>) -> Result<(), String> {
    let layers = blocks.map(|blocks| blocks.layers);
    if let (Some(stages), Some(layers)) = (run.pp, layers)
        && f64::from(stages) > layers + STAGES_BESIDE_LAYERS
    {
        return Err(format!(
            "`pp` {stages} is more stages than `model` {} has layers; allowed: 1 to {layers}",
            run.model
        ));
    }
    let degrees = degrees(run);
    let (made, gpus) = (product(&degrees), f64::from(run.gpus));
    // Replicas may be counted without the ranks that share a sequence or experts, or by groups of a hybrid sharding.
    let sharding = run.sharding.as_deref().and_then(|word| word.parse().ok());
    let left_open = run.dp.is_none()
        || run.ep.is_some_and(|experts| experts > 1)
        || sharding == Some(Sharding::Hsdp)
        || (run.cp.is_none() && blocks.is_some());
    let is_off = match left_open {
        true => run.dp.is_some() && gpus % made != 0.0,
        false => made != gpus,
    };
    if is_off {
        return Err(format!(
            "{} do not make `gpus` {}; allowed: degrees that multiply to `gpus`",
            multiplied(&degrees),
            run.gpus
        ));
    }
    Ok(())
}

/// The batch against what it is made of, where the row states the replicas or has one alone.
fn check_batch(run: &MeasuredRun) -> Result<(), String> {
    let replicas = run.dp.or((run.gpus == 1).then_some(1));
    let (Some(micro), Some(global), Some(replicas)) =
        (run.batch_per_gpu, run.global_batch, replicas)
    else {
        return Ok(());
    };
    let at_once = micro * f64::from(replicas);
    let steps = run.grad_accum.map(f64::from);
    // The last micro-step may be half empty.
    let least = at_once * (steps.unwrap_or(1.0) - 1.0).max(1.0);
    let most = steps.map_or(f64::INFINITY, |steps| at_once * steps);
    if global >= least * (1.0 - ROUNDING) && global <= most * (1.0 + ROUNDING) {
        return Ok(());
    }
    let accumulated = steps.map_or_else(String::new, |steps| format!(" × `grad_accum` {steps}"));
    let devices = run
        .dp
        .map_or_else(String::new, |dp| format!(" × `dp` {dp}"));
    let made = at_once * steps.unwrap_or(1.0);
    Err(format!(
        "`global_batch` {global} is not `batch_per_gpu` {micro}{devices}{accumulated} = {made}; allowed: a batch that they \
         multiply to, or one of them blank"
    ))
}

/// The degrees that multiply to the devices, by column.
fn degrees(run: &MeasuredRun) -> [(&'static str, Option<u32>); 4] {
    [
        ("dp", run.dp),
        ("tp", run.tp),
        ("pp", run.pp),
        ("cp", run.cp),
    ]
}

fn product(degrees: &[(&str, Option<u32>)]) -> f64 {
    let stated = degrees.iter().filter_map(|(_, degree)| *degree);
    stated.map(f64::from).product()
}

/// The stated degrees in words: `` `dp` 4 × `tp` 2 = 8``.
fn multiplied(degrees: &[(&str, Option<u32>)]) -> String {
    let stated: Vec<String> = (degrees.iter())
        .filter_map(|(column, degree)| Some(format!("`{column}` {}", (*degree)?)))
        .collect();
    match stated.as_slice() {
        [one] => one.clone(),
        _ => format!("{} = {}", stated.join(" × "), product(degrees)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{first_sight_runs, read_runs, shipped_runs};
    use crate::predictor::resolve::resolve;
    use crate::presets::Catalogue;

    const COLUMNS: &str = "model,gpu,precision,gpus,nodes,dp,tp,pp,cp,ep,sharding,batch_per_gpu,grad_accum,global_batch";

    fn told(model: &str, cells: &str) -> Option<String> {
        let text = format!("{COLUMNS}\n{model},A100-SXM4-80GB,amp-bf16,{cells}\n");
        let report = read_runs(text.as_bytes(), "runs.csv").unwrap();
        let run = &report.runs[0];
        let catalogue = Catalogue::shipped().unwrap();
        let configuration = resolve(run, &catalogue).unwrap();
        contradiction(run, configuration.workload.profile.blocks.as_ref())
    }

    #[test]
    fn what_no_run_can_be_is_refused_by_its_columns() {
        for (model, cells, columns) in [
            ("bert-large", "1,,,3,,,,,,,", &["`tp` 3", "`gpus` 1"][..]),
            (
                "bert-large",
                "128,,,,100,,,,,,",
                &["`pp` 100", "bert-large", "1 to 24"],
            ),
            (
                "bert-large",
                "8,,4,1,1,1,,,,,",
                &["`dp` 4 × `tp` 1 × `pp` 1 × `cp` 1 = 4", "`gpus` 8"],
            ),
            ("resnet50", "8,,4,1,1,,,,,,", &["= 4 do not make `gpus` 8"]),
            ("bert-large", "8,,3,,,,,,,,", &["`dp` 3", "`gpus` 8"]),
            (
                "bert-large",
                "8,,8,,,,,,8,1,1000",
                &[
                    "`global_batch` 1000",
                    "`batch_per_gpu` 8",
                    "`dp` 8",
                    "`grad_accum` 1 = 64",
                ],
            ),
            ("bert-large", "8,,8,,,,,,8,,32", &["`global_batch` 32"]),
            (
                "bert-large",
                "1000000000,,,,,,,,,,",
                &["`gpus` 1000000000", "1 to 1"],
            ),
            ("bert-large", "8,16,,,,,,,,,", &["`nodes` 16", "`gpus` 8"]),
            ("mixtral-8x7b", "4,,,,,,8,,,,", &["`ep` 8", "`gpus` 4"]),
            (
                "bert-large",
                "8,,,65536,65536,,,,,,",
                &["`tp` 65536", "`gpus` 8"],
            ),
        ] {
            let told = told(model, cells).unwrap_or_else(|| panic!("{model} {cells}"));
            assert!(columns.iter().all(|word| told.contains(word)), "{told}");
        }
    }

    #[test]
    fn what_a_row_leaves_open_is_not_refused() {
        for (model, cells) in [
            ("bert-large", "8,1,8,1,1,1,,,8,16,1024"),
            // The last of its micro-steps half empty, or the batch rounded.
            ("bert-large", "8,,8,,,,,,8,16,1000"),
            ("bert-large", "8,,,2,,,,,8,1,1000"),
            // Replicas without the ranks that share a sequence, or experts, or a group.
            ("llama-3-8b", "8,,4,1,1,,,,,,"),
            ("mixtral-8x7b", "8,,4,1,1,1,2,,,,"),
            ("llama-3-8b", "8,,4,1,1,1,,hsdp,,,"),
            ("resnet50", "8,,,,,,,,64,,"),
        ] {
            assert_eq!(told(model, cells), None, "{model} {cells}");
        }
    }

    #[test]
    fn hardly_any_published_row_contradicts_itself() {
        let catalogue = Catalogue::shipped().unwrap();
        let all = shipped_runs()
            .unwrap()
            .into_iter()
            .chain(first_sight_runs().unwrap());
        let refused: Vec<String> = all
            .filter_map(|run| {
                let blocks = resolve(&run, &catalogue).ok()?.workload.profile.blocks;
                let why = contradiction(&run, blocks.as_ref())?;
                Some(format!("{} {}: {why}", run.source, run.row))
            })
            .collect();
        assert!(refused.len() <= 16, "{refused:#?}");
    }
}
