//! What the command line reads and writes, from outside: no input is lost, and whoever reads the output gets what was asked.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const RUNS: &str = "model,gpu,gpus,precision,batch_per_gpu,iter_time_ms\nresnet50,A100-SXM4-40GB,1,amp-fp16,128,150\n";
const PLAN: &str = "schema = 1\nmodel = \"resnet50\"\naccelerators = [\"A100-SXM4-40GB\"]\ncounts = [1]\n\
                    precisions = [\"amp-fp16\"]\nbatch = { per_gpu = 64 }\ntrain = { steps = 100 }\n";

fn mantissa(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mantissa"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the binary starts")
}

/// A folder with a file in it.
fn folder_with(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join(name), text).expect("a temporary file is written");
    folder
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_is_read_is_never_written_over() {
    for (file, text, arguments, names) in [
        (
            "r.csv",
            RUNS,
            &["calibrate", "--runs", "r.csv", "--out", "./r.csv"][..],
            ["--out", "--runs"],
        ),
        (
            "r.csv",
            RUNS,
            &["evaluate", "--runs", "r.csv", "--predictions", "r.csv"],
            ["--predictions", "--runs"],
        ),
        (
            "p.toml",
            PLAN,
            &["plan", "p.toml", "--csv", "p.toml"],
            ["--csv", "the request"],
        ),
        (
            "p.toml",
            PLAN,
            &["plan", "p.toml", "--csv", "x", "--html", "x"],
            ["--html", "--csv"],
        ),
    ] {
        let folder = folder_with(file, text);
        let output = mantissa(folder.path(), arguments);
        let told = told(&output);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(
            names.iter().all(|name| told.contains(name)) && told.contains("the same file"),
            "{told}"
        );
        let left = std::fs::read_to_string(folder.path().join(file)).expect("it is there");
        assert_eq!(left, text);
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            1
        );
    }
}

#[test]
fn a_dash_is_standard_output_for_every_output() {
    let folder = folder_with("p.toml", PLAN);
    let of = |arguments: &[&str]| {
        let output = mantissa(folder.path(), arguments);
        assert!(output.status.success(), "{}", told(&output));
        out(&output)
    };
    assert!(of(&["plan", "p.toml", "--csv", "-"]).starts_with("\"model\",\"accelerator\""));
    assert!(
        of(&["plan", "p.toml", "--html", "-"])
            .trim_end()
            .ends_with("</html>")
    );
    std::fs::write(folder.path().join("r.csv"), RUNS).expect("it is written");
    assert!(
        of(&["evaluate", "--runs", "r.csv", "--predictions", "-"])
            .starts_with("\"row\",\"status\"")
    );
    assert!(of(&["calibrate", "--runs", "r.csv", "--out", "-"]).starts_with("schema = "));
    assert!(!folder.path().join("-").exists());
    for two in [
        &["plan", "p.toml", "--csv", "-", "--json", "-"][..],
        &[
            "evaluate",
            "--runs",
            "r.csv",
            "--predictions",
            "-",
            "--json",
        ],
    ] {
        let output = mantissa(folder.path(), two);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            told(&output).contains("--json: both would go to standard output"),
            "{}",
            told(&output)
        );
    }
}

#[test]
fn nothing_in_a_title_steers_the_terminal() {
    let folder = folder_with(
        "p.toml",
        &format!("title = \"one\\u0000 \\u001b[31mtwo\"\n{PLAN}"),
    );
    let text = out(&mantissa(folder.path(), &["plan", "p.toml"]));
    assert!(text.starts_with("one [31mtwo\n"), "{text:?}");
    // What a program reads is as it was.
    let json: Value = serde_json::from_str(&out(&mantissa(
        folder.path(),
        &["plan", "p.toml", "--json", "-"],
    )))
    .expect("JSON");
    assert!(json.to_string().contains("\\u001b[31mtwo"));
}

