//! Answers over time: where a chain is at time `t`, how long until something happens, and with what probability.

pub(crate) mod absorption;
mod refused;
pub mod response;
// Passage times, response times and CSL use parts of it that a transient distribution doesn't.
#[allow(dead_code)]
pub(crate) mod uniformisation;

pub use refused::Refused;
