//! Products of a vector with the rates, block by block.
//!
//! Where every combination is a state, values are read where they are, and sums are made where they belong.
//! Otherwise the values of a block are scattered to their places first, and its sums are gathered from
//! theirs.

use std::ops::Range;

use super::descriptor::{LowFactor, Term};
use super::diagonals::add_scaled;
use super::{Block, KroneckerRates, MANY_STATES, add};

/// A rate, and the values of a whole block that are multiplied by it.
type Scaled<'x> = (f64, &'x [f64]);

impl KroneckerRates<'_> {
    /// Computes the inflow of all states, by several threads where these are many. Calls `finish` with the
    /// number of each block and its inflow as soon as that is known, while it is in the cache.
    pub(super) fn product(&self, x: &[f64], inflow: &mut [f64], finish: impl Fn(usize, &mut [f64]) + Sync) {
        let blocks = self.descriptor.blocks;
        let threads = if x.len() < MANY_STATES { 1 } else { self.threads.min(blocks) };
        let finish = &finish;
        std::thread::scope(|scope| {
            let mut rest = inflow;
            for thread in 0..threads {
                let part = blocks * thread / threads..blocks * (thread + 1) / threads;
                let (own, others) = rest.split_at_mut(self.starts[part.end] - self.starts[part.start]);
                rest = others;
                match thread + 1 < threads {
                    true => drop(scope.spawn(move || self.product_of(part, x, own, finish))),
                    false => self.product_of(part, x, own, finish),
                }
            }
        });
    }

    /// Computes the inflow of the states of some blocks.
    fn product_of(
        &self,
        blocks: Range<usize>,
        x: &[f64],
        inflow: &mut [f64],
        finish: &impl Fn(usize, &mut [f64]),
    ) {
        let first = self.starts[blocks.start];
        let mut block = Block::default();
        let mut whole = Vec::new();
        for number in blocks {
            if self.stop.is_due() {
                return;
            }
            let states = self.states_of(number);
            let sums = &mut inflow[states.start - first..states.end - first];
            if self.bitset.is_full() {
                self.descriptor.entering(number, &mut block.digits, &mut block.from);
                self.add_up(number, &block.from, x, &mut whole, sums);
            } else {
                self.add_up_scattered(number, x, &mut block);
                self.gather(number, &block.inflow, sums);
            }
            finish(number, sums);
        }
    }

    /// Computes the inflow of a block where every combination is a state.
    fn add_up<'x>(
        &self,
        number: usize,
        from: &[(usize, &Term)],
        x: &'x [f64],
        whole: &mut Vec<Scaled<'x>>,
        sums: &mut [f64],
    ) {
        let values_of = |block: usize| &x[self.states_of(block)];
        whole.clear();
        whole.extend(from.iter().filter_map(|&(from, term)| match &term.low {
            LowFactor::Identity(rate) => Some((*rate, values_of(from))),
            LowFactor::Matrix(_) => None,
        }));
        set_to_sum(whole, sums);
        for &(from, term) in from {
            if let LowFactor::Matrix(matrix) = &term.low {
                matrix.diagonals.add(values_of(from), sums);
            }
        }
        self.descriptor.within.diagonals.add(values_of(number), sums);
    }

    /// Computes the inflow of the places of a block, some of which are no states.
    fn add_up_scattered<'t>(&'t self, number: usize, x: &[f64], block: &mut Block<'t>) {
        self.begin(number, &|from, add| add(&x[self.states_of(from)]), block);
        self.scatter(number, &x[self.states_of(number)], 0.0, &mut block.own);
        for &(_, term) in block.from.iter().filter(|&&(from, _)| from == number) {
            add(&term.low, &block.own, &mut block.inflow);
        }
        self.descriptor.within.diagonals.add(&block.own, &mut block.inflow);
    }
}

/// Sets sums to the sum of multiples of as many values. Several are added at a time, so that the sums are
/// written less often.
fn set_to_sum(parts: &[Scaled<'_>], sums: &mut [f64]) {
    let rest = match *parts {
        [] => {
            sums.fill(0.0);
            return;
        }
        [(rate, values)] => {
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum = rate * value);
            return;
        }
        [(rate, values), (other_rate, others), ref rest @ ..] => {
            for ((sum, value), other) in sums.iter_mut().zip(values).zip(others) {
                *sum = rate * value + other_rate * other;
            }
            rest
        }
    };
    for pair in rest.chunks(2) {
        match *pair {
            [(rate, values), (other_rate, others)] => {
                for ((sum, value), other) in sums.iter_mut().zip(values).zip(others) {
                    *sum = *sum + rate * value + other_rate * other;
                }
            }
            _ => pair.iter().for_each(|&(rate, values)| add_scaled(rate, values, sums)),
        }
    }
}
