//! The rates of a chain as a Kronecker [descriptor](crate::operator::kronecker::descriptor::Descriptor): they
//! are not stored, but computed again from the model for each product.
//!
//! States are divided into blocks. The inflow of a block comes from whole other blocks, each times a rate or
//! a small matrix, and from the block itself. So a product reads the vectors from one end to the other and
//! nothing else. Memory is needed for the vectors of a method, the exit rates and the mean sojourn times.
//! Where some combinations are not states, the values of a block are first scattered to the places of its
//! states among all combinations, with zeros elsewhere.

pub(crate) mod descriptor;
mod diagonals;
mod ellpack;
mod products;
mod rows;
mod sharing;
mod sparse;
mod substitution;
mod throughputs;
mod together;

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use crate::limits::{Stop, Stopped, Watch};
use crate::operator::kronecker::descriptor::{Descriptor, LowFactor, Term};
use crate::operator::kronecker::diagonals::add_scaled;
use crate::operator::kronecker::sparse::{Row, Sparse};
#[cfg(feature = "over-time")]
use crate::operator::uniformise;
use crate::operator::{RateOperator, SharedPass, TriangularSweep, VisitRates};
use crate::space::Bitset;
use crate::team::{chunk_ends, share};
use sharing::Sharing;
#[cfg(feature = "over-time")]
pub(crate) use throughputs::rates_of;
pub(crate) use throughputs::{for_each_rates, throughputs};
use together::SharedBlocks;

/// The number of states from which on a product uses several threads.
const MANY_STATES: usize = 1 << 17;

/// The mean number of states from which on blocks are the chunks of vectors.
const LONG: usize = 1024;

/// The additions and moves for each rate from which on a list is faster.
const SLOW: u64 = 3;

/// Moving a value to its place takes as long as so many additions.
const FOR_A_MOVE: usize = 4;

/// The rates of a space that is stored as a bitset.
pub(crate) struct KroneckerRates<'s> {
    bitset: &'s Bitset,
    descriptor: Descriptor,
    /// The number of the first state of each block, followed by the number of all states.
    starts: Vec<usize>,
    exits: Vec<f64>,
    /// The mean sojourn times, which are the reciprocals of the exit rates: once for all blocks with the same
    /// ones, so that they are mostly in the cache.
    stays: Vec<f64>,
    /// Where those of a block begin, for the first one of those that have the same.
    stays_at: Vec<usize>,
    /// For each block the first one with the same exit rates.
    alike: Vec<u32>,
    rates: u64,
    /// The additions and moves of a product.
    operations: u64,
    threads: usize,
    /// How threads share sweeps.
    sharing: Sharing,
    /// Ends products.
    stop: Stop,
}

/// Data of the current block, in memory that is reused for the next one.
#[derive(Default)]
struct Block<'t> {
    digits: Vec<u32>,
    /// The terms that lead into the block, each with the block of its sources.
    from: Vec<(usize, &'t Term)>,
    /// The inflow computed so far.
    inflow: Vec<f64>,
    /// The scattered values and mean sojourn times of the block, and the scattered values of another block.
    own: Vec<f64>,
    stays: Vec<f64>,
    other: Vec<f64>,
}

