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

#[cfg(test)]
mod tests {
    use super::*;

    /// The team took an item at 100, which was complete at 150 and handed over at 170; from 200 on it serves
    /// the next.
    #[test]
    fn what_a_worker_waited_for_follows_from_the_moments_of_its_team() {
        let moments = |taken, completed, given| Moments {
            taken: AtomicU64::new(taken),
            completed: AtomicU64::new(completed),
            given: AtomicU64::new(given),
        };
        let parts =
            |(idle, what): (Idle, For)| ([idle.awaiting, idle.blocked, idle.starved, idle.overhead], what);
        // Its part was done at 120. It waits for the others, then for room, then for the next item, and
        // begins with that at 210.
        assert_eq!(parts(moments(100, 0, 0).idle(120, 130)), ([10, 0, 0, 0], For::Others));
        assert_eq!(parts(moments(100, 150, 0).idle(120, 160)), ([30, 10, 0, 0], For::Room));
        assert_eq!(parts(moments(100, 150, 170).idle(120, 190)), ([30, 20, 20, 0], For::Items));
        assert_eq!(parts(moments(200, 150, 170).idle(120, 210)), ([30, 20, 30, 10], For::Items));
        // A worker that is late with an item that is complete is blocked or starved at once.
        assert_eq!(parts(moments(100, 150, 0).idle(155, 160)), ([0, 5, 0, 0], For::Room));
        assert_eq!(parts(moments(200, 150, 170).idle(180, 210)), ([0, 0, 20, 10], For::Items));
        // Before the first item a worker is starved.
        assert_eq!(parts(moments(0, 0, 0).idle(5, 25)), ([0, 0, 20, 0], For::Items));
    }
}
