//! Family builders: operator profiles from hyper-parameters and from published totals.

mod totals;
mod transformer;

pub use totals::{language_totals, totals};
pub use transformer::{Head, transformer};