impl<'s> KroneckerRates<'s> {
    /// The rates of a space, for products by so many threads.
    pub(crate) fn new(
        (bitset, descriptor): (&'s Bitset, Descriptor),
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<KroneckerRates<'s>, Stopped> {
        let mut start = 0;
        let mut starts = Vec::with_capacity(descriptor.blocks + 1);
        for block in 0..descriptor.blocks {
            watch.prepare()?;
            starts.push(start);
            start += match bitset.is_full() {
                true => descriptor.low,
                false => bitset.places((block * descriptor.low) as u64, descriptor.low).count(),
            };
        }
        starts.push(start);
        let (exits, stays) = (Vec::new(), Vec::new());
        let stop = watch.stop();
        let mut kronecker = KroneckerRates {
            bitset,
            descriptor,
            starts,
            exits,
            stays,
            stays_at: Vec::new(),
            alike: Vec::new(),
            rates: 0,
            operations: 0,
            threads,
            sharing: Sharing::default(),
            stop,
        };
        kronecker.find_exits(watch)?;
        // With short blocks, what groups need would take as much memory as the states.
        let is_shared = kronecker.exits.len() >= MANY_STATES && kronecker.has_long_blocks();
        let sweeping = if is_shared { threads.min(kronecker.descriptor.blocks) } else { 1 };
        kronecker.sharing = Sharing::new(&kronecker.descriptor, sweeping, watch)?;
        Ok(kronecker)
    }

    /// Whether blocks have enough states to be chunks of vectors.
    fn has_long_blocks(&self) -> bool {
        self.exits.len() >= LONG * self.descriptor.blocks
    }

    /// Whether a product takes far longer than one with a list of the rates would: where combinations are no
    /// states, a block's values are scattered again for each term, and with many terms this outweighs the
    /// rates.
    pub(crate) fn is_slow(&self) -> bool {
        self.operations > SLOW * self.rates
    }

    /// The number of bytes that the rates of a space take.
    pub(crate) fn memory((bitset, descriptor): &(&Bitset, Descriptor)) -> u64 {
        let states = bitset.states() as u64;
        let while_made = if bitset.is_full() { 0 } else { bitset.product().combinations() };
        8 * (2 * states + while_made + 3 * descriptor.blocks as u64 + 1) + descriptor.bytes
    }

    /// Exit rates, and the number of rates.
    fn find_exits(&mut self, watch: &mut Watch<'_>) -> Result<(), Stopped> {
        let low = self.descriptor.low;
        let mut exits = vec![0.0; low * self.descriptor.blocks];
        let mut of_within = vec![0.0; low];
        let within = add_exits(&self.descriptor.within, &mut of_within);
        let mut rates = 0;
        let mut block = Block::default();
        let mut scattered = 0;
        for number in 0..self.descriptor.blocks {
            watch.prepare()?;
            self.descriptor.entering(number, &mut block.digits, &mut block.from);
            scattered += 2 + block.from.iter().filter(|&&(from, _)| from != number).count();
            for &(from, term) in &block.from {
                let exits = &mut exits[from * low..(from + 1) * low];
                rates += match &term.low {
                    LowFactor::Identity(rate) => {
                        exits.iter_mut().for_each(|exit| *exit += rate);
                        low
                    }
                    LowFactor::Matrix(matrix) => add_exits(matrix, exits),
                };
            }
            let exits = &mut exits[number * low..(number + 1) * low];
            exits.iter_mut().zip(&of_within).for_each(|(exit, within)| *exit += within);
            rates += within;
        }
        self.rates = rates as u64;
        let moved = if self.bitset.is_full() { 0 } else { FOR_A_MOVE * scattered * low };
        self.operations = (rates + moved) as u64;
        if !self.bitset.is_full() {
            let places = self.bitset.places(0, exits.len()).map(|place| exits[place]);
            exits = places.collect();
        }
        watch.prepare()?;
        self.exits = exits;
        self.find_stays();
        Ok(())
    }

    /// Finds the mean sojourn times, once for all blocks that have the same ones.
    fn find_stays(&mut self) {
        let mut known: BTreeMap<u64, u32> = BTreeMap::new();
        let alike = (0..self.descriptor.blocks).map(|number| {
            let exits = &self.exits[self.states_of(number)];
            let first = *known.entry(digest(exits)).or_insert(number as u32);
            if self.exits[self.states_of(first as usize)] == *exits { first } else { number as u32 }
        });
        self.alike = alike.collect();
        let is_first = |&number: &usize| self.alike[number] as usize == number;
        let firsts: Vec<usize> = (0..self.descriptor.blocks).filter(is_first).collect();
        let count = firsts.iter().map(|&number| self.states_of(number).len()).sum();
        let mut stays = Vec::with_capacity(count);
        self.stays_at = vec![0; self.descriptor.blocks];
        for number in firsts {
            self.stays_at[number] = stays.len();
            stays.extend(self.exits[self.states_of(number)].iter().map(|exit| 1.0 / exit));
        }
        self.stays = stays;
    }

    /// States that have the exit rates of those of a block, and are mostly in the cache.
    #[cfg(feature = "over-time")]
    fn states_alike(&self, number: usize) -> Range<usize> {
        self.states_of(self.alike[number] as usize)
    }

    /// The mean sojourn times of the states of a block.
    fn stays_of(&self, number: usize) -> &[f64] {
        &self.stays[self.stays_at[self.alike[number] as usize]..][..self.states_of(number).len()]
    }

    /// The range of the states of a block.
    fn states_of(&self, block: usize) -> Range<usize> {
        self.starts[block]..self.starts[block + 1]
    }

    /// Scatters the values of a block's states to their places, with another value at places that are no
    /// state.
    fn scatter(&self, block: usize, values: &[f64], elsewhere: f64, scattered: &mut Vec<f64>) {
        let low = self.descriptor.low;
        scattered.clear();
        if values.len() == low {
            scattered.extend_from_slice(values);
            return;
        }
        scattered.resize(low, elsewhere);
        for (place, &value) in self.bitset.places((block * low) as u64, low).zip(values) {
            scattered[place] = value;
        }
    }

    /// Gathers the values at the places of a block's states.
    fn gather(&self, block: usize, scattered: &[f64], values: &mut [f64]) {
        if values.len() == scattered.len() {
            values.copy_from_slice(scattered);
            return;
        }
        for (place, value) in
            self.bitset.places((block * scattered.len()) as u64, scattered.len()).zip(values)
        {
            *value = scattered[place];
        }
    }

    /// Starts with a block: computes the inflow from those other blocks whose values are given, by calling a
    /// function with them.
    fn begin<'t>(
        &'t self,
        number: usize,
        others: &impl Fn(usize, &mut dyn FnMut(&[f64])),
        block: &mut Block<'t>,
    ) {
        self.descriptor.entering(number, &mut block.digits, &mut block.from);
        let Block { from, inflow, other, .. } = block;
        inflow.clear();
        inflow.resize(self.descriptor.low, 0.0);
        self.add_others(number, from, others, inflow, other);
    }

