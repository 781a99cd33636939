//! Whether a chain is irreducible, by its list.

use super::TransposedRates;
use super::triangles::Lookup;
use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};

impl TransposedRates {
    /// Whether a run comes back to the first state from every other. If all are reachable from it, as in a
    /// state space, the chain is irreducible then. Its time is linear in the number of rates, and it takes 17
    /// bytes for each state, and a list of the states that it has still to look at.
    pub(crate) fn all_lead_to_the_first(&self, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        Ok(self.all_lead_to_earlier_states(watch)? || self.all_are_found_backwards(watch)?)
    }

    /// Whether a run comes from every state but the first to a state before it in few passes over the rates:
    /// at once, or over later states, each of which leads to such a one.
    fn all_lead_to_earlier_states(&self, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        let [(counts, columns), (later_counts, later)] = self.lists();
        // The first state that each one leads to.
        let mut first: Vec<u32> = (0..counts.len() as u32).collect();
        let mut rates = later.iter();
        for (state, &count) in later_counts.iter().enumerate() {
            for &from in rates.by_ref().take(count as usize) {
                let first = &mut first[from as usize];
                *first = (*first).min(state as u32);
            }
        }
        watch.prepare()?;
        let lead =
            |first: &[u32]| first.iter().enumerate().skip(1).all(|(state, &first)| first < state as u32);
        if lead(&first) {
            return Ok(true);
        }
        let mut rates = columns.iter().rev();
        for (state, &count) in counts.iter().enumerate().rev() {
            for &from in rates.by_ref().take(count as usize) {
                first[from as usize] = first[from as usize].min(first[state]);
            }
        }
        watch.prepare()?;
        Ok(lead(&first))
    }

    /// The same by a search backwards from the first state.
    fn all_are_found_backwards(&self, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        let lists = self.lists().map(|(counts, columns)| Lookup::new(counts, columns));
        let mut leads_there = vec![false; self.exits.len()];
        leads_there[0] = true;
        let mut waiting = Vec::new();
        // Later states wait until the loop comes to them, so that rows are read in their order as far as
        // possible.
        let mut steps = 0_usize;
        for state in 0..self.exits.len() {
            if state.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            if leads_there[state] {
                waiting.push(state);
            }
            while let Some(next) = waiting.pop() {
                steps += 1;
                if steps.is_multiple_of(BETWEEN_LOOKS) {
                    watch.prepare()?;
                }
                for from in lists.iter().flat_map(|list| list.sources(next)).map(|&from| from as usize) {
                    if !std::mem::replace(&mut leads_there[from], true) && from < state {
                        waiting.push(from);
                    }
                }
            }
        }
        Ok(leads_there.into_iter().all(|leads| leads))
    }
}
