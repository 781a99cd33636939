//! The rates among some of the states of a list.

use std::sync::Arc;

use skel_core::graph::{Adjacency, StronglyConnected, strongly_connected_unless};

use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;
use crate::operator::transposed::codes::{CODES, RateCode};
use crate::operator::transposed::triangles::{Triangle, TriangularParts};
use crate::operator::transposed::{PER_STATE, Rates, TransposedRates};

/// The number of a state that is not among them.
const OTHER: u32 = u32::MAX;

impl TransposedRates {
    /// A chain of some states, in ascending order, which are numbered anew in this order. It has the rates
    /// among them. A state that is left for others alone keeps its exit rate. `None` if it does not fit the
    /// budget.
    pub(crate) fn among(
        &self,
        states: &[u32],
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        let rates_into = |state: &u32| {
            let counts = self.lists().map(|(counts, _)| u64::from(counts[*state as usize]));
            counts[0] + counts[1]
        };
        let most: u64 = states.iter().map(rates_into).sum();
        let bytes = CODES + states.len() as u64 * PER_STATE + most * (4 + self.rates.bytes_of_value());
        if budget.check(bytes + 4 * self.states() as u64).is_err() {
            return Ok(None);
        }
        let mut numbers = vec![OTHER; self.states()];
        (0..).zip(states).for_each(|(number, &state)| numbers[state as usize] = number);
        let rates = match &self.rates {
            Rates::Byte(parts) => Rates::Byte(parts.among(states, &numbers)),
            Rates::Short(parts) => Rates::Short(parts.among(states, &numbers)),
            Rates::Float(parts) => Rates::Float(parts.among(states, &numbers)),
        };
        watch.prepare()?;
        let order = states.iter().map(|&state| self.number_of(state as usize) as u32).collect();
        let (table, stop) = (Arc::clone(&self.table), watch.stop());
        let exits = vec![0.0; states.len()];
        let mut among =
            TransposedRates { exits, table, rates, bytes, order: Some(order), schedule: None, stop };
        among.exits = among.outflows();
        for (exit, &state) in among.exits.iter_mut().zip(states).filter(|(exit, _)| **exit == 0.0) {
            *exit = self.exits[state as usize];
        }
        Ok(Some(among))
    }

    /// The states, in ascending order, that one leads to and that lead back to it.
    pub(crate) fn strongly_connected_with(
        &self,
        state: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<u32>, Stopped> {
        let [(counts, mut columns), (later_counts, mut later)] = self.lists();
        let mut sources = Adjacency::with_capacity(counts.len(), columns.len() + later.len());
        for (&count, &later_count) in counts.iter().zip(later_counts) {
            let before = columns.split_off(..count as usize).unwrap_or_default();
            let behind = later.split_off(..later_count as usize).unwrap_or_default();
            sources.push(before.iter().chain(behind).copied());
        }
        let StronglyConnected { component_of, mut components } =
            strongly_connected_unless(&sources, || watch.prepare())?;
        Ok(components.swap_remove(component_of[state] as usize))
    }

    /// The sum of the rates out of each state.
    fn outflows(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.states()];
        self.onward(&vec![1.0; self.states()], &mut sums);
        sums
    }
}

impl<V: RateCode> TriangularParts<V> {
    fn among(&self, states: &[u32], numbers: &[u32]) -> TriangularParts<V> {
        let [earlier, later] = [&self.earlier, &self.later].map(|triangle| triangle.among(states, numbers));
        TriangularParts { earlier, later }
    }
}

impl<V: RateCode> Triangle<V> {
    /// The entries of some rows in the columns of the same states. These keep their order, so that no entry
    /// comes into the other triangle.
    fn among(&self, states: &[u32], numbers: &[u32]) -> Triangle<V> {
        let most = states.iter().map(|&state| self.counts[state as usize] as usize).sum();
        let counts = Vec::with_capacity(states.len());
        let mut among =
            Triangle { counts, columns: Vec::with_capacity(most), values: Vec::with_capacity(most) };
        for ((columns, values), _) in self.rows().zip(numbers).filter(|(_, number)| **number != OTHER) {
            let before = among.columns.len();
            for (&column, &value) in columns.iter().zip(values) {
                let number = numbers[column as usize];
                if number != OTHER {
                    among.columns.push(number);
                    among.values.push(value);
                }
            }
            among.counts.push((among.columns.len() - before) as u32);
        }
        among
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::operator::transposed::derived::within_parts::tests::of_two_parts;

    #[test]
    fn only_rates_among_some_states_are_left() {
        let limits = Limits::default();
        let (budget, mut watch) = (MemoryBudget::new(&limits), Watch::start(&limits));
        let chain = TransposedRates::of_lists(&of_two_parts(), &mut watch);
        let mut among =
            |states: &[u32]| chain.among(states, budget, &mut watch).ok().flatten().expect("there is room");
        let some = among(&[1, 3, 4]);
        // Of these, state 1 leads to 4, which leads to both others, and state 3 to none.
        assert_eq!(some.exits(), [0.25, 7.0, 24.0]);
        assert_eq!((some.number_of(1), some.number_of(2)), (3, 4));
        let mut inflow = [0.0; 3];
        some.inflow(&[1.0, 10.0, 100.0], &mut inflow);
        assert_eq!(inflow, [1100.0, 1300.0, 0.25]);
        let all = among(&[0, 1, 2, 3, 4]);
        let inflows = [&chain, &all].map(|chain| {
            let mut inflow = [0.0; 5];
            chain.inflow(&[1.0, 10.0, 100.0, 1000.0, 10_000.0], &mut inflow);
            inflow
        });
        assert_eq!(inflows[0], inflows[1]);
        assert_eq!(chain.exits(), all.exits());
    }
}
