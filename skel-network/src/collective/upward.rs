//! From all others to the root: gather and reduce by trees.

use super::cost::{Cost, NEVER_BUSY};
use super::error::Problem;
use super::message::Messages;
use super::tree::last_mask;
use crate::quantity::Time;

/// What a message from a subtree of some number of processes costs.
type CostOfSubtree<'a> = &'a dyn Fn(u32) -> Result<Cost, Problem>;

/// The root receives a message of each of the others and combines it with what it has, while the next is
/// received.
pub(super) fn flat_reduce(processes: u32, messages: Messages<'_>, combining: Time) -> Result<Time, Problem> {
    let cost = messages.one()?;
    Ok(cost.time() + combining + cost.gap.max(combining) * f64::from(processes - 2))
}

/// The binomial tree upwards; the blocks of a subtree are one message. In `O(log^2 P)`.
pub(super) fn binomial_gather(processes: u32, messages: Messages<'_>) -> Result<Time, Problem> {
    binomial_of(processes, &|subtree| messages.blocks(subtree), Time::ZERO)
}

/// The binomial tree upwards; each process combines the messages of its children with its own, in order of
/// arrival. In `O(log^2 P)`.
pub(super) fn binomial_reduce(
    processes: u32,
    messages: Messages<'_>,
    combining: Time,
) -> Result<Time, Problem> {
    let cost = messages.one()?;
    binomial_of(processes, &|_| Ok(cost), combining)
}

/// A message of a child: when it is sent, and what it costs.
#[derive(Clone, Copy)]
struct Upwards {
    sent: Time,
    cost: Cost,
}

/// When the root of a binomial tree has everything.
///
/// All children of a process but the last are roots of full trees, of 1, 2, 4, .. processes; so the times of
/// full trees are found from the smallest on, and one tree for each bit of the number of processes need not
/// be full.
fn binomial_of(processes: u32, cost: CostOfSubtree<'_>, combining: Time) -> Result<Time, Problem> {
    let mask = last_mask(processes);
    let mut full = Vec::new();
    for bits in 0..mask.ilog2() {
        let sent = end_of(full.clone(), combining);
        full.push(Upwards { sent, cost: cost(1 << bits)? });
    }
    binomial_rest(processes, cost, combining, &full)
}

/// The same for a tree that may not be full, where the messages of full trees are known.
fn binomial_rest(
    processes: u32,
    cost: CostOfSubtree<'_>,
    combining: Time,
    full: &[Upwards],
) -> Result<Time, Problem> {
    if processes == 1 {
        return Ok(Time::ZERO);
    }
    let mask = last_mask(processes);
    let subtree = processes - mask;
    let sent = binomial_rest(subtree, cost, combining, full)?;
    let mut children = full[..mask.ilog2() as usize].to_vec();
    children.push(Upwards { sent, cost: cost(subtree)? });
    Ok(end_of(children, combining))
}

/// When a process has received and combined all messages of its children. Its port receives them in order of
/// arrival.
fn end_of(mut children: Vec<Upwards>, combining: Time) -> Time {
    children.sort_by(|a, b| a.cost.arrival(a.sent).total_cmp(&b.cost.arrival(b.sent)));
    let (mut port_free, mut combined) = (NEVER_BUSY, Time::ZERO);
    for child in children {
        port_free = child.cost.received(child.sent, port_free);
        combined = combined.max(port_free) + combining;
    }
    combined
}
