//! Several threads that do one piece of work together, and wait for one another in between.
//!
//! Every thread has a part of its own and the same barrier. Threads are started anew for each piece, which takes some ten
//! microseconds for each, so that only long pieces are shared.

mod barrier;

use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) use barrier::Barrier;

/// Does a piece of work on as many threads as there are parts, of which the caller's is one.
pub(crate) fn together<P: Send>(parts: Vec<P>, work: impl Fn(P, &Barrier) + Sync) {
    let barrier = Barrier::new(parts.len());
    let mut parts = parts.into_iter();
    let Some(own) = parts.next() else { return };
    // Whoever panics comes to no barrier any more; and if a thread cannot be started, nobody waits for it.
    let presence = barrier.presence();
    std::thread::scope(|scope| {
        for part in parts {
            let (work, barrier) = (&work, &barrier);
            scope.spawn(move || {
                let presence = barrier.presence();
                work(part, barrier);
                presence.end();
            });
        }
        work(own, &barrier);
        presence.end();
    });
}

/// Numbers that threads read while others write to other places. A number is whole whenever it is read; a [`Barrier`] makes sure
/// that it is the right one.
#[derive(Default)]
pub(crate) struct SharedNumbers(Vec<AtomicU64>);

impl SharedNumbers {
    /// So many zeros.
    pub(crate) fn zeros(count: usize) -> SharedNumbers {
        SharedNumbers(std::iter::repeat_with(AtomicU64::default).take(count).collect())
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> f64 {
        f64::from_bits(self.0[at].load(Ordering::Relaxed))
    }

    #[inline]
    pub(crate) fn set(&self, at: usize, value: f64) {
        self.0[at].store(value.to_bits(), Ordering::Relaxed);
    }
}

/// The part of `count` things that belongs to thread `thread` of `threads`.
pub(crate) fn share(count: usize, thread: usize, threads: usize) -> std::ops::Range<usize> {
    count * thread / threads..count * (thread + 1) / threads
}
