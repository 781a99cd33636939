//! The states that points of a sweep share: explored once for each set of states, and kept while they are
//! needed and fit.
//!
//! States are explored with the rates of the first point that has them, whichever point asks first. So it
//! makes no difference for any figure whether they were kept.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use crate::error::Error;
use crate::space::StateSpace;

use super::order::Order;

/// The spaces of a sweep, by the number of the set of states.
pub(super) struct Spaces {
    slots: Vec<Mutex<Slot>>,
    first_points: Vec<usize>,
    kept: AtomicU64,
    /// The most bytes that are kept.
    room: u64,
}

/// One set of states.
#[derive(Default)]
struct Slot {
    explored: Option<Result<StateSpace, Error>>,
    /// How many points that have these states are not solved yet.
    points_left: usize,
}

impl Spaces {
    /// For the points of a sweep; no more than `room` bytes are kept.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(order: &Order, room: u64) -> Spaces {
        let mut points_left = vec![0; order.sets_of_states()];
        let mut first_points = vec![0; points_left.len()];
        for point in (0..order.points()).rev() {
            let number = order.states_of(point);
            points_left[number] += 1;
            first_points[number] = point;
        }
        let slot = |points_left| Mutex::new(Slot { explored: None, points_left });
        let slots = points_left.into_iter().map(slot).collect();
        Spaces { slots, first_points, kept: AtomicU64::new(0), room }
    }

    /// The first point that has these states.
    pub(super) fn first_point(&self, number: usize) -> usize {
        self.first_points[number]
    }

    fn slot(&self, number: usize) -> MutexGuard<'_, Slot> {
        self.slots[number].lock().expect("no thread panics while it explores")
    }

    /// A space, explored now unless it was before. A thread that asks while another explores the same states
    /// waits for it.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn get(
        &self,
        number: usize,
        explore: &dyn Fn() -> Result<StateSpace, Error>,
    ) -> Result<StateSpace, Error> {
        let mut slot = self.slot(number);
        if let Some(explored) = &slot.explored {
            return explored.clone();
        }
        let explored = explore();
        let bytes = explored.as_ref().map_or(0, StateSpace::memory);
        let is_needed = slot.points_left > 1;
        if is_needed && self.kept.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.room {
            slot.explored = Some(explored.clone());
        } else if is_needed {
            self.kept.fetch_sub(bytes, Ordering::Relaxed);
        }
        explored
    }

    /// Says that one more point with these states is done. Behind the last one the space is dropped.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn point_is_done(&self, number: usize) {
        let mut slot = self.slot(number);
        slot.points_left -= 1;
        if slot.points_left == 0
            && let Some(explored) = slot.explored.take()
        {
            self.kept.fetch_sub(explored.map_or(0, |space| space.memory()), Ordering::Relaxed);
        }
    }
}
