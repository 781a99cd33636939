//! Products and sweeps in parts, by one thread or several, to the same bits.
//!
//! A product gives each thread a range of the states. A forward substitution needs the results of the states
//! before. So the states are divided into *chunks*, and threads pass over them as in a
//! [relay](crate::team::Relay): each begins with a chunk when the others have done what this one needs. Each
//! state is computed from the same numbers in the same order as by one thread, whatever the number of
//! threads, so that answers do not depend on it.
//!
//! Where states come level by level, the states of one level do not need one another, and each thread has a
//! share of each level (level scheduling: Y. Saad, Iterative Methods for Sparse Linear Systems, 11.6). Where
//! levels are small, as on lattices, they are sorted by [strips](super::levels), which threads take in turn.
//! Large lists are brought into one of these orders before ([`TransposedRates::by_level`]), so that chunks
//! are read from one end to the other.
//!
//! Where threads would mostly wait, only products are shared. Memory: 8 bytes a state, and as many for
//! sweeps, which are counted even where there is one thread, so that the choice of methods does not depend on
//! the number of threads either.

mod chunks;
mod division;
mod factors;
mod schedule;
mod shared;

use std::ops::Range;
use std::sync::PoisonError;

use super::codes::{RateCode, Table};
use super::levels::LEAST_SHARED;
use super::triangles::{Triangle, TriangularParts, damped, rows, rows_backwards};
use super::{BETWEEN_STOPS, Context, TransposedRates};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::team::{Chunk, Member, SharedNumbers, View, in_chunks, together};
pub(super) use factors::SharedFactors;
pub(super) use schedule::Schedule;
pub(super) use shared::SharedList;

/// The states that a level must have on average for threads to share each.
const LEAST_LEVEL: usize = 1000;

/// How many times less than by one thread a pass must take for threads to share it, as it is counted.
const LEAST_GAIN: f64 = 1.25;

/// When threads share sweeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    /// The least mean number of states of a level for which they share levels. Where levels are smaller, they
    /// share strips.
    level: usize,
    /// The least gain.
    gain: f64,
}

/// The bytes of a state in the lists of numbers that threads share.
const PER_STATE: u64 = 2 * 8;

impl TransposedRates {
    /// The same rates, with a schedule for the threads that are allowed, if these have enough to do.
    pub(crate) fn shared(
        self,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Stopped> {
        let bytes = self.exits.len() as u64 * PER_STATE;
        // This is to be a small part of what is left, so that it does not take away the memory of a method.
        if self.exits.len() < LEAST_SHARED || budget.beside(self.bytes).left() / 4 < bytes {
            return Ok(self);
        }
        let threads = watch.threads();
        let counted = TransposedRates { bytes: self.bytes + bytes, ..self };
        counted.shared_by(threads, Worth { level: LEAST_LEVEL, gain: LEAST_GAIN }, watch)
    }

    /// How many threads share a pass over all rates before there is a schedule.
    pub(crate) fn threads_at_first(&self, watch: &Watch<'_>) -> usize {
        if self.exits.len() < LEAST_SHARED { 1 } else { watch.threads() }
    }

    /// The same rates with a schedule for so many threads.
    pub(super) fn shared_by(
        self,
        threads: usize,
        worth: Worth,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Stopped> {
        let schedule = Schedule::new(self.lists(), threads, worth, watch)?;
        Ok(TransposedRates { schedule: Some(schedule), ..self })
    }
}

/// Adds the inflow by the entries of a row to `sum`.
#[inline]
fn sum<V: RateCode>(mut sum: f64, (columns, values): (&[u32], &[V]), table: &Table, x: View<'_>) -> f64 {
    for (&column, &value) in columns.iter().zip(values) {
        sum += value.rate(table) * x.get(column as usize);
    }
    sum
}

impl<V: RateCode> Triangle<V> {
    /// The rows of some states, which are stored one after the other from an entry on.
    pub(super) fn rows_from(
        &self,
        states: Range<usize>,
        first: usize,
    ) -> impl Iterator<Item = (&[u32], &[V])> {
        rows(&self.counts[states], &self.columns[first..], &self.values[first..])
    }
}

impl<V: RateCode> TriangularParts<V> {
    /// The rows of some chunks from earlier states.
    pub(super) fn earlier_rows<'r>(
        &'r self,
        schedule: &Schedule,
        chunks: Range<usize>,
    ) -> impl Iterator<Item = (&'r [u32], &'r [V])> {
        self.earlier.rows_from(schedule.states_of(chunks.clone()), schedule.cut(chunks.start).earlier)
    }

    /// The rows of a chunk from later states, the last state's first.
    pub(super) fn later_rows_backwards<'r>(
        &'r self,
        schedule: &Schedule,
        chunk: usize,
    ) -> impl Iterator<Item = (&'r [u32], &'r [V])> {
        let Triangle { counts, columns, values } = &self.later;
        let end = schedule.cut(chunk + 1).later;
        rows_backwards(&counts[schedule.states_of(chunk..chunk + 1)], &columns[..end], &values[..end])
    }

