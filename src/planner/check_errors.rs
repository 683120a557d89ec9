//! What is wrong with a request, gathered field by field, and the ranges its fields are held to.

use super::{REQUEST_SCHEMA, RequestError};
use crate::domain::ranges::{MAX_COMBINATIONS, MAX_FACTOR};
use crate::format::as_given;

/// The errors found so far.
#[derive(Default)]
pub(super) struct Errors(Vec<RequestError>);

impl Errors {
    /// How many there are so far.
    pub(super) const fn count(&self) -> usize {
        self.0.len()
    }

    /// All of them.
    pub(super) fn all(self) -> Vec<RequestError> {
        self.0
    }

    pub(super) fn add(&mut self, field: impl Into<String>, message: impl ToString) {
        self.0.push(RequestError {
            field: field.into(),
            message: message.to_string(),
        });
    }

    /// The value, or an error at the field.
    pub(super) fn take<T, E: ToString>(&mut self, field: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.add(field, error)).ok()
    }

    pub(super) fn check_schema(&mut self, schema: u32) {
        if schema > REQUEST_SCHEMA {
            self.add(
                "schema",
                format!("{schema} is newer than this build reads; allowed: {REQUEST_SCHEMA}; update Mantissa"),
            );
        } else if schema != REQUEST_SCHEMA {
            self.add(
                "schema",
                format!("{schema} is unknown; allowed: {REQUEST_SCHEMA}"),
            );
        }
    }

    /// That a plan is not more than can be worked out and read.
    pub(super) fn check_size(&mut self, accelerators: usize, counts: usize, modes: usize) {
        let combinations = accelerators.saturating_mul(counts).saturating_mul(modes);
        if combinations > MAX_COMBINATIONS {
            self.add(
                "counts",
                format!(
                    "{accelerators} accelerators × {} counts × {modes} precisions are {} combinations; allowed: up to {}; \
                     leave out counts, or accelerators and precisions",
                    as_given(counts as f64),
                    as_given(combinations as f64),
                    as_given(MAX_COMBINATIONS as f64)
                ),
            );
        }
    }

    /// A number that must be above zero, and at most so much.
    pub(super) fn above_zero(&mut self, field: &str, value: Option<f64>, most: f64) -> Option<f64> {
        let number = value?;
        if number > 0.0 {
            return self.at_most(field, number, "above 0", most);
        }
        self.add(
            field,
            format!("{number} is not allowed; allowed: a number above 0"),
        );
        None
    }

    /// A number that is large enough, if it is not too large.
    pub(super) fn at_most(
        &mut self,
        field: &str,
        number: f64,
        least: &str,
        most: f64,
    ) -> Option<f64> {
        if number <= most {
            return Some(number);
        }
        self.add(
            field,
            format!(
                "{} is not allowed; allowed: a number {least}, up to {}",
                as_given(number),
                as_given(most)
            ),
        );
        None
    }

    /// A whole number in a range.
    pub(super) fn in_range(&mut self, field: &str, value: Option<u32>, most: u32) {
        if let Some(number) = value
            && !(1..=most).contains(&number)
        {
            self.add(
                field,
                format!(
                    "{} is not allowed; allowed: 1 to {}",
                    as_given(f64::from(number)),
                    as_given(f64::from(most))
                ),
            );
        }
    }

    /// A share in percent, as a share.
    pub(super) fn percent(&mut self, field: &str, value: Option<f64>, most: f64) -> Option<f64> {
        let number = value?;
        if number.is_finite() && (0.0..=most).contains(&number) {
            return Some(number / 100.0);
        }
        self.add(
            field,
            format!(
                "{} is not allowed; allowed: 0 to {most} percent",
                as_given(number)
            ),
        );
        None
    }

    /// A factor of a what-if; 0 where that means something.
    pub(super) fn factor(&mut self, field: &str, value: Option<f64>, least: f64) -> Option<f64> {
        let number = value?;
        if (least..=MAX_FACTOR).contains(&number) {
            return Some(number);
        }
        self.add(
            field,
            format!(
                "{} is not allowed; allowed: a number from {least} to {}",
                as_given(number),
                as_given(MAX_FACTOR)
            ),
        );
        None
    }

    /// A number of zero or more, and at most so much.
    pub(super) fn at_least_zero(
        &mut self,
        field: &str,
        value: Option<f64>,
        most: f64,
    ) -> Option<f64> {
        let number = value?;
        if number >= 0.0 {
            return self.at_most(field, number, "of 0 or more", most);
        }
        self.add(
            field,
            format!("{number} is not allowed; allowed: a number of 0 or more"),
        );
        None
    }
}
