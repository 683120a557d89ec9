//! Reading: what is tolerated, what is skipped with a reason, what stops a file.

use super::*;
use crate::dataset::YearMonth;

fn read(text: &str) -> Result<ReadReport, DatasetError> {
    read_runs(text.as_bytes(), "runs.csv")
}

fn only_reason(text: &str) -> String {
    let report = read(text).unwrap();
    assert_eq!(report.skipped.len(), 1, "{report:?}");
    report.skipped[0].reason.clone()
}

#[test]
fn smallest_file_in_any_order_with_unknown_columns() {
    let report = read("precision,colour,gpus,gpu,model\nfp32,red,8,V100,resnet50\n").unwrap();
    let run = &report.runs[0];
    assert_eq!(
        (run.row, run.gpus, run.gpu.as_str(), run.model.as_str()),
        (1, 8, "V100", "resnet50")
    );
    assert_eq!(run.precision.as_deref(), Some("fp32"));
    assert_eq!((run.quality, run.usage, run.group), (None, None, None));
}

#[test]
fn byte_order_mark_carriage_returns_capitals_and_spaces() {
    let report =
        read("\u{feff}Model,GPU,gpus,precision,flags\r\nbert , A100,8.0,,xla; ;compile\r\n")
            .unwrap();
    let run = &report.runs[0];
    assert_eq!(
        (run.model.as_str(), run.gpu.as_str(), run.gpus),
        ("bert", "A100", 8)
    );
    assert_eq!(run.precision, None);
    assert_eq!(run.flags, ["xla", "compile"]);
    assert!(run.has_flag("XLA"));
}

#[test]
fn a_bad_row_stops_nothing_and_rows_keep_their_numbers() {
    let report = read("model,gpu,gpus,precision\na,g,1,fp32\nb,g,many,fp32\nc,g,2,fp32\n").unwrap();
    assert_eq!(
        report.runs.iter().map(|run| run.row).collect::<Vec<_>>(),
        [1, 3]
    );
    assert_eq!(report.skipped[0].row, 2);
    assert_eq!(
        report.skipped[0].reason,
        "runs.csv: line 3: column `gpus`: `many` is not a whole number from 1"
    );
}

#[test]
fn no_devices_is_refused() {
    for gpus in ["0", "-1", "", "1.5", "1e12"] {
        let reason = only_reason(&format!("model,gpu,gpus,precision\na,g,{gpus},fp32\n"));
        assert_eq!(
            reason,
            format!("runs.csv: line 2: column `gpus`: `{gpus}` is not a whole number from 1")
        );
    }
}

#[test]
fn each_kind_of_cell_names_what_is_allowed() {
    for (column, value, allowed) in [
        ("batch_per_gpu", "big", "a number above 0, or empty"),
        ("throughput", "0", "a number above 0, or empty"),
        ("iter_time_ms", "inf", "a number above 0, or empty"),
        ("mfu", "-1", "a number of 0 or above, or empty"),
        ("tp", "0", "a whole number from 1, or empty"),
        ("source_date", "May 2020", "YYYY-MM or YYYY, or empty"),
        ("quality", "D", "one of A, B, C, or empty"),
        (
            "memory_counter",
            "vram",
            "one of allocated, reserved, device, or empty",
        ),
        ("use", "maybe", "one of fit, evidence, test, or empty"),
    ] {
        let reason = only_reason(&format!(
            "model,gpu,gpus,precision,{column}\na,g,1,fp32,{value}\n"
        ));
        assert_eq!(
            reason,
            format!("runs.csv: line 2: column `{column}`: `{value}` is not {allowed}")
        );
    }
    assert!(
        only_reason("model,gpu,gpus,precision\n,g,1,fp32\n")
            .ends_with("column `model`: `` is not a name")
    );
}

#[test]
fn ragged_and_undecodable_rows_are_skipped() {
    let reason = only_reason("model,gpu,gpus,precision\na,g,1\n");
    assert_eq!(
        reason,
        "runs.csv: line 2: 3 cells where the header names 4 columns"
    );
    let bytes = b"model,gpu,gpus,precision\n\xff\xfe,g,1,fp32\nb,g,1,fp32\n";
    let report = read_runs(&bytes[..], "runs.csv").unwrap();
    assert_eq!(report.runs.len(), 1);
    assert_eq!(
        report.skipped[0].reason,
        "runs.csv: line 2: not valid UTF-8"
    );
}

#[test]
fn a_missing_column_is_named() {
    for column in REQUIRED {
        let header = REQUIRED
            .into_iter()
            .filter(|c| *c != column)
            .collect::<Vec<_>>()
            .join(",");
        let error = read(&format!("{header}\n")).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "runs.csv: line 1: column `{column}` is missing; required are `model`, `gpu`, `gpus`, `precision`"
            )
        );
    }
}

