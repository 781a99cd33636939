//! The steady state of a model in which some actions are immediate: they take no time.
//!
//! An immediate action is the limit of an action whose rate `c` grows without bound. A state in which an immediate action is
//! enabled is *vanishing*: in the limit it is left at once, and by immediate actions alone, each with a probability in
//! proportion to its rate in the explored model, which is its *weight*. The other states are *tangible*. A transition from a
//! tangible state into a vanishing one leads in no time to some tangible state; [`branches`] finds the probabilities. What is
//! left is a Markov chain over the tangible states alone.
//!
//! If no immediate actions can follow one another for ever and this chain has one recurrent class, then the steady state of the
//! model with the rate `c` converges to the one found here, with an error in proportion to `1 / c` (M. Ajmone Marsan, G. Conte
//! and G. Balbo, A class of generalized stochastic Petri nets, 1984; P.-J. Courtois, Decomposability, 1977). With several
//! classes the limit would depend on what happens between them at the rate `1 / c`, so there is no answer. Vanishing states
//! have the probability 0, but the throughput of immediate actions is as large as that of what leads to them.
//!
//! Cost: four passes over the transitions beside the solution of the smaller chain, and memory for the transitions that leave
//! vanishing states. Nothing is subtracted, so in `f64` a probability loses some digits at most, and fractions are exact.

mod branches;
#[cfg(test)]
mod tests;

use std::time::Instant;

use num_bigint::BigUint;
use num_traits::{One, Zero};
use skel_core::graph::Adjacency;
use skel_core::model::{ActionId, Model};
use skel_core::number::{Number, Ratio};

use self::branches::Branches;
use super::{Options, Report, SteadyState, choice, of_generator};
use crate::chain::{
    Classification, Generator, Matrix, classification_memory, classify_graph, describe_classes,
};
use crate::error::{Classes, Error, NotConverged};
use crate::limits::memory::MemoryBudget;
use crate::limits::{BETWEEN_LOOKS, Limits, Watch};
use crate::linear::MethodUsed;
use crate::measure::Probabilities;
use crate::measure::throughputs::{are_in_range, of_representatives};
use crate::measure::weights::{Proportions, Weights};
use crate::space::{Labelled, StateSpace};
use crate::vector::sums::BlockSum;

/// Solves in `f64`, where some actions are immediate.
///
/// # Panics
/// If immediate actions can follow one another for ever.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn in_floats(
    space: &StateSpace,
    immediate: &[ActionId],
    limits: &Limits,
    options: &Options,
) -> Result<SteadyState<Model, f64>, Error> {
    let started = Instant::now();
    let mut watch = Watch::start(limits);
    let budget = MemoryBudget::new(limits).beside(space.memory());
    let limit = LimitChain::<f64>::new(space, immediate, budget, &mut watch)?;
    let (pi, mut report) = match limit.tangible.len() {
        1 => (vec![1.0], Report::new(choice::DIRECT)),
        _ => {
            let generator = limit.generator(budget, &mut watch)?;
            let budget = budget.beside(limit.memory());
            of_generator::in_floats(&generator, budget, limits, options)?
        }
    };
    let throughputs = limit.throughputs(&pi, &mut watch)?;
    let lost = limit.lost(&pi, &mut watch)?;
    if !are_in_range(&lost, &pi, &throughputs) {
        let beyond = format!("{} met numbers beyond the range of `f64`", report.method);
        let tried = report.handed_over.into_iter().chain([beyond]).collect();
        return Err(Error::NotConverged(NotConverged { tolerance: options.tolerance, tried }));
    }
    report.solved_in = started.elapsed();
    let weights = Weights::Numbers(limit.over_all_states(pi));
    let probabilities = Probabilities::new(space, weights, throughputs);
    Ok(SteadyState { probabilities, classification: limit.classification, report })
}

/// Solves in exact fractions, where some actions are immediate.
///
/// # Panics
/// If immediate actions can follow one another for ever.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn in_fractions(
    space: &StateSpace,
    immediate: &[ActionId],
    limits: &Limits,
) -> Result<SteadyState<Model, Ratio>, Error> {
    let started = Instant::now();
    let mut watch = Watch::start(limits);
    let budget = MemoryBudget::new(limits).beside(space.memory());
    let limit = LimitChain::<Ratio>::new(space, immediate, budget, &mut watch)?;
    let parts = match limit.tangible.len() {
        1 => vec![BigUint::one()],
        _ => {
            let generator = limit.generator(budget, &mut watch)?;
            let budget = budget.beside(limit.memory());
            of_generator::proportions(&generator, budget, &mut watch)?
        }
    };
    // Whole numbers in proportion to the probabilities have no long denominators; their sum divides at the end.
    let whole: Vec<Ratio> = parts.iter().map(|part| Ratio::from_integer(part.clone().into())).collect();
    let throughputs = limit.throughputs(&whole, &mut watch)?;
    let parts = limit.over_all_states(parts);
    let proportions = Proportions::of_classes(&limit.classification.recurrent, &[BigUint::one()], parts);
    let report = Report { solved_in: started.elapsed(), ..Report::new(MethodUsed::Exact) };
    let probabilities = Probabilities::new(space, Weights::Proportions(proportions), throughputs);
    Ok(SteadyState { probabilities, classification: limit.classification, report })
}

