//! A set of states as a list: an arena of packed words, and a hash table of state numbers.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

use crate::limits::memory::make_room;

/// Distinct packed states, numbered in the order of their insertion.
///
/// An arena with a table of 32-bit numbers takes 8 bytes for each word and about 6 bytes for each state. A map from
/// boxed states takes about 80.
pub(crate) struct StateStore {
    words: usize,
    arena: Vec<u64>,
    numbers: HashTable<u32>,
    hasher: FixedState,
}

impl StateStore {
    pub(crate) fn new(words: usize) -> Self {
        StateStore { words, arena: Vec::new(), numbers: HashTable::new(), hasher: FixedState::with_seed(0) }
    }

    /// The number of words of a state.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(crate) fn get(&self, number: usize) -> &[u64] {
        &self.arena[number * self.words..(number + 1) * self.words]
    }

    pub(crate) fn hash(&self, state: &[u64]) -> u64 {
        hash(&self.hasher, state)
    }

    pub(crate) fn find(&self, state: &[u64]) -> Option<u32> {
        self.find_hashed(self.hash(state), state)
    }

    /// Like [`Self::find`], for a state whose hash is known.
    pub(crate) fn find_hashed(&self, hash: u64, state: &[u64]) -> Option<u32> {
        self.numbers.find(hash, |&number| self.get(number as usize) == state).copied()
    }

    /// Reserves memory for one more state, within a total of `most` bytes. Returns `false` if it does not fit.
    pub(crate) fn make_room(&mut self, most: u64) -> bool {
        if self.numbers.len() == self.numbers.capacity() {
            // While the table grows, the old one exists beside the new one, which is twice as large.
            if self.memory() + 2 * self.numbers.allocation_size() as u64 > most {
                return false;
            }
            let (words, hasher, arena) = (self.words, &self.hasher, &self.arena);
            let rehash = |&other: &u32| hash(hasher, state_in(arena, words, other));
            if self.numbers.try_reserve(1, rehash).is_err() {
                return false;
            }
        }
        let left = most.saturating_sub(self.memory());
        make_room(&mut self.arena, self.words, left)
    }

    /// Adds a state that is not in the store, and returns its number.
    pub(crate) fn insert_hashed(&mut self, of_state: u64, state: &[u64]) -> u32 {
        let number = self.len() as u32;
        self.arena.extend_from_slice(state);
        let (words, hasher, arena) = (self.words, &self.hasher, &self.arena);
        self.numbers.insert_unique(of_state, number, |&other| hash(hasher, state_in(arena, words, other)));
        number
    }

    /// The number of bytes that the states take.
    pub(crate) fn memory(&self) -> u64 {
        (self.arena.capacity() * size_of::<u64>() + self.numbers.allocation_size()) as u64
    }
}

fn state_in(arena: &[u64], words: usize, number: u32) -> &[u64] {
    &arena[number as usize * words..(number as usize + 1) * words]
}

fn hash(hasher: &FixedState, state: &[u64]) -> u64 {
    let mut hasher = hasher.build_hasher();
    state.iter().for_each(|&word| hasher.write_u64(word));
    hasher.finish()
}