#[test]
fn a_name_beyond_reading_is_shortened_in_what_is_said_of_it() {
    let long = "x".repeat(5_000);
    let folder = folder_with("r.csv", &RUNS.replace("resnet50", &long));
    let model = [
        "predict",
        "--model",
        &long,
        "--gpu",
        "A100-SXM4-40GB",
        "--precision",
        "fp32",
    ];
    let output = mantissa(folder.path(), &model);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        told(&output).len() < 1_000 && told(&output).contains("--model"),
        "{}",
        told(&output)
    );
    let text = out(&mantissa(folder.path(), &["evaluate", "--runs", "r.csv"]));
    assert!(
        text.len() < 2_000 && text.contains("unknown model"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn a_standard_error_that_takes_nothing_changes_no_exit_status() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // A pipe whose reader has gone refuses as a full disk does.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = Command::new(env!("CARGO_BIN_EXE_mantissa"))
        .args(["plan", "none.toml"])
        .current_dir(folder.path())
        .stderr(writer)
        .status()
        .expect("the binary starts");
    assert_eq!(status.code(), Some(2));
}

#[test]
fn an_evaluation_says_why_there_is_no_error_and_no_figure_where_there_is_none() {
    let stated = RUNS.replace("amp-fp16", "");
    let folder = folder_with("r.csv", &stated);
    let of = |arguments: &[&str]| out(&mantissa(folder.path(), arguments));
    let text = of(&["evaluate", "--runs", "r.csv"]);
    assert!(
        text.contains("No row could be predicted, so there is no error to tell"),
        "{text}"
    );
    let json: Value =
        serde_json::from_str(&of(&["evaluate", "--runs", "r.csv", "--json"])).expect("JSON");
    assert_eq!(json["errors_reason"], "no row could be predicted");
    for figure in [
        "/memory/all/mape",
        "/memory/all/median_ape",
        "/memory/all/median_ratio",
        "/layout_choice/all/median",
    ] {
        assert!(json.pointer(figure).is_some_and(Value::is_null), "{figure}");
    }
    std::fs::write(folder.path().join("r.csv"), RUNS.replace(",150", ",")).expect("it is written");
    let text = of(&["evaluate", "--runs", "r.csv"]);
    assert!(text.contains("No row states a measured time"), "{text}");
}

#[test]
fn what_no_number_holds_is_skipped_and_makes_no_profile() {
    let folder = folder_with("r.csv", &RUNS.replace(",128,", ",1e308,"));
    std::fs::write(folder.path().join("own.toml"), "of before").expect("it is written");
    let text = out(&mantissa(folder.path(), &["evaluate", "--runs", "r.csv"]));
    assert!(
        text.starts_with("0 of 1 rows predicted\n") && text.contains("allowed: a batch"),
        "{text}"
    );
    let made = mantissa(
        folder.path(),
        &["calibrate", "--runs", "r.csv", "--out", "own.toml"],
    );
    assert_eq!(made.status.code(), Some(2));
    assert!(
        told(&made).contains("r.csv: no run states"),
        "{}",
        told(&made)
    );
    let left = std::fs::read_to_string(folder.path().join("own.toml")).expect("it is there");
    assert_eq!(left, "of before");
}

#[test]
fn a_row_that_contradicts_itself_is_doubtful_and_nothing_is_learned_from_it() {
    let folder = folder_with(
        "r.csv",
        "model,gpu,gpus,precision,batch_per_gpu,seq_len,tp,iter_time_ms\n\
         bert-large,A100-SXM4-40GB,1,amp-fp16,8,128,3,150\n\
         bert-large,A100-SXM4-40GB,1,amp-fp16,8,128,1,150\n",
    );
    let args = ["evaluate", "--runs", "r.csv", "--predictions", "p.csv"];
    let text = out(&mantissa(folder.path(), &args));
    assert!(text.starts_with("2 of 2 rows predicted\n"), "{text}");
    assert!(
        text.contains("doubtful 1: `tp` 3") && text.contains("`gpus` 1"),
        "{text}"
    );
    let lines = std::fs::read_to_string(folder.path().join("p.csv")).expect("it is there");
    let doubtful = lines.lines().nth(1).expect("a row");
    assert!(
        doubtful.contains("ok") && doubtful.contains("`tp` 3"),
        "{doubtful}"
    );
    let args = ["calibrate", "--runs", "r.csv", "--out", "own.toml"];
    let text = out(&mantissa(folder.path(), &args));
    assert!(text.contains("`tp` 3"), "{text}");
}

#[test]
fn presets_of_ones_own_are_laid_over_those_that_ship() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/presets/own");
    let asked = "predict --model mine --gpu x1 --precision amp-bf16 --steps 10 --json";
    let words: Vec<&str> = asked.split(' ').collect();
    let without = mantissa(folder.path(), &words);
    assert_eq!(without.status.code(), Some(2));
    assert!(told(&without).contains("`mine`"), "{}", told(&without));
    // Before the command and behind it alike.
    for words in [
        [&["--presets", own], &words[..]].concat(),
        [&words[..], &["--presets", own]].concat(),
    ] {
        let output = mantissa(folder.path(), &words);
        let run: Value = serde_json::from_str(&out(&output)).expect("JSON");
        assert_eq!(run["price"]["usd_per_accelerator_hour"], 0.4);
    }
    let listed = mantissa(folder.path(), &["catalog", "gpus", "--presets", own]);
    assert!(out(&listed).lines().any(|line| line.starts_with("X1 ")));
    // The figures of the card hold of what ships.
    let fit = mantissa(folder.path(), &["train", "--presets", own]);
    assert_eq!(fit.status.code(), Some(2));
    assert!(told(&fit).contains("allowed with plan"), "{}", told(&fit));
}

