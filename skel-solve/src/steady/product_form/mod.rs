//! Steady states that are products: one factor for each component, which depends on the local state of that
//! component alone.
//!
//! Components that do not cooperate have such a steady state, and so have many networks of queues, open or
//! closed (J. R. Jackson, Management Science 10 (1963); W. J. Gordon, G. F. Newell, Operations Research 15
//! (1967)). A few hundred factors then say what a million probabilities are. No theorem about the model is
//! needed to find them: the factors solve the balance equations, and the balance of all states says whether
//! they do.
//!
//! 1. *In two neighbourhoods*: the [equations](balances) of some sixty states are [solved](newton). Of the
//!    chains that have no product form nearly all show it there, in less than a millisecond, whatever their
//!    size.
//! 2. *Everywhere*: the equations of states that are chosen so that they have every factor are solved, for
//!    all factors.
//! 3. *Of all states* the products are computed.
//!
//! Counted copies have a factor for each local state, which depends on how many copies are in it.

mod balances;
mod form;
mod neighbourhood;
mod newton;
mod normal_equations;
mod powers;
mod sample;

use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;
use crate::space::StateSpace;
use balances::Inflows;
use form::ProductForm;
use powers::Powers;

/// The most factors, and the most multiplications for a system of so many equations, for each state: a step
/// then takes as long as a few iterations.
const MOST_FACTORS: usize = 1000;
const MOST_WORK: usize = 400;

/// The product form of a chain's steady state, as probabilities whose sum is one, in the order of the chain;
/// `None` where none is found, or where a probability would be too small for `f64`.
///
/// The states of the chain are those of `space`. Time: about a millisecond where there is none. Where there
/// is one, as for a few products of the chain, and for solving a few systems of as many equations as there
/// are factors.
pub(crate) fn find(
    chain: &dyn RateOperator,
    space: &StateSpace,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<f64>>, Stopped> {
    let Some(mut form) = ProductForm::of_ones(space, most_factors(space.states())) else { return Ok(None) };
    if budget.check(memory(form.factors(), space.states())).is_err()
        || !neighbourhood::is_promising(chain, space, &form, watch)?
    {
        return Ok(None);
    }
    let inflows = Inflows::of(chain, &sample::of_every_factor(chain, space, &form));
    watch.prepare()?;
    if budget.check(memory(form.factors(), space.states()) + inflows.memory_of_balances()).is_err() {
        return Ok(None);
    }
    let powers = Powers::new(chain, space, &form, inflows);
    let Some(factors) = powers.factors(watch)? else { return Ok(None) };
    powers.balances.put(&factors, form.values_mut());
    let probabilities = form.probabilities(chain, space);
    watch.prepare()?;
    Ok(probabilities)
}

/// The most factors that take little time beside the iterations for so many states: a system is solved in the
/// cube of their number.
fn most_factors(states: usize) -> usize {
    (1..=MOST_FACTORS).rfind(|factors| factors.pow(3) <= MOST_WORK * states).unwrap_or_default()
}

/// The bytes that are needed: for the probabilities in two orders, two systems, and what marks the states of
/// the sample.
fn memory(factors: usize, states: usize) -> u64 {
    (2 * 8 + 1) * states as u64 + 2 * 8 * factors.pow(2) as u64
}

#[cfg(test)]
mod tests;
