//! Files of tables from outside, as a spreadsheet reads them: quotes, formulas, separators and decimal marks.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

/// V100 has no BF16; Azure's price of it is told with semicolons.
const PLAN: &str = r#"
schema = 1
title = "A title; with, separators"
model = "llama-3-8b"
accelerators = ["V100-SXM2-32GB", "A100-SXM4-80GB"]
counts = [8, 16]
precisions = ["amp-fp16", "amp-bf16"]
train = { tokens = "1 B" }
schedule = [{ precision = "amp-fp16", percent = 90 }, { precision = "fp32", percent = 10 }]
[prices]
provider = "azure"
"#;

/// The file that a plan is written to by one option, and further ones.
fn written(plan: &str, option: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (request, table) = (folder.path().join("p.toml"), folder.path().join("t.csv"));
    std::fs::write(&request, plan).expect("it is written");
    run(&[&["plan", path(&request), option, path(&table)], more].concat());
    std::fs::read_to_string(&table).expect("it is there")
}

fn run(arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_mantissa"))
        .args(arguments)
        .output()
        .expect("the binary starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// What is left of a file without the texts in quotes.
fn outside_quotes(file: &str) -> String {
    file.split('"').step_by(2).collect()
}

/// The lines of a table with this separator.
fn lines(file: &str, separator: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .from_reader(file.as_bytes());
    let lines = reader.records().map(|line| line.expect("equally long"));
    lines
        .map(|line| line.iter().map(str::to_owned).collect())
        .collect()
}

/// The cells of a column, the header left out.
fn column<'a>(lines: &'a [Vec<String>], name: &str) -> Vec<&'a str> {
    let at = lines[0].iter().position(|n| n == name).expect("a column");
    lines[1..].iter().map(|line| line[at].as_str()).collect()
}

#[test]
fn text_stands_in_quotes_and_numbers_do_not() {
    for option in ["--csv", "--schedule-csv", "--sensitivity-csv"] {
        let file = written(PLAN, option, &[]);
        let bare = outside_quotes(&file);
        let numbers_alone = |c: char| c.is_ascii_digit() || ",.-\r\n".contains(c);
        assert!(bare.chars().all(numbers_alone), "{option}: {bare}");
        assert!(bare.chars().any(|c| c.is_ascii_digit()), "{option}");
        let line_ends = file.matches('\n').count();
        assert_eq!(file.matches("\r\n").count(), line_ends, "{option}");
    }
    let file = written(PLAN, "--csv", &[]);
    let table = lines(&file, b',');
    assert!(
        column(&table, "price_source")
            .iter()
            .any(|c| c.contains(';'))
    );
    assert!(column(&table, "request_title").contains(&"A title; with, separators"));
    assert!(!outside_quotes(&file).contains(';'));
}

#[test]
fn no_separator_makes_a_formula_of_a_title() {
    let title = r#"=1+1;=2+2;\t=3+3\n=4+4|@x, -5;\"=6;\uFF1D7"#;
    let plan = PLAN.replace("A title; with, separators", title);
    let file = written(&plan, "--csv", &[]);
    assert!(file.contains("4+4"), "the title is in it");
    // Split as bluntly as a spreadsheet may: at any separator, quotes dropped.
    for cell in file.split([',', ';', '|', '\t', '\n', '\r']) {
        let cell = cell.trim_matches(|c: char| c == '"' || c.is_whitespace());
        let formula = cell.starts_with(['=', '+', '@', '\u{FF1D}']);
        let minus = cell.starts_with('-') && cell.parse::<f64>().is_err();
        assert!(!formula && !minus, "{cell}");
    }
}

#[test]
fn own_words_are_ascii() {
    for option in ["--csv", "--schedule-csv", "--sensitivity-csv"] {
        let file = written(PLAN, option, &[]);
        let odd: Vec<&str> = file.lines().filter(|line| !line.is_ascii()).collect();
        assert!(odd.is_empty(), "{option}: {odd:?}");
    }
}

#[test]
fn the_form_with_decimal_commas_holds_the_same_digits() {
    for option in ["--csv", "--schedule-csv", "--sensitivity-csv"] {
        let usual = lines(&written(PLAN, option, &[]), b',');
        let file = written(PLAN, option, &["--decimal-comma"]);
        assert!(!outside_quotes(&file).contains('.'), "{option}");
        let comma = lines(&file, b';');
        assert_eq!(comma.len(), usual.len(), "{option}");
        let mut fractions = 0;
        for (comma, usual) in comma.iter().flatten().zip(usual.iter().flatten()) {
            if usual.parse::<f64>().is_ok() && comma != usual {
                fractions += 1;
                assert_eq!(*comma, usual.replace('.', ","), "{option}");
            } else {
                assert_eq!(comma, usual, "{option}");
            }
        }
        assert!(fractions > 0, "{option}");
    }
}

#[test]
fn decimal_commas_without_a_table_are_a_mistake() {
    let output = Command::new(env!("CARGO_BIN_EXE_mantissa"))
        .args(["plan", "p.toml", "--decimal-comma"])
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("--csv") && told.contains("--sensitivity-csv"),
        "{told}"
    );
}

#[test]
fn predictions_are_written_as_plans_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (runs, table) = (folder.path().join("r.csv"), folder.path().join("t.csv"));
    std::fs::write(
        &runs,
        "source,model,task,gpu,gpus,precision,batch_per_gpu,throughput,throughput_unit\n\
         mine,resnet50,image-classification,A100-SXM4-40GB,1,amp-fp16,128,1000,images/s\n\
         mine,x;=1+1,image-classification,A100-SXM4-40GB,1,amp-fp16,128,,\n",
    )
    .expect("it is written");
    let evaluated = |more: &[&str]| {
        run(&[
            &[
                "evaluate",
                "--runs",
                path(&runs),
                "--predictions",
                path(&table),
            ],
            more,
        ]
        .concat());
        std::fs::read_to_string(&table).expect("it is there")
    };
    let file = evaluated(&[]);
    assert_eq!(file.matches("\r\n").count(), 3, "{file}");
    assert!(!file.contains(";=") && file.contains(";'=1+1"), "{file}");
    let comma = evaluated(&["--decimal-comma"]);
    let (usual, comma) = (lines(&file, b','), lines(&comma, b';'));
    assert_eq!(column(&usual, "measured_ms")[0], "128");
    let points = column(&usual, "predicted_ms")[0].replace('.', ",");
    assert_eq!(column(&comma, "predicted_ms")[0], points);
}

#[test]
fn the_currency_stands_in_every_line() {
    let table = lines(&written(PLAN, "--csv", &[]), b',');
    assert!(column(&table, "status").contains(&"refused"));
    assert!(column(&table, "currency").iter().all(|c| *c == "USD"));
}
