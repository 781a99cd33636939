//! `phi U psi`, without times, up to a time, and from one time to another.
//!
//! Without times it is a system of the states before an end. Up to a time `t`, the states of `psi` and those
//! of neither are made absorbing, and uniformisation backwards gives the probability from every state. From
//! `a` on there are two phases: what the rest of the interval gives at time `a` is carried back over `a`,
//! through states of `phi` alone (C. Baier, B. Haverkort, H. Hermanns, J.-P. Katoen, IEEE Transactions on
//! Software Engineering 29, 2003). Which probabilities are 0 and which are 1 the graph tells.

use num_traits::{Signed, Zero};
use skel_core::csl::tree::Interval;
use skel_core::number::{Number, Ratio};

use super::chain::{Chain, FEW_STEPS, Solvable};
use super::long_run;
use super::values::{Solved, Values};
use crate::error::Error;
use crate::limits::{Limit, Stopped};
use crate::over_time::uniformisation::flow::{End, Flow};
use crate::over_time::uniformisation::once::{Found, Once};

/// The times of a path formula.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub(super) from: Ratio,
    /// Whether the time 0 is excluded.
    pub(super) excludes_start: bool,
    to: Option<Ratio>,
    /// Whether no time is in it.
    pub(super) is_empty: bool,
}

impl Times {
    pub(super) fn of(interval: &Interval) -> Times {
        let from = interval.from.as_ref();
        let to = interval.to.as_ref();
        let at = |bound: Option<&(Ratio, bool)>| bound.map(|(time, _)| time.clone());
        Times {
            from: at(from).unwrap_or_default(),
            excludes_start: from.is_some_and(|(time, is_strict)| *is_strict && time.is_zero()),
            to: at(to),
            is_empty: to.is_some_and(|(time, is_strict)| *is_strict && time.is_zero()),
        }
    }

    /// Whether there is a time at which something has to be computed over time.
    pub(super) fn is_bounded(&self) -> bool {
        self.from.is_positive() || self.to.as_ref().is_some_and(Signed::is_positive)
    }

    /// How long the interval is.
    pub(super) fn length(&self) -> Option<Ratio> {
        self.to.as_ref().map(|to| to - &self.from)
    }
}

/// The two sets of states of an until formula.
pub(super) struct Until<'p> {
    pub(super) phi: &'p [bool],
    pub(super) psi: &'p [bool],
}

/// Why there is no exact answer.
pub(super) const NO_FRACTIONS: &str =
    "a value with a bound on time is no fraction: ask for it without exactness";

/// The probability from every state, in floats within the tolerance, or in fractions.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn probabilities<N: Solvable>(
    chain: &mut Chain<'_>,
    until: &Until<'_>,
    times: &Times,
    tolerance: f64,
) -> Result<Values, Error> {
    let states = chain.states();
    if times.is_empty {
        return Ok(never::<N>(states));
    }
    let certain = Certainties::of(chain, until, times)?;
    let solved = if !times.is_bounded() {
        until.reached::<N>(chain, &certain, times)?
    } else {
        if N::zero().to_exact().is_some() {
            return Err(Error::Unknown(NO_FRACTIONS.into()));
        }
        let floats = until.within(chain, times, tolerance)?;
        return Ok(Values::of(&floats).with_certain(&certain.zero, &certain.one));
    };
    Ok(Values::of(&solved).with_certain(&certain.zero, &certain.one))
}

/// Probabilities that are all 0.
fn never<N: Number>(states: usize) -> Values {
    let solved = Solved { values: vec![N::zero(); states], errors: vec![0.0; states] };
    Values::of(&solved).with_certain(&vec![true; states], &vec![false; states])
}

/// Which probabilities are 0 and which are 1, by the graph.
struct Certainties {
    zero: Vec<bool>,
    one: Vec<bool>,
}

