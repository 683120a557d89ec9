//! `mantissa crossval`: every protocol of the accuracy table, beside the baselines.

use super::args::CrossvalArgs;
use super::failure::Failure;

/// Joined by the predictor: `predictor::crossval` gives the table as text, or as JSON with `args.json`.
pub(super) fn run(_args: &CrossvalArgs) -> Result<(), Failure> {
    Err(Failure::other("crossval is not part of this build yet"))
}
