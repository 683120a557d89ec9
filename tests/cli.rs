//! The command line from outside: the built binary, its exit status and what it says.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::{Command, Output};

fn mantissa(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mantissa"))
        .args(arguments)
        .output()
        .expect("the binary starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Bad input: status 2, nothing on standard output, one line on standard error.
fn refused(arguments: &[&str]) -> String {
    let output = mantissa(arguments);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
    assert_eq!(told.trim_end().lines().count(), 1, "{told}");
    assert_eq!(out(&output), "");
    told
}

fn plan_of(folder: &Path, text: &str) -> String {
    let path = folder.join("plan.toml");
    std::fs::write(&path, text).expect("a temporary file is written");
    path.display().to_string()
}

const PLAN: &str = r#"
schema = 1
model = "resnet50"
accelerators = ["A100-SXM4-40GB", "V100-SXM2-16GB"]
counts = [1, 8]
precisions = ["fp32", "amp-fp16", "amp-bf16"]
batch = { per_gpu = 64 }
train = { epochs = 90, samples = "1.28 M" }
"#;

const PREDICT: [&str; 9] = [
    "predict",
    "--model",
    "resnet50",
    "--gpus",
    "8",
    "--batch-per-gpu",
    "128",
    "--precision",
    "amp-fp16",
];

fn predict(more: &[&str]) -> Vec<String> {
    PREDICT.iter().chain(more).map(|&a| a.to_owned()).collect()
}

fn strs(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn help_names_every_command() {
    let output = mantissa(&["--help"]);
    assert!(output.status.success());
    for command in [
        "plan",
        "predict",
        "evaluate",
        "calibrate",
        "crossval",
        "train",
        "catalog",
    ] {
        assert!(out(&output).contains(&format!("  {command}")), "{command}");
    }
}

#[test]
fn a_prediction_as_json_carries_the_contract() {
    let output = mantissa(&strs(&predict(&[
        "--gpu",
        "A100-SXM4-40GB",
        "--steps",
        "1000",
        "--json",
    ])));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let value: Value = serde_json::from_str(&out(&output)).expect("JSON");
    for path in [
        "/step_time_ms/value",
        "/step_time_ms/low",
        "/step_time_ms/high",
        "/total_time_h/value",
        "/cost_usd/value",
        "/energy_kwh/high",
        "/memory_gib/weights",
        "/memory_gib/gradients",
        "/memory_gib/optimizer",
        "/memory_gib/activations",
        "/memory_gib/total",
        "/memory_gib/capacity",
        "/breakdown_ms/matmul",
        "/overlap",
        "/strategy/data",
        "/strategy/tensor",
        "/strategy/pipeline",
        "/strategy/context",
        "/strategy/expert",
        "/strategy/sharding",
        "/strategy/micro_batch",
        "/strategy/accumulation",
        "/strategy/recompute",
        "/strategy/bubble",
        "/limit",
        "/support/nearest_runs",
        "/support/distance",
        "/contributions",
        "/predictor_version",
    ] {
        assert!(value.pointer(path).is_some_and(|v| !v.is_null()), "{path}");
    }
    assert!(value["co2e_kg"].is_null(), "no region was named");
    assert!(value["co2e_kg_reason"].is_string());
    // Two fits on the same runs are told apart.
    let fit = Sha256::digest(std::fs::read("models/predictor.bin").expect("the predictor"));
    let version = value["predictor_version"].as_str().expect("a version");
    assert!(
        version.ends_with(&format!(
            "+{:08x}",
            u32::from_be_bytes([fit[0], fit[1], fit[2], fit[3]])
        )),
        "{version}"
    );
}

#[test]
fn without_a_length_totals_are_missing_with_a_reason() {
    let output = mantissa(&strs(&predict(&["--gpu", "A100-SXM4-40GB", "--json"])));
    let value: Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert!(value["total_time_h"].is_null() && value["cost_usd"].is_null());
    assert!(
        value["total_time_h_reason"]
            .as_str()
            .is_some_and(|why| why.contains("--tokens"))
    );
}

#[test]
fn a_mode_that_a_part_lacks_is_refused_by_name() {
    let told = refused(&[
        "predict",
        "--model",
        "resnet50",
        "--gpu",
        "V100-SXM2-16GB",
        "--precision",
        "amp-bf16",
    ]);
    assert!(told.contains("V100-SXM2-16GB lacks it"), "{told}");
    let told = refused(&[
        "predict",
        "--model",
        "llama-3-8b",
        "--gpu",
        "A100-SXM4-80GB",
        "--precision",
        "fp8",
    ]);
    assert!(told.contains("A100-SXM4-80GB lacks it"), "{told}");
}

#[test]
fn unknown_names_list_the_nearest() {
    let told = refused(&[
        "predict",
        "--model",
        "llama-3-8bb",
        "--gpu",
        "A100-SXM4-40GB",
        "--precision",
        "fp32",
    ]);
    assert!(
        told.contains("--model") && told.contains("llama-3-8b"),
        "{told}"
    );
    let told = refused(&[
        "predict",
        "--model",
        "resnet50",
        "--gpu",
        "H100-SXM6-80GB",
        "--precision",
        "fp32",
    ]);
    assert!(
        told.contains("--gpu") && told.contains("H100-SXM5-80GB"),
        "{told}"
    );
    let told = refused(&[
        "predict",
        "--model",
        "resnet50",
        "--gpu",
        "A100-SXM4-40GB",
        "--precision",
        "bf17",
    ]);
    assert!(
        told.contains("--precision") && told.contains("bf16"),
        "{told}"
    );
    let told = refused(&strs(&predict(&[
        "--gpu",
        "A100-SXM4-40GB",
        "--sharding",
        "zero9",
    ])));
    assert!(
        told.contains("--sharding") && told.contains("zero3"),
        "{told}"
    );
}

#[test]
fn senseless_numbers_are_refused() {
    let told = refused(&[
        "predict",
        "--model",
        "resnet50",
        "--gpu",
        "A100-SXM4-40GB",
        "--gpus",
        "0",
        "--precision",
        "fp32",
    ]);
    assert!(told.contains("--gpus"), "{told}");
    for batch in ["0", "-4", "1e12", "nan"] {
        let argument = format!("--batch-per-gpu={batch}");
        let told = refused(&[
            "predict",
            "--model",
            "resnet50",
            "--gpu",
            "A100-SXM4-40GB",
            "--precision",
            "fp32",
            &argument,
        ]);
        assert!(told.contains("--batch-per-gpu"), "{told}");
    }
    for (count, flag) in [("-3", "--gpus"), ("some", "--gpus"), ("1.5", "--tp")] {
        let mut arguments = PREDICT.to_vec();
        arguments.retain(|a| !["--gpus", "8"].contains(a));
        arguments.extend(["--gpu", "A100-SXM4-40GB", flag, count]);
        let told = refused(&arguments);
        let named = told.contains(flag) && told.contains(count);
        assert!(named && told.contains("allowed: a whole number"), "{told}");
    }
    let told = refused(&["predict", "--nonsense"]);
    assert!(told.contains("--nonsense"), "{told}");
}

#[test]
fn a_plan_is_exported_three_ways() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = plan_of(folder.path(), PLAN);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let output = mantissa(&[
        "plan",
        &file,
        "--csv",
        &path("p.csv"),
        "--json",
        &path("p.json"),
        "--html",
        &path("p.html"),
    ]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        out(&output).contains("Refused: V100-SXM2-16GB lacks it"),
        "{}",
        out(&output)
    );

    let mut table = csv::Reader::from_path(path("p.csv")).expect("a CSV file");
    let header = table.headers().expect("a header").clone();
    assert_eq!(
        header.iter().take(8).collect::<Vec<_>>().join(","),
        "model,accelerator,count,nodes,precision,strategy,status,reason"
    );
    let rows: Vec<csv::StringRecord> = table.records().map(|row| row.expect("a row")).collect();
    assert_eq!(
        rows.len(),
        12,
        "a line a combination, refused ones included"
    );
    assert_eq!(rows.iter().filter(|row| &row[6] == "refused").count(), 2);

    // One unit a column, named in its head.
    let head = out(&output);
    let head = head.lines().find(|line| line.starts_with("Accelerator"));
    let head = head.expect("a table");
    assert!(
        head.contains("Time (") && head.contains("Energy ("),
        "{head}"
    );
    let json: Value =
        serde_json::from_str(&std::fs::read_to_string(path("p.json")).expect("a file"))
            .expect("JSON");
    assert_eq!(json["combinations"].as_array().map(Vec::len), Some(12));
    let html = std::fs::read_to_string(path("p.html")).expect("a file");
    assert!(html.contains("<svg") && html.contains("lacks it") && !html.contains("<script"));
    // A chart taken out of the page keeps its look and its key: it leans on no style of the page.
    let charts: Vec<&str> = html.split("<svg ").skip(1).collect();
    assert_eq!(charts.len(), 2);
    for chart in charts {
        let (chart, _) = chart.split_once("</svg>").expect("an end");
        assert!(chart.starts_with("xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(
            chart.contains("font-size=") && !chart.contains("class=") && !chart.contains("style=")
        );
        let key = chart.contains(">AMP-FP16<") || chart.contains(">Matmul<");
        assert!(key, "no key: {chart}");
    }
    // One page: where the figures come from is printed, the table of every combination below only where its box is ticked.
    let [sources, all] =
        ["<div class=\"foot\">", "<div class=\"all\">"].map(|part| html.find(part));
    assert!(sources.is_some() && sources < all);
    assert!(
        html.contains(".all{display:none}")
            && html.contains(":has(#all:checked) .all{display:block}")
    );
}

#[test]
fn a_plan_is_the_same_each_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = plan_of(folder.path(), PLAN);
    assert_eq!(
        out(&mantissa(&["plan", &file, "--json", "-"])),
        out(&mantissa(&["plan", &file, "--json", "-"]))
    );
}

#[test]
fn a_broken_request_names_file_line_and_column() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = plan_of(folder.path(), "schema = 1\nmodel = \n");
    let told = refused(&["plan", &file]);
    assert!(told.contains("plan.toml:2:"), "{told}");
    let file = plan_of(folder.path(), &format!("{PLAN}colour = \"red\"\n"));
    let told = refused(&["plan", &file]);
    assert!(
        told.contains("plan.toml:9:1") && told.contains("colour"),
        "{told}"
    );
    let told = refused(&["plan", "/no/such/plan.toml"]);
    assert!(told.contains("/no/such/plan.toml"), "{told}");
}

#[test]
fn every_wrong_field_is_named_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = PLAN
        .replace("counts = [1, 8]", "counts = [0]")
        .replace("[\"fp32\", \"amp-fp16\", \"amp-bf16\"]", "[]")
        .replace("epochs = 90, ", "tokens = 5, ");
    let told = refused(&["plan", &plan_of(folder.path(), &text)]);
    for field in ["counts[0]:", "precisions:", "train:"] {
        assert!(told.contains(field), "{field} in {told}");
    }
}

