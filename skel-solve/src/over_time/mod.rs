//! Answers over time: where a chain is at time `t`, how long until something happens, and with what probability.

pub mod response;
