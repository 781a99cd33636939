//! The entries of a list in two triangles, row by row: from earlier states, which a forward substitution
//! uses, and from later ones.

use std::ops::{ControlFlow, Range};

use super::BETWEEN_STOPS;
use super::codes::{RateCode, Table};
use crate::limits::Stop;
use crate::operator::VisitRates;

/// The entries from earlier states, and those from later states.
pub(super) struct TriangularParts<V> {
    pub(super) earlier: Triangle<V>,
    pub(super) later: Triangle<V>,
}

/// The entries of one strict triangle: columns and values, row by row.
pub(super) struct Triangle<V> {
    pub(super) counts: Vec<u32>,
    pub(super) columns: Vec<u32>,
    pub(super) values: Vec<V>,
}

impl<V: RateCode> Triangle<V> {
    pub(super) fn empty(counts: Vec<u32>) -> (Triangle<V>, Vec<usize>) {
        let mut entries = 0;
        let starts = counts.iter().map(|&count| {
            let start = entries;
            entries += count as usize;
            start
        });
        let starts = starts.collect();
        (Triangle { counts, columns: vec![0; entries], values: vec![V::default(); entries] }, starts)
    }

    /// The entries of all rows, in the order of the rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&[u32], &[V])> {
        rows(&self.counts, &self.columns, &self.values)
    }

    /// The entries of all rows, the last row first.
    pub(super) fn rows_backwards(&self) -> impl Iterator<Item = (&[u32], &[V])> {
        rows_backwards(&self.counts, &self.columns, &self.values)
    }
}

/// The counts and the columns of both triangles.
pub(super) type Lists<'l> = [(&'l [u32], &'l [u32]); 2];

/// Rows with so many entries each, the last one first, which ends where the entries end.
#[inline]
pub(super) fn rows_backwards<'r, V>(
    counts: &'r [u32],
    mut columns: &'r [u32],
    mut values: &'r [V],
) -> impl Iterator<Item = (&'r [u32], &'r [V])> {
    counts.iter().rev().map(move |&count| {
        let (before, of_row) = columns.split_at(columns.len() - count as usize);
        columns = before;
        let (before, rates) = values.split_at(values.len() - count as usize);
        values = before;
        (of_row, rates)
    })
}

/// Rows with so many entries each, one after the other.
#[inline]
pub(super) fn rows<'r, V>(
    counts: &'r [u32],
    mut columns: &'r [u32],
    mut values: &'r [V],
) -> impl Iterator<Item = (&'r [u32], &'r [V])> {
    counts.iter().map(move |&count| {
        let (of_row, others) = columns.split_at(count as usize);
        columns = others;
        let (rates, others) = values.split_at(count as usize);
        values = others;
        (of_row, rates)
    })
}

/// Adds the inflow by the entries of a row to `sum`.
#[inline]
pub(super) fn sum<V: RateCode>(
    mut sum: f64,
    (columns, values): (&[u32], &[V]),
    table: &Table,
    x: &[f64],
) -> f64 {
    for (&column, &value) in columns.iter().zip(values) {
        sum += value.rate(table) * x[column as usize];
    }
    sum
}

/// What a sweep makes of a value. Without damping, it does not wait for the value.
#[inline]
pub(super) fn damped(weight: f64, balanced: f64, value: f64) -> f64 {
    if weight == 1.0 { balanced } else { value + weight * (balanced - value) }
}

/// The rates of some entries, in a list that is used again.
pub(super) fn decoded<'r, V: RateCode>(values: &[V], table: &Table, rates: &'r mut Vec<f64>) -> &'r [f64] {
    rates.clear();
    rates.extend(values.iter().map(|value| value.rate(table)));
    rates
}

impl<V: RateCode> TriangularParts<V> {
    pub(super) fn inflow(&self, table: &Table, x: &[f64], inflow: &mut [f64], stop: &Stop) {
        let mut rows = self.earlier.rows().zip(self.later.rows());
        for inflow in inflow.chunks_mut(BETWEEN_STOPS) {
            if stop.is_due() {
                return;
            }
            // The chunk comes first: a row that is taken when the chunk is at its end would be lost.
            for (inflow, (earlier, later)) in inflow.iter_mut().zip(&mut rows) {
                *inflow = sum(sum(0.0, earlier, table, x), later, table, x);
            }
        }
    }

    /// A row often needs the result of the row before. What doesn't depend on that comes first: rates from
    /// states long before, and the division.
    pub(super) fn substitute(&self, table: &Table, exits: &[f64], x: &mut [f64], stop: &Stop) {
        let mut rows = self.earlier.rows().enumerate();
        for exits in exits.chunks(BETWEEN_STOPS) {
            if stop.is_due() {
                return;
            }
            for (exit, (state, row)) in exits.iter().zip(&mut rows) {
                x[state] = sum(x[state], row, table, x) * (1.0 / exit);
            }
        }
    }

    pub(super) fn later_inflow(&self, table: &Table, x: &mut [f64], stop: &Stop) {
        for (state, row) in self.later.rows().enumerate() {
            if state.is_multiple_of(BETWEEN_STOPS) && stop.is_due() {
                return;
            }
            x[state] = sum(0.0, row, table, x);
        }
    }