/// The limit of a chain, restricted to its recurrent class.
struct LimitChain<'s, N> {
    space: &'s StateSpace,
    /// Per action whether it is immediate.
    is_immediate: Vec<bool>,
    /// What becomes of runs in the limit.
    classification: Classification,
    /// The tangible states of the recurrent class, ascending.
    tangible: Vec<u32>,
    /// Its vanishing states, ascending, with the immediate transitions that leave them.
    branches: Branches<N>,
    /// Per state its place among the tangible or the vanishing states, whichever it is.
    places: Vec<Place>,
}

/// Where a state is listed.
#[derive(Clone, Copy)]
enum Place {
    /// In none of the lists: in the limit runs leave the state for ever, or never come to it.
    Nowhere,
    /// The number among the tangible states.
    Tangible(u32),
    /// The number among the vanishing states.
    Vanishing(u32),
}

impl<'s, N: Number> LimitChain<'s, N> {
    fn new(
        space: &'s StateSpace,
        immediate: &[ActionId],
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Error> {
        let mut is_immediate = vec![false; space.model().actions().len()];
        immediate.iter().for_each(|action| is_immediate[action.index()] = true);
        let (classification, is_vanishing, transitions) = classified(space, &is_immediate, budget, watch)?;
        budget.check(Self::most_memory(space, transitions))?;
        let class = &classification.recurrent[0];
        let (vanishing, tangible): (Vec<u32>, Vec<u32>) =
            class.iter().partition(|&&state| is_vanishing[state as usize]);
        let mut places = vec![Place::Nowhere; space.states()];
        for (number, &state) in tangible.iter().enumerate() {
            places[state as usize] = Place::Tangible(number as u32);
        }
        for (number, &state) in vanishing.iter().enumerate() {
            places[state as usize] = Place::Vanishing(number as u32);
        }
        let branches = Branches::new(space, vanishing, &is_immediate, &places, transitions, watch)?;
        Ok(LimitChain { space, is_immediate, classification, tangible, branches, places })
    }

    /// The bytes that the limit of a space takes at most, with so many transitions from vanishing states.
    fn most_memory(space: &StateSpace, transitions: usize) -> u64 {
        let lists = size_of::<Place>() + 2 * size_of::<u32>() + 1;
        space.states() as u64 * lists as u64 + Branches::<N>::most_memory(space.states(), transitions)
    }

    /// The generator over the tangible states.
    fn generator(&self, budget: MemoryBudget, watch: &mut Watch<'_>) -> Result<Generator<N>, Error> {
        let per_entry = (size_of::<u32>() + size_of::<N>()) as u64;
        let ends = self.branches.ends(&self.places, budget, watch)?;
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut row: Vec<(u32, N)> = Vec::new();
        let pause = || watch.prepare();
        self.space.for_each_row_of(self.states(&self.tangible), pause, |_, transitions| {
            for Labelled { target, rate, .. } in transitions.drain(..) {
                match self.places[target as usize] {
                    Place::Tangible(column) => row.push((column, rate)),
                    Place::Vanishing(number) => ends.spread(number, &rate, &mut row),
                    Place::Nowhere => unreachable!("no transition leaves a recurrent class"),
                }
            }
            let own = offsets.len() as u32 - 1;
            add_up(&mut row, own);
            for (column, value) in row.drain(..) {
                columns.push(column);
                values.push(value);
            }
            offsets.push(columns.len());
            if offsets.len().is_multiple_of(BETWEEN_LOOKS) {
                let matrix = columns.capacity() as u64 * per_entry + offsets.capacity() as u64 * 8;
                budget.check(self.memory() + ends.memory() + matrix)?;
            }
            Ok(())
        })?;
        Ok(Generator::new(Matrix::new(offsets, columns, values)))
    }

    /// The bytes that the limit takes beside the space.
    fn memory(&self) -> u64 {
        let lists = size_of_val(&self.places[..]) + size_of_val(&self.tangible[..]);
        self.branches.memory() + lists as u64 + 4 * self.classification.recurrent[0].len() as u64
    }

    /// The throughput of each action, where tangible states have probabilities in proportion to `weights`.
    fn throughputs(&self, weights: &[N], watch: &mut Watch<'_>) -> Result<Vec<N>, Error> {
        let total = weights.iter().fold(N::zero(), |sum, weight| sum + weight.clone());
        let throughputs = self.flows(weights, watch)?;
        Ok(throughputs.into_iter().map(|throughput| throughput / total.clone()).collect())
    }

    /// How often each action is done, where each tangible state is left at its own rates times its weight. Runs enter
    /// vanishing states as often as they leave them.
    fn flows(&self, weights: &[N], watch: &mut Watch<'_>) -> Result<Vec<N>, Error> {
        let mut sums: Vec<BlockSum<N>> = self.is_immediate.iter().map(|_| BlockSum::new()).collect();
        let mut inflows = vec![N::zero(); self.branches.states().len()];
        let mut weight = weights.iter();
        let pause = || watch.prepare();
        self.space.for_each_row_of(self.states(&self.tangible), pause, |state, transitions| {
            let weight = weight.next().expect("each tangible state has a weight");
            for Labelled { target, action, rate } in transitions.drain(..) {
                let flow = weight.clone() * rate;
                sums[action.index()].add(state, flow.clone());
                if let Place::Vanishing(number) = self.places[target as usize] {
                    let inflow = &mut inflows[number as usize];
                    *inflow = inflow.clone() + flow;
                }
            }
            Ok(())
        })?;
        self.branches.pass_on(&mut inflows, &self.places, &mut sums, watch)?;
        let sums = sums.iter().map(BlockSum::value).collect();
        Ok(of_representatives(self.space, sums))
    }

    fn states<'l>(&self, list: &'l [u32]) -> impl Iterator<Item = usize> + use<'l, N> {
        list.iter().map(|&state| state as usize)
    }

    /// Values of the tangible states as those of all states: the others have none.
    fn over_all_states<V: Clone + Zero>(&self, values: Vec<V>) -> Vec<V> {
        let mut all = vec![V::zero(); self.space.states()];
        for (&state, value) in self.tangible.iter().zip(values) {
            all[state as usize] = value;
        }
        all
    }
}

