//! Quantities with their unit in the type, so that seconds are never added to bytes.
//!
//! Only lawful arithmetic exists: equal quantities add, any quantity scales by a number, and the few quotients
//! the planner needs (work over rate) are written out. All values are `f64` in the base unit named on the type.

use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Div, Mul, Sub};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub f64);

        impl $name {
            /// The bare number in the base unit.
            pub const fn value(self) -> f64 {
                self.0
            }
            /// The larger of two quantities.
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }
            /// The smaller of two quantities.
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }
        }
        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }
        impl Div<f64> for $name {
            type Output = Self;
            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }
        impl Div for $name {
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }
        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
                Self(values.map(|v| v.0).sum())
            }
        }
    };
}

quantity!(/** A duration in seconds. */ Seconds);
quantity!(/** An amount of data in bytes. */ Bytes);
quantity!(/** Floating-point operations (a multiply-add counts as two). */ Flops);
quantity!(/** A data rate in bytes per second. */ BytesPerSecond);
quantity!(/** An arithmetic rate in floating-point operations per second. */ FlopsPerSecond);
quantity!(/** Power in watts. */ Watts);
quantity!(/** Energy in kilowatt-hours. */ KilowattHours);
quantity!(/** Money in US dollars. */ Usd);
quantity!(/** A price in US dollars per hour. */ UsdPerHour);
quantity!(/** Greenhouse-gas emissions in kilograms of CO2 equivalent. */ KgCo2e);
quantity!(/** Grid intensity in grams of CO2 equivalent per kilowatt-hour. */ GramsPerKwh);

impl Seconds {
    /// From milliseconds.
    pub const fn from_ms(ms: f64) -> Self {
        Self(ms / 1e3)
    }
    /// In milliseconds.
    pub const fn ms(self) -> f64 {
        self.0 * 1e3
    }
    /// In hours.
    pub const fn hours(self) -> f64 {
        self.0 / 3600.0
    }
}

impl Bytes {
    /// From gigabytes (1e9 bytes).
    pub const fn from_gb(gb: f64) -> Self {
        Self(gb * 1e9)
    }
    /// From gibibytes (2^30 bytes), what data sheets mean by the GB of device memory.
    pub const fn from_gib(gib: f64) -> Self {
        Self(gib * 1_073_741_824.0)
    }
    /// In gibibytes (2^30 bytes), the unit of allocators.
    pub const fn gib(self) -> f64 {
        self.0 / 1_073_741_824.0
    }
}

impl BytesPerSecond {
    /// From gigabytes (1e9 bytes) per second.
    pub const fn from_gb_per_s(gb: f64) -> Self {
        Self(gb * 1e9)
    }
    /// In gigabytes (1e9 bytes) per second.
    pub const fn gb_per_s(self) -> f64 {
        self.0 / 1e9
    }
}

impl FlopsPerSecond {
    /// From TFLOP/s.
    pub const fn from_tera(tera: f64) -> Self {
        Self(tera * 1e12)
    }
    /// In TFLOP/s.
    pub const fn tera(self) -> f64 {
        self.0 / 1e12
    }
}

impl Div<BytesPerSecond> for Bytes {
    type Output = Seconds;
    fn div(self, rate: BytesPerSecond) -> Seconds {
        Seconds(self.0 / rate.0)
    }
}

impl Div<FlopsPerSecond> for Flops {
    type Output = Seconds;
    fn div(self, rate: FlopsPerSecond) -> Seconds {
        Seconds(self.0 / rate.0)
    }
}

impl Mul<Seconds> for UsdPerHour {
    type Output = Usd;
    fn mul(self, time: Seconds) -> Usd {
        Usd(self.0 * time.hours())
    }
}

impl Mul<Seconds> for Watts {
    type Output = KilowattHours;
    fn mul(self, time: Seconds) -> KilowattHours {
        KilowattHours(self.0 * time.hours() / 1e3)
    }
}

impl Mul<KilowattHours> for GramsPerKwh {
    type Output = KgCo2e;
    fn mul(self, energy: KilowattHours) -> KgCo2e {
        KgCo2e(self.0 * energy.0 / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_over_rate_is_time() {
        assert_eq!(
            Bytes::from_gb(4.0) / BytesPerSecond::from_gb_per_s(2.0),
            Seconds(2.0)
        );
        assert_eq!(Flops(3e12) / FlopsPerSecond::from_tera(1.5), Seconds(2.0));
    }

    #[test]
    fn money_and_energy_follow_hours() {
        assert_eq!(UsdPerHour(2.5) * Seconds(7200.0), Usd(5.0));
        assert_eq!(Watts(500.0) * Seconds(7200.0), KilowattHours(1.0));
        assert_eq!(GramsPerKwh(400.0) * KilowattHours(2.0), KgCo2e(0.8));
    }
}
