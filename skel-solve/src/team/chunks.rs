//! Vectors in chunks, which the threads of a team share.
//!
//! Chunks do not depend on the number of threads. What is added up over a vector is added up within each
//! chunk, and then chunk by chunk, so that it has the same bits whoever did which chunk.

use std::ops::Range;
use std::sync::RwLock;

use super::{Member, SharedNumbers};

/// The elements of a chunk. A few vectors of this length fit into the second-level cache.
pub(crate) const CHUNK: usize = 1 << 12;

/// Where the chunks of a vector end.
pub(crate) fn chunk_ends(count: usize) -> Vec<usize> {
    (0..count).step_by(CHUNK).map(|start| count.min(start + CHUNK)).collect()
}

/// The range of a chunk.
pub(crate) fn range_of(chunk: usize, ends: &[usize]) -> Range<usize> {
    start_of(chunk, ends)..ends[chunk]
}

/// Where a chunk starts.
pub(crate) fn start_of(chunk: usize, ends: &[usize]) -> usize {
    if chunk == 0 { 0 } else { ends[chunk - 1] }
}

/// A chunk of a vector. The lock tells the compiler that nobody writes what another thread reads; nobody ever
/// waits for it.
pub(crate) type Chunk<'x> = RwLock<&'x mut [f64]>;

/// The chunks of a vector that end at some places.
pub(crate) fn in_chunks<'x>(mut x: &'x mut [f64], ends: &[usize]) -> Vec<Chunk<'x>> {
    let mut start = 0;
    let mut chunks = Vec::with_capacity(ends.len());
    for &end in ends {
        let (own, others) = x.split_at_mut(end - start);
        chunks.push(RwLock::new(own));
        (x, start) = (others, end);
    }
    chunks
}

/// Two numbers for each chunk: those of this round, and those of the round before, which somebody may still
/// be reading.
pub(crate) struct ChunkNumbers([SharedNumbers; 2]);

impl ChunkNumbers {
    /// For so many chunks.
    pub(crate) fn new(chunks: usize) -> ChunkNumbers {
        ChunkNumbers([SharedNumbers::zeros(2 * chunks), SharedNumbers::zeros(2 * chunks)])
    }
}

/// A thread's view of what is added up over all chunks.
pub(crate) struct Totals<'t> {
    member: Member<'t>,
    numbers: &'t ChunkNumbers,
    round: usize,
}

impl<'t> Totals<'t> {
    pub(crate) fn new(member: Member<'t>, numbers: &'t ChunkNumbers) -> Totals<'t> {
        Totals { member, numbers, round: 0 }
    }

    /// Sets the numbers of a chunk.
    pub(crate) fn set(&self, chunk: usize, [first, second]: [f64; 2]) {
        let numbers = &self.numbers.0[self.round % 2];
        numbers.set(2 * chunk, first);
        numbers.set(2 * chunk + 1, second);
    }

    /// Waits until all threads have set the numbers of their chunks, and makes one of them all, chunk by
    /// chunk.
    pub(crate) fn fold(&mut self, add: impl Fn([f64; 2], [f64; 2]) -> [f64; 2]) -> [f64; 2] {
        self.member.meet();
        let numbers = &self.numbers.0[self.round % 2];
        self.round += 1;
        let of_chunk = |chunk: usize| [numbers.get(2 * chunk), numbers.get(2 * chunk + 1)];
        (0..numbers.len() / 2).map(of_chunk).fold([0.0; 2], add)
    }
}
