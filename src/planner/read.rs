//! Requests as files: TOML in, TOML out.

use super::PlanRequest;

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
                message: error.message().trim_end().replace('\n', "; "),
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
