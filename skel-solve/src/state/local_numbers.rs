//! Numbers the local states of each component, breadth first from the initial one, in the order of the activities. The
//! initial local state is 0, and components that differ only in names are numbered in the same way.

use skel_core::model::{ActionId, Component, ComponentId, LocalStateId, Model, Position};

#[derive(Clone, Debug)]
pub(crate) struct LocalNumbers {
    /// For each component its local states in ascending order, each with its number.
    numbers: Vec<Vec<(LocalStateId, u32)>>,
    /// For each component its local states in the order of their numbers.
    in_order: Vec<Vec<LocalStateId>>,
}

impl LocalNumbers {
    pub(crate) fn new(model: &Model) -> LocalNumbers {
        let (numbers, in_order) =
            model.components().iter().map(|component| breadth_first(model, component)).unzip();
        LocalNumbers { numbers, in_order }
    }

    /// The number of a local state within a component, if the component has this local state.
    pub(crate) fn get(&self, component: ComponentId, state: LocalStateId) -> Option<u32> {
        let numbers = &self.numbers[component.index()];
        numbers.binary_search_by_key(&state, |&(known, _)| known).ok().map(|at| numbers[at].1)
    }

    /// The local states of a component in the order of their numbers.
    pub(crate) fn in_order(&self, component: ComponentId) -> &[LocalStateId] {
        &self.in_order[component.index()]
    }
}

fn breadth_first(model: &Model, component: &Component) -> (Vec<(LocalStateId, u32)>, Vec<LocalStateId>) {
    let mut numbers: Vec<(LocalStateId, Option<u32>)> =
        component.local_states.iter().map(|&state| (state, None)).collect();
    let mut in_order = Vec::with_capacity(numbers.len());
    let mut enter = |state: LocalStateId, in_order: &mut Vec<LocalStateId>| {
        let found = numbers.binary_search_by_key(&state, |&(known, _)| known);
        if let Some((_, number @ None)) = found.ok().map(|at| &mut numbers[at]) {
            *number = Some(in_order.len() as u32);
            in_order.push(state);
        }
    };
    enter(component.initial, &mut in_order);
    let mut at = 0;
    while at < in_order.len() {
        for activity in &model.local_state(in_order[at]).activities {
            enter(activity.target, &mut in_order);
        }
        at += 1;
    }
    let numbers = numbers.into_iter().filter_map(|(state, number)| Some((state, number?))).collect();
    (numbers, in_order)
}

/// The actions that the component at a position can do, in ascending order.
pub(crate) fn actions_at(model: &Model, position: Position) -> Vec<ActionId> {
    let component = model.component(model.component_at(position));
    let activities = component.local_states.iter().flat_map(|&state| &model.local_state(state).activities);
    let mut actions: Vec<ActionId> = activities.map(|activity| activity.action).collect();
    actions.sort_unstable();
    actions.dedup();
    actions
}
