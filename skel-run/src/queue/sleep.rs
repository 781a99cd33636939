//! How a thread sleeps until a condition holds that another thread brings about, and how that thread wakes
//! it.
//!
//! The condition is about numbers that the other thread writes: the indices of a ring. The sleeper says that
//! it sleeps and looks at the condition once more. The waker changes the numbers and looks whether somebody
//! sleeps. Each of them has a sequentially consistent fence between its write and its read, so at least one
//! of them sees what the other wrote, and no wake-up is lost (this is Dekker's algorithm). The tests under
//! `--cfg loom` try every schedule.

use std::time::{Duration, Instant};

use crate::sync::Mutex;
use crate::sync::parking::{AtomicBool, Ordering, Thread, current, fence, park, spin_loop, yield_now};

/// How often a thread looks at its condition before it lets others run. More looks cost more than they save:
/// 64 took 80 ns of CPU for an item through a ring of 64 places, 16 took 50.
const LOOKS: usize = if cfg!(all(test, loom)) { 0 } else { 16 };

/// How often it lets others run before it sleeps. To sleep at once took twice as long, since to sleep and to
/// wake are calls of the system for both threads.
const YIELDS: usize = if cfg!(all(test, loom)) { 0 } else { 4 };

/// After a wait that lasted so long the next one sleeps at once: waits are long here, and to look and to
/// yield costs more than it saves. In a pipe that waits for an item every 10 ms it was half of what a thread
/// took.
const LONG: Duration = Duration::from_millis(1);

/// The place where the thread at one end of a queue sleeps.
#[derive(Debug)]
pub(super) struct Sleeper {
    sleeps: AtomicBool,
    /// The thread that slept here last. It is written before `sleeps` is set, and read by whoever unsets
    /// `sleeps`.
    thread: Mutex<Option<Thread>>,
    /// Whether the last wait was a long one. Only the thread that sleeps here uses it.
    was_long: AtomicBool,
}

impl Sleeper {
    /// Nobody sleeps.
    pub(super) fn new() -> Self {
        Sleeper { sleeps: AtomicBool::new(false), thread: Mutex::new(None), was_long: AtomicBool::new(false) }
    }

    /// Waits until the condition holds. Whoever makes it hold calls [`wake_if`](Self::wake_if) afterwards.
    pub(super) fn wait_until(&self, holds: impl Fn() -> bool) {
        let is_patient = !self.was_long.load(Ordering::Relaxed);
        if is_patient && Sleeper::stays_awake_until(&holds) {
            return;
        }
        let began = Instant::now();
        self.sleep_until(holds);
        self.was_long.store(began.elapsed() > LONG, Ordering::Relaxed);
    }

    /// Looks a few times. Whether the condition holds.
    fn stays_awake_until(holds: impl Fn() -> bool) -> bool {
        for _ in 0..LOOKS {
            if holds() {
                return true;
            }
            spin_loop();
        }
        for _ in 0..YIELDS {
            yield_now();
            if holds() {
                return true;
            }
        }
        false
    }

    fn sleep_until(&self, holds: impl Fn() -> bool) {
        *self.thread.lock().expect("no thread panics while it holds this lock") = Some(current());
        loop {
            self.sleeps.swap(true, Ordering::AcqRel);
            fence(Ordering::SeqCst);
            if holds() {
                self.sleeps.swap(false, Ordering::AcqRel);
                return;
            }
            park();
        }
    }

    /// Wakes the thread that sleeps here, if there is one and it should wake. The caller has written what its
    /// condition reads; `should` is called only if a thread sleeps, and sees all that this thread wrote
    /// before.
    #[inline]
    pub(super) fn wake_if(&self, should: impl FnOnce() -> bool) {
        fence(Ordering::SeqCst);
        if self.sleeps.load(Ordering::Acquire) && should() {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        if self.sleeps.swap(false, Ordering::AcqRel) {
            let thread = self.thread.lock().expect("no thread panics while it holds this lock").clone();
            thread.expect("a thread leaves its handle before it sleeps").unpark();
        }
    }
}
