//! Quantities as people write them: `48.39us`, `8KiB`, `105 MB/s`.

use std::fmt;
use std::str::FromStr;

use crate::quantity::{Bytes, Time};

/// A text that is no quantity of the kind that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadQuantity {
    /// What is wrong with the text.
    pub message: String,
    /// What to write instead.
    pub help: &'static str,
}

impl fmt::Display for BadQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; help: {}", self.message, self.help)
    }
}

impl std::error::Error for BadQuantity {}

/// How times are written.
pub(crate) const TIMES: &str =
    "write a time in ns, us, ms or s, as \"48.39us\"; a number without a unit is in microseconds";
/// How sizes are written.
pub(crate) const SIZES: &str = "write a number of bytes, as 8192, \"8KiB\" (8192) or \"8kB\" (8000)";
/// How bandwidths are written.
pub(crate) const BANDWIDTHS: &str = "write a size for each second, as \"105MB/s\" or \"1Gbit/s\"; a number without a unit is in bytes per microsecond";

/// A unit, and how many of the units in which a quantity is kept it has.
type Unit = (&'static str, f64);

const TIME_UNITS: [Unit; 6] = [("ns", 1e-3), ("us", 1.0), ("µs", 1.0), ("μs", 1.0), ("ms", 1e3), ("s", 1e6)];

/// `k` and `K` are 1024 as benchmarks of MPI have them.
const SIZE_UNITS: [Unit; 16] = [
    ("B", 1.0),
    ("k", KIB),
    ("K", KIB),
    ("M", MIB),
    ("G", GIB),
    ("KiB", KIB),
    ("kiB", KIB),
    ("MiB", MIB),
    ("GiB", GIB),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("byte", 1.0),
    ("bytes", 1.0),
    ("Ki", KIB),
    ("Mi", MIB),
];

const KIB: f64 = 1024.0;
const MIB: f64 = KIB * KIB;
const GIB: f64 = KIB * MIB;

/// What stands before `/s`, in bytes.
const BANDWIDTH_UNITS: [Unit; 12] = [
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", KIB),
    ("MiB", MIB),
    ("GiB", GIB),
    ("bit", 0.125),
    ("kbit", 125.0),
    ("Mbit", 125e3),
    ("Gbit", 125e6),
    ("Tbit", 125e9),
];

impl FromStr for Time {
    type Err = BadQuantity;

    /// A number with a unit, `ns`, `us`, `ms` or `s`; without a unit it is in microseconds.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Time;
    /// assert_eq!("48.39us".parse(), Ok(Time::microseconds(48.39)));
    /// assert_eq!("1.5 ms".parse(), Ok(Time::microseconds(1500.0)));
    /// assert_eq!("12".parse(), Ok(Time::microseconds(12.0)));
    /// assert_eq!("12 min".parse::<Time>().unwrap_err().message, "`12 min` is not a time: there is no unit `min`");
    /// ```
    fn from_str(text: &str) -> Result<Self, BadQuantity> {
        let value = quantity(text, "a time", &TIME_UNITS, TIMES)?;
        Ok(Time::microseconds(value))
    }
}

impl FromStr for Bytes {
    type Err = BadQuantity;

    /// A whole number of bytes, with or without a unit. `KiB`, `k` and `K` are 1024 bytes, as benchmarks of
    /// MPI write them, and `kB` is 1000; `KB`, which is used for both, is none of them.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Bytes;
    /// for text in ["8192", "8KiB", "8k", "8 K", "0.0078125 MiB"] {
    ///     assert_eq!(text.parse(), Ok(Bytes::new(8192)));
    /// }
    /// assert_eq!("8kB".parse(), Ok(Bytes::new(8000)));
    /// assert_eq!("8KB".parse::<Bytes>().unwrap_err().message, "`8KB` may be 1000 or 1024 bytes for each unit");
    /// ```
    fn from_str(text: &str) -> Result<Self, BadQuantity> {
        if text.trim_end().ends_with("KB") {
            let message = format!("`{text}` may be 1000 or 1024 bytes for each unit");
            return Err(BadQuantity { message, help: "write `KiB` for 1024 bytes and `kB` for 1000" });
        }
        let value = quantity(text, "a size", &SIZE_UNITS, SIZES)?;
        whole(value).ok_or_else(|| BadQuantity {
            message: format!("`{text}` is not a whole number of bytes"),
            help: SIZES,
        })
    }
}

/// A size, if it is a whole number that a float holds exactly.
fn whole(bytes: f64) -> Option<Bytes> {
    const MOST: f64 = (1_u64 << 53) as f64;
    let is_whole = (0.0..=MOST).contains(&bytes) && bytes.fract() == 0.0;
    is_whole.then(|| Bytes::new(bytes as u64))
}

/// A bandwidth in bytes per microsecond, which are millions of bytes per second.
pub(crate) fn bandwidth(text: &str) -> Result<f64, BadQuantity> {
    let text = text.trim();
    if let Some(amount) = text.strip_suffix("/us") {
        return quantity(amount, "a bandwidth", &BANDWIDTH_UNITS, BANDWIDTHS);
    }
    match text.strip_suffix("/s") {
        Some(amount) => Ok(quantity(amount, "a bandwidth", &BANDWIDTH_UNITS, BANDWIDTHS)? / 1e6),
        None => quantity(text, "a bandwidth", &[], BANDWIDTHS),
    }
}

/// The value of a text in the units that a quantity is kept in. A number alone is in these.
fn quantity(text: &str, kind: &str, units: &[Unit], help: &'static str) -> Result<f64, BadQuantity> {
    let trimmed = text.trim();
    let wrong = |why: &str| BadQuantity { message: format!("`{text}` is not {kind}{why}"), help };
    let (number, unit) = trimmed.split_at(number_length(trimmed));
    let value: f64 = number.parse().map_err(|_| wrong(""))?;
    let unit = unit.trim_start();
    if unit.is_empty() {
        return Ok(value);
    }
    match units.iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => Ok(value * factor),
        None => Err(wrong(&format!(": there is no unit `{unit}`"))),
    }
}

