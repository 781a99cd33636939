//! Chooses the method for an irreducible chain in `f64`. Small chains are solved by elimination, larger ones
//! by iteration. Where no iterative answer is within the tolerance, elimination is tried too, if its memory
//! and work are within bounds.

use crate::chain::Generator;
use crate::error::{Error, NotConverged};
use crate::limits::BETWEEN_LOOKS;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::MethodUsed;
use crate::linear::elimination;
use crate::linear::elimination::Unsolved;
use crate::linear::elimination::worth;
use crate::operator::assemble::generator;
use crate::operator::transposed::{Rows, Survey, TransposedRates};
use crate::operator::{RateOperator, TriangularSweep};
use crate::order::{Direction, Order};
use crate::space::StateSpace;
use crate::steady::drive::{self, Answer, Given, Outcome, Problem, Tried};
use crate::steady::former::{Traits, Way};
use crate::steady::{Certified, Method, Options, Report};

/// The direct method, in reports.
pub(crate) const DIRECT: MethodUsed = MethodUsed::Direct;

/// The most multiplications of an elimination after iteration gave no answer. They take between half a minute
/// and a minute.
pub(crate) const MOST_WORK: u64 = 100_000_000_000;

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
    let given = Given { start, ..Given::default() };
    Ok(solve_list(incoming, given, budget, limits, options, watch, report)?.pi)
}

