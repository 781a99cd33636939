//! The rates of a chain that are not stored but made again from the model: its [terms](crate::operator::kronecker::descriptor::Descriptor).
//!
//! States are in blocks. What flows into a block comes from whole blocks, times a rate or a small matrix, and from the
//! block itself. So a product reads vectors from one end to the other and nothing else; memory is the vectors of a method,
//! the exit rates and the mean stays. Where some combinations are no states, a block is spread out to all its places first, which has zeros there.

mod backwards;
pub(crate) mod descriptor;
mod padded;
mod sparse;
mod throughputs;

use std::ops::{ControlFlow, Range};

use crate::limits::{Stop, Stopped, Watch};
use crate::operator::kronecker::descriptor::{Descriptor, Low, Term};
use crate::operator::kronecker::sparse::{Row, Sparse};
use crate::operator::{RateOperator, TriangularSweep};
use crate::space::Bitset;
pub(crate) use throughputs::throughputs;

/// From so many states on a product is worth several threads.
const MANY_STATES: usize = 1 << 17;

/// The rates of a space that is kept as bits.
pub(crate) struct KroneckerRates<'s> {
    bitset: &'s Bitset,
    terms: Descriptor,
    /// The number of the first state of each block, and of all states.
    starts: Vec<usize>,
    exits: Vec<f64>,
    /// The mean stays, one over these.
    stays: Vec<f64>,
    rates: u64,
    threads: usize,
    /// Ends products.
    stop: Stop,
}

/// A block while it is worked on, and memory that is used again for the next one.
#[derive(Default)]
struct Block<'t> {
    digits: Vec<u32>,
    /// The terms that lead into it, each with the block of its sources.
    from: Vec<(usize, &'t Term)>,
    /// What flows in, so far.
    inflow: Vec<f64>,
    /// Its values, its mean stays and the values of another block, spread out.
    own: Vec<f64>,
    stays: Vec<f64>,
    other: Vec<f64>,
}

