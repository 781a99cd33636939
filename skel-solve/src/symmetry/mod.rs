//! Equal parts of a model that may change places, and the one state that stands for all that differ in nothing else.
//!
//! `automorphism` finds and verifies the exchanges, by the parts' `form` and the `keys` of their activities; `lumping` gives
//! each state its canonical form, and counts the states that this stands for.

pub(crate) mod automorphism;
pub(crate) mod form;
pub(crate) mod keys;
pub(crate) mod lumping;
