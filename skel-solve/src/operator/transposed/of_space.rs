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
        let rows: Rows<'_> = &|watch, visit| {
            let mut row = Vec::new();
            space.for_each_row::<f64, _>(
                || Ok(watch.prepare()?),
                |state, transitions| {
                    row.clear();
                    for transition in
                        transitions.iter().filter(|transition| transition.target as usize != state)
                    {
                        match row.last_mut() {
                            Some((last, sum)) if *last == transition.target => *sum += transition.rate,
                            _ => row.push((transition.target, transition.rate)),
                        }
                    }
                    visit(state, &row);
                    Ok(())
                },
            )
        };
        TransposedRates::new(space.states(), rows, budget, watch)
    }
}
