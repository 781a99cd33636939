//! When ports are free, and what arrives in which order.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::collective::NEVER_BUSY;
use crate::quantity::Time;

/// What happens to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Its sender begins to send it.
    Sent,
    /// Its first byte is at the receiver.
    Arrived,
}

/// Something that happens, in the order of time; at one time, in the order in which it was found out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) time: Time,
    pub(super) number: u64,
    pub(super) message: usize,
    pub(super) step: Step,
}

impl Ord for Event {
    /// The earliest is the greatest, as the standard library's heap gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Event {}

/// What a process does with what it receives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receiver {
    /// When the receiving port is free.
    pub(super) port_free: Time,
    /// When everything received so far is combined.
    pub(super) combined: Time,
}

impl Default for Receiver {
    fn default() -> Self {
        Receiver { port_free: NEVER_BUSY, combined: Time::ZERO }
    }
}

/// When the last message on each link arrived.
#[derive(Debug, Default)]
pub(super) struct Links(HashMap<(u32, u32), Time>);

impl Links {
    /// When a message arrives that on its own would at some time: not before those that were sent earlier on
    /// the same link.
    pub(super) fn arrival(&mut self, from: u32, to: u32, alone: Time) -> Time {
        let last = self.0.entry((from, to)).or_default();
        *last = last.max(alone);
        *last
    }
}
