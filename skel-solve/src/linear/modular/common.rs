//! From digits to whole numbers: the unknowns over their one common denominator.
//!
//! The unknowns are fractions above zero, `N(i) / D`. The residue of the first one gives a fraction whose
//! denominator is `D`, or most of it. Any other residue, times `D`, is already its numerator, and shows it by
//! being far shorter than the modulus; where it is not, it has a fraction of its own, whose denominator `D`
//! lacks. So there are a few reconstructions, not one for each state, and the others are a product and a
//! remainder modulo a power of `p` that is just long enough. What comes out is a candidate: whoever asks for
//! it holds it against the equations.

use num_bigint::BigUint;
use num_traits::{One, Zero};

use crate::fraction::{CERTAIN, fraction};
use crate::limits::Limit;
use crate::linear::modular::prime::Prime;

/// So many digits are put together one by one; more in halves, whose product then takes less.
const BLOCK: usize = 32;

/// Why there is no candidate.
pub(super) enum Uncommon {
    /// The digits do not suffice for the unknown at this place.
    Short(usize),
    Limit(Limit),
}

/// The unknowns' numerators; that of the last place, whose unknown is 1, is the denominator. Begins with the
/// place `first`, and calls `pause` before each.
pub(super) fn numerators(
    digits: &[Vec<u64>],
    prime: Prime,
    first: usize,
    mut pause: impl FnMut() -> Result<(), Limit>,
) -> Result<Vec<BigUint>, Uncommon> {
    let last = digits[0].len() - 1;
    let mut common = Common::new(digits, prime);
    let mut numerators = vec![BigUint::zero(); last + 1];
    for place in std::iter::once(first).chain((0..last).filter(|&place| place != first)) {
        pause().map_err(Uncommon::Limit)?;
        let found = common.numerator(place, &mut pause).map_err(Uncommon::Limit)?;
        let (numerator, lacking) = found.ok_or(Uncommon::Short(place))?;
        if !lacking.is_one() {
            numerators.iter_mut().for_each(|known| *known *= &lacking);
        }
        numerators[place] = numerator;
    }
    numerators[last] = common.denominator;
    Ok(numerators)
}

struct Common<'d> {
    digits: &'d [Vec<u64>],
    prime: Prime,
    /// The denominator, as far as it is known.
    denominator: BigUint,
    /// How many of the digits presumably suffice where the denominator is known, and `p` to this power.
    window: usize,
    of_window: BigUint,
    /// `p` to the number of digits.
    of_all: BigUint,
    /// `p` to the power of [`BLOCK`], twice it, four times it, and so on.
    powers: Vec<BigUint>,
}

impl<'d> Common<'d> {
    #[cfg_attr(debug_assertions, inline)]
    fn new(digits: &'d [Vec<u64>], prime: Prime) -> Common<'d> {
        let modulus = BigUint::from(prime.modulus());
        let of_all = modulus.pow(digits.len() as u32);
        let mut powers: Vec<BigUint> = Vec::new();
        while BLOCK << powers.len() < digits.len() {
            powers.push(powers.last().map_or_else(|| modulus.pow(BLOCK as u32), |power| power * power));
        }
        Common { digits, prime, denominator: BigUint::one(), window: 1, of_window: modulus, of_all, powers }
    }

    /// The numerator of an unknown, and what its denominator has beside the one known before.
    #[cfg_attr(debug_assertions, inline)]
    fn numerator(
        &mut self,
        place: usize,
        pause: impl FnMut() -> Result<(), Limit>,
    ) -> Result<Option<(BigUint, BigUint)>, Limit> {
        let in_window = self.residue(place, self.window) * &self.denominator % &self.of_window;
        if is_short(&in_window, &self.of_window) {
            return Ok(Some((in_window, BigUint::one())));
        }
        let whole = self.residue(place, self.digits.len()) * &self.denominator % &self.of_all;
        let (numerator, lacking) = match is_short(&whole, &self.of_all) {
            true => (whole, BigUint::one()),
            false => match fraction(&whole, &self.of_all, pause)? {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        self.denominator *= &lacking;
        self.widen(numerator.bits().max(self.denominator.bits()));
        Ok(Some((numerator, lacking)))
    }

    /// Makes the window wide enough for numerators of so many bits, and some more: with the digits, so that a
    /// numerator that was taken for right by chance is not so again.
    #[cfg_attr(debug_assertions, inline)]
    fn widen(&mut self, bits: u64) {
        let modulus = BigUint::from(self.prime.modulus());
        let more = 2 * CERTAIN + self.digits.len() as u64;
        let wide_enough = (bits + more) / (modulus.bits() - 1) + 1;
        self.window = self.window.max(wide_enough as usize).min(self.digits.len());
        self.of_window = modulus.pow(self.window as u32);
    }

    /// The number that the lowest digits of an unknown make.
    #[cfg_attr(debug_assertions, inline)]
    fn residue(&self, place: usize, window: usize) -> BigUint {
        self.number(place, &self.digits[..window], self.powers.len())
    }

    /// The number that some digits make: two halves, of which the lower one has as many digits as the highest
    /// power that may be used stands for.
    #[cfg_attr(debug_assertions, inline)]
    fn number(&self, place: usize, digits: &[Vec<u64>], powers: usize) -> BigUint {
        let Some(power) = powers.checked_sub(1) else {
            let modulus = self.prime.modulus();
            return digits.iter().rev().fold(BigUint::zero(), |sum, digits| sum * modulus + digits[place]);
        };
        let (lower, upper) = digits.split_at(digits.len().min(BLOCK << power));
        let lower = self.number(place, lower, power);
        if upper.is_empty() { lower } else { lower + self.number(place, upper, power) * &self.powers[power] }
    }
}

/// Whether a residue is so far below the modulus that this is no chance. Zero is none: no unknown is.
#[cfg_attr(debug_assertions, inline)]
fn is_short(residue: &BigUint, modulus: &BigUint) -> bool {
    !residue.is_zero() && residue.bits() + CERTAIN < modulus.bits()
}