impl<'s> KroneckerRates<'s> {
    /// The rates of a space, for products by so many threads.
    pub(crate) fn new(
        (bitset, terms): (&'s Bitset, Descriptor),
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<KroneckerRates<'s>, Stopped> {
        let mut start = 0;
        let mut starts = Vec::with_capacity(terms.blocks + 1);
        for block in 0..terms.blocks {
            watch.prepare()?;
            starts.push(start);
            start += match bitset.is_full() {
                true => terms.low,
                false => bitset.places((block * terms.low) as u64, terms.low).count(),
            };
        }
        starts.push(start);
        let (exits, stays) = (Vec::new(), Vec::new());
        let stop = watch.stop();
        let mut kronecker = KroneckerRates { bitset, terms, starts, exits, stays, rates: 0, threads, stop };
        kronecker.find_exits(watch)?;
        Ok(kronecker)
    }

    /// The bytes that it takes for a space.
    pub(crate) fn memory((bitset, terms): &(&Bitset, Descriptor)) -> u64 {
        let states = bitset.states() as u64;
        let while_made = if bitset.is_full() { 0 } else { bitset.product().combinations() };
        8 * (states + while_made + terms.blocks as u64 + 1) + terms.bytes
    }

    /// Exit rates, and the number of rates.
    fn find_exits(&mut self, watch: &mut Watch<'_>) -> Result<(), Stopped> {
        let low = self.terms.low;
        let mut exits = vec![0.0; low * self.terms.blocks];
        let mut rates = 0;
        let mut block = Block::default();
        for number in 0..self.terms.blocks {
            watch.prepare()?;
            self.terms.entering(number, &mut block.digits, &mut block.from);
            for &(from, term) in &block.from {
                let exits = &mut exits[from * low..(from + 1) * low];
                rates += match &term.low {
                    Low::Same(rate) => {
                        exits.iter_mut().for_each(|exit| *exit += rate);
                        low
                    }
                    Low::Sparse(matrix) => add_exits(matrix, exits),
                };
            }
            rates += add_exits(&self.terms.within, &mut exits[number * low..(number + 1) * low]);
        }
        self.rates = rates as u64;
        if !self.bitset.is_full() {
            let places = self.bitset.places(0, exits.len()).map(|place| exits[place]);
            exits = places.collect();
        }
        watch.prepare()?;
        self.stays = exits.iter().map(|exit| 1.0 / exit).collect();
        self.exits = exits;
        Ok(())
    }

    /// The states of a block.
    fn states_of(&self, block: usize) -> Range<usize> {
        self.starts[block]..self.starts[block + 1]
    }

    /// The values of a block's states at their places, and another value elsewhere.
    fn spread(&self, block: usize, values: &[f64], elsewhere: f64, spread: &mut Vec<f64>) {
        let low = self.terms.low;
        spread.clear();
        if values.len() == low {
            spread.extend_from_slice(values);
            return;
        }
        spread.resize(low, elsewhere);
        for (place, &value) in self.bitset.places((block * low) as u64, low).zip(values) {
            spread[place] = value;
        }
    }

    /// The values at the places of a block's states.
    fn gather(&self, block: usize, spread: &[f64], values: &mut [f64]) {
        if values.len() == spread.len() {
            values.copy_from_slice(spread);
            return;
        }
        for (place, value) in self.bitset.places((block * spread.len()) as u64, spread.len()).zip(values) {
            *value = spread[place];
        }
    }

    /// Begins with a block: what flows in from those other blocks whose values are given.
    fn begin<'t, 'v>(
        &'t self,
        number: usize,
        others: impl Fn(Range<usize>) -> Option<&'v [f64]>,
        block: &mut Block<'t>,
    ) {
        self.terms.entering(number, &mut block.digits, &mut block.from);
        block.inflow.clear();
        block.inflow.resize(self.terms.low, 0.0);
        for &(from, term) in block.from.iter().filter(|&&(from, _)| from != number) {
            let Some(values) = others(self.states_of(from)) else { continue };
            if values.len() == self.terms.low {
                add(&term.low, values, &mut block.inflow);
            } else {
                self.spread(from, values, 0.0, &mut block.other);
                add(&term.low, &block.other, &mut block.inflow);
            }
        }
    }

    /// Works on the values of a block's states, spread out where that is needed.
    fn work_on(
        &self,
        number: usize,
        values: &mut [f64],
        buffer: &mut Vec<f64>,
        work: impl FnOnce(&mut [f64]),
    ) {
        if values.len() == self.terms.low {
            return work(values);
        }
        self.spread(number, values, 0.0, buffer);
        work(buffer);
        self.gather(number, buffer, values);
    }

    /// The mean stays in the states of a block, spread out; what is no state has nothing to stay, however long.
    fn stays_in<'b>(&'b self, number: usize, buffer: &'b mut Vec<f64>) -> &'b [f64] {
        let stays = &self.stays[self.states_of(number)];
        if stays.len() == self.terms.low {
            return stays;
        }
        self.spread(number, stays, 1.0, buffer);
        buffer
    }

    /// The matrices of what happens within a block.
    fn within<'t>(&'t self, number: usize, block: &Block<'t>) -> Vec<&'t Sparse> {
        let conditional = block.from.iter().filter(|&&(from, _)| from == number);
        let matrices = conditional.filter_map(|(_, term)| match &term.low {
            Low::Sparse(matrix) => Some(matrix),
            Low::Same(_) => None,
        });
        std::iter::once(&self.terms.within).chain(matrices).collect()
    }

    /// What flows into the states of some blocks.
    fn inflow_of(&self, blocks: Range<usize>, x: &[f64], inflow: &mut [f64]) {
        let first = self.starts[blocks.start];
        let mut block = Block::default();
        for number in blocks {
            if self.stop.is_due() {
                return;
            }
            let states = self.states_of(number);
            self.begin(number, |range| Some(&x[range]), &mut block);
            self.spread(number, &x[states.clone()], 0.0, &mut block.own);
            let matrices = self.within(number, &block);
            let Block { inflow: sums, own, .. } = &mut block;
            for_each_place(&matrices, own, |row| (row.start, row.end), |place, sum, _| sums[place] += sum);
            self.gather(number, sums, &mut inflow[states.start - first..states.end - first]);
        }
    }

    /// The rates into each place of a block, by ascending sources, each once.
    fn rates_into(&self, number: usize, block: &Block<'_>, into: &mut [Vec<(u64, f64)>]) {
        into.iter_mut().for_each(Vec::clear);
        let low = self.terms.low;
        let mut add_matrix = |from: usize, matrix: &Sparse| {
            for row in &matrix.rows {
                for (source, rate) in matrix.range(row.start, row.end) {
                    insert(&mut into[row.target as usize], (from * low + source) as u64, rate);
                }
            }
        };
        add_matrix(number, &self.terms.within);
        for &(from, term) in &block.from {
            if let Low::Sparse(matrix) = &term.low {
                add_matrix(from, matrix);
            }
        }
        for &(from, term) in &block.from {
            if let Low::Same(rate) = term.low {
                let places = into.iter_mut().enumerate();
                places.for_each(|(place, rates)| insert(rates, (from * low + place) as u64, rate));
            }
        }
    }
}

/// Adds a rate to a list by ascending sources, each once.
fn insert(rates: &mut Vec<(u64, f64)>, from: u64, rate: f64) {
    let place = rates.partition_point(|&(known, _)| known < from);
    match rates.get_mut(place) {
        Some((known, sum)) if *known == from => *sum += rate,
        _ => rates.insert(place, (from, rate)),
    }
}

/// Adds the rates of a small matrix to the exit rates of their sources; how many they are.
fn add_exits(matrix: &Sparse, exits: &mut [f64]) -> usize {
    matrix.range(0, matrix.entries() as u32).for_each(|(source, rate)| exits[source] += rate);
    matrix.entries()
}

/// Adds what flows in from a block by a term.
fn add(low: &Low, values: &[f64], inflow: &mut [f64]) {
    match low {
        Low::Same(rate) => inflow.iter_mut().zip(values).for_each(|(inflow, value)| *inflow += rate * value),
        Low::Sparse(matrix) => {
            for row in &matrix.rows {
                inflow[row.target as usize] += matrix.sum(row.start, row.end, values);
            }
        }
    }
}

/// Goes through the places of a block in their order: what flows into each by some entries of each matrix's row, given to
/// `set` with the values of the block.
#[inline]
fn for_each_place(
    matrices: &[&Sparse],
    own: &mut [f64],
    entries: impl Fn(&Row) -> (u32, u32),
    mut set: impl FnMut(usize, f64, &mut [f64]),
) {
    let mut rows: Vec<&[Row]> = matrices.iter().map(|matrix| &matrix.rows[..]).collect();
    for place in 0..own.len() {
        let mut sum = 0.0;
        for (matrix, rows) in matrices.iter().zip(&mut rows) {
            if let Some((row, rest)) = rows.split_first()
                && row.target as usize == place
            {
                let (from, to) = entries(row);
                sum += matrix.sum(from, to, own);
                *rows = rest;
            }
        }
        set(place, sum, own);
    }
}

impl RateOperator for KroneckerRates<'_> {
    fn exits(&self) -> &[f64] {
        &self.exits
    }