#[test]
fn a_missing_price_shows_as_missing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = PLAN.replace("A100-SXM4-40GB\", \"V100-SXM2-16GB", "TITANV-12GB");
    let file = plan_of(folder.path(), &text);
    let output = mantissa(&["plan", &file, "--json", "-"]);
    let json: Value = serde_json::from_str(&out(&output)).expect("JSON");
    let runs = json["combinations"].as_array().expect("combinations");
    let run = runs
        .iter()
        .find(|run| run["status"] == "ok")
        .expect("a run");
    assert!(run["cost_usd"].is_null());
    assert!(
        run["cost_usd_reason"]
            .as_str()
            .is_some_and(|why| why.contains("price"))
    );
    assert!(out(&mantissa(&["plan", &file])).contains("price missing"));
}

#[test]
fn an_export_that_cannot_be_written_is_a_failure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = plan_of(folder.path(), PLAN);
    let output = mantissa(&["plan", &file, "--csv", "/no/such/folder/p.csv"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/no/such/folder/p.csv"));
}

#[test]
fn the_catalogue_lists_every_shelf() {
    for (shelf, member) in [
        ("models", "llama-3-8b"),
        ("gpus", "H100-SXM5-80GB"),
        ("systems", "DGX H100"),
        ("precisions", "amp-bf16"),
        ("prices", "on-demand"),
    ] {
        let output = mantissa(&["catalog", shelf]);
        assert!(out(&output).contains(member), "{shelf}");
        let json: Value =
            serde_json::from_str(&out(&mantissa(&["catalog", shelf, "--json"]))).expect("JSON");
        assert!(json.as_array().is_some_and(|rows| !rows.is_empty()));
        if shelf == "gpus" {
            assert!(out(&output).contains("80.0\u{202F}GiB"));
            assert_eq!(json[0]["memory_gib"], json[0]["memory_gb"]);
            assert!(json[0]["memory_gib"].is_number());
        }
    }
}

#[test]
fn evaluation_predicts_rows_with_no_outcome_and_never_stops_at_a_bad_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runs = folder.path().join("runs.csv");
    std::fs::write(
        &runs,
        "source,model,task,gpu,gpus,precision,batch_per_gpu,throughput,throughput_unit,extra\n\
         mine,resnet50,image-classification,A100-SXM4-40GB,1,amp-fp16,128,,,x\n\
         mine,resnet50,image-classification,A100-SXM4-40GB,1,amp-fp16,128,1000,images/s,x\n\
         mine,no-such-model,image-classification,A100-SXM4-40GB,1,amp-fp16,128,,,x\n\
         mine,resnet50,image-classification,A100-SXM4-40GB,eight,amp-fp16,128,,,x\n",
    )
    .expect("a temporary file is written");
    let predictions = folder.path().join("out.csv").display().to_string();
    let output = mantissa(&[
        "evaluate",
        "--runs",
        &runs.display().to_string(),
        "--predictions",
        &predictions,
    ]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(predictions).expect("a file");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0].replace('"', ""),
        "row,status,reason,measured_ms,predicted_ms,low_ms,high_ms"
    );
    assert_eq!(lines.len(), 5);
    let cells = |line: usize| lines[line].split(',').collect::<Vec<_>>();
    assert_eq!(cells(1)[..2], ["1", "\"ok\""]);
    assert_eq!(cells(1)[3], "", "nothing was measured");
    assert_eq!(
        cells(1)[4..],
        cells(2)[4..],
        "an outcome does not move a prediction"
    );
    assert!(
        lines[3].starts_with("3,\"skipped\",") && lines[3].contains("no-such-model"),
        "{}",
        lines[3]
    );
    assert!(lines[4].starts_with("4,\"skipped\","), "{}", lines[4]);
}

