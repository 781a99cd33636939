//! Answers over time: where a chain is at time `t`, how long until something happens, and with what probability.

// Response times and CSL use parts of it that a passage doesn't.
pub(crate) mod absorption;
pub mod csl;
pub mod passage;
pub mod response;
pub(crate) mod states;
pub mod transient;
// Passage times, response times and CSL use parts of it that a transient distribution doesn't.
pub(crate) mod uniformisation;

pub use crate::refused::Refused;
