//! The states whose equations have every factor.

use super::form::ProductForm;
use crate::operator::RateOperator;
use crate::space::StateSpace;
use crate::vector::random;

/// States for each factor that are chosen at random.
const PER_FACTOR: usize = 4;

/// The states that each factor has at least, as far as there are so many.
const AT_LEAST: u8 = 4;

/// States of a chain in ascending order: some at random, and the first ones of each factor that has too few
/// of these.
pub(super) fn of_every_factor(chain: &dyn RateOperator, space: &StateSpace, form: &ProductForm) -> Vec<u32> {
    let (count, mut seen) = (space.states(), vec![0_u8; form.factors()]);
    let mut see = |packed: &[u64]| {
        let mut is_new = false;
        for factor in form.factors_of(packed) {
            let seen = &mut seen[factor as usize];
            is_new |= *seen < AT_LEAST;
            *seen = seen.saturating_add(1);
        }
        is_new
    };
    let mut is_chosen = vec![false; count];
    for draw in 0..PER_FACTOR * form.factors() {
        let number = ((random(draw) - 0.5) * count as f64) as usize;
        is_chosen[number] = true;
        space.with_packed(number, &mut see);
    }
    space.for_each_packed(|number, packed| is_chosen[number] |= see(packed));
    (0..count as u32).filter(|&state| is_chosen[chain.number_of(state as usize)]).collect()
}
