//! Passes over a list for the transposed equations: what follows a state, rather than what leads to it.
//!
//! A list has the rates into each state, by target. When the row of a state is read, its value is added to
//! the sums of all states that lead to it, so that no second list, by source, has to be made.

use super::codes::{RateCode, Table};
use super::triangles::TriangularParts;
use super::{BETWEEN_STOPS, Context, Pass, TransposedRates};

impl TransposedRates {
    /// `sums(i) = sum of q(i, j) values(j)` over the other states.
    pub(crate) fn onward(&self, values: &[f64], sums: &mut [f64]) {
        sums.fill(0.0);
        self.do_with(Onward { values, sums });
    }

    /// In place, and from the last state to the first,
    /// `values(i) := (costs(i) + sum of q(i, j) values(j)) / exit(i)`. One state keeps its value. `sums` is
    /// room to work in.
    pub(crate) fn sweep_onward(&self, values: &mut [f64], (costs, kept): (&[f64], usize), sums: &mut [f64]) {
        sums.copy_from_slice(costs);
        self.do_with(Backwards { values, sums, kept });
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
    kept: usize,
}

impl Pass for Backwards<'_> {
    /// What follows a state earlier counts with the value from before the sweep, and what follows it later
    /// with the new one.
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        let Backwards { values, sums, kept } = self;
        for (row, &value) in rates.later.rows().zip(&*values) {
            add(row, context.table, value, sums);
        }
        for (row, state) in rates.earlier.rows_backwards().zip((0..values.len()).rev()) {
            if state.is_multiple_of(BETWEEN_STOPS) && context.stop.is_due() {
                return;
            }
            if state != kept {
                values[state] = sums[state] / context.exits[state];
            }
            add(row, context.table, values[state], sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::{Limits, Watch};
    use crate::operator::RateOperator;
    use crate::operator::transposed::TransposedRates;
    use crate::random_chain::{Draw, Lists, stiff, tandem};

    fn random(count: usize, draw: &mut Draw) -> Vec<f64> {
        (0..count).map(|_| draw.rate(2.0)).collect()
    }

    /// Asserts that two vectors are the same but for rounding.
    fn assert_same(found: &[f64], right: &[f64]) {
        let is_same = |(found, right): (&f64, &f64)| (found - right).abs() <= 1e-13 * right.abs();
        assert!(found.iter().zip(right).all(is_same), "{found:?}, not {right:?}");
    }

    /// Rows, their chain, and a vector.
    fn drawn(seed: u64) -> (Lists, Vec<f64>, Draw) {
        let mut draw = Draw(seed);
        let rows = if seed.is_multiple_of(2) { stiff(&mut draw) } else { tandem(&mut draw) };
        let values = random(rows.len(), &mut draw);
        (rows, values, draw)
    }

    fn sum_of(row: &[(u32, f64)], values: &[f64]) -> f64 {
        row.iter().map(|&(to, rate)| rate * values[to as usize]).sum()
    }

    #[test]
    fn sums_are_over_what_follows() {
        let limits = Limits::default();
        for seed in 0..100 {
            let (rows, values, _) = drawn(seed);
            let mut sums = vec![7.0; rows.len()];
            TransposedRates::of_lists(&rows, &mut Watch::start(&limits)).onward(&values, &mut sums);
            assert_same(&sums, &rows.iter().map(|row| sum_of(row, &values)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_sweep_sets_one_value_after_the_other() {
        let limits = Limits::default();
        for seed in 0..100 {
            let (rows, mut values, mut draw) = drawn(seed);
            let chain = TransposedRates::of_lists(&rows, &mut Watch::start(&limits));
            let (costs, kept) = (random(rows.len(), &mut draw), draw.below(rows.len()));
            let mut swept = values.clone();
            chain.sweep_onward(&mut swept, (&costs, kept), &mut vec![7.0; rows.len()]);
            for state in (0..rows.len()).rev().filter(|&state| state != kept) {
                values[state] = (costs[state] + sum_of(&rows[state], &values)) / chain.exits()[state];
            }
            assert_same(&swept, &values);
        }
    }

    #[test]
    fn a_sweep_backwards_balances_one_state_after_the_other() {
        let limits = Limits::default();
        for seed in 0..100 {
            let (rows, mut pi, _) = drawn(seed);
            let chain = TransposedRates::of_lists(&rows, &mut Watch::start(&limits));
            let mut swept = pi.clone();
            chain.sweep_backwards(&mut swept);
            for state in (0..rows.len()).rev() {
                let into = |(from, row): (usize, &Vec<(u32, f64)>)| {
                    let to_state = row.iter().filter(|(to, _)| *to as usize == state);
                    to_state.map(|(_, rate)| rate * pi[from]).sum::<f64>()
                };
                pi[state] = rows.iter().enumerate().map(into).sum::<f64>() / chain.exits()[state];
            }
            assert_same(&swept, &pi);
        }
    }
}
