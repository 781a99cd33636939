//! Arithmetic modulo a prime of one word, `2^59 - c` with a small `c`.
//!
//! A product has 118 bits, so a thousand of them add up in 128 bits before they must be reduced; and since
//! `2^59 = c`, reducing takes two small products instead of a division.

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

const BITS: u32 = 59;

/// As far below `2^59` two foldings reduce every sum.
const MOST_GAP: u64 = 1 << 24;

/// The most products that a sum of 128 bits takes beside one residue.
pub(super) const MOST_PRODUCTS: usize = 1000;

/// A prime modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prime {
    /// `2^59` minus the prime.
    gap: u64,
}

impl Prime {
    /// The primes below `2^59`, the largest first: where one is unlucky, the next is tried. There are some
    /// 400,000; by chance one of `2^59` divides a given pivot.
    pub(super) fn all() -> impl Iterator<Item = Prime> {
        (1..MOST_GAP).step_by(2).map(|gap| Prime { gap }).filter(|candidate| candidate.is_prime())
    }

    /// Miller and Rabin's test, which is none of chance for numbers of 64 bits with these bases.
    #[inline]
    fn is_prime(self) -> bool {
        const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
        let minus_one = self.modulus() - 1;
        let twos = minus_one.trailing_zeros();
        BASES.iter().all(|&base| {
            let first = self.power(base, minus_one >> twos);
            let mut squares = std::iter::successors(Some(first), |&root| Some(self.product(root, root)));
            first == 1 || squares.by_ref().take(twos as usize).any(|root| root == minus_one)
        })
    }

    #[inline]
    pub(super) fn modulus(self) -> u64 {
        (1 << BITS) - self.gap
    }

    /// The residue of a sum.
    #[inline]
    pub(super) fn reduce(self, sum: u128) -> u64 {
        const LOW: u128 = (1 << BITS) - 1;
        let once = (sum & LOW) + (sum >> BITS) * u128::from(self.gap);
        let twice = (once & LOW) as u64 + (once >> BITS) as u64 * self.gap;
        // Below 2^59 + 2^58 now.
        if twice >= self.modulus() { twice - self.modulus() } else { twice }
    }

    #[inline]
    pub(super) fn product(self, left: u64, right: u64) -> u64 {
        self.reduce(u128::from(left) * u128::from(right))
    }

    #[inline]
    pub(super) fn difference(self, left: u64, right: u64) -> u64 {
        if left >= right { left - right } else { left + self.modulus() - right }
    }

    #[inline]
    fn power(self, base: u64, exponent: u64) -> u64 {
        (0..BITS).rev().fold(1, |power, bit| {
            let square = self.product(power, power);
            if exponent >> bit & 1 == 1 { self.product(square, base) } else { square }
        })
    }

    /// The inverse of a residue above zero, by Fermat.
    #[inline]
    pub(super) fn inverse(self, residue: u64) -> u64 {
        self.power(residue, self.modulus() - 2)
    }

    /// The residue of a whole number.
    #[inline]
    pub(super) fn residue(self, number: &BigInt) -> u64 {
        if let Some(small) = number.to_i64() {
            return self.residue_of_word(small);
        }
        let rest = number.magnitude() % self.modulus();
        let rest = rest.to_u64().expect("a residue is below the modulus");
        if number.sign() == Sign::Minus { self.difference(0, rest) } else { rest }
    }

    /// The residue of a word.
    #[inline]
    pub(super) fn residue_of_word(self, number: i64) -> u64 {
        number.rem_euclid(self.modulus() as i64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_found_sums_reduced_and_residues_inverted() {
        let gaps: Vec<u64> = Prime::all().take(4).map(|prime| prime.gap).collect();
        assert_eq!(gaps, [55, 99, 225, 427]);
        // The last one has the largest gap that reducing must bear.
        let last = (1..MOST_GAP).rev().map(|gap| Prime { gap }).find(|candidate| candidate.is_prime());
        for prime in Prime::all().take(4).chain(last) {
            let modulus = u128::from(prime.modulus());
            let most = (modulus - 1) * (modulus - 1) * MOST_PRODUCTS as u128 + modulus - 1;
            for sum in [0, 1, modulus - 1, modulus, modulus + 1, modulus << 60, most, u128::MAX] {
                assert_eq!(u128::from(prime.reduce(sum)), sum % modulus);
            }
            for residue in [1, 2, 3, 1 << 58, prime.modulus() - 1] {
                assert_eq!(prime.product(residue, prime.inverse(residue)), 1);
            }
            assert_eq!(prime.residue(&BigInt::from(-1)), prime.modulus() - 1);
            let large = BigInt::from(prime.modulus()) * BigInt::from(u64::MAX) - 1;
            assert_eq!(prime.residue(&large), prime.modulus() - 1);
        }
    }
}
