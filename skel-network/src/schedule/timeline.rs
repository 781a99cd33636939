//! What a schedule is, and how its times follow from the order of its messages.

use super::grid::Link;
use crate::quantity::Time;

/// A message from one cluster to another. Times count from when the root has the message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// The number of the cluster that sends.
    pub from: usize,
    /// The number of the cluster that receives.
    pub to: usize,
    /// When the sender begins.
    pub start: Time,
    /// When the port of the sender is free again: a gap later.
    pub sender_free: Time,
    /// When the receiver has the whole message: a gap and a latency later.
    pub arrival: Time,
}

/// From when to when something lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its start.
    pub start: Time,
    /// Its end.
    pub end: Time,
}

/// All messages between clusters, and the local operations that follow them.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The messages. Those of a heuristic are in the order in which it chose them, and others in the order of
    /// their starts.
    pub transfers: Vec<Transfer>,
    /// The local operation of each cluster. It begins when the cluster has sent its last message.
    pub inside: Vec<Span>,
    /// When the last cluster has the message.
    pub last_arrival: Time,
    /// When the last local operation ends.
    pub completion: Time,
}

/// A schedule in the making.
pub(super) struct Timeline {
    transfers: Vec<Transfer>,
    /// For each cluster that has the message, when its port is free.
    ready: Vec<Option<Time>>,
}

impl Timeline {
    pub(super) fn new(clusters: usize, root: usize) -> Timeline {
        let mut ready = vec![None; clusters];
        ready[root] = Some(Time::ZERO);
        Timeline { transfers: Vec::with_capacity(clusters - 1), ready }
    }

    /// When the port of a cluster is free that has the message.
    pub(super) fn ready(&self, cluster: usize) -> Option<Time> {
        self.ready[cluster]
    }

    /// Sends the message as soon as the sender can.
    ///
    /// # Panics
    /// If the sender does not have the message.
    pub(super) fn send(&mut self, from: usize, to: usize, link: Link) {
        let start = self.ready[from].expect("only clusters that have the message send it");
        let sender_free = start + link.gap;
        let arrival = sender_free + link.latency;
        self.ready[from] = Some(sender_free);
        self.ready[to] = Some(arrival);
        self.transfers.push(Transfer { from, to, start, sender_free, arrival });
    }

    /// Puts the messages into the order of their starts.
    pub(super) fn sort(&mut self) {
        self.transfers.sort_by(|one, other| {
            let ends = |transfer: &Transfer| (transfer.from, transfer.to);
            one.start.total_cmp(&other.start).then_with(|| ends(one).cmp(&ends(other)))
        });
    }

    /// The schedule, when every cluster has the message.
    pub(super) fn finished(self, inside: impl IntoIterator<Item = Time>) -> Schedule {
        let span = |(ready, inside): (Option<Time>, Time)| {
            let start = ready.expect("every cluster has the message at the end");
            Span { start, end: start + inside }
        };
        let inside: Vec<Span> = self.ready.into_iter().zip(inside).map(span).collect();
        let last = |times: &mut dyn Iterator<Item = Time>| times.fold(Time::ZERO, Time::max);
        let last_arrival = last(&mut self.transfers.iter().map(|transfer| transfer.arrival));
        let completion = last(&mut inside.iter().map(|span| span.end));
        Schedule { transfers: self.transfers, inside, last_arrival, completion }
    }
}
