//! Several threads that do one piece of work together, and wait for one another in between.
//!
//! Every thread has a part of its own and the same barrier. Threads are started anew for each piece, which
//! takes some ten to a hundred microseconds for each, so that only long pieces are shared: a product with
//! millions of rates, or all iterations of a method.

mod barrier;
mod chunks;
#[cfg(test)]
pub(crate) mod counted;
mod pace;
mod relay;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use barrier::Barrier;
pub(crate) use chunks::{CHUNK, Chunk, ChunkNumbers, Totals, chunk_ends, in_chunks, range_of, start_of};
pub(crate) use pace::Pace;
pub(crate) use relay::{Needs, Relay};

use crate::vector::blocks;

/// A thread of a team, and where it meets the others.
#[derive(Clone, Copy)]
pub(crate) struct Member<'t> {
    number: usize,
    /// None where there are no others.
    barrier: Option<&'t Barrier>,
}

impl Member<'_> {
    /// A thread without others.
    pub(crate) fn alone() -> Member<'static> {
        Member { number: 0, barrier: None }
    }

    pub(crate) fn number(self) -> usize {
        self.number
    }

    /// Waits until all threads have come here. What they wrote before can then be read.
    ///
    /// # Panics
    /// Another thread panicked.
    pub(crate) fn meet(self) {
        if let Some(barrier) = self.barrier {
            barrier.wait(self.number);
        }
    }

    /// Tells the others how far the thread has come.
    pub(crate) fn tell(self, how_far: usize) {
        if let Some(barrier) = self.barrier {
            barrier.tell(self.number, how_far);
        }
    }

    /// How far the thread has told that it has come; zero before it has told anything.
    pub(crate) fn told(self) -> usize {
        self.barrier.map_or(0, |barrier| barrier.told(self.number))
    }

    /// Waits until another thread has come so far. What it wrote before can then be read.
    ///
    /// # Panics
    /// Another thread panicked.
    pub(crate) fn wait_for(self, thread: usize, how_far: usize) {
        if let Some(barrier) = self.barrier {
            barrier.wait_for(self.number, thread, how_far);
        }
    }

    /// How long the thread has waited for others, but for moments.
    pub(crate) fn waited(self) -> Duration {
        self.barrier.map_or(Duration::ZERO, |barrier| barrier.waited(self.number))
    }
}

