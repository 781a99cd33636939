//! Answers over time: where a chain is at time `t`, how long until something happens, and with what probability.

// Response times and CSL use parts of it that a passage doesn't.
#[allow(dead_code)]
pub(crate) mod absorption;
pub mod passage;
mod refused;
pub mod response;
#[allow(dead_code)]
pub(crate) mod states;
pub mod transient;
// Passage times, response times and CSL use parts of it that a transient distribution doesn't.
#[allow(dead_code)]
pub(crate) mod uniformisation;

pub use refused::Refused;
