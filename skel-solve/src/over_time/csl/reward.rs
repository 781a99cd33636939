//! Expected rewards: until a time, at a time, until states are reached, and per unit of time in the long run.

use num_traits::Signed;
use skel_core::csl::formula::Reward;
use skel_core::model::{LocalStateId, ResultLine};
use skel_core::number::{Number, Ratio};

use super::chain::{Chain, Solvable};
use super::long_run;
use super::until::{NO_FRACTIONS, Question, over_time};
use super::values::{Solved, Values};
use crate::error::Error;
use crate::over_time::states::{matching, population_of};
use crate::over_time::uniformisation::UNIT;

/// Whether the reward is negative, as the factor of a result line may be. What states pay is then counted
/// without the sign.
pub(super) fn is_negative(chain: &Chain<'_>, reward: &Reward) -> bool {
    let Reward::Result(line) = reward else { return false };
    let model = chain.space.model();
    model.factor(&model.results()[*line]).is_ok_and(|factor| factor.is_negative())
}

/// What each state pays per unit of time, without its sign.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn pays<N: Solvable>(chain: &mut Chain<'_>, reward: &Reward) -> Result<Vec<N>, Error> {
    let space = chain.space;
    match reward {
        Reward::Time => Ok(vec![N::one(); space.states()]),
        Reward::Population(state) => {
            let counts = population_of(space, *state, &mut chain.watch)?;
            Ok(counts.into_iter().map(|count| N::from_ratio(&Ratio::from_integer(count.into()))).collect())
        }
        Reward::Result(line) => of_line(chain, &space.model().results()[*line]),
        Reward::Action(action) => {
            if space.lumping().is_some_and(|lumping| lumping.equivalent_actions(*action) > 1) {
                let name = space.model().action(*action);
                return Err(Error::Unknown(format!(
                    "the action `{name}` tells apart components that were lumped; explore without lumping for it"
                )));
            }
            let mut pays = vec![N::zero(); space.states()];
            let mut terms = vec![0_u32; space.states()];
            let watch = &mut chain.watch;
            space.for_each_activity::<N, Error>(
                0..space.states(),
                || watch.prepare().map_err(Error::from),
                |state, done, rate| {
                    if done == *action {
                        pays[state] = pays[state].clone() + rate.clone();
                        terms[state] += 1;
                    }
                },
            )?;
            chain.terms = chain.terms.max(terms.into_iter().max().unwrap_or(0) as usize);
            Ok(pays)
        }
    }
}

#[cfg_attr(debug_assertions, inline)]
fn of_line<N: Number>(chain: &Chain<'_>, line: &ResultLine) -> Result<Vec<N>, Error> {
    let factor =
        chain.space.model().factor(line).map_err(|problem| {
            Error::Unknown(format!("the factor of the result `{}` {problem}", line.name))
        })?;
    let factor = N::from_ratio(&factor.abs());
    let states: Vec<bool> = matching(chain.space, &line.pattern as &[Option<LocalStateId>])?;
    Ok(states.into_iter().map(|holds| if holds { factor.clone() } else { N::zero() }).collect())
}

/// The expected reward before some states are reached, their entry included; infinite where they may not be
/// reached.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn until_reached<N: Solvable>(
    chain: &mut Chain<'_>,
    pays: &[N],
    goals: &[bool],
) -> Result<Values, Error> {
    let surely = chain.connections()?.before.surely_reach(goals, &|_| true);
    let unknown: Vec<u32> =
        (0..goals.len() as u32).filter(|&state| surely[state as usize] && !goals[state as usize]).collect();
    let found = chain.collected::<N>(&unknown, &|state, _| pays[state].clone())?;
    let mut values = vec![N::zero(); goals.len()];
    let mut errors = vec![0.0; goals.len()];
    for ((&state, value), error) in unknown.iter().zip(found.values).zip(found.errors) {
        values[state as usize] = value;
        errors[state as usize] = error;
    }
    let mut values = Values::of(&Solved { values, errors });
    for state in (0..goals.len()).filter(|&state| !surely[state]) {
        (values.low[state], values.high[state]) = (f64::INFINITY, f64::INFINITY);
        if let Some(exact) = &mut values.exact {
            exact[state] = None;
        }
    }
    Ok(values.not_negative())
}

/// The expected reward up to a time, or the rate at which it is earned at that time.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn up_to(
    chain: &mut Chain<'_>,
    pays: Vec<f64>,
    time: &Ratio,
    integral: bool,
    tolerance: f64,
) -> Result<Values, Error> {
    let limit = {
        let pays = pays.clone();
        move |chain: &mut Chain<'_>| long_run::of_floats(chain, &pays).map(|solved| solved.values)
    };
    let question = Question { ended: None, start: pays, time, tolerance, integral };
    let mut found = over_time(chain, &question, &limit)?;
    for (value, error) in found.values.iter().zip(&mut found.errors) {
        *error += rounding(chain, *value);
    }
    Ok(Values::of(&found).not_negative())
}

/// What states pay is made of rates, which are rounded: how far a sum of it may be off by that.
pub(super) fn rounding(chain: &Chain<'_>, value: f64) -> f64 {
    value.abs() * (80.0 + chain.terms as f64) * UNIT
}

/// That rewards up to a time are no fractions.
pub(super) fn no_fractions() -> Error {
    Error::Unknown(NO_FRACTIONS.into())
}
