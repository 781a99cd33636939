//! A barrier at which threads wait for one another: for a moment they look whether the others have come, and then they sleep.
//!
//! Between two barriers there may be a few microseconds of work, so that going to sleep at each would take longer than the work.
//! But where a processor has other things to do as well, looking on would keep it from them. The last thread to come opens the
//! barrier for the round. It counts those who sleep under a lock, which everybody takes before going to sleep, so that nobody
//! sleeps through it. The tests under `--cfg loom` try every schedule.

use std::sync::PoisonError;

#[cfg(all(test, loom))]
use loom::sync::{
    Condvar, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
#[cfg(not(all(test, loom)))]
use std::sync::{
    Condvar, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// How often a thread looks before it sleeps: for some ten microseconds.
const LOOKS: usize = if cfg!(all(test, loom)) { 0 } else { 500 };

pub(crate) struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    /// How often it was opened.
    round: AtomicUsize,
    /// Whether a thread ended without coming to all barriers.
    is_broken: AtomicBool,
    /// How many threads sleep.
    asleep: Mutex<usize>,
    wake: Condvar,
}

impl Barrier {
    pub(crate) fn new(threads: usize) -> Barrier {
        Barrier {
            threads,
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            is_broken: AtomicBool::new(false),
            asleep: Mutex::new(0),
            wake: Condvar::new(),
        }
    }

    /// Waits until all threads have come here. What they wrote before can then be read.
    ///
    /// # Panics
    /// Another thread panicked.
    pub(crate) fn wait(&self) {
        if self.threads == 1 {
            return;
        }
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            return self.open(round + 1);
        }
        let mut looks = 0;
        while self.is_closed(round) && looks < LOOKS {
            std::hint::spin_loop();
            looks += 1;
        }
        if self.is_closed(round) {
            self.sleep(round);
        }
        assert!(!self.is_broken.load(Ordering::Relaxed), "another thread of the team panicked");
    }

    fn is_closed(&self, round: usize) -> bool {
        self.round.load(Ordering::Acquire) == round && !self.is_broken.load(Ordering::Acquire)
    }

    fn open(&self, round: usize) {
        let asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.round.store(round, Ordering::Release);
        if *asleep > 0 {
            self.wake.notify_all();
        }
    }

    fn sleep(&self, round: usize) {
        let mut asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        *asleep += 1;
        while self.is_closed(round) {
            asleep = self.wake.wait(asleep).unwrap_or_else(PoisonError::into_inner);
        }
        *asleep -= 1;
    }

    /// Says that a thread will come to all barriers, unless it panics before the [`Presence::end`].
    pub(crate) fn presence(&self) -> Presence<'_> {
        Presence(Some(self))
    }
}

/// A thread that comes to all barriers.
pub(crate) struct Presence<'b>(Option<&'b Barrier>);

impl Presence<'_> {
    pub(crate) fn end(mut self) {
        self.0 = None;
    }
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        if let Some(barrier) = self.0 {
            barrier.is_broken.store(true, Ordering::Release);
            barrier.open(barrier.round.load(Ordering::Relaxed));
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::team::{Member, SharedNumbers, share, together};

    #[test]
    fn nobody_is_a_round_ahead() {
        for threads in [1, 2, 3, 8] {
            let numbers = SharedNumbers::zeros(threads);
            together((0..threads).collect(), |thread, member| {
                for round in 1..200_u32 {
                    numbers.set(thread, f64::from(round));
                    member.meet();
                    (0..threads).for_each(|other| assert_eq!(numbers.get(other), f64::from(round)));
                    member.meet();
                }
            });
        }
        assert_eq!((0..3).map(|thread| share(10, thread, 3)).collect::<Vec<_>>(), [0..3, 3..6, 6..10]);
    }

    #[test]
    fn a_panic_ends_all_threads() {
        for who in 0..3 {
            let outcome = std::panic::catch_unwind(|| {
                together(vec![0, 1, 2], |thread: usize, member: Member<'_>| {
                    member.meet();
                    assert!(thread != who, "this one");
                    member.meet();
                    member.meet();
                });
            });
            assert!(outcome.is_err());
        }
    }
}

#[cfg(all(test, loom))]
mod schedules {
    use super::Barrier;
    use loom::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    fn explore(threads: usize, rounds: usize) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let barrier = Arc::new(Barrier::new(threads));
            let written: Arc<Vec<AtomicUsize>> =
                Arc::new((0..threads).map(|_| AtomicUsize::new(0)).collect());
            let work = move |thread: usize, barrier: &Barrier, written: &[AtomicUsize]| {
                for round in 1..=rounds {
                    written[thread].store(round, Ordering::Relaxed);
                    barrier.wait();
                    written.iter().for_each(|other| assert_eq!(other.load(Ordering::Relaxed), round));
                    barrier.wait();
                }
            };
            let others: Vec<_> = (1..threads)
                .map(|thread| {
                    let (barrier, written) = (Arc::clone(&barrier), Arc::clone(&written));
                    loom::thread::spawn(move || work(thread, &barrier, &written))
                })
                .collect();
            work(0, &barrier, &written);
            others.into_iter().for_each(|other| other.join().expect("it ends"));
        });
    }

    #[test]
    fn two_threads_see_what_the_other_wrote() {
        explore(2, 2);
    }

    #[test]
    fn three_threads_see_what_the_others_wrote() {
        explore(3, 1);
    }

    /// A thread that panics lets the other one go.
    #[test]
    fn nobody_waits_for_the_broken() {
        loom::model(|| {
            let barrier = Arc::new(Barrier::new(2));
            let other = Arc::clone(&barrier);
            let other = loom::thread::spawn(move || drop(other.presence()));
            let waited = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| barrier.wait()));
            assert!(waited.is_err());
            other.join().expect("it ends");
        });
    }
}
