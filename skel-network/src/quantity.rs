//! Quantities with their units: times of messages and sizes of messages.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A time, or the length of a time. It is kept in microseconds, the unit of the literature on communication
/// models.
///
/// # Examples
/// ```
/// use skel_network::Time;
/// let latency = Time::microseconds(48.39);
/// assert_eq!((latency * 2.0).as_microseconds(), 96.78);
/// assert_eq!(Time::microseconds(8602.73).to_string(), "8.60273 ms");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Time(f64);

impl Time {
    /// No time at all.
    pub const ZERO: Time = Time(0.0);

    /// A time in microseconds.
    #[must_use]
    pub const fn microseconds(value: f64) -> Self {
        Time(value)
    }

    /// A time in seconds.
    #[must_use]
    pub fn seconds(value: f64) -> Self {
        Time(value * 1e6)
    }

    /// Its value in microseconds.
    #[must_use]
    pub const fn as_microseconds(self) -> f64 {
        self.0
    }

    /// Its value in seconds.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.0 / 1e6
    }

    /// The later of two times.
    #[must_use]
    pub fn max(self, other: Time) -> Time {
        Time(self.0.max(other.0))
    }

    /// The earlier of two times.
    #[must_use]
    pub fn min(self, other: Time) -> Time {
        Time(self.0.min(other.0))
    }

    /// The order of two times, in which a value that is not a number comes last.
    #[must_use]
    pub fn total_cmp(&self, other: &Time) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        Time(self.0 + other.0)
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        self.0 += other.0;
    }
}

impl Sub for Time {
    type Output = Time;
    fn sub(self, other: Time) -> Time {
        Time(self.0 - other.0)
    }
}

impl Mul<f64> for Time {
    type Output = Time;
    fn mul(self, factor: f64) -> Time {
        Time(self.0 * factor)
    }
}

impl Div for Time {
    type Output = f64;
    fn div(self, other: Time) -> f64 {
        self.0 / other.0
    }
}

impl Div<f64> for Time {
    type Output = Time;
    fn div(self, divisor: f64) -> Time {
        Time(self.0 / divisor)
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Time>>(times: I) -> Time {
        times.fold(Time::ZERO, Add::add)
    }
}

impl fmt::Display for Time {
    /// In the unit that leaves at least one digit before the point, with twelve significant digits at most:
    /// `48.39 us`, `8.60273 ms`, `1.5 s`. A precision is that of the number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0.abs() {
            size if size >= 1e6 => (self.0 / 1e6, "s"),
            size if size >= 1e3 => (self.0 / 1e3, "ms"),
            _ => (self.0, "us"),
        };
        match f.precision() {
            Some(digits) => write!(f, "{value:.digits$} {unit}"),
            None => write!(f, "{} {unit}", without_rounding(value)),
        }
    }
}

/// The median of some times.
pub(crate) fn median(mut times: Vec<Time>) -> Option<Time> {
    times.sort_by(Time::total_cmp);
    let middle = times.len() / 2;
    match times.len() % 2 {
        1 => Some(times[middle]),
        _ => Some((*times.get(middle.checked_sub(1)?)? + times[middle]) / 2.0),
    }
}

/// A value to twelve significant digits: without what another unit has left in the last ones.
fn without_rounding(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// The size of a message.
///
/// # Examples
/// ```
/// use skel_network::Bytes;
/// assert_eq!(Bytes::new(8192).to_string(), "8 KiB");
/// assert_eq!(Bytes::new(1000).to_string(), "1000 B");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

impl Bytes {
    /// A size in bytes.
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Bytes(bytes)
    }

    /// Its number of bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Its number of bytes, for formulas.
    #[must_use]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }
}

impl From<u64> for Bytes {
    fn from(bytes: u64) -> Self {
        Bytes(bytes)
    }
}

impl fmt::Display for Bytes {
    /// Whole numbers of MiB or KiB as such, and all others in bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const KIB: u64 = 1 << 10;
        const MIB: u64 = 1 << 20;
        match self.0 {
            size if size >= MIB && size.is_multiple_of(MIB) => write!(f, "{} MiB", size / MIB),
            size if size >= KIB && size.is_multiple_of(KIB) => write!(f, "{} KiB", size / KIB),
            size => write!(f, "{size} B"),
        }
    }
}
