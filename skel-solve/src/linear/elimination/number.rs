//! Numbers in which an elimination is done: `f64`, with a wider type for what may leave its range, and exact
//! fractions.

use std::ops::{Add, Div, Mul};

use num_traits::Zero;
use skel_core::number::{Number, Ratio};

use crate::linear::elimination::extended_float::ExtendedFloat;

/// `2^900`: within this and its inverse, neither a product with a rate nor a sum of some leaves the range of
/// `f64`.
const FAR: f64 = f64::from_bits((1023 + 900) << 52);

/// A number type in which unknowns are found.
pub(crate) trait Scalar: Number + Send + Sync {
    /// Whether numbers grow longer as they are worked on, so that an operation takes any time.
    const IS_EXACT: bool;

    /// The type of an unknown before all are scaled to sum one, whatever its size.
    type Unscaled: Unknown;

    fn unscaled(&self) -> Self::Unscaled;

    fn scaled(value: Self::Unscaled) -> Self;

    /// `sum += left * right`
    fn add_product(sum: &mut Self, left: &Self, right: &Self);

    /// Whether a number is far from the ends of the range of its type.
    fn is_in_range(&self) -> bool;
}

/// A number type of unknowns before they are scaled.
pub(crate) trait Unknown:
    Clone + Zero + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
}

impl<V: Clone + Zero + Add<Output = V> + Mul<Output = V> + Div<Output = V>> Unknown for V {}

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

    fn is_in_range(&self) -> bool {
        (1.0 / FAR..FAR).contains(self)
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

    fn is_in_range(&self) -> bool {
        true
    }

    fn add_product(sum: &mut Ratio, left: &Ratio, right: &Ratio) {
        // The pattern has places for what is zero, and digits are dear.
        if !right.is_zero() {
            *sum += left * right;
        }
    }
}
