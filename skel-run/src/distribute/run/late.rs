//! Ranges of workers that are slow, which were given out again: whichever result is there first counts.

use std::ops::Range;

/// The ranges of workers that were lost for being slow and may still come with their results.
///
/// A range that is given out again is a part of the one that was late, or all of it, never more: of two
/// ranges that overlap, one is inside of the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Late {
    ranges: Vec<LateRange>,
    /// Late ranges whose results came first. Parts of them may be given out still.
    settled: Vec<Range<u64>>,
}

#[derive(Clone, Debug)]
struct LateRange {
    worker: usize,
    range: Range<u64>,
    /// Whether the result of another worker for some of it counts, so that its own does not.
    is_overtaken: bool,
}

impl Late {
    /// Whether no worker was ever late.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// A worker is late with these ranges.
    pub(super) fn add(&mut self, worker: usize, ranges: impl Iterator<Item = Range<u64>>) {
        self.ranges.extend(ranges.map(|range| LateRange { worker, range, is_overtaken: false }));
    }

    /// Whether there is a result for this range already.
    pub(super) fn is_settled(&self, range: &Range<u64>) -> bool {
        self.settled.iter().any(|settled| contains(settled, range))
    }

    /// A worker has the result of a range. The answer is whether it counts; if so, no other result for any of
    /// it will.
    pub(super) fn finish(&mut self, worker: usize, range: &Range<u64>) -> bool {
        let own = self.ranges.iter().position(|late| late.worker == worker && late.range == *range);
        let is_overtaken = own.is_some_and(|own| self.ranges[own].is_overtaken);
        if is_overtaken || self.is_settled(range) {
            return false;
        }
        for late in self.ranges.iter_mut().filter(|late| overlaps(&late.range, range)) {
            late.is_overtaken = true;
        }
        if own.is_some() {
            self.settled.push(range.clone());
        }
        true
    }
}

/// Whether one range is inside of another.
pub(super) fn contains(outer: &Range<u64>, inner: &Range<u64>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Whether two ranges have an index in common.
pub(super) fn overlaps(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_result_counts() {
        let mut late = Late::default();
        late.add(0, std::iter::once(0..10));
        assert!(late.finish(1, &(20..30)), "it is of nobody else");
        assert!(late.finish(1, &(3..5)));
        assert!(!late.finish(0, &(0..10)), "some of it has a result");
        assert!(late.finish(2, &(0..3)));
        assert!(!late.is_settled(&(5..10)));
    }

    #[test]
    fn a_late_result_may_be_the_first() {
        let mut late = Late::default();
        late.add(0, std::iter::once(0..10));
        late.add(1, std::iter::once(2..4));
        assert!(late.finish(0, &(0..10)));
        assert!(late.is_settled(&(6..8)));
        assert!(!late.finish(1, &(2..4)));
        assert!(!late.finish(2, &(4..6)));
    }
}
