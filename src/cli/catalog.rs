//! `mantissa catalog`: what there is to plan with.

use super::args::{CatalogArgs, Shelf};
use super::failure::{Failure, print, print_json};
use super::text::{Align, Table};
use crate::domain::{Accelerator, PrecisionMode};
use crate::format;
use crate::presets::Catalogue;
use serde_json::{Value, json};

pub(super) fn run(args: &CatalogArgs, catalogue: &Catalogue) -> Result<(), Failure> {
    if args.json {
        return print_json(&Value::Array(rows(args.what, catalogue)));
    }
    let table = match args.what {
        Shelf::Models => models(catalogue),
        Shelf::Gpus => gpus(catalogue),
        Shelf::Systems => systems(catalogue),
        Shelf::Precisions => precisions(catalogue),
        Shelf::Prices => prices(catalogue),
    };
    print(&table.to_string())
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| format::UNKNOWN.to_owned(), format::number)
}

fn models(catalogue: &Catalogue) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("Model", Left),
        ("Family", Left),
        ("Task", Left),
        ("Tokens", Right),
        ("Pixels", Right),
        ("Also", Left),
    ]);
    for model in catalogue.models() {
        table.push(vec![
            model.name.clone(),
            model.family.clone(),
            model.task.clone(),
            optional(model.seq_len.map(f64::from)),
            optional(model.image_size.map(f64::from)),
            model.aliases.join(", "),
        ]);
    }
    table
}

fn gpus(catalogue: &Catalogue) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("Accelerator", Left),
        ("Year", Right),
        ("Memory", Right),
        ("GB/s", Right),
        ("W", Right),
        ("Modes", Left),
        ("Also", Left),
    ]);
    for part in catalogue.accelerators() {
        table.push(vec![
            part.name.clone(),
            part.year.to_string(),
            format::memory_gib(part.memory),
            format::count(part.memory_bandwidth.gb_per_s()),
            optional(part.tdp.map(|watts| watts.value())),
            modes(part).join(" "),
            part.aliases.join(", "),
        ]);
    }
    table
}

/// The modes a part can be predicted in.
fn modes(part: &Accelerator) -> Vec<&'static str> {
    let can = |mode: &PrecisionMode| part.peak(*mode).is_ok();
    PrecisionMode::ALL
        .into_iter()
        .filter(can)
        .map(PrecisionMode::key)
        .collect()
}

fn systems(catalogue: &Catalogue) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("System", Left),
        ("Accelerator", Left),
        ("Each", Right),
        ("Inside", Left),
        ("GB/s", Right),
        ("Between", Left),
        ("GB/s", Right),
    ]);
    for system in catalogue.systems() {
        table.push(vec![
            system.name.clone(),
            system.accelerator.clone(),
            system.accelerators_per_node.to_string(),
            system.intra_kind.clone(),
            optional(system.intra_bandwidth.map(|rate| rate.gb_per_s())),
            system.inter_kind.clone(),
            optional(system.inter_bandwidth.map(|rate| rate.gb_per_s())),
        ]);
    }
    table
}

fn precisions(catalogue: &Catalogue) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("Mode", Left),
        ("Matmul", Right),
        ("Activation", Right),
        ("Weight", Right),
        ("Gradient", Right),
        ("Master", Right),
        ("State", Right),
        ("Loss scaling", Left),
    ]);
    for mode in PrecisionMode::ALL {
        let spec = catalogue.precision(mode);
        table.push(vec![
            mode.key().to_owned(),
            spec.matmul_bytes.to_string(),
            spec.activation_bytes.to_string(),
            spec.weight_bytes.to_string(),
            spec.gradient_bytes.to_string(),
            spec.master_bytes.to_string(),
            spec.optimizer_state_bytes.to_string(),
            if spec.loss_scaling { "yes" } else { "no" }.to_owned(),
        ]);
    }
    table
}

fn prices(catalogue: &Catalogue) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("Accelerator", Left),
        ("Provider", Left),
        ("Tier", Left),
        ("Each", Right),
        ("Date", Left),
        ("Instance", Left),
    ]);
    for price in catalogue
        .accelerators()
        .iter()
        .flat_map(|part| catalogue.prices(&part.name))
    {
        let date = if price.stale {
            format!("{} stale", price.date)
        } else {
            price.date.clone()
        };
        table.push(vec![
            price.accelerator.clone(),
            price.provider.clone(),
            price.tier.key().to_owned(),
            format::money_per_hour(price.usd_per_hour),
            date,
            price.instance.clone(),
        ]);
    }
    table
}

/// The same as JSON, with sources.
fn rows(what: Shelf, catalogue: &Catalogue) -> Vec<Value> {
    match what {
        Shelf::Models => catalogue.models().iter().map(|m| json!({
            "name": m.name, "aliases": m.aliases, "family": m.family, "task": m.task,
            "optimizer": m.optimizer, "seq_len": m.seq_len, "decoder_tokens": m.decoder_tokens(), "image_size": m.image_size,
            "batch_per_gpu": m.batch_per_gpu, "source": m.source, "retrieved": m.retrieved, "note": m.note,
        })).collect(),
        Shelf::Gpus => catalogue.accelerators().iter().map(|part| accelerator(part)).collect(),
        Shelf::Systems => catalogue.systems().iter().map(|s| json!({
            "name": s.name, "aliases": s.aliases, "accelerator": s.accelerator,
            "accelerators_per_node": s.accelerators_per_node, "link_domain": s.link_domain,
            "intra_kind": s.intra_kind, "intra_gb_per_s": s.intra_bandwidth.map(|r| r.gb_per_s()),
            "inter_kind": s.inter_kind, "inter_gb_per_s": s.inter_bandwidth.map(|r| r.gb_per_s()),
            "node_power_w": s.node_power, "source": s.source, "retrieved": s.retrieved,
        })).collect(),
        Shelf::Precisions => PrecisionMode::ALL.into_iter().map(|mode| {
            let mut row = json!(catalogue.precision(mode));
            row["label"] = json!(mode.label());
            row
        }).collect(),
        Shelf::Prices => catalogue.accelerators().iter().flat_map(|part| catalogue.prices(&part.name)).map(|p| json!({
            "accelerator": p.accelerator, "provider": p.provider, "tier": p.tier.key(), "instance": p.instance,
            "region": p.region, "usd_per_accelerator_hour": p.usd_per_hour, "date": p.date, "stale": p.stale,
            "source": p.source, "note": p.note,
        })).collect(),
    }
}

fn accelerator(part: &Accelerator) -> Value {
    let peaks: serde_json::Map<String, Value> = part
        .peaks
        .iter()
        .map(|(mode, peak)| {
            (
                mode.key().to_owned(),
                json!({ "tflops": peak.rate.tera(), "derived": peak.derived }),
            )
        })
        .collect();
    let lacks: serde_json::Map<String, Value> = part
        .lacks
        .iter()
        .map(|(mode, why)| (mode.key().to_owned(), json!(why)))
        .collect();
    json!({
        "name": part.name, "label": part.label, "aliases": part.aliases, "vendor": part.vendor,
        "architecture": part.architecture, "year": part.year, "form_factor": part.form_factor,
        "memory_gb": part.memory.gib(), "memory_gib": part.memory.gib(),
        "memory_bandwidth_gb_per_s": part.memory_bandwidth.gb_per_s(),
        "tdp_w": part.tdp, "peaks_tflops": peaks, "lacks": lacks,
        "source": part.source, "retrieved": part.retrieved,
    })
}
