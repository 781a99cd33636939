//! The rates of a space, as a list or matrix-free, as for its steady state.

use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Stopped, Watch};
use crate::operator::kronecker::KroneckerRates;
use crate::operator::kronecker::descriptor::Descriptor;
use crate::operator::transposed::TransposedRates;
use crate::operator::{RateOperator, TriangularSweep};
use crate::space::StateSpace;

/// The rates of a space.
pub(crate) enum SpaceRates<'s> {
    /// Made again for each product, where states are kept as bits.
    Kronecker(Box<KroneckerRates<'s>>, u64, &'s StateSpace),
    /// A list.
    List(Box<TransposedRates>),
}

impl<'s> SpaceRates<'s> {
    /// The rates of a space, within a budget for what is beside it.
    ///
    /// # Errors
    /// They do not fit the budget, or a limit was reached.
    pub(crate) fn new(
        space: &'s StateSpace,
        budget: MemoryBudget,
        limits: &Limits,
        watch: &mut Watch<'_>,
    ) -> Result<SpaceRates<'s>, Error> {
        let Some(terms) = Descriptor::of_space(space, budget.left()) else {
            return Ok(SpaceRates::List(Box::new(TransposedRates::of_space(space, budget, watch)?)));
        };
        let bytes = KroneckerRates::memory(&terms);
        let budget = budget.take(bytes)?;
        watch.prepare()?;
        let kronecker = KroneckerRates::new(terms, limits.threads(), watch)?;
        if kronecker.is_slow()
            && let Some(list) = TransposedRates::copied(&kronecker, budget, watch)?
        {
            return Ok(SpaceRates::List(Box::new(list)));
        }
        Ok(SpaceRates::Kronecker(Box::new(kronecker), bytes, space))
    }

    /// The products.
    pub(crate) fn operator(&self) -> &dyn RateOperator {
        match self {
            SpaceRates::Kronecker(kronecker, ..) => &**kronecker,
            SpaceRates::List(list) => &**list,
        }
    }

    /// The products and triangular solutions.
    pub(crate) fn sweeps(&self) -> &dyn TriangularSweep {
        match self {
            SpaceRates::Kronecker(kronecker, ..) => &**kronecker,
            SpaceRates::List(list) => &**list,
        }
    }

    /// Whether a run comes back to the first state from every other.
    pub(crate) fn all_lead_to_the_first(&self, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        match self {
            SpaceRates::Kronecker(.., space) => space.all_are_seen_to_lead_to_the_first(watch),
            SpaceRates::List(list) => list.all_lead_to_the_first(watch),
        }
    }

    /// The number of bytes that they take.
    pub(crate) fn memory(&self) -> u64 {
        match self {
            SpaceRates::Kronecker(_, bytes, _) => *bytes,
            SpaceRates::List(list) => list.memory(),
        }
    }
}
