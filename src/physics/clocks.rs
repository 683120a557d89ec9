//! How often a part's multiprocessors tick, and how many exponentials that is.

use crate::domain::{Accelerator, Vendor};

/// Exponentials of a multiprocessor a clock where the part states no other (CUDA C++ programming guide, table of arithmetic
/// throughput, compute capability 7.0 to 10.0).
const EXPONENTIALS_A_CLOCK: f64 = 16.0;

/// Clock of a part that states none and whose FP32 rate implies none.
const UNKNOWN_CLOCK_MHZ: f64 = 1500.0;

/// The clock in MHz.
pub(super) fn clock_mhz(accelerator: &Accelerator) -> f64 {
    accelerator.clock_mhz().unwrap_or(UNKNOWN_CLOCK_MHZ)
}

/// Clocks a second of all multiprocessors together; systolic parts have vector units of 8 × 128 lanes, and two cores, which
/// count as 128 multiprocessors.
pub(super) fn unit_clocks(accelerator: &Accelerator) -> f64 {
    let units = match accelerator.vendor {
        Vendor::Google | Vendor::Intel | Vendor::Aws => 128.0,
        _ => accelerator.sm_count.map_or(64.0, f64::from),
    };
    units * clock_mhz(accelerator) * 1e6
}

/// Exponentials a second.
pub(super) fn exponentials(accelerator: &Accelerator) -> f64 {
    let each = accelerator.exponentials_per_clock;
    each.unwrap_or(EXPONENTIALS_A_CLOCK) * unit_clocks(accelerator)
}
