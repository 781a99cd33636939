//! Measures of a probability distribution over the states of a model, such as a steady state:
//!
//! - *throughput* of an action: how often it is done per unit of time, `sum over states of pi * rate`;
//! - *utilisation* of a local state: the probability that a copy of its component is in it;
//! - *population* of a local state: the expected number of copies in it;
//! - the result lines of the PEPA Workbench, `name = factor * {pattern};`: the factor times the probability
//!   of the states that match.
//!
//! Typed handles cannot be wrong. Methods that take a name return an error for an unknown one, which suggests
//! a similar name.

pub(crate) mod asked;
mod distribution;
#[cfg(feature = "over-time")]
pub(crate) mod factors;
mod marginals;
mod probabilities;
pub(crate) mod throughputs;
pub(crate) mod weights;

use skel_core::model::Position;

pub(crate) use distribution::wanted;
pub use probabilities::Probabilities;

/// The local states of a component, and the probability of each.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentUse<N> {
    /// The name of the component, which is that of its initial local state.
    pub component: String,
    /// The positions of the component in the system equation. The copies of an array form one entry.
    pub positions: Vec<Position>,
    /// For each local state its name, and the probability that a copy is in it.
    pub local_states: Vec<(String, N)>,
}
