//! The layout of a state: each position's local state as a field of a few bits, packed into 64-bit words.

use skel_core::model::{Component, ComponentId, LocalStateId, Model, Position};

/// Where a position's local state is kept.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

/// How states are packed.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    words: usize,
}

impl Layout {
    /// The layout of a model's states: fields do not straddle words.
    pub(crate) fn of(model: &Model) -> Layout {
        let mut fields = Vec::with_capacity(model.positions());
        let mut word = 0;
        let mut used = 0;
        for position in 0..model.positions() {
            let component = model.component_at(Position::at(position));
            let count = model.component(component).local_states.len() as u64;
            let bits = u64::BITS - (count.max(2) - 1).leading_zeros();
            if used + bits > u64::BITS {
                word += 1;
                used = 0;
            }
            fields.push(Field { word, shift: used, mask: (1 << bits) - 1 });
            used += bits;
        }
        Layout { fields, words: word + 1 }
    }

    /// The number of words that a state takes.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The local state at a position, as its number within the component.
    pub(crate) fn get(&self, state: &[u64], position: usize) -> u32 {
        let field = self.fields[position];
        ((state[field.word] >> field.shift) & field.mask) as u32
    }

    /// Changes the local state at a position.
    pub(crate) fn set(&self, state: &mut [u64], position: usize, local: u32) {
        let field = self.fields[position];
        let word = &mut state[field.word];
        *word = (*word & !(field.mask << field.shift)) | (u64::from(local) << field.shift);
    }
}

/// The numbers of local states within their components: breadth first from the initial one, activity by
/// activity, so that components that differ in names alone are numbered alike.
#[derive(Clone, Debug)]
pub(crate) struct LocalNumbers {
    /// Per component its local states, ascending, each with its number.
    numbers: Vec<Vec<(LocalStateId, u32)>>,
    /// Per component its local states, by number.
    in_order: Vec<Vec<LocalStateId>>,
}

impl LocalNumbers {
    pub(crate) fn of(model: &Model) -> LocalNumbers {
        let (numbers, in_order) =
            model.components().iter().map(|component| breadth_first(model, component)).unzip();
        LocalNumbers { numbers, in_order }
    }

    /// The number of a local state within a component, if it has it.
    pub(crate) fn get(&self, component: ComponentId, state: LocalStateId) -> Option<u32> {
        let numbers = &self.numbers[component.index()];
        numbers.binary_search_by_key(&state, |&(known, _)| known).ok().map(|at| numbers[at].1)
    }

    /// The local states of a component, by number.
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
