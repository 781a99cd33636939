//! The states whose equations have every factor.

use super::form::ProductForm;
use crate::operator::RateOperator;
use crate::space::StateSpace;
use crate::vector::random;

/// States for each factor that are chosen at random.
const PER_FACTOR: usize = 4;

/// The states that each factor has at least, as far as there are so many.
const AT_LEAST: u8 = 4;

/// States of a chain in ascending order: some at random, and the first ones of each factor that has too few of these.
pub(super) fn of_every_factor(chain: &dyn RateOperator, space: &StateSpace, form: &ProductForm) -> Vec<u32> {
    let count = space.states();
    let at_random = |number: usize| ((random(number) - 0.5) * count as f64) as usize;
    let mut numbers: Vec<usize> = (0..PER_FACTOR * form.factors()).map(at_random).collect();
    let mut seen = vec![0_u8; form.factors()];
    let mut see = |packed: &[u64]| {
        let mut is_new = false;
        for factor in form.factors_of(packed) {
            let seen = &mut seen[factor as usize];
            is_new |= *seen < AT_LEAST;
            *seen = seen.saturating_add(1);
        }
        is_new
    };
    numbers.iter().for_each(|&number| _ = space.with_packed(number, &mut see));
    space.for_each_packed(|number, packed| {
        if see(packed) {
            numbers.push(number);
        }
    });
    numbers.sort_unstable();
    numbers.dedup();
    let mut is_chosen = vec![false; count];
    numbers.into_iter().for_each(|number| is_chosen[number] = true);
    (0..count as u32).filter(|&state| is_chosen[chain.number_of(state as usize)]).collect()
}
