//! The rates as rows: those into each state, by ascending sources.
//!
//! Rates come block by block. For each block from which rates lead into another, a table has the numbers of
//! its states, so that no source is looked up by itself. Time: a few nanoseconds a rate.

use std::ops::{ControlFlow, Range};

use super::descriptor::{LowFactor, Term};
use super::sparse::{Row, Sparse};
use super::{Block, KroneckerRates};
use crate::operator::VisitRates;

/// The number of a place that is no state.
const NONE: u32 = u32::MAX;

/// The rates from one block into another.
#[derive(Default)]
struct Group<'t> {
    /// The number of the state at each place of the source.
    numbers: Vec<u32>,
    /// Small matrices, each with the rows that are still to come.
    matrices: Vec<(&'t Sparse, &'t [Row])>,
    /// Rates from each place to the same place.
    identities: Vec<f64>,
}

impl KroneckerRates<'_> {
    /// The number of blocks.
    pub(in crate::operator) fn blocks(&self) -> usize {
        self.descriptor.blocks
    }

    /// Calls `visit` with each state of some blocks, in ascending order, and the rates into it, by ascending
    /// sources.
    pub(in crate::operator) fn for_each_row(
        &self,
        blocks: Range<usize>,
        visit: impl FnMut(usize, &[(u32, f64)]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.for_each_row_of(|_| true, blocks, visit)
    }

    /// The same for those states of the blocks for which a function returns `true`. The rows of the others
    /// are not made.
    fn for_each_row_of(
        &self,
        is_asked: impl Fn(u32) -> bool,
        blocks: Range<usize>,
        mut visit: impl FnMut(usize, &[(u32, f64)]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut block = Block::default();
        let mut groups: Vec<Group<'_>> = Vec::new();
        let (mut own, mut row) = (Vec::new(), Vec::new());
        for number in blocks {
            if self.stop.is_due() {
                return ControlFlow::Break(());
            }
            self.descriptor.entering(number, &mut block.digits, &mut block.from);
            let count = self.group(number, &block.from, &mut groups);
            self.number_places(number, &mut own);
            let states = own.iter().enumerate().filter(|&(_, &state)| state != NONE && is_asked(state));
            for (place, &state) in states {
                row.clear();
                groups[..count].iter_mut().for_each(|group| group.add(place, &mut row));
                visit(state as usize, &row)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Like [`Self::for_each_row`], with the sources of a row in one list and its rates in another.
    pub(super) fn for_each_row_apart(&self, blocks: Range<usize>, visit: VisitRates<'_>) -> ControlFlow<()> {
        self.for_each_row(blocks, apart(visit))
    }

    /// The same for some states, in ascending order.
    pub(super) fn for_each_row_into(&self, states: &[u32], visit: VisitRates<'_>) -> ControlFlow<()> {
        let block = |state: u32| self.starts.partition_point(|&start| start <= state as usize) - 1;
        let mut visit = apart(visit);
        states.chunk_by(|&one, &next| block(one) == block(next)).try_for_each(|states| {
            let is_asked = |state| states.binary_search(&state).is_ok();
            let number = block(states[0]);
            self.for_each_row_of(is_asked, number..number + 1, &mut visit)
        })
    }

    /// Puts what leads into a block into groups by ascending sources; the number of groups.
    fn group<'t>(&'t self, number: usize, from: &[(usize, &'t Term)], groups: &mut Vec<Group<'t>>) -> usize {
        let (before, rest) = from.split_at(from.partition_point(|&(source, _)| source < number));
        let (own, after) = rest.split_at(rest.partition_point(|&(source, _)| source == number));
        let are_alike = |one: &(usize, &Term), next: &(usize, &Term)| one.0 == next.0;
        let parts = before.chunk_by(are_alike).chain([own]).chain(after.chunk_by(are_alike));
        let mut count = 0;
        for terms in parts {
            if count == groups.len() {
                groups.push(Group::default());
            }
            let Group { numbers, matrices, identities } = &mut groups[count];
            matrices.clear();
            identities.clear();
            let source = terms.first().map_or(number, |&(source, _)| source);
            self.number_places(source, numbers);
            let within = &self.descriptor.within;
            matrices.extend((source == number).then_some((within, &within.rows[..])));
            for (_, term) in terms {
                match &term.low {
                    LowFactor::Identity(rate) => identities.push(*rate),
                    LowFactor::Matrix(matrix) => matrices.push((matrix, &matrix.rows)),
                }
            }
            count += 1;
        }
        count
    }

    /// The number of the state at each place of a block.
    fn number_places(&self, block: usize, numbers: &mut Vec<u32>) {
        let (low, states) = (self.descriptor.low, self.states_of(block));
        numbers.clear();
        if states.len() == low {
            return numbers.extend(states.map(|state| state as u32));
        }
        numbers.resize(low, NONE);
        for (place, state) in self.bitset.places((block * low) as u64, low).zip(states) {
            numbers[place] = state as u32;
        }
    }
}

/// A visitor of rows that passes each on as two lists: its sources and its rates.
fn apart<'v>(visit: VisitRates<'v>) -> impl FnMut(usize, &[(u32, f64)]) -> ControlFlow<()> + 'v {
    let (mut sources, mut rates) = (Vec::new(), Vec::new());
    move |state, row| {
        sources.clear();
        rates.clear();
        sources.extend(row.iter().map(|&(from, _)| from));
        rates.extend(row.iter().map(|&(_, rate)| rate));
        visit(state, &sources, &rates)
    }
}

impl Group<'_> {
    /// Adds the rates into a place to a row. Places must come in ascending order.
    fn add(&mut self, place: usize, row: &mut Vec<(u32, f64)>) {
        let start = row.len();
        let numbers = &self.numbers;
        for (matrix, rows) in &mut self.matrices {
            let passed = rows.iter().take_while(|row| (row.target as usize) < place).count();
            *rows = &rows[passed..];
            let Some((next, later)) = rows.split_first().filter(|(next, _)| next.target as usize == place)
            else {
                continue;
            };
            *rows = later;
            for (source, rate) in matrix.range(next.start, next.end) {
                insert(row, start, numbers[source], rate);
            }
        }
        for &rate in &self.identities {
            insert(row, start, numbers[place], rate);
        }
    }
}

/// Adds a rate to what is sorted by source and merged from an entry of a row on, if its source is a state.
#[inline]
fn insert(row: &mut Vec<(u32, f64)>, start: usize, from: u32, rate: f64) {
    if from == NONE {
        return;
    }
    let mut at = row.len();
    if at == start || row[at - 1].0 < from {
        return row.push((from, rate));
    }
    while at > start && row[at - 1].0 > from {
        at -= 1;
    }
    match row[start..at].last_mut() {
        Some((known, sum)) if *known == from => *sum += rate,
        _ => row.insert(at, (from, rate)),
    }
}
