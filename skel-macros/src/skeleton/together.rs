//! What the workers of a stage do together, as far as their functions depend on it.

use skel_core::skeleton::{TeamWord, Value};

use super::parse::TeamCall;

/// What the workers of a stage do together.
#[derive(Clone, Copy)]
pub(super) enum Team {
    /// Each serves a part of an item.
    Map,
    /// Each has a function: so many, if they are known and can be arguments one by one.
    FaultTolerant(Option<usize>),
    /// Each has a part of a state.
    MapWithState,
}

/// So many functions can vote as arguments of their own; more of them are an array.
const MOST_ARGUMENTS: i128 = 9;

impl Team {
    /// By the call.
    pub(super) fn of(call: &TeamCall) -> Self {
        match call.word {
            TeamWord::Map => Team::Map,
            TeamWord::MapWithState => Team::MapWithState,
            TeamWord::FaultTolerant => Team::FaultTolerant(match call.workers.count() {
                Value::Known(workers @ 3..=MOST_ARGUMENTS, _) => usize::try_from(workers).ok(),
                _ => None,
            }),
        }
    }
}
