//! The transitions that a state enables. Each action is compiled to small programs over the fields of a
//! packed state, and most programs are tabulated.
//!
//! - `program` makes the programs from the cooperation tree.
//! - `evaluate` runs a program in a state.
//! - `table` stores the results of a program for all combinations of the few local states that matter to it.
//! - `compile` combines all programs of a model.

pub(crate) mod compile;
pub(crate) mod evaluate;
pub(crate) mod program;
pub(crate) mod table;
