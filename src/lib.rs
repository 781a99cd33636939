//! Structured parallel programs and PEPA models: said in Rust, checked by the compiler, solved exactly or fast.

pub use skel_core::{diagnostic, explore, graph, handle, model, number, rate, semantics, syntax, text};
pub use skel_solve::{Error, Explore, Limits, StateSpace, SteadyState};
pub use skel_solve::{chain, classify, error, limits, measure, space, steady};
