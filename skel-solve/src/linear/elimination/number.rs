//! Numbers in which an elimination is done: `f64`, with a wider type for what may leave its range, and exact fractions.

use std::ops::{Add, Div, Mul};

use num_traits::Zero;
use skel_core::number::{Number, Ratio};

use crate::linear::elimination::extended_float::ExtendedFloat;

/// A number type in which unknowns are found.
pub(crate) trait Scalar: Number {
    /// Whether numbers grow longer as they are worked on, so that an operation takes any time.
    const IS_EXACT: bool;

    /// The type of an unknown before all are scaled to sum one.
    type Unscaled: Clone
        + Zero
        + Add<Output = Self::Unscaled>
        + Mul<Output = Self::Unscaled>
        + Div<Output = Self::Unscaled>;

    fn unscaled(&self) -> Self::Unscaled;

    fn scaled(value: Self::Unscaled) -> Self;

    /// `sum += left * right`
    fn add_product(sum: &mut Self, left: &Self, right: &Self);

    /// Adds multiples of four rows to two others, all equally long.
    fn add_rows(sums: [&mut [Self]; 2], factors: [&[Self]; 2], rows: [&[Self]; 4]) {
        for (sums, factors) in sums.into_iter().zip(factors) {
            for (factor, row) in factors.iter().zip(rows) {
                sums.iter_mut().zip(row).for_each(|(sum, value)| Self::add_product(sum, factor, value));
            }
        }
    }
}

/// The ratio of two probabilities may be outside the range of `f64`, though the probabilities are inside.
impl Scalar for f64 {
    const IS_EXACT: bool = false;

    type Unscaled = ExtendedFloat;

    fn unscaled(&self) -> ExtendedFloat {
        ExtendedFloat::from_f64(*self)
    }

    fn scaled(value: ExtendedFloat) -> f64 {
        value.to_float()
    }

    fn add_product(sum: &mut f64, left: &f64, right: &f64) {
        *sum += left * right;
    }

    /// What is read once serves two rows, and each sum is read and written once for four products. On its own, so that the
    /// compiler knows what doesn't overlap, and works on vectors.
    #[inline(never)]
    fn add_rows([upper, lower]: [&mut [f64]; 2], factors: [&[f64]; 2], rows: [&[f64]; 4]) {
        let [[a, b, c, d], [e, f, g, h]] = factors.map(|factors| [0, 1, 2, 3].map(|at| factors[at]));
        let [first, second] = [0, 1].map(|at| rows[at].iter().zip(rows[at + 2]));
        for (((upper, lower), (p, r)), (q, s)) in upper.iter_mut().zip(lower).zip(first).zip(second) {
            *upper = *upper + a * p + b * q + c * r + d * s;
            *lower = *lower + e * p + f * q + g * r + h * s;
        }
    }
}

impl Scalar for Ratio {
    const IS_EXACT: bool = true;

    type Unscaled = Ratio;

    fn unscaled(&self) -> Ratio {
        self.clone()
    }

    fn scaled(value: Ratio) -> Ratio {
        value
    }

    fn add_product(sum: &mut Ratio, left: &Ratio, right: &Ratio) {
        // The pattern has places for what is zero, and digits are dear.
        if !right.is_zero() {
            *sum += left * right;
        }
    }
}
