//! From the root to all others: broadcast and scatter by trees.

use super::cost::Cost;
use super::error::Problem;
use super::message::Messages;
use super::tree::last_mask;
use crate::quantity::Time;

/// What a message to a subtree of some number of processes costs.
type CostOfSubtree<'a> = &'a dyn Fn(u32) -> Result<Cost, Problem>;

/// The root sends to each of the others in turn, or each of the others to the root: `L + (P-1) g`. Needs two
/// processes.
pub(super) fn flat(processes: u32, messages: Messages<'_>) -> Result<Time, Problem> {
    let cost = messages.one()?;
    Ok(cost.time() + cost.gap * f64::from(processes - 2))
}

/// A heap: process `r` sends to `2r + 1` and then to `2r + 2`. In `O(log P)`.
///
/// The digits of `r + 1` after its first say the way to process `r`: 0 to the first child, at `g + L`, and 1
/// to the second, at `2 g + L`. So it has the message at `depth (g + L) + ones g`, and the last process is
/// the one with the most ones of the last two depths.
pub(super) fn binary(processes: u32, messages: Messages<'_>) -> Result<Time, Problem> {
    let cost = messages.one()?;
    let depth = processes.ilog2();
    let at = |depth: u32, ones: u32| cost.time() * f64::from(depth) + cost.gap * f64::from(ones);
    let last = at(depth, most_ones(processes) - 1);
    let above = at(depth - 1, depth - 1);
    Ok(last.max(above))
}

/// The most ones that a number of as many digits has, and that is at most as large.
fn most_ones(most: u32) -> u32 {
    let without_digit = |digit: u32| (most >> digit).count_ones() - 1 + digit;
    let set = (0..most.ilog2()).filter(|digit| most >> digit & 1 == 1);
    set.map(without_digit).fold(most.count_ones(), u32::max)
}

/// The binomial tree with one message to all. In `O(log P)`.
pub(super) fn binomial(processes: u32, messages: Messages<'_>) -> Result<Time, Problem> {
    let cost = messages.one()?;
    binomial_of(processes, &|_| Ok(cost))
}

/// The binomial tree with a block for each process; the blocks of a subtree are one message. In `O(log P)`.
pub(super) fn binomial_scatter(processes: u32, messages: Messages<'_>) -> Result<Time, Problem> {
    binomial_of(processes, &|subtree| messages.blocks(subtree))
}

/// When the last process of a binomial tree has its message, by the cost of a message to a subtree of some
/// number of processes.
///
/// A tree of `n` processes is one of `h`, the largest power of two below `n`, whose root first sends to a
/// tree of `n - h`: `T(n) = max(g + L + T(n-h), g + T(h))`. A root alone has the message already.
fn binomial_of(processes: u32, cost: CostOfSubtree<'_>) -> Result<Time, Problem> {
    let mut full = vec![Time::ZERO];
    for bits in 0..last_mask(processes).ilog2() {
        let half = *full.last().expect("it begins with one");
        full.push(with_child(cost(1 << bits)?, half, (bits > 0).then_some(half)));
    }
    binomial_rest(processes, cost, &full)
}

/// The same for a tree that may not be full, where the times of full trees are known.
fn binomial_rest(processes: u32, cost: CostOfSubtree<'_>, full: &[Time]) -> Result<Time, Problem> {
    if processes == 1 {
        return Ok(Time::ZERO);
    }
    let mask = last_mask(processes);
    let below = binomial_rest(processes - mask, cost, full)?;
    Ok(with_child(cost(processes - mask)?, below, (mask > 1).then(|| full[mask.ilog2() as usize])))
}

/// When all have it, where the root first sends to a child and then to others, if there are any.
fn with_child(cost: Cost, below: Time, others: Option<Time>) -> Time {
    let below = cost.time() + below;
    others.map_or(below, |others| below.max(cost.gap + others))
}
