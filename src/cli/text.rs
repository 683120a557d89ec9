//! What goes to terminals: aligned tables, and words of others made safe to show.

use std::fmt;

/// Characters of a word, a name or a path say, that are shown whole.
const LONGEST_WORD: usize = 300;
/// Characters of a message that are shown whole.
const LONGEST_MESSAGE: usize = 4_000;

/// Text without the characters that would steer a terminal; line ends stay, tabs are blanks.
pub(super) fn without_controls(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => Some(c),
        '\t' => Some(' '),
        _ => (!c.is_control()).then_some(c),
    };
    text.chars().filter_map(shown).collect()
}

/// A message without the middle of what is too long to be read, so that what it says around it is seen.
pub(super) fn shortened(message: &str) -> String {
    let words: Vec<String> = (message.split(' '))
        .map(|word| without_middle(word, LONGEST_WORD))
        .collect();
    without_middle(&words.join(" "), LONGEST_MESSAGE)
}

/// A third of `most` characters from either end of what has more than `most`.
fn without_middle(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let kept = most / 3;
    let (start, end) = (text.chars().take(kept), text.chars().skip(length - kept));
    format!("{}…{}", start.collect::<String>(), end.collect::<String>())
}

/// Which side a column leans on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// A table; rows may end in a note that spans the columns that are left.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<(Vec<String>, Option<String>)>,
}

impl Table {
    pub(super) fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            columns: columns
                .iter()
                .map(|(name, align)| ((*name).to_owned(), *align))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(super) fn push(&mut self, cells: Vec<String>) {
        self.rows.push((cells, None));
    }

    /// Adds a row whose last cell is as wide as it likes.
    pub(super) fn push_note(&mut self, cells: Vec<String>, note: String) {
        self.rows.push((cells, Some(note)));
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self
            .columns
            .iter()
            .map(|(name, _)| name.chars().count())
            .collect();
        for (cells, _) in &self.rows {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.chars().count());
            }
        }
        widths
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let head: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let head = (head, None);
        for (cells, note) in std::iter::once(&head).chain(&self.rows) {
            let mut line = String::new();
            for ((cell, width), (_, align)) in cells.iter().zip(&widths).zip(&self.columns) {
                let cell = match align {
                    Align::Left => format!("{cell:<width$}  "),
                    Align::Right => format!("{cell:>width$}  "),
                };
                line.push_str(&cell);
            }
            line.push_str(note.as_deref().unwrap_or(""));
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal_and_lines_stay() {
        let text = "a\u{0}\tb\u{1b}[31mc\u{9b}\u{7f}\r\nd\u{202f}é\n";
        assert_eq!(without_controls(text), "a b[31mc\nd\u{202f}é\n");
    }

    #[test]
    fn a_long_name_leaves_what_is_said_of_it() {
        let long = "é".repeat(100_000);
        let told = shortened(&format!(
            "model: unknown model `{long}`; nearest known: bert"
        ));
        assert!(told.chars().count() < 400, "{told}");
        assert!(told.starts_with("model: unknown model `éé") && told.ends_with("known: bert"));
        let spaced = shortened(&format!("unknown `{}`; allowed: a", "é ".repeat(50_000)));
        assert!(spaced.chars().count() < 4_000 && spaced.ends_with("allowed: a"));
        let short = format!("/{}: no such file", "p".repeat(200));
        assert_eq!(shortened(&short), short);
    }

    #[test]
    fn columns_line_up_and_notes_run_on() {
        let mut table = Table::new(&[("Name", Align::Left), ("Count", Align::Right)]);
        table.push(vec!["a".into(), "8".into()]);
        table.push_note(vec!["long name".into()], "Refused: why".into());
        assert_eq!(
            table.to_string(),
            "Name       Count\na              8\nlong name  Refused: why\n"
        );
    }
}
