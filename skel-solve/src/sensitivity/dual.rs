//! Dual numbers: a value as a function of one rate, and its derivative by this rate.
//!
//! The arithmetic of dual numbers follows the rules of differentiation (W. K. Clifford; R. E. Wengert, Comm.
//! ACM 7 (1964)). So any function of the rates that is computed with dual numbers comes with its exact
//! derivative.
//!
//! The minimum of two numbers has a kink where they are equal. So a dual number has two derivatives, one for
//! an increase of the rate and one for a decrease. Of two equal numbers, the minimum for an increasing rate
//! is the one with the smaller derivative, and for a decreasing rate the one with the larger. Both
//! derivatives stay exact under arithmetic and further minima.

use std::ops::{Add, Div, Mul, Sub};

use num_traits::{One, Zero};
use skel_core::number::{Number, Ratio};

/// A number type with which derivatives can be computed.
pub(crate) trait Differentiable: Number {
    /// Whether two numbers are equal up to rounding errors.
    fn is_near(&self, other: &Self) -> bool;
}

impl Differentiable for f64 {
    fn is_near(&self, other: &f64) -> bool {
        const ROUNDING: f64 = 1e-12;
        (self - other).abs() <= ROUNDING * self.abs().max(other.abs())
    }
}

impl Differentiable for Ratio {
    fn is_near(&self, other: &Ratio) -> bool {
        self == other
    }
}

/// A number and its one-sided derivatives.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub(super) struct Dual<N> {
    pub(super) value: N,
    /// The derivative for an increase of the rate.
    pub(super) rising: N,
    /// The derivative for a decrease of the rate.
    pub(super) falling: N,
}

impl<N: Number> Dual<N> {
    /// A number with the same derivative on both sides.
    pub(super) fn new(value: N, slope: N) -> Dual<N> {
        Dual { value, rising: slope.clone(), falling: slope }
    }

    /// The result of an operation with the value `value`. `slope` computes its derivative from those of the
    /// two operands.
    fn of(self, other: Dual<N>, value: N, slope: impl Fn(N, N) -> N) -> Dual<N> {
        let rising = slope(self.rising, other.rising);
        Dual { value, rising, falling: slope(self.falling, other.falling) }
    }
}

impl<N: Number> Add for Dual<N> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let value = self.value.clone() + other.value.clone();
        self.of(other, value, |own, others| own + others)
    }
}

impl<N: Number> Sub for Dual<N> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let value = self.value.clone() - other.value.clone();
        self.of(other, value, |own, others| own - others)
    }
}

impl<N: Number> Mul for Dual<N> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let (left, right) = (self.value.clone(), other.value.clone());
        let value = left.clone() * right.clone();
        self.of(other, value, |own, others| slope_of_product((&left, own), (&right, others)))
    }
}

impl<N: Number> Div for Dual<N> {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let right = other.value.clone();
        let value = self.value.clone() / right.clone();
        let quotient = value.clone();
        self.of(other, value, |own, others| slope_of_quotient(&quotient, own, (&right, others)))
    }
}

/// The derivative of a product, from both factors and their derivatives.
fn slope_of_product<N: Number>((left, of_left): (&N, N), (right, of_right): (&N, N)) -> N {
    of_left * right.clone() + left.clone() * of_right
}

/// The derivative of a quotient, from the quotient, the derivative of the dividend, and the divisor with its
/// derivative.
fn slope_of_quotient<N: Number>(quotient: &N, of_left: N, (right, of_right): (&N, N)) -> N {
    (of_left - quotient.clone() * of_right) / right.clone()
}

impl<N: Number> Zero for Dual<N> {
    fn zero() -> Self {
        Dual::new(N::zero(), N::zero())
    }

    fn is_zero(&self) -> bool {
        self.value.is_zero() && self.rising.is_zero() && self.falling.is_zero()
    }
}

impl<N: Number> One for Dual<N> {
    fn one() -> Self {
        Dual::new(N::one(), N::zero())
    }
}

impl<N: Differentiable> Number for Dual<N> {
    fn from_ratio(value: &Ratio) -> Self {
        Dual::new(N::from_ratio(value), N::zero())
    }

    fn to_float(&self) -> f64 {
        self.value.to_float()
    }

    fn to_exact(&self) -> Option<Ratio> {
        None
    }

    fn lesser(&self, other: &Self) -> Self {
        let is_smooth = self.rising.is_near(&other.rising) && self.falling.is_near(&other.falling);
        if is_smooth || !self.value.is_near(&other.value) {
            return if self.value <= other.value { self.clone() } else { other.clone() };
        }
        let larger = if self.falling <= other.falling { other } else { self };
        Dual {
            value: self.value.lesser(&other.value),
            rising: self.rising.lesser(&other.rising),
            falling: larger.falling.clone(),
        }
    }
}
