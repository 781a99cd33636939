//! A region of a network inside of which parcels may overtake each other, and at whose end their order is
//! restored.
//!
//! A region begins where one thread at a time sends or takes parcels, and ends where one thread at a time
//! needs them in order. Inside there are at most so many parcels as its window is wide. So what waits at its
//! end for an earlier parcel is bounded.

use std::collections::VecDeque;

use crate::parcel::Parcel;
use crate::queue::Waited;
use crate::sync::{Arc, AtomicU64, AtomicUsize, Condvar, Mutex, Ordering, lock, wait};

/// A region.
#[derive(Debug)]
pub(crate) struct Region {
    /// The number of the next parcel that enters.
    next: AtomicU64,
    /// The numbers of parcels outside, by their numbers inside. None if both are the same.
    outside: Option<Mutex<Outside>>,
    /// The number of the first parcel that has not left.
    left: AtomicU64,
    window: AtomicU64,
    /// How many threads wait for room.
    waiting: AtomicUsize,
    lock: Mutex<()>,
    has_room: Condvar,
}

#[derive(Debug, Default)]
struct Outside {
    first: u64,
    numbers: VecDeque<u64>,
}

impl Region {
    /// A region for at most `window` parcels. In a `plain` one the numbers of parcels are consecutive as they
    /// come.
    pub(crate) fn new(window: u32, is_plain: bool) -> Self {
        Region {
            next: AtomicU64::new(0),
            outside: (!is_plain).then(Mutex::default),
            left: AtomicU64::new(0),
            window: AtomicU64::new(u64::from(window.max(1))),
            waiting: AtomicUsize::new(0),
            lock: Mutex::new(()),
            has_room: Condvar::new(),
        }
    }

    /// Waits until there is room for the parcel of this number, and gives it its number inside.
    pub(crate) fn enter(&self, number: &mut u64) -> Waited {
        let inside = match &self.outside {
            None => *number,
            Some(outside) => {
                let mut outside = lock(outside);
                outside.numbers.push_back(*number);
                // The lock makes the number and its place in the list one step.
                self.next.fetch_add(1, Ordering::Relaxed)
            }
        };
        *number = inside;
        self.wait_for_room(inside)
    }

    fn wait_for_room(&self, number: u64) -> Waited {
        let has_room =
            || number < self.left.load(Ordering::SeqCst).saturating_add(self.window.load(Ordering::SeqCst));
        if has_room() {
            return Waited::No;
        }
        let mut guard = lock(&self.lock);
        self.waiting.fetch_add(1, Ordering::SeqCst);
        while !has_room() {
            guard = wait(&self.has_room, guard);
        }
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        Waited::Yes
    }

    /// Parcel `number` left, and all before it: gives it its number outside.
    fn leave<T>(&self, parcel: &mut Parcel<T>) {
        if let Some(outside) = &self.outside {
            let mut outside = lock(outside);
            debug_assert_eq!(outside.first, parcel.number);
            outside.first += 1;
            parcel.number = outside.numbers.pop_front().unwrap_or(parcel.number);
        }
        self.make_room(self.left.load(Ordering::Relaxed) + 1);
    }

    /// Holds so many parcels from now on.
    pub(crate) fn resize(&self, window: u32) {
        self.window.store(u64::from(window.max(1)), Ordering::SeqCst);
        self.wake();
    }

    fn make_room(&self, left: u64) {
        self.left.store(left, Ordering::SeqCst);
        self.wake();
    }

    fn wake(&self) {
        if self.waiting.load(Ordering::SeqCst) > 0 {
            let _guard = lock(&self.lock);
            self.has_room.notify_all();
        }
    }
}

/// Restores the order of parcels at the end of a region.
#[derive(Debug)]
pub(crate) struct Reorder<T> {
    region: Arc<Region>,
    /// The number of the parcel that is next.
    next: u64,
    /// The parcels from the next one on, as far as they are there.
    held: VecDeque<Option<Parcel<T>>>,
}

impl<T> Reorder<T> {
    /// At the end of this region.
    pub(crate) fn new(region: Arc<Region>) -> Self {
        Reorder { region, next: 0, held: VecDeque::new() }
    }

    /// A parcel that came.
    pub(crate) fn hold(&mut self, parcel: Parcel<T>) {
        let place = (parcel.number - self.next) as usize;
        if place >= self.held.len() {
            self.held.resize_with(place + 1, || None);
        }
        self.held[place] = Some(parcel);
    }

    /// The next parcel, if it is there.
    pub(crate) fn next(&mut self) -> Option<Parcel<T>> {
        let mut parcel = self.held.front_mut()?.take()?;
        self.held.pop_front();
        self.next += 1;
        self.region.leave(&mut parcel);
        Some(parcel)
    }
}

/// Nobody restores the order any more: whoever waits for room need not.
impl<T> Drop for Reorder<T> {
    fn drop(&mut self) {
        self.region.make_room(u64::MAX);
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::Region;
    use crate::sync::Arc;

    #[test]
    fn a_wider_window_lets_in_who_waits() {
        let region = Arc::new(Region::new(1, true));
        let enter = |region: &Region, number: u64| {
            let mut number = number;
            region.enter(&mut number);
        };
        enter(&region, 0);
        let waits = Arc::clone(&region);
        let thread = std::thread::spawn(move || enter(&waits, 1));
        region.resize(2);
        thread.join().unwrap();
    }
}
