//! Trapezoid self-scheduling: chunks that get smaller by a constant number of items (T. H. Tzen and L. M. Ni,
//! *Trapezoid self-scheduling: a practical scheduling scheme for parallel compilers*, IEEE Transactions on
//! Parallel and Distributed Systems 4(1), 1993).

/// `max(last, first - j step)` for the j-th request.
#[derive(Clone, Debug)]
pub(in crate::schedule) struct Trapezoid {
    next: u64,
    last: u64,
    step: u64,
}

impl Trapezoid {
    /// The step is such that about `C = ceil(2N/(f+l))` chunks hold all items.
    pub(super) fn new(items: u64, first: u64, last: u64) -> Trapezoid {
        let ends = (u128::from(first) + u128::from(last)).max(1);
        let chunks = (2 * u128::from(items)).div_ceil(ends);
        let step = match chunks {
            0 | 1 => 0,
            more => u128::from(first.saturating_sub(last)) / (more - 1),
        };
        Trapezoid { next: first.max(last), last, step: u64::try_from(step).unwrap_or(u64::MAX) }
    }

    pub(super) fn next(&mut self) -> u64 {
        let size = self.next;
        self.next = size.saturating_sub(self.step).max(self.last);
        size
    }
}
