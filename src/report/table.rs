//! Text of a CSV file (RFC 4180): text in quotes, numbers bare.

/// Whom a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CsvForm {
    /// Programs and most spreadsheets: commas between cells, decimal points.
    #[default]
    Point,
    /// Spreadsheets set to a language with a decimal comma: semicolons between cells. They would read `2.754` as 2754.
    Comma,
}

impl CsvForm {
    /// The form with decimal commas, where it is asked for.
    pub const fn with_decimal_comma(asked: bool) -> Self {
        if asked { Self::Comma } else { Self::Point }
    }

    const fn separator(self) -> char {
        match self {
            Self::Point => ',',
            Self::Comma => ';',
        }
    }
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Unknown, or nothing to say.
    Empty,
    /// A number, with a decimal point until it is written.
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
            Self::Text(no_formula(value))
        }
    }

    /// Mantissa's own words, their signs written in ASCII: a spreadsheet that takes the file for Latin-1 shows them too.
    pub fn words(value: &str) -> Self {
        Self::text(&plain(value))
    }

    /// A text where there is one.
    pub fn optional_text(value: Option<&str>) -> Self {
        value.map_or(Self::Empty, Self::text)
    }

    fn write(&self, file: &mut String, form: CsvForm) {
        match self {
            Self::Empty => {}
            // LibreOffice takes commas for separators too, unless told otherwise, and reads quoted numbers all the same.
            Self::Number(number) if form == CsvForm::Comma && number.contains('.') => {
                file.push('"');
                file.push_str(&number.replace('.', ","));
                file.push('"');
            }
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
pub fn table_csv(
    header: &[&str],
    lines: impl IntoIterator<Item = Vec<Cell>>,
    form: CsvForm,
) -> String {
    let mut file = String::new();
    let header = header.iter().map(|name| Cell::text(name)).collect();
    for line in std::iter::once(header).chain(lines) {
        for (at, cell) in line.iter().enumerate() {
            if at > 0 {
                file.push(form.separator());
            }
            cell.write(&mut file, form);
        }
        file.push_str("\r\n");
    }
    file
}

/// A text whose signs of typesetting are written in ASCII.
fn plain(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\u{A0}' | '\u{2009}' | '\u{202F}' => text.push(' '),
            '×' => text.push('x'),
            '−' | '–' | '—' => text.push('-'),
            // Not `+/-`: behind a comma that begins a formula.
            '±' => text.push_str("plus/minus "),
            '…' => text.push_str("..."),
            '“' | '”' => text.push('"'),
            '‘' | '’' => text.push('\''),
            '₂' | '²' => text.push('2'),
            '³' => text.push('3'),
            'µ' => text.push('u'),
            '≤' => text.push_str("<="),
            '≥' => text.push_str(">="),
            '→' => text.push_str("->"),
            other => text.push(other),
        }
    }
    text
}

/// A text that no spreadsheet takes for a formula: an apostrophe stands before what would begin one, in front and
/// wherever a spreadsheet with other separators would begin a cell. Control characters become blanks.
pub fn no_formula(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 1);
    let mut may_begin_a_cell = true;
    for c in value.chars() {
        if may_begin_a_cell && begins_formula(c) {
            text.push('\'');
        }
        may_begin_a_cell = separates(c) || (may_begin_a_cell && is_passed_over(c));
        text.push(if c.is_control() { ' ' } else { c });
    }
    text
}

/// What a formula begins with; spreadsheets read the full-width forms as the narrow ones.
const fn begins_formula(c: char) -> bool {
    matches!(
        c,
        '=' | '+' | '-' | '@' | '\u{FF1D}' | '\u{FF0B}' | '\u{FF0D}' | '\u{FF20}'
    )
}

/// What some spreadsheet ends a cell at, tabs and line ends included.
fn separates(c: char) -> bool {
    matches!(c, ';' | ',' | '|') || c.is_control()
}

/// What may stand between the beginning of a cell and its formula: blanks, those without width too, and quotes, which
/// vanish where another separator than the file's cuts a quoted text.
fn is_passed_over(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\u{FEFF}' | '\u{200B}')
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
            table_csv(&["a", "b"], [line.clone()], CsvForm::Point),
            "\"a\",\"b\"\r\n\"read 2026-06 ; reserved, \"\"a\"\"\",2.754,,,\"2026\",8\r\n"
        );
        assert_eq!(
            table_csv(&["a", "b"], [line], CsvForm::Comma),
            "\"a\";\"b\"\r\n\"read 2026-06 ; reserved, \"\"a\"\"\";\"2,754\";;;\"2026\";8\r\n"
        );
    }

    #[test]
    fn formulas_are_defused_wherever_a_cell_may_begin() {
        for (text, safe) in [
            ("=1+1", "'=1+1"),
            ("@x", "'@x"),
            (" =1", " '=1"),
            ("\u{A0}+1", "\u{A0}'+1"),
            ("\t=1+1", " '=1+1"),
            ("\r\n-1", "  '-1"),
            ("a\n=1", "a '=1"),
            ("note;=1+2", "note;'=1+2"),
            (
                "note; =1+2;=HYPERLINK(\"x\")",
                "note; '=1+2;'=HYPERLINK(\"x\")",
            ),
            ("note\t@x|-2,+3", "note '@x|'-2,'+3"),
            ("note;\"=1+2", "note;\"'=1+2"),
            ("\u{FF1D}1", "'\u{FF1D}1"),
            ("a;\u{FF0B}1", "a;'\u{FF0B}1"),
            ("\u{FF0D}1", "'\u{FF0D}1"),
            ("\u{FF20}x", "'\u{FF20}x"),
            ("\u{FEFF}=1", "\u{FEFF}'=1"),
        ] {
            assert_eq!(no_formula(text), safe, "{text:?}");
        }
    }

    #[test]
    fn plain_words_stay_as_they_are() {
        for text in [
            "H100-SXM5-80GB",
            "ZeRO-2 over 4, pipeline 2; x = 3, a + b - c",
            "read 2026-06 ; reserved | me@example.org",
        ] {
            assert_eq!(no_formula(text), text);
        }
        assert_eq!(no_formula("a\u{0}b\u{85}c"), "a b c");
    }

    #[test]
    fn own_words_are_ascii_and_those_of_others_are_kept() {
        let words = Cell::words("8× H100, 7.5\u{202F}% slower, ±3\u{A0}µs… “CO₂”");
        let ascii = "8x H100, 7.5 % slower, plus/minus 3 us... \"CO2\"";
        assert_eq!(words, Cell::Text(ascii.into()));
        assert_eq!(Cell::words("−5"), Cell::Text("'-5".into()));
        assert_eq!(Cell::text("Zürich ×"), Cell::Text("Zürich ×".into()));
    }

    #[test]
    fn numbers_are_whole() {
        assert_eq!(
            Cell::number(0.1 + 0.2),
            Cell::Number("0.30000000000000004".into())
        );
        assert_eq!(Cell::number(-2.0), Cell::Number("-2".into()));
        assert_eq!(Cell::number(f64::NAN), Cell::Empty);
    }
}
