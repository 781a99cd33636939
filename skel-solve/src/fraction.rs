//! Euclid's algorithm on integers of many digits: greatest common divisors, and the recovery of fractions
//! from residues.
//!
//! The algorithm is used in Lehmer's form. The leading 62 bits of both numbers determine several quotients at
//! a time, about thirty bits of them together. The product of these division steps is a 2 x 2 matrix, which
//! is applied to the long numbers at once. Numbers of `w` words take about `2w` such steps, each linear in
//! `w`. D. E. Knuth, The Art of Computer Programming, vol. 2, 4.5.2, algorithm L.
//!
//! [`fraction`] recovers `n/d` from its residue `u` modulo `m`. Euclid's algorithm on `m` and `u` yields with
//! every remainder `r` a number `t` for which `r = t u` modulo `m`. Where `|n| d` is far below `m`, the pair
//! `(n, d)` is one of the pairs `(r, t)`, and the quotient that follows it is about `m / (|n| d)`, which is
//! larger than any quotient that arises by chance. So no bound on `n` or `d` has to be known in advance, and
//! the two may differ in length. M. Monagan, Maximal quotient rational reconstruction, ISSAC 2004.

use std::convert::Infallible;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};
use skel_core::number::Ratio;

/// A quotient of more bits than this is taken as the end of a reconstruction: it arises by chance about once
/// in 2^64.
pub(crate) const CERTAIN: u64 = 64;

/// Two consecutive remainders of Euclid's algorithm.
struct Remainders {
    before: BigUint,
    last: BigUint,
}

/// One or several division steps, as they act on two consecutive remainders.
enum Step {
    /// Several divisions: the absolute values of the entries of their matrix `[[a, b], [c, d]]`, and whether
    /// the number of divisions is odd.
    Several([u64; 4], bool),
    /// One division, given by its quotient.
    One(BigUint),
}

impl Remainders {
    /// Performs one or several divisions. The last remainder must not be zero.
    #[cfg_attr(debug_assertions, inline)]
    fn step(&mut self) -> Step {
        let shift = self.before.bits().saturating_sub(62);
        let leading = |number: &BigUint| (number >> shift).to_i64().expect("it has 62 bits at most");
        let Some((matrix, is_odd)) = certain_steps(leading(&self.before), leading(&self.last)) else {
            let quotient = &self.before / &self.last;
            let rest = &self.before - &quotient * &self.last;
            self.before = std::mem::replace(&mut self.last, rest);
            return Step::One(quotient);
        };
        let [a, b, c, d] = matrix;
        let (of_before, of_last) = (|factor: u64| &self.before * factor, |factor: u64| &self.last * factor);
        (self.before, self.last) = match is_odd {
            true => (of_last(b) - of_before(a), of_before(c) - of_last(d)),
            false => (of_before(a) - of_last(b), of_last(d) - of_before(c)),
        };
        Step::Several(matrix, is_odd)
    }
}

/// The division steps that the leading bits of two numbers determine with certainty, if there are any.
#[cfg_attr(debug_assertions, inline)]
fn certain_steps(mut before: i64, mut last: i64) -> Option<([u64; 4], bool)> {
    let [mut a, mut b, mut c, mut d] = [1_i64, 0, 0, 1];
    let mut is_odd = false;
    while last + c != 0 && last + d != 0 {
        let quotient = (before + a) / (last + c);
        if quotient != (before + b) / (last + d) {
            break;
        }
        (a, c) = (c, a - quotient * c);
        (b, d) = (d, b - quotient * d);
        (before, last) = (last, before - quotient * last);
        is_odd = !is_odd;
    }
    (b != 0).then(|| ([a, b, c, d].map(i64::unsigned_abs), is_odd))
}

/// The greatest common divisor of two positive numbers.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn greatest_common_divisor(first: &BigUint, second: &BigUint) -> BigUint {
    let Ok(divisor) = common_divisor(first, second, || Ok::<(), Infallible>(()));
    divisor
}

/// The greatest common divisor of two numbers above zero. Calls `pause` before each step, which may stop it.
fn common_divisor<E>(
    first: &BigUint,
    second: &BigUint,
    mut pause: impl FnMut() -> Result<(), E>,
) -> Result<BigUint, E> {
    let (before, last) = if first < second { (second, first) } else { (first, second) };
    let mut remainders = Remainders { before: before.clone(), last: last.clone() };
    while !remainders.last.is_zero() {
        pause()?;
        remainders.step();
    }
    Ok(remainders.before)
}

