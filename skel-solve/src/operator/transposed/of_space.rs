//! The list of the rates of a space.

use super::{Rows, TransposedRates};
use crate::error::Error;
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;
use crate::space::StateSpace;

impl TransposedRates {
    /// Collects the rates of a space, within a memory budget.
    pub(crate) fn of_space(
        space: &StateSpace,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Error> {
        let rows: Rows<'_> = &|watch, visit| space.for_each_departure(|| Ok(watch.prepare()?), visit);
        TransposedRates::new(space.states(), rows, budget, watch)
    }
}
