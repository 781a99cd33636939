//! Numbers the distinct values among tuples of words and among rates.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::quotient::number_type::QuotientNumber;
use crate::quotient::residue::Residue;

/// Distinct tuples of words of one length, numbered in the order in which they are added.
pub(super) struct Tuples {
    width: usize,
    count: usize,
    words: Vec<u64>,
    table: HashTable<u32>,
    hasher: FixedState,
    /// The number that was asked for last.
    last: u32,
}

impl Tuples {
    pub(super) fn new(width: usize) -> Tuples {
        let hasher = FixedState::with_seed(0);
        Tuples { width, count: 0, words: Vec::new(), table: HashTable::new(), hasher, last: 0 }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    #[cfg_attr(debug_assertions, inline)]
    fn find(&self, tuple: &[u64]) -> Option<u32> {
        let is_it = |&number: &u32| self.words[number as usize * self.width..][..self.width] == *tuple;
        self.table.find(self.hasher.hash_one(tuple), is_it).copied()
    }

    /// The number of a tuple, which is added if it is new.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn number(&mut self, tuple: &[u64]) -> u32 {
        // Successive tuples are often equal.
        let last = self.last as usize * self.width;
        if self.words.get(last..last + self.width) == Some(tuple) && self.count > 0 {
            return self.last;
        }
        let number = self.find(tuple).unwrap_or_else(|| self.add(tuple));
        self.last = number;
        number
    }

    fn add(&mut self, tuple: &[u64]) -> u32 {
        let number = self.count as u32;
        self.words.extend_from_slice(tuple);
        let Tuples { width, words, hasher, .. } = self;
        let hash = |&other: &u32| hasher.hash_one(&words[other as usize * *width..][..*width]);
        self.table.insert_unique(hasher.hash_one(tuple), number, hash);
        self.count += 1;
        number
    }

    /// All tuples, in the order of their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = &[u64]> {
        (0..self.count).map(|number| &self.words[number * self.width..][..self.width])
    }

    /// The number of bytes that the tuples take.
    pub(super) fn memory(&self) -> u64 {
        (self.words.capacity() * size_of::<u64>() + self.table.allocation_size()) as u64
    }
}

/// The distinct rates of a space.
pub(super) struct DistinctRates<N> {
    /// For each rate its key, and how many earlier rates have the same key.
    keys: Tuples,
    values: Vec<N>,
    weights: Vec<Residue>,
    /// By a few bits of a rate the one with these bits that was found last: most rates of a row are found
    /// here.
    recent: [u32; RECENT],
}

const RECENT: usize = 64;

impl<N: QuotientNumber> DistinctRates<N> {
    pub(super) fn new() -> Self {
        DistinctRates { keys: Tuples::new(2), values: Vec::new(), weights: Vec::new(), recent: [0; RECENT] }
    }

    /// The number of a rate, if it is known.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn find(&mut self, rate: &N) -> Option<u32> {
        let mut key = [rate.key(), 0];
        let recent = (key[0].wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
        let last = self.recent[recent];
        if self.values.get(last as usize) == Some(rate) {
            return Some(last);
        }
        loop {
            let number = self.keys.find(&key)?;
            if self.values[number as usize] == *rate {
                self.recent[recent] = number;
                return Some(number);
            }
            key[1] += 1;
        }
    }

    /// The numbers that other rates have among these, to which new ones are added.
    pub(super) fn numbers_of(&mut self, others: &DistinctRates<N>) -> Vec<u32> {
        let known = others.values.iter().zip(&others.weights);
        known.map(|(rate, &weight)| self.find(rate).unwrap_or_else(|| self.add(rate, weight))).collect()
    }

    /// Adds a new rate with the residue of its exact value.
    pub(super) fn add(&mut self, rate: &N, weight: Residue) -> u32 {
        let mut key = [rate.key(), 0];
        while self.keys.find(&key).is_some() {
            key[1] += 1;
        }
        self.values.push(rate.clone());
        self.weights.push(weight);
        self.keys.number(&key)
    }

    pub(super) fn weight(&self, number: u32) -> Residue {
        self.weights[number as usize]
    }

    /// The residues of the rates, by number.
    pub(super) fn into_weights(self) -> Vec<Residue> {
        self.weights
    }

    /// The number of bytes that the rates take, if their fractions have a few words.
    pub(super) fn memory(&self) -> u64 {
        const DIGITS: usize = 32;
        let values = self.values.capacity() * (size_of::<N>() + DIGITS);
        self.keys.memory() + (self.weights.capacity() * size_of::<Residue>() + values) as u64
    }
}
