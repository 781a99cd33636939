//! Solutions that are kept: the same mapping on changed machines is solved from there.
//!
//! A start saves some of the iterations, the more the less has changed; an answer has to pass the same checks. Only the numbers
//! are kept, eight bytes for each state and mapping; the states are those of the [structure](super::program_model).

use std::collections::HashMap;
use std::sync::Arc;

use skel_core::model::Model;
use skel_solve::{Limits, SteadyState};

use crate::program::Mapping;

/// The last solution of each of some mappings.
#[derive(Clone, Debug, Default)]
pub(crate) struct WarmStarts(HashMap<Mapping, Arc<SteadyState<Model, f64>>>);

impl WarmStarts {
    /// The last solution of a mapping.
    pub(crate) fn get(&self, mapping: &Mapping) -> Option<&SteadyState<Model, f64>> {
        self.0.get(mapping).map(Arc::as_ref)
    }

    /// Keeps solutions in the place of all before, as many as an eighth of the memory holds.
    pub(crate) fn replace(
        &mut self,
        solutions: impl IntoIterator<Item = (Mapping, SteadyState<Model, f64>)>,
        limits: &Limits,
    ) {
        let mut room = limits.memory / 8;
        let fits = |(_, pi): &(Mapping, SteadyState<Model, f64>)| {
            let bytes = size_of_val(pi.probabilities()) as u64;
            let fits = bytes <= room;
            room = room.saturating_sub(bytes);
            fits
        };
        let kept = solutions.into_iter().take_while(fits);
        self.0 = kept.map(|(mapping, pi)| (mapping, Arc::new(pi))).collect();
    }
}
