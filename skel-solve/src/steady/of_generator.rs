//! The steady state of an irreducible chain that is given by its generator alone.

use num_bigint::BigUint;
use skel_core::number::{Number, Ratio};

use crate::chain::Generator;
use crate::error::{Error, Stopped};
use crate::fraction::reduced_unless;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::MethodUsed;
use crate::linear::modular;
use crate::steady::{Options, Report, choice};

/// The steady state in `f64`, within a budget of memory.
pub(crate) fn in_floats(
    generator: &Generator<f64>,
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
) -> Result<(Vec<f64>, Report), Error> {
    let mut watch = Watch::start(limits);
    let mut report = Report::new(choice::DIRECT);
    let budget = with_matrix(generator, budget, options.eliminated_up_to())?;
    let pi = choice::solve(generator, None, budget, limits, options, &mut watch, &mut report)?;
    report.solved_in = watch.elapsed();
    Ok((pi, report))
}

/// The steady state in exact fractions, verified.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn in_fractions(
    generator: &Generator<Ratio>,
    budget: MemoryBudget,
    limits: &Limits,
) -> Result<(Vec<Ratio>, Report), Error> {
    let mut watch = Watch::start(limits);
    let proportions = proportions(generator, budget, &mut watch)?;
    let sum = proportions.iter().sum::<BigUint>();
    let probability = |part: &BigUint| reduced_unless(part, &sum, || watch.prepare());
    let pi = proportions.iter().map(probability).collect::<Result<_, _>>()?;
    Ok((pi, Report { solved_in: watch.elapsed(), ..Report::new(MethodUsed::Exact) }))
}

/// Whole numbers in proportion to the steady state, verified.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn proportions(
    generator: &Generator<Ratio>,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Vec<BigUint>, Error> {
    let budget = with_matrix(generator, budget, usize::MAX)?;
    modular::solve(generator, budget, watch)
}

/// What is left of a budget beside the matrix and what its solution takes at least, if these fit.
fn with_matrix<N: Number>(
    generator: &Generator<N>,
    budget: MemoryBudget,
    direct_up_to: usize,
) -> Result<MemoryBudget, Stopped> {
    let (states, entries) = (generator.matrix().rows(), generator.matrix().entries());
    let matrix = entries as u64 * (size_of::<u32>() + size_of::<N>()) as u64 + states as u64 * 8;
    budget.take(matrix.saturating_add(choice::memory::<N>(states, entries, direct_up_to)))
}
