//! A chain of a multilevel method, with an estimate.

use std::ops::ControlFlow;

use super::aggregates::{Aggregates, NONE};
use crate::operator::RateOperator;

/// Smaller values are set to this, so that shares of them are numbers.
const TINY: f64 = 1e-290;

/// The rates into each state, the estimate, and how the next smaller chain is made of it.
#[derive(Default)]
pub(super) struct Level {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    rates: Vec<f64>,
    pub(super) exits: Vec<f64>,
    pub(super) values: Vec<f64>,
    /// The group of each state, and for each rate the place of the smaller chain's rate to which it contributes.
    of_state: Vec<u32>,
    places: Vec<u32>,
    /// The values of the groups before the smaller chain is improved.
    sums: Vec<f64>,
}

impl Level {
    /// The rates of a chain.
    pub(super) fn of(chain: &dyn RateOperator) -> Level {
        let count = chain.rates() as usize;
        let mut level = Level {
            offsets: vec![0; chain.states() + 1],
            columns: Vec::with_capacity(count),
            rates: Vec::with_capacity(count),
            exits: chain.exits().to_vec(),
            values: vec![0.0; chain.states()],
            ..Level::default()
        };
        chain.for_each_rate(&mut |from, to, rate| {
            level.columns.push(from as u32);
            level.rates.push(rate);
            level.offsets[to + 1] = level.columns.len();
            ControlFlow::Continue(())
        });
        level
    }

    /// The rates into a state, with their sources.
    pub(super) fn rates_into(&self, state: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.offsets[state]..self.offsets[state + 1];
        let columns = self.columns[range.clone()].iter().map(|&column| column as usize);
        columns.zip(self.rates[range].iter().copied())
    }

    /// Calls `visit(i, j, q(i, j))` for all rates.
    pub(super) fn for_each_rate(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for state in 0..self.values.len() {
            self.rates_into(state).for_each(|(from, rate)| visit(from, state, rate));
        }
    }

    fn balance(&mut self, state: usize) {
        let inflow: f64 = self.rates_into(state).map(|(from, rate)| rate * self.values[from]).sum();
        self.values[state] = (inflow / self.exits[state]).max(TINY);
    }

    /// Balances the states in their order.
    pub(super) fn sweep(&mut self) {
        (0..self.values.len()).for_each(|state| self.balance(state));
    }

    /// Balances the states from the last to the first.
    pub(super) fn sweep_backwards(&mut self) {
        (0..self.values.len()).rev().for_each(|state| self.balance(state));
    }

    /// A smaller chain whose states are groups of this one's, without numbers.
    pub(super) fn coarser(&mut self, aggregates: Aggregates) -> Level {
        let Aggregates { of_state, members } = aggregates;
        self.places.clear();
        self.places.resize(self.columns.len(), NONE);
        let mut coarser = Level { offsets: Vec::with_capacity(members.len() + 1), ..Level::default() };
        coarser.offsets.push(0);
        // For each group the place of the last rate out of it.
        let mut last = vec![NONE; members.len()];
        for (group, members) in members.iter().enumerate() {
            let start = coarser.columns.len();
            for &state in members.iter().filter(|&&state| state != NONE) {
                for at in self.offsets[state as usize]..self.offsets[state as usize + 1] {
                    let from = of_state[self.columns[at] as usize] as usize;
                    if from == group {
                        continue;
                    }
                    if last[from] == NONE || (last[from] as usize) < start {
                        last[from] = coarser.columns.len() as u32;
                        coarser.columns.push(from as u32);
                    }
                    self.places[at] = last[from];
                }
            }
            coarser.offsets.push(coarser.columns.len());
        }
        self.of_state = of_state;
        self.sums = vec![0.0; members.len()];
        coarser.rates = vec![0.0; coarser.columns.len()];
        coarser.exits = vec![0.0; members.len()];
        coarser.values = vec![0.0; members.len()];
        coarser
    }

    /// Sets the values and the rates of a smaller chain from the estimate.
    pub(super) fn restrict_to(&mut self, coarser: &mut Level) {
        self.sums.fill(0.0);
        for (value, &group) in self.values.iter().zip(&self.of_state) {
            self.sums[group as usize] += value;
        }
        coarser.values.copy_from_slice(&self.sums);
        let shares: Vec<f64> = self
            .values
            .iter()
            .zip(&self.of_state)
            .map(|(value, &group)| value / self.sums[group as usize])
            .collect();
        coarser.rates.fill(0.0);
        for ((&place, rate), &from) in self.places.iter().zip(&self.rates).zip(&self.columns) {
            if place != NONE {
                coarser.rates[place as usize] += rate * shares[from as usize];
            }
        }
        coarser.exits.fill(0.0);
        for (rate, &from) in coarser.rates.iter().zip(&coarser.columns) {
            coarser.exits[from as usize] += rate;
        }
    }

    /// Corrects the estimate by that of the smaller chain.
    pub(super) fn correct_by(&mut self, coarser: &Level) {
        self.sums.iter_mut().zip(&coarser.values).for_each(|(sum, value)| *sum = value / *sum);
        for (value, &group) in self.values.iter_mut().zip(&self.of_state) {
            *value = (*value * self.sums[group as usize]).max(TINY);
        }
    }
}
