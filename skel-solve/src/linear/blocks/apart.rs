//! Takes a chain apart into its blocks and eliminates these one by one, for a
//! [preconditioner](super::InBlocks).

use std::ops::{ControlFlow, Range};

use crate::chain::{Generator, Matrix};
use crate::limits::Watch;
use crate::linear::elimination::Unsolved;
use crate::linear::elimination::factors::Factors;
use crate::operator::RateOperator;
use crate::operator::transposed::TransposedRates;

/// A chain whose blocks are to be eliminated. They are numbered by levels.
pub(super) struct Apart<'c> {
    list: &'c TransposedRates,
    block_of: Vec<u32>,
    /// The states of each block, and for each state its number among those of its block.
    pub(super) states: Vec<Vec<u32>>,
    number_in_block: Vec<u32>,
    /// The blocks of each level.
    pub(super) levels: Vec<Range<usize>>,
    /// For each state the rate at which it leaves its block.
    leaving: Vec<f64>,
}

impl<'c> Apart<'c> {
    /// Numbers the blocks level by level. States keep their numbers.
    pub(super) fn new(list: &'c TransposedRates, block_of: &[u32]) -> Apart<'c> {
        let count = block_of.iter().max().map_or(0, |last| *last as usize + 1);
        let mut leaving = vec![0.0; block_of.len()];
        let mut leads = vec![vec![false; count]; count];
        list.for_each_rate(&mut |from, to, rate| {
            if block_of[from] != block_of[to] {
                leaving[from] += rate;
                leads[block_of[to] as usize][block_of[from] as usize] = true;
            }
            ControlFlow::Continue(())
        });
        let (levels, number) = levels(&leads);
        let block_of: Vec<u32> = block_of.iter().map(|&block| number[block as usize]).collect();
        let mut states = vec![Vec::new(); count];
        let in_block = |(state, &block): (usize, &u32)| {
            let states: &mut Vec<u32> = &mut states[block as usize];
            states.push(state as u32);
            states.len() as u32 - 1
        };
        let number_in_block = block_of.iter().enumerate().map(in_block).collect();
        Apart { list, block_of, states, number_in_block, levels, leaving }
    }

    /// Eliminates a block, and returns the rates into its states from those of earlier blocks. Instead of
    /// leaving it, a state goes to one that is added as the last.
    pub(super) fn eliminated(
        &self,
        block: usize,
        most: [u64; 2],
        watch: &mut Watch<'_>,
    ) -> Result<(Factors, Rows), Unsolved> {
        let states = &self.states[block];
        let [mut within, mut earlier] = [Rows::default(), Rows::default()];
        self.list.for_each_rates_into(states, &mut |to, sources, rates| {
            let row = self.number_in_block[to] as usize;
            for (&from, &rate) in sources.iter().zip(rates) {
                match self.block_of[from as usize] as usize {
                    other if other == block => within.push(row, self.number_in_block[from as usize], rate),
                    other if other < block => earlier.push(row, from, rate),
                    _ => {}
                }
            }
            ControlFlow::Continue(())
        });
        let leaving = (0..).zip(states).map(|(number, &state)| (number, self.leaving[state as usize]));
        leaving
            .filter(|(_, rate)| *rate > 0.0)
            .for_each(|(number, rate)| within.push(states.len(), number, rate));
        let generator = Generator::new(within.into_matrix(states.len() + 1).transposed());
        Ok((Factors::of(&generator, most, watch)?, earlier))
    }
}

/// Puts blocks into levels: a block comes one level after the last of those before it that lead into it.
/// Returns the levels, and each block's number when blocks are counted level by level.
fn levels(leads: &[Vec<bool>]) -> (Vec<Range<usize>>, Vec<u32>) {
    let mut level_of = Vec::with_capacity(leads.len());
    for (block, from) in leads.iter().enumerate() {
        let before = (0..block).filter(|&before| from[before]).map(|before| level_of[before] + 1);
        level_of.push(before.max().unwrap_or(0));
    }
    let mut by_level: Vec<usize> = (0..leads.len()).collect();
    by_level.sort_by_key(|&block| level_of[block]);
    let mut number = vec![0; leads.len()];
    by_level.iter().zip(0..).for_each(|(&block, at)| number[block] = at);
    let mut start = 0;
    let runs = by_level.chunk_by(|&one, &other| level_of[one] == level_of[other]);
    let levels = runs.map(|run| {
        start += run.len();
        start - run.len()..start
    });
    (levels.collect(), number)
}

/// A matrix in compressed rows that is filled row by row.
#[derive(Default)]
pub(super) struct Rows {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Rows {
    /// Adds an entry. Its row may be no less than those before.
    fn push(&mut self, row: usize, column: u32, value: f64) {
        self.offsets.resize(row + 1, self.columns.len());
        self.columns.push(column);
        self.values.push(value);
    }

    /// The same entries, with the rows in another order and the columns renumbered.
    pub(super) fn arranged(mut self, order: &[u32], number: impl Fn(u32) -> u32) -> Matrix<f64> {
        self.offsets.resize(order.len() + 1, self.columns.len());
        let mut arranged = Rows::default();
        for (row, &before) in order.iter().enumerate() {
            for at in self.offsets[before as usize]..self.offsets[before as usize + 1] {
                arranged.push(row, number(self.columns[at]), self.values[at]);
            }
        }
        arranged.into_matrix(order.len())
    }

    fn into_matrix(mut self, rows: usize) -> Matrix<f64> {
        self.offsets.resize(rows + 1, self.columns.len());
        Matrix::new(self.offsets, self.columns, self.values)
    }
}
