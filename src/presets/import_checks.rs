//! Whether a `*.mantissa.json` is of the form that `assets/trace_model.py` documents: each field by its path, with what stands
//! there and what is allowed.

use super::model_ranges::{check_task, not_allowed};
use super::names::slip_of;
use crate::domain::ranges::{
    MAX_BATCH_PER_DEVICE, MAX_DIMENSION, MAX_FORWARD_FLOPS, MAX_IMAGE_SIZE, MAX_MOVED,
    MAX_PARAMETERS, MAX_SEQ_LEN,
};
use crate::domain::{OperatorProfile, Optimizer};
use crate::format;
use serde_json::{Map, Value};

/// Every key of such a file.
const KEYS: [&str; 19] = [
    "schema",
    "name",
    "model",
    "family",
    "task",
    "optimizer",
    "image_size",
    "seq_len",
    "batch_per_gpu",
    "params",
    "tensors",
    "mm",
    "ew",
    "amp",
    "ln",
    "kept",
    "kind",
    "source",
    "traced_with",
];
/// Beside them, what only people write.
const NOTE: &str = "note";
/// Classes of operators that move data, without their direction.
const TRAFFIC: [&str; 9] = [
    "ew", "norm", "softmax", "copy", "reduce", "pool", "layer", "group", "cast",
];
/// What a row of `mm` may be.
const MATMULS: &str =
    "[\"conv\", 9 numbers], or [\"lin\", 5 numbers] and the same of \"rec\" and \"bmm\"";

/// A field that is wrong: its outermost key, by which it is found in the text, and what is said of it.
pub(super) struct Wrong {
    pub key: String,
    pub message: String,
}

/// A value of the file with the path to it.
struct At<'a> {
    path: String,
    value: &'a Value,
}

/// A span of numbers; whether its lower end belongs to it.
#[derive(Clone, Copy)]
enum Span {
    Above0(f64),
    From(f64, f64),
    Whole(u32),
}

impl Span {
    fn holds(self, number: f64) -> bool {
        match self {
            Self::Above0(most) => number > 0.0 && number <= most,
            Self::From(least, most) => (least..=most).contains(&number),
            Self::Whole(most) => number.fract() == 0.0 && (0.0..=f64::from(most)).contains(&number),
        }
    }

    fn words(self) -> String {
        match self {
            Self::Above0(most) => format!("a number above 0, up to {}", format::count(most)),
            Self::From(least, most) => {
                format!("a number from {least} to {}", format::count(most))
            }
            Self::Whole(most) => {
                format!(
                    "a whole number from 0 to {}",
                    format::count(f64::from(most))
                )
            }
        }
    }
}

/// Checks every field of a file.
///
/// # Errors
/// The first field that is wrong.
pub(super) fn check(object: &Map<String, Value>) -> Result<(), Wrong> {
    let wrong = |key: &str| {
        let key = key.to_owned();
        move |message| Wrong { key, message }
    };
    for key in object.keys() {
        known(key).map_err(wrong(key))?;
    }
    for (key, value) in object {
        let at = At {
            path: key.clone(),
            value,
        };
        field(&at).map_err(wrong(key))?;
    }
    for key in ["params", "mm"] {
        if !object.contains_key(key) {
            return Err(wrong(key)(format!("field `{key}`: missing")));
        }
    }
    Ok(())
}

fn known(key: &str) -> Result<(), String> {
    if KEYS.contains(&key) || key == NOTE {
        return Ok(());
    }
    let meant = slip_of(key, KEYS).map_or_else(String::new, |k| format!(" Did you mean `{k}`?"));
    Err(format!(
        "unknown key `{key}`.{meant} Allowed: {}, {NOTE}",
        KEYS.join(", ")
    ))
}

fn field(at: &At<'_>) -> Result<(), String> {
    match at.path.as_str() {
        "schema" | "kind" => at.word_or_schema(),
        "family" => at.text().map(|_| ()),
        "task" => match at.text()?.trim() {
            "" => Ok(()),
            task => check_task(task),
        },
        "optimizer" if !at.value.is_null() => at.one_of(&Optimizer::ALL.map(Optimizer::key)),
        "image_size" => at.number(Span::Whole(MAX_IMAGE_SIZE)),
        "seq_len" => at.number(Span::Whole(MAX_SEQ_LEN)),
        "batch_per_gpu" if !at.value.is_null() => at.number(Span::Above0(MAX_BATCH_PER_DEVICE)),
        "params" => at.number(Span::Above0(MAX_PARAMETERS)),
        "tensors" => at.number(Span::From(0.0, MAX_DIMENSION)),
        "mm" => at.each(At::matmul),
        "ew" => at.traffic(),
        "amp" if !at.value.is_null() => at.traffic(),
        "ln" => at.each(|norm| {
            norm.numbers(&[
                Span::From(0.0, MAX_DIMENSION),
                Span::From(1.0, MAX_DIMENSION),
                Span::From(0.0, MAX_DIMENSION),
            ])
        }),
        "kept" if !at.value.is_null() => at.kept(),
        _ if at.value.is_null() => Ok(()),
        _ => at.text().map(|_| ()),
    }
}

