//! The model: what the phases made, with its local states numbered anew.

use super::patterns::ResolvedResult;
use super::system::{LargeArray, System};
use super::terms::Terms;
use crate::diagnostic::Span;
use crate::model::equation::{Expansion, expand};
use crate::model::{Activity, Component, LocalState, LocalStateId, Model, ResultLine};

/// The model of a system without errors: terms that are no local state are left out.
pub(super) fn assemble<S: Span>(
    system: System<'_, S>,
    terms: Terms<'_, S>,
    results: Vec<ResolvedResult>,
) -> Model {
    let terms = terms.for_model();
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
            activities: activities(&terms, term, &number),
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
    debug_assert_eq!(expand(&system.steps, &system.copies_here).nodes, system.nodes);
    let mut results: Vec<ResultLine> = results.into_iter().map(|result| result.renumber(&number)).collect();
    let tree = match system.large.is_empty() {
        true => Expansion {
            nodes: system.nodes,
            leaves: system.leaves,
            arrays: system.arrays,
            ..Expansion::default()
        },
        false => with_all_copies(&system, &mut results),
    };
    Model {
        actions: terms.actions,
        parameters: terms.rates.parameters,
        evaluation_order: terms.rates.order,
        rates: terms.rates.entries,
        local_states,
        components,
        system: system.steps,
        copies: system.copies,
        nodes: tree.nodes,
        leaves: tree.leaves,
        arrays: tree.arrays,
        results,
    }
}

/// The tree of a system of which not all copies were checked. What result lines say of components outside of
/// its large arrays goes with these.
fn with_all_copies<S: Span>(system: &System<'_, S>, results: &mut [ResultLine]) -> Expansion {
    for line in results {
        line.pattern = spread(&line.pattern, &system.large);
    }
    expand(&system.steps, &system.copies)
}

/// A pattern over the components that were checked as one over all components.
fn spread(pattern: &[Option<LocalStateId>], large: &[LargeArray]) -> Vec<Option<LocalStateId>> {
    let mut all = Vec::new();
    let mut at = 0;
    for array in large {
        all.extend_from_slice(&pattern[at..array.here.start]);
        all.resize(all.len() + array.positions, None);
        at = array.here.end;
    }
    all.extend_from_slice(&pattern[at..]);
    all
}

/// The activities of a local state, in a list of that length.
fn activities<S: Span>(terms: &Terms<'_, S>, term: LocalStateId, number: &[LocalStateId]) -> Vec<Activity> {
    let mut count = 0;
    terms.for_each_enabled(term, &mut |_| count += 1);
    let mut activities = Vec::with_capacity(count);
    terms.for_each_enabled(term, &mut |prefix| {
        let activity = terms.activity(prefix);
        activities.push(Activity { target: number[activity.target.index()], ..activity });
    });
    activities
}

#[cfg(test)]
mod tests {
    use crate::model::Model;

    #[test]
    fn local_states_are_those_that_a_component_enters() {
        let model = Model::from_text("P = (a, 1).(b, 2).P + (c, 3).Q; Q = (d, 4).Q; P/{a} || Q").unwrap();
        let names: Vec<&str> = model.local_states().iter().map(|state| state.name.as_str()).collect();
        assert_eq!(names, ["P", "(b, 2).P", "Q"]);
        let targets = |name: &str| -> Vec<&str> {
            let state = model.local_state(model.local_state_named(name).unwrap());
            state.activities.iter().map(|activity| names[activity.target.index()]).collect()
        };
        assert_eq!(
            (targets("P"), targets("(b, 2).P"), targets("Q")),
            (vec!["(b, 2).P", "Q"], vec!["P"], vec!["Q"])
        );
        let components: Vec<usize> =
            model.components().iter().map(|component| component.local_states.len()).collect();
        assert_eq!(components, [3, 1]);
    }
}