impl Certainties {
    #[cfg_attr(debug_assertions, inline)]
    fn of(chain: &mut Chain<'_>, until: &Until<'_>, times: &Times) -> Result<Certainties, Stopped> {
        let Until { phi, psi } = until;
        let before = &chain.connections()?.before;
        let may_pass = |state: usize| phi[state];
        let not = |states: Vec<bool>| states.into_iter().map(|holds| !holds).collect::<Vec<bool>>();
        let both = |left: &[bool], right: &[bool]| -> Vec<bool> {
            left.iter().zip(right).map(|(left, right)| *left && *right).collect()
        };
        // From the beginning of the interval on.
        let (positive, one) = match times.length() {
            None => (before.can_reach(psi, &may_pass), before.surely_reach(psi, &may_pass)),
            Some(length) if length.is_zero() => (psi.to_vec(), psi.to_vec()),
            // Whatever a state is, a run may stay there past the end.
            Some(_) => (before.can_reach(psi, &may_pass), psi.to_vec()),
        };
        if times.from.is_zero() {
            return Ok(match times.excludes_start {
                true => Certainties { zero: not(both(phi, &positive)), one: both(phi, &one) },
                false => Certainties { zero: not(positive), one },
            });
        }
        let positive = both(phi, &before.can_reach(&both(phi, &positive), &may_pass));
        let may_fail = before.can_reach(&not(both(phi, &one)), &|_| true);
        Ok(Certainties { zero: not(positive), one: not(may_fail) })
    }
}

impl Until<'_> {
    /// The probabilities without times.
    #[cfg_attr(debug_assertions, inline)]
    fn reached<N: Solvable>(
        &self,
        chain: &mut Chain<'_>,
        certain: &Certainties,
        times: &Times,
    ) -> Result<Solved<N>, Error> {
        let states = chain.states();
        let Certainties { zero, one } = certain;
        let mut values: Vec<N> = one.iter().map(|&one| if one { N::one() } else { N::zero() }).collect();
        let mut errors = vec![0.0; states];
        if times.to.is_some() {
            // Only the time 0 counts, and it is all in the two sets.
            return Ok(Solved { values, errors });
        }
        // Where the time 0 is excluded, states of `psi` alone fail, and are left out as ends of other runs
        // count all the same.
        let ends = match times.excludes_start {
            true => Certainties::of(chain, self, &Times { excludes_start: false, ..times.clone() })?,
            false => Certainties { zero: zero.clone(), one: one.clone() },
        };
        let unknown: Vec<u32> = (0..states as u32)
            .filter(|&state| !ends.zero[state as usize] && !ends.one[state as usize])
            .collect();
        let found = chain.collected::<N>(&unknown, &|_, row| {
            let into_ends = row.iter().filter(|transition| ends.one[transition.target as usize]);
            into_ends.fold(N::zero(), |sum, transition| sum + transition.rate.clone())
        })?;
        for ((&state, value), error) in unknown.iter().zip(found.values).zip(found.errors) {
            values[state as usize] = value;
            errors[state as usize] = error;
        }
        Ok(Solved { values, errors })
    }

    /// The probabilities within times, by uniformisation.
    #[cfg_attr(debug_assertions, inline)]
    fn within(&self, chain: &mut Chain<'_>, times: &Times, tolerance: f64) -> Result<Solved<f64>, Error> {
        let phases = if times.from.is_zero() { 1.0 } else { 2.0 };
        let of_each = tolerance / phases;
        let indicator = |states: &[bool]| states.iter().map(|&holds| if holds { 1.0 } else { 0.0 }).collect();
        let mut values: Solved<f64> = match times.length() {
            Some(length) if length.is_zero() => {
                Solved { values: indicator(self.psi), errors: vec![0.0; chain.states()] }
            }
            Some(length) => self.up_to(chain, &length, of_each)?,
            None => {
                let unbounded =
                    Times { from: Ratio::zero(), excludes_start: false, to: None, is_empty: false };
                let certain = Certainties::of(chain, self, &unbounded)?;
                self.reached::<f64>(chain, &certain, &unbounded)?
            }
        };
        if times.from.is_zero() {
            if times.excludes_start {
                let starts = values.values.iter_mut().zip(self.phi);
                starts.filter(|(_, phi)| !**phi).for_each(|(value, _)| *value = 0.0);
            }
            return Ok(values);
        }
        for (state, &phi) in self.phi.iter().enumerate() {
            if !phi {
                (values.values[state], values.errors[state]) = (0.0, 0.0);
            }
        }
        let before = values.errors.iter().copied().fold(0.0, f64::max);
        let mut carried = self.carried_back(chain, &values.values, &times.from, of_each)?;
        carried.errors.iter_mut().for_each(|error| *error += before);
        Ok(carried)
    }

    /// The probabilities of `phi U<=t psi`.
    #[cfg_attr(debug_assertions, inline)]
    fn up_to(&self, chain: &mut Chain<'_>, time: &Ratio, tolerance: f64) -> Result<Solved<f64>, Error> {
        let ended: Vec<bool> = self.phi.iter().zip(self.psi).map(|(phi, psi)| *psi || !phi).collect();
        let start = self.psi.iter().map(|&psi| if psi { 1.0 } else { 0.0 }).collect();
        let limit = |chain: &mut Chain<'_>| {
            let unbounded = Times { from: Ratio::zero(), excludes_start: false, to: None, is_empty: false };
            let certain = Certainties::of(chain, self, &unbounded)?;
            self.reached::<f64>(chain, &certain, &unbounded).map(|solved| solved.values)
        };
        over_time(chain, &Question { ended: Some(ended), start, time, tolerance, integral: false }, &limit)
    }

    /// Values at a time, carried back over it through states of `phi`.
    #[cfg_attr(debug_assertions, inline)]
    fn carried_back(
        &self,
        chain: &mut Chain<'_>,
        values: &[f64],
        time: &Ratio,
        tolerance: f64,
    ) -> Result<Solved<f64>, Error> {
        let is_everywhere = self.phi.iter().all(|&phi| phi);
        let ended = (!is_everywhere).then(|| self.phi.iter().map(|phi| !phi).collect());
        let limit = |chain: &mut Chain<'_>| match is_everywhere {
            true => long_run::of_floats(chain, values).map(|solved| solved.values),
            // A run that may leave `phi` does so in the end, or stays in a class where it is in the long run.
            false => Ok(Vec::new()),
        };
        let question = Question { ended, start: values.to_vec(), time, tolerance, integral: false };
        over_time(chain, &question, &limit)
    }
}