impl<'a> At<'a> {
    fn inner(&self, step: &str, value: &'a Value) -> Self {
        At {
            path: format!("{}{step}", self.path),
            value,
        }
    }

    fn wrong(&self, allowed: &str) -> String {
        let given = match self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(flag) => flag.to_string(),
            Value::Number(number) => format!("the number {number}").replace("e+", "e"),
            Value::String(text) => format!("the text {text:?}"),
            Value::Array(list) => format!("a list of {}", list.len()),
            Value::Object(_) => "a table".to_owned(),
        };
        not_allowed(&self.path, given, allowed)
    }

    fn text(&self) -> Result<&'a str, String> {
        self.value.as_str().ok_or_else(|| self.wrong("a text"))
    }

    fn one_of(&self, words: &[&str]) -> Result<(), String> {
        match self.value.as_str() {
            Some(word) if words.contains(&word) => Ok(()),
            _ => Err(self.wrong(&words.join(", "))),
        }
    }

    /// How the profile was obtained, or the schema; newer ones are refused before.
    fn word_or_schema(&self) -> Result<(), String> {
        match (self.path.as_str(), self.value.as_u64()) {
            ("schema", Some(1)) => Ok(()),
            ("schema", _) => Err(self.wrong("1")),
            _ => self.one_of(&["traced", "estimated"]),
        }
    }

    fn number(&self, span: Span) -> Result<(), String> {
        match self.value.as_f64() {
            Some(number) if span.holds(number) => Ok(()),
            _ => Err(self.wrong(&span.words())),
        }
    }

    fn list(&self, allowed: &str) -> Result<&'a [Value], String> {
        let list = self.value.as_array().ok_or_else(|| self.wrong(allowed))?;
        Ok(list)
    }

    fn table(&self, allowed: &str) -> Result<&'a Map<String, Value>, String> {
        self.value.as_object().ok_or_else(|| self.wrong(allowed))
    }

    fn each(&self, check: impl Fn(&Self) -> Result<(), String>) -> Result<(), String> {
        let list = self.list("a list")?;
        (list.iter().enumerate())
            .try_for_each(|(i, value)| check(&self.inner(&format!("[{i}]"), value)))
    }

    /// A list of so many numbers, each in its span.
    fn numbers(&self, spans: &[Span]) -> Result<(), String> {
        let allowed = format!("a list of {} numbers", spans.len());
        let list = self.list(&allowed)?;
        if list.len() != spans.len() {
            return Err(self.wrong(&allowed));
        }
        (list.iter().zip(spans).enumerate())
            .try_for_each(|(i, (value, span))| self.inner(&format!("[{i}]"), value).number(*span))
    }

    fn matmul(&self) -> Result<(), String> {
        let list = self.list(MATMULS)?;
        let figures = match list.first().and_then(Value::as_str) {
            Some("conv") => 9,
            Some("lin" | "rec" | "bmm") => 5,
            _ => return Err(self.wrong(MATMULS)),
        };
        if list.len() != figures + 1 {
            return Err(self.wrong(MATMULS));
        }
        (list.iter().enumerate().skip(1)).try_for_each(|(i, value)| {
            self.inner(&format!("[{i}]"), value)
                .number(Span::Above0(MAX_DIMENSION))
        })
    }

    fn traffic(&self) -> Result<(), String> {
        for (key, value) in self.table("a table of [kernels, elements]")? {
            let class = key.strip_suffix("_f").or_else(|| key.strip_suffix("_b"));
            if !class.is_some_and(|class| TRAFFIC.contains(&class)) {
                return Err(format!(
                    "field `{}`: unknown key `{key}`; allowed: {}, each with _f or _b behind it",
                    self.path,
                    TRAFFIC.join(", ")
                ));
            }
            self.inner(&format!(".{key}"), value)
                .numbers(&[Span::From(0.0, MAX_DIMENSION), Span::From(0.0, MAX_MOVED)])?;
        }
        Ok(())
    }

    fn kept(&self) -> Result<(), String> {
        const ALLOWED: &str = "a table of fp32 and amp, both in bytes";
        let table = self.table(ALLOWED)?;
        for key in ["fp32", "amp"] {
            let value = table.get(key).ok_or_else(|| self.wrong(ALLOWED))?;
            self.inner(&format!(".{key}"), value)
                .number(Span::Above0(MAX_MOVED))?;
        }
        if table.len() > 2 {
            return Err(self.wrong(ALLOWED));
        }
        Ok(())
    }
}

/// Whether dimensions that are lawful alone multiply to work that a sample may be.
///
/// # Errors
/// A sentence with what they come to and what is allowed.
pub(super) fn check_work(profile: &OperatorProfile) -> Result<(), String> {
    let flops = profile.forward_flops();
    if flops <= MAX_FORWARD_FLOPS {
        return Ok(());
    }
    Err(format!(
        "field `mm`: {flops:.0e} floating-point operations in the forward pass of a sample; allowed: up to {MAX_FORWARD_FLOPS:.0e}"
    ))
}

