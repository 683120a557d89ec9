//! The form of a table: whether it is text at all, what separates its cells, and where its lines are.

/// Bytes that are looked at for signs of what is no text.
const LOOKED_AT: usize = 8192;

/// One zero byte in so many makes no text binary.
const STRAY_ZEROS: usize = 50;

/// How files begin that people take for tables: workbooks are archives, older ones compound documents.
const BEGINNINGS: [(&[u8], &str); 6] = [
    (
        b"PK\x03\x04",
        "a workbook or another archive (ZIP), no text",
    ),
    (b"\xd0\xcf\x11\xe0", "a workbook (XLS), no text"),
    (b"\x1f\x8b", "a compressed file (gzip), no text"),
    (b"PAR1", "a Parquet file, no text"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
];

/// What bytes are that are no text in UTF-8 or near it; `None` for what may be.
pub(super) fn no_text(bytes: &[u8]) -> Option<&'static str> {
    let known = BEGINNINGS.iter().find(|(own, _)| bytes.starts_with(own));
    if let Some((_, what)) = known {
        return Some(what);
    }
    let seen = &bytes[..bytes.len().min(LOOKED_AT)];
    let zeros = |first: usize| {
        seen.iter()
            .skip(first)
            .step_by(2)
            .filter(|b| **b == 0)
            .count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    let most = (seen.len() / STRAY_ZEROS).max(1);
    match (even, odd) {
        // A cell with a stray zero makes no file binary.
        _ if even + odd <= most => None,
        // Without a mark, UTF-16 shows by the empty half of what Latin letters take.
        (0, zeros) | (zeros, 0) if 4 * zeros > seen.len() => Some("UTF-16 text"),
        _ => Some("binary data, no text"),
    }
}

/// What stands between cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Semicolon,
    Tab,
}

impl Separator {
    const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    /// The one by which the header has the most of the columns looked for; a comma where none has more.
    pub(super) fn of(bytes: &[u8], columns: &[&str]) -> Self {
        let found = |separator: Self| {
            let mut table = separator.table(bytes);
            let header = table.byte_headers();
            header.map_or(0, |header| {
                let names = header.iter().map(column_name);
                names
                    .filter(|name| columns.contains(&name.as_str()))
                    .count()
            })
        };
        let [comma, others @ ..] = Self::ALL;
        others
            .into_iter()
            .fold(comma, |best, next| match found(next) > found(best) {
                true => next,
                false => best,
            })
    }

    /// A reader of the table.
    pub(super) fn table(self, bytes: &[u8]) -> csv::Reader<&[u8]> {
        let separator = match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        };
        csv::ReaderBuilder::new()
            .flexible(true)
            .delimiter(separator)
            .from_reader(bytes)
    }
}

/// A column's name as it is looked for: in lower case, without a byte order mark.
pub(super) fn column_name(cell: &[u8]) -> String {
    let name = String::from_utf8_lossy(cell);
    let name = name.trim_start_matches('\u{feff}').trim();
    name.to_ascii_lowercase()
}

/// Lines of a text by place, whatever ends them: the reader of CSV counts line feeds, and stops before the one that ends
/// with a carriage return.
pub(super) struct Lines<'a> {
    bytes: &'a [u8],
    /// How far lines are counted.
    at: usize,
    /// The line there, from 1.
    line: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            line: 1,
        }
    }

    /// The line of the first character from a place on that ends no line; places are asked for in their order.
    pub(super) fn line_at(&mut self, place: u64) -> u64 {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        while let Some(&byte) = self.bytes.get(self.at) {
            let ends_line = match byte {
                b'\n' => true,
                b'\r' => self.bytes.get(self.at + 1) != Some(&b'\n'),
                _ if self.at >= place => break,
                _ => false,
            };
            self.line += u64::from(ends_line);
            self.at += 1;
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        for end in ["\n", "\r\n", "\r"] {
            let text = format!("head{end}one{end}{end}\"two{end}cells\"{end}three");
            let mut lines = Lines::of(text.as_bytes());
            let place = |word: &str| text.find(word).unwrap() as u64;
            for (word, line) in [("one", 2), ("\"two", 4), ("three", 6)] {
                // The reader of CSV may stop anywhere in the ends of lines before.
                assert_eq!(lines.line_at(place(word) - 1), line, "{end:?} {word}");
                assert_eq!(lines.line_at(place(word)), line, "{end:?} {word}");
            }
        }
    }

    #[test]
    fn what_is_no_text_is_told() {
        let utf16 =
            |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        let unmarked = utf16("model,gpu\n");
        let marked = utf16("\u{feff}model,gpu\n");
        for (bytes, what) in [
            (unmarked.as_slice(), Some("UTF-16 text")),
            (&marked, Some("UTF-16 text")),
            (
                b"PK\x03\x04\x14\0",
                Some("a workbook or another archive (ZIP), no text"),
            ),
            (b"\x7fELF\0\0\x01\0\0abc", Some("binary data, no text")),
            (b"model,gpu\na\0,A100\n", None),
            (b"model,gpu\n\xff\xfe,A100\n", None),
            ("modèle,gpu\n".as_bytes(), None),
            (b"", None),
        ] {
            assert_eq!(no_text(bytes), what, "{bytes:?}");
        }
    }
}
