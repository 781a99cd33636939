//! Lists that grow within a budget: what is to be allocated is counted before it is.
//!
//! A vector left to itself doubles, so that a budget learns of the overshoot afterwards. Here a list grows by half,
//! but never by more than a quarter of what is left, so that near the end every list still finds room.

use super::{Limit, Limits, Reached, Stopped};

/// The least growth, in entries, while the budget is far.
const LEAST: usize = 1024;

/// Makes room for more entries while `left` bytes may be allocated; `false` where they do not suffice, or the machine has
/// no more.
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
pub(crate) fn has_machine(bytes: u64) -> bool {
    usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// Refuses to start what would not fit beside so many bytes. Returns the bytes that are taken then.
pub(crate) fn afford(beside: u64, limits: &Limits, bytes: u64) -> Result<u64, Stopped> {
    let taken = beside.saturating_add(bytes);
    if taken > limits.memory || !has_machine(bytes) {
        return Err(Stopped { limit: Limit::Memory(limits.memory), reached: Reached::Preparing });
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::make_room;

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
