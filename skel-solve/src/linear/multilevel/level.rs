//! A chain of a multilevel method, with an estimate.

use std::ops::ControlFlow;

use super::aggregates::{Aggregates, NONE};
use crate::operator::RateOperator;

/// Smaller values are set to this, so that shares of them are numbers.
const TINY: f64 = 1e-290;

/// The rates into each state, the estimate, and how the next smaller chain is made of it.
#[derive(Default)]
pub(super) struct Level {
    /// Where the rates into each state end.
    ends: Vec<u32>,
    columns: Vec<u32>,
    rates: Vec<f64>,
    pub(super) exits: Vec<f64>,
    /// The inverse of each exit rate.
    pub(super) inverses: Vec<f64>,
    pub(super) values: Vec<f64>,
    /// The group of each state, and for each rate the place of the smaller chain's rate to which it
    /// contributes.
    of_state: Vec<u32>,
    places: Vec<u32>,
    /// The share of each state in its group, and the values of the groups before the smaller chain is
    /// improved.
    shares: Vec<f64>,
    sums: Vec<f64>,
}

impl Level {
    /// The rates of a chain.
    pub(super) fn of(chain: &dyn RateOperator) -> Level {
        let count = chain.rates() as usize;
        let mut level = Level {
            ends: vec![0; chain.states()],
            columns: Vec::with_capacity(count),
            rates: Vec::with_capacity(count),
            exits: chain.exits().to_vec(),
            inverses: inverses(chain.exits()).collect(),
            values: vec![0.0; chain.states()],
            ..Level::default()
        };
        chain.for_each_rate(&mut |from, to, rate| {
            level.columns.push(from as u32);
            level.rates.push(rate);
            level.ends[to] = level.columns.len() as u32;
            ControlFlow::Continue(())
        });
        level
    }

    /// The rates into a state, with their sources.
    pub(super) fn rates_into(&self, state: usize) -> impl Iterator<Item = (usize, f64)> {
        let start = if state == 0 { 0 } else { self.ends[state - 1] };
        let range = start as usize..self.ends[state] as usize;
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
        self.values[state] = (inflow * self.inverses[state]).max(TINY);
    }

    /// Balances the states in their order.
    pub(super) fn sweep(&mut self) {
        (0..self.values.len()).for_each(|state| self.balance(state));
    }

    /// Balances the states from the last to the first.
    pub(super) fn sweep_backwards(&mut self) {
        (0..self.values.len()).rev().for_each(|state| self.balance(state));
    }

    /// Makes a smaller chain whose states are groups of this one's. Its lists are used again.
    pub(super) fn group(&mut self, aggregates: Aggregates, coarser: &mut Level) {
        let Aggregates { of_state, members } = aggregates;
        self.of_state = of_state;
        self.sums.resize(members.len(), 0.0);
        self.share();
        coarser.ends.clear();
        coarser.columns.clear();
        coarser.rates.clear();
        self.places.clear();
        self.places.resize(self.columns.len(), NONE);
        // For each group the place of the last rate out of it.
        let mut last = vec![NONE; members.len()];
        for (group, members) in members.iter().enumerate() {
            let start = coarser.columns.len() as u32;
            for &state in members.iter().filter(|&&state| state != NONE) {
                let first = if state == 0 { 0 } else { self.ends[state as usize - 1] };
                let range = first as usize..self.ends[state as usize] as usize;
                let entries = self.columns[range.clone()].iter().zip(&self.rates[range.clone()]);
                for ((&column, rate), place) in entries.zip(&mut self.places[range]) {
                    let from = self.of_state[column as usize] as usize;
                    if from == group {
                        continue;
                    }
                    let flow = rate * self.shares[column as usize];
                    // A place before the group's first is one of another group.
                    if last[from] != NONE && last[from] >= start {
                        coarser.rates[last[from] as usize] += flow;
                    } else {
                        last[from] = coarser.columns.len() as u32;
                        coarser.columns.push(from as u32);
                        coarser.rates.push(flow);
                    }
                    *place = last[from];
                }
            }
            coarser.ends.push(coarser.columns.len() as u32);
        }
        coarser.set(&self.sums);
    }

    /// Sets the values and the rates of a smaller chain from the estimate.
    pub(super) fn restrict_to(&mut self, coarser: &mut Level) {
        self.share();
        coarser.rates.fill(0.0);
        for ((&place, rate), &from) in self.places.iter().zip(&self.rates).zip(&self.columns) {
            if place != NONE {
                coarser.rates[place as usize] += rate * self.shares[from as usize];
            }
        }
        coarser.set(&self.sums);
    }

    /// Adds up the values of the groups.
    fn share(&mut self) {
        self.sums.fill(0.0);
        for (value, &group) in self.values.iter().zip(&self.of_state) {
            self.sums[group as usize] += value;
        }
        self.shares.clear();
        let known = self.values.iter().zip(&self.of_state);
        self.shares.extend(known.map(|(value, &group)| value / self.sums[group as usize]));
    }

    /// Takes an estimate, and the exit rates that belong to the rates.
    fn set(&mut self, values: &[f64]) {
        self.values.clear();
        self.values.extend_from_slice(values);
        self.exits.clear();
        self.exits.resize(values.len(), 0.0);
        for (rate, &from) in self.rates.iter().zip(&self.columns) {
            self.exits[from as usize] += rate;
        }
        self.inverses.clear();
        self.inverses.extend(inverses(&self.exits));
    }

    /// Corrects the estimate by that of the smaller chain.
    pub(super) fn correct_by(&mut self, coarser: &Level) {
        self.sums.iter_mut().zip(&coarser.values).for_each(|(sum, value)| *sum = value / *sum);
        for (value, &group) in self.values.iter_mut().zip(&self.of_state) {
            *value = (*value * self.sums[group as usize]).max(TINY);
        }
    }
}

fn inverses(exits: &[f64]) -> impl Iterator<Item = f64> {
    exits.iter().map(|exit| 1.0 / exit)
}
