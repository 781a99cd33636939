//! The number types in which a quotient can be made.

use skel_core::number::{Number, Ratio};

/// The number types of quotients.
pub(super) trait QuotientNumber: Number {
    /// Whether quotients are exact. Exact quotients are verified.
    const IS_EXACT: bool;

    /// A hash: equal numbers have equal keys, and different numbers seldom do.
    fn key(&self) -> u64;
}

impl QuotientNumber for f64 {
    const IS_EXACT: bool = false;

    fn key(&self) -> u64 {
        self.to_bits()
    }
}

impl QuotientNumber for Ratio {
    const IS_EXACT: bool = true;

    fn key(&self) -> u64 {
        let last = |digits: Option<u64>| digits.unwrap_or_default();
        let denominator = last(self.denom().iter_u64_digits().next());
        last(self.numer().iter_u64_digits().next()).wrapping_add(denominator.rotate_left(32))
    }
}
