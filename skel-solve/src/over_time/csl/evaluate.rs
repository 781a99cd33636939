//! From a formula to the states in which it holds, or to its value in every state.
//!
//! Sets that are known in part are carried on: a path formula is monotone in its sets, so its value lies
//! between that for the sure members and that for the possible ones. A comparison that an interval does not
//! decide is tried again at a hundredth of the tolerance, and then in fractions, where the formula has no
//! bound on time.

use skel_core::csl::formula::{Condition, Path, Quantity, Reward, Until as RewardUntil};
use skel_core::csl::tree::{BinaryPath, Interval, Relation};
use skel_core::number::Ratio;

use super::chain::{Chain, Solvable};
use super::until::{Times, Until};
use super::values::{Sets, Solved, Values, Wanted};
use super::{forwards, long_run, reward, until};
use crate::error::Error;
use crate::limits::{Limit, Stopped};
use crate::over_time::states::states_of_atom;
use crate::refused::Refused;

/// How numbers are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Numbers {
    /// In floats, with this absolute error.
    Floats(f64),
    /// In fractions, except for comparisons of what has a bound on time: these are decided in floats with
    /// this absolute error.
    Exact(f64),
}

impl Numbers {
    pub(super) fn tolerance(self) -> f64 {
        match self {
            Numbers::Floats(tolerance) | Numbers::Exact(tolerance) => tolerance,
        }
    }
}

/// Up to how many states a comparison that floats do not decide is tried in fractions without being asked to.
pub(super) const MOST_STATES_IN_FRACTIONS: usize = 5000;

/// By what a tolerance is divided for a second try.
const SECOND_TRY: f64 = 100.0;

/// The states in which a condition holds.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn states(
    chain: &mut Chain<'_>,
    condition: &Condition,
    wanted: Wanted,
    numbers: Numbers,
) -> Result<Sets, Error> {
    let count = wanted.count(chain.states());
    match condition {
        Condition::Not(inner) => Ok(states(chain, inner, wanted, numbers)?.not()),
        Condition::And(parts) => {
            let all = Sets::definite(vec![true; count]);
            parts.iter().try_fold(all, |all, part| Ok(all.and(&states(chain, part, wanted, numbers)?)))
        }
        Condition::Or(parts) => {
            let none = Sets::definite(vec![false; count]);
            parts.iter().try_fold(none, |any, part| Ok(any.or(&states(chain, part, wanted, numbers)?)))
        }
        Condition::Bounded(quantity, relation, bound) => {
            compared(chain, quantity, (*relation, bound), wanted, numbers)
        }
        atom => Ok(Sets::definite(states_of_atom(chain.space, atom, &mut chain.watch)?).only(wanted)),
    }
}

