//! The four broadcasts as Table 3 of Nasri, Steffenel and Trystram prints them. Each needs two processes.

use super::chain::{self, Cut};
use super::error::Problem;
use super::message::Messages;
use crate::quantity::{Bytes, Time};

/// `L + (P-1) g(m)`.
pub(super) fn flat(processes: u32, messages: Messages<'_>) -> Result<Time, Problem> {
    let cost = messages.one()?;
    Ok(cost.latency + cost.gap * f64::from(processes - 1))
}

/// `(P-1)(g(s) + L) + g(s)(k-1)`, with the best of the segments that are tried.
pub(super) fn chain(processes: u32, messages: Messages<'_>) -> Result<(Bytes, Time), Problem> {
    chain::best(messages.size, &|cut: Cut| {
        let cost = messages.of(cut.segment)?;
        Ok(cost.time() * f64::from(processes - 1) + cost.gap * (cut.segments - 1) as f64)
    })
}

/// `ceil(log2 P)(2 g(m) + L)`, an upper bound.
pub(super) fn binary(processes: u32, messages: Messages<'_>) -> Result<Time, Problem> {
    let cost = messages.one()?;
    Ok((cost.gap * 2.0 + cost.latency) * f64::from(ceiling_of_log2(processes)))
}

/// `ceil(log2 P) L + floor(log2 P) g(m)`.
pub(super) fn binomial(processes: u32, messages: Messages<'_>) -> Result<Time, Problem> {
    let cost = messages.one()?;
    Ok(cost.latency * f64::from(ceiling_of_log2(processes)) + cost.gap * f64::from(processes.ilog2()))
}

/// The logarithm of at least 2 processes to the base 2, rounded up.
fn ceiling_of_log2(processes: u32) -> u32 {
    (processes - 1).ilog2() + 1
}
