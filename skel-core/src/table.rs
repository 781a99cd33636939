//! A hash table of numbers: it finds the number under which something is kept in a list elsewhere.
//!
//! It takes 11 to 22 bytes an entry whatever is kept, where a map would hold a copy of each key.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::RandomState;

/// A slot without a number.
const EMPTY: Slot = Slot { number: u32::MAX, hash: 0 };

/// A number, and half of the hash of what it stands for, so that the list is looked at only where the two are
/// equal.
#[derive(Clone, Copy, Debug)]
struct Slot {
    number: u32,
    hash: u32,
}

/// The numbers of what is kept in a list.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Each number is at the first free slot from the one that its hash says. The number of slots is a power
    /// of two.
    slots: Vec<Slot>,
    length: usize,
    hashes: RandomState,
}

impl Table {
    pub(crate) fn new() -> Self {
        Table { slots: vec![EMPTY; 16], length: 0, hashes: RandomState::default() }
    }

    /// The number of what is equal to this value in the list.
    pub(crate) fn find<T: Hash + PartialEq>(&self, value: &T, list: &[T]) -> Option<u32> {
        self.look(self.hash(value), value, list).ok()
    }

    /// The number of what is equal to this value in the list, and whether it is new there. What is new is
    /// added.
    pub(crate) fn number<T: Hash + PartialEq>(&mut self, value: T, list: &mut Vec<T>) -> (u32, bool) {
        let hash = self.hash(&value);
        let at = match self.look(hash, &value, list) {
            Ok(number) => return (number, false),
            Err(at) => at,
        };
        let number = list.len() as u32;
        self.slots[at] = Slot { number, hash };
        list.push(value);
        self.length += 1;
        // At most three quarters of the slots are taken.
        if self.length * 4 > self.slots.len() * 3 {
            self.grow();
        }
        (number, true)
    }

    fn hash<T: Hash>(&self, value: &T) -> u32 {
        self.hashes.hash_one(value) as u32
    }

    /// The number of a value of this hash, or the slot where its number belongs.
    fn look<T: PartialEq>(&self, hash: u32, value: &T, list: &[T]) -> Result<u32, usize> {
        let mut at = hash as usize & (self.slots.len() - 1);
        loop {
            let slot = self.slots[at];
            if slot.number == EMPTY.number {
                return Err(at);
            }
            if slot.hash == hash && list[slot.number as usize] == *value {
                return Ok(slot.number);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    fn grow(&mut self) {
        let larger = vec![EMPTY; self.slots.len() * 2];
        for slot in std::mem::replace(&mut self.slots, larger) {
            let mut at = slot.hash as usize & (self.slots.len() - 1);
            while slot.number != EMPTY.number && self.slots[at].number != EMPTY.number {
                at = (at + 1) & (self.slots.len() - 1);
            }
            if slot.number != EMPTY.number {
                self.slots[at] = slot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn numbers_are_those_of_the_list() {
        let (mut table, mut list) = (Table::new(), Vec::new());
        for round in [true, false] {
            for value in 0_u32..1000 {
                assert_eq!(table.number(value * value, &mut list), (value, round));
            }
        }
        assert!((0..1000).all(|value| table.find(&(value * value), &list) == Some(value)));
        assert!(table.find(&2, &list).is_none());
    }
}
