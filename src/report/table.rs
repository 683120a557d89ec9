//! Text of a CSV file (RFC 4180): text in quotes, numbers bare.

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Unknown, or nothing to say.
    Empty,
    /// A number, written with a decimal point.
    Number(String),
    /// Text that no spreadsheet takes for a formula.
    Text(String),
}

impl Cell {
    /// The shortest form that reads back as the same number; nothing for what is no number.
    pub fn number(value: f64) -> Self {
        if value.is_finite() {
            Self::Number(value.to_string())
        } else {
            Self::Empty
        }
    }

    /// A number where one is known.
    pub fn optional(value: Option<f64>) -> Self {
        value.map_or(Self::Empty, Self::number)
    }

    /// A whole number.
    pub fn whole(value: impl Into<u64>) -> Self {
        Self::Number(value.into().to_string())
    }

    /// A text.
    pub fn text(value: &str) -> Self {
        if value.is_empty() {
            Self::Empty
        } else {
            Self::Text(guarded(value))
        }
    }

    /// A text where there is one.
    pub fn optional_text(value: Option<&str>) -> Self {
        value.map_or(Self::Empty, Self::text)
    }

    fn write(&self, file: &mut String) {
        match self {
            Self::Empty => {}
            Self::Number(number) => file.push_str(number),
            Self::Text(text) => {
                file.push('"');
                file.push_str(&text.replace('"', "\"\""));
                file.push('"');
            }
        }
    }
}

/// A header and its lines as the text of a CSV file.
///
/// Text is quoted even where RFC 4180 does not ask for it: a spreadsheet that takes semicolons or tabs for separators too
/// keeps it in its cell.
pub fn table_csv(header: &[&str], lines: impl IntoIterator<Item = Vec<Cell>>) -> String {
    let mut file = String::new();
    let header = header.iter().map(|name| Cell::text(name)).collect();
    for line in std::iter::once(header).chain(lines) {
        for (at, cell) in line.iter().enumerate() {
            if at > 0 {
                file.push(',');
            }
            cell.write(&mut file);
        }
        file.push_str("\r\n");
    }
    file
}

/// A text that no spreadsheet takes for a formula.
fn guarded(value: &str) -> String {
    if value.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{value}")
    } else {
        value.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_quoted_and_numbers_are_not() {
        let line = vec![
            Cell::text("read 2026-06 ; reserved, \"a\""),
            Cell::number(2.754),
            Cell::Empty,
            Cell::text(""),
            Cell::text("2026"),
            Cell::whole(8u32),
        ];
        assert_eq!(
            table_csv(&["a", "b"], [line]),
            "\"a\",\"b\"\r\n\"read 2026-06 ; reserved, \"\"a\"\"\",2.754,,,\"2026\",8\r\n"
        );
    }

    #[test]
    fn formulas_are_defused_and_numbers_are_whole() {
        assert_eq!(guarded("=1+1"), "'=1+1");
        assert_eq!(guarded("@x"), "'@x");
        assert_eq!(guarded("H100"), "H100");
        assert_eq!(
            Cell::number(0.1 + 0.2),
            Cell::Number("0.30000000000000004".into())
        );
        assert_eq!(Cell::number(f64::NAN), Cell::Empty);
    }
}