/// The least common multiple of two positive numbers.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn least_common_multiple(first: &BigUint, second: &BigUint) -> BigUint {
    if first == second {
        return first.clone();
    }
    first / greatest_common_divisor(first, second) * second
}

/// The fraction `numerator / denominator` in lowest terms. Neither number is negative.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn reduced(numerator: &BigUint, denominator: &BigUint) -> Ratio {
    let Ok(fraction) = reduced_unless(numerator, denominator, || Ok::<(), Infallible>(()));
    fraction
}

/// As [`reduced`], but calls `pause` now and then, which may stop it.
pub(crate) fn reduced_unless<E>(
    numerator: &BigUint,
    denominator: &BigUint,
    pause: impl FnMut() -> Result<(), E>,
) -> Result<Ratio, E> {
    if numerator.is_zero() {
        return Ok(Ratio::zero());
    }
    let common = common_divisor(numerator, denominator, pause)?;
    Ok(Ratio::new_raw(BigInt::from(numerator / &common), BigInt::from(denominator / common)))
}

/// The fraction above zero of a residue, if there is one far smaller than the modulus. Calls `pause` before
/// each step, which may stop it.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn fraction<E>(
    residue: &BigUint,
    modulus: &BigUint,
    mut pause: impl FnMut() -> Result<(), E>,
) -> Result<Option<(BigUint, BigUint)>, E> {
    let mut remainders = Remainders { before: modulus.clone(), last: residue.clone() };
    let (mut before, mut last) = (BigUint::zero(), BigUint::one());
    let mut is_negative = false;
    while !remainders.last.is_zero() {
        pause()?;
        match remainders.step() {
            Step::One(quotient) if quotient.bits() > CERTAIN => {
                return Ok((!is_negative).then_some((remainders.before, last)));
            }
            Step::One(quotient) => {
                let next = before + quotient * &last;
                before = std::mem::replace(&mut last, next);
                is_negative = !is_negative;
            }
            Step::Several([a, b, c, d], is_odd) => {
                (before, last) = (&before * a + &last * b, &before * c + &last * d);
                is_negative ^= is_odd;
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number of many digits without an obvious pattern: the leading bits of a power.
    fn number(seed: u32, bits: u64) -> BigUint {
        let power = BigUint::from(2 * seed + 3).pow(bits as u32);
        let length = power.bits();
        power >> (length - bits)
    }

    fn fraction(residue: &BigUint, modulus: &BigUint) -> Option<(BigUint, BigUint)> {
        let Ok(fraction) = super::fraction(residue, modulus, || Ok::<(), Infallible>(()));
        fraction
    }

    #[test]
    fn common_divisors_are_found() {
        for bits in [1, 5, 61, 62, 63, 64, 65, 128, 700, 5000] {
            let (common, left, right) = (number(1, bits), number(2, bits + 3), number(4, 2 * bits));
            let by_rational = Ratio::new(BigInt::from(&left * &common), BigInt::from(&right * &common));
            assert_eq!(reduced(&(&left * &common), &(&right * &common)), by_rational);
            let divisor = greatest_common_divisor(&(&left * &common), &(&right * &common));
            assert!((divisor % &common).is_zero());
        }
        let (six, ten) = (BigUint::from(6_u32), BigUint::from(10_u32));
        assert_eq!(least_common_multiple(&six, &ten), BigUint::from(30_u32));
    }

    #[test]
    fn a_fraction_comes_back_from_its_residue() {
        let prime = BigUint::from((1_u64 << 59) - 55);
        for (numerator_bits, denominator_bits) in [(1, 1), (1, 400), (400, 1), (300, 300), (20, 3000)] {
            let fraction_bits = numerator_bits + denominator_bits;
            let modulus = prime.pow((fraction_bits + 70) as u32 / 58 + 1);
            let wanted = Ratio::new(
                BigInt::from(number(1, numerator_bits)),
                BigInt::from(number(2, denominator_bits) | BigUint::one()),
            );
            let (numerator, denominator) = (wanted.numer().magnitude(), wanted.denom().magnitude());
            let residue = numerator * denominator.modinv(&modulus).unwrap() % &modulus;
            assert_eq!(fraction(&residue, &modulus), Some((numerator.clone(), denominator.clone())));
            // The residue of the negative fraction yields nothing, and neither does a modulus of half the
            // digits.
            assert_eq!(fraction(&(&modulus - &residue), &modulus), None);
            let short = prime.pow((fraction_bits / 118) as u32);
            assert!(short.bits() < 100 || fraction(&(&residue % &short), &short).is_none());
        }
    }
}
