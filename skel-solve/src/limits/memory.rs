//! The budget of memory: what is to be allocated is counted before it is.
//!
//! A [`MemoryBudget`] is passed down from the limits to what allocates; each level adds what it keeps itself.
//! Lists of a length that is not known before grow by [`make_room`]. A vector left to itself doubles its
//! capacity, which may pass the budget. Here a list grows by half, but never by more than a quarter of what
//! is left, so that near the end every list still finds room.

use super::{Limit, Limits, Reached, Stopped};

/// The least growth, in entries, while the budget is far.
const LEAST: usize = 1024;

/// Makes room for more entries while `left` bytes may be allocated; `false` where they do not suffice, or the
/// machine has no more.
pub(crate) fn make_room<T>(list: &mut Vec<T>, more: usize, left: u64) -> bool {
    let free = list.capacity() - list.len();
    if free >= more {
        return true;
    }
    let size = size_of::<T>() as u64;
    let missing = more - free;
    if (missing as u64).saturating_mul(size) > left {
        return false;
    }
    let quarter = usize::try_from(left / (4 * size)).unwrap_or(usize::MAX);
    let growth = (list.capacity() / 2).max(LEAST).min(quarter).max(missing);
    list.try_reserve_exact(free.saturating_add(growth)).is_ok()
}

/// Whether the machine would give so many bytes at once: asked before lists are made that together take them.
fn has_machine(bytes: u64) -> bool {
    usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// How many bytes may be allocated in all, and how many of them are already taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryBudget {
    limit: u64,
    taken: u64,
}

impl MemoryBudget {
    /// The budget of [`Limits::memory`], of which nothing is taken yet.
    pub(crate) fn new(limits: &Limits) -> MemoryBudget {
        MemoryBudget { limit: limits.memory, taken: 0 }
    }

    /// What remains beside something that takes so many bytes and is already there.
    pub(crate) fn beside(self, bytes: u64) -> MemoryBudget {
        MemoryBudget { taken: self.taken.saturating_add(bytes), ..self }
    }

    /// The bytes that are left; none where more is taken than the limit.
    pub(crate) fn left(self) -> u64 {
        self.limit.saturating_sub(self.taken)
    }

    /// Refuses what does not fit: so many more bytes would pass the limit, or the machine does not have them.
    pub(crate) fn check(self, bytes: u64) -> Result<(), Stopped> {
        self.take(bytes).map(|_| ())
    }

    /// What remains when so many bytes are taken, which are refused as by [`Self::check`].
    pub(crate) fn take(self, bytes: u64) -> Result<MemoryBudget, Stopped> {
        let after = self.beside(bytes);
        if after.taken > self.limit || !has_machine(bytes) {
            return Err(self.stopped());
        }
        Ok(after)
    }

    /// The answer to someone who asks for too much while a solution is prepared.
    pub(crate) fn stopped(self) -> Stopped {
        Stopped { limit: self.limit(), reached: Reached::Preparing }
    }

    /// The limit, for an answer that says it was reached.
    pub(crate) fn limit(self) -> Limit {
        Limit::Memory(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::{Limits, MemoryBudget, make_room};
    use crate::limits::{Limit, Reached, Stopped};

    #[test]
    fn a_budget_gives_its_last_byte_and_no_more() {
        let budget = MemoryBudget::new(&Limits { memory: 1000, ..Limits::default() }).beside(300);
        assert_eq!(budget.left(), 700);
        assert_eq!(budget.take(700).map(MemoryBudget::left), Ok(0));
        let refused = Stopped { limit: Limit::Memory(1000), reached: Reached::Preparing };
        assert_eq!(budget.check(701), Err(refused.clone()));
        assert_eq!(budget.beside(701).check(0), Err(refused.clone()));
        assert_eq!(budget.beside(u64::MAX).left(), 0);
        assert_eq!(budget.beside(700).check(u64::MAX), Err(refused));
        assert_eq!(budget.beside(700).check(0), Ok(()));
    }

    #[test]
    fn a_budget_does_not_promise_what_no_machine_has() {
        let budget = MemoryBudget::new(&Limits { memory: u64::MAX, ..Limits::default() });
        assert!(budget.check(1 << 62).is_err());
    }

    #[test]
    fn a_list_fills_its_budget_and_does_not_pass_it() {
        const BUDGET: usize = 1 << 20;
        let mut list: Vec<u64> = Vec::new();
        let mut left = BUDGET;
        while make_room(&mut list, 3, left as u64) {
            list.extend([0; 3]);
            left = BUDGET.checked_sub(list.capacity() * 8).expect("the list is within its budget");
        }
        assert!(list.len() * 8 > BUDGET - 4 * 3 * 8);
    }

    #[test]
    fn what_no_machine_has_is_refused_whatever_the_budget() {
        let mut list: Vec<u64> = vec![1];
        assert!(!make_room(&mut list, usize::MAX / 16, u64::MAX));
        assert!(!make_room(&mut list, usize::MAX - 1, u64::MAX));
        assert_eq!(list, [1]);
    }
}
