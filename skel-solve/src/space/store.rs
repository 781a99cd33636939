//! A set of states as a list: an arena of packed words, and a hash table of state numbers.

use foldhash::fast::FixedState;
use std::hash::{BuildHasher, Hasher};

use crate::limits::memory::make_room;
use crate::space::numbers::Numbers;

/// Distinct packed states, numbered in the order of their insertion.
///
/// An arena with a table of 32-bit numbers takes 8 bytes for each word and about 7 bytes for each state. A
/// map from boxed states takes about 80.
pub(crate) struct StateStore {
    words: usize,
    arena: Vec<u64>,
    numbers: Numbers,
    hasher: FixedState,
}

impl StateStore {
    pub(crate) fn new(words: usize) -> Self {
        StateStore { words, arena: Vec::new(), numbers: Numbers::default(), hasher: FixedState::with_seed(0) }
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
        self.numbers.find(hash, |number| is_same(self.get(number as usize), state))
    }

    /// Finds several states, given one after the other with their hashes: the number of each, or `u32::MAX`
    /// where it is not there.
    pub(crate) fn find_all(&self, states: &[u64], hashes: &[u64], numbers: &mut [u32]) {
        let (arena, words) = (&self.arena[..], self.words);
        match words {
            1 => self.numbers.find_all(hashes, numbers, |at, number| arena[number as usize] == states[at]),
            _ => self.numbers.find_all(hashes, numbers, |at, number| {
                is_same(state_in(arena, words, number), state_in(states, words, at as u32))
            }),
        }
    }

    /// Reserves memory for one more state, within a total of `most` bytes. Returns `false` if it does not
    /// fit.
    pub(crate) fn make_room(&mut self, most: u64) -> bool {
        if self.numbers.is_full() {
            let after = self.memory() - self.numbers.memory() + self.numbers.larger();
            if after > most || !self.grow() {
                return false;
            }
        }
        let left = most.saturating_sub(self.memory());
        make_room(&mut self.arena, self.words, left)
    }

    fn grow(&mut self) -> bool {
        let StateStore { words, arena, numbers, hasher } = self;
        numbers.grow(arena.chunks_exact(*words).map(|state| hash(hasher, state)))
    }

    /// Adds a state that is not in the store, and returns its number.
    pub(crate) fn insert_hashed(&mut self, of_state: u64, state: &[u64]) -> u32 {
        let number = self.len() as u32;
        if self.numbers.is_full() {
            assert!(self.grow(), "the machine has memory for a larger table of states");
        }
        self.arena.extend_from_slice(state);
        self.numbers.insert(of_state);
        number
    }

    /// The number of bytes that the states take.
    pub(crate) fn memory(&self) -> u64 {
        (self.arena.capacity() * size_of::<u64>()) as u64 + self.numbers.memory()
    }
}

/// Whether two states are the same. They have few words, so a call to compare memory would take longer.
#[inline]
fn is_same(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).all(|(one, other)| one == other)
}

fn state_in(arena: &[u64], words: usize, number: u32) -> &[u64] {
    &arena[number as usize * words..(number as usize + 1) * words]
}

fn hash(hasher: &FixedState, state: &[u64]) -> u64 {
    let mut hasher = hasher.build_hasher();
    state.iter().for_each(|&word| hasher.write_u64(word));
    hasher.finish()
}
