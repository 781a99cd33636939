//! Service time and throughput, which are one over the other and are told apart by their types.

use std::fmt;

/// Seconds for each item that leaves a program or a stage.
///
/// # Examples
/// ```
/// use skel_manage::{ServiceTime, Throughput};
///
/// let service_time = ServiceTime::of_seconds(0.012);
/// assert_eq!(service_time.to_string(), "12 ms");
/// assert_eq!(service_time.throughput().per_second().round(), 83.0);
/// assert_eq!(Throughput::per_second_of(50.0).service_time(), ServiceTime::of_seconds(0.02));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct ServiceTime(f64);

/// Items per second that leave a program or a stage.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Throughput(f64);

impl ServiceTime {
    /// So many seconds.
    #[must_use]
    pub fn of_seconds(seconds: f64) -> Self {
        ServiceTime(seconds)
    }

    /// In seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0
    }

    /// One over it.
    #[must_use]
    pub fn throughput(self) -> Throughput {
        Throughput(1.0 / self.0)
    }

    /// The longer of two.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        ServiceTime(self.0.max(other.0))
    }

    /// So many times as long.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        ServiceTime(self.0 * factor)
    }
}

impl Throughput {
    /// So many items per second.
    #[must_use]
    pub fn per_second_of(items: f64) -> Self {
        Throughput(items)
    }

    /// In items per second.
    #[must_use]
    pub fn per_second(self) -> f64 {
        self.0
    }

    /// One over it.
    #[must_use]
    pub fn service_time(self) -> ServiceTime {
        ServiceTime(1.0 / self.0)
    }
}

/// Three digits and a unit: `12 ms`.
impl fmt::Display for ServiceTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0;
        let (value, unit) = match seconds.abs() {
            size if !size.is_finite() || size >= 1.0 || size == 0.0 => (seconds, "s"),
            size if size >= 1e-3 => (seconds * 1e3, "ms"),
            size if size >= 1e-6 => (seconds * 1e6, "µs"),
            _ => (seconds * 1e9, "ns"),
        };
        write!(f, "{} {unit}", three_digits(value))
    }
}

/// Three digits: `83.3 items/s`.
impl fmt::Display for Throughput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} items/s", three_digits(self.0))
    }
}

/// A number with three significant digits, and no zeros behind its point.
fn three_digits(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