#[test]
fn a_profile_of_own_runs_brings_predictions_nearer() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path().join("runs.csv");
    let mut text = String::from("model,gpu,gpus,precision,batch_per_gpu,seq_len,iter_time_ms\n");
    for (batch, ms) in [(1, 2700.0), (2, 5100.0), (4, 9900.0)] {
        text.push_str(&format!(
            "llama-2-7b,H100-SXM5-80GB,8,amp-bf16,{batch},4096,{ms}\n"
        ));
    }
    std::fs::write(&runs, text).expect("it is written");
    let profile = folder.path().join("own.toml");
    let (runs, profile) = (runs.to_str().unwrap(), profile.to_str().unwrap());
    let made = mantissa(&["calibrate", "--runs", runs, "--out", profile]);
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let error = |more: &[&str]| {
        let mut arguments = vec!["evaluate", "--runs", runs, "--json"];
        arguments.extend(more);
        let value: Value = serde_json::from_str(&out(&mantissa(&arguments))).expect("JSON");
        value["errors"]["mape"].as_f64().expect("an error")
    };
    let (before, after) = (error(&[]), error(&["--profile", profile]));
    assert!(after < 0.6 * before, "{before} {after}");
    let file = plan_of(
        folder.path(),
        "schema = 1\nmodel = \"llama-2-7b\"\naccelerators = [\"H100-SXM5-80GB\"]\ncounts = [8]\n\
         precisions = [\"amp-bf16\"]\ntrain = { steps = 100 }\nbatch = { global = 16 }\n",
    );
    let plan = |more: &[&str]| -> Value {
        let mut arguments = vec!["plan", &file, "--json", "-"];
        arguments.extend(more);
        serde_json::from_str(&out(&mantissa(&arguments))).expect("JSON")
    };
    let (plain, own) = (plan(&[]), plan(&["--profile", profile]));
    let hours = |p: &Value| p["combinations"][0]["total_time_h"]["value"].as_f64();
    assert!(hours(&own) > hours(&plain), "these runs are slow");
    let version = own["predictor_version"].as_str().expect("a version");
    assert!(version.ends_with("calibrated on 3 runs"), "{version}");
    let broken = mantissa(&["evaluate", "--runs", runs, "--profile", runs]);
    assert_eq!(broken.status.code(), Some(2));
}

