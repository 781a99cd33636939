//! Every process receives a block of each: all-gather.

use super::cost::NEVER_BUSY;
use super::error::Problem;
use super::message::Messages;
use crate::quantity::Time;

/// `P - 1` rounds, in each of which every process sends one block to the next: `(P-1) (g + L)`. Needs two
/// processes.
pub(super) fn ring(processes: u32, messages: Messages<'_>) -> Result<Time, Problem> {
    let cost = messages.one()?;
    Ok(cost.time() + cost.round() * f64::from(processes - 2))
}

/// Rounds in which each process sends 1, 2, 4, .. blocks and in the last what is missing. In `O(log P)`.
///
/// Recursive doubling has rounds of the same sizes, as nothing is missing in the last where there is a power
/// of two of processes.
pub(super) fn doubling(processes: u32, messages: Messages<'_>) -> Result<Time, Problem> {
    let (mut port_free, mut received) = (Time::ZERO, NEVER_BUSY);
    for distance in distances(processes) {
        let cost = messages.blocks(blocks_at(processes, distance))?;
        let sent = received.max(port_free);
        port_free = sent + cost.gap;
        received = cost.received(sent, received);
    }
    Ok(received)
}

/// The distance between the processes of a message in each round: the powers of two below the number of
/// processes.
pub(crate) fn distances(processes: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS).map(|bits| 1 << bits).take_while(move |distance| *distance < processes)
}

/// How many blocks a process sends to one at some distance.
pub(crate) fn blocks_at(processes: u32, distance: u32) -> u32 {
    distance.min(processes - distance)
}
