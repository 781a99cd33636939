//! What a state enables: each action is a small program over the fields of a packed state, most of them tabulated.
//!
//! `program` makes the programs from the cooperation tree, `evaluate` runs one in a state, `table` keeps the outcomes of a
//! program for all combinations of the few local states that matter, and `compile` puts all programs of a model together.

pub(crate) mod compile;
pub(crate) mod evaluate;
pub(crate) mod program;
pub(crate) mod table;
