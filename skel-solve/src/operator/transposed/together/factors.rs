//! Passes for incomplete factors by the threads of a team: back from the last level to the first, and forth
//! again.

use std::ops::Range;
use std::sync::{MutexGuard, PoisonError};

use super::schedule::Numbers;
use super::{Schedule, sum};
use crate::operator::SharedPass;
use crate::operator::transposed::codes::{RateCode, Table};
use crate::operator::transposed::triangles::TriangularParts;
use crate::operator::transposed::{Context, Pass, TransposedRates};
use crate::team::{Chunk, Member, View};

/// The factors of a list for several threads.
pub(in crate::operator::transposed) struct SharedFactors<'r> {
    rates: &'r TransposedRates,
    pivots: &'r [f64],
    schedule: &'r Schedule,
    numbers: MutexGuard<'r, Numbers>,
}

impl<'r> SharedFactors<'r> {
    /// If several threads share sweeps.
    pub(in crate::operator::transposed) fn of(
        rates: &'r TransposedRates,
        pivots: &'r [f64],
    ) -> Option<SharedFactors<'r>> {
        let schedule = rates.context().sharing_sweeps()?;
        Some(SharedFactors { rates, pivots, schedule, numbers: schedule.numbers() })
    }

    /// What a thread needs.
    fn by<'s, 'x>(&'s self, member: Member<'s>, chunks: &'s [Chunk<'x>]) -> By<'s, 'x> {
        let SharedFactors { pivots, schedule, numbers, .. } = self;
        By { member, pivots, schedule, numbers: numbers.before.view(), chunks }
    }
}

impl SharedPass for SharedFactors<'_> {
    fn threads(&self) -> usize {
        self.schedule.threads()
    }

    fn threads_of_chunks(&self) -> Vec<usize> {
        self.schedule.threads_of_chunks()
    }

    fn pass(&self, member: Member<'_>, chunks: &[Chunk<'_>]) {
        self.rates.do_with(Rest(self.by(member, chunks)));
    }

    fn take_back(&self, member: Member<'_>, chunks: &[Chunk<'_>]) -> bool {
        self.rates.do_with(Product(self.by(member, chunks)));
        true
    }
}

/// A thread, and what it needs.
struct By<'s, 'x> {
    member: Member<'s>,
    pivots: &'s [f64],
    schedule: &'s Schedule,
    /// What threads read of one another.
    numbers: View<'s>,
    chunks: &'s [Chunk<'x>],
}

impl By<'_, '_> {
    /// The states of a chunk, and its values to be read.
    fn read<R>(&self, chunk: usize, read: impl FnOnce(Range<usize>, &[f64]) -> R) -> R {
        let values = self.chunks[chunk].read().unwrap_or_else(PoisonError::into_inner);
        read(self.schedule.states_of(chunk..chunk + 1), &values)
    }

    /// The same to be changed.
    fn change<R>(&self, chunk: usize, change: impl FnOnce(Range<usize>, &mut [f64]) -> R) -> R {
        let mut values = self.chunks[chunk].write().unwrap_or_else(PoisonError::into_inner);
        change(self.schedule.states_of(chunk..chunk + 1), &mut values)
    }
}

/// As [`rest_of_factors`](TransposedRates::rest_of_factors).
struct Rest<'s, 'x>(By<'s, 'x>);

impl Pass for Rest<'_, '_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        let (Rest(by), table) = (&self, context.table);
        let By { member, pivots, schedule, numbers, .. } = *by;
        schedule.for_each_backwards(member, context, |chunk| {
            by.read(chunk, |states, values| {
                let rows = rates.later_rows_backwards(schedule, chunk);
                substitute_back(rows, (states.clone(), values), &pivots[states], table, numbers);
            });
        });
        schedule.for_each(member, context, |chunk| {
            by.change(chunk, |states, values| {
                let rows = rates.earlier_rows(schedule, chunk..chunk + 1);
                let exits = &context.exits[states.clone()];
                substitute_forth(rows, (states.clone(), values), (&pivots[states], exits), table, numbers);
            });
        });
    }
}

/// Sets the numbers of some states to `(E - U)^-1` of their values, from the last state to the first.
fn substitute_back<'r, V: RateCode + 'r>(
    rows: impl Iterator<Item = (&'r [u32], &'r [V])>,
    (states, values): (Range<usize>, &[f64]),
    pivots: &[f64],
    table: &Table,
    numbers: View<'_>,
) {
    for ((state, value), (pivot, row)) in states.zip(values).rev().zip(pivots.iter().rev().zip(rows)) {
        numbers.set(state, sum(*value, row, table, numbers) * (1.0 / pivot));
    }
}

/// Sets the numbers of some states to what is made of them on the way forth, and their values to what is
/// left.
fn substitute_forth<'r, V: RateCode + 'r>(
    rows: impl Iterator<Item = (&'r [u32], &'r [V])>,
    (states, values): (Range<usize>, &mut [f64]),
    (pivots, exits): (&[f64], &[f64]),
    table: &Table,
    numbers: View<'_>,
) {
    let known = pivots.iter().zip(exits).zip(rows);
    for ((state, value), ((pivot, exit), row)) in states.zip(values).zip(known) {
        let back = numbers.get(state);
        let right = *value - (2.0 * pivot - exit) * back;
        let forth = sum(right, row, table, numbers) * (1.0 / pivot);
        numbers.set(state, forth);
        *value -= pivot * (back + forth);
    }
}

/// As [`multiply_forwards`](TransposedRates::multiply_forwards).
struct Product<'s, 'x>(By<'s, 'x>);

impl Pass for Product<'_, '_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        let (Product(by), table) = (&self, context.table);
        let By { member, pivots, schedule, numbers, .. } = *by;
        let own = || schedule.own_in_sweeps(member.number()).flatten();
        for chunk in own() {
            by.read(chunk, |states, values| {
                for ((state, value), pivot) in states.clone().zip(values).zip(&pivots[states]) {
                    numbers.set(state, value / pivot);
                }
            });
        }
        member.meet();
        for chunk in own() {
            by.change(chunk, |states, values| {
                let rows = rates.earlier_rows(schedule, chunk..chunk + 1);
                let known = pivots[states.clone()].iter().zip(rows);
                for ((state, value), (pivot, row)) in states.zip(values).zip(known) {
                    *value = pivot * numbers.get(state) - sum(0.0, row, table, numbers);
                }
            });
        }
    }
}
