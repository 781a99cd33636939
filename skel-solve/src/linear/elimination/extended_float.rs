//! Positive floats of a wider range: a float and a power of `2^512`.
//!
//! Two probabilities of one chain may differ by more than any float tells apart: an unstable queue of a
//! thousand places is empty once in `10^1000`. As accurate as `f64`, and about ten times as slow.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul};

use num_traits::Zero;

/// `mantissa * 2^(512 * power)`, where the mantissa is zero, not finite, or in `[2^-256, 2^256)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExtendedFloat {
    mantissa: f64,
    power: i64,
}

/// `2^256`
const HALF: f64 = f64::from_bits((1023 + 256) << 52);
/// `2^512`
const UNIT: f64 = f64::from_bits((1023 + 512) << 52);

impl ExtendedFloat {
    pub(crate) fn from_f64(value: f64) -> ExtendedFloat {
        ExtendedFloat { mantissa: value, power: 0 }.reduced()
    }

    /// A float is at most three steps away from the range of mantissas, the quotient or product of two
    /// mantissas one.
    fn reduced(mut self) -> ExtendedFloat {
        if self.mantissa == 0.0 || !self.mantissa.is_finite() {
            return ExtendedFloat { power: 0, ..self };
        }
        while self.mantissa >= HALF {
            self = ExtendedFloat { mantissa: self.mantissa / UNIT, power: self.power + 1 };
        }
        while self.mantissa < 1.0 / HALF {
            self = ExtendedFloat { mantissa: self.mantissa * UNIT, power: self.power - 1 };
        }
        self
    }

    /// The nearest float to a value up to one; zero where there is none.
    pub(crate) fn to_float(self) -> f64 {
        (self.power..0).take(3).fold(self.mantissa, |value, _| value / UNIT)
    }
}

impl Zero for ExtendedFloat {
    fn zero() -> ExtendedFloat {
        ExtendedFloat { mantissa: 0.0, power: 0 }
    }

    fn is_zero(&self) -> bool {
        self.mantissa == 0.0
    }
}

impl Add for ExtendedFloat {
    type Output = ExtendedFloat;

    fn add(self, other: ExtendedFloat) -> ExtendedFloat {
        if !self.mantissa.is_finite() || !other.mantissa.is_finite() {
            return ExtendedFloat { mantissa: self.mantissa + other.mantissa, power: 0 };
        }
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { other } else { self };
        }
        let (large, small) = match self.power.cmp(&other.power) {
            Ordering::Less => (other, self),
            Ordering::Equal => {
                return ExtendedFloat { mantissa: self.mantissa + other.mantissa, ..self }.reduced();
            }
            Ordering::Greater => (self, other),
        };
        match large.power - small.power {
            1 => ExtendedFloat { mantissa: large.mantissa + small.mantissa / UNIT, ..large }.reduced(),
            _ => large,
        }
    }
}

impl Mul for ExtendedFloat {
    type Output = ExtendedFloat;

    fn mul(self, other: ExtendedFloat) -> ExtendedFloat {
        ExtendedFloat { mantissa: self.mantissa * other.mantissa, power: self.power + other.power }.reduced()
    }
}

impl Div for ExtendedFloat {
    type Output = ExtendedFloat;

    fn div(self, other: ExtendedFloat) -> ExtendedFloat {
        ExtendedFloat { mantissa: self.mantissa / other.mantissa, power: self.power - other.power }.reduced()
    }
}
