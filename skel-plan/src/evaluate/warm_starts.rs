//! Warm starts: the solution of a mapping is kept, and the iterations on changed machines start from it.
//!
//! A warm start saves some of the iterations, and the more of them the less has changed. The answer has to
//! pass the same checks as any other. Only probabilities are kept, eight bytes for each state of each
//! mapping, since all mappings have [the same states](super::shared_space).

use std::collections::HashMap;
use std::sync::Arc;

use skel_core::model::Model;
use skel_solve::{Limits, SteadyState};

use crate::program::Mapping;

/// The last solution of each mapping for which one is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct WarmStarts(HashMap<Mapping, Arc<SteadyState<Model, f64>>>);

impl WarmStarts {
    /// The last solution of a mapping.
    pub(crate) fn get(&self, mapping: &Mapping) -> Option<&SteadyState<Model, f64>> {
        self.0.get(mapping).map(Arc::as_ref)
    }

    /// Drops all solutions and keeps these, as many as fit into an eighth of the memory limit.
    pub(crate) fn replace(
        &mut self,
        solutions: impl IntoIterator<Item = (Mapping, SteadyState<Model, f64>)>,
        limits: &Limits,
    ) {
        let mut room = limits.memory / 8;
        let fits = |(_, pi): &(Mapping, SteadyState<Model, f64>)| {
            let bytes = pi.memory();
            let fits = bytes <= room;
            room = room.saturating_sub(bytes);
            fits
        };
        let kept = solutions.into_iter().take_while(fits);
        self.0 = kept.map(|(mapping, pi)| (mapping, Arc::new(pi))).collect();
    }
}