    fn rates(&self) -> u64 {
        self.rates
    }

    fn least_rate(&self) -> f64 {
        self.terms.least_rate()
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        let blocks = self.terms.blocks;
        let threads = if x.len() < MANY_STATES { 1 } else { self.threads.min(blocks) };
        std::thread::scope(|scope| {
            let mut rest = inflow;
            for thread in 0..threads {
                let part = blocks * thread / threads..blocks * (thread + 1) / threads;
                let (own, others) = rest.split_at_mut(self.starts[part.end] - self.starts[part.start]);
                rest = others;
                match thread + 1 < threads {
                    true => drop(scope.spawn(move || self.inflow_of(part, x, own))),
                    false => self.inflow_of(part, x, own),
                }
            }
        });
    }

    fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>) {
        let mut block = Block::default();
        let mut into = vec![Vec::new(); self.terms.low];
        for number in 0..self.terms.blocks {
            if self.stop.is_due() {
                return;
            }
            self.terms.entering(number, &mut block.digits, &mut block.from);
            self.rates_into(number, &block, &mut into);
            let places = self.bitset.places((number * self.terms.low) as u64, self.terms.low);
            for (place, state) in places.zip(self.states_of(number)) {
                for &(from, rate) in &into[place] {
                    // Not every combination from which one gets to a state is a state.
                    let Some(from) = self.bitset.number_of(from) else { continue };
                    if visit(from as usize, state, rate).is_break() {
                        return;
                    }
                }
            }
        }
    }
}

