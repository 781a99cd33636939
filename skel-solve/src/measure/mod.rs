//! Measures: what one asks a steady state.
//!
//! - *throughput* of an action: how often it is done per unit of time, `sum over states of pi * rate`;
//! - *utilisation* of a local state: the probability that a copy of its component is in it;
//! - *population* of a local state: the expected number of copies in it;
//! - the Workbench's result lines, `name = factor * {pattern};`: the factor times the probability of the states
//!   that match.
//!
//! Typed handles cannot be wrong; the methods that take names return an error that says what was meant.

mod distribution;
mod marginals;
mod probabilities;
pub(crate) mod throughputs;
pub(crate) mod weights;

use skel_core::model::Position;

pub(crate) use distribution::wanted;
pub use probabilities::Probabilities;

/// The local states of one component and how they are occupied.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentUse<N> {
    /// The component's name: its initial local state.
    pub component: String,
    /// The positions at which it stands; an array's copies are one entry.
    pub positions: Vec<Position>,
    /// Per local state its name, and the probability that a copy is in it.
    pub local_states: Vec<(String, N)>,
}