    pub(super) fn sweep(&self, table: &Table, exits: &[f64], pi: &mut [f64], weight: f64, stop: &Stop) {
        let mut rows = self.earlier.rows().zip(self.later.rows()).enumerate();
        for exits in exits.chunks(BETWEEN_STOPS) {
            if stop.is_due() {
                return;
            }
            for (exit, (state, (earlier, later))) in exits.iter().zip(&mut rows) {
                let inflow = sum(sum(0.0, later, table, pi), earlier, table, pi);
                pi[state] = damped(weight, inflow * (1.0 / exit), pi[state]);
            }
        }
    }

    pub(super) fn sweep_backwards(&self, table: &Table, exits: &[f64], pi: &mut [f64], stop: &Stop) {
        let rows = self.earlier.rows_backwards().zip(self.later.rows_backwards());
        for ((earlier, later), (state, exit)) in rows.zip(exits.iter().enumerate().rev()) {
            if state.is_multiple_of(BETWEEN_STOPS) && stop.is_due() {
                return;
            }
            pi[state] = sum(sum(0.0, earlier, table, pi), later, table, pi) * (1.0 / exit);
        }
    }

    pub(super) fn for_each(
        &self,
        table: &Table,
        (states, first): (Range<usize>, Cut),
        visit: VisitRates<'_>,
        stop: &Stop,
    ) -> ControlFlow<()> {
        let mut rates = Vec::new();
        let rows = self.earlier.rows_from(states.clone(), first.earlier);
        let rows = rows.zip(self.later.rows_from(states.clone(), first.later));
        for (state, (earlier, later)) in states.zip(rows) {
            if state.is_multiple_of(BETWEEN_STOPS) && stop.is_due() {
                return ControlFlow::Break(());
            }
            for (columns, values) in [earlier, later] {
                visit(state, columns, decoded(values, table, &mut rates))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the rates into some states, which are in ascending order.
    pub(super) fn for_each_into(
        &self,
        table: &Table,
        states: &[u32],
        visit: VisitRates<'_>,
    ) -> ControlFlow<()> {
        let mut rates = Vec::new();
        let (mut before, mut starts) = (0, [0; 2]);
        for &state in states {
            let next = state as usize;
            for (triangle, start) in [&self.earlier, &self.later].into_iter().zip(&mut starts) {
                *start += triangle.counts[before..next].iter().map(|&count| count as usize).sum::<usize>();
                let range = *start..*start + triangle.counts[next] as usize;
                let values = decoded(&triangle.values[range.clone()], table, &mut rates);
                visit(next, &triangle.columns[range], values)?;
            }
            before = next;
        }
        ControlFlow::Continue(())
    }
}

/// A state, and how many entries from earlier and from later states the states before it have.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    pub(super) state: usize,
    pub(super) earlier: usize,
    pub(super) later: usize,
}

impl Cut {
    /// Before the first state.
    pub(super) const FIRST: Cut = Cut { state: 0, earlier: 0, later: 0 };

    /// Before a state of a list. Time: a pass over the counts of the states before it.
    pub(super) fn at(state: usize, lists: Lists<'_>) -> Cut {
        Cut::FIRST.moved_to(state, lists)
    }

    /// Before a state that is not earlier.
    pub(super) fn moved_to(self, state: usize, [(earlier, _), (later, _)]: Lists<'_>) -> Cut {
        let entries =
            |counts: &[u32]| counts[self.state..state].iter().map(|&count| count as usize).sum::<usize>();
        Cut { state, earlier: self.earlier + entries(earlier), later: self.later + entries(later) }
    }
}

/// The sources of a triangle, whose rows are looked up.
pub(super) struct Lookup<'l> {
    ends: Vec<usize>,
    columns: &'l [u32],
}

impl<'l> Lookup<'l> {
    pub(super) fn new(counts: &[u32], columns: &'l [u32]) -> Lookup<'l> {
        Lookup { ends: ends(counts), columns }
    }

    pub(super) fn of<V>(triangle: &'l Triangle<V>) -> Lookup<'l> {
        Lookup::new(&triangle.counts, &triangle.columns)
    }

    /// The states from which rates lead to a state.
    pub(super) fn sources(&self, state: usize) -> &'l [u32] {
        let start = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.columns[start..self.ends[state]]
    }
}

/// Where rows end.
pub(super) fn ends(counts: &[u32]) -> Vec<usize> {
    let mut end = 0;
    let ends = counts.iter().map(|&count| {
        end += count as usize;
        end
    });
    ends.collect()
}

/// Sorts the entries of a row by column. Rows are short.
pub(super) fn sort_row<V: Copy>(columns: &mut [u32], values: &mut [V]) {
    for sorted in 1..columns.len() {
        let (column, value) = (columns[sorted], values[sorted]);
        let mut at = sorted;
        while at > 0 && columns[at - 1] > column {
            (columns[at], values[at]) = (columns[at - 1], values[at - 1]);
            at -= 1;
        }
        (columns[at], values[at]) = (column, value);
    }
}
