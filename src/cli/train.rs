//! `mantissa train`: the predictor fitted again from the measured runs that ship.

use super::args::TrainArgs;
use super::failure::Failure;

/// Joined by the predictor: `predictor::train` writes artifact and card to `args.out`.
pub(super) fn run(args: &TrainArgs) -> Result<(), Failure> {
    Err(Failure::other(format!(
        "train is not part of this build yet; nothing was written to {}",
        args.out.display()
    )))
}
