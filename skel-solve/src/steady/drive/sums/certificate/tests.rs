//! No bound is below the error that it bounds, in random chains of several kinds whose estimates are wrong in
//! several ways; and most chains have a bound that is not far above it.
//!
//! `CHAINS=100000 cargo test --release -p skel-solve certificate` tries more of them.

use super::{Certificate, Net, grown};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::elimination;
use crate::linear::iteration::Iterations;
use crate::linear::krylov::{Preconditioning, Source};
use crate::operator::transposed::TransposedRates;
use crate::operator::{RateOperator, TriangularSweep};
use crate::random_chain::{Draw, generator, in_parts, nearly_full, queue, stiff, tandem};
use crate::steady::drive::likely::{Likely, RARE};

/// What elimination itself may be wrong by.
const ROUNDING: f64 = 1e-13;

/// Wrong by some share: in every state for itself, in half of the states alike, or by rare states alone; at
/// times smoothed by a sweep, which leaves what is hard to find.
fn estimate(chain: &TransposedRates, pi: &[f64], draw: &mut Draw) -> Vec<f64> {
    let size = 10_f64.powf(-1.0 - 11.0 * draw.share());
    let mut estimate = pi.to_vec();
    let kind = draw.below(3);
    for (state, value) in estimate.iter_mut().enumerate() {
        match kind {
            0 => *value *= 1.0 + size * (draw.share() - 0.5),
            1 if state < pi.len() / 2 => *value *= 1.0 + size,
            2 => *value = value.max(1e-3 * size * draw.share()),
            _ => {}
        }
    }
    for _ in 0..draw.below(4) {
        chain.sweep(&mut estimate, 1.0);
    }
    let sum: f64 = estimate.iter().sum();
    estimate.iter_mut().for_each(|value| *value /= sum);
    estimate
}

/// Sums like throughputs and populations: values in all states, or in few.
fn values(states: usize, draw: &mut Draw) -> Vec<Vec<f64>> {
    let of = |draw: &mut Draw, one_in: usize| -> Vec<f64> {
        (0..states).map(|_| if draw.below(one_in) == 0 { draw.rate(2.0) } else { 0.0 }).collect()
    };
    let mut all: Vec<Vec<f64>> = [1, 2, 10].iter().map(|&one_in| of(draw, one_in)).collect();
    if draw.below(4) == 0 {
        let alone = draw.below(states);
        all.push((0..states).map(|state| f64::from(u8::from(state == alone))).collect());
    }
    all
}

fn sum(pi: &[f64], values: &[f64]) -> f64 {
    pi.iter().zip(values).map(|(pi, value)| pi * value).sum()
}

/// What flows into each state too much, as `f64` tells it.
fn rounded(net: &[f64]) -> Net<'_> {
    Net { of_states: net, is_exact: false }
}

/// How a function for likely states is found.
#[derive(Clone, Copy, Debug)]
enum By {
    Iterations,
    Elimination,
}

impl By {
    fn function(
        self,
        likely: &Likely,
        [pi, costs]: [Vec<f64>; 2],
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
    ) -> Option<Certificate> {
        let task: (&dyn RateOperator, _) = (likely.chain(), Source::Chain(Preconditioning::Dilu));
        match self {
            By::Iterations => Certificate::find(task, None, (&pi, &costs), memory, budget).ok().flatten(),
            By::Elimination => Certificate::eliminated(likely, (&pi, &costs), memory, budget).ok().flatten(),
        }
    }
}

/// The bound for a chain, and the worst error of its sums.
fn tried(draw: &mut Draw) -> Option<(f64, f64)> {
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let kinds = [stiff, queue, in_parts, tandem, nearly_full];
    let rows = kinds[draw.below(kinds.len())](draw);
    let chain = TransposedRates::of_lists(&rows, &mut watch);
    let pi = elimination::of_small(&generator(&rows), &mut watch);
    let estimate = estimate(&chain, &pi, draw);
    let mut all = values(pi.len(), draw);
    all.retain(|values| sum(&pi, values) > 1e-250 && sum(&estimate, values) > 1e-250);
    if all.is_empty() {
        return None;
    }
    let sums: Vec<f64> = all.iter().map(|values| sum(&estimate, values)).collect();
    let distance = |state: usize| {
        let of = |(values, sum): (&Vec<f64>, &f64)| (values[state] / sum - 1.0).abs();
        all.iter().zip(&sums).map(of).fold(0.0, f64::max)
    };
    let distances: Vec<f64> = (0..pi.len()).map(distance).collect();
    let mut budget = Iterations::new(&mut watch, 10_000);
    let memory = MemoryBudget::new(&limits);
    let mut net = vec![0.0; pi.len()];
    chain.net(&estimate, &mut net);
    let costs = grown(&estimate, &net, &distances).filter(|_| draw.below(2) == 0);
    let costs = costs.as_deref().unwrap_or(&distances);
    // By the likely states first, where most are rare.
    let certificate = match Likely::of(&chain, (&estimate, RARE), memory, &mut budget).ok()? {
        Some(likely) => {
            let of_likely = [&estimate, costs].map(|values| likely.taken(values));
            let by = [By::Iterations, By::Elimination][draw.below(2)];
            let found = by.function(&likely, of_likely, memory, &mut budget)?;
            found.extended((&chain, &likely), costs, &mut budget).ok()?
        }
        None => {
            let task: (&dyn RateOperator, _) = (&chain, Source::Chain(Preconditioning::Dilu));
            Certificate::find(task, None, (&estimate, costs), memory, &mut budget).ok().flatten()?
        }
    };
    let is_exact = draw.below(2) == 0;
    if is_exact {
        chain.net_exactly([&estimate, &vec![0.0; pi.len()]], &chain.exit_remainders(), &mut net);
    }
    let bound = certificate.bound(&chain, &estimate, Net { of_states: &net, is_exact }, &distances).error;
    let error = all.iter().zip(&sums).map(|(values, found)| (found / sum(&pi, values) - 1.0).abs());
    bound.is_finite().then(|| (bound, error.fold(0.0, f64::max)))
}

