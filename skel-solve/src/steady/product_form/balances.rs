//! Balance equations of some states, as equations for factors.
//!
//! The equation of a state says that its inflow is its outflow. Divided by the outflow it is a sum over the
//! sources, in which only the factors of fields that differ count:
//!
//! `sum of share * product of factor(source) / factor(state) = 1`, where a share is the rate from the source,
//! divided by the state's exit rate.

use std::ops::{ControlFlow, Range};

use super::form::ProductForm;
use crate::operator::RateOperator;
use crate::space::StateSpace;

/// The rates into some states of a chain.
#[derive(Default)]
pub(super) struct Inflows {
    pub(super) states: Vec<u32>,
    /// Where the rates into each state end.
    ends: Vec<usize>,
    pub(super) sources: Vec<u32>,
    rates: Vec<f64>,
}

impl Inflows {
    /// The rates into some states, which are in ascending order.
    pub(super) fn of(chain: &dyn RateOperator, states: &[u32]) -> Inflows {
        let mut inflows = Inflows::default();
        inflows.add(chain, states);
        inflows
    }

    /// About the bytes of these rates and of their equations, in which up to four factors change with each.
    pub(super) fn memory_of_balances(&self) -> u64 {
        const OF_A_RATE: u64 = 12 + 4 * 8 + 4 * 8;
        OF_A_RATE * self.sources.len() as u64
    }

    /// Adds those into more states, which are in ascending order.
    pub(super) fn add(&mut self, chain: &dyn RateOperator, states: &[u32]) {
        chain.for_each_rates_into(states, &mut |state, sources, rates| {
            if self.states.last() != Some(&(state as u32)) {
                self.states.push(state as u32);
                self.ends.push(self.sources.len());
            }
            self.sources.extend_from_slice(sources);
            self.rates.extend_from_slice(rates);
            self.ends[self.states.len() - 1] = self.sources.len();
            ControlFlow::Continue(())
        });
    }
}

/// The balance equations of some states. The factors that occur in them are the unknowns.
pub(super) struct Balances {
    /// Where the terms of each equation end.
    ends: Vec<usize>,
    /// The rate of each term.
    rates: Vec<f64>,
    /// Where the ratios of each term end.
    ratio_ends: Vec<usize>,
    /// Ratios of factors, by the numbers of two unknowns: that of the source, and that of the state.
    ratios: Vec<[u32; 2]>,
    /// The exit rate of each state.
    exits: Vec<f64>,
    /// The factors that are unknown, by their numbers.
    unknowns: Vec<u32>,
}

/// Marks a factor that is no unknown yet.
const NONE: u32 = u32::MAX;

impl Balances {
    /// The equations of some states of a chain.
    pub(super) fn new(
        form: &ProductForm,
        space: &StateSpace,
        (chain, inflows): (&dyn RateOperator, Inflows),
    ) -> Balances {
        let Inflows { states, ends, sources, rates } = inflows;
        let mut balances = Balances {
            ratio_ends: Vec::with_capacity(rates.len()),
            ratios: Vec::new(),
            exits: states.iter().map(|&state| chain.exits()[state as usize]).collect(),
            unknowns: Vec::new(),
            ends,
            rates,
        };
        let mut numbers = vec![NONE; form.factors()];
        let mut of_state = Vec::new();
        for (equation, &state) in states.iter().enumerate() {
            space.with_packed(chain.number_of(state as usize), |packed| {
                of_state.clear();
                of_state.extend(form.factors_of(packed));
            });
            let (start, end) = (balances.ratio_ends.len(), balances.ends[equation]);
            for &source in &sources[start..end] {
                space.with_packed(chain.number_of(source as usize), |packed| {
                    let pairs = form.factors_of(packed).zip(&of_state);
                    for (source, &state) in pairs.filter(|(source, state)| source != *state) {
                        let pair = [source, state].map(|factor| balances.unknown(factor, &mut numbers));
                        balances.ratios.push(pair);
                    }
                });
                balances.ratio_ends.push(balances.ratios.len());
            }
        }
        balances
    }

    /// The unknown of a factor.
    fn unknown(&mut self, factor: u32, numbers: &mut [u32]) -> u32 {
        let number = &mut numbers[factor as usize];
        if *number == NONE {
            *number = self.unknowns.len() as u32;
            self.unknowns.push(factor);
        }
        *number
    }

    /// The number of unknowns.
    pub(super) fn unknowns(&self) -> usize {
        self.unknowns.len()
    }

    /// Puts the values of the unknowns among those of all factors.
    pub(super) fn put(&self, values: &[f64], factors: &mut [f64]) {
        self.unknowns.iter().zip(values).for_each(|(&factor, &value)| factors[factor as usize] = value);
    }

    /// The share of each term: its rate, divided by the exit rate of the state.
    pub(super) fn shares(&self) -> Vec<f64> {
        self.divided(self.rates.iter().copied(), &self.exits)
    }

    /// The shares in a chain whose rates are raised to a power. `leaving` has the rates out of each state.
    pub(super) fn shares_at(&self, power: f64, leaving: &[Vec<f64>]) -> Vec<f64> {
        let exits: Vec<f64> =
            leaving.iter().map(|rates| rates.iter().map(|rate| rate.powf(power)).sum()).collect();
        self.divided(self.rates.iter().map(|rate| rate.powf(power)), &exits)
    }

    /// The values of all terms, each divided by the value of its equation.
    fn divided(&self, mut of_terms: impl Iterator<Item = f64>, of_equations: &[f64]) -> Vec<f64> {
        let mut shares = Vec::with_capacity(self.rates.len());
        for (exit, &end) in of_equations.iter().zip(&self.ends) {
            let count = end - shares.len();
            shares.extend(of_terms.by_ref().take(count).map(|rate| rate / exit));
        }
        shares
    }

    /// Calls `found` with each equation and the numbers of its terms.
    pub(super) fn for_each_equation(&self, mut found: impl FnMut(usize, Range<usize>)) {
        let mut start = 0;
        for (equation, &end) in self.ends.iter().enumerate() {
            found(equation, start..end);
            start = end;
        }
    }

    /// The pairs of unknowns whose ratios a term has.
    pub(super) fn ratios_of(&self, term: usize) -> &[[u32; 2]] {
        let start = term.checked_sub(1).map_or(0, |before| self.ratio_ends[before]);
        &self.ratios[start..self.ratio_ends[term]]
    }
}
