//! Ranges on which the function panicked.

use std::ops::Range;

use super::late::{contains, overlaps};

/// The ranges on which workers panicked. As each worker that panics is lost, each of them is of another
/// worker.
#[derive(Clone, Debug, Default)]
pub(super) struct Panics {
    ranges: Vec<Range<u64>>,
}

impl Panics {
    /// A worker panicked on a range. The answer is how many workers have now panicked on the same items, and
    /// which these are.
    pub(super) fn add(&mut self, range: &Range<u64>) -> (u32, Range<u64>) {
        self.ranges.push(range.clone());
        let common = |other: &Range<u64>| other.start.max(range.start)..other.end.min(range.end);
        let count = |items: &Range<u64>| self.ranges.iter().filter(|other| contains(other, items)).count();
        let shared = self.ranges.iter().filter(|other| overlaps(other, range)).map(common);
        let (workers, items) = shared
            .map(|items| (count(&items), items))
            .max_by_key(|(workers, _)| *workers)
            .unwrap_or_else(|| (1, range.clone()));
        (workers as u32, items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_on_the_same_items_are_counted() {
        let mut panics = Panics::default();
        assert_eq!(panics.add(&(0..100)), (1, 0..100));
        assert_eq!(panics.add(&(200..300)), (1, 200..300));
        assert_eq!(panics.add(&(10..20)), (2, 10..20));
        assert_eq!(panics.add(&(30..40)), (2, 30..40));
        // This one overlaps two others, of which no item is the same.
        let mut panics = Panics::default();
        assert_eq!([panics.add(&(0..10)).0, panics.add(&(20..30)).0], [1, 1]);
        assert_eq!(panics.add(&(0..100)).0, 2);
    }
}
