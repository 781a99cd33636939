//! The two types of numbers that schedules and simulations are computed in: floats, and exact rationals.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use skel_core::number::{Number, Ratio};

/// How far above a whole number another one counts as it, relative to itself: what remains of rounding is
/// less, and no decision about a chunk of items should hang on it.
const NEGLIGIBLE: f64 = 1e-9;

/// The same as the whole number of which it is one part.
const NEGLIGIBLE_PART: u64 = 1_000_000_000;

/// A type of numbers that chunks and times are computed in: `f64`, or [`Ratio`] for exact answers. No other
/// type can have it.
///
/// One algorithm serves both, so that the exact answers are a check of the others.
///
/// # Examples
/// ```
/// use skel_core::number::{Ratio, ratio};
/// use skel_distribute::Arithmetic;
///
/// assert_eq!((2.5).ceiling(), 3);
/// assert_eq!((0.1 + 0.2 + 2.7).ceiling(), 3, "the sum of the floats is a little above 3");
/// assert_eq!(ratio(7, 2).ceiling(), 4);
/// ```
pub trait Arithmetic: Number + sealed::Sealed {
    /// What puts moments in order. Floats that differ by less than a tick are the same moment, since rounding
    /// alone may have made them differ; in exact numbers no two moments are the same by accident.
    type Moment: Ord + Clone + std::fmt::Debug;

    /// A number of items.
    fn from_items(items: u64) -> Self;

    /// The least whole number that is not below, where a number that is above a whole number `x` by at most
    /// `1e-9 max(1, x)` counts as `x`. Numbers beyond 64 bits are the largest of 64 bits.
    fn ceiling(&self) -> u64;

    /// The moment at so many seconds, where a second has so many ticks.
    fn moment(&self, ticks: f64) -> Self::Moment;
}

mod sealed {
    use skel_core::number::Ratio;

    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for Ratio {}
}

impl Arithmetic for f64 {
    /// The bits of the rounded number of ticks: those of floats that are not negative are in the order of the
    /// floats.
    type Moment = u64;

    fn from_items(items: u64) -> f64 {
        items as f64
    }

    fn ceiling(&self) -> u64 {
        let below = self.floor();
        let is_whole = self - below <= NEGLIGIBLE * self.abs().max(1.0);
        (if is_whole { below } else { self.ceil() }) as u64
    }

    fn moment(&self, ticks: f64) -> u64 {
        // The sum makes `0.0` of `-0.0`.
        ((self * ticks).round() + 0.0).to_bits()
    }
}

impl Arithmetic for Ratio {
    type Moment = Ratio;

    fn from_items(items: u64) -> Ratio {
        Ratio::from_integer(items.into())
    }

    fn ceiling(&self) -> u64 {
        ceiling_of_fraction(self.numer(), self.denom())
    }

    fn moment(&self, _ticks: f64) -> Ratio {
        self.clone()
    }
}

/// [`Arithmetic::ceiling`] of a fraction that is not negative, which need not be reduced.
pub(crate) fn ceiling_of_fraction(numerator: &BigInt, denominator: &BigInt) -> u64 {
    let (below, rest) = numerator.div_mod_floor(denominator);
    let is_whole = rest * NEGLIGIBLE_PART <= *numerator.max(denominator);
    let ceiling = if is_whole { below } else { below + BigInt::one() };
    ceiling.to_u64().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use skel_core::number::ratio;

    use super::*;

    #[test]
    fn ceilings_of_both_types_are_the_same() {
        let whole = [(3, 1, 3), (7, 2, 4), (1, 1_000_000_000, 0), (2, 1_000_000_000, 1)];
        let nearly = [(3_000_000_001, 1_000_000_000, 3), (3_000_000_004, 1_000_000_000, 4), (0, 5, 0)];
        for (numerator, denominator, expected) in whole.into_iter().chain(nearly) {
            let exact = ratio(numerator, denominator);
            assert_eq!(exact.ceiling(), expected, "{exact}");
            assert_eq!(exact.to_float().ceiling(), expected, "{exact}");
        }
        assert_eq!(1e30.ceiling(), u64::MAX);
        assert_eq!(Ratio::from_float(1e30).unwrap().ceiling(), u64::MAX);
    }

    #[test]
    fn moments_within_a_tick_are_the_same() {
        assert_eq!((0.1 + 0.2).moment(1e9), 0.3.moment(1e9));
        assert!(0.3.moment(1e9) < 0.300_000_002.moment(1e9));
        assert_eq!((-0.0).moment(1e9), 0.0.moment(1e9));
    }
}
