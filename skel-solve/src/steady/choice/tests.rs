//! Hardly an estimated error is below the true one, in random chains of several kinds that are solved to
//! several tolerances by several methods.
//!
//! `CHAINS=100000 cargo test --release -p skel-solve hardly_an_estimate` tries more of them.

use super::solve;
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::MethodUsed;
use crate::linear::elimination;
use crate::random_chain::{Draw, generator, in_parts, lattice, queue, stiff, tandem, two_modes};
use crate::steady::{Method, Options, Report};

/// What elimination itself may be wrong by.
const ROUNDING: f64 = 1e-13;

/// One estimate in so many may be below the error.
const ONE_IN: u64 = 2000;

const METHODS: [Method; 8] = [
    Method::Automatic,
    Method::Automatic,
    Method::Automatic,
    Method::Automatic,
    Method::BiCgStab,
    Method::BiCgStabDilu,
    Method::BiCgStabIlu,
    Method::Gmres,
];

/// The stated error, and the true one, of a chain that has an answer.
fn tried(draw: &mut Draw) -> Option<(f64, f64)> {
    let limits = Limits { iterations: 2000, ..Limits::default() };
    let mut watch = Watch::start(&limits);
    let kinds = [stiff, queue, in_parts, tandem, lattice, two_modes];
    let rows = kinds[draw.below(kinds.len())](draw);
    let method = METHODS[draw.below(METHODS.len())];
    let tolerance = if draw.below(2) == 0 { 1e-10 } else { 10_f64.powf(-4.0 - 6.0 * draw.share()) };
    let options = Options { tolerance, direct_up_to: 0, method, ..Options::default() };
    let (generator, budget) = (generator(&rows), MemoryBudget::new(&limits));
    let mut report = Report::new(MethodUsed::Direct);
    let found = solve(&generator, None, budget, &limits, &options, &mut watch, &mut report);
    let found = match found {
        Ok(found) => found,
        Err(Error::NotConverged(_)) => return None,
        Err(error) => panic!("{error}"),
    };
    let pi = elimination::of_small(&generator, &mut watch);
    // What is solved is in proportion to the probabilities.
    let [sum, sum_found]: [f64; 2] = [&pi, &found].map(|values| values.iter().sum());
    let errors = pi.iter().zip(&found).map(|(value, found)| (found / sum_found / (value / sum) - 1.0).abs());
    Some((report.error, errors.fold(0.0, f64::max)))
}

#[test]
fn hardly_an_estimate_is_below_the_error() {
    let chains = std::env::var("CHAINS").ok().and_then(|count| count.parse().ok()).unwrap_or(10_000);
    let (mut answered, mut close) = (0, 0);
    let mut below = Vec::new();
    for seed in 0..chains {
        let Some((stated, error)) = tried(&mut Draw(seed)) else { continue };
        if error > stated + ROUNDING {
            below.push(format!("chain {seed}: {stated:.1e} is stated for {error:.1e}"));
        }
        answered += 1;
        close += u64::from(stated <= 1000.0 * error + 10.0 * ROUNDING);
    }
    println!("{} of {answered} stated errors are too small, {close} are close", below.len());
    assert!(below.len() as u64 * ONE_IN <= answered, "{} of {answered}: {below:#?}", below.len());
    assert!(4 * answered > 3 * chains, "{answered} of {chains} have an answer");
    assert!(4 * close > 3 * answered, "{close} of {answered} stated errors are close");
}
