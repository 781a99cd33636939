//! The steady state of an irreducible chain that is given by its generator alone.

use num_bigint::{BigInt, BigUint};
use skel_core::number::{Number, Ratio};

use crate::chain::Generator;
use crate::error::{Error, Reached, Stopped};
use crate::limits::{Limit, Limits, Watch};
use crate::linear::modular;
use crate::steady::{Options, Report, choice};

/// The steady state in `f64`, beside which so many bytes are taken.
pub(crate) fn in_floats(
    generator: &Generator<f64>,
    taken: u64,
    limits: &Limits,
    options: &Options,
) -> Result<(Vec<f64>, Report), Error> {
    let mut watch = Watch::start(limits);
    let mut report = Report::new(choice::DIRECT);
    let taken = afford(generator, taken, limits, options.eliminated_up_to())?;
    let pi = choice::solve(generator, None, taken, limits, options, &mut watch, &mut report)?;
    report.solved_in = watch.elapsed();
    Ok((pi, report))
}

/// The steady state in exact fractions, verified.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn in_fractions(
    generator: &Generator<Ratio>,
    taken: u64,
    limits: &Limits,
) -> Result<(Vec<Ratio>, Report), Error> {
    let mut watch = Watch::start(limits);
    let proportions = proportions(generator, taken, limits, &mut watch)?;
    let sum = BigInt::from(proportions.iter().sum::<BigUint>());
    let pi = proportions.into_iter().map(|part| Ratio::new(part.into(), sum.clone())).collect();
    Ok((pi, Report { solved_in: watch.elapsed(), ..Report::new(modular::METHOD) }))
}

/// Whole numbers in proportion to the steady state, verified.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn proportions(
    generator: &Generator<Ratio>,
    taken: u64,
    limits: &Limits,
    watch: &mut Watch<'_>,
) -> Result<Vec<BigUint>, Error> {
    let taken = afford(generator, taken, limits, usize::MAX)?;
    modular::solve(generator, taken, limits, watch)
}

/// Refuses to start what would not fit. Returns the bytes that are taken then.
fn afford<N: Number>(
    generator: &Generator<N>,
    taken: u64,
    limits: &Limits,
    direct_up_to: usize,
) -> Result<u64, Error> {
    let (states, entries) = (generator.matrix().rows(), generator.matrix().entries());
    let matrix = entries as u64 * (size_of::<u32>() + size_of::<N>()) as u64 + states as u64 * 8;
    let method = choice::memory::<N>(states, entries, direct_up_to);
    let taken = taken.saturating_add(matrix).saturating_add(method);
    if taken > limits.memory {
        return Err(Error::Stopped(Stopped {
            limit: Limit::Memory(limits.memory),
            reached: Reached::Preparing,
        }));
    }
    Ok(taken)
}
