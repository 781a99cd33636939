//! Whose turn it is: the order in which the replicas of a deal give and take.

use std::collections::VecDeque;

use crate::sync::{AtomicU64, Mutex, Ordering, lock};

/// When the members of a deal change: both its sides have to change at the same parcel.
///
/// The side that hands out decides, and writes it down before it hands out that parcel. The other side reads
/// it at each parcel: before it waits, and again when it has the parcel, since the decision may have been
/// taken meanwhile. The one whose turn it is keeps it as long as it is a member. So if the parcel came from
/// there, that was right in either case. If it left, its queue ends, which wakes the other side.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// How many changes there have been.
    changes: AtomicU64,
    pending: Mutex<VecDeque<Change>>,
}

#[derive(Debug)]
struct Change {
    /// From the parcel of this number on, counted by the deal.
    from: u64,
    members: Vec<u32>,
}

impl Schedule {
    /// No change yet.
    pub(crate) fn new() -> Self {
        Schedule { changes: AtomicU64::new(0), pending: Mutex::default() }
    }

    fn change(&self, from: u64, members: Vec<u32>) {
        lock(&self.pending).push_back(Change { from, members });
        self.changes.fetch_add(1, Ordering::Release);
    }
}

/// The members of a deal on one of its sides, and whose turn it is.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    /// In the order of their numbers.
    members: Vec<u32>,
    at: usize,
    /// How many parcels had their turn.
    count: u64,
    /// How many changes of the schedule were followed.
    seen: u64,
}

impl Turns {
    /// At the beginning.
    pub(crate) fn of(replicas: u32) -> Self {
        Turns { members: (0..replicas).collect(), at: 0, count: 0, seen: 0 }
    }

    /// Whose turn it is.
    pub(crate) fn next(&self) -> u32 {
        self.members[self.at]
    }

    /// The members, in the order of their numbers.
    pub(crate) fn members(&self) -> &[u32] {
        &self.members
    }

    /// The next one's turn.
    pub(crate) fn advance(&mut self) {
        self.at = (self.at + 1) % self.members.len();
        self.count += 1;
    }

    /// Other members from now on, as the schedule is told. They are in the order of their numbers.
    pub(crate) fn decide(&mut self, members: Vec<u32>, schedule: &Schedule) {
        schedule.change(self.count, members.clone());
        self.change(members);
    }

    /// Follows what the other side decided. Whether something changed.
    pub(crate) fn follow(&mut self, schedule: &Schedule) -> bool {
        if schedule.changes.load(Ordering::Acquire) == self.seen {
            return false;
        }
        let mut pending = lock(&schedule.pending);
        let mut has_changed = false;
        while pending.front().is_some_and(|change| change.from == self.count) {
            let Some(change) = pending.pop_front() else { break };
            self.change(change.members);
            self.seen += 1;
            has_changed = true;
        }
        has_changed
    }

    /// It stays the turn of whose it is, or comes to the one behind.
    fn change(&mut self, members: Vec<u32>) {
        let next = self.next();
        self.at = members.iter().position(|&member| member >= next).unwrap_or(0);
        self.members = members;
    }
}
