//! The time until an end, from states that are drawn at the start: a phase-type distribution.
//!
//! With `alpha` the weights of the start, `T` the generator among the states before the end and `e` the rates
//! into it,
//!
//! ```text
//! P(time <= t) = alpha integral of exp(T s) e over [0, t]      density = alpha exp(T t) e      E[time^k] = k! alpha (-T)^-k 1
//! ```
//!
//! (M. F. Neuts, Matrix-Geometric Solutions in Stochastic Models, 1981, chapter 2). Runs may begin at the
//! end: then the distribution has an atom at zero. They may also never come to it; moments are then those of
//! the runs that do.
//!
//! - [`curve`]: the distribution function and the density at many times, and quantiles, from one pass of
//!   uniformisation;
//! - [`moments`]: moments by one system of equations each, with a bound, or exactly.

mod curve;
mod known;
mod moments;
mod quantile;
#[cfg(test)]
mod tests;

use num_traits::Zero;
use skel_core::graph::Adjacency;
use skel_core::number::Number;

use crate::over_time::absorption::reach::{Predecessors, reached_from};
use crate::over_time::absorption::{BeforeEnd, Rows};

pub(crate) use curve::Wanted;

/// The time until an end.
#[derive(Clone, Debug)]
pub(crate) struct TimeToEnd<N> {
    /// The states from which the end may still be reached; they are left for it, or for states from which it
    /// may not.
    before: BeforeEnd<N>,
    /// Their rates into the end.
    ends: Vec<N>,
    /// The weights with which runs begin in them.
    start: Vec<N>,
    /// The weight of the runs that begin at the end.
    at_once: N,
    /// A bound on the sum of the errors of all weights.
    start_error: f64,
    is_sure: bool,
}

impl<N: Number> TimeToEnd<N> {
    /// From all states that may be visited, with their rates among themselves and into the end. Those that
    /// cannot be reached, or from which the end cannot, are taken out. The weights sum to one, with the
    /// weight `at_once` of the runs that begin at the end; `start_error` is a bound on the sum of their
    /// errors.
    pub(crate) fn new(states: BeforeEnd<N>, start: Vec<N>, at_once: N, start_error: f64) -> TimeToEnd<N> {
        let kept = kept(&states, &start);
        let Some(kept) = kept else {
            let ends = states.leaves.clone();
            return TimeToEnd { before: states, ends, start, at_once, start_error, is_sure: true };
        };
        let mut number = vec![u32::MAX; states.states()];
        kept.iter().enumerate().for_each(|(place, &state)| number[state] = place as u32);
        let mut rows = Rows::new();
        let mut row = Vec::new();
        let is_kept = |state: usize| number[state] != u32::MAX;
        let is_visited = reached_from(&graph(&states), indices(&start), &|_| true);
        let mut is_sure = (0..start.len()).all(|state| start[state].is_zero() || is_kept(state));
        for &state in &kept {
            let mut leave = states.leaves[state].clone();
            for (target, rate) in states.rates.row(state) {
                match is_kept(target) {
                    true => row.push((number[target], rate.clone())),
                    false => {
                        is_sure &= !is_visited[target];
                        leave = leave + rate.clone();
                    }
                }
            }
            rows.push(&mut row, leave);
        }
        let of_kept = |values: &[N]| kept.iter().map(|&state| values[state].clone()).collect();
        TimeToEnd {
            before: rows.finish(),
            ends: of_kept(&states.leaves),
            start: of_kept(&start),
            at_once,
            start_error,
            is_sure,
        }
    }

    /// The states before the end.
    pub(crate) fn states(&self) -> usize {
        self.start.len()
    }

    /// Whether every run comes to the end, with probability one.
    pub(crate) fn is_sure(&self) -> bool {
        self.is_sure
    }

    /// Whether no run ever comes to the end.
    pub(crate) fn is_impossible(&self) -> bool {
        self.at_once.is_zero() && self.start.iter().all(Zero::is_zero)
    }
}

/// The states that are reached from the start and from which the end is reached; `None` if these are all.
fn kept<N: Number>(states: &BeforeEnd<N>, start: &[N]) -> Option<Vec<usize>> {
    let graph = graph(states);
    let goals: Vec<bool> = states.leaves.iter().map(|rate| !rate.is_zero()).collect();
    let can_end = Predecessors::of(&graph).can_reach(&goals, &|_| true);
    let is_reached = reached_from(&graph, indices(start), &|_| true);
    let kept: Vec<usize> = (0..start.len()).filter(|&state| can_end[state] && is_reached[state]).collect();
    (kept.len() < start.len()).then_some(kept)
}

/// Where some numbers are not zero.
fn indices<N: Number>(values: &[N]) -> impl Iterator<Item = usize> {
    (0..values.len()).filter(|&state| !values[state].is_zero())
}

fn graph<N: Number>(states: &BeforeEnd<N>) -> Adjacency {
    let mut graph = Adjacency::with_capacity(states.states(), states.rates.entries());
    for state in 0..states.states() {
        graph.push(states.rates.columns_of(state).iter().copied());
    }
    graph
}