#[cfg(test)]
mod tests {
    use crate::presets::load_model_file;

    /// What is said of a model's file, the path to it left out; empty where it is read.
    fn said(text: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.mantissa.json");
        std::fs::write(&path, text).expect("it writes");
        match load_model_file(&path) {
            Ok(_) => String::new(),
            Err(error) => {
                let message = error.to_string();
                message.replace(&path.display().to_string(), "x")
            }
        }
    }

    const LAWFUL: &str = r#"{"schema": 1, "name": "x", "task": "speech", "optimizer": "sgd", "image_size": 0,
"seq_len": 64, "params": 1234, "tensors": 4, "batch_per_gpu": 2,
"mm": [["conv", 1024, 16, 27, 1, 1024, 3, 16, 3, 1], ["lin", 1.0, 10, 16, 1, 1], ["bmm", 8, 8, 4, 0.5, 2]],
"ew": {"ew_f": [2, 32768.0]}, "amp": {"cast_b": [1, 2]}, "ln": [[8, 4, 1]], "kept": {"fp32": 9, "amp": 8},
"kind": "traced", "source": "own", "traced_with": "PyTorch 2.4.1", "note": null}"#;

    #[test]
    fn each_field_is_held_to_its_range_and_named_by_its_path() {
        assert_eq!(said(LAWFUL), "");
        for (from, to, message) in [
            (
                "1234",
                "-1",
                "x:2:16: field `params`: the number -1 is not allowed; allowed: a number above 0, up to 100",
            ),
            (
                "1234",
                "1e308",
                "field `params`: the number 1e308 is not allowed",
            ),
            ("\"params\": 1234,", "", "field `params`: missing"),
            (
                "1.0, 10",
                "-1, 10",
                "x:3:1: field `mm[1][1]`: the number -1 is not allowed; allowed: a number above 0",
            ),
            (
                "1.0, 10",
                "1e308, 10",
                "field `mm[1][1]`: the number 1e308 is not allowed",
            ),
            (
                "\"bmm\", 8",
                "\"bmm\"",
                "field `mm[2]`: a list of 5 is not allowed; allowed: [\"conv\", 9 numbers]",
            ),
            (
                "\"bmm\"",
                "\"bmn\"",
                "field `mm[2]`: a list of 6 is not allowed",
            ),
            (
                "\"speech\"",
                "\"speach\"",
                "field `task`: `speach` is not allowed; allowed: image-classification, ",
            ),
            (
                "\"sgd\"",
                "\"sdg\"",
                "field `optimizer`: the text \"sdg\" is not allowed; allowed: sgd, adam",
            ),
            (
                "\"seq_len\": 64",
                "\"seq_len\": 0.5",
                "field `seq_len`: the number 0.5 is not allowed; allowed: a whole",
            ),
            (
                "\"image_size\": 0",
                "\"image_size\": 99999",
                "field `image_size`: the number 99999 is not allowed",
            ),
            (
                "\"batch_per_gpu\": 2",
                "\"batch_per_gpu\": 0",
                "field `batch_per_gpu`: the number 0 is not allowed",
            ),
            (
                "\"tensors\"",
                "\"tensor\"",
                "unknown key `tensor`. Did you mean `tensors`? Allowed: schema, ",
            ),
            (
                "\"ew_f\"",
                "\"we_f\"",
                "field `ew`: unknown key `we_f`; allowed: ew, norm",
            ),
            (
                "32768.0",
                "-1",
                "field `ew.ew_f[1]`: the number -1 is not allowed",
            ),
            (
                "[8, 4, 1]",
                "[8, 0, 1]",
                "field `ln[0][1]`: the number 0 is not allowed; allowed: a number from 1",
            ),
            (
                "\"amp\": 8",
                "\"amp\": 0",
                "field `kept.amp`: the number 0 is not allowed",
            ),
            (
                "\"traced\"",
                "\"guessed\"",
                "field `kind`: the text \"guessed\" is not allowed; allowed: traced, estimated",
            ),
            (
                "\"schema\": 1",
                "\"schema\": 0",
                "field `schema`: the number 0 is not allowed; allowed: 1",
            ),
            ("\"schema\": 1", "\"schema\": 2", "x: schema 2 is newer"),
        ] {
            assert!(LAWFUL.contains(from), "{from}");
            let error = said(&LAWFUL.replacen(from, to, 1));
            assert!(error.contains(message), "{from} -> {to}: {error}");
            assert!(
                !error.contains("untagged") && !error.contains("f64"),
                "{error}"
            );
        }
        let vast = LAWFUL.replace("1.0, 10, 16, 1, 1]", "1e9, 1e9, 1e9, 1, 1]");
        assert!(
            said(&vast).contains("field `mm`: 2e27 floating-point operations"),
            "{}",
            said(&vast)
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text_and_other_json_is_told() {
        assert_eq!(said(&format!("\u{feff}{LAWFUL}")), "");
        for other in ["[1, 2]", "{\"dependencies\": {}}"] {
            let error = said(other);
            assert!(
                error.contains("no model") && error.contains("`model_type`"),
                "{error}"
            );
        }
    }
}
