//! How the states of a list are divided among threads.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Worth;
use super::relay::{Relay, Way};
use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};
use crate::operator::transposed::Context;
use crate::operator::transposed::levels::{STRIPS, start_of_strip};
use crate::team::{CHUNK, Member, SharedNumbers, share, start_of};

/// Levels are divided into so many chunks, so that as many threads have equal shares; small levels into fewer, so that chunks have at least
/// so many states.
const IN_LEVEL: usize = 16;
const LEAST_CHUNK: usize = 256;

/// Chunks of strips have about so many states; but a strip has no more and no fewer of them than these.
const OF_CHUNK: usize = 512;
const MOST_IN_STRIP: usize = 32;
const LEAST_IN_STRIP: usize = 8;

/// The counts and the columns of both triangles.
pub(super) type Lists<'l> = [(&'l [u32], &'l [u32]); 2];

/// What a state costs beside its entries, in entries.
pub(super) const OF_STATE: usize = 3;

/// Chunks of states, which do not depend on the number of threads, and how threads share them.
pub(in crate::operator::transposed) struct Schedule {
    /// Where chunks begin, and where the last one ends.
    cuts: Vec<Cut>,
    /// How threads share sweeps, if they do.
    sweeps: Option<Relay>,
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

/// A state, and how many entries from earlier and from later states the states before it have.
#[derive(Clone, Copy)]
pub(in crate::operator::transposed) struct Cut {
    pub(super) state: usize,
    pub(in crate::operator::transposed) earlier: usize,
    pub(in crate::operator::transposed) later: usize,
}

impl Cut {
    /// Before the first state.
    pub(in crate::operator::transposed) const FIRST: Cut = Cut { state: 0, earlier: 0, later: 0 };
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
            let relay = Relay::find(lists, &cuts, (0..threads).map(own).collect());
            sweeps = (relay.gain(&cuts) >= worth.gain).then_some(relay);
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
        self.sweeps.iter().flat_map(move |relay| relay.own(thread))
    }

    /// How long a pass takes by one thread and by all of them, counted in entries.
    #[cfg(test)]
    pub(super) fn count(&self) -> [usize; 2] {
        let whole = self.cuts[self.chunks()];
        let whole = whole.earlier + OF_STATE * whole.state;
        self.sweeps.as_ref().map_or([whole; 2], |relay| relay.count(&self.cuts))
    }

    /// For each chunk the thread to which it belongs in sweeps.
    pub(super) fn threads_of_chunks(&self) -> Vec<usize> {
        let mut threads = vec![0; self.chunks()];
        for thread in 0..self.threads() {
            self.own_in_sweeps(thread).for_each(|chunks| threads[chunks].fill(thread));
        }
        threads
    }

    /// Does something with the chunks of a thread, each when what comes before it is done. At the end, all threads have done their chunks.
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
        if let Some(relay) = &self.sweeps {
            relay.pass(member, way, of_chunk);
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

/// Where levels end: each is as long as there is no rate between two of its states.
pub(super) fn level_ends(
    [(counts, mut columns), (others, mut sources)]: Lists<'_>,
    watch: &mut Watch<'_>,
) -> Result<Vec<usize>, Stopped> {
    let (mut ends, mut start) = (Vec::new(), 0);
    // The first state from which a rate leads to one of the level.
    let mut first_later = u32::MAX;
    for (state, (&count, &other)) in counts.iter().zip(others).enumerate() {
        if state.is_multiple_of(BETWEEN_LOOKS) {
            watch.prepare()?;
        }
        let row = columns.split_off(..count as usize).unwrap_or_default();
        let later = sources.split_off(..other as usize).unwrap_or_default();
        if state as u32 == first_later || row.iter().any(|&column| column as usize >= start) {
            ends.push(state);
            (start, first_later) = (state, u32::MAX);
        }
        first_later = later.iter().copied().fold(first_later, u32::min);
    }
    ends.push(counts.len());
    Ok(ends)
}

/// Where chunks end, and where levels end in chunks.
fn chunks_of_levels(ends: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let (mut chunks, mut levels) = (Vec::new(), Vec::with_capacity(ends.len()));
    let mut start = 0;
    for &end in ends {
        let states = end - start;
        let parts = states.div_ceil(LEAST_CHUNK).min(IN_LEVEL).max(states.div_ceil(CHUNK));
        let parts = parts.next_power_of_two().min(states);
        chunks.extend((1..=parts).map(|part| start + states * part / parts));
        levels.push(chunks.len());
        start = end;
    }
    (chunks, levels)
}

/// Where chunks end, for so many states. Each strip has as many chunks.
fn chunks_of_strips(states: usize) -> Vec<usize> {
    let in_strip = (states / STRIPS / OF_CHUNK).clamp(LEAST_IN_STRIP, MOST_IN_STRIP);
    let of_strip = |strip: usize| {
        let [start, end] = [strip, strip + 1].map(|strip| start_of_strip(strip, states));
        (1..=in_strip).map(move |chunk| start + (end - start) * chunk / in_strip)
    };
    (0..STRIPS).flat_map(of_strip).collect()
}

/// What is known of the beginnings of chunks, and of the end of the last one.
fn cuts([(earlier, _), (later, _)]: Lists<'_>, ends: &[usize]) -> Vec<Cut> {
    let entries = |counts: &[u32]| counts.iter().map(|&count| count as usize).sum::<usize>();
    let mut at = Cut::FIRST;
    let mut cuts = Vec::with_capacity(ends.len() + 1);
    cuts.push(at);
    for &end in ends {
        at = Cut {
            earlier: at.earlier + entries(&earlier[at.state..end]),
            later: at.later + entries(&later[at.state..end]),
            state: end,
        };
        cuts.push(at);
    }
    cuts
}

/// The first chunk of each thread, and the number of all, so that threads have about as many entries each.
fn shares(cuts: &[Cut], threads: usize) -> Vec<usize> {
    let work = |cut: &Cut| cut.earlier + cut.later + OF_STATE * cut.state;
    let all = cuts.last().map_or(0, work);
    let first = |thread: usize| cuts.partition_point(|cut| work(cut) * threads < all * thread);
    (0..threads).map(first).chain([cuts.len() - 1]).collect()
}
