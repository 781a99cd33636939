//! Exact sums in 16 bytes: rates modulo a prime.
//!
//! Taking the residue of a fraction modulo a prime `p`, `n/d -> n d^-1 mod p`, keeps sums and products. So equal sums of rates
//! have equal residues, in whatever order they are added: nothing is rounded, and nothing that belongs together is torn apart.
//! Different sums have different residues unless `p` divides the numerator of their difference: one chance in `2^126` for
//! numbers that know nothing of `p`. It begins with the binary digits of pi, and is of no form that rates have.
//!
//! Fractions themselves would do as well, at some hundred times the cost of an addition of two words.

use num_traits::ToPrimitive;
use skel_core::number::Ratio;

use crate::quotient::refinement::Weight;

/// The first prime above `pi * 2^125`: twice it fits in 128 bits.
const PRIME: u128 = 0x6487_ed51_10b4_611a_6263_3145_c06e_0eb9;

/// A number modulo the prime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Residue(u128);

impl Residue {
    /// The residue of a number that is not negative.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn from_ratio(value: &Ratio) -> Residue {
        let prime = Ratio::from_integer(PRIME.into()).to_integer();
        // A multiple of the prime has no inverse; any number does, at the same chance.
        let inverse = value.denom().modinv(&prime).unwrap_or_default();
        let residue = value.numer() * inverse % prime;
        Residue(residue.to_u128().expect("a residue is below the prime, and not negative"))
    }

    /// The residue of the negative.
    pub(super) fn negative(self) -> Residue {
        Residue(if self.0 == 0 { 0 } else { PRIME - self.0 })
    }

    /// Its two halves.
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
        let sum = self.0 + other.0;
        Residue(if sum < PRIME { sum } else { sum - PRIME })
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