#[test]
fn a_plan_says_the_best_what_would_change_it_and_its_schedules() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = folder.path().join("plan.toml");
    std::fs::write(
        &plan,
        "schema = 1\nmodel = \"llama-3-8b\"\naccelerators = [\"H100-SXM5-80GB\"]\ncounts = [8, 16]\n\
         precisions = [\"amp-bf16\", \"fp8\"]\ntrain = { tokens = \"1 B\" }\n\
         schedule = [{ precision = \"fp8\", percent = 90 }, { precision = \"amp-bf16\", percent = 10 }]\n",
    )
    .expect("it is written");
    let csv = folder.path().join("schedule.csv");
    let (plan, csv) = (plan.to_str().unwrap(), csv.to_str().unwrap());
    let text = out(&mantissa(&[
        "plan",
        plan,
        "--sensitivity",
        "--schedule-csv",
        csv,
    ]));
    for words in [
        "Best  ",
        "Prices fall by 20 %",
        "Schedule, asked",
        "network between nodes halves",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let lines = std::fs::read_to_string(csv).expect("it is there");
    assert_eq!(lines.lines().count(), 5);
    let json: Value = serde_json::from_str(&out(&mantissa(&[
        "plan",
        plan,
        "--sensitivity",
        "--json",
        "-",
    ])))
    .expect("JSON");
    assert_eq!(json["sensitivity"].as_array().map(Vec::len), Some(5));
    assert_eq!(json["schedules"][0]["phases"][0]["percent"], 90.0);
    assert!(json["best"].is_number() && json["advice"][0]["source"].is_string());
}

