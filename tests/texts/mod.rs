//! The laws of texts from outside, for tests and for the fuzzer's targets in `fuzz`, and texts that are
//! nearly right.

pub(crate) mod csl;
pub(crate) mod description;
pub(crate) mod distribution;
pub(crate) mod function;
pub(crate) mod graph;
pub(crate) mod model;
pub(crate) mod mutation;
pub(crate) mod network;
mod places;
pub(crate) mod runs;
pub(crate) mod skeleton;