#[test]
fn no_bound_is_below_the_error() {
    let chains = std::env::var("CHAINS").ok().and_then(|count| count.parse().ok()).unwrap_or(3000);
    let (mut bounded, mut close) = (0, 0);
    for seed in 0..chains {
        let Some((bound, error)) = tried(&mut Draw(seed)) else { continue };
        assert!(
            error <= 1.001 * bound + ROUNDING,
            "chain {seed}: the bound {bound:e} for the error {error:e}"
        );
        bounded += 1;
        close += u64::from(bound <= 1000.0 * error + 10.0 * ROUNDING);
    }
    assert!(5 * bounded > 2 * chains, "{bounded} of {chains} have a bound");
    assert!(2 * close > bounded, "{close} of {bounded} bounds are close");
}

/// Where most states are rare, a function for the likely ones is nearly always one for all states once it is
/// extended.
#[test]
fn functions_for_likely_states_are_extended_to_all() {
    let limits = Limits::default();
    let (mut watch, memory) = (Watch::start(&limits), MemoryBudget::new(&limits));
    let mut extended = [0; 2];
    for seed in 0..100 {
        let rows = nearly_full(&mut Draw(seed));
        let chain = TransposedRates::of_lists(&rows, &mut watch);
        let pi = elimination::of_small(&generator(&rows), &mut watch);
        let (mut net, costs) = (vec![0.0; pi.len()], vec![1.0; pi.len()]);
        chain.net(&pi, &mut net);
        let mut budget = Iterations::new(&mut watch, 10_000);
        let likely = Likely::of(&chain, (&pi, RARE), memory, &mut budget).ok().flatten();
        let likely = likely.unwrap_or_else(|| panic!("{seed}: most states are rare"));
        for (by, extended) in [By::Iterations, By::Elimination].into_iter().zip(&mut extended) {
            let of_likely = [&pi, &costs].map(|values| likely.taken(values));
            let found = by.function(&likely, of_likely, memory, &mut budget);
            let found = found.unwrap_or_else(|| panic!("{seed}: no function by {by:?}"));
            let function = found.extended((&chain, &likely), &costs, &mut budget);
            let function = function.unwrap_or_else(|_| panic!("a limit"));
            *extended += usize::from(function.bound(&chain, &pi, rounded(&net), &costs).error < 1e-10);
        }
    }
    assert!(extended[0] >= 90 && extended[1] >= 90, "{extended:?} of 100");
}

#[test]
fn costs_grow_with_rarity_where_little_is_left_of_rare_states() {
    let pi: Vec<f64> = (0..100).map(|state| 10_f64.powi(-2 * state)).collect();
    let costs = vec![1.0; 100];
    let small: Vec<f64> = pi.iter().map(|value| 1e-15 * value).collect();
    let largest = |net: &[f64]| grown(&pi, net, &costs).map(|costs| costs.into_iter().fold(0.0, f64::max));
    assert!(largest(&small).is_some_and(|largest| (largest / 1e32 - 1.0).abs() < 1e-6));
    // What is left of the rarest state would be multiplied by up to 1e32.
    let with_rarest = |share: f64| {
        let mut net = small.clone();
        net[99] = share * net[0];
        net
    };
    assert!(largest(&with_rarest(1e-16)).is_some_and(|largest| (largest / 1e16 - 1.0).abs() < 1e-6));
    assert_eq!(largest(&with_rarest(1e-3)), None);
    // In a chain without rare states, growth would add up.
    let even = vec![0.01; 100];
    assert!(grown(&even, &small, &costs).is_none_or(|grown| grown == costs));
}
