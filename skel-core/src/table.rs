//! A hash table of numbers: it finds the number under which something is kept in a list elsewhere.
//!
//! It takes 6 to 12 bytes an entry whatever is kept, where a map would hold a copy of each key.

use std::hash::{BuildHasher, Hash, RandomState};

/// A slot without a number.
const EMPTY: u32 = u32::MAX;

/// The numbers of what is kept in a list.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// The numbers, each at the first free slot from the one that its hash says. Their number is a power of two.
    slots: Vec<u32>,
    length: usize,
    hashes: RandomState,
}

impl Table {
    pub(crate) fn new() -> Self {
        Table { slots: vec![EMPTY; 16], length: 0, hashes: RandomState::new() }
    }

    /// The number of what is equal to this value in the list, or none and the slot where its number belongs.
    pub(crate) fn find<T: Hash + PartialEq>(&self, value: &T, list: &[T]) -> Result<u32, usize> {
        let mut at = self.slot_of(value);
        loop {
            match self.slots[at] {
                EMPTY => return Err(at),
                number if list[number as usize] == *value => return Ok(number),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// The number of what is equal to this value in the list, and whether it is new there. What is new is added.
    pub(crate) fn number<T: Hash + PartialEq>(&mut self, value: T, list: &mut Vec<T>) -> (u32, bool) {
        let slot = match self.find(&value, list) {
            Ok(number) => return (number, false),
            Err(slot) => slot,
        };
        let number = list.len() as u32;
        self.slots[slot] = number;
        list.push(value);
        self.length += 1;
        // At most three quarters of the slots are taken.
        if self.length * 4 > self.slots.len() * 3 {
            self.grow(list);
        }
        (number, true)
    }

    fn slot_of<T: Hash>(&self, value: &T) -> usize {
        self.hashes.hash_one(value) as usize & (self.slots.len() - 1)
    }

    fn grow<T: Hash>(&mut self, list: &[T]) {
        self.slots = vec![EMPTY; self.slots.len() * 2];
        for (number, value) in list.iter().enumerate() {
            let mut at = self.slot_of(value);
            while self.slots[at] != EMPTY {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = number as u32;
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
        assert!((0..1000).all(|value| table.find(&(value * value), &list) == Ok(value)));
        assert!(table.find(&2, &list).is_err());
    }
}
