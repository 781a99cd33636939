//! The model: what the phases made, with its local states numbered anew.

use super::patterns::ResolvedResult;
use super::system::System;
use super::terms::Terms;
use crate::diagnostic::Span;
use crate::model::{Activity, Component, LocalState, LocalStateId, Model};

/// The model of a system without errors: terms that are no local state are left out.
pub(super) fn assemble<S: Span>(
    system: System<'_, S>,
    terms: Terms<S>,
    results: Vec<ResolvedResult>,
) -> Model {
    let mut number = vec![LocalStateId::at(0); terms.len()];
    let kept = system.local_states(&terms);
    for (at, &term) in kept.iter().enumerate() {
        number[term.index()] = LocalStateId::at(at);
    }
    let local_states = kept
        .iter()
        .map(|&term| LocalState {
            name: terms.name(term),
            is_constant: terms.constant(term).is_some(),
            activities: terms
                .enabled(term)
                .into_iter()
                .map(|prefix| {
                    let activity = terms.activity(prefix);
                    Activity { target: number[activity.target.index()], ..activity }
                })
                .collect(),
        })
        .collect();
    let components = system
        .components
        .iter()
        .map(|component| Component {
            initial: number[component.initial.index()],
            local_states: component.local_states.iter().map(|state| number[state.index()]).collect(),
        })
        .collect();
    let results = results.into_iter().map(|result| result.renumber(&number)).collect();
    Model {
        actions: terms.actions,
        parameters: terms.rates.parameters,
        evaluation_order: terms.rates.order,
        rates: terms.rates.entries,
        local_states,
        components,
        nodes: system.nodes,
        leaves: system.leaves,
        arrays: system.arrays,
        results,
    }
}
