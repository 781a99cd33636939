//! Passes over a list for the transposed equations: what follows a state, rather than what leads to it.
//!
//! A list has the rates into each state, so that what a state adds to those before it is added when its row is read. No list by sources has to be made.

use super::{BETWEEN_STOPS, Context, Pass, RateCode, Table, TransposedRates, TriangularParts};
use crate::operator::RateOperator;

impl TransposedRates {
    /// `sums(i) = sum of q(i, j) values(j)` over the other states.
    pub(crate) fn onward(&self, values: &[f64], sums: &mut [f64]) {
        sums.fill(0.0);
        self.do_with(Onward { values, sums });
    }

    /// In place, and from the last state to the first, `values(i) := (costs(i) + sum of q(i, j) values(j)) / exit(i)`. One state keeps its value. `sums` is
    /// room to work in.
    pub(crate) fn sweep_onward(&self, values: &mut [f64], (costs, kept): (&[f64], usize), sums: &mut [f64]) {
        sums.copy_from_slice(costs);
        let exits = self.exits();
        self.do_with(Backwards { values, sums, exits, kept });
    }
}

/// Adds `q(i, j) value` to the sums of the states `i` of a row.
#[inline]
fn add<V: RateCode>((sources, rates): (&[u32], &[V]), table: &Table, value: f64, sums: &mut [f64]) {
    for (&from, &rate) in sources.iter().zip(rates) {
        sums[from as usize] += rate.rate(table) * value;
    }
}

struct Onward<'x> {
    values: &'x [f64],
    sums: &'x mut [f64],
}

impl Pass for Onward<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        let rows = rates.earlier.rows().zip(rates.later.rows()).zip(self.values);
        for (state, ((earlier, later), &value)) in rows.enumerate() {
            if state.is_multiple_of(BETWEEN_STOPS) && context.stop.is_due() {
                return;
            }
            add(earlier, context.table, value, self.sums);
            add(later, context.table, value, self.sums);
        }
    }
}

struct Backwards<'x> {
    values: &'x mut [f64],
    sums: &'x mut [f64],
    exits: &'x [f64],
    kept: usize,
}

impl Pass for Backwards<'_> {
    /// What follows a state earlier counts with the value from before the sweep, and what follows it later with the new one.
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        let Backwards { values, sums, exits, kept } = self;
        for (row, &value) in rates.later.rows().zip(&*values) {
            add(row, context.table, value, sums);
        }
        for (row, state) in rates.earlier.rows_backwards().zip((0..values.len()).rev()) {
            if state.is_multiple_of(BETWEEN_STOPS) && context.stop.is_due() {
                return;
            }
            if state != kept {
                values[state] = sums[state] / exits[state];
            }
            add(row, context.table, values[state], sums);
        }
    }
}
