//! Requests as files: TOML in, TOML out.

use super::{PlanRequest, check, check_choices, quantity};
use crate::domain::ranges::{MAX_COUNT, MAX_IMAGE_SIZE, MAX_RANK, MAX_SEQ_LEN};
use crate::format::as_given;
use crate::presets::{given_words, slip_of, wanted_words};

/// The newest form of a request that this build reads.
pub const REQUEST_SCHEMA: u32 = 1;

/// A request file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestFileError {
    /// A place in the file is wrong.
    #[error("{file}:{line}:{column}: {message}")]
    At {
        /// Path as given.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong and what is allowed.
        message: String,
    },
    /// The file was written by a newer build.
    #[error(
        "{file}: schema: {found} is newer than this build reads; allowed: {REQUEST_SCHEMA}; update Mantissa"
    )]
    Newer {
        /// Path as given.
        file: String,
        /// The schema it states.
        found: i64,
    },
    /// The request cannot be written as TOML.
    #[error("the request cannot be written: {0}")]
    Write(String),
}

/// Only the schema, whatever else the file holds.
#[derive(serde::Deserialize)]
struct Head {
    schema: Option<i64>,
}

impl PlanRequest {
    /// Reads a request from the text of a file called `file`.
    ///
    /// # Errors
    /// [`RequestFileError`] with file, line and column: broken TOML, an unknown key, a value of the wrong kind, a
    /// key that is missing, a newer schema.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, RequestFileError> {
        let head: Option<Head> = toml::from_str(text).ok();
        if let Some(found) = head.and_then(|h| h.schema)
            && found > i64::from(REQUEST_SCHEMA)
        {
            return Err(RequestFileError::Newer {
                file: file.to_owned(),
                found,
            });
        }
        toml::from_str(text).map_err(|error| {
            let (line, column) = place(text, error.span().map_or(0, |span| span.start));
            RequestFileError::At {
                file: file.to_owned(),
                line,
                column,
                message: in_words(
                    text,
                    error.span().map_or(0, |span| span.start),
                    error.message(),
                ),
            }
        })
    }

    /// The request as the text of a file.
    ///
    /// # Errors
    /// [`RequestFileError::Write`] for a number TOML has no form for.
    pub fn to_toml(&self) -> Result<String, RequestFileError> {
        toml::to_string(self).map_err(|error| RequestFileError::Write(error.to_string()))
    }
}

/// What the reader of TOML says, in words: the key, what stands there and what is allowed. What has no words of its own
/// stays as it is.
fn in_words(text: &str, at: usize, message: &str) -> String {
    let message = message.trim_end().replace('\n', "; ");
    let named = |rest: &str| rest.split('`').nth(1).unwrap_or_default().to_owned();
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let known: Vec<&str> = rest.split('`').skip(3).step_by(2).collect();
        let name = named(rest);
        // A slip of the finger is put right at a glance; the whole list is for who looks for a key.
        let meant = slip_of(&name, known.iter().copied())
            .map_or_else(String::new, |key| format!(" Did you mean `{key}`?"));
        let known = match known.as_slice() {
            [] => "none here".to_owned(),
            names => names.join(", "),
        };
        return format!("unknown key `{name}`.{meant} Allowed: {known}");
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        return format!("`{}` is missing", named(rest));
    }
    let key = key_before(text, at).map_or_else(String::new, |key| format!("`{key}`: "));
    if let Some(kind) = message.strip_prefix("data did not match any variant of untagged enum ") {
        return format!("{key}not understood; {}", allowed_of(kind));
    }
    let wrong = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "));
    match wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((_, kind @ ("StrategyRequest" | "MinimiseRequest"))) => {
            format!("{key}not understood; {}", allowed_of(kind))
        }
        Some((given, wanted)) => format!(
            "{key}{} is not allowed; allowed: {}{}",
            given_words(given),
            wanted_words(wanted),
            range_words(text, at)
        ),
        None => message,
    }
}

/// The range of the whole number whose value begins at a byte of the text; no words where its field has none of its own.
fn range_words(text: &str, at: usize) -> String {
    let Some(key) = key_before(text, at) else {
        return String::new();
    };
    let most = match key {
        "counts" | "tp" | "pp" | "cp" | "ep" | "accumulation" | "interleave" => MAX_COUNT,
        "seq_len" | "decoder_tokens" => MAX_SEQ_LEN,
        "image_size" => MAX_IMAGE_SIZE,
        "rank" => MAX_RANK,
        _ => return String::new(),
    };
    format!(", and of `{key}` 1 to {}", as_given(f64::from(most)))
}

/// The key whose value begins at a byte of the text.
fn key_before(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    // The values of a list may stand on lines of their own.
    let (left, _) = before.rsplit_once('=')?;
    let left = left.rsplit('\n').next()?;
    let key = left.trim_end().rsplit(['{', ',', ' ']).next()?;
    Some(key.trim_matches('"')).filter(|key| !key.is_empty())
}

/// What may stand where one of several forms is read.
fn allowed_of(kind: &str) -> &'static str {
    match kind {
        "Quantity" => quantity::ALLOWED,
        "MinimiseRequest" => check_choices::GOALS_ALLOWED,
        "StrategyRequest" => check::LAYOUTS_ALLOWED,
        _ => "allowed: what docs/requests.md lists for it",
    }
}

