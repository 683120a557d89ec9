//! How often a part's multiprocessors tick, and how many exponentials that is.

use crate::domain::{Accelerator, Configuration, Vendor};

/// Exponentials of a multiprocessor a clock where the part states no other (CUDA C++ programming guide, table of arithmetic
/// throughput, compute capability 7.0 to 10.0).
const EXPONENTIALS_A_CLOCK: f64 = 16.0;

/// Clock of a part that states none and whose FP32 rate implies none.
const UNKNOWN_CLOCK_MHZ: f64 = 1500.0;

/// FLOP of a multiprocessor a clock that cuDNN 7's convolutions in FP64 are good for, which the few FP64 units of most parts
/// never ask of them (4 to 8) and those of GP100 and GV100 would (64): 12 nets on a TITAN V come to 6 to 13, the widest to
/// the least (ryujaehun).
const OLD_DOUBLES_A_CLOCK: f64 = 16.0;

/// From this date on frameworks ship cuDNN 8.
const CUDNN_8: f64 = 2020.5;

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

/// FLOP/s that convolutions in FP64 can come to, of the rate of the units they run on. They leave the tensor cores of GA100
/// idle: of 99 measured nets none passes 0.3 of the peak with them, 0.6 of the peak without, which is what parts without
/// such cores reach.
pub(super) fn double_convolutions(c: &Configuration, vector: f64) -> f64 {
    if c.software.date < CUDNN_8 {
        vector.min(OLD_DOUBLES_A_CLOCK * unit_clocks(&c.accelerator))
    } else {
        vector
    }
}

/// Exponentials a second.
pub(super) fn exponentials(accelerator: &Accelerator) -> f64 {
    let each = accelerator.exponentials_per_clock;
    each.unwrap_or(EXPONENTIALS_A_CLOCK) * unit_clocks(accelerator)
}
