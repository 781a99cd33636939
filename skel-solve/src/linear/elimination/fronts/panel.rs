//! Some states of a front, eliminated one after the other, and what follows from that for the rows behind
//! them.
//!
//! Where one goes from an eliminated state is kept by blocks of neighbouring columns: in each, the
//! probabilities of all states of the panel lie one after the other. So four rows, four columns wide, stay in
//! registers while the rates into all those states are spread, and what is read for that lies in the cache.
//! Sums are added up in the order of the states, as if each were eliminated on its own.

use std::array::from_fn;
use std::ops::Range;

use crate::linear::elimination::number::Scalar;

/// The most states of a panel.
pub(crate) const MOST: usize = 32;

/// Columns of a block of floats, and rows that follow together.
const SIDE: usize = 4;

/// The states of a panel, and where one goes from them.
pub(crate) struct Panel<N> {
    /// The first state's row, and how many states there are.
    first: usize,
    states: usize,
    /// Rows and columns of the front, without those that fill its blocks, and with them.
    size: usize,
    side: usize,
    /// Per block of columns, from that of the first state on, and per state the probabilities.
    onward: Vec<N>,
}

impl<N: Scalar> Panel<N> {
    /// The rows and columns of a block. A front consists of whole blocks, and a panel begins with one.
    /// Fractions are worked on one at a time: most of those in a front are zero, and that is told row by row.
    pub(crate) const BLOCK: usize = if N::IS_EXACT { 1 } else { SIDE };

    /// For fronts of any size.
    pub(crate) fn new() -> Panel<N> {
        Panel { first: 0, states: 0, size: 0, side: 0, onward: Vec::new() }
    }

    /// Eliminates the states of some rows of a front, and spreads the rates of the rows that fill the last
    /// block behind them; adds the rates at which states are left.
    pub(crate) fn eliminate(&mut self, front: &mut [N], rows: Range<usize>, size: usize, exits: &mut Vec<N>) {
        self.side = size.next_multiple_of(Self::BLOCK);
        (self.first, self.states, self.size) = (rows.start, rows.len(), size);
        self.onward.clear();
        self.onward.resize((self.side - rows.start) * rows.len(), N::zero());
        for start in rows.clone().step_by(Self::BLOCK) {
            let end = rows.end.min(start + Self::BLOCK);
            self.follow(&mut front[start * self.side..][..Self::BLOCK * self.side], start - rows.start);
            for (at, row) in
                (start..).zip(front[start * self.side..].chunks_exact_mut(self.side).take(Self::BLOCK))
            {
                self.spread(row, start - rows.start..end.min(at) - rows.start);
                if at >= end {
                    continue;
                }
                // What came back to the state itself is no way out.
                let exit = row[at + 1..size].iter().fold(N::zero(), |sum, rate| sum + rate.clone());
                self.keep(row, at, &exit);
                exits.push(exit);
            }
        }
    }

    /// Keeps where one goes from a state.
    fn keep(&mut self, row: &[N], at: usize, exit: &N) {
        let state = at - self.first;
        for (column, rate) in row[..self.size].iter().enumerate().skip(at + 1) {
            let (block, column) = ((column - self.first) / Self::BLOCK, (column - self.first) % Self::BLOCK);
            self.onward[(block * self.states + state) * Self::BLOCK + column] = rate.clone() / exit.clone();
        }
    }

    /// Spreads the rates of a row into some states of the panel over where one goes from there, one state
    /// after the other.
    fn spread(&self, row: &mut [N], states: Range<usize>) {
        for state in states {
            let rate = row[self.first + state].clone();
            if rate.is_zero() {
                continue;
            }
            let begun = (state + 1) / Self::BLOCK;
            for (block, sums) in row[self.first..].chunks_exact_mut(Self::BLOCK).enumerate().skip(begun) {
                let onward = &self.onward[(block * self.states + state) * Self::BLOCK..];
                sums.iter_mut().zip(onward).for_each(|(sum, onward)| N::add_product(sum, &rate, onward));
            }
        }
    }

    /// The same for the first states, and as many rows as a block has.
    pub(crate) fn follow(&self, rows: &mut [N], states: usize) {
        match N::IS_EXACT {
            true => rows.chunks_exact_mut(self.side).for_each(|row| self.spread(row, 0..states)),
            false => self.follow_by_blocks(rows, states),
        }
    }

    fn follow_by_blocks(&self, rows: &mut [N], states: usize) {
        let mut rates: [[N; SIDE]; MOST] = from_fn(|_| from_fn(|_| N::zero()));
        let (onward, _) = self.onward.as_chunks::<SIDE>();
        let mut rows = rows.chunks_exact_mut(self.side);
        let [Some(one), Some(two), Some(three), Some(four)] = from_fn(|_| rows.next()) else {
            return;
        };
        let [one, two, three, four] =
            [one, two, three, four].map(|row| row[self.first..].as_chunks_mut::<SIDE>().0);
        let blocks = one.iter_mut().zip(two).zip(three.iter_mut().zip(four));
        for (block, (((one, two), (three, four)), onward)) in
            blocks.zip(onward.chunks_exact(self.states)).enumerate()
        {
            let known = states.min(block * SIDE);
            let mut sums = [&*one, &*two, &*three, &*four].map(Clone::clone);
            add_products(&mut sums, &rates[..known], &onward[..known]);
            // In the block of a state, its own probabilities onward are zero up to its column.
            for state in known..states.min(known + SIDE) {
                let into = sums.each_ref().map(|sums| sums[state - known].clone());
                rates[state] = into.clone();
                add_products(&mut sums, &[into], &onward[state..=state]);
            }
            [*one, *two, *three, *four] = sums;
        }
    }
}

/// Adds to each row of sums the rates of the row into each state times where one goes from there.
#[inline(always)]
fn add_products<N: Scalar>(sums: &mut [[N; SIDE]; SIDE], rates: &[[N; SIDE]], onward: &[[N; SIDE]]) {
    let mut added = sums.clone();
    for (rates, onward) in rates.iter().zip(onward) {
        for (added, rate) in added.iter_mut().zip(rates) {
            added.iter_mut().zip(onward).for_each(|(added, onward)| N::add_product(added, rate, onward));
        }
    }
    *sums = added;
}
