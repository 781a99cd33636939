//! Positive floats of a wider range: a float and a power of `2^512`.
//!
//! Two probabilities of one chain may differ by more than any float tells apart: an unstable queue of a thousand
//! places is empty once in `10^1000`. As accurate as `f64`, and about ten times as slow.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul};

use num_traits::Zero;

/// `mantissa * 2^(512 * power)`, where the mantissa is zero, not finite, or in `[2^-256, 2^256)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wide {
    mantissa: f64,
    power: i64,
}

/// `2^256`
const HALF: f64 = f64::from_bits((1023 + 256) << 52);
/// `2^512`
const UNIT: f64 = f64::from_bits((1023 + 512) << 52);

impl Wide {
    pub(crate) fn of(value: f64) -> Wide {
        Wide { mantissa: value, power: 0 }.reduced()
    }

    /// A float is at most three steps away from the range of mantissas, the quotient or product of two mantissas one.
    fn reduced(mut self) -> Wide {
        if self.mantissa == 0.0 || !self.mantissa.is_finite() {
            return Wide { power: 0, ..self };
        }
        while self.mantissa >= HALF {
            self = Wide { mantissa: self.mantissa / UNIT, power: self.power + 1 };
        }
        while self.mantissa < 1.0 / HALF {
            self = Wide { mantissa: self.mantissa * UNIT, power: self.power - 1 };
        }
        self
    }

    /// The nearest float to a value up to one; zero where there is none.
    pub(crate) fn to_float(self) -> f64 {
        (self.power..0).take(3).fold(self.mantissa, |value, _| value / UNIT)
    }
}

impl Zero for Wide {
    fn zero() -> Wide {
        Wide { mantissa: 0.0, power: 0 }
    }

    fn is_zero(&self) -> bool {
        self.mantissa == 0.0
    }
}

impl Add for Wide {
    type Output = Wide;

    fn add(self, other: Wide) -> Wide {
        if !self.mantissa.is_finite() || !other.mantissa.is_finite() {
            return Wide { mantissa: self.mantissa + other.mantissa, power: 0 };
        }
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { other } else { self };
        }
        let (large, small) = match self.power.cmp(&other.power) {
            Ordering::Less => (other, self),
            Ordering::Equal => return Wide { mantissa: self.mantissa + other.mantissa, ..self }.reduced(),
            Ordering::Greater => (self, other),
        };
        match large.power - small.power {
            1 => Wide { mantissa: large.mantissa + small.mantissa / UNIT, ..large }.reduced(),
            _ => large,
        }
    }
}

impl Mul for Wide {
    type Output = Wide;

    fn mul(self, other: Wide) -> Wide {
        Wide { mantissa: self.mantissa * other.mantissa, power: self.power + other.power }.reduced()
    }
}

impl Div for Wide {
    type Output = Wide;

    fn div(self, other: Wide) -> Wide {
        Wide { mantissa: self.mantissa / other.mantissa, power: self.power - other.power }.reduced()
    }
}