impl LimitChain<'_, f64> {
    /// What each throughput may have lost to probabilities too small for `f64`.
    fn lost(&self, pi: &[f64], watch: &mut Watch<'_>) -> Result<Vec<f64>, Error> {
        let is_rare = |&probability: &f64| probability < f64::MIN_POSITIVE;
        if !pi.iter().any(is_rare) {
            return Ok(vec![0.0; self.is_immediate.len()]);
        }
        let most = |probability| if is_rare(probability) { f64::MIN_POSITIVE } else { 0.0 };
        self.flows(&pi.iter().map(most).collect::<Vec<f64>>(), watch)
    }
}

/// What becomes of runs in the limit, if there is one recurrent class; which states are vanishing; and how many transitions leave
/// these.
fn classified(
    space: &StateSpace,
    is_immediate: &[bool],
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<(Classification, Vec<bool>, usize), Error> {
    budget.check(classification_memory(space) + space.states() as u64)?;
    let mut graph = Adjacency::with_capacity(space.states(), space.transitions());
    let mut is_vanishing = Vec::with_capacity(space.states());
    let mut transitions = 0;
    space.for_each_row::<f64, _>(
        || watch.prepare(),
        |_, row| {
            let is_left_at_once = keep_immediate(row, is_immediate);
            is_vanishing.push(is_left_at_once);
            transitions += if is_left_at_once { row.len() } else { 0 };
            graph.push(row.iter().map(|transition| transition.target));
            Ok(())
        },
    )?;
    let classification = classify_graph(&graph, || watch.prepare())?;
    match classification.recurrent.len() {
        1 => Ok((classification, is_vanishing, transitions)),
        count => {
            let lines = describe_classes(space, &classification);
            Err(Error::SeveralRecurrentClasses(Classes { count, lines }))
        }
    }
}

/// Keeps the immediate transitions of a state, if there are any: whether there are.
fn keep_immediate<N>(row: &mut Vec<Labelled<N>>, is_immediate: &[bool]) -> bool {
    let is_vanishing = row.iter().any(|transition| is_immediate[transition.action.index()]);
    if is_vanishing {
        row.retain(|transition| is_immediate[transition.action.index()]);
    }
    is_vanishing
}

/// Makes rates to other states a row of the generator: by column, each column once, with minus the sum in its own.
fn add_up<N: Number>(row: &mut Vec<(u32, N)>, own: u32) {
    row.retain(|&(column, _)| column != own);
    merge(row);
    let exit = row.iter().fold(N::zero(), |sum, (_, rate)| sum + rate.clone());
    let before = row.partition_point(|&(column, _)| column < own);
    row.insert(before, (own, N::zero() - exit));
}

/// Sorts entries by column, and makes those of one column one.
fn merge<N: Number>(entries: &mut Vec<(u32, N)>) {
    // The place breaks ties. What is sorted is plain numbers, so that one sort is compiled for all types of rates.
    let mut order: Vec<(u32, u32)> = Vec::with_capacity(entries.len());
    for (place, &(column, _)) in entries.iter().enumerate() {
        order.push((column, place as u32));
    }
    order.sort_unstable();
    let mut merged: Vec<(u32, N)> = Vec::with_capacity(entries.len());
    for (column, place) in order {
        let rate = entries[place as usize].1.clone();
        match merged.last_mut() {
            Some((last, sum)) if *last == column => *sum = sum.clone() + rate,
            _ => merged.push((column, rate)),
        }
    }
    *entries = merged;
}
