//! The messages of the readers of TOML and JSON, which speak of Rust, in words.

/// A message of a value of the wrong kind in words: what stands there and what is allowed. Others as they are.
pub(super) fn in_words(message: &str) -> String {
    let wrong = (message.strip_prefix("invalid type: "))
        .or_else(|| message.strip_prefix("invalid value: "));
    match wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((given, wanted)) => format!(
            "{} is not allowed; allowed: {}",
            given_words(given),
            wanted_words(wanted)
        ),
        None => message.to_owned(),
    }
}

/// What stands in the file, from the words of the reader: `integer `5``.
pub fn given_words(given: &str) -> String {
    let (kind, value) = given.split_once(['`', '"']).unwrap_or((given, ""));
    // What is too long for any number has a kind behind it: `99999999999999999999` as i128.
    let value = match kind.trim() {
        "integer" => value.split('`').next().unwrap_or(value),
        _ => value.trim_end_matches(['`', '"']),
    };
    match kind.trim() {
        "integer" | "floating point" => format!("the number {value}"),
        "string" => format!("the text \"{value}\""),
        "boolean" => value.to_owned(),
        "map" | "inline table" | "table" => "a table".to_owned(),
        "sequence" | "array" => "a list".to_owned(),
        "datetime" => "a date".to_owned(),
        _ => given.to_owned(),
    }
}

/// What is allowed in the file, from the words of the reader: `u32`.
pub fn wanted_words(wanted: &str) -> String {
    match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of 0 or more",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" => "a text in quotes",
        "a boolean" => "true or false",
        "a sequence" => "a list, such as [8, 16]",
        "a map" => "a table, such as { … = … }",
        _ if wanted.starts_with("struct ") => "a table, such as { … = … }",
        _ => wanted,
    }
    .to_owned()
}