/// How many bytes at the beginning of a text are a number. A number may have an exponent, and a sign.
fn number_length(text: &str) -> usize {
    for word in ["nan", "inf", "-nan", "-inf"] {
        if text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)) {
            return word.len();
        }
    }
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_sign = |at: usize| matches!(bytes.get(at), Some(b'+' | b'-'));
    let mut at = 0;
    while at < bytes.len() {
        let is_exponent =
            matches!(bytes[at], b'e' | b'E') && (is_digit(at + 1) || is_sign(at + 1) && is_digit(at + 2));
        if is_exponent {
            at += 2;
        } else if is_digit(at) || bytes[at] == b'.' || at == 0 && is_sign(at) {
            at += 1;
        } else {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_exponents() {
        for (text, microseconds) in [
            ("1e3ns", 1.0),
            ("-3us", -3.0),
            ("2.5e-1 s", 250_000.0),
            ("+4", 4.0),
            ("3µs", 3.0),
            (" 7 ms ", 7000.0),
        ] {
            assert_eq!(text.parse(), Ok(Time::microseconds(microseconds)), "{text}");
        }
        assert!("NaN".parse::<Time>().unwrap().as_microseconds().is_nan());
        for text in ["", "us", "3 weeks", "1.2.3", "--1", "1e", "fast", "1,5us", "é"] {
            assert!(text.parse::<Time>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_whole() {
        assert_eq!("1.5KiB".parse(), Ok(Bytes::new(1536)));
        assert_eq!("1G".parse(), Ok(Bytes::new(1 << 30)));
        for text in ["1.5", "-1", "NaN", "1e300", "0.3KiB", "8 KB", "8 furlongs"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn bandwidths_are_in_bytes_per_microsecond() {
        for (text, value) in [("105MB/s", 105.0), ("1Gbit/s", 125.0), ("2 B/us", 2.0), ("105", 105.0)] {
            assert_eq!(bandwidth(text), Ok(value), "{text}");
        }
        assert!(bandwidth("105 MB").is_err());
    }
}
