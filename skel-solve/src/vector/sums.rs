//! Sums over all states, computed in blocks.
//!
//! Added one after the other, a million numbers of similar size lose five digits: the sum is far larger than
//! each number, and where the numbers are equal, as in symmetric chains, all rounding errors may have the
//! same sign. Sums of blocks keep these digits.

use skel_core::number::Number;

/// The number of states in a block.
const BLOCK: usize = 512;

/// A sum over states, whose values are added in ascending order of the states.
#[derive(Clone)]
pub(crate) struct BlockSum<N> {
    sum: N,
    of_block: N,
    block: usize,
}

impl<N: Number> BlockSum<N> {
    /// An empty sum.
    pub(crate) fn new() -> Self {
        BlockSum { sum: N::zero(), of_block: N::zero(), block: 0 }
    }

    /// Adds the value of a state.
    pub(crate) fn add(&mut self, state: usize, value: N) {
        if state / BLOCK != self.block {
            self.block = state / BLOCK;
            let of_block = std::mem::replace(&mut self.of_block, N::zero());
            self.sum = self.sum.clone() + of_block;
        }
        self.of_block = self.of_block.clone() + value;
    }

    /// Adds a value that belongs to no state.
    pub(crate) fn add_other(&mut self, value: N) {
        self.sum = self.sum.clone() + value;
    }

    /// The value of the sum.
    pub(crate) fn value(&self) -> N {
        self.sum.clone() + self.of_block.clone()
    }
}

/// Several sums over states, whose values are added in ascending order of the states.
pub(crate) struct Sums {
    sums: Vec<f64>,
    of_block: Vec<f64>,
    block: usize,
}

impl Sums {
    /// `count` empty sums.
    pub(crate) fn new(count: usize) -> Self {
        Sums { sums: vec![0.0; count], of_block: vec![0.0; count], block: 0 }
    }

    /// Adds the value of a state to one of the sums.
    pub(crate) fn add(&mut self, state: usize, sum: usize, value: f64) {
        if state / BLOCK != self.block {
            self.block = state / BLOCK;
            self.end_block();
        }
        self.of_block[sum] += value;
    }

    fn end_block(&mut self) {
        for (sum, of_block) in self.sums.iter_mut().zip(&mut self.of_block) {
            *sum += std::mem::take(of_block);
        }
    }

    /// The values of the sums.
    pub(crate) fn finish(mut self) -> Vec<f64> {
        self.end_block();
        self.sums
    }
}

#[cfg(test)]
mod tests {
    use super::{BlockSum, Sums};

    #[test]
    fn a_million_equal_numbers_keep_their_digits() {
        const COUNT: usize = 1_000_000;
        let mut sums = Sums::new(2);
        (0..COUNT).for_each(|state| sums.add(state, 1, 0.1));
        let sums = sums.finish();
        assert!((sums[1] / 1e5 - 1.0).abs() < 1e-13 && sums[0] == 0.0, "{sums:?}");
        let mut alone = BlockSum::new();
        (0..COUNT).for_each(|state| alone.add(state, 0.1));
        assert_eq!(alone.value(), sums[1]);
        let naive = (0..COUNT).fold(0.0, |sum, _| sum + 0.1);
        assert!(f64::abs(naive / 1e5 - 1.0) > 1e-12, "{naive}");
    }
}