    /// Adds the inflow from the other blocks whose values are given.
    fn add_others(
        &self,
        number: usize,
        from: &[(usize, &Term)],
        others: &impl Fn(usize, &mut dyn FnMut(&[f64])),
        sums: &mut [f64],
        buffer: &mut Vec<f64>,
    ) {
        for &(from, term) in from.iter().filter(|&&(from, _)| from != number) {
            others(from, &mut |values| {
                if values.len() == self.descriptor.low {
                    add(&term.low, values, sums);
                } else {
                    self.scatter(from, values, 0.0, buffer);
                    add(&term.low, buffer, sums);
                }
            });
        }
    }

    /// Calls `work` with the values of a block at all its places, scattered if necessary.
    fn work_on(
        &self,
        number: usize,
        values: &mut [f64],
        buffer: &mut Vec<f64>,
        work: impl FnOnce(&mut [f64]),
    ) {
        if values.len() == self.descriptor.low {
            return work(values);
        }
        self.scatter(number, values, 0.0, buffer);
        work(buffer);
        self.gather(number, buffer, values);
    }

    /// The mean sojourn times of a block at all its places. It is 1 at places that are no state, whose values
    /// are all zero.
    fn stays_in<'b>(&'b self, number: usize, buffer: &'b mut Vec<f64>) -> &'b [f64] {
        let stays = self.stays_of(number);
        if stays.len() == self.descriptor.low {
            return stays;
        }
        self.scatter(number, stays, 1.0, buffer);
        buffer
    }

    /// The matrices of the transitions within a block.
    fn within<'t>(&'t self, number: usize, from: &[(usize, &'t Term)]) -> Vec<&'t Sparse> {
        let conditional = from.iter().filter(|&&(from, _)| from == number);
        let matrices = conditional.filter_map(|(_, term)| match &term.low {
            LowFactor::Matrix(matrix) => Some(matrix),
            LowFactor::Identity(_) => None,
        });
        std::iter::once(&self.descriptor.within).chain(matrices).collect()
    }
}

/// A number that is mostly different for different rates.
fn digest(rates: &[f64]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    rates.iter().fold(0, |digest: u64, rate| (digest ^ rate.to_bits()).wrapping_mul(ODD).rotate_left(23))
}

/// Adds the rates of a small matrix to the exit rates of their sources. Returns the number of rates.
fn add_exits(matrix: &Sparse, exits: &mut [f64]) -> usize {
    matrix.range(0, matrix.entries() as u32).for_each(|(source, rate)| exits[source] += rate);
    matrix.entries()
}

/// Adds the inflow from a block by a term.
fn add(low: &LowFactor, values: &[f64], inflow: &mut [f64]) {
    match low {
        LowFactor::Identity(rate) => add_scaled(*rate, values, inflow),
        LowFactor::Matrix(matrix) => matrix.diagonals.add(values, inflow),
    }
}

/// Blocks seldom have more matrices.
const FEW_MATRICES: usize = 8;

/// Visits the places of a block in their order. For each place it computes the inflow by some entries of its
/// row in each matrix, and calls `set` with it and the values of the block.
#[inline]
fn for_each_place(
    matrices: &[&Sparse],
    own: &mut [f64],
    entries: impl Fn(&Row) -> (u32, u32),
    mut set: impl FnMut(usize, f64, &mut [f64]),
) {
    // On the heap, the lists of two threads would share a line of the cache.
    let mut few = [&[][..]; FEW_MATRICES];
    let mut many = vec![&[][..]; if matrices.len() > FEW_MATRICES { matrices.len() } else { 0 }];
    let rows: &mut [&[Row]] = if many.is_empty() { &mut few[..matrices.len()] } else { &mut many };
    rows.iter_mut().zip(matrices).for_each(|(rows, matrix)| *rows = &matrix.rows);
    for place in 0..own.len() {
        let mut sum = 0.0;
        for (matrix, rows) in matrices.iter().zip(&mut *rows) {
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
        self.descriptor.least_rate()
    }

    fn kronecker(&self) -> Option<&KroneckerRates<'_>> {
        Some(self)
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        self.product(x, inflow, |_, _| ());
    }

    #[cfg(feature = "over-time")]
    fn uniformised(&self, x: &[f64], share: f64, next: &mut [f64]) {
        self.product(x, next, |number, sums| {
            let exits = &self.exits[self.states_alike(number)];
            uniformise(&x[self.states_of(number)], exits, share, sums);
        });
    }

    fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>) {
        let _ = self.for_each_row(0..self.descriptor.blocks, |state, row| {
            row.iter().try_for_each(|&(from, rate)| visit(from as usize, state, rate))
        });
    }

    fn for_each_rates_in(&self, (part, parts): (usize, usize), visit: VisitRates<'_>) {
        let _ = self.for_each_row_apart(share(self.descriptor.blocks, part, parts), visit);
    }

    fn for_each_rates_into(&self, states: &[u32], visit: VisitRates<'_>) {
        let _ = self.for_each_row_into(states, visit);
    }
}

/// What is done with a block in a pass over all of them.
#[derive(Clone, Copy)]
enum Step {
    LaterInflow,
    Sweep { weight: f64 },
}

impl Step {
    /// Whether a block needs the values of another.
    fn needs(self, number: usize, other: usize) -> bool {
        match self {
            Step::LaterInflow => other > number,
            Step::Sweep { .. } => true,
        }
    }
}

impl KroneckerRates<'_> {
    /// Does a step with all blocks, in place and in ascending order.
    fn pass(&self, step: Step, x: &mut [f64]) {
        if self.sharing.threads() > 1 {
            return self.pass_together(step, x);
        }
        let mut block = Block::default();
        for number in 0..self.descriptor.blocks {
            if self.stop.is_due() {
                return;
            }
            let states = self.states_of(number);
            let (before, rest) = x.split_at_mut(states.start);
            let (own, after) = rest.split_at_mut(states.len());
            let others = |other: usize, add: &mut dyn FnMut(&[f64])| {
                let range = self.states_of(other);
                if step.needs(number, other) {
                    add(match other < number {
                        true => &before[range],
                        false => &after[range.start - states.end..range.end - states.end],
                    });
                }
            };
            self.step(step, number, own, others, &mut block);
        }
    }

