//! How the states of a list are divided among threads.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Worth;
use super::chunks::{Chunks, Way};
use super::division::{chunks_of_levels, chunks_of_strips, cuts, level_ends, shares};
use crate::limits::{Stopped, Watch};
use crate::operator::transposed::Context;
use crate::operator::transposed::levels::STRIPS;
use crate::operator::transposed::triangles::{Cut, Lists};
use crate::team::{Member, SharedNumbers, share, start_of};

/// Chunks of states, which do not depend on the number of threads, and how threads share them.
pub(in crate::operator::transposed) struct Schedule {
    /// Where chunks begin, and where the last one ends.
    cuts: Vec<Cut>,
    /// How threads share sweeps, if they do.
    sweeps: Option<Box<Chunks>>,
    /// The first chunk of each thread in products, and the number of all chunks.
    shares: Vec<usize>,
    /// Numbers of all states, while threads work with them.
    numbers: Mutex<Numbers>,
}

/// Numbers of all states before a sweep or a product and, if it has been needed, after it.
pub(super) struct Numbers {
    pub(super) before: SharedNumbers,
    pub(super) after: SharedNumbers,
}

impl Schedule {
    /// For so many threads. These share sweeps where that is worth it.
    pub(super) fn new(
        lists: Lists<'_>,
        threads: usize,
        worth: Worth,
        watch: &mut Watch<'_>,
    ) -> Result<Schedule, Stopped> {
        let states = lists[0].0.len();
        let ends = level_ends(lists, watch)?;
        let (chunk_ends, levels) = match states / ends.len() >= worth.level {
            true => chunks_of_levels(&ends),
            false => (chunks_of_strips(states), Vec::new()),
        };
        let cuts = cuts(lists, &chunk_ends);
        watch.prepare()?;
        let mut sweeps = None;
        if threads > 1 {
            let own = |thread| match &levels[..] {
                [] => strips_of(chunk_ends.len(), thread, threads),
                levels => levels_of(levels, thread, threads),
            };
            let chunks = Chunks::of(lists, &cuts, (0..threads).map(own).collect());
            sweeps = (chunks.gain(&cuts) >= worth.gain).then(|| Box::new(chunks));
        }
        let shares = shares(&cuts, threads);
        let before = SharedNumbers::zeros(if threads > 1 { states } else { 0 });
        let numbers = Mutex::new(Numbers { before, after: SharedNumbers::default() });
        Ok(Schedule { cuts, sweeps, shares, numbers })
    }

    pub(in crate::operator::transposed) fn threads(&self) -> usize {
        self.shares.len() - 1
    }

    /// Whether threads share sweeps.
    pub(in crate::operator::transposed) fn shares_sweeps(&self) -> bool {
        self.sweeps.is_some()
    }

    /// The number of chunks.
    pub(super) fn chunks(&self) -> usize {
        self.cuts.len() - 1
    }

    /// Where chunks end.
    pub(in crate::operator::transposed) fn chunk_ends(&self) -> Vec<usize> {
        self.cuts[1..].iter().map(|cut| cut.state).collect()
    }

    /// Where a chunk begins.
    pub(super) fn cut(&self, chunk: usize) -> Cut {
        self.cuts[chunk]
    }

    /// The states of some chunks.
    pub(in crate::operator::transposed) fn states_of(&self, chunks: Range<usize>) -> Range<usize> {
        self.cuts[chunks.start].state..self.cuts[chunks.end].state
    }

    /// The states of a thread in products, and where they begin.
    pub(in crate::operator::transposed) fn states_in(&self, thread: usize) -> (Range<usize>, Cut) {
        let chunks = self.chunks_of(thread);
        (self.states_of(chunks.clone()), self.cut(chunks.start))
    }

    /// The chunks of a thread in products.
    pub(super) fn chunks_of(&self, thread: usize) -> Range<usize> {
        self.shares[thread]..self.shares[thread + 1]
    }

    /// For each thread its chunks in products, and its part of a vector.
    pub(in crate::operator::transposed) fn parts<'x>(
        &self,
        mut x: &'x mut [f64],
    ) -> Vec<(Range<usize>, &'x mut [f64])> {
        let mut parts = Vec::with_capacity(self.threads());
        for thread in 0..self.threads() {
            let chunks = self.chunks_of(thread);
            let (own, rest) = x.split_at_mut(self.states_of(chunks.clone()).len());
            parts.push((chunks, own));
            x = rest;
        }
        parts
    }

    /// Numbers of all states; nobody else has them meanwhile.
    pub(super) fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The chunks of a thread in sweeps, as ranges of chunks.
    pub(super) fn own_in_sweeps(&self, thread: usize) -> impl Iterator<Item = Range<usize>> {
        self.sweeps.iter().flat_map(move |chunks| chunks.own(thread))
    }

    /// How long a pass takes by one thread and by all of them, counted in entries.
    #[cfg(test)]
    pub(super) fn count(&self) -> [usize; 2] {
        let whole = self.cuts[self.chunks()];
        let whole = whole.earlier + super::division::OF_STATE * whole.state;
        self.sweeps.as_ref().map_or([whole; 2], |chunks| chunks.count(&self.cuts))
    }

    /// For each chunk the thread to which it belongs in sweeps.
    pub(super) fn threads_of_chunks(&self) -> Vec<usize> {
        let mut threads = vec![0; self.chunks()];
        for thread in 0..self.threads() {
            self.own_in_sweeps(thread).for_each(|chunks| threads[chunks].fill(thread));
        }
        threads
    }

    /// Does something with the chunks of a thread, each when what comes before it is done. At the end, all
    /// threads have done their chunks.
    pub(super) fn for_each(&self, member: Member<'_>, context: &Context<'_>, of_chunk: impl FnMut(usize)) {
        self.pass(member, Way::Forth, context, of_chunk);
    }

    /// The same from the last chunk to the first.
    pub(super) fn for_each_backwards(
        &self,
        member: Member<'_>,
        context: &Context<'_>,
        of_chunk: impl FnMut(usize),
    ) {
        self.pass(member, Way::Back, context, of_chunk);
    }

    fn pass(&self, member: Member<'_>, way: Way, context: &Context<'_>, mut of_chunk: impl FnMut(usize)) {
        // Whoever stops tells all the same that all is done, and comes to the barrier.
        let of_chunk = |chunk: usize| {
            if !context.stop.is_due() {
                of_chunk(chunk);
            }
        };
        if let Some(chunks) = &self.sweeps {
            chunks.pass(member, way, of_chunk);
        }
    }
}

/// The chunks of a thread's share of each level.
fn levels_of(ends: &[usize], thread: usize, threads: usize) -> Vec<u32> {
    let of_level = |level: usize| {
        let start = start_of(level, ends);
        share(ends[level] - start, thread, threads).map(move |chunk| (start + chunk) as u32)
    };
    (0..ends.len()).flat_map(of_level).collect()
}

/// The chunks of the strips of a thread. Threads take them in turn.
fn strips_of(chunks: usize, thread: usize, threads: usize) -> Vec<u32> {
    let in_strip = (chunks / STRIPS) as u32;
    (thread as u32..STRIPS as u32)
        .step_by(threads)
        .flat_map(|strip| strip * in_strip..(strip + 1) * in_strip)
        .collect()
}