    /// The rows of some chunks from later states.
    pub(super) fn later_rows<'r>(
        &'r self,
        schedule: &Schedule,
        chunks: Range<usize>,
    ) -> impl Iterator<Item = (&'r [u32], &'r [V])> {
        self.later.rows_from(schedule.states_of(chunks.clone()), schedule.cut(chunks.start).later)
    }

    pub(super) fn inflow_together(
        &self,
        schedule: &Schedule,
        context: &Context<'_>,
        x: &[f64],
        inflow: &mut [f64],
    ) {
        together(schedule.parts(inflow), |(chunks, own), _| {
            let mut rows = self.earlier_rows(schedule, chunks.clone()).zip(self.later_rows(schedule, chunks));
            for own in own.chunks_mut(BETWEEN_STOPS) {
                if context.stop.is_due() {
                    return;
                }
                for (inflow, (earlier, later)) in own.iter_mut().zip(&mut rows) {
                    let sum = super::triangles::sum(0.0, earlier, context.table, x);
                    *inflow = super::triangles::sum(sum, later, context.table, x);
                }
            }
        });
    }

    pub(super) fn later_inflow_together(&self, schedule: &Schedule, context: &Context<'_>, x: &mut [f64]) {
        let numbers = schedule.numbers();
        let numbers = numbers.before.view();
        together(schedule.parts(x), |(chunks, own), member| {
            numbers.write(schedule.states_of(chunks.clone()).start, own);
            member.meet();
            let mut rows = self.later_rows(schedule, chunks);
            for own in own.chunks_mut(BETWEEN_STOPS) {
                if context.stop.is_due() {
                    return;
                }
                set_to_inflow(&mut rows, context, numbers, own);
            }
        });
    }

    pub(super) fn substitute_together(
        &self,
        schedule: &Schedule,
        context: &Context<'_>,
        x: &mut [f64],
        is_for_later: bool,
    ) {
        let chunks = in_chunks(x, &schedule.chunk_ends());
        let numbers = schedule.numbers();
        let numbers = &numbers.before;
        together(vec![(); schedule.threads()], |(), member| {
            self.substitute_by(member, schedule, context, numbers, &chunks);
            match is_for_later {
                true => self.later_inflow_by(member, schedule, context, numbers, &chunks),
                false => schedule.own_in_sweeps(member.number()).flatten().for_each(|chunk| {
                    let mut values = chunks[chunk].write().unwrap_or_else(PoisonError::into_inner);
                    numbers.view().read(schedule.states_of(chunk..chunk + 1).start, &mut values);
                }),
            }
        });
    }

    /// A thread's part of a substitution. The results are in the numbers alone.
    fn substitute_by(
        &self,
        member: Member<'_>,
        schedule: &Schedule,
        context: &Context<'_>,
        numbers: &SharedNumbers,
        chunks: &[Chunk<'_>],
    ) {
        let numbers = numbers.view();
        schedule.for_each(member, context, |chunk| {
            let values = chunks[chunk].read().unwrap_or_else(PoisonError::into_inner);
            let rows = self.earlier_rows(schedule, chunk..chunk + 1);
            substitute(rows, (schedule.states_of(chunk..chunk + 1), &values), context, numbers);
        });
    }

    /// A thread's part of the inflow from later states.
    fn later_inflow_by(
        &self,
        member: Member<'_>,
        schedule: &Schedule,
        context: &Context<'_>,
        numbers: &SharedNumbers,
        chunks: &[Chunk<'_>],
    ) {
        for own in schedule.own_in_sweeps(member.number()) {
            let mut rows = self.later_rows(schedule, own.clone());
            for chunk in own {
                if context.stop.is_due() {
                    return;
                }
                let mut values = chunks[chunk].write().unwrap_or_else(PoisonError::into_inner);
                set_to_inflow(&mut rows, context, numbers.view(), &mut values);
            }
        }
    }

    /// Gauss-Seidel, with the values before the sweep in one list and those after it in another: later states
    /// are to be taken from the first, though they may be in a lower level.
    pub(super) fn sweep_together(
        &self,
        schedule: &Schedule,
        context: &Context<'_>,
        pi: &mut [f64],
        weight: f64,
    ) {
        let mut numbers = schedule.numbers();
        if numbers.after.len() < pi.len() {
            numbers.after = SharedNumbers::zeros(pi.len());
        }
        let (before, after) = (numbers.before.view(), numbers.after.view());
        let values = in_chunks(pi, &schedule.chunk_ends());
        together(vec![(); schedule.threads()], |(), member| {
            for chunk in schedule.own_in_sweeps(member.number()).flatten() {
                let values = values[chunk].read().unwrap_or_else(PoisonError::into_inner);
                before.write(schedule.states_of(chunk..chunk + 1).start, &values);
            }
            member.meet();
            schedule.for_each(member, context, |chunk| {
                let mut values = values[chunk].write().unwrap_or_else(PoisonError::into_inner);
                let rows = self.earlier_rows(schedule, chunk..chunk + 1);
                let rows = rows.zip(self.later_rows(schedule, chunk..chunk + 1));
                let states = schedule.states_of(chunk..chunk + 1);
                sweep(rows, (states, &mut values), weight, context, [before, after]);
            });
        });
    }
}

/// Sets the numbers of some states to what a substitution makes of their values.
fn substitute<'r, V: RateCode + 'r>(
    rows: impl Iterator<Item = (&'r [u32], &'r [V])>,
    (states, values): (Range<usize>, &[f64]),
    context: &Context<'_>,
    numbers: View<'_>,
) {
    let (table, exits) = (context.table, &context.exits[states.clone()]);
    for ((state, value), (exit, row)) in states.zip(values).zip(exits.iter().zip(rows)) {
        numbers.set(state, sum(*value, row, table, numbers) * (1.0 / exit));
    }
}

/// Sets values of some states, and their numbers, to what a sweep makes of them.
fn sweep<'r, V: RateCode + 'r>(
    rows: impl Iterator<Item = ((&'r [u32], &'r [V]), (&'r [u32], &'r [V]))>,
    (states, values): (Range<usize>, &mut [f64]),
    weight: f64,
    context: &Context<'_>,
    [before, after]: [View<'_>; 2],
) {
    let (table, exits) = (context.table, &context.exits[states.clone()]);
    for ((state, value), (exit, (earlier, later))) in states.zip(values).zip(exits.iter().zip(rows)) {
        let inflow = sum(sum(0.0, later, table, before), earlier, table, after);
        *value = damped(weight, inflow * (1.0 / exit), *value);
        after.set(state, *value);
    }
}

/// Sets values to the inflow by as many rows.
fn set_to_inflow<'r, V: RateCode + 'r>(
    rows: &mut impl Iterator<Item = (&'r [u32], &'r [V])>,
    context: &Context<'_>,
    numbers: View<'_>,
    values: &mut [f64],
) {
    let table = context.table;
    for (value, row) in values.iter_mut().zip(rows) {
        *value = sum(0.0, row, table, numbers);
    }
}

#[cfg(test)]
mod tests;
