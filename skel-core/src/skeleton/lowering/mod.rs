//! From a checked skeleton to its PEPA model, by the three algorithms of the paper: the data-flow [`graph`] (Algorithm 1), the
//! definitions of the tasks as [`process`]es (Algorithm 2), and the whole [`system`] (Algorithm 3).

mod assumptions;
pub(super) mod graph;
pub(super) mod process;
pub(super) mod system;