/// What is asked of uniformisation.
pub(super) struct Question<'q> {
    /// The states that are not left, if there are any.
    pub(super) ended: Option<Vec<bool>>,
    /// The values at the time.
    pub(super) start: Vec<f64>,
    pub(super) time: &'q Ratio,
    pub(super) tolerance: f64,
    /// Whether not the values count but their integral.
    pub(super) integral: bool,
}

/// Finds the values that the chain comes near to, if there are any; an empty vector if not.
pub(super) type FindLimit<'l> = &'l dyn Fn(&mut Chain<'_>) -> Result<Vec<f64>, Error>;

/// Carries values back over a time. All errors are at most the tolerance, which is absolute.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn over_time(
    chain: &mut Chain<'_>,
    question: &Question<'_>,
    limit: FindLimit<'_>,
) -> Result<Solved<f64>, Error> {
    let known = known_limit(chain, question, limit)?;
    let most_steps = chain.most_steps;
    let (flow, watch) = chain.backwards()?;
    let time = question.time.to_float();
    let largest = question.start.iter().copied().map(f64::abs).fold(0.0, f64::max);
    let scale = if question.integral { largest * time } else { largest };
    let once = Once {
        ended: question.ended.clone().map(|ended| (ended, End::Absorbed)),
        start: question.start.clone(),
        time,
        integral: question.integral,
        tolerance: if scale > 1.0 { question.tolerance / scale } else { question.tolerance },
        most_steps,
    };
    let mut known = known.filter(|known| !known.is_empty());
    let Found { vector: values, error, of_time } = once.find(flow, &mut |_| Ok(known.take()), watch)?;
    // The time is rounded, which moves the values by its error times their slope.
    let error = (error + of_time * largest) * (1.0 + 1e-9);
    Ok(Solved { errors: vec![error; values.len()], values })
}

/// The limit, for so many steps that to find one may pay.
#[cfg_attr(debug_assertions, inline)]
fn known_limit(
    chain: &mut Chain<'_>,
    question: &Question<'_>,
    limit: FindLimit<'_>,
) -> Result<Option<Vec<f64>>, Error> {
    let (flow, _) = chain.backwards()?;
    let rate = flow.exits().iter().copied().fold(0.0, f64::max);
    if rate * question.time.to_float() < FEW_STEPS {
        return Ok(None);
    }
    match limit(chain) {
        Ok(values) => Ok(Some(values)),
        // It would only have saved steps.
        Err(Error::NotConverged(_) | Error::Stopped(Stopped { limit: Limit::Memory(_), .. })) => Ok(None),
        Err(error) => Err(error),
    }
}
