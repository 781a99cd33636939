//! A hash table of state numbers, which looks up many states at once.
//!
//! A slot has 32 bits: the number of a state plus one, and in the bits that are left some of the state's
//! hash, by which nearly all other states are told apart without a look at them. Slots are tried one after
//! the other from the one that the hash names (D. E. Knuth, The Art of Computer Programming 3, 6.4, Algorithm
//! L), and at most three of four are taken. A look-up in a large table waits for the memory twice, for the
//! slot and for the state. [`Numbers::find_all`] first reads the slots of many states, and then the states
//! that they name, so that a processor waits for many of them together.

/// The least number of slots.
const LEAST: usize = 16;

/// The numbers of states, by their hashes.
#[derive(Default)]
pub(super) struct Numbers {
    /// A power of two of them, or none. An empty one is zero.
    slots: Vec<u32>,
    /// The binary logarithm of the number of slots.
    bits: u32,
    taken: usize,
}

impl Numbers {
    pub(super) fn len(&self) -> usize {
        self.taken
    }

    /// The number of bytes that the table takes.
    pub(super) fn memory(&self) -> u64 {
        (self.slots.capacity() * size_of::<u32>()) as u64
    }

    /// Whether another number needs a larger table.
    pub(super) fn is_full(&self) -> bool {
        4 * (self.taken + 1) > 3 * self.slots.len()
    }

    /// The bytes of the next larger table. The present one is freed before they are written to.
    pub(super) fn larger(&self) -> u64 {
        (self.larger_count() * size_of::<u32>()) as u64
    }

    fn larger_count(&self) -> usize {
        (2 * self.slots.len()).max(LEAST)
    }

    /// Makes the table larger, given the hashes of the states in the order of their numbers. `false` if the
    /// machine does not have the memory; then the table is as before.
    pub(super) fn grow(&mut self, hashes: impl Iterator<Item = u64>) -> bool {
        let (mut slots, count) = (Vec::new(), self.larger_count());
        if slots.try_reserve_exact(count).is_err() {
            return false;
        }
        self.slots = Vec::new();
        slots.resize(count, 0);
        *self = Numbers { slots, bits: count.trailing_zeros(), taken: 0 };
        hashes.for_each(|hash| self.insert(hash));
        true
    }

    /// Adds the next number, for a state that is not in the table. There must be an empty slot.
    pub(super) fn insert(&mut self, hash: u64) {
        let mut at = self.first_slot(hash);
        while self.slots[at] != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.taken += 1;
        self.slots[at] = self.tag(hash) | self.taken as u32;
    }

    /// The number for which `is_it` says that it is the state with this hash.
    #[inline]
    pub(super) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let (tag, mut at) = (self.tag(hash), self.first_slot(hash));
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            if self.has_tag(slot, tag) && is_it(self.number(slot)) {
                return Some(self.number(slot));
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Sets the numbers of the states with these hashes that are in the table. `is_it` says whether a number
    /// is that of the state at a place among them.
    #[inline]
    pub(super) fn find_all(&self, hashes: &[u64], numbers: &mut [u32], is_it: impl Fn(usize, u32) -> bool) {
        if self.slots.is_empty() {
            return;
        }
        let missing: u32 = u32::MAX;
        // No branch depends on these, so the memory is waited for once.
        for (&hash, slot) in hashes.iter().zip(&mut *numbers) {
            *slot = self.slots[self.first_slot(hash)];
        }
        for (&hash, number) in hashes.iter().zip(&mut *numbers) {
            let (tag, mut at) = (self.tag(hash), self.first_slot(hash));
            let mut slot = *number;
            while slot != 0 && !self.has_tag(slot, tag) {
                at = (at + 1) & (self.slots.len() - 1);
                slot = self.slots[at];
            }
            *number = if slot == 0 { missing } else { self.number(slot) };
        }
        for (at, (&hash, number)) in hashes.iter().zip(numbers).enumerate() {
            if *number != missing && !is_it(at, *number) {
                *number = self.find(hash, |other| is_it(at, other)).unwrap_or(missing);
            }
        }
    }

    fn first_slot(&self, hash: u64) -> usize {
        (hash >> (u64::BITS - self.bits)) as usize
    }

    /// The bits of a hash that a slot has beside the number.
    fn tag(&self, hash: u64) -> u32 {
        (hash << self.bits) as u32
    }

    fn has_tag(&self, slot: u32, tag: u32) -> bool {
        u64::from(slot ^ tag) >> self.bits == 0
    }

    fn number(&self, slot: u32) -> u32 {
        (u64::from(slot) & ((1 << self.bits) - 1)) as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    /// States are numbers here. Many have the same hash, and many others the same first slot.
    #[test]
    fn every_state_is_found_and_no_other() {
        for distinct in [1_u64, 7, 1000, u64::MAX] {
            let hash = |state: u64| (state % distinct).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut numbers = Numbers::default();
            let state_of = |number: u32| 3 * u64::from(number);
            assert_eq!(numbers.find(hash(0), |_| true), None);
            for number in 0..600_u32 {
                if numbers.is_full() {
                    let larger = numbers.larger();
                    assert!(numbers.grow((0..number).map(|number| hash(state_of(number)))));
                    assert_eq!(numbers.memory(), larger);
                }
                numbers.insert(hash(state_of(number)));
            }
            assert_eq!(numbers.len(), 600);
            let states: Vec<u64> = (0..2000).collect();
            let hashes: Vec<u64> = states.iter().map(|&state| hash(state)).collect();
            let mut found = vec![0; states.len()];
            numbers.find_all(&hashes, &mut found, |at, number| state_of(number) == states[at]);
            for (at, &state) in states.iter().enumerate() {
                let expected = (state.is_multiple_of(3) && state < 1800).then_some((state / 3) as u32);
                assert_eq!(numbers.find(hashes[at], |number| state_of(number) == state), expected);
                assert_eq!(found[at], expected.unwrap_or(u32::MAX));
            }
        }
    }
}
