//! Where a chain is at time zero.

use skel_core::csl::Predicate;

use crate::error::Error;
use crate::space::StateSpace;
use crate::vector::total;

/// Where a chain is at time zero.
#[derive(Clone, Debug, Default)]
pub(super) enum Start {
    /// In the initial state.
    #[default]
    Initial,
    /// In one of the states in which a condition holds, each of them as likely as the others.
    Predicate(Predicate),
    /// In one of these states, each of them as likely as the others.
    States(Vec<usize>),
    /// In each state with a weight in proportion to its probability.
    Weights(Vec<f64>),
}

impl Start {
    /// Whether it is the initial state.
    pub(super) fn is_initial(&self) -> bool {
        matches!(self, Start::Initial)
    }

    /// The probability of each state.
    pub(super) fn distribution(&self, space: &StateSpace) -> Result<Vec<f64>, Error> {
        let mut weights = match self {
            Start::Initial => {
                let mut weights = vec![0.0; space.states()];
                weights[0] = 1.0;
                return Ok(weights);
            }
            Start::Predicate(predicate) => of_states(space, &holding(space, predicate)?),
            Start::States(states) => of_states(space, states),
            Start::Weights(weights) => weights.clone(),
        };
        if weights.len() != space.states() {
            let (given, states) = (weights.len(), space.states());
            return Err(Error::Unknown(format!(
                "{given} weights are given for {states} states: give one for each state, in the order of `skel derive`"
            )));
        }
        if let Some((state, weight)) =
            weights.iter().enumerate().find(|(_, weight)| !weight.is_finite() || **weight < 0.0)
        {
            return Err(Error::Unknown(format!(
                "the weight {weight} of the state {state} is no weight: a weight is a finite number, and not negative"
            )));
        }
        let sum = total(&weights);
        if sum == 0.0 || !sum.is_finite() {
            return Err(Error::Unknown("no state has a weight above 0 to begin with".to_owned()));
        }
        weights.iter_mut().for_each(|weight| *weight /= sum);
        Ok(weights)
    }
}

/// A lumped state counts as often as it has states that it stands for.
fn of_states(space: &StateSpace, states: &[usize]) -> Vec<f64> {
    let mut weights = vec![0.0; space.states()];
    for &state in states {
        weights[state] = space.stands_for(state).map_or(f64::INFINITY, |count| count as f64);
    }
    weights
}

fn holding(space: &StateSpace, predicate: &Predicate) -> Result<Vec<usize>, Error> {
    let holds = space.holds_in(predicate)?;
    let states: Vec<usize> = (0..holds.len()).filter(|&state| holds[state]).collect();
    if states.is_empty() {
        return Err(Error::Unknown(format!("`{predicate}` holds in no reachable state to begin with")));
    }
    Ok(states)
}
