//! Numbers the local states of each component, breadth first from the initial one, in the order of the
//! activities. The initial local state is 0, and components that differ only in names are numbered in the
//! same way.

use std::collections::BTreeSet;

use skel_core::model::{ActionId, Component, ComponentId, LocalStateId, Model, Position};

#[derive(Clone, Debug)]
pub(crate) struct LocalNumbers {
    numbers: Vec<Numbers>,
    /// For each component its local states in the order of their numbers.
    in_order: Vec<Vec<LocalStateId>>,
}

/// The numbers of the local states of one component.
#[derive(Clone, Debug)]
enum Numbers {
    /// By the distance from the least local state; [`NONE`] where another component has the local state.
    ByDistance { least: u32, numbers: Vec<u32> },
    /// The local states in ascending order, each with its number: where those of many components lie among
    /// one another.
    Sorted(Vec<(LocalStateId, u32)>),
}

const NONE: u32 = u32::MAX;

impl Numbers {
    /// No numbers yet, for local states in ascending order.
    fn none(states: &[LocalStateId]) -> Numbers {
        const MOST_FOR_EACH: usize = 4;
        let least = states.first().map_or(0, |state| state.0);
        let range = states.last().map_or(0, |state| (state.0 - least) as usize + 1);
        match range <= MOST_FOR_EACH * states.len() {
            true => Numbers::ByDistance { least, numbers: vec![NONE; range] },
            false => Numbers::Sorted(states.iter().map(|&state| (state, NONE)).collect()),
        }
    }

    fn get_mut(&mut self, state: LocalStateId) -> Option<&mut u32> {
        match self {
            Numbers::ByDistance { least, numbers } => numbers.get_mut(state.0.wrapping_sub(*least) as usize),
            Numbers::Sorted(numbers) => {
                let found = numbers.binary_search_by_key(&state, |&(known, _)| known).ok();
                found.map(|at| &mut numbers[at].1)
            }
        }
    }

    fn get(&self, state: LocalStateId) -> Option<u32> {
        let number = match self {
            Numbers::ByDistance { least, numbers } => {
                numbers.get(state.0.wrapping_sub(*least) as usize).copied()
            }
            Numbers::Sorted(numbers) => {
                let found = numbers.binary_search_by_key(&state, |&(known, _)| known).ok();
                found.map(|at| numbers[at].1)
            }
        };
        number.filter(|&number| number != NONE)
    }
}

impl LocalNumbers {
    pub(crate) fn new(model: &Model) -> LocalNumbers {
        let (numbers, in_order) =
            model.components().iter().map(|component| breadth_first(model, component)).unzip();
        LocalNumbers { numbers, in_order }
    }

    /// The number of a local state within a component, if the component has this local state.
    pub(crate) fn get(&self, component: ComponentId, state: LocalStateId) -> Option<u32> {
        self.numbers[component.index()].get(state)
    }

    /// The local states of a component in the order of their numbers.
    pub(crate) fn in_order(&self, component: ComponentId) -> &[LocalStateId] {
        &self.in_order[component.index()]
    }
}

fn breadth_first(model: &Model, component: &Component) -> (Numbers, Vec<LocalStateId>) {
    let mut numbers = Numbers::none(&component.local_states);
    let mut in_order = Vec::with_capacity(component.local_states.len());
    let mut enter = |state: LocalStateId, in_order: &mut Vec<LocalStateId>| {
        if let Some(number @ &mut NONE) = numbers.get_mut(state) {
            *number = in_order.len() as u32;
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
    (numbers, in_order)
}

/// The actions that the component at a position can do, in ascending order.
pub(crate) fn actions_at(model: &Model, position: Position) -> Vec<ActionId> {
    let component = model.component(model.component_at(position));
    // Activities may be millions, and actions a few.
    let mut actions = BTreeSet::new();
    for &state in &component.local_states {
        model.local_state(state).activities.iter().for_each(|activity| _ = actions.insert(activity.action));
    }
    actions.into_iter().collect()
}
