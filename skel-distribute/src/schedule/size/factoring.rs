//! Factoring: batches of equal chunks (S. F. Hummel, E. Schonberg and L. E. Flynn, *Factoring: a method for
//! scheduling parallel loops*, Communications of the ACM 35(8), 1992).

use super::doubled_ceiling;

/// Where the chunk of a batch comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// `ceil(R/2P)` with what is left when the batch begins.
    HalfOfRest,
    /// Half of the last batch's chunk, rounded up.
    HalfOfLast,
    /// `ceil(N/P 2^-(b+1))` in batch b.
    ByFormula,
}

/// A batch is one request of each machine, whichever asks.
#[derive(Clone, Debug)]
pub(in crate::schedule) struct Factoring {
    base: Base,
    items: u64,
    machines: u64,
    /// How many requests of the batch are still to come, and its chunk.
    requests: u64,
    chunk: u64,
    /// How many batches have begun.
    batches: u32,
}

impl Factoring {
    pub(super) fn new(base: Base, items: u64, machines: u64) -> Factoring {
        Factoring { base, items, machines, requests: 0, chunk: 0, batches: 0 }
    }

    pub(super) fn next(&mut self, left: u64) -> u64 {
        if self.requests == 0 {
            self.chunk = self.chunk_of_batch(left).max(1);
            self.requests = self.machines;
            self.batches += 1;
        }
        self.requests -= 1;
        self.chunk
    }

    fn chunk_of_batch(&self, left: u64) -> u64 {
        match self.base {
            Base::HalfOfRest => doubled_ceiling(left, self.machines),
            Base::HalfOfLast if self.batches > 0 => self.chunk.div_ceil(2),
            Base::HalfOfLast => doubled_ceiling(self.items, self.machines),
            Base::ByFormula => {
                let parts = u128::from(self.machines) << (self.batches + 1).min(63);
                u64::try_from(u128::from(self.items).div_ceil(parts)).unwrap_or(u64::MAX)
            }
        }
    }
}
