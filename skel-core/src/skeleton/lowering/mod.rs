//! From a checked skeleton to its PEPA model, by the three algorithms of the paper: the data-flow [`graph`]
//! (Algorithm 1), the definitions of the tasks as [`process`]es (Algorithm 2), and the whole [`system`]
//! (Algorithm 3).
//!
//! ```text
//! Tree -> graph (with its channels) -> moves and buffers -> processes -> composition -> System
//! ```

mod assumptions;
pub(super) mod capacities;
pub(super) mod channel;
mod composition;
pub(super) mod graph;
mod moves;
mod print;
pub(super) mod process;
mod service;
mod services;
pub(super) mod states;
pub(super) mod system;
mod team;
