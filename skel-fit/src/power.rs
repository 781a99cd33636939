//! A power of a variable with a power of its logarithm: `x^i log2(x)^j`.

use std::fmt;

use num_rational::Ratio;
use num_traits::{CheckedAdd, One, ToPrimitive, Zero};

/// `x^i log2(x)^j`: a term of the performance-model normal form, without its coefficient.
///
/// Reference: A. Calotoiu and others, *Using automated performance modeling to find scalability bugs in
/// complex codes*, SC 2013.
///
/// # Examples
/// ```
/// use skel_fit::Power;
/// let sorting = Power::new(1, 1).times_logarithm(1);
/// assert_eq!(sorting.to_string(), "x log2(x)");
/// assert_eq!(sorting.at(8.0), 24.0);
/// assert_eq!(Power::new(3, 2).to_string(), "x^(3/2)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Power {
    exponent: Ratio<i32>,
    logarithms: u32,
}

impl Power {
    /// The constant 1.
    pub const ONE: Power = Power { exponent: Ratio::new_raw(0, 1), logarithms: 0 };

    /// `x` to an exponent, which is a fraction.
    ///
    /// # Panics
    /// If the denominator is zero.
    #[must_use]
    pub fn new(numerator: i32, denominator: i32) -> Self {
        Power { exponent: Ratio::new(numerator, denominator), logarithms: 0 }
    }

    /// The same times `log2(x)` to an exponent.
    #[must_use]
    pub fn times_logarithm(self, exponent: u32) -> Self {
        Power { logarithms: self.logarithms + exponent, ..self }
    }

    /// The product of two powers.
    ///
    /// # Panics
    /// If the exponent is no fraction of two numbers below 2^31.
    #[must_use]
    pub fn times(self, other: Power) -> Self {
        let exponent = self.exponent.checked_add(&other.exponent).expect("the exponent is a small fraction");
        Power { exponent, logarithms: self.logarithms + other.logarithms }
    }

    /// Whether the numerator and the denominator of the exponent, and the exponent of the logarithm, are not
    /// beyond a number.
    pub(crate) fn is_within(self, most: u32) -> bool {
        let parts = [*self.exponent.numer(), *self.exponent.denom()];
        parts.iter().all(|part| part.unsigned_abs() <= most) && self.logarithms <= most
    }

    /// One divided by it, if it has no logarithm.
    #[must_use]
    pub fn inverse(self) -> Option<Self> {
        (self.logarithms == 0).then(|| Power { exponent: -self.exponent, ..self })
    }

    /// The exponent of `x`.
    #[must_use]
    pub fn exponent(self) -> f64 {
        self.exponent.to_f64().unwrap_or(f64::NAN)
    }

    /// The exponent of `log2(x)`.
    #[must_use]
    pub fn logarithms(self) -> u32 {
        self.logarithms
    }

    /// The value for a positive `x`.
    #[must_use]
    pub fn at(self, x: f64) -> f64 {
        let power =
            if self.exponent.is_integer() { x.powi(*self.exponent.numer()) } else { x.powf(self.exponent()) };
        match self.logarithms {
            0 => power,
            times => power * x.log2().powi(times as i32),
        }
    }
}

impl Power {
    /// The power as it is written of a variable of this name.
    #[must_use]
    pub fn of(self, variable: &str) -> String {
        let power = match (self.exponent.is_zero(), self.exponent.is_one(), self.exponent.is_integer()) {
            (true, ..) => String::new(),
            (_, true, _) => variable.to_owned(),
            (.., true) => format!("{variable}^{}", self.exponent),
            _ => format!("{variable}^({})", self.exponent),
        };
        let logarithm = match self.logarithms {
            0 => String::new(),
            1 => format!("log2({variable})"),
            times => format!("log2({variable})^{times}"),
        };
        match (power.is_empty(), logarithm.is_empty()) {
            (true, true) => "1".into(),
            (false, false) => format!("{power} {logarithm}"),
            _ => power + &logarithm,
        }
    }
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.of("x"))
    }
}
