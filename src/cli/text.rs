//! Aligned tables for terminals.

use std::fmt;

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
