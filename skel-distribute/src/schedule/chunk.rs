//! Items that are given out, and items that are left.

use std::collections::VecDeque;
use std::ops::Range;

/// Items that a machine was given at one request: one range of their numbers, or several where some of them
/// had been given to a machine that was lost.
///
/// # Examples
/// ```
/// use skel_distribute::{RelativePerformance, Schedule, Scheduler};
///
/// let machines = RelativePerformance::equal(2)?;
/// let mut scheduler = Scheduler::<f64>::new(&Schedule::Chunked { items: 3 }, 10, &machines)?;
/// let chunk = scheduler.next(0).unwrap();
/// assert_eq!(chunk.items(), 3);
/// assert_eq!(chunk.ranges().collect::<Vec<_>>(), [0..3]);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "its items are given to nobody else"]
pub struct Chunk {
    first: Range<u64>,
    more: Vec<Range<u64>>,
}

impl Chunk {
    /// How many items there are, at least one.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.ranges().map(|range| range.end - range.start).sum()
    }

    /// The numbers of the items.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        std::iter::once(&self.first).chain(&self.more).cloned()
    }
}

/// The items that nobody has.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    /// What nobody had yet.
    fresh: Range<u64>,
    /// What machines had that were lost.
    returned: VecDeque<Range<u64>>,
    count: u64,
}

impl Rest {
    pub(super) fn all(items: u64) -> Rest {
        Rest { fresh: 0..items, returned: VecDeque::new(), count: items }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// So many items, or as many as there are. What came back goes first.
    pub(super) fn take(&mut self, most: u64) -> Option<Chunk> {
        let mut wanted = most.min(self.count);
        self.count -= wanted;
        let mut ranges = std::iter::from_fn(|| {
            let range = self.returned.pop_front();
            let from = range.clone().unwrap_or_else(|| self.fresh.clone());
            let taken = from.start..from.start + wanted.min(from.end - from.start);
            let left = taken.end..from.end;
            match range {
                Some(_) if !left.is_empty() => self.returned.push_front(left),
                Some(_) => {}
                None => self.fresh = left,
            }
            wanted -= taken.end - taken.start;
            (!taken.is_empty()).then_some(taken)
        });
        let first = ranges.next()?;
        Some(Chunk { first, more: ranges.collect() })
    }

    pub(super) fn put_back(&mut self, chunk: &Chunk) {
        self.count += chunk.items();
        self.returned.extend(chunk.ranges());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_back_goes_first() {
        let mut rest = Rest::all(10);
        let [first, second] = [rest.take(3).unwrap(), rest.take(4).unwrap()];
        rest.put_back(&second);
        rest.put_back(&first);
        assert_eq!(rest.count(), 10);
        let taken = rest.take(6).unwrap();
        assert_eq!(taken.ranges().collect::<Vec<_>>(), [3..7, 0..2]);
        assert_eq!(taken.items(), 6);
        assert_eq!(rest.take(9).unwrap().ranges().collect::<Vec<_>>(), [2..3, 7..10]);
        assert_eq!((rest.take(1), rest.count()), (None, 0));
    }
}
