//! Which method solves an irreducible chain in `f64`: small ones are eliminated, larger ones iterated; and where that
//! gives no answer that is certain enough, eliminated nevertheless, if that can be paid.

use super::gth::{self, Unsolved};
use super::iterate::iterate;
use super::ordering::Price;
use super::{Options, Report};
use crate::chain::Generator;
use crate::error::{Error, NotConverged, Reached, Stopped};
use crate::limits::{Limit, Limits, Watch};

/// The name of the direct method in reports.
pub(super) const DIRECT: &str = "direct (GTH elimination)";

/// The bytes that an iterative method takes for each state: eight vectors of BiCGSTAB, the exit rates, the estimate,
/// a random vector, and a list of places in ILU(0).
const ITERATION: u64 = 12 * 8;

/// The most multiplications of an elimination where iterating gave no answer: a minute or two.
const MOST_WORK: u64 = 100_000_000_000;

/// The bytes that a solution needs beside a matrix of so many bytes, before its pattern is known.
pub(super) fn memory<N>(states: usize, entries: usize, matrix: u64, direct_up_to: usize) -> u64 {
    match states <= direct_up_to {
        true => gth::memory::<N>(states, entries),
        false => 2 * matrix + states as u64 * ITERATION,
    }
}

/// Solves a chain beside which so many bytes are taken; adds to the report.
pub(super) fn solve(
    generator: &Generator<f64>,
    taken: u64,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Vec<f64>, Error> {
    let states = generator.states();
    let of_elimination = states as f64 * f64::EPSILON;
    if states <= options.direct_up_to {
        report.error = report.error.max(of_elimination);
        return eliminate(generator, taken, limits, watch);
    }
    let mut tried = Vec::new();
    if let Some(answer) = iterate(generator, limits, options, watch, &mut tried)? {
        report.method = answer.method;
        report.iterations += answer.iterations;
        report.error = report.error.max(answer.error);
        report.handed_over.extend(tried);
        return Ok(answer.pi);
    }
    if options.direct_up_to > 0 {
        let beside = gth::memory::<f64>(states, generator.matrix().entries());
        let entries = gth::affordable::<f64>(limits.memory.saturating_sub(taken.saturating_add(beside)));
        match gth::solve(generator, Price { entries, work: MOST_WORK }, watch) {
            Ok(pi) => {
                report.error = report.error.max(of_elimination);
                report.handed_over.extend(tried);
                return Ok(pi);
            }
            Err(Unsolved::Stopped(stopped)) => return Err(stopped),
            Err(Unsolved::Price) => tried.push(format!(
                "{DIRECT} would take more than {MOST_WORK:.0e} multiplications, or more memory than is allowed"
            )),
        }
    }
    Err(Error::NotConverged(NotConverged { tolerance: options.tolerance, tried }))
}

/// Eliminates, whatever work that is.
fn eliminate(
    generator: &Generator<f64>,
    taken: u64,
    limits: &Limits,
    watch: &mut Watch<'_>,
) -> Result<Vec<f64>, Error> {
    let entries = gth::affordable::<f64>(limits.memory.saturating_sub(taken));
    gth::solve(generator, Price { entries, work: u64::MAX }, watch).map_err(|unsolved| match unsolved {
        Unsolved::Stopped(stopped) => stopped,
        Unsolved::Price => {
            Error::Stopped(Stopped { limit: Limit::Memory(limits.memory), reached: Reached::Preparing })
        }
    })
}
