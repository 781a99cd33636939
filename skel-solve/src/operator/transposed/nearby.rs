//! The states around one of a list.

use super::TransposedRates;
use super::triangles::Lookup;
use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};

/// The bytes of a state while those around one are found: where its rows end, and whether it was found.
const PER_STATE: u64 = 2 * 8 + 1;

impl TransposedRates {
    /// The bytes that it takes to find the states around one.
    pub(crate) fn memory_of_nearby(states: u64) -> u64 {
        PER_STATE * states
    }

    /// A state and those nearest to it, by the number of transitions that lead to it: at least so many, or all
    /// there are, in ascending order. Time: a pass over the counts, and over the rates into what is found.
    pub(crate) fn nearby(
        &self,
        state: usize,
        count: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<u32>, Stopped> {
        let lists = self.lists().map(|(counts, columns)| Lookup::new(counts, columns));
        let mut is_found = vec![false; self.exits.len()];
        is_found[state] = true;
        let (mut found, mut looked_at) = (vec![state as u32], 0);
        while looked_at < found.len() && found.len() < count {
            if looked_at.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            let next = found[looked_at] as usize;
            looked_at += 1;
            for &from in lists.iter().flat_map(|list| list.sources(next)) {
                if !std::mem::replace(&mut is_found[from as usize], true) {
                    found.push(from);
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::{Limits, Watch};
    use crate::operator::transposed::TransposedRates;
    use crate::random_chain::walk;

    #[test]
    fn states_around_one_are_found_step_by_step() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let chain = TransposedRates::of_lists(&walk(20, |_| [1.0, 1.0]), &mut watch);
        let mut around = |state, count| chain.nearby(state, count, &mut watch).unwrap();
        assert_eq!(around(0, 1), [0]);
        assert_eq!(around(0, 4), [0, 1, 2, 3]);
        assert_eq!(around(10, 5), [8, 9, 10, 11, 12]);
        assert_eq!(around(18, 4), [16, 17, 18, 19]);
        assert_eq!(around(3, 1000), (0..20).collect::<Vec<u32>>());
    }
}