#[test]
fn an_evaluation_judges_memory_and_the_choice_of_layout() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path().join("runs.csv");
    let mut text = String::from(
        "source,model,gpu,gpus,precision,batch_per_gpu,global_batch,seq_len,tp,pp,act_ckpt,iter_time_ms,mem_gb_per_gpu\n",
    );
    for (tensor, stages, ms) in [(1, 1, 3000.0), (2, 1, 3300.0), (4, 2, 5000.0)] {
        text.push_str(&format!(
            "own,llama-2-7b,H100-SXM5-80GB,8,amp-bf16,1,32,4096,{tensor},{stages},full,{ms},70\n"
        ));
    }
    std::fs::write(&runs, text).expect("it is written");
    let output = mantissa(&["evaluate", "--runs", runs.to_str().unwrap(), "--json"]);
    let value: Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!(value["memory"]["all"]["rows"], 3);
    assert_eq!(value["memory"]["all"]["predicted_not_to_fit"], 0);
    let choice = &value["layout_choice"];
    assert_eq!(choice["all"]["sweeps"], 1);
    assert_eq!(choice["sweeps"][0]["layouts"], 3);
    assert_eq!(choice["sweeps"][0]["fastest_row"], 1);
    assert!(value["predictions"][0]["memory_gib"]["fits"].is_string());
}

