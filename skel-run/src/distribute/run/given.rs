//! A chunk in the hands of a worker.

use std::ops::Range;

use skel_distribute::Chunk;

/// A chunk, without those of its ranges that have a result by now.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) chunk: Chunk,
    /// The ranges that have a result. A worker that was slow may have come with it after they were given out
    /// again.
    pub(super) settled: Vec<Range<u64>>,
}

impl Given {
    /// What the worker works on.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.chunk.ranges().filter(|range| !self.settled.contains(range))
    }

    /// How many items that is.
    pub(super) fn items(&self) -> u64 {
        match self.settled.is_empty() {
            true => self.chunk.items(),
            false => self.ranges().map(|range| range.end - range.start).sum(),
        }
    }
}

/// What a worker has finished.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) given: Given,
    /// How long it worked, in seconds.
    pub(super) seconds: f64,
}

/// Which of the results of a chunk count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    All,
    /// For each of its ranges, whether it does.
    Some(Vec<bool>),
}
