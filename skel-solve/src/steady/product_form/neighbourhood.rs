//! Whether a product form is likely, by a few states.

use super::balances::Inflows;
use super::form::ProductForm;
use super::powers::Powers;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;
use crate::space::StateSpace;

/// The states of a neighbourhood.
const STATES: usize = 60;

/// The share to which each step has to reduce the squares of the defects.
const IMPATIENT: f64 = 0.75;

/// The most rates into these states. With more, the equations say little for the time that they take.
const MOST_RATES: usize = 100 * STATES;

/// Whether the states around the last one, where queues may be full, and around one in the middle have
/// factors where all rates are one.
pub(super) fn is_promising(
    chain: &dyn RateOperator,
    space: &StateSpace,
    form: &ProductForm,
    watch: &mut Watch<'_>,
) -> Result<bool, Stopped> {
    for centre in [chain.states() - 1, chain.states() / 2] {
        let inflows = around(chain, centre);
        if inflows.sources.len() > MOST_RATES
            || Powers::new(chain, space, form, inflows).unweighted(IMPATIENT, watch)?.is_none()
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The rates into a state, into those from which they come, and so on, until there are enough states.
fn around(chain: &dyn RateOperator, state: usize) -> Inflows {
    let mut inflows = Inflows::default();
    let mut layer = vec![state as u32];
    let mut known = layer.clone();
    while !layer.is_empty() {
        let before = inflows.sources.len();
        inflows.add(chain, &layer);
        layer = inflows.sources[before..].to_vec();
        layer.sort_unstable();
        layer.dedup();
        layer.retain(|state| known.binary_search(state).is_err());
        layer.truncate(STATES - known.len());
        known.extend_from_slice(&layer);
        known.sort_unstable();
    }
    inflows
}