#[test]
fn an_empty_file_and_a_repeated_column() {
    assert!(matches!(read(""), Err(DatasetError::NoHeader { .. })));
    let error = read("model,gpu,gpus,precision,GPU\n")
        .unwrap_err()
        .to_string();
    assert_eq!(error, "runs.csv: line 1: column `gpu` appears twice");
    assert_eq!(
        read("model,gpu,gpus,precision\n").unwrap(),
        ReadReport::default()
    );
}

#[test]
fn a_missing_file_is_named() {
    let error = read_runs_file(Path::new("/nowhere/runs.csv"))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("/nowhere/runs.csv: "), "{error}");
}

#[test]
fn our_columns_and_blank_outcomes() {
    let text = "model,gpu,gpus,precision,source_date,throughput,quality,group,repeats,spread,use,reason,step_time_ms\n\
                a,g,1,fp32,2020-05,12,B,7,3,0.02,evidence,no batch,\n\
                a,g,1,fp32,,,,,,,,,\n";
    let report = read(text).unwrap();
    let run = &report.runs[0];
    assert_eq!(run.source_date, YearMonth::parse("2020-05"));
    assert_eq!(
        (run.quality, run.usage, run.group),
        (Some(Quality::B), Some(Usage::Evidence), Some(7))
    );
    assert_eq!(
        (run.repeats, run.spread, run.reason.as_str()),
        (Some(3), Some(0.02), "no batch")
    );
    assert_eq!(run.without_outcomes().throughput, None);
    assert_eq!(report.runs[1].throughput, None);
}

#[test]
fn a_line_is_that_of_an_editor_whatever_ends_it() {
    for end in ["\n", "\r\n"] {
        let text = [
            "model,gpu,gpus,precision,notes",
            "a,g,0,fp32,",
            "",
            "b,g,1,fp32,\"two",
            "lines\"",
            "c,g,0,fp32,",
        ];
        let report = read(&text.join(end)).unwrap();
        assert_eq!(report.runs.len(), 1, "{report:?}");
        let reasons: Vec<&str> = report.skipped.iter().map(|s| s.reason.as_str()).collect();
        assert!(
            reasons[0].starts_with("runs.csv: line 2: "),
            "{end:?} {reasons:?}"
        );
        assert!(
            reasons[1].starts_with("runs.csv: line 6: "),
            "{end:?} {reasons:?}"
        );
        // A byte order mark moves no line.
        let marked = read(&format!("\u{feff}{}", text.join(end))).unwrap();
        assert_eq!(marked, report);
    }
}

#[test]
fn semicolons_and_tabs_separate_cells_where_the_header_has_them() {
    let comma =
        read("model,gpu,gpus,precision,batch_per_gpu,flags\na,g,1,fp32,1.5,xla;compile\n").unwrap();
    let semicolon =
        read("model;gpu;gpus;precision;batch_per_gpu;flags\na;g;1;fp32;1,5;\"xla;compile\"\n")
            .unwrap();
    let tab = read(
        "model\tgpu\tgpus\tprecision\tbatch_per_gpu\tflags\na\tg\t1\tfp32\t1.5\txla;compile\n",
    )
    .unwrap();
    assert_eq!(comma.runs.len(), 1);
    assert_eq!(comma, semicolon);
    assert_eq!(comma, tab);
    // A comma stays one in a text, and a number has but one.
    let cells = "model;gpu;gpus;precision;batch_per_gpu;notes\na;g;1;fp32;1.5;so, or so\na;g;1;fp32;1,500,000;\n";
    let report = read(cells).unwrap();
    assert_eq!(
        (report.runs[0].batch_per_gpu, report.runs[0].notes.as_str()),
        (Some(1.5), "so, or so")
    );
    assert!(
        report.skipped[0]
            .reason
            .contains("`1,500,000` is not a number"),
        "{report:?}"
    );
    // Beside commas there are no decimal ones.
    let quoted = only_reason("model,gpu,gpus,precision,batch_per_gpu\na,g,1,fp32,\"1,5\"\n");
    assert!(quoted.contains("`1,5` is not a number above 0"), "{quoted}");
}

#[test]
fn what_is_no_table_of_text_is_said_to_be_what_it_is() {
    let utf16: Vec<u8> = "\u{feff}model,gpu,gpus,precision\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (bytes, says) in [
        (utf16.as_slice(), "UTF-16 text"),
        (b"PK\x03\x04\x14\0", "workbook"),
        (b"a\0\0\0b", "binary data"),
    ] {
        let error = read_runs(bytes, "runs.csv").unwrap_err().to_string();
        assert!(
            error.starts_with("runs.csv: ") && error.contains(says),
            "{error}"
        );
        assert!(
            error.ends_with(
                "allowed: a table as UTF-8 text, with commas, semicolons or tabs between cells"
            ),
            "{error}"
        );
    }
}
