//! Finds out by a search backwards whether every state leads back to the initial one.

use skel_core::number::Number;

use super::Bitset;
use super::bit_rows::{BitRows, MOST_PLACES, Search};
use crate::error::Reached;
use crate::limits::{Progress, Stopped, Watch};
use crate::transition::compile::Compiled;

impl Bitset {
    /// Whether a run is seen to come back to the initial state from every other. Combinations from which one
    /// comes there are found 64 at a time, whether they are states or not: between a state and the initial
    /// one there are only states. That is not seen where an activity has no table, or too large a one.
    /// Memory: two bits a combination, and at least two words for each row.
    pub(crate) fn all_lead_to_the_first<N: Number>(
        &self,
        compiled: &Compiled<N>,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        self.all_lead_by_rows_of(MOST_PLACES, compiled, watch)
    }

    /// The same by rows of at most so many places.
    fn all_lead_by_rows_of<N: Number>(
        &self,
        most_places: u64,
        compiled: &Compiled<N>,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        let Some(rows) = BitRows::backwards(&self.product, compiled, most_places) else { return Ok(false) };
        let mut search = Search::new(&rows);
        search.begin_at(0);
        let stopped = |limit| Stopped { limit, reached: Reached::Preparing };
        search.run(u64::MAX, |_| Progress::Preparing, watch).map_err(stopped)?;
        Ok(self.bits.iter().zip(search.found()).all(|(states, leading)| states & !leading == 0))
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::{Limits, Watch};
    use crate::random_model::random_model;
    use crate::space::{StateSet, Storage, explored};

    /// Whether all states lead back, by rows of any length; `None` if they cannot be bits.
    fn agrees(text: &str) -> Option<bool> {
        let space = explored(text, Storage::Bitset);
        let StateSet::Bitset(bitset) = space.kept() else { return None };
        let is_irreducible = crate::chain::classify(&space).is_irreducible();
        for most in [1, 4, 16, 70, 1024] {
            let limits = Limits::default();
            let watch = &mut Watch::start(&limits);
            let (_, compiled) = space.bitset()?;
            let found = bitset.all_lead_by_rows_of(most, compiled, watch).expect("no limit");
            assert_eq!(found, is_irreducible, "rows of {most}: {text}");
        }
        Some(is_irreducible)
    }

    #[test]
    fn states_that_are_left_for_good_are_found() {
        for (one, other) in [("S", "S"), ("Q", "Q"), ("Q", "S")] {
            let text = format!(
                "P = (a, 1).Q; Q = (b, 2).R; R = (c, 3).{one}; S = (d, 1).P;
                 A = (e, 1).B; B = (f, 2).C; C = (g, 3).D; D = (h, 1).A; P || P || A || {other}"
            );
            assert_eq!(agrees(&text), Some((one, other) == ("S", "S")), "{text}");
        }
    }

    #[test]
    fn ways_back_are_those_of_the_transitions() {
        for seed in 0..100 {
            let text = random_model(seed);
            let returns = agrees(&text);
            // Beside a component that leaves its initial state for good, nothing comes back.
            let left = agrees(&format!("Left = (leave, 1).Gone; Gone = (stay, 1).Gone; {text} || Left"));
            assert!(returns.is_some_and(|returns| returns) && left == Some(false), "{text}");
        }
    }
}
