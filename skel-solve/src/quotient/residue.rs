//! Sums rates exactly in 16 bytes, as residues modulo a prime.
//!
//! The residue of a fraction modulo a prime `p`, `n/d -> n d^-1 mod p`, preserves sums and products. So equal
//! sums of rates have equal residues, in whatever order they are added, and there are no rounding errors that
//! would separate equivalent states. Different sums have different residues unless `p` divides the numerator
//! of their difference. For numbers that do not depend on `p` this has a probability of `2^-126`. The prime
//! begins with the binary digits of pi, so it has no form that rates are likely to have.
//!
//! Sums of the fractions themselves would also be exact. They would cost some hundred times as much as an
//! addition of two words.

use num_traits::ToPrimitive;
use skel_core::number::Ratio;

use crate::quotient::refinement::Weight;

/// The first prime above `pi * 2^125`. Twice this number fits into 128 bits.
const PRIME: u128 = 0x6487_ed51_10b4_611a_6263_3145_c06e_0eb9;

/// A number modulo the prime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Residue(u128);

impl Residue {
    /// The residue of a non-negative number.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn from_ratio(value: &Ratio) -> Residue {
        let prime = Ratio::from_integer(PRIME.into()).to_integer();
        // A multiple of the prime has no inverse. Any value may stand for it, with the same small probability
        // of an error.
        let inverse = value.denom().modinv(&prime).unwrap_or_default();
        let residue = value.numer() * inverse % prime;
        Residue(residue.to_u128().expect("a residue is below the prime, and not negative"))
    }

    /// The residue of the negated number.
    pub(super) fn negative(self) -> Residue {
        Residue(if self.0 == 0 { 0 } else { PRIME - self.0 })
    }

    /// The two halves of the residue.
    pub(super) fn words(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> u64::BITS) as u64]
    }
}

impl From<u32> for Residue {
    fn from(value: u32) -> Residue {
        Residue(value.into())
    }
}

impl Weight for Residue {
    fn plus(self, other: Residue) -> Residue {
        // No branch foretells which sums are beyond the prime.
        let (less, is_less) = (self.0 + other.0).overflowing_sub(PRIME);
        Residue(less.wrapping_add(PRIME & u128::from(is_less).wrapping_neg()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skel_core::number::ratio;

    #[test]
    fn equal_sums_are_equal_in_any_order() {
        let parts =
            [ratio(1, 3), ratio(1, 6), ratio(1, 7), ratio(5, 14)].map(|value| Residue::from_ratio(&value));
        let forth = parts.iter().fold(Residue(0), |left, &right| left.plus(right));
        let back = parts.iter().rev().fold(Residue(0), |left, &right| left.plus(right));
        assert_eq!((forth, back), (Residue(1), Residue(1)));
        assert_eq!((forth.plus(back.negative()), Residue(0).negative()), (Residue(0), Residue(0)));
        assert_eq!(Residue::from_ratio(&ratio(0, 1)), Residue(0));
    }

    #[test]
    fn rates_that_floats_hardly_tell_apart_differ() {
        let tiny = Ratio::new(1.into(), num_traits::pow(ratio(10, 1), 300).to_integer());
        let one = Residue::from_ratio(&ratio(1, 1));
        assert_ne!(Residue::from_ratio(&(ratio(1, 1) + tiny)), one);
        assert_ne!(Residue::from_ratio(&num_traits::pow(ratio(2, 1), 127)), one);
    }
}