/// Line and column, from 1, of a byte of the text.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at.min(text.len())).unwrap_or("");
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
schema = 1
model = "llama-3-8b"
accelerators = ["H100-SXM5-80GB"]
counts = [8, 16]
precisions = ["amp-bf16", "fp8"]
train = { tokens = "15 B" }
"#;

    #[test]
    fn the_smallest_request_survives_a_round_trip() {
        let request = PlanRequest::from_toml(SMALL, "p.toml").unwrap();
        let text = request.to_toml().unwrap();
        assert_eq!(PlanRequest::from_toml(&text, "p.toml"), Ok(request));
    }

    #[test]
    fn an_unknown_key_is_refused_by_name_and_place() {
        let text = format!("{SMALL}limits = {{ budget = 3 }}\n");
        let error = PlanRequest::from_toml(&text, "p.toml")
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("p.toml:8:"), "{error}");
        assert!(error.contains("budget"), "{error}");
        assert!(error.contains("budget_usd"), "{error}");
    }

    #[test]
    fn what_is_of_the_wrong_kind_is_said_in_words() {
        for (from, to, said) in [
            (
                "[8, 16]",
                "\"many\"",
                "p.toml:5:10: `counts`: the text \"many\" is not allowed; allowed: a list",
            ),
            (
                "[8, 16]",
                "[8, -1]",
                "the number -1 is not allowed; allowed: a whole number of 0 or more",
            ),
            (
                "\"15 B\"",
                "[1]",
                "`tokens`: not understood; allowed: a number above 0, with or without K",
            ),
            ("model = \"llama-3-8b\"", "", "`model` is missing"),
            (
                "schema = 1",
                "schema = 1\nminimise = 5",
                "`minimise`: not understood; allowed: \"time\"",
            ),
            (
                "schema = 1",
                "schema = 1\nlimits = { budget_usd = \"much\" }",
                "`budget_usd`: the text \"much\" is not allowed; allowed: a number",
            ),
            (
                "schema = 1",
                "schema = 1\nlimit = 3",
                "unknown key `limit`. Did you mean `limits`? Allowed: schema, title",
            ),
        ] {
            let text = SMALL.replacen(from, to, 1);
            let error = PlanRequest::from_toml(&text, "p.toml")
                .unwrap_err()
                .to_string();
            assert!(error.contains(said), "{error}");
            for dump in ["expected", "untagged", "enum", "u32", "f64"] {
                assert!(!error.contains(dump), "{error}");
            }
        }
    }

    #[test]
    fn a_wrong_key_of_a_table_and_the_range_of_a_count_are_said() {
        for (from, to, said) in [
            (
                "schema = 1",
                "schema = 1\nstrategy = { tensor = 2 }",
                "p.toml:3:14: unknown key `tensor`. Allowed: tp, pp, cp, ep, sharding",
            ),
            (
                "schema = 1",
                "schema = 1\nstrategy = { tp = -2 }",
                "`tp`: the number -2 is not allowed; allowed: a whole number of 0 or more, and of `tp` 1 to 1\u{202F}000",
            ),
            (
                "schema = 1",
                "schema = 1\nstrategy = 2",
                "`strategy`: not understood; allowed: \"auto\", or a table of tp",
            ),
            (
                "schema = 1",
                "schema = 1\nminimise = { tme = 1 }",
                "unknown key `tme`. Did you mean `time`? Allowed: time, cost",
            ),
            (
                "[8, 16]",
                "[8,\n 4294967296]",
                "p.toml:6:2: `counts`: the number 4294967296 is not allowed; allowed: a whole number of 0 or more, and of `counts` 1",
            ),
            (
                "[8, 16]",
                "[9223372036854775807]",
                "`counts`: the number 9223372036854775807 is not allowed",
            ),
            (
                "[8, 16]",
                "[99999999999999999999]",
                "`counts`: the number 99999999999999999999 is not allowed; allowed: a whole number of 0 or more, and of `counts` 1",
            ),
        ] {
            let text = SMALL.replacen(from, to, 1);
            let error = PlanRequest::from_toml(&text, "p.toml")
                .unwrap_err()
                .to_string();
            assert!(error.contains(said), "{error}");
            for dump in ["expected", "untagged", "Request", "i128", "u32"] {
                assert!(!error.contains(dump), "{error}");
            }
        }
        let fixed = PlanRequest::from_toml(&format!("{SMALL}strategy = {{ tp = 2 }}"), "p.toml");
        assert!(matches!(
            fixed.unwrap().strategy,
            Some(crate::planner::StrategyRequest::Fixed(_))
        ));
    }

    #[test]
    fn broken_text_is_placed() {
        let error = PlanRequest::from_toml("schema = 1\nmodel = \n", "p.toml").unwrap_err();
        assert!(error.to_string().starts_with("p.toml:2:"), "{error}");
    }

    #[test]
    fn a_newer_schema_asks_for_an_update_whatever_else_it_holds() {
        let error = PlanRequest::from_toml("schema = 2\nnovel = true\n", "p.toml").unwrap_err();
        assert!(error.to_string().contains("update Mantissa"), "{error}");
    }
}
