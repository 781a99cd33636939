//! Answers over time: where a chain is at time `t`, how long until something happens, and with what
//! probability.

pub(crate) mod absorption;
pub mod csl;
pub mod passage;
pub mod response;
pub(crate) mod states;
mod told_apart;
pub mod transient;
pub(crate) mod uniformisation;

pub use crate::refused::Refused;