/// The states in which a probability or a reward compares so with a bound.
#[cfg_attr(debug_assertions, inline)]
fn compared(
    chain: &mut Chain<'_>,
    quantity: &Quantity,
    (relation, bound): (Relation, &Ratio),
    wanted: Wanted,
    numbers: Numbers,
) -> Result<Sets, Error> {
    let tolerance = numbers.tolerance();
    if matches!(numbers, Numbers::Exact(_)) && !has_times(quantity) {
        return Ok(values(chain, quantity, wanted, numbers)?.compare(relation, bound));
    }
    let mut sets = attempt(chain, quantity, wanted, tolerance)?.compare(relation, bound);
    if !sets.is_definite() && has_times(quantity) {
        match values(chain, quantity, wanted, Numbers::Floats(tolerance / SECOND_TRY)) {
            Ok(values) => sets = sets.known_to_either(&values.compare(relation, bound)),
            // The first try is what there is.
            Err(Error::OverTime(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let may_be_exact = chain.may_be_exact && chain.states() <= MOST_STATES_IN_FRACTIONS;
    if !sets.is_definite() && !has_times(quantity) && may_be_exact {
        match values(chain, quantity, wanted, Numbers::Exact(tolerance)) {
            Ok(values) => {
                sets = values.compare(relation, bound);
                chain.decided_in_fractions = true;
            }
            Err(Error::Stopped(Stopped { limit: Limit::Memory(_), .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sets)
}

/// The values within a tolerance, or within the least error that can be had: a comparison may be decided all
/// the same.
#[cfg_attr(debug_assertions, inline)]
fn attempt(
    chain: &mut Chain<'_>,
    quantity: &Quantity,
    wanted: Wanted,
    tolerance: f64,
) -> Result<Values, Error> {
    const MOST: f64 = 0.1;
    match values(chain, quantity, wanted, Numbers::Floats(tolerance)) {
        Err(Error::OverTime(Refused::Unattainable { attainable, .. })) if 4.0 * attainable <= MOST => {
            values(chain, quantity, wanted, Numbers::Floats(4.0 * attainable))
        }
        found => found,
    }
}

/// Whether uniformisation is at work for the value, whatever its sets are made of. Such a value is no
/// fraction.
pub(super) fn has_times(quantity: &Quantity) -> bool {
    match quantity {
        Quantity::Probability(Path::Next(_)) | Quantity::LongRun(_) => false,
        Quantity::Probability(
            Path::Finally(interval, _) | Path::Globally(interval, _) | Path::Binary(_, _, interval, _),
        ) => Times::of(interval).is_bounded(),
        Quantity::Reward(_, RewardUntil::Cumulative(_) | RewardUntil::Instant(_)) => true,
        Quantity::Reward(_, RewardUntil::Reach(_) | RewardUntil::LongRun) => false,
    }
}

/// The value from the states that are wanted.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn values(
    chain: &mut Chain<'_>,
    quantity: &Quantity,
    wanted: Wanted,
    numbers: Numbers,
) -> Result<Values, Error> {
    match numbers {
        Numbers::Floats(_) => values_in::<f64>(chain, quantity, wanted, numbers),
        Numbers::Exact(_) => values_in::<Ratio>(chain, quantity, wanted, numbers),
    }
}

#[cfg_attr(debug_assertions, inline)]
fn values_in<N: Solvable>(
    chain: &mut Chain<'_>,
    quantity: &Quantity,
    wanted: Wanted,
    numbers: Numbers,
) -> Result<Values, Error> {
    match quantity {
        Quantity::Probability(path) => probability::<N>(chain, path, wanted, numbers),
        Quantity::LongRun(condition) => {
            let sets = states(chain, condition, Wanted::Every, numbers)?;
            Ok(between(&[&sets], |members| long_run::probabilities::<N>(chain, members[0]))?.only(wanted))
        }
        Quantity::Reward(counted, until) => {
            let is_negative = reward::is_negative(chain, counted);
            let values = of_reward::<N>(chain, (counted, until), wanted, numbers)?;
            Ok(if is_negative { values.negative() } else { values })
        }
    }
}

/// The values for the sure members of some sets up to those for the possible ones, where values grow with the
/// sets.
fn between(
    sets: &[&Sets],
    mut values: impl FnMut(&[&[bool]]) -> Result<Values, Error>,
) -> Result<Values, Error> {
    let sure: Vec<&[bool]> = sets.iter().map(|set| &set.sure[..]).collect();
    let low = values(&sure)?;
    if sets.iter().all(|set| set.is_definite()) {
        return Ok(low);
    }
    let possible: Vec<&[bool]> = sets.iter().map(|set| &set.possible[..]).collect();
    Ok(low.up_to(values(&possible)?))
}

#[cfg_attr(debug_assertions, inline)]
fn probability<N: Solvable>(
    chain: &mut Chain<'_>,
    path: &Path,
    wanted: Wanted,
    numbers: Numbers,
) -> Result<Values, Error> {
    let everything = || Sets::definite(vec![true; chain.states()]);
    // Runs come to other states, so the formulas of a path are wanted for every state.
    let every = Wanted::Every;
    match path {
        Path::Next(then) => {
            let then = states(chain, then, every, numbers)?;
            Ok(between(&[&then], |members| next::<N>(chain, members[0]))?.only(wanted))
        }
        Path::Finally(interval, then) => {
            let everything = everything();
            let then = states(chain, then, every, numbers)?;
            of_until::<N>(chain, [&everything, &then], interval, wanted, numbers)
        }
        Path::Globally(interval, then) => {
            // G f is !(F !f)
            let everything = everything();
            let then = states(chain, then, every, numbers)?.not();
            Ok(of_until::<N>(chain, [&everything, &then], interval, wanted, numbers)?.complement())
        }
        Path::Binary(first, operator, interval, second) => {
            let first = states(chain, first, every, numbers)?;
            let second = states(chain, second, every, numbers)?;
            match operator {
                BinaryPath::Until => of_until::<N>(chain, [&first, &second], interval, wanted, numbers),
                BinaryPath::WeakUntil => {
                    // f W g is !((f & !g) U (!f & !g)). Where f or g is not known, neither set is, and the
                    // value still grows with both.
                    let not_second = second.not();
                    let neither = first.clone().not().and(&not_second);
                    let first = first.and(&not_second);
                    Ok(of_until::<N>(chain, [&first, &neither], interval, wanted, numbers)?.complement())
                }
                BinaryPath::Release => {
                    // f R g is !(!f U !g)
                    let (first, second) = (first.not(), second.not());
                    Ok(of_until::<N>(chain, [&first, &second], interval, wanted, numbers)?.complement())
                }
            }
        }
    }
}

/// The probability of `phi U psi` within times: for a single state by distributions if they are in time, else
/// for all states.
#[cfg_attr(debug_assertions, inline)]
fn of_until<N: Solvable>(
    chain: &mut Chain<'_>,
    sets: [&Sets; 2],
    interval: &Interval,
    wanted: Wanted,
    numbers: Numbers,
) -> Result<Values, Error> {
    let (times, tolerance) = (Times::of(interval), numbers.tolerance());
    let is_over_time = times.is_bounded() && N::zero().to_exact().is_none();
    between(&sets, |members| {
        let until = Until { phi: members[0], psi: members[1] };
        if let Wanted::Only(state) = wanted
            && is_over_time
            && let Some(found) = forwards::probability(chain, state, &until, &times, tolerance)?
        {
            return Ok(found);
        }
        Ok(until::probabilities::<N>(chain, &until, &times, tolerance)?.only(wanted))
    })
}

/// The probability that the next activity leads to some states; zero where there is none.
#[cfg_attr(debug_assertions, inline)]
fn next<N: Solvable>(chain: &mut Chain<'_>, then: &[bool]) -> Result<Values, Error> {
    let states = chain.states();
    let (mut values, mut errors) = (Vec::with_capacity(states), Vec::with_capacity(states));
    let watch = &mut chain.watch;
    chain.space.for_each_row::<N, Stopped>(
        || watch.prepare(),
        |_, row| {
            let (mut inside, mut all) = (N::zero(), N::zero());
            for transition in row.iter() {
                all = all + transition.rate.clone();
                if then[transition.target as usize] {
                    inside = inside + transition.rate.clone();
                }
            }
            let value = if row.is_empty() { N::zero() } else { inside / all };
            errors.push(2.0 * N::rounding(&value, row.len()));
            values.push(value);
            Ok(())
        },
    )?;
    let graph = &chain.connections()?.graph;
    let leads_to = |state: usize, inside: bool| {
        graph.successors(state).iter().any(|&target| then[target as usize] == inside)
    };
    let zero: Vec<bool> = (0..states).map(|state| !leads_to(state, true)).collect();
    let one: Vec<bool> = (0..states).map(|state| !zero[state] && !leads_to(state, false)).collect();
    Ok(Values::of(&Solved { values, errors }).with_certain(&zero, &one))
}

#[cfg_attr(debug_assertions, inline)]
fn of_reward<N: Solvable>(
    chain: &mut Chain<'_>,
    (counted, until): (&Reward, &RewardUntil),
    wanted: Wanted,
    numbers: Numbers,
) -> Result<Values, Error> {
    let is_exact = N::zero().to_exact().is_some();
    let tolerance = numbers.tolerance();
    match until {
        RewardUntil::Cumulative(_) | RewardUntil::Instant(_) if is_exact => Err(reward::no_fractions()),
        RewardUntil::Cumulative(time) => of_reward_over_time(chain, (counted, time, true), wanted, tolerance),
        RewardUntil::Instant(time) => of_reward_over_time(chain, (counted, time, false), wanted, tolerance),
        RewardUntil::Reach(goals) => {
            let pays = reward::pays::<N>(chain, counted)?;
            // The more goals there are, the less is collected.
            let goals = states(chain, goals, Wanted::Every, numbers)?;
            let low = reward::until_reached::<N>(chain, &pays, &goals.possible)?.only(wanted);
            if goals.is_definite() {
                return Ok(low);
            }
            Ok(low.up_to(reward::until_reached::<N>(chain, &pays, &goals.sure)?.only(wanted)))
        }
        RewardUntil::LongRun => {
            let pays = reward::pays::<N>(chain, counted)?;
            Ok(long_run::rewards::<N>(chain, &pays)?.not_negative().only(wanted))
        }
    }
}

/// The reward up to a time, or the rate at which it is earned then.
#[cfg_attr(debug_assertions, inline)]
fn of_reward_over_time(
    chain: &mut Chain<'_>,
    (counted, time, is_cumulative): (&Reward, &Ratio, bool),
    wanted: Wanted,
    tolerance: f64,
) -> Result<Values, Error> {
    let pays = reward::pays::<f64>(chain, counted)?;
    if let Wanted::Only(state) = wanted
        && let Some(found) = forwards::reward(chain, state, &pays, (time, is_cumulative), tolerance)?
    {
        return Ok(found);
    }
    Ok(reward::up_to(chain, pays, time, is_cumulative, tolerance)?.only(wanted))
}
