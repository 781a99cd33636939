//! Orders of the states of a chain, for methods that go through the states one after the other.
//!
//! A sweep of Gauss-Seidel, and the triangular systems that precondition Krylov methods, take the new values
//! of the states that come before. In an order that follows the flow of probability they need far fewer
//! iterations.

mod flow;

pub(crate) use flow::{Direction, by_flow, memory};

/// An order of the states: which state comes at each place, and the place of each state.
pub(crate) struct Order {
    states: Vec<u32>,
    places: Vec<u32>,
}

impl Order {
    /// The order in which the states are listed; each is listed once.
    pub(crate) fn of_states(states: Vec<u32>) -> Order {
        let mut places = vec![0; states.len()];
        states.iter().enumerate().for_each(|(place, &state)| places[state as usize] = place as u32);
        Order { states, places }
    }

    /// The bytes of an order of so many states.
    pub(crate) fn memory(states: u64) -> u64 {
        8 * states
    }

    /// The states, place by place.
    pub(crate) fn states(&self) -> &[u32] {
        &self.states
    }

    /// The place of each state.
    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }

    /// Values of the states, arranged by place.
    pub(crate) fn arranged<T: Copy>(&self, of_states: &[T]) -> Vec<T> {
        self.states.iter().map(|&state| of_states[state as usize]).collect()
    }

    /// Values of the places, by state.
    pub(crate) fn restored<T: Copy>(&self, of_places: &[T]) -> Vec<T> {
        self.places.iter().map(|&place| of_places[place as usize]).collect()
    }
}

#[cfg(test)]
mod tests;
