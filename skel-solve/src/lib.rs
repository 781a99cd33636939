//! What a model *does in time*: its states, its Markov chain, its steady state, its measures.
//!
//! ```text
//! Model -> space: layout, compiled actions, exploration -> StateSpace
//!       -> chain: the generator matrix Q                 -> Generator
//!       -> classify: recurrent classes, deadlocks
//!       -> steady: pi with pi Q = 0 and sum 1            -> SteadyState -> measures
//!       -> quotient: the fewest states with some measures
//!       -> sensitivity: derivatives of a measure by all rates
//! ```
//!
//! Every step runs within [`limits::Limits`], and says how good its answer is. Use the facade crate `skel`.
//!
//! Where `#[cfg_attr(debug_assertions, inline)]` stands on cold functions, they are what a plain `steady_state()` does without: exact answers, lumping,
//! quotients, derivatives. It has them compiled where they are called, and not in everyone's first build.

pub mod chain;
mod disjoint_sets;
pub mod error;
mod fraction;
pub mod limits;
mod linear;
pub mod measure;
mod operator;
pub mod performance;
pub mod quotient;
pub mod sensitivity;
mod sorted_list;
pub mod space;
mod state;
pub mod steady;
mod symmetry;
#[cfg(test)]
mod tests;
mod transition;
mod vector;

pub use error::Error;
pub use limits::Limits;
pub use performance::Perform;
pub use space::{Explore, StateSpace};
pub use steady::SteadyState;
