//! Explores the state space of a model, solves its Markov chain, and reads measures from the solution.
//!
//! ```text
//! Model -> space: layout, compiled actions, exploration -> StateSpace
//!       -> chain: the generator matrix Q                 -> Generator
//!       -> classify: recurrent classes, deadlocks
//!       -> steady: pi with pi Q = 0 and sum 1            -> SteadyState -> measures
//!       -> quotient: the fewest states with some measures
//!       -> dimension: numbers of replicas that keep a target
//!       -> sensitivity: derivatives of a measure by all rates
//!       -> sweep: the same for many values of rates, sizes and replicas
//!       -> over_time: distributions at moments, with the feature `over-time`
//! ```
//!
//! Every step runs within [`limits::Limits`], and says how good its answer is. Use this crate through the
//! facade crate `skel`.
//!
//! A plain `steady_state()` needs no exact answers, lumping, quotients or derivatives. Their functions carry
//! `#[cfg_attr(debug_assertions, inline)]`: in a debug build they are then compiled only in the crates that
//! call them, which makes the first debug build of all others faster.

pub mod chain;
pub mod dimension;
mod disjoint_sets;
pub mod error;
pub mod farms;
mod fraction;
pub mod limits;
mod linear;
pub mod measure;
mod operator;
mod order;
#[cfg(feature = "over-time")]
pub mod over_time;
pub mod performance;
pub mod quotient;
#[cfg(test)]
mod random_chain;
#[cfg(test)]
mod random_model;
#[cfg(feature = "over-time")]
mod refused;
pub mod sensitivity;
mod sorted_list;
pub mod space;
mod state;
pub mod steady;
pub mod sweep;
mod symmetry;
mod team;
#[cfg(test)]
mod tests;
mod transition;
mod vector;

pub use dimension::{Dimensioned, Target};
pub use error::Error;
pub use limits::Limits;
pub use performance::Perform;
pub use space::{Explore, StateSpace};
pub use steady::SteadyState;
pub use sweep::Sweep;
