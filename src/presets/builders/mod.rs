//! Family builders: operator profiles from hyper-parameters and from published totals.

mod totals;
mod transformer;

pub use totals::totals;
pub use transformer::transformer;