impl TriangularSweep for KroneckerRates<'_> {
    fn substitute(&self, x: &mut [f64]) {
        let mut block = Block::default();
        for number in 0..self.terms.blocks {
            if self.stop.is_due() {
                return;
            }
            let states = self.states_of(number);
            let (before, rest) = x.split_at_mut(states.start);
            let own = &mut rest[..states.len()];
            let earlier = |range: Range<usize>| (range.end <= states.start).then(|| &before[range]);
            self.begin(number, earlier, &mut block);
            let matrices = self.within(number, &block);
            let Block { inflow, own: buffer, stays, .. } = &mut block;
            let stays = self.stays_in(number, stays);
            self.work_on(number, own, buffer, |values| {
                let set = |place: usize, sum: f64, values: &mut [f64]| {
                    values[place] = (values[place] + inflow[place] + sum) * stays[place];
                };
                match (&self.terms.halves, matrices.len()) {
                    (Some([earlier, _]), 1) => earlier.for_each_place(values, set),
                    _ => for_each_place(&matrices, values, |row| (row.start, row.middle), set),
                }
            });
        }
    }

    fn later_inflow(&self, x: &mut [f64]) {
        let mut block = Block::default();
        for number in 0..self.terms.blocks {
            if self.stop.is_due() {
                return;
            }
            let states = self.states_of(number);
            let (before, after) = x.split_at_mut(states.end);
            let own = &mut before[states.start..];
            let later = |range: Range<usize>| {
                (range.start >= states.end).then(|| &after[range.start - states.end..range.end - states.end])
            };
            self.begin(number, later, &mut block);
            let matrices = self.within(number, &block);
            let Block { inflow, own: buffer, .. } = &mut block;
            self.work_on(number, own, buffer, |values| {
                let set = |place: usize, sum: f64, values: &mut [f64]| values[place] = inflow[place] + sum;
                match (&self.terms.halves, matrices.len()) {
                    (Some([_, later]), 1) => later.for_each_place(values, set),
                    _ => for_each_place(&matrices, values, |row| (row.middle, row.end), set),
                }
            });
        }
    }

    fn sweep(&self, pi: &mut [f64], weight: f64) {
        let mut block = Block::default();
        for number in 0..self.terms.blocks {
            if self.stop.is_due() {
                return;
            }
            let states = self.states_of(number);
            self.begin(number, |range| Some(&pi[range]), &mut block);
            let matrices = self.within(number, &block);
            let Block { inflow, own: buffer, stays, .. } = &mut block;
            let stays = self.stays_in(number, stays);
            self.work_on(number, &mut pi[states], buffer, |values| {
                for_each_place(
                    &matrices,
                    values,
                    |row| (row.start, row.end),
                    |place, sum, values| {
                        let balanced = (inflow[place] + sum) * stays[place];
                        values[place] += weight * (balanced - values[place]);
                    },
                );
            });
        }
    }
}

#[cfg(test)]
mod tests;
