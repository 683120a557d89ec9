//! One record's cells, looked up by column name and checked as they are read.

use std::collections::HashMap;

use super::YearMonth;

/// Where each column is in the file.
pub(super) type Columns = HashMap<String, usize>;

/// The cells of one record, with all that a message about one of them must name.
pub(super) struct Row<'a> {
    pub columns: &'a Columns,
    pub cells: &'a [&'a str],
    /// Whether a number may have a decimal comma.
    pub decimal_comma: bool,
    pub file: &'a str,
    pub line: u64,
}

/// A message about a cell, or the cell's value.
pub(super) type Cell<T> = Result<T, String>;

impl Row<'_> {
    /// The trimmed cell, or "" where the file has no such column.
    pub fn text(&self, column: &str) -> &str {
        let cell = self.columns.get(column).and_then(|&at| self.cells.get(at));
        cell.map_or("", |cell| cell.trim())
    }

    /// A word, `None` if empty.
    pub fn word(&self, column: &str) -> Option<String> {
        Some(self.text(column))
            .filter(|cell| !cell.is_empty())
            .map(str::to_owned)
    }

    /// A word that must be there.
    pub fn required(&self, column: &str) -> Cell<String> {
        self.word(column)
            .ok_or_else(|| self.complain(column, "a name"))
    }

    /// The parts of a `;`-separated list.
    pub fn list(&self, column: &str) -> Vec<String> {
        let parts = self.text(column).split(';').map(str::trim);
        parts
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// A number above 0, `None` if empty.
    pub fn positive(&self, column: &str) -> Cell<Option<f64>> {
        self.parse(column, "a number above 0, or empty", |text| {
            self.number(text)
                .filter(|value: &f64| value.is_finite() && *value > 0.0)
        })
    }

    /// A number of 0 or above, `None` if empty.
    pub fn non_negative(&self, column: &str) -> Cell<Option<f64>> {
        self.parse(column, "a number of 0 or above, or empty", |text| {
            self.number(text)
                .filter(|value: &f64| value.is_finite() && *value >= 0.0)
        })
    }

    /// A whole number from 1, `None` if empty; `8.0` counts as whole.
    pub fn count(&self, column: &str) -> Cell<Option<u32>> {
        self.parse(column, "a whole number from 1, or empty", |text| {
            whole(self.number(text)?)
        })
    }

    /// A whole number from 1 that must be there.
    pub fn required_count(&self, column: &str) -> Cell<u32> {
        let allowed = "a whole number from 1";
        self.parse(column, allowed, |text| whole(self.number(text)?))?
            .ok_or_else(|| self.complain(column, allowed))
    }

    /// A year or a month, `None` if empty.
    pub fn month(&self, column: &str) -> Cell<Option<YearMonth>> {
        self.parse(column, "YYYY-MM or YYYY, or empty", YearMonth::parse)
    }

    /// One of some words, `None` if empty.
    pub fn choice<T: Copy>(&self, column: &str, choices: &[(&str, T)]) -> Cell<Option<T>> {
        let allowed = choices
            .iter()
            .map(|(word, _)| *word)
            .collect::<Vec<_>>()
            .join(", ");
        self.parse(column, &format!("one of {allowed}, or empty"), |text| {
            let mut words = choices.iter();
            words
                .find(|(word, _)| word.eq_ignore_ascii_case(text))
                .map(|(_, value)| *value)
        })
    }

    /// A number as the file writes them.
    fn number(&self, text: &str) -> Option<f64> {
        if self.decimal_comma && !text.contains('.') {
            return text.replacen(',', ".", 1).parse().ok();
        }
        text.parse().ok()
    }

    fn parse<T>(
        &self,
        column: &str,
        allowed: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Cell<Option<T>> {
        match self.text(column) {
            "" => Ok(None),
            text => read(text)
                .map(Some)
                .ok_or_else(|| self.complain(column, allowed)),
        }
    }

    /// The message about one cell: file, line, column, value, and what is allowed.
    fn complain(&self, column: &str, allowed: &str) -> String {
        let (file, line, value) = (self.file, self.line, self.text(column));
        format!("{file}: line {line}: column `{column}`: `{value}` is not {allowed}")
    }
}

/// A whole number from 1 that fits.
fn whole(value: f64) -> Option<u32> {
    let fits = value >= 1.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
    // In range and whole, so the conversion is exact.
    fits.then_some(value as u32)
}