/// Whether a part of a space is eliminated before any iteration. An elimination may take as long as so many
/// iterations on the whole space, and on a small part these are short.
pub(crate) fn is_part_eliminated(
    part: &StateSpace,
    states: usize,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<bool, Error> {
    let list = TransposedRates::by_rows(part, budget, watch)?;
    let worth = worth::trial(&list, true, budget.left(), watch)?;
    let parts = (states / part.states()) as u64;
    Ok(worth.is_some_and(|worth| 2 * worth < parts * worth::QUICK))
}

/// Solves a chain that is to be iterated and is there as a list, within a budget of memory for all; adds to
/// the report.
pub(crate) fn solve_list(
    list: TransposedRates,
    given: Given<'_>,
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Solved, Error> {
    let given = Given {
        direction: drive::direction(&given, (&list, list.threads_at_first(watch)), options),
        ..given
    };
    let list = if is_by_level(&given) { list.by_level(budget, watch)? } else { list };
    solve_arranged(list, given, budget, limits, options, watch, report)
}

/// The same for a chain whose list is still to be made.
pub(crate) fn solve_surveyed(
    survey: Survey<'_>,
    given: Given<'_>,
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Solved, Error> {
    let exits = survey.exits();
    let find = || {
        Direction::of_rates(exits, (survey.rates(), survey.least_rate()), |visit| survey.for_each_rate(visit))
    };
    let given = Given { direction: drive::direction_of(&given, exits.len(), options, find), ..given };
    watch.prepare()?;
    let order = if is_by_level(&given) { survey.order(budget, watch)? } else { None };
    let list = survey.list(order, budget, watch)?;
    solve_arranged(list, given, budget, limits, options, watch, report)
}

/// Whether states are to be in the order of their levels. Where probability flows in a direction, the order
/// of the flow takes the place of any other.
fn is_by_level(given: &Given<'_>) -> bool {
    given.direction.is_none() || given.asked.is_none()
}

/// The same for a list whose states are in the order in which they are to be solved.
fn solve_arranged(
    list: TransposedRates,
    given: Given<'_>,
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Solved, Error> {
    let list = list.shared(budget, watch)?;
    let budget = budget.beside(list.memory());
    let Some(order) = list.order().map(|order| Order::of_states(order.to_vec())) else {
        return solve_large(&list, given, budget, limits, options, watch, report);
    };
    let states = list.states() as u64;
    let budget = budget.beside(Order::memory(states));
    let start = given.start.map(|start| order.arranged(start));
    let budget = budget.beside(if start.is_some() { 8 * states } else { 0 });
    let given = Given { start: start.as_deref(), order: Some(&order), ..given };
    let solved = solve_large(&list, given, budget, limits, options, watch, report)?;
    let traits = Traits { is_by_level: true, ..solved.traits };
    Ok(Solved { pi: order.restored(&solved.pi), traits, ..solved })
}

/// A solution, and what it leaves for the next one.
pub(crate) struct Solved {
    pub(crate) pi: Vec<f64>,
    pub(crate) way: Way,
    pub(crate) traits: Traits,
}

/// The error of an elimination, by rule of thumb.
fn of_elimination(states: usize) -> f64 {
    states as f64 * f64::EPSILON
}

/// Solves a chain that is to be iterated, within a budget of memory; adds to the report.
pub(crate) fn solve_large(
    chain: &dyn TriangularSweep,
    given: Given<'_>,
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Solved, Error> {
    // What was left for another order is of no use.
    let former = given.former.filter(|(former, _)| former.traits.is_by_level == given.order.is_some());
    let given = Given { former, ..given };
    let direction = drive::is_direction_asked(chain.states(), options).then_some(given.direction);
    let traits = Traits { trial: None, is_by_level: false, direction };
    let may_eliminate = options.method == Method::Automatic && options.direct_up_to > 0;
    if may_eliminate && let Some(pi) = eliminate_at_once(chain, budget, watch)? {
        let traits = Traits { trial: Some(Some(0)), ..traits };
        return report_eliminated(chain, pi, (traits, Vec::new()), watch, report);
    }
    let trial = match may_eliminate {
        true => Some(trial(chain, &given, (budget, options), watch)?),
        false => None,
    };
    let traits = Traits { trial, ..traits };
    let trial = trial.flatten();
    let problem = Problem { chain, given, budget, limits, options, trial };
    let mut tried = Tried::default();
    let was_eliminated = given.former.is_some_and(|(former, _)| matches!(former.way, Way::Elimination));
    let is_first = trial.is_some_and(|worth| drive::is_eliminated_first(&given, worth));
    let mut outcome = match may_eliminate && (is_first || was_eliminated) {
        true => Outcome::Slow,
        false => problem.iterate(watch, &mut tried)?,
    };
    let lacks_memory = !tried.methods.is_empty()
        && tried.methods.iter().all(|method| method.ends_with(NotConverged::TOO_LARGE));
    if may_eliminate && !outcome.is_answer() {
        if let Some(pi) = eliminate_instead(chain, budget, &mut tried.methods, watch)? {
            return report_eliminated(chain, pi, (traits, tried.methods), watch, report);
        }
        // It was to be eliminated, so it was not iterated, or not to the end.
        if trial.is_some() || matches!(outcome, Outcome::Slow) {
            let options = &Options { direct_up_to: 0, ..options.clone() };
            outcome = Problem { trial: None, options, ..problem }.iterate(watch, &mut tried)?;
        }
    }
    match outcome {
        Outcome::Answer(answer) => report_iterated(chain, answer, (traits, tried.methods), watch, report),
        _ if lacks_memory => Err(Error::Stopped(budget.stopped())),
        _ => Err(Error::NotConverged(NotConverged { tolerance: options.tolerance, tried: tried.methods })),
    }
}

/// The iterations that elimination is worth, where it is cheap. What was found for nearby rates is taken as
/// it is.
fn trial(
    chain: &dyn TriangularSweep,
    given: &Given<'_>,
    (budget, options): (MemoryBudget, &Options),
    watch: &mut Watch<'_>,
) -> Result<Option<u64>, Error> {
    match given.former.and_then(|(former, _)| former.traits.trial) {
        Some(known) => Ok(known),
        None => Ok(worth::trial(chain, drive::is_probed(chain, given, options), budget.left(), watch)?),
    }
}

/// The solution by elimination where no iterative method has an answer. If there is none, what was tried says
/// why.
fn eliminate_instead(
    chain: &dyn TriangularSweep,
    budget: MemoryBudget,
    tried: &mut Vec<String>,
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<f64>>, Error> {
    tried.push(match eliminate_within(chain, MOST_WORK, budget, watch)? {
        Some(pi) if pi.iter().all(|value| value.is_finite()) => return Ok(Some(pi)),
        // Rates that lead far into what is rare may be too small.
        Some(_) => NotConverged::beyond_range(DIRECT),
        None => format!(
            "{DIRECT} would take more than {MOST_WORK:.0e} multiplications, or more memory than is allowed"
        ),
    });
    Ok(None)
}

/// The solution by elimination; `None` if that takes more multiplications than this, or too much memory.
fn eliminate_within(
    chain: &dyn TriangularSweep,
    work: u64,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<f64>>, Error> {
    let Some(bytes) = budget.left().checked_sub(worth::beside(chain)) else { return Ok(None) };
    match elimination::solve(&generator(chain, watch)?, bytes, work, watch) {
        Ok(pi) => Ok(Some(pi)),
        Err(Unsolved::Stopped(stopped)) => Err(stopped),
        Err(Unsolved::Refused) => Ok(None),
    }
}

/// Adds the answer of an iterative method to the report, and what was tried before.
fn report_iterated(
    chain: &dyn TriangularSweep,
    answer: Answer,
    (traits, tried): (Traits, Vec<String>),
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Solved, Error> {
    let balance = chain.balance(&answer.pi);
    watch.prepare()?;
    let defect = match answer.certified {
        Certified::Probabilities => balance.defect,
        Certified::Sums => answer.defect,
    };
    report.add(balance.residual, defect);
    report.certified = answer.certified;
    report.method = answer.method;
    report.iterations += answer.iterations;
    report.error = report.error.max(answer.error);
    report.clipped = report.clipped.max(answer.clipped);
    report.handed_over.extend(tried);
    Ok(Solved { pi: answer.pi, way: answer.way, traits })
}

/// The solution of a chain whose transitions lead to states close by alone, or that consists of long
/// sequences of states, if it is one: at less than a few iterations cost.
fn eliminate_at_once(
    chain: &dyn TriangularSweep,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<f64>>, Error> {
    match elimination::band::solve(chain, budget.left(), watch) {
        Ok(Some(pi)) => Ok(Some(pi)),
        Ok(None) => match worth::of_sequences(chain) {
            Some(work) => eliminate_within(chain, work, budget, watch),
            None => Ok(None),
        },
        Err(Unsolved::Stopped(stopped)) => Err(stopped),
        Err(Unsolved::Refused) => Err(Error::Stopped(budget.stopped())),
    }
}

/// Adds the answer of an elimination to the report, and what was tried before.
fn report_eliminated(
    chain: &dyn TriangularSweep,
    pi: Vec<f64>,
    (traits, tried): (Traits, Vec<String>),
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Solved, Error> {
    let balance = chain.balance(&pi);
    watch.prepare()?;
    report.add(balance.residual, balance.defect);
    report.error = report.error.max(of_elimination(chain.states()));
    report.handed_over.extend(tried);
    Ok(Solved { pi, way: Way::Elimination, traits })
}

/// Eliminates, however many multiplications that takes.
fn eliminate(
    generator: &Generator<f64>,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Vec<f64>, Error> {
    elimination::solve(generator, budget.left(), u64::MAX, watch).map_err(|unsolved| match unsolved {
        Unsolved::Stopped(stopped) => stopped,
        Unsolved::Refused => Error::Stopped(budget.stopped()),
    })
}

#[cfg(test)]
mod tests;
