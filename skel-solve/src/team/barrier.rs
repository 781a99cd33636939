//! A barrier at which threads wait for one another, or for one of them to have come so far: for a moment they
//! look whether that is so, and then they sleep.
//!
//! Between two waits there may be a few microseconds of work, so that going to sleep each time would take
//! longer than the work. But where a processor has other things to do as well, looking on would keep it from
//! them. A barrier is used round after round: the last thread to come lets the others go. The tests under
//! `--cfg loom` try every schedule.

use std::sync::PoisonError;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

#[cfg(all(test, loom))]
use loom::sync::{
    Condvar, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering, fence},
};
#[cfg(not(all(test, loom)))]
use std::sync::{
    Condvar, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering, fence},
};

/// How often a thread looks before it sleeps: for some fifty microseconds, which is about what it takes to
/// wake one.
const LOOKS: usize = if cfg!(all(test, loom)) { 0 } else { 2500 };

/// After so many looks, it takes the time.
const MOMENT: usize = 100;

pub(crate) struct Barrier {
    arrived: AtomicUsize,
    /// How often it was opened.
    round: AtomicUsize,
    of_threads: Vec<OfThread>,
    /// Whether a thread ended without coming to all barriers.
    is_broken: AtomicBool,
    /// How many threads sleep, or are about to.
    asleep: AtomicUsize,
    bed: Mutex<()>,
    wake: Condvar,
}

/// What is known of a thread, in a line of the cache that no other thread writes to.
#[derive(Default)]
#[repr(align(128))]
struct OfThread {
    /// How far it has told that it has come.
    told: AtomicUsize,
    /// For how many nanoseconds it has waited.
    waited: AtomicU64,
}

impl Barrier {
    pub(crate) fn new(threads: usize) -> Barrier {
        Barrier {
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            of_threads: (0..threads).map(|_| OfThread::default()).collect(),
            is_broken: AtomicBool::new(false),
            asleep: AtomicUsize::new(0),
            bed: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Lets a thread wait until all threads have come here. What they wrote before can then be read.
    ///
    /// # Panics
    /// Another thread panicked.
    pub(crate) fn wait(&self, own: usize) {
        if self.of_threads.len() == 1 {
            return;
        }
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.of_threads.len() {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.store(round + 1, Ordering::Release);
            return self.wake_all();
        }
        self.wait_until(own, || self.round.load(Ordering::Acquire) != round);
    }

    /// Tells the others how far a thread has come.
    pub(crate) fn tell(&self, thread: usize, how_far: usize) {
        self.of_threads[thread].told.store(how_far, Ordering::Release);
        self.wake_all();
    }

    /// How far a thread has told that it has come.
    pub(crate) fn told(&self, thread: usize) -> usize {
        self.of_threads[thread].told.load(Ordering::Acquire)
    }

    /// Lets a thread wait until another one has told that it has come so far. What it wrote before can then
    /// be read.
    ///
    /// # Panics
    /// Another thread panicked.
    pub(crate) fn wait_for(&self, own: usize, thread: usize, how_far: usize) {
        self.wait_until(own, || self.told(thread) >= how_far);
    }

    /// How long a thread has waited, but for moments.
    pub(crate) fn waited(&self, thread: usize) -> Duration {
        Duration::from_nanos(self.of_threads[thread].waited.load(Ordering::Relaxed))
    }

    fn wait_until(&self, own: usize, is_over: impl Fn() -> bool) {
        let is_over = || is_over() || self.is_broken.load(Ordering::Acquire);
        let mut looks = 0;
        while looks < MOMENT.min(LOOKS) && !is_over() {
            std::hint::spin_loop();
            looks += 1;
        }
        if !is_over() {
            let began = Instant::now();
            self.wait_longer(LOOKS - looks, is_over);
            let waited = began.elapsed().as_nanos() as u64;
            self.of_threads[own].waited.fetch_add(waited, Ordering::Relaxed);
        }
        assert!(!self.is_broken.load(Ordering::Relaxed), "another thread of the team panicked");
    }

    /// Looks on so many times, and then sleeps.
    fn wait_longer(&self, looks: usize, is_over: impl Fn() -> bool) {
        for _ in 0..looks {
            if is_over() {
                return;
            }
            std::hint::spin_loop();
        }
        self.sleep_until(&is_over);
    }

    /// Who goes to sleep says so before it looks for the last time, and who wakes changes something before it
    /// looks for sleepers. So one of the two sees the other, and nobody sleeps through it.
    fn sleep_until(&self, is_over: &impl Fn() -> bool) {
        let mut bed = self.bed.lock().unwrap_or_else(PoisonError::into_inner);
        self.asleep.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        while !is_over() {
            bed = self.wake.wait(bed).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.fetch_sub(1, Ordering::Relaxed);
    }

    fn wake_all(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed) > 0 {
            drop(self.bed.lock().unwrap_or_else(PoisonError::into_inner));
            self.wake.notify_all();
        }
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
            barrier.wake_all();
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
                    barrier.wait(thread);
                    written.iter().for_each(|other| assert_eq!(other.load(Ordering::Relaxed), round));
                    barrier.wait(thread);
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

    /// Each thread reads what the other one wrote before it told so, and both sleep whenever they can.
    #[test]
    fn who_waits_for_a_thread_sees_what_that_wrote() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let shared = Arc::new((Barrier::new(2), [AtomicUsize::new(0), AtomicUsize::new(0)]));
            let work = |own: usize, (barrier, written): &(Barrier, [AtomicUsize; 2])| {
                for step in 1..=2 {
                    written[own].store(step, Ordering::Relaxed);
                    barrier.tell(own, step);
                    barrier.wait_for(own, 1 - own, step);
                    assert!(written[1 - own].load(Ordering::Relaxed) >= step);
                }
            };
            let other = Arc::clone(&shared);
            let other = loom::thread::spawn(move || work(1, &other));
            work(0, &shared);
            other.join().expect("it ends");
        });
    }

    /// A thread that panics lets the other one go.
    #[test]
    fn nobody_waits_for_the_broken() {
        let waits: [fn(&Barrier); 2] = [|barrier| barrier.wait(0), |barrier| barrier.wait_for(0, 1, 1)];
        for wait in waits {
            loom::model(move || {
                let barrier = Arc::new(Barrier::new(2));
                let other = Arc::clone(&barrier);
                let other = loom::thread::spawn(move || drop(other.presence()));
                let waited = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| wait(&barrier)));
                assert!(waited.is_err());
                other.join().expect("it ends");
            });
        }
    }
}
