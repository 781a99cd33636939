//! What a replica waits for; among workers that serve an item together, by the moments of their team.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Acquire;

/// What a replica waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// Items: it is starved.
    Items,
    /// Room for what it has served: it is blocked.
    Room,
    /// The other workers that serve the same item.
    Others,
}

/// When the leader took the last item, when that was complete, and when it was handed over.
#[derive(Debug, Default)]
pub struct Moments {
    pub(super) taken: AtomicU64,
    pub(super) completed: AtomicU64,
    pub(super) given: AtomicU64,
}

/// The parts of a time in which a worker did not serve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Idle {
    pub(super) starved: u64,
    pub(super) awaiting: u64,
    pub(super) blocked: u64,
    /// Between the moment at which an item was taken, and that at which the worker began with its part.
    pub(super) overhead: u64,
}

impl Moments {
    /// What a worker waited for that has not served between two moments, and what it waits for in the end.
    pub(super) fn idle(&self, since: u64, now: u64) -> (Idle, For) {
        let now = now.max(since);
        let [taken, completed, given] =
            [&self.taken, &self.completed, &self.given].map(|at| at.load(Acquire));
        let is_serving = taken > completed;
        if is_serving && since >= taken {
            return (Idle { awaiting: now - since, ..Idle::default() }, For::Others);
        }
        let complete = completed.clamp(since, now);
        let has_room = if given >= completed { given.clamp(complete, now) } else { now };
        let has_item = if is_serving { taken.clamp(has_room, now) } else { now };
        let idle = Idle {
            awaiting: complete - since,
            blocked: has_room - complete,
            starved: has_item - has_room,
            overhead: now - has_item,
        };
        (idle, if given >= completed { For::Items } else { For::Room })
    }
}
