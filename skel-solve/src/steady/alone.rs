//! The steady state of an irreducible chain that is given by its generator alone.

use num_traits::Zero;
use skel_core::number::{Number, Ratio};

use super::ordering::Rule;
use super::{Options, Report, choice};
use crate::chain::Generator;
use crate::error::{Error, Reached, Stopped};
use crate::limits::{Limit, Limits, Watch};

/// The steady state in `f64`, beside which so many bytes are taken.
pub(crate) fn in_floats(
    generator: &Generator<f64>,
    taken: u64,
    limits: &Limits,
    options: &Options,
) -> Result<(Vec<f64>, Report), Error> {
    let mut watch = Watch::start(limits);
    let mut report = Report::of(choice::DIRECT);
    let taken = afford(generator, taken, limits, options.direct_up_to)?;
    let pi = choice::solve(generator, taken, limits, options, &mut watch, &mut report)?;
    report.residual = generator.residual(&pi);
    report.defect = generator.defect(&pi);
    report.solved_in = watch.elapsed();
    Ok((pi, report))
}

/// The steady state in exact fractions, verified.
pub(crate) fn in_fractions(
    generator: &Generator<Ratio>,
    taken: u64,
    limits: &Limits,
) -> Result<(Vec<Ratio>, Report), Error> {
    let mut watch = Watch::start(limits);
    let taken = afford(generator, taken, limits, usize::MAX)?;
    let pi = choice::eliminate(generator, Rule::LeastDegree, taken, limits, &mut watch)?;
    let is_solved = generator.left_product(&pi).iter().all(Zero::is_zero);
    assert!(is_solved, "an exact solution solves the equations");
    Ok((pi, Report { solved_in: watch.elapsed(), ..Report::of(super::EXACT) }))
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
    let method = choice::memory::<N>(states, entries, matrix, direct_up_to);
    let taken = taken.saturating_add(matrix).saturating_add(method);
    if taken > limits.memory {
        return Err(Error::Stopped(Stopped {
            limit: Limit::Memory(limits.memory),
            reached: Reached::Preparing,
        }));
    }
    Ok(taken)
}
