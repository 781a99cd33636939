//! Which method solves an irreducible chain in `f64`: small ones are eliminated, larger ones iterated; and where that
//! gives no answer that is certain enough, eliminated nevertheless, if that can be paid.

use crate::chain::Generator;
use crate::error::{Error, NotConverged};
use crate::limits::BETWEEN_LOOKS;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::elimination;
use crate::linear::elimination::Unsolved;
use crate::linear::elimination::ordering::Price;
use crate::operator::TriangularSweep;
use crate::operator::assemble::generator;
use crate::operator::transposed::{Rows, TransposedRates};
use crate::operator::watched::Watched;
use crate::steady::drive::{Problem, TOO_LARGE};
use crate::steady::{Method, Options, Report};

/// The name of the direct method in reports.
pub(crate) const DIRECT: &str = "direct (GTH elimination)";

/// The most multiplications of an elimination where iterating gave no answer: half a minute or a minute.
pub(crate) const MOST_WORK: u64 = 100_000_000_000;

/// The most multiplications of an elimination that is not the last resort: some seconds.
const CHEAP_WORK: u64 = 20_000_000_000;

/// Chains of so many rates are looked at for whether their elimination is cheap, which takes as long as a few iterations.
const MOST_RATES: u64 = 1 << 21;

/// Multiplications of an elimination, in a fourth of whose time an iteration goes through a rate.
const FOR_A_RATE: u64 = 80;

/// A trial of fewer iterations hardly ever succeeds.
const LEAST_TRIAL: u64 = 20;

/// The bytes that a solution needs at least beside a matrix, before its pattern is known.
pub(crate) fn memory<N>(states: usize, entries: usize, direct_up_to: usize) -> u64 {
    match states <= direct_up_to {
        true => elimination::memory::<N>(states, entries),
        // What an iterative method takes is counted when it is chosen.
        false => 0,
    }
}

/// Solves a chain that is there as a matrix, within a budget of memory; adds to the report.
pub(crate) fn solve(
    generator: &Generator<f64>,
    start: Option<&[f64]>,
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Vec<f64>, Error> {
    let states = generator.states();
    if states <= options.eliminated_up_to() {
        let pi = eliminate(generator, budget, watch)?;
        report.error = report.error.max(of_elimination(states));
        report.add(generator.residual(&pi), generator.defect(&pi));
        return Ok(pi);
    }
    let rows: Rows<'_> = &|watch, visit| {
        let mut row = Vec::new();
        for state in 0..states {
            if state.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            row.clear();
            row.extend(generator.rates_from(state).map(|(target, &rate)| (target as u32, rate)));
            visit(state, &row);
        }
        Ok(())
    };
    let incoming = TransposedRates::new(states, rows, budget, watch)?;
    solve_large(&incoming, start, budget.beside(incoming.memory()), limits, options, watch, report)
}

/// The error of an elimination, by rule of thumb.
fn of_elimination(states: usize) -> f64 {
    states as f64 * f64::EPSILON
}

/// Solves a chain that is to be iterated, within a budget of memory; adds to the report.
pub(crate) fn solve_large(
    chain: &dyn TriangularSweep,
    start: Option<&[f64]>,
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Vec<f64>, Error> {
    let chain: &dyn TriangularSweep = &Watched { chain, stop: watch.stop() };
    let states = chain.states();
    let may_eliminate = options.method == Method::Automatic && options.direct_up_to > 0;
    let trial = if may_eliminate { trial(chain, budget.left()) } else { None };
    let task = Problem { chain, start, budget, limits, options, trial };
    let mut tried = Vec::new();
    let answer = match trial {
        Some(0..LEAST_TRIAL) => None,
        _ => task.iterate(watch, &mut tried)?,
    };
    if let Some(answer) = answer {
        let balance = chain.balance(&answer.pi);
        report.add(balance.residual, balance.defect);
        report.method = answer.method;
        report.iterations += answer.iterations;
        report.error = report.error.max(answer.error);
        report.clipped = report.clipped.max(answer.clipped);
        report.handed_over.extend(tried);
        return Ok(answer.pi);
    }
    let lacks_memory = !tried.is_empty() && tried.iter().all(|method| method.ends_with(TOO_LARGE));
    if may_eliminate {
        let solved = match budget.left().checked_sub(beside(chain)) {
            Some(bytes) => elimination::solve(&generator(chain), bytes, MOST_WORK, watch),
            None => Err(Unsolved::Price),
        };
        match solved {
            Ok(pi) => {
                let balance = chain.balance(&pi);
                report.add(balance.residual, balance.defect);
                report.error = report.error.max(of_elimination(states));
                report.handed_over.extend(tried);
                return Ok(pi);
            }
            Err(Unsolved::Stopped(stopped)) => return Err(stopped),
            Err(Unsolved::Price) => tried.push(format!(
                "{DIRECT} would take more than {MOST_WORK:.0e} multiplications, or more memory than is allowed"
            )),
        }
    }
    if lacks_memory {
        return Err(Error::Stopped(budget.stopped()));
    }
    Err(Error::NotConverged(NotConverged { tolerance: options.tolerance, tried }))
}

/// The bytes of an elimination beside its numbers: a matrix, and the lists that are made of it.
fn beside(chain: &dyn TriangularSweep) -> u64 {
    let (states, rates) = (chain.states() as u64, chain.rates());
    (states + rates) * 12
        + states * 17
        + elimination::memory::<f64>(states as usize, (states + rates) as usize)
}

/// How many iterations a chain is worth that is cheap to eliminate: a fourth of the time. Few chains need more, and those that
/// do may need any number.
fn trial(chain: &dyn TriangularSweep, bytes: u64) -> Option<u64> {
    if chain.rates() > MOST_RATES || beside(chain) > bytes {
        return None;
    }
    let price = elimination::price(&generator(chain))?;
    let room = (bytes - beside(chain)) / size_of::<f64>() as u64;
    price
        .is_within(Price { entries: room, work: CHEAP_WORK })
        .then(|| price.work / (FOR_A_RATE * chain.rates()))
}

/// Eliminates, whatever work that is.
fn eliminate(
    generator: &Generator<f64>,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Vec<f64>, Error> {
    elimination::solve(generator, budget.left(), u64::MAX, watch).map_err(|unsolved| match unsolved {
        Unsolved::Stopped(stopped) => stopped,
        Unsolved::Price => Error::Stopped(budget.stopped()),
    })
}