/// Does a piece of work on as many threads as there are parts, of which the caller's is one.
pub(crate) fn together<P: Send>(parts: Vec<P>, work: impl Fn(P, Member<'_>) + Sync) {
    let mut parts = parts.into_iter();
    let Some(own) = parts.next() else { return };
    led(|member| work(own, member), parts.collect(), &work);
}

/// Does a piece of work on the caller's thread and one for each part. What the caller's thread does may
/// differ: other threads need not be able to.
pub(crate) fn led<P: Send, R>(
    lead: impl FnOnce(Member<'_>) -> R,
    parts: Vec<P>,
    work: impl Fn(P, Member<'_>) + Sync,
) -> R {
    let threads = parts.len() + 1;
    let barrier = Barrier::new(threads);
    // Whoever panics comes to no barrier any more; and if a thread cannot be started, nobody waits for it.
    let presence = barrier.presence();
    std::thread::scope(|scope| {
        for (number, part) in (1..).zip(parts) {
            let (work, barrier) = (&work, &barrier);
            scope.spawn(move || {
                let presence = barrier.presence();
                work(part, Member { number, barrier: Some(barrier) });
                presence.end();
            });
        }
        let result = lead(Member { number: 0, barrier: Some(&barrier) });
        presence.end();
        result
    })
}

/// Does a piece of work on so many threads, each of which has a number; what they return, in the order of the
/// numbers.
pub(crate) fn on_each_of<R: Send>(threads: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let mut results: Vec<Option<R>> = (0..threads).map(|_| None).collect();
    together(results.iter_mut().collect(), |result: &mut Option<R>, member| {
        *result = Some(work(member.number()));
    });
    results.into_iter().flatten().collect()
}

/// Vectors that are shorter are not divided: threads would take as long to start.
const LEAST_DIVIDED: usize = 1 << 17;

/// Does a piece of work with parts of a vector, each with the number of its first element, on so many
/// threads; what they return, in order. Each part but the last consists of whole chunks, and so of whole
/// [blocks].
pub(crate) fn in_parts<T: Send, R: Send>(
    threads: usize,
    x: &mut [T],
    work: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    let threads = if x.len() < LEAST_DIVIDED { 1 } else { threads };
    let length = x.len().div_ceil(threads).next_multiple_of(CHUNK);
    std::thread::scope(|scope| {
        let (own, others) = x.split_at_mut(length.min(x.len()));
        let start = |(part, own)| {
            let work = &work;
            scope.spawn(move || work((part + 1) * length, own))
        };
        let others: Vec<_> = others.chunks_mut(length).enumerate().map(start).collect();
        let own = work(0, own);
        let of_thread = |thread: std::thread::ScopedJoinHandle<'_, R>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        std::iter::once(own).chain(others.into_iter().map(of_thread)).collect()
    })
}

/// Sums over the elements of long vectors, on so many threads. A function gives the sums over a
/// [block](blocks). These are added up in the order of the blocks, so that the result does not depend on the
/// threads.
pub(crate) fn sums<const N: usize>(
    threads: usize,
    count: usize,
    of_block: impl Fn(Range<usize>) -> [f64; N] + Sync,
) -> [f64; N] {
    let parts = in_parts(threads, &mut vec![(); count], |first, own| {
        let blocks = blocks(own.len());
        blocks.map(|block| of_block(first + block.start..first + block.end)).collect::<Vec<_>>()
    });
    parts.iter().flatten().fold([0.0; N], |sums, block| std::array::from_fn(|at| sums[at] + block[at]))
}

/// Numbers that threads read while others write to other places. A number is whole whenever it is read; a
/// [`Barrier`] makes sure that it is the right one.
#[derive(Default)]
pub(crate) struct SharedNumbers(Vec<AtomicU64>);

impl SharedNumbers {
    /// So many zeros.
    pub(crate) fn zeros(count: usize) -> SharedNumbers {
        SharedNumbers(std::iter::repeat_with(AtomicU64::default).take(count).collect())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> f64 {
        self.view().get(at)
    }

    #[inline]
    pub(crate) fn set(&self, at: usize, value: f64) {
        self.view().set(at, value);
    }

    /// The numbers as loops want them: behind one reference, which a processor keeps in a register.
    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        View(&self.0)
    }
}

/// [`SharedNumbers`] for a loop.
#[derive(Clone, Copy)]
pub(crate) struct View<'n>(&'n [AtomicU64]);

impl View<'_> {
    #[inline]
    pub(crate) fn get(self, at: usize) -> f64 {
        f64::from_bits(self.0[at].load(Ordering::Relaxed))
    }

    #[inline]
    pub(crate) fn set(self, at: usize, value: f64) {
        self.0[at].store(value.to_bits(), Ordering::Relaxed);
    }

    /// Writes numbers from a place on.
    pub(crate) fn write(self, start: usize, values: &[f64]) {
        for (at, value) in self.0[start..].iter().zip(values) {
            at.store(value.to_bits(), Ordering::Relaxed);
        }
    }

    /// Reads numbers from a place on.
    pub(crate) fn read(self, start: usize, values: &mut [f64]) {
        for (at, value) in self.0[start..].iter().zip(values) {
            *value = f64::from_bits(at.load(Ordering::Relaxed));
        }
    }
}

/// The part of `count` things that belongs to thread `thread` of `threads`.
pub(crate) fn share(count: usize, thread: usize, threads: usize) -> Range<usize> {
    count * thread / threads..count * (thread + 1) / threads
}