#[test]
fn a_folder_of_presets_that_is_none_is_named_as_such() {
    let folder = folder_with("accelerators.toml", "schema = 1\n");
    for words in [
        &["catalog", "gpus", "--presets", "nowhere"][..],
        // The window, which does not open then.
        &["--presets", "nowhere"],
        &["--presets=nowhere"],
    ] {
        let output = mantissa(folder.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(
            told(&output).contains("nowhere: no such folder; allowed: "),
            "{}",
            told(&output)
        );
    }
    let stray = mantissa(folder.path(), &["catalog", "gpus", "--presets", "."]);
    assert_eq!(stray.status.code(), Some(2));
    let told = told(&stray);
    assert!(told.contains("no such kind of preset"), "{told}");
}

#[test]
fn a_rate_that_tells_no_time_is_said_to() {
    let runs = "model,gpu,gpus,precision,batch_per_gpu,throughput,throughput_unit\n\
                resnet50,A100-SXM4-40GB,1,amp-fp16,128,800,img/s\n\
                resnet50,A100-SXM4-40GB,1,amp-fp16,128,800,furlongs/s\n";
    let folder = folder_with("runs.csv", runs);
    let asked = ["evaluate", "--runs", "runs.csv"];
    let summary = out(&mantissa(folder.path(), &asked));
    assert!(
        summary.contains("untimed 1: a rate in `furlongs/s` cannot become a step time; allowed "),
        "{summary}"
    );
    let lines = [&asked[..], &["--predictions", "-"]].concat();
    let lines = out(&mantissa(folder.path(), &lines));
    assert!(
        lines.lines().any(|line| line.starts_with("1,\"ok\",,160,")),
        "{lines}"
    );
    assert!(
        lines.contains("2,\"ok\",\"a rate in `furlongs/s`"),
        "{lines}"
    );
    let asked = ["calibrate", "--runs", "runs.csv", "--out", "mine.toml"];
    let profile = mantissa(folder.path(), &asked);
    let summary = out(&profile) + &told(&profile);
    assert!(
        summary.contains("row 2: a rate in `furlongs/s`"),
        "{summary}"
    );
}
