//! Sums over all states, in blocks.
//!
//! Added up one after the other, a million numbers of one size lose five digits: the sum is far larger than what is added, and
//! where these are equal, as in symmetric chains, all roundings may go one way. Sums of blocks keep these digits.

use skel_core::number::Number;

/// States between two block ends.
const BLOCK: usize = 512;

/// One sum that grows with the states, ascending.
#[derive(Clone)]
pub(crate) struct BlockSum<N> {
    sum: N,
    of_block: N,
    block: usize,
}

impl<N: Number> BlockSum<N> {
    /// A sum of nothing.
    pub(crate) fn new() -> Self {
        BlockSum { sum: N::zero(), of_block: N::zero(), block: 0 }
    }

    /// Adds what a state gives.
    pub(crate) fn add(&mut self, state: usize, value: N) {
        if state / BLOCK != self.block {
            self.block = state / BLOCK;
            let of_block = std::mem::replace(&mut self.of_block, N::zero());
            self.sum = self.sum.clone() + of_block;
        }
        self.of_block = self.of_block.clone() + value;
    }

    /// Adds what doesn't belong to a state.
    pub(crate) fn add_other(&mut self, value: N) {
        self.sum = self.sum.clone() + value;
    }

    /// The sum.
    pub(crate) fn value(&self) -> N {
        self.sum.clone() + self.of_block.clone()
    }
}

/// Some sums that grow with the states, ascending.
pub(crate) struct Sums {
    sums: Vec<f64>,
    of_block: Vec<f64>,
    block: usize,
}

impl Sums {
    /// So many sums of nothing.
    pub(crate) fn new(count: usize) -> Self {
        Sums { sums: vec![0.0; count], of_block: vec![0.0; count], block: 0 }
    }

    /// Adds what a state gives to one of the sums.
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

    /// The sums.
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