#[test]
fn adapters_prices_and_offload_have_flags() {
    let asked = |more: &[&'static str]| -> Vec<&'static str> {
        let of = ["predict", "--model", "llama-3-8b", "--gpu", "L40S-48GB"];
        [&of, &["--precision", "amp-bf16"][..], more].concat()
    };
    let flags = [
        "--qlora", "16", "--steps", "100", "--price", "1.5", "--json",
    ];
    let output = mantissa(&asked(&flags));
    let value: Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!(value["price"]["usd_per_accelerator_hour"], 1.5);
    assert!(
        value["memory_gib"]["weights"]
            .as_f64()
            .is_some_and(|gib| gib < 5.0)
    );
    assert_eq!(
        value["memory_by_stage_gib"].as_array().map(Vec::len),
        Some(1)
    );
    assert!(value["largest_micro_batch"].is_number() && value["layout_why"].is_string());
    assert!(
        value["advice"]
            .as_array()
            .is_some_and(|lines| !lines.is_empty())
    );
    let told = refused(&asked(&["--offload", "disk"]));
    assert!(told.contains("none, optimizer, all"), "{told}");
}

#[test]
fn a_file_that_is_not_there_is_named_as_such() {
    let told = refused(&["nowhere.toml"]);
    assert!(told.starts_with("nowhere.toml: no such file"), "{told}");
    // What is no file's name is taken for a command.
    assert!(refused_by_clap(&["plam"]).contains("plam"));
}

#[test]
fn a_command_stays_one_beside_a_file_of_its_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("catalog"), "").expect("a temporary file is written");
    let output = Command::new(env!("CARGO_BIN_EXE_mantissa"))
        .arg("catalog")
        .current_dir(folder.path())
        .output()
        .expect("the binary starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("<WHAT>"), "{told}");
}

/// What the command line's own parser says of words it does not know.
fn refused_by_clap(arguments: &[&str]) -> String {
    let output = mantissa(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_is_out_of_range_is_named_by_its_flag_with_what_is_allowed() {
    let small = |more: &[&str]| {
        let usual = [
            "predict",
            "--model",
            "llama-3-8b",
            "--gpu",
            "H100-SXM5-80GB",
        ];
        let mut arguments = usual.to_vec();
        if !more.contains(&"--precision") {
            arguments.extend(["--precision", "amp-bf16"]);
        }
        arguments.extend(more);
        refused(&arguments).replace('\u{202F}', " ")
    };
    for (more, said) in [
        (
            &["--gpus", "99999999999"][..],
            "--gpus <GPUS>': allowed: a whole number from 1 to 1 000 000",
        ),
        (
            &["--batch-per-gpu", "abc"],
            "'--batch-per-gpu <SAMPLES>': allowed: a number above 0",
        ),
        (
            &["--steps", "5", "--tokens", "5"],
            "error: --tokens, --steps, or --epochs with --samples: contradicts itself",
        ),
        (
            &["--price", "1e308"],
            "--price: 1e308 is not allowed; allowed: a number above 0, up to 1 000 000",
        ),
        (
            &["--system", "DGX A100"],
            "--system: `DGX A100 640GB` holds A100-SXM4-80GB, not H100-SXM5-80GB; allowed: ",
        ),
        (
            &["--gpus", "8", "--tp", "3"],
            "tp = 3 does not divide 8 accelerators nor 32 attention heads; allowed here: 1, 2, 4, 8.",
        ),
        (
            &["--precision", "fp4"],
            "--precision: unknown precision `fp4`; nearest known: nvfp4",
        ),
        (
            &["--region", "DE"],
            "--region: unknown region `DE`; nearest known: Germany",
        ),
    ] {
        let told = small(more);
        assert!(told.contains(said), "{told}");
    }
    assert!(small(&["--system", "DGX A100"]).contains("DGX H100"));
    let told = refused(&strs(&predict(&["--gpu", "H100-SXM5-80GB", "--lora", "8"])));
    assert!(
        told.contains("--lora or --qlora: `resnet50` has no attention"),
        "{told}"
    );
    let told = small(&["--gpus", "8", "--ep", "4"]);
    assert!(told.contains("ep = 4: the model has no experts"), "{told}");
}