    /// Does a step with a block, whose values are given, as are those of the others that it needs.
    fn step<'t>(
        &'t self,
        step: Step,
        number: usize,
        own: &mut [f64],
        others: impl Fn(usize, &mut dyn FnMut(&[f64])),
        block: &mut Block<'t>,
    ) {
        self.begin(number, &others, block);
        let matrices = self.within(number, &block.from);
        let is_alone = matrices.len() == 1;
        let Block { inflow, own: buffer, stays, .. } = block;
        match step {
            Step::LaterInflow => self.work_on(number, own, buffer, |values| {
                if is_alone {
                    self.descriptor.later.add(values, inflow);
                    values.copy_from_slice(inflow);
                } else {
                    let set =
                        |place: usize, sum: f64, values: &mut [f64]| values[place] = inflow[place] + sum;
                    for_each_place(&matrices, values, |row| (row.middle, row.end), set);
                }
            }),
            Step::Sweep { weight } => {
                let stays = self.stays_in(number, stays);
                self.work_on(number, own, buffer, |values| {
                    let set = |place: usize, sum: f64, values: &mut [f64]| {
                        let balanced = (inflow[place] + sum) * stays[place];
                        values[place] += weight * (balanced - values[place]);
                    };
                    for_each_place(&matrices, values, |row| (row.start, row.end), set);
                });
            }
        }
    }
}

impl TriangularSweep for KroneckerRates<'_> {
    fn substitute(&self, x: &mut [f64]) {
        self.substitute_by_level(x);
    }

    fn later_inflow(&self, x: &mut [f64]) {
        self.pass(Step::LaterInflow, x);
    }

    fn sweep(&self, pi: &mut [f64], weight: f64) {
        match weight == 1.0 {
            true => self.sweep_by_level(pi),
            false => self.pass(Step::Sweep { weight }, pi),
        }
    }

    fn chunk_ends(&self) -> Vec<usize> {
        match self.has_long_blocks() {
            true => self.starts[1..].to_vec(),
            false => chunk_ends(self.states()),
        }
    }

    fn shared(&self) -> Option<Box<dyn SharedPass + '_>> {
        let is_shared = self.sharing.threads() > 1 && self.has_long_blocks();
        is_shared.then(|| Box::new(SharedBlocks { rates: self }) as Box<dyn SharedPass>)
    }
}

#[cfg(test)]
mod tests;
