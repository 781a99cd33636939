//! Random skeletons with functions that fail and wait as they are told, the sequential program beside them,
//! and a watchdog.

#![allow(dead_code, unreachable_pub)]

pub mod chain;
pub mod item;
pub mod probe;
pub mod reference;
pub mod run;
pub mod shape;
pub mod team;
pub mod threads;
pub mod watchdog;
pub mod world;

/// Numbers that look random and follow from a seed (splitmix64; G. Steele, D. Lea and C. Flood, 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        scramble(self.0)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

/// A number that looks random, for each number.
pub fn scramble(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
